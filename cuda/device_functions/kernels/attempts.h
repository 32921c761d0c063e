// Random numbers that take a number of pieces that nobody knows beforehand: attempts, some of which give none, as their kernels share them. A block takes
// a tile of pieces, finds out at which of them an attempt begins and which of these give a result, learns how many results the tiles before it have
// (decoupled look-back: tiles are begun in order), and stores its own behind them.
#pragma once

#include "draws.h"

namespace fastnp::kernels {

/// What blocks share (draws::Shared), as they use it; and where what is left to the host goes.
struct Board {
    std::uint64_t* shared;
    draws::LeftResult* results;
    std::int64_t most_results;
    draws::LeftDecision* decisions;
    const std::int64_t* decided;  // keys, times two, and whether it is so
    std::int64_t decided_count;

    [[gnu::always_inline]] void give_up() const { __atomic_store_n(shared + draws::gives_up, std::uint64_t{1}, __ATOMIC_RELAXED); }
    [[gnu::always_inline]] void leave_result(std::int64_t place, std::uint64_t number) const {
        const auto at = static_cast<std::int64_t>(__atomic_fetch_add(shared + draws::left_results, 1, __ATOMIC_RELAXED));
        if (at < most_results) results[at] = {place, number};
        else give_up();
    }
    /// Whether a < b, which are close; `key` says what they are.
    [[gnu::always_inline]] bool decide(std::int64_t key, double a, double b) const {
        for (std::int64_t i = 0; i < decided_count; ++i) {
            if (decided[i] >> 1 == key) return (decided[i] & 1) != 0;
        }
        const auto at = static_cast<std::int64_t>(__atomic_fetch_add(shared + draws::left_decisions, 1, __ATOMIC_RELAXED));
        if (at < draws::most_decisions) decisions[at] = {key, a, b};
        return false;
    }
};

#define FASTNP_BOARD_PARAMETERS                                                                                                                \
    std::uint64_t *shared, draws::LeftResult *results, std::int64_t most_results, draws::LeftDecision *decisions, const std::int64_t *decided, \
        std::int64_t decided_count
#define FASTNP_BOARD_ARGUMENTS \
    Board { shared, results, most_results, decisions, decided, decided_count }

/// Of the threads of a warp.
[[gnu::always_inline]] inline std::uint64_t from_before_wide(std::uint64_t value, int places) {
    const std::uint32_t low = from_before(static_cast<std::uint32_t>(value), places);
    return static_cast<std::uint64_t>(from_before(static_cast<std::uint32_t>(value >> 32), places)) << 32 | low;
}
/// The sum up to this thread.
[[gnu::always_inline]] inline std::uint64_t sum_in_warp(std::uint64_t own) {
#pragma unroll
    for (int distance = 1; distance < warp; distance *= 2) {
        const std::uint64_t before = from_before_wide(own, distance);
        if (lane() >= distance) own += before;
    }
    return own;
}

// A tile's word says nothing yet, how many results it has, or how many all up to it have.
constexpr std::uint64_t of_tile = std::uint64_t{1} << 62, of_all = std::uint64_t{2} << 62, count_bits = of_tile - 1;

/// The next tile, as long as results are wanted. (What waits for a tile that nobody draws is told that there are enough.)
[[gnu::always_inline]] inline std::int64_t next_tile(std::uint64_t* shared, std::int64_t tiles, std::int64_t count) {
    const auto tile = static_cast<std::int64_t>(__atomic_fetch_add(shared + draws::next_tile, 1, __ATOMIC_RELAXED));
    if (tile >= tiles || __atomic_load_n(shared + draws::used_pieces, __ATOMIC_RELAXED) == 0) return tile;
    __atomic_store_n(shared + draws::first_tile + tile, of_all | static_cast<std::uint64_t>(count), __ATOMIC_RELAXED);
    return tiles;
}

/// Says how many results a tile has, and finds out how many those before it have: a warp's work, whose last thread gets the answer.
[[gnu::always_inline]] inline std::uint64_t results_before(std::uint64_t* words, std::int64_t tile, std::uint64_t own) {
    if (lane() == warp - 1) __atomic_store_n(words + tile, (tile == 0 ? of_all : of_tile) | own, __ATOMIC_RELAXED);
    std::uint64_t sum = 0;
    for (std::int64_t last = tile - 1; last >= 0;) {
        const std::int64_t at = last - lane();
        const std::uint64_t said = at >= 0 ? __atomic_load_n(words + at, __ATOMIC_RELAXED) : of_all;
        const std::uint32_t silent = ballot(said == 0), whole = ballot((said & of_all) != 0);
        const std::uint32_t wanted = whole == 0 ? whole_warp : whole ^ (whole - 1);  // the nearest that knows all, and those after it
        if ((silent & wanted) != 0) continue;
        sum += sum_in_warp((wanted >> lane() & 1) != 0 ? said & count_bits : 0);
        if (whole != 0) break;
        last -= warp;
    }
    if (tile != 0 && lane() == warp - 1) __atomic_store_n(words + tile, of_all | (sum + own), __ATOMIC_RELAXED);
    return sum;
}

/// A set of a tile's pieces, which a block shares.
struct PieceSet {
    std::uint32_t* words;

