#include "eager/span.h"

namespace fastnp::eager {

SpanKernel complex_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::complex64: return detail::kernel_for<std::complex<float>>(op);
        case Dtype::complex128: return detail::kernel_for<std::complex<double>>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
