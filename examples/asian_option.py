"""The price of an Asian option by simulation: 200,000 paths in batches.

A control variate makes the error smaller, and the gradient is the hedge.
"""

import math

import numpy

import fastnp as np

SPOT, STRIKE, RATE, VOLATILITY, YEARS, DAYS, PATHS = 100.0, 105.0, 0.03, 0.25, 1.0, 52, 10_000


def paths(spot, draws):
    dt = YEARS / DAYS
    moves = (RATE - 0.5 * VOLATILITY**2) * dt + VOLATILITY * math.sqrt(dt) * draws
    return spot * np.exp(np.cumsum(moves, axis=1))


def payoffs(spot, draws):
    """Discounted, of the arithmetic and of the geometric mean."""
    prices = paths(spot, draws)
    means = np.mean(prices, axis=1), np.exp(np.mean(np.log(prices), axis=1))
    return [math.exp(-RATE * YEARS) * np.maximum(mean - STRIKE, 0.0) for mean in means]


@np.compile
def simulate(spot, draws):
    """Both payoffs of each path, and the slope of the mean payoff by the price of the share."""
    slope = np.grad(lambda s: np.mean(payoffs(s, draws)[0]))(spot)
    return *payoffs(spot, draws), slope


def geometric_price():
    """The exact price for the geometric mean, whose logarithm is normal."""
    mean = math.log(SPOT) + (RATE - 0.5 * VOLATILITY**2) * YEARS * (DAYS + 1) / (2 * DAYS)
    variance = VOLATILITY**2 * YEARS * (DAYS + 1) * (2 * DAYS + 1) / (6 * DAYS**2)
    d = (mean - math.log(STRIKE) + variance) / math.sqrt(variance)
    cdf = [0.5 * (1 + math.erf(x / math.sqrt(2))) for x in (d, d - math.sqrt(variance))]
    return math.exp(-RATE * YEARS) * (math.exp(mean + variance / 2) * cdf[0] - STRIKE * cdf[1])


rng = np.random.default_rng(11)
plain, controlled, slopes = [], [], []
for _ in range(20):
    arithmetic, geometric, slope = simulate(SPOT, rng.standard_normal((PATHS, DAYS)))
    plain.append(float(np.mean(arithmetic)))
    controlled.append(float(np.mean(arithmetic - geometric)) + geometric_price())
    slopes.append(float(slope))
errors = [numpy.std(each, ddof=1) / math.sqrt(len(each)) for each in (plain, controlled)]
assert errors[1] < 0.1 * errors[0] and abs(numpy.mean(plain) - numpy.mean(controlled)) < 4 * errors[0]
alone, control = f"{numpy.mean(plain):.4f} +- {errors[0]:.4f}", f"{numpy.mean(controlled):.5f} +- {errors[1]:.5f}"
print(f"asian option: {alone} by the payoffs alone, {control} with control")
print(f"asian option: a hedge holds {numpy.mean(slopes):.4f} shares")
