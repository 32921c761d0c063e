#include "device/movable.h"

#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/fork.h"
#include "base/lock.h"
#include "device/block.h"
#include "device/pages.h"
#include "device/place.h"
#include "device/watch.h"
#include "fastnp/detail/timeline.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

class Movable final : public Place {
public:
    Movable(std::size_t bytes, Backend* home) : bytes_(bytes), pages_(bytes), home_(home) {
        if (home != nullptr) device_ = std::make_shared<Block>(*home, bytes);
        else pages_.protect(PROT_READ | PROT_WRITE);
        on_host_ = home == nullptr;
    }
    ~Movable() override {
        if (given_ != Given::to_device) return;
        remove_shared(device_->get());
        try {
            device_->backend().wait_for(Backend::every_stream);  // others may have asked for work on it that is not done yet
        } catch (const std::exception&) {                        // NOLINT: nothing runs on the device any more
        }
    }

    char* host() const override { return pages_.begin(); }
    /// Of new memory, before anybody else knows it.
    char* address() const { return device_->get(); }
    std::size_t bytes() const override { return bytes_; }
    Backend* home() override { return home_.load(std::memory_order_acquire); }
    Backend* shared_on() override {
        const std::scoped_lock lock(mutex_);
        return given_ == Given::to_device ? home() : nullptr;
    }
    void bring_home(Backend& device) override {
        const std::scoped_lock lock(mutex_);
        if (given_ == Given::no && lent_ == 0) home_.store(&device, std::memory_order_release);
    }
    bool is_on_device() override {
        const std::scoped_lock lock(mutex_);
        return given_ == Given::to_device || (device_ != nullptr && !on_host_);
    }
    bool can_move() override {
        const std::scoped_lock lock(mutex_);
        return given_ != Given::to_host && lent_ == 0;
    }
    std::uint64_t version() override {
        const std::scoped_lock lock(mutex_);
        if (given_ == Given::to_device) version_ = new_version();
        return version_;
    }

    void to_host(std::size_t /*offset*/, Access access) override {
        const std::scoped_lock lock(mutex_);
        if (given_ == Given::to_device) return copy_to_host(access);
        move_to_host(access);
        if (access == Access::expose) given_ = Given::to_host;
    }

    void lend_to_host() override {
        const std::scoped_lock lock(mutex_);
        if (given_ == Given::to_device) refuse_exposure(device_->backend());
        Backend* const before = home();
        move_to_host(Access::expose);
        if (lent_++ == 0) home_before_ = before;
    }
    void take_back() override {
        const std::scoped_lock lock(mutex_);
        if (--lent_ > 0) return;
        version_ = new_version();
        if (given_ == Given::no) home_.store(home_before_, std::memory_order_release);
    }

    void written_on_host(std::size_t offset, std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        if (given_ != Given::to_device) return;
        if (writers_ > 0) --writers_;
        const fastnp::detail::TimelineSpan span("copy", "upload", static_cast<std::int64_t>(bytes));
        device_->backend().upload(device_->get() + offset, pages_.begin() + offset, bytes);
        device_->backend().let_wait(Backend::every_stream);
    }

    void read(void* to, std::size_t offset, std::size_t bytes) override {
        const std::scoped_lock lock(mutex_);
        if (on_host_ && given_ != Given::to_device) {
            std::memcpy(to, pages_.begin() + offset, bytes);
            return;
        }
        if (given_ == Given::to_device) device_->backend().wait_for(Backend::every_stream);
        const fastnp::detail::TimelineSpan span("copy", "download", static_cast<std::int64_t>(bytes));
        device_->backend().download(to, device_->get() + offset, bytes);
    }

    std::shared_ptr<char> to_device(Backend& device, Access access) override {
        const std::scoped_lock lock(mutex_);
        return move_to(device, access);
    }

    std::shared_ptr<char> share(Backend& device) override {
        const std::scoped_lock lock(mutex_);
        std::shared_ptr<char> there = move_to(device, Access::write);
        if (there && given_ == Given::no) {
            add_shared(device, there.get(), bytes_, pages_.begin());
            given_ = Given::to_device;
        }
        return there;
    }

private:
    enum class Given : std::uint8_t { no, to_host, to_device };

