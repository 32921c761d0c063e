"""Kernels that move elements on a CUDA device: transposes, concatenations and look-ups beside arithmetic, fastnp beside torch.compile, JAX and CuPy.

    python benchmarks/gpu_moves.py [--only added,joined] [--libraries fastnp,torch,jax,cupy] [--rounds 15]

Columns as benchmarks/gpu.py has them; errors are those against NumPy on the processor, in the same dtype.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gpu
import numpy as np


def added(m: Any, a: Any, b: Any) -> Any:
    return a + b.T


def turned(m: Any, x: Any) -> Any:
    return m.ascontiguousarray(x.T)


def scaled(m: Any, x: Any) -> Any:
    """The last axes of a stack."""
    return m.ascontiguousarray(x.transpose(0, 2, 1)) * 2


def channels(m: Any, x: Any) -> Any:
    """Pictures whose colours lie side by side, to planes."""
    return m.ascontiguousarray(m.moveaxis(x, -1, 1)).astype("float32") / 255


def joined(m: Any, x: Any, y: Any) -> Any:
    return m.concatenate([x * 2, x + y, y * y])


def beside(m: Any, x: Any, y: Any) -> Any:
    return m.concatenate([m.sin(x), m.cos(y)], axis=1)


def stacked(m: Any, x: Any, y: Any) -> Any:
    return m.stack([x + y, x - y], axis=-1)


def looked_up(m: Any, table: Any, rows: Any, w: Any, b: Any) -> Any:
    return table[rows] * w + b


def bags(m: Any, table: Any, rows: Any, w: Any) -> Any:
    """Weighted sums of some rows for each result."""
    return (table[rows] * w[:, :, None]).sum(axis=1)


def cases(only: Collection[str]) -> list[gpu.Case]:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    x, y = normal(8192, 8192), normal(8192, 8192)
    ints = rng.integers(-100, 100, size=(16384, 16384), dtype=np.int8)
    pictures = rng.integers(0, 256, size=(64, 512, 512, 3), dtype=np.uint8)
    table, rows = normal(1_000_000, 128), rng.integers(0, 1_000_000, size=(100_000, 8))
    one, picked = x.nbytes, rows.size * 128 * 4
    made = [
        gpu.Case("added", added, (x, y), 3 * one),
        gpu.Case("turned", turned, (x,), 2 * one),
        gpu.Case("turned odd", turned, (x[:8191, :8003].copy(),), 2 * 8191 * 8003 * 4),
        gpu.Case("turned f8", turned, (x.astype(np.float64),), 4 * one),
        gpu.Case("turned i1", turned, (ints,), 2 * ints.nbytes),
        gpu.Case("scaled", scaled, (x.reshape(64, 1024, 1024),), 2 * one),
        gpu.Case("channels", channels, (pictures,), 5 * pictures.nbytes),
        gpu.Case("joined", joined, (x, y), 5 * one),
        gpu.Case("beside", beside, (x, y), 4 * one),
        gpu.Case("stacked", stacked, (x, y), 4 * one),
        gpu.Case("looked up", looked_up, (table, rows[:, 0].copy(), normal(128), normal(128)), 2 * 100_000 * 128 * 4),
        gpu.Case("bags", bags, (table, rows, normal(100_000, 8)), picked + rows.nbytes + 100_000 * 128 * 4),
    ]
    return [case for case in made if not only or case.name in only]


def largest_error(library: gpu.Library, made: Any, case: gpu.Case) -> float:
    exact = np.asarray(case.function(np, *case.arguments))
    got = library.to_numpy(made)
    if got.shape != exact.shape or got.dtype != exact.dtype:
        return float("nan")
    return float(np.max(np.abs(got - exact)) / max(float(np.max(np.abs(exact))), 1e-30))


if __name__ == "__main__":
    gpu.compare(__doc__ or "", 15, cases, largest_error)
