"""What is particular to functions that choose, search and sort elements; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

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
d moves Indices and counts have none.
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
