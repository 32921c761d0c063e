// Loops whose turns are taken several at a time, block by block: values and derivatives of loops over arrays that are larger than a near cache, against
// the same turns taken one by one.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "fastnp/fastnp.h"

using namespace fastnp;

namespace {

bool near(const array& x, const array& y, double tolerance = 1e-10) {
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    return fastnp::all(absolute(x - y) <= tolerance * (1 + absolute(y))).item<bool>();
}

array grid(std::int64_t rows, std::int64_t columns, double by = 1) {
    return sin(arange(static_cast<double>(rows * columns)) * by).reshape({rows, columns});
}

using Turn = std::function<array(array)>;

// Compiled loops of several lengths against turns that are run as they are written.
void check(const Turn& turn, const array& start, std::vector<std::int64_t> counts = {1, 2, 5, 33, 70}) {
    for (const std::int64_t count : counts) {
        const auto compiled = compile([&](array x) { return loop(count, turn, x); });
        array expected = start;
        for (std::int64_t i = 0; i < count; ++i) expected = turn(expected + 0);
        const array copy = start + 0;
        BOOST_TEST(near(compiled(start), expected));
        BOOST_TEST(fastnp::all(copy == start).item<bool>());
        for (const EntryInfo& entry : compiled.entries()) BOOST_TEST(entry.uncompiled == "");
    }
}

array jacobi(array u) {
    const auto inner = range(1, -1);
    u(inner, inner) = 0.2 * (u(inner, inner) + u(until(-2), inner) + u(from(2), inner) + u(inner, until(-2)) + u(inner, from(2)));
    return u;
}

array upwind(array u) {
    u(from(3)) = 0.7 * u(from(3)) + 0.3 * u(until(-3));
    return u;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(loop_tiles)

BOOST_AUTO_TEST_CASE(stencils_of_several_sizes) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 3}, {1, 50}, {40, 200}, {777, 301}, {2100, 130}, {64, 4096}}) {
        check(jacobi, grid(rows, columns), {1, 33, 50});
    }
    check(jacobi, grid(900, 300).astype(float32), {40});
}

BOOST_AUTO_TEST_CASE(stencils_of_one_axis_and_to_one_side) {
    check(upwind, grid(1, 300'001).reshape({300'001}));
    check(upwind, grid(2000, 111));
    check([](array u) { return where(u > 0, u, 0.5 * concatenate({u(from(1)), u(until(1))}, 0)); }, grid(500, 80), {3, 20});  // not by rows alone
    check([](array u) { return 0.5 * (u + flip(u, 0)); }, grid(700, 200), {3, 20});
    check([](array u) { return 0.5 * (u + transpose(u)); }, grid(400, 400), {3, 20});
}

// Parts that are computed for a concatenation alone are stored in their places of the next state, by kernels that go over other rows than those of all.
BOOST_AUTO_TEST_CASE(states_that_are_joined) {
    const auto rolled = [](array u) { return concatenate({0.5 * u(from(1)) + 0.1 * u(until(-1)), 0.9 * u(until(1))}, 0); };
    const auto halves = [](array u) {
        const std::int64_t half = u.shape(0) / 2;
        return concatenate({cos(u(until(half))), sin(u(range(half, 2 * half))) + u(until(half)), u(from(2 * half)) * 0.5}, 0);
    };
    const auto columns = [](array u) { return concatenate({0.5 * u(all, from(1)), 0.9 * u(all, until(1)) + 1}, 1); };
    const auto mixed = [](array u) { return concatenate({u(from(2)), stack({sum(u, {.axis = 0}) * 0.01, u(0) * 0.5})}, 0); };
    for (const auto& [rows, size] : std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 3}, {4, 900}, {16, 7}, {40, 200}, {777, 301}, {2100, 130}}) {
        for (const Turn& turn : std::vector<Turn>{rolled, halves, columns, mixed}) check(turn, grid(rows, size), {1, 2, 33});
    }
}

