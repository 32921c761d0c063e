// What numpy.ufunc.reduce computes in, for front ends that convert numbers to it first.
#pragma once

#include <optional>

#include "fastnp/export.h"
#include "fastnp/ufunc.h"

namespace fastnp::detail {

/// The dtype of reduce(ufunc, x) and accumulate(ufunc, x) for an x of a dtype, or as wanted. TypeError where results are not what is joined.
FASTNP_API Dtype joined_dtype(BinaryUfunc ufunc, Dtype dtype, const std::optional<Dtype>& wanted);

}  // namespace fastnp::detail
