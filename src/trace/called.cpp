#include "trace/called.h"

#include <algorithm>

namespace fastnp::trace {

bool fits(const ir::Call& expected, const Called& called, const std::int64_t* values) {
    const auto same_size = [&](shape::Dim dim, std::int64_t size) { return (dim.is_constant() ? dim.value() : values[dim.id()]) == size; };
    const auto same_type = [&](const ir::Call::Type& type, const device::Memory& memory) {
        return type.dtype == memory.dtype && std::equal(type.shape.begin(), type.shape.end(), memory.shape.begin(), memory.shape.end(), same_size);
    };
    return expected.structure == called.structure &&
           std::equal(expected.types.begin(), expected.types.end(), called.arrays.begin(), called.arrays.end(), same_type);
}

}  // namespace fastnp::trace
