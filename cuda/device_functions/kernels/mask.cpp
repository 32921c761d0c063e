// The places of what is true, in order.
#include "threads.h"

using namespace fastnp::kernels;

namespace {

constexpr std::int64_t each = fastnp::codegen::mask_each;
constexpr std::int64_t tile = threads * each;

// The true ones of a thread's elements; as bits, the first the lowest.
[[gnu::always_inline]] inline std::uint32_t true_bits(const char* mask, std::int64_t stride, std::int64_t begin, std::int64_t count) {
    std::uint32_t bits = 0;
    for (std::int64_t k = 0; k < each; ++k) {
        if (begin + k < count && *at(mask, (begin + k) * stride) != 0) bits |= 1U << k;
    }
    return bits;
}

}  // namespace

// Of each tile, how many are true.
extern "C" void fastnp_kernel_count_true(const char* mask, std::int64_t stride, std::int64_t count, std::int64_t* totals, std::int64_t tiles) {
    FASTNP_SHARED(std::int64_t, sums, threads);
    for (std::int64_t unit = block(); unit < tiles; unit += blocks()) {
        std::int64_t sum = __builtin_popcount(true_bits(mask, stride, unit * tile + thread() * each, count));
        for (std::int64_t distance = threads / 2; distance > 0; distance /= 2) {
            barrier();
            sums[thread()] = sum;
            barrier();
            sum += sums[thread() ^ distance];
        }
        if (thread() == 0) totals[unit] = sum;
    }
}

// `ends`: how many are true up to the end of each tile.
extern "C" void fastnp_kernel_true_places(const char* mask, std::int64_t stride, std::int64_t count, const std::int64_t* ends, std::int64_t* out,
                                          std::int64_t tiles) {
    FASTNP_SHARED(std::int64_t, sums, threads);
    for (std::int64_t unit = block(); unit < tiles; unit += blocks()) {
        const std::int64_t begin = unit * tile + thread() * each;
        std::uint32_t bits = true_bits(mask, stride, begin, count);
        const std::int64_t own = __builtin_popcount(bits);
        std::int64_t sum = own;
        for (std::int64_t distance = 1; distance < threads; distance *= 2) {
            barrier();
            sums[thread()] = sum;
            barrier();
            if (thread() >= distance) sum += sums[thread() - distance];
        }
        std::int64_t to = (unit > 0 ? ends[unit - 1] : 0) + sum - own;
        for (; bits != 0; bits &= bits - 1) out[to++] = begin + __builtin_ctz(bits);
    }
}
