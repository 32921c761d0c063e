// x86-simd-sort's functions of one instruction set: vector_sort_{v3,v4}.cpp are this with other flags of the compiler.
#pragma once

#include <x86simdsort-static-incl.h>
#include <bit>
#include <cstdlib>

#include "eager/vector_sort.h"

namespace fastnp::eager::vector_sorts {

namespace {

template <class T>
[[gnu::noinline]] void sort(T* line, std::size_t count) {
    x86simdsortStatic::qsort(line, count);
}

template <class T>
[[gnu::noinline]] void select(T* line, std::size_t place, std::size_t count) {
    x86simdsortStatic::qselect(line, place, count);
}

// By bits: NaN is beyond infinity, without its sign.
template <class T, class Bits>
[[gnu::noinline]] bool is_plain(const T* line, std::size_t count) {
    constexpr Bits low = ~Bits{0} >> 1, infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    Bits odd = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Bits bits = std::bit_cast<Bits>(line[i]);
        odd |= ((bits & low) > infinity || bits == low + 1) ? Bits{1} : Bits{0};
    }
    return odd == 0;
}

template <class T>
bool holds(const T* /*line*/, std::size_t /*count*/) {
    return true;
}

constexpr VectorSort functions = {{sort<std::int32_t>, select<std::int32_t>, holds<std::int32_t>},
                                  {sort<std::int64_t>, select<std::int64_t>, holds<std::int64_t>},
                                  {sort<float>, select<float>, is_plain<float, std::uint32_t>},
                                  {sort<double>, select<double>, is_plain<double, std::uint64_t>}};

}  // namespace

}  // namespace fastnp::eager::vector_sorts
