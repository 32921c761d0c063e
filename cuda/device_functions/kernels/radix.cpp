// Radix sorts of lines for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. Lines lie one behind the other.
#include "radix.h"

#include "keys.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

constexpr int most_passes = sizeof(T);
constexpr int each = codegen::radix_each(sizeof(T));
constexpr int tile = codegen::radix_tile(sizeof(T));
constexpr int warps = threads / warp;
constexpr int ahead = sizeof(T) > 4 ? 4 : 8;  // elements of a thread that are on their way at a time, when these are counted

[[gnu::always_inline]] inline std::uint32_t digit_of(Key key, int pass) {
    return static_cast<std::uint32_t>(key >> (pass * codegen::radix_bits)) & static_cast<std::uint32_t>(bins - 1);
}

}  // namespace

#define FASTNP_RADIX_KERNEL(name, ...)                                                                     \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// How many elements have each 8 bits, by line, pass and bits; `counts` are 0 before. A block counts a part of a line.
FASTNP_RADIX_KERNEL(radix_counts, const T* x, std::uint32_t* counts, std::int64_t length, std::int64_t passes, std::int64_t parts,
                    std::int64_t part_length, std::int64_t units) {
    FASTNP_SHARED(std::uint32_t, found, bins* most_passes);
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / parts, begin = (unit - line * parts) * part_length;
        const std::int64_t end = begin + part_length < length ? begin + part_length : length;
#pragma unroll
        for (int pass = 0; pass < most_passes; ++pass) found[pass * bins + thread()] = 0;
        barrier();
        const T* const from = x + line * length;
        for (std::int64_t i = begin + thread(); i < end; i += ahead * threads) {
            T elements[ahead];
#pragma unroll
            for (int k = 0; k < ahead; ++k) {
                elements[k] = T{};
                if (i + k * threads < end) elements[k] = from[i + k * threads];
            }
#pragma unroll
            for (int k = 0; k < ahead; ++k) {
                if (i + k * threads >= end) continue;
                const Key key = key_of(elements[k]);
#pragma unroll
                for (int pass = 0; pass < most_passes; ++pass) __atomic_fetch_add(found + pass * bins + digit_of(key, pass), 1U, __ATOMIC_RELAXED);
            }
        }
        barrier();
#pragma unroll
        for (int pass = 0; pass < most_passes; ++pass) {
            const std::uint32_t count = found[pass * bins + thread()];
            if (pass < passes && count != 0) __atomic_fetch_add(counts + (line * passes + pass) * bins + thread(), count, __ATOMIC_RELAXED);
        }
        barrier();
    }
}

namespace {

// What blocks tell each other of a tile, for each digit, in a word: nothing yet, how many elements of the tile have it, or of all tiles of the line up to
// this one.
enum Word : std::uint32_t { of_tile = 1U << 30, of_all = 2U << 30, count_bits = of_tile - 1 };

struct Pass {
    const T* x;
    T *keys, *spare;
    std::int64_t* places;
    std::uint32_t* spare_places;
    const std::uint32_t* carried;  // what goes along in the place of places; null: these
    std::int64_t length, tiles, units;
    int number;
    std::int64_t passes;
    const std::uint32_t *begins, *routes;
    std::uint32_t *words, *next_unit;
    bool stores_keys;
};

// The elements of a warp are numbered thread by thread, then so many further on; so is this order kept: an element's rank is where those of the warp with
// its digit begin in the tile, which `begins` says, and the number of those before it. Threads with the same digit find each other by its word of `masks`,
// which are 0 before and afterwards (a ballot for each bit takes half as long again). Calls body(k, rank), in order, for digits[k].
template <class Body>
[[gnu::always_inline]] inline void rank_elements(const std::uint32_t (&digits)[each], std::uint32_t* begins, std::uint32_t* masks, Body body) {
    const std::uint32_t own = 1U << lane(), before = own - 1;
#pragma unroll
    for (int k = 0; k < each; ++k) {
        __atomic_fetch_or(masks + digits[k], own, __ATOMIC_RELAXED);
        warp_barrier();
        const std::uint32_t same = masks[digits[k]], earlier = begins[digits[k]];
        warp_barrier();
        if ((same & before) == 0) {
            masks[digits[k]] = 0;
            begins[digits[k]] = earlier + static_cast<std::uint32_t>(__builtin_popcount(same));
        }
        warp_barrier();
        body(k, earlier + static_cast<std::uint32_t>(__builtin_popcount(same & before)));
    }
}

// Says how many elements of the tile have this thread's digit.
[[gnu::always_inline]] inline void tell(std::uint32_t* word, std::int64_t tile_number, std::uint32_t own) {
    __atomic_store_n(word, (tile_number == 0 ? of_all : of_tile) | own, __ATOMIC_RELAXED);
}
// How many elements of the line's earlier tiles have it. Those tiles that have no word yet are done by blocks that run, for tiles are begun in order. Each
// word takes long to come, so several are asked for at a time.
[[gnu::always_inline]] inline std::uint32_t count_before(std::uint32_t* word, std::int64_t tile_number, std::uint32_t own) {
    if (tile_number == 0) return 0;
    constexpr int at_once = 4;
    std::uint32_t sum = 0;
    bool is_all = false;
    const std::uint32_t* at = word - bins;
    for (std::int64_t left = tile_number; !is_all;) {
        std::uint32_t said[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) said[k] = k < left ? __atomic_load_n(at - k * bins, __ATOMIC_RELAXED) : 0;
        int heard = 0;
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if (is_all || heard < k || said[k] == 0) continue;
            sum += said[k] & count_bits;
            is_all = (said[k] & of_all) != 0;
            ++heard;
        }
        at -= heard * bins;
        left -= heard;
    }
    __atomic_store_n(word, of_all | (sum + own), __ATOMIC_RELAXED);
    return sum;
}

