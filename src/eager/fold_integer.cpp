#include "eager/fold_span.h"

namespace fastnp::eager {

const FoldKernel& integer_fold(ops::Op combine, Dtype dtype) {
    switch (dtype) {
        case Dtype::int8: return folds::kernel_of<std::int8_t>(combine);
        case Dtype::int16: return folds::kernel_of<std::int16_t>(combine);
        case Dtype::int32: return folds::kernel_of<std::int32_t>(combine);
        case Dtype::int64: return folds::kernel_of<std::int64_t>(combine);
        case Dtype::uint8: return folds::kernel_of<std::uint8_t>(combine);
        case Dtype::uint16: return folds::kernel_of<std::uint16_t>(combine);
        case Dtype::uint32: return folds::kernel_of<std::uint32_t>(combine);
        case Dtype::uint64: return folds::kernel_of<std::uint64_t>(combine);
        default: break;
    }
    // Bools: adding and the maximum are or, multiplying and the minimum are and.
    switch (combine) {
        case ops::Op::bitwise_xor:
        case ops::Op::logical_xor: return folds::kernel<folds::Odd, bool>();
        case ops::Op::multiply:
        case ops::Op::minimum:
        case ops::Op::fmin:
        case ops::Op::bitwise_and:
        case ops::Op::logical_and: return folds::kernel<folds::And, bool>();
        default: return folds::kernel<folds::Or, bool>();
    }
}

}  // namespace fastnp::eager
