#include "eager/vector_sort.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace fastnp::eager {

namespace vector_sorts {

namespace {

template <class T>
void sort(T* line, std::size_t count) {
    std::sort(line, line + count);
}

template <class T>
void select(T* line, std::size_t place, std::size_t count) {
    std::nth_element(line, line + place, line + count);
}

template <class T>
bool is_plain(const T* line, std::size_t count) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::none_of(line, line + count, [](T x) { return std::isnan(x) || (x == 0 && std::signbit(x)); });
    }
    return true;
}

template <class T>
constexpr SortOf<T> of = {sort<T>, select<T>, is_plain<T>};

}  // namespace

const VectorSort base = {of<std::int32_t>, of<std::int64_t>, of<float>, of<double>};
#if !defined(__x86_64__)
const VectorSort v3 = base, v4 = base;
#endif

}  // namespace vector_sorts

const VectorSort& vector_sort() { return *for_host(&vector_sorts::base, &vector_sorts::v3, &vector_sorts::v4); }

}  // namespace fastnp::eager
