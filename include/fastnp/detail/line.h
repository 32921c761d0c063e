// Where the user's program is, for what is recorded: each op knows its line.
#pragma once

#include <cstdint>
#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Numbers for the lines of a function: that of the line `first`, which the others follow; the same ones for equal functions. 0: there are none left.
FASTNP_API std::uint32_t line_numbers(std::string_view file, std::string_view function, int first, std::uint32_t count);

/// Gives the number of the line that the thread's program is at, outside of the front end itself; 0: it is not known.
using AskLine = std::uint32_t (*)();
/// Has recordings ask for lines, once for each op.
FASTNP_API void set_line_asked(AskLine ask);

}  // namespace fastnp::detail
