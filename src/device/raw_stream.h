// NumPy's bit generators that can be begun at any place of their streams, as functions of the place: what kernels and the host alike know of them.
//
// A stream is 64 bits a draw. Draws of 32 bits are its halves, the low one first, of which the second may be left over from an earlier call; those of 16,
// 8 and 1 bits are parts of such halves, the low ones first. So all draws of a call are equal *pieces* of one row of words: word 0 has the half that was
// left over above, and word i + 1 is draw i.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastnp::device {

__extension__ using Wide = unsigned __int128;
constexpr Wide wide(std::uint64_t high, std::uint64_t low) { return static_cast<Wide>(high) << 64 | low; }

/// x -> factor * x + term: one step of a linear congruential generator, or many.
struct Affine {
    Wide factor = 1, term = 0;

    constexpr Wide operator()(Wide x) const { return factor * x + term; }
    constexpr Affine then(const Affine& next) const { return {next.factor * factor, next.factor * term + next.term}; }
    /// So many times, modulo 2^128; by squaring.
    constexpr Affine times(Wide count) const {
        Affine made, square = *this;
        for (; count != 0; count >>= 1) {
            if ((count & 1) != 0) made = made.then(square);
            square = square.then(square);
        }
        return made;
    }
};

/// M. O'Neill's PCG XSL RR 128/64, as numpy.random.PCG64: what comes out is made of the state after a step.
struct Pcg64 {
    static constexpr Wide factor = wide(0x2360ed051fc65da4, 0x4385df649fccf645);
    static constexpr bool is_ahead = true;
    static constexpr std::uint64_t output(Wide state) {
        const auto high = static_cast<std::uint64_t>(state >> 64), mixed = high ^ static_cast<std::uint64_t>(state);
        const auto turn = static_cast<int>(high >> 58);
        return mixed >> turn | mixed << (-turn & 63);
    }
};

/// Her PCG DXSM 128/64 with the multiplier of 64 bits, as numpy.random.PCG64DXSM: of the state before a step.
struct Pcg64Dxsm {
    static constexpr std::uint64_t multiplier = 0xda942042e4dd58b5;
    static constexpr Wide factor = multiplier;
    static constexpr bool is_ahead = false;
    static constexpr std::uint64_t output(Wide state) {
        auto high = static_cast<std::uint64_t>(state >> 64);
        high ^= high >> 32;
        high *= multiplier;
        high ^= high >> 48;
        return high * (static_cast<std::uint64_t>(state) | 1);
    }
};

/// Salmon, Moraes, Dror and Shaw's Philox 4x64, ten rounds, as numpy.random.Philox: four draws are made of a counter and a key.
struct Philox {
    static constexpr int words = 4, rounds = 10;
    struct Four {
        std::uint64_t word[words];
    };

    static constexpr Four output(Four x, std::uint64_t key0, std::uint64_t key1) {
        for (int round = 0; round < rounds; ++round) {
            const Wide a = static_cast<Wide>(0xd2e7470ee14c6c93) * x.word[0], b = static_cast<Wide>(0xca5a826395121157) * x.word[2];
            x = {{static_cast<std::uint64_t>(b >> 64) ^ x.word[1] ^ key0, static_cast<std::uint64_t>(b),
                  static_cast<std::uint64_t>(a >> 64) ^ x.word[3] ^ key1, static_cast<std::uint64_t>(a)}};
            key0 += 0x9e3779b97f4a7c15;
            key1 += 0xbb67ae8584caa73b;
        }
        return x;
    }
    /// The counter, of 256 bits, so much later.
    static constexpr Four later(Four counter, std::uint64_t count) {
        for (std::uint64_t& word : counter.word) {
            word += count;
            count = word < count ? 1 : 0;
        }
        return counter;
    }
};

/// What a kernel is told of a stream, as words in the device's memory. Of the linear congruential ones: a step of as many draws as a block has threads;
/// the states from which its threads begin in tile 0; and the steps to others, by the low byte of their number, the next, and the one after. Of Philox:
/// counter, key, four draws that were made before, and how many of these are used up (which is where tile 0 begins).
namespace told {
inline constexpr int step = 0, begins = 4, threads = 256, jumps = begins + 2 * threads, jump_levels = 3, lcg_words = jumps + jump_levels * 4 * 256;
inline constexpr int counter = 0, key = 4, made = 6, used = 10, philox_words = 11;
}  // namespace told

/// Pieces of a tile, which a block draws at a time; and before them, as many as are looked at again because an attempt that begins there may go on in the
/// tile. An attempt takes no more than `longest`.
namespace draws {
constexpr std::int64_t tile_of(int bits) { return bits == 1 ? 32768 : bits < 32 ? 8192 : 4096; }
inline constexpr std::int64_t before = 64, longest = 31;

/// What blocks share, as words: the next tile; how many pieces were used when all results were there (0: they never were); the numbers of results and of
/// decisions left to the host; whether something came up that the host has to do. After these what is known of each tile.
enum Shared : int { next_tile, used_pieces, left_results, left_decisions, gives_up, first_tile };

/// A result that the host works out by its C library: its place, and the number below 1 that it is made of, with a sign above.
struct LeftResult {
    std::int64_t place;
    std::uint64_t number;
};
inline constexpr std::uint64_t left_sign = std::uint64_t{1} << 63;
/// A decision that is too close for other functions than the C library's: which one it is, and the two numbers.
struct LeftDecision {
    std::int64_t key;
    double a, b;
};
inline constexpr std::int64_t most_decisions = 64;
/// Whether it is a tail's.
inline constexpr std::int64_t tail_bit = 1;
}  // namespace draws

}  // namespace fastnp::device
