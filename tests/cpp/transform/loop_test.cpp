// Loops that stay loops: values, derivatives and batches against the same turns taken one by one.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "api/expect.h"
#include "device/buffer.h"
#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

using expect::near;
using expect::says;

// A compiled function that is compiled indeed.
template <class F>
auto only_compiled(F f) {
    return [compiled = compile(std::move(f))](const auto&... arguments) {
        auto result = compiled(arguments...);
        for (const EntryInfo& entry : compiled.entries()) BOOST_TEST(entry.uncompiled == "");
        return result;
    };
}

using Function = std::function<array(array, array)>;

// A loop over a state with constants and the turn's number, and the same unrolled.
array step(const array& turn, const array& x, const array& w) { return tanh(matmul(w, x)) + 0.1 * x * (turn.astype(Dtype::float64) - 2); }

Function looped(std::int64_t count, LoopOptions options = {}) {
    return [=](array x, array w) { return loop(options, count, [&](array turn, array s) { return step(turn, s, w); }, x); };
}
Function unrolled(std::int64_t count, bool backward = false) {
    return [=](array x, array w) {
        for (std::int64_t i = 0; i < count; ++i) x = step(array(backward ? count - 1 - i : i), x, w);
        return x;
    };
}

array weights() { return array({{0.5, -0.3, 0.1}, {0.2, 0.8, -0.4}, {-0.6, 0.1, 0.7}}); }
array start() { return array({{0.3, -0.2}, {0.1, 0.5}, {-0.4, 0.9}}); }

array total(const array& x) { return sum(x * x * 0.5 + x); }

