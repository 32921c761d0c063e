#include "device/pages.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/lock.h"
#include "fastnp/error.h"

namespace fastnp::device {

namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t whole_pages(std::size_t bytes) { return std::max<std::size_t>((bytes + page_bytes() - 1) / page_bytes(), 1) * page_bytes(); }

// Those that were freed are handed out again: asking the system takes longer than a launch.
class Addresses {
public:
    char* take(std::size_t bytes) {
        {
            const std::scoped_lock lock(mutex_);
            auto& free = free_[bytes];
            if (!free.empty()) {
                char* found = free.back();
                free.pop_back();
                return found;
            }
        }
        void* made = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) throw MemoryError("Unable to allocate addresses for an array");
        return static_cast<char*>(made);
    }
    void give_back(char* addresses, std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        auto& free = free_[bytes];
        if (free.size() >= most_free) munmap(addresses, bytes);
        else free.push_back(addresses);
    }

private:
    static constexpr std::size_t most_free = 16;  // of one size
    base::Lock mutex_;
    std::map<std::size_t, std::vector<char*>> free_;
};

Addresses& addresses() {
    return base::made_once([] { return std::make_unique<Addresses>(); });  // arrays may outlive every static
}

// Those that a thread gave back last, which it takes again without a lock: results of calls come and go.
struct Spare {
    std::size_t bytes;
    char* begin;
    bool is_over;  // the thread is at its end
};
thread_local constinit Spare spare{0, nullptr, false};

class SpareKeeper {
public:
    ~SpareKeeper() {
        spare.is_over = true;
        if (spare.begin != nullptr) addresses().give_back(std::exchange(spare.begin, nullptr), spare.bytes);
    }
    /// Has the destructor run at the thread's end.
    void come_to_be() {}
};
thread_local SpareKeeper keeper;

char* take(std::size_t bytes) {
    if (spare.begin != nullptr && spare.bytes == bytes) return std::exchange(spare.begin, nullptr);
    return addresses().take(bytes);
}

void give_back(char* begin, std::size_t bytes) {
    constexpr std::size_t most_kept = std::size_t{1} << 32;  // other threads can't have them
    if (spare.is_over || bytes > most_kept) return addresses().give_back(begin, bytes);
    keeper.come_to_be();
    const Spare before = std::exchange(spare, Spare{bytes, begin, false});
    if (before.begin != nullptr) addresses().give_back(before.begin, before.bytes);
}

[[noreturn]] void fail() { throw MemoryError("Unable to change the protection of memory that moves between devices"); }

}  // namespace

Pages::Pages(std::size_t bytes) : bytes_(whole_pages(bytes)), begin_(take(bytes_)) {}

Pages::~Pages() {
    if (touched_) madvise(begin_, bytes_, MADV_DONTNEED);
    const bool closed = protection_ == PROT_NONE && !mixed_;
    if (closed || mprotect(begin_, bytes_, PROT_NONE) == 0) give_back(begin_, bytes_);
    else munmap(begin_, bytes_);
}

void Pages::protect(int protection) {
    if (protection == protection_) return;
    if (mprotect(begin_, bytes_, protection) != 0) fail();
    protection_ = protection;
    touched_ = touched_ || protection != PROT_NONE;
}

void Pages::open(std::size_t offset, std::size_t bytes) {
    const std::size_t first = offset / page_bytes() * page_bytes();
    const std::size_t end = std::min((offset + bytes + page_bytes() - 1) / page_bytes() * page_bytes(), bytes_);
    if (mprotect(begin_ + first, end - first, PROT_READ | PROT_WRITE) != 0) fail();
    touched_ = mixed_ = true;
}

}  // namespace fastnp::device
