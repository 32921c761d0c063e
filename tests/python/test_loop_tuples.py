"""Tuples of numbers in native loops: stored into rows, gone over, chosen from by numbers; and what they are made and compared with."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from support import SEED
from test_native_loops import agree, programs_of

import fastnp as np


def check(function: Any, calls: list[Any], is_native: bool = True) -> None:
    """Compiled, it is as written for all arguments, one after the other and back; and it is native."""
    compiled = np.compile(function)
    for turn in range(2):
        for number, arguments in enumerate(calls[:: -1 if turn else 1]):
            agree(compiled, arguments, f"{function.__name__}, call {number} of turn {turn}")
    assert bool(programs_of(compiled)) == is_native, np.explain(compiled)(*calls[0])


# Rows


def row_by_numbers(m: Any, x: Any, k: Any, j: Any) -> Any:
    for i in range(len(m)):
        if x[i] > 0.5:
            m[i] = x[i], k[i], j
        elif k[i] > 3:
            m[i] = [x[i] * 100] * 3
        elif k[i] > 2:
            m[i] = m[i, 1], m[i, 0], m[i - 1, 2]
        elif k[i] > 1:
            m[i, 1:] = (k[i] - 1, k[i])
        else:
            m[-1] = (j,)
    return m


def rows_at_once(m: Any, x: Any) -> Any:
    for i in range(len(x)):
        m[:] = x[i], 2, x[i] + 1
        if x[i] > 1:
            break
    return m


def reached(free: Any) -> Any:
    rows, columns = free.shape
    queue = numpy.empty((rows * columns, 2), numpy.int64)
    queue[0] = (0, 0)
    head, tail = 0, 1
    steps = numpy.full((rows, columns), -1)
    steps[0, 0] = 0
    while head < tail:
        i, j = queue[head]
        head += 1
        for d in range(2):
            a, b = i + d, j + 1 - d
            if a < rows and b < columns and free[a, b] and steps[a, b] < 0:
                steps[a, b] = steps[i, j] + 1
                queue[tail] = [a, b]
                tail += 1
    return steps


STORED = [1, 2.5, True, 300, -1, 10**30, numpy.float32(2), numpy.int64(400), numpy.uint8(7), numpy.True_]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "B", "?"])
def test_rows_by_numbers(dtype: str) -> None:
    rng = numpy.random.default_rng(SEED)
    for number, j in enumerate(STORED):
        kinds = (("f8", "i8"), ("f4", "u1"), ("i4", "?"))[(number + SEED) % 3]
        x, k = rng.normal(size=20).astype(kinds[0]), rng.integers(0, 5, 20).astype(kinds[1])
        m = (abs(rng.normal(size=(20, 3))) * 5).astype(dtype)
        check(row_by_numbers, [(m, x, k, j), (m[:0], x, k, j), (m[:, :2], x, k, j)])


def test_rows() -> None:
    rng = numpy.random.default_rng(SEED)
    x, m = rng.normal(size=20), rng.normal(size=(20, 3))
    check(rows_at_once, [(m, x), (m[:, :2], x), (m[:0], x), (m, x[:0])])
    check(rows_at_once, [(m[0], x), (numpy.zeros((2, 2, 3), "i2"), x), (numpy.zeros((2, 2, 4), "i2"), x)])
    check(reached, [(rng.random((9, 9)) < 0.8,), (numpy.ones((4, 6), bool),)])
