"""The greeks of an option: derivatives of its price by each argument, for all shares and years at once."""

import numpy

import fastnp as np


@np.custom_jvp
def normal_cdf(x):
    """Abramowitz and Stegun 26.2.17, off by less than 7.5e-8. The derivative below is exact."""
    k = 1 / (1 + 0.2316419 * np.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * np.exp(-0.5 * x * x) * poly
    return np.where(x >= 0, 1 - tail, tail)


normal_cdf.defjvps(lambda tangent, result, x: tangent * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi))


def price(spot, strike, years, rate, volatility):
    """Of a call (Black and Scholes 1973)."""
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    return spot * normal_cdf(d1) - strike * np.exp(-rate * years) * normal_cdf(d1 - spread)


def greeks(spot, years):
    market = (spot, 100.0, years, 0.02, 0.3)
    value, (delta, theta, rho, vega) = np.value_and_grad(price, argnums=(0, 2, 3, 4))(*market)
    gamma = np.grad(np.grad(price))(*market)
    return value, delta, gamma, -theta, rho, vega


surfaces = np.compile(np.vmap(np.vmap(greeks, in_axes=(0, None)), in_axes=(None, 0)))
spots = numpy.linspace(50.0, 150.0, 101)
years = numpy.array([0.1, 0.5, 2.0])
found = surfaces(spots, years)
for name, surface in zip(("price", "delta", "gamma", "theta", "rho", "vega"), found, strict=True):
    print(f"{name:<6} {surface[0, 50]:9.5f} {surface[1, 50]:9.5f} {surface[2, 50]:9.5f}")

# Black and Scholes' equation ties them together.
value, delta, gamma, theta, _, _ = found
residue = numpy.max(numpy.abs(theta + 0.5 * 0.3**2 * spots**2 * gamma + 0.02 * spots * delta - 0.02 * value))
assert residue < 1e-4, residue
