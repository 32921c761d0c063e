"""What is particular to functions that make samples, grids and windows; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["logspace"] = """
Numbers whose logarithms are evenly spaced.

``base ** np.linspace(start, stop, num)``; the ends may be arrays, which broadcast.

@start, stop : array_like
The logarithms of the first and the last number.
@num : int
How many there are.
@endpoint : bool
Whether `stop` is the last one's.
@base : array_like
What is raised to powers; an array of axes of its own for each pair of ends.
@axis : int
Where the new axis is, of array ends.
-> ndarray
The numbers.
! ValueError
For a negative `num`.
d yes It flows to both ends and to `base`.
% made
& linspace, geomspace
>>> np.logspace(0, 2, 3)
array([  1.,  10., 100.])
"""
TEXTS["geomspace"] = """
Numbers of which each is the same multiple of the one before.

The ends may be arrays, which broadcast, and complex numbers, between which it goes along a spiral.

@start, stop : array_like
The first and the last number.
@num : int
How many there are.
@endpoint : bool
Whether `stop` is the last one.
@axis : int
Where the new axis is, of array ends.
-> ndarray
The numbers: at least float64, unless `dtype` is given.
! ValueError
For ends that are 0, and for a negative `num`.
d yes It flows to both ends.
% made
& linspace, logspace
>>> np.geomspace(1, 1000, 4)
array([   1.,   10.,  100., 1000.])
"""
TEXTS["vander"] = """
Matrix of the powers of numbers.

@x : array_like
The numbers, of one axis; each has a row.
@N : int or None
The number of columns. None: as many as rows.
@increasing : bool
Whether powers go up from 0 along a row, and not down to it.
-> ndarray
The matrix, with ones for the power 0.
! ValueError
For another number of axes.
d yes
% made
& polyval, cumprod
>>> np.vander([1, 2, 3])
array([[1, 1, 1],
       [4, 2, 1],
       [9, 3, 1]])
"""
TEXTS["indices"] = """
For each axis of a shape the index of each element along it.

@dimensions : tuple of ints
The shape.
@dtype : dtype
The dtype of the indices.
@sparse : bool
Whether the arrays are a tuple, of one element along all axes but their own.
-> ndarray, or tuple of ndarrays
Of shape ``(len(dimensions), *dimensions)``.
! ValueError
For negative sizes.
d constant
% made
& meshgrid, ix_, ndenumerate
>>> np.indices((2, 2))
array([[[0, 0],
        [1, 1]],
<BLANKLINE>
       [[0, 1],
        [0, 1]]])
"""
TEXTS["ix_"] = """
Vectors along an axis each, to pick a part of an array by.

``x[np.ix_([0, 2], [1, 3])]`` has two rows of two elements.

@args : array_like
Vectors; of bools, the places where they are true.
-> tuple of ndarrays
Views, of one element along all axes but their own.
! ValueError
For arrays of other numbers of axes.
d moves
% view
& meshgrid, indices, take
>>> np.ix_([0, 1], [2, 4])
(array([[0],
       [1]]), array([[2, 4]]))
"""
TEXTS["meshgrid"] = """
Grids of the coordinates along axes.

@xi : array_like
Vectors of coordinates, one for each axis.
@copy : bool
Whether they are copies; else they are views of the vectors, in which elements repeat.
@sparse : bool
Whether they have one element along all axes but their own.
@indexing : {'xy', 'ij'}
Whether the first vector is along the second axis, as x in a picture, or along the first.
-> tuple of ndarrays
A grid for each vector; a list of sparse views.
! ValueError
For another `indexing`.
d moves
% made
& indices, ix_, broadcast_arrays
>>> np.meshgrid([1, 2], [3, 4])
(array([[1, 2],
       [1, 2]]), array([[3, 3],
       [4, 4]]))
"""
TEXTS["broadcast_shapes"] = """
The shape that arrays of these shapes are broadcast to.

@args : int or tuple of ints
The shapes.
-> tuple of ints
The common one.
! ValueError
Where there is none.
d constant
% host
& broadcast_arrays, broadcast_to
>>> np.broadcast_shapes((2, 1), (3,))
(2, 3)
"""
TEXTS["bartlett"] = """
Window of a triangle, with zeros at its ends.

@M : int
The number of elements; none are made of a number below 1.
-> ndarray
float64, of shape ``(M,)``, with 1 in the middle.
d constant
% made
& hanning, kaiser
>>> np.bartlett(5)
array([0. , 0.5, 1. , 0.5, 0. ])
"""
TEXTS["blackman"] = """
Window of three cosines, nearly zero at its ends.

@M : int
The number of elements; none are made of a number below 1.
-> ndarray
float64, of shape ``(M,)``, with 1 in the middle.
d constant
% made
& hanning, kaiser
>>> np.round(np.blackman(5), 2)
array([-0.  ,  0.34,  1.  ,  0.34, -0.  ])
"""
TEXTS["hamming"] = """
Window of a raised cosine that does not begin at zero.

@M : int
The number of elements; none are made of a number below 1.
-> ndarray
float64, of shape ``(M,)``, with 1 in the middle.
d constant
% made
& hanning, kaiser
>>> np.hamming(5)
array([0.08, 0.54, 1.  , 0.54, 0.08])
"""
TEXTS["hanning"] = """
Window of a raised cosine, with zeros at its ends.

@M : int
The number of elements; none are made of a number below 1.
-> ndarray
float64, of shape ``(M,)``, with 1 in the middle.
d constant
% made
& hamming, kaiser
>>> np.hanning(5)
array([0. , 0.5, 1. , 0.5, 0. ])
"""
TEXTS["kaiser"] = """
Window of a Bessel function.

@M : int
The number of elements; none are made of a number below 1.
@beta : float
How narrow it is: 0 is a rectangle, 5 near to `hamming`, 6 to `hanning`.
-> ndarray
float64, of shape ``(M,)``, with 1 in the middle.
d yes It flows to `beta`.
% made
& i0, hanning, bartlett
>>> np.round(np.kaiser(5, 3.0), 2)
array([0.2 , 0.73, 1.  , 0.73, 0.2 ])
"""
TEXTS["i0"] = """
Modified Bessel function of the first kind, of order 0, elementwise.

@x : array_like
Real numbers.
-> ndarray
In the dtype of `x`; float64 of integers.
! TypeError
For complex numbers.
d yes
% made
& kaiser, exp
>>> np.i0([0.0, 1.0])
array([1.        , 1.26606588])
"""
