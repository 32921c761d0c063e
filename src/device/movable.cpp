#include "device/movable.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "device/block.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

using Address = std::uintptr_t;

std::size_t whole_pages(std::size_t bytes) {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::max<std::size_t>((bytes + page - 1) / page, 1) * page;
}

// Addresses that nothing lies at yet. Those that were freed are handed out again: asking the system takes longer than a launch.
class Addresses {
public:
    void* take(std::size_t bytes) {
        {
            const std::scoped_lock lock(mutex_);
            auto& free = free_[bytes];
            if (!free.empty()) {
                void* found = free.back();
                free.pop_back();
                return found;
            }
        }
        void* made = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) throw MemoryError("Unable to allocate addresses for an array");
        return made;
    }
    void give_back(void* addresses, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        auto& free = free_[bytes];
        if (free.size() >= most_free) munmap(addresses, bytes);
        else free.push_back(addresses);
    }

private:
    static constexpr std::size_t most_free = 16;  // of one size
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> free_;
};

Addresses& addresses() {
    static Addresses* made = new Addresses;  // never destroyed: arrays may outlive every static
    return *made;
}

class Movable {
public:
    Movable(std::size_t bytes, Backend* home) : bytes_(bytes), pages_(whole_pages(bytes)), host_(addresses().take(pages_)), home_(home) {
        try {
            if (home != nullptr) device_ = std::make_shared<Block>(*home, bytes);
            else protect(PROT_READ | PROT_WRITE);
        } catch (...) {
            addresses().give_back(host_, pages_);
            throw;
        }
        on_host_ = home == nullptr;
    }
    Movable(const Movable&) = delete;
    Movable& operator=(const Movable&) = delete;
    ~Movable() {
        if (touched_) madvise(host_, pages_, MADV_DONTNEED);
        if (protection_ == PROT_NONE || mprotect(host_, pages_, PROT_NONE) == 0) addresses().give_back(host_, pages_);
        else munmap(host_, pages_);
    }

    void* host() const { return host_; }
    std::size_t bytes() const { return bytes_; }
    Backend* home() {
        const std::scoped_lock lock(mutex_);
        return home_;
    }

    void bring_home(Backend& device) {
        const std::scoped_lock lock(mutex_);
        if (!exposed_ && lent_ == 0) home_ = &device;
    }
    bool is_on_device() {
        const std::scoped_lock lock(mutex_);
        return device_ != nullptr && !on_host_;
    }
    std::uint64_t version() {
        const std::scoped_lock lock(mutex_);
        return version_;
    }
    bool is_exposed() {
        const std::scoped_lock lock(mutex_);
        return exposed_ || lent_ > 0;
    }

    void to_host(Access access) {
        const std::scoped_lock lock(mutex_);
        bring_to_host(access);
        exposed_ = exposed_ || access == Access::expose;
    }

    void lend() {
        const std::scoped_lock lock(mutex_);
        Backend* const home = home_;
        bring_to_host(Access::expose);
        if (lent_++ == 0) home_before_ = home;
    }
    void take_back() {
        const std::scoped_lock lock(mutex_);
        if (--lent_ > 0) return;
        ++version_;
        if (!exposed_) home_ = home_before_;
    }

    void read(void* to, std::size_t offset, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        if (on_host_) std::memcpy(to, static_cast<char*>(host_) + offset, bytes);
        else device_->backend().download(to, device_->get() + offset, bytes);
    }

    std::shared_ptr<Block> to_device(Backend& device, Access access) {
        const std::scoped_lock lock(mutex_);
        if (exposed_ || lent_ > 0) return nullptr;
        if (device_ && &device_->backend() != &device) {
            if (!on_host_) download();
            device_ = nullptr;
        }
        if (!device_) {
            auto made = std::make_shared<Block>(device, bytes_);
            device.upload(made->get(), host_, bytes_);
            device_ = std::move(made);
        }
        if (access == Access::write) {
            on_host_ = false;
            ++version_;
        }
        home_ = &device;
        protect(on_host_ ? PROT_READ : PROT_NONE);
        return device_;
    }

private:
    void bring_to_host(Access access) {
        if (!on_host_) download();
        if (access != Access::read) {
            device_ = nullptr;
            home_ = nullptr;
            ++version_;
        }
        protect(device_ ? PROT_READ : PROT_READ | PROT_WRITE);
    }
    void download() {
        protect(PROT_READ | PROT_WRITE);
        device_->backend().download(host_, device_->get(), bytes_);
        on_host_ = true;
    }
    void protect(int protection) {
        if (protection == protection_) return;
        if (mprotect(host_, pages_, protection) != 0) throw MemoryError("Unable to change the protection of memory that moves between devices");
        protection_ = protection;
        touched_ = touched_ || protection != PROT_NONE;
    }