    [[gnu::always_inline]] bool has(std::int64_t piece) const { return (words[piece >> 5] >> (piece & 31) & 1) != 0; }
    [[gnu::always_inline]] void add(std::int64_t piece) const { __atomic_fetch_or(words + (piece >> 5), 1U << (piece & 31), __ATOMIC_RELAXED); }
    [[gnu::always_inline]] void clear(int count) const {
        for (int i = static_cast<int>(thread()); i < count; i += threads) words[i] = 0;
    }
};

/// An attempt that takes more than its first piece, or gives nothing.
struct Attempt {
    int length = 1;
    bool gives = false;
};

/// Where attempts begin, in a tile of those that mostly take one piece. The others are the *long* ones. One that no long one reaches from before begins
/// where it stands for sure, and its thread follows from there what comes after, until nothing reaches further; so a chain of them is followed by one
/// thread.
struct Chains {
    PieceSet is_long, reached, covered;  // covered: no attempt begins there
    std::uint8_t* lengths;               // of long ones
    std::int64_t end;

    [[gnu::always_inline]] int length(std::int64_t piece) const { return is_long.has(piece) ? lengths[piece] : 1; }
    [[gnu::always_inline]] void reach(std::int64_t piece, int length) const {
        lengths[piece] = static_cast<std::uint8_t>(length);
        for (std::int64_t next = piece + 1; next < piece + length && next < end; ++next) reached.add(next);
    }
    [[gnu::always_inline]] void follow(std::int64_t begin) const {
        if (reached.has(begin)) return;
        std::int64_t reach = begin;
        for (std::int64_t at = begin; at < end;) {
            const std::int64_t next = at + length(at);
            reach = next > reach ? next : reach;
            for (std::int64_t between = at + 1; between < next && between < end; ++between) {
                covered.add(between);
                if (is_long.has(between) && between + lengths[between] > reach) reach = between + lengths[between];
            }
            if (next >= reach) return;
            at = next;
        }
    }
    /// Whether some attempt before the tile begins for sure, so that what of the tile is covered is known.
    [[gnu::always_inline]] bool is_known(std::int64_t first, std::int64_t sure) const {
        std::int64_t piece = first;
        while (piece >= sure && reached.has(piece)) --piece;
        return piece >= sure;
    }
};

/// A tile as a block draws it. `Kind` has: piece_bits; Out; may_be_long; begin(), by which all threads prepare; takes_one(piece), whether an attempt gives
/// a result by its first piece alone; try_long(pieces, number, position, board), for others, gives the Attempt; store(out, place, pieces, number, length,
/// board). Its pieces are numbered from the first that is looked at again; the tile's own are those from `before` on, a row of one for each thread at a
/// time.
template <class Kind>
struct AttemptTile {
    static constexpr int bits = Kind::piece_bits;
    static constexpr bool may_be_long = Kind::may_be_long;
    static constexpr std::int64_t size = draws::tile_of(bits), before = may_be_long ? draws::before : 0, all = before + size;
    static constexpr std::int64_t drawn = all + (may_be_long ? draws::longest : 0);
    static constexpr int sets = static_cast<int>(all / 32), rows = static_cast<int>(size / threads), warps = threads / warp;
    static_assert(size / 32 <= threads);

    Kind kind;
    Pieces<bits> pieces;
    Board board;
    Chains chains;
    std::uint32_t *gives, *starts;  // of each 32 pieces: which give a result, and how many of the tile's do before them
    std::uint64_t* sums;  // of warps, and after them the results before the tile
    int own;  // thread

    [[gnu::always_inline]] void look(std::int64_t number, std::int64_t piece) const {
        const bool is_one = kind.takes_one(pieces[piece]);
        Attempt attempt{1, is_one};
        if constexpr (may_be_long) {
            if (!is_one) {
                attempt = kind.try_long(pieces, piece, number * size + piece, board);
                chains.reach(piece, attempt.length);
            }
            const std::uint32_t long_ones = ballot(!is_one);
            if (lane() == 0) chains.is_long.words[piece / 32] = long_ones;
        }
        const std::uint32_t given = ballot(attempt.gives);
        if (lane() == 0) gives[piece / 32] = given;
    }
    [[gnu::always_inline]] void look_at_all(std::int64_t number) const {
        if constexpr (may_be_long) {
            // There is nothing before the first tile.
            if (number == 0 && own < before / 32) chains.is_long.words[own] = gives[own] = 0;
            if (number != 0 && own < before) look(number, own);
        }
        for (int row = 0; row < rows; ++row) look(number, before + row * threads + own);
    }

