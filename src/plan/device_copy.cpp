#include "plan/device_copy.h"

#include <algorithm>

#include "fastnp/error.h"
#include "plan/device_kernel.h"
#include "shape/strides.h"

namespace fastnp::plan {

namespace {

// Elements are moved as they are, so that those of one size share a kernel.
Dtype moved_as(Dtype dtype) {
    switch (itemsize_of(dtype)) {
        case 1: return Dtype::uint8;
        case 2: return Dtype::uint16;
        case 4: return Dtype::uint32;
        case 8: return Dtype::uint64;
        default: return dtype;
    }
}

bool is_in_one_piece(const Shape& shape, const Strides& strides, std::size_t itemsize) {
    return shape.empty() || (shape.size() == 1 && strides[0] == static_cast<std::int64_t>(itemsize));
}

constexpr HandWritten copy_elements{"copy", [](nest::Kernel&, std::span<const nest::ExprId> elements, Dtype) { return elements[0]; }};

}  // namespace

void copy_on_device(device::Backend& backend, const eager::View& from, const eager::View& to) {
    if (from.dtype != to.dtype || from.shape != to.shape) throw InternalError("a copy on a device between arrays of two kinds");
    const std::size_t itemsize = itemsize_of(to.dtype);
    Shape shape = to.shape;
    Strides strides[] = {from.strides, to.strides};
    if (std::ranges::find(shape, 0) != shape.end()) return;
    shape::collapse(shape, strides);
    if (is_in_one_piece(shape, strides[0], itemsize) && is_in_one_piece(shape, strides[1], itemsize)) {
        backend.copy(to.data, from.data, static_cast<std::size_t>(shape::count(shape)) * itemsize);
        return;
    }
    const Dtype dtype = moved_as(to.dtype);
    const eager::View source{from.data, dtype, shape, strides[0]};
    run_by_hand(backend, copy_elements, {&source, 1}, {to.data, dtype, shape, strides[1]});
}

}  // namespace fastnp::plan
