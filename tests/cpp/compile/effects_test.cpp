// Effects of compiled functions; the limit of the cache; frozen and verified calls.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "api/expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

double total(const array& x) { return sum(x).item<double>(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(effects)

BOOST_AUTO_TEST_CASE(effects_happen_at_every_call_with_its_values) {
    std::vector<double> seen;
    const auto note = [&seen](const array& x, double scale) { seen.push_back(total(x) * scale); };
    for (const char* backend : {"llvm", "eager"}) {
        seen.clear();
        const auto f = compile(
            [&](const array& x) {
                array y = x * 2;
                effect(note, y, 0.5);
                y += 1;  // the effect sees y as it was
                effect(note, y, 1.0);
                return y;
            },
            {.backend = backend});
        for (const double value : {1.0, 2.0, 5.0}) BOOST_TEST(total(f(full({2}, value))) == 2 * (2 * value + 1));
        const std::vector<double> expected{2, 6, 4, 10, 10, 22};
        BOOST_TEST(seen == expected, boost::test_tools::per_element());
        BOOST_TEST(f.cache_info().compiles == 1U);
        BOOST_TEST(f.cache_info().uncompiled == 0U);
    }
}

BOOST_AUTO_TEST_CASE(a_course_that_ends_early_has_done_no_effect) {
    int count = 0;
    const auto f = compile([&count](const array& x) {
        effect([&count] { ++count; });
        return sum(x) < 0 ? -x : x;
    });
    for (int i = 0; i < 8; ++i) f(full({3}, i % 2 == 0 ? 1.0 : -1.0));
    BOOST_TEST(count == 8);
    BOOST_TEST(f.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(functions_without_results_and_nested_ones) {
    std::vector<array> kept;
    const auto inner = compile([&kept](const array& x) { effect([&kept](const array& y) { kept.push_back(y); }, x + 1); });
    const auto outer = compile([&](const array& x) {
        inner(x * 10);
        return x;
    });
    for (int i = 0; i < 3; ++i) outer(full({2}, double(i)));
    BOOST_REQUIRE(kept.size() == 3U);
    for (int i = 0; i < 3; ++i) BOOST_TEST(total(kept[static_cast<std::size_t>(i)]) == 2 * (10 * i + 1));
    BOOST_TEST(inner.cache_info().misses == 0U);  // it was a part of the other one
}

BOOST_AUTO_TEST_CASE(effects_outside_of_recordings_happen_at_once) {
    int count = 0;
    effect([&count](const array& x) { count += static_cast<int>(total(x)); }, ones({3}));
    BOOST_TEST(count == 3);
}

BOOST_AUTO_TEST_CASE(an_effect_that_raises_reaches_the_caller) {
    const auto f = compile([](const array& x) {
        effect([](const array& y) { throw ValueError("sum " + std::to_string(static_cast<int>(total(y)))); }, x);
        return x;
    });
    for (const double value : {1.0, 2.0}) {
        BOOST_CHECK_EXCEPTION(f(full({2}, value)), ValueError,
                              [&](const ValueError& error) { return expect::words(error) == "sum " + std::to_string(static_cast<int>(2 * value)); });
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cache_policies)

BOOST_AUTO_TEST_CASE(more_kinds_than_there_is_room_for_do_not_compile_without_end) {
    const auto f = compile([](const array& x, double scale) { return x * scale; });
    for (int i = 0; i < 3000; ++i) BOOST_REQUIRE(total(f(ones({4}), double(i))) == 4.0 * i);
    BOOST_TEST(f.cache_info().compiles <= 100U);
    BOOST_TEST(f.cache_info().uncompiled >= 2900U);
    for (int i = 0; i < 3000; ++i) f(ones({4}), 0.5);  // a kind that stays is compiled in the end
    BOOST_TEST(f.cache_info().hits >= 1000U);
}

BOOST_AUTO_TEST_CASE(what_is_no_longer_used_makes_room) {
    const auto f = compile([](const array& x, double scale) { return x * scale; }, {.cache_size_limit = 2});
    for (int scale = 0; scale < 10; ++scale) {
        for (int i = 0; i < 100; ++i) BOOST_REQUIRE(total(f(ones({4}), scale)) == 4.0 * scale);
    }
    BOOST_TEST(f.cache_info().compiles == 10U);
    BOOST_TEST(f.cache_info().currsize == 2U);
}

BOOST_AUTO_TEST_CASE(eager_and_error) {
    const auto function = [](const array& x, double scale) { return x * scale; };
    const auto eager = compile(function, {.cache_size_limit = 2, .on_limit = OnLimit::eager});
    for (int i = 0; i < 200; ++i) BOOST_REQUIRE(total(eager(ones({4}), i % 4)) == 4.0 * (i % 4));
    BOOST_TEST(eager.cache_info().compiles == 2U);
    BOOST_TEST(eager.cache_info().uncompiled == 100U);

    const auto strict = compile(function, {.cache_size_limit = 2, .on_limit = OnLimit::error, .name = "scaled"});
    strict(ones({4}), 1.0);
    strict(ones({4}), 2.0);
    BOOST_CHECK_EXCEPTION(strict(ones({4}), 3.0), CacheLimitError, [](const CacheLimitError& error) {
        return expect::words(error) ==
               "scaled has 2 compiled entries (cache_size_limit); a call needs another: plain values or structure of the arguments changed";
    });
    BOOST_TEST(total(strict(ones({4}), 2.0)) == 8.0);
}

BOOST_AUTO_TEST_CASE(courses_count_as_one) {
    const auto f = compile(
        [](array x) {
            while (max(x) > 1) x = x / 2;
            return x;
        },
        {.cache_size_limit = 1});
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 10; ++i) f(full({3}, double(1 << i)));
    }
    BOOST_TEST(f.cache_info().compiles == 10U);
    BOOST_TEST(f.cache_info().uncompiled == 0U);
}

BOOST_AUTO_TEST_CASE(frozen_calls_compile_nothing) {
    const auto f = compile([](const array& x) { return x * 3; });
    BOOST_TEST(total(f.frozen(ones({4}))) == 12.0);
    BOOST_TEST(f.cache_info().compiles == 0U);
    f(ones({4}));
    const auto hits = f.cache_info().hits;
    BOOST_TEST(total(f.frozen(ones({4}))) == 12.0);
    BOOST_TEST(f.cache_info().hits == hits + 1);
    BOOST_TEST(total(f.frozen(ones({7}))) == 21.0);
    BOOST_TEST(f.cache_info().compiles == 1U);
}

BOOST_AUTO_TEST_CASE(misses_say_what_changed_and_what_would_help) {
    const auto f = compile([](const array& x) { return x * 3; });
    f(ones({4}));
    f(ones({4}, float32));
    const auto misses = f.misses();
    BOOST_REQUIRE(misses.size() == 2U);
    BOOST_TEST(misses[0].reason == "first call");
    BOOST_TEST(misses[1].reason == "argument 0: dtype changed from float64 to float32");
    BOOST_TEST(misses[1].advice == "pass arrays of one dtype");
    BOOST_TEST(misses[1].milliseconds > 0);
}

BOOST_AUTO_TEST_CASE(verification_finds_what_is_not_guarded) {
    double scale = 2;
    const auto f = compile([&scale](const array& x) { return x * scale; }, {.verify = 5, .name = "scaled"});
    for (int i = 0; i < 20; ++i) BOOST_TEST(total(f(ones({4}))) == 8.0);
    scale = 3;
    const auto call_until_verified = [&] {
        for (int i = 0; i < 5; ++i) f(ones({4}));
    };
    BOOST_CHECK_EXCEPTION(call_until_verified(), VerifyError, [](const VerifyError& error) {
        return std::string(error.what()).find("scaled depends on something besides its arguments that changed since it was compiled: ") == 0;
    });
    f.cache_clear();
    BOOST_TEST(total(f(ones({4}))) == 12.0);
}

BOOST_AUTO_TEST_SUITE_END()
