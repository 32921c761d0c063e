"""A Gaussian process with the length, height and noise under which what was measured is likeliest: found by the gradient through a determinant."""

import numpy
from optimizers import adam, adam_state

import fastnp as np


def covariance(parameters, x, y):
    length, height, _ = np.exp(parameters)
    return height**2 * np.exp(-0.5 * ((x[:, None] - y) / length) ** 2)


def surprise(parameters, x, y):
    """The negative logarithm of the likelihood of y at x."""
    spread = covariance(parameters, x, x) + np.exp(2 * parameters[2]) * np.eye(x.shape[0])
    return 0.5 * (y @ np.linalg.solve(spread, y) + np.linalg.slogdet(spread)[1] + x.shape[0] * np.log(2 * np.pi))


@np.compile
def improve(parameters, state, x, y):
    loss, gradient = np.value_and_grad(surprise)(parameters, x, y)
    adam([parameters], [gradient], state, rate=0.05)
    return loss


@np.compile
def predict(parameters, x, y, at):
    factor = np.linalg.cholesky(covariance(parameters, x, x) + np.exp(2 * parameters[2]) * np.eye(x.shape[0]))
    seen = np.linalg.solve(factor, covariance(parameters, x, at))
    return seen.T @ np.linalg.solve(factor, y), np.sqrt(np.exp(2 * parameters[1]) - np.sum(seen**2, axis=0))


rng = np.random.default_rng(1)
x = numpy.sort(rng.uniform(0, 10, 60))
y = numpy.sin(x) + 0.1 * rng.normal(size=60)
parameters = numpy.log(numpy.array([0.3, 0.5, 0.5]))
state = adam_state([parameters])
first = float(improve(parameters, state, x, y))
for _ in range(400):
    last = float(improve(parameters, state, x, y))
at = numpy.linspace(1, 9, 50)
mean, deviation = predict(parameters, x, y, at)
noise = float(numpy.exp(parameters[2]))
error = float(numpy.max(numpy.abs(mean - numpy.sin(at))))
assert improve.cache_info().compiles == 1
assert last < first and abs(noise - 0.1) < 0.02 and error < 0.12, (first, last, noise, error)
print(f"gaussian process: likelihood exp({-first:.1f}) to exp({-last:.1f}), noise {noise:.3f}, at most {error:.3f} off, {np.max(deviation):.3f} expected")
