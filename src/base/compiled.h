// The function that a thread compiles.
#pragma once

#include <string_view>

namespace fastnp::base {

/// Its name, as detail::LogScope has it; empty where none is compiled.
std::string_view compiled_function();

}  // namespace fastnp::base
