// Linear algebra: numpy.linalg over stacks of matrices, the last two axes of an array being a matrix's. Computed by LAPACK in float64 or complex128,
// as NumPy does; results have the operands' dtype (float64 of integers). All have derivatives of any order and can be mapped (fastnp/transform.h), but
// where it says so. The derivatives of functions that read one triangle (cholesky, eigh) are those on hermitian matrices.
//
// Errors, in NumPy's words: LinAlgError for operands that are no square matrices, or that have no such factors; TypeError for float16 and bfloat16.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fastnp/array.h"
#include "fastnp/export.h"
#include "fastnp/ops.h"

namespace fastnp::linalg {

/// \addtogroup linalg
/// @{

/// numpy.linalg.solve: X of A X = B for a (..., n, n): b is a vector (n), or a stack of matrices (..., n, k); the stacks are broadcast. LinAlgError
/// "Singular matrix"; ValueError where the sizes differ.
///
///     linalg::solve(array({{2., 0.}, {0., 4.}}), array({1., 1.}));  // 0.5 0.25
FASTNP_API array solve(const array& a, const array& b);

/// Whether A itself, its transpose or its adjoint is solved with.
enum class Transposed : std::uint8_t { no, yes, adjoint };
/// Keyword arguments of solve_triangular().
struct TriangularOptions {
    bool lower = false;                      ///< whether the lower triangle of a is read
    Transposed transposed = Transposed::no;  ///< which matrix it is
    bool unit_diagonal = false;              ///< whether the diagonal is not read, and taken for ones
};
/// scipy.linalg.solve_triangular over stacks: as solve(), of the matrix that one triangle of a holds. Infinities and NaN where it is singular.
FASTNP_API array solve_triangular(const array& a, const array& b, const TriangularOptions& options = {});

/// numpy.linalg.inv: the inverse (..., n, n). LinAlgError "Singular matrix".
FASTNP_API array inv(const array& a);
/// numpy.linalg.det: the determinant (...). Its derivative is the adjugate matrix, which singular matrices have, too (of more than three rows: those that
/// elimination finds singular in its last step).
FASTNP_API array det(const array& a);
/// What slogdet() gives.
struct Slogdet {
    array sign;       ///< of absolute value 1, or 0 (...)
    array logabsdet;  ///< real (...)
};
/// numpy.linalg.slogdet: sign (of absolute value 1, or 0) and logarithm of the absolute value of the determinant.
FASTNP_API Slogdet slogdet(const array& a);

/// numpy.linalg.cholesky: L of A = L L.H, lower; or its adjoint, for which the upper triangle is read. LinAlgError "Matrix is not positive definite".
FASTNP_API array cholesky(const array& a, bool upper = false);

/// What qr() and qr_raw() give.
struct Qr {
    array q;  ///< with orthonormal columns; of qr_raw() the reflections
    array r;  ///< the upper triangle; of qr_raw() the factors
};
/// numpy.linalg.qr: A = Q R with orthonormal columns: min(m, n) of them, or m if `complete`, which has a derivative for m <= n alone.
FASTNP_API Qr qr(const array& a, bool complete = false);
/// The reflections (..., n, m) and their factors (..., min(m, n)) that LAPACK gives (NumPy's mode "raw"). No derivative.
FASTNP_API Qr qr_raw(const array& a);

/// Which triangle of a hermitian matrix is read.
enum class Triangle : std::uint8_t { lower, upper };
/// What eigh() and eig() give.
struct Eigen {
    array eigenvalues;   ///< (..., n)
    array eigenvectors;  ///< in the columns of (..., n, n)
};
/// numpy.linalg.eigh, of hermitian matrices: eigenvalues (..., n), ascending and real, and eigenvectors in the columns of (..., n, n).
/// LinAlgError "Eigenvalues did not converge".
FASTNP_API Eigen eigh(const array& a, Triangle triangle = Triangle::lower);
/// numpy.linalg.eigvalsh: the eigenvalues of eigh() alone.
FASTNP_API array eigvalsh(const array& a, Triangle triangle = Triangle::lower);
/// numpy.linalg.eig, of any matrices; the results are complex, whatever they are (NumPy's are real where no imaginary part differs from 0).
FASTNP_API Eigen eig(const array& a);
/// numpy.linalg.eigvals: the eigenvalues of eig() alone.
FASTNP_API array eigvals(const array& a);

/// What svd() gives.
struct Svd {
    array u;   ///< with orthonormal columns
    array s;   ///< the singular values (..., k), descending, real
    array vh;  ///< with orthonormal rows
};
/// numpy.linalg.svd: A = U diag(s) Vh with s (..., k) descending, k = min(m, n): U (..., m, m) and Vh (..., n, n), or only k columns and rows of them.
/// With all of them it has a derivative for square matrices alone. `hermitian`: A is, which is faster. LinAlgError "SVD did not converge".
FASTNP_API Svd svd(const array& a, bool full_matrices = true, bool hermitian = false);
/// numpy.linalg.svdvals: the singular values alone.
FASTNP_API array svdvals(const array& a, bool hermitian = false);

/// Keyword arguments of pinv().
struct PinvOptions {
    /// Singular values up to this many times the largest count as 0: a number, or an array (...). NumPy's default is 1e-15.
    std::optional<array> rcond = std::nullopt;
    bool hermitian = false;  ///< A is, which is faster
};
/// numpy.linalg.pinv: the pseudo-inverse (..., n, m). LinAlgError "SVD did not converge".
FASTNP_API array pinv(const array& a, const PinvOptions& options = {});

/// What lstsq() gives.
struct LeastSquares {
    array x;          ///< the solution (n) or (n, k)
    array residuals;  ///< the sums of squares that are left
    array rank;       ///< of A, int32
    array s;          ///< A's singular values
};
/// numpy.linalg.lstsq: X of least norm that minimises |A X - B|, for a (m, n) and b (m) or (m, k); the sums of squares that are left (k), or none (0)
/// unless m > n and A has rank n; its rank (int32) and singular values. Under vmap the residuals are there whenever m > n, NaN where the rank is less.
/// rcond: as in pinv, by default max(m, n) times the machine's precision.
FASTNP_API LeastSquares lstsq(const array& a, const array& b, std::optional<double> rcond = std::nullopt);

/// A number, infinities among them, or "fro" and "nuc".
using NormOrder = std::variant<double, std::string>;
/// Keyword arguments of norm().
struct NormOptions {
    std::optional<NormOrder> ord = std::nullopt;  ///< which norm; that of Euclid or Frobenius unless given
    /// One axis: vectors; two: matrices; none: a norm of all, as numpy.linalg.norm has it.
    Axes axis = {};
    bool keepdims = false;  ///< whether these axes stay, with size 1
};
/// numpy.linalg.norm. ValueError "Invalid norm order for matrices." and the like.
FASTNP_API array norm(const array& x, const NormOptions& options = {});
/// numpy.linalg.vector_norm: of all elements, or along axes taken for one.
FASTNP_API array vector_norm(const array& x, const Axes& axis = {}, bool keepdims = false, double ord = 2);
/// numpy.linalg.matrix_norm: of the last two axes. ValueError as norm().
FASTNP_API array matrix_norm(const array& x, bool keepdims = false, const NormOrder& ord = "fro");

/// numpy.linalg.matrix_power: A to an integer power; of negative ones that of the inverse.
FASTNP_API array matrix_power(const array& a, std::int64_t n);
/// numpy.linalg.matrix_rank: how many singular values are above `tol`; by default the largest times max(m, n) times the precision, or times `rtol`. int64,
/// no derivative.
FASTNP_API array matrix_rank(const array& a, const std::optional<array>& tol = std::nullopt, bool hermitian = false,
                             const std::optional<array>& rtol = std::nullopt);
/// numpy.linalg.cond: the condition number, by the norm `p` (2 if left out). LinAlgError "cond is not defined on empty arrays".
FASTNP_API array cond(const array& x, const std::optional<NormOrder>& p = std::nullopt);
/// numpy.linalg.multi_dot: the product of two or more matrices (vectors at the ends), in the order that takes the fewest multiplications.
FASTNP_API array multi_dot(const std::vector<array>& arrays);
/// numpy.linalg.tensorsolve: X of tensordot(a, X, X.ndim) = b, with axes of a moved to its end. LinAlgError as solve().
FASTNP_API array tensorsolve(const array& a, const array& b, const std::vector<int>& axes = {});
/// numpy.linalg.tensorinv: the inverse of a as a map from its last axes to the first `ind`. ValueError for ind < 1, LinAlgError as inv().
FASTNP_API array tensorinv(const array& a, int ind = 2);

/// @}

}  // namespace fastnp::linalg
