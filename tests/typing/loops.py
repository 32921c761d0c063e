"""Loops that stay loops: scan, fori_loop, while_loop, cond."""

from dataclasses import dataclass

import fastnp as np


@dataclass
class Spring:
    position: np.ndarray
    speed: np.ndarray


def step(state: Spring, force: np.ndarray) -> tuple[Spring, np.ndarray]:
    speed = state.speed + 0.1 * (force - state.position)
    return Spring(state.position + 0.1 * speed, speed), state.position


def simulate(forces: np.ndarray) -> np.ndarray:
    start = Spring(np.zeros(()), np.zeros(()))
    _, positions = np.scan(step, start, forces)
    return positions


def power(x: np.ndarray, n: int) -> np.ndarray:
    return np.fori_loop(0, n, lambda _, product: product * x, np.ones_like(x))


def root(a: np.ndarray) -> np.ndarray:
    def is_far(x: np.ndarray) -> np.ndarray:
        return np.abs(x * x - a).max() > 1e-12

    def improved(x: np.ndarray) -> np.ndarray:
        return (x + a / x) / 2

    return np.while_loop(is_far, improved, a)


def clipped(x: np.ndarray, limit: float) -> np.ndarray:
    return np.cond(np.max(x) > limit, lambda v: np.minimum(v, limit), lambda v: v * 1.0, x)


def main() -> None:
    positions = simulate(np.ones(50))
    assert positions.shape == (50,)
    assert float(positions[0]) == 0.0
    assert power(np.array([2.0, 3.0]), 3).tolist() == [8.0, 27.0]
    assert np.allclose(root(np.array([2.0, 9.0])) ** 2, np.array([2.0, 9.0]))
    assert float(clipped(np.array([1.0, 5.0]), 2.0).max()) == 2.0
    slope = np.grad(lambda f: np.sum(simulate(f) ** 2))(np.ones(5))
    assert slope.shape == (5,)


if __name__ == "__main__":
    main()
