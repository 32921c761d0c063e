// What numpy.random.RandomState draws, whose streams NumPy has frozen (NEP 19).
#include <bit>
#include <cmath>

#include "eager/stream.h"
#include "fastnp/detail/random_state.h"

namespace fastnp::eager {

// G. Marsaglia's polar method: a point of the disc gives two numbers, of which the second one is kept for the next call.
double draw_legacy_normal(BitStream* stream) noexcept {
    static_assert(sizeof *stream == detail::bit_stream_bytes);
    auto& pair = *reinterpret_cast<detail::PairedNormals*>(stream + 1);
    if (pair.has_next != 0) {
        const double next = pair.next;
        pair.has_next = 0;
        pair.next = 0;
        return next;
    }
    double x = 0, y = 0, square = 0;
    do {
        x = 2 * stream->next_double(stream->state) - 1;
        y = 2 * stream->next_double(stream->state) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    pair.next = factor * x;
    pair.has_next = 1;
    return factor * y;
}

double draw_legacy_exponential(BitStream* stream) noexcept { return -std::log(1 - stream->next_double(stream->state)); }

// As many bits as the range has, again until they are in it.
std::int64_t draw_masked(BitStream* stream, std::int64_t range) noexcept {
    const auto most = static_cast<std::uint64_t>(range), mask = std::bit_ceil(most + 1) - 1;
    if (most == 0) return 0;
    while (true) {
        const std::uint64_t drawn = most <= 0xFFFFFFFF ? stream->next_uint32(stream->state) : stream->next_uint64(stream->state);
        if ((drawn & mask) <= most) return static_cast<std::int64_t>(drawn & mask);
    }
}

}  // namespace fastnp::eager
