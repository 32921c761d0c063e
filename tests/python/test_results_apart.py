"""Results that are equal are arrays of their own, unless they are one in NumPy, however they were computed: what is written into one of them later is
not seen in another."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import BACKENDS, LONG, SEED

import fastnp as np

MADE: dict[str, Callable[[Any, Any], Any]] = {
    "copy": lambda m, x: x.copy(),
    "times one": lambda m, x: x * 1,
    "plus": lambda m, x: +x,
    "chosen": lambda m, x: m.where(x > 1, x, x),
    "zeros": lambda m, x: m.zeros_like(x),
    "sorted": lambda m, x: m.sort(x, axis=0),
    "sums": lambda m, x: m.cumsum(x, axis=0),
    "stacked": lambda m, x: m.stack([x, x])[0],
    "joined": lambda m, x: m.concatenate([x, x]),
    "argument": lambda m, x: x,
    "cast": lambda m, x: x.astype(x.dtype),
    "transposed copy": lambda m, x: x.T.copy().T,
}


def part_twice(m: Any, x: Any, y: Any) -> Any:
    y[1:] *= 2
    return y


def part_assigned(m: Any, x: Any, y: Any) -> Any:
    y[1 : x.shape[0]] = x[1:]
    return y


def rows(m: Any, x: Any, y: Any) -> Any:
    y[0] = 0
    y[-1] += 1
    return y


def steps(m: Any, x: Any, y: Any) -> Any:
    y[::2] = 3
    return y


def masked(m: Any, x: Any, y: Any) -> Any:
    y[y > 2] = 0
    return y


def backwards(m: Any, x: Any, y: Any) -> Any:
    y[::-1] -= 1
    return y


def whole(m: Any, x: Any, y: Any) -> Any:
    y[...] *= 2
    return y


WRITTEN = [lambda m, x, y: y, lambda m, x, y: y, part_twice, part_assigned, rows, steps, masked, backwards, whole]
RESULTS: list[Callable[[Any, Any], Any]] = [
    lambda m, y: y,
    lambda m, y: y,
    lambda m, y: y.copy(),
    lambda m, y: y[1:],
    lambda m, y: y.T,
    lambda m, y: y.reshape(-1),
    lambda m, y: m.where(y > 1, y, y),
    lambda m, y: y * 1,
    lambda m, y: y.real,
]


class Program:
    """Some arrays, many of them equal, and results that are these or parts of them."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        makers, writers = draw.sample(list(MADE), 2), draw.sample(WRITTEN, 2)
        self.arrays = [(draw.choice(makers), draw.choice(writers)) for _ in range(draw.randrange(1, 4))]
        self.results = [(draw.randrange(len(self.arrays)), draw.choice(RESULTS)) for _ in range(draw.randrange(2, 6))]
        self.writes_after = draw.random() < 0.3
        self.shape = draw.choice([(5,), (1,), (4, 3), (3, 3), (2, 1), (2, 3, 2)])
        self.dtype = draw.choice(["f8", "f4", "i8", "u1", "c16"])

    def __call__(self, m: Any, x: Any) -> tuple[Any, ...]:
        arrays = [write(m, x, MADE[name](m, x)) for name, write in self.arrays]
        results = tuple(result(m, arrays[i]) for i, result in self.results)
        if self.writes_after:
            x *= 2
        return results

    def argument(self) -> numpy.ndarray:
        return (numpy.arange(numpy.prod(self.shape)) % 4).astype(self.dtype).reshape(self.shape)

    def __str__(self) -> str:
        arrays = [(name, getattr(write, "__name__", "")) for name, write in self.arrays]
        return f"{self.shape} {self.dtype} {arrays} {[(i, RESULTS.index(result)) for i, result in self.results]} {self.writes_after}"


def apart(results: tuple[Any, ...], argument: numpy.ndarray) -> list[list[bool]]:
    return [[numpy.shares_memory(a, b) for b in (*results, argument)] for a in results]


@pytest.mark.parametrize("backend", BACKENDS)
def test_equal_results_are_arrays_of_their_own(backend: str) -> None:
    for seed in range(SEED, SEED + (4000 if LONG else 150)):
        program = Program(seed)
        compiled = np.compile(lambda x, program=program: program(numpy, x), backend=backend)
        given = program.argument()
        try:
            want = program(numpy, given)
        except ValueError:  # the shapes don't fit
            continue
        for _ in range(2):
            argument = program.argument()
            got = compiled(argument)
            assert [x.tolist() for x in got] == [x.tolist() for x in want], f"program {seed}: {program}"
            assert apart(got, argument) == apart(want, given), f"program {seed}: {program}"
