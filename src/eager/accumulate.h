// Lines run over by an op of two operands that gives their dtype: numpy.ufunc.accumulate and reduce, element after element. Split over files so that
// they compile side by side.
#pragma once

#include <cstdint>

#include "eager/span.h"

namespace fastnp::eager {

/// Each of `count` elements joined to the result before it. Results are `out_stride` bytes apart; at 0 the last one stays.
using LineKernel = void (*)(const char* from, std::int64_t stride, std::int64_t count, char* to, std::int64_t out_stride);

LineKernel integer_line(ops::Op joins, Dtype dtype);
LineKernel floating_line(ops::Op joins, Dtype dtype);
LineKernel complex_line(ops::Op joins, Dtype dtype);

namespace detail {

/// Whether a row's loop takes and gives elements of type T alone.
template <class F, class T>
constexpr bool stays_in() {
    if constexpr (!has<T>(F::loops)) return false;
    else return std::is_same_v<typename F::template Out<T>, T> && std::is_same_v<typename F::template SecondOf<T>, T>;
}

template <class F, class T>
void accumulate_line(const char* from, std::int64_t stride, std::int64_t count, char* to, std::int64_t out_stride) {
    Number<T> running = load_at(reinterpret_cast<const T*>(from), 0);
    store_at(reinterpret_cast<T*>(to), 0, running.v);
    for (std::int64_t i = 1; i < count; ++i) {
        from += stride;
        to += out_stride;
        T rounded;
        store_at(&rounded, 0, F::call(running, load_at(reinterpret_cast<const T*>(from), 0)).v);
        *reinterpret_cast<T*>(to) = rounded;
        running = load_at(&rounded, 0);
    }
}

template <class T>
LineKernel line_for(ops::Op joins) {
    switch (joins) {
#define MAP1(name, rule, meaning, partial, traits, doc)
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)                                 \
    case ops::Op::name:                                                                              \
        if constexpr (stays_in<rows::name##_row, T>()) return &accumulate_line<rows::name##_row, T>; \
        else return nullptr;
#include "fastnp/ops/map.def"
        default: return nullptr;
    }
}

}  // namespace detail

}  // namespace fastnp::eager
