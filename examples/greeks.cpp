// The greeks of an option: derivatives of its price by each argument, for all shares and years at once.
#include <cmath>
#include <numbers>

#include "timing.h"

using namespace fastnp;

// Abramowitz and Stegun 26.2.17, off by less than 7.5e-8.
array polynomial(const array& x) {
    const array k = 1 / (1 + 0.2316419 * absolute(x));
    const array poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const array tail = 0.3989422804 * exp(-0.5 * x * x) * poly;
    return where(x >= 0, 1 - tail, tail);
}

// Its derivative is exact.
array normal_cdf(const array& x) {
    const auto density = [](const array& v) { return exp(-0.5 * v * v) / std::sqrt(2 * std::numbers::pi); };
    const auto rule = [density](std::tuple<array> primals, std::tuple<array> tangents) {
        const array& v = std::get<0>(primals);
        return std::pair(normal_cdf(v), std::get<0>(tangents) * density(v));
    };
    return custom_jvp([](array v) { return polynomial(v); }, rule)(x);
}

// Of a call (Black and Scholes 1973).
array price(array spot, array strike, array years, array rate, array volatility) {
    const array spread = volatility * sqrt(years);
    const array d1 = (log(spot / strike) + (rate + 0.5 * square(volatility)) * years) / spread;
    return spot * normal_cdf(d1) - strike * exp(-rate * years) * normal_cdf(d1 - spread);
}

struct Greeks {
    array value, delta, gamma, theta, rho, vega;
};

Greeks greeks(array spot, array years) {
    const array strike(100.0), rate(0.02), volatility(0.3);
    const auto [value, slopes] = value_and_grad<0, 2, 3, 4>(price)(spot, strike, years, rate, volatility);
    const auto [delta, theta, rho, vega] = slopes;
    return {value, delta, grad(grad(price))(spot, strike, years, rate, volatility), -theta, rho, vega};
}

int main() {
    const auto over_spots = vmap(greeks, {.in_axes = {0, std::nullopt}});
    const auto surfaces = compile(vmap(over_spots, {.in_axes = {std::nullopt, 0}}), {.name = "greeks"});
    const array spots = linspace(50.0, 150.0, 101);
    const auto [value, delta, gamma, theta, rho, vega] = surfaces(spots, array({0.1, 0.5, 2.0}));
    const auto print = [](const char* name, const array& surface) {
        std::printf("%-6s", name);
        for (int i = 0; i < 3; ++i) std::printf(" %9.5f", surface(i, 50).item<double>());
        std::printf("\n");
    };
    print("price", value), print("delta", delta), print("gamma", gamma), print("theta", theta), print("rho", rho), print("vega", vega);

    // Black and Scholes' equation ties them together.
    const array residue = theta + 0.5 * 0.3 * 0.3 * square(spots) * gamma + 0.02 * spots * delta - 0.02 * value;
    example::expect(max(absolute(residue)).item<double>() < 1e-4, "the equation holds");
    return 0;
}
