#include "base/turn_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/fork.h"

namespace fastnp::base {

namespace {

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds longest) {
    timespec time{};
    time.tv_sec = static_cast<std::time_t>(longest.count() / 1'000'000'000);
    time.tv_nsec = static_cast<long>(longest.count() % 1'000'000'000);
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0); }

}  // namespace

bool TurnLock::try_lock() noexcept {
    const std::uint64_t own = thread_token();
    std::uint64_t owner = owner_.load(std::memory_order_acquire);
    if (owner != own) {
        if (owner != 0 && !is_left_behind(owner)) return false;
        if (!owner_.compare_exchange_strong(owner, own, std::memory_order_acq_rel)) return false;
        depth_ = 0;
    }
    ++depth_;
    return true;
}

bool TurnLock::lock_within(std::chrono::milliseconds longest) noexcept {
    const auto until = std::chrono::steady_clock::now() + longest;
    for (;;) {
        waiting_.fetch_add(1);
        const std::uint32_t before = released_.load();
        const bool has_it = try_lock();
        const auto left = until - std::chrono::steady_clock::now();
        if (!has_it && left.count() > 0) sleep_on(released_, before, left);
        waiting_.fetch_sub(1);
        if (has_it) return true;
        if (left.count() <= 0) return false;
    }
}

void TurnLock::unlock() noexcept {
    if (--depth_ > 0) return;
    owner_.store(0);
    released_.fetch_add(1);
    if (waiting_.load() != 0) wake_all(released_);
}

}  // namespace fastnp::base
