// A Kalman filter follows a ship by its noisy places: a scan whose state is a mean and a covariance.
// How strongly it accelerates is found by the gradient.
#include <cmath>
#include <numbers>
#include <tuple>

#include "timing.h"

using namespace fastnp;

constexpr double dt = 1, seen = 4;  // seconds between two measurements, and the deviation of these

struct Found {
    array means, covariances, likelihood;
};

// For a deviation of the accelerations: the means, the covariances, and the logarithm of the likelihood of the places.
Found follow(array log_push, array places) {
    const array move({{1.0, 0.0, dt, 0.0}, {0.0, 1.0, 0.0, dt}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}});
    const array push({{dt * dt / 2, 0.0}, {0.0, dt * dt / 2}, {dt, 0.0}, {0.0, dt}});
    const array see = eye(2, 4);
    const auto step = [&](std::pair<array, array> state, array place) {
        const array ahead = matmul(move, state.first);
        const array wide = matmul(matmul(move, state.second), move.T()) + exp(2 * log_push) * matmul(push, push.T());
        const array spread = matmul(matmul(see, wide), see.T()) + seen * seen * eye(2);
        const array inverse = linalg::inv(spread);
        const array gain = matmul(matmul(wide, see.T()), inverse);
        const array missed = place - matmul(see, ahead);
        const array mean = ahead + matmul(gain, missed);
        const array covariance = wide - matmul(matmul(gain, see), wide);
        const array likelihood = -0.5 * (sum(matmul(missed, inverse) * missed) + log(linalg::det(2 * std::numbers::pi * spread)));
        return std::pair(std::pair(mean, covariance), Found{mean, covariance, likelihood});
    };
    const auto [last, found] = scan(step, std::pair(concatenate({places[0], zeros({2})}), 100.0 * eye(4)), places);
    return {found.means, found.covariances, sum(found.likelihood)};
}

array surprise(array log_push, array places) { return -follow(log_push, places).likelihood; }

int main() {
    fastnp::random::Generator rng = fastnp::random::default_rng(3);
    const array pushes = 0.4 * rng.standard_normal({300, 2}), noise = seen * rng.standard_normal({300, 2});
    const array track = cumsum(array({3.0, 1.0}) + cumsum(pushes, {.axis = 0}), {.axis = 0});
    const array places = track + noise;

    const auto slope = compile(grad(surprise), {.name = "slope"});
    array log_push(0.0);  // a deviation of 1, to begin with
    for (int i = 0; i < 60; ++i) log_push = log_push - 0.01 * slope(log_push, places);
    const Found found = compile(follow, {.name = "follow"})(log_push, places);

    const auto error = [&](const array& x) { return sqrt(mean(sum(square(x(from(20)) - track(from(20))), {.axis = 1}))).item<double>(); };
    const double measured = error(places), filtered = error(found.means(all, until(2))), push = exp(log_push).item<double>();
    example::expect(filtered < 0.75 * measured && std::abs(push - 0.4) < 0.1, "the ship is followed");
    std::printf("kalman: places are %.4f off as measured, %.4f filtered\n", measured, filtered);
    std::printf("kalman: accelerations of %.4f at a likelihood of exp(%.3f)\n", push, found.likelihood.item<double>());
    return 0;
}
