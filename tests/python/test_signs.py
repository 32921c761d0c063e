"""Signs of zeros, infinities and NaN of sums and powers: NumPy's, whatever place a sum starts from, and however an exponent is said."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import DTYPES, assert_same_bits, parts_of, quietly

import fastnp as np

EXPONENTS: list[Any] = [-1, 0, 0.5, 1, 2, 3, -1.0, 1.0, 2.0, 1 + 0j, 2 + 0j]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "fc"], ids=str)
def test_powers_by_one_number(dtype):
    """Signs of zeros, infinities and NaN are NumPy's, which has other ways for some exponents, by how they are said."""
    tiny = numpy.dtype(dtype).type(0).real.dtype
    x = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1, -1, 4, numpy.finfo(tiny).max], dtype)
    if dtype.kind == "c":
        x = numpy.append(x, numpy.array([complex(0, -0.0), complex(-0.0, -0.0), 1j, complex(1, numpy.inf), complex(numpy.nan, 1)], dtype))
    for exponent in EXPONENTS:
        kinds = [exponent, numpy.asarray(exponent).astype(numpy.result_type(dtype, exponent))[()]]
        for e in (*kinds, numpy.asarray(kinds[1])):
            for function in (lambda m, x, e=e: x**e, lambda m, x, e=e: m.power(x, e)):
                want = quietly(function, numpy, x)
                results = [quietly(function, np, np.asarray(x))]
                if not isinstance(e, numpy.ndarray):  # what an array holds is not known there
                    results.append(quietly(np.compile(lambda x, function=function: function(np, x)), x))
                for got in results:
                    got = numpy.asarray(got)
                    assert got.dtype == want.dtype
                    for g, w in zip(parts_of(got), parts_of(want), strict=True):
                        alike = numpy.isnan(g) == numpy.isnan(w)
                        alike &= numpy.isnan(w) | (numpy.signbit(g) == numpy.signbit(w))
                        alike &= numpy.isclose(g, w, rtol=1e-3 if tiny == "e" else 1e-6, equal_nan=True)
                        assert alike.all(), f"{dtype} {e!r}: {x[~alike]} gives {got[~alike]} where NumPy has {want[~alike]}"


SUMS: list[Callable[[Any, Any], Any]] = [
    lambda m, x: m.sum(x),
    lambda m, x: x.sum(axis=0),
    lambda m, x: m.sum(x, axis=-1),
    lambda m, x: m.sum(x.T, axis=0),
    lambda m, x: m.sum(x, axis=()),
    lambda m, x: m.sum(x[:0], axis=0),
    lambda m, x: m.sum(x[:1], axis=0),
    lambda m, x: m.sum(x[::-1], axis=0, keepdims=True),
    lambda m, x: m.sum(x, initial=-0.0),
    lambda m, x: m.sum(x, initial=-0.0, axis=0),
    lambda m, x: m.sum(x, initial=0.0, axis=1),
    lambda m, x: m.sum(x, initial=-0.0, axis=1, where=x == 1),
    lambda m, x: m.sum(x, where=x == 0),
    lambda m, x: m.sum(x, where=x == 1, axis=1),
    lambda m, x: m.sum(x, dtype="c16"),
    lambda m, x: m.sum(x, axis=0, out=m.full(x.shape[1:], -0.0, x.dtype)),
    lambda m, x: m.sum(x * x[::-1] * -1),
    lambda m, x: m.add.reduce(x),
    lambda m, x: m.add.accumulate(x),
    lambda m, x: m.cumsum(x),
    lambda m, x: m.mean(x, axis=0),
    lambda m, x: m.nansum(x, axis=1),
    lambda m, x: m.trace(x),
    lambda m, x: m.dot(x, m.ones_like(x.T)),
    lambda m, x: x[0] @ m.ones_like(x[0]),
    lambda m, x: m.vecdot(x, m.ones_like(x)),
    lambda m, x: m.inner(x, m.ones_like(x)),
    lambda m, x: m.einsum("ij->i", x),
    lambda m, x: m.einsum("ij,ij->j", x, m.ones_like(x)),
    lambda m, x: m.convolve(x[0], m.ones_like(x[0])),
]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "fc"], ids=str)
def test_signs_of_sums(dtype):
    """Sums of -0.0 alone, of nothing, and from -0.0."""
    seed = random.randrange(10**9)
    rng = random.Random(seed)
    for shape in ((1, 1), (rng.randrange(1, 5), rng.randrange(1, 5)), (rng.randrange(2, 40), rng.randrange(2, 40)), (3, 200)):
        x = numpy.full(shape, -0.0, dtype)
        if dtype.kind == "c":
            x.imag = -0.0
        compiled = np.compile(lambda x: [function(np, x) for function in SUMS])(x)
        for number, function in enumerate(SUMS):
            want = function(numpy, x)
            for got in (function(np, np.asarray(x)), compiled[number]):
                assert_same_bits(got, want, f"sum {number} of {dtype}{shape}, seed {seed}")


CLIPS: list[Callable[[Any, Any, Any], Any]] = [
    lambda m, x, y: m.clip(x, 0, 1),
    lambda m, x, y: m.clip(x, -0.0, 1),
    lambda m, x, y: m.clip(x, -1, 0),
    lambda m, x, y: m.clip(x, -1, -0.0),
    lambda m, x, y: m.clip(x, 0.0, None),
    lambda m, x, y: m.clip(x, None, -0.0),
    lambda m, x, y: m.clip(x, y, 1),
    lambda m, x, y: m.clip(x, y, y),
    lambda m, x, y: m.clip(x[:1], y, x),
    lambda m, x, y: m.maximum(x, y),
    lambda m, x, y: m.minimum(x, y),
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("size", [1, 3, 8, 33])
def test_zeros_beside_bounds(dtype, size):
    """Of zeros of two signs the one that NumPy takes: halves have another way."""
    x = numpy.resize(numpy.array([-0.0, 0.0, 0.5, -2], dtype), size)
    for y in (x * 0, x * -0.0, numpy.zeros(size, dtype), -numpy.zeros(size, dtype)):
        for number, function in enumerate(CLIPS):
            want = quietly(function, numpy, x, y)
            assert_same_bits(quietly(function, np, np.asarray(x), np.asarray(y)), want, f"clip {number}")
            assert_same_bits(quietly(np.compile(lambda x, y, function=function: function(numpy, x, y)), x, y), want, f"compiled clip {number}")


@pytest.mark.parametrize("dtype", ["e", "f", "d"])
def test_the_next_number_of_a_zero(dtype):
    """Between the two zeros: the second one, but the first one of float16, as NumPy before 2.5 gave."""
    x, y = numpy.meshgrid(numpy.array([0.0, -0.0, 1.0], dtype), numpy.array([-0.0, 0.0, -1.0], dtype))
    want = numpy.where(x == y, x, numpy.nextafter(x, y)).astype(dtype) if dtype == "e" else numpy.nextafter(x, y)
    for got in (np.nextafter(np.asarray(x), np.asarray(y)), np.compile(lambda x, y: np.nextafter(x, y))(x, y)):
        assert_same_bits(numpy.asarray(got), want, dtype)
