"""What is particular to reductions, scans, searches and products; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["sum"] = """
Sum of the elements, over all axes or the given ones.

Small integers and bools are summed in the platform's 64-bit integers, which wrap around; floating
numbers in their own dtype.

@a : array_like
The summands, of any shape and dtype.
@dtype : dtype
The dtype that is summed in, and of the result.
-> ndarray or scalar
Of the shape of `a` without the reduced axes. No elements have the sum 0, or `initial`.
! AxisError
For an axis that `a` has not.
~ Floating sums are pairwise, as NumPy's. In compiled functions the order may be another one, so last digits may differ.
d yes
% own
& cumsum, mean, prod, add
>>> np.sum([[1.0, 2.0], [3.0, 4.0]])
np.float64(10.0)
>>> np.sum([[1, 2], [3, 4]], axis=0)
array([4, 6])
>>> np.sum([1.0, 5.0, 9.0], where=[True, False, True])
np.float64(10.0)
"""
TEXTS["prod"] = """
Product of the elements, over all axes or the given ones.

Small integers and bools are multiplied in the platform's 64-bit integers, which wrap around.

@a : array_like
The factors, of any shape and dtype.
@dtype : dtype
The dtype that is multiplied in, and of the result.
-> ndarray or scalar
Of the shape of `a` without the reduced axes. No elements have the product 1, or `initial`.
! AxisError
For an axis that `a` has not.
d yes It is right where factors are zero, too.
% own
& cumprod, sum, multiply
>>> np.prod([1.0, 2.0, 4.0])
np.float64(8.0)
>>> np.prod([[1, 2], [3, 4]], axis=1)
array([ 2, 12])
"""
_EXTREME = """
{Largest} element, over all axes or the given ones.

NaN if any element is NaN. Complex numbers are ordered by their real parts, then by the imaginary
ones. `{alias}` is another name.

@a : array_like
The elements, of any shape and dtype.
-> ndarray or scalar
Of the shape of `a` without the reduced axes, in the dtype of `a`.
! ValueError
Where there are no elements, and no `initial`.
d yes Elements that are equal to the result share it alike.
% own
& {others}
"""
TEXTS["max"] = (
    _EXTREME.format(Largest="Largest", alias="amax", others="min, argmax, maximum, nanmax, ptp")
    + """
>>> np.max([[1, 5], [7, 2]])
np.int64(7)
>>> np.max([[1, 5], [7, 2]], axis=0)
array([7, 5])
>>> np.max([], initial=0.0)
np.float64(0.0)
"""
)
TEXTS["min"] = (
    _EXTREME.format(Largest="Smallest", alias="amin", others="max, argmin, minimum, nanmin, ptp")
    + """
>>> np.min([[1, 5], [7, 2]])
np.int64(1)
>>> np.min([[1, 5], [7, 2]], axis=1, keepdims=True)
array([[1],
       [2]])
"""
)
TEXTS["amax"] = TEXTS["max"].replace("`amax` is another name", "`max` under its older name").replace("np.max(", "np.amax(")
TEXTS["amin"] = TEXTS["min"].replace("`amin` is another name", "`min` under its older name").replace("np.min(", "np.amin(")
TEXTS["any"] = """
Whether any element is true, over all axes or the given ones.

Zeros are false, all other numbers true, NaN among them.

@a : array_like
The elements, of any shape and dtype.
-> ndarray or scalar, bool
Of the shape of `a` without the reduced axes. Of no elements it is False.
! AxisError
For an axis that `a` has not.
d none
% own
& all, logical_or, count_nonzero
>>> np.any([False, True, False])
np.True_
>>> np.any([[0, 0], [0, 3]], axis=1)
array([False,  True])
"""
TEXTS["all"] = """
Whether all elements are true, over all axes or the given ones.

Zeros are false, all other numbers true, NaN among them.

@a : array_like
The elements, of any shape and dtype.
-> ndarray or scalar, bool
Of the shape of `a` without the reduced axes. Of no elements it is True.
! AxisError
For an axis that `a` has not.
d none
% own
& any, logical_and, allclose
>>> np.all([1.0, 2.0, 0.0])
np.False_
>>> np.all([[1, 2], [0, 3]], axis=1)
array([ True, False])
"""
_PLACE = """
Index of the {largest} element, along an axis or in the whole array.

Of several equal ones it is the first. NaN counts as the {largest}.

