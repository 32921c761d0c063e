// An array as the engine of compiled functions is given it.
#pragma once

#include <cstdint>

#include "fastnp/array.h"
#include "fastnp/dtype.h"

namespace fastnp::device {
class Buffer;
}

namespace fastnp::detail {

/// An array argument of a call, borrowed for its duration.
struct Argument {
    void* data;
    const std::int64_t* shape;
    const std::int64_t* strides;  // bytes
    Dtype dtype;
    std::int8_t rank;
    bool writable;
    /// An array that shares this memory and keeps it alive, for results that are views of an argument. Null: such results are copies.
    array (*hold)(const Argument& argument);
    const void* context;  // for `hold`
    const device::Buffer* buffer;  // whose memory it is, if that is known: where it lies need not be searched for then
};

/// Fills `argument` from a concrete array; false for one that is being recorded.
FASTNP_API bool borrow(const array& value, Argument& argument);

}  // namespace fastnp::detail
