// Memory that a recording reads and others may write to before it is run: NumPy's arrays, and what else is borrowed.
#pragma once

#include <cstdint>

#include "device/memory.h"
#include "shape/strides.h"

namespace fastnp::trace {

/// A recording that is run at its end has to see such memory as it was when it was read. What is no larger than this (bytes) is copied, each time it
/// reads as something else; of what is larger a checksum is taken, and an error is raised if it is another one when the recording is run.
inline constexpr std::size_t most_copied = std::size_t{1} << 16;

/// How one piece of memory was when it was read.
struct Watched {
    std::size_t place;         // among what the recording captured
    device::Memory source;     // the memory itself
    bool is_copied = false;    // captured is a copy
    std::uint64_t checksum = 0;
    device::Memory seen{};  // a copy of the elements that the storage of what was captured knows of; no memory: nobody can have seen others
};

inline shape::Layout layout_of(const device::Memory& memory) { return {memory.data, memory.shape, memory.strides, itemsize_of(memory.dtype)}; }
/// Whether both are the same piece of memory.
bool same_layout(const device::Memory& a, const device::Memory& b);
/// Its elements in C order, in memory of its own.
device::Memory copy_of(const device::Memory& memory);
/// Whether the elements are those of a copy that copy_of() made.
bool is_as_copied(const device::Memory& memory, const device::Memory& copy);
/// Of the elements' bits.
std::uint64_t checksum_of(const device::Memory& memory);

}  // namespace fastnp::trace
