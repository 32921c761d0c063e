// xsimd's functions of one instruction set: xsimd_{base,v3,v4}.cpp are this with other flags of the compiler.
#pragma once

#include <cfloat>
#include <cmath>
#include <xsimd/xsimd.hpp>

#include "eager/xsimd_math.h"

namespace fastnp::eager::xsimd_math {

namespace {

// A row's arguments: between two ends, and none but zero that is nearer to it than `tiny`. Zeros that are to stay what they are.
template <class T>
struct Usual {
    T least, largest, tiny;
    bool keeps_zeros;
};

// The numbers among x that are not usual have the C library's results.
template <class Batch, class One>
[[gnu::noinline]] Batch patched(Batch x, Batch result, Batch usual, One one) {
    using T = typename Batch::value_type;
    alignas(64) T arguments[Batch::size], results[Batch::size], is_usual[Batch::size];
    x.store_aligned(arguments);
    result.store_aligned(results);
    usual.store_aligned(is_usual);
    for (std::size_t i = 0; i < Batch::size; ++i) {
        if (is_usual[i] == T(0)) results[i] = one(arguments[i]);
    }
    return Batch::load_aligned(results);
}

// What it computes stays between two looks at the processor's status flags.
template <class Batch>
[[gnu::always_inline]] inline Batch pinned(Batch x) {
    typename Batch::register_type each = x;
    asm volatile("" : "+v"(each));
    return each;
}

// (The compiler's own functions of that name are pure ones to it: two looks are one.)
inline unsigned status() {
    unsigned now = 0;
    asm volatile("stmxcsr %0" : "=m"(now));
    return now;
}

// Usual arguments raise no flag but "inexact": xsimd computes all of a function's branches, and raises flags for those that it leaves out.
template <class Batch, class All>
[[gnu::always_inline]] inline Batch quiet(Batch x, All all) {
    constexpr unsigned errors = _MM_EXCEPT_INVALID | _MM_EXCEPT_DIV_ZERO | _MM_EXCEPT_OVERFLOW | _MM_EXCEPT_UNDERFLOW;
    const unsigned before = status();
    const Batch result = pinned(Batch(all(pinned(x))));
    const unsigned after = status();
    if (((after & ~before) & errors) != 0) _mm_setcsr((after & ~errors) | (before & errors));
    return result;
}

template <class Batch, class All, class One>
[[gnu::always_inline]] inline typename Batch::register_type applied(Batch x, Usual<typename Batch::value_type> usual, All all, One one) {
    Batch replaced;
    Batch result = quiet(x, [&](Batch v) {
        auto inside = (v >= Batch(usual.least)) & (v <= Batch(usual.largest));
        if (usual.tiny > 0) inside = inside & ((xsimd::abs(v) >= Batch(usual.tiny)) | (v == Batch(0)));
        replaced = xsimd::select(inside, v, Batch(usual.largest));
        return all(replaced);
    });
    if (usual.keeps_zeros) result = xsimd::select(x == Batch(0), x, result);
    const auto is_usual = replaced == x;
    if (xsimd::all(is_usual)) return result;
    return patched(x, result, xsimd::select(is_usual, Batch(1), Batch(0)), one);
}

using Singles = xsimd::batch<float, FASTNP_XSIMD_ARCH>;
using Doubles = xsimd::batch<double, FASTNP_XSIMD_ARCH>;

#define XSIMD(name, stem, least32, largest32, least64, largest64, tiny64, keeps_zeros)                                                                    \
    Singles::register_type name##_float32(Singles::register_type x) {                                                                                     \
        return applied(Singles(x), {least32, largest32, 0, keeps_zeros}, [](Singles v) { return xsimd::stem(v); }, [](float v) { return std::stem(v); }); \
    }                                                                                                                                                     \
    Doubles::register_type name##_float64(Doubles::register_type x) {                                                                                     \
        return applied(                                                                                                                                   \
            Doubles(x), {least64, largest64, tiny64, keeps_zeros}, [](Doubles v) { return xsimd::stem(v); }, [](double v) { return std::stem(v); });      \
    }
#include "eager/xsimd_math.def"

void* function(ir::Op op, Dtype dtype) {
#define XSIMD(name, ...) \
    if (op == ir::Op::name) return dtype == Dtype::float32 ? reinterpret_cast<void*>(&name##_float32) : reinterpret_cast<void*>(&name##_float64);
#include "eager/xsimd_math.def"
    return nullptr;
}

}  // namespace

}  // namespace fastnp::eager::xsimd_math
