// Option prices: twenty elementwise functions over five arrays, one kernel. The normal distribution function is the polynomial of Abramowitz and Stegun,
// Handbook of Mathematical Functions, 26.2.17 (error below 7.5e-8).
#include "timing.h"

using namespace fastnp;

array normal_cdf(const array& x) {
    const array k = 1.0F / (1.0F + 0.2316419F * absolute(x));
    const array poly = k * (0.319381530F + k * (-0.356563782F + k * (1.781477937F + k * (-1.821255978F + k * 1.330274429F))));
    const array tail = 0.3989422804F * exp(-0.5F * x * x) * poly;
    return where(x >= 0, 1.0F - tail, tail);
}

struct Prices {
    array call, put;
};

Prices black_scholes(const array& spot, const array& strike, const array& years, double rate, double volatility) {
    const array root = sqrt(years);
    const array d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root);
    const array d2 = d1 - volatility * root;
    const array discounted = strike * exp(-rate * years);
    const array call = spot * normal_cdf(d1) - discounted * normal_cdf(d2);
    return {call, call - spot + discounted};
}

int main() {
    const auto fast = compile(black_scholes, {.name = "black_scholes"});
    const Shape shape{1'000'000};
    const array spot = example::uniform(shape, 10, 50, 1);
    const array strike = example::uniform(shape, 10, 50, 2);
    const array years = example::uniform(shape, 0.25, 2, 3);
    const Prices eager = black_scholes(spot, strike, years, 0.02, 0.3);
    const Prices compiled = fast(spot, strike, years, 0.02, 0.3);
    const double error = std::max(example::difference(compiled.call, eager.call), example::difference(compiled.put, eager.put));
    example::expect(error < 1e-5, "compiled equals eager");
    example::report("black_scholes 1e6", example::median_ms([&] { return black_scholes(spot, strike, years, 0.02, 0.3); }, 5),
                    example::median_ms([&] { return fast(spot, strike, years, 0.02, 0.3); }), error);
    return 0;
}
