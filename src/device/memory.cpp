#include "device/memory.h"

#include <utility>

#include "device/movable.h"
#include "shape/strides.h"

namespace fastnp::device {

Memory allocate(Dtype dtype, const Shape& shape, const shape::AxisOrder& order) {
    const std::size_t itemsize = itemsize_of(dtype);
    BufferPtr buffer = Buffer::allocate(shape::byte_count(shape, itemsize));
    void* const data = buffer->data();
    return {std::move(buffer), data, dtype, shape, shape::strides_in(shape, order, itemsize)};
}

Memory allocate_movable(Dtype dtype, const Shape& shape, const shape::AxisOrder& order) {
    const std::size_t itemsize = itemsize_of(dtype);
    BufferPtr buffer = allocate_movable(shape::byte_count(shape, itemsize), nullptr);
    void* const data = buffer->data();
    return {std::move(buffer), data, dtype, shape, shape::strides_in(shape, order, itemsize)};
}

}  // namespace fastnp::device
