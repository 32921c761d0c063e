// Numbers' functions that take floating-point numbers apart, and sums of logarithms. Part of ops/number.h.
#pragma once

#include "ops/number.h"

namespace fastnp::ops {

template <Real T>
Number<T> heaviside(Number<T> x, Number<T> y) {
    if (x.v != x.v) return x;
    return x.v == 0 ? y : Number<T>{static_cast<Work<T>>(x.v > 0 ? 1 : 0)};
}
template <Real T>
Number<T> nextafter(Number<T> x, Number<T> y) {
    if constexpr (is_half<T>) {
        if (x.v != x.v || y.v != y.v) return {x.v + y.v};
        if (x.v == y.v) return x;  // NumPy's half does not turn -0 into 0
        T at(x.v);
        if (x.v == 0) {
            at.bits = static_cast<std::uint16_t>(y.v < 0 ? 0x8001U : 1U);
        } else {
            const bool away = (x.v < y.v) == (x.v > 0);
            at.bits = static_cast<std::uint16_t>(at.bits + (away ? 1 : -1));
        }
        return {static_cast<float>(at)};
    } else {
        return {std::nextafter(x.v, y.v)};
    }
}
template <Real T>
Number<T> spacing(Number<T> x) {
    const Work<T> infinity = std::numeric_limits<Work<T>>::infinity();
    if (std::isinf(x.v) || x.v != x.v) return {std::numeric_limits<Work<T>>::quiet_NaN()};
    if constexpr (std::is_same_v<T, float16_t>) {
        // NumPy's half: always positive, and at a negative power of two the distance to the neighbour nearer to zero.
        return {std::abs(nextafter(x, {infinity}).v - x.v)};
    }
    return {nextafter(x, {x.v < 0 ? -infinity : infinity}).v - x.v};
}
namespace detail {
/// 2**n for n in a double's normal range.
inline double power_of_two(std::int64_t n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }
}  // namespace detail
template <Real T>
Number<T> ldexp(Number<T> x, Number<std::int32_t> y) {
    if constexpr (sizeof(Work<T>) == 4) {  // exact as a double, so rounded once
        const std::int32_t n = std::min(std::max(y.v, -400), 400);
        return {static_cast<float>(static_cast<double>(x.v) * detail::power_of_two(n))};
    } else {
        // In three steps, of which only the last may round: on the way down each stops short of the subnormal numbers.
        const auto part = [](std::int32_t n) { return n > 1023 ? 1023 : n < -1022 ? -969 : 0; };
        const std::int32_t n = std::min(std::max(y.v, -2200), 2200);
        const std::int32_t first = part(n);
        const std::int32_t second = part(n - first);
        const std::int32_t last = std::min(std::max(n - first - second, -1022), 1023);
        return {x.v * detail::power_of_two(first) * detail::power_of_two(second) * detail::power_of_two(last)};
    }
}

namespace detail {
/// The exponent field of a number and how far a subnormal one was scaled up to have one.
template <class W>
struct Exponent {
    using Bits = std::conditional_t<sizeof(W) == 4, std::uint32_t, std::uint64_t>;
    static constexpr int mantissa_bits = std::numeric_limits<W>::digits - 1;
    static constexpr Bits field = (Bits{1} << (sizeof(W) * 8 - 1 - mantissa_bits)) - 1;
    static constexpr std::int32_t bias = std::numeric_limits<W>::max_exponent - 2;

    Bits bits;
    std::int32_t exponent;
    bool regular;  // neither zero nor infinite nor NaN

    explicit Exponent(W x) {
        const bool tiny = std::abs(x) < std::numeric_limits<W>::min();
        const W scaled = tiny ? x * static_cast<W>(std::uint64_t{1} << mantissa_bits) : x;
        bits = std::bit_cast<Bits>(scaled);
        exponent = static_cast<std::int32_t>((bits >> mantissa_bits) & field) - bias - (tiny ? mantissa_bits : 0);
        regular = x != 0 && std::abs(x) <= std::numeric_limits<W>::max();
    }
};
}  // namespace detail
template <Real T>
Number<T> frexp_mantissa(Number<T> x) {
    using E = detail::Exponent<Work<T>>;
    const E parts(x.v);
    const auto half =
        std::bit_cast<Work<T>>((parts.bits & ~(E::field << E::mantissa_bits)) | (static_cast<typename E::Bits>(E::bias) << E::mantissa_bits));
    return {parts.regular ? half : x.v};
}
template <Real T>
Number<std::int32_t> frexp_exponent(Number<T> x) {
    const detail::Exponent<Work<T>> parts(x.v);
    return {parts.regular ? parts.exponent : 0};
}
template <Real T>
Number<T> modf_fraction(Number<T> x) {
    Work<T> whole{};
    return {std::modf(x.v, &whole)};
}
template <Real T>
Number<T> logaddexp(Number<T> x, Number<T> y) {
    if (x.v == y.v) return {x.v + std::numbers::ln2_v<Work<T>>};
    const Work<T> difference = x.v - y.v;
    if (difference > 0) return {x.v + std::log1p(std::exp(-difference))};
    if (difference <= 0) return {y.v + std::log1p(std::exp(difference))};
    return {difference};
}
template <Real T>
Number<T> logaddexp2(Number<T> x, Number<T> y) {
    if (x.v == y.v) return {x.v + 1};
    const Work<T> difference = x.v - y.v;
    const Work<T> scale = std::numbers::log2e_v<Work<T>>;
    if (difference > 0) return {x.v + scale * std::log1p(std::exp2(-difference))};
    if (difference <= 0) return {y.v + scale * std::log1p(std::exp2(difference))};
    return {difference};
}

}  // namespace fastnp::ops
