"""What is particular to diagonals and triangles of matrices; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["diagonal"] = """
View of a diagonal of two axes.

The diagonal is the last axis of the result. It may be read only.

@a : array_like
An array of at least two axes.
@offset : int
How far above the main diagonal it is; below it, if negative.
@axis1, axis2 : int
The axes of rows and of columns.
-> ndarray
A view of the elements of `a`.
! ValueError
For an array of fewer axes, or for one axis twice.
! AxisError
For an axis that `a` has not.
~ In a compiled function it is one where rows, or columns, follow each other in memory; else the function runs as written.
d moves
% view
& diag, trace, fill_diagonal
>>> np.diagonal([[1, 2], [3, 4]])
array([1, 4])
"""
TEXTS["trace"] = """
Sum of a diagonal of two axes.

@a : array_like
An array of at least two axes.
@offset : int
How far above the main diagonal it is; below it, if negative.
@axis1, axis2 : int
The axes of rows and of columns.
-> ndarray or scalar
Of the other axes; int64 or uint64 of bools and integers.
! ValueError
For an array of fewer axes, or for one axis twice.
! AxisError
For an axis that `a` has not.
d yes
% made
& diagonal, diag, sum
>>> np.trace([[1, 2], [3, 4]])
np.int64(5)
"""
TEXTS["diag"] = """
The diagonal of a matrix, or the matrix with a vector on its diagonal.

@v : array_like
A matrix, of which a view is given, or a vector.
@k : int
Which diagonal: positive ones are above the main one.
-> ndarray
The diagonal, which may be read only; or a matrix, with zeros elsewhere.
! ValueError
For other numbers of axes.
d moves
% made
& diagonal, diagflat, eye, tril
>>> np.diag([[1, 2], [3, 4]])
array([1, 4])
>>> np.diag([1, 2], 1)
array([[0, 1, 0],
       [0, 0, 2],
       [0, 0, 0]])
"""
TEXTS["diagflat"] = """
Matrix with all elements of an array on a diagonal.

@v : array_like
The elements, which are read in C order.
@k : int
Which diagonal: positive ones are above the main one.
-> ndarray
A matrix, with zeros elsewhere.
d moves
% made
& diag, diagonal
>>> np.diagflat([[1, 2]])
array([[1, 0],
       [0, 2]])
"""
TEXTS["tri"] = """
Matrix with ones at and below a diagonal, and zeros above it.

@N : int
The number of rows.
@M : int or None
The number of columns. None: as many as rows.
@k : int
Which diagonal: positive ones are above the main one.
@dtype : dtype
The dtype of the elements.
-> ndarray
Of shape ``(N, M)``.
d constant
% creator
& tril, triu, eye
>>> np.tri(2, 3, dtype=int)
array([[1, 0, 0],
       [1, 1, 0]])
"""
TEXTS["tril"] = """
Copy with zeros above a diagonal of the last two axes.

@m : array_like
An array of at least one axis; one of a single axis is each row of a square.
@k : int
Which diagonal: positive ones are above the main one.
-> ndarray
The lower triangles.
d moves
% made
& triu, tri, diag
>>> np.tril([[1, 2], [3, 4]])
array([[1, 0],
       [3, 4]])
"""
TEXTS["triu"] = """
Copy with zeros below a diagonal of the last two axes.

@m : array_like
An array of at least one axis; one of a single axis is each row of a square.
@k : int
Which diagonal: positive ones are above the main one.
-> ndarray
The upper triangles.
d moves
% made
& tril, tri, diag
>>> np.triu([[1, 2], [3, 4]])
array([[1, 2],
       [0, 4]])
"""
TEXTS["tril_indices"] = """
Indices of what is at and below a diagonal.

@n : int
The number of rows.
@k : int
Which diagonal: positive ones are above the main one.
@m : int or None
The number of columns. None: as many as rows.
-> tuple of two ndarrays
Rows and columns, in C order.
d constant
% made
& triu_indices, tril, tri
>>> np.tril_indices(2)
(array([0, 1, 1]), array([0, 0, 1]))
"""
TEXTS["triu_indices"] = """
Indices of what is at and above a diagonal.

@n : int
The number of rows.
@k : int
Which diagonal: positive ones are above the main one.
@m : int or None
The number of columns. None: as many as rows.
-> tuple of two ndarrays
Rows and columns, in C order.
d constant
% made
& tril_indices, triu, tri
>>> np.triu_indices(2)
(array([0, 0, 1]), array([0, 1, 1]))
"""
TEXTS["tril_indices_from"] = """
Indices of what is at and below a diagonal of a matrix.

@arr : ndarray
The matrix, whose shape counts.
@k : int
Which diagonal: positive ones are above the main one.
-> tuple of two ndarrays
Rows and columns, in C order.
! ValueError
For another number of axes.
d constant
% made
& tril_indices, triu_indices_from
>>> np.tril_indices_from(np.ones((2, 2)))
(array([0, 1, 1]), array([0, 0, 1]))
"""
TEXTS["triu_indices_from"] = """
Indices of what is at and above a diagonal of a matrix.

@arr : ndarray
The matrix, whose shape counts.
@k : int
Which diagonal: positive ones are above the main one.
-> tuple of two ndarrays
Rows and columns, in C order.
! ValueError
For another number of axes.
d constant
% made
& triu_indices, tril_indices_from
>>> np.triu_indices_from(np.ones((2, 2)))
(array([0, 0, 1]), array([0, 1, 1]))
"""
TEXTS["diag_indices"] = """
Indices of the main diagonal of a cube.

@n : int
Its size, which all axes have.
@ndim : int
The number of axes.
-> tuple of ndarrays
The same array for each axis.
d constant
% made
& diag_indices_from, diag
>>> np.diag_indices(2)
(array([0, 1]), array([0, 1]))
"""
TEXTS["diag_indices_from"] = """
Indices of the main diagonal of an array whose axes are as long as each other.

@arr : ndarray
The array, whose shape counts.
-> tuple of ndarrays
The same array for each axis.
! ValueError
For fewer axes than two, or other sizes.
d constant
% made
& diag_indices, diag
>>> np.diag_indices_from(np.ones((2, 2)))
(array([0, 1]), array([0, 1]))
"""
