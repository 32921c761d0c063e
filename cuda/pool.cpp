#include "pool.h"

#include <cstdint>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>

#include "fastnp/error.h"

namespace fastnp::cuda {

namespace {

constexpr std::size_t smallest = 256;
constexpr std::size_t small = std::size_t{1} << 20;        // blocks below this size share slabs
constexpr std::size_t small_slab = std::size_t{16} << 20;  // eight of the driver's pages
constexpr std::size_t largest = std::size_t{1} << 60;      // no device has as much, and sizes up to here can be added

Address address_of(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }
void* pointer_to(Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

}  // namespace

Pool::Pool(Context& context, std::size_t limit) : context_(context), limit_(limit) {
    context_.on_shortage([this] {
        const std::scoped_lock lock(mutex_);
        trim_locked();
        return explain();
    });
}

Pool::~Pool() {
    context_.on_shortage(nullptr);
    if (!context_.is_usable()) return;
    try {
        const Current current(context_);
        for (const auto& [address, slab] : slabs_) context_.driver().memory_free(address);
    } catch (const std::exception&) {  // NOLINT: the context is gone, and its memory with it
    }
}

void* Pool::allocate(std::size_t bytes) {
    context_.must_be_usable();
    if (bytes > largest) throw MemoryError("Unable to allocate " + device::readable(bytes) + " for an array on device '" + context_.name() + "'");
    const device::SizeClass size = device::size_class(bytes, smallest);
    const std::scoped_lock lock(mutex_);
    void* block = nullptr;
    SameSize& blocks = blocks_[size.number];
    blocks.bytes = size.bytes;
    if (!blocks.kept.empty()) {
        block = blocks.kept.back();
        blocks.kept.pop_back();
    } else {
        block = fresh(size.bytes);
    }
    if (block == nullptr) {
        trim_locked();
        block = fresh(size.bytes);
    }
    if (block == nullptr) {
        throw MemoryError("Unable to allocate " + device::readable(bytes) + " for an array on device '" + context_.name() + "' (" + explain() + ")");
    }
    live_ += size.bytes;
    ++blocks.live;
    return block;
}

void Pool::free(void* memory, std::size_t bytes) noexcept {
    if (memory == nullptr) return;
    const device::SizeClass size = device::size_class(bytes, smallest);
    const std::scoped_lock lock(mutex_);
    live_ -= size.bytes;
    SameSize& blocks = blocks_[size.number];
    --blocks.live;
    try {
        blocks.kept.push_back(memory);
    } catch (const std::bad_alloc&) {  // NOLINT: the host has no memory for the list: the block stays unused
    }
}

void Pool::trim() {
    const std::scoped_lock lock(mutex_);
    trim_locked();
}

std::size_t Pool::live_bytes() const {
    const std::scoped_lock lock(mutex_);
    return live_;
}

std::size_t Pool::held_bytes() const {
    const std::scoped_lock lock(mutex_);
    return taken_ - live_;
}

// A block that was not there before, or null.
void* Pool::fresh(std::size_t bytes) {
    if (bytes < small) {
        const bool fits = small_ != slabs_.end() && small_->second.bytes - small_->second.used >= bytes;
        if (fits) return cut(small_, bytes);
        if (const auto slab = take(small_slab); slab != slabs_.end()) {
            small_ = slab;
            return cut(slab, bytes);
        }
    }
    const auto slab = take(bytes);
    return slab == slabs_.end() ? nullptr : cut(slab, bytes);
}

void* Pool::cut(Slabs::iterator slab, std::size_t bytes) {
    void* const block = pointer_to(slab->first + slab->second.used);
    slab->second.used += bytes;
    return block;
}

// Memory of the driver, or the end.
Pool::Slabs::iterator Pool::take(std::size_t bytes) {
    if (bytes > limit_ || taken_ > limit_ - bytes) return slabs_.end();
    const Current current(context_);
    Address address = 0;
    const int error = context_.driver().memory_allocate(&address, bytes);
    if (error == out_of_memory) return slabs_.end();
    context_.check(error, "cuMemAlloc");
    taken_ += bytes;
    return slabs_.emplace(address, Slab{bytes}).first;
}

Pool::Slabs::iterator Pool::slab_of(void* block) { return std::prev(slabs_.upper_bound(address_of(block))); }

// Slabs all of whose blocks are kept go back to the driver.
void Pool::trim_locked() {
    context_.synchronize();  // what runs may still use them
    for (auto& [address, slab] : slabs_) slab.free = 0;
    for (const SameSize& blocks : blocks_) {
        for (void* block : blocks.kept) slab_of(block)->second.free += blocks.bytes;
    }
    const auto goes = [](const Slab& slab) { return slab.free == slab.used; };
    for (SameSize& blocks : blocks_) std::erase_if(blocks.kept, [&](void* block) { return goes(slab_of(block)->second); });
    if (small_ != slabs_.end() && goes(small_->second)) small_ = slabs_.end();
    const Current current(context_);
    int error = success;
    for (auto slab = slabs_.begin(); slab != slabs_.end();) {
        if (!goes(slab->second)) {
            ++slab;
            continue;
        }
        if (const int result = context_.driver().memory_free(slab->first); result != success) error = result;
        taken_ -= slab->second.bytes;
        slab = slabs_.erase(slab);
    }
    context_.check(error, "cuMemFree");
}

// The largest first, equal ones together: " in 4 buffers: 2.0 GiB, 3 of 1.0 MiB".
std::string Pool::live_blocks() const {
    constexpr int most_listed = 8;
    std::size_t count = 0, smaller = 0;
    int listed = 0;
    std::string list;
    for (auto blocks = blocks_.rbegin(); blocks != blocks_.rend(); ++blocks) {
        if (blocks->live == 0) continue;
        count += blocks->live;
        if (listed++ >= most_listed) {
            smaller += blocks->live;
            continue;
        }
        list += (list.empty() ? "" : ", ") + (blocks->live == 1 ? "" : std::to_string(blocks->live) + " of ") + device::readable(blocks->bytes);
    }
    if (count == 0) return list;
    if (smaller != 0) list += ", " + std::to_string(smaller) + " smaller";
    return " in " + std::to_string(count) + (count == 1 ? " buffer: " : " buffers: ") + list;
}

std::string Pool::explain() {
    std::string text = "in use: " + device::readable(live_) + live_blocks();
    if (limit_ != std::numeric_limits<std::size_t>::max()) return text + "; FASTNP_CUDA_MEMORY_LIMIT: " + device::readable(limit_);
    const Current current(context_);
    std::size_t free = 0;
    std::size_t total = 0;
    context_.check(context_.driver().memory_get_info(&free, &total), "cuMemGetInfo");
    return text + "; free on the device: " + device::readable(free) + " of " + device::readable(total);
}

}  // namespace fastnp::cuda