template <bool has_places>
[[gnu::always_inline]] inline void run_pass(const Pass& pass) {
    FASTNP_SHARED(std::uint32_t, counts, warps* bins);
    FASTNP_SHARED(std::uint32_t, masks, warps* bins);
    FASTNP_SHARED(std::uint32_t, bases, bins);
    FASTNP_SHARED(std::uint32_t, sums, warps);
    FASTNP_SHARED(std::uint32_t, begun, 1);
    FASTNP_SHARED(std::uint64_t, staged, tile*(has_places && sizeof(T) < 4 ? 4 : sizeof(T)) / 8);
    auto* const staged_keys = reinterpret_cast<T*>(staged);
    auto* const staged_places = reinterpret_cast<std::uint32_t*>(staged);
    if (pass.next_unit[pass.passes] == 0) return;  // this pass moves nothing
    const auto own_thread = static_cast<int>(thread());
    const int first = own_thread / warp * (warp * each) + lane();  // of the thread's elements in the tile
    std::uint32_t* const own_counts = counts + own_thread / warp * bins;
    std::uint32_t* const own_masks = masks + own_thread / warp * bins;
#pragma unroll
    for (int i = 0; i < warps; ++i) masks[i * bins + own_thread] = 0;
    while (true) {
        if (own_thread == 0) *begun = __atomic_fetch_add(pass.next_unit, 1, __ATOMIC_RELAXED);
#pragma unroll
        for (int i = 0; i < warps; ++i) counts[i * bins + own_thread] = 0;
        barrier();
        const std::int64_t unit = *begun;
        if (unit >= pass.units) return;
        const std::int64_t line = unit / pass.tiles, number = unit - line * pass.tiles, begin = number * tile, start = line * pass.length;
        const std::uint32_t route = pass.routes[line * pass.passes + pass.number];
        if ((route & moves) == 0) {
            barrier();
            continue;
        }
        const int count = static_cast<int>(pass.length - begin < tile ? pass.length - begin : tile);
        const bool to_result = (route & to_spare) == 0, is_first = (route & from_start) != 0;
        const T* const from = (is_first ? pass.x : to_result ? pass.spare : pass.keys) + start + begin;
        T own[each];
        std::uint32_t digits[each];
#pragma unroll
        for (int k = 0; k < each; ++k) {
            own[k] = T{};
            if (first + k * warp < count) own[k] = from[first + k * warp];
        }
        // The count comes before the ranks, which take longer: so other blocks need not wait for it.
#pragma unroll
        for (int k = 0; k < each; ++k) {
            digits[k] = first + k * warp < count ? digit_of(key_of(own[k]), pass.number) : bins - 1;  // what is not there comes last
            __atomic_fetch_add(own_counts + digits[k], 1U, __ATOMIC_RELAXED);
        }
        barrier();
        std::uint32_t all = 0;  // of this thread's digit
#pragma unroll
        for (int i = 0; i < warps; ++i) {
            const std::uint32_t of_warp = counts[i * bins + own_thread];
            counts[i * bins + own_thread] = all;
            all += of_warp;
        }
        const std::uint32_t there = own_thread == bins - 1 ? all - static_cast<std::uint32_t>(tile - count) : all;
        const bool has_second = (route & second_words) != 0;
        std::uint32_t* const word = pass.words + (has_second ? pass.units * bins : 0) + unit * bins + own_thread;
        std::uint32_t* const next_word = pass.words + (has_second ? 0 : pass.units * bins) + unit * bins + own_thread;
        tell(word, number, there);
        *next_word = 0;
        const std::uint32_t place = sum_before(all, sums);
#pragma unroll
        for (int i = 0; i < warps; ++i) counts[i * bins + own_thread] += place;
        barrier();
        std::uint32_t ranks[each];
        rank_elements(digits, own_counts, own_masks, [&](int k, std::uint32_t rank) {
            ranks[k] = rank;
            staged_keys[rank] = own[k];
        });
        const std::uint32_t digit_begin = pass.begins[(line * pass.passes + pass.number) * bins + own_thread];
        bases[own_thread] = digit_begin + count_before(word, number, there) - place;
        barrier();
        T* const to = (to_result ? pass.keys : pass.spare) + start;
        const bool stores = pass.stores_keys || (route & is_last) == 0;
        std::uint32_t targets[each];
#pragma unroll
        for (int k = 0; k < each; ++k) {
            const int i = own_thread + k * static_cast<int>(threads);
            const T key = staged_keys[i];
            targets[k] = bases[digit_of(key_of(key), pass.number)] + static_cast<std::uint32_t>(i);
            if (i < count && stores) to[targets[k]] = key;
        }
        if constexpr (has_places) {
            // As 32 bits in a half of the line's own result until the last pass; what else goes along stays so.
            auto* const held = reinterpret_cast<std::uint32_t*>(pass.places + start);
            const std::uint32_t* const places_from = (to_result ? pass.spare_places + start : held) + begin;
            barrier();
#pragma unroll
            for (int k = 0; k < each; ++k) {
                const int i = first + k * warp;
                if (i >= count) continue;
                const std::uint32_t* const going = is_first ? pass.carried == nullptr ? nullptr : pass.carried + start + begin : places_from;
                staged_places[ranks[k]] = going == nullptr ? static_cast<std::uint32_t>(begin + i) : going[i];
            }
            barrier();
            std::uint32_t* const places_to = to_result ? held : pass.spare_places + start;
#pragma unroll
            for (int k = 0; k < each; ++k) {
                const int i = own_thread + k * static_cast<int>(threads);
                if (i >= count) continue;
                if ((route & is_last) != 0 && pass.carried == nullptr) pass.places[start + targets[k]] = staged_places[i];
                else places_to[targets[k]] = staged_places[i];
            }
        }
        barrier();
    }
}

}  // namespace

