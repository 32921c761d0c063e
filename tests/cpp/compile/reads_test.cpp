// Functions that read values: an entry for each course that they take.
#include <boost/test/unit_test.hpp>

#include "api/expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool equal(const array& x, const array& y) { return x.dtype() == y.dtype() && x.shape() == y.shape() && all(fastnp::equal(x, y)).item<bool>(); }

array halved_until(array x, double bound) {
    while (max(x) > bound) x = x / 2;
    return x;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reads)

BOOST_AUTO_TEST_CASE(both_branches_are_compiled_once) {
    for (const char* backend : {"llvm", "eager"}) {
        const auto f = compile([](const array& x) { return sum(x) < 0 ? -x : x * 2; }, {.backend = backend});
        for (int i = 0; i < 10; ++i) {
            BOOST_TEST(equal(f(full({3}, 1.5)), full({3}, 3.0)));
            BOOST_TEST(equal(f(full({3}, -1.5)), full({3}, 1.5)));
        }
        BOOST_TEST(f.cache_info().compiles == 2U);
        BOOST_TEST(f.cache_info().uncompiled == 0U);
    }
}

BOOST_AUTO_TEST_CASE(loops_end_where_values_say) {
    const auto f = compile([](const array& x) { return halved_until(x, 1.0); });
    for (const double start : {0.5, 3.0, 100.0, 3.0, 0.5, 77.0}) BOOST_TEST(equal(f(full({4}, start)), halved_until(full({4}, start), 1.0)));
    BOOST_TEST(f.cache_info().uncompiled == 0U);
    BOOST_TEST(f.cache_info().compiles == 3U);
}

