"""Compiled functions whose sizes, numbers or parts depend on values, beside NumPy and, where installed, Numba and torch.compile.

    python benchmarks/values.py [--rounds 15]

Median milliseconds a call (JAX can't jit the first three); "copy" is that of a copy of the argument by one thread in the same run. Then 40 calls of a loop
on 10,000 elements, each of another number of turns that was met before; 100 turns of a loop on 50,000 that logs every tenth, which breaks recordings;
2,000 turns on 1,000 until a value is met, which are read; then 100 calls, each with another learning rate, compilations included.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from stopwatch import median

import fastnp

SIZE = 1_000_000
LOG = logging.getLogger("fastnp.benchmarks")
LOG.addHandler(logging.NullHandler())
LOG.setLevel(logging.INFO)
LOG.propagate = False


def picked(x: Any) -> Any:
    return x[x > 0]


def picked_mean(x: Any) -> Any:
    return np.exp(x[x > 0]).mean()


def places(x: Any) -> Any:
    return np.nonzero(x > 0.5)[0]


def noisy(x: Any) -> Any:
    return np.sqrt(x * x + 1) + np.median(x[:1000]) * x


def step(x: Any, rate: float) -> Any:
    return x - rate * np.tanh(x)


def turns(x: Any) -> Any:
    while np.max(np.abs(x)) > 1:
        x = x * 0.5 + 0.001
    return x


def logged(x: Any) -> Any:
    for turn in range(100):
        x = x * 0.99 + 0.01 * np.tanh(x)
        if turn % 10 == 0:
            LOG.info("turn %d: %g", turn, x.max())
    return x


def long(x: Any) -> Any:
    while np.max(np.abs(x)) > 1:
        x = x * 0.999 + 1e-6
    return x


def compilers() -> dict[str, Callable[[Any], Any]]:
    found: dict[str, Callable[[Any], Any]] = {"numpy": lambda f: f, "fastnp": fastnp.compile}
    if importlib.util.find_spec("numba"):
        import numba

        found["numba"] = numba.njit
    if importlib.util.find_spec("torch"):
        import torch

        found["torch"] = torch.compile
    return found


def measure(compiled: Any, function: Any, x: np.ndarray, rounds: int) -> float | None:
    try:
        f = compiled(function)
        if function is step:
            return median(lambda: [f(x[:1000], 0.1 / (1 + n)) for n in range(100)], 1)
        if function is turns:
            inputs = [x[:10000] * 2.0**n for n in range(40)]
            [f(each) for each in inputs]
            return median(lambda: [f(each) for each in inputs], rounds)
        x = x[:50000] if function is logged else x[:1000] * 2.5 if function is long else x
        for _ in range(3):
            f(x)
        return median(lambda: f(x), rounds)
    except Exception:  # a peer that can't compile it
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    x = np.random.default_rng(0).normal(size=SIZE)
    libraries = compilers()
    print(f"{'ms':>12} {'copy':>9}" + "".join(f" {name:>9}" for name in libraries))
    copy = median(x.copy, rounds)
    for function in (picked, picked_mean, places, noisy, turns, logged, long, step):
        row = [measure(compiled, function, x, rounds) for compiled in libraries.values()]
        print(f"{function.__name__:>12} {copy:9.2f}" + "".join(f" {'-':>9}" if spent is None else f" {spent:9.2f}" for spent in row))


if __name__ == "__main__":
    main()
