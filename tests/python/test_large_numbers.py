"""Python ints of more digits than Python shows at once: among arguments, in containers, globals, cells, defaults and results, from disk, too."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy
import pytest

import fastnp as np

LARGE, OTHER = 7**6000, -(3**30000)


def argument(x, n):
    return x + 1, n, n % 7, n is not None


def in_containers(x, n):
    return x + 1, [n, 1], {"a": n}, (n,)


def of_a_global(x, n):
    return x * 2.0, LARGE, LARGE % 5, n == OTHER


def made() -> Any:
    z = LARGE + 1

    def of_a_cell(x, n):
        return x * 1.5, z, z - n

    return of_a_cell


def of_a_default(x, n, m=LARGE):
    return x + 2, m


def beside_calls(x, n):
    print("", end="")
    return x * 2, n, sys.getsizeof(n)


def beside_loops(x, n):
    t = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            t += x[i]
    m = n * n
    for i in range(len(x)):
        if x[i] < 0.5:
            t -= x[i]
    return t, m, [n, m]


FUNCTIONS = [argument, in_containers, of_a_global, made(), of_a_default, beside_calls, beside_loops]


def check(function: Any) -> None:
    compiled = np.compile(function)
    for turn in range(4):
        for n in (LARGE, OTHER, 5):
            x = numpy.arange(4.0) + turn
            for got, want in zip(compiled(x, n), function(x, n), strict=True):
                assert numpy.array_equal(got, want) if isinstance(want, numpy.ndarray) else bool(got == want)
    assert str(np.explain(compiled)(numpy.arange(4.0), 5))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_large_numbers(function: Any) -> None:
    check(function)


def test_from_disk(tmp_path: Any) -> None:
    script = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_large_numbers as t\nfor f in t.FUNCTIONS: t.check(f)"
    for _ in range(2):
        environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
