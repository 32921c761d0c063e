// NumPy's bit generators on the host: where draws leave them, and what kernels are told of them.
#pragma once

#include <cstdint>
#include <vector>

#include "fastnp/detail/draws.h"

namespace fastnp::device {

/// Has a generator be as it is after so many pieces (device/raw_stream.h) of a call were used.
void use_pieces(fastnp::detail::BitGenerator& generator, std::int64_t pieces, int bits);

/// Of pieces of so many bits, by Lemire's method: below which lower half of the product with `span` (0: 2^64) they are left out.
constexpr std::uint64_t left_out(int bits, std::uint64_t span) {
    if (span == 0) return 0;
    return bits == 64 ? (0 - span) % span : (std::uint64_t{1} << bits) % span;
}

/// Where a kernel's windows begin, which has `before` pieces in front of a tile's own.
struct Beginning {
    std::vector<std::uint64_t> words;  // told::...
    std::int64_t lead = 0;             // pieces of a window's first word that come before
    std::uint64_t left_over = 0;       // word 0 of the row
    std::int64_t left_over_at = 0;     // its place in the window of tile 0
};
Beginning begin(const fastnp::detail::BitGenerator& generator, int bits, std::int64_t before, std::int64_t tiles);
/// Tiles that can be told of.
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 24;

}  // namespace fastnp::device
