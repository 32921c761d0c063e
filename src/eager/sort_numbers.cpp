#include "eager/sort_numbers.h"

#include <cstddef>
#include <vector>

#include "base/thread_pool.h"

namespace fastnp::eager {

namespace {

// Below this one thread is fastest.
constexpr std::int64_t shared_length = 65536;

// Neighbouring parts of a line, none of whose elements belongs into another one: part p is [ends[p], ends[p + 1]).
template <class T>
struct Parts {
    T* line;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> middles;

    std::int64_t count() const { return static_cast<std::int64_t>(ends.size()) - 1; }
    std::size_t length(std::size_t part) const { return static_cast<std::size_t>(ends[part + 1] - ends[part]); }

    // Each in two.
    void halve() {
        middles.assign(ends.size() - 1, 0);
        base::parallel_for(
            count(),
            [](void* context, std::int64_t task, int) {
                auto& parts = *static_cast<Parts*>(context);
                const auto part = static_cast<std::size_t>(task);
                const std::size_t half = parts.length(part) / 2;
                vector_sort_of<T>().select(parts.line + parts.ends[part], half, parts.length(part));
                parts.middles[part] = parts.ends[part] + static_cast<std::int64_t>(half);
            },
            this);
        std::vector<std::int64_t> all;
        for (std::size_t part = 0; part < middles.size(); ++part) all.insert(all.end(), {ends[part], middles[part]});
        all.push_back(ends.back());
        ends = std::move(all);
    }
    void sort() {
        base::parallel_for(
            count(),
            [](void* context, std::int64_t task, int) {
                auto& parts = *static_cast<Parts*>(context);
                const auto part = static_cast<std::size_t>(task);
                vector_sort_of<T>().sort(parts.line + parts.ends[part], parts.length(part));
            },
            this);
    }
};

}  // namespace

template <class T>
void sort_numbers(T* line, std::int64_t count) {
    const std::int64_t threads = count < shared_length ? 1 : base::thread_count();
    if (threads == 1) return vector_sort_of<T>().sort(line, static_cast<std::size_t>(count));
    Parts<T> parts{line, {0, count}, {}};
    while (parts.count() < threads && count / parts.count() >= shared_length) parts.halve();
    parts.sort();
}

template void sort_numbers(std::int32_t*, std::int64_t);
template void sort_numbers(std::int64_t*, std::int64_t);
template void sort_numbers(float*, std::int64_t);
template void sort_numbers(double*, std::int64_t);

}  // namespace fastnp::eager
