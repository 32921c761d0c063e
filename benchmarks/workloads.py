"""The eight workloads, in plain NumPy (what users write), and for each the arguments, the bytes that must move, and Numba's loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

F32 = np.float32


@dataclass
class Workload:
    """One measurement: `function(xp, *arguments)` over float32 arrays."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    moved_bytes: int
    numba: Callable[..., Any] | None = field(default=None)


def faq(xp, X, Y):
    return xp.sum(X[:, :, None] * Y[:, None, :], axis=(-2, -1))


def cdf(xp, x):
    k = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804 * xp.exp(-0.5 * x * x) * poly
    return xp.where(x >= 0, 1.0 - tail, tail)


def blackscholes(xp, S, K, T):
    root = xp.sqrt(T)
    d1 = (xp.log(S / K) + (0.02 + 0.5 * 0.3 * 0.3) * T) / (0.3 * root)
    d2 = d1 - 0.3 * root
    discounted = K * xp.exp(-0.02 * T)
    call = S * cdf(xp, d1) - discounted * cdf(xp, d2)
    return call, call - S + discounted


def softmax(xp, x):
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def layernorm(xp, x, g, b):
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred * centred, axis=-1, keepdims=True)
    return centred / xp.sqrt(variance + 1e-5) * g + b


def sumsq(xp, x):
    return xp.sum(x * x)


def axis0(xp, x):
    return xp.sum(x, axis=0)


def pairdist(xp, a, b):
    return xp.sqrt(xp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1))


def stencil(xp, x):
    return 0.2 * (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


def matmul(xp, a, b):
    return a @ b


def make() -> list[Workload]:
    """The workloads with their data; 2 to 40 million elements moved each."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=F32)

    def uniform(low: float, high: float, n: int) -> np.ndarray:
        return rng.uniform(low, high, n).astype(F32)

    n = 2_000_000
    rows = normal(4096, 2048)
    return [
        Workload("faq", faq, (normal(32768, 64), normal(32768, 64)), 4 * (2 * 32768 * 64 + 32768)),
        Workload("blackscholes", blackscholes, (uniform(10, 50, n), uniform(10, 50, n), uniform(0.25, 2, n)), 4 * 5 * n),
        Workload("softmax", softmax, (rows,), 2 * rows.nbytes),
        Workload("layernorm", layernorm, (rows, normal(2048), normal(2048)), 2 * rows.nbytes),
        Workload("sumsq", sumsq, (normal(32_000_000),), 4 * 32_000_000),
        Workload("axis0", axis0, (normal(8192, 4096),), 4 * 8192 * 4096),
        Workload("pairdist", pairdist, (normal(4096, 3), normal(4096, 3)), 4 * 4096 * 4096),
        Workload("stencil", stencil, (normal(4096, 4096),), 2 * 4 * 4096 * 4096),
    ]
