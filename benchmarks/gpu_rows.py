"""Rows of all lengths on a CUDA device: softmax, layer norms and lengths of many short and few long vectors, and distances of paired points by their
dimensions, fastnp beside torch.compile, JAX and CuPy.

    python benchmarks/gpu_rows.py [--only softmax,pairs] [--libraries fastnp,torch] [--rounds 5]

Columns as benchmarks/gpu.py has them; errors are those of the first rows, against float64 on the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gpu
import numpy as np

ELEMENTS = 32_000_000
LENGTHS = (3, 8, 10, 16, 20, 32, 50, 100, 250, 1000, 1001, 4096)
DIMENSIONS = (2, 3, 5, 8, 10, 16, 32, 64)
POINTS = 8192
COMPARED = 64  # rows


def softmax(m: Any, x: Any) -> Any:
    e = m.exp(x - m.max(x, axis=-1, keepdims=True))
    return e / m.sum(e, axis=-1, keepdims=True)


def layernorm(m: Any, x: Any) -> Any:
    centred = x - m.mean(x, axis=-1, keepdims=True)
    return centred / m.sqrt(m.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def lengths(m: Any, x: Any) -> Any:
    return m.sqrt(m.sum(x * x, axis=-1))


def pairs(m: Any, x: Any, y: Any) -> Any:
    apart = x[:, None, :] - y[None, :, :]
    return m.sqrt(m.sum(apart * apart, axis=-1))


def cases(only: Collection[str]) -> list[gpu.Case]:
    rng = np.random.default_rng(0)
    made: list[gpu.Case] = []
    of_rows: dict[str, tuple[Callable[..., Any], int]] = {"softmax": (softmax, 2), "layernorm": (layernorm, 2), "lengths": (lengths, 1)}
    for name, (function, moves) in of_rows.items():
        for length in LENGTHS if not only or name in only else ():
            x = rng.standard_normal((ELEMENTS // length, length), dtype=np.float32)
            moved = moves * x.nbytes + (x.shape[0] * x.itemsize if moves == 1 else 0)
            made.append(gpu.Case(f"{name} {length}", function, (x,), moved))
    for dimensions in DIMENSIONS if not only or "pairs" in only else ():
        drawn = rng.standard_normal((2, POINTS, dimensions), dtype=np.float32)
        made.append(gpu.Case(f"pairs {dimensions}", pairs, (drawn[0], drawn[1]), POINTS * POINTS * 4))
    return made


def largest_error(library: gpu.Library, made: Any, case: gpu.Case) -> float:
    exact = np.asarray(case.function(np, case.arguments[0][:COMPARED].astype(np.float64), *(a.astype(np.float64) for a in case.arguments[1:])))
    got = library.to_numpy(made)[:COMPARED]
    return float(np.max(np.abs(got - exact)) / float(np.max(np.abs(exact))))


if __name__ == "__main__":
    gpu.compare(__doc__ or "", 5, cases, largest_error)
