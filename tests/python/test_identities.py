"""Algebra by which compiled code saves work changes no bit: of any dtype, with infinities, NaN, zeros of both signs and extremes."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import DTYPES, assert_same_bits, outcome, quietly, same, values_of

import fastnp as np

# NumPy's scalars are among its own constants; weak ones are Python's.
NUMBERS = [True, False, 0, 1, 2, -1, 3, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, numpy.inf, numpy.nan, 1e300, 0j, 1 + 0j, 1j, complex(0, -0.0), complex(-0.0, 0)]

OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.or_,
    operator.lshift,
    operator.rshift,
    operator.eq,
    operator.lt,
    numpy.fmod,
    numpy.logical_and,
    numpy.copysign,
]

REWRITES = {
    "x * 1": lambda x: x * 1,
    "1 * x": lambda x: 1 * x,
    "x / 1": lambda x: x / 1,
    "x + 0": lambda x: x + 0,
    "0 + x": lambda x: 0 + x,
    "x - 0": lambda x: x - 0,
    "+x": lambda x: +x,
    "x ** 2": lambda x: x**2,
    "x * size": lambda x: x[:1] * x[:1].shape[0],
    "where of one": lambda x: np.where(x == x, x, x),
    "cast to itself": lambda x: x.astype(x.dtype),
    "moves": lambda x: x[None].T[:, 0][::-1][::-1] * 1,
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_rewrites(rewrite):
    seed = random.randrange(10**9)
    for dtype in DTYPES:
        if rewrite == "x ** 2" and dtype.kind == "c":  # nothing is rewritten: a power, whose last bit is the C library's
            continue
        x = values_of(dtype, seed=seed)
        try:
            want = quietly(REWRITES[rewrite], x)
        except TypeError:
            continue
        got = numpy.asarray(quietly(np.compile(REWRITES[rewrite]), x))
        assert got.dtype == want.dtype
        parts = [(got.real, want.real), (got.imag, want.imag)] if want.dtype.kind == "c" else [(got, want)]
        for g, w in parts:
            assert same(g, w).all(), f"{rewrite} of {dtype}, seed {seed}: {g[~same(g, w)]} where NumPy has {w[~same(g, w)]}"


def constant(rng: random.Random) -> Any:
    """A number of any kind: Python's, NumPy's scalar, an array of no axes."""
    kind = rng.choice(["python", "python", "scalar", "array"])
    if kind == "python":
        return rng.choice(NUMBERS)
    dtype = rng.choice(DTYPES)
    value = quietly(lambda: dtype.type(rng.choice([0, 1, 2, 3, -0.0, 0.5] if dtype.kind in "fc" else [0, 1, 2, 3])))
    return value if kind == "scalar" else numpy.array(value)


def chain(rng: random.Random) -> tuple[str, Callable[[Any], Any]]:
    """(((x * 1) + 0) / 2) - 0.0 and the like."""
    steps = [(rng.choice(OPERATORS), constant(rng), rng.random() < 0.3) for _ in range(rng.randrange(1, 4))]

    def run(x: Any) -> Any:
        for function, number, swapped in steps:
            x = function(number, x) if swapped else function(x, number)
        return x

    text = "x"
    for function, number, swapped in steps:
        text = f"{function.__name__}({f'{number!r}, {text}' if swapped else f'{text}, {number!r}'})"
    return text, run


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_chains_of_algebra(dtype):
    """With constants of all kinds: compiled as NumPy has it, errors too. Complex ones as they are outside of compiled functions."""
    seed = random.randrange(10**9)
    rng = random.Random(seed)
    x = values_of(dtype, seed=seed)
    chains: list[tuple[str, Callable[[Any], Any]]] = []
    refused: list[tuple[str, Callable[[Any], Any], Exception]] = []
    while len(chains) < 25:
        text, run = chain(rng)
        want = outcome(run, x)
        if not isinstance(want, Exception):
            chains.append((text, run))
        elif len(refused) < 3:
            refused.append((text, run, want))
    compiled = quietly(np.compile(lambda x: [run(x) for _, run in chains]), x)
    for (text, run), got in zip(chains, compiled, strict=True):
        want = quietly(run, x)
        if want.dtype.kind == "c" or dtype.kind == "c":
            assert numpy.asarray(got).dtype == want.dtype, f"{text} of {dtype}, seed {seed}"
            want = quietly(run, np.asarray(x))
        assert_same_bits(got, want, f"{text} of {dtype}, seed {seed}")
    for text, run, error in refused:
        for function in (run, np.compile(run)):
            got = outcome(function, np.asarray(x))
            assert type(got) is type(error), f"{text} of {dtype}, seed {seed}: {got!r} where NumPy has {error!r}"


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_arithmetic_of_special_values(dtype):
    """Sums, products and quotients of all pairs of them, and with numbers of all kinds, to the bit."""
    parts = numpy.array([0.0, -0.0, 1, -1, numpy.inf, -numpy.inf, numpy.nan, 2, 0.5])
    z = numpy.zeros((parts.size, parts.size), dtype)
    z.real, z.imag = parts[:, None], parts
    z = z.ravel()
    a, b = numpy.repeat(z, z.size), numpy.tile(z, z.size)
    functions = [operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, lambda a, b: -a * +b, lambda a, b: numpy.square(a) / b]
    compiled = quietly(np.compile(lambda a, b: [function(a, b) for function in functions]), a, b)
    for number, function in enumerate(functions):
        want = quietly(function, a, b)
        for got in (quietly(function, np.asarray(a), np.asarray(b)), compiled[number]):
            assert_same_bits(got, want, f"function {number} of {dtype}")
    numbers = [number for number in NUMBERS if abs(number) != 1e300] + [
        numpy.float32(2),
        numpy.int8(1),
        numpy.complex64(1),
        numpy.array(1.0),
        numpy.array(1j),
    ]
    calls = [(function, number) for function in functions for number in numbers]
    compiled = quietly(np.compile(lambda x: [(function(x, number), function(number, x)) for function, number in calls]), z)
    for (function, number), results in zip(calls, compiled, strict=True):
        for got, want in zip(results, quietly(lambda x, f=function, n=number: (f(x, n), f(n, x)), z), strict=True):
            assert_same_bits(got, want, f"{number!r} beside {dtype}")


def test_convolve_keeps_to_itself():
    """What is beyond the ends takes no part."""
    seed = random.randrange(10**9)
    rng = numpy.random.default_rng(seed)
    compiled = {mode: np.compile(lambda a, v, mode=mode: np.convolve(a, v, mode)) for mode in ("full", "same", "valid")}
    for mode, f in compiled.items():
        a, v = rng.normal(size=rng.integers(1, 9)), rng.normal(size=rng.integers(1, 5))
        a[rng.integers(a.size)], v[rng.integers(v.size)] = rng.choice([numpy.nan, numpy.inf, -numpy.inf, 1.0], 2)
        want = quietly(numpy.convolve, a, v, mode)
        numpy.testing.assert_allclose(quietly(f, a, v), want, rtol=1e-12, atol=1e-12, err_msg=f"seed {seed}, {mode}")


@pytest.mark.parametrize("nan", [numpy.inf, -numpy.inf, numpy.nan, 2.0])
def test_nan_to_num(nan):
    x = numpy.array([numpy.nan, 1.0, numpy.inf, -numpy.inf, -0.0])
    for options in ({}, {"posinf": numpy.nan}, {"posinf": -numpy.inf}, {"neginf": numpy.inf}):
        got = np.compile(lambda x, options=options: np.nan_to_num(x, nan=nan, **options))(x)
        assert same(numpy.asarray(got), numpy.nan_to_num(x, nan=nan, **options)).all()


@pytest.mark.parametrize("other", [3, 3.0, True, 3j])
def test_numbers_in_lists_are_not_weak(other):
    for dtype in ("f2", "f4", "i1", "?"):
        x = numpy.ones(2, dtype)
        got = np.compile(lambda x: np.array([x[0], other]))(x)
        assert got.dtype == numpy.array([x[0], other]).dtype


def test_widths_beyond_all_sizes():
    for dynamic in (False, True):
        with pytest.raises((ValueError, MemoryError)):
            np.compile(lambda x: np.pad(x, (2**62, 0)), dynamic=dynamic)(numpy.arange(3.0))
