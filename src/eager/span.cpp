// Which kernel serves an op and dtype: the C library's vector function where it has one, the row's own meaning otherwise.
#include "eager/span.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eager/half.h"
#include "eager/vector_math.h"

namespace fastnp::eager {

namespace {

template <ops::Op op, class T>
void by_vector(const void* const* operands, void* out, std::int64_t count) {
    static const VectorFunction& function = *vector_function(op, dtype_of<T>);
    run_vector_function(function, dtype_of<T>, operands, out, count);
}

// The 16-bit floats go through float32's function in chunks.
template <ops::Op op, class T>
void by_vector_half(const void* const* operands, void* out, std::int64_t count) {
    static const VectorFunction& function = *vector_function(op, Dtype::float32);
    constexpr std::int64_t chunk = 256;
    alignas(64) float x[chunk], y[chunk], r[chunk];
    const void* wide[] = {x, y};
    for (std::int64_t at = 0; at < count; at += chunk) {
        const std::int64_t n = std::min(chunk, count - at);
        widen(static_cast<const T*>(operands[0]) + at, x, n);
        if (function.operands == 2) widen(static_cast<const T*>(operands[1]) + at, y, n);
        run_vector_function(function, Dtype::float32, wide, r, n);
        narrow(r, static_cast<T*>(out) + at, n);
    }
}

template <ops::Op op>
SpanKernel vector_kernel(Dtype dtype) {
    if (vector_function(op, dtype == Dtype::float64 ? Dtype::float64 : Dtype::float32) == nullptr) return nullptr;
    switch (dtype) {
        case Dtype::float16: return &by_vector_half<op, float16_t>;
        case Dtype::bfloat16: return &by_vector_half<op, bfloat16_t>;
        case Dtype::float32: return &by_vector<op, float>;
        case Dtype::float64: return &by_vector<op, double>;
        default: return nullptr;
    }
}

// A complex number's modulus: its parts go to hypot.
template <class R>
void modulus(const void* const* operands, void* out, std::int64_t count) {
    static const VectorFunction& hypot = *vector_function(ops::Op::hypot, dtype_of<R>);
    constexpr std::int64_t chunk = 256;
    alignas(64) R re[chunk], im[chunk];
    const void* parts[] = {re, im};
    for (std::int64_t at = 0; at < count; at += chunk) {
        const std::int64_t n = std::min(chunk, count - at);
        const R* x = static_cast<const R*>(operands[0]) + 2 * at;
        for (std::int64_t i = 0; i < n; ++i) {
            re[i] = x[2 * i];
            im[i] = x[2 * i + 1];
        }
        run_vector_function(hypot, dtype_of<R>, parts, static_cast<R*>(out) + at, n);
    }
}

SpanKernel vector_kernel(ops::Op op, Dtype dtype) {
    switch (op) {
#define VECTOR(name, stem, operands) \
    case ops::Op::name: return vector_kernel<ops::Op::name>(dtype);
#include "eager/vector_math.def"
        default: return nullptr;
    }
}

}  // namespace

SpanKernel span_kernel(ops::Op op, Dtype dtype) {
    const ops::Rule* rule = ops::info(op).rule;
    if (rule == nullptr || !ops::rules::has_loop(*rule, dtype)) return nullptr;
    if (is_floating(dtype)) {
        if (const SpanKernel kernel = vector_kernel(op, dtype)) return kernel;
        if (const SpanKernel kernel = division_kernel(op, dtype)) return kernel;
        return floating_kernel(op, dtype);
    }
    if (op == ops::Op::absolute && is_complex(dtype) && vector_function(ops::Op::hypot, real_of(dtype)) != nullptr) {
        return dtype == Dtype::complex64 ? &modulus<float> : &modulus<double>;
    }
    return is_complex(dtype) ? complex_kernel(op, dtype) : integer_kernel(op, dtype);
}

}  // namespace fastnp::eager
