// What stands between buffers and who watches them (fastnp/detail/memory_watch.h).
#pragma once

#include <atomic>
#include <cstddef>

namespace fastnp::device {

extern constinit std::atomic<bool> memory_watched;

void tell_made(const void* data, std::size_t bytes) noexcept;
void tell_gone(const void* data, std::size_t bytes, bool pooled) noexcept;

/// Nothing else is looked at where nobody watches.
inline void note_made(const void* data, std::size_t bytes) {
    if (memory_watched.load(std::memory_order_relaxed)) [[unlikely]]
        tell_made(data, bytes);
}
/// `pooled`: it is of the host's allocator.
inline void note_gone(const void* data, std::size_t bytes, bool pooled) {
    if (memory_watched.load(std::memory_order_relaxed)) [[unlikely]]
        tell_gone(data, bytes, pooled);
}

}  // namespace fastnp::device
