#include "base/background.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/fork.h"

namespace fastnp::base {

namespace {

class Worker {
public:
    void add(std::function<void()> job) {
        if (!hand_over(job)) job();
    }

    void wait() {
        const std::uint32_t wanted = handed_.load();
        for (std::uint32_t done = done_.load(); is_alive() && static_cast<std::int32_t>(done - wanted) < 0; done = done_.load()) done_.wait(done);
    }

    bool is_at_work() { return is_alive() && done_.load() != handed_.load(); }

    // No job is begun any more; waits for the one that is under way.
    void stop() {
        std::size_t dropped = 0;
        {
            const std::lock_guard lock(mutex_);
            stops_ = true;
            dropped = jobs_.size();
            jobs_.clear();
        }
        done_ += static_cast<std::uint32_t>(dropped);
        wait();
    }

private:
    // False where the system refuses a thread.
    bool hand_over(std::function<void()>& job) {
        const std::lock_guard lock(mutex_);
        if (stops_) return true;
        if ((!is_at_work_ || forks_ != fork_count()) && !begin()) return false;
        jobs_.push_back(std::move(job));
        ++handed_;
        handed_.notify_one();
        return true;
    }

    bool is_alive() {
        const std::lock_guard lock(mutex_);
        return is_at_work_ && forks_ == fork_count();
    }

    // Of this process. The thread is never joined: it waits for jobs until the process ends.
    bool begin() {
        forks_ = fork_count();
        jobs_.clear();
        done_ = handed_.load();
        try {
            std::thread([this, from = handed_.load()] { run(from); }).detach();
        } catch (const std::system_error&) {
            return is_at_work_ = false;
        }
        return is_at_work_ = true;
    }

    void run(std::uint32_t seen) {
        while (true) {
            handed_.wait(seen);
            ++seen;
            std::function<void()> job;
            {
                const std::lock_guard lock(mutex_);
                if (jobs_.empty()) continue;  // dropped
                job = std::move(jobs_.front());
                jobs_.pop_front();
            }
            job();
            job = nullptr;
            ++done_;
            done_.notify_all();
        }
    }

    ForkSafe<std::mutex> mutex_;  // of all but the counts
    std::deque<std::function<void()>> jobs_;
    bool is_at_work_ = false, stops_ = false;
    std::uint32_t forks_ = 0;
    std::atomic<std::uint32_t> handed_{0}, done_{0};  // jobs
};

Worker& worker() {
    return made_once([] {
        auto made = std::make_unique<Worker>();
        std::atexit([] { worker().stop(); });
        return made;
    });
}

}  // namespace

void in_background(std::function<void()> job) { worker().add(std::move(job)); }
void wait_for_background() { worker().wait(); }
bool is_at_work_in_background() { return worker().is_at_work(); }

}  // namespace fastnp::base
