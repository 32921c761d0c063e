"""Writes to arguments that lie in any way, of sizes and steps that differ from call to call, in the middle of memory that nothing else may change."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np


def negative_at(x: Any) -> None:
    numpy.negative.at(x, [0])


def masked(x: Any) -> None:
    x[x > 3] *= 2


def placed(x: Any) -> None:
    numpy.place(x, x != 0, [1, 2])


def in_place(x: Any) -> None:
    x *= x


def put(x: Any) -> None:
    numpy.put(x, [0, -1], 5)


def row(x: Any) -> None:
    x[0] += 1


def turned(x: Any) -> None:
    x[...] = x[::-1]


def picked(x: Any) -> None:
    x[[0, -1]] = x[[-1, 0]]


def sorted_in_place(x: Any) -> None:
    x.sort(axis=0)


WRITES: list[Callable[[Any], None]] = [negative_at, masked, placed, in_place, put, row, turned, picked, sorted_in_place]


def lying(rng: random.Random, rank: int, dtype: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """An array whose elements lie apart, and all the memory that it lies in. An axis of one element has any step, 0 as well."""
    memory = numpy.full(40000, 77, dtype)
    shape = [rng.choice([1, 1, 2, 3, 5, 8, 17]) for _ in range(rank)]
    steps, step = [0] * rank, rng.choice([1, 1, 2])
    for axis in rng.sample(range(rank), rank):
        steps[axis] = rng.choice([0, 1, 3, -2]) if shape[axis] == 1 else step * rng.choice([1, -1])
        step *= shape[axis] + rng.choice([0, 0, 1])
    x = numpy.ndarray(shape, dtype, memory.data, 20000 * memory.itemsize, [step * memory.itemsize for step in steps])
    x[...] = numpy.arange(x.size).reshape(shape) % 7
    return x, memory


@pytest.mark.parametrize("backend", ["llvm", "eager"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_writes_change_nothing_else(write, backend):
    rng = random.Random(f"{SEED} {write.__name__} {backend}")
    for _ in range(8):
        compiled = np.compile(write, backend=backend)
        rank, dtype = rng.choice([1, 2, 2, 3]), rng.choice(["i4", "f8", "i1", "f4", "i8", "c16"] if write in (in_place, put, row) else ["i4", "f8", "i1"])
        said = []
        for _ in range(4):
            state = rng.getstate()
            x, memory = lying(rng, rank, dtype)
            rng.setstate(state)
            y, expected = lying(rng, rank, dtype)
            write(y)
            compiled(x)
            said.append((x.shape, x.strides))
            assert numpy.array_equal(memory, expected), f"FASTNP_TEST_SEED={SEED}: {write.__name__} of {dtype} after {said}"


def test_lanes_of_one_address():
    """An axis of one element is no axis along which a kernel stores vectors, though the next call may have more."""

    def f(x: Any) -> None:
        numpy.negative.at(x, [0])

    compiled = np.compile(f)
    memory = numpy.full(100, 7, "i4")
    compiled(numpy.ones((2, 3), "i4"))
    compiled(numpy.ndarray((2, 1), "i4", memory.data, 200, (-8, 0)))
    assert numpy.flatnonzero(memory != 7).tolist() == [50]
    assert memory[50] == -7
