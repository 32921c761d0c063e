#include <algorithm>
#include <span>
#include <vector>

#include "eager/span.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

constexpr std::uint16_t magnitude = 0x7fff, infinity = 0x7c00, greatest = 0x7bff;

// NumPy's of halves, worked out on their bits: the distance from an infinity is invalid, that from the greatest number overflows.
void spacing_of_halves(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<float16_t>(ops::Op::spacing);
    const auto* x = static_cast<const float16_t*>(operands[0]);
    unsigned flags = 0;
    for (const float16_t each : std::span(x, static_cast<std::size_t>(count))) {
        if ((each.bits & magnitude) == infinity) flags |= fastnp::detail::float_invalid;
        if (each.bits == greatest) flags |= fastnp::detail::float_overflow;
    }
    if (flags != 0) fastnp::detail::raise_float_flags(flags);
    kernel(operands, out, count);
}

// NumPy's of halves, as well: the step to an infinity overflows.
void nextafter_of_halves(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<float16_t>(ops::Op::nextafter);
    const auto* x = static_cast<const float16_t*>(operands[0]);
    const std::vector<float16_t> given(x, x + count);  // the result may take their place
    kernel(operands, out, count);
    const auto* made = static_cast<const float16_t*>(out);
    const auto overflows = [](float16_t from, float16_t to) { return (to.bits & magnitude) == infinity && (from.bits & magnitude) < infinity; };
    const bool any = !std::equal(given.begin(), given.end(), made, [&](float16_t from, float16_t to) { return !overflows(from, to); });
    if (any) fastnp::detail::raise_float_flags(fastnp::detail::float_overflow);
}

}  // namespace

SpanKernel floating_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            if (op == ops::Op::spacing) return &spacing_of_halves;
            if (op == ops::Op::nextafter) return &nextafter_of_halves;
            return detail::kernel_for<float16_t>(op);
        case Dtype::bfloat16: return detail::kernel_for<bfloat16_t>(op);
        case Dtype::float32: return detail::kernel_for<float>(op);
        case Dtype::float64: return detail::kernel_for<double>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
