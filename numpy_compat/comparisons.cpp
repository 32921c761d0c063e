// Comparisons within tolerances, of whole arrays, and with infinities.
#include "fastnp/numpy_compat/comparisons.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "at_hand.h"
#include "fastnp/detail/layout.h"
#include "fastnp/detail/memory.h"
#include "operands.h"
#include "size.h"

namespace fastnp {

using compat::is_at_hand;
using compat::is_whole;
using compat::over_it;
using compat::plus;
using compat::real_number;
using compat::size_of;
using compat::times;

namespace {

// Beside which a Python number stays weak: floats of numbers, floating dtypes of arrays.
Operand inexact(const Operand& y) {
    if (const Scalar* number = y.as_scalar()) {
        return is_whole(*number) ? Operand(number->real()) : y;
    }
    const array& x = *y.as_array();
    return is_inexact(x.dtype()) ? x : x.astype(float64);
}

// Of a number a number, which stays weak.
Operand absolute_of(const Operand& y) {
    if (const Scalar* number = y.as_scalar()) return std::abs(std::complex<double>(number->real(), number->imag()));
    return absolute(y);
}

// atol + rtol * |y|, in one array where it is one.
Operand limit_of(const Operand& atol, const Operand& rtol, const Operand& y) {
    const Operand size = absolute_of(y);
    const array* made = size.as_array();
    if (made == nullptr || real_number(rtol) == nullptr || real_number(atol) == nullptr) return plus(atol, times(rtol, size));
    const array part = multiply(rtol, *made, over_it(*made));
    return add(atol, part, over_it(part));
}

// Integers that are to be compared with floats, converted once. In other layouts than C's NumPy's results lie as its integers do.
Operand converted_beside(const Operand& x, const Operand& y) {
    const array *p = x.as_array(), *q = y.as_array();
    if (p == nullptr || q == nullptr || is_inexact(p->dtype()) || !is_at_hand(*p) || !p->is_c_contiguous()) return x;
    return p->astype(promote_types(p->dtype(), q->dtype()));
}

array is_infinity(const array& x, double infinity, const UfuncOptions& options) {
    if (is_complex(x.dtype())) {
        throw TypeError("This operation is not supported for " + std::string(name_of(x.dtype())) + " values because it would be ambiguous.");
    }
    return equal(x, infinity, options);
}

}  // namespace

array isclose(const Operand& a, const Operand& b, const Operand& rtol, const Operand& atol, bool equal_nan) {
    const Operand y = inexact(b), x = converted_beside(a, y);
    array distance = subtract(x, y);
    if (!is_complex(distance.dtype())) distance = absolute(distance, over_it(distance));
    else distance = absolute(distance);
    array result = less_equal(distance, limit_of(atol, rtol, y));
    const Scalar* number = y.as_scalar();
    if (number == nullptr || !std::isfinite(number->real()) || !std::isfinite(number->imag())) result = result & isfinite(y);
    result = result | equal(x, y);
    return equal_nan ? result | (isnan(x) & isnan(y)) : result;
}

bool allclose(const Operand& a, const Operand& b, const Operand& rtol, const Operand& atol, bool equal_nan) {
    return static_cast<bool>(all(isclose(a, b, rtol, atol, equal_nan)));
}

bool array_equal(const array& a, const array& b, bool equal_nan) {
    if (a.ndim() != b.ndim()) return false;
    for (int axis = 0; axis < a.ndim(); ++axis) {
        if (!(size_of(a, axis) == size_of(b, axis))) return false;
    }
    array same = a == b;
    if (equal_nan && (is_inexact(a.dtype()) && is_inexact(b.dtype()))) same = same | (isnan(a) & isnan(b));
    return static_cast<bool>(all(same));
}

bool array_equiv(const array& a, const array& b) {
    for (int axis = 1; axis <= std::min(a.ndim(), b.ndim()); ++axis) {
        const auto p = size_of(a, -axis), q = size_of(b, -axis);
        if (!(p == q) && !(p == 1) && !(q == 1)) return false;
    }
    return static_cast<bool>(all(a == b));
}

array isneginf(const array& x, const UfuncOptions& options) { return is_infinity(x, -std::numeric_limits<double>::infinity(), options); }
array isposinf(const array& x, const UfuncOptions& options) { return is_infinity(x, std::numeric_limits<double>::infinity(), options); }

namespace {
array imaginary(const array& x) { return is_at_hand(x) ? detail::part_of(x, true) : imag(x); }
}  // namespace

// Of real arrays NumPy compares zeros that it has made, in C or in Fortran order.
array isreal(const array& x) { return is_complex(x.dtype()) ? equal(imaginary(x), 0) : detail::laid_like(full_like(x, true, bool_), x, Order::any); }

array iscomplex(const array& x) { return is_complex(x.dtype()) ? not_equal(imaginary(x), 0) : detail::laid_like(full_like(x, false, bool_), x, Order::c); }

}  // namespace fastnp
