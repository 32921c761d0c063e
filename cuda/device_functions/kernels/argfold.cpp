// The place of the first maximum or minimum of lines, for one dtype: FASTNP_DTYPE is the enumerator, FASTNP_DTYPE_TEXT its NumPy name in quotes.
#include "eager/order.h"
#include "threads.h"

using namespace fastnp;
using namespace fastnp::kernels;

namespace {

using T = element_of<Dtype::FASTNP_DTYPE>;

// An element and its place in its line; -1: none.
struct Best {
    T element;
    std::int64_t place;
};

// As comparing one after the other finds it, in any order: NaN is best, of equals the first.
[[gnu::always_inline]] inline bool is_better(const Best& x, const Best& y, bool greatest) {
    if (x.place < 0 || y.place < 0) return y.place < 0;
    const bool x_nan = eager::is_nan(x.element), y_nan = eager::is_nan(y.element);
    if (x_nan || y_nan) return x_nan && (!y_nan || x.place < y.place);
    const bool less = (ops::load(x.element) < ops::load(y.element)).v, more = (ops::load(y.element) < ops::load(x.element)).v;
    return less == more ? x.place < y.place : greatest == more;
}

// Whether an element is better than one that comes before it.
[[gnu::always_inline]] inline bool is_better_later(const T& x, const T& before, bool greatest) {
    if (eager::is_nan(before)) return false;
    return (greatest ? ops::load(before) < ops::load(x) : ops::load(x) < ops::load(before)).v || eager::is_nan(x);
}

// The best of elements begin, begin + step, ... below end, several of which are on their way at a time.
[[gnu::always_inline]] inline Best best_of(const char* from, std::int64_t stride, std::int64_t begin, std::int64_t end, std::int64_t step, bool greatest) {
    constexpr int ahead = sizeof(T) > 8 ? 4 : 8;
    if (begin >= end) return {T{}, -1};
    Best best{*reinterpret_cast<const T*>(at(from, begin * stride)), begin};
    std::int64_t i = begin + step;
    for (; i + (ahead - 1) * step < end; i += ahead * step) {
        T next[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) next[k] = *reinterpret_cast<const T*>(at(from, (i + k * step) * stride));
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            if (is_better_later(next[k], best.element, greatest)) best = {next[k], i + k * step};
        }
    }
    for (; i < end; i += step) {
        const T next = *reinterpret_cast<const T*>(at(from, i * stride));
        if (is_better_later(next, best.element, greatest)) best = {next, i};
    }
    return best;
}

}  // namespace

// Of each line, in `parts` of so many elements each, the best element's place: out[line, part]. A team of threads (a power of two) has a part. With
// `candidates`, these are the places in the line that are looked at, contiguous. Lines are numbered along three axes, the last one the fastest.
extern "C" [[gnu::weak]] void argfold(const char* x, const std::int64_t* candidates, char* out, std::int64_t greatest, std::int64_t team,
                                      std::int64_t count, std::int64_t stride, std::int64_t parts, std::int64_t part_length, std::int64_t part_stride,
                                      std::int64_t units, std::int64_t n1, std::int64_t n2, std::int64_t x0, std::int64_t x1, std::int64_t x2,
                                      std::int64_t o0, std::int64_t o1, std::int64_t o2) __asm__("fastnp_kernel_argfold_" FASTNP_DTYPE_TEXT);
void argfold(const char* x, const std::int64_t* candidates, char* out, std::int64_t greatest, std::int64_t team, std::int64_t count, std::int64_t stride,
             std::int64_t parts, std::int64_t part_length, std::int64_t part_stride, std::int64_t units, std::int64_t n1, std::int64_t n2, std::int64_t x0,
             std::int64_t x1, std::int64_t x2, std::int64_t o0, std::int64_t o1, std::int64_t o2) {
    FASTNP_SHARED(T, elements, threads);
    FASTNP_SHARED(std::int64_t, places, threads);
    const std::int64_t rank = thread() & (team - 1), of_block = threads / team;
    for (std::int64_t first = block() * of_block; first < units; first += blocks() * of_block) {
        const std::int64_t unit = first + thread() / team, line = unit / parts, part = unit - line * parts;
        const std::int64_t l2 = line % n2, l1 = line / n2 % n1, l0 = line / n2 / n1;
        const char* from = at(x, l0 * x0 + l1 * x1 + l2 * x2);
        const std::int64_t* chosen = candidates == nullptr ? nullptr : candidates + line * count;
        Best best{T{}, -1};
        if (unit < units) {
            const std::int64_t begin = part * part_length, end = begin + part_length < count ? begin + part_length : count;
            if (chosen == nullptr) best = best_of(from, stride, begin + rank, end, team, greatest != 0);
            for (std::int64_t i = begin + rank; chosen != nullptr && i < end; i += team) {
                const Best next{*reinterpret_cast<const T*>(at(from, chosen[i] * stride)), chosen[i]};
                if (is_better(next, best, greatest != 0)) best = next;
            }
        }
        for (std::int64_t distance = team / 2; distance > 0; distance /= 2) {
            barrier();
            elements[thread()] = best.element;
            places[thread()] = best.place;
            barrier();
            const std::int64_t other = thread() ^ distance;
            const Best next{elements[other], places[other]};
            if (is_better(next, best, greatest != 0)) best = next;
        }
        if (rank == 0 && unit < units) *reinterpret_cast<std::int64_t*>(at(out, l0 * o0 + l1 * o1 + l2 * o2 + part * part_stride)) = best.place;
    }
}
