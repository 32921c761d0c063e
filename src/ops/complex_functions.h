// Elementary functions of complex numbers over those of real ones, for machines whose C library has none: C99's, with its infinities, NaNs and signs of
// zeros (annex G), as NumPy has them. The cases are those of FreeBSD's library, which is in NumPy's npymath too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace fastnp::ops::complex_functions {

/// A complex number without std::complex's operators, which treat infinities in ways of their own.
template <class R>
struct Pair {
    R re, im;
};

namespace detail {

template <class R>
inline constexpr R epsilon = std::numeric_limits<R>::epsilon();
template <class R>
inline constexpr R infinity = std::numeric_limits<R>::infinity();
template <class R>
inline constexpr R not_a_number = std::numeric_limits<R>::quiet_NaN();

/// (re, im) times factor * exp(x), where exp(x) alone may overflow.
template <class R>
Pair<R> times_exp(R x, R re, R im, R factor = 1) {
    constexpr R part = sizeof(R) == 8 ? R(709) : R(88);  // exp of it is finite, and of thrice it times the least number infinite
    const R most = std::exp(part);
    for (int i = 0; i < 2 && x > part; ++i) {
        x -= part;
        re *= most;
        im *= most;
    }
    const R scale = factor * (x > part ? std::numeric_limits<R>::max() : std::exp(x));
    return {re * scale, im * scale};
}

/// Adds to a sum; returns what its rounding left out.
template <class R>
R add_to(R& sum, R term) {
    const R before = sum;
    sum = before + term;
    const R added = sum - before;
    return (before - (sum - added)) + (term - added);
}

/// x * x + y * y - 1 where that is near zero, x not below y: with what squares and sums leave out.
template <class R>
R squares_less_one(R x, R y) {
    const R xx = x * x;
    const R yy = y * y;
    R sum = xx;
    R rest = add_to(sum, R(-1));
    rest += add_to(sum, yy);
    rest += add_to(sum, std::fma(x, x, -xx));
    rest += add_to(sum, std::fma(y, y, -yy));
    return sum + rest;
}

/// The logarithm of the modulus of (x, y).
template <class R>
R log_modulus(R x, R y) {
    const bool wide = std::abs(x) >= std::abs(y);
    const R most = std::abs(wide ? x : y);
    const R least = std::abs(wide ? y : x);
    if (most > R(0.5) && most < 2) return std::log1p(squares_less_one(most, least)) / 2;
    if (most > std::numeric_limits<R>::max() / 4 && most < infinity<R>) return std::log(std::hypot(x / 4, y / 4)) + 2 * std::numbers::ln2_v<R>;
    if (most < std::numeric_limits<R>::min() && most > 0) {  // subnormal numbers have few digits left for hypot
        constexpr R scale = R(1) / epsilon<R>;
        return std::log(std::hypot(x * scale, y * scale)) + (1 - std::numeric_limits<R>::digits) * std::numbers::ln2_v<R>;
    }
    return std::log(std::hypot(x, y));
}

}  // namespace detail

template <class R>
Pair<R> exp(Pair<R> z) {
    const auto [x, y] = z;
    if (y == 0) return {std::exp(x), y};
    if (!std::isfinite(y)) {
        if (x == -detail::infinity<R>) return {R(0), std::copysign(R(0), y)};
        if (x == detail::infinity<R>) return {x, detail::not_a_number<R>};
        return {detail::not_a_number<R>, detail::not_a_number<R>};
    }
    if (x == 0) return {std::cos(y), std::sin(y)};
    return detail::times_exp(x, std::cos(y), std::sin(y));
}

template <class R>
Pair<R> log(Pair<R> z) {
    return {detail::log_modulus(z.re, z.im), std::atan2(z.im, z.re)};
}

template <class R>
Pair<R> sqrt(Pair<R> z) {
    auto [x, y] = z;
    if (x == 0 && y == 0) return {R(0), y};
    if (std::isinf(y)) return {detail::infinity<R>, y};
    if (std::isnan(x)) return {x, x};
    if (std::isinf(x)) {
        if (x < 0) return {std::isnan(y) ? y : R(0), std::copysign(x, y)};
        return {x, std::isnan(y) ? y : std::copysign(R(0), y)};
    }
    // Scaled by a power of 4 so that neither the modulus overflows nor digits are lost below the normal numbers.
    const R most = std::max(std::abs(x), std::abs(y));
    constexpr int half_digits = (std::numeric_limits<R>::digits + 1) / 2;
    R scale = 1;
    if (most > std::numeric_limits<R>::max() / 4) {
        x /= 16;
        y /= 16;
        scale = 4;
    } else if (most < std::numeric_limits<R>::min() * 4 / detail::epsilon<R>) {
        constexpr R up = R(std::uint64_t{1} << half_digits);
        x = x * up * up;
        y = y * up * up;
        scale = 1 / up;
    }
    const R root = std::sqrt((std::abs(x) + std::hypot(x, y)) / 2);
    const R other = std::abs(y) / (2 * root);
    if (x >= 0) return {root * scale, std::copysign(other * scale, y)};
    return {other * scale, std::copysign(root * scale, y)};
}

template <class R>
Pair<R> cosh(Pair<R> z) {
    const auto [x, y] = z;
    if (y == 0) return {std::cosh(x), std::isnan(x) ? y : std::copysign(R(1), x) * y};
    if (!std::isfinite(y)) {
        if (x == 0) return {detail::not_a_number<R>, R(0)};
        if (std::isinf(x)) return {detail::infinity<R>, detail::not_a_number<R>};
        return {detail::not_a_number<R>, detail::not_a_number<R>};
    }
    if (std::abs(x) < 22) return {std::cosh(x) * std::cos(y), std::sinh(x) * std::sin(y)};
    return detail::times_exp(std::abs(x), std::cos(y), std::copysign(R(1), x) * std::sin(y), R(0.5));
}

template <class R>
Pair<R> sinh(Pair<R> z) {
    const auto [x, y] = z;
    if (y == 0) return {std::sinh(x), y};
    if (!std::isfinite(y)) {
        if (x == 0) return {x, detail::not_a_number<R>};
        return {std::isinf(x) ? detail::infinity<R> : detail::not_a_number<R>, detail::not_a_number<R>};
    }
    if (std::abs(x) < 22) return {std::sinh(x) * std::cos(y), std::cosh(x) * std::sin(y)};
    return detail::times_exp(std::abs(x), std::copysign(R(1), x) * std::cos(y), std::sin(y), R(0.5));
}

/// Kahan's, without overflow.
template <class R>
Pair<R> tanh(Pair<R> z) {
    const auto [x, y] = z;
    if (std::isinf(x)) return {std::copysign(R(1), x), std::copysign(R(0), std::isfinite(y) ? std::sin(y) * std::cos(y) : y)};
    if (std::isnan(x)) return {x, y == 0 ? y : detail::not_a_number<R>};
    if (!std::isfinite(y)) return {x == 0 ? x : detail::not_a_number<R>, detail::not_a_number<R>};
    if (std::abs(x) >= 22) {
        const R shrunk = std::exp(-std::abs(x));
        return {std::copysign(R(1), x), 4 * std::sin(y) * std::cos(y) * shrunk * shrunk};
    }
    const R tangent = std::tan(y);
    const R beta = 1 + tangent * tangent;
    const R s = std::sinh(x);
    const R rho = std::sqrt(1 + s * s);
    const R below = 1 + beta * s * s;
    return {beta * rho * s / below, tangent / below};
}

}  // namespace fastnp::ops::complex_functions

#include "ops/complex_inverses.h"
