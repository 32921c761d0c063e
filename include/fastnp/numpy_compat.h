// NumPy functions that are compositions of others: written on the public API alone, so they record, fuse and compile as user code does.
#pragma once

#include <optional>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup reductions
/// @{

/// numpy.ptp: maximum minus minimum over `options.axis`. ValueError for an empty axis.
FASTNP_API array ptp(const array& x, const FoldOptions& options = {});

/// numpy.average: the mean over `axis`, weighted if weights are given (their shape is x's, or the axis' length). ZeroDivisionError is NumPy's for
/// weights that sum to zero; here, as in a compiled NumPy expression, the result is then inf or NaN. ValueError if the shapes do not fit.
FASTNP_API array average(const array& x, std::optional<int> axis = std::nullopt, const std::optional<array>& weights = std::nullopt);

/// @}

/// \addtogroup elementwise
/// @{

/// numpy.diff: n-th differences along an axis; not_equal for bools. ValueError for a negative order or a 0-d array.
FASTNP_API array diff(const array& x, int n = 1, int axis = -1);

/// numpy.trapezoid: the integral along an axis by the trapezoidal rule, samples `dx` apart.
FASTNP_API array trapezoid(const array& y, double dx = 1.0, int axis = -1);

/// numpy.cross for vectors of length 3 along the last axis. ValueError for other lengths.
FASTNP_API array cross(const array& x, const array& y);

/// @}

}  // namespace fastnp
