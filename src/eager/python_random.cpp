#include "fastnp/detail/python_random.h"

#include <bit>
#include <cmath>

#include "eager/stream.h"

namespace fastnp {

namespace {

using detail::PythonRandom;

constexpr std::size_t shifted = 397;

std::uint32_t twisted(std::uint32_t high, std::uint32_t low) {
    const std::uint32_t both = (high & 0x80000000U) | (low & 0x7FFFFFFFU);
    return (both >> 1U) ^ ((low & 1U) != 0 ? 0x9908B0DFU : 0U);
}

std::uint32_t next_word(void* state) {
    auto& random = *static_cast<PythonRandom*>(state);
    auto& words = random.words;
    if (random.next >= static_cast<std::int32_t>(words.size())) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = words[(i + shifted) % words.size()] ^ twisted(words[i], words[(i + 1) % words.size()]);
        }
        random.next = 0;
    }
    std::uint32_t word = words[static_cast<std::size_t>(random.next++)];
    word ^= word >> 11U;
    word ^= (word << 7U) & 0x9D2C5680U;
    word ^= (word << 15U) & 0xEFC60000U;
    return word ^ (word >> 18U);
}

std::uint64_t next_pair(void* state) {
    const std::uint64_t high = next_word(state);
    return high << 32U | next_word(state);
}

double next_unit(void* state) {
    const std::uint32_t high = next_word(state) >> 5U, low = next_word(state) >> 6U;
    return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

std::uint64_t next_raw(void* state) { return next_word(state); }

}  // namespace

namespace detail {

PythonRandom::PythonRandom() {
    static_assert(sizeof(eager::BitStream) == sizeof(stream_));
    stream_ = std::bit_cast<std::array<void*, 5>>(eager::BitStream{this, &next_pair, &next_word, &next_unit, &next_raw});
}

}  // namespace detail

namespace eager {

// Random._randbelow_with_getrandbits: as many bits as the bound has, again until they are below it.
std::int64_t draw_below(BitStream* stream, std::int64_t bound) noexcept {
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(bound)));
    while (true) {
        std::uint64_t drawn = 0;
        if (bits <= 32) {
            drawn = stream->next_uint32(stream->state) >> (32U - bits);
        } else {
            drawn = stream->next_uint32(stream->state);  // the lower half comes first
            drawn |= static_cast<std::uint64_t>(stream->next_uint32(stream->state) >> (64U - bits)) << 32U;
        }
        if (drawn < static_cast<std::uint64_t>(bound)) return static_cast<std::int64_t>(drawn);
    }
}

// Random.gauss: G. Box and M. Muller's pairs, of which every other call gives the second one.
double draw_gauss(BitStream* stream) noexcept {
    auto& random = *static_cast<PythonRandom*>(stream->state);
    if (random.gauss) {
        const double second = *random.gauss;
        random.gauss.reset();
        return second;
    }
    constexpr double turn = 6.283185307179586;
    const double angle = next_unit(&random) * turn, radius = std::sqrt(-2.0 * std::log(1.0 - next_unit(&random)));
    random.gauss = std::sin(angle) * radius;
    return std::cos(angle) * radius;
}

}  // namespace eager

}  // namespace fastnp
