"""A Gaussian process: kernels, Cholesky factors, parameters by gradient."""

from collections.abc import Callable
from typing import TypeAlias

import fastnp as np
from fastnp.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Kernel: TypeAlias = Callable[[Array, Array, Array], Array]


def squared_exponential(theta: Array, a: Array, b: Array) -> Array:
    return np.exp(theta[0]) * np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / np.exp(2 * theta[1]))


def evidence(theta: Array, x: Array, y: Array) -> np.float64:
    K = squared_exponential(theta, x, x) + 0.01 * np.eye(len(x))
    _, logarithm = np.linalg.slogdet(K)
    fit = y @ np.linalg.solve(K, y)
    return np.sum(0.5 * (fit + logarithm))


def posterior(kernel: Kernel, theta: Array, x: Array, y: Array, at: Array) -> tuple[Array, Array]:
    L = np.linalg.cholesky(kernel(theta, x, x) + 0.01 * np.eye(len(x)))
    between = kernel(theta, at, x)
    half = np.linalg.solve(L, between.T)
    mean = half.T @ np.linalg.solve(L, y)
    return mean, np.diag(kernel(theta, at, at)) - np.sum(half**2, axis=0)


def main() -> None:
    x = np.linspace(0, 5, 20)
    y = np.sin(x)
    theta: Array = np.array([0.0, 0.0])
    gradient = np.compile(np.grad(evidence))
    before = evidence(theta, x, y)
    for _ in range(20):
        theta = theta - 0.01 * gradient(theta, x, y)
    assert evidence(theta, x, y) < before
    mean, variance = posterior(squared_exponential, theta, x, y, np.array([2.5]))
    assert abs(float(mean[0]) - 0.598) < 0.1
    assert float(variance.min()) > -1e-9


if __name__ == "__main__":
    main()
