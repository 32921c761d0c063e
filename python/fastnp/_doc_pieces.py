"""What is particular to functions that are made of others (`_functions.py`); `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

_CONTIGUOUS = """
Array of an object whose {rows} lie in sequence in memory ({order} order).

{more} Numbers become arrays of one axis.

@a : array_like
The elements.
@dtype : dtype
The dtype of the elements. None: that of `a`.
-> ndarray
`a` itself where it lies so, else a copy.
d moves
% made
& {other}, asarray, ndarray.flags
"""
TEXTS["ascontiguousarray"] = (
    _CONTIGUOUS.format(rows="rows", order="C", more="It is for libraries that read memory.", other="asfortranarray")
    + """
>>> x = np.ascontiguousarray(np.ones((2, 3)).T)
>>> x.flags.c_contiguous
True
>>> np.ascontiguousarray(5.0)
array([5.])
"""
)
TEXTS["asfortranarray"] = (
    _CONTIGUOUS.format(rows="columns", order="Fortran", more="LAPACK and BLAS take matrices so.", other="ascontiguousarray")
    + """
>>> x = np.asfortranarray([[1, 2], [3, 4]])
>>> x.flags.f_contiguous, x.strides
(True, (8, 16))
"""
)
TEXTS["astype"] = """
Array with its elements converted to a dtype.

Floating numbers lose their fractions where they become integers. ``x.astype(dtype)`` is the method.

@x : array
An array, or a scalar of fastnp's or NumPy's.
@dtype : dtype
The dtype of the result.
@copy : bool
Whether an array that has the dtype is copied all the same.
@device : str
For the Array API standard; `ndarray.to` moves an array.
-> ndarray
The converted elements, in the shape of `x`.
~ Complex numbers that lose their imaginary parts warn of it (ComplexWarning).
d yes Between floating dtypes; to integers it is zero.
% own
& ndarray.astype, asarray, can_cast
>>> np.astype(np.array([1.7, -1.7]), int)
array([ 1, -1])
"""
_AT_LEAST = """
Arguments as arrays of at least {n}.

{more}

@arys : array_like
One or more.
-> ndarray, or tuple of them
Views where arrays have the axes, a tuple for more than one argument.
d moves
% view
& {other}, expand_dims, asarray
"""
TEXTS["atleast_1d"] = (
    _AT_LEAST.format(n="one axis", more="Numbers become arrays of one element; others stay as they are.", other="atleast_2d, atleast_3d")
    + """
>>> np.atleast_1d(3.0)
array([3.])
>>> np.atleast_1d(1, [2, 3])
(array([1]), array([2, 3]))
"""
)
TEXTS["atleast_2d"] = (
    _AT_LEAST.format(n="two axes", more="New axes are in front: vectors become rows.", other="atleast_1d, atleast_3d")
    + """
>>> np.atleast_2d([1, 2])
array([[1, 2]])
>>> np.atleast_2d(3.0).shape
(1, 1)
"""
)
TEXTS["broadcast_arrays"] = """
Arrays as views of the shape that all of them broadcast to.

@args : array_like
The arrays.
-> tuple of ndarray
Views, whose repeated axes have stride 0.
! ValueError
For shapes that do not fit.
d yes The changes of repeated elements are added up.
% view
& broadcast_to, broadcast_shapes
>>> x, y = np.broadcast_arrays([[1], [2]], [10, 20])
>>> x
array([[1, 1],
       [2, 2]])
>>> y
array([[10, 20],
       [10, 20]])
"""
TEXTS["vstack"] = """
Arrays put below one another: joined along the first axis.

Vectors are rows.

@dtype : dtype
The dtype of the result. None: the one that all promote to.
-> ndarray
Of two axes or more.
! ValueError
For no arrays, and sizes that do not fit.
d moves
% made
& hstack, column_stack, concatenate, stack
>>> np.vstack(([1, 2], [3, 4]))
array([[1, 2],
       [3, 4]])
>>> np.vstack(([[1, 2]], [[3, 4], [5, 6]])).shape
(3, 2)
"""
TEXTS["hstack"] = """
Arrays put side by side: joined along the second axis.

Vectors are joined along their only one.

@dtype : dtype
The dtype of the result. None: the one that all promote to.
-> ndarray
Of as many axes as the arrays, at least one.
! ValueError
For no arrays, and sizes that do not fit.
d moves
% made
& vstack, column_stack, concatenate, stack
>>> np.hstack(([1, 2], [3]))
array([1, 2, 3])
>>> np.hstack(([[1], [2]], [[3], [4]]))
array([[1, 3],
       [2, 4]])
"""
TEXTS["column_stack"] = """
Vectors as the columns of a matrix; matrices side by side.

