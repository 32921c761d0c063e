// Places in lines that are in order.
#include <algorithm>
#include <memory>

#include "base/thread_pool.h"
#include "eager/iterate.h"
#include "eager/kernels.h"
#include "eager/order.h"

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

    void run(std::int64_t i) const {
        const T& value = *reinterpret_cast<const T*>(values + i * value_stride);
        const T* const end = sorted + length;
        const T* const found = behind ? std::upper_bound(sorted, end, value, sorts_before<T>) : std::lower_bound(sorted, end, value, sorts_before<T>);
        *reinterpret_cast<std::int64_t*>(places + i * place_stride) = found - sorted;
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
    with_element(values.dtype, [&]<class T>() {
        const std::int64_t length = sorted.shape[axis];
        const std::unique_ptr<T[]> line(new T[static_cast<std::size_t>(length)]);
        std::int64_t lines = 0;
        for_each_line(sorted, axis, out, true, [&](char* from, char* places) {
            std::int64_t value_bytes = 0, number = lines++;
            for (std::size_t i = axis; i-- > 0;) {
                value_bytes += number % values.shape[i] * values.strides[i];
                number /= values.shape[i];
            }
            gather(from, sorted.strides[axis], sizeof(T), length, reinterpret_cast<char*>(line.get()));
            const char* const first = static_cast<const char*>(values.data) + value_bytes;
            Search<T>{line.get(), length, first, places, values.shape[axis], values.strides[axis], out.strides[axis], attributes.ints[0] != 0}.run_all();
        });
    });
}

}  // namespace fastnp::eager
