#include <algorithm>

#include "eager/span.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// NumPy's of halves, worked out on their bits: the distance from an infinity is invalid.
void spacing_of_halves(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<float16_t>(ops::Op::spacing);
    const auto* x = static_cast<const float16_t*>(operands[0]);
    constexpr std::uint16_t magnitude = 0x7fff, infinity = 0x7c00;
    const bool any = std::any_of(x, x + count, [](float16_t each) { return (each.bits & magnitude) == infinity; });
    if (any) fastnp::detail::raise_float_flags(fastnp::detail::float_invalid);
    kernel(operands, out, count);
}

}  // namespace

SpanKernel floating_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            if (op == ops::Op::spacing) return &spacing_of_halves;
            return detail::kernel_for<float16_t>(op);
        case Dtype::bfloat16: return detail::kernel_for<bfloat16_t>(op);
        case Dtype::float32: return detail::kernel_for<float>(op);
        case Dtype::float64: return detail::kernel_for<double>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
