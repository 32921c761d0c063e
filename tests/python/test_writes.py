"""Random programs that write - into arguments, views of them, their own arrays - and branch on values, as they are and compiled: all agrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import BACKENDS, LONG, SEED, outcome
from test_programs import BINARY, DTYPES, NUMBERS, SLICES, Step, check, left_open, random_array, random_step

import fastnp as np


def cut(x: Any, number: int, other: int) -> Any:
    """A subscript: slices, an integer, Ellipsis, a new axis."""
    if numpy.ndim(x) == 0:
        return ...
    key: list[Any] = [slice(None)] * numpy.ndim(x)
    key[number % len(key)] = [*SLICES, 0, -1][other % (len(SLICES) + 2)]
    return [tuple(key), tuple(key), ..., (None, *key)][number // 7 % 4]


def random_write(rng: numpy.random.Generator) -> Step:
    a, b, c, d, e = (int(n) for n in rng.integers(1000, size=5))

    def target(values: list[Any]) -> Any:
        arrays = [x for x in values if numpy.ndim(x) > 0]
        return arrays[a % len(arrays)] if arrays else None

    def value(xp: Any, values: list[Any]) -> Any:
        x = values[b % len(values)]
        made = [x, NUMBERS[b % len(NUMBERS)], x * 2, x.reshape(-1)[:1], x.T, [1, 2]][c % 6]
        return made

    def assign(xp: Any, values: list[Any]) -> Any:
        x = target(values)
        if x is not None:
            [x, x.T, x.reshape(-1), x[::-1]][d % 4][cut([x, x.T, x.reshape(-1), x][d % 4], e, d)] = value(xp, values)
        return x

    def in_place(xp: Any, values: list[Any]) -> Any:
        x = target(values)
        if x is not None:
            part = x[cut(x, e, d)]
            if numpy.ndim(part) > 0:
                y = value(xp, values)
                if c % 3 == 0:
                    part += y
                elif c % 3 == 1:
                    part *= y
                else:
                    part -= y
            elif not isinstance(cut(x, e, d), type(...)):
                x[cut(x, e, d)] += 1
        return x

    def into(xp: Any, values: list[Any]) -> Any:
        x = target(values)
        if x is not None:
            getattr(xp, BINARY[e % len(BINARY)])(x, values[b % len(values)], out=x[cut(x, c, d)] if d % 2 else x)
        return x

    def fold(xp: Any, values: list[Any]) -> Any:
        x = target(values)
        if x is not None and x.ndim > 1:
            xp.sum(x, axis=0, out=x[0])
        return x

    def same(xp: Any, values: list[Any]) -> Any:
        x = values[b % len(values)]
        return [lambda: x.copy(), lambda: xp.zeros(x.shape), lambda: xp.full((2, 3), 1.5), lambda: xp.array([1.0, 2.0, 3.0])][d % 4]()

    def branch(xp: Any, values: list[Any]) -> Any:
        x = values[b % len(values)]
        if xp.any(x > 0) if c % 2 else (x != 0).all():
            return assign(xp, values)
        return in_place(xp, values) if d % 2 else x * 2

    def repeat(xp: Any, values: list[Any]) -> Any:
        x = values[b % len(values)]
        turns = 0
        while turns < 4 and abs(x).sum() < 40:
            turns += 1
            x = x * 2 + 1
        return x * turns

    steps: list[Step] = [assign, assign, assign, in_place, in_place, into, fold, same, same, branch, branch, repeat]
    chosen = steps[rng.integers(len(steps))]

    def step(xp: Any, values: list[Any]) -> Any:  # mostly without errors, which would end the program
        try:
            return chosen(xp, values)
        except (ValueError, TypeError, IndexError) as error:
            if a % 8 == 0 or "powers" in str(error):  # raised while the program runs, not while it is recorded
                raise
            return None

    return step


def random_kinds(rng: numpy.random.Generator) -> list[tuple[str, int]]:
    dtypes = [["f8"], ["f4"], ["f4", "f8", "i8"], DTYPES][rng.integers(4)]
    return [(dtypes[rng.integers(len(dtypes))], int(rng.integers(4))) for _ in range(rng.integers(1, 4))]


def random_program(rng: numpy.random.Generator) -> Callable[..., tuple[Any, ...]]:
    steps = [random_write(rng) if rng.integers(2) else random_step(rng) for _ in range(rng.integers(2, 11))]
    outputs = [int(n) for n in rng.integers(100, size=rng.integers(1, 4))]

    def program(xp: Any, *arguments: Any) -> tuple[Any, ...]:
        values = list(arguments)
        for step in steps:
            made = step(xp, values)
            if made is not None and made.size < 5000:
                values.append(made)
        return tuple(values[-1 - n % len(values)] for n in outputs)

    return program


def random_arguments(seed: int, kinds: list[tuple[str, int]], overlapping: bool) -> list[numpy.ndarray]:
    rng = numpy.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(0 if rng.integers(4) == 0 else 1, 6, size=4)]
    arguments = [random_array(rng, tuple(sizes[4 - rank :]), dtype) for dtype, rank in kinds]
    if overlapping and arguments[0].ndim > 0:
        x = arguments[0]
        arguments[-1] = [x, x[1:], x[::-1], x[::2], x[:0]][rng.integers(5)]
    return arguments


@pytest.mark.parametrize("number", range(600 if LONG else 100))
def test_random_programs_that_write(number):
    seed = SEED + number
    rng = numpy.random.default_rng([seed, 1])
    program = random_program(rng)
    compiled = [np.compile(lambda *arguments: program(numpy, *arguments), backend=backend) for backend in BACKENDS]
    kinds = random_kinds(rng)
    overlapping = len(kinds) > 1 and rng.integers(4) == 0
    for call in range(5):
        arguments = random_arguments(10 * seed + call, kinds, overlapping)
        are_open = left_open(program, lambda call=call: random_arguments(10 * seed + call, kinds, overlapping))
        want = outcome(program, numpy, *arguments)
        for f in compiled:
            given = random_arguments(10 * seed + call, kinds, overlapping)
            got = outcome(f, *given)
            if isinstance(want, ValueError) and "powers" in str(want):  # raised in the middle of an op
                check(got, want, given, are_open, kinds=True)
                continue
            if not any(are_open):
                check_outcome(got, want, given, arguments)


def check_outcome(got: Any, want: Any, given: list[numpy.ndarray], arguments: list[numpy.ndarray]) -> None:
    """Results and arguments after a call, against the ones of the function as written."""
    for x, y in zip(given, arguments, strict=True):
        numpy.testing.assert_allclose(x, y, rtol=1e-4 if x.dtype.itemsize > 2 else 2e-2, atol=1e-4)
    if isinstance(want, Exception):
        check(got, want, given, [], kinds=True)
    else:
        check_results(got, want, given, arguments)


def check_results(got: Any, want: Any, given: list[numpy.ndarray], arguments: list[numpy.ndarray]) -> None:
    assert not isinstance(got, Exception), got
    for left, (g, w) in enumerate(zip(got, want, strict=True)):
        assert type(g) is type(w)
        check((g,), (w,), [numpy.asarray(g)], [False], kinds=False)
        for right in range(left):
            assert numpy.shares_memory(g, got[right]) == numpy.shares_memory(w, want[right])
        for x, y in zip(given, arguments, strict=True):
            assert numpy.shares_memory(g, x) == numpy.shares_memory(w, y)


COMPARED = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("own", [False, True])
def test_what_a_call_wrote_is_not_read_when_it_is_done_over(name, own, backend):
    """A call whose warnings NumPy itself is to decide on is made anew as written, from what it was given."""

    def function(x, y):
        return getattr(numpy, name)(x, y, out=x), x + 1

    compiled = np.compile(function, backend=backend)
    for _ in range(3):
        x, y = numpy.array([[1.5, -2.0, 1.0], [0.0, 1.0, 2.0]]), numpy.array([1.5, -2.0, 1.5]) + 0j
        wanted, given = x.copy(), np.array(x) if own else x.copy()
        result = function(wanted, y)
        got = compiled(given, np.array(y) if own else y)
        for found, expected in ((given, wanted), *zip(got, result, strict=True)):
            numpy.testing.assert_array_equal(numpy.asarray(found), expected)
