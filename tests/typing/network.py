"""A network of layers, trained with value_and_grad over a list of dataclasses."""

from collections.abc import Sequence
from dataclasses import dataclass

import fastnp as np
from fastnp.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Layer:
    weights: Array
    bias: Array


def initialise(rng: np.random.Generator, sizes: Sequence[int]) -> list[Layer]:
    return [Layer(rng.normal(size=(n, m)) / np.sqrt(n), np.zeros(m)) for n, m in zip(sizes, sizes[1:], strict=False)]


def apply(layers: list[Layer], x: Array) -> Array:
    for layer in layers[:-1]:
        x = np.tanh(x @ layer.weights + layer.bias)
    return x @ layers[-1].weights + layers[-1].bias


def loss(layers: list[Layer], x: Array, y: Array) -> np.float64:
    return ((apply(layers, x) - y) ** 2).mean()


def update(layers: list[Layer], gradients: list[Layer], rate: float) -> list[Layer]:
    return [Layer(layer.weights - rate * gradient.weights, layer.bias - rate * gradient.bias) for layer, gradient in zip(layers, gradients, strict=True)]


@np.compile
def train_step(layers: list[Layer], x: Array, y: Array) -> tuple[np.float64, list[Layer]]:
    value, gradients = np.value_and_grad(loss)(layers, x, y)
    return value, update(layers, gradients, 0.1)


def main() -> None:
    rng = np.random.default_rng(3)
    x = np.linspace(-1, 1, 64).reshape(64, 1)
    y = np.sin(3 * x)
    layers = initialise(rng, [1, 16, 16, 1])
    first, layers = train_step(layers, x, y)
    last = first
    for _ in range(200):
        last, layers = train_step(layers, x, y)
    assert float(last) < float(first)
    print(f"{first:.4f} -> {last:.4f}")


if __name__ == "__main__":
    main()
