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
TEXTS["where"] = """
Elements of one of two arrays, by a condition.

Both arrays are computed in full before: `fastnp.cond` runs one of two functions. With the condition
alone it gives the places of its true elements, as `nonzero` does.

@condition : array_like
True where `x` is taken; numbers are true where they are not zero.
@x, y : array_like
What is taken where the condition holds, and elsewhere. Both or none.
-> ndarray or tuple of ndarray
Of the shape that all three broadcast to, in the dtype that `x` and `y` promote to.
! ValueError
For one of `x` and `y` without the other, and shapes that do not broadcast.
d yes It flows to the elements that were chosen.
% own
& nonzero, select, choose, cond
>>> np.where([True, False, True], [1, 2, 3], 0)
array([1, 0, 3])
>>> np.where([0, 5, 7])
(array([1, 2]),)
"""
TEXTS["nonzero"] = """
Places of the elements that are not zero, an array of indices for each axis.

``a[np.nonzero(a)]`` has these elements, in C order.

@a : array_like
The elements, with at least one axis.
-> tuple of ndarray, int64
As many arrays as `a` has axes, each as long as there are such elements.
! ValueError
For arrays of no axes.
~ In compiled functions the number of places is a size that is known when the call runs.
d none
% own
& flatnonzero, argwhere, where, count_nonzero
>>> np.nonzero([0, 3, 0, 4])
(array([1, 3]),)
>>> np.nonzero([[0, 1], [2, 0]])
(array([0, 1]), array([1, 0]))
"""
TEXTS["flatnonzero"] = """
Indices of the elements that are not zero, in the flattened array.

It is ``nonzero(ravel(a))[0]``.

@a : array_like
The elements, of any shape and dtype.
-> ndarray, int64
Indices into ``ravel(a)``, ascending.
~ In compiled functions the number of indices is a size that is known when the call runs.
d none
% own
& nonzero, argwhere, ravel
>>> np.flatnonzero([[0, 7], [0, 8]])
array([1, 3])
"""
TEXTS["argwhere"] = """
Places of the elements that are not zero, a row of indices for each.

It is ``transpose(nonzero(a))``: good to read, while `nonzero` is good to index with.

@a : array_like
The elements, of any shape and dtype.
-> ndarray, int64
Of shape ``(N, a.ndim)``, with N the number of such elements.
~ In compiled functions the number of rows is a size that is known when the call runs.
d none
% own
& nonzero, flatnonzero, where
>>> np.argwhere([[0, 7], [8, 0]])
array([[0, 1],
       [1, 0]])
"""
TEXTS["count_nonzero"] = """
Number of elements that are not zero, in all or along axes.

Of a condition it is how often it holds; NaN counts as not zero.

@a : array_like
The elements, of any shape and dtype.
@axis : int, tuple of ints or None
The axes along which it counts. None: all.
-> int or ndarray of int64
The number; an array where there is an axis, or `keepdims`.
! AxisError
For an axis that `a` has not.
d none
% own
& nonzero, sum, any
>>> np.count_nonzero([0, 3, 0, 4])
np.int64(2)
>>> np.count_nonzero([[0, 1], [2, 3]], axis=1)
array([1, 2])
"""
TEXTS["extract"] = """
Elements where a condition holds, as an array of one axis.

It is ``compress(ravel(condition), ravel(arr))``; ``arr[condition]`` is the same for arrays of one shape.

@condition : array_like
True where an element is taken.
@arr : array_like
The elements, in the shape of `condition`.
-> ndarray
The elements that were taken, in C order.
~ In compiled functions the number of elements is a size that is known when the call runs.
d moves
% own
& compress, where, take
>>> x = np.arange(6)
>>> np.extract(x % 2 == 0, x)
array([0, 2, 4])
"""
TEXTS["compress"] = """
Slices of an array along an axis where a condition holds.

A condition that is shorter than the axis leaves out the rest.

@condition : array_like of bool, one axis
Which slices are taken.
@axis : int or None
The axis that is sliced. None: of the elements in C order.
-> ndarray
`a` with fewer slices along the axis.
! ValueError
For conditions with more than one axis.
! IndexError
Where the condition is true beyond the end of the axis.
d moves
% own
& extract, take, where
>>> np.compress([True, False, True], [[1, 2, 3], [4, 5, 6]], axis=1)
array([[1, 3],
       [4, 6]])
>>> np.compress([0, 1], [7, 8, 9])
array([8])
"""
TEXTS["unique"] = """
Distinct elements of an array, sorted.

On request also where they first are, how to make the array of them, and how often each is there.

@ar : array_like
The elements; without `axis` in any shape.
@return_index : bool
Whether the first index of each distinct element is given.
@return_inverse : bool
Whether the indices that make `ar` of the result are given.
@return_counts : bool
Whether the number of occurrences is given.
@axis : int or None
Along which slices are told apart. None: elements are.
@equal_nan : bool
Whether all NaN are one element.
@sorted : bool
For NumPy's signature; the result is sorted.
-> ndarray or tuple of ndarray
The distinct elements; with one of the three requests a tuple that has these, too.
~ Which of two zeros is kept is not defined. In compiled functions their number is a size that is known when the call runs.
d none
% own
& sort, bincount, union1d
>>> np.unique([3, 1, 3, 2])
array([1, 2, 3])
>>> np.unique([3, 1, 3], return_counts=True)
(array([1, 3]), array([1, 2]))
"""
TEXTS["copyto"] = """
Elements of an array written over those of another one.

`src` broadcasts to the shape of `dst`. It is ``dst[...] = src`` with a mask and a rule for casts.

@dst : ndarray
What is written to.
@src : array_like
The new elements.
@where : array_like of bool
Which elements are written.
-> None
`dst` has the elements.
! TypeError
For casts that `casting` does not allow.
! ValueError
For read-only arrays, and shapes that do not broadcast.
d yes In a transformed function it flows from `src`, and from what of `dst` was kept.
% own
& where, put, putmask
>>> x = np.zeros(3)
>>> np.copyto(x, [1.0, 2.0, 3.0], where=[True, False, True])
>>> x
array([1., 0., 3.])
"""
TEXTS["real"] = """
Real part of the elements.

A view where the array is complex, the array itself where it is not; ``x.real`` is the same.

@val : array_like
The numbers.
-> ndarray or scalar
Of the shape of `val`, in the floating dtype of its parts.
d yes
% own
& imag, conjugate, absolute
>>> np.real([1 + 2j, 3 - 4j])
array([1., 3.])
>>> np.real(5.0)
5.0
"""
TEXTS["imag"] = """
Imaginary part of the elements.

A view where the array is complex; of real numbers it is zeros. ``x.imag`` is the same.

@val : array_like
The numbers.
-> ndarray or scalar
Of the shape of `val`, in the floating dtype of its parts.
d yes By real numbers it is zero.
% own
& real, conjugate, angle
>>> np.imag([1 + 2j, 3 - 4j])
array([ 2., -4.])
>>> np.imag(5.0)
0.0
"""
TEXTS["take"] = """
Elements at indices along an axis.

``np.take(a, i, axis=1)`` is ``a[:, i]``, with a choice of what becomes of indices out of bounds.

@a : array_like
Where elements are taken from.
@indices : array_like of int
The indices, of any shape; negative ones count from the end in mode 'raise'.
@axis : int or None
The axis that they index. None: the elements in C order.
@mode : {'raise', 'wrap', 'clip'}
What indices out of bounds do: raise IndexError, wrap around, or stand for the nearest one.
-> ndarray or scalar
`a` with the shape of `indices` in place of the axis.
! IndexError
For indices out of bounds in mode 'raise'.
d moves
% own
& take_along_axis, compress, choose
>>> np.take([10, 20, 30], [0, 2, 2])
array([10, 30, 30])
>>> np.take([[1, 2], [3, 4]], [5], axis=1, mode="clip")
array([[2],
       [4]])
"""
TEXTS["sort"] = """
Sorted copy of an array, along an axis.

NaN come last. Complex numbers are ordered by real, then imaginary parts. ``a.sort()`` sorts in place.

@a : array_like
The elements, of any shape.
@axis : int or None
The axis along which elements are sorted. None: all of them, in one line.
@order : str or list of str
Of structured arrays, which NumPy sorts.
-> ndarray
The elements in ascending order, in the dtype of `a`.
! AxisError
For an axis that `a` has not.
! ValueError
For both `kind` and `stable`.
d moves Equal elements are in the order of a stable sort.
% own
& argsort, lexsort, partition, searchsorted
>>> np.sort([3, 1, 2])
array([1, 2, 3])
>>> np.sort([[3, 1], [2, 5]], axis=0)
array([[2, 1],
       [3, 5]])
"""
TEXTS["argsort"] = """
Indices that would sort an array along an axis.

``np.take_along_axis(a, np.argsort(a, axis), axis)`` is sorted. NaN come last.

@a : array_like
The elements, of any shape.
@axis : int or None
The axis along which it would be sorted. None: all elements, in one line.
@order : str or list of str
Of structured arrays, which NumPy sorts.
-> ndarray, int64
Indices along the axis, in the shape of `a`.
! AxisError
For an axis that `a` has not.
~ Without a stable sort the order of equal elements is not defined.
d none
% own
& sort, argmin, take_along_axis, lexsort
>>> np.argsort([30, 10, 20])
array([1, 2, 0])
>>> np.argsort([2, 1, 2], stable=True)
array([1, 0, 2])
"""
TEXTS["searchsorted"] = """
Places at which values would go into a sorted array, so that it stays sorted.

A binary search for each value.

@a : array_like, one axis
Sorted in ascending order, or by `sorter`.
@v : array_like
The values, of any shape.
@side : {'left', 'right'}
Whether a value goes before equal elements, or behind them.
@sorter : array_like of int
Indices that sort `a`, as `argsort` gives them.
-> ndarray or int64
Indices between 0 and the length of `a`, in the shape of `v`.
! ValueError
For another `side`, and a `sorter` of another length.
d none
% own
& sort, digitize, histogram
>>> np.searchsorted([1, 3, 5], [0, 3, 9])
array([0, 1, 3])
>>> np.searchsorted([1, 3, 5], 3, side="right")
np.int64(2)
"""
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
