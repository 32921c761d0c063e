"""Newton's method with hessian and grad; derivatives of vector functions."""

from collections.abc import Callable

import fastnp as np

Function = Callable[[np.ndarray], float]


def rosenbrock(x: np.ndarray) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def minimise(f: Function, x: np.ndarray, steps: int = 20) -> np.ndarray:
    gradient, curvature = np.compile(np.grad(f)), np.compile(np.hessian(f))
    for _ in range(steps):
        x = x - np.linalg.solve(curvature(x), gradient(x))
    return x


def polar(p: np.ndarray) -> np.ndarray:
    return np.stack([p[0] * np.cos(p[1]), p[0] * np.sin(p[1])])


def main() -> None:
    found = minimise(rosenbrock, np.array([-1.0, 1.0, 0.5]))
    assert np.allclose(found, np.ones(3), atol=1e-6)
    at = np.array([2.0, 0.3])
    forward, reverse = np.jacfwd(polar)(at), np.jacrev(polar)(at)
    assert np.allclose(forward, reverse)
    assert abs(float(np.linalg.det(forward)) - 2.0) < 1e-12
    value, change = np.jvp(polar, (at,), (np.array([1.0, 0.0]),))
    assert np.allclose(change, value / 2.0)
    result, pull = np.vjp(polar, at)
    (cotangent,) = pull(np.ones_like(result))
    assert cotangent.shape == at.shape
    assert pull.saved_bytes >= 0


if __name__ == "__main__":
    main()
