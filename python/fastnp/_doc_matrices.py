"""What is particular to fastnp.linalg's norms, products and parts of matrices; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["linalg.norm"] = """
Norm of vectors or matrices.

Without `ord` the square root of the sum of the squared moduli of all elements.

@x : array_like
The elements.
@ord : {None, number, inf, -inf, 'fro', 'nuc'}
Which norm; of vectors any number, of matrices 1, -1, 2, -2 and the named ones.
@axis : int, pair of ints or None
The axis of vectors, or the axes of matrices. None: the whole array.
-> ndarray or scalar
Of the shape of `x` without these axes, real.
! ValueError
For norms that vectors or matrices have not, and more than two axes.
~ Euclidean norms of vectors are fastnp's own on the host, too.
d yes Of a vector of zeros it is 0.
% linalg
& linalg.vector_norm, linalg.matrix_norm
>>> np.linalg.norm([3.0, 4.0])
np.float64(5.0)
>>> np.linalg.norm([[1.0, -7.0], [2.0, 3.0]], 1)
np.float64(10.0)
"""
TEXTS["linalg.matrix_norm"] = """
Norm of matrices in the last two axes.

From the Array API standard; `norm` decides by the number of axes.

@x : array_like
Matrices, ``(..., m, n)``.
@ord : {1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}
Which norm: 'fro' is the root of the sum of squares, 'nuc' the sum of the singular values.
-> ndarray or scalar
Of the shape of the stack, real.
! ValueError
For norms that matrices have not.
d yes
% linalg
& linalg.norm, linalg.vector_norm
>>> np.linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]])
np.float64(5.0)
"""
TEXTS["linalg.vector_norm"] = """
Norm of vectors along axes, or of all elements.

From the Array API standard; `norm` decides by the number of axes.

@x : array_like
The elements, of any shape.
@axis : int, tuple of ints or None
The axes that a vector goes along. None: all.
@ord : number, inf or -inf
Which norm: 2 is the Euclidean one, 1 the sum of moduli, inf the largest one.
-> ndarray or scalar
Of the shape of `x` without these axes, real.
! AxisError
For axes that `x` has not.
d yes
% linalg
& linalg.norm, linalg.matrix_norm
>>> np.linalg.vector_norm([3.0, 4.0])
np.float64(5.0)
>>> np.linalg.vector_norm([[3.0, 4.0], [6.0, 8.0]], axis=1, ord=1)
array([ 7., 14.])
"""
TEXTS["linalg.matmul"] = """
Product of matrices, or of stacks of them.

From the Array API standard: `fastnp.matmul` without options.

@x1, x2 : array_like
Of shapes ``(..., n, k)`` and ``(..., k, m)``, or vectors.
-> ndarray or scalar
Of shape ``(..., n, m)``.
! ValueError
For operands without axes, and sizes k that differ.
d yes
% products
& matmul, linalg.multi_dot, linalg.matrix_power
>>> np.linalg.matmul([[1, 2], [3, 4]], [[1, 0], [0, 2]])
array([[1, 4],
       [3, 8]])
"""
TEXTS["linalg.multi_dot"] = """
Product of two or more matrices, in the order that takes the least work.

Where to put the parentheses is found from the sizes.

@arrays : sequence of array_like
Matrices; the first and the last one may be vectors.
@out : ndarray
Array that the result is written to.
-> ndarray or scalar
Their product.
! ValueError
For fewer than two.
! LinAlgError
For other numbers of axes.
d yes Without `out`.
% products
& matmul, linalg.matmul
>>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])
array([12., 12.])
"""
TEXTS["linalg.matrix_power"] = """
Power of square matrices, by an integer.

By repeated squaring; 0 gives unit matrices, negative ones powers of the inverse.

@a : array_like
Square matrices, ``(..., n, n)``.
@n : int
The exponent.
-> ndarray
Of the shape of `a`.
! LinAlgError
For matrices that are not square, and singular ones to negative powers.
! TypeError
For exponents that are no integers.
d yes
% products
& matmul, linalg.inv
>>> np.linalg.matrix_power([[1, 1], [1, 0]], 10)
array([[89, 55],
       [55, 34]])
"""
TEXTS["linalg.matrix_transpose"] = """
View of stacked matrices with rows and columns swapped.

From the Array API standard: `fastnp.matrix_transpose`.

@x : array_like
Matrices in the last two axes: ``(..., n, m)``.
-> ndarray
A view of shape ``(..., m, n)``.
! ValueError
For fewer than two axes.
d moves
% view
& matrix_transpose, transpose
>>> np.linalg.matrix_transpose([[1, 2], [3, 4]])
array([[1, 3],
       [2, 4]])
