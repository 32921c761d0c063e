// Where the processor has no instructions for 16-bit floats, code calls these by the names of the compilers' own library, which a process may lack. A
// 16-bit float is handed over in the low bits of where a float would be.
#pragma once

#include <bit>
#include <cstdint>

#include "fastnp/half.h"

namespace fastnp::codegen {

inline float float_from_half(float bits) { return detail::half_bits_to_float(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(bits))); }
inline float half_from_float(float value) { return std::bit_cast<float>(std::uint32_t{detail::float_to_half_bits(value)}); }

}  // namespace fastnp::codegen
