// Which calls of numpy.ufunc.at are one operation, for front ends that have another way for the rest.
#pragma once

#include "fastnp/export.h"
#include "fastnp/ops.h"

namespace fastnp::detail {

/// Whether ufunc.at with repeated indices computes in x's dtype, so that it is one operation, and not a turn for each index.
FASTNP_API bool combines_at_once(BinaryUfunc ufunc, Dtype dtype, const Operand& values);

}  // namespace fastnp::detail
