// Loops whose turns depend on values, and branches: values, derivatives and batches against the same taken one by one.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <tuple>

#include "api/expect.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using expect::near;
using expect::says;

using Function = std::function<array(array)>;

// A compiled function that is compiled indeed.
Function only_compiled(Function f) {
    return [compiled = compile(std::move(f))](array x) {
        const array result = compiled(x);
        for (const EntryInfo& entry : compiled.entries()) BOOST_TEST(entry.uncompiled == "");
        return result;
    };
}

// Values, derivatives of both modes, a second derivative and a batch of a function of a number.
void check_alike(const Function& f, const Function& g, std::initializer_list<double> values) {
    const Function compiled = only_compiled(f), slope = only_compiled([f](array x) { return array(grad(f)(x)); });
    const Function curve = [f](array x) { return array(grad([f](array y) { return array(grad(f)(y)); })(x)); };
    const Function wanted_curve = [g](array x) { return array(grad([g](array y) { return array(grad(g)(y)); })(x)); };
    for (const double value : values) {
        const array x(value);
        BOOST_TEST_CONTEXT("x = " << value) {
            BOOST_TEST(near(f(x), g(x)));
            BOOST_TEST(near(compiled(x), g(x)));
            BOOST_TEST(near(grad(f)(x), grad(g)(x)));
            BOOST_TEST(near(slope(x), grad(g)(x)));
            BOOST_TEST(near(std::get<1>(jvp(f, std::tuple(x), std::tuple(array(1.0)))), grad(g)(x)));
            BOOST_TEST(near(curve(x), wanted_curve(x), 1e-9));
        }
    }
    const array all(values);
    std::vector<array> each, slopes;
    for (const double value : values) {
        each.push_back(g(array(value)).reshape({1}));
        slopes.push_back(array(grad(g)(array(value))).reshape({1}));
    }
    BOOST_TEST(near(vmap(f)(all), concatenate(each, 0)));
    BOOST_TEST(near(only_compiled([f](array x) { return array(vmap(f)(x)); })(all), concatenate(each, 0)));
    BOOST_TEST(near(std::get<1>(jvp([f](array x) { return array(vmap(f)(x)); }, std::tuple(all), std::tuple(ones_like(all)))), concatenate(slopes, 0)));
}

