// Heat spreading over a plate until it is still: a stencil written in place, and a loop that ends where the values say.
#include <utility>

#include "timing.h"

using namespace fastnp;

void step(const array& a, array& b) {
    b(range(1, -1), range(1, -1)) = 0.25 * (a(until(-2), range(1, -1)) + a(from(2), range(1, -1)) + a(range(1, -1), until(-2)) + a(range(1, -1), from(2)));
}

// How many steps it takes until no point moves more than the tolerance.
int spread(array& plate, array& other, double tolerance) {
    for (int steps = 2;; steps += 2) {
        step(plate, other);
        step(other, plate);
        if (max(absolute(plate - other)) < tolerance) return steps;
    }
}

// A plate with a hot edge and two hot discs, and its copy.
std::pair<array, array> heated() {
    array plate = zeros({300, 400});
    const array rows = arange(300)(all, newaxis), columns = arange(400);
    set_where(plate, square(rows - 120) + square(columns - 110) < 45 * 45, 60);
    set_where(plate, square(rows - 190) + square(columns - 280) < 70 * 70, 60);
    plate(0) = 100;
    return {plate, plate.copy()};
}

int main() {
    const auto fast = compile(spread, {.name = "spread"});
    auto [mine, my_other] = heated();
    auto [theirs, their_other] = heated();
    const int steps = fast(mine, my_other, 0.6);
    example::expect(steps == spread(theirs, their_other, 0.6), "as many steps");
    example::expect(fast.cache_info().uncompiled == 0, "compiled");
    const double error = example::difference(mine, theirs);
    example::expect(error < 1e-5, "compiled equals eager");
    std::printf("heat: still after %d steps, %.6f degrees on average, %.6f in the middle of a disc\n", steps, mean(mine).item<double>(),
                mine(190, 280).item<double>());
    const auto timed = [](const auto& run) {
        auto [plate, other] = heated();
        return run(plate, other, 0.6);
    };
    example::report("heat 300 x 400", example::median_ms([&] { return timed(spread); }, 5), example::median_ms([&] { return timed(fast); }), error);
    return 0;
}
