// How well does a rod conduct heat, at each of its points? Found from the temperatures that it takes, by gradients through the time steps of a simulation.
#include <cstdio>

#include "optimizers.h"
#include "timing.h"

using namespace fastnp;

// The temperatures, at every tenth step, of a rod whose left end is heated; conductivity between neighbouring points.
array simulate(const array& conductivity) {
    array u = zeros({conductivity.shape(0) + 1});
    u[0] = 1.0;
    std::vector<array> seen;
    for (int step = 0; step < 120; ++step) {
        const array flow = conductivity * (u(from(1)) - u(until(-1)));
        u(range(1, -1)) += 0.4 * (flow(from(1)) - flow(until(-1)));
        if (step % 10 == 9) seen.push_back(u(range(1, -1)).copy());
    }
    return stack(seen);
}

array misfit(array logarithm, array measured) { return sum(square(simulate(exp(logarithm)) - measured)); }

array improve(optimizers::Arrays& parameters, optimizers::Adam& state, array measured) {
    const auto [loss, gradient] = value_and_grad(misfit)(parameters[0], measured);
    optimizers::adamw(parameters, {gradient}, state, 0.05);
    return loss;
}

int main() {
    const array truth = 0.5 + 0.4 * square(sin(linspace(0, 3, 16)));
    const array measured = simulate(truth);
    optimizers::Arrays parameters{log(full({16}, 0.6))};
    optimizers::Adam state = optimizers::adam_state(parameters);
    const auto compiled = compile(improve, {.name = "improve"});
    double loss = 0;
    for (int i = 0; i < 120; ++i) loss = compiled(parameters, state, measured).item<double>();
    const double error = max(absolute(exp(parameters[0]) / truth - 1)(until(10))).item<double>();
    example::expect(error < 0.02, "the conductivity is found where the heat came to");
    example::expect(compiled.cache_info().compiles == 1, "compiled once");
    std::printf("conductivity: misfit %.2e; where the heat came to, at most %.3f %% off\n", loss, 100 * error);
    return 0;
}
