// The catalogue's elementwise rows as function objects over numbers: what host kernels (span.h) and device functions (cuda/device_functions) are made of.
#pragma once

#include "ops/number.h"
#include "ops/rules.h"

namespace fastnp::eager {

using ops::Number;

namespace detail {

/// Whether a row with this rule has a loop over elements of type T.
template <class T>
constexpr bool has(const ops::Rule& rule) {
    return ops::rules::has_loop(rule, dtype_of<T>);
}

}  // namespace detail

// Each row becomes a function object over Numbers: its meaning, the element type it returns, the type of its second operand.
namespace rows {
using namespace ops;  // the meanings' functions
#define MAP1(name, rule, meaning, partial, traits, doc)                               \
    struct name##_row {                                                               \
        static constexpr const ops::Rule& loops = ops::rules::rule;                   \
        template <class T>                                                            \
        using Out = element_of<ops::rules::output_of(ops::rules::rule, dtype_of<T>)>; \
        template <class T>                                                            \
        static auto call(Number<T> x) {                                               \
            return meaning;                                                           \
        }                                                                             \
    };
#define MAP2(name, rule, meaning, partial_x, partial_y, traits, doc)                           \
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

}  // namespace fastnp::eager
