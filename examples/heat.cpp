// Heat spreading over a plate until it is still: a stencil written in place, and a loop that ends where the values say.
#include <utility>

#include "timing.h"

using namespace fastnp;

void step(const array& a, array& b) {
    b(range(1, -1), range(1, -1)) =
        0.25F * (a(until(-2), range(1, -1)) + a(from(2), range(1, -1)) + a(range(1, -1), until(-2)) + a(range(1, -1), from(2)));
}

// How many steps it takes until no point moves more than the tolerance.
int spread(array& plate, array& other, float tolerance) {
    for (int steps = 2;; steps += 2) {
        step(plate, other);
        step(other, plate);
        if (max(absolute(plate - other)) < tolerance) return steps;
    }
}

std::pair<array, array> hot_edge() {
    array plate = zeros({300, 400}, float32);
    plate(0) = 100;
    return {plate, plate.copy()};
}

int main() {
    const auto fast = compile(spread, {.name = "spread"});
    auto [mine, my_other] = hot_edge();
    auto [theirs, their_other] = hot_edge();
    const int steps = fast(mine, my_other, 0.2F);
    example::expect(steps == spread(theirs, their_other, 0.2F), "as many steps");
    example::expect(fast.cache_info().uncompiled == 0, "compiled");
    const double error = example::difference(mine, theirs);
    example::expect(error < 1e-5, "compiled equals eager");
    const auto timed = [](const auto& run) {
        auto [plate, other] = hot_edge();
        return run(plate, other, 0.2F);
    };
    example::report("heat 300 x 400", example::median_ms([&] { return timed(spread); }, 5), example::median_ms([&] { return timed(fast); }), error);
    return 0;
}
