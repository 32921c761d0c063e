// Which functions have no floating-point errors.
#pragma once

#include <string_view>

#include "fastnp/export.h"

namespace fastnp::detail {

/// Whether the op of that name tells of no floating-point error in NumPy, whatever real operands it has: it compares, chooses or orders them, moves them,
/// or takes integers alone. Its kernels may raise the processor's flags for NaN all the same. False where there is no such op.
FASTNP_API bool is_quiet(std::string_view name);

}  // namespace fastnp::detail
