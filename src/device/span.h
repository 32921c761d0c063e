// What arrays show of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/memory.h"

namespace fastnp::device {

/// In bytes from the first element.
struct Span {
    std::int64_t first = 0, end = 0;
    std::size_t bytes() const { return static_cast<std::size_t>(end - first); }
};

/// From the lowest element's first byte to the highest one's end; of no elements: nothing.
Span span_of(std::size_t itemsize, const Shape& shape, const Strides& strides);
inline Span span_of(const Memory& memory) { return span_of(itemsize_of(memory.dtype), memory.shape, memory.strides); }

/// While it lives the host writes to an array, which is there.
class HostWrite {
public:
    explicit HostWrite(const Memory& memory);
    ~HostWrite();
    HostWrite(HostWrite&& other) noexcept;
    HostWrite(const HostWrite&) = delete;
    HostWrite& operator=(const HostWrite&) = delete;
    HostWrite& operator=(HostWrite&&) = delete;
    /// It has been written to: others see it where they share the memory. (Without this call what there is by then, when the object goes.)
    void done();

private:
    const char* first_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace fastnp::device
