"""What is particular to medians, quantiles, percentiles and bins; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_HOW = """% In compiled functions, in transforms and on CUDA devices it is made of fastnp's own functions, and so it
is for short arrays; others NumPy computes."""
_AXIS = """@axis : int, sequence of ints or None
The axis or axes to reduce; negative ones count from the last. None reduces all axes."""
_REST = """@overwrite_input : bool
Whether the array's elements may be put in another order. (NumPy does that.)
@keepdims : bool
Whether reduced axes stay, with size 1."""
_MEDIAN = """
{What} of the elements{without}, over all axes or the given ones.

It is the element in the middle of the sorted ones, or the mean of the two around it. {nan}

@a : array_like
The elements, of any shape and dtype.
{axis}
{rest}
-> ndarray or scalar
Of the shape of `a` without the reduced axes; float64 for integers.
! AxisError
For an axis that `a` has not.
d yes It flows to the elements that it is made of.
{how}
& {others}
"""
_LEFT_OUT = "NaN is left out; where all elements are NaN it is NaN, of which a RuntimeWarning tells."
TEXTS["median"] = (
    _MEDIAN.format(What="Median", without="", nan="NaN if any is NaN.", axis=_AXIS, rest=_REST, how=_HOW, others="nanmedian, quantile, mean, average")
    + """
>>> np.median([3.0, 1.0, 2.0])
np.float64(2.0)
>>> np.median([[1, 5, 2], [4, 3, 9]], axis=0)
array([2.5, 4. , 5.5])
"""
)
TEXTS["nanmedian"] = (
    _MEDIAN.format(What="Median", without=" that are not NaN", nan=_LEFT_OUT, axis=_AXIS, rest=_REST, how=_HOW, others="median, nanquantile, nanmean")
    + """
>>> np.nanmedian([3.0, np.nan, 2.0])
np.float64(2.5)
"""
)
_QUANTILE = """
{Quantiles} of the elements{without}, over all axes or the given ones.

The q-th {quantile} is where {part} of the sorted elements is below. {nan}

@a : array_like
The elements: real numbers.
@q : array_like of float
Which {quantiles}: from 0 to {most}.
{axis}
{rest}
@method : str
Where it lies between two elements: 'linear' on the line through them, 'lower', 'higher' or 'nearest' at
one, 'midpoint' in the middle; 'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation',
'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased' and 'normal_unbiased' are those of
Hyndman and Fan (1996).
@weights : array_like, optional
How much each element counts, for the method 'inverted_cdf'. (NumPy computes it then.)
-> ndarray or scalar
Of the shape of `q`, and then of `a` without the reduced axes.
! ValueError
For `q` below 0 or above {most}, and another method.
! TypeError
For complex numbers.
d yes It flows to the elements that it lies between, by how close it is, and to `q`.
{how}
& {others}
"""
TEXTS["quantile"] = (
    _QUANTILE.format(
        Quantiles="Quantiles",
        quantile="quantile",
        quantiles="quantiles",
        part="the part q",
        most="1",
        without="",
        nan="NaN if any element is NaN.",
        axis=_AXIS,
        rest=_REST,
        how=_HOW,
        others="percentile, nanquantile, median",
    )
    + """
>>> np.quantile([3.0, 1.0, 2.0], 0.25)
np.float64(1.5)
>>> np.quantile([[1.0, 2.0], [3.0, 6.0]], [0.0, 0.5], axis=0)
array([[1., 2.],
       [2., 4.]])
"""
)
TEXTS["percentile"] = (
    _QUANTILE.format(
        Quantiles="Percentiles",
        quantile="percentile",
        quantiles="percentiles",
        part="q percent",
        most="100",
        without="",
        nan="NaN if any element is NaN.",
        axis=_AXIS,
        rest=_REST,
        how=_HOW,
        others="quantile, nanpercentile, median",
    )
    + """
>>> np.percentile([3.0, 1.0, 2.0], 25)
np.float64(1.5)
"""
)
TEXTS["nanquantile"] = (
    _QUANTILE.format(
        Quantiles="Quantiles",
        quantile="quantile",
        quantiles="quantiles",
        part="the part q",
        most="1",
        without=" that are not NaN",
        nan=_LEFT_OUT,
        axis=_AXIS,
        rest=_REST,
        how=_HOW,
        others="quantile, nanpercentile, nanmedian",
    )
    + """
>>> np.nanquantile([3.0, np.nan, 1.0], 0.25)
np.float64(1.5)
"""
)
TEXTS["nanpercentile"] = (
    _QUANTILE.format(
        Quantiles="Percentiles",
        quantile="percentile",
        quantiles="percentiles",
        part="q percent",
        most="100",
        without=" that are not NaN",
        nan=_LEFT_OUT,
        axis=_AXIS,
        rest=_REST,
        how=_HOW,
        others="percentile, nanquantile, nanmedian",
    )
    + """
>>> np.nanpercentile([3.0, np.nan, 1.0], 25)
np.float64(1.5)
"""
)
TEXTS["bincount"] = """
How often each of 0, 1, 2, ... comes in an array, or the sums of weights for each.

@x : array_like
Whole numbers, none below 0, along one axis.
@weights : array_like, optional
As many real numbers: each counts by its own.
@minlength : int
How many counts there are at least; without it up to the largest number of `x`.
-> ndarray, int64 or float64
The counts, or the sums of the weights, which are added one after the other.
! ValueError
For numbers below 0, other axes, weights of another length, and a negative `minlength`.
! TypeError
For `x` of floats.
~ In compiled functions the number of counts is a size that is known when the call runs.
d yes It flows to the weights.
% made
& histogram, digitize, unique
>>> np.bincount([0, 1, 1, 3])
array([1, 2, 0, 1])
>>> np.bincount([0, 1, 1], weights=[0.5, 1.0, 2.0])
array([0.5, 3. ])
"""
TEXTS["digitize"] = """
Number of the bin that each element lies in.

Bin i is from ``bins[i - 1]`` up to ``bins[i]``, without it; 0 is before the first edge, ``len(bins)`` behind
the last one. Where edges fall, bin i is from ``bins[i - 1]``, without it, down to ``bins[i]``.

@x : array_like
The elements: real numbers.
@bins : array_like
The edges, along one axis, rising or falling.
@right : bool
Whether a bin has its right edge, and not its left one.
-> ndarray or scalar, int64
Of the shape of `x`.
! ValueError
For edges that neither rise nor fall.
! TypeError
For complex numbers.
d none
% made
& searchsorted, histogram
>>> np.digitize([0.5, 2.0, 7.0], [0.0, 1.0, 2.0])
array([1, 3, 3])
>>> np.digitize([0.5, 2.0, 7.0], [0.0, 1.0, 2.0], right=True)
array([1, 2, 3])
"""
