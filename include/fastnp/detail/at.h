// Which calls of numpy.ufunc.at are one operation, for front ends that have another way for the rest.
#pragma once

#include <cstdint>
#include <optional>

#include "fastnp/export.h"
#include "fastnp/ops.h"

namespace fastnp::detail {

/// Whether ufunc.at with repeated indices computes in x's dtype, so that it is one operation, and not a turn for each index.
FASTNP_API bool combines_at_once(BinaryUfunc ufunc, Dtype dtype, const Operand& values);

/// numpy.bincount of arrays at hand: places along one axis (int64), and as many weights (float64), if any. ValueError for places below 0.
FASTNP_API array counts_of(const array& places, const std::optional<array>& weights, std::int64_t minlength);

}  // namespace fastnp::detail