    std::mutex mutex_;
    const std::size_t bytes_, pages_;
    void* const host_;
    int protection_ = PROT_NONE;
    bool touched_ = false;    // the system may have given it pages
    Backend* home_;           // where it was used last
    std::shared_ptr<Block> device_;  // null: they are not there
    bool on_host_ = false;    // whether the contents are
    bool exposed_ = false;
    int lent_ = 0;                    // how many have it lent
    Backend* home_before_ = nullptr;  // that
    std::uint64_t version_ = 0;  // grows when it may be written to
};

// All there are, by their first address.
class Table {
public:
    void add(const std::shared_ptr<Movable>& movable) {
        const std::unique_lock lock(mutex_);
        all_.emplace(reinterpret_cast<Address>(movable->host()), movable);
        detail::movable_count.fetch_add(1, std::memory_order_release);
    }
    void remove(void* host) {
        std::shared_ptr<Movable> last;  // freed after the lock
        const std::unique_lock lock(mutex_);
        const auto found = all_.find(reinterpret_cast<Address>(host));
        last = std::move(found->second);
        all_.erase(found);
        detail::movable_count.fetch_sub(1, std::memory_order_release);
    }
    std::shared_ptr<Movable> find(const void* address) const {
        const auto at = reinterpret_cast<Address>(address);
        const std::shared_lock lock(mutex_);
        auto after = all_.upper_bound(at);
        if (after == all_.begin()) return nullptr;
        const std::shared_ptr<Movable>& before = std::prev(after)->second;
        // An array of no elements may begin where the memory ends.
        return at <= reinterpret_cast<Address>(before->host()) + before->bytes() ? before : nullptr;
    }

private:
    mutable std::shared_mutex mutex_;
    std::map<Address, std::shared_ptr<Movable>> all_;
};

Table& table() {
    static Table* made = new Table;  // never destroyed: arrays may outlive every static
    return *made;
}

}  // namespace

BufferPtr allocate_movable(std::size_t bytes, Backend* home) {
    const auto made = std::make_shared<Movable>(bytes, home);
    void* host = made->host();
    table().add(made);
    return Buffer::borrow(host, bytes, [host] { table().remove(host); });
}

void detail::bring_to_host(const void* address, Access access) {
    if (const auto found = table().find(address)) found->to_host(access);
}

std::shared_ptr<void> lend_to_host(const void* address) {
    const auto found = anything_moves() ? table().find(address) : nullptr;
    if (!found) return nullptr;
    found->lend();
    return {found.get(), [found](void*) { found->take_back(); }};
}

void read_bytes(void* to, const void* address, std::size_t bytes) {
    const auto found = anything_moves() ? table().find(address) : nullptr;
    if (found) found->read(to, static_cast<std::size_t>(static_cast<const char*>(address) - static_cast<const char*>(found->host())), bytes);
    else std::memcpy(to, address, bytes);
}

std::shared_ptr<void> use_on_device(Backend& device, const void* address, Access access) {
    const auto found = table().find(address);
    if (!found) return nullptr;
    const std::shared_ptr<Block> there = found->to_device(device, access);
    if (!there) return nullptr;
    return {there, there->get() + (static_cast<const char*>(address) - static_cast<const char*>(found->host()))};
}

void bring_home(Backend& device, const void* address) {
    if (const auto found = table().find(address)) found->bring_home(device);
}

BufferPtr copy_at_home(const void* first, std::size_t bytes) {
    const auto found = table().find(first);
    Backend* home = found ? found->home() : nullptr;
    if (home == nullptr) return nullptr;
    const std::shared_ptr<void> from = use_on_device(*home, first, Access::read);
    if (!from) return nullptr;
    BufferPtr copy = allocate_movable(bytes, home);
    home->copy(use_on_device(*home, copy->data(), Access::write).get(), from.get(), bytes);
    return copy;
}

std::uint64_t version_of(const void* address) {
    const auto found = anything_moves() ? table().find(address) : nullptr;
    return found ? found->version() : 0;
}

bool detail::is_on_device(const void* address) {
    const auto found = table().find(address);
    return found && found->is_on_device();
}

bool detail::is_free_to_move(const void* address) {
    const auto found = table().find(address);
    return found && !found->is_exposed();
}

Backend* detail::find_home(const void* address) {
    const auto found = table().find(address);
    return found ? found->home() : nullptr;
}

}  // namespace fastnp::device
