// Between the counts of a selection, for keys of any dtype.
#include "select.h"

using namespace fastnp::kernels;

// Wanted elements of lines: those at places first, first + 1, ... of each.
extern "C" void fastnp_kernel_select_begin(Wanted* all, std::int64_t first, std::int64_t wanted, std::int64_t lines) {
    for_each(lines * wanted, [&](std::int64_t i) { all[i] = {0, static_cast<std::uint64_t>(first + i % wanted)}; });
}

// The `next` bits of each wanted element, by the counts, which are 0 afterwards. A block has a line, a thread several bins.
extern "C" void fastnp_kernel_select_bits(Wanted* all, std::uint32_t* counts, std::int64_t wanted, std::int64_t next, std::int64_t lines) {
    constexpr int own_bins = select_bins / threads;
    FASTNP_SHARED(std::uint32_t, sums, threads / warp);
    for (std::int64_t line = block(); line < lines; line += blocks()) {
        Wanted* const of = all + line * wanted;
        std::uint32_t* const of_line = counts + line * wanted * select_bins;
        const bool are_two = wanted > 1 && of[0].bits != of[1].bits;
        for (std::int64_t i = 0; i < wanted; ++i) {
            const std::uint32_t* const from = of_line + (are_two ? i : 0) * select_bins + thread() * own_bins;
            const Wanted before = of[i];
            std::uint32_t own[own_bins], sum = 0;
#pragma unroll
            for (int k = 0; k < own_bins; ++k) sum += own[k] = from[k];
            std::uint64_t begin = sum_before(sum, sums);
            barrier();
            if (begin <= before.place && before.place - begin < sum) {  // it is in one of this thread's bins
                for (int k = 0; k < own_bins; ++k) {
                    const bool is_here = begin <= before.place && before.place - begin < own[k];
                    if (is_here) of[i] = {before.bits << next | static_cast<std::uint64_t>(thread() * own_bins + k), before.place - begin};
                    begin += own[k];
                }
            }
            barrier();
        }
        for (std::int64_t i = thread(); i < wanted * select_bins; i += threads) of_line[i] = 0;
        barrier();
    }
}
