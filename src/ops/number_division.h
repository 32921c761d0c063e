// Numbers' division with a remainder, powers, shifts and divisors. Part of ops/number.h.
#pragma once

#include "ops/number.h"

namespace fastnp::ops {

namespace detail {
// Comparisons that tell nothing of NaN, as NumPy's: an ordered one is an invalid operation.

/// The C library's fmod, several times faster where the quotient is small: then the remainder is exact by one fused step.
inline double fmod(double x, double y) {
    const double quotient = std::trunc(x / y);
    if (!(std::isless(std::abs(quotient), 0x1p53) && std::isless(std::abs(y), std::numeric_limits<double>::infinity()))) return std::fmod(x, y);
    double rest = std::fma(-quotient, y, x);
    if (rest != 0 && (rest < 0) != (x < 0)) rest += std::copysign(y, x);  // the quotient had been rounded up
    return std::copysign(rest, x);
}
inline float fmod(float x, float y) {
    const double quotient = std::trunc(static_cast<double>(x) / static_cast<double>(y));
    if (!(std::isless(std::abs(quotient), 0x1p29) && std::isless(std::abs(y), std::numeric_limits<float>::infinity()))) return std::fmod(x, y);
    double rest = static_cast<double>(x) - quotient * static_cast<double>(y);
    if (rest != 0 && (rest < 0) != (x < 0)) rest += std::copysign(static_cast<double>(y), static_cast<double>(x));
    return std::copysign(static_cast<float>(rest), x);
}
}  // namespace detail

template <class T>
Number<T> floor_divide(Number<T> x, Number<T> y) {
    if constexpr (Signed<T>) {
        if (y.v == 0) return {0};
        if (y.v == -1) return -x;  // the least value has no positive counterpart: it wraps
        const T quotient = static_cast<T>(x.v / y.v);
        return {static_cast<T>(quotient - ((x.v % y.v != 0) && ((x.v < 0) != (y.v < 0)) ? 1 : 0))};
    } else if constexpr (Integer<T>) {
        return {y.v == 0 ? static_cast<T>(0) : static_cast<T>(x.v / y.v)};
    } else {  // npy_floor_divide
        const Work<T> a = x.v;
        const Work<T> b = y.v;
        if (b == 0) return {a / b};
        const Work<T> mod = detail::fmod(a, b);
        const Work<T> exact = (a - mod) / b;
        const Work<T> div = mod != 0 && std::isless(b, Work<T>(0)) != std::isless(mod, Work<T>(0)) ? exact - 1 : exact;
        Work<T> floored = std::floor(div);
        floored = std::isgreater(div - floored, Work<T>(0.5)) ? floored + 1 : floored;
        floored = div == 0 ? std::copysign(Work<T>(0), a / b) : floored;
        return {floored};
    }
}
template <class T>
Number<T> remainder(Number<T> x, Number<T> y) {
    if constexpr (Signed<T>) {
        if (y.v == 0 || y.v == -1) return {0};
        const T rest = static_cast<T>(x.v % y.v);
        return {static_cast<T>(rest != 0 && (rest < 0) != (y.v < 0) ? rest + y.v : rest)};
    } else if constexpr (Integer<T>) {
        return {y.v == 0 ? static_cast<T>(0) : static_cast<T>(x.v % y.v)};
    } else {
        const Work<T> mod = detail::fmod(x.v, y.v);
        if (y.v == 0) return {mod};
        if (mod == 0) return {std::copysign(Work<T>(0), y.v)};
        return {std::isless(Work<T>(y.v), Work<T>(0)) != std::isless(mod, Work<T>(0)) ? mod + y.v : mod};
    }
}
template <class T>
Number<T> fmod(Number<T> x, Number<T> y) {
    if constexpr (Signed<T>) return {y.v == 0 || y.v == -1 ? static_cast<T>(0) : static_cast<T>(x.v % y.v)};
    else if constexpr (Integer<T>) return {y.v == 0 ? static_cast<T>(0) : static_cast<T>(x.v % y.v)};
    else return {detail::fmod(x.v, y.v)};
}
template <class T>
Number<T> power(Number<T> x, Number<T> y) {
    if constexpr (Integer<T>) {
        Number<T> result{1};
        Number<T> base = x;
        for (auto n = static_cast<std::make_unsigned_t<T>>(y.v); n != 0; n = static_cast<decltype(n)>(n >> 1)) {
            if ((n & 1U) != 0) result = result * base;
            base = base * base;
        }
        return result;
    } else if constexpr (Complex<T>) {
        using R = typename T::value_type;
        const R br = y.v.real();
        const R bi = y.v.imag();
        if (br == 0 && bi == 0) return {T(1, 0)};
        if (x.v == T(0, 0)) {
            if (br > 0) return {T(0, 0)};
            return {T(std::numeric_limits<R>::quiet_NaN(), std::numeric_limits<R>::quiet_NaN())};
        }
        if (bi == 0 && br == std::trunc(br) && br > -100 && br < 100) {  // small integers by multiplication, as NumPy
            if (br == 1) return x;
            if (br == 2) return x * x;
            if (br == 3) return x * (x * x);
            Number<T> result{T(1, 0)};
            Number<T> base = x;
            for (int n = std::abs(static_cast<int>(br)); n != 0; n >>= 1) {
                if ((n & 1) != 0) result = result * base;
                base = base * base;
            }
            return br < 0 ? Number<T>{T(1, 0)} / result : result;
        }
        return {std::pow(x.v, y.v)};
    } else {
        return {std::pow(x.v, y.v)};
    }
}
// Shifts past the width: amounts are cut down first, so that the shift itself is defined and loops vectorise. A negative amount counts as a large one.
template <Integer T>
Number<T> left_shift(Number<T> x, Number<T> y) {
    constexpr std::make_unsigned_t<T> width = sizeof(T) * 8;
    const auto amount = static_cast<std::make_unsigned_t<T>>(y.v);
    const T shifted = detail::wrap<T>(static_cast<detail::Wrap<T>>(x.v) << (amount & (width - 1U)));
    return {amount < width ? shifted : static_cast<T>(0)};
}
template <Integer T>
Number<T> right_shift(Number<T> x, Number<T> y) {
    constexpr std::make_unsigned_t<T> width = sizeof(T) * 8;
    const auto amount = static_cast<std::make_unsigned_t<T>>(y.v);
    if constexpr (Signed<T>) return {static_cast<T>(x.v >> (amount < width ? amount : static_cast<std::make_unsigned_t<T>>(width - 1U)))};
    else return {amount < width ? static_cast<T>(x.v >> (amount & (width - 1U))) : static_cast<T>(0)};
}
template <Integer T>
Number<std::uint8_t> bitwise_count(Number<T> x) {
    // Sums of neighbouring bits, then pairs, nibbles and bytes: vectorises where the processor's own count does not.
    using U = std::make_unsigned_t<T>;
    constexpr U ones = static_cast<U>(~U{0});
    U bits = static_cast<U>(absolute(x).v);
    bits = static_cast<U>(bits - ((bits >> 1) & static_cast<U>(ones / 3)));
    bits = static_cast<U>((bits & static_cast<U>(ones / 5)) + ((bits >> 2) & static_cast<U>(ones / 5)));
    bits = static_cast<U>((bits + (bits >> 4)) & static_cast<U>(ones / 17));
    if constexpr (sizeof(T) >= 2) bits = static_cast<U>(bits + (bits >> 8));
    if constexpr (sizeof(T) >= 4) bits = static_cast<U>(bits + (bits >> 16));
    if constexpr (sizeof(T) >= 8) bits = static_cast<U>(bits + (bits >> 32));
    return {static_cast<std::uint8_t>(bits & 0x7fU)};
}
template <Integer T>
Number<T> gcd(Number<T> x, Number<T> y) {
    using U = std::make_unsigned_t<T>;
    U a = static_cast<U>(absolute(x).v);
    U b = static_cast<U>(absolute(y).v);
    while (a > 1) {
        const U rest = static_cast<U>(b % a);
        b = a;
        a = rest;
    }
    return {static_cast<T>(a == 1 ? a : b)};
}
template <Integer T>
Number<T> lcm(Number<T> x, Number<T> y) {
    const Number<T> common = gcd(x, y);
    if (common.v == 0) return {0};
    using U = std::make_unsigned_t<T>;
    const U reduced = static_cast<U>(static_cast<U>(absolute(x).v) / static_cast<U>(common.v));
    return Number<T>{static_cast<T>(reduced)} * absolute(y);
}

}  // namespace fastnp::ops