    std::shared_ptr<char> move_to(Backend& device, Access access) {
        if (given_ == Given::to_host || lent_ > 0 || (given_ == Given::to_device && home() != &device)) return nullptr;
        if (device_ && &device_->backend() != &device) leave_for(device);
        if (!device_) {
            auto made = std::make_shared<Block>(device, bytes_);
            const fastnp::detail::TimelineSpan span("copy", "upload", static_cast<std::int64_t>(bytes_));
            device.upload(made->get(), pages_.begin(), bytes_);
            device_ = std::move(made);
        }
        if (access == Access::write) {
            on_host_ = false;
            version_ = new_version();
        }
        home_.store(&device, std::memory_order_release);
        if (writers_ == 0) pages_.protect(on_host_ ? PROT_READ : PROT_NONE);
        return {device_, device_->get()};
    }
    // From another device: on a way between the two if there is one (which is quicker than the host's, also where that has the contents), else the host
    // gets them.
    void leave_for(Backend& device) {
        auto made = std::make_shared<Block>(device, bytes_);
        if (device.copy_from(device_->backend(), made->get(), device_->get(), bytes_)) {
            device_ = std::move(made);
            return;
        }
        if (!on_host_) download();
        device_ = nullptr;
    }
    void move_to_host(Access access) {
        if (!on_host_) download();
        if (access != Access::read) {
            device_ = nullptr;
            home_.store(nullptr, std::memory_order_release);
            version_ = new_version();
        }
        pages_.protect(device_ ? PROT_READ : PROT_READ | PROT_WRITE);
    }
    void download() {
        const fastnp::detail::TimelineSpan span("copy", "download", static_cast<std::int64_t>(bytes_));
        pages_.protect(PROT_READ | PROT_WRITE);
        device_->backend().download(pages_.begin(), device_->get(), bytes_);
        on_host_ = true;
    }
    // Of what is shared. While the host writes, what it wrote is what there is.
    void copy_to_host(Access access) {
        if (access == Access::expose) refuse_exposure(device_->backend());
        if (writers_ == 0) {
            device_->backend().wait_for(Backend::every_stream);
            download();
        }
        if (access == Access::write) ++writers_;
        pages_.protect(writers_ == 0 ? PROT_READ : PROT_READ | PROT_WRITE);
    }

    base::Lock mutex_;
    const std::size_t bytes_;
    Pages pages_;
    std::atomic<Backend*> home_;  // where it was used last; changed under the lock
    std::shared_ptr<Block> device_;  // null: they are not there
    bool on_host_ = false;  // whether the contents are
    Given given_ = Given::no;  // to whom its address was given away
    int writers_ = 0;  // on the host, of what is shared
    int lent_ = 0;  // how many on the host have it lent
    Backend* home_before_ = nullptr;  // that
    std::uint64_t version_ = new_version();  // another one when it may be written to
};

// All there are, by their first address.
class Table {
public:
    void add(std::shared_ptr<Place> place) {
        const char* const host = place->host();
        const std::scoped_lock lock(mutex_);
        lowest_.store(std::min(lowest_.load(std::memory_order_relaxed), address_of(host)), std::memory_order_relaxed);
        highest_.store(std::max(highest_.load(std::memory_order_relaxed), address_of(host) + place->bytes()), std::memory_order_relaxed);
        if (spare_) {
            spare_.key() = host;
            spare_.mapped() = std::move(place);
            all_.insert(std::move(spare_));
        } else {
            all_.emplace(host, std::move(place));
        }
        detail::movable_count.fetch_add(1, std::memory_order_release);
    }
    void remove(const char* host) {
        std::shared_ptr<Place> last;  // freed after the lock
        const std::scoped_lock lock(mutex_);
        const auto found = all_.find(host);
        last = std::move(found->second);
        spare_ = all_.extract(found);
        detail::movable_count.fetch_sub(1, std::memory_order_release);
    }
    std::shared_ptr<Place> find(const void* address) const {
        if (lies_outside(address)) return nullptr;
        const std::scoped_lock lock(mutex_);
        const std::shared_ptr<Place>* const found = look_for(address);
        return found == nullptr ? nullptr : *found;
    }
    // Asked at every call, so nobody comes to own the place for it.
    Backend* home_of(const void* address) const {
        if (lies_outside(address)) return nullptr;
        const std::scoped_lock lock(mutex_);
        const std::shared_ptr<Place>* const found = look_for(address);
        return found == nullptr ? nullptr : (*found)->home();
    }

private:
    static std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
    // Who asks for an address in a place has it from who added that: the bounds hold it by then.
    bool lies_outside(const void* address) const {
        return address_of(address) < lowest_.load(std::memory_order_relaxed) || address_of(address) > highest_.load(std::memory_order_relaxed);
    }

    const std::shared_ptr<Place>* look_for(const void* address) const {
        const auto* at = static_cast<const char*>(address);
        auto after = all_.upper_bound(at);
        if (after == all_.begin()) return nullptr;
        const std::shared_ptr<Place>& before = std::prev(after)->second;
        // An array of no elements may begin where the memory ends.
        return at <= before->host() + before->bytes() ? &before : nullptr;
    }

    mutable base::Lock mutex_;
    std::atomic<std::uintptr_t> lowest_{UINTPTR_MAX}, highest_{0};  // that any place had so far: most arrays of the host lie elsewhere
    std::map<const char*, std::shared_ptr<Place>> all_;
    std::map<const char*, std::shared_ptr<Place>>::node_type spare_;  // of what was removed last, for what comes next
};

Table& table() {
    return base::made_once([] { return std::make_unique<Table>(); });  // arrays may outlive every static
}

std::size_t offset_in(const Place& place, const void* address) { return static_cast<std::size_t>(static_cast<const char*>(address) - place.host()); }

}  // namespace

