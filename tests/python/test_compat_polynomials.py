"""Polynomials against NumPy (compositions.py)."""

from __future__ import annotations

import random

import numpy
import pytest
from compositions import ALL, _same, agree, some
from test_derivatives import check

import fastnp as np

EXPRESSIONS = [
    "N.polyval(p, x)",
    "N.polyval(p, x[0])",
    "N.polyval(p, 1.5)",
    "N.polyval(p, [1, 2])",
    "N.polyval(p[:0], x)",
    "N.polyval(p[:0], 2)",
    "N.polyval(p[0], x)",
    "N.polyval(N.stack([p, p]), x)",
    "N.polyadd(p, x)",
    "N.polyadd(x, p)",
    "N.polyadd(p, 2)",
    "N.polysub(p, x)",
    "N.polysub(x, p)",
    "N.polymul(p, x)",
    "N.polymul(p * 0, x)",
    "N.polymul(N.concatenate([p * 0, p]), x)",
    "N.polyder(p)",
    "N.polyder(p, 2)",
    "N.polyder(p, 9)",
    "N.polyder(p, m=0)",
    "N.polyder(p, -1)",
    "N.polyint(p)",
    "N.polyint(p, 2)",
    "N.polyint(p, 2, k=3)",
    "N.polyint(p, 2, [1, 2.5])",
    "N.polyint(p, 3, [1, 2])",
    "N.polyint(p, m=-1)",
    "N.poly(x)",
    "N.poly(x[:0])",
    "N.poly(x[None])",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dtype", ALL)
def test_expressions(expression: str, dtype: str) -> None:
    if dtype == "bool" and ("polysub" in expression or "-" in expression):
        return
    rng = random.Random()
    agree(expression, told=False, p=some(rng, dtype, (5,)), x=some(rng, dtype, (3,)))


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "complex128"])
def test_polydiv(dtype: str) -> None:
    rng = random.Random()
    for length in (1, 2, 5):
        u, v = some(rng, dtype, (length,)), some(rng, dtype, (rng.randint(1, 3),))
        v[0] = 2
        agree("N.polydiv(u, v)", tolerance=64, told=False, u=u, v=v)


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "complex64", "complex128"])
def test_roots(dtype: str) -> None:
    rng = random.Random()
    for p in ([1, -3, 2], [0, 0, 2, 1, 5, 0], [0, 0], [3], [1, 0, 1], [0, 4, 0, 0], [rng.randint(1, 9) for _ in range(4)]):
        mine, theirs = np.roots(np.asarray(p, dtype=dtype)), numpy.roots(numpy.array(p, dtype))
        assert mine.dtype == theirs.dtype and mine.shape == theirs.shape, p
        # Of pairs that are conjugate either may come first.
        one, other = (each[numpy.lexsort((each.imag, numpy.round(each.real, 4)))] for each in (numpy.asarray(mine), theirs))
        numpy.testing.assert_allclose(one, other, rtol=1e-4 if dtype[-1] in "24" else 1e-10, atol=1e-5)
    agree("N.roots(p)", compiled=False, p=numpy.ones((2, 2)))
    matrix = numpy.array([[2.0, 1.0], [1.0, 3.0]])
    numpy.testing.assert_allclose(np.poly(matrix), numpy.poly(matrix))


FITS = [
    "N.polyfit(x, y, 2)",
    "N.polyfit(x, y[:, None] * [1.0, 2.0], 1)",
    "N.polyfit(x, y, 2, w=x + 3)",
    "N.polyfit(x, y, 1, full=True)",
    "N.polyfit(x, y, 2, cov=True)",
    "N.polyfit(x, y, 2, cov='unscaled')",
    "N.polyfit(x, y[:, None] * [1.0, 2.0], 1, cov=True)",
    "N.polyfit(x, y, 7, cov=True)",
    "N.polyfit(x, y, -1)",
    "N.polyfit(x[None], y, 1)",
    "N.polyfit(x, y[1:], 1)",
    "N.polyfit(x[:0], y[:0], 1)",
    "N.polyfit(x, y, 1, w=x[1:])",
    "N.polyfit(x, y, 1, 1e-3)",
]


@pytest.mark.parametrize("expression", FITS)
def test_polyfit(expression: str) -> None:
    rng = random.Random()
    x, y = numpy.arange(7.0) / 4, some(rng, "float64", (7,))
    agree(expression, tolerance=1e6, native=False, told=False, x=x, y=y)  # eagerly NumPy's
    function = eval(f"lambda N, x, y: {expression}")  # an expression of the tests' own
    if expression in FITS[:7]:
        got = np.compile(lambda x, y: function(np, x, y), fullgraph=True)(np.asarray(x), np.asarray(y))
        _same(got, function(numpy, x, y), 1e6, expression)


def test_rank_warning() -> None:
    agree("N.polyfit(x, x, 2)", tolerance=1e6, native=False, compiled=False, x=numpy.ones(4))
    with pytest.warns(numpy.exceptions.RankWarning, match="poorly conditioned"):
        np.polyfit(np.ones(4), np.ones(4), 2)


def test_poly1d_stays() -> None:
    p = numpy.poly1d([1, 2])
    assert type(np.polyadd(p, p)) is numpy.poly1d and type(np.polyval(p, p)) is numpy.poly1d and np.polyval(p, 2) == 4


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    p, x = np.asarray(rng.normal(size=4)), np.asarray(rng.normal(size=3))
    check(lambda p, x: np.polyval(p, x), [p, x])
    check(lambda p, x: np.polyadd(p, x), [p, x])
    check(lambda p, x: np.polymul(p, x), [p, x])
    check(lambda p: np.polyder(p, 2), [p])
    check(lambda p: np.polyint(p, 2, k=[1.0, 2.0]), [p])
    check(lambda x: np.poly(x), [x])
    check(lambda p, x: np.polydiv(p, x)[0], [p, x + 3])
    check(lambda y: np.polyfit(np.arange(4.0), y, 1), [p])


def test_vmap() -> None:
    rng = numpy.random.default_rng()
    p, x = np.asarray(rng.normal(size=(3, 4))), np.asarray(rng.normal(size=5))
    want = numpy.stack([numpy.polyval(row, numpy.asarray(x)) for row in numpy.asarray(p)])
    numpy.testing.assert_allclose(np.vmap(lambda row: np.polyval(row, x))(p), want, rtol=1e-13)


def test_one_recording_for_all_sizes() -> None:
    p = np.asarray([1.0, -2.0, 3.0])
    value = np.compile(lambda x: (np.polyval(p, x), np.polyder(x), np.polyint(x)))
    for size in (5, 6, 9, 17, 33):
        x = numpy.arange(float(size))
        for got, want in zip(value(np.asarray(x)), (numpy.polyval(numpy.asarray(p), x), numpy.polyder(x), numpy.polyint(x)), strict=True):
            numpy.testing.assert_allclose(got, want)
    assert value.cache_info().misses <= 2
