// Where elements lie that a device may have: what movable.h says of an address, for one run of them. What belongs to fastnp is in movable.cpp, what
// belongs to other libraries in foreign.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/backend.h"
#include "device/movable.h"

namespace fastnp::device {

/// Thread-safe. Offsets are from the first address.
class Place {
public:
    Place() = default;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    virtual ~Place() = default;

    /// The first of the host's addresses.
    virtual char* host() const = 0;
    virtual std::size_t bytes() const = 0;
    /// Takes no lock: it is asked under the table's.
    virtual Backend* home() = 0;
    virtual Backend* shared_on() = 0;
    virtual void bring_home(Backend& device) = 0;
    virtual bool is_on_device() = 0;
    virtual bool can_move() = 0;
    virtual std::uint64_t version() = 0;
    virtual void to_host(std::size_t offset, Access access) = 0;
    /// Until as many times taken back.
    virtual void lend_to_host() = 0;
    virtual void take_back() = 0;
    virtual void written_on_host(std::size_t offset, std::size_t bytes) = 0;
    virtual void read(void* to, std::size_t offset, std::size_t bytes) = 0;
    /// The first address on the device, or null.
    virtual std::shared_ptr<char> to_device(Backend& device, Access access) = 0;
    virtual std::shared_ptr<char> share(Backend& device) = 0;
};

/// A number that no contents had before (see version_of).
std::uint64_t new_version();

void add_place(std::shared_ptr<Place> place);
void remove_place(const char* host);
/// The place in which an address lies; null if there is none.
std::shared_ptr<Place> place_of(const void* address);

/// Memory of fastnp's that is shared on a device: others may give it back.
void add_shared(const Backend& device, const char* first, std::size_t bytes, char* host);
void remove_shared(const char* first);

[[noreturn]] void refuse_exposure(const Backend& device);

}  // namespace fastnp::device
