"""What is particular to functions that join arrays, and put elements in or leave them out; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["append"] = """
Values behind an array's.

@arr : array_like
The array.
@values : array_like
What is put behind it; along an axis, of the same other sizes.
@axis : int or None
The axis. None: both in one line.
-> ndarray
A copy, in the common dtype.
! ValueError
Where sizes do not match.
d moves
% made
& concatenate, insert, delete
>>> np.append([1, 2], [[3], [4]])
array([1, 2, 3, 4])
"""
TEXTS["insert"] = """
Copy with values put in before places along an axis.

Places are those of the array as it is given. In lists and arrays there may be several; values broadcast against what they make room for.

@arr : array_like
The array.
@obj : int, slice, or array_like of ints or bools
Before what values are put.
@values : array_like
The values, which are cast to the dtype of `arr`.
@axis : int or None
The axis. None: the elements in one line.
-> ndarray
The copy.
! IndexError
For places out of bounds.
! ValueError
For values that do not fit.
d moves
% made
& append, delete
>>> np.insert([1, 2, 3], 1, 9)
array([1, 9, 2, 3])
>>> np.insert([[1, 2], [3, 4]], 1, [8, 9], axis=1)
array([[1, 8, 2],
       [3, 9, 4]])
"""
TEXTS["delete"] = """
Copy without what is at places along an axis.

@arr : array_like
The array.
@obj : int, slice, or array_like of ints or bools
The places.
@axis : int or None
The axis. None: the elements in one line.
-> ndarray
The copy.
! IndexError
For places out of bounds.
! ValueError
For a mask that is not as long as the axis.
~ Where a compiled function computes the places, it finds the size of the result on the way.
d moves
% made
& insert, append, compress
>>> np.delete([1, 2, 3], 1)
array([1, 3])
>>> np.delete([[1, 2], [3, 4]], [0], axis=1)
array([[2],
       [4]])
"""
TEXTS["dstack"] = """
Arrays joined along the third axis.

Those with fewer axes become `atleast_3d` first.

@tup : sequence of array_like
The arrays, of the same first two sizes.
-> ndarray
A copy with at least three axes.
! ValueError
Where sizes do not match.
d moves
% made
& stack, hstack, vstack, atleast_3d
>>> np.dstack(([1, 2], [3, 4]))
array([[[1, 3],
        [2, 4]]])
"""
TEXTS["block"] = """
Array of blocks in nested lists.

The innermost lists are joined along the last axis, those around them along the one before it, and so on.

@arrays : nested list of array_like
The blocks, all in as many lists.
-> ndarray
A copy, in the common dtype.
! ValueError
Where depths or sizes do not match, and for empty lists.
! TypeError
For tuples instead of lists.
d moves
% made
& concatenate, stack, hstack, vstack
>>> np.block([[np.ones((2, 2)), np.zeros((2, 1))], [np.zeros((1, 2)), 5]])
array([[1., 1., 0.],
       [1., 1., 0.],
       [0., 0., 5.]])
"""
