// Numbers of one array put in order by vectors: x86-simd-sort's functions, for each instruction set that it knows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eager/isa.h"

namespace fastnp::eager {

/// For elements of one type without NaN; a zero may become the other one.
template <class T>
struct SortOf {
    void (*sort)(T* line, std::size_t count);
    /// The element that belongs at `place` is put there, smaller ones before it, larger ones behind.
    void (*select)(T* line, std::size_t place, std::size_t count);
    /// Whether there is no NaN and no zero below zero; the same as true of integers.
    bool (*is_plain)(const T* line, std::size_t count);
};

struct VectorSort {
    SortOf<std::int32_t> int32;
    SortOf<std::int64_t> int64;
    SortOf<float> float32;
    SortOf<double> float64;
};

/// This machine's; by the standard library where it has none.
const VectorSort& vector_sort();

namespace vector_sorts {

extern const VectorSort base, v3, v4;

}  // namespace vector_sorts

}  // namespace fastnp::eager
