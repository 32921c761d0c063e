#include "eager/generator_stream.h"

#include "device/raw_stream.h"

namespace fastnp::eager {

using fastnp::detail::BitGenerator;

namespace {

template <class G>
std::uint64_t next(BitGenerator& generator) {
    const device::Affine step{G::factor, device::wide(generator.words[3], generator.words[2])};
    const device::Wide before = device::wide(generator.words[1], generator.words[0]), after = step(before);
    generator.words[0] = static_cast<std::uint64_t>(after);
    generator.words[1] = static_cast<std::uint64_t>(after >> 64);
    return G::output(G::is_ahead ? after : before);
}

// Four draws are made at a time: counter, key, those, and how many of them are used.
template <>
std::uint64_t next<device::Philox>(BitGenerator& generator) {
    using device::Philox;
    auto& words = generator.words;
    if (words[10] == Philox::words) {
        const Philox::Four counter = Philox::later({{words[0], words[1], words[2], words[3]}}, 1);
        const Philox::Four made = Philox::output(counter, words[4], words[5]);
        for (std::size_t i = 0; i < 4; ++i) {
            words[i] = counter.word[i];
            words[6 + i] = made.word[i];
        }
        words[10] = 0;
    }
    return words[6 + words[10]++];
}

template <class G>
std::uint64_t next_uint64(void* state) {
    return next<G>(*static_cast<BitGenerator*>(state));
}

// The low half of a draw, then its high one.
template <class G>
std::uint32_t next_uint32(void* state) {
    auto& generator = *static_cast<BitGenerator*>(state);
    generator.has_half = !generator.has_half;
    if (!generator.has_half) return generator.half;
    const std::uint64_t made = next<G>(generator);
    generator.half = static_cast<std::uint32_t>(made >> 32);
    return static_cast<std::uint32_t>(made);
}

template <class G>
double next_double(void* state) {
    return static_cast<double>(next_uint64<G>(state) >> 11) * 0x1p-53;
}

template <class G>
BitStream stream(BitGenerator& generator) {
    return {&generator, &next_uint64<G>, &next_uint32<G>, &next_double<G>, &next_uint64<G>};
}

}  // namespace

BitStream stream_of(BitGenerator& generator) {
    switch (generator.kind) {
        case BitGenerator::Kind::pcg64: return stream<device::Pcg64>(generator);
        case BitGenerator::Kind::pcg64dxsm: return stream<device::Pcg64Dxsm>(generator);
        case BitGenerator::Kind::philox: return stream<device::Philox>(generator);
        case BitGenerator::Kind::lent: break;
    }
    return *static_cast<BitStream*>(generator.stream);
}

}  // namespace fastnp::eager
