// A lock that is waited for only so long, and that a child of fork() finds free.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace fastnp::base {

/// A recursive lock. If a thread has it that a fork left behind in the parent, it is free.
class TurnLock {
public:
    bool try_lock() noexcept;
    /// False if it was not to be had for that long.
    bool lock_within(std::chrono::milliseconds longest) noexcept;
    void unlock() noexcept;

private:
    std::atomic<std::uint64_t> owner_{0};     // a thread's token; 0: it is free
    std::atomic<std::uint32_t> released_{0};  // how often; what is waited on
    std::atomic<int> waiting_{0};
    int depth_ = 0;  // of its owner
};

}  // namespace fastnp::base