void add_place(std::shared_ptr<Place> place) { table().add(std::move(place)); }
void remove_place(const char* host) { table().remove(host); }
std::shared_ptr<Place> place_of(const void* address) { return anything_moves() ? table().find(address) : nullptr; }

namespace {

BufferPtr known_by_the_host(std::shared_ptr<Movable> made) {
    Movable* const place = made.get();
    char* const host = place->host();
    table().add(std::move(made));
    BufferPtr buffer = Buffer::borrow(host, place->bytes(), [host] { table().remove(host); }, place);
    note_made(host, place->bytes());
    return buffer;
}

}  // namespace

BufferPtr allocate_movable(std::size_t bytes, Backend* home) { return known_by_the_host(std::make_shared<Movable>(bytes, home)); }

There allocate_there(std::size_t bytes, Backend& home) {
    auto made = std::make_shared<Movable>(bytes, &home);
    char* const address = made->address();
    return {known_by_the_host(std::move(made)), address};
}

void detail::bring_to_host(const void* address, Access access) {
    if (const auto found = table().find(address)) found->to_host(offset_in(*found, address), access);
}

void detail::bring_back(const void* address, std::size_t bytes) {
    if (bytes == 0) return;
    if (const auto found = table().find(address)) found->written_on_host(offset_in(*found, address), bytes);
}

std::shared_ptr<void> lend_to_host(const void* address) {
    const auto found = place_of(address);
    if (!found) return nullptr;
    found->lend_to_host();
    return {found.get(), [found](void*) { found->take_back(); }};
}

void read_bytes(void* to, const void* address, std::size_t bytes) {
    if (const auto found = place_of(address)) found->read(to, offset_in(*found, address), bytes);
    else std::memcpy(to, address, bytes);
}

namespace {

// The same address there; null if the place is not.
std::shared_ptr<void> moved_on(const Place& place, std::shared_ptr<char> there, const void* address) {
    if (!there) return nullptr;
    char* const at = there.get() + offset_in(place, address);
    return {std::move(there), at};
}

}  // namespace

std::shared_ptr<void> use_on_device(Backend& device, const void* address, Access access) {
    const auto found = place_of(address);
    return found ? moved_on(*found, found->to_device(device, access), address) : nullptr;
}

std::shared_ptr<void> use_on_device(Backend& device, const Buffer* buffer, const void* address, Access access) {
    Place* const place = buffer == nullptr ? nullptr : buffer->place();
    return place != nullptr ? moved_on(*place, place->to_device(device, access), address) : use_on_device(device, address, access);
}

std::shared_ptr<void> share_on_device(Backend& device, const void* address) {
    const auto found = place_of(address);
    return found ? moved_on(*found, found->share(device), address) : nullptr;
}

void bring_home(Backend& device, const void* address) {
    if (const auto found = place_of(address)) found->bring_home(device);
}

BufferPtr copy_at_home(const void* first, std::size_t bytes) {
    Backend* home = home_of(first);
    return home == nullptr ? nullptr : copy_to(*home, first, bytes);
}

BufferPtr copy_to(Backend& device, const void* first, std::size_t bytes) {
    Backend* home = home_of(first);
    if (home == nullptr) return nullptr;
    SharedUse shared;
    if (shared_on(first) != nullptr) shared.begin(*home);
    const std::shared_ptr<void> from = use_on_device(*home, first, Access::read);
    if (!from) return nullptr;
    There made = allocate_there(bytes, device);
    if (home == &device) home->copy(made.address, from.get(), bytes);
    else if (!device.copy_from(*home, made.address, from.get(), bytes)) return nullptr;
    return std::move(made.buffer);
}

std::uint64_t new_version() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::uint64_t version_of(const void* address) {
    const auto found = place_of(address);
    return found ? found->version() : 0;
}

bool detail::is_on_device(const void* address) {
    const auto found = table().find(address);
    return found && found->is_on_device();
}

bool detail::is_free_to_move(const void* address) {
    const auto found = table().find(address);
    return found && found->can_move();
}

Backend* detail::find_home(const void* address) { return table().home_of(address); }
Backend* detail::home_at(Place& place) { return place.home(); }

Backend* detail::find_shared(const void* address) {
    const auto found = table().find(address);
    return found ? found->shared_on() : nullptr;
}

void refuse_exposure(const Backend& device) {
    throw BufferError("the array's elements are on device '" + device.name() +
                      "', where another library may use them: the host reads them by copies, and can't be given their address");
}

void SharedUse::begin(Backend& device) {
    if (device_ != nullptr) return;
    device.wait_for(Backend::every_stream);
    device_ = &device;
}

SharedUse::~SharedUse() {
    if (device_ == nullptr) return;
    try {
        device_->let_wait(Backend::every_stream);
    } catch (const std::exception&) {  // NOLINT: the device can't be used any more, which whoever uses it next is told
    }
}

}  // namespace fastnp::device