BOOST_AUTO_TEST_CASE(elements_apart) {
    check([](array u) { return 3.7 * u * (1 - u); }, absolute(grid(600, 500)), {1, 2, 20});
    check([](array u) { return u - 0.01 * sum(u, {.axis = 1, .keepdims = true}); }, grid(3000, 100), {1, 2, 40});
    check([](array u) { return u - 0.01 * sum(u, {.axis = 0}); }, grid(300, 1000), {1, 2, 40});  // columns: every row needs all
    check([](array u) { return u / sqrt(sum(u * u)); }, grid(300, 1000), {1, 2, 20});
}

BOOST_AUTO_TEST_CASE(states_that_change_places) {
    const auto wave = [](array before, array now) {
        const auto inner = range(1, -1);
        array next = 2 * now - before;
        next(inner, inner) =
            next(inner, inner) + 0.1 * (now(until(-2), inner) + now(from(2), inner) + now(inner, until(-2)) + now(inner, from(2)) - 4 * now(inner, inner));
        return std::tuple(now, next);
    };
    for (const std::int64_t rows : {30, 1500}) {
        for (const std::int64_t count : {1, 2, 3, 50}) {
            const array start = grid(rows, 200);
            array a = start, b = start * 0.9;
            for (std::int64_t i = 0; i < count; ++i) std::tie(a, b) = wave(a, b);
            const auto compiled = compile([=](array x) { return loop(count, wave, x, x * 0.9); });
            const auto [c, d] = compiled(start);
            BOOST_TEST(near(c, a));
            BOOST_TEST(near(d, b));
        }
    }
}

BOOST_AUTO_TEST_CASE(several_states_and_steps) {
    // Reaction and diffusion: two states, each of which reads the other, and a coefficient that the neighbours differ in.
    const array rate = absolute(grid(1300, 150, 0.3));
    const auto spread = [](const array& u) {
        array around = zeros_like(u);
        around(from(1)) = around(from(1)) + u(until(-1));
        around(until(-1)) = around(until(-1)) + u(from(1));
        return around - 2 * u;
    };
    const auto turn = [&](array u, array v) {
        const array meets = u * v * v;
        return std::tuple(u + 0.1 * spread(u) - meets + 0.03 * rate * (1 - u), v + 0.05 * spread(v * rate) + meets - 0.09 * v);
    };
    const array start = absolute(grid(1300, 150));
    array a = start, b = start * 0.3;
    for (int i = 0; i < 45; ++i) std::tie(a, b) = turn(a, b);
    const auto [c, d] = compile([=](array x) { return loop(45, turn, x, x * 0.3); })(start);
    BOOST_TEST(near(c, a));
    BOOST_TEST(near(d, b));
}

BOOST_AUTO_TEST_CASE(turns_with_their_own_parts_and_results) {
    const array forces = grid(40, 600 * 100, 0.7).reshape({40, 600, 100});
    const auto forced = [](array u, array force) {
        u(range(1, -1)) = 0.5 * u(range(1, -1)) + 0.25 * (u(until(-2)) + u(from(2)));
        const array next = u + 0.1 * force;
        return std::pair(next, next * force);
    };
    for (const bool backward : {false, true}) {
        const auto taken = [=](array u, array parts) { return scan(forced, u, parts, {.backward = backward}); };
        const array start = grid(600, 100);
        const auto [last, all] = taken(start, forces);
        const auto [found, each] = compile(taken)(start, forces);
        BOOST_TEST(near(found, last));
        BOOST_TEST(near(each, all));
    }
    const auto numbered = [](array turn, array u) { return 0.9 * u + 0.01 * turn.astype(float64) * cos(u); };
    const array start = grid(700, 300);
    array expected = start;
    for (int i = 0; i < 40; ++i) expected = numbered(array(i), expected);
    BOOST_TEST(near(compile([=](array u) { return loop(40, numbered, u); })(start), expected));
}

