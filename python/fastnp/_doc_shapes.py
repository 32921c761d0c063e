"""What is particular to functions that change the shapes of arrays; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["reshape"] = """
The same elements under another shape.

A view where the strides allow it, else a copy.

@a : array_like
The elements.
@shape : int or tuple of ints
The new sizes, whose product is the number of elements. One of them may be -1: it is what the others leave.
@order : {'C', 'F', 'A'}
The order in which elements are read and put.
@copy : bool or None
True: always a copy. False: ValueError where one is needed. None: only where it is needed.
-> ndarray
Of the new shape.
! ValueError
For a shape of another number of elements.
d moves
% own
& ravel, transpose, resize, expand_dims
>>> np.reshape([1, 2, 3, 4, 5, 6], (2, -1))
array([[1, 2, 3],
       [4, 5, 6]])
>>> np.reshape([[1, 2], [3, 4]], 4, order="F")
array([1, 3, 2, 4])
"""
TEXTS["ravel"] = """
The elements as an array of one axis.

A view where they lie in that order, else a copy; ``a.flatten()`` is a copy always.

@a : array_like
The elements, of any shape.
@order : {'C', 'F', 'A', 'K'}
The order in which they are read: by rows, by columns, or as they lie in memory.
-> ndarray
Of shape ``(a.size,)``.
d moves
% own
& reshape, ndarray.flatten, ndarray.flat
>>> np.ravel([[1, 2], [3, 4]])
array([1, 2, 3, 4])
>>> np.ravel([[1, 2], [3, 4]], order="F")
array([1, 3, 2, 4])
"""
TEXTS["transpose"] = """
View with the axes in another order.

Without `axes` they are reversed: rows become columns. `permute_dims` is another name.

@a : array_like
The array.
@axes : tuple of ints
For each axis of the result the axis of `a` that it is. None: in reverse.
-> ndarray
A view of the same elements.
! ValueError
For `axes` that are no permutation.
d moves
% view
& swapaxes, moveaxis, matrix_transpose
>>> np.transpose([[1, 2], [3, 4]])
array([[1, 3],
       [2, 4]])
>>> np.transpose(np.ones((2, 3, 4)), (2, 0, 1)).shape
(4, 2, 3)
"""
TEXTS["matrix_transpose"] = """
View of stacked matrices with rows and columns swapped.

Other than `transpose` it leaves the axes before the last two. ``x.mT`` is the same.

@x : array_like
Matrices in the last two axes: ``(..., n, m)``.
-> ndarray
A view of shape ``(..., m, n)``.
! ValueError
For fewer than two axes.
d moves
% view
& transpose, swapaxes
>>> np.matrix_transpose([[1, 2], [3, 4]])
array([[1, 3],
       [2, 4]])
>>> np.matrix_transpose(np.ones((5, 2, 3))).shape
(5, 3, 2)
"""
TEXTS["swapaxes"] = """
View with two axes in each other's place.

Negative axes count from the last.

@a : array_like
The array.
@axis1, axis2 : int
The axes.
-> ndarray
A view of the same elements.
! AxisError
For axes that `a` has not.
d moves
% view
& transpose, moveaxis
>>> np.swapaxes([[1, 2, 3]], 0, 1)
array([[1],
       [2],
       [3]])
>>> np.swapaxes(np.ones((2, 3, 4)), 0, -1).shape
(4, 3, 2)
"""
TEXTS["moveaxis"] = """
View with axes at other places; the others keep their order.

@a : array_like
The array.
@source : int or sequence of ints
The axes that move.
@destination : int or sequence of ints
Where each of them goes.
-> ndarray
A view of the same elements.
! AxisError
For axes that `a` has not.
! ValueError
For `source` and `destination` of different lengths, or repeated axes.
d moves
% view
& transpose, swapaxes
>>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
(3, 4, 2)
>>> np.moveaxis([[1, 2], [3, 4]], 0, 1)
array([[1, 3],
       [2, 4]])
"""
TEXTS["expand_dims"] = """
View with new axes of size 1.

``a[None]`` and ``a[:, None]`` are the same for single axes.

@a : array_like
The array.
@axis : int or tuple of ints
Where the new axes are in the result.
-> ndarray
A view with as many more axes.
! AxisError
For places beyond the result's axes.
! ValueError
For repeated places.
d moves
% view
& squeeze, reshape, newaxis
>>> np.expand_dims([1, 2], axis=1)
array([[1],
       [2]])
>>> np.expand_dims([1, 2], axis=(0, 2)).shape
(1, 2, 1)
"""
TEXTS["squeeze"] = """
View without axes of size 1: all of them, or the given ones.

