// Memory that arrays share: owned by a device's caching allocator or borrowed from the outside. Counted by shared_ptr.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace fastnp::device {

class Buffer;
class Place;
using BufferPtr = std::shared_ptr<Buffer>;

class Buffer {
public:
    /// Uninitialised memory of the host's caching allocator, 64-byte aligned. MemoryError (NumPy's kind) if there is none.
    static BufferPtr allocate(std::size_t bytes);
    /// Memory owned elsewhere; `release` runs when the last owner lets go. `place`: what movable.h knows of it, which is there until then.
    static BufferPtr borrow(void* data, std::size_t bytes, std::function<void()> release, Place* place = nullptr);

    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer();

    void* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    Place* place() const { return place_; }
    /// Whether it is owned elsewhere.
    bool is_borrowed() const { return !pooled_; }
    const std::function<void()>& release() const { return release_; }
    /// Whether somebody else may look at it, too.
    bool is_seen_by_others() const;

private:
    struct Key {};

public:
    Buffer(Key, void* data, std::size_t bytes, bool pooled, std::function<void()> release, Place* place)
        : data_(data), bytes_(bytes), pooled_(pooled), release_(std::move(release)), place_(place) {}

private:
    void* data_;
    std::size_t bytes_;
    bool pooled_;
    std::function<void()> release_;
    Place* place_;
};

/// What the allocator did so far, for tests and reports.
struct PoolStatistics {
    std::size_t allocations = 0;   // requests served
    std::size_t fresh = 0;         // of these, served by new memory of the system
    std::size_t held_bytes = 0;    // free, kept for reuse
    std::size_t live_bytes = 0;    // handed out
};
PoolStatistics pool_statistics();
/// Gives the kept memory back to the system.
void trim_pool();

}  // namespace fastnp::device
