// Elements at places in sorted order, for one real dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. Lines lie one behind
// the other.
#include "select.h"

#include "keys.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

constexpr int key_bits = 8 * sizeof(T);
constexpr int ahead = sizeof(T) > 4 ? 4 : 8;  // elements of a thread that are on their way at a time

// Counts a part of a line, for so many wanted elements.
template <int wanted>
[[gnu::always_inline]] inline void count_part(const T* from, std::int64_t begin, std::int64_t end, const Wanted* of, int known, int next,
                                              std::uint32_t* found) {
    const int rest = key_bits - known - next;
    const std::uint64_t mask = (std::uint64_t{1} << next) - 1;
    for (std::int64_t first = begin + thread(); first < end; first += ahead * threads) {
        T elements[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            elements[k] = T{};
            if (first + k * threads < end) elements[k] = from[first + k * threads];
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const std::uint64_t key = key_of(elements[k]), bits = key >> rest;
#pragma unroll
            for (int i = 0; i < wanted; ++i) {
                if (first + k * threads < end && (bits >> next) == of[i].bits)
                    __atomic_fetch_add(found + i * select_bins + (bits & mask), 1U, __ATOMIC_RELAXED);
            }
        }
    }
}

}  // namespace

#define FASTNP_SELECT_KERNEL(name, ...)                                                                    \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// Adds to `counts`, by line, wanted element and the `next` bits, the elements whose `known` highest bits are the wanted one's. Of wanted elements that
// have the same ones the first has the counts. A block counts a part of a line.
FASTNP_SELECT_KERNEL(select_counts, const T* x, const Wanted* all, std::uint32_t* counts, std::int64_t length, std::int64_t wanted, std::int64_t known,
                     std::int64_t next, std::int64_t parts, std::int64_t part_length, std::int64_t units) {
    FASTNP_SHARED(std::uint32_t, found, select_bins* most_wanted);
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / parts, begin = (unit - line * parts) * part_length;
        const std::int64_t end = begin + part_length < length ? begin + part_length : length;
        const Wanted* const of = all + line * wanted;
        const bool are_two = wanted > 1 && of[0].bits != of[1].bits;
        const int bins = are_two ? 2 * select_bins : select_bins;
        for (int i = static_cast<int>(thread()); i < bins; i += static_cast<int>(threads)) found[i] = 0;
        barrier();
        if (are_two) count_part<2>(x + line * length, begin, end, of, static_cast<int>(known), static_cast<int>(next), found);
        else count_part<1>(x + line * length, begin, end, of, static_cast<int>(known), static_cast<int>(next), found);
        barrier();
        for (int i = static_cast<int>(thread()); i < bins; i += static_cast<int>(threads)) {
            if (found[i] != 0) __atomic_fetch_add(counts + line * wanted * select_bins + i, found[i], __ATOMIC_RELAXED);
        }
        barrier();
    }
}

// The elements, when all bits are known.
FASTNP_SELECT_KERNEL(select_store, const Wanted* all, T* out, std::int64_t count) {
    for_each(count, [&](std::int64_t i) { out[i] = element_of_key(static_cast<Key>(all[i].bits)); });
}
