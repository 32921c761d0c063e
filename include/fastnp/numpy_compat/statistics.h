// NumPy functions that are compositions of others: what arrays are like as a whole or along axes.
#pragma once

#include <optional>
#include <utility>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup reductions
/// @{

/// numpy.ptp: maximum minus minimum over `options.axis`. ValueError for an empty axis, TypeError for bools, AxisError.
FASTNP_API array ptp(const array& x, const FoldOptions& options = {});

/// numpy.average: the mean over the axes, weighted if weights are given (of x's shape, or of that of the axes). In float64 for integers. TypeError or
/// ValueError where the shapes do not fit, AxisError; ZeroDivisionError for weights that sum to zero (while recording, the result is inf or NaN then).
///
///     average(array{1.0, 2.0}, {}, array{3.0, 1.0});  // 1.25
FASTNP_API array average(const array& x, const Axes& axis = {}, const std::optional<array>& weights = std::nullopt, bool keepdims = false);

/// numpy.average with returned=True: beside it the sum of the weights, or the number of elements, in the same shape.
FASTNP_API std::pair<array, array> average_and_weights(const array& x, const Axes& axis = {}, const std::optional<array>& weights = std::nullopt,
                                                       bool keepdims = false);

/// numpy.cov: the covariances of variables, which are the rows of m (and then of y), or with rowvar = false the columns: a square matrix, of no axes for
/// one variable. Divided by the number of observations - ddof (1, with `bias` 0), where each counts `fweights` times (integers) and has the weight
/// `aweights`. In at least float64, unless `dtype` is given. ValueError for more than two axes and for weights that are negative or do not fit, TypeError
/// for fweights that are no whole numbers.
///
///     cov(array{{0.0, 1.0, 2.0}, {2.0, 1.0, 0.0}});  // [[ 1. -1.] [-1.  1.]]
FASTNP_API array cov(const array& m, const std::optional<array>& y = std::nullopt, bool rowvar = true, bool bias = false,
                     std::optional<int> ddof = std::nullopt, const std::optional<array>& fweights = std::nullopt,
                     const std::optional<array>& aweights = std::nullopt, std::optional<Dtype> dtype = std::nullopt);

/// numpy.corrcoef: correlation coefficients, the covariances divided by the standard deviations, from -1 to 1. NaN for a variable that is constant. Errors
/// as cov().
FASTNP_API array corrcoef(const array& x, const std::optional<array>& y = std::nullopt, bool rowvar = true, std::optional<Dtype> dtype = std::nullopt);

/// @}

}  // namespace fastnp
