#include <cmath>

#include "eager/span.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// NumPy looks whether a real exponent is a whole number by a cast to one, which is invalid for what is too large, and for NaN. So are powers of zero but
// by real exponents above zero, and by zero.
template <class R>
void power(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<std::complex<R>>(ops::Op::power);
    const auto* bases = static_cast<const std::complex<R>*>(operands[0]);
    const auto* exponents = static_cast<const std::complex<R>*>(operands[1]);
    const auto is_invalid = [](std::complex<R> base, std::complex<R> exponent) {
        const bool is_real = exponent.imag() == 0;
        if (is_real && !(std::abs(exponent.real()) < R(9223372036854775808.0))) return true;
        return base == R(0) && !(is_real && exponent.real() >= 0);
    };
    bool any = false;
    for (std::int64_t i = 0; i < count; ++i) any = any || is_invalid(bases[i], exponents[i]);
    if (any) fastnp::detail::raise_float_flags(fastnp::detail::float_invalid);
    kernel(operands, out, count);
}

}  // namespace

SpanKernel complex_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::complex64: return op == ops::Op::power ? &power<float> : detail::kernel_for<std::complex<float>>(op);
        case Dtype::complex128: return op == ops::Op::power ? &power<double> : detail::kernel_for<std::complex<double>>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
