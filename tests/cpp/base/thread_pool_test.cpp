// The thread pool: every task runs once, exceptions reach the caller, nested and concurrent entry work, a forked child can use it.
#include "base/thread_pool.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace fastnp;

namespace {

template <class Body>
void parallel(std::int64_t tasks, Body body) {
    base::parallel_for(tasks, [](void* context, std::int64_t task, int worker) { (*static_cast<Body*>(context))(task, worker); }, &body);
}

std::int64_t sum_of_tasks(std::int64_t tasks) {
    std::atomic<std::int64_t> sum{0};
    parallel(tasks, [&](std::int64_t task, int) { sum += task; });
    return sum;
}

using Clock = std::chrono::steady_clock;

constexpr auto ages = std::chrono::seconds(20);                // in which a thread comes, however busy the machine is
constexpr auto longest_alone = std::chrono::milliseconds(20);  // more than a caller goes without workers

template <class Condition>
bool happens_within(Clock::duration most, Condition condition) {
    const Clock::time_point end = Clock::now() + most;
    while (!condition()) {
        if (Clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

// Whether workers take part in a job of at least a task a thread: the caller waits for one in its first task, and workers in theirs for the caller.
bool is_shared(std::int64_t tasks, Clock::duration wait, Clock::duration late = {}) {
    std::atomic<bool> caller{false}, worker{false}, over{false};
    bool shared = false;
    const Clock::time_point start = Clock::now();
    parallel(tasks, [&](std::int64_t, int number) {
        if (number != 0) {
            worker = true;
            happens_within(ages, [&] { return caller.load(); });
            if (late == Clock::duration{}) return;
            happens_within(ages, [&] { return over.load(); });
            std::this_thread::sleep_for(late + 3 * (Clock::now() - start));  // for longer than the caller had work
        } else if (!caller.exchange(true)) {
            shared = happens_within(wait, [&] { return worker.load(); });
            over = true;
        }
    });
    return shared;
}

// A job whose workers end long after the caller has nothing left to do. It begins when the caller takes workers again, whatever was before.
bool have_late_workers() {
    std::this_thread::sleep_for(longest_alone);
    return is_shared(base::thread_count(), ages, std::chrono::milliseconds(20));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(thread_pool)

BOOST_AUTO_TEST_CASE(every_task_runs_once) {
    for (const std::int64_t tasks : {0, 1, 2, 7, 1000}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
        std::atomic<bool> wrong{false};  // Boost.Test is for one thread
        parallel(tasks, [&](std::int64_t task, int worker) {
            ++runs[static_cast<std::size_t>(task)];
            if (worker < 0 || worker >= base::thread_count()) wrong = true;
        });
        BOOST_TEST(!wrong);
        for (const auto& count : runs) BOOST_TEST(count.load() == 1);
    }
}

BOOST_AUTO_TEST_CASE(a_worker_number_is_used_by_one_task_at_a_time) {
    std::vector<std::atomic<int>> busy(static_cast<std::size_t>(base::thread_count()));
    std::atomic<bool> clash{false};
    parallel(2000, [&](std::int64_t, int worker) {
        auto& mine = busy[static_cast<std::size_t>(worker)];
        if (mine.fetch_add(1) != 0) clash = true;
        mine.fetch_sub(1);
    });
    BOOST_TEST(!clash);
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_the_caller_and_the_pool_stays_usable) {
    auto fails = [] {
        parallel(100, [](std::int64_t task, int) {
            if (task == 37) throw std::runtime_error("task 37");
        });
    };
    for (int round = 0; round < 3; ++round) BOOST_CHECK_THROW(fails(), std::runtime_error);
    BOOST_TEST(sum_of_tasks(100) == 4950);
}

BOOST_AUTO_TEST_CASE(nested_entry_runs_on_the_caller) {
    std::atomic<std::int64_t> sum{0};
    parallel(8, [&](std::int64_t, int) { sum += sum_of_tasks(10); });
    BOOST_TEST(sum == 8 * 45);
}

BOOST_AUTO_TEST_CASE(threads_enter_at_the_same_time) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round) wrong += sum_of_tasks(50) != 1225;
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(works_after_the_workers_fell_asleep) {
    BOOST_TEST(sum_of_tasks(100) == 4950);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    BOOST_TEST(sum_of_tasks(100) == 4950);
}

// How soon the caller comes to the next job is up to the system, so there are several tries.
BOOST_AUTO_TEST_CASE(after_workers_were_late_short_jobs_run_on_the_caller_for_a_while) {
    const std::int64_t short_job = base::thread_count(), long_job = 2000;
    if (short_job == 1 || short_job >= 256) return;
    bool alone = false;
    for (int tries = 0; tries < 25 && !alone; ++tries) {
        BOOST_REQUIRE(have_late_workers());
        alone = !is_shared(short_job, std::chrono::milliseconds(200));
    }
    BOOST_TEST(alone);
    BOOST_REQUIRE(have_late_workers());
    BOOST_TEST(is_shared(long_job, ages));
    std::this_thread::sleep_for(longest_alone);
    BOOST_TEST(is_shared(short_job, ages));
}

BOOST_AUTO_TEST_CASE(workers_keep_off_the_callers_processor) {
    cpu_set_t allowed, here;
    BOOST_REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    if (base::thread_count() < 2 || CPU_COUNT(&allowed) < 2) return;
    parallel(2, [](std::int64_t, int) {});  // workers are made: they may run where this thread may now
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    BOOST_REQUIRE(sched_setaffinity(0, sizeof here, &here) == 0);  // so that the system can't part the two by moving this one
    int shared = 0, met = 0;
    const bool enough = happens_within(ages, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the workers fall asleep: waking them is what chooses a processor
        std::atomic<int> processors[2] = {-1, -1};
        parallel(2, [&](std::int64_t, int worker) {
            processors[worker == 0 ? 0 : 1] = sched_getcpu();
            const Clock::time_point end = Clock::now() + std::chrono::milliseconds(1);
            while (Clock::now() < end) {
            }
        });
        if (processors[1] >= 0) {  // a worker came in time
            ++met;
            shared += processors[0] == processors[1] ? 1 : 0;
        }
        return met == 100;
    });
    sched_setaffinity(0, sizeof allowed, &allowed);
    BOOST_TEST_REQUIRE((enough || met > 4 * base::thread_count()));
    BOOST_TEST(shared <= 1 + base::thread_count());  // each worker finds out once
}

BOOST_AUTO_TEST_CASE(a_forked_child_has_workers_of_its_own) {
    BOOST_TEST(sum_of_tasks(100) == 4950);
    const pid_t child = fork();
    if (child == 0) {
        const bool right = sum_of_tasks(1000) == 499500;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    BOOST_REQUIRE(waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    BOOST_TEST(sum_of_tasks(100) == 4950);
}

BOOST_AUTO_TEST_SUITE_END()