// Values, both derivatives, a second derivative and a batch, of loops that save states in several ways.
void check_against_unrolled(const Function& f, const Function& g) {
    const array x = start(), w = weights();
    BOOST_TEST(near(f(x, w), g(x, w)));
    BOOST_TEST(near(only_compiled(f)(x, w), g(x, w)));
    const auto loss = [](const Function& h) { return std::function<array(array, array)>([h](array a, array b) { return total(h(a, b)); }); };
    const auto [of_x, of_w] = grad<0, 1>(loss(f))(x, w);
    const auto [wanted_x, wanted_w] = grad<0, 1>(loss(g))(x, w);
    BOOST_TEST(near(of_x, wanted_x));
    BOOST_TEST(near(of_w, wanted_w));
    const auto [compiled_x, compiled_w] = only_compiled(grad<0, 1>(loss(f)))(x, w);
    BOOST_TEST(near(compiled_x, wanted_x));
    BOOST_TEST(near(compiled_w, wanted_w));
    const auto tangents = std::tuple(sin(x), cos(w));
    BOOST_TEST(near(std::get<1>(jvp(f, std::tuple(x, w), tangents)), std::get<1>(jvp(g, std::tuple(x, w), tangents))));
    const auto pushed = [&](const Function& h) {
        return std::function<array(array, array)>([h, loss](array a, array b) { return sum(grad(loss(h))(a, b) * cos(a)) + sum(grad<1>(loss(h))(a, b)); });
    };
    BOOST_TEST(near(grad<1>(pushed(f))(x, w), grad<1>(pushed(g))(x, w), 1e-9));
    BOOST_TEST(near(only_compiled(grad(pushed(f)))(x, w), grad(pushed(g))(x, w), 1e-9));
    const array many = stack({x, x * 2, x - 1}, 0), weights_of = stack({w, w * 0.5, transpose(w)}, 0);
    BOOST_TEST(near(vmap(f)(many, weights_of), vmap(g)(many, weights_of)));
    BOOST_TEST(near(vmap(grad<1>(loss(f)))(many, weights_of), vmap(grad<1>(loss(g)))(many, weights_of)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(loops)

BOOST_AUTO_TEST_CASE(a_loop_gives_the_last_state) {
    const auto newton = [](array a) { return loop(20, [&](array x) { return 0.5 * (x + a / x); }, ones_like(a)); };
    const array a({2.0, 9.0, 0.25});
    BOOST_TEST(near(newton(a), sqrt(a)));
    const auto compiled = compile(newton);
    BOOST_TEST(near(compiled(a), sqrt(a)));
    const auto entries = compiled.entries();
    BOOST_TEST(entries.size() == 1u);
    BOOST_TEST(entries[0].uncompiled == "");
}

BOOST_AUTO_TEST_CASE(several_states_change_places) {
    const auto fibonacci = [](array a, array b) { return loop(10, [](array x, array y) { return std::tuple(y, x + y); }, a, b); };
    for (const auto& f : {std::function<std::tuple<array, array>(array, array)>(fibonacci), {only_compiled(fibonacci)}}) {
        const auto [x, y] = f(array(0), array(1));
        BOOST_TEST(x.item<std::int64_t>() == 55);
        BOOST_TEST(y.item<std::int64_t>() == 89);
    }
    const auto swap = [](array a, array b) { return loop(3, [](array x, array y) { return std::tuple(y, x); }, a, b); };
    const auto [x, y] = only_compiled(swap)(array({1.0}), array({2.0}));
    BOOST_TEST(x.item<double>() == 2);
    BOOST_TEST(y.item<double>() == 1);
}

BOOST_AUTO_TEST_CASE(states_are_structures) {
    struct Body {
        array position, velocity;
    };
    const auto fall = [](array height) {
        const Body end = loop(100, [](Body b) { return Body{b.position + 0.01 * b.velocity, b.velocity - 0.0981}; }, Body{height, zeros_like(height)});
        return end.position;
    };
    const array height({10.0, 20.0});
    BOOST_TEST(near(only_compiled(fall)(height), fall(height)));
}

BOOST_AUTO_TEST_CASE(the_body_writes_to_its_state) {
    const auto sieve = [](array x) {
        return loop(
            4,
            [](array turn, array s) {
                s(range(1, 5)) += s(range(0, 4)) * 2.0;
                set_at(s, {turn}, 7.0);
                return s;
            },
            x);
    };
    const array x = arange(6.0);
    const array wanted = sieve(x);
    BOOST_TEST(near(only_compiled(sieve)(x), wanted));
    BOOST_TEST(near(x, arange(6.0)));
    const auto old_and_new = [](array x) {
        return loop(
            3,
            [](array a, array b) {
                const array before = a + 0.0;
                a(range(0, 2)) = b(range(1, 3));
                return std::tuple(a, b + before);
            },
            x, x * 2);
    };
    const auto [a, b] = old_and_new(arange(3.0));
    const auto [c, d] = only_compiled(old_and_new)(arange(3.0));
    BOOST_TEST(near(c, a));
    BOOST_TEST(near(d, b));
}

BOOST_AUTO_TEST_CASE(the_number_of_turns_varies) {
    const auto powers = compile([](array x, array n) { return loop(n, [](array s) { return s * 2; }, x); });
    for (const int n : {0, 1, 5, 30}) BOOST_TEST(near(powers(array({1.0, 3.0}), array(n)), array({1.0, 3.0}) * std::pow(2.0, n)));
    BOOST_TEST(powers.cache_info().compiles == 1u);
    const auto gradient = only_compiled(grad([](array x, array n) { return sum(loop(n, [](array s) { return s * s; }, x)); }));
    for (const int n : {0, 1, 5}) BOOST_TEST(near(gradient(array({0.9}), array(n)), array({std::pow(2.0, n) * std::pow(0.9, std::pow(2.0, n) - 1)})));
}

BOOST_AUTO_TEST_CASE(states_have_sizes_that_values_give) {
    const auto chosen = [](array x) {
        const array some = get_masked(x, x > 0);
        const auto turn = [&](array s) { return loop(2, [&](array t) { return cos(t) + cumsum(some); }, s * 2) - sum(s); };
        return loop(3, turn, some);
    };
    const auto compiled = only_compiled(chosen);
    for (const double shift : {0.0, 0.5, -2.0, 2.0}) BOOST_TEST(near(compiled(sin(arange(20.0)) + shift), chosen(sin(arange(20.0)) + shift)));
}

BOOST_AUTO_TEST_CASE(scan_collects_what_each_turn_gives) {
    const auto sums = [](array x) {
        return scan(
            [](array total, array part) {
                const array next = total + part;
                return std::pair(next, next * 2);
            },
            zeros({}), x);
    };
    const array x({1.0, 4.0, -2.0, 0.5});
    for (const auto& f : {std::function<std::pair<array, array>(array)>(sums), {only_compiled(sums)}}) {
        const auto [last, all] = f(x);
        BOOST_TEST(near(last, sum(x)));
        BOOST_TEST(near(all, cumsum(x) * 2));
        const auto [none, nothing] = f(zeros({0}));
        BOOST_TEST(none.item<double>() == 0);
        BOOST_TEST((nothing.shape() == Shape{0}));
    }
    const auto back = [](array x) {
        return scan(
                   [](array total, array part) {
                       const array next = total * 0.5 + part;
                       return std::pair(next, next);
                   },
                   zeros({3}), x, {.backward = true})
            .second;
    };
    const array rows = arange(12.0).reshape({4, 3});
    BOOST_TEST(near(only_compiled(back)(rows), back(rows)));
    BOOST_TEST(near(back(rows)(3), rows(3)));
}

BOOST_AUTO_TEST_CASE(loops_equal_unrolled_loops) {
    for (const std::int64_t count : {0, 1, 2, 7, 10}) {
        for (const std::int64_t every : {0, 1, 3}) check_against_unrolled(looped(count, {.save_every = every}), unrolled(count));
    }
}

BOOST_AUTO_TEST_CASE(backward_loops_equal_unrolled_loops) {
    for (const std::int64_t every : {0, 3}) check_against_unrolled(looped(7, {.backward = true, .save_every = every}), unrolled(7, true));
}

BOOST_AUTO_TEST_CASE(loops_within_loops_have_derivatives) {
    const Function nested = [](array x, array w) {
        return loop(
            LoopOptions{.save_every = 2}, 5,
            [&](array turn, array s) { return loop(3, [&](array inner, array t) { return step(inner + turn, t, w) * 0.9; }, s) + s; }, x);
    };
    const Function flat = [](array x, array w) {
        for (int i = 0; i < 5; ++i) {
            array t = x;
            for (int j = 0; j < 3; ++j) t = step(array(i + j), t, w) * 0.9;
            x = t + x;
        }
        return x;
    };
    check_against_unrolled(nested, flat);
}

BOOST_AUTO_TEST_CASE(scans_have_derivatives) {
    for (const bool backward : {false, true}) {
        for (const std::int64_t every : {0, 1, 3}) {
            const LoopOptions options{.backward = backward, .save_every = every};
            const Function scanned = [=](array x, array w) {
                const auto turn = [&](array s, array part) {
                    const array next = tanh(matmul(s, w) + part);
                    return std::pair(next, sum(next * part));
                };
                const auto [last, given] = scan(turn, x(0), x(range(0, 8)), options);
                return given * 2.0 + sum(last);
            };
            const Function flat = [=](array x, array w) {
                array s = x(0);
                std::vector<array> given(8);
                for (int i = 0; i < 8; ++i) {
                    const int number = backward ? 7 - i : i;
                    s = tanh(matmul(s, w) + x(number));
                    given[static_cast<std::size_t>(number)] = sum(s * x(number));
                }
                return stack(given, 0) * 2.0 + sum(s);
            };
            const array x = sin(arange(24.0)).reshape({8, 3}), w = weights();
            const auto loss = [](const Function& f) { return std::function<array(array, array)>([f](array a, array b) { return total(f(a, b)); }); };
            BOOST_TEST(near(only_compiled(scanned)(x, w), flat(x, w)));
            const auto [of_x, of_w] = grad<0, 1>(loss(scanned))(x, w);
            const auto [wanted_x, wanted_w] = grad<0, 1>(loss(flat))(x, w);
            BOOST_TEST(near(of_x, wanted_x));
            BOOST_TEST(near(of_w, wanted_w));
            const auto tangents = std::tuple(cos(x), sin(w));
            BOOST_TEST(near(std::get<1>(jvp(scanned, std::tuple(x, w), tangents)), std::get<1>(jvp(flat, std::tuple(x, w), tangents))));
            const auto curvature = [&](const Function& f) {
                return std::function<array(array, array)>([f, loss](array a, array b) { return sum(grad(loss(f))(a, b) * cos(a)); });
            };
            BOOST_TEST(near(grad<1>(curvature(scanned))(x, w), grad<1>(curvature(flat))(x, w), 1e-9));
            const array many = stack({x, x * 2}, 0);
            BOOST_TEST(near(vmap(scanned, {.in_axes = {0, std::nullopt}})(many, w), vmap(flat, {.in_axes = {0, std::nullopt}})(many, w)));
        }
    }
}

BOOST_AUTO_TEST_CASE(ten_thousand_turns_take_memory_like_their_square_root) {
    const auto orbit = [](std::int64_t count) {
        return [count](array x, array v) {
            const auto turn = [](array a, array b) {
                const array pull = b - 0.001 * sin(a);
                return std::tuple(a + 0.001 * pull, pull);
            };
            const auto [end, speed] = loop(count, turn, x, v);
            return sum(end * end) + sum(speed);
        };
    };
    const array x = linspace(-1, 1, 1000), v = cos(x);
    const auto time_of = [&](std::int64_t count) {
        double least = std::numeric_limits<double>::infinity();
        for (int again = 0; again < 3; ++again) {  // other processes take time as well
            const auto compiled = compile(grad(orbit(count)));
            (void)compiled(x, v);
            double spent = 0;
            const std::vector<EntryInfo> entries = compiled.entries();
            for (const auto& [phase, milliseconds] : entries[0].milliseconds) spent += milliseconds;
            least = std::min(least, spent);
        }
        return least;
    };
    const double few = time_of(100), many = time_of(10'000);
    BOOST_TEST(many < 3 * few + 50);
    const auto gradient = only_compiled(grad(orbit(10'000)));
    (void)gradient(x, v);
    device::trim_pool();
    const std::size_t before = device::pool_statistics().live_bytes;
    const array found = gradient(x, v);
    const device::PoolStatistics after = device::pool_statistics();  // what was used at once is kept for reuse
    const std::size_t state = 2 * 1000 * sizeof(double);
    BOOST_TEST(after.live_bytes + after.held_bytes - before < 300 * state);
    // Against differences.
    const double step = 1e-5;
    array more = x.copy(), less = x.copy();
    more(500) += step;
    less(500) -= step;
    const auto f = only_compiled(orbit(10'000));
    const double slope = (f(more, v).item<double>() - f(less, v).item<double>()) / (2 * step);
    BOOST_TEST(std::abs(found(500).item<double>() - slope) < 1e-6 * (1 + std::abs(slope)));
}

BOOST_AUTO_TEST_CASE(what_a_body_cannot_do) {
    const array x = arange(3.0);
    const auto widens = [](array a) { return loop(2, [](array s) { return concatenate({s, s}, 0); }, a); };
    BOOST_CHECK_EXCEPTION(widens(x), TypeError,
                          says("loop: the body turns state 0 of shape (3,) and dtype float64 into one of shape (6,) and dtype float64"));
    BOOST_CHECK_EXCEPTION(grad([&](array a) { return sum(widens(a)); })(x), TypeError,
                          says("loop: the body turns state 0 of shape (3,) and dtype float64 into one of shape (6,) and dtype float64"));
    const auto decides = [](array a) { return loop(2, [](array s) { return sum(s).item<double>() > 100 ? s : s + 1; }, a); };
    const auto compiled = compile(decides);
    BOOST_TEST(near(compiled(x), x + 2));
    BOOST_TEST(compiled.entries()[0].uncompiled != "");
    array seen = zeros({3});
    const auto writes = [&](array a) {
        return loop(
            2,
            [&](array s) {
                seen += s;
                return s + 1;
            },
            a);
    };
    BOOST_TEST(near(compile(writes)(x), x + 2));
    BOOST_TEST(near(seen, 2 * x + 1));
    array kept;
    const auto keeps = [&](array a) {
        const array end = loop(
            2,
            [&](array s) {
                kept = s * 2;
                return s + 1;
            },
            a);
        return sum(end + kept);
    };
    BOOST_CHECK_EXCEPTION(grad(keeps)(x), TypeError,
                          says("loop: a value of the body was kept, and is used outside of it; make it a state, or collect it"));
    BOOST_CHECK_THROW(loop(-1, [](array s) { return s; }, x), ValueError);
    BOOST_CHECK_THROW(loop(array({1, 2}), [](array s) { return s; }, x), TypeError);
    const auto out_of_bounds = [](array a, array i) { return loop(3, [&](array turn, array s) { return s + take(a, turn + i, 0); }, a); };
    BOOST_CHECK_THROW(compile(out_of_bounds)(x, array(1)), IndexError);
    BOOST_CHECK_THROW(out_of_bounds(x, array(1)), IndexError);
    BOOST_TEST(near(only_compiled(out_of_bounds)(x, array(0)), x + 3.0));
}

BOOST_AUTO_TEST_CASE(values_after_a_loop_can_be_read) {
    const auto f = [](array x) {
        const auto turn = [](array s, array part) {
            s(range(0, 2)) += part;
            return std::pair(s, loop(2, [&](array t) { return t * s; }, part));
        };
        const auto [end, given] = scan(turn, x(0), x, {.backward = true});
        const array last = sum(end) + sum(given);
        return last > 0 ? end : given(0);
    };
    const array x = arange(6.0).reshape({3, 2}) - 1.5;
    BOOST_TEST(near(only_compiled(f)(x), f(x)));
    BOOST_TEST(near(only_compiled(f)(-x), f(-x)));
}

BOOST_AUTO_TEST_CASE(states_that_a_derivative_saves_are_not_computed_twice) {
    const auto f = [](array x, array w) { return total(looped(7)(x, w)); };
    const auto compiled = compile(value_and_grad(f));
    (void)compiled(start(), weights());
    std::size_t loops = 0;
    const std::vector<EntryInfo> entries = compiled.entries();
    for (const KernelInfo& kernel : entries[0].kernels) loops += kernel.kind == "loop" ? 1 : 0;
    BOOST_TEST(loops == 2u);  // there and back
}

BOOST_AUTO_TEST_CASE(a_body_gives_as_many_states_as_it_takes) {
    const array x = ones({2});
    using Arrays = std::vector<array>;  // (Types that tell how many arrays there are do not compile: tests/python/test_cpp_errors.py.)
    const auto one_of_two = [](array a, array b) { return std::get<1>(loop(3, [](array s, array t) { return Arrays{s + t}; }, a, b)); };
    const auto two_of_one = [](array a) { return loop(3, [](array s) { return Arrays{s, s}; }, a); };
    const auto short_list = [](array a) { return loop(2, [](std::vector<array> s) { return std::vector<array>{s[0]}; }, std::vector<array>{a, a})[0]; };
    const auto collected = [](array a) {
        int turn = 0;
        const auto body = [&turn](array s, array part) { return std::pair(s + part, std::vector<array>(static_cast<std::size_t>(++turn), s)); };
        return scan(body, array(a(0)), a).first;
    };
    const auto fewer = [](array a) {
        return scan([](std::vector<array> s, array) { return std::pair(std::vector<array>{s[0]}, s[1]); }, std::vector<array>{a, a}, a).second;
    };
    BOOST_CHECK_THROW(one_of_two(x, x), TypeError);
    BOOST_CHECK_THROW(compile(one_of_two)(x, x), TypeError);
    BOOST_CHECK_THROW(grad([&](array a) { return array(sum(one_of_two(a, a))); })(x), TypeError);
    BOOST_CHECK_THROW(two_of_one(x), TypeError);
    BOOST_CHECK_THROW(compile(two_of_one)(x), TypeError);
    BOOST_CHECK_THROW(short_list(x), TypeError);
    BOOST_CHECK_THROW(compile(short_list)(x), TypeError);
    BOOST_CHECK_THROW(collected(x), TypeError);
    BOOST_CHECK_THROW(fewer(x), TypeError);
    BOOST_CHECK_THROW(compile(fewer)(x), TypeError);
    BOOST_CHECK_THROW(loop(0, [](array s, array t) { return Arrays{s + t}; }, x, x), TypeError);
    BOOST_CHECK_THROW(loop(array(std::int64_t{2}), [](array s, array t) { return Arrays{s + t}; }, x, x), TypeError);
}

BOOST_AUTO_TEST_CASE(a_body_keeps_shapes_and_dtypes) {
    const array x = ones({2});
    const auto grows = [](array a) { return loop(2, [](array s) { return concatenate({s, s}); }, a); };
    const auto other = [](array a) { return loop(2, [](array s) { return s.astype(float32); }, a); };
    BOOST_CHECK_THROW(grows(x), TypeError);
    BOOST_CHECK_THROW(compile(grows)(x), TypeError);
    BOOST_CHECK_THROW(other(x), TypeError);
    BOOST_CHECK_THROW(compile(other)(x), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
