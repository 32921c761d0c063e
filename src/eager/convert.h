// Conversions between all dtypes, as NumPy's on x86: floats out of an integer's range give what that processor's conversion gives, not undefined
// behaviour.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/number.h"

namespace fastnp::eager::detail {

// cvttsd2si: the least integer stands for everything that does not fit, NaN too.
template <class I>
I to_signed(double value) {
    const auto low = static_cast<double>(std::numeric_limits<I>::min());
    if (!(value >= low && value < -low)) return std::numeric_limits<I>::min();
    return static_cast<I>(value);
}

template <class To>
To to_integer(double value) {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
        if (value >= 9223372036854775808.0)
            return static_cast<std::uint64_t>(to_signed<std::int64_t>(value - 9223372036854775808.0)) ^ (std::uint64_t{1} << 63);
        return static_cast<std::uint64_t>(to_signed<std::int64_t>(value));
    } else if constexpr (std::is_same_v<To, std::int64_t>) {
        return to_signed<std::int64_t>(value);
    } else if constexpr (std::is_same_v<To, std::uint32_t>) {
        return static_cast<std::uint32_t>(to_signed<std::int64_t>(value));
    } else {
        return static_cast<To>(to_signed<std::int32_t>(value));
    }
}

/// Whether the conversion to an integer is one of a number that fits what it goes through.
template <class To, class From>
bool fits_integer(From value) {
    constexpr bool is_wide = sizeof(To) == 8 || std::is_same_v<To, std::uint32_t>;
    constexpr From low = is_wide ? From(-0x1p63) : From(-0x1p31);
    constexpr From high = std::is_same_v<To, std::uint64_t> ? From(0x1p64) : -low;
    return value >= low && value < high;
}

/// A float that rounds to what the double rounds to in fewer bits: where it is not exact it is made odd, since rounding twice could differ.
inline float to_odd_float(double value) {
    const auto narrow = static_cast<float>(value);
    if (static_cast<double>(narrow) == value || narrow != narrow || !std::isfinite(narrow)) return narrow;
    auto bits = std::bit_cast<std::uint32_t>(narrow);
    if ((bits & 1U) == 0) {
        const bool up = std::abs(static_cast<double>(narrow)) < std::abs(value);
        bits = up ? bits + 1 : (bits & 0x7fffffffU) == 0 ? bits : bits - 1;
    }
    return std::bit_cast<float>(bits);
}

/// The same of any number, in which a half's bits are what its own conversion gives.
template <class From>
float to_wide_float(const From& from) {
    if constexpr (ops::Complex<From>) return to_wide_float(from.real());
    else if constexpr (std::is_same_v<From, double>) return to_odd_float(from);
    else if constexpr (ops::Integer<From> && sizeof(From) > 2) return to_odd_float(static_cast<double>(from));
    else return static_cast<float>(from);
}

/// An element as one of another dtype.
template <class From, class To>
To convert(const From& from) {
    if constexpr (std::is_same_v<From, To>) {
        return from;
    } else if constexpr (ops::Complex<From>) {
        if constexpr (ops::Complex<To>) return To(static_cast<typename To::value_type>(from.real()), static_cast<typename To::value_type>(from.imag()));
        else if constexpr (ops::Boolean<To>) return from.real() != 0 || from.imag() != 0;
        else return convert<typename From::value_type, To>(from.real());
    } else if constexpr (ops::Complex<To>) {
        return To(convert<From, typename To::value_type>(from), 0);
    } else if constexpr (ops::Boolean<To>) {
        return static_cast<ops::Work<From>>(from) != 0;
    } else if constexpr (ops::is_half<From>) {
        if constexpr (ops::Integer<To>) return to_integer<To>(static_cast<double>(static_cast<float>(from)));
        else return static_cast<To>(static_cast<float>(from));
    } else if constexpr (ops::is_half<To>) {
        return To(to_wide_float(from));
    } else if constexpr (ops::Integer<To> && std::is_floating_point_v<From>) {
        return to_integer<To>(static_cast<double>(from));
    } else {
        return static_cast<To>(from);
    }
}

}  // namespace fastnp::eager::detail
