"""Comparisons whose results are known whatever the values are: what is compared has its floating-point errors all the same."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

FLOATS: dict[str, Callable[[Any, Any], Any]] = {
    "root": lambda x, y: np.sqrt(x),
    "absolute": lambda x, y: np.abs(x / y),
    "square": lambda x, y: x * x,
    "exponential": lambda x, y: np.exp(x),
    "hypotenuse": lambda x, y: np.hypot(x, y),
    "deviation": lambda x, y: (x / y).std(),
    "larger": lambda x, y: np.maximum(x / y, 3.0),
    "smaller": lambda x, y: np.minimum(np.sqrt(x), 7.0),
    "floor": lambda x, y: np.floor(np.sqrt(x)),
    "clipped": lambda x, y: np.clip(x / y, 1.0, 2.0),
    "of two": lambda x, y: np.sqrt(x) + np.abs(y - y / 0.0),
    "logarithm": lambda x, y: np.log(np.abs(x)),
}
WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "quotient": lambda x, y: x // y,
    "remainder": lambda x, y: x % y,
    "both": lambda x, y: np.divmod(x, y)[0],
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "other side": lambda a, b: b > a,
}
USES: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda c, x: c,
    "choice": lambda c, x: np.where(c, x, 1),
    "any": lambda c, x: np.any(c),
    "sum": lambda c, x: np.sum(c),
    "not": lambda c, x: ~c & (x > 0),
}
NUMBERS = [None, -1.0, -0.5, -numpy.inf, 0.0, 1e-30, 9.0, numpy.inf, numpy.nan, -1e300]  # None: the value itself


def told_by(function: Callable[..., Any], *arguments: Any) -> tuple[Any, set[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*arguments)
    return numpy.asarray(found), {str(each.message) for each in caught}


def check(value: Callable[..., Any], number: Any, comparison: Callable[..., Any], use: Callable[..., Any], arrays: tuple[Any, Any], note: str) -> None:
    def function(x: Any, y: Any) -> Any:
        found = value(x, y)
        return use(comparison(found, found if number is None else number), x)

    compiled = np.compile(function, adaptive=False)
    x, y = map(np.array, arrays)
    want = told_by(function, x, y)
    for call in range(3):
        got = told_by(compiled, x, y)
        assert numpy.array_equal(got[0], want[0], equal_nan=True) and got[0].dtype == want[0].dtype, f"{note}, call {call}: {got[0]}, not {want[0]}"
        assert got[1] == want[1], f"{note}, call {call}: {got[1]}, not {want[1]}"


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name: str) -> None:
    rng = random.Random(f"{SEED} {name}")
    rows = list(itertools.product(COMPARISONS, USES, NUMBERS, ("f8", "f4")))
    for comparison, use, number, dtype in rng.sample(rows, 120 if LONG else 24):
        count = rng.choice([1, 3, 8, 21])
        special = [-2.0, 0.0, -0.0, 1e30, numpy.inf, numpy.nan, 3.0, -numpy.inf]
        arrays = tuple(numpy.array([rng.choice([*special, rng.uniform(0, 4)]) for _ in range(count)], dtype) for _ in range(2))
        check(FLOATS[name], number, COMPARISONS[comparison], USES[use], arrays, f"{name} {comparison} {number}, {use}, {arrays}")


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name: str) -> None:
    rng = random.Random(f"{SEED} {name}")
    rows = list(itertools.product(COMPARISONS, USES, (None, 0, 1, 100), ("u1", "u4", "i2", "i8", "u8")))
    for comparison, use, number, dtype in rng.sample(rows, 80 if LONG else 16):
        arrays = tuple(numpy.array([rng.choice([0, 1, 5, 100]) for _ in range(7)], dtype) for _ in range(2))
        check(WHOLE[name], number, COMPARISONS[comparison], USES[use], arrays, f"{name} {comparison} {number}, {use}, {arrays}")
