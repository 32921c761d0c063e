// The two 16-bit floating types as storage: float16_t (IEEE binary16) and bfloat16_t. Arithmetic is done in float, as NumPy
// does, and rounded to nearest even on the way back.
#pragma once

#include <bit>
#include <cstdint>

namespace fastnp {

namespace detail {

constexpr std::uint16_t float_to_half_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) {  // NaN: keep the top payload bits and stay a NaN
        const std::uint32_t payload = (magnitude >> 13) & 0x3ffU;
        return static_cast<std::uint16_t>(sign | 0x7c00U | (payload != 0 ? payload : 0x200U));
    }
    if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // rounds to infinity
    if (magnitude < 0x38800000U) {                                                     // subnormal or zero
        if (magnitude < 0x33000000U) return static_cast<std::uint16_t>(sign);          // below half the least subnormal
        const std::uint32_t shift = 126U - (magnitude >> 23);
        const std::uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
        std::uint32_t half = mantissa >> shift;
        const std::uint32_t rest = mantissa & ((1U << shift) - 1U);
        const std::uint32_t middle = 1U << (shift - 1U);
        if (rest > middle || (rest == middle && (half & 1U) != 0)) ++half;
        return static_cast<std::uint16_t>(sign | half);
    }
    const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

constexpr float half_bits_to_float(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fU;
    std::uint32_t mantissa = half & 0x3ffU;
    if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
    if (mantissa == 0) return std::bit_cast<float>(sign);
    std::uint32_t shift = 0;
    while ((mantissa & 0x400U) == 0) {
        mantissa <<= 1;
        ++shift;
    }
    return std::bit_cast<float>(sign | ((113U - shift) << 23) | ((mantissa & 0x3ffU) << 13));
}

constexpr std::uint16_t float_to_bfloat_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

constexpr float bfloat_bits_to_float(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace detail

/// \addtogroup dtypes
/// @{

/// IEEE 754 binary16, as numpy.float16.
struct float16_t {
    std::uint16_t bits = 0;  ///< sign, 5 bits of exponent, 10 of mantissa
    constexpr float16_t() = default;
#if defined(__NVPTX__)  // one instruction each
    constexpr explicit float16_t(float value) : bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) {}
    constexpr explicit operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
#else
    /// The nearest one, halves to even.
    constexpr explicit float16_t(float value) : bits(detail::float_to_half_bits(value)) {}
    /// The same number.
    constexpr explicit operator float() const { return detail::half_bits_to_float(bits); }
#endif
};

/// The upper half of a binary32; 8 bits of precision. Not in NumPy; promotes as ml_dtypes' bfloat16 where that is defined.
struct bfloat16_t {
    std::uint16_t bits = 0;  ///< sign, 8 bits of exponent, 7 of mantissa
    constexpr bfloat16_t() = default;
    /// The nearest one, halves to even.
    constexpr explicit bfloat16_t(float value) : bits(detail::float_to_bfloat_bits(value)) {}
    /// The same number.
    constexpr explicit operator float() const { return detail::bfloat_bits_to_float(bits); }
};

/// @}

}  // namespace fastnp