    [[gnu::always_inline]] void follow_all(std::int64_t number) const {
        const std::int64_t sure = number == 0 ? 0 : draws::longest - 1;  // what is before may be reached from where nobody looked
        if (own < before && own >= sure && chains.is_long.has(own)) chains.follow(own);
        for (int row = 0; row < rows; ++row) {
            const std::int64_t piece = before + row * threads + own;
            if (chains.is_long.has(piece)) chains.follow(piece);
        }
        if (own == 0 && !chains.is_known(before, sure)) board.give_up();
    }

    /// Sets `gives` to attempts that begin, and `starts`; gives the number of results before the tile. All threads have met before.
    [[gnu::always_inline]] std::int64_t count_all(std::int64_t number) const {
        const bool has_word = own < size / 32;
        std::uint32_t word = has_word ? gives[before / 32 + own] : 0;
        if constexpr (may_be_long) word &= has_word ? ~chains.covered.words[before / 32 + own] : 0;
        const auto count = static_cast<std::uint64_t>(__builtin_popcount(word));
        const std::uint64_t up_to = sum_in_warp(count);
        if (lane() == warp - 1) sums[own / warp] = up_to;
        barrier();
        std::uint64_t before_warp = 0, total = 0;
#pragma unroll
        for (int i = 0; i < warps; ++i) {
            const std::uint64_t sum = sums[i];
            before_warp += i < own / warp ? sum : 0;
            total += sum;
        }
        if (own < warp) {
            const std::uint64_t earlier = results_before(board.shared + draws::first_tile, number, total);
            if (lane() == warp - 1) sums[warps] = earlier;
        }
        if (has_word) {
            gives[before / 32 + own] = word;
            starts[own] = static_cast<std::uint32_t>(before_warp + up_to - count);
        }
        barrier();
        return static_cast<std::int64_t>(sums[warps]);
    }

    [[gnu::always_inline]] void store_all(std::int64_t number, std::int64_t first, typename Kind::Out* out, std::int64_t count) const {
        for (int row = 0; row < rows; ++row) {
            const std::int64_t piece = before + row * threads + own;
            const std::uint32_t given = gives[piece / 32], own_bit = 1U << lane();
            const std::int64_t place = first + starts[(piece - before) / 32] + __builtin_popcount(given & (own_bit - 1));
            if ((given & own_bit) == 0 || place >= count) continue;
            int length = 1;
            if constexpr (may_be_long) length = chains.length(piece);
            kind.store(out, place, pieces, piece, length, board);
            if (place < count - 1) continue;
            const auto used = static_cast<std::uint64_t>(number * size + piece - before + length);
            __atomic_store_n(board.shared + draws::used_pieces, used, __ATOMIC_RELAXED);
        }
    }
};

template <class G, class Kind>
[[gnu::always_inline]] inline void draw_attempts(Kind kind, typename Kind::Out* out, std::int64_t count, std::int64_t tiles, FASTNP_STREAM_PARAMETERS,
                                                 const Board& board) {
    using Tile = AttemptTile<Kind>;
    constexpr int sets = Tile::sets, chain_sets = Tile::may_be_long ? sets : 1;
    FASTNP_SHARED(std::uint64_t, window, Pieces<Tile::bits>::words_for(Tile::drawn));
    FASTNP_SHARED(std::uint32_t, gives, sets);
    FASTNP_SHARED(std::uint32_t, starts, sets);
    FASTNP_SHARED(std::uint32_t, is_long, chain_sets);
    FASTNP_SHARED(std::uint32_t, reached, chain_sets);
    FASTNP_SHARED(std::uint32_t, covered, chain_sets);
    FASTNP_SHARED(std::uint8_t, lengths, Tile::may_be_long ? Tile::all : 1);
    FASTNP_SHARED(std::uint64_t, sums, Tile::warps + 1);
    FASTNP_SHARED(std::int64_t, begun, 1);
    const Stream<G> stream(words);
    kind.begin();
    const Tile tile{kind, {window, lead}, board, {{is_long}, {reached}, {covered}, lengths, Tile::all}, gives, starts, sums, static_cast<int>(thread())};
    while (true) {
        if (tile.own == 0) *begun = next_tile(board.shared, tiles, count);
        if constexpr (Tile::may_be_long) {
            tile.chains.reached.clear(sets);
            tile.chains.covered.clear(sets);
        }
        barrier();
        const std::int64_t number = *begun;
        if (number >= tiles) return;
        fill_tile(stream, tile.pieces, Tile::drawn, number, left_over, left_over_at);
        barrier();
        tile.look_at_all(number);
        barrier();
        if constexpr (Tile::may_be_long) {
            tile.follow_all(number);
            barrier();
        }
        const std::int64_t first = tile.count_all(number);
        if (first >= count) return;
        tile.store_all(number, first, out, count);
        barrier();
    }
}

}  // namespace fastnp::kernels
