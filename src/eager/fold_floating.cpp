#include "eager/fold_span.h"

namespace fastnp::eager {

const FoldKernel& floating_fold(ops::Op combine, Dtype dtype) {
    switch (dtype) {
        case Dtype::float16: return folds::kernel_of<float16_t>(combine);
        case Dtype::bfloat16: return folds::kernel_of<bfloat16_t>(combine);
        case Dtype::float32: return folds::kernel_of<float>(combine);
        default: return folds::kernel_of<double>(combine);
    }
}

const FoldKernel& complex_fold(ops::Op combine, Dtype dtype) {
    return dtype == Dtype::complex64 ? folds::kernel_of<std::complex<float>>(combine) : folds::kernel_of<std::complex<double>>(combine);
}

}  // namespace fastnp::eager
