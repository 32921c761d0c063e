// Which kernels were launched last, and for whom. A kernel that goes wrong is noticed by a later call of the driver, which does not say which one it was.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "device/caller.h"

namespace fastnp::cuda {

/// Thread-safe. Each launch is noted, so that costs no lock.
class Launches {
public:
    /// A kernel's name, of those that live as long as this does: each is there once.
    const std::string* name(const std::string& text);

    void add(const std::string* name) { note(count_.fetch_add(1, std::memory_order_relaxed), name); }
    void add(std::span<const std::string* const> names);
    /// Launches so far.
    std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
    /// The first `count` launches have ended well.
    void ended(std::uint64_t count);
    /// Whether there are launches that may not have ended.
    bool may_run() const { return ended_.load(std::memory_order_relaxed) < count(); }
    /// The names of those, in order, each once, and for whom they were launched (device/caller.h): "add, sum of loss (model.py:12), exp"; "" if there are
    /// none. What other threads launch meanwhile may take the place of what is named.
    std::string names() const;

private:
    static constexpr std::size_t kept = 32;
    struct Launch {
        std::atomic<const std::string*> name = nullptr, caller = nullptr;
    };
    // Whoever reads the name sees its text: threads pass each other names and nothing else.
    void note(std::uint64_t launch, const std::string* name) {
        Launch& noted = last_[launch % kept];
        noted.caller.store(device::Caller::current(), std::memory_order_release);
        noted.name.store(name, std::memory_order_release);
    }

    std::mutex mutex_;
    std::set<std::string> known_;  // held by mutex_
    std::array<Launch, kept> last_{};
    std::atomic<std::uint64_t> count_ = 0, ended_ = 0;
};

}  // namespace fastnp::cuda