// A pass over all lines. `begins`: by line, pass and bits, where elements begin in their line; `routes`: what is done, by line and pass; `words`: two sets
// of them, by unit and digit, of which what the first pass of a line uses is 0; `next_unit`: of this pass, 0, and so many `passes` behind it whether there
// is anything to do. A unit is a tile of a line. What is `carried` goes along with a single line's elements, to 32 bits each where places would. Without
// `stores_keys` the last pass of a line stores places alone.
FASTNP_RADIX_KERNEL(radix_sort, const T* x, T* keys, T* spare, std::int64_t length, std::int64_t tiles, std::int64_t units, std::int64_t number,
                    std::int64_t passes, const std::uint32_t* begins, const std::uint32_t* routes, std::uint32_t* words, std::uint32_t* next_unit) {
    run_pass<false>(
        {x, keys, spare, nullptr, nullptr, nullptr, length, tiles, units, static_cast<int>(number), passes, begins, routes, words, next_unit, true});
}
FASTNP_RADIX_KERNEL(radix_argsort, const T* x, T* keys, T* spare, std::int64_t* places, std::uint32_t* spare_places, const std::uint32_t* carried,
                    std::int64_t stores_keys, std::int64_t length, std::int64_t tiles, std::int64_t units, std::int64_t number, std::int64_t passes,
                    const std::uint32_t* begins, const std::uint32_t* routes, std::uint32_t* words, std::uint32_t* next_unit) {
    run_pass<true>({x, keys, spare, places, spare_places, carried, length, tiles, units, static_cast<int>(number), passes, begins, routes, words,
                    next_unit, stores_keys != 0});
}
