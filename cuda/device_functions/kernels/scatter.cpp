// Rows combined with given ones, for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes. What joins two elements is
// defined when a kernel is loaded. The given rows come in the order of their places, those of one place in their own order: a run.
#include "fastnp/dtype.h"
#include "threads.h"

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

// The given rows by their places: `places` ascending, `order` the numbers that they had.
struct Runs {
    const std::int64_t* places;
    const std::int64_t* order;
    std::int64_t count, part;

    [[gnu::always_inline]] inline bool begins(std::int64_t i) const { return i == 0 || places[i - 1] != places[i]; }

    // Whether a part of a run begins here, other than its first: every `part` rows.
    [[gnu::always_inline]] inline bool begins_part(std::int64_t i) const {
        if (i < part || places[i - part] != places[i]) return false;
        std::int64_t low = 0, high = i;  // where the run begins
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            if (places[middle] < places[i]) low = middle + 1;
            else high = middle;
        }
        return (i - low) % part == 0;
    }
};

}  // namespace

#define FASTNP_SCATTER_KERNEL(name, ...)                                                                   \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// The first part of each run is joined to its row, one after the other; what the others come to is stored in `sums`, by their number among all. A point is
// a given row and an element of it, of two axes. Nothing is done where a check `found` an index that is out of bounds.
FASTNP_SCATTER_KERNEL(combine_runs, const std::int64_t* places, const std::int64_t* order, const char* values, char* out, T* sums,
                      const std::int64_t* found, std::int64_t count, std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1,
                      std::int64_t value_stride, std::int64_t v0, std::int64_t v1, std::int64_t row_stride, std::int64_t o0, std::int64_t o1) {
    if (*found != 0) return;
    const Runs runs{places, order, count, part};
    for_each(points, [&](std::int64_t point) {
        const std::int64_t i = point / (n0 * n1), element = point - i * (n0 * n1), e0 = element / n1, e1 = element - e0 * n1;
        const bool is_first = runs.begins(i);
        if (!is_first && !runs.begins_part(i)) return;
        const auto value = [&](std::int64_t k) { return *reinterpret_cast<const T*>(at(values, order[k] * value_stride + e0 * v0 + e1 * v1)); };
        auto* const row = reinterpret_cast<T*>(at(out, places[i] * row_stride + e0 * o0 + e1 * o1));
        T running = value(i);
        if (is_first) running = joined(*row, running);
        for (std::int64_t k = i + 1; k < count && k < i + part && places[k] == places[i]; ++k) running = joined(running, value(k));
        if (is_first) *row = running;
        else sums[i / part * (n0 * n1) + element] = running;
    });
}

// Joins to each row what the further parts of its run came to.
FASTNP_SCATTER_KERNEL(combine_parts, const std::int64_t* places, char* out, const T* sums, const std::int64_t* found, std::int64_t count,
                      std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1, std::int64_t row_stride, std::int64_t o0,
                      std::int64_t o1) {
    if (*found != 0) return;
    const Runs runs{places, nullptr, count, part};
    for_each(points, [&](std::int64_t point) {
        const std::int64_t i = point / (n0 * n1), element = point - i * (n0 * n1), e0 = element / n1, e1 = element - e0 * n1;
        if (i + part >= count || places[i + part] != places[i] || !runs.begins(i)) return;
        auto* const row = reinterpret_cast<T*>(at(out, places[i] * row_stride + e0 * o0 + e1 * o1));
        T running = *row;
        for (std::int64_t k = i + part; k < count && places[k] == places[i]; k += part) running = joined(running, sums[k / part * (n0 * n1) + element]);
        *row = running;
    });
}