The inverse of `expand_dims`.

@a : array_like
The array.
@axis : int, tuple of ints or None
The axes that go. None: all of size 1.
-> ndarray
A view of the same elements.
! ValueError
For an axis of another size.
d moves
% view
& expand_dims, reshape
>>> np.squeeze([[[1], [2]]])
array([1, 2])
>>> np.squeeze(np.ones((1, 3, 1)), axis=0).shape
(3, 1)
"""
TEXTS["broadcast_to"] = """
Read-only view of an array in a larger shape, its elements repeated.

Nothing is copied: repeated axes have the stride 0.

@array : array_like
The array, whose axes are those of the shape, or 1, or lack at the front.
@shape : int or tuple of ints
The shape.
-> ndarray
A view that can't be written to.
! ValueError
For shapes that do not fit.
d yes The changes of repeated elements are added up.
% view
& broadcast_arrays, repeat, tile
>>> np.broadcast_to([1, 2, 3], (2, 3))
array([[1, 2, 3],
       [1, 2, 3]])
>>> np.broadcast_to(5.0, (2, 2))
array([[5., 5.],
       [5., 5.]])
"""
TEXTS["flip"] = """
View with the elements in reverse order along axes.

@m : array_like
The array.
@axis : int, tuple of ints or None
The axes that are reversed. None: all.
-> ndarray
A view; its strides along these axes are negative.
! AxisError
For axes that `m` has not.
d moves
% view
& fliplr, flipud, rot90
>>> np.flip([1, 2, 3])
array([3, 2, 1])
>>> np.flip([[1, 2], [3, 4]], axis=0)
array([[3, 4],
       [1, 2]])
"""
TEXTS["concatenate"] = """
Arrays joined along an axis that they have.

`concat` is another name; `stack` joins along a new axis.

@arrays : sequence of array_like
The arrays: of equal sizes but along the axis.
@axis : int or None
The axis. None: the arrays are flattened first.
-> ndarray
The elements of all, in the dtype that they promote to.
! ValueError
For no arrays, other sizes, and arrays without axes.
! TypeError
For casts that `casting` does not allow.
d moves
% own
& stack, vstack, hstack, block, split
>>> np.concatenate(([1, 2], [3]))
array([1, 2, 3])
>>> np.concatenate(([[1, 2]], [[3, 4]]), axis=1)
array([[1, 2, 3, 4]])
"""
TEXTS["stack"] = """
Arrays of one shape joined along a new axis.

@arrays : sequence of array_like
The arrays, all of one shape.
@axis : int
Where the new axis is in the result; its size is the number of arrays.
-> ndarray
The elements of all, in the dtype that they promote to.
! ValueError
For no arrays, and arrays of different shapes.
! TypeError
For casts that `casting` does not allow.
d moves
% own
& concatenate, vstack, column_stack, unstack
>>> np.stack(([1, 2], [3, 4]))
array([[1, 2],
       [3, 4]])
>>> np.stack(([1, 2], [3, 4]), axis=1)
array([[1, 3],
       [2, 4]])
"""
TEXTS["pad"] = """
Array with elements added before and behind it, along each axis.

@array : array_like
The array.
@pad_width : int, pair of ints, or sequence of pairs
How many elements are added: the same everywhere, ``(before, behind)`` of all axes, or of each.
@mode : str or callable
What they are: 'constant'; 'edge', the outermost elements; 'linear_ramp', from these to values; 'maximum', 'mean', 'median' or 'minimum' along the
axis; 'reflect' and 'symmetric', as in a mirror on the outermost elements or beside them; 'wrap', from the other end; 'empty', anything; or a function
that fills lines, which NumPy calls.
@constant_values, end_values : scalar or sequence
The elements of mode 'constant', and the last ones of 'linear_ramp', as `pad_width` has them.
@stat_length : int or sequence
Of how many elements next to the border the statistics are. None: of all.
@reflect_type : {'even', 'odd'}
'odd' subtracts reflections from twice the outermost element.
-> ndarray
Of the sizes of `array` plus what was added.
! ValueError
For negative widths, and for an axis without elements in most modes.
d yes Of functions it has none.
% made
& concatenate, roll, tile
>>> np.pad([1, 2], 1)
array([0, 1, 2, 0])
>>> np.pad([1, 2], (0, 2), constant_values=9)
array([1, 2, 9, 9])
>>> np.pad([1, 2, 3], 2, mode="reflect")
array([3, 2, 1, 2, 3, 2, 1])
"""
