#include "trace/watched.h"

#include <bit>
#include <cstring>

#include "device/movable.h"
#include "eager/eager.h"
#include "shape/strides.h"

namespace fastnp::trace {

device::Memory copy_of(const device::Memory& memory) {
    device::Memory copy = device::allocate(memory.dtype, memory.shape);
    device::use_on_host(memory.data, device::Access::read);
    eager::copy({memory.data, memory.dtype, memory.shape, memory.strides}, {copy.data, copy.dtype, copy.shape, copy.strides});
    return copy;
}

bool is_as_copied(const device::Memory& memory, const device::Memory& copy) {
    const device::Memory now = copy_of(memory);
    return std::memcmp(now.data, copy.data, shape::byte_count(now.shape, itemsize_of(now.dtype))) == 0;
}

namespace {

constexpr int lanes = 4;
constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd: no bit of what it multiplies is lost

struct Sum {
    std::uint64_t lane[lanes] = {1, 2, 3, 4};

    void add(std::uint64_t word, int to) { lane[to] = std::rotl((lane[to] ^ word) * factor, 29); }

    // Side by side.
    void add_bytes(const char* from, std::size_t bytes) {
        std::uint64_t words[lanes];
        for (; bytes >= sizeof words; from += sizeof words, bytes -= sizeof words) {
            std::memcpy(words, from, sizeof words);
            for (int i = 0; i < lanes; ++i) add(words[i], i);
        }
        if (bytes == 0) return;
        std::memset(words, 0, sizeof words);
        std::memcpy(words, from, bytes);
        for (int i = 0; i < lanes; ++i) add(words[i], i);
    }
};

void add_axes(Sum& sum, const device::Memory& memory, std::size_t axis, const char* from) {
    const auto itemsize = static_cast<std::int64_t>(itemsize_of(memory.dtype));
    std::int64_t row = itemsize;  // of the axes from here on, if they lie side by side
    std::size_t first = memory.shape.size();
    while (first > axis && (memory.strides[first - 1] == row || memory.shape[first - 1] == 1)) row *= memory.shape[--first];
    if (first == axis) {
        sum.add_bytes(from, static_cast<std::size_t>(row));
        return;
    }
    for (std::int64_t i = 0; i < memory.shape[axis]; ++i) add_axes(sum, memory, axis + 1, from + i * memory.strides[axis]);
}

}  // namespace

std::uint64_t checksum_of(const device::Memory& memory) {
    device::use_on_host(memory.data, device::Access::read);
    Sum sum;
    if (shape::count(memory.shape) != 0) add_axes(sum, memory, 0, static_cast<const char*>(memory.data));
    std::uint64_t all = 0;
    for (const std::uint64_t lane : sum.lane) all = std::rotl((all ^ lane) * factor, 31);
    return all;
}

}  // namespace fastnp::trace
