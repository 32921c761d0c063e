// Where a program of machine code has called the library from.
#pragma once

#include "ir/location.h"

namespace fastnp::trace {

/// The call that the thread is in: its line is looked up where somebody asks for it. `other` where no line can be found.
ir::Location call_site(ir::Location other);
/// Says whether lines can be found at all: it is asked once for each call.
using HasLines = bool (*)();
void set_has_lines(HasLines has_lines);

}  // namespace fastnp::trace
