#include <cmath>

#include "eager/span.h"
#include "fastnp/detail/float_flags.h"

namespace fastnp::eager {

namespace {

// NumPy looks whether a real exponent is a whole number by a cast to one, which is invalid for what is too large, and for NaN.
template <class R>
void power(const void* const* operands, void* out, std::int64_t count) {
    static const SpanKernel kernel = detail::kernel_for<std::complex<R>>(ops::Op::power);
    const auto* exponents = static_cast<const std::complex<R>*>(operands[1]);
    bool any = false;
    for (std::int64_t i = 0; i < count; ++i) any = any || (exponents[i].imag() == 0 && !(std::abs(exponents[i].real()) < R(9223372036854775808.0)));
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