BOOST_AUTO_TEST_CASE(values_are_those_of_the_call) {
    const auto f = compile([](const array& x) { return x * x(0).item<double>(); });
    BOOST_TEST(equal(f(array({2.0, 3.0})), array({4.0, 6.0})));
    BOOST_TEST(equal(f(array({5.0, 3.0})), array({25.0, 15.0})));
    BOOST_TEST(equal(f(array({2.0, 1.0})), array({4.0, 2.0})));
    BOOST_TEST(f.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(values_that_always_differ_are_given_up) {
    const auto f = compile([](const array& x) { return x * x(0).item<double>(); });
    for (int i = 0; i < 40; ++i) BOOST_TEST(equal(f(full({2}, i)), full({2}, double(i) * i)));
    BOOST_TEST(f.cache_info().compiles == 16U);
    BOOST_TEST(f.entries().size() == 16U);
}

BOOST_AUTO_TEST_CASE(calls_whose_values_always_differ_are_seldom_tried) {
    const auto f = compile([](const array& x) { return x * x(0).item<double>(); });
    for (int i = 0; i < 4000; ++i) BOOST_TEST(equal(f(full({2}, i)), full({2}, double(i) * i)));
    const auto tried = f.cache_info().misses;
    BOOST_TEST(tried < 16 + 32 + 10);
    BOOST_TEST(f.cache_info().uncompiled == 4000U - 16U);
    for (int i = 0; i < 4000; ++i) BOOST_TEST(equal(f(full({2}, 3.0)), full({2}, 9.0)));  // which is known
    BOOST_TEST(f.cache_info().hits > 1000U);
}

BOOST_AUTO_TEST_CASE(items_are_compared_by_the_compiled_code) {
    const auto f = compile([](const array& x) { return sum(x * x).item() > 100.0 ? x / 2 : x; });
    for (double value = 0; value < 100; value += 1) {
        BOOST_TEST(equal(f(full({2}, value)), full({2}, 2 * value * value > 100 ? value / 2 : value)));
    }
    BOOST_TEST(f.cache_info().uncompiled == 0U);
    BOOST_TEST(f.cache_info().compiles == 2U);
}

BOOST_AUTO_TEST_CASE(items_are_compared_as_numbers) {
    const auto bits = [](const array& x, const array& y) {
        const Item a = x.item(), b = y.item();
        x(0) = 0;  // the items are those of before
        int all = 0;
        for (const bool yes : {a < b, a <= b, a == b, a != b, a > b, a >= b, a < 0.1, 0.1F <= a, a == 3, -1 < a, bool(a)}) all = all * 2 + (yes ? 1 : 0);
        return full({1}, all);
    };
    const auto wanted = [](auto a, auto b) {
        int all = 0;
        for (const bool yes : {a < b, a <= b, a == b, a != b, a > b, a >= b, a < 0.1, double(0.1F) <= a, a == 3, -1 < a, a != 0})
            all = all * 2 + (yes ? 1 : 0);
        return full({1}, all);
    };
    const auto f = compile(bits);
    for (const Dtype dtype : {float64, float32, int64, int8}) {
        for (const double a : {0.0, 0.1, 3.0, 7.5}) {
            for (const double b : {0.0, 3.0, 9.0}) {
                const auto x = [&] { return full({1}, a).astype(dtype); };
                const array y = full({1}, b).astype(dtype), want = wanted(x().astype(float64).item<double>(), b);
                BOOST_TEST(equal(bits(x(), y), want));
                BOOST_TEST(equal(f(x(), y), want));
            }
        }
    }
    const double v = full({1, 1}, 2.5).item();
    BOOST_TEST(v == 2.5);
    BOOST_TEST(static_cast<int>(full({}, 7).item()) == 7);
    BOOST_CHECK_THROW(zeros({2}).item(), ValueError);
    const auto until = compile([](array x) {
        while (max(x).item() > 1.0) x = x / 2;
        return x;
    });
    for (const double start : {0.5, 3.0, 100.0}) BOOST_TEST(equal(until(full({4}, start)), halved_until(full({4}, start), 1.0)));
    const auto slope = grad([](const array& x) { return x(0).item() > 0 ? sum(x * x) : sum(x); });
    BOOST_TEST(equal(slope(full({2}, 3.0)), full({2}, 6.0)));
}

BOOST_AUTO_TEST_CASE(a_run_that_takes_another_course_has_written_nothing) {
    const auto f = compile([](array& x) {
        x += 1;
        if (x(0) > 2) x *= 10;
        else x -= 5;
    });
    for (const double start : {0.0, 3.0, 1.0, 7.0, 0.0}) {
        array x = full({3}, start);
        f(x);
        BOOST_TEST(equal(x, full({3}, start + 1 > 2 ? (start + 1) * 10 : start + 1 - 5)));
    }
    BOOST_TEST(f.cache_info().compiles == 2U);
    BOOST_TEST(f.cache_info().uncompiled == 0U);
}

BOOST_AUTO_TEST_CASE(results_view_arguments_that_were_written_to) {
    const auto f = compile([](array& x) {
        x += 1;
        return any(x < 0) ? x(0) : x(1);
    });
    array x = zeros({2, 3});
    for (int i = 0; i < 2; ++i) {
        array row = f(x);
        const array& same = row;
        row = same;  // as a name
        BOOST_TEST(row.data() == x(1).data());
    }
}

BOOST_AUTO_TEST_CASE(truth_of_arrays) {
    const auto f = compile([](const array& x) { return x ? x : -x; });
    BOOST_CHECK_EXCEPTION(f(zeros({2})), ValueError, [](const ValueError& error) {
        return expect::words(error) == "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()";
    });
    BOOST_TEST(!static_cast<bool>(zeros({1})));
    BOOST_TEST(static_cast<bool>(full({1, 1}, std::numeric_limits<double>::quiet_NaN())));
}

// Sizes that a function reads in the text of an error that it caught are the call's.
BOOST_AUTO_TEST_CASE(texts_of_caught_errors_are_the_calls) {
    const auto written = [](const array& x, const array& y) {
        try {
            return x + y;
        } catch (const ValueError& error) {
            double digits = 0;
            for (const char each : expect::words(error)) digits = each >= '0' && each <= '9' ? digits * 10 + (each - '0') : digits;
            return y * digits;
        }
    };
    const auto f = compile(written);
    for (const auto& [n, m] : {std::pair(3, 5), std::pair(4, 5), std::pair(4, 9), std::pair(7, 2), std::pair(3, 5)}) {
        BOOST_TEST(equal(f(ones({n}), ones({m})), written(ones({n}), ones({m}))));
    }
}

// Whether a call meets an error depends on its values, whatever the first one met.
BOOST_AUTO_TEST_CASE(errors_are_caught_in_the_calls_that_meet_them) {
    const auto taken = [](const array& x, const array& i) {
        try {
            return take(x, i);
        } catch (const IndexError&) {
            return full_like(x, -1);
        }
    };
    const auto spectrum = [](const array& x, const array&) {
        try {
            return real(linalg::eigvals(where(eye(2) > 0, x, 0.0)));
        } catch (const LinAlgError&) {
            return full_like(x, -1);
        }
    };
    const array fine = array({1.0, 2.0}), infinite = array({1.0, std::numeric_limits<double>::infinity()});
    const array inside = array({0, 1}), outside = array({0, 2});
    const auto check = [&](const auto& written) {
        const auto f = compile(written);
        for (const array* x : {&infinite, &fine, &infinite, &fine, &fine}) {
            for (const array* i : {&outside, &inside, &inside, &outside}) BOOST_TEST(equal(f(*x, *i), written(*x, *i)));
        }
    };
    check(taken);
    check(spectrum);
}

BOOST_AUTO_TEST_SUITE_END()
