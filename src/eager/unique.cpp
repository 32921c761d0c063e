// The different elements of a line, by its order.
#include "eager/unique.h"

#include <algorithm>

#include "eager/kernels.h"
#include "eager/order.h"
#include "eager/sort_line.h"

namespace fastnp::eager {

namespace {

template <class T>
bool are_alike(const T& a, const T& b, bool equal_nan) {
    if constexpr (std::is_integral_v<T>) return a == b;
    else return (ops::load(a) == ops::load(b)).v || (equal_nan && is_nan(a) && is_nan(b));
}

}  // namespace

std::int64_t sort_unique(const View& line, bool equal_nan, std::int64_t* starts) {
    std::int64_t found = 0;
    with_element(line.dtype, [&]<class T>() {
        T* const x = static_cast<T*>(line.data);
        const std::int64_t count = line.shape[0];
        sort_line(x, count);
        // Each element is written, and kept if the next one differs: no branch to guess.
        T last = count == 0 ? T() : x[0];
        for (std::int64_t i = 0; i < count; ++i) {
            const T each = x[i];
            const bool is_first = i == 0 || !are_alike(last, each, equal_nan);
            last = each;
            if (starts != nullptr) starts[found] = i;
            x[found] = each;
            found += is_first ? 1 : 0;
        }
    });
    return found;
}

std::int64_t order_unique(const View& line, bool equal_nan, void* values, const UniquePlaces& places) {
    std::int64_t found = 0;
    with_element(line.dtype, [&]<class T>() {
        const T* const x = static_cast<const T*>(line.data);
        T* const to = static_cast<T*>(values);
        const std::int64_t count = line.shape[0];
        order_line(x, count, places.indices);
        T last = T();
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t place = places.indices[i];
            const T each = x[place];
            if (i == 0 || !are_alike(last, each, equal_nan)) {
                places.indices[found] = place;
                places.starts[found] = i;
                to[found++] = each;
            }
            places.inverse[place] = found - 1;
            last = each;
        }
    });
    return found;
}

}  // namespace fastnp::eager