@tup : sequence of array_like
Vectors of n elements, and matrices of n rows.
-> ndarray
Of n rows.
! ValueError
For no arrays, and lengths that differ.
d moves
% made
& hstack, vstack, stack
>>> np.column_stack(([1, 2], [3, 4]))
array([[1, 3],
       [2, 4]])
>>> np.column_stack(([1, 2], [[3, 4], [5, 6]]))
array([[1, 3, 4],
       [2, 5, 6]])
"""
TEXTS["copy"] = """
Copy of an array: the same elements in memory of their own.

``a.copy()`` is the method, which lies in C order where this keeps the layout.

@a : array_like
The elements.
-> ndarray
The copy.
d moves
% own
& array, copyto, ndarray.copy
>>> x = np.zeros(2)
>>> y = np.copy(x)
>>> y[0] = 5
>>> x
array([0., 0.])
"""
TEXTS["diff"] = """
Differences of neighbours along an axis: ``a[i + 1] - a[i]``.

Of bools it is where neighbours differ.

@a : array_like
The elements, with at least one axis.
@n : int
How often differences are taken; 0 gives `a`.
@axis : int
The axis along which neighbours lie.
@prepend, append : array_like
Elements that are put before and behind first: numbers, or arrays that fit.
-> ndarray
Of the shape of `a`, by `n` shorter along the axis.
! ValueError
For a negative `n`, and for arrays without axes.
d yes
% made
& cumsum, ediff1d, gradient
>>> np.diff([1, 4, 9, 16])
array([3, 5, 7])
>>> np.diff([1, 4, 9, 16], n=2)
array([2, 2])
>>> np.diff([3, 5], prepend=0)
array([3, 2])
"""
_SPLIT = """
{summary}

{more}

@ary : array_like
The array{least}.
-> list of ndarray
Views, in order.
! ValueError
{error}
d moves
% view
& {others}
"""
TEXTS["array_split"] = (
    _SPLIT.format(
        summary="Parts of an array along an axis, which need not be of equal size.",
        more="Of a number of parts the first ones are longer by one where it does not divide the size.",
        least=", with at least one axis",
        error="For a number of parts below 1.",
        others="split, hsplit, vsplit, concatenate",
    )
    + """
>>> np.array_split([1, 2, 3, 4, 5], 2)
[array([1, 2, 3]), array([4, 5])]
>>> np.array_split([1, 2, 3], [1])
[array([1]), array([2, 3])]
"""
).replace("-> list", "@axis : int\nThe axis that is divided.\n-> list")
TEXTS["split"] = (
    _SPLIT.format(
        summary="Parts of equal size of an array along an axis, or parts between given places.",
        more="`array_split` allows parts of different sizes.",
        least=", with at least one axis",
        error="For a number of parts that does not divide the size.",
        others="array_split, hsplit, vsplit, concatenate, unstack",
    )
    + """
>>> np.split(np.arange(1, 5), 2)
[array([1, 2]), array([3, 4])]
>>> np.split([1, 2, 3, 4], [1, 3])
[array([1]), array([2, 3]), array([4])]
"""
).replace("-> list", "@axis : int\nThe axis that is divided.\n-> list")
TEXTS["hsplit"] = (
    _SPLIT.format(
        summary="Parts of an array side by side: along the second axis, of vectors the only one.",
        more="It undoes `hstack`.",
        least=", with at least one axis",
        error="For arrays without axes, and a number of parts that does not divide the size.",
        others="split, vsplit, dsplit, hstack",
    )
    + """
>>> np.hsplit(np.array([[1, 2], [3, 4]]), 2)
[array([[1],
       [3]]), array([[2],
       [4]])]
"""
)
TEXTS["vsplit"] = (
    _SPLIT.format(
        summary="Parts of an array below one another: along the first axis.",
        more="It undoes `vstack`.",
        least=", with at least two axes",
        error="For fewer axes, and a number of parts that does not divide the size.",
        others="split, hsplit, dsplit, vstack",
    )
    + """
>>> np.vsplit(np.array([[1, 2], [3, 4]]), 2)
[array([[1, 2]]), array([[3, 4]])]
"""
)
TEXTS["dsplit"] = (
    _SPLIT.format(
        summary="Parts of an array behind one another: along the third axis.",
        more="It undoes `dstack`.",
        least=", with at least three axes",
        error="For fewer axes, and a number of parts that does not divide the size.",
        others="split, hsplit, vsplit, dstack",
    )
    + """
>>> [part.shape for part in np.dsplit(np.ones((2, 3, 4)), 2)]
[(2, 3, 2), (2, 3, 2)]
"""
)
TEXTS["fliplr"] = """
View with the columns in reverse order.

It reverses the second axis: ``m[:, ::-1]``.

@m : array_like
The array, with at least two axes.
-> ndarray
A view of the same elements.
! ValueError
For fewer than two axes.
d moves
% view
& flipud, flip, rot90
>>> np.fliplr([[1, 2], [3, 4]])
array([[2, 1],
       [4, 3]])
