#include "eager/accumulate.h"

namespace fastnp::eager {

LineKernel integer_line(ops::Op joins, Dtype dtype) {
    switch (dtype) {
        case Dtype::bool_: return detail::line_for<bool>(joins);
        case Dtype::int8: return detail::line_for<std::int8_t>(joins);
        case Dtype::int16: return detail::line_for<std::int16_t>(joins);
        case Dtype::int32: return detail::line_for<std::int32_t>(joins);
        case Dtype::int64: return detail::line_for<std::int64_t>(joins);
        case Dtype::uint8: return detail::line_for<std::uint8_t>(joins);
        case Dtype::uint16: return detail::line_for<std::uint16_t>(joins);
        case Dtype::uint32: return detail::line_for<std::uint32_t>(joins);
        case Dtype::uint64: return detail::line_for<std::uint64_t>(joins);
        default: return nullptr;
    }
}

}  // namespace fastnp::eager