BOOST_AUTO_TEST_CASE(derivatives_of_loops_in_tiles) {
    // Not linear, so that states are saved, each or every few turns.
    const auto turn = [](array u) {
        const auto inner = range(1, -1);
        u(inner) = u(inner) + 0.1 * (u(until(-2)) - 2 * u(inner) + u(from(2))) - 0.05 * u(inner) * u(inner);
        return u;
    };
    const array start = grid(1100, 120);
    const auto unrolled = [&](array u) {
        for (int i = 0; i < 20; ++i) u = turn(u + 0);
        return sum(u * u);
    };
    const array expected = grad(unrolled)(start);
    for (const std::int64_t every : {0, 1, 4, 7}) {
        const auto looped = [=](array u) {
            const array end = loop(LoopOptions{.save_every = every}, 20, turn, u);
            return sum(end * end);
        };
        BOOST_TEST(near(compile(grad(looped))(start), expected));
        BOOST_TEST(near(grad(looped)(start), expected));
    }
    const auto linear = [](array u) { return sum(loop(45, jacobi, u) * sin(u)); };
    const auto one_by_one = [](array u) {
        array end = u;
        for (int i = 0; i < 45; ++i) end = jacobi(end + 0);
        return sum(end * sin(u));
    };
    const array wide = grid(600, 200);
    BOOST_TEST(near(compile(grad(linear))(wide), grad(one_by_one)(wide)));
}

// The kernels of the bodies of a compiled function's loops.
template <class F>
std::string loops_of(const F& compiled) {
    std::string text;
    for (const EntryInfo& entry : compiled.entries()) text += entry.loops;
    return text;
}

BOOST_AUTO_TEST_CASE(rows_that_are_no_multiple_of_a_vector) {
    const device_scope host("cpu");  // whose ways these are
    // 203 doubles are 1624 bytes: the loop's own arrays have rows of 1664.
    const array start = grid(90, 203);
    const auto padded = [&](const Turn& turn) {
        const auto compiled = compile([&](array x) { return loop(12, turn, x); });
        (void)compiled(start);
        return loops_of(compiled).find("*1664") != std::string::npos;
    };
    const auto blurred = [](array u) {
        array around = zeros_like(u);
        around(from(1)) = u(until(-1));
        return 0.5 * u + 0.5 * around;
    };
    const std::vector<std::pair<Turn, bool>> turns{
        {jacobi, true},
        {blurred, true},
        {[](array u) { return 0.9 * u * (1 - 0.1 * u); }, false},  // nothing is read from over or below
        {[](array u) { return u - 0.01 * sum(u, {.axis = 1, .keepdims = true}); }, false},
        {[=](array u) { return blurred(u).reshape({203, 90}).reshape({90, 203}) * 0.9; }, true},
        {[=](array u) { return blurred(ravel(u)(from(0)).reshape({90, 203})); }, true},
        {[=](array u) { return blurred(u) + flip(u, 1) - 0.1 * sum(u) / 1e4; }, true},
        {[](array u) {
             u(from(1)) = u(from(1)) + 1;  // in place
             return u;
         },
         false},
    };
    for (std::size_t i = 0; i < turns.size(); ++i) {
        const auto& [turn, is_padded] = turns[i];
        BOOST_TEST_CONTEXT("turn " << i) {
            BOOST_TEST(padded(turn) == is_padded);
            check(turn, start, {1, 9, 40});
        }
    }
    check(jacobi, grid(700, 131).reshape({7, 100, 131}).astype(float32)(2), {30});
    const auto in_three_axes = [](array u) {
        u(range(1, -1)) = 0.3 * (u(range(1, -1)) + u(until(-2)) + u(from(2)));
        return u;
    };
    check(in_three_axes, grid(60, 130 * 9).reshape({60, 9, 130}), {20});
    for (const Dtype dtype : {float32, int64, complex128}) {
        const auto sums = [](array u) {
            u(from(1)) = u(from(1)) + u(until(-1));
            return u;
        };
        check(sums, (grid(40, 301) * 9).astype(dtype), {10});
    }
    const auto compiled = compile([](array u) { return loop(30, jacobi, u); });
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{50, 203}, {50, 301}, {0, 203}, {2, 500}, {9, 0}}) {
        array expected = grid(rows, columns);
        for (int i = 0; i < 30; ++i) expected = jacobi(expected + 0);
        const array found = compiled(grid(rows, columns));
        BOOST_TEST(near(found, expected));
        if (expected.size() != 0) BOOST_TEST((found.strides() == expected.strides()));
    }
}

