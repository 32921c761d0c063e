"""Least squares in three ways: the normal equations, lstsq and gradient descent."""

import fastnp as np
from fastnp.typing import NDArray


def make_data(rng: np.random.Generator, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    X = rng.normal(size=(count, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y = X @ truth + 0.01 * rng.normal(size=count)
    return X, y, truth


@np.compile
def loss(w: NDArray[np.float64], X: NDArray[np.float64], y: NDArray[np.float64]) -> np.float64:
    residuals = X @ w - y
    return np.mean(residuals**2)


def descend(X: NDArray[np.float64], y: NDArray[np.float64], rate: float, steps: int) -> NDArray[np.float64]:
    gradient = np.grad(loss)
    w: NDArray[np.float64] = np.zeros(X.shape[1])
    for _ in range(steps):
        w = w - rate * gradient(w, X, y)
    return w


def main() -> None:
    X, y, truth = make_data(np.random.default_rng(0), 200)
    normal = np.linalg.solve(X.T @ X, X.T @ y)
    solution, _residuals, rank, _singular = np.linalg.lstsq(X, y)
    descended = descend(X, y, 0.1, 200)
    assert rank == 3
    assert np.allclose(normal, solution)
    assert np.allclose(descended, normal, atol=1e-3)
    assert float(np.max(np.abs(normal - truth))) < 0.01
    print(f"loss {loss(normal, X, y):.6f}, calls {loss.cache_info().hits + loss.cache_info().misses}")


if __name__ == "__main__":
    main()
