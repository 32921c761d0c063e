"""Optimisers as classes over dicts of arrays, with a Protocol, and gradients by backward()."""

from typing import Protocol

import fastnp as np

Parameters = dict[str, np.ndarray]


class Optimiser(Protocol):
    def step(self, parameters: Parameters, gradients: Parameters) -> Parameters: ...


class Momentum:
    def __init__(self, rate: float, decay: float = 0.9) -> None:
        self.rate = rate
        self.decay = decay
        self.velocities: Parameters = {}

    def step(self, parameters: Parameters, gradients: Parameters) -> Parameters:
        for name, gradient in gradients.items():
            before = self.velocities.get(name, np.zeros_like(gradient))
            self.velocities[name] = self.decay * before - self.rate * gradient
        return {name: value + self.velocities[name] for name, value in parameters.items()}


class Adam:
    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.moments: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.count = 0

    def step(self, parameters: Parameters, gradients: Parameters) -> Parameters:
        self.count += 1
        made: Parameters = {}
        for name, g in gradients.items():
            m, v = self.moments.get(name, (np.zeros_like(g), np.zeros_like(g)))
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            self.moments[name] = m, v
            made[name] = parameters[name] - self.rate * (m / (1 - 0.9**self.count)) / (np.sqrt(v / (1 - 0.999**self.count)) + 1e-8)
        return made


def loss(parameters: Parameters) -> float:
    return np.sum((parameters["a"] - 1.0) ** 2) + np.sum(parameters["b"] ** 2)


def optimise(optimiser: Optimiser, parameters: Parameters, steps: int) -> Parameters:
    gradient = np.grad(loss)
    for _ in range(steps):
        parameters = optimiser.step(parameters, gradient(parameters))
    return parameters


def by_backward(x: np.ndarray) -> np.ndarray:
    x.requires_grad = True
    np.sum(x**3).backward()
    assert x.grad is not None
    return x.grad


@np.no_grad()
def plain(x: np.ndarray) -> np.ndarray:
    return x * 2


def main() -> None:
    start: Parameters = {"a": np.zeros(3), "b": np.ones((2, 2))}
    for optimiser in (Momentum(0.05), Adam(0.1)):
        found = optimise(optimiser, start, 150)
        assert loss(found) < 0.01
    assert np.allclose(by_backward(np.array([1.0, 2.0])), [3.0, 12.0])
    assert plain(np.ones(2)).tolist() == [2.0, 2.0]


if __name__ == "__main__":
    main()
