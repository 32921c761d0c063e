// The price of an Asian option by simulation: 200,000 paths in batches.
// A control variate makes the error smaller, and the gradient is the hedge.
#include <cmath>
#include <tuple>

#include "timing.h"

using namespace fastnp;

constexpr double spot = 100, strike = 105, rate = 0.03, volatility = 0.25, years = 1, days = 52;

// Discounted, of the arithmetic and of the geometric mean.
std::pair<array, array> payoffs(const array& start, const array& draws) {
    const double dt = years / days;
    const array moves = (rate - 0.5 * volatility * volatility) * dt + volatility * std::sqrt(dt) * draws;
    const array prices = start * exp(cumsum(moves, {.axis = 1}));
    const auto payoff = [](const array& mean) { return std::exp(-rate * years) * maximum(mean - strike, 0.0); };
    return {payoff(mean(prices, {.axis = 1})), payoff(exp(mean(log(prices), {.axis = 1})))};
}

// Both payoffs of each path, and the slope of the mean payoff by the price of the share.
std::tuple<array, array, array> simulate(array start, array draws) {
    const array slope = grad([&](array s) { return mean(payoffs(s, draws).first); })(start);
    const auto [arithmetic, geometric] = payoffs(start, draws);
    return {arithmetic, geometric, slope};
}

// The exact price for the geometric mean, whose logarithm is normal.
double geometric_price() {
    const double middle = std::log(spot) + (rate - 0.5 * volatility * volatility) * years * (days + 1) / (2 * days);
    const double variance = volatility * volatility * years * (days + 1) * (2 * days + 1) / (6 * days * days);
    const double d = (middle - std::log(strike) + variance) / std::sqrt(variance);
    const auto cdf = [](double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); };
    return std::exp(-rate * years) * (std::exp(middle + variance / 2) * cdf(d) - strike * cdf(d - std::sqrt(variance)));
}

int main() {
    fastnp::random::Generator rng = fastnp::random::default_rng(11);
    const auto fast = compile(simulate, {.name = "simulate"});
    array plain = zeros({20}), controlled = zeros({20}), slopes = zeros({20});
    for (int batch = 0; batch < 20; ++batch) {
        const auto [arithmetic, geometric, slope] = fast(array(spot), rng.standard_normal({10'000, 52}));
        plain(batch) = mean(arithmetic);
        controlled(batch) = mean(arithmetic - geometric) + geometric_price();
        slopes(batch) = slope;
    }
    const auto error = [](const array& x) { return stddev(x, {}, 1).item<double>() / std::sqrt(20.0); };
    const auto average = [](const array& x) { return mean(x).item<double>(); };
    example::expect(error(controlled) < 0.1 * error(plain), "the control makes the error smaller");
    example::expect(std::abs(average(plain) - average(controlled)) < 4 * error(plain), "both find one price");
    std::printf("asian option: %.4f +- %.4f by the payoffs alone, %.5f +- %.5f with control\n", average(plain), error(plain), average(controlled),
                error(controlled));
    std::printf("asian option: a hedge holds %.4f shares\n", average(slopes));
    return 0;
}
