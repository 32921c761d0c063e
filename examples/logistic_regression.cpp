// Logistic regression by Newton's method: gradient and Hessian of the loss as it is written.
// The inverse Hessian says how sure the weights are.
#include "timing.h"

using namespace fastnp;

// The negative logarithm of the likelihood, and a prior that keeps weights small.
array loss(array weights, array x, array sign) { return sum(log1p(exp(-sign * matmul(x, weights)))) + 0.005 * sum(square(weights)); }

struct Step {
    array weights, value, length, curvature;  // length: of the gradient
};

Step newton(array weights, array x, array sign) {
    const auto [value, gradient] = value_and_grad(loss)(weights, x, sign);
    const array curvature = hessian([&](array w) { return loss(w, x, sign); })(weights);
    return {weights - linalg::solve(curvature, gradient), value, sqrt(sum(square(gradient))), curvature};
}

int main() {
    fastnp::random::Generator rng = fastnp::random::default_rng(2);
    constexpr int size = 400;
    const array sign = where(arange(size) % 2 == 0, 1.0, -1.0);
    const array points = 1.1 * rng.standard_normal({size, 2}) + sign(all, newaxis) * array({0.9, 0.5});
    const array x = stack({ones({size}), points(all, 0), points(all, 1), points(all, 0) * points(all, 1)}, 1);

    const auto step = compile(newton, {.name = "newton"});
    Step now{zeros({4}), {}, {}, {}};
    for (int i = 0; i < 8; ++i) now = step(now.weights, x, sign);
    const array inverse = linalg::inv(now.curvature);
    const int right = sum((matmul(x, now.weights) > 0) == (sign > 0)).item<int>();
    example::expect(now.length.item<double>() < 1e-9 && right > 0.75 * size, "the weights are found");
    example::expect(step.cache_info().compiles == 1, "compiled once");
    const char* names[] = {"constant", "x", "y", "x y"};
    for (int i = 0; i < 4; ++i)
        std::printf("logistic regression: %-8s %8.5f +- %.5f\n", names[i], now.weights[i].item<double>(), sqrt(inverse(i, i)).item<double>());
    std::printf("logistic regression: %d of %d points on their side, loss %.6f\n", right, size, now.value.item<double>());
    return 0;
}
