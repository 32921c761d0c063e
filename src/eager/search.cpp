// Places in lines that are in order.
#include <algorithm>
#include <memory>

#include "base/thread_pool.h"
#include "eager/kernels.h"
#include "eager/order.h"
#include "eager/share_lines.h"

namespace fastnp::eager {

namespace {

// A sorted line, and where what is looked for in it lies, and its places.
template <class T>
struct Search {
    const T* sorted;
    std::int64_t length;
    const char* values;
    char* places;
    std::int64_t count, value_stride, place_stride;
    bool behind;

    // Half of what is left is kept at each step: no branch to guess. `stays_left`: the element lies before the place.
    template <class StaysLeft>
    std::int64_t place(StaysLeft stays_left) const {
        std::int64_t begin = 0, left = length;
        while (left > 1) {
            const std::int64_t half = left / 2;
            begin += stays_left(sorted[begin + half - 1]) ? half : 0;
            left -= half;
        }
        return begin + (left == 1 && stays_left(sorted[begin]) ? 1 : 0);
    }
    void run(std::int64_t i) const {
        const T value = *reinterpret_cast<const T*>(values + i * value_stride);
        std::int64_t& to = *reinterpret_cast<std::int64_t*>(places + i * place_stride);
        if constexpr (!ops::Complex<T>) {
            const auto x = ops::load(value).v;
            if (x == x) {  // then NaN, which is last, is not before it either way
                to = behind ? place([x](const T& each) { return ops::load(each).v <= x; }) : place([x](const T& each) { return ops::load(each).v < x; });
                return;
            }
        }
        to = behind ? place([&](const T& each) { return !sorts_before(value, each); }) : place([&](const T& each) { return sorts_before(each, value); });
    }
    void run_all() const {
        constexpr std::int64_t block = 4096;  // of tasks
        const auto task = [](void* context, std::int64_t number, int) {
            const auto& search = *static_cast<const Search*>(context);
            const std::int64_t end = std::min((number + 1) * block, search.count);
            for (std::int64_t i = number * block; i < end; ++i) search.run(i);
        };
        base::parallel_for((count + block - 1) / block, task, const_cast<Search*>(this));
    }
};

}  // namespace

void run_searchsorted(const ir::Attributes& attributes, const View& sorted, const View& values, const View& out) {
    const std::size_t axis = values.shape.size() - 1;
    const Lines lines(sorted, axis, out, true), looked_for(values, axis, out, true);
    with_element(values.dtype, [&]<class T>() {
        const std::unique_ptr<T[]> line(new T[static_cast<std::size_t>(lines.length)]);
        for (std::int64_t number = 0; number < lines.count; ++number) {
            gather(lines.from(number), lines.step, sizeof(T), lines.length, reinterpret_cast<char*>(line.get()));
            const bool behind = attributes.ints[0] != 0;
            Search<T>{line.get(), lines.length, looked_for.from(number), lines.to(number), looked_for.length, looked_for.step, lines.to_step, behind}
                .run_all();
        }
    });
}

}  // namespace fastnp::eager
