// Memory that the host and a device take turns at. It has one address, the host's, by which everything knows it; while its contents are on the device
// alone, the host can't touch that address, so whoever forgets to say that the host is about to use it is stopped by the processor and reads nothing that
// is stale.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backend.h"
#include "device/buffer.h"

namespace fastnp::device {

/// New memory, uninitialised, at home on a device; null: on the host at first. MemoryError if there is none.
BufferPtr allocate_movable(std::size_t bytes, Backend* home);

/// A write may be of a part, or a read as well. Who keeps the address may use it at any time: memory that is exposed stays on the host.
enum class Access : std::uint8_t { read, write, expose };

namespace detail {
inline std::atomic<std::int64_t> movable_count{0};
void bring_to_host(const void* address, Access access);
Backend* find_home(const void* address);
bool is_on_device(const void* address);
bool is_free_to_move(const void* address);
}  // namespace detail

/// Whether there is any.
inline bool anything_moves() { return detail::movable_count.load(std::memory_order_acquire) != 0; }

/// To be called before the host reads or writes memory that may be movable, at any address in it. Until a device uses it again the host may do so.
inline void use_on_host(const void* address, Access access) {
    if (anything_moves()) detail::bring_to_host(address, access);
}

/// Movable memory that the host may use at any time while the result lives; after that it is at home where it was. Null for other memory.
std::shared_ptr<void> lend_to_host(const void* address);

/// Copies elements at an address in memory that may be movable, which stays where it is.
void read_bytes(void* to, const void* address, std::size_t bytes);

/// The address on a device of movable memory, whose contents are there (in the order of the device's work); null for memory that is not movable, or
/// exposed. It is there as long as the pointer is held, wherever the memory has moved to.
std::shared_ptr<void> use_on_device(Backend& device, const void* address, Access access);

/// Has movable memory be at home on a device; its contents go there when they are used there.
void bring_home(Backend& device, const void* address);

/// Whether a device alone has the contents of movable memory; and whether one may have them at all: it is movable, and not exposed.
inline bool lies_on_device(const void* address) { return anything_moves() && detail::is_on_device(address); }
inline bool can_move(const void* address) { return anything_moves() && detail::is_free_to_move(address); }

/// A copy of some bytes of movable memory that is at home on a device, made there: at home there, too. Null for other memory.
BufferPtr copy_at_home(const void* first, std::size_t bytes);
/// Tells the contents of such memory from those at other times.
std::uint64_t version_of(const void* address);

/// The device that movable memory was used on last; null: the host, which wrote to it after that, or memory that is not movable.
inline Backend* home_of(const void* address) { return anything_moves() ? detail::find_home(address) : nullptr; }

}  // namespace fastnp::device
