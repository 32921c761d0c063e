"""What is particular to functions that put elements to other places, or repeat them; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["roll"] = """
Copy with the elements moved along an axis; those that leave at one end come in at the other.

Without an axis the elements move along one line, and get the array's shape again.

@a : array_like
The array.
@shift : int or tuple of ints
How many places they move, to larger indices; one for each axis, or one for all.
@axis : int, tuple of ints or None
The axes. Where one is there twice, its shifts add up.
-> ndarray
Of the shape and the dtype of `a`.
! AxisError
For an axis that `a` has not.
! ValueError
Where there are not as many shifts as axes.
d moves
% made
& rollaxis, flip, rot90
>>> np.roll([1, 2, 3], 1)
array([3, 1, 2])
>>> np.roll([[1, 2], [3, 4]], 1, axis=0)
array([[3, 4],
       [1, 2]])
"""
TEXTS["rot90"] = """
View turned by 90 degrees in the plane of two axes.

The elements turn from the first of the axes to the second.

@m : array_like
An array of at least two axes.
@k : int
How often it is turned.
@axes : pair of ints
The plane.
-> ndarray
A view of the same elements.
! ValueError
For axes that are one, or that `m` has not.
d moves
% view
& flip, fliplr, flipud
>>> np.rot90([[1, 2], [3, 4]])
array([[2, 4],
       [1, 3]])
"""
TEXTS["rollaxis"] = """
View with an axis put before the place of another one.

`moveaxis` says where the axis goes, not what it goes before.

@a : ndarray
The array.
@axis : int
The axis to move.
@start : int
Before which place it comes to be.
-> ndarray
A view of the same elements.
! AxisError
For an axis that `a` has not.
d moves
% view
& moveaxis, roll
>>> np.rollaxis(np.ones((3, 4, 5)), 2).shape
(5, 3, 4)
"""
TEXTS["repeat"] = """
Each element a number of times, one after the other.

@a : array_like
The elements.
@repeats : int or array_like of int
How often: one number for all, or one for each place along the axis.
@axis : int or None
The axis. None: the elements in one line.
-> ndarray
As `a`, but for the size of the axis.
! ValueError
For negative numbers, and where they are not as many as the places.
~ Where the numbers are elements that a compiled function computes, it finds the size of the result on the way.
d moves
% made
& tile, take
>>> np.repeat([1, 2], 2)
array([1, 1, 2, 2])
>>> np.repeat([[1, 2], [3, 4]], [1, 2], axis=0)
array([[1, 2],
       [3, 4],
       [3, 4]])
"""
TEXTS["tile"] = """
An array a number of times along each axis.

@A : array_like
The array.
@reps : int or tuple of ints
How often, of the last axes if there are fewer numbers than axes; of more numbers, new axes are in front.
-> ndarray
A copy.
! ValueError
For negative numbers.
d moves
% made
& repeat, broadcast_to
>>> np.tile([1, 2], 2)
array([1, 2, 1, 2])
>>> np.tile([1, 2], (2, 1))
array([[1, 2],
       [1, 2]])
"""
TEXTS["resize"] = """
Copy under another shape, with the elements over and over as far as it goes.

`ndarray.resize` changes the array itself, and puts zeros.

@a : array_like
The elements, which are read in C order.
@new_shape : int or tuple of ints
The sizes.
-> ndarray
Of that shape; zeros where `a` has no elements.
! ValueError
For negative sizes.
d moves
% made
& reshape, tile, ndarray.resize
>>> np.resize([1, 2, 3], (2, 2))
array([[1, 2],
       [3, 1]])
"""
TEXTS["atleast_3d"] = """
Views with at least three axes.

Of shape ``(n,)`` it makes ``(1, n, 1)``, of ``(m, n)`` ``(m, n, 1)``. Arrays of more axes stay what they are.

@arys : array_like
One or more arrays.
-> ndarray, or tuple of ndarrays
A view for each.
d moves
% view
& atleast_1d, atleast_2d, dstack
>>> np.atleast_3d([1, 2]).shape
(1, 2, 1)
"""
TEXTS["unstack"] = """
Views of the parts along an axis.

@x : ndarray
An array of at least one axis.
@axis : int
The axis.
-> tuple of ndarrays
As many as the axis is long; of an array of one axis, its elements.
! ValueError
For an array of no axes.
! AxisError
For an axis that `x` has not.
d moves
% view
& stack, split
>>> np.unstack(np.asarray([[1, 2], [3, 4]]))
(array([1, 2]), array([3, 4]))
"""
