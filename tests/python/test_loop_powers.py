"""Powers of one number in native loops: NumPy's and Python's bit by bit, and their warnings and errors."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED
from test_native_loops import programs_of

import fastnp as np


def squares(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 2


def cubes(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 3.0


def roots(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 0.5


def fourths(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 4


def sevenths(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 7


def twelfths(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i] ** 12


def of_some(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        if x[i] > 0.5:
            out[i] = x[i] ** 2 + x[i] ** 0.5
        else:
            out[i] = x[i] ** 3


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 2.0, 1e200, -1e200, 1e308, 1e-200, 5e-324, -5e-324, 2.0**61, 2.0**-61, 1e-160, 1e103]


@pytest.mark.parametrize(("function", "exponent"), [(squares, 2.0), (cubes, 3.0), (roots, 0.5), (fourths, 4.0), (sevenths, 7.0), (twelfths, 12.0)])
def test_bits(function: Callable[..., Any], exponent: float) -> None:
    rng, count = numpy.random.default_rng(SEED), 2_000_000 if LONG else 100_000
    reach = min(70.0, 200 / exponent)
    x = rng.normal(size=count) * 2.0 ** rng.uniform(-reach, reach, count)
    x[: count // 2] = rng.uniform(0.5, 4, count // 2)
    if exponent == 0.5:
        x = abs(x)
    compiled, got = np.compile(function, adaptive=False), numpy.empty(count)
    compiled(x, got)
    want = numpy.fromiter((math.pow(each, exponent) for each in x.tolist()), float, count)
    assert got.tobytes() == want.tobytes()
    assert programs_of(compiled)


@pytest.mark.parametrize("function", [squares, cubes, roots, fourths, sevenths, twelfths, of_some])
@pytest.mark.parametrize("make", [numpy.array, list], ids=["numpy", "python"])
def test_special_numbers(function: Callable[..., Any], make: Callable[..., Any]) -> None:
    compiled = np.compile(function, adaptive=False)
    for each in SPECIAL:
        found = []
        for f in (compiled, function):
            with warnings.catch_warnings(record=True) as met:
                warnings.simplefilter("always")
                out = numpy.zeros(2)
                try:
                    f(make([1.5, each]), out)
                    raised = None
                except (OverflowError, TypeError) as error:  # of a complex root
                    raised = str(error)
            found.append(
                (out.tobytes() if not numpy.isnan(out).any() else "nan", raised, {str(one.message).partition(" encountered")[0] for one in met})
            )  # of several operations it is not known which
        assert found[0] == found[1], each
