// Whether generated code tells of the user's functions and lines (source_lines.h).
#pragma once

namespace fastnp::codegen {

/// As FASTNP_DEBUG_INFO and FASTNP_PROFILER say, unless tell_lines() says otherwise.
bool tells_lines();
/// Whether what is made from here on does; gives whether it did.
bool tell_lines(bool now);

}  // namespace fastnp::codegen
