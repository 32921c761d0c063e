// exp and log for decisions: nearly rounded right, from what ordinary arithmetic has, so the same on every device.
#pragma once

#include "threads.h"

namespace fastnp::kernels {

/// exp(x) for x from -700 to 0: a power of 2 and Taylor's series around 0.
[[gnu::always_inline]] inline double exp_of(double x) {
    constexpr double magic = 0x1.8p52;  // what is added to it is rounded to a whole number, in its low bits
    const double shifted = x * 0x1.71547652b82fep+0 + magic, whole = shifted - magic;
    const double rest = x - whole * 0x1.62e42fefa38p-1 - whole * 0x1.ef35793c7673p-45;
    double sum = 1;
#pragma unroll
    for (int n = 13; n > 0; --n) sum = sum * rest * (1.0 / n) + 1;
    const auto power = (__builtin_bit_cast(std::uint64_t, shifted) + 1023) << 52;
    return sum * __builtin_bit_cast(double, power);
}

/// log(x) for x > 0 that is not subnormal: by its exponent and the series of the inverse hyperbolic tangent.
[[gnu::always_inline]] inline double log_of(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;  // the square root of 1/2
    const auto exponent = static_cast<std::int64_t>(bits - root_half) >> 52;
    const double near = __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52));
    const double s = (near - 1) / (near + 1), square = s * s;
    double sum = 0;
#pragma unroll
    for (int n = 23; n > 0; n -= 2) sum = sum * square + 1.0 / n;
    return static_cast<double>(exponent) * 0x1.62e42fefa39efp-1 + 2 * s * sum;
}

}  // namespace fastnp::kernels
