#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fastnp/detail/float_flags.h"

namespace fastnp::base {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto spin_time = std::chrono::microseconds(50);

// Where other threads of the machine want the processors too, a worker may be taken off its processor in the middle of a task, for milliseconds, and a
// short job waits for it. Then short jobs run on the caller alone for a while, for longer if it happens again.
constexpr auto late = std::chrono::microseconds(50);
constexpr Clock::duration least_alone = std::chrono::milliseconds(1), most_alone = std::chrono::milliseconds(8);
constexpr std::int64_t short_job = 256;  // tasks

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

int wanted_threads() {
    if (const char* text = std::getenv("FASTNP_NUM_THREADS")) {
        const int count = std::atoi(text);
        if (count > 0) return std::min(count, 1024);
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
    return std::max(1U, std::thread::hardware_concurrency());
}

// Where a worker runs. A kernel may wake it on the very processor of the thread that wakes it, again and again, while others are idle: the two would
// take turns.
class Place {
public:
    Place() {
        CPU_ZERO(&allowed_);
        sched_getaffinity(0, sizeof allowed_, &allowed_);
        chosen_ = allowed_;
    }

    void keep_off(int processor) {
        if (processor < 0 || sched_getcpu() != processor) return;
        cpu_set_t now;
        if (sched_getaffinity(0, sizeof now, &now) != 0) return;
        if (!CPU_EQUAL(&now, &chosen_)) allowed_ = now;  // somebody else has said where it may run
        cpu_set_t others = allowed_;
        CPU_CLR(static_cast<std::size_t>(processor), &others);
        if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0) chosen_ = others;  // it moves at once
    }

private:
    cpu_set_t allowed_, chosen_;
};

class Pool {
public:
    /// With fewer threads where the system gives no more.
    explicit Pool(int threads) {
        threads_.reserve(static_cast<std::size_t>(threads));
        while (static_cast<int>(threads_.size()) + 1 < threads && add_thread()) {
        }
        count_ = 1 + static_cast<int>(threads_.size());
    }

    ~Pool() {
        stop_.store(true);
        wake();
        for (std::thread& thread : threads_) thread.join();
    }

    int count() const { return count_; }

