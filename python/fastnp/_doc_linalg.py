"""What is particular to fastnp.linalg; `_doc` says how an entry is written."""

TEXTS: dict[str, str] = {}

TEXTS["linalg.solve"] = """
Solution X of the linear equations ``a @ X = b``.

By an LU factorisation with pivots. Stacks of systems broadcast.

@a : array_like
Square matrices, ``(..., n, n)``.
@b : array_like
A vector of n numbers, or matrices ``(..., n, k)`` whose columns are solved for.
-> ndarray
In the shape of `b`, broadcast.
! LinAlgError
For singular matrices, and ones that are not square.
d yes
% linalg
& linalg.inv, linalg.lstsq, linalg.cholesky
>>> np.linalg.solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])
array([0.8, 1.4])
"""
TEXTS["linalg.inv"] = """
Inverse of square matrices.

`solve` is quicker and more exact where the inverse is to be multiplied with something.

@a : array_like
Square matrices, ``(..., n, n)``.
-> ndarray
Of the shape of `a`: ``a @ inv(a)`` is the unit matrix.
! LinAlgError
For singular matrices, and ones that are not square.
d yes
% linalg
& linalg.solve, linalg.pinv, linalg.det
>>> np.linalg.inv([[2.0, 0.0], [0.0, 4.0]])
array([[0.5 , 0.  ],
       [0.  , 0.25]])
"""
TEXTS["linalg.det"] = """
Determinant of square matrices.

It over- and underflows for large matrices: `slogdet` does not.

@a : array_like
Square matrices, ``(..., n, n)``.
-> ndarray or scalar
Of the shape of the stack.
! LinAlgError
For matrices that are not square.
d yes
% linalg
& linalg.slogdet, linalg.inv
>>> np.linalg.det([[2.0, 1.0], [1.0, 3.0]]).round(12)
np.float64(5.0)
"""
TEXTS["linalg.slogdet"] = """
Sign, and logarithm of the absolute value, of determinants.

``sign * exp(logabsdet)`` is the determinant. A singular matrix has the sign 0 and the logarithm -inf.

@a : array_like
Square matrices, ``(..., n, n)``.
-> sign : ndarray or scalar
-1, 0 or 1; of complex matrices a number of modulus 1, or 0.
-> logabsdet : ndarray or scalar
The natural logarithm.
! LinAlgError
For matrices that are not square.
d yes The sign is a constant.
% linalg
& linalg.det
>>> np.linalg.slogdet([[4.0, 0.0], [0.0, -1.0]]).sign
np.float64(-1.0)
"""
TEXTS["linalg.cholesky"] = """
Cholesky factor of positive definite matrices: L with ``a = L @ L.conj().T``.

One triangle of `a` is read alone; whether the other one fits is not checked.

@a : array_like
Hermitian, positive definite matrices, ``(..., n, n)``.
@upper : bool
Whether the factor is the upper one: ``a = U.conj().T @ U``.
-> ndarray
Triangular matrices in the shape of `a`.
! LinAlgError
For matrices that are not positive definite, or not square.
d yes
% linalg
& linalg.solve, linalg.qr, linalg.eigh
>>> np.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
array([[2., 0.],
       [1., 2.]])
"""
TEXTS["linalg.qr"] = """
QR factorisation: ``a = Q @ R`` with orthonormal columns of Q and a triangular R.

By Householder's reflections.

@a : array_like
Matrices, ``(..., m, n)``.
@mode : {'reduced', 'complete', 'r', 'raw'}
Q of K = min(m, n) columns, or of m; R alone; or the reflections as LAPACK has them.
-> Q : ndarray
Of shape ``(..., m, K)``; not in mode 'r'.
-> R : ndarray
Of shape ``(..., K, n)``.
! LinAlgError
For arrays with fewer than two axes.
! ValueError
For other modes.
d yes But of the further columns of a complete Q, for which it raises TypeError.
% linalg
& linalg.svd, linalg.lstsq, linalg.cholesky
>>> q, r = np.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
>>> np.allclose(q @ r, [[3.0, 1.0], [4.0, 2.0]])
True
>>> q.shape, r.shape
((2, 2), (2, 2))
"""
TEXTS["linalg.eigh"] = """
Eigenvalues and eigenvectors of Hermitian (or real symmetric) matrices.

``a @ v == v * w`` for the columns v of the second result. One triangle is read alone.

@a : array_like
Hermitian matrices, ``(..., n, n)``.
@UPLO : {'L', 'U'}
Which triangle is read: the lower or the upper one.
-> eigenvalues : ndarray
Ascending, ``(..., n)``, real.
-> eigenvectors : ndarray
In columns, ``(..., n, n)``, of length 1. Their signs are arbitrary.
! LinAlgError
For matrices that are not square, and where LAPACK does not converge.
d yes Of eigenvectors only where no two eigenvalues are equal.
% linalg
& linalg.eigvalsh, linalg.eig, linalg.svd
>>> np.linalg.eigh([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
array([1., 2.])
"""
TEXTS["linalg.eigvalsh"] = """
Eigenvalues of Hermitian (or real symmetric) matrices.

Without the eigenvectors it is less work than `eigh`.

@a : array_like
Hermitian matrices, ``(..., n, n)``.
@UPLO : {'L', 'U'}
Which triangle is read: the lower or the upper one.
-> ndarray
Ascending, ``(..., n)``, real.
! LinAlgError
For matrices that are not square, and where LAPACK does not converge.
d yes
% linalg
& linalg.eigh, linalg.eigvals
>>> np.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(12)
array([1., 3.])
"""
TEXTS["linalg.eig"] = """
Eigenvalues and eigenvectors of square matrices.

``a @ v == v * w`` for the columns v of the second result. `eigh` is for Hermitian matrices.

@a : array_like
Square matrices, ``(..., n, n)``, without infinities and NaN.
-> eigenvalues : ndarray
In no order, ``(..., n)``, each as often as it is a root.
-> eigenvectors : ndarray
In columns, ``(..., n, n)``, of length 1.
! LinAlgError
For matrices that are not square, not finite, or where LAPACK does not converge.
~ Whether results of real matrices are real depends on the values with NumPy before 2.5, and with fastnp as with the NumPy that is installed.
d yes Of eigenvectors only where no two eigenvalues are equal.
% linalg
& linalg.eigvals, linalg.eigh
>>> np.linalg.eig(np.diag([1.0, 2.0])).eigenvalues.real
array([1., 2.])
"""
TEXTS["linalg.eigvals"] = """
Eigenvalues of square matrices.

Without the eigenvectors it is less work than `eig`.

@a : array_like
Square matrices, ``(..., n, n)``, without infinities and NaN.
-> ndarray
In no order, ``(..., n)``, each as often as it is a root.
! LinAlgError
For matrices that are not square, not finite, or where LAPACK does not converge.
d yes
% linalg
& linalg.eig, linalg.eigvalsh
>>> np.linalg.eigvals([[3.0, 0.0], [0.0, 1.0]]).real
array([3., 1.])
"""
TEXTS["linalg.svd"] = """
Singular value decomposition: ``a = U @ diag(S) @ Vh``.

U and Vh are unitary, singular values are not negative and descend.

@a : array_like
Matrices, ``(..., m, n)``.
@full_matrices : bool
Whether U and Vh are square; else they have K = min(m, n) columns and rows.
@compute_uv : bool
Whether U and Vh are computed; else S is the only result.
@hermitian : bool
Whether `a` is known to be Hermitian, which is quicker.
-> U : ndarray
Of shape ``(..., m, m)`` or ``(..., m, K)``.
-> S : ndarray
Of shape ``(..., K)``, real.
-> Vh : ndarray
Of shape ``(..., n, n)`` or ``(..., K, n)``.
! LinAlgError
Where LAPACK does not converge.
d yes But of full U and Vh that are not square anyway, for which it raises TypeError.
% linalg
& linalg.svdvals, linalg.qr, linalg.pinv
>>> np.linalg.svd([[3.0, 0.0], [0.0, -2.0]]).S
array([3., 2.])
"""
TEXTS["linalg.svdvals"] = """
Singular values of matrices.

Without the vectors it is less work than `svd`.

@x : array_like
Matrices, ``(..., m, n)``.
-> ndarray
Descending, ``(..., min(m, n))``, real.
! LinAlgError
Where LAPACK does not converge.
d yes
% linalg
& linalg.svd, linalg.norm, linalg.cond
>>> np.linalg.svdvals([[3.0, 0.0], [0.0, -2.0]])
array([3., 2.])
"""
TEXTS["linalg.pinv"] = """
Pseudo-inverse of matrices, by Moore and Penrose.

It is made of the singular values; those that are small beside the largest one count as 0.

@a : array_like
Matrices, ``(..., m, n)``.
@rcond : float or array_like
What is small: below this times the largest singular value. 1e-15 if nothing is given.
@hermitian : bool
Whether `a` is known to be Hermitian.
@rtol : float or array_like
Another name for `rcond`; None is the larger size times the dtype's precision.
-> ndarray
Of shape ``(..., n, m)``.
! LinAlgError
Where LAPACK does not converge.
! ValueError
For `rcond` and `rtol` at once.
d yes
% linalg
& linalg.inv, linalg.lstsq, linalg.svd
>>> np.linalg.pinv([[2.0, 0.0], [0.0, 0.0]])
array([[0.5, 0. ],
       [0. , 0. ]])
"""
TEXTS["linalg.lstsq"] = """
Least-squares solution of ``a @ x = b``.

The x whose residual is shortest; of several ones the shortest x.

@a : array_like
A matrix, ``(m, n)``.
@b : array_like
A vector of m numbers, or a matrix ``(m, k)`` whose columns are solved for.
@rcond : float
Singular values below this times the largest one count as 0. None: by the precision of the dtype.
-> x : ndarray
The solution, ``(n,)`` or ``(n, k)``.
-> residuals : ndarray
The squared lengths of ``b - a @ x``; empty where the rank is below n, or m is not above n.
-> rank : int
The rank of `a`.
-> s : ndarray
Its singular values.
! LinAlgError
For other numbers of axes, and where LAPACK does not converge.
d yes By the solution and the residuals.
% linalg
& linalg.solve, linalg.pinv, linalg.qr
>>> x, residuals, rank, s = np.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
>>> x.round(12), rank
(array([1., 2.]), np.int32(2))
"""
TEXTS["linalg.matrix_rank"] = """
Rank of matrices: how many singular values are not small.

@A : array_like
Matrices, ``(..., m, n)``, or a vector.
@tol : float or array_like
What is small. None: by the largest singular value, the sizes and the precision.
@hermitian : bool
Whether `A` is known to be Hermitian.
@rtol : float or array_like
What is small beside the largest singular value.
-> int or ndarray of int
Of the shape of the stack.
! LinAlgError
Where LAPACK does not converge.
! ValueError
For `tol` and `rtol` at once.
d none
% linalg
& linalg.svdvals, linalg.cond
>>> np.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
np.int64(1)
"""
TEXTS["linalg.cond"] = """
Condition number of matrices: the norm times that of the inverse.

It says by how much errors of a right side may grow in a solution.

@x : array_like
Matrices, ``(..., m, n)``; square ones but for norms 2 and -2.
@p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}
Which norm. None is 2: the largest by the smallest singular value.
-> ndarray or scalar
Of the shape of the stack; infinite for singular matrices.
! LinAlgError
For empty matrices, and ones that are not square where they have to be.
d yes
% linalg
& linalg.norm, linalg.svdvals
>>> np.linalg.cond([[4.0, 0.0], [0.0, 2.0]])
np.float64(2.0)
"""
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
% products
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
% products
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
% products
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
% products
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
% products
& vdot, inner, matmul
>>> np.linalg.vecdot([[1, 2], [3, 4]], [10, 1])
array([12, 34])
"""
