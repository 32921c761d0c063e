"""What is particular to statistics: without NaN, weighted, and of variables that vary together; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_NAN = "NaN {does} left out; of integers and bools, and without NaN, it is `{plain}`. A complex number is NaN where one of its parts is."
_YES = "d yes It is 0 at NaN.\n% made"

TEXTS["nansum"] = f"""
Sum of the elements that are not NaN, over all axes or the given ones.

{_NAN.format(does="is", plain="sum")}

@a : array_like
The summands, of any shape and dtype.
@dtype : dtype
The dtype that is summed in, and of the result.
-> ndarray or scalar
Of the shape of `a` without the reduced axes. No elements have the sum 0, or `initial`.
! AxisError
For an axis that `a` has not.
{_YES}
& sum, nanmean, nancumsum, isnan
>>> np.nansum([1.0, np.nan, 2.0])
np.float64(3.0)
>>> np.nansum([[1.0, np.nan], [np.nan, np.nan]], axis=1)
array([1., 0.])
"""
TEXTS["nanprod"] = f"""
Product of the elements that are not NaN, over all axes or the given ones.

{_NAN.format(does="is", plain="prod")}

@a : array_like
The factors, of any shape and dtype.
@dtype : dtype
The dtype that is multiplied in, and of the result.
-> ndarray or scalar
Of the shape of `a` without the reduced axes. No elements have the product 1, or `initial`.
! AxisError
For an axis that `a` has not.
{_YES}
& prod, nancumprod, isnan
>>> np.nanprod([2.0, np.nan, 4.0])
np.float64(8.0)
"""
_EXTREME = """
{Largest} element that is not NaN, over all axes or the given ones.

{nan}

@a : array_like
The elements, of any shape and dtype.
-> ndarray or scalar
Of the shape of `a` without the reduced axes, in the dtype of `a`. NaN where all elements are, of which
a RuntimeWarning tells.
! ValueError
Where there are no elements, and no `initial`.
d yes Elements that are equal to the result share it alike; it is 0 at NaN.
% made
& {others}
"""
TEXTS["nanmax"] = (
    _EXTREME.format(Largest="Largest", nan=_NAN.format(does="is", plain="max"), others="max, fmax, nanmin, nanargmax")
    + """
>>> np.nanmax([1.0, np.nan, 3.0])
np.float64(3.0)
>>> np.nanmax([[1.0, np.nan], [0.0, -2.0]], axis=0)
array([ 1., -2.])
"""
)
TEXTS["nanmin"] = (
    _EXTREME.format(Largest="Smallest", nan=_NAN.format(does="is", plain="min"), others="min, fmin, nanmax, nanargmin")
    + """
>>> np.nanmin([1.0, np.nan, 3.0])
np.float64(1.0)
"""
)
_PLACE = """
Index of the first {largest} element that is not NaN.

Along an axis, or in the flattened array.

@a : array_like
The elements, of any shape and dtype.
@axis : int or None
The axis to search along. None: the flattened array.
-> ndarray or scalar, int64
Of the shape of `a` without the axis.
! ValueError
Where all elements of a slice are NaN, and where there are none.
d none
% Made of fastnp's own functions. A compiled function reads whether a slice is all NaN, which ends a
program; where it is mapped (`vmap`) NumPy is called.
& {others}
"""
TEXTS["nanargmax"] = (
    _PLACE.format(largest="largest", others="argmax, nanmax, nanargmin")
    + """
>>> np.nanargmax([np.nan, 2.0, 5.0])
np.int64(2)
"""
)
TEXTS["nanargmin"] = (
    _PLACE.format(largest="smallest", others="argmin, nanmin, nanargmax")
    + """
>>> np.nanargmin([[np.nan, 2.0], [5.0, 1.0]], axis=1)
array([1, 1])
"""
)
TEXTS["nancumsum"] = f"""
Running sums in which NaN counts as 0.

@a : array_like
The summands, of any shape and dtype.
@axis : int or None
The axis to sum along. None: the flattened array.
@dtype : dtype
The dtype that is summed in, and of the result.
-> ndarray
Of the shape of `a`, or of one axis.
! AxisError
For an axis that `a` has not.
{_YES}
& cumsum, nansum, nancumprod
>>> np.nancumsum([1.0, np.nan, 2.0])
array([1., 1., 3.])
"""
TEXTS["nancumprod"] = f"""
Running products in which NaN counts as 1.

@a : array_like
The factors, of any shape and dtype.
@axis : int or None
The axis to multiply along. None: the flattened array.
@dtype : dtype
The dtype that is multiplied in, and of the result.
-> ndarray
Of the shape of `a`, or of one axis.
! AxisError
For an axis that `a` has not.
{_YES}
& cumprod, nanprod, nancumsum
>>> np.nancumprod([2.0, np.nan, 3.0])
array([2., 2., 6.])
"""
TEXTS["nanmean"] = f"""
Mean of the elements that are not NaN, over all axes or the given ones.

{_NAN.format(does="is", plain="mean")}

@a : array_like
The elements, of any shape and dtype.
@dtype : dtype
The dtype that is summed in, and of the result: floating or complex.
-> ndarray or scalar
Of the shape of `a` without the reduced axes; float64 for integers. NaN where all elements are, of which
a RuntimeWarning tells.
! AxisError
For an axis that `a` has not.
! TypeError
For a dtype that is not floating or complex, where that of `a` is.
{_YES}
& mean, nanvar, nansum, nanmedian
>>> np.nanmean([1.0, np.nan, 3.0])
np.float64(2.0)
>>> np.nanmean([[1.0, np.nan], [5.0, 4.0]], axis=0)
array([3., 4.])
"""
_SPREAD = """
{What} of the elements that are not NaN, over all axes or the given ones.

