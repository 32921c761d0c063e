// Locations of all lines of a function at once.
#pragma once

#include "ir/location.h"

namespace fastnp::ir {

/// The location of a function's line `first`; those of the `count` - 1 lines behind it are the next numbers. The same ones for equal functions.
Location line_block(std::string_view file, std::string_view function, int first, std::uint32_t count);

}  // namespace fastnp::ir
