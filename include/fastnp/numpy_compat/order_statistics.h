// NumPy functions that are compositions of others: medians, quantiles and percentiles.
#pragma once

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup reductions
/// @{

/// How a quantile lies among the sorted elements: numpy.quantile's `method`, by number the definitions of Hyndman and Fan (1996).
enum class QuantileMethod : std::uint8_t {
    inverted_cdf,               ///< 1: an element
    averaged_inverted_cdf,      ///< 2: as 1, but the mean of two where it lies between them
    closest_observation,        ///< 3: an element
    interpolated_inverted_cdf,  ///< 4
    hazen,                      ///< 5
    weibull,                    ///< 6
    linear,                     ///< 7: on the line through the two next to it
    median_unbiased,            ///< 8
    normal_unbiased,            ///< 9
    lower,                      ///< the element before it
    higher,                     ///< the element behind it
    midpoint,                   ///< the mean of both
    nearest                     ///< the closer one
};

// NaN where any element is NaN; the functions with `nan` in their names leave NaN out, and give NaN where all are. Derivatives flow to the elements that
// the result is made of.

/// numpy.median: the element in the middle of the sorted ones over the axes, or the mean of two. In float64 for integers. NaN of no elements. AxisError.
///
///     median(array{{1.0, 5.0, 2.0}, {4.0, 3.0, 9.0}}, 1);  // [2. 4.]
FASTNP_API array median(const array& x, const Axes& axis = {}, bool keepdims = false);
/// numpy.nanmedian: the same without NaN.
FASTNP_API array nanmedian(const array& x, const Axes& axis = {}, bool keepdims = false);

/// numpy.quantile: where the part q of the elements over the axes is below, 0 <= q <= 1: of q's shape, and then x's without the axes. A number q is
/// weakly typed. ValueError for another q; TypeError for complex x; AxisError; IndexError for an empty axis.
///
///     quantile(array{3.0, 1.0, 2.0}, 0.25);  // 1.5
FASTNP_API array quantile(const array& x, const Operand& q, const Axes& axis = {}, QuantileMethod method = QuantileMethod::linear, bool keepdims = false);
/// numpy.percentile: quantile() of q / 100.
FASTNP_API array percentile(const array& x, const Operand& q, const Axes& axis = {}, QuantileMethod method = QuantileMethod::linear,
                            bool keepdims = false);
/// numpy.nanquantile: quantile() without NaN.
FASTNP_API array nanquantile(const array& x, const Operand& q, const Axes& axis = {}, QuantileMethod method = QuantileMethod::linear,
                             bool keepdims = false);
/// numpy.nanpercentile: percentile() without NaN.
FASTNP_API array nanpercentile(const array& x, const Operand& q, const Axes& axis = {}, QuantileMethod method = QuantileMethod::linear,
                               bool keepdims = false);

/// @}

}  // namespace fastnp
