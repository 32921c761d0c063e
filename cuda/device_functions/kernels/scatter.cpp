// Rows combined with given ones, for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. What joins two elements is
// defined when a kernel is loaded. The given rows come in the order of their places, those of one place in their own order: a run.
#include "fastnp/dtype.h"
#include "indices.h"

using namespace fastnp;
using namespace fastnp::kernels;

using T = element_of<Dtype::FASTNP_DTYPE>;
extern "C" void combine(const T* x, const T* y, T* out) __asm__("fastnp_combine_" FASTNP_DTYPE_TEXT);

namespace {

[[gnu::always_inline]] inline T joined(T x, T y) {
    T out;
    combine(&x, &y, &out);
    return out;
}

// The given rows by their places: `places` ascending, `order` the numbers that they had. A run of equal places has parts: further ones begin at all
// multiples of `part` that are at least so far behind its beginning.
struct Runs {
    const std::int64_t* places;
    const std::int64_t* order;
    std::int64_t count, part;

    [[gnu::always_inline]] inline bool begins(std::int64_t i) const { return i == 0 || places[i - 1] != places[i]; }
    [[gnu::always_inline]] inline bool begins_part(std::int64_t i) const { return i % part == 0 && i >= part && places[i - part] == places[i]; }
    // Where the second part of a run begins, if it is so long.
    [[gnu::always_inline]] inline std::int64_t second_part(std::int64_t begin) const { return (begin + 2 * part - 1) / part * part; }
};

constexpr int ahead = 128 / sizeof(T) < 16 ? 128 / sizeof(T) : 16;  // values that are on their way at a time

}  // namespace

#define FASTNP_SCATTER_KERNEL(name, ...)                                                                   \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// The first part of each run is joined to its row, one after the other; what the others come to is stored in `sums`, by their number among all. A point is
// a given row and an element of it, of two axes. Nothing is done where a check `found` an index that is out of bounds.
FASTNP_SCATTER_KERNEL(combine_runs, const std::int64_t* places, const std::int64_t* order, const char* values, char* out, T* sums,
                      const std::int64_t* found, std::int64_t count, std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1,
                      std::int64_t value_stride, std::int64_t v0, std::int64_t v1, std::int64_t row_stride, std::int64_t o0, std::int64_t o1) {
    if (is_stopped(found)) return;
    const Runs runs{places, order, count, part};
    for_each(points, [&](std::int64_t point) {
        const std::int64_t i = point / (n0 * n1), element = point - i * (n0 * n1), e0 = element / n1, e1 = element - e0 * n1;
        const bool is_first = runs.begins(i);
        if (!is_first && !runs.begins_part(i)) return;
        const auto value = [&](std::int64_t k) { return *reinterpret_cast<const T*>(at(values, order[k] * value_stride + e0 * v0 + e1 * v1)); };
        auto* const row = reinterpret_cast<T*>(at(out, places[i] * row_stride + e0 * o0 + e1 * o1));
        T running = value(i);
        if (is_first) running = joined(*row, running);
        const std::int64_t end = is_first ? runs.second_part(i) : i + part;
        for (std::int64_t k = i + 1; k < end; k += ahead) {
            T next[ahead];
            bool is_there[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                is_there[a] = k + a < end && k + a < count && places[k + a] == places[i];
                if (is_there[a]) next[a] = value(k + a);
            }
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                if (is_there[a]) running = joined(running, next[a]);
            }
            if (!is_there[ahead - 1]) break;
        }
        if (is_first) *row = running;
        else sums[i / part * (n0 * n1) + element] = running;
    });
}

// Joins to each row what the further parts of its run came to.
FASTNP_SCATTER_KERNEL(combine_parts, const std::int64_t* places, char* out, const T* sums, const std::int64_t* found, std::int64_t count,
                      std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1, std::int64_t row_stride, std::int64_t o0,
                      std::int64_t o1) {
    if (is_stopped(found)) return;
    const Runs runs{places, nullptr, count, part};
    for_each(points, [&](std::int64_t point) {
        const std::int64_t i = point / (n0 * n1), element = point - i * (n0 * n1), e0 = element / n1, e1 = element - e0 * n1;
        const std::int64_t second = runs.second_part(i);
        if (second >= count || places[second] != places[i] || !runs.begins(i)) return;
        auto* const row = reinterpret_cast<T*>(at(out, places[i] * row_stride + e0 * o0 + e1 * o1));
        T running = *row;
        for (std::int64_t k = second; k < count && places[k] == places[i]; k += part) running = joined(running, sums[k / part * (n0 * n1) + element]);
        *row = running;
    });
}
