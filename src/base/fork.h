// fork() in a process of several threads: a child has the one that called it alone, so what others were at must be whole, and locks that they had free.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <type_traits>

#include "base/for_codegen.h"

namespace fastnp::base {

/// How many forks lie between the first process and this one.
std::uint32_t fork_count();
/// A number for this thread, other than 0, which no other thread of this process and of those that it was forked from has.
std::uint64_t thread_token();
/// Whether a thread that had this number was left behind by a fork.
bool is_left_behind(std::uint64_t token);

/// A lock that fork() takes first, so that a child finds it free, and whole what it protects. Who holds it must not wait for a thread that may fork (which
/// in Python has its lock), and must not make or destroy another one.
class ForkLock {
public:
    ForkLock() = default;
    virtual ~ForkLock() = default;
    ForkLock(const ForkLock&) = delete;
    ForkLock& operator=(const ForkLock&) = delete;

    virtual bool take() = 0;
    virtual void give_back() = 0;
    /// In the child, which is another thread than the one that took it.
    virtual void renew() = 0;

protected:
    /// From now on fork() takes it; the last thing that is done as it is made, and undone as the first when it goes.
    FASTNP_FOR_CODEGEN void join();
    FASTNP_FOR_CODEGEN void leave();

private:
    friend class ForkLocks;
    ForkLock *next_ = nullptr, *before_ = nullptr;
};

/// A mutex that is one.
template <class Mutex>
class ForkSafe final : public ForkLock {
public:
    ForkSafe() { join(); }
    ~ForkSafe() override { leave(); }
    ForkSafe(const ForkSafe&) = delete;
    ForkSafe& operator=(const ForkSafe&) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }
    void lock_shared() { mutex_.lock_shared(); }
    void unlock_shared() { mutex_.unlock_shared(); }

    bool take() override { return mutex_.try_lock(); }
    void give_back() override { mutex_.unlock(); }
    void renew() override { new (&mutex_) Mutex; }

private:
    Mutex mutex_;
};

/// While it lives, fork() in other threads waits: for work that takes a while, on what all threads share. May be nested.
class FASTNP_FOR_CODEGEN NoFork {
public:
    NoFork();
    ~NoFork();
    NoFork(const NoFork&) = delete;
    NoFork& operator=(const NoFork&) = delete;
};

/// The one object that `make` gives, as a std::unique_ptr, made when it is first asked for and never destroyed. A fork in another thread waits while it is
/// made: a child would wait for ever for a static that a thread of its parent was making.
template <class Make>
auto& made_once(const Make& make) {
    using Made = std::remove_pointer_t<decltype(make().release())>;
    static constinit std::atomic<Made*> made{nullptr};
    if (Made* const found = made.load(std::memory_order_acquire)) return *found;
    const NoFork whole;
    static Made* const first = make().release();
    made.store(first, std::memory_order_release);
    return *first;
}

}  // namespace fastnp::base
