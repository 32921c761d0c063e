// Inverse functions of complex numbers, and powers. Part of ops/complex_functions.h. The inverse sine and cosine are those of Hull, Fairgrieve and Tang
// ("Implementing the complex arcsine and arccosine functions using exception handling", 1997), accurate in all of the plane.
#pragma once

#include "ops/complex_functions.h"

namespace fastnp::ops::complex_functions {

namespace detail {

/// (hypot(x, y) - y) / 2 without cancellation, given the modulus.
template <class R>
R half_excess(R x, R y, R modulus) {
    if (y < 0) return (modulus - y) / 2;
    if (y == 0) return x / 2;
    return x * x / (modulus + y) / 2;
}

template <class R>
struct Hull {
    R growth;         // the real part of asinh(x + iy)
    R sine;           // of its imaginary part; where that is near 1 ...
    bool by_tangent;  // ... the part is the angle of (adjacent, opposite) instead
    R opposite, adjacent;
};

/// For x and y that are not negative, neither of them large, not both zero.
template <class R>
Hull<R> hull(R x, R y) {
    const R above = std::hypot(x, y + 1);
    const R below = std::hypot(x, y - 1);
    const R a = std::max((above + below) / 2, R(1));
    const R least = 2 * std::sqrt(std::numeric_limits<R>::min());
    Hull<R> result{};
    const bool apart = x >= epsilon<R> * std::abs(y - 1);  // from the axis, between the branch points or beyond them
    if (a >= 10) {
        result.growth = std::log(a + std::sqrt(a * a - 1));
    } else if (y == 1 && x < epsilon<R> * epsilon<R> / 128) {
        result.growth = std::sqrt(x);
    } else if (apart) {
        const R a_less_one = half_excess(x, 1 + y, above) + half_excess(x, 1 - y, below);
        result.growth = std::log1p(a_less_one + std::sqrt(a_less_one * (a + 1)));
    } else if (y < 1) {
        result.growth = x / std::sqrt((1 - y) * (1 + y));
    } else {
        result.growth = std::log1p((y - 1) + std::sqrt((y - 1) * (y + 1)));
    }
    result.opposite = y;
    result.sine = y / a;
    result.by_tangent = y < 2 * least || result.sine > R(0.6417);
    if (!result.by_tangent) return result;
    if (y < 2 * least) {
        result.adjacent = a * (2 / epsilon<R>);
        result.opposite = y * (2 / epsilon<R>);
    } else if (y == 1 && x < epsilon<R> / 128) {
        result.adjacent = std::sqrt(x) * std::sqrt((a + y) / 2);
    } else if (apart) {
        const R a_less_y = half_excess(x, y + 1, above) + half_excess(x, y - 1, below);
        result.adjacent = std::sqrt(a_less_y * (a + y));
    } else if (y > 1) {
        const R scale = 4 / epsilon<R> / epsilon<R>;
        result.adjacent = x * scale * y / std::sqrt((y + 1) * (y - 1));
        result.opposite = y * scale;
    } else {
        result.adjacent = std::sqrt((1 - y) * (1 + y));
    }
    return result;
}

/// The real part of 1 / (x + iy).
template <class R>
R real_of_reciprocal(R x, R y) {
    if (std::isinf(x) || std::isinf(y)) return std::copysign(R(0), x);
    if (std::abs(x) >= std::abs(y)) return R(0.5) / (x / 2 + (y / 2) * (y / x));  // halves, so that nothing overflows
    const R ratio = x / y;
    return (ratio / 2) / ((x / 2) * ratio + y / 2);
}

}  // namespace detail

template <class R>
Pair<R> asinh(Pair<R> z) {
    const auto [x, y] = z;
    if (std::isnan(x) || std::isnan(y)) {
        if (std::isinf(x)) return {x, detail::not_a_number<R>};
        if (std::isinf(y)) return {detail::infinity<R>, detail::not_a_number<R>};
        return {detail::not_a_number<R>, y == 0 ? y : detail::not_a_number<R>};
    }
    const R ax = std::abs(x);
    const R ay = std::abs(y);
    if (ax > 1 / detail::epsilon<R> || ay > 1 / detail::epsilon<R>) {
        const R growth = detail::log_modulus(x, y) + std::numbers::ln2_v<R>;
        return {std::copysign(growth, x), std::copysign(std::atan2(ay, ax), y)};
    }
    const R tiny = std::sqrt(6 * detail::epsilon<R>) / 4;
    if (ax < tiny && ay < tiny) return z;
    const auto parts = detail::hull(ax, ay);
    const R angle = parts.by_tangent ? std::atan2(parts.opposite, parts.adjacent) : std::asin(parts.sine);
    return {std::copysign(parts.growth, x), std::copysign(angle, y)};
}

template <class R>
Pair<R> acos(Pair<R> z) {
    const auto [x, y] = z;
    constexpr R half_pi = std::numbers::pi_v<R> / 2;
    constexpr R half_pi_rest = sizeof(R) == 8 ? R(6.123233995736766e-17) : R(-4.371139e-8);
    if (std::isnan(x) || std::isnan(y)) {
        if (std::isinf(x)) return {detail::not_a_number<R>, -detail::infinity<R>};
        if (std::isinf(y)) return {detail::not_a_number<R>, -y};
        return {x == 0 ? half_pi : detail::not_a_number<R>, detail::not_a_number<R>};
    }
    const R ax = std::abs(x);
    const R ay = std::abs(y);
    const auto with_sign = [&](R growth) { return std::signbit(y) ? growth : -growth; };
    if (ax > 1 / detail::epsilon<R> || ay > 1 / detail::epsilon<R>)
        return {std::abs(std::atan2(y, x)), with_sign(detail::log_modulus(x, y) + std::numbers::ln2_v<R>)};
    if (x == 1 && y == 0) return {R(0), -y};
    const R tiny = std::sqrt(6 * detail::epsilon<R>) / 4;
    if (ax < tiny && ay < tiny) return {half_pi - (x - half_pi_rest), -y};
    const auto parts = detail::hull(ay, ax);
    const bool negative = std::signbit(x);
    const R angle =
        parts.by_tangent ? std::atan2(parts.adjacent, negative ? -parts.opposite : parts.opposite) : std::acos(negative ? -parts.sine : parts.sine);
    return {angle, with_sign(parts.growth)};
}

template <class R>
Pair<R> acosh(Pair<R> z) {
    const auto [re, im] = acos(z);
    if (std::isnan(re) || std::isnan(im)) return {std::abs(im), re};
    return {std::abs(im), std::copysign(re, z.im)};
}

template <class R>
Pair<R> atanh(Pair<R> z) {
    const auto [x, y] = z;
    constexpr R half_pi = std::numbers::pi_v<R> / 2;
    const R ax = std::abs(x);
    const R ay = std::abs(y);
    if (y == 0 && ax <= 1) return {std::atanh(x), y};
    if (x == 0) return {x, std::atan(y)};
    if (std::isnan(x) || std::isnan(y)) {
        if (std::isinf(x)) return {std::copysign(R(0), x), detail::not_a_number<R>};
        if (std::isinf(y)) return {std::copysign(R(0), x), std::copysign(half_pi, y)};
        return {detail::not_a_number<R>, detail::not_a_number<R>};
    }
    if (ax > 1 / detail::epsilon<R> || ay > 1 / detail::epsilon<R>) return {detail::real_of_reciprocal(x, y), std::copysign(half_pi, y)};
    const R tiny = std::sqrt(3 * detail::epsilon<R>) / 2;
    if (ax < tiny && ay < tiny) return z;
    const R square = ay < std::sqrt(std::numeric_limits<R>::min()) ? R(0) : ay * ay;
    const R distance = (ax - 1) * (ax - 1) + square;  // from 1, squared
    const R growth = ax == 1 && ay < detail::epsilon<R> ? (std::numbers::ln2_v<R> - std::log(ay)) / 2 : std::log1p(4 * ax / distance) / 4;
    const R adjacent = (1 - ax) * (1 + ax) - (ay < detail::epsilon<R> ? R(0) : ay * ay);
    const R angle = ax == 1 ? std::atan2(R(2), -ay) / 2 : std::atan2(2 * ay, adjacent) / 2;
    return {std::copysign(growth, x), std::copysign(angle, y)};
}

// A function f of iz is that of z turned by i: sine, cosine and tangent from the hyperbolic ones.
template <class R>
Pair<R> swapped(Pair<R> z) {
    return {z.im, z.re};
}
template <class R>
Pair<R> sin(Pair<R> z) {
    return swapped(sinh(swapped(z)));
}
template <class R>
Pair<R> cos(Pair<R> z) {
    return cosh(Pair<R>{-z.im, z.re});
}
template <class R>
Pair<R> tan(Pair<R> z) {
    return swapped(tanh(swapped(z)));
}
template <class R>
Pair<R> asin(Pair<R> z) {
    return swapped(asinh(swapped(z)));
}
template <class R>
Pair<R> atan(Pair<R> z) {
    return swapped(atanh(swapped(z)));
}

namespace detail {

/// C's product: that of an infinite number and one that is not zero is infinite, though parts be NaN.
template <class R>
Pair<R> product(Pair<R> x, Pair<R> y) {
    const auto multiplied = [](Pair<R> a, Pair<R> b) { return Pair<R>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; };
    const auto is_infinite = [](Pair<R> z) { return std::isinf(z.re) || std::isinf(z.im); };
    const auto direction = [](Pair<R> z) {
        return Pair<R>{std::copysign(R(std::isinf(z.re) ? 1 : 0), z.re), std::copysign(R(std::isinf(z.im) ? 1 : 0), z.im)};
    };
    const auto without_nan = [](Pair<R> z) {
        return Pair<R>{std::isnan(z.re) ? std::copysign(R(0), z.re) : z.re, std::isnan(z.im) ? std::copysign(R(0), z.im) : z.im};
    };
    const Pair<R> result = multiplied(x, y);
    if (!std::isnan(result.re) || !std::isnan(result.im)) return result;
    const bool overflows = is_infinite({x.re * y.re, x.im * y.im}) || is_infinite({x.re * y.im, x.im * y.re});
    if (!is_infinite(x) && !is_infinite(y) && !overflows) return result;
    const bool x_infinite = is_infinite(x);
    const bool y_infinite = is_infinite(y);
    x = x_infinite ? direction(x) : without_nan(x);
    y = y_infinite ? direction(y) : without_nan(y);
    const Pair<R> turned = multiplied(without_nan(x), without_nan(y));
    return {infinity<R> * turned.re, infinity<R> * turned.im};
}

}  // namespace detail

/// exp(y log x), as the C library's.
template <class R>
Pair<R> pow(Pair<R> x, Pair<R> y) {
    return exp(detail::product(y, log(x)));
}

}  // namespace fastnp::ops::complex_functions
