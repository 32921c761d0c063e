"""Operations outside of compiled functions on a CUDA device, beside CuPy and torch where they are installed.

Microseconds until an operation on small arrays returns, the median over rounds of operations that are not waited for; and, of a compiled function of two
arrays and a number, until it returns.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy

import fastnp

ROUNDS, OPERATIONS = 200, 25


def microseconds(operation: Callable[[], Any], wait: Callable[[], Any]) -> float:
    taken = []
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        for _ in range(OPERATIONS):
            operation()
        taken.append(1e6 * (time.perf_counter() - start) / OPERATIONS)
    return statistics.median(taken)


def operations(x: Any, y: Any, exp: Callable[[Any], Any], zeros: Callable[[], Any]) -> dict[str, Callable[[], Any]]:
    kept = x + 0

    def in_place() -> None:
        nonlocal kept
        kept += 1.0

    def part() -> None:
        kept[1:] = y[1:]

    return {
        "x + y": lambda: x + y,
        "x * 2.5": lambda: x * 2.5,
        "exp(x)": lambda: exp(x),
        "x.sum()": lambda: x.sum(),
        "x += 1.0": in_place,
        "x[1:] = y[1:]": part,
        "zeros": zeros,
    }


def libraries() -> dict[str, tuple[dict[str, Callable[[], Any]], Callable[[], Any]]]:
    x, y = numpy.random.default_rng(1).normal(size=(2, 1000)).astype(numpy.float32)
    found = {}
    ours = [fastnp.asarray(each).to("cuda") for each in (x, y)]
    compiled = fastnp.compile(lambda a, b, k: a * b + k)
    numbers = iter(range(1 << 60))

    def zeros() -> Any:
        with fastnp.device("cuda"):
            return fastnp.zeros(1000, numpy.float32)

    mine = operations(*ours, fastnp.exp, zeros) | {"compiled": lambda: compiled(*ours, float(next(numbers)))}
    found["fastnp"] = (mine, fastnp.cuda.synchronize)
    try:
        import cupy

        theirs = [cupy.asarray(each) for each in (x, y)]
        found["CuPy"] = (operations(*theirs, cupy.exp, lambda: cupy.zeros(1000, cupy.float32)), cupy.cuda.Device().synchronize)
    except ImportError:
        pass
    try:
        import torch

        tensors = [torch.from_numpy(each).to("cuda") for each in (x, y)]
        found["torch"] = (operations(*tensors, torch.exp, lambda: torch.zeros(1000, device="cuda")), torch.cuda.synchronize)
    except (ImportError, RuntimeError, AssertionError):
        pass
    return found


def main() -> None:
    if not fastnp.cuda.is_available():
        raise SystemExit(f"needs a CUDA device: {fastnp.cuda.problem()}")
    measured = {name: {each: microseconds(do, wait) for each, do in all_of.items()} for name, (all_of, wait) in libraries().items()}
    print(" " * 14 + "".join(f"{name:>10}" for name in measured))
    for each in measured["fastnp"]:
        print(f"{each:14}" + "".join(f"{of[each]:10.2f}" if each in of else " " * 10 for of in measured.values()))


if __name__ == "__main__":
    main()
