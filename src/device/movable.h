// Memory that the host and a device take turns at. It has one address, the host's, by which everything knows it; while its contents are on the device
// alone, the host can't touch that address, so whoever forgets to say that the host is about to use it is stopped by the processor and reads nothing that
// is stale.
//
// Memory on a device that other libraries use, too, is *shared*: ours once its address there was given away, and theirs. It stays where it is, and has an
// address of the host's like the rest. Others may write to it at any time, so each use by the host reads it anew, and what the host wrote goes there at
// once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "device/backend.h"
#include "device/buffer.h"

namespace fastnp::device {

/// New memory, uninitialised, at home on a device; null: on the host at first. MemoryError if there is none.
BufferPtr allocate_movable(std::size_t bytes, Backend* home);
/// New memory at home on a device, with its address there, which it has until somebody else uses it.
struct There {
    BufferPtr buffer{};
    char* address = nullptr;
};
There allocate_there(std::size_t bytes, Backend& home);
/// Memory of another library on a device, as an array's: `data()` is an address of the host's for it, one and the same for the same byte whoever gave it.
/// `release` runs when the last owner lets go. It is shared.
BufferPtr borrow_on_device(Backend& device, void* data, std::size_t bytes, std::function<void()> release);

/// A write may be of a part, or a read as well. Who keeps the address may use it at any time: memory that is exposed stays on the host.
enum class Access : std::uint8_t { read, write, expose };

namespace detail {
inline std::atomic<std::int64_t> movable_count{0};
inline std::atomic<std::int64_t> shared_count{0};
void bring_to_host(const void* address, Access access);
void bring_back(const void* address, std::size_t bytes);
Backend* find_home(const void* address);
Backend* home_at(Place& place);
Backend* find_shared(const void* address);
bool is_on_device(const void* address);
bool is_free_to_move(const void* address);
}  // namespace detail

/// Whether there is any.
inline bool anything_moves() { return detail::movable_count.load(std::memory_order_acquire) != 0; }

/// To be called before the host reads or writes memory that may be movable, at any address in it. Until a device uses it again the host may do so.
/// BufferError for exposing what is shared on a device.
inline void use_on_host(const void* address, Access access) {
    if (anything_moves()) detail::bring_to_host(address, access);
}
/// To be called when the host has written: others see it on the device where the memory is shared.
inline void written_on_host(const void* address, std::size_t bytes) {
    if (detail::shared_count.load(std::memory_order_acquire) != 0) detail::bring_back(address, bytes);
}

/// Movable memory that the host may use at any time while the result lives; after that it is at home where it was. Null for other memory. BufferError for
/// what is shared on a device.
std::shared_ptr<void> lend_to_host(const void* address);

/// Copies elements at an address in memory that may be movable, which stays where it is.
void read_bytes(void* to, const void* address, std::size_t bytes);

/// The address on a device of movable memory, whose contents are there (in the order of the device's work); null for memory that is not movable, that is
/// exposed, or that is shared on another device. It is there as long as the pointer is held, wherever the memory has moved to.
std::shared_ptr<void> use_on_device(Backend& device, const void* address, Access access);
/// The same of memory whose buffer may be known (null: it is not), which is not searched for then.
std::shared_ptr<void> use_on_device(Backend& device, const Buffer* buffer, const void* address, Access access);
/// The same for others, who may use it at any time from now on: it is shared. As long as they do the memory must be kept.
std::shared_ptr<void> share_on_device(Backend& device, const void* address);

/// Has movable memory be at home on a device; its contents go there when they are used there. What is shared stays where it is.
void bring_home(Backend& device, const void* address);

/// Whether a device alone has the contents of movable memory, or others may write to them there; and whether a device may have them at all: it is
/// movable, and neither exposed nor lent.
inline bool lies_on_device(const void* address) { return anything_moves() && detail::is_on_device(address); }
inline bool can_move(const void* address) { return anything_moves() && detail::is_free_to_move(address); }

/// A copy of some bytes of movable memory that is at home on a device, made there: at home there, too. Null for other memory.
BufferPtr copy_at_home(const void* first, std::size_t bytes);
/// The same, at home on another device. Null, too, where that one can't have it but by way of the host.
BufferPtr copy_to(Backend& device, const void* first, std::size_t bytes);
/// Tells the contents of movable memory from those at other times, and from other memory's; of what is shared, which may change at any time, it is never
/// the same. 0: other memory.
std::uint64_t version_of(const void* address);

/// The device that movable memory was used on last; null: the host, which wrote to it after that, or memory that is not movable.
inline Backend* home_of(const void* address) { return anything_moves() ? detail::find_home(address) : nullptr; }
/// The same of memory whose buffer may be known, which is not searched for then.
inline Backend* home_of(const Buffer* buffer, const void* address) {
    return buffer != nullptr && buffer->place() != nullptr ? detail::home_at(*buffer->place()) : home_of(address);
}
/// The device that memory is shared on, or null.
inline Backend* shared_on(const void* address) {
    return detail::shared_count.load(std::memory_order_acquire) != 0 ? detail::find_shared(address) : nullptr;
}

/// While it lives a device uses what is shared: after all that others asked for before, and before all that they ask for later.
class SharedUse {
public:
    SharedUse() = default;
    ~SharedUse();
    SharedUse(const SharedUse&) = delete;
    SharedUse& operator=(const SharedUse&) = delete;
    /// The first time, waits for the others.
    void begin(Backend& device);

private:
    Backend* device_ = nullptr;
};

}  // namespace fastnp::device
