// Functions of each element by itself, and phases along an axis.
#include "fastnp/numpy_compat/elementwise.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "at_hand.h"
#include "fastnp/detail/memory.h"
#include "fastnp/numpy_compat/calculus.h"
#include "operands.h"
#include "size.h"

namespace fastnp {

using compat::along;
using compat::axis_of;
using compat::is_at_hand;
using compat::minus;
using compat::over;
using compat::over_it;

namespace {

constexpr double pi = std::numbers::pi;

// A view of what is computed at once; a recording is told that it is read alone.
array part_of(const array& z, bool imaginary) {
    if (is_at_hand(z)) return detail::part_of(z, imaginary);
    return imaginary ? imag(z) : real(z);
}

}  // namespace

array angle(const array& z, bool deg) {
    const array radians = is_complex(z.dtype()) ? arctan2(part_of(z, true), part_of(z, false)) : arctan2(0, z);
    return deg ? radians * (180 / pi) : radians;
}

array fix(const array& x, const UfuncOptions& options) { return trunc(x, options); }

namespace {

double epsilon_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return 0x1p-10;
        case Dtype::bfloat16: return 0x1p-7;
        case Dtype::float32: return 0x1p-23;
        case Dtype::float64: return 0x1p-52;
        default: return 1e-20;  // NumPy's, for complex numbers
    }
}

// The power series near 0, where quotients have no derivatives, or bad ones: those of any order are the series'.
array sinc_by_series(const array& y) {
    const array near = absolute(y) < 0.5;
    const array s = square(where(near, y, 0.0));
    constexpr int terms = 10;
    double factor = 1;
    for (int i = 1; i < terms; ++i) factor /= -(2.0 * i) * (2.0 * i + 1);
    array series = zeros_like(s) + factor;
    for (int i = terms - 1; i > 0; --i) {
        factor *= -(2.0 * i) * (2.0 * i + 1);
        series = series * s + factor;
    }
    const array far = where(near, 1.0, y);
    return where(near, series, sin(far) / far);
}

}  // namespace

array sinc(const array& x) {
    const array y = pi * x;
    if (y.is_recorded()) return sinc_by_series(y);
    const array apart = where(y, y, epsilon_of(y.dtype()));
    return sin(apart) / apart;
}

namespace {

double largest_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return 65504;
        case Dtype::bfloat16: return 0x1.fep127;
        case Dtype::float32:
        case Dtype::complex64: return std::numeric_limits<float>::max();
        default: return std::numeric_limits<double>::max();
    }
}

// A mask that is false everywhere is not walked through again.
void put_where(const array& target, const Operand& value, const array& mask) {
    if (!is_at_hand(target)) {
        copyto(target, value, Casting::same_kind, mask);
    } else if (static_cast<bool>(any(mask))) {
        const bool is_chosen = target.writable() && compat::real_number(value) != nullptr;  // which is quicker than to walk through the mask
        if (is_chosen) copyto(target, where(mask, value, target));
        else copyto(target, value, Casting::same_kind, mask);
    } else {
        copyto(target(ellipsis, newaxis)(ellipsis, until(0)), value);  // whether it can be cast
    }
}

// Each element is looked at as it was given: what takes the place of a NaN may be infinite.
void put_numbers(const array& target, const array& given, const NanToNumOptions& options) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double largest = largest_of(given.dtype());
    const array is_nan = isnan(given), is_above = given == infinity, is_below = given == -infinity;
    put_where(target, options.nan, is_nan);
    put_where(target, options.posinf.value_or(largest), is_above);
    put_where(target, options.neginf.value_or(-largest), is_below);
}

}  // namespace

array nan_to_num(const array& x, const NanToNumOptions& options) {
    const array made = x.copy(Order::keep);
    nan_to_num_in_place(made, options);
    return made;
}

void nan_to_num_in_place(const array& x, const NanToNumOptions& options) {
    if (!is_inexact(x.dtype())) return;
    // (Another number than 0 may be too large for the dtype, which is told of.)
    const Scalar* const number = options.nan.as_scalar();
    const bool is_standard = number != nullptr && number->kind() == WeakKind::floating && number->real() == 0 && !options.posinf && !options.neginf;
    if (is_standard && is_at_hand(x) && x.writable() && static_cast<bool>(all(isfinite(x)))) return;
    if (!is_complex(x.dtype())) return put_numbers(x, x, options);
    for (const bool imaginary : {false, true}) {
        const array part = detail::part_of(x, imaginary);
        put_numbers(part, part, options);
    }
}

array real_if_close(const array& x, double tol) {
    if (!is_complex(x.dtype())) return x;
    const double limit = tol > 1 ? tol * epsilon_of(real_of(x.dtype())) : tol;
    return static_cast<bool>(all(absolute(part_of(x, true)) < limit)) ? detail::part_of(x, false) : x;
}

namespace {

Dtype dtype_beside(const array& x, const Operand& other) {
    const Dtype own[] = {x.dtype()};
    if (const Scalar* number = other.as_scalar()) {
        const WeakKind kinds[] = {number->kind()};
        return result_type(own, kinds);
    }
    return promote_types(x.dtype(), other.as_array()->dtype());
}

// Of integers, rounded down; and whether nothing is lost.
std::pair<Operand, bool> whole_half_of(const Operand& period) {
    if (const Scalar* number = period.as_scalar()) {
        const std::int64_t value = number->as_int64();
        return {(value - (value % 2 + 2) % 2) / 2, value % 2 == 0};
    }
    return {floor_divide(period, 2), static_cast<bool>(remainder(period, 2) == 0)};
}

}  // namespace

array unwrap(const array& x, const std::optional<Operand>& discont, int axis, const Operand& period) {
    const array jumps = diff(x, 1, axis);
    const int at = axis_of(x, axis);
    const Dtype dtype = dtype_beside(jumps, period);
    const auto [half, is_exact] = is_integer(dtype) ? whole_half_of(period) : std::pair(over(period, 2.0), true);
    const Operand low = minus(half);
    array within = add(remainder(subtract(jumps, low), period), low);
    if (is_exact) within = where(equal(within, low) & (jumps > 0), half, within);  // a jump of half a period keeps its sign
    const array correction = where(less(absolute(jumps), discont ? *discont : over(period, 2.0)), 0, within - jumps);
    array result = x.astype(dtype);
    along(result, at, from(1)) = along(x, at, from(1)) + cumsum(correction, {.axis = at});
    return result;
}

}  // namespace fastnp
