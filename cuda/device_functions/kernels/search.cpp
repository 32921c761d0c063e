// Places in lines that are in order, for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes.
#include "eager/order.h"
#include "threads.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

using T = element_of<Dtype::FASTNP_DTYPE>;
constexpr int each = codegen::search_each;
constexpr std::int64_t most_marks = codegen::search_bytes / sizeof(T);

// Whether a value goes behind an element: one that is less, or equal.
[[gnu::always_inline]] inline bool is_behind(const T& value, const T& element, bool goes_behind_equals) {
    return goes_behind_equals ? !eager::sorts_before(value, element) : eager::sorts_before(element, value);
}

// How many of so many elements from `begin` on some values go behind, added to each value's `begin`. All take the same steps, so that a thread has several
// loads on their way. There are none from `length` on.
[[gnu::always_inline]] inline void search(const T* elements, std::int64_t length, std::int64_t count, const T (&values)[each], bool goes_behind_equals,
                                          std::int64_t (&begin)[each]) {
    while (count > 0) {
        const std::int64_t half = count - count / 2;
#pragma unroll
        for (int k = 0; k < each; ++k) {
            const std::int64_t last = begin[k] + half - 1;
            if (last < length && is_behind(values[k], elements[last], goes_behind_equals)) begin[k] += half;
        }
        count -= half;
    }
}

}  // namespace

// places[line, i]: where values[line, i] goes in sorted[line]. A line's values are shared out in parts; a block has one at a time, and holds elements of
// the line at equal distances, the marks, among which values are looked for first.
extern "C" [[gnu::weak]] void searchsorted(const T* sorted, const T* values, std::int64_t* places, std::int64_t length, std::int64_t count,
                                           std::int64_t goes_behind_equals, std::int64_t parts,
                                           std::int64_t units) __asm__("fastnp_kernel_searchsorted_" FASTNP_DTYPE_TEXT);
void searchsorted(const T* sorted, const T* values, std::int64_t* places, std::int64_t length, std::int64_t count, std::int64_t goes_behind_equals,
                  std::int64_t parts, std::int64_t units) {
    FASTNP_SHARED(T, marks, most_marks);
    const std::int64_t distance = (length + most_marks - 1) / most_marks, marked = distance == 0 ? 0 : length / distance;
    std::int64_t held = -1;
    for (std::int64_t unit = block(); unit < units; unit += blocks()) {
        const std::int64_t line = unit / parts, first = (unit - line * parts) * codegen::search_tile + thread();
        const T* const elements = sorted + line * length;
        if (line != held) {
            barrier();
            for (std::int64_t i = thread(); i < marked; i += threads) marks[i] = elements[(i + 1) * distance - 1];
            barrier();
            held = line;
        }
        T own[each];
        std::int64_t begin[each] = {};
#pragma unroll
        for (int k = 0; k < each; ++k) {
            own[k] = T{};
            if (first + k * threads < count) own[k] = values[line * count + first + k * threads];
        }
        search(marks, marked, marked, own, goes_behind_equals != 0, begin);
#pragma unroll
        for (int k = 0; k < each; ++k) begin[k] *= distance;
        search(elements, length, distance - 1, own, goes_behind_equals != 0, begin);
#pragma unroll
        for (int k = 0; k < each; ++k) {
            if (first + k * threads < count) places[line * count + first + k * threads] = begin[k];
        }
    }
}
