"""Warnings of calls that need another compilation name the plain value that changed, from what to what."""

from __future__ import annotations

import dataclasses
import enum
import random
import warnings
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np
from fastnp import _changes


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2


@dataclasses.dataclass
class Options:
    rate: float


def words(function: Any, calls: list[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for args, kwargs in calls:
            function(*args, **kwargs)
    return [str(each.message) for each in caught if each.category is np.compiler.RecompileWarning]


def test_the_argument_and_both_values_are_named() -> None:
    @np.compile
    def f(x, mode, *more, opts=None):
        return x * 2

    x = np.ones(3)
    (told,) = words(f, [((x, f"m{number}"), {}) for number in range(20)])
    assert told.endswith("is reached: mode changed from 'm7' to 'm8'"), told
    f.cache_clear()
    (told,) = words(f, [((x, "a"), {"opts": {"n": f"{number}", "deep": [1, "b"]}}) for number in range(20)])
    assert told.endswith("opts['n'] changed from '7' to '8'"), told


def test_it_is_said_once_for_a_place() -> None:
    @np.compile
    def f(x, mode):
        return x * 2

    calls = [((np.ones(3), f"{number}"), {}) for number in range(60)]
    assert len(words(f, calls)) == 1


@pytest.mark.parametrize("part", range(20))
def test_what_is_described_differs_where_values_do(part: int) -> None:
    rng = random.Random(SEED + part)
    values = ["a", "b", 1, 2, 1.5, True, None, b"x", 2j, Mode.FAST, Mode.EXACT, float, int, numpy.float32(2), numpy.ones(2), "y" * 200]

    def tree(depth: int) -> Any:
        kind = rng.randrange(5) if depth < 3 else 0
        if kind == 1:
            return [tree(depth + 1) for _ in range(rng.randrange(3))]
        if kind == 2:
            return tuple(tree(depth + 1) for _ in range(rng.randrange(3)))
        if kind == 3:
            return {key: tree(depth + 1) for key in rng.sample(["a", "b", 1, 2.5], rng.randrange(3))}
        return rng.choice(values)

    for _ in range(50):
        before = {"first": tree(0), "second": tree(0)}
        now = {**before, "second": tree(0)}
        first, second = _changes.described(before), _changes.described(now)
        told = _changes.changed(first, second)
        assert bool(told) == (first != second), (SEED, before, now, told)
        assert not told or told.startswith("second"), (SEED, told)


def test_no_code_of_the_users_runs() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise AssertionError("its repr is asked for")

        __str__ = __repr__

    assert _changes.described({"x": Loud(), "o": Options(1.0), "many": list(range(5000))})["x"] == "an object of Loud"
