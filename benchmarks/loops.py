"""Loops over numbers and elements: as written in Python, compiled, and by Numba's njit of the same source where it is installed.

    build/venv/bin/python benchmarks/loops.py [--json FILE] [NAME ...]

Milliseconds of processor time on one thread, the best of several calls; first calls by the clock, with empty caches. The last line has geometric means.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ["FASTNP_CACHE_DIR"] = ""
os.environ.setdefault("FASTNP_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))

import loop_functions as loops
import numpy

import fastnp

try:
    import numba
except ImportError:
    numba = None

rng = numpy.random.default_rng(0)
x = rng.normal(size=20000)
matrix = rng.normal(size=(100, 100))

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (loops.count, (x, 0.5)),
    (loops.average, (x, 0.1)),
    (loops.first_peak, (x, 9.0)),
    (loops.histogram, (x, 32)),
    (loops.group, (rng.integers(0, 37, 20000), x)),
    (loops.insertion, (rng.random(400),)),
    (loops.bubble, (rng.random(300),)),
    (loops.edit, (rng.integers(0, 4, 120), rng.integers(0, 4, 130))),
    (loops.shortest, (rng.integers(1, 100, (128, 128)),)),
    (loops.cholesky, (matrix @ matrix.T + 100 * numpy.eye(100),)),
    (loops.mandel, (200, 150, 100)),
    (loops.while_count, (30000,)),
    (loops.gcd_sum, (300,)),
    (loops.collatz, (20000,)),
    (loops.search, (numpy.sort(x), 0.3)),
    (loops.rowvar, (rng.normal(size=(500, 40)),)),
    (loops.inner_else, (rng.normal(size=400),)),
    (loops.crc, (rng.integers(0, 256, 4000).astype("u1"), 4000)),
]


def best(function: Callable[..., Any], arguments: tuple[Any, ...], times: int) -> float:
    taken = []
    for _ in range(times):
        given = copy.deepcopy(arguments)
        start = time.process_time()
        function(*given)
        taken.append(time.process_time() - start)
    return 1e3 * min(taken)


def first(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    given = copy.deepcopy(arguments)
    start = time.perf_counter()
    function(*given)
    return 1e3 * (time.perf_counter() - start)


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*")
    options.add_argument("--json")
    chosen = options.parse_args()
    fastnp.compile(loops.while_count)(3)  # the code generator's first use
    rows = []
    print(f"{'':12} {'as written':>11} {'compiled':>9} {'first':>7} {'numba':>9} {'first':>7}")
    for function, arguments in PROGRAMS:
        name = function.__name__
        if chosen.names and name not in chosen.names:
            continue
        compiled = fastnp.compile(function)
        row = {"name": name, "first": first(compiled, arguments), "compiled": best(compiled, arguments, 15), "written": best(function, arguments, 3)}
        if numba is not None:
            other = numba.njit(function)
            row |= {"numba first": first(other, arguments), "numba": best(other, arguments, 15)}
        rows.append(row)
        beside = row.get("numba", math.nan), row.get("numba first", math.nan)
        print(f"{name:12} {row['written']:11.3f} {row['compiled']:9.4f} {row['first']:7.1f} {beside[0]:9.4f} {beside[1]:7.0f}")
    beside_numba = [row["numba"] / row["compiled"] for row in rows if "numba" in row]
    print(f"as written / compiled: {mean([row['written'] / row['compiled'] for row in rows]):.1f}; Numba / compiled: {mean(beside_numba):.2f}")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
