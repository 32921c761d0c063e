// The dtype rules that map rows name: which loops there are. Constant expressions, so that kernels are compiled for those alone.
#pragma once

#include "ops/catalogue.h"

namespace fastnp::ops::rules {

inline constexpr Rule all{"all", "?bBhHiIqQeEfdFD"};
inline constexpr Rule no_bool{"no_bool", "bBhHiIqQeEfdFD"};
inline constexpr Rule real{"real", "?bBhHiIqQeEfd"};
inline constexpr Rule real_no_bool{"real_no_bool", "bBhHiIqQeEfd"};
inline constexpr Rule inexact{"inexact", "eEfdFD"};
inline constexpr Rule real_inexact{"real_inexact", "eEfd"};
inline constexpr Rule integers{"integers", "bBhHiIqQ"};
inline constexpr Rule bits{"bits", "?bBhHiIqQ"};
inline constexpr Rule wide{"wide", "dD"};
inline constexpr Rule division{"division", "eEfdFD", Output::same, true};
inline constexpr Rule scaled{"scaled", "eEfd", Output::same, false, true};
inline constexpr Rule to_real{"to_real", "?bBhHiIqQeEfdFD", Output::real_part};
inline constexpr Rule to_complex{"to_complex", "fd", Output::complex};
inline constexpr Rule to_bool{"to_bool", "?bBhHiIqQeEfdFD", Output::boolean};
inline constexpr Rule compare{"compare", "?bBhHiIqQeEfdFD", Output::boolean};
inline constexpr Rule real_inexact_to_bool{"real_inexact_to_bool", "eEfd", Output::boolean};
inline constexpr Rule real_inexact_to_int32{"real_inexact_to_int32", "eEfd", Output::int32};
inline constexpr Rule integers_to_uint8{"integers_to_uint8", "bBhHiIqQ", Output::uint8};

/// Whether a rule has a loop that computes in `dtype`.
constexpr bool has_loop(const Rule& rule, Dtype dtype) { return rule.loops.find(code_of(dtype)) != std::string_view::npos; }

/// The dtype that a loop in `dtype` returns.
constexpr Dtype output_of(const Rule& rule, Dtype dtype) {
    switch (rule.output) {
        case Output::same: return dtype;
        case Output::boolean: return Dtype::bool_;
        case Output::real_part: return real_of(dtype);
        case Output::complex: return complex_of(dtype);
        case Output::uint8: return Dtype::uint8;
        case Output::int32: return Dtype::int32;
    }
    return dtype;
}

}  // namespace fastnp::ops::rules
