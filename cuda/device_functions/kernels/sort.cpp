// Sorts of lines for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. Lines lie one behind the other. Tiles of them
// are sorted in shared memory, then merged pass by pass, a tile of the result by each block. What is equal keeps its order.
#include "eager/order.h"
#include "threads.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

using T = element_of<Dtype::FASTNP_DTYPE>;

constexpr std::int64_t each = codegen::sort_each;  // elements of a thread
constexpr std::int64_t tile = threads * each;

// Elements, and, where the order is asked for, their places in their lines.
struct Keyed {
    T* keys;
    std::int64_t* places;
};

// How many of the first `diagonal` elements of two sorted runs are the first run's.
[[gnu::always_inline]] inline std::int64_t split(const T* a, std::int64_t a_count, const T* b, std::int64_t b_count, std::int64_t diagonal) {
    std::int64_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (eager::sorts_before(b[diagonal - 1 - middle], a[middle])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// What a thread has of a result: `each` elements, from a place of the tile.
template <bool has_places>
struct Own {
    T keys[each];
    std::int64_t places[has_places ? each : 1];

    // Merges its part, the elements from `diagonal` on, of two runs in shared memory.
    [[gnu::always_inline]] inline void merge(const Keyed& a, std::int64_t a_count, const Keyed& b, std::int64_t b_count, std::int64_t diagonal) {
        if (diagonal >= a_count + b_count) return;
        std::int64_t i = split(a.keys, a_count, b.keys, b_count, diagonal), j = diagonal - i;
#pragma unroll
        for (std::int64_t k = 0; k < each; ++k) {
            if (i + j >= a_count + b_count) continue;
            const bool first = j >= b_count || (i < a_count && !eager::sorts_before(b.keys[j], a.keys[i]));
            keys[k] = first ? a.keys[i] : b.keys[j];
            if constexpr (has_places) places[k] = first ? a.places[i] : b.places[j];
            i += first ? 1 : 0;
            j += first ? 0 : 1;
        }
    }

    [[gnu::always_inline]] inline void store(const Keyed& to, std::int64_t at, std::int64_t count) const {
#pragma unroll
        for (std::int64_t k = 0; k < each; ++k) {
            if (at + k >= count) continue;
            to.keys[at + k] = keys[k];
            if constexpr (has_places) to.places[at + k] = places[k];
        }
    }

    // A few neighbours are sorted where they are.
    [[gnu::always_inline]] inline void sort(std::int64_t at, std::int64_t count) {
#pragma unroll
        for (std::int64_t round = 1; round < each; ++round) {
#pragma unroll
            for (std::int64_t k = 0; k + round < each; ++k) {
                if (at + k + 1 >= count || !eager::sorts_before(keys[k + 1], keys[k])) continue;
                const T key = keys[k];
                keys[k] = keys[k + 1];
                keys[k + 1] = key;
                if constexpr (has_places) {
                    const std::int64_t place = places[k];
                    places[k] = places[k + 1];
                    places[k + 1] = place;
                }
            }
        }
    }
};

[[gnu::always_inline]] inline Keyed behind(const Keyed& from, std::int64_t by) { return {from.keys + by, from.places + by}; }

template <bool has_places>
[[gnu::always_inline]] inline void sort_tiles(const T* from, const Keyed& to, std::int64_t length, std::int64_t tiles, std::int64_t units) {
    FASTNP_SHARED(T, keys, tile);
    FASTNP_SHARED(std::int64_t, places, has_places ? tile : 1);
    const Keyed shared{keys, places};
    const std::int64_t own_place = thread() * each;
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / tiles, begin = (unit - line * tiles) * tile, count = length - begin < tile ? length - begin : tile;
        const std::int64_t base = line * length + begin;
        for (std::int64_t i = thread(); i < count; i += threads) {
            keys[i] = from[base + i];
            if constexpr (has_places) places[i] = begin + i;
        }
        barrier();
        Own<has_places> own{};
#pragma unroll
        for (std::int64_t k = 0; k < each; ++k) {
            if (own_place + k >= count) continue;
            own.keys[k] = keys[own_place + k];
            if constexpr (has_places) own.places[k] = places[own_place + k];
        }
        own.sort(own_place, count);
        for (std::int64_t width = each; width < count; width *= 2) {
            barrier();
            own.store(shared, own_place, count);
            barrier();
            const std::int64_t pair = own_place / (2 * width) * (2 * width);
            const std::int64_t middle = pair + width < count ? pair + width : count, end = pair + 2 * width < count ? pair + 2 * width : count;
            own.merge(behind(shared, pair), middle - pair, behind(shared, middle), end - middle, own_place - pair);
        }
        barrier();
        own.store(shared, own_place, count);
        barrier();
        for (std::int64_t i = thread(); i < count; i += threads) {
            to.keys[base + i] = keys[i];
            if constexpr (has_places) to.places[base + i] = places[i];
        }
        barrier();
    }
}

// Runs of `width` elements, a multiple of the tile, to runs of twice that.
template <bool has_places>
[[gnu::always_inline]] inline void merge_runs(const Keyed& from, const Keyed& to, std::int64_t length, std::int64_t width, std::int64_t tiles,
                                              std::int64_t units) {
    FASTNP_SHARED(T, keys, tile);
    FASTNP_SHARED(std::int64_t, places, has_places ? tile : 1);
    FASTNP_SHARED(std::int64_t, splits, 2);
    const Keyed shared{keys, places};
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / tiles, begin = (unit - line * tiles) * tile, count = length - begin < tile ? length - begin : tile;
        const std::int64_t pair = begin / (2 * width) * (2 * width);
        const std::int64_t middle = pair + width < length ? pair + width : length, end = pair + 2 * width < length ? pair + 2 * width : length;
        const Keyed a = behind(from, line * length + pair), b = behind(from, line * length + middle);
        if (thread() < 2) splits[thread()] = split(a.keys, middle - pair, b.keys, end - middle, begin - pair + (thread() == 0 ? 0 : count));
        barrier();
        const std::int64_t a_begin = splits[0], a_count = splits[1] - a_begin, b_begin = begin - pair - a_begin;
        for (std::int64_t i = thread(); i < count; i += threads) {
            const Keyed& side = i < a_count ? a : b;
            const std::int64_t at = i < a_count ? a_begin + i : b_begin + i - a_count;
            keys[i] = side.keys[at];
            if constexpr (has_places) places[i] = side.places[at];
        }
        barrier();
        Own<has_places> own{};
        own.merge(shared, a_count, behind(shared, a_count), count - a_count, thread() * each);
        barrier();
        own.store(shared, thread() * each, count);
        barrier();
        for (std::int64_t i = thread(); i < count; i += threads) {
            to.keys[line * length + begin + i] = keys[i];
            if constexpr (has_places) to.places[line * length + begin + i] = places[i];
        }
        barrier();
    }
}

}  // namespace

#define FASTNP_SORT_KERNEL(name, ...)                                                                      \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// `tiles`: of a line; `units`: of all lines.
FASTNP_SORT_KERNEL(sort_tiles, const T* from, T* to, std::int64_t length, std::int64_t tiles, std::int64_t units) {
    sort_tiles<false>(from, {to, nullptr}, length, tiles, units);
}
FASTNP_SORT_KERNEL(argsort_tiles, const T* from, T* to, std::int64_t* places, std::int64_t length, std::int64_t tiles, std::int64_t units) {
    sort_tiles<true>(from, {to, places}, length, tiles, units);
}
FASTNP_SORT_KERNEL(sort_merge, T* from, T* to, std::int64_t length, std::int64_t width, std::int64_t tiles, std::int64_t units) {
    merge_runs<false>({from, nullptr}, {to, nullptr}, length, width, tiles, units);
}
FASTNP_SORT_KERNEL(argsort_merge, T* from, std::int64_t* from_places, T* to, std::int64_t* places, std::int64_t length, std::int64_t width,
                   std::int64_t tiles, std::int64_t units) {
    merge_runs<true>({from, from_places}, {to, places}, length, width, tiles, units);
}
