"""Results that are equal are arrays of their own, unless they are one in NumPy, however they were computed: what is written into one of them later is
not seen in another."""

from __future__ import annotations

import functools
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


def gradients(a: Any, b: Any) -> Any:
    return np.grad(lambda x, y: ((x + y) * 2).sum(), (0, 1))(a, b)


def turned_gradients(a: Any, b: Any) -> Any:
    return np.grad(lambda x, y: (x + y.T).sum() + (x - y.T).sum(), (0, 1))(a, b.T)


def gradients_of_structures(a: Any, b: Any) -> Any:
    found = np.grad(lambda p: (p["a"] + p["b"][0] + p["b"][1]).sum())({"a": a, "b": [b, b * 2]})
    return found["a"], *found["b"]


def values_and_gradients(a: Any, b: Any) -> Any:
    value, slopes = np.value_and_grad(lambda x, y: (x + y).sum(), (0, 1))(a, b)
    return value, *slopes


def pulled_back(a: Any, b: Any) -> Any:
    value, pull = np.vjp(lambda x, y, z: x + y + z, a, a, a)
    return value, *pull(b)


def pushed_forward(a: Any, b: Any) -> Any:
    values, changes = np.jvp(lambda x, y: (x + y, x + y, y), (a, a), (b, b))
    return *values, *changes


def mapped(a: Any, b: Any) -> Any:
    return np.vmap(lambda x: (x * 2, x * 2, (x * 2).copy(), x, x))(a)


def mapped_gradients(a: Any, b: Any) -> Any:
    return np.vmap(np.grad(lambda x, y: (x + y).sum(), (0, 1)))(a, b)


def kept_for_later(a: Any, b: Any) -> Any:
    return np.grad(lambda x, y: np.checkpoint(lambda u, v: (u + v).sum())(x, y), (0, 1))(a, b)


def on_a_tape(a: Any, b: Any) -> Any:
    leaves = [np.asarray(x.copy()) for x in (a, b, a)]
    for leaf in leaves:
        leaf.requires_grad = True
    (leaves[0] + leaves[1] + leaves[2]).sum().backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize(
    "function",
    [
        gradients,
        turned_gradients,
        gradients_of_structures,
        values_and_gradients,
        pulled_back,
        pushed_forward,
        mapped,
        mapped_gradients,
        kept_for_later,
        on_a_tape,
    ],
    ids=lambda function: function.__name__,
)
def test_results_of_transforms_are_arrays_of_their_own(function: Callable[..., Any], is_compiled: bool) -> None:
    if is_compiled and function is on_a_tape:
        pytest.skip("a tape is for what is not compiled")
    called = np.compile(function) if is_compiled else function
    for _ in range(3):
        a, b = np.asarray(numpy.ones((3, 3))), np.asarray(numpy.full((3, 3), 2.0))
        results = [numpy.asarray(each) for each in called(a, b)]
        everything = [*results, numpy.asarray(a), numpy.asarray(b)]
        shared = [(i, j) for i, x in enumerate(results) for j, y in enumerate(everything) if i != j and numpy.shares_memory(x, y)]
        assert not shared


MADE_BY_NUMPY: dict[str, Callable[[int], Any]] = {
    "hanning": numpy.hanning,
    "tri": numpy.tri,
    "eye": numpy.eye,
    "linspace": lambda n: numpy.linspace(0, 1, n),
    "logspace": lambda n: numpy.logspace(0, 1, n),
    "frequencies": numpy.fft.fftfreq,
    "columns": lambda n: numpy.asfortranarray(numpy.tri(n)),
    "a view": lambda n: numpy.tri(n)[:, ::2],
    "indices": lambda n: numpy.triu_indices(n),
    "text": lambda n: numpy.array(["a", "bc"] * n),
}


@pytest.mark.parametrize("made", MADE_BY_NUMPY)
def test_arrays_that_numpy_made_are_new_in_each_call(made):
    make = MADE_BY_NUMPY[made]

    def function(x):
        return numpy.sin(x) * 2, make(x.shape[0]), [make(3)]

    compiled = np.compile(function)
    for size in (4, 4, 5, 6, 4):
        found = []
        for _ in range(2):
            wanted, got = function(numpy.ones(size)), compiled(numpy.ones(size))
            for a, b in zip(parts_of(wanted), parts_of(got), strict=True):
                assert type(a) is type(b) and a.dtype == b.dtype and a.strides == b.strides and a.flags.writeable == b.flags.writeable
                assert numpy.array_equal(a, b)
            found += parts_of(got)
        assert not any(numpy.shares_memory(a, b) for number, a in enumerate(found) for b in found[:number])
        for each in found:
            each[...] = each.flat[:1]  # which the next call does not see
    assert compiled.cache_info().uncompiled == 0 or made == "a view"


def parts_of(result: Any) -> list[Any]:
    return [part for item in result for part in parts_of(item)] if isinstance(result, (tuple, list)) else [result]


HELD = numpy.arange(3.0)


@functools.lru_cache
def remembered(n: int) -> Any:
    return numpy.arange(float(n))


def test_arrays_that_others_hold_are_not_copied():
    for make in (lambda x: (x + 1, HELD), lambda x: (x + 1, remembered(3)), lambda x: (x + 1, HELD[1:])):
        compiled = np.compile(make)
        for _ in range(3):
            _, got = compiled(numpy.ones(3))
            assert numpy.shares_memory(got, make(numpy.ones(3))[1])
