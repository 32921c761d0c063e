"""Option prices: twenty elementwise functions over three arrays, one kernel.

The normal distribution function is the polynomial of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
"""

import numpy
from timing import median_ms, report

import fastnp as np


def normal_cdf(x):
    k = 1.0 / (1.0 + 0.2316419 * numpy.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * numpy.exp(-0.5 * x * x) * poly
    return numpy.where(x >= 0, 1.0 - tail, tail)


def black_scholes(spot, strike, years, rate=0.02, volatility=0.3):
    root = numpy.sqrt(years)
    d1 = (numpy.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / (volatility * root)
    d2 = d1 - volatility * root
    discounted = strike * numpy.exp(-rate * years)
    call = spot * normal_cdf(d1) - discounted * normal_cdf(d2)
    return {"call": call, "put": call - spot + discounted}


fast = np.compile(black_scholes)

rng = numpy.random.default_rng(0)
spot = rng.uniform(10, 50, 1_000_000).astype(numpy.float32)
strike = rng.uniform(10, 50, 1_000_000).astype(numpy.float32)
years = rng.uniform(0.25, 2, 1_000_000).astype(numpy.float32)
exact = black_scholes(spot.astype(float), strike.astype(float), years.astype(float))


def error_of(prices):
    return max(float(numpy.max(numpy.abs(prices[name] - exact[name]) / numpy.maximum(exact[name], 1))) for name in exact)


error = error_of(fast(spot, strike, years))
assert error <= 2 * error_of(black_scholes(spot, strike, years))  # both in float32, against float64
report("black_scholes 1e6", median_ms(lambda: black_scholes(spot, strike, years), 5), median_ms(lambda: fast(spot, strike, years)), error)
