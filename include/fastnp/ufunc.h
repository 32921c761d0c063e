// The methods that numpy.ufunc has besides at() (ops.h), for every function of two operands.
#pragma once

#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup reductions
/// @{

/// numpy.ufunc.reduce: the elements over the axes, all unless given, joined by a function; from left to right where its order matters. TypeError where
/// what it gives is not what it joins; ValueError for an empty axis without `initial` where the function has no identity, and for several axes where it
/// may not join them in any order; AxisError.
///
///     reduce(bitwise_or, array({1, 2, 4}));  // 7
FASTNP_API array reduce(BinaryUfunc ufunc, const array& x, const FoldOptions& options = {});
/// numpy.ufunc.accumulate: the running results along an axis, the first unless given. TypeError for an array without axes, and where what the function
/// gives is not what it joins; AxisError.
///
///     accumulate(maximum, array({3., 1., 4.}));  // 3. 3. 4.
FASTNP_API array accumulate(BinaryUfunc ufunc, const array& x, const AxisOptions& options = {});

/// @}

}  // namespace fastnp
