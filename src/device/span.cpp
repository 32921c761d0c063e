#include "device/span.h"

#include <exception>
#include <utility>

#include "device/movable.h"

namespace fastnp::device {

Span span_of(std::size_t itemsize, const Shape& shape, const Strides& strides) {
    Span span{0, static_cast<std::int64_t>(itemsize)};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) return {0, 0};
        const std::int64_t way = (shape[i] - 1) * strides[i];
        (way < 0 ? span.first : span.end) += way;
    }
    return span;
}

HostWrite::HostWrite(const Memory& memory) {
    if (!anything_moves()) return;
    const Span span = span_of(memory);
    if (span.bytes() == 0) return;
    use_on_host(memory.data, Access::write);
    first_ = static_cast<const char*>(memory.data) + span.first;
    bytes_ = span.bytes();
}

HostWrite::HostWrite(HostWrite&& other) noexcept : first_(other.first_), bytes_(std::exchange(other.bytes_, 0)) {}

HostWrite::~HostWrite() {
    try {
        done();
    } catch (const std::exception&) {  // NOLINT: an error is on its way already
    }
}

void HostWrite::done() {
    const std::size_t bytes = std::exchange(bytes_, 0);
    if (bytes != 0) written_on_host(first_, bytes);
}

}  // namespace fastnp::device
