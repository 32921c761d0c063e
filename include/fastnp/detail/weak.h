// What elementwise functions do with a Python number whose value is not known yet.
#pragma once

#include <optional>
#include <string_view>

#include "fastnp/array.h"

namespace fastnp::detail {

/// The dtype that a binary elementwise function converts a weak float to, its operand `which` (NEP 50). TypeError where there is no loop for it.
FASTNP_API Dtype loop_dtype_of_float(std::string_view function, int which, const Operand& other);

}  // namespace fastnp::detail
