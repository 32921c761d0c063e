// Newton's method for two equations, from 43,200 starts at once: the Jacobian by jacfwd, all starts by vmap.
// Where the starts end makes a fractal.
#include <cmath>
#include <tuple>

#include "timing.h"

using namespace fastnp;

// The real and the imaginary part of z^3 - 1, as two equations in two unknowns.
array equations(const array& p) {
    const array x = p[0], y = p[1];
    return stack({power(x, 3) - 3 * x * square(y) - 1, 3 * square(x) * y - power(y, 3)});
}

// Where it ends, and after how many steps.
std::tuple<array, array> newton(array start) {
    const auto goes_on = [](array p, array steps) { return (max(absolute(equations(p))) > 1e-10) & (steps < 60); };
    const auto step = [](array p, array steps) {
        return std::tuple(p - linalg::solve(jacfwd([](array q) { return equations(q); })(p), equations(p)), steps + 1);
    };
    return while_loop(goes_on, step, start, 0);
}

int main() {
    const array grid = zeros({180, 240});
    const array x = grid + linspace(-1.6, 1.6, 240), y = grid + linspace(-1.2, 1.2, 180)(all, newaxis);
    const auto [ends, steps] = compile(vmap(newton), {.name = "newton"})(stack({ravel(x), ravel(y)}, 1));
    const array roots({{1.0, 0.0}, {-0.5, std::sqrt(0.75)}, {-0.5, -std::sqrt(0.75)}});
    const array distance = sqrt(sum(square(ends(all, newaxis) - roots), {.axis = -1}));
    const array nearest = argmin(distance, {.axis = 1});
    int ended[3];
    for (int root = 0; root < 3; ++root) ended[root] = sum(nearest == root).item<int>();
    example::expect(max(min(distance, {.axis = 1})).item<double>() < 1e-9, "all starts end at a root");
    example::expect(ended[1] == ended[2], "a mirror image");
    std::printf("newton: %d, %d and %d starts end at the three roots\n", ended[0], ended[1], ended[2]);
    std::printf("newton: %.4f steps on average, %d at most\n", mean(steps).item<double>(), max(steps).item<int>());
    return 0;
}
