// Hashing of small numbers into one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastnp::base {

/// `seed` with one more value mixed in.
constexpr std::size_t mix(std::size_t seed, std::uint64_t value) {
    std::uint64_t bits = (seed ^ value) * 0x9e3779b97f4a7c15ULL;
    bits ^= bits >> 32;
    return static_cast<std::size_t>(bits * 0xd6e8feb86659fd93ULL);
}

}  // namespace fastnp::base
