// A child of fork() finds locks free, whole what they protect, and nothing half done that all threads share.
#include "base/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include "base/turn_lock.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using namespace std::chrono_literals;

// Whether the body is true in a child, which has as long as any machine takes.
template <class Body>
bool holds_in_child(Body body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    const auto until = std::chrono::steady_clock::now() + 60s;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > until) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Threads that do something over and over, as long as it lives.
class Busy {
public:
    template <class Body>
    Busy(int count, Body body) {
        for (int i = 0; i < count; ++i) {
            threads_.emplace_back([this, body, i] {
                while (!stop_) body(i);
            });
        }
    }
    ~Busy() {
        stop_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

private:
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(forks)

BOOST_AUTO_TEST_CASE(what_a_lock_protects_is_whole_in_a_child) {
    base::ForkSafe<std::mutex> mutex;
    long first = 0, second = 0;  // the same outside of the lock
    const Busy busy(2, [&](int) {
        const std::scoped_lock lock(mutex);
        ++first;
        std::this_thread::yield();
        ++second;
    });
    for (int round = 0; round < 20; ++round) {
        BOOST_TEST(holds_in_child([&] {
            const std::scoped_lock lock(mutex);
            return first == second;
        }));
    }
}

BOOST_AUTO_TEST_CASE(a_fork_waits_for_what_all_threads_share) {
    std::atomic<int> inside{0};
    const Busy busy(2, [&](int) {
        const base::NoFork whole, again;
        ++inside;
        std::this_thread::sleep_for(1ms);
        --inside;
    });
    for (int round = 0; round < 20; ++round) {
        BOOST_TEST(holds_in_child([&] {
            const base::NoFork whole;
            return inside == 0;
        }));
    }
}

BOOST_AUTO_TEST_CASE(turns_of_threads_that_were_left_behind_are_over) {
    base::TurnLock lock;
    std::atomic<bool> has_it{false}, done{false};
    std::thread other([&] {
        has_it = lock.try_lock();
        while (!done) std::this_thread::sleep_for(1ms);
        lock.unlock();
    });
    while (!has_it) std::this_thread::sleep_for(1ms);
    BOOST_TEST(!lock.try_lock());
    BOOST_TEST(!lock.lock_within(20ms));
    BOOST_TEST(holds_in_child([&] { return lock.try_lock() && lock.try_lock(); }));
    done = true;
    BOOST_TEST(lock.lock_within(60s));
    BOOST_TEST(lock.try_lock());
    lock.unlock();
    BOOST_TEST(holds_in_child([&] {  // which has it itself
        bool taken = false;
        std::thread([&] { taken = lock.try_lock(); }).join();
        lock.unlock();
        std::thread([&] { taken = !taken && lock.try_lock(); }).join();
        return taken;
    }));
    lock.unlock();
    other.join();
}

BOOST_AUTO_TEST_CASE(children_compile_while_others_compile) {
    const auto compiles_anew = [](int number) {
        const auto f = compile([number](const array& x) { return array(x * static_cast<double>(number) + sum(x)); });
        return f(ones({4})).index({0}).item<double>() == number + 4.0;
    };
    std::atomic<int> number{0}, wrong{0};
    const Busy busy(3, [&](int) { wrong += compiles_anew(++number) ? 0 : 1; });
    for (int round = 0; round < 10; ++round) BOOST_TEST(holds_in_child([&] { return compiles_anew(1'000'000 + round); }));
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
