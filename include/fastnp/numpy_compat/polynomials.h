// NumPy functions that are compositions of others: polynomials as arrays of coefficients, that of the highest power first.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "fastnp/array.h"
#include "fastnp/ops.h"

namespace fastnp {

/// \addtogroup elementwise
/// @{

/// numpy.polyval: the polynomial at x, in x's shape. TypeError for coefficients without an axis.
///
///     polyval(array{1, 0, 2}, array{3});  // 11
FASTNP_API array polyval(const array& p, const array& x);
/// numpy.polyadd: the sum of two polynomials.
FASTNP_API array polyadd(const array& a, const array& b);
/// numpy.polysub: the difference of two polynomials.
FASTNP_API array polysub(const array& a, const array& b);
/// numpy.polymul: the product of two polynomials, of which leading zeros are left out. While recording, which ones these are is read.
FASTNP_API array polymul(const array& a, const array& b);
/// What polydiv() gives.
struct PolynomialQuotient {
    array quotient;   ///< one coefficient at least
    array remainder;  ///< without leading zeros (up to rounding), one coefficient at least
};
/// numpy.polydiv: quotient and remainder. While recording, which leading coefficients of the remainder are zeros is read.
FASTNP_API PolynomialQuotient polydiv(const array& u, const array& v);
/// numpy.polyder: the m-th derivative. ValueError for a negative m.
FASTNP_API array polyder(const array& p, int m = 1);
/// numpy.polyint: the m-th integral, with integration constants k: one for all, or m of them, first the one of the first integral; 0 unless given.
/// ValueError for a negative m, and for too few constants.
FASTNP_API array polyint(const array& p, int m = 1, const std::optional<array>& k = std::nullopt);
/// numpy.poly: the polynomial with these roots, or the characteristic one of a matrix. Real where the complex roots are pairs of conjugates; while
/// recording, that is read. ValueError for other shapes.
///
///     poly(array{0.0, 2.0});  // 1. -2. 0.
FASTNP_API array poly(const array& roots);
/// numpy.roots: where the polynomial is 0, as eigenvalues of its companion matrix; real where all are. While recording, which leading and trailing
/// coefficients are zeros, and whether the roots are real, is read. ValueError for other ranks than 1.
FASTNP_API array roots(const array& p);

/// What polyfit() says of the errors of coefficients.
enum class Covariance : std::uint8_t { none, scaled, unscaled };
/// Keyword arguments of polyfit().
struct PolyfitOptions {
    std::optional<double> rcond = std::nullopt;  ///< singular values up to this part of the largest one are zeros; len(x) times the precision unless given
    std::optional<array> w = std::nullopt;  ///< weights, for each sample one
    Covariance covariance = Covariance::none;  ///< which one is computed
};
/// What polyfit() gives.
struct PolynomialFit {
    array coefficients;  ///< (deg + 1) or (deg + 1, k)
    array residuals;  ///< sums of squares, none where the rank is less than deg + 1
    array rank;  ///< of the scaled matrix of powers, int32
    array singular_values;  ///< of that matrix
    double rcond = 0;  ///< that it was computed with
    std::optional<array> covariance = std::nullopt;  ///< (deg + 1, deg + 1) or (deg + 1, deg + 1, k)
};
/// numpy.polyfit: the polynomial of degree `deg` through samples y, (n) or (n, k), at the places x (n) by least squares. ValueError for a negative degree,
/// and where a covariance is to be scaled by too few samples; TypeError for other shapes.
FASTNP_API PolynomialFit polyfit(const array& x, const array& y, int deg, const PolyfitOptions& options = {});

/// @}

}  // namespace fastnp
