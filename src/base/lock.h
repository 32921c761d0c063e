// A lock that is taken often and nearly always free.
#pragma once

#include <atomic>
#include <cstdint>

namespace fastnp::base {

/// As std::mutex, without its calls of the C library: 9 nanoseconds where that takes 13 (in a process of several threads), and std::shared_mutex 15 to 18;
/// a call of a compiled function on a device takes a dozen of them. Who waits sleeps, however long.
class Lock {
public:
    void lock() noexcept {
        std::uint32_t expected = free;
        if (!state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed)) [[unlikely]]
            wait();
    }
    bool try_lock() noexcept {
        std::uint32_t expected = free;
        return state_.compare_exchange_strong(expected, held, std::memory_order_acquire, std::memory_order_relaxed);
    }
    void unlock() noexcept {
        if (state_.exchange(free, std::memory_order_release) == awaited) [[unlikely]]
            state_.notify_one();
    }

private:
    // Whoever gets it after a wait says that others may still wait: one call too many at the end, and none too few.
    void wait() noexcept {
        while (state_.exchange(awaited, std::memory_order_acquire) != free) state_.wait(awaited, std::memory_order_relaxed);
    }

    static constexpr std::uint32_t free = 0, held = 1, awaited = 2;
    std::atomic<std::uint32_t> state_ = free;
};

}  // namespace fastnp::base
