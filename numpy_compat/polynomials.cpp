// Polynomials.
#include "fastnp/numpy_compat/polynomials.h"

#include <algorithm>
#include <vector>

#include "fastnp/linalg.h"
#include "fastnp/numpy_compat/comparisons.h"
#include "fastnp/numpy_compat/signals.h"
#include "size.h"

namespace fastnp {

using compat::Size;
using compat::size_of;

namespace {

array as_line(const array& x) { return x.ndim() == 0 ? x(newaxis) : x; }

// Two polynomials with as many coefficients each.
using Binary = array (*)(const Operand&, const Operand&, const UfuncOptions&);
array joined(Binary function, const array& a, const array& b) {
    const array x = as_line(a), y = as_line(b);
    const Size p = size_of(x, 0), q = size_of(y, 0);
    const auto longer = [](const array& z, const Size& by) { return concatenate({zeros({by.raw()}, z.dtype()), z}); };
    if (p == q) return function(x, y, {});
    return q > p ? function(longer(x, q - p), y, {}) : function(x, longer(y, p - q), {});
}

// Without leading zeros, but with one coefficient at least.
array trimmed(const array& given) {
    array x = as_line(given);
    if (x.ndim() > 1) throw ValueError("Polynomial must be 1d only.");
    const std::int64_t count = size_of(x, 0).now();
    std::int64_t first = 0;
    while (first < count && !static_cast<bool>(x(first) != 0)) ++first;
    return first == count ? zeros({1}, x.dtype()) : x(from(first));
}

// Eigenvalues as NumPy gives them: real ones of real matrices where no imaginary part differs from 0.
array eigenvalues(const array& matrix) {
    const array values = linalg::eigvals(matrix);
    return !is_complex(matrix.dtype()) && static_cast<bool>(all(imag(values) == 0)) ? real(values).copy() : values;
}

// n, n - 1 ... 1.
array countdown(const Size& n) { return detail::size_value(n.raw()) - detail::size_range(0, n.raw()); }

}  // namespace

array polyval(const array& p, const array& x) {
    if (p.ndim() == 0) throw TypeError("iteration over a 0-d array");
    const std::int64_t count = size_of(p, 0).now();
    array y = zeros_like(x);
    for (std::int64_t i = 0; i < count; ++i) {
        if (i == 0 || p.ndim() > 1 || y.ndim() == 0 || y.is_recorded()) {
            y = y * x + p(i);
        } else {  // its shape and dtype stay
            multiply(y, x, {.out = y});
            add(y, p(i), {.out = y});
        }
    }
    return y;
}

array polyadd(const array& a, const array& b) { return joined(&fastnp::add, a, b); }
array polysub(const array& a, const array& b) { return joined(&fastnp::subtract, a, b); }
array polymul(const array& a, const array& b) { return convolve(trimmed(a), trimmed(b)); }

PolynomialQuotient polydiv(const array& u, const array& v) {
    const array divisor = as_line(v) + 0.0;
    array rest = as_line(u) + 0.0;
    const Dtype dtype = promote_types(rest.dtype(), divisor.dtype());
    const array scale = 1.0 / divisor(0);
    rest = rest.astype(dtype);
    const std::int64_t degree = size_of(divisor, 0).now() - 1, steps = size_of(rest, 0).now() - degree;
    std::vector<array> quotient;
    for (std::int64_t k = 0; k < steps; ++k) {
        const array factor = scale * rest(k);
        quotient.push_back(factor.astype(dtype));
        const array part = rest(range(k, k + degree + 1)) - factor * divisor;
        rest = concatenate({rest(until(k)), part.astype(dtype), rest(from(k + degree + 1))});
    }
    while (rest.shape(-1) > 1 && allclose(rest(0), 0, 1e-14)) rest = rest(from(1));
    return {quotient.empty() ? zeros({1}, dtype) : stack(quotient), rest};
}

array polyder(const array& p, int m) {
    if (m < 0) throw ValueError("Order of derivative must be positive (see polyint)");
    array result = p;
    for (int i = 0; i < m; ++i) {
        const Size count = size_of(result, 0);
        result = count >= 1 ? result(until(-1)) * countdown(count - 1) : result * countdown(Size(0));
    }
    return result;
}

array polyint(const array& p, int m, const std::optional<array>& k) {
    if (m < 0) throw ValueError("Order of integral must be positive (see polyder)");
    array constants = k ? as_line(*k) : zeros({m});
    if (m > 1 && size_of(constants, 0) == 1) constants = constants(0) * ones({m});
    if (size_of(constants, 0) < Size(m)) throw ValueError("k must be a scalar or a rank-1 array of length 1 or >m.");
    array result = p;
    for (int i = 0; i < m; ++i) result = concatenate({result / countdown(size_of(result, 0)), constants(range(i, i + 1))});
    return result;
}

array poly(const array& given) {
    array roots = as_line(given);
    if (roots.ndim() == 2 && size_of(roots, 0) == size_of(roots, 1) && !(size_of(roots, 0) == 0)) {
        roots = eigenvalues(roots);
    } else if (roots.ndim() != 1) {
        throw ValueError("input must be 1d or non-empty square 2d array.");
    } else if (!is_inexact(roots.dtype()) || roots.dtype() == float16) {
        roots = roots.astype(float64);
    }
    array result = ones({1}, roots.dtype());
    const std::int64_t count = size_of(roots, 0).now();
    for (std::int64_t i = 0; i < count; ++i) {
        const array zero = zeros({1}, roots.dtype());
        result = concatenate({result, zero}) - concatenate({zero, result * roots(i)});
    }
    if (!is_complex(roots.dtype())) return result;
    const array sorted = sort(roots.astype(complex128)), other = sort(conjugate(roots.astype(complex128)));
    return static_cast<bool>(all(sorted == other)) ? real(result).copy() : result;
}

namespace {

bool is_zero(const array& x) { return !static_cast<bool>(x != 0); }

}  // namespace

array roots(const array& given) {
    array p = as_line(given);
    if (p.ndim() != 1) throw ValueError("Input must be a rank-1 array.");
    std::int64_t first = 0, last = size_of(p, 0).now();
    const std::int64_t count = last;
    while (first < last && is_zero(p(first))) ++first;
    if (first == last) return zeros({0});
    while (is_zero(p(last - 1))) --last;
    p = p(range(first, last));
    if (!is_inexact(p.dtype())) p = p.astype(float64);
    array found = zeros({0});
    if (last - first > 1) {
        const std::int64_t degree = last - first - 1;
        const array row = reshape(-p(from(1)) / p(0), {1, degree});
        found = eigenvalues(concatenate({row, eye(degree - 1, degree, 0, p.dtype())}));
    }
    return concatenate({found, zeros({count - last}, found.dtype())});
}

namespace {

double precision_of(Dtype dtype) { return real_of(dtype) == float32 ? 0x1p-23 : real_of(dtype) == float16 ? 0x1p-10 : 0x1p-52; }

// x ** (count - 1) ... x, 1 in rows.
array powers_of(const array& x, int count) {
    std::vector<array> columns(static_cast<std::size_t>(count), ones_like(x));
    for (int i = count - 2; i >= 0; --i) columns[static_cast<std::size_t>(i)] = i == count - 2 ? x : columns[static_cast<std::size_t>(i + 1)] * x;
    return stack(columns, 1);
}

array covariance_of(const array& matrix, const array& scale, const array& factor, bool is_of_columns) {
    const array base = linalg::inv(matmul(matrix.T(), matrix)) / outer(scale, scale);
    return (is_of_columns ? base(all, all, newaxis) : base) * factor;
}

}  // namespace

PolynomialFit polyfit(const array& given_x, const array& given_y, int deg, const PolyfitOptions& options) {
    const int order = deg + 1;
    const array x = given_x + 0.0;
    array y = given_y + 0.0;
    if (deg < 0) throw ValueError("expected deg >= 0");
    if (x.ndim() != 1) throw TypeError("expected 1D vector for x");
    const Size count = size_of(x, 0);
    if (count == 0) throw TypeError("expected non-empty vector for x");
    if (y.ndim() < 1 || y.ndim() > 2) throw TypeError("expected 1D or 2D array for y");
    if (!(count == size_of(y, 0))) throw TypeError("expected x and y to have same length");
    array matrix = powers_of(x, order);
    if (options.w) {
        const array w = *options.w + 0.0;
        if (w.ndim() != 1) throw TypeError("expected a 1-d array for weights");
        if (!(size_of(w, 0) == count)) throw TypeError("expected w and y to have the same length");
        matrix = matrix * w(all, newaxis);
        y = y * (y.ndim() == 2 ? w(all, newaxis) : w);
    }
    const array scale = sqrt(sum(matrix * matrix, {.axis = 0}));
    matrix = matrix / scale;
    PolynomialFit fit;
    fit.rcond = options.rcond.value_or(static_cast<double>(count.now()) * precision_of(x.dtype()));
    const linalg::LeastSquares found = linalg::lstsq(matrix, y, fit.rcond);
    fit.coefficients = (found.x.T() / scale).T();
    fit.residuals = found.residuals;
    fit.rank = found.rank;
    fit.singular_values = found.s;
    if (options.covariance == Covariance::none) return fit;
    array factor = ones({}, scale.dtype());
    if (options.covariance == Covariance::scaled) {
        if (!(count > Size(order))) throw ValueError("the number of data points must exceed order to scale the covariance matrix");
        factor = found.residuals / detail::size_value((count - order).raw());
    }
    fit.covariance = covariance_of(matrix, scale, factor, y.ndim() == 2);
    return fit;
}

}  // namespace fastnp
