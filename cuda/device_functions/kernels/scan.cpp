// Running folds of lines for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. What joins two elements is defined
// when a kernel is loaded. The order in which elements are joined depends on the length of lines alone.
#include "fastnp/dtype.h"
#include "threads.h"

using namespace fastnp;
using namespace fastnp::kernels;

using T = element_of<Dtype::FASTNP_DTYPE>;
extern "C" void combine(const T* x, const T* y, T* out) __asm__("fastnp_combine_" FASTNP_DTYPE_TEXT);

namespace {

constexpr std::int64_t each = codegen::scan_each;
constexpr std::int64_t tile = threads * each;

[[gnu::always_inline]] inline T joined(T x, T y) {
    T out;
    combine(&x, &y, &out);
    return out;
}

}  // namespace

#define FASTNP_SCAN_KERNEL(name, ...)                                                                      \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// A line a thread, in order. Lines are numbered along three axes.
FASTNP_SCAN_KERNEL(scan_lines, const char* x, char* out, std::int64_t count, std::int64_t stride, std::int64_t out_stride, std::int64_t lines,
                   std::int64_t n1, std::int64_t n2, std::int64_t x0, std::int64_t x1, std::int64_t x2, std::int64_t o0, std::int64_t o1,
                   std::int64_t o2) {
    for_each(lines, [&](std::int64_t line) {
        const std::int64_t l2 = line % n2, l1 = line / n2 % n1, l0 = line / n2 / n1;
        const char* from = at(x, l0 * x0 + l1 * x1 + l2 * x2);
        char* to = at(out, l0 * o0 + l1 * o1 + l2 * o2);
        T running = *reinterpret_cast<const T*>(from);
        *reinterpret_cast<T*>(to) = running;
        for (std::int64_t i = 1; i < count; ++i) {
            running = joined(running, *reinterpret_cast<const T*>(at(from, i * stride)));
            *reinterpret_cast<T*>(at(to, i * out_stride)) = running;
        }
    });
}

// A tile of a line a block. With `carries`, which has the running folds of the tiles' totals, the result is stored; without, only the totals are, and the
// result where a line is one tile. Both lie by line and tile.
FASTNP_SCAN_KERNEL(scan_tiles, const char* x, char* out, const T* carries, T* totals, std::int64_t count, std::int64_t stride, std::int64_t out_stride,
                   std::int64_t tiles, std::int64_t units, std::int64_t n1, std::int64_t n2, std::int64_t x0, std::int64_t x1, std::int64_t x2,
                   std::int64_t o0, std::int64_t o1, std::int64_t o2) {
    FASTNP_SHARED(T, sums, threads);
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / tiles, number = unit - line * tiles, begin = number * tile + thread() * each;
        const std::int64_t l2 = line % n2, l1 = line / n2 % n1, l0 = line / n2 / n1;
        const char* from = at(x, l0 * x0 + l1 * x1 + l2 * x2 + begin * stride);
        char* to = at(out, l0 * o0 + l1 * o1 + l2 * o2 + begin * out_stride);
        T own[each];
#pragma unroll
        for (std::int64_t k = 0; k < each; ++k) {
            if (begin + k >= count) continue;
            const T element = *reinterpret_cast<const T*>(at(from, k * stride));
            own[k] = k == 0 ? element : joined(own[k - 1], element);
        }
        // The threads that have all of their elements have sums that others are joined to; a thread with fewer is the last.
        T sum = own[each - 1];
        for (std::int64_t distance = 1; distance < threads; distance *= 2) {
            barrier();
            sums[thread()] = sum;
            barrier();
            if (thread() >= distance) sum = joined(sums[thread() - distance], sum);
        }
        barrier();
        sums[thread()] = sum;
        barrier();
        const bool is_carried = carries != nullptr && number > 0;
        if (carries != nullptr || tiles == 1) {
            T before{};
            if (thread() > 0) before = sums[thread() - 1];
            if (is_carried) before = thread() > 0 ? joined(carries[unit - 1], before) : carries[unit - 1];
#pragma unroll
            for (std::int64_t k = 0; k < each; ++k) {
                if (begin + k < count) *reinterpret_cast<T*>(at(to, k * out_stride)) = is_carried || thread() > 0 ? joined(before, own[k]) : own[k];
            }
        } else if (thread() == threads - 1) {
            totals[unit] = sum;  // of the last tile, which may be shorter, nothing is asked
        }
        barrier();
    }
}