"""
TEXTS["linalg.outer"] = """
Products of all pairs of elements of two vectors.

From the Array API standard: other than `fastnp.outer` it takes vectors alone.

@x1, x2 : array_like
Vectors of M and N elements.
-> ndarray
Of shape ``(M, N)``.
! ValueError
For operands that have not one axis.
d yes
% pieces
& outer, multiply
>>> np.linalg.outer([1, 2], [10, 20])
array([[10, 20],
       [20, 40]])
"""
TEXTS["linalg.tensordot"] = """
Product of two arrays, summed over pairs of axes.

From the Array API standard: `fastnp.tensordot`.

@x1, x2 : array_like
The factors.
@axes : int or pair of sequences of ints
The number of last axes of `x1` and first axes of `x2` that are paired; or the axes of each.
-> ndarray or scalar
The axes of `x1` that are not summed over, then those of `x2`.
! ValueError
Where the sizes of paired axes differ.
d yes
% products
& tensordot, einsum
>>> np.linalg.tensordot([[1, 2], [3, 4]], [1, 10], axes=1)
array([21, 43])
"""
TEXTS["linalg.tensorsolve"] = """
Solution x of ``tensordot(a, x, x.ndim) == b``.

The axes of `a` and `b` are flattened to one system of linear equations.

@a : array_like
Of shape ``b.shape + x.shape``, whose two parts have one number of elements.
@b : array_like
The right side.
@axes : tuple of ints
Axes of `a` that are moved to its end before.
-> ndarray
The solution.
! LinAlgError
For singular systems, and sizes that do not fit.
d yes
% linalg
& linalg.tensorinv, linalg.solve, tensordot
>>> np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 2, 2), [[1.0, 2.0], [3.0, 4.0]])
array([[1., 2.],
       [3., 4.]])
"""
TEXTS["linalg.tensorinv"] = """
Inverse of an array with respect to `tensordot`.

``tensordot(tensorinv(a, ind), b, ind)`` is `tensorsolve`'s solution.

@a : array_like
An array whose first `ind` axes have as many elements as the others.
@ind : int
How many of the first axes belong to the right side.
-> ndarray
Of shape ``a.shape[ind:] + a.shape[:ind]``.
! LinAlgError
For singular arrays, and sizes that do not fit.
! ValueError
For an `ind` below 1.
d yes
% linalg
& linalg.tensorsolve, linalg.inv
>>> np.linalg.tensorinv(np.eye(4).reshape(2, 2, 2, 2)).shape
(2, 2, 2, 2)
"""
TEXTS["linalg.trace"] = """
Sum along a diagonal of matrices in the last two axes.

`fastnp.trace` takes the first two.

@x : array_like
Matrices, ``(..., m, n)``.
@offset : int
Which diagonal: above the main one for positive numbers.
@dtype : dtype
The dtype of the sum.
-> ndarray or scalar
Of the shape of the stack.
! ValueError
For fewer than two axes.
d yes
% pieces
& trace, linalg.diagonal
>>> np.linalg.trace([[1, 2], [3, 4]])
np.int64(5)
"""
TEXTS["linalg.diagonal"] = """
Diagonals of matrices in the last two axes.

`fastnp.diagonal` takes the first two. Read-only, as NumPy's.

@x : array_like
Matrices, ``(..., m, n)``.
@offset : int
Which diagonal: above the main one for positive numbers.
-> ndarray
The stack's axes, then one along the diagonal.
! ValueError
For fewer than two axes.
d moves
% pieces
& diagonal, linalg.trace
>>> np.linalg.diagonal([[1, 2], [3, 4]])
array([1, 4])
"""
TEXTS["linalg.cross"] = """
Cross product of vectors of three elements.

It is at right angles to both; its length is the area that they span.

@x1, x2 : array_like
Vectors, which broadcast.
@axis : int
The axis of the three elements.
-> ndarray
Of the shape that both broadcast to.
! ValueError
For other numbers of elements.
d yes
% pieces
& cross, linalg.outer
>>> np.linalg.cross([1, 0, 0], [0, 1, 0])
array([0, 0, 1])
"""
TEXTS["linalg.vecdot"] = """
Inner products of vectors along an axis, those of the first operand conjugated.

@x1, x2 : array_like
Vectors, which broadcast.
@axis : int
The axis of the vectors.
-> ndarray or scalar
Of the shape that both broadcast to, without the axis.
! ValueError
For vectors of different lengths.
d yes
% pieces
& vdot, inner, matmul
>>> np.linalg.vecdot([[1, 2], [3, 4]], [10, 1])
array([12, 34])
"""
