// Lines of programs of machine code, from their debug information.
#pragma once

#include "ir/location.h"

namespace fastnp::codegen {

/// Whether a module of this process, as they are when it is asked for the first time, has lines; the library's own and the system's do not count.
bool has_debug_lines();
/// The line of the innermost call whose function is neither the library's nor the standard library's; an empty one where none is known.
ir::Line debug_line(ir::Calls calls);

}  // namespace fastnp::codegen
