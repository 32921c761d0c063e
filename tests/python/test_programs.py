"""Random programs in plain NumPy, run as they are, compiled, and on fastnp's arrays: values, dtypes, layouts, shared memory and errors agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from fuzz.careful import MARGIN, spread
from fuzz.programs import magnitude
from support import BACKENDS, LONG, SEED, outcome

import fastnp as np

UNARY = "negative absolute square isnan floor rint exp sqrt sin tanh conjugate logical_not isfinite reciprocal".split()
BINARY = "add subtract multiply divide maximum minimum less greater_equal equal logical_and floor_divide remainder hypot fmax power bitwise_xor".split()
FOLDS = "sum prod max min any all mean cumsum".split()
DTYPES = "? i1 u1 i4 i8 u8 f2 f4 f8 c8 c16".split()
SLICES = [slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1), slice(-3, None), slice(0, 0)]
NUMBERS = [2, 1.5, True, -1, 0.1]
TOLERANCE = {"e": 2e-2, "f": 1e-4, "F": 1e-4, "d": 1e-10, "D": 1e-10}

Step = Callable[[Any, list[Any]], Any]


def random_array(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str) -> numpy.ndarray:
    whole = rng.integers(-4, 5, shape)
    if dtype == "?":
        x = whole > 0
    elif dtype[0] == "u":
        x = abs(whole).astype(dtype)
    elif dtype[0] == "c":
        x = (whole + 1j * rng.integers(-3, 4, shape)).astype(dtype)
    else:
        x = (whole / 2 if dtype[0] == "f" else whole).astype(dtype)
    x = numpy.asarray(x)
    if x.ndim == 0:
        return x
    layouts = [
        lambda: x,
        lambda: numpy.asfortranarray(x),
        lambda: numpy.repeat(x, 2, axis=-1)[..., ::2],
        lambda: numpy.flip(x, 0).copy()[::-1],
    ]
    return layouts[rng.integers(len(layouts))]()


def random_step(rng: numpy.random.Generator) -> Step:
    """A step takes the module and the values so far; the choices are made here, so that each run of the program makes the same."""
    a, b, c, d = (int(n) for n in rng.integers(1000, size=4))

    def axis(x: Any) -> int:
        return c % numpy.ndim(x)

    def pick(values: list[Any], number: int) -> Any:
        return values[number % len(values)]

    def fold(xp: Any, x: Any) -> Any:
        name = FOLDS[b % len(FOLDS)]
        along = None if d % 3 == 0 or numpy.ndim(x) == 0 else axis(x)
        return xp.cumsum(x, axis=along) if name == "cumsum" else getattr(xp, name)(x, axis=along, keepdims=bool(d % 2))

    def view(xp: Any, x: Any) -> Any:
        if numpy.ndim(x) == 0:
            return x
        cut = [slice(None)] * numpy.ndim(x)
        cut[axis(x)] = SLICES[b % len(SLICES)]
        return [x.T, x.reshape(-1), x[None] if numpy.ndim(x) < 4 else x, x[tuple(cut)], x[tuple(cut)]][d % 5]

    def scalar(xp: Any, x: Any) -> Any:
        number = NUMBERS[b % len(NUMBERS)]
        return [lambda: x + number, lambda: x * number, lambda: number - x, lambda: x / number][d % 4]()

    def convert(xp: Any, x: Any) -> Any:
        if numpy.iscomplexobj(numpy.empty(0, x.dtype)):
            return x.astype("c8")
        return x.astype(["f4", "f8", "i4" if x.dtype.kind != "f" else "f8", "c16"][b % 4])

    def join(xp: Any, x: Any) -> Any:
        if numpy.ndim(x) == 0:
            return x
        return [lambda: xp.concatenate([x, x], axis=axis(x)), lambda: xp.sort(x, axis=axis(x)), lambda: xp.stack([x, x])][d % 3]()

    kinds: list[Step] = [
        lambda xp, v: getattr(xp, BINARY[c % len(BINARY)])(pick(v, a), pick(v, b)),
        lambda xp, v: getattr(xp, BINARY[c % len(BINARY)])(pick(v, a), pick(v, b)),
        lambda xp, v: getattr(xp, UNARY[c % len(UNARY)])(pick(v, a)),
        lambda xp, v: fold(xp, pick(v, a)),
        lambda xp, v: view(xp, pick(v, a)),
        lambda xp, v: view(xp, pick(v, a)),
        lambda xp, v: xp.where(pick(v, a) != 0, pick(v, b), pick(v, c)),
        lambda xp, v: scalar(xp, pick(v, a)),
        lambda xp, v: convert(xp, pick(v, a)),
        lambda xp, v: join(xp, pick(v, a)),
    ]
    return kinds[rng.integers(len(kinds))]


def random_program(rng: numpy.random.Generator) -> Callable[..., tuple[Any, ...]]:
    steps = [random_step(rng) for _ in range(rng.integers(2, 9))]
    outputs = [int(n) for n in rng.integers(100, size=rng.integers(1, 4))]

    def program(xp: Any, *arguments: Any) -> tuple[Any, ...]:
        values = list(arguments)
        for step in steps:
            made = step(xp, values)
            if made.size < 5000:
                values.append(made)
        return tuple(values[-1 - n % len(values)] for n in outputs)

    return program


def steps(x: numpy.ndarray) -> list[int]:
    return [step for step, size in zip(x.strides, x.shape, strict=True) if size > 1]


def tolerance(arrays: list[numpy.ndarray]) -> float:
    return max(TOLERANCE[x.dtype.char] for x in (*arrays, numpy.empty(0, "f4")) if x.dtype.char in TOLERANCE)


def assert_equal(got: Any, want: Any, arguments: list[numpy.ndarray], is_open: bool) -> None:
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if is_open:
        pass
    elif want.dtype.kind in "fc":
        limit = tolerance([want, *arguments])
        numpy.testing.assert_allclose(got, want, rtol=limit, atol=limit)
    else:
        numpy.testing.assert_array_equal(got, want)
    if all(x.size for x in (want, *arguments)):  # the strides of arrays without elements mean nothing
        assert steps(got) == steps(want)


def left_open(program: Callable[..., tuple[Any, ...]], make: Callable[[], list[numpy.ndarray]]) -> list[bool]:
    """Of each result, and then each argument, whether NumPy leaves it open: a floor or a comparison of a sum, whose last digits depend on the order."""
    arguments = make()
    want = outcome(program, numpy, *arguments)
    if isinstance(want, Exception):
        return []
    moved = spread(lambda module, given: program(module, *given), make)
    if moved is None:
        return [True] * (len(want) + len(arguments))
    limit = tolerance(arguments)
    return [far > MARGIN * limit * (1 + magnitude(x)) for far, x in zip(moved, [*want, *arguments], strict=True)]


def check(got: Any, want: Any, arguments: list[numpy.ndarray], are_open: list[bool], kinds: bool) -> None:
    if isinstance(want, Exception):
        kind = next(k for k in type(want).__mro__ if k.__module__ == "builtins")  # NumPy's UFuncTypeError is a TypeError
        assert isinstance(got, kind), got
        return
    assert not isinstance(got, Exception), got
    for left, (g, w) in enumerate(zip(got, want, strict=True)):
        assert_equal(numpy.asarray(g), w, arguments, are_open[left])
        if not kinds:
            continue
        assert type(g) is type(w)
        for right in range(left):
            assert numpy.shares_memory(g, got[right]) == numpy.shares_memory(w, want[right])
        for x in arguments:
            assert numpy.shares_memory(g, x) == numpy.shares_memory(w, x)


@pytest.mark.parametrize("number", range(400 if LONG else 100))
def test_random_programs(number):
    rng = numpy.random.default_rng(SEED + number)
    program = random_program(rng)
    compiled = [np.compile(lambda *arguments: program(numpy, *arguments), backend=backend) for backend in BACKENDS]
    kinds = [(DTYPES[rng.integers(len(DTYPES))], int(rng.integers(4))) for _ in range(rng.integers(1, 3))]
    for _ in range(5):
        sizes = [int(n) for n in rng.integers(0 if rng.integers(4) == 0 else 1, 6, size=4)]
        arguments = [random_array(rng, tuple(sizes[4 - rank :]), dtype) for dtype, rank in kinds]
        want = outcome(program, numpy, *arguments)
        are_open = left_open(program, lambda arguments=arguments: [numpy.array(x) for x in arguments])
        for f in compiled:
            check(outcome(f, *arguments), want, arguments, are_open, kinds=True)
        check(outcome(program, np, *(np.asarray(x) for x in arguments)), want, arguments, are_open, kinds=False)
