// Sums of many values by few rows of one element, for one inexact dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. What
// is added to what, and in which order, depends on the indices and their number alone.
#include "fastnp/dtype.h"
#include "indices.h"
#include "ops/number.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

using T = element_of<Dtype::FASTNP_DTYPE>;
constexpr int ahead = sizeof(T) > 8 ? 2 : 4;  // values of a thread that are on their way at a time
constexpr int warps = threads / warp;

[[gnu::always_inline]] inline T sum_of(const T& x, const T& y) { return ops::store(ops::load(x) + ops::load(y)); }

// What any number is the sum of and itself, zeros of both signs too.
template <class E = T>
[[gnu::always_inline]] inline E nothing() {
    if constexpr (ops::Complex<E>) return E(-0.0F, -0.0F);
    else return static_cast<E>(-0.0F);
}

// For which threads of the warp a number of so many bits is this thread's.
[[gnu::always_inline]] inline std::uint32_t threads_with(std::uint32_t number, int bits) {
    std::uint32_t same = whole_warp;
    for (int bit = 0; bit < bits; ++bit) {
        const bool is_set = (number >> bit & 1) != 0;
        const std::uint32_t others = ballot(is_set);
        same &= is_set ? others : ~others;
    }
    return same;
}

// Adds values begin ... end - 1 to their rows, by a warp, in order: of the threads that have values for one row each waits for those before it.
[[gnu::always_inline]] inline void add_in_order(const Indices& given, std::int64_t* found, const char* values, std::int64_t value_stride,
                                                std::int64_t begin, std::int64_t end, T* sums) {
    const auto none = static_cast<std::uint32_t>(given.extent);
    const int bits = 32 - __builtin_clz(none);
    const std::uint32_t before = (1U << lane()) - 1;
    for (std::int64_t first = begin; first < end; first += ahead * warp) {
        T next[ahead];
        std::uint32_t rows[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const std::int64_t i = first + k * warp + lane();
            rows[k] = none;
            next[k] = T{};
            if (i < end) {
                const std::int64_t row = given.checked_place(i, found);
                if (row >= 0) rows[k] = static_cast<std::uint32_t>(row);
                next[k] = *reinterpret_cast<const T*>(at(values, i * value_stride));
            }
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const bool is_there = rows[k] != none;
            const int rank = __builtin_popcount(threads_with(rows[k], bits) & before);
            for (int turn = 0; ballot(is_there && rank >= turn) != 0; ++turn) {
                if (is_there && rank == turn) sums[rows[k]] = sum_of(sums[rows[k]], next[k]);
                warp_barrier();
            }
        }
    }
}

}  // namespace

#define FASTNP_SUM_KERNEL(name, ...)                                                                       \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// Checks indices, and adds up values in parts, a part a block, and these in pieces, a piece a warp, which has sums of its own for all rows at first.
// `sums`: by part and row.
FASTNP_SUM_KERNEL(sum_few, const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found, const char* values,
                  std::int64_t value_stride, T* sums, std::int64_t pieces, std::int64_t piece_length, std::int64_t parts) {
    FASTNP_SHARED(T, held, codegen::few_bytes / sizeof(T));
    const Indices given{indices, count, extent};
    const std::int64_t piece = thread() / warp;
    for (std::int64_t part = block(); part < parts; part += blocks()) {
        barrier();
        for (std::int64_t i = thread(); i < pieces * extent; i += threads) held[i] = nothing();
        barrier();
        const std::int64_t begin = (part * pieces + piece) * piece_length, end = begin + piece_length < count ? begin + piece_length : count;
        if (piece < pieces) add_in_order(given, found, values, value_stride, begin, end, held + piece * extent);
        barrier();
        for (std::int64_t row = thread(); row < extent; row += threads) {
            T sum = held[row];
            for (std::int64_t i = 1; i < pieces; ++i) sum = sum_of(sum, held[i * extent + row]);
            sums[part * extent + row] = sum;
        }
    }
}

// Adds what the parts came to to the rows. A block has as many rows as a warp has threads, and each of its warps some of the parts.
FASTNP_SUM_KERNEL(sum_few_parts, const T* sums, char* out, const std::int64_t* found, std::int64_t extent, std::int64_t row_stride, std::int64_t parts,
                  std::int64_t units) {
    if (is_stopped(found)) return;
    FASTNP_SHARED(T, held, threads);
    const std::int64_t of_warp = (parts + warps - 1) / warps, begin = thread() / warp * of_warp, end = begin + of_warp < parts ? begin + of_warp : parts;
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t row = unit * warp + lane();
        T sum = nothing();
        if (row < extent) {
#pragma unroll 8
            for (std::int64_t part = begin; part < end; ++part) sum = sum_of(sum, sums[part * extent + row]);
        }
        barrier();
        held[thread()] = sum;
        barrier();
        if (thread() >= warp || row >= extent) continue;
        for (int i = 1; i < warps; ++i) sum = sum_of(sum, held[i * warp + thread()]);
        T* const place = reinterpret_cast<T*>(at(out, row * row_stride));
        *place = sum_of(*place, sum);
    }
}
