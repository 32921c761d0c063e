// A Gaussian process whose length, height and noise are those under which what was measured is likeliest: found by the gradient through the solution of a
// system and a determinant.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "optimizers.h"
#include "timing.h"

using namespace fastnp;

array covariance(const array& parameters, const array& x, const array& y) {
    const array scaled = (x(all, newaxis) - y) / exp(parameters[0]);
    return exp(2 * parameters[1] - 0.5 * square(scaled));
}

array spread(const array& parameters, const array& x) { return covariance(parameters, x, x) + exp(2 * parameters[2]) * eye(x.shape(0)); }

// The negative logarithm of the likelihood of y at x.
array surprise(array parameters, array x, array y) {
    const array matrix = spread(parameters, x);
    return 0.5 *
           (sum(y * linalg::solve(matrix, y)) + linalg::slogdet(matrix).logabsdet + static_cast<double>(x.shape(0)) * std::log(2 * std::numbers::pi));
}

array improve(optimizers::Arrays& parameters, optimizers::Adam& state, array x, array y) {
    const auto [loss, gradient] = value_and_grad(surprise)(parameters[0], x, y);
    optimizers::adamw(parameters, {gradient}, state, 0.05);
    return loss;
}

// The mean of the function at other points, and its deviation.
std::pair<array, array> predict(array parameters, array x, array y, array at) {
    const array factor = linalg::cholesky(spread(parameters, x));
    const linalg::TriangularOptions lower{.lower = true};
    const array seen = linalg::solve_triangular(factor, covariance(parameters, x, at), lower);
    const array mean = matmul(transpose(seen), linalg::solve_triangular(factor, y, lower));
    return {mean, sqrt(exp(2 * parameters[1]) - sum(square(seen), {.axis = 0}))};
}

int main() {
    fastnp::random::Generator rng = fastnp::random::default_rng(1);
    const array x = sort(rng.uniform(0, 10, {60}));
    const array y = sin(x) + 0.1 * rng.standard_normal({60});
    optimizers::Arrays parameters{log(array({0.3, 0.5, 0.5}))};
    optimizers::Adam state = optimizers::adam_state(parameters);
    const auto compiled = compile(improve, {.name = "improve"});
    const double first = compiled(parameters, state, x, y).item<double>();
    double last = first;
    for (int i = 0; i < 400; ++i) last = compiled(parameters, state, x, y).item<double>();
    const array at = linspace(1, 9, 50);
    const auto [mean, deviation] = compile(predict, {.name = "predict"})(parameters[0], x, y, at);
    const double error = max(absolute(mean - sin(at))).item<double>();
    const double noise = exp(parameters[0][2]).item<double>();
    example::expect(last < first && std::abs(noise - 0.1) < 0.02, "the noise is found");
    example::expect(error < 0.12, "the function is found");
    example::expect(compiled.cache_info().compiles == 1, "compiled once");
    std::printf("gaussian process: likelihood exp(%.1f) to exp(%.1f), noise %.3f, at most %.3f off, %.3f expected\n", -first, -last, noise, error,
                max(deviation).item<double>());
    return 0;
}