// The root of a, by Newton, until it is near.
array root(const array& a) {
    return while_loop([&](array x) { return absolute(x * x - a) > 1e-13 * a; }, [&](array x) { return 0.5 * (x + a / x); }, array(1.0));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(while_loops)

BOOST_AUTO_TEST_CASE(turns_are_taken_as_long_as_a_condition_holds) {
    const auto whole_root = [](array n) { return while_loop([&](array x) { return (x + 1) * (x + 1) <= n; }, [](array x) { return x + 1; }, 0); };
    const Function compiled = only_compiled(whole_root);
    for (const int n : {0, 1, 3, 4, 99, 100, 12345}) {
        BOOST_TEST(whole_root(array(n)).item<std::int64_t>() == static_cast<std::int64_t>(std::sqrt(n)));
        BOOST_TEST(compiled(array(n)).item<std::int64_t>() == static_cast<std::int64_t>(std::sqrt(n)));
    }
}

BOOST_AUTO_TEST_CASE(a_compiled_function_is_compiled_once_whatever_the_turns) {
    const auto compiled = compile(root);
    for (const double a : {2.0, 1e-8, 1e8}) BOOST_TEST(near(compiled(array(a)), array(std::sqrt(a))));
    BOOST_TEST(compiled.cache_info().compiles == 1u);
}

BOOST_AUTO_TEST_CASE(several_states_of_several_dtypes) {
    const auto gcd_of = [](array a, array b) {
        const auto [x, y, turns] = while_loop([](array, array y, array) { return y != 0; },
                                              [](array x, array y, array turns) { return std::tuple(y, x % y, turns + 1); }, a, b, array(0.0));
        return std::tuple(x, turns);
    };
    const auto compiled = compile(gcd_of);
    for (const auto& [a, b] : {std::pair(12, 18), std::pair(7, 0), std::pair(1071, 462)}) {
        const auto [x, turns] = compiled(array(a), array(b));
        const auto [y, wanted] = gcd_of(array(a), array(b));
        BOOST_TEST(near(x, y));
        BOOST_TEST(near(turns, wanted));
    }
    BOOST_TEST(compiled.entries()[0].uncompiled == "");
}

BOOST_AUTO_TEST_CASE(arrays_as_states) {
    const auto halved = [](array x) { return while_loop([](array s) { return max(absolute(s)) > 1; }, [](array s) { return s * 0.5; }, x); };
    const Function compiled = only_compiled(halved);
    for (const double scale : {0.1, 3.0, 1000.0}) {
        const array x = linspace(-1, 1, 101) * scale;
        BOOST_TEST(near(compiled(x), halved(x)));
    }
}

BOOST_AUTO_TEST_CASE(while_loops_have_derivatives_and_batches) {
    check_alike(root, [](array a) { return sqrt(a); }, {2.0, 0.3, 9.0});
    const auto shrunk = [](array x) { return while_loop([](array s) { return s > 1; }, [&](array s) { return s * 0.5 * cos(x * 0.1); }, x * x); };
    const auto written = [](array x) {
        array s = x * x;
        while ((s > 1).item<bool>()) s = s * 0.5 * cos(x * 0.1);
        return s;
    };
    check_alike(shrunk, written, {0.5, 3.0, -7.0});
}

BOOST_AUTO_TEST_CASE(a_batch_reads_nothing_that_its_parts_do_not_read) {
    const array table({1.0, 2.0, 4.0, 8.0});
    const auto sum_from = [&](array start) {
        const auto [at, total] = while_loop([](array i, array) { return i < 4; },
                                            [&](array i, array s) { return std::tuple(i + 1, s + take(table, i, 0)); }, start, array(0.0));
        return total;
    };
    BOOST_TEST(near(vmap(sum_from)(array({0, 3, 4, 2})), array({15.0, 8.0, 0.0, 12.0})));
}

BOOST_AUTO_TEST_CASE(loops_within_while_loops) {
    const auto nested = [](array x) {
        return while_loop([](array s) { return s < 100; }, [&](array s) { return loop(3, [&](array t) { return t + x * x; }, s) * 1.5; }, x);
    };
    const auto written = [](array x) {
        array s = x;
        while ((s < 100).item<bool>()) {
            for (int i = 0; i < 3; ++i) s = s + x * x;
            s = s * 1.5;
        }
        return s;
    };
    check_alike(nested, written, {1.5, -2.0, 200.0});
}

BOOST_AUTO_TEST_CASE(what_while_loops_cannot_do) {
    const array x = arange(3.0);
    BOOST_CHECK_EXCEPTION(while_loop([](array s) { return s < 2; }, [](array s) { return s + 1; }, x), TypeError,
                          says("while_loop: the condition is to be an array of no axes, not of shape (3,) and dtype bool"));
    const auto widens = [](array a) { return while_loop([](array s) { return sum(s) < 9; }, [](array s) { return concatenate({s, s}); }, a); };
    const std::string wide = "while_loop: the body turns state 0 of shape (3,) and dtype float64 into one of shape (6,) and dtype float64";
    BOOST_CHECK_EXCEPTION(widens(x), TypeError, says(wide));
    BOOST_CHECK_EXCEPTION(compile(widens)(x), TypeError, says(wide));
    const auto inside = [](array a) {
        return sum(loop(2, [](array s) { return while_loop([](array t) { return sum(t) < 9; }, [](array t) { return t * 2; }, s); }, a));
    };
    BOOST_TEST(near(only_compiled(inside)(x), inside(x)));
    BOOST_CHECK_THROW(grad(inside)(x), Error);
    BOOST_TEST(near(std::get<1>(jvp(inside, std::tuple(x), std::tuple(x))), inside(x)));
}

BOOST_AUTO_TEST_CASE(branches_take_one_way) {
    const auto chosen = [](array x) { return cond(x > 1, [](array y) { return sqrt(y) * y; }, [](array y) { return sin(y) * 2; }, x); };
    const auto written = [](array x) { return (x > 1).item<bool>() ? sqrt(x) * x : sin(x) * 2; };
    check_alike(chosen, written, {0.5, 2.0, -3.0, 1.0});
    // What is not taken raises nothing.
    const array table({1.0, 2.0});
    const auto guarded = [&](array i) { return cond(i < 2, [&] { return take(table, i, 0); }, [] { return array(-1.0); }); };
    for (const int i : {0, 1, 2, 50}) BOOST_TEST(near(only_compiled(guarded)(array(i)), i < 2 ? table(i) : array(-1.0)));
    BOOST_TEST(near(vmap(guarded)(array({1, 7, 0})), array({2.0, -1.0, 1.0})));
}

BOOST_AUTO_TEST_CASE(branches_in_loops) {
    const auto collatz = [](array n) {
        const auto [end, turns] = while_loop([](array x, array) { return x != 1; },
                                             [](array x, array turns) {
                                                 const array next = cond(x % 2 == 0, [&] { return floor_divide(x, 2); }, [&] { return 3 * x + 1; });
                                                 return std::tuple(next, turns + 1);
                                             },
                                             n, 0);
        return turns;
    };
    const Function compiled = only_compiled(collatz);
    for (const int n : {1, 2, 27, 97}) BOOST_TEST(compiled(array(n)).item<std::int64_t>() == collatz(array(n)).item<std::int64_t>());
    BOOST_TEST(compiled(array(27)).item<std::int64_t>() == 111);
    const auto piecewise = [](array x) { return loop(6, [](array s) { return cond(s > 1, [&] { return s * 0.3; }, [&] { return s * s + 1; }); }, x); };
    const auto written = [](array x) {
        array s = x;
        for (int i = 0; i < 6; ++i) s = (s > 1).item<bool>() ? s * 0.3 : s * s + 1;
        return s;
    };
    check_alike(piecewise, written, {0.1, 0.9, 5.0});
}

BOOST_AUTO_TEST_CASE(branches_give_structures_alike) {
    const auto both = [](array x) {
        const auto [a, b] = cond(sum(x) > 0, [&] { return std::tuple(x * 2, sum(x)); }, [&] { return std::tuple(-x, sum(x * x)); });
        return a * b;
    };
    const array x({1.0, 2.0, -0.5});
    for (const array& each : {x, array(-x)}) BOOST_TEST(near(only_compiled(both)(each), both(each)));
    const auto other = [](array a) { return cond(sum(a) > 0, [&] { return a; }, [&] { return array(sum(a)); }); };
    BOOST_CHECK_EXCEPTION(compile(other)(x), TypeError,
                          says("cond: one function gives an array of shape (3,) and dtype float64, the other one of shape () and dtype float64"));
}

BOOST_AUTO_TEST_SUITE_END()
