"""Short functions as people write them, whose arrays are no more than arrays to the checker."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import fastnp as np
from fastnp.typing import NDArray


def softmax(x: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return softmax(scores) @ v


def power_iteration(A: np.ndarray, steps: int = 50) -> tuple[float, np.ndarray]:
    v = np.ones(A.shape[0])
    for _ in range(steps):
        v = A @ v
        v = v / np.linalg.norm(v)
    return float(v @ A @ v), v


def mandelbrot(width: int, height: int) -> NDArray[np.int64]:
    x = np.linspace(-2, 1, width)
    y = np.linspace(-1, 1, height)
    c = x[None, :] + 1j * y[:, None]
    z = np.zeros_like(c)
    n = np.zeros(c.shape, dtype=np.int64)
    for _ in range(10):
        inside = np.abs(z) < 2
        z = np.where(inside, z * z + c, z)
        n += inside
    return n


def life(board: NDArray[np.int64]) -> NDArray[np.int64]:
    n = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return ((n == 3) | ((board == 1) & (n == 2))).astype(np.int64)


def rk4(f: Callable[[float, np.ndarray], np.ndarray], y: np.ndarray, t: float, h: float) -> np.ndarray:
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def lorenz(_: float, state: np.ndarray) -> np.ndarray:
    x, y, z = state
    return np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])


def k_means(X: np.ndarray, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    centres = X[rng.choice(len(X), k, replace=False)]
    labels: np.ndarray = np.zeros(len(X), dtype=int)
    for _ in range(5):
        labels = np.argmin(np.linalg.norm(X[:, None] - centres[None], axis=2), axis=1)
        centres = np.stack([X[labels == j].mean(axis=0) for j in range(k)])
    return centres, labels


def smoothed(x: np.ndarray, alpha: float) -> np.ndarray:
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


def conjugate_gradients(A: Callable[[np.ndarray], np.ndarray], b: np.ndarray) -> np.ndarray:
    x = np.zeros_like(b)
    r = p = b - A(x)
    square = r @ r
    for _ in range(len(b)):
        Ap = A(p)
        alpha = square / (p @ Ap)
        x, r = x + alpha * p, r - alpha * Ap
        after = r @ r
        if np.sqrt(after) < 1e-10:
            break
        p, square = r + (after / square) * p, after
    return x


def peak(x: np.ndarray, rate: float) -> float:
    spectrum = np.abs(np.fft.rfft(x * np.hanning(len(x))))
    return float(np.fft.rfftfreq(len(x), 1 / rate)[np.argmax(spectrum)])


def summary(x: np.ndarray) -> dict[str, float]:
    return {"mean": np.mean(x), "std": np.std(x), "max": x.max(), "median": np.median(x)}


@dataclass
class Line:
    slope: np.ndarray
    offset: np.ndarray


def misfit(line: Line, x: np.ndarray, y: np.ndarray) -> np.floating[Any]:
    return np.mean((line.slope * x + line.offset - y) ** 2)


@partial(np.vmap, in_axes=(None, 0))
def affine(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    return w @ x


def curvature(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.jvp(np.grad(f), (x,), (v,))[1]


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 3))
    assert attention(x, x, gelu(x)).shape == (4, 3)
    value, vector = power_iteration(x.T @ x)
    assert np.allclose(x.T @ x @ vector, value * vector, atol=1e-3)
    assert mandelbrot(12, 8).max() == 10
    glider = np.zeros((8, 8), dtype=np.int64)
    glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    assert int(life(glider).sum()) == 5
    assert rk4(lorenz, np.ones(3), 0.0, 0.01).shape == (3,)
    points = np.concatenate([rng.normal(size=(20, 2)), 10 + rng.normal(size=(20, 2))])
    centres, labels = k_means(points, 2, rng)
    assert centres.shape == (2, 2) and labels.shape == (40,)
    assert smoothed(np.arange(4.0), 0.5).tolist() == [0.0, 0.5, 1.25, 2.125]
    matrix = np.eye(3) * 2.0
    assert np.allclose(conjugate_gradients(lambda v: matrix @ v, np.ones(3)), 0.5)
    assert peak(np.sin(2 * np.pi * 10 * np.arange(100) / 100), 100.0) == 10.0
    assert summary(np.arange(5.0))["median"] == 2.0
    by_line, by_x = np.grad(misfit, argnums=(0, 1))(Line(np.ones(()), np.zeros(())), np.ones(3), np.ones(3))
    assert float(by_line.slope) == 0.0 and by_x.shape == (3,)
    assert affine(np.ones(3), x).shape == (4,)
    assert np.allclose(curvature(lambda v: np.sum(v**3), np.ones(2), np.ones(2)), 6.0)


if __name__ == "__main__":
    main()
