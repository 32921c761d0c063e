#include "trace/watched.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "device/movable.h"
#include "eager/eager.h"
#include "shape/strides.h"

namespace fastnp::trace {

bool same_layout(const device::Memory& a, const device::Memory& b) {
    return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides && a.buffer == b.buffer;
}

device::Memory copy_of(const device::Memory& memory) {
    device::Memory copy = device::allocate(memory.dtype, memory.shape);
    device::use_on_host(memory.data, device::Access::read);
    eager::copy({memory.data, memory.dtype, memory.shape, memory.strides}, {copy.data, copy.dtype, copy.shape, copy.strides});
    return copy;
}

bool is_as_copied(const device::Memory& memory, const device::Memory& copy) {
    const std::size_t bytes = shape::byte_count(copy.shape, itemsize_of(copy.dtype));
    if (!shape::is_c_contiguous(memory.shape, memory.strides, itemsize_of(memory.dtype))) {
        return std::memcmp(copy_of(memory).data, copy.data, bytes) == 0;
    }
    device::use_on_host(memory.data, device::Access::read);
    return std::memcmp(memory.data, copy.data, bytes) == 0;
}

namespace {

// Sums of words, and sums of these, which tell of places, lane by lane: Fletcher's checksum. Additions alone are as fast as the memory.
struct Sums {
    static constexpr std::size_t lanes = 16;
    std::uint64_t words[lanes] = {}, places[lanes] = {};

    void add(const char* from, std::size_t bytes) {
        std::uint64_t now[lanes];
        for (; bytes >= sizeof now; from += sizeof now, bytes -= sizeof now) {
            std::memcpy(now, from, sizeof now);
            for (std::size_t i = 0; i < lanes; ++i) words[i] += now[i];
            for (std::size_t i = 0; i < lanes; ++i) places[i] += words[i];
        }
        if (bytes == 0) return;
        std::memset(now, 0, sizeof now);
        std::memcpy(now, from, bytes);
        for (std::size_t i = 0; i < lanes; ++i) places[i] += words[i] += now[i];
    }

    std::uint64_t value() const {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < lanes; ++i) all = std::rotl((all ^ words[i]) * factor, 29) + places[i] * factor;
        return all;
    }

    static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd: no bit of what it multiplies is lost
};

constexpr std::size_t block = std::size_t{1} << 18;

// Of bytes side by side, in blocks that threads share.
std::uint64_t checksum_of(const char* from, std::size_t bytes) {
    struct Job {
        const char* from;
        std::size_t bytes;
        std::vector<std::uint64_t> sums;
    } job{from, bytes, std::vector<std::uint64_t>((bytes + block - 1) / block)};
    base::parallel_for(
        static_cast<std::int64_t>(job.sums.size()),
        [](void* context, std::int64_t task, int) {
            Job& mine = *static_cast<Job*>(context);
            const std::size_t begin = static_cast<std::size_t>(task) * block;
            Sums sums;
            sums.add(mine.from + begin, std::min(block, mine.bytes - begin));
            mine.sums[static_cast<std::size_t>(task)] = sums.value();
        },
        &job);
    Sums all;
    all.add(reinterpret_cast<const char*>(job.sums.data()), job.sums.size() * sizeof(std::uint64_t));
    return all.value();
}

void add_axes(Sums& all, const device::Memory& memory, std::size_t axis, const char* from) {
    auto row = static_cast<std::int64_t>(itemsize_of(memory.dtype));  // bytes of the axes from `first` on, which lie side by side
    std::size_t first = memory.shape.size();
    while (first > axis && (memory.strides[first - 1] == row || memory.shape[first - 1] == 1)) row *= memory.shape[--first];
    if (first == axis) {
        all.add(from, static_cast<std::size_t>(row));
        return;
    }
    for (std::int64_t i = 0; i < memory.shape[axis]; ++i) add_axes(all, memory, axis + 1, from + i * memory.strides[axis]);
}

}  // namespace

std::uint64_t checksum_of(const device::Memory& memory) {
    device::use_on_host(memory.data, device::Access::read);
    const std::size_t itemsize = itemsize_of(memory.dtype), bytes = shape::byte_count(memory.shape, itemsize);
    const auto* const data = static_cast<const char*>(memory.data);
    const bool is_whole = shape::is_c_contiguous(memory.shape, memory.strides, itemsize) || shape::is_f_contiguous(memory.shape, memory.strides, itemsize);
    if (is_whole) return checksum_of(data, bytes);
    Sums all;
    add_axes(all, memory, 0, data);
    return all.value();
}

}  // namespace fastnp::trace
