// NumPy functions that are compositions of others: sums, products, extremes, means and scans that leave NaN out.
#pragma once

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup reductions
/// @{

// Of integers and bools, and of arrays without NaN, each is what the function without `nan` in its name gives. A complex number is NaN where one of its
// parts is. Derivatives at NaN are 0.

/// numpy.nansum: sum() of the elements that are not NaN; 0 of none. AxisError.
///
///     nansum(array{1.0, std::nan(""), 2.0});  // 3.
FASTNP_API array nansum(const array& x, const FoldOptions& options = {});
/// numpy.nanprod: prod() of the elements that are not NaN; 1 of none. AxisError.
FASTNP_API array nanprod(const array& x, const FoldOptions& options = {});
/// numpy.nanmax: the largest element that is not NaN; NaN where all are (of which NumPy warns). ValueError for an empty axis without `initial`, AxisError.
FASTNP_API array nanmax(const array& x, const FoldOptions& options = {});
/// numpy.nanmin: the smallest element that is not NaN, as nanmax().
FASTNP_API array nanmin(const array& x, const FoldOptions& options = {});
/// numpy.nanmean: the mean of the elements that are not NaN, in x's dtype, in float64 for integers; NaN of none. AxisError; TypeError for a `dtype` or
/// `out` that is not floating or complex where x is.
FASTNP_API array nanmean(const array& x, const FoldOptions& options = {});
/// numpy.nanvar: the mean square distance of the elements that are not NaN from their mean, divided by their count - ddof; NaN where that is not
/// positive. Floating, also of complex numbers. Errors as nanmean().
FASTNP_API array nanvar(const array& x, const FoldOptions& options = {}, double ddof = 0);
/// numpy.nanstd: the square root of nanvar(). Its derivative is 0 where it is 0.
FASTNP_API array nanstd(const array& x, const FoldOptions& options = {}, double ddof = 0);
/// numpy.nanargmax: the index of the first largest element that is not NaN. ValueError for an empty axis, and where all elements are NaN (while
/// recording, that is read); AxisError.
FASTNP_API array nanargmax(const array& x, const AxisOptions& options = {});
/// numpy.nanargmin: the index of the first smallest element that is not NaN, as nanargmax().
FASTNP_API array nanargmin(const array& x, const AxisOptions& options = {});
/// numpy.nancumsum: cumsum() with 0 for NaN. AxisError.
FASTNP_API array nancumsum(const array& x, const AxisOptions& options = {});
/// numpy.nancumprod: cumprod() with 1 for NaN. AxisError.
FASTNP_API array nancumprod(const array& x, const AxisOptions& options = {});

/// @}

}  // namespace fastnp