@a : array_like
The elements, of any shape and dtype.
@axis : int or None
The axis along which the index counts. None: the index into the elements in C order.
-> ndarray or scalar, int64
Of the shape of `a` without the axis.
! ValueError
For an axis without elements.
! AxisError
For an axis that `a` has not.
d none
% own
& {others}
"""
TEXTS["argmax"] = (
    _PLACE.format(largest="largest", others="max, argmin, argsort, nanargmax")
    + """
>>> np.argmax([3, 9, 4, 9])
np.int64(1)
>>> np.argmax([[1, 5], [7, 2]], axis=1)
array([1, 0])
"""
)
TEXTS["argmin"] = (
    _PLACE.format(largest="smallest", others="min, argmax, argsort, nanargmin")
    + """
>>> np.argmin([3, 1, 4, 1])
np.int64(1)
>>> np.argmin([[1, 5], [7, 2]], axis=0)
array([0, 1])
"""
)
_RUNNING = """
Running {sum} of the elements along an axis.

Element i of the result is the {sum} of elements 0 to i. Small integers and bools are computed in
64-bit integers.

@a : array_like
The elements, of any shape and dtype.
@axis : int or None
The axis along which it runs. None: over the elements in C order.
@dtype : dtype
The dtype that is computed in, and of the result.
-> ndarray
Of the shape of `a`; with one axis where `axis` is None.
! AxisError
For an axis that `a` has not.
d yes
% own
& {others}
"""
TEXTS["cumsum"] = (
    _RUNNING.format(sum="sum", others="sum, diff, cumprod, add")
    + """
>>> np.cumsum([1.0, 2.0, 4.0])
array([1., 3., 7.])
>>> np.cumsum([[1, 2], [3, 4]], axis=0)
array([[1, 2],
       [4, 6]])
"""
)
TEXTS["cumprod"] = (
    _RUNNING.format(sum="product", others="prod, cumsum, multiply")
    + """
>>> np.cumprod([1.0, 2.0, 4.0])
array([1., 2., 8.])
>>> np.cumprod([[1, 2], [3, 4]], axis=1)
array([[ 1,  2],
       [ 3, 12]])
"""
)
TEXTS["mean"] = """
Arithmetic mean of the elements, over all axes or the given ones.

Integers and bools are averaged in float64, float16 in float32. Of no elements it is NaN, with a RuntimeWarning.

@a : array_like
The elements, of any shape.
@dtype : dtype
The dtype that is computed in, and of the result.
-> ndarray or scalar
Of the shape of `a` without the reduced axes, floating or complex.
! AxisError
For an axis that `a` has not.
d yes
% own
& sum, var, std, median, average
>>> np.mean([1, 2, 6])
np.float64(3.0)
>>> np.mean([[1.0, 2.0], [3.0, 4.0]], axis=0)
array([2., 3.])
"""
_SPREAD = """
{Variance} of the elements, over all axes or the given ones.

{words} Of complex numbers it is that of their distances from the mean, and real.

@a : array_like
The elements, of any shape.
@dtype : dtype
The dtype that is computed in.
@mean : array_like
The mean, if it is known: with the reduced axes of size 1.
-> ndarray or scalar
Of the shape of `a` without the reduced axes, floating.
! ValueError
For `ddof` and `correction` at once.
~ Where `ddof` is not below the number of elements, the result is NaN or an infinity, with a RuntimeWarning.
d yes{derivative}
% own
& {others}
"""
TEXTS["var"] = (
    _SPREAD.format(
        Variance="Variance",
        words="The mean of the squared distances from the mean, with the divisor ``N - ddof``.",
        derivative="",
        others="std, mean, nanvar",
    )
    + """
>>> np.var([1.0, 2.0, 6.0])
np.float64(4.666666666666667)
>>> np.var([1.0, 2.0, 6.0], ddof=1)
np.float64(7.0)
"""
)
TEXTS["std"] = (
    _SPREAD.format(
        Variance="Standard deviation",
        words="The square root of the variance, whose divisor is ``N - ddof``.",
        derivative=" It is NaN where all elements are equal.",
        others="var, mean, nanstd",
    )
    + """
>>> np.std([1.0, 3.0])
np.float64(1.0)
>>> np.std([[1.0, 3.0], [2.0, 6.0]], axis=1)
array([1., 2.])
"""
)
TEXTS["clip"] = """
Elements limited to an interval.

Those below the lower bound become it, those above the upper one that. It is
``minimum(maximum(a, a_min), a_max)``: where the bounds are in the wrong order, the upper one wins.

