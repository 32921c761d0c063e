// Recorded graphs and loop kernels as text, for tools and tests.
#pragma once

#include <string>
#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// The text of the graph that a text says, with the lines of the user's or without; the graph is verified. ValueError, which names line and column, where
/// it is none; InternalError where it is none that ops could have made.
FASTNP_API std::string parsed_graph_text(std::string_view text, bool with_lines = false);

/// The same of a loop kernel's text (EntryInfo::loops has one after the other).
FASTNP_API std::string parsed_kernel_text(std::string_view text);

}  // namespace fastnp::detail
