#include "cuda/launches.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

using fastnp::cuda::Launches;

BOOST_AUTO_TEST_SUITE(cuda_launches)

BOOST_AUTO_TEST_CASE(names_of_what_may_run) {
    Launches launches;
    BOOST_TEST(launches.names() == "");
    BOOST_TEST(!launches.may_run());
    const std::string *const one = launches.name("one"), *const two = launches.name("two");
    BOOST_TEST(launches.name("one") == one);
    launches.add(one);
    launches.add(two);
    launches.add(one);
    BOOST_TEST(launches.count() == 3U);
    BOOST_TEST(launches.may_run());
    BOOST_TEST(launches.names() == "one, two");
    launches.ended(1);
    BOOST_TEST(launches.names() == "two, one");
    launches.ended(3);
    launches.ended(2);  // noticed later
    BOOST_TEST(launches.names() == "");
    BOOST_TEST(!launches.may_run());
    launches.add(std::vector(100, two));
    BOOST_TEST(launches.count() == 103U);
    BOOST_TEST(launches.names() == "two (and 68 launches before them)");
}

BOOST_AUTO_TEST_CASE(callers_are_named_after_their_kernels) {
    using fastnp::device::Caller;
    Launches launches;
    const std::string *const one = launches.name("one"), *const two = launches.name("two");
    const std::string* const loss = Caller::named("loss (model.py:12)");
    BOOST_TEST(Caller::named("loss (model.py:12)") == loss);
    BOOST_TEST(Caller::current() == nullptr);
    {
        const Caller outer(loss);
        launches.add(one);
        launches.add(two);
        {
            const Caller inner(Caller::named("step"));
            launches.add(one);
            const Caller nobody(nullptr);
            BOOST_TEST(*Caller::current() == "step");
        }
        launches.add(two);
        BOOST_TEST(Caller::current() == loss);
    }
    launches.add(two);
    BOOST_TEST(launches.names() == "one, two of loss (model.py:12), one of step, two");
}

BOOST_AUTO_TEST_CASE(threads_launch_side_by_side) {
    Launches launches;
    constexpr int threads = 4, each = 5000;
    std::atomic<bool> done = false;
    std::thread reader([&] {
        while (!done) {
            const std::string names = launches.names();
            BOOST_REQUIRE((names.empty() || names.starts_with("kernel ")));
        }
    });
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&launches, i] {
            for (int k = 0; k < each; ++k) launches.add(launches.name("kernel " + std::to_string(i) + "." + std::to_string(k % 50)));
        });
    }
    for (std::thread& thread : running) thread.join();
    done = true;
    reader.join();
    BOOST_TEST(launches.count() == std::uint64_t{threads} * each);
}

BOOST_AUTO_TEST_SUITE_END()