@a : array_like
The elements, of any shape and dtype.
@a_min, a_max : array_like or None
The bounds, which broadcast against `a`. None: no bound at that side.
@min, max : array_like or None
Other names for the bounds, from the Array API standard.
@where : array_like of bool
Which elements are computed. The others keep what `out` has.
-> ndarray or scalar
Of the shape that all operands broadcast to.
! ValueError
For bounds under both names.
d yes Beyond the bounds it is zero by `a`, and one by the bound.
% own
& maximum, minimum
>>> np.clip([-3, 2, 9], 0, 5)
array([0, 2, 5])
>>> np.clip([1.0, 7.0], None, [4.0, 6.0])
array([1., 6.])
"""
TEXTS["round"] = """
Elements rounded to a number of decimals.

Halves go to the even neighbour: 0.5 to 0, 1.5 to 2. `around` is another name.

@a : array_like
The numbers. The parts of complex ones are rounded one by one; integers change for negative `decimals` alone.
@decimals : int
Places behind the point; negative ones count to the left of it.
-> ndarray or scalar
The rounded numbers, in the dtype of `a`.
d zero
% own
& rint, floor, ceil, trunc
>>> np.round([1.234, 5.678], 1)
array([1.2, 5.7])
>>> np.round([0.5, 1.5, 2.5])
array([0., 2., 2.])
"""
TEXTS["around"] = TEXTS["round"].replace("`around` is another name", "It is `round` under its older name").replace("np.round(", "np.around(")
TEXTS["matmul"] = """
Product of matrices, or of stacks of them: ``x1 @ x2``.

The last two axes are the matrices; those before broadcast. An operand of one axis is a row at the
left, a column at the right, and that axis is not in the result.

@x1, x2 : array_like
Of shapes ``(..., n, k)`` and ``(..., k, m)``; no scalars.
@dtype : dtype
The dtype that is computed in, and of the result.
-> ndarray or scalar
Of shape ``(..., n, m)``; bools are joined by and, then or.
! ValueError
For operands without axes, and sizes k that differ.
~ Done by OpenBLAS for floating and complex numbers, by cuBLASLt on CUDA devices. Sums may be in another order than NumPy's.
d yes
% own
& dot, tensordot, einsum, vecdot, linalg.multi_dot
>>> np.matmul([[1, 2], [3, 4]], [[1, 0], [0, 2]])
array([[1, 4],
       [3, 8]])
>>> np.matmul([1.0, 2.0], [3.0, 4.0])
np.float64(11.0)
"""
TEXTS["dot"] = """
Product of two arrays over the last axis of the first and the second to last of the second.

Of vectors the inner product, of matrices the product of matrices (`matmul` says so better), with a
scalar the product by elements. Axes before are not broadcast, but combined, other than by `matmul`.

@a, b : array_like
The factors.
-> ndarray or scalar
Of shape ``a.shape[:-1] + b.shape[:-2] + b.shape[-1:]``.
! ValueError
Where the sizes of the two axes differ, and for an `out` that is not as NumPy has it.
d yes
% own
& matmul, vdot, inner, tensordot
>>> np.dot([1.0, 2.0], [3.0, 4.0])
np.float64(11.0)
>>> np.dot([[1, 2], [3, 4]], [10, 20])
array([ 50, 110])
"""
TEXTS["tensordot"] = """
Product of two arrays, summed over pairs of axes.

It is one product of matrices, after the axes were moved together.

@a, b : array_like
The factors.
@axes : int or pair of sequences of ints
The number of last axes of `a` and first axes of `b` that are paired; or the axes of each.
-> ndarray or scalar
The axes of `a` that are not summed over, then those of `b`.
! ValueError
Where the sizes of paired axes differ.
d yes
% own
& matmul, dot, einsum
>>> np.tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1).shape
(2, 4)
>>> np.tensordot([[1, 2], [3, 4]], [[1, 2], [3, 4]])
array(30)
"""
TEXTS["outer"] = """
Products of all pairs of elements of two vectors.

Operands with more axes are flattened. ``np.multiply.outer`` keeps their axes.

@a, b : array_like
The factors, of M and N elements.
-> ndarray
Of shape ``(M, N)``: element (i, j) is ``a[i] * b[j]``.
d yes
% own
& inner, kron, multiply, einsum
>>> np.outer([1, 2, 3], [10, 20])
array([[10, 20],
       [20, 40],
       [30, 60]])
"""
