"""What is particular to functions that choose elements by indices and conditions; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["take_along_axis"] = """
Elements at indices along an axis, line by line.

``np.take_along_axis(x, np.argsort(x), -1)`` is ``np.sort(x)``.

@arr : ndarray
Where elements are taken from.
@indices : ndarray of int
For each line the indices into it; other axes broadcast.
@axis : int or None
The axis along which lines are. None: the elements in one line, and indices of one axis.
-> ndarray
Of the sizes of `indices` along the axis, and of both along the others.
! IndexError
For indices out of bounds, of another kind, or that do not broadcast.
! ValueError
For another number of axes.
d moves
% made
& take, put_along_axis, argsort
>>> x = np.array([[30, 10], [20, 40]])
>>> np.take_along_axis(x, np.argmax(x, axis=1, keepdims=True), 1)
array([[30],
       [40]])
"""
TEXTS["put_along_axis"] = """
Sets elements at indices along an axis, line by line.

@arr : ndarray
What is written to.
@indices : ndarray of int
For each line the indices into it; other axes broadcast.
@values : array_like
The values, which broadcast against the indices and are cast.
@axis : int or None
The axis along which lines are. None: the elements in one line; it is NumPy's.
-> None
! IndexError
For indices out of bounds, of another kind, or that do not broadcast.
! ValueError
For another number of axes.
d moves
% made
& take_along_axis, put
>>> x = np.array([[30, 10], [20, 40]])
>>> np.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), 0, 1)
>>> x
array([[ 0, 10],
       [20,  0]])
"""
TEXTS["unravel_index"] = """
The index along each axis for places in the elements of an array in one line.

@indices : array_like of int
The places.
@shape : int or tuple of int
Of the array that they are places of.
@order : {'C', 'F'}
In which order its elements are in the line.
-> tuple of ndarray, int64
An array for each axis, in the shape of `indices`.
! ValueError
For places that are not there.
! TypeError
For places that are no integers.
d none
% made
& ravel_multi_index, nonzero, argmax
>>> np.unravel_index([1, 5], (2, 3))
(array([0, 1]), array([1, 2]))
"""
TEXTS["ravel_multi_index"] = """
Places in the elements of an array in one line, for an index along each axis.

@multi_index : tuple of array_like of int
The indices, which broadcast together.
@dims : tuple of int
The shape of the array.
@mode : {'raise', 'wrap', 'clip'}, or one for each axis
What indices out of bounds do: raise ValueError, wrap around, or stand for the nearest one.
@order : {'C', 'F'}
In which order its elements are in the line.
-> ndarray or scalar, int64
The places.
! ValueError
For indices out of bounds in mode 'raise', and another number of them.
! TypeError
For indices that are no integers.
d none
% made
& unravel_index
>>> np.ravel_multi_index(([0, 1], [1, 2]), (2, 3))
array([1, 5])
"""
TEXTS["select"] = """
For each element the choice that belongs to the first condition that is true.

@condlist : list of array_like of bool
The conditions.
@choicelist : list of array_like
As many choices.
@default : scalar
What is taken where none is true.
-> ndarray
Broadcast from all, in the common dtype of the choices and the default.
! ValueError
For other numbers of choices, and for none.
! TypeError
For conditions that are no bools.
d yes It flows to the choices and to the default.
% made
& where, choose, piecewise
>>> x = np.arange(5)
>>> np.select([x < 2, x > 2], [x, x * 10], -1)
array([ 0,  1, -1, 30, 40])
"""
TEXTS["choose"] = """
For each element the one of several arrays that an index names.

@a : array_like of int
The indices.
@choices : sequence of array_like
The arrays, which broadcast against the indices.
@out : ndarray
Array that the result is written to, by NumPy.
@mode : {'raise', 'wrap', 'clip'}
What indices out of bounds do: raise ValueError, wrap around, or stand for the nearest one.
-> ndarray or scalar
In the common dtype of the choices.
! ValueError
For indices out of bounds in mode 'raise'.
d yes It flows to the choices.
% made
& select, where, take
>>> np.choose([0, 1, 0], [[1, 2, 3], [10, 20, 30]])
array([ 1, 20,  3])
"""
