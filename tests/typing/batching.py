"""Functions of one example, for all at once, by vmap."""

import fastnp as np
from fastnp.typing import NDArray


def score(weights: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.tanh(weights * x)


def distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> np.float64:
    return np.sqrt(np.sum((a - b) ** 2))


def normalised(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x / np.psum(x, axis_name="batch")


def pairwise(points: NDArray[np.float64]) -> np.ndarray:
    rows = np.vmap(distance, in_axes=(None, 0))
    return np.vmap(rows, in_axes=(0, None))(points, points)


def loss(weights: NDArray[np.float64], x: NDArray[np.float64]) -> np.float64:
    return np.sum(score(weights, x) ** 2)


def main() -> None:
    rng = np.random.default_rng(4)
    weights, xs = rng.normal(size=5), rng.normal(size=(10, 5))
    scores = np.vmap(score, in_axes=(None, 0))(weights, xs)
    assert scores.shape == (10, 5)
    per_example = np.vmap(np.grad(loss), in_axes=(None, 0))(weights, xs)
    assert per_example.shape == (10, 5)
    table = pairwise(xs)
    assert table.shape == (10, 10)
    assert np.allclose(table, table.T)
    assert float(np.trace(table)) == 0.0
    shares = np.vmap(normalised, axis_name="batch")(np.arange(1.0, 5.0))
    assert np.allclose(shares.sum(), 1.0)


if __name__ == "__main__":
    main()
