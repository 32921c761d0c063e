// Loops and branches over numbers as native code: a filter, a count of turns that depends on values, and the gradient of a long trajectory.
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "timing.h"

using namespace fastnp;

// y[t] = 0.9 y[t - 1] + x[t].
array filtered(const array& x) {
    return scan(
               [](array y, array part) {
                   const array next = 0.9 * y + part;
                   return std::pair(next, next);
               },
               0.0, x)
        .second;
}

// How many turns Collatz's rule takes from n to 1.
array collatz(const array& n) {
    const auto turn = [](array x, array turns) {
        return std::tuple(cond(x % 2 == 0, [&] { return floor_divide(x, 2); }, [&] { return 3 * x + 1; }), turns + 1);
    };
    const auto [end, turns] = while_loop([](array x, array) { return x != 1; }, turn, n, 0);
    return turns;
}

// Where a pendulum is after so many small steps, in terms of how it began.
array swing(const array& angle) {
    const auto turn = [](array a, array v) {
        const array faster = v - 0.001 * sin(a);
        return std::tuple(a + 0.001 * faster, faster);
    };
    return std::get<0>(loop(10'000, turn, angle, 0.0));
}

int main() {
    const array x = sin(arange(200'000.0));
    const auto by_hand = [&] {
        array y = x.copy();
        const std::span<double> values = y.as_span<double>();
        for (std::size_t i = 1; i < values.size(); ++i) values[i] = 0.9 * values[i - 1] + values[i];
        return y;
    };
    const auto fast = compile(filtered, {.name = "filtered"});
    const double error = max(absolute(fast(x) - by_hand())).item<double>();
    example::expect(error < 1e-12, "a scan equals the loop by hand");
    example::report("filter of 200,000 (by hand, compiled)", example::median_ms(by_hand, 9), example::median_ms([&] { return fast(x); }, 9), error);

    const auto turns = compile(collatz, {.name = "collatz"});
    example::expect(turns(array(27)).item<std::int64_t>() == 111, "27 takes 111 turns");
    example::expect(turns.cache_info().uncompiled == 0, "compiled");

    const auto slope = compile(grad(swing), {.name = "slope"});
    const array angle(0.5);
    const double found = slope(angle).item<double>();
    const double wanted = (swing(angle + 1e-5).item<double>() - swing(angle - 1e-5).item<double>()) / 2e-5;
    example::expect(std::abs(found - wanted) < 1e-6 * std::abs(wanted), "the gradient of 10,000 steps equals differences");
    example::report("gradient of 10,000 steps (eager, compiled)", example::median_ms([&] { return swing(angle); }, 3),
                    example::median_ms([&] { return slope(angle); }, 9), std::abs(found - wanted));
    return 0;
}