"""
TEXTS["flipud"] = """
View with the rows in reverse order.

It reverses the first axis: ``m[::-1]``.

@m : array_like
The array, with at least one axis.
-> ndarray
A view of the same elements.
! ValueError
For arrays without axes.
d moves
% view
& fliplr, flip, rot90
>>> np.flipud([[1, 2], [3, 4]])
array([[3, 4],
       [1, 2]])
"""
TEXTS["inner"] = """
Inner product over the last axes of two arrays.

Of vectors it is the sum of the products; complex numbers are not conjugated (`vdot` does that).

@a, b : array_like
The factors, whose last axes have one size.
-> ndarray or scalar
Of shape ``a.shape[:-1] + b.shape[:-1]``; with a scalar the product by elements.
! ValueError
For last axes of different sizes.
d yes
% made
& dot, vdot, vecdot, tensordot
>>> np.inner([1.0, 2.0], [3.0, 4.0])
np.float64(11.0)
>>> np.inner([[1, 2], [3, 4]], [1, 10])
array([21, 43])
"""
TEXTS["vdot"] = """
Inner product of two arrays as vectors, the first one conjugated.

Arrays of more axes are flattened, in C order.

@a, b : array_like
The factors, of one number of elements.
-> scalar
The sum of ``conjugate(a) * b``.
! ValueError
For different numbers of elements.
d yes
% made
& dot, inner, vecdot
>>> np.vdot([1.0, 2.0], [3.0, 4.0])
np.float64(11.0)
>>> np.vdot([1j], [1j])
np.complex128(1+0j)
"""
TEXTS["ndim"] = """
Number of axes of an array.

Numbers have none. ``a.ndim`` is the attribute.

@a : array_like
The array; what is none is looked at as `asarray` would make it.
-> int
The number, 0 for scalars.
d none
% host
& shape, size, ndarray.ndim
>>> np.ndim([[1, 2], [3, 4]])
2
>>> np.ndim(5.0)
0
"""
TEXTS["shape"] = """
Sizes of the axes of an array.

Numbers have none: ``()``. ``a.shape`` is the attribute.

@a : array_like
The array; what is none is looked at as `asarray` would make it.
-> tuple of ints
A size for each axis.
~ In a compiled function sizes that may vary are numbers of the recording: what is computed of them holds for all sizes.
d none
% host
& ndim, size, reshape
>>> np.shape([[1, 2, 3], [4, 5, 6]])
(2, 3)
>>> np.shape(5.0)
()
"""
TEXTS["size"] = """
Number of elements of an array, or its sizes along axes.

``a.size`` is the attribute.

@a : array_like
The array; what is none is looked at as `asarray` would make it.
@axis : int, tuple of ints or None
The axes whose sizes are multiplied. None: all.
-> int
The number.
! AxisError
For an axis that `a` has not.
d none
% host
& shape, ndim
>>> np.size([[1, 2, 3], [4, 5, 6]])
6
>>> np.size([[1, 2, 3], [4, 5, 6]], axis=1)
3
"""
_SHARED = """
Whether two arrays {may} have elements in the same memory.

{more}

@a, b : ndarray
The arrays.
@max_work : int
How much effort NumPy may spend on the answer.
-> bool
{result}
! {error}
{when}
d none
% host
& {other}, ndarray.base
"""
TEXTS["may_share_memory"] = (
    _SHARED.format(
        may="may",
        more="It looks at the bounds of both alone, so it may say yes where elements lie between each other's.",
        result="False is sure, True is not.",
        error="TypeError",
        when="For arguments that are no arrays.",
        other="shares_memory",
    )
    + """
>>> x = np.zeros(6)
>>> np.may_share_memory(x[::2], x[1::2]), np.may_share_memory(x, x.copy())
(True, False)
"""
)
TEXTS["shares_memory"] = (
    _SHARED.format(
        may="",
        more="It is exact, and may take long for arrays of many axes.",
        result="True where there is such an element.",
        error="numpy.exceptions.TooHardError",
        when="Where the answer would take more than `max_work`.",
        other="may_share_memory",
    ).replace("arrays  have", "arrays have")
    + """
>>> x = np.zeros(6)
>>> np.shares_memory(x[::2], x[1::2]), np.shares_memory(x, x[2:3])
(False, True)
"""
)
TEXTS["result_type"] = """
The dtype that arrays and dtypes promote to.

It is that of their sum: Python's numbers are weak, and take the dtype of the arrays (NEP 50).

@arrays_and_dtypes : array_like or dtype
What meets in an operation.
-> dtype
A numpy.dtype.
! TypeError
For dtypes without a common one.
d none
% host
& promote_types, can_cast
>>> np.result_type(np.ones(2, np.float32), 3.0)
dtype('float32')
>>> np.result_type(np.int64, np.float32)
dtype('float64')
"""
