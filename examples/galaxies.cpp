// Two galaxies pass each other (Toomre and Toomre 1972): heavy centres, and stars that feel both.
// One compiled call takes 1,000 leapfrog steps.
#include <cmath>
#include <numbers>
#include <tuple>

#include "timing.h"

using namespace fastnp;

// The acceleration at each place x by the two centres, which are the first two places.
array pull(const array& x) {
    const array away = x(newaxis, until(2)) - x(all, newaxis);
    const array squared = sum(square(away), {.axis = -1, .keepdims = true}) + 0.01;  // softened
    return sum(away / (squared * sqrt(squared)), {.axis = 1});
}

std::tuple<array, array> fly(array places, array velocities) {
    const double dt = 0.01;
    const auto leap = [dt](array x, array v) {
        const array half = v + 0.5 * dt * pull(x);
        const array next = x + dt * half;
        return std::tuple(next, half + 0.5 * dt * pull(next));
    };
    return loop(1000, leap, places, velocities);
}

// Circular orbits around a centre: places and velocities.
std::pair<array, array> galaxy(const array& centre, const array& motion) {
    const array radius = linspace(0.5, 2.4, 20)(all, newaxis), angle = 2 * std::numbers::pi * arange(60) / 60;
    const array speed = radius * power(square(radius) + 0.01, -0.75);
    const array x = stack({radius * cos(angle), radius * sin(angle)}, -1), v = stack({-speed * sin(angle), speed * cos(angle)}, -1);
    return {x.reshape({-1, 2}) + centre, v.reshape({-1, 2}) + motion};
}

// Of the two centres.
double energy(const array& x, const array& v) { return (0.5 * sum(square(v(until(2)))) - 1 / sqrt(sum(square(x[0] - x[1])) + 0.01)).item<double>(); }

int main() {
    const array centres({{-6.0, -2.0}, {6.0, 2.0}}), motions({{0.4, -0.08}, {-0.4, 0.08}});
    const auto [first, first_speeds] = galaxy(centres[0], motions[0]);
    const auto [second, second_speeds] = galaxy(centres[1], motions[1]);
    array x = concatenate({centres, first, second}), v = concatenate({motions, first_speeds, second_speeds});
    const auto fast = compile(fly, {.name = "fly"});
    const double before = energy(x, v);
    for (int i = 0; i < 3; ++i) std::tie(x, v) = fast(x, v);

    const double drift = std::abs(energy(x, v) / before - 1);
    const array distance = sqrt(sum(square(x(from(2))(all, newaxis) - x(until(2))), {.axis = -1}));
    const array home = arange(2400) >= 1200;
    const auto changed = sum(argmin(distance, {.axis = 1}) != home).item<int>();
    const auto lost = sum(min(distance, {.axis = 1}) > 4).item<int>();
    example::expect(drift < 1e-3 && fast.cache_info().compiles == 1, "energy is kept");
    const auto at = [&](int i, int k) { return x(i, k).item<double>(); };
    std::printf("galaxies: the centres at (%.4f, %.4f) and (%.4f, %.4f), energy off by %.1e\n", at(0, 0), at(0, 1), at(1, 0), at(1, 1), drift);
    std::printf("galaxies: of 2400 stars %d are nearer to the other centre, and %d are far from both\n", changed, lost);
    return 0;
}
