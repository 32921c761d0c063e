// Random numbers of one of NumPy's bit generators (device/raw_stream.h), as their kernels share them: a block fills a window of words with the draws of a
// tile, and takes pieces of these. FASTNP_GENERATOR is the generator's type, FASTNP_GENERATOR_TEXT its name in quotes.
#pragma once

#include "device/raw_stream.h"
#include "threads.h"

namespace fastnp::kernels {

namespace draws = device::draws;
namespace told = device::told;
using device::Affine;
using device::Wide;

static_assert(told::threads == threads);

/// The draws of a thread's place in a tile.
template <class G>
class Stream {
public:
    [[gnu::always_inline]] explicit Stream(const std::uint64_t* words)
        : words_(words), step_(affine(told::step)), begin_(wide_at(told::begins + 2 * static_cast<int>(thread()))) {}

    [[gnu::always_inline]] void fill(std::uint64_t* window, int count, std::int64_t tile) const {
        Wide state = begin_;
#pragma unroll
        for (int level = 0; level < told::jump_levels; ++level) {
            const auto digit = static_cast<int>(tile >> (8 * level) & 255);
            if (digit != 0) state = affine(told::jumps + 4 * (256 * level + digit))(state);
        }
        for (int i = static_cast<int>(thread()); i < count; i += threads) {
            window[i] = G::output(state);
            state = step_(state);
        }
    }

private:
    [[gnu::always_inline]] Wide wide_at(int place) const { return device::wide(words_[place + 1], words_[place]); }
    [[gnu::always_inline]] Affine affine(int place) const { return {wide_at(place), wide_at(place + 2)}; }

    const std::uint64_t* words_;
    Affine step_;
    Wide begin_;
};

template <>
class Stream<device::Philox> {
public:
    [[gnu::always_inline]] explicit Stream(const std::uint64_t* words) : words_(words) {}

    /// Four draws a thread, some of which may lie outside of the window.
    [[gnu::always_inline]] void fill(std::uint64_t* window, int count, std::int64_t tile, std::int64_t words_of_tile) const {
        using device::Philox;
        const std::int64_t first = static_cast<std::int64_t>(words_[told::used]) + tile * words_of_tile;
        const std::int64_t first_four = first >> 2;
        for (std::int64_t i = first_four + thread(); 4 * i < first + count; i += threads) {
            Philox::Four four{};
            if (i == 0) four = {{words_[told::made], words_[told::made + 1], words_[told::made + 2], words_[told::made + 3]}};
            if (i > 0) {
                const Philox::Four counter{{words_[told::counter], words_[told::counter + 1], words_[told::counter + 2], words_[told::counter + 3]}};
                four = Philox::output(Philox::later(counter, static_cast<std::uint64_t>(i)), words_[told::key], words_[told::key + 1]);
            }
#pragma unroll
            for (int k = 0; k < Philox::words; ++k) {
                const std::int64_t at = 4 * i + k - first;
                if (at >= 0 && at < count) window[at] = four.word[k];
            }
        }
    }

private:
    const std::uint64_t* words_;
};

/// A tile's pieces, and where its row of words begins. `lead`: pieces of the first word that come before; `left_over`: word 0 of the row, which is so many
/// words behind the beginning of tile 0.
template <int bits>
struct Pieces {
    static constexpr int of_word = 64 / bits;
    using Piece = std::conditional_t<bits == 64, std::uint64_t,
                                     std::conditional_t<bits == 32, std::uint32_t, std::conditional_t<bits == 16, std::uint16_t, std::uint8_t>>>;

    std::uint64_t* window;
    std::int64_t lead;

    /// Words that hold so many pieces, wherever in the first one these begin.
    static constexpr int words_for(std::int64_t pieces) { return static_cast<int>((pieces + of_word - 1) / of_word + 1); }

    [[gnu::always_inline]] Piece operator[](std::int64_t number) const {
        const std::int64_t place = lead + number;
        if constexpr (bits == 1) return reinterpret_cast<const std::uint8_t*>(window)[place >> 3] >> (place & 7) & 1;
        return reinterpret_cast<const Piece*>(window)[place];
    }
};

/// Fills a tile's window with the block's threads, which meet before it is read, and have met since it was.
template <class G, int bits>
[[gnu::always_inline]] inline void fill_tile(const Stream<G>& stream, const Pieces<bits>& pieces, std::int64_t count, std::int64_t tile,
                                             std::uint64_t left_over, std::int64_t left_over_at) {
    const int words = Pieces<bits>::words_for(count);
    if constexpr (std::is_same_v<G, device::Philox>) stream.fill(pieces.window, words, tile, draws::tile_of(bits) / Pieces<bits>::of_word);
    else stream.fill(pieces.window, words, tile);
    if (tile != 0 || left_over_at < 0) return;
    barrier();
    if (thread() == 0) pieces.window[left_over_at] = left_over;
}

/// Whole numbers from `low` on, of which there are `span` (0: 2^64, or all that pieces can be): D. Lemire's way, by the upper half of a product. Pieces
/// whose lower half is below `threshold` are left out.
template <int bits, class T>
struct Integers {
    using Out = T;
    static constexpr int piece_bits = bits;
    using Piece = typename Pieces<bits>::Piece;

    std::uint64_t low, span, threshold;

    [[gnu::always_inline]] T value(Piece piece) const {
        if constexpr (bits == 64) return low + (span == 0 ? piece : static_cast<std::uint64_t>(static_cast<Wide>(piece) * span >> 64));
        else return static_cast<T>(low + (piece * span >> bits));
    }
    [[gnu::always_inline]] bool takes(Piece piece) const {
        if constexpr (bits == 64) return piece * span >= threshold;
        else return (piece * span & ((std::uint64_t{1} << bits) - 1)) >= threshold;
    }
};

/// Each piece is a number.
template <class G, class Kind>
[[gnu::always_inline]] inline void draw_all(const Kind& kind, typename Kind::Out* out, std::int64_t count, const std::uint64_t* words, std::int64_t lead,
                                            std::uint64_t left_over, std::int64_t left_over_at) {
    constexpr int bits = Kind::piece_bits;
    constexpr std::int64_t tile = draws::tile_of(bits);
    FASTNP_SHARED(std::uint64_t, window, Pieces<bits>::words_for(tile));
    const Stream<G> stream(words);
    const Pieces<bits> pieces{window, lead};
    for (std::int64_t number = block(); number * tile < count; number += blocks()) {
        barrier();
        fill_tile(stream, pieces, tile, number, left_over, left_over_at);
        barrier();
#pragma unroll 4
        for (std::int64_t i = thread(); i < tile; i += threads) {
            if (number * tile + i < count) out[number * tile + i] = kind.value(pieces[i]);
        }
    }
}

#define FASTNP_DRAW_KERNEL(name, ...)                                                            \
    extern "C" void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_GENERATOR_TEXT); \
    void name(__VA_ARGS__)

/// What all of them are told of their stream.
#define FASTNP_STREAM_PARAMETERS const std::uint64_t *words, std::int64_t lead, std::uint64_t left_over, std::int64_t left_over_at
#define FASTNP_STREAM_ARGUMENTS words, lead, left_over, left_over_at

}  // namespace fastnp::kernels