{nan}

@a : array_like
The elements, of any shape and dtype.
@dtype : dtype
The dtype that is computed in, and of the result: floating or complex.
@ddof : int or float
The divisor is ``N - ddof``, with N the number of elements that are not NaN.
@mean : array_like
The mean, if it is known, with reduced axes of size 1. (NumPy computes the rest then.)
-> ndarray or scalar
Of the shape of `a` without the reduced axes; float64 for integers, and not complex. NaN where the
divisor is not positive, of which a RuntimeWarning tells.
! AxisError
For an axis that `a` has not.
! TypeError
For a dtype that is not floating or complex, where that of `a` is.
d yes {derivative}
% made
& {others}
"""
TEXTS["nanvar"] = (
    _SPREAD.format(What="Variance", nan=_NAN.format(does="is", plain="var"), derivative="It is 0 at NaN.", others="var, nanstd, nanmean")
    + """
>>> np.nanvar([1.0, np.nan, 3.0])
np.float64(1.0)
>>> np.nanvar([1.0, np.nan, 3.0], ddof=1)
np.float64(2.0)
"""
)
TEXTS["nanstd"] = (
    _SPREAD.format(
        What="Standard deviation",
        nan=_NAN.format(does="is", plain="std"),
        derivative="It is 0 at NaN, and where the deviation is 0.",
        others="std, nanvar, nanmean",
    )
    + """
>>> np.nanstd([1.0, np.nan, 3.0])
np.float64(1.0)
"""
)
TEXTS["ptp"] = """
Range of the elements, from the smallest to the largest one, over all axes or the given ones.

@a : array_like
The elements: numbers.
-> ndarray or scalar
Of the shape of `a` without the reduced axes, in the dtype of `a`: of small integers it may wrap around.
! ValueError
Where there are no elements.
! TypeError
For bools.
d yes
% made
& max, min, std
>>> np.ptp([3, 1, 8])
np.int64(7)
>>> np.ptp([[1.0, 4.0], [2.0, 2.0]], axis=1)
array([3., 0.])
"""
TEXTS["average"] = """
Mean of the elements, weighted or not, over all axes or the given ones.

@a : array_like
The elements, of any shape and dtype.
@weights : array_like, optional
How much each element counts: of the shape of `a`, or of that of the axes. None: all alike.
@returned : bool
Whether the sum of the weights is returned, too.
-> ndarray or scalar
Of the shape of `a` without the reduced axes; float64 for integers.
-> sum_of_weights : ndarray or scalar
With `returned`: of the same shape; the number of elements where there are no weights.
! ZeroDivisionError
For weights that sum to zero. (In transforms the result is infinite or NaN then.)
! TypeError
For weights of another shape, without an axis.
! ValueError
For weights that do not fit the axes.
d yes It flows to `a` and to `weights`.
% made
& mean, median, cov
>>> np.average([1.0, 2.0, 3.0])
np.float64(2.0)
>>> np.average([1.0, 2.0, 3.0], weights=[3, 1, 0])
np.float64(1.25)
>>> np.average([[1.0, 2.0], [3.0, 6.0]], axis=1, weights=[1, 3], returned=True)
(array([1.75, 5.25]), array([4., 4.]))
"""
_VARIABLES = "Variables and observations: a variable for each row, or, without `rowvar`, for each column. One axis is one variable."
_MORE = "More variables, in the same form."
TEXTS["cov"] = f"""
Covariances of variables: a matrix, with their variances on the diagonal.

@m : array_like
{_VARIABLES}
@y : array_like, optional
{_MORE}
@rowvar : bool
Whether rows are variables, and columns observations.
@bias : bool
Whether the sums are divided by the number of observations N, not by N - 1.
@ddof : int, optional
The divisor is ``N - ddof``, whatever `bias` is.
@fweights : array_like of int, optional
How often each observation was made.
@aweights : array_like, optional
How much each observation counts.
@dtype : dtype
The dtype of the result: floating or complex. None: at least float64.
-> ndarray
A square matrix; of no axes for one variable.
! ValueError
For more than two axes, and negative weights.
! TypeError
For `fweights` that are no whole numbers.
! RuntimeError
For weights that do not fit the observations.
d yes It flows to `m`, `y` and `aweights`.
~ A divisor that is not positive gives infinities, and a RuntimeWarning.
% made
& corrcoef, var, average
>>> np.cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]])
array([[ 1., -1.],
       [-1.,  1.]])
>>> np.cov([1.0, 2.0, 4.0], aweights=[1.0, 1.0, 2.0], ddof=0)
array(1.6875)
"""
TEXTS["corrcoef"] = f"""
Correlation coefficients of variables: their covariances, divided by their standard deviations.

@x : array_like
{_VARIABLES}
@y : array_like, optional
{_MORE}
@rowvar : bool
Whether rows are variables, and columns observations.
@dtype : dtype
The dtype of the result: floating or complex. None: at least float64.
-> ndarray or scalar
A square matrix of numbers from -1 to 1; a scalar for one variable. NaN for variables that do not vary.
! ValueError
For more than two axes.
d yes
% made
& cov
>>> np.corrcoef([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
array([[ 1., -1.],
       [-1.,  1.]])
"""
