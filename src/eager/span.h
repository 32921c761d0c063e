// The span kernels of one family of dtypes, found by op and dtype. Split over files so that they compile side by side.
#pragma once

#include <algorithm>

#include "eager/eager.h"
#include "eager/half.h"
#include "eager/isa.h"
#include "eager/rows.h"

namespace fastnp::eager {

SpanKernel integer_kernel(ops::Op op, Dtype dtype);
SpanKernel floating_kernel(ops::Op op, Dtype dtype);
SpanKernel complex_kernel(ops::Op op, Dtype dtype);
SpanKernel division_kernel(ops::Op op, Dtype dtype);  // of floating dtypes

namespace detail {

// Bools are read as bytes, so that whatever is not zero counts as true and loops over them vectorise.
template <class T>
Number<T> load_at(const T* from, std::int64_t i) {
    if constexpr (std::is_same_v<T, bool>) return {reinterpret_cast<const unsigned char*>(from)[i] != 0};
    else if constexpr (ops::Complex<T>)
        return {T(reinterpret_cast<const typename T::value_type*>(from)[2 * i], reinterpret_cast<const typename T::value_type*>(from)[2 * i + 1])};
    else return ops::load(from[i]);
}
template <class T, class V>
void store_at(T* to, std::int64_t i, V value) {
    if constexpr (std::is_same_v<T, bool>) reinterpret_cast<unsigned char*>(to)[i] = static_cast<unsigned char>(value);
    else if constexpr (ops::Complex<T>)
        reinterpret_cast<typename T::value_type*>(to)[2 * i] = value.real(), reinterpret_cast<typename T::value_type*>(to)[2 * i + 1] = value.imag();
    else to[i] = static_cast<T>(value);
}

template <class F, class T>
[[gnu::always_inline]] inline void map1_body(const T* x, typename F::template Out<T>* to, std::int64_t count) {
    FASTNP_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) store_at(to, i, F::call(load_at(x, i)).v);
}
template <class F, class T>
[[gnu::always_inline]] inline void map2_body(const T* x, const typename F::template SecondOf<T>* y, typename F::template Out<T>* to, std::int64_t count) {
    FASTNP_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) store_at(to, i, F::call(load_at(x, i), load_at(y, i)).v);
}

// The 16-bit floats are widened in chunks, computed as floats and rounded once.
inline constexpr std::int64_t half_chunk = 256;

template <class F, class T>
[[gnu::always_inline]] inline void half1_body(const T* x, typename F::template Out<T>* to, std::int64_t count) {
    alignas(64) float in[half_chunk];
    for (std::int64_t at = 0; at < count; at += half_chunk) {
        const std::int64_t n = std::min(half_chunk, count - at);
        widen(x + at, in, n);
        if constexpr (std::is_same_v<typename F::template Out<T>, T>) {
            for (std::int64_t i = 0; i < n; ++i) in[i] = F::call(Number<T>{in[i]}).v;
            narrow(in, to + at, n);
        } else {
            for (std::int64_t i = 0; i < n; ++i) store_at(to, at + i, F::call(Number<T>{in[i]}).v);
        }
    }
}
template <class F, class T>
[[gnu::always_inline]] inline void half2_body(const T* x, const typename F::template SecondOf<T>* y, typename F::template Out<T>* to, std::int64_t count) {
    using Y = typename F::template SecondOf<T>;
    alignas(64) float in[half_chunk];
    alignas(64) std::conditional_t<ops::is_half<Y>, float, Y> second[half_chunk];
    for (std::int64_t at = 0; at < count; at += half_chunk) {
        const std::int64_t n = std::min(half_chunk, count - at);
        widen(x + at, in, n);
        if constexpr (ops::is_half<Y>) widen(y + at, second, n);
        else std::copy(y + at, y + at + n, second);
        if constexpr (std::is_same_v<typename F::template Out<T>, T>) {
            for (std::int64_t i = 0; i < n; ++i) in[i] = F::call(Number<T>{in[i]}, Number<Y>{second[i]}).v;
            narrow(in, to + at, n);
        } else {
            for (std::int64_t i = 0; i < n; ++i) store_at(to, at + i, F::call(Number<T>{in[i]}, Number<Y>{second[i]}).v);
        }
    }
}

template <class F, class T>
[[gnu::always_inline]] inline void map1(const void* const* operands, void* out, std::int64_t count) {
    const auto* x = static_cast<const T*>(operands[0]);
    auto* to = static_cast<typename F::template Out<T>*>(out);
    if constexpr (ops::is_half<T>) half1_body<F, T>(x, to, count);
    else map1_body<F, T>(x, to, count);
}
template <class F, class T>
[[gnu::always_inline]] inline void map2(const void* const* operands, void* out, std::int64_t count) {
    const auto* x = static_cast<const T*>(operands[0]);
    const auto* y = static_cast<const typename F::template SecondOf<T>*>(operands[1]);
    auto* to = static_cast<typename F::template Out<T>*>(out);
    if constexpr (ops::is_half<T>) half2_body<F, T>(x, y, to, count);
    else map2_body<F, T>(x, y, to, count);
}

template <class F, class T>
void map1_base(const void* const* operands, void* out, std::int64_t count) {
    map1<F, T>(operands, out, count);
}
template <class F, class T>
FASTNP_V3 void map1_v3(const void* const* operands, void* out, std::int64_t count) {
    map1<F, T>(operands, out, count);
}
template <class F, class T>
FASTNP_V4 void map1_v4(const void* const* operands, void* out, std::int64_t count) {
    map1<F, T>(operands, out, count);
}
template <class F, class T>
void map2_base(const void* const* operands, void* out, std::int64_t count) {
    map2<F, T>(operands, out, count);
}
template <class F, class T>
FASTNP_V3 void map2_v3(const void* const* operands, void* out, std::int64_t count) {
    map2<F, T>(operands, out, count);
}
template <class F, class T>
FASTNP_V4 void map2_v4(const void* const* operands, void* out, std::int64_t count) {
    map2<F, T>(operands, out, count);
}

}  // namespace detail

namespace detail {

template <class T>
SpanKernel kernel_for(ops::Op op) {
    switch (op) {
#define MAP1(name, rule, meaning, partial, traits, doc)                                                                                 \
    case ops::Op::name:                                                                                                                 \
        if constexpr (has<T>(rows::name##_row::loops))                                                                                  \
            return for_host<SpanKernel>(&map1_base<rows::name##_row, T>, &map1_v3<rows::name##_row, T>, &map1_v4<rows::name##_row, T>); \
        else return nullptr;
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)                                                                    \
    case ops::Op::name:                                                                                                                 \
        if constexpr (has<T>(rows::name##_row::loops))                                                                                  \
            return for_host<SpanKernel>(&map2_base<rows::name##_row, T>, &map2_v3<rows::name##_row, T>, &map2_v4<rows::name##_row, T>); \
        else return nullptr;
#include "fastnp/ops/map.def"
        default: return nullptr;
    }
}

}  // namespace detail

}  // namespace fastnp::eager
