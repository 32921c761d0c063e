"""Loops over numbers and elements, 100 of them: as written in Python, compiled, by Numba's njit of the same source, and by JAX where it has a form.

    build/venv/bin/python benchmarks/loops.py [--json FILE] [--plot FILE] [--all] [NAME ...]

Milliseconds by the clock, the best of several calls; first calls with empty caches. `numba` is the better of njit and njit(parallel=True), of the
source as it is (helpers are compiled, too); nothing where Numba does not compile it, or is not installed. JAX's forms, with `lax`, are in
loops_jax.py. Without `--all` the loops of loop_functions.py. The last lines
have geometric means, and what is slower than as written, than 0.6 of Numba, or first called after more than 150 ms and the call as written.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import time
import types
import warnings
from collections.abc import Callable
from typing import Any

os.environ["FASTNP_CACHE_DIR"] = ""
os.environ.setdefault("FASTNP_NUM_THREADS", "2")
os.environ.setdefault("FASTNP_TEST_SEED", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "python"))

import loop_functions as loops
import loop_programs as numerics
import loop_programs_chance as chances
import loop_programs_more as algorithms
import numpy

import fastnp

try:
    import numba
except ImportError:
    numba = None
has_jax = importlib.util.find_spec("jax") is not None

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


SCALE = 3  # of the sizes that tests take at most


def programs(all_of_them: bool) -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    if not all_of_them:
        return PROGRAMS
    more = numerics.NUMERICS + algorithms.ALGORITHMS + chances.CHANCES
    return PROGRAMS + [(function, make(numpy.random.default_rng(3), SCALE * limit)) for function, make, limit in more]


def for_numba(function: Callable[..., Any], parallel: bool) -> Any:
    """The function with all that it may call in its module as Numba takes them."""
    source: Any = function
    space = dict(source.__globals__)
    for name, value in source.__globals__.items():
        if isinstance(value, types.FunctionType) and value.__module__ == source.__module__:
            space[name] = numba.njit(types.FunctionType(value.__code__, space, name, value.__defaults__), parallel=parallel)
    return space[source.__name__]


def best(function: Callable[..., Any], arguments: tuple[Any, ...], times: int) -> float:
    """Of calls that take one second at most."""
    taken: list[float] = []
    while len(taken) < times and sum(taken) < 1.0:
        given = copy.deepcopy(arguments)
        start = time.perf_counter()
        function(*given)
        taken.append(time.perf_counter() - start)
    return 1e3 * min(taken)


def first(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    given = copy.deepcopy(arguments)
    start = time.perf_counter()
    function(*given)
    return 1e3 * (time.perf_counter() - start)


def mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def by_numba(function: Callable[..., Any], arguments: tuple[Any, ...], parallel: bool) -> dict[str, float] | None:
    """In a process of its own: Numba's parallel code of some of these dies."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            other = for_numba(function, parallel)
            found = {"numba first": first(other, arguments), "numba": best(other, arguments, 15)}
            os.write(writer, json.dumps(found).encode())
        finally:  # of many kinds of errors, where it does not compile
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def by_jax(function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, float]:
    """In a process of its own, too, whose threads are no other's."""
    command = [sys.executable, __file__, "--jax", function.__name__]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}


def of_jax(name: str) -> dict[str, float]:
    import loops_jax

    function, arguments = next(each for each in programs(True) if each[0].__name__ == name)
    made = loops_jax.compiled(name)
    return {} if made is None else {"jax first": first(made, arguments), "jax": best(made, arguments, 30)}


def measured(function: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    compiled = fastnp.compile(function, adaptive=True)
    row = {"name": function.__name__, "first": first(compiled, arguments)}
    best(compiled, arguments, 15)  # decisions are made
    row |= {"compiled": best(compiled, arguments, 15), "written": best(function, arguments, 3)}
    for parallel in (False, True) if numba is not None else ():
        found = by_numba(function, arguments, parallel)
        if found is not None and found["numba"] < row.get("numba", math.inf):
            row |= found
    return row | (by_jax(function, arguments) if has_jax else {})


def plot(rows: list[dict[str, Any]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = sorted(rows, key=lambda row: row["written"] / row["compiled"])
    figure, axes = plt.subplots(figsize=(10, 0.2 * len(rows) + 1))
    places = range(len(rows))
    axes.barh(places, [row["written"] / row["compiled"] for row in rows], color="#3366aa", label="fastnp")
    axes.plot([row["written"] / row.get("numba", math.nan) for row in rows], places, "o", color="#dd8800", label="Numba")
    axes.plot([row["written"] / row.get("jax", math.nan) for row in rows], places, "x", color="#228833", label="JAX")
    axes.set(xscale="log", xlabel="times as fast as written", yticks=places, yticklabels=[row["name"] for row in rows], ylim=(-1, len(rows)))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--json")
    options.add_argument("--plot")
    options.add_argument("--all", action="store_true")
    options.add_argument("--jax", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    if chosen.jax:
        print(json.dumps(of_jax(chosen.jax)))
        return
    fastnp.compile(loops.while_count)(3)  # the code generator's first use
    rows = []
    print(f"{'':20} {'as written':>11} {'compiled':>9} {'first':>7} {'numba':>9} {'first':>7} {'jax':>9} {'first':>7}")
    for function, arguments in programs(chosen.all or bool(chosen.names)):
        if chosen.names and function.__name__ not in chosen.names:
            continue
        row = measured(function, arguments)
        rows.append(row)
        beside = [row.get(name, math.nan) for name in ("numba", "numba first", "jax", "jax first")]
        own = f"{row['name']:20} {row['written']:11.3f} {row['compiled']:9.4f} {row['first']:7.1f}"
        print(f"{own} {beside[0]:9.4f} {beside[1]:7.0f} {beside[2]:9.4f} {beside[3]:7.0f}", flush=True)
    summary(rows)
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(rows, indent=1) + "\n")
    if chosen.plot:
        plot(rows, chosen.plot)


def summary(rows: list[dict[str, Any]]) -> None:
    beside_numba = [row["numba"] / row["compiled"] for row in rows if "numba" in row]
    written = mean([row["written"] / row["compiled"] for row in rows])
    beside_jax = [row["jax"] / row["compiled"] for row in rows if "jax" in row]
    print(f"{len(rows)} loops: as written / compiled: {written:.1f}; Numba / compiled: {mean(beside_numba):.2f} ({len(beside_numba)} that it compiles)")
    print(f"JAX / compiled: {mean(beside_jax):.2f} ({len(beside_jax)} that it has a form of)")
    below = {
        "slower than as written": [row for row in rows if row["compiled"] > 1.02 * row["written"] + 1e-3],
        "below 0.6 of Numba": [row for row in rows if row.get("numba", math.inf) < 0.6 * row["compiled"]],
        "first call late": [row for row in rows if row["first"] > 150 + row["written"]],
    }
    for what, which in below.items():
        print(f"{what}: {len(which)}" + "".join(f" {row['name']}" for row in which))


if __name__ == "__main__":
    main()
