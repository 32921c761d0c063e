// Between the count of a radix sort and its passes, for keys of any dtype.
#include "radix.h"

using namespace fastnp::kernels;

namespace {

// What each pass does with a line; `moving`: the passes in which something moves, as bits. A line that nothing is to be moved in is copied by the first.
[[gnu::always_inline]] inline void find_routes(std::uint32_t moving, std::int64_t passes, std::uint32_t* routes, std::uint32_t* is_done) {
    if (moving == 0) moving = 1;
    const int all = __builtin_popcount(moving);
    int before = 0;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
        std::uint32_t route = 0;
        if ((moving >> pass & 1) != 0) {
            const int after = all - 1 - before;
            route = moves | (before == 0 ? from_start : 0) | (after % 2 != 0 ? to_spare : 0) | (after == 0 ? is_last : 0) |
                    (before % 2 != 0 ? second_words : 0);
            ++before;
            __atomic_store_n(is_done + pass, 1, __ATOMIC_RELAXED);
        }
        routes[pass] = route;
    }
}

}  // namespace

// `counts`, by line, pass and bits, become where elements begin in their line. `is_done`, 0 before: whether a pass has anything to do. A block has a line,
// a warp a pass of it, a thread several counts.
extern "C" void fastnp_kernel_radix_routes(std::uint32_t* counts, std::uint32_t* routes, std::uint32_t* is_done, std::int64_t length, std::int64_t passes,
                                           std::int64_t lines) {
    constexpr int own_bins = bins / warp;
    FASTNP_SHARED(std::uint32_t, moving, 1);
    const std::int64_t pass = thread() / warp;
    for (std::int64_t line = block(); line < lines; line += blocks()) {
        if (thread() == 0) *moving = 0;
        barrier();
        std::uint32_t own[own_bins], sum = 0;
        bool is_one = false;  // whether all elements have the same bits
        std::uint32_t* const from = counts + (line * passes + pass) * bins + lane() * own_bins;
#pragma unroll
        for (int k = 0; k < own_bins; ++k) {
            own[k] = pass < passes ? from[k] : 0;
            sum += own[k];
            is_one = is_one || own[k] == length;
        }
        std::uint32_t end = sum;
#pragma unroll
        for (int distance = 1; distance < warp; distance *= 2) {
            const std::uint32_t before = from_before(end, distance);
            if (lane() >= distance) end += before;
        }
        std::uint32_t begin = end - sum;
        if (ballot(is_one) == 0 && pass < passes && lane() == 0) __atomic_fetch_or(moving, 1U << pass, __ATOMIC_RELAXED);
#pragma unroll
        for (int k = 0; k < own_bins; ++k) {
            if (pass < passes) from[k] = begin;
            begin += own[k];
        }
        barrier();
        if (thread() == 0) find_routes(*moving, passes, routes + line * passes, is_done);
        barrier();
    }
}
