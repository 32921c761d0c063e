// A device's caching allocator. Memory is taken from the driver in slabs: one for a large block, or one for many small ones. Freed blocks are kept by size
// class and handed out again without asking the driver, and at once: all work goes through one stream, so what the next owner asks for comes after what
// the last one did.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/lock.h"
#include "context.h"
#include "device/sizes.h"

namespace fastnp::cuda {

/// Thread-safe.
class Pool {
public:
    /// Takes at most `limit` bytes from the driver.
    Pool(Context& context, std::size_t limit);
    /// Gives all memory back, blocks that are still in use too.
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// As device::Backend says.
    void* allocate(std::size_t bytes);
    void free(void* memory, std::size_t bytes) noexcept;
    void trim();

    std::size_t live_bytes() const;
    std::size_t held_bytes() const;

private:
    struct Slab {
        std::size_t bytes = 0;
        std::size_t used = 0;  // cut into blocks
        std::size_t free = 0;  // of blocks that are kept; worked out by trim()
    };
    using Slabs = std::map<Address, Slab>;
    struct SameSize {
        std::size_t bytes = 0;  // of each
        std::size_t live = 0;
        std::vector<void*> kept;
    };

    void* fresh(std::size_t bytes);
    void* cut(Slabs::iterator slab, std::size_t bytes);
    Slabs::iterator take(std::size_t bytes);
    Slabs::iterator slab_of(void* block);
    void trim_locked();
    std::string explain();
    std::string live_blocks() const;

    Context& context_;
    const std::size_t limit_;
    mutable base::Lock mutex_;
    std::array<SameSize, device::size_class_count> blocks_;
    Slabs slabs_;
    Slabs::iterator small_ = slabs_.end();  // the slab that small blocks are cut from
    std::size_t taken_ = 0, live_ = 0;
};

}  // namespace fastnp::cuda
