"""Draws: an option's price, random walks, the bootstrap, shuffles."""

import math

import fastnp as np


@np.compile
def payoff(z: np.ndarray, spot: float, strike: float, rate: float, sigma: float, T: float) -> float:
    final = spot * np.exp((rate - sigma**2 / 2) * T + sigma * math.sqrt(T) * z)
    return math.exp(-rate * T) * np.mean(np.maximum(final - strike, 0.0))


def walks(rng: np.random.Generator, count: int, length: int) -> np.ndarray:
    return np.cumsum(rng.choice([-1, 1], size=(count, length)), axis=1)


def bootstrap(rng: np.random.Generator, sample: np.ndarray, draws: int) -> tuple[float, float]:
    picks = rng.integers(0, sample.size, size=(draws, sample.size))
    means = sample[picks].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    rng = np.random.default_rng(7)
    price = payoff(rng.standard_normal(100_000), 100.0, 105.0, 0.02, 0.2, 1.0)
    assert 5.0 < price < 8.0
    ends = walks(rng, 500, 100)[:, -1]
    assert ends.shape == (500,) and abs(float(ends.mean())) < 3
    sample = rng.gamma(2.0, 3.0, size=200)
    low, high = bootstrap(rng, sample, 300)
    assert low < float(sample.mean()) < high
    order = rng.permutation(10)
    assert sorted(order.tolist()) == list(range(10))
    number: float = rng.uniform(0.0, 1.0)
    assert 0.0 <= number < 1.0
    assert int(rng.integers(5)) < 5


if __name__ == "__main__":
    main()
