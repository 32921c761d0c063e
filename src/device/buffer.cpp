// The host's caching allocator. Freed blocks are kept by size class and handed out again: fresh pages cost several times what a kernel does.
#include "device/buffer.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "base/fork.h"
#include "device/sizes.h"
#include "device/watch.h"
#include "fastnp/detail/borrowed.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

constexpr std::size_t smallest = 64;
constexpr std::size_t huge = std::size_t{4} << 20;              // from here on blocks are aligned for huge pages
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t most_held = std::size_t{4} << 30;         // bytes kept for reuse

class Pool {
public:
    void* allocate(std::size_t bytes) {
        const SizeClass size = size_class(bytes, smallest);
        {
            const std::scoped_lock lock(mutex_);
            ++statistics_.allocations;
            statistics_.live_bytes += size.bytes;
            auto& blocks = free_[size.number];
            if (!blocks.empty()) {
                void* block = blocks.back();
                blocks.pop_back();
                statistics_.held_bytes -= size.bytes;
                return block;
            }
            ++statistics_.fresh;
        }
        void* block = fresh(size.bytes);
        if (block == nullptr) {
            trim();
            block = fresh(size.bytes);
        }
        if (block == nullptr) {
            const std::scoped_lock lock(mutex_);
            statistics_.live_bytes -= size.bytes;
            throw MemoryError("Unable to allocate " + readable(bytes) + " for an array");
        }
        return block;
    }

    void release(void* block, std::size_t bytes) {
        const SizeClass size = size_class(bytes, smallest);
        const std::scoped_lock lock(mutex_);
        statistics_.live_bytes -= size.bytes;
        if (statistics_.held_bytes + size.bytes > most_held) {
            std::free(block);
            return;
        }
        statistics_.held_bytes += size.bytes;
        free_[size.number].push_back(block);
    }

    void trim() {
        const std::scoped_lock lock(mutex_);
        for (auto& blocks : free_) {
            for (void* block : blocks) std::free(block);
            blocks.clear();
        }
        statistics_.held_bytes = 0;
    }

    PoolStatistics statistics() {
        const std::scoped_lock lock(mutex_);
        return statistics_;
    }

private:
    static void* fresh(std::size_t bytes) {
        const std::size_t alignment = bytes >= huge ? huge_page : 64;
        if (bytes > std::size_t{1} << 62) return nullptr;
        void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if (block != nullptr && bytes >= huge) madvise(block, bytes, MADV_HUGEPAGE);
        return block;
    }

    base::ForkSafe<std::mutex> mutex_;
    std::array<std::vector<void*>, size_class_count> free_;
    PoolStatistics statistics_;
};

// Arrays may outlive every static.
Pool& pool() {
    return base::made_once([] { return std::make_unique<Pool>(); });
}

}  // namespace

BufferPtr Buffer::allocate(std::size_t bytes) {
    const detail::TimelineSpan span("memory", "allocation", static_cast<std::int64_t>(bytes));
    void* data = pool().allocate(bytes);
    note_made(data, bytes);
    try {
        return std::make_shared<Buffer>(Key{}, data, bytes, true, nullptr, nullptr);
    } catch (...) {
        note_gone(data, bytes, true);
        pool().release(data, bytes);
        throw;
    }
}

BufferPtr Buffer::borrow(void* data, std::size_t bytes, std::function<void()> release, Place* place) {
    return std::make_shared<Buffer>(Key{}, data, bytes, false, std::move(release), place);
}

namespace {

std::atomic<bool (*)(const std::function<void()>&)> seen_by_others = nullptr;

}  // namespace

bool Buffer::is_seen_by_others() const {
    const auto check = seen_by_others.load(std::memory_order_relaxed);
    return !pooled_ && (check == nullptr || !release_ || check(release_));
}

Buffer::~Buffer() {
    note_gone(data_, bytes_, pooled_);
    if (pooled_) pool().release(data_, bytes_);
    else if (release_) release_();
}

PoolStatistics pool_statistics() { return pool().statistics(); }
void trim_pool() { pool().trim(); }

}  // namespace fastnp::device

namespace fastnp::detail {

void set_seen_by_others(bool (*check)(const std::function<void()>& release)) { device::seen_by_others.store(check, std::memory_order_relaxed); }

}  // namespace fastnp::detail
