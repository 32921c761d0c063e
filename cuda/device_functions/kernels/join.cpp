// Whole numbers joined to others at places given by index, by atomic operations, for one dtype of 4 or 8 bytes: FASTNP_DTYPE is the enumerator,
// FASTNP_DTYPE_TEXT its NumPy name in quotes. The order makes no difference. Nothing is done where a check `found` an index that is out of bounds.
#include "fastnp/dtype.h"
#include "indices.h"
#include "points.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

using T = element_of<Dtype::FASTNP_DTYPE>;
using Bits = std::make_unsigned_t<T>;  // whose sums wrap, and are the same

struct Joiner {
    const char* values;
    Indices given;
    char* out;
    std::int64_t row_stride;
    codegen::Join by;

    template <class Unit>
    [[gnu::always_inline]] inline void run(std::int64_t from, std::int64_t index, std::int64_t to) const {
        using codegen::Join;
        const std::int64_t row = given.place(index / static_cast<std::int64_t>(sizeof(std::int64_t)));
        if (row < 0) return;
        auto* const place = reinterpret_cast<T*>(at(out, row * row_stride + to));
        const T value = *reinterpret_cast<const T*>(at(values, from));
        const auto bits = static_cast<Bits>(value);
        auto* const place_bits = reinterpret_cast<Bits*>(place);
        switch (by) {
            case Join::add: __atomic_fetch_add(place_bits, bits, __ATOMIC_RELAXED); break;
            case Join::subtract: __atomic_fetch_add(place_bits, Bits{0} - bits, __ATOMIC_RELAXED); break;
            case Join::maximum: __atomic_fetch_max(place, value, __ATOMIC_RELAXED); break;
            case Join::minimum: __atomic_fetch_min(place, value, __ATOMIC_RELAXED); break;
            case Join::bitwise_and: __atomic_fetch_and(place_bits, bits, __ATOMIC_RELAXED); break;
            case Join::bitwise_or: __atomic_fetch_or(place_bits, bits, __ATOMIC_RELAXED); break;
            case Join::bitwise_xor: __atomic_fetch_xor(place_bits, bits, __ATOMIC_RELAXED); break;
        }
    }
};

}  // namespace

#define FASTNP_JOIN_KERNEL(name, ...)                                                                      \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// out[p with the row that indices[p] means] joined to values[p], over points of four axes.
FASTNP_JOIN_KERNEL(join, const char* values, const std::int64_t* indices, char* out, const std::int64_t* found, std::int64_t extent,
                   std::int64_t row_stride, codegen::Join by, std::int64_t points, FASTNP_POINT_PARAMETERS) {
    if (is_stopped(found)) return;
    const Joiner joiner{values, {indices, 0, extent}, out, row_stride, by};
    for_each_point<T>(joiner, points, FASTNP_POINT_ARGUMENTS);
}

// The same of sums for few rows of one element, which each block has for itself at first: checks indices, and adds what goes to each row to `sums`, which
// are 0 before.
FASTNP_JOIN_KERNEL(join_few, const std::int64_t* indices, std::int64_t count, std::int64_t extent, std::int64_t* found, const char* values,
                   std::int64_t value_stride, Bits* sums) {
    FASTNP_SHARED(Bits, held, codegen::shared_sums);
    for (std::int64_t row = thread(); row < extent; row += threads) held[row] = 0;
    barrier();
    const Indices given{indices, count, extent};
    const std::int64_t step = blocks() * threads;
    constexpr int ahead = 4;  // values of a thread that are on their way at a time
    for (std::int64_t first = block() * threads + thread(); first < count; first += ahead * step) {
        Bits next[ahead];
        std::int64_t rows[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const std::int64_t i = first + k * step;
            rows[k] = i < count ? given.checked_place(i, found) : -1;
            next[k] = i < count ? static_cast<Bits>(*reinterpret_cast<const T*>(at(values, i * value_stride))) : Bits{0};
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            if (rows[k] >= 0) __atomic_fetch_add(held + rows[k], next[k], __ATOMIC_RELAXED);
        }
    }
    barrier();
    for (std::int64_t row = thread(); row < extent; row += threads) {
        if (held[row] != 0) __atomic_fetch_add(sums + row, held[row], __ATOMIC_RELAXED);
    }
}
// Adds these to the rows. `sign` is 1 or -1.
FASTNP_JOIN_KERNEL(join_sums, const Bits* sums, char* out, const std::int64_t* found, std::int64_t rows, std::int64_t row_stride, std::int64_t sign) {
    if (is_stopped(found)) return;
    for_each(rows, [&](std::int64_t row) {
        auto* const place = reinterpret_cast<Bits*>(at(out, row * row_stride));
        *place += sign < 0 ? Bits{0} - sums[row] : sums[row];
    });
}
