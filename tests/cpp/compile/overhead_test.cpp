// What a call costs beyond its work.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "device/buffer.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(overhead)

BOOST_AUTO_TEST_CASE(a_call_on_four_elements_takes_at_most_a_microsecond) {
    const device_scope host("cpu");
    const auto f = compile([](const array& x, const array& y) { return x * y + x; });
    const array x = ones({4}, float32);
    f(x, x);
    double best = 1e9;
    for (int batch = 0; batch < 30; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i) f(x, x);
        best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 1000);
    }
    BOOST_TEST_MESSAGE("call overhead: " << best << " microseconds");
#if defined(NDEBUG) && !defined(FASTNP_SANITIZED)
    BOOST_TEST(best < 1.0);
#endif
}

BOOST_AUTO_TEST_CASE(steady_calls_take_no_fresh_memory) {
    const auto f = compile([](const array& x) {
        const array e = exp(x - max(x, {.axis = 1, .keepdims = true}));
        return sort(e / sum(e, {.axis = 1, .keepdims = true}), 1);
    });
    const array x = ones({64, 100}, float32);
    f(x);
    f(x);
    const auto before = device::pool_statistics().fresh;
    for (int i = 0; i < 50; ++i) f(x);
    BOOST_TEST(device::pool_statistics().fresh == before);
}

BOOST_AUTO_TEST_SUITE_END()
