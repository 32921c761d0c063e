// Elements in memory with their layout: what an array is outside recordings, and what a plan's steps read and write.
#pragma once

#include "device/buffer.h"
#include "fastnp/dtype.h"
#include "fastnp/small_vector.h"
#include "shape/order.h"

namespace fastnp::device {

struct Memory {
    BufferPtr buffer;      // keeps the elements alive
    void* data = nullptr;  // the first element, somewhere in the buffer
    Dtype dtype = Dtype::bool_;
    Shape shape;
    Strides strides;  // bytes
};

/// New memory for an array, uninitialised, its axes in an order. ValueError and MemoryError where it is too large.
Memory allocate(Dtype dtype, const Shape& shape, const shape::AxisOrder& order = {});
/// The same, movable, on the host at first (device/movable.h).
Memory allocate_movable(Dtype dtype, const Shape& shape, const shape::AxisOrder& order = {});

}  // namespace fastnp::device
