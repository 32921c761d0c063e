#include "eager/span.h"

namespace fastnp::eager {

SpanKernel floating_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return detail::kernel_for<float16_t>(op);
        case Dtype::bfloat16: return detail::kernel_for<bfloat16_t>(op);
        case Dtype::float32: return detail::kernel_for<float>(op);
        case Dtype::float64: return detail::kernel_for<double>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
