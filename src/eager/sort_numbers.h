// Numbers without NaN in order, by vectors and threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "eager/vector_sort.h"

namespace fastnp::eager {

/// The types that vectors sort as they are.
template <class T>
constexpr bool has_vector_sort =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
const SortOf<T>& vector_sort_of() {
    const VectorSort& sorts = vector_sort();
    if constexpr (std::is_same_v<T, std::int32_t>) return sorts.int32;
    else if constexpr (std::is_same_v<T, std::int64_t>) return sorts.int64;
    else if constexpr (std::is_same_v<T, float>) return sorts.float32;
    else return sorts.float64;
}

/// Threads share a long line: it is parted at medians.
template <class T>
void sort_numbers(T* line, std::int64_t count);

}  // namespace fastnp::eager
