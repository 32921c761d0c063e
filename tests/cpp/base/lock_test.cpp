#include "base/lock.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

using fastnp::base::Lock;

BOOST_AUTO_TEST_SUITE(locks)

BOOST_AUTO_TEST_CASE(one_thread_at_a_time_holds_it) {
    constexpr int threads = 8, turns = 20000;
    Lock lock;
    std::int64_t count = 0;  // not atomic
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&] {
            for (int turn = 0; turn < turns; ++turn) {
                const std::scoped_lock held(lock);
                ++count;
                if (turn % 1000 == 0) std::this_thread::yield();  // so that others come to wait
            }
        });
    }
    for (std::thread& each : running) each.join();
    BOOST_TEST(count == threads * turns);
}

BOOST_AUTO_TEST_CASE(who_waits_is_woken) {
    Lock lock;
    lock.lock();
    BOOST_TEST(!lock.try_lock());
    std::atomic<int> through = 0;
    std::vector<std::thread> waiting;
    for (int i = 0; i < 4; ++i) {
        waiting.emplace_back([&] {
            const std::scoped_lock held(lock);
            ++through;
        });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST(through == 0);
    lock.unlock();
    for (std::thread& each : waiting) each.join();
    BOOST_TEST(through == 4);
    BOOST_TEST(lock.try_lock());
    lock.unlock();
}

BOOST_AUTO_TEST_SUITE_END()
