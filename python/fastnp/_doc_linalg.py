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
% factors
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
% factors
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
% factors
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
% factors
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
% factors
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
% factors
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
~ Of arrays on CUDA devices, the host computes matrices of less than 128 rows, and all where cuSOLVER is older than CUDA 12.8.
d yes Of eigenvectors only where no two eigenvalues are equal.
% factors
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
~ Of arrays on CUDA devices, the host computes matrices of less than 128 rows, and all where cuSOLVER is older than CUDA 12.8.
d yes
% factors
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
% factors
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
% factors
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
% factors
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
% factors
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
% factors
& linalg.norm, linalg.svdvals
>>> np.linalg.cond([[4.0, 0.0], [0.0, 2.0]])
np.float64(2.0)
"""
