"""Functions with derivatives of their own, and gradients that are stopped or computed again."""

import fastnp as np
from fastnp.typing import NDArray

Array = NDArray[np.float64]


@np.custom_vjp
def clipped_gradient(x: Array, limit: float) -> Array:
    return x * 1.0


def forward(x: Array, limit: float) -> tuple[Array, float]:
    return clipped_gradient(x, limit), limit


def backward(limit: float, cotangent: Array) -> tuple[Array, None]:
    return np.clip(cotangent, -limit, limit), None


clipped_gradient.defvjp(forward, backward)


@np.custom_jvp
def softplus(x: Array) -> Array:
    return np.logaddexp(x, 0.0)


@softplus.defjvp
def softplus_rule(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (x,), (t,) = primals, tangents
    return softplus(x), t / (1 + np.exp(-x))


@np.checkpoint
def block(x: Array) -> Array:
    return np.sin(np.exp(x))


def loss(x: Array) -> np.float64:
    return np.sum(softplus(block(x)) + 0.0 * np.stop_gradient(x))


def main() -> None:
    x = np.linspace(-1.0, 1.0, 5)
    clipped = np.grad(lambda v: np.sum(100.0 * clipped_gradient(v, 1.0)))(x)
    assert np.allclose(clipped, 1.0)
    gradient = np.grad(loss)(x)
    assert gradient.shape == x.shape
    value, change = np.jvp(softplus, (x,), (np.ones(5),))
    assert np.allclose(change, 1 / (1 + np.exp(-x)))
    assert value.shape == (5,)


if __name__ == "__main__":
    main()
