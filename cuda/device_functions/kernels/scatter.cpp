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
};
[[gnu::always_inline]] inline Point point_of(std::int64_t row, std::int64_t element, std::int64_t n0, std::int64_t n1) {
    const std::int64_t e0 = n0 == 1 ? 0 : element / n1;
    return {row, element, e0, element - e0 * n1};
}
// Calls body(row, for_each_element) for all given rows, where for_each_element(body) calls body(point). Narrow ones: with a thread for each element. Wide
// ones: with a warp for each row, so that what is known of the row is found once, without divisions.
template <class Body>
[[gnu::always_inline]] inline void for_each_narrow(std::int64_t count, std::int64_t n0, std::int64_t n1, Body body) {
    for_each(count * n0 * n1, [&](std::int64_t number) {
        const std::int64_t row = n0 * n1 == 1 ? number : number / (n0 * n1);
        body(row, [&](auto element) { element(point_of(row, number - row * (n0 * n1), n0, n1)); });
    });
}
template <class Body>
[[gnu::always_inline]] inline void for_each_wide(std::int64_t count, std::int64_t n0, std::int64_t n1, Body body) {
    const std::int64_t own = (block() * threads + thread()) / warp, all = blocks() * (threads / warp);
    for (std::int64_t row = own; row < count; row += all) {
        body(row, [&](auto element) {
            for (std::int64_t i = lane(); i < n0 * n1; i += warp) element(point_of(row, i, n0, n1));
        });
    }
}

// Steps from one row to the next, and along the axes of rows.
struct Steps {
    std::int64_t row, s0, s1;

    [[gnu::always_inline]] inline std::int64_t to(std::int64_t number, const Point& point) const { return number * row + point.e0 * s0 + point.e1 * s1; }
};

constexpr int ahead = 128 / sizeof(T) < 16 ? 128 / sizeof(T) : 16;  // values that are on their way at a time

// Where given rows and the result lie, and what further parts of runs come to.
struct Places {
    const char* values;
    char* out;
    T* sums;
    Steps of_values, of_out;
};

// From given row i on, up to `end`: a run up to its second part, or a further part. Without an order the given rows lie in it.
template <class Place>
[[gnu::always_inline]] inline void combine_part(const Runs<Place>& runs, bool is_first, std::int64_t end, const Point& point, std::int64_t elements,
                                                const Places& at_places) {
    const std::int64_t i = point.row;
    const Place place = runs.places[i];
    const auto value = [&](std::int64_t k) {
        return *reinterpret_cast<const T*>(at(at_places.values, at_places.of_values.to(runs.order == nullptr ? k : runs.order[k], point)));
    };
    auto* const row = reinterpret_cast<T*>(at(at_places.out, at_places.of_out.to(static_cast<std::int64_t>(place), point)));
    T running = value(i);
    if (is_first) running = joined(*row, running);
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
    else at_places.sums[i / runs.part * elements + point.element] = running;
}

// For `for_each_narrow` and `for_each_wide`.
template <class Place>
struct CombineRuns {
    Runs<Place> runs;
    std::int64_t elements;
    Places at_places;

    template <class Elements>
    [[gnu::always_inline]] inline void operator()(std::int64_t i, Elements for_each_element) const {
        const bool is_first = runs.begins(i);
        if (!is_first && !runs.begins_part(i)) return;
        std::int64_t end = i + runs.part;
        if (is_first) {
            const std::int64_t second = runs.second_part(i);
            end = second < 0 ? runs.count : second;
        }
        if (end > runs.count) end = runs.count;
        for_each_element([&](const Point& point) { combine_part(runs, is_first, end, point, elements, at_places); });
    }
};
template <class Place>
struct CombineParts {
    Runs<Place> runs;
    std::int64_t elements;
    Places at_places;

    template <class Elements>
    [[gnu::always_inline]] inline void operator()(std::int64_t i, Elements for_each_element) const {
        if (!runs.begins(i)) return;
        const std::int64_t second = runs.second_part(i);
        if (second < 0) return;
        for_each_element([&](const Point& point) {
            auto* const row = reinterpret_cast<T*>(at(at_places.out, at_places.of_out.to(static_cast<std::int64_t>(runs.places[i]), point)));
            T running = *row;
            for (std::int64_t k = second; k < runs.count && runs.places[k] == runs.places[i]; k += runs.part) {
                running = joined(running, at_places.sums[k / runs.part * elements + point.element]);
            }
            *row = running;
        });
    }
};

}  // namespace

#define FASTNP_SCATTER_KERNEL(name, ...)                                                                   \
    extern "C" [[gnu::weak]] void name(__VA_ARGS__) __asm__("fastnp_kernel_" #name "_" FASTNP_DTYPE_TEXT); \
    void name(__VA_ARGS__)

// The first part of each run is joined to its row, one after the other; what the others come to is stored in `sums`, by their number among all. Nothing is
// done where a check `found` an index that is out of bounds. Then each row is joined to what the further parts of its run came to. (`narrow`, `wide`:
// places; `rows`: these are wide.)
#define FASTNP_COMBINE(name, Place, step, walk)                                                                                                     \
    FASTNP_SCATTER_KERNEL(name, const Place* places, const std::int64_t* order, const char* values, char* out, T* sums, const std::int64_t* found,  \
                          std::int64_t count, std::int64_t part, std::int64_t n0, std::int64_t n1, std::int64_t value_stride, std::int64_t v0,      \
                          std::int64_t v1, std::int64_t row_stride, std::int64_t o0, std::int64_t o1) {                                             \
        if (is_stopped(found)) return;                                                                                                              \
        walk(count, n0, n1, step<Place>{{places, order, count, part}, n0 * n1, {values, out, sums, {value_stride, v0, v1}, {row_stride, o0, o1}}}); \
    }
#define FASTNP_COMBINES(width, Place)                                           \
    FASTNP_COMBINE(combine_runs_##width, Place, CombineRuns, for_each_narrow)   \
    FASTNP_COMBINE(combine_parts_##width, Place, CombineParts, for_each_narrow) \
    FASTNP_COMBINE(combine_rows_##width, Place, CombineRuns, for_each_wide)     \
    FASTNP_COMBINE(combine_row_parts_##width, Place, CombineParts, for_each_wide)
FASTNP_COMBINES(narrow, std::uint32_t)
FASTNP_COMBINES(wide, std::int64_t)
