#include "device/bit_generator.h"

#include <algorithm>

#include "device/raw_stream.h"

namespace fastnp::device {

using fastnp::detail::BitGenerator;

namespace {

bool is_philox(const BitGenerator& generator) { return generator.kind == BitGenerator::Kind::philox; }
bool is_ahead(const BitGenerator& generator) { return generator.kind == BitGenerator::Kind::pcg64 ? Pcg64::is_ahead : Pcg64Dxsm::is_ahead; }

Wide state_of(const BitGenerator& generator) { return wide(generator.words[1], generator.words[0]); }
Affine step_of(const BitGenerator& generator) {
    const Wide factor = generator.kind == BitGenerator::Kind::pcg64 ? Pcg64::factor : Pcg64Dxsm::factor;
    return {factor, wide(generator.words[3], generator.words[2])};
}

constexpr std::size_t buffer = 6, buffer_pos = 10;  // words of Philox

Philox::Four counter_of(const BitGenerator& generator) {
    Philox::Four counter{};
    std::copy_n(generator.words.begin(), Philox::words, counter.word);
    return counter;
}
Philox::Four output_of(const BitGenerator& generator, const Philox::Four& counter) {
    return Philox::output(counter, generator.words[Philox::words], generator.words[Philox::words + 1]);
}

// Makes some draws, one at least; gives the last of them.
std::uint64_t use_draws(BitGenerator& generator, std::uint64_t count) {
    if (!is_philox(generator)) {
        const Affine step = step_of(generator);
        const Wide before = step.times(count - 1)(state_of(generator)), after = step(before);
        generator.words[0] = static_cast<std::uint64_t>(after);
        generator.words[1] = static_cast<std::uint64_t>(after >> 64);
        return generator.kind == BitGenerator::Kind::pcg64 ? Pcg64::output(after) : Pcg64Dxsm::output(before);
    }
    const std::uint64_t last = generator.words[buffer_pos] + count - 1, fours = last / Philox::words;
    if (fours > 0) {
        const Philox::Four counter = Philox::later(counter_of(generator), fours), made = output_of(generator, counter);
        std::copy_n(counter.word, Philox::words, generator.words.begin());
        std::copy_n(made.word, Philox::words, generator.words.begin() + buffer);
    }
    generator.words[buffer_pos] = last % Philox::words + 1;
    return generator.words[buffer + last % Philox::words];
}

constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

void put(std::vector<std::uint64_t>& words, Wide number) {
    words.push_back(static_cast<std::uint64_t>(number));
    words.push_back(static_cast<std::uint64_t>(number >> 64));
}
void put(std::vector<std::uint64_t>& words, const Affine& step) {
    put(words, step.factor);
    put(words, step.term);
}

// `first`: the draw that tile 0's window begins with, which may lie before the generator's next one; a tile has so many draws.
std::vector<std::uint64_t> lcg_words(const BitGenerator& generator, std::int64_t first, std::int64_t of_tile, std::int64_t tiles) {
    const Affine one = step_of(generator);
    std::vector<std::uint64_t> words;
    words.reserve(told::lcg_words);
    put(words, one.times(told::threads));
    // Backwards is nearly all the way around.
    Wide state = one.times(static_cast<Wide>(static_cast<__int128>(first) + (is_ahead(generator) ? 1 : 0)))(state_of(generator));
    for (int thread = 0; thread < told::threads; ++thread, state = one(state)) put(words, state);
    Affine unit = one.times(static_cast<Wide>(of_tile));
    for (int level = 0; level < told::jump_levels && tiles > 0; ++level, tiles >>= 8) {
        Affine jump;
        for (int digit = 0; digit < 256; ++digit, jump = jump.then(unit)) put(words, jump);
        unit = jump;
    }
    return words;
}

}  // namespace

void use_pieces(BitGenerator& generator, std::int64_t pieces, int bits) {
    if (pieces == 0) return;
    if (bits == 64) {
        use_draws(generator, static_cast<std::uint64_t>(pieces));
        return;
    }
    const std::int64_t halves = rounded_up(pieces, 32 / bits) - (generator.has_half ? 1 : 0), draws = rounded_up(halves, 2);
    generator.has_half = halves % 2 != 0;
    if (draws > 0) generator.half = static_cast<std::uint32_t>(use_draws(generator, static_cast<std::uint64_t>(draws)) >> 32);
}

Beginning begin(const BitGenerator& generator, int bits, std::int64_t before, std::int64_t tiles) {
    const std::int64_t of_word = 64 / bits, of_tile = draws::tile_of(bits) / of_word;
    // The row's pieces are counted from word 0 on, whose upper half may be left over.
    const std::int64_t piece = (bits < 64 && generator.has_half ? of_word / 2 : of_word) - before;
    const std::int64_t word = piece >= 0 ? piece / of_word : -rounded_up(-piece, of_word), draw = word - 1;
    Beginning made{{}, piece - word * of_word, static_cast<std::uint64_t>(generator.half) << 32, -word};
    if (is_philox(generator)) {
        made.words.assign(generator.words.begin(), generator.words.end());
        made.words[told::used] += static_cast<std::uint64_t>(draw);
    } else {
        made.words = lcg_words(generator, draw, of_tile, tiles);
    }
    return made;
}

}  // namespace fastnp::device
