#include "eager/accumulate.h"

namespace fastnp::eager {

LineKernel floating_line(ops::Op joins, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return detail::line_for<float16_t>(joins);
        case Dtype::bfloat16: return detail::line_for<bfloat16_t>(joins);
        case Dtype::float32: return detail::line_for<float>(joins);
        case Dtype::float64: return detail::line_for<double>(joins);
        default: return nullptr;
    }
}

LineKernel complex_line(ops::Op joins, Dtype dtype) {
    return dtype == Dtype::complex64 ? detail::line_for<std::complex<float>>(joins) : detail::line_for<std::complex<double>>(joins);
}

}  // namespace fastnp::eager