BOOST_AUTO_TEST_CASE(padded_rows_of_several_states_and_results) {
    const device_scope host("cpu");  // whose ways these are
    const array start = grid(300, 203), forces = grid(25, 300 * 203, 0.7).reshape({25, 300, 203});
    const auto wave = [](array before, array now) {
        array next = 2 * now - before;
        next(range(1, -1)) = next(range(1, -1)) + 0.1 * (now(until(-2)) + now(from(2)) - 2 * now(range(1, -1)));
        return std::tuple(now, next);
    };
    array a = start, b = start * 0.9;
    for (int i = 0; i < 41; ++i) std::tie(a, b) = wave(a, b);
    const auto [c, d] = compile([=](array x) { return loop(41, wave, x, x * 0.9); })(start);
    BOOST_TEST(near(c, a));
    BOOST_TEST(near(d, b));
    const auto forced = [](array u, array force) {
        array around = zeros_like(u);
        around(from(1)) = u(until(-1));
        const array next = 0.5 * u + 0.5 * around + 0.1 * force;
        return std::pair(next, next * force);
    };
    const auto taken = [=](array u, array parts) { return scan(forced, u, parts, {.backward = true}); };
    const auto [last, all] = taken(start, forces);
    const auto compiled = compile(taken);
    const auto [found, each] = compiled(start, forces);
    BOOST_TEST(near(found, last));
    BOOST_TEST(near(each, all));
    BOOST_TEST(loops_of(compiled).find("*1664") != std::string::npos);
    const auto squares = [](array u) {
        u(range(1, -1)) = u(range(1, -1)) + 0.1 * (u(until(-2)) - 2 * u(range(1, -1)) + u(from(2))) - 0.05 * u(range(1, -1)) * u(range(1, -1));
        return u;
    };
    const auto unrolled = [&](array u) {
        for (int i = 0; i < 20; ++i) u = squares(u + 0);
        return sum(u * u);
    };
    for (const std::int64_t every : {0, 1, 5}) {
        const auto looped = [=](array u) {
            const array end = loop(LoopOptions{.save_every = every}, 20, squares, u);
            return sum(end * end);
        };
        BOOST_TEST(near(compile(grad(looped))(start), grad(unrolled)(start)));
    }
}

BOOST_AUTO_TEST_CASE(what_the_next_turn_reads_is_stored_in_the_cache) {
    const device_scope host("cpu");  // whose ways these are
    const auto compiled = compile([](array u) { return loop(3, jacobi, u) + 1; });
    (void)compiled(zeros({2100, 2000}, float32));
    const std::string text = loops_of(compiled);
    const std::size_t body = text.find("loop 3:"), end = text.find("end", body);
    BOOST_TEST((body != std::string::npos && end != std::string::npos));
    BOOST_TEST(text.substr(body, end - body).find("streaming") == std::string::npos);
    BOOST_TEST(text.find("streaming") != std::string::npos);  // what comes after the loop
}

BOOST_AUTO_TEST_CASE(sizes_that_vary) {
    const auto compiled = compile([](array u) { return loop(40, jacobi, u); });
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{500, 300}, {900, 200}, {30, 40}, {1200, 250}}) {
        array expected = grid(rows, columns);
        for (int i = 0; i < 40; ++i) expected = jacobi(expected + 0);
        BOOST_TEST(near(compiled(grid(rows, columns)), expected));
    }
    BOOST_TEST(compiled.cache_info().compiles <= 2u);
}

BOOST_AUTO_TEST_SUITE_END()
