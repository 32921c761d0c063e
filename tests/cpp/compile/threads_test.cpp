// One compiled function called from many threads at once, with sizes that compile and sizes that hit.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "fastnp/fastnp.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(calls_from_many_threads) {
    const auto f = compile([](const array& x) { return sum(x * 2.0 + 1.0, {.axis = 1}); });
    std::atomic<int> wrong{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 8; ++t) {
        team.emplace_back([&f, &wrong, t] {
            for (int i = 0; i < 200; ++i) {
                const std::int64_t rows = 1 + (t * 37 + i) % 50;
                const array y = f(full({rows, 300}, Scalar(double(t))));
                const double want = 300 * (2.0 * t + 1.0);
                if (y.shape() != Shape{rows} || y[rows - 1].item<double>() != want) ++wrong;
            }
        });
    }
    for (std::thread& each : team) each.join();
    BOOST_TEST(wrong == 0);
    BOOST_TEST(f.cache_info().compiles <= 4U);
    BOOST_TEST(f.cache_info().hits + f.cache_info().misses == 1600U);
}

BOOST_AUTO_TEST_CASE(large_kernels_from_many_threads) {
    const auto f = compile([](const array& x) { return sum(exp(x)); });
    const array x = zeros({400, 1000});
    std::atomic<int> wrong{0};
    std::vector<std::thread> team;
    for (int t = 0; t < 4; ++t) {
        team.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                if (f(x).item<double>() != 400000.0) ++wrong;
            }
        });
    }
    for (std::thread& each : team) each.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
