// Numbers that no size is, where sizes may be symbols.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "fastnp/fastnp.h"
#include "selection.h"

using namespace fastnp;

BOOST_AUTO_TEST_SUITE(given_sizes)

BOOST_AUTO_TEST_CASE(numbers_too_big_for_a_size_are_errors) {
    const std::uint64_t seed = test_seed();
    std::mt19937_64 random(seed);
    constexpr std::int64_t least = std::int64_t{1} << 62;
    const std::vector<std::function<array(const array&, std::int64_t)>> uses{
        [](const array& x, std::int64_t n) { return sum(zeros({n})) + x; },
        [](const array& x, std::int64_t n) { return sum(full({2, n}, 1.0)) + x; },
        [](const array& x, std::int64_t n) { return sum(ones({n}, int8)) + x; },
        [](const array& x, std::int64_t n) { return reshape(x, {n}); },
        [](const array& x, std::int64_t n) { return reshape(x, {-1, n}); },
        [](const array& x, std::int64_t n) { return sum(broadcast_to(x, {n, x.shape(0)})); },
        [](const array& x, std::int64_t n) { return sum(pad(x, {{n, 0}})); },
        [](const array& x, std::int64_t n) { return sum(pad(x, {{0, n}})); },
        [](const array& x, std::int64_t n) { return sum(eye(n)) + x; },
        [](const array& x, std::int64_t n) { return sum(linspace(0, 1, n)) + x; },
        [](const array& x, std::int64_t n) { return real(fft::fft(x, {.n = n})); },
    };
    for (std::size_t use = 0; use < uses.size(); ++use) {
        for (const std::int64_t number : {least, least + 1, least + static_cast<std::int64_t>(random() % 16), INT64_MAX}) {
            const auto f = compile([&](const array& x) { return uses[use](x, number); }, {.sizes = DynamicSizes::always});
            for (const std::int64_t length : {5, 7}) {
                BOOST_TEST_CONTEXT("use " << use << " of 2**62 + " << number - least << ", seed " << seed) {
                    BOOST_CHECK_THROW(f(arange(length).astype(float64)), ValueError);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(subscripts_beyond_all_sizes_end_at_the_last_element) {
    for (const std::int64_t number : {std::int64_t{1} << 62, (std::int64_t{1} << 62) + 3, INT64_MAX}) {
        const auto f = compile([=](const array& x) { return x(until(number)) * 2; }, {.sizes = DynamicSizes::always});
        for (const std::int64_t length : {5, 7}) BOOST_TEST(f(arange(length)).shape(0) == length);
        const auto g = compile([=](const array& x) { return x(number) * 2; }, {.sizes = DynamicSizes::always});
        for (const std::int64_t length : {5, 7}) BOOST_CHECK_THROW(g(arange(length)), IndexError);
    }
}

BOOST_AUTO_TEST_SUITE_END()
