"""Numbers that an array's dtype does not hold: NumPy's warnings and errors, by every way that a number meets an array, at each call."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import IS_NUMPY_2_5

import fastnp as np

WAYS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "slice": lambda m, x, v: x.__setitem__(slice(None), v),
    "element": lambda m, x, v: x.__setitem__(1, v),
    "mask": lambda m, x, v: x.__setitem__(x > 0, v),
    "indices": lambda m, x, v: x.__setitem__(m.array([0, 2]), v),
    "list": lambda m, x, v: x.__setitem__(slice(None), [v, v, v]),
    "full": lambda m, x, v: m.full(3, v, x.dtype) + x,
    "full_like": lambda m, x, v: m.full_like(x, v) + x,
    "array": lambda m, x, v: m.array(v, x.dtype) + x,
    "array of a list": lambda m, x, v: m.array([v], x.dtype) + x,
    "asarray": lambda m, x, v: m.asarray([v, v, v], x.dtype) + x,
    "fill": lambda m, x, v: x.fill(v),
    "put": lambda m, x, v: m.put(x, [0], v),
    "place": lambda m, x, v: m.place(x, x > 0, v),
    "putmask": lambda m, x, v: m.putmask(x, x > 0, v),
    "copyto": lambda m, x, v: m.copyto(x, v, casting="unsafe"),
    "fill_diagonal": lambda m, x, v: m.fill_diagonal(x.reshape(3, 1), v),
    "where": lambda m, x, v: m.where(x > 0, x, v),
    "add": lambda m, x, v: x + v,
    "add in place": lambda m, x, v: x.__iadd__(v),
    "maximum": lambda m, x, v: m.maximum(x, v),
    "less": lambda m, x, v: x < v,
    "append": lambda m, x, v: m.append(x, v),
    "insert": lambda m, x, v: m.insert(x, 1, v),
    "linspace": lambda m, x, v: m.linspace(0, v, 3, dtype=x.dtype) + x,
    "initial": lambda m, x, v: m.sum(x, initial=v),
    "initial and where": lambda m, x, v: m.max(x, initial=v, where=x > 0),
    "nan_to_num": lambda m, x, v: m.nan_to_num(x, nan=v),
    "flat": lambda m, x, v: x.flat.__setitem__(0, v),
    "select": lambda m, x, v: m.select([x > 0], [x], default=v),
    "out": lambda m, x, v: m.add(x, v, out=x, casting="unsafe"),
    "array of its own": lambda m, x, v: x.__setitem__(slice(None), m.array([v, v, v])),
    "concatenate": lambda m, x, v: m.concatenate([x, [v]], dtype=x.dtype, casting="unsafe"),
    "hstack": lambda m, x, v: m.hstack([x, v]),
    "power": lambda m, x, v: m.power(x, v),
    "divide": lambda m, x, v: m.divide(x, v),
    "heaviside": lambda m, x, v: m.heaviside(x, v),
    "real": lambda m, x, v: x.real.__setitem__(0, v),
}
NUMBERS = [
    *(0, -1, 300, 2**63, 10**39, 10**400, 2.5, 300.5, -1.5, 1e5, 1e-46, 1e39, float("inf"), float("nan"), 1j),
    *(numpy.int64(300), numpy.float64(1e39), numpy.complex128(1j)),
]
DTYPES = ["f4", "f2", "f8", "i4", "i1", "u1", "c8", "?"]


def told(function: Callable[..., Any], *arguments: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            function(*arguments)
        except (TypeError, ValueError, OverflowError):  # whose kind is other tests'
            return ["error"]
    return sorted(str(each.message) for each in met)


def is_left(way: str, dtype: str, number: Any) -> bool:
    """What is known to differ: linspace of complex numbers is NumPy's, once; its truth of large ints is an error in copyto alone.

    NumPy 2.5's `where` refuses ints that do not fit; fastnp's wraps them, as NumPy 2.4's does.
    """
    return (
        (way == "where" and IS_NUMPY_2_5)
        or (way == "linspace" and isinstance(number, complex))
        or (way == "copyto" and dtype == "?" and isinstance(number, int) and number > 2**62)
    )


def operand(module: Any, dtype: str) -> Any:
    return module.asarray(numpy.arange(3).astype(dtype))


@pytest.mark.parametrize("way", WAYS)
def test_casts_of_numbers_are_told_of(way: str) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)  # shown where a test fails
    rng = random.Random(seed)
    for dtype, number in rng.sample([(dtype, number) for dtype in DTYPES for number in NUMBERS], 24):
        write = WAYS[way]
        if is_left(way, dtype, number):
            continue
        wanted = told(write, numpy, operand(numpy, dtype), number)
        assert told(write, np, operand(np, dtype), number) == wanted, (dtype, number)
        constant = np.compile(lambda x, write=write, number=number: write(np, x, number), adaptive=False)
        given = np.compile(lambda x, v, write=write: write(np, x, v), adaptive=False)
        for _ in range(3):
            assert told(constant, operand(np, dtype)) == wanted, (dtype, number)
        for other in (1, number, 2, number) if isinstance(number, int) else (1.5, number, 2.5, number):
            found = told(given, operand(np, dtype), other)
            assert found == (wanted if other is number else told(write, numpy, operand(numpy, dtype), other)), (dtype, number, other)
