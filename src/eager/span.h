// The span kernels of one family of dtypes, found by op and dtype. Split over files so that they compile side by side.
#pragma once

#include "eager/eager.h"
#include "ops/number.h"
#include "ops/rules.h"

namespace fastnp::eager {

SpanKernel integer_kernel(ops::Op op, Dtype dtype);
SpanKernel floating_kernel(ops::Op op, Dtype dtype);
SpanKernel complex_kernel(ops::Op op, Dtype dtype);

namespace detail {

template <class T>
constexpr bool has(const ops::Rule& rule) {
    return ops::rules::has_loop(rule, dtype_of<T>);
}

template <class T>
using Second = T;

template <class F, class T>
void map1(const void* const* operands, void* out, std::int64_t count) {
    const T* x = static_cast<const T*>(operands[0]);
    using R = decltype(F::call(ops::load(*x)));
    using Out = typename F::template Out<T>;
    Out* to = static_cast<Out*>(out);
    (void)sizeof(R);
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(F::call(ops::load(x[i])).v);
}

template <class F, class T>
void map2(const void* const* operands, void* out, std::int64_t count) {
    using Y = typename F::template SecondOf<T>;
    const T* x = static_cast<const T*>(operands[0]);
    const Y* y = static_cast<const Y*>(operands[1]);
    using Out = typename F::template Out<T>;
    Out* to = static_cast<Out*>(out);
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(F::call(ops::load(x[i]), ops::load(y[i])).v);
}

}  // namespace detail

// Each row becomes a function object over Numbers: its meaning, the element type it returns, the type of its second operand.
namespace rows {
using namespace ops;  // the meanings' functions
#define MAP1(name, rule, meaning, traits, doc)                                        \
    struct name##_row {                                                               \
        static constexpr const ops::Rule& loops = ops::rules::rule;                   \
        template <class T>                                                            \
        using Out = element_of<ops::rules::output_of(ops::rules::rule, dtype_of<T>)>; \
        template <class T>                                                            \
        static auto call(Number<T> x) {                                               \
            return meaning;                                                           \
        }                                                                             \
    };
#define MAP2(name, rule, meaning, traits, doc)                                                 \
    struct name##_row {                                                                        \
        static constexpr const ops::Rule& loops = ops::rules::rule;                            \
        template <class T>                                                                     \
        using Out = element_of<ops::rules::output_of(ops::rules::rule, dtype_of<T>)>;          \
        template <class T>                                                                     \
        using SecondOf = std::conditional_t<ops::rules::rule.integer_second, std::int32_t, T>; \
        template <class T, class Y>                                                            \
        static auto call(Number<T> x, Number<Y> y) {                                           \
            return meaning;                                                                    \
        }                                                                                      \
    };
#include "fastnp/ops/map.def"
}  // namespace rows

namespace detail {

template <class T>
SpanKernel kernel_for(ops::Op op) {
    switch (op) {
#define MAP1(name, rule, meaning, traits, doc)                                            \
    case ops::Op::name:                                                                   \
        if constexpr (has<T>(rows::name##_row::loops)) return &map1<rows::name##_row, T>; \
        else return nullptr;
#define MAP2(name, rule, meaning, traits, doc)                                            \
    case ops::Op::name:                                                                   \
        if constexpr (has<T>(rows::name##_row::loops)) return &map2<rows::name##_row, T>; \
        else return nullptr;
#include "fastnp/ops/map.def"
        default: return nullptr;
    }
}

}  // namespace detail

}  // namespace fastnp::eager
