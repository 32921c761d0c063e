"""A classifier whose parameters are a dataclass of arrays."""

from dataclasses import dataclass

import fastnp as np


@dataclass
class Parameters:
    weights: np.ndarray
    bias: np.ndarray

    def step(self, gradient: "Parameters", rate: float) -> "Parameters":
        return Parameters(self.weights - rate * gradient.weights, self.bias - rate * gradient.bias)


def predict(p: Parameters, X: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-(X @ p.weights + p.bias)))


def cross_entropy(p: Parameters, X: np.ndarray, y: np.ndarray) -> float:
    chance = np.clip(predict(p, X), 1e-9, 1 - 1e-9)
    return -np.mean(y * np.log(chance) + (1 - y) * np.log(1 - chance))


def accuracy(p: Parameters, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((predict(p, X) > 0.5) == (y > 0.5)))


def main() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + 2 * X[:, 1] > 0.3).astype(np.float64)
    p = Parameters(np.zeros(2), np.zeros(()))
    both = np.compile(np.value_and_grad(cross_entropy))
    losses: list[float] = []
    for _ in range(100):
        value, gradient = both(p, X, y)
        p = p.step(gradient, 1.0)
        losses.append(float(value))
    assert losses[-1] < losses[0]
    assert accuracy(p, X, y) > 0.9
    print(f"{losses[0]:.3f} -> {losses[-1]:.3f}")


if __name__ == "__main__":
    main()
