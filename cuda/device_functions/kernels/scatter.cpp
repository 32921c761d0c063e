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

// The given rows by their places, which are numbers of 32 bits where these are enough: `places` ascending, `order` the numbers that they had. A run of
// equal places has parts: further ones begin at all multiples of `part` that are at least so far behind its beginning. (Divisions of 64 bits take about
// 100 instructions, so they come last.)
template <class Place>
struct Runs {
    const Place* places;
    const std::int64_t* order;
    std::int64_t count, part;

    [[gnu::always_inline]] inline bool begins(std::int64_t i) const { return i == 0 || places[i - 1] != places[i]; }
    [[gnu::always_inline]] inline bool begins_part(std::int64_t i) const { return i >= part && places[i - part] == places[i] && i % part == 0; }
    // Where the second part of a run begins; -1: the run is not so long.
    [[gnu::always_inline]] inline std::int64_t second_part(std::int64_t begin) const {
        if (begin + part >= count || places[begin + part] != places[begin]) return -1;
        const std::int64_t second = (begin + 2 * part - 1) / part * part;
        return second < count && places[second] == places[begin] ? second : -1;
    }
};

// A given row and an element of it, of two axes.
struct Point {
    std::int64_t row, element, e0, e1;

    [[gnu::always_inline]] inline Point(std::int64_t point, std::int64_t n0, std::int64_t n1)
        : row(n0 * n1 == 1 ? point : point / (n0 * n1)), element(point - row * (n0 * n1)), e0(n0 == 1 ? 0 : element / n1), e1(element - e0 * n1) {}
};

// Steps from one row to the next, and along the axes of rows.
struct Steps {
    std::int64_t row, s0, s1;

    [[gnu::always_inline]] inline std::int64_t to(std::int64_t number, const Point& point) const { return number * row + point.e0 * s0 + point.e1 * s1; }
};

constexpr int ahead = 128 / sizeof(T) < 16 ? 128 / sizeof(T) : 16;  // values that are on their way at a time

template <class Place>
[[gnu::always_inline]] inline void combine_runs_of(const Runs<Place>& runs, const char* values, char* out, T* sums, std::int64_t points, std::int64_t n0,
                                                   std::int64_t n1, const Steps& of_values, const Steps& of_out) {
    for_each(points, [&](std::int64_t number) {
        const Point point(number, n0, n1);
        const std::int64_t i = point.row;
        const bool is_first = runs.begins(i);
        if (!is_first && !runs.begins_part(i)) return;
        const Place place = runs.places[i];
        const auto value = [&](std::int64_t k) { return *reinterpret_cast<const T*>(at(values, of_values.to(runs.order[k], point))); };
        auto* const row = reinterpret_cast<T*>(at(out, of_out.to(place, point)));
        T running = value(i);
        if (is_first) running = joined(*row, running);
        std::int64_t end = i + runs.part;
        if (is_first) {
            const std::int64_t second = runs.second_part(i);
            end = second < 0 ? runs.count : second;
        }
        if (end > runs.count) end = runs.count;
        for (std::int64_t k = i + 1; k < end && runs.places[k] == place; k += ahead) {
            T next[ahead];
            bool is_there[ahead];
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                is_there[a] = k + a < end && runs.places[k + a] == place;
                if (is_there[a]) next[a] = value(k + a);
            }
#pragma unroll
            for (int a = 0; a < ahead; ++a) {
                if (is_there[a]) running = joined(running, next[a]);
            }
        }
        if (is_first) *row = running;
        else sums[i / runs.part * (n0 * n1) + point.element] = running;
    });
}

template <class Place>
[[gnu::always_inline]] inline void combine_parts_of(const Runs<Place>& runs, char* out, const T* sums, std::int64_t points, std::int64_t n0,
                                                    std::int64_t n1, const Steps& of_out) {
    for_each(points, [&](std::int64_t number) {
        const Point point(number, n0, n1);
        const std::int64_t i = point.row;
        if (!runs.begins(i)) return;
        const std::int64_t second = runs.second_part(i);
        if (second < 0) return;
        auto* const row = reinterpret_cast<T*>(at(out, of_out.to(runs.places[i], point)));
        T running = *row;
        for (std::int64_t k = second; k < runs.count && runs.places[k] == runs.places[i]; k += runs.part) {
            running = joined(running, sums[k / runs.part * (n0 * n1) + point.element]);
        }
        *row = running;
    });
}

}  // namespace

#define FASTNP_SCATTER_KERNEL(name, ...)                                                                   \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// The first part of each run is joined to its row, one after the other; what the others come to is stored in `sums`, by their number among all. A point is
// a given row and an element of it. Nothing is done where a check `found` an index that is out of bounds. Then each row is joined to what the further
// parts of its run came to. (`narrow`, `wide`: places.)
#define FASTNP_COMBINE(width, Place)                                                                                                                \
    FASTNP_SCATTER_KERNEL(combine_runs_##width, const Place* places, const std::int64_t* order, const char* values, char* out, T* sums,             \
                          const std::int64_t* found, std::int64_t count, std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1,  \
                          std::int64_t value_stride, std::int64_t v0, std::int64_t v1, std::int64_t row_stride, std::int64_t o0, std::int64_t o1) { \
        if (is_stopped(found)) return;                                                                                                              \
        const Runs<Place> runs{places, order, count, part};                                                                                         \
        combine_runs_of(runs, values, out, sums, points, n0, n1, Steps{value_stride, v0, v1}, Steps{row_stride, o0, o1});                           \
    }                                                                                                                                               \
    FASTNP_SCATTER_KERNEL(combine_parts_##width, const Place* places, char* out, const T* sums, const std::int64_t* found, std::int64_t count,      \
                          std::int64_t part, std::int64_t points, std::int64_t n0, std::int64_t n1, std::int64_t row_stride, std::int64_t o0,       \
                          std::int64_t o1) {                                                                                                        \
        if (is_stopped(found)) return;                                                                                                              \
        const Runs<Place> runs{places, nullptr, count, part};                                                                                       \
        combine_parts_of(runs, out, sums, points, n0, n1, Steps{row_stride, o0, o1});                                                               \
    }
FASTNP_COMBINE(narrow, std::uint32_t)
FASTNP_COMBINE(wide, std::int64_t)
