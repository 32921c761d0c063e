#include "base/fork.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

namespace fastnp::base {

namespace {

// A fork does not wait for ever: the thread that calls it may have what others wait for.
constexpr auto longest_wait = std::chrono::seconds(5);
constexpr auto pause = std::chrono::microseconds(50);

std::atomic<std::uint32_t> forks{0};
std::atomic<std::uint64_t> survivor{0};  // the token of the thread that called the last fork

int& depth() {
    thread_local int value = 0;
    return value;
}

}  // namespace

// All that there are, and threads that no fork may cut off. Never destroyed: threads may run until the very end of the process.
class ForkLocks {
public:
    static ForkLocks& all() {
        static ForkLocks* const made = [] {
            auto* locks = new ForkLocks;
            pthread_atfork([] { all().prepare(); }, [] { all().done(); }, [] { all().start_anew(); });
            return locks;
        }();
        return *made;
    }

    void add(ForkLock* lock) {
        const std::scoped_lock held(mutex_);
        lock->next_ = first_;
        if (first_ != nullptr) first_->before_ = lock;
        first_ = lock;
    }
    void remove(ForkLock* lock) {
        const std::scoped_lock held(mutex_);
        (lock->before_ == nullptr ? first_ : lock->before_->next_) = lock->next_;
        if (lock->next_ != nullptr) lock->next_->before_ = lock->before_;
    }

    void enter() {
        std::unique_lock held(busy_mutex_);
        changed_.wait(held, [&] { return !closed_; });
        ++busy_;
    }
    void leave() {
        const std::scoped_lock held(busy_mutex_);
        --busy_;
        changed_.notify_all();
    }

private:
    void prepare() {
        const auto until = std::chrono::steady_clock::now() + longest_wait;
        close(until);
        mutex_.lock();
        while (!take_all()) {
            if (std::chrono::steady_clock::now() > until) return;  // the child has to do without
            mutex_.unlock();  // who has one may be about to make another
            std::this_thread::sleep_for(pause);
            mutex_.lock();
        }
        has_all_ = true;
    }

    // Nobody enters, and who has entered leaves; `busy_mutex_` is held from here on.
    void close(std::chrono::steady_clock::time_point until) {
        std::unique_lock held(busy_mutex_);
        closed_ = true;
        changed_.wait_until(held, until, [&] { return busy_ <= depth(); });
        held.release();
    }

    bool take_all() {
        for (ForkLock* each = first_; each != nullptr; each = each->next_) {
            if (each->take()) continue;
            for (ForkLock* taken = first_; taken != each; taken = taken->next_) taken->give_back();
            return false;
        }
        return true;
    }

    void done() {
        if (has_all_) {
            for (ForkLock* each = first_; each != nullptr; each = each->next_) each->give_back();
        }
        open();
        changed_.notify_all();
        busy_mutex_.unlock();
        mutex_.unlock();
    }

    void start_anew() {
        forks.fetch_add(1);
        survivor.store(thread_token());
        for (ForkLock* each = first_; each != nullptr; each = each->next_) each->renew();
        open();
        busy_ = depth() > 0 ? 1 : 0;
        new (&changed_) std::condition_variable;
        new (&busy_mutex_) std::mutex;
        new (&mutex_) std::mutex;
    }

    void open() {
        has_all_ = false;
        closed_ = false;
    }

    std::mutex mutex_;  // of the list
    ForkLock* first_ = nullptr;
    bool has_all_ = false;
    std::mutex busy_mutex_;
    std::condition_variable changed_;
    bool closed_ = false;
    int busy_ = 0;  // threads that have entered
};

std::uint32_t fork_count() { return forks.load(std::memory_order_relaxed); }

std::uint64_t thread_token() {
    static std::atomic<std::uint32_t> threads{0};
    thread_local const std::uint64_t token = std::uint64_t{fork_count()} << 32 | (threads.fetch_add(1) + 1);
    return token;
}

bool is_left_behind(std::uint64_t token) { return token != 0 && token >> 32 != fork_count() && token != survivor.load(std::memory_order_relaxed); }

void ForkLock::join() { ForkLocks::all().add(this); }
void ForkLock::leave() { ForkLocks::all().remove(this); }

NoFork::NoFork() {
    if (depth()++ == 0) ForkLocks::all().enter();
}
NoFork::~NoFork() {
    if (--depth() == 0) ForkLocks::all().leave();
}

}  // namespace fastnp::base
