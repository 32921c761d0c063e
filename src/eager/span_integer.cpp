#include "eager/span.h"

namespace fastnp::eager {

SpanKernel integer_kernel(ops::Op op, Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_: return detail::kernel_for<bool>(op);
        case Dtype::int8: return detail::kernel_for<std::int8_t>(op);
        case Dtype::int16: return detail::kernel_for<std::int16_t>(op);
        case Dtype::int32: return detail::kernel_for<std::int32_t>(op);
        case Dtype::int64: return detail::kernel_for<std::int64_t>(op);
        case Dtype::uint8: return detail::kernel_for<std::uint8_t>(op);
        case Dtype::uint16: return detail::kernel_for<std::uint16_t>(op);
        case Dtype::uint32: return detail::kernel_for<std::uint32_t>(op);
        case Dtype::uint64: return detail::kernel_for<std::uint64_t>(op);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
