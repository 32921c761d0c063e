#include <limits>

#include "eager/span.h"
#include "eager/span_quotients.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// Whether a divisor is zero; or -1, by which the least number can't be divided.
template <class T>
[[gnu::always_inline]] inline bool has_awkward(const T* divisors, std::int64_t count) {
    T any = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool is_awkward = divisors[i] == 0 || (std::is_signed_v<T> && divisors[i] == static_cast<T>(-1));
        any = static_cast<T>(any | static_cast<T>(is_awkward));
    }
    return any != 0;
}

// What the processor tells of floats alone, before operands are written over.
template <class T>
void note_divisions(const T* x, const T* y, std::int64_t count) {
    unsigned flags = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (y[i] == 0) flags |= fastnp::detail::float_divide;
        else if (std::is_signed_v<T> && x[i] == std::numeric_limits<T>::min() && y[i] == static_cast<T>(-1)) flags |= fastnp::detail::float_overflow;
    }
    if (flags != 0) fastnp::detail::raise_float_flags(flags);
}

template <class T, ops::Op op>
void divided(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<T>(op);
    static const TryKernel by_floats = quotient_kernel(op, dtype_of<T>);
    constexpr std::int64_t chunk = 2048;
    for (std::int64_t at = 0; at < count; at += chunk) {
        const std::int64_t n = std::min(chunk, count - at);
        const auto* x = static_cast<const T*>(operands[0]) + at;
        const auto* y = static_cast<const T*>(operands[op == ops::Op::reciprocal ? 0 : 1]) + at;
        const void* const both[] = {x, y};
        if (by_floats != nullptr && by_floats(both, static_cast<T*>(out) + at, n)) continue;
        if (has_awkward(y, n)) note_divisions(x, y, n);
        kernel(both, static_cast<T*>(out) + at, n);
    }
}

template <class T>
SpanKernel kernel_of(ops::Op op) {
    if constexpr (!std::is_same_v<T, bool>) {
        switch (op) {
            case ops::Op::floor_divide: return &divided<T, ops::Op::floor_divide>;
            case ops::Op::remainder: return &divided<T, ops::Op::remainder>;
            case ops::Op::fmod: return &divided<T, ops::Op::fmod>;
            case ops::Op::reciprocal: return &divided<T, ops::Op::reciprocal>;
            default: break;
        }
    }
    return detail::kernel_for<T>(op);
}

}  // namespace

SpanKernel integer_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_: return kernel_of<bool>(op);
        case Dtype::int8: return kernel_of<std::int8_t>(op);
        case Dtype::int16: return kernel_of<std::int16_t>(op);
        case Dtype::int32: return kernel_of<std::int32_t>(op);
        case Dtype::int64: return kernel_of<std::int64_t>(op);
        case Dtype::uint8: return kernel_of<std::uint8_t>(op);
        case Dtype::uint16: return kernel_of<std::uint16_t>(op);
        case Dtype::uint32: return kernel_of<std::uint32_t>(op);
        case Dtype::uint64: return kernel_of<std::uint64_t>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
