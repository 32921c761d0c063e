// argmax and argmin along an axis: the extremes of blocks by the kernels of max and min, then the first place of the best one in its block.
#include <algorithm>
#include <memory>
#include <vector>

#include "eager/fold_span.h"
#include "eager/kernels.h"
#include "eager/order.h"
#include "eager/share_lines.h"
#include "ops/number.h"

namespace fastnp::eager {

namespace {

constexpr std::int64_t block = 4096;

// Complex numbers one after the other, as NumPy compares them.
template <class T>
std::int64_t place_by_turns(const T* x, std::int64_t count, bool greatest) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count && !is_nan(x[best]); ++i) {
        const bool better = greatest ? (ops::load(x[best]) < ops::load(x[i])).v : (ops::load(x[i]) < ops::load(x[best])).v;
        if (better || is_nan(x[i])) best = i;
    }
    return best;
}

// The running best of one line, block by block.
template <class T>
class Best {
    using A = folds::Accumulator<T>;

public:
    explicit Best(bool greatest)
        : greatest_(greatest),
          kernel_(&(is_floating(dtype_of<T>) ? floating_fold(greatest ? ops::Op::maximum : ops::Op::minimum, dtype_of<T>)
                                             : integer_fold(greatest ? ops::Op::maximum : ops::Op::minimum, dtype_of<T>))) {}

    // Whether no later block matters: of several NaN the first counts, and no bool is better than the best one.
    bool is_settled() const { return is_found_ && (held_ != held_ || (std::is_same_v<T, bool> && (held_ != 0) == greatest_)); }
    void look_at(const T* x, std::int64_t count, std::int64_t place) {
        A value;
        kernel_->span(x, count, &value);
        if (!is_better(value)) return;
        is_found_ = true;
        held_ = value;
        place_ = place + place_in(x, count);
    }
    // With the best of what follows.
    void join(const Best& later) {
        if (!is_settled() && is_better(later.held_)) *this = later;
    }
    std::int64_t place() const { return place_; }

private:
    bool is_better(A value) const { return !is_found_ || (greatest_ ? value > held_ : value < held_) || value != value; }
    std::int64_t place_in(const T* x, std::int64_t count) const {
        if (held_ != held_) return first(x, count, [](A value) { return value != value; });
        return first(x, count, [held = held_](A value) { return value == held; });
    }
    // Whole groups are looked at without a branch for each element.
    template <class Is>
    static std::int64_t first(const T* x, std::int64_t count, Is is) {
        constexpr std::int64_t group = 64;
        const auto value_at = [x](std::int64_t i) { return static_cast<A>(ops::load(x[i]).v); };
        std::int64_t i = 0;
        for (; i + group <= count; i += group) {
            std::uint32_t any = 0;
            for (std::int64_t k = 0; k < group; ++k) any |= is(value_at(i + k)) ? 1U : 0U;
            if (any != 0) break;
        }
        while (!is(value_at(i))) ++i;
        return i;
    }

    bool greatest_, is_found_ = false;
    const FoldKernel* kernel_;
    A held_{};
    std::int64_t place_ = 0;
};

// Of elements [begin, end) of a line.
template <class T>
Best<T> best_of(const char* line, std::int64_t step, std::int64_t begin, std::int64_t end, bool greatest) {
    const bool lies_close = step == static_cast<std::int64_t>(sizeof(T));
    alignas(64) char gathered[block * sizeof(T)];
    Best<T> best(greatest);
    for (std::int64_t at = begin; at < end && !best.is_settled(); at += block) {
        const std::int64_t n = std::min(block, end - at);
        const char* const x = lies_close ? line + at * step : gathered;
        if (!lies_close) gather(line + at * step, step, sizeof(T), n, gathered);
        best.look_at(reinterpret_cast<const T*>(x), n, at);
    }
    return best;
}

// A long line by all threads.
template <class T>
std::int64_t place_by_threads(const char* line, std::int64_t step, std::int64_t length, bool greatest) {
    struct Parts {
        const char* line;
        std::int64_t step, length;
        bool greatest;
        std::vector<Best<T>> found;
    };
    Parts parts{line, step, length, greatest, std::vector<Best<T>>(static_cast<std::size_t>(length / (parallel_elements / 2)), Best<T>(greatest))};
    const auto tasks = static_cast<std::int64_t>(parts.found.size());
    base::parallel_for(
        tasks,
        [](void* context, std::int64_t task, int) {
            Parts& p = *static_cast<Parts*>(context);
            const auto count = static_cast<std::int64_t>(p.found.size());
            p.found[static_cast<std::size_t>(task)] = best_of<T>(p.line, p.step, p.length * task / count, p.length * (task + 1) / count, p.greatest);
        },
        &parts);
    Best<T> best = parts.found[0];
    for (const Best<T>& later : parts.found) best.join(later);
    return best.place();
}

template <class T>
void run_lines(const Lines& lines, bool greatest, std::int64_t begin, std::int64_t end) {
    for (std::int64_t number = begin; number < end; ++number) {
        auto* const place = reinterpret_cast<std::int64_t*>(lines.to(number));
        const char* const line = lines.from(number);
        if constexpr (ops::Complex<T>) {
            const std::unique_ptr<T[]> elements(new T[static_cast<std::size_t>(lines.length)]);
            gather(line, lines.step, sizeof(T), lines.length, reinterpret_cast<char*>(elements.get()));
            *place = place_by_turns(elements.get(), lines.length, greatest);
        } else if (lines.count == 1 && lines.length >= parallel_elements && base::thread_count() > 1) {
            *place = place_by_threads<T>(line, lines.step, lines.length, greatest);
        } else {
            *place = best_of<T>(line, lines.step, 0, lines.length, greatest).place();
        }
    }
}

}  // namespace

void run_argfold(ops::Op op, const ir::Attributes& attributes, const View& x, const View& out) {
    const Lines lines(x, static_cast<std::size_t>(attributes.ints[0]), out, false);
    with_element(x.dtype, [&]<class T>() {
        share_lines(lines, [&](std::int64_t begin, std::int64_t end) { run_lines<T>(lines, op == ops::Op::argmax, begin, end); });
    });
}

}  // namespace fastnp::eager
