// Which kernel serves an op and dtype: the C library's vector function where it has one, the row's own meaning otherwise.
#include "eager/span.h"

#include <algorithm>
#include <array>
#include <utility>

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
        for (std::int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(static_cast<const T*>(operands[0])[at + i]);
        if (function.operands == 2) {
            for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(static_cast<const T*>(operands[1])[at + i]);
        }
        run_vector_function(function, Dtype::float32, wide, r, n);
        for (std::int64_t i = 0; i < n; ++i) static_cast<T*>(out)[at + i] = static_cast<T>(r[i]);
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
    if (is_floating(dtype)) {
        if (const SpanKernel kernel = vector_kernel(op, dtype)) return kernel;
        return floating_kernel(op, dtype);
    }
    return is_complex(dtype) ? complex_kernel(op, dtype) : integer_kernel(op, dtype);
}

}  // namespace fastnp::eager
