"""Elements picked by index or by order on a CUDA device: fastnp's operations beside CuPy's, as written, on arrays that are there.

    python benchmarks/gpu_picks.py [--only rows,sort] [--rounds 9]

Columns: median milliseconds of a call with the wait for it, of each library; times faster than CuPy; gigabytes a second of what must be read and written.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import stopwatch


@dataclass
class Case:
    name: str
    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    moved_bytes: int


def set_elements(m: Any, x: Any, i: Any, v: Any) -> Any:
    x[i] = v
    return x


def add_elements(m: Any, x: Any, i: Any, v: Any) -> Any:
    m.add.at(x, i, v)
    return x


def cases() -> list[Case]:
    rng = np.random.default_rng(0)

    def indices(below: int, count: int) -> np.ndarray:
        return rng.integers(0, below, size=count)

    table, rows = rng.standard_normal((500_000, 128), dtype=np.float32), indices(500_000, 500_000)
    x, places = rng.standard_normal(32_000_000, dtype=np.float32), indices(32_000_000, 16_000_000)
    wide = x.reshape(8_000, 4_000)
    few = indices(1_000, 4_000_000)
    return [
        Case("rows", lambda m, t, i: t[i], (table, rows), 2 * table.nbytes + rows.nbytes),
        Case("elements", lambda m, x, i: x[i], (x, places), 2 * places.size * 4 + places.nbytes),
        Case("pairs", lambda m, x, i, j: x[i, j], (wide, places % 8_000, places % 4_000), 2 * places.size * 4 + 2 * places.nbytes),
        Case("mask", lambda m, x: x[x > 0.5], (x,), x.nbytes),
        Case("set", set_elements, (x, places, x[: places.size].copy()), 2 * places.size * 4 + places.nbytes),
        Case("add.at", add_elements, (x, places, x[: places.size].copy()), 3 * places.size * 4 + places.nbytes),
        Case("add.at few", add_elements, (np.zeros(1_000), few, rng.standard_normal(few.size)), 2 * few.nbytes),
        Case("add.at rows", add_elements, (table, rows[:100_000], table[:100_000].copy()), 3 * 100_000 * 512),
        Case("argmax", lambda m, x: m.argmax(x), (x,), x.nbytes),
        Case("argmax rows", lambda m, x: m.argmax(x, axis=1), (wide,), x.nbytes),
        Case("argmax columns", lambda m, x: m.argmax(x, axis=0), (wide,), x.nbytes),
        Case("cumsum", lambda m, x: m.cumsum(x), (x,), 2 * x.nbytes),
        Case("cumsum rows", lambda m, x: m.cumsum(x, axis=1), (wide,), 2 * x.nbytes),
        Case("cumsum columns", lambda m, x: m.cumsum(x, axis=0), (wide,), 2 * x.nbytes),
        Case("sort", lambda m, x: m.sort(x), (x[:16_000_000],), 2 * 16_000_000 * 4),
        Case("sort rows", lambda m, x: m.sort(x, axis=1), (wide,), 2 * x.nbytes),
        Case("sort 8 MB", lambda m, x: m.sort(x), (x[:2_000_000],), 2 * 2_000_000 * 4),
        Case("sort doubles", lambda m, x: m.sort(x), (x[:16_000_000].astype(np.float64),), 2 * 16_000_000 * 8),
        Case("sort int64", lambda m, x: m.sort(x), (places,), 2 * places.nbytes),
        Case("sort long rows", lambda m, x: m.sort(x, axis=1), (x.reshape(320, 100_000),), 2 * x.nbytes),
        Case("sort short rows", lambda m, x: m.sort(x, axis=1), (x.reshape(32_000, 1_000),), 2 * x.nbytes),
        Case("argsort", lambda m, x: m.argsort(x), (x[:16_000_000],), 3 * 16_000_000 * 4),
        Case("unique", lambda m, x: m.unique(x), (few,), few.nbytes),
        Case("median", lambda m, x: m.median(x), (x[:16_000_000],), 16_000_000 * 4),
        Case("partition", lambda m, x: m.partition(x, 1_000), (x[:16_000_000],), 2 * 16_000_000 * 4),
        Case("histogram", lambda m, x: m.histogram(x, 100), (x,), x.nbytes),
        Case("bincount", lambda m, i: m.bincount(i), (few,), few.nbytes),
        Case("add.at counts", lambda m, h, i: m.add.at(h, i, 1), (np.zeros(1_000, np.int32), few), few.nbytes),
        Case("add.at int32", add_elements, (np.zeros(32_000_000, np.int32), places, places.astype(np.int32)), 3 * places.nbytes),
        Case("searchsorted", lambda m, a, v: m.searchsorted(a, v), (np.sort(x[:1_000_000]), x[:4_000_000]), 12 * 4_000_000),
    ]


def with_fastnp(case: Case) -> Callable[[], Any]:
    import fastnp

    arguments = [fastnp.asarray(a).to("cuda") for a in case.arguments]

    def call() -> None:
        case.function(fastnp, *arguments)
        fastnp.cuda.synchronize()

    return call


def with_cupy(case: Case) -> Callable[[], Any]:
    import cupy

    arguments = [cupy.asarray(a) for a in case.arguments]

    def call() -> None:
        case.function(cupy, *arguments)
        cupy.cuda.Device().synchronize()

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    has_cupy = importlib.util.find_spec("cupy") is not None
    print(f"{'':16}{'fastnp ms':>12}{'CuPy ms':>12}{'faster':>9}{'GB/s':>9}")
    for case in cases():
        if wanted and case.name not in wanted:
            continue
        calls = {"fastnp": with_fastnp(case)} | ({"cupy": with_cupy(case)} if has_cupy else {})
        times = stopwatch.medians(calls, options.rounds)
        own, peer = times["fastnp"], times.get("cupy", float("nan"))
        print(f"{case.name:16}{own:12.3f}{peer:12.3f}{peer / own:9.2f}{case.moved_bytes / own / 1e6:9.0f}", flush=True)


if __name__ == "__main__":
    main()