    void run(std::int64_t tasks, void (*body)(void*, std::int64_t, int), void* context, Tasks kind) {
        std::unique_lock entered(entry_, std::defer_lock);
        if (inside() || threads_.empty() || tasks == 1 || !entered.try_lock()) return run_alone(tasks, body, context);
        const Clock::time_point start = Clock::now();
        if (kind == Tasks::alike && tasks < short_job && start < alone_until_) return run_alone(tasks, body, context);
        body_ = body;
        context_ = context;
        tasks_ = tasks;
        failure_ = nullptr;
        float_flags_.store(0, std::memory_order_relaxed);
        next_.store(0, std::memory_order_relaxed);
        caller_processor_.store(sched_getcpu(), std::memory_order_relaxed);
        // Nobody works on the last job any more, so the state holds only its number.
        state_.store((number_of(state_.load(std::memory_order_relaxed)) + 1) << number_shift | open, std::memory_order_seq_cst);
        if (sleepers_.load(std::memory_order_seq_cst) > 0) wake();
        take(0);
        // Workers that have not come by now are not waited for; they find the job closed.
        if ((state_.fetch_and(~open, std::memory_order_acq_rel) & workers_mask) != 0) wait_for_workers(start, kind);
        if (const unsigned flags = float_flags_.load(std::memory_order_relaxed); flags != 0) detail::raise_float_flags(flags);
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void wait_for_workers(Clock::time_point start, Tasks kind) {
        const Clock::time_point done = Clock::now();
        for (int round = 0; (state_.load(std::memory_order_acquire) & workers_mask) != 0; ++round) {
            if (round < 4096) relax();
            else sched_yield();
        }
        if (kind != Tasks::alike) return;
        const Clock::time_point end = Clock::now();
        if (end - done > late + (done - start)) {  // no task takes longer than all that this thread did
            alone_ = std::min(alone_ * 2, most_alone);
            alone_until_ = end + alone_;
        } else {
            alone_ = least_alone / 2;
        }
    }

    static constexpr std::uint64_t workers_mask = 0xffff;
    static constexpr std::uint64_t open = workers_mask + 1;
    static constexpr int number_shift = 17;
    static std::uint64_t number_of(std::uint64_t state) { return state >> number_shift; }

    static bool& inside() {
        thread_local bool flag = false;
        return flag;
    }

    static void run_alone(std::int64_t tasks, void (*body)(void*, std::int64_t, int), void* context) {
        for (std::int64_t task = 0; task < tasks; ++task) body(context, task, 0);
    }

    void take(int worker) {
        inside() = true;
        for (;;) {
            const std::int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
            if (task >= tasks_) break;
            try {
                body_(context_, task, worker);
            } catch (...) {
                const std::scoped_lock lock(mutex_);
                if (!failure_) failure_ = std::current_exception();
                next_.store(tasks_, std::memory_order_relaxed);
            }
        }
        inside() = false;
    }

    // Whether the system has one more: else there is no thread, or no memory for one.
    bool add_thread() {
        try {
            const int worker = static_cast<int>(threads_.size()) + 1;
            threads_.emplace_back([this, worker] { serve(worker); });
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    // A worker's to the thread that has the job, whose operation they are of.
    void hand_over_float_flags() {
        if (!detail::any_float_flag()) return;
        float_flags_.fetch_or(detail::float_flags(), std::memory_order_relaxed);
        detail::clear_float_flags();
    }

    void serve(int worker) {
        Place place;
        std::uint64_t seen = 0;
        while (wait(seen)) {
            std::uint64_t state = state_.load(std::memory_order_acquire);
            seen = number_of(state);
            place.keep_off(caller_processor_.load(std::memory_order_relaxed));
            while ((state & open) != 0 && number_of(state) == seen) {
                if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
                take(worker);
                hand_over_float_flags();
                state_.fetch_sub(1, std::memory_order_release);
                break;
            }
        }
    }

    // Until there is a job of another number; false at the end of the process.
    bool wait(std::uint64_t seen) {
        const auto until = std::chrono::steady_clock::now() + spin_time;
        for (int round = 0;; ++round) {
            if (stop_.load(std::memory_order_relaxed)) return false;
            if (number_of(state_.load(std::memory_order_acquire)) != seen) return true;
            relax();
            if (round % 64 == 63 && std::chrono::steady_clock::now() > until) break;
        }
        std::unique_lock lock(mutex_);
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        ready_.wait(lock, [&] { return stop_.load() || number_of(state_.load(std::memory_order_seq_cst)) != seen; });
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
        return !stop_.load();
    }

    void wake() {
        const std::scoped_lock lock(mutex_);  // a worker between its last look and its sleep holds this
        ready_.notify_all();
    }

    int count_ = 1;
    std::vector<std::thread> threads_;
    std::mutex entry_;  // held by the thread that uses the workers
    std::mutex mutex_;
    std::condition_variable ready_;
    std::atomic<bool> stop_{false};
    std::atomic<int> sleepers_{0};
    alignas(64) std::atomic<std::uint64_t> state_{0};  // the job's number, whether workers may still join it, how many have
    std::atomic<int> caller_processor_{-1};                 // where the thread that has the job runs
    alignas(64) std::atomic<std::int64_t> next_{0};
    void (*body_)(void*, std::int64_t, int) = nullptr;
    void* context_ = nullptr;
    std::int64_t tasks_ = 0;
    std::exception_ptr failure_;
    std::atomic<unsigned> float_flags_{0};  // that workers' tasks raised
    Clock::time_point alone_until_{};  // under `entry_`
    Clock::duration alone_ = least_alone / 2;
};

// Made at first use; a forked child has no workers, so it starts a pool of its own. Never destroyed: kernels may run until the very end of the process,
// and a worker that sleeps hinders no exit.
constinit std::atomic<Pool*> pool{nullptr};
constinit std::mutex making;

// A fork waits until the pool is made. Before all other handlers, so that this lock is the last one that a fork takes: who makes the pool needs none of
// them.
[[gnu::constructor(101)]] void watch_forks() {
    pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                   [] {
                       pool.store(nullptr);  // its threads stayed in the parent
                       making.unlock();
                   });
}

// Where the system gives no more threads, or no memory for them, something is left for others: half of those that there could be.
std::unique_ptr<Pool> make_pool(int wanted) {
    auto made = std::make_unique<Pool>(wanted);
    const int count = made->count();
    if (count == wanted) return made;
    made.reset();
    return std::make_unique<Pool>(std::max(1, count / 2));
}

Pool& the_pool() {
    Pool* made = pool.load(std::memory_order_acquire);
    if (made != nullptr) return *made;
    const std::scoped_lock lock(making);
    made = pool.load(std::memory_order_acquire);
    if (made == nullptr) {
        made = make_pool(wanted_threads()).release();
        pool.store(made, std::memory_order_release);
    }
    return *made;
}

}  // namespace

int thread_count() { return the_pool().count(); }

void parallel_for(std::int64_t tasks, void (*body)(void*, std::int64_t, int), void* context, Tasks kind) {
    if (tasks > 0) the_pool().run(tasks, body, context, kind);
}

}  // namespace fastnp::base
