// Elements in memory with their layout: what an array is outside recordings, and what a plan's steps read and write.
#pragma once

#include "device/buffer.h"
#include "fastnp/dtype.h"
#include "fastnp/small_vector.h"

namespace fastnp::device {

struct Memory {
    BufferPtr buffer;      // keeps the elements alive
    void* data = nullptr;  // the first element, somewhere in the buffer
    Dtype dtype = Dtype::bool_;
    Shape shape;
    Strides strides;  // bytes
};

}  // namespace fastnp::device
