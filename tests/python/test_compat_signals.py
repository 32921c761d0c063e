"""Interpolation and convolutions against NumPy (compositions.py)."""

from __future__ import annotations

import random

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

MODES = ["full", "same", "valid"]
INTERPS = [
    "N.interp(x, xp, fp)",
    "N.interp(x, xp, fp, left=-1.0)",
    "N.interp(x, xp, fp, right=7, left=2)",
    "N.interp(x, xp, fp, period=5.5)",
    "N.interp(x, xp[::-1], fp, period=-7)",
    "N.interp(x[0, 0], xp, fp)",
    "N.interp(1.25, xp, fp)",
    "N.interp(x, xp[:1], fp[:1])",
    "N.interp(x, xp[:1], fp[:1], 1.0, 2.0)",
    "N.interp(x, xp[:2], fp[:2])",
    "N.interp(x, xp, fp[:2])",
    "N.interp(x, xp[:0], fp[:0])",
    "N.interp(x, xp, fp, period=0)",
    "N.interp(x, xp, fp, fp)",
    "N.interp(x, xp, x)",
    "N.interp(x, xp, fp * 1j, left=1j)",
    "N.interp(xp, xp, fp)",
    "N.interp([0.5, 1.5], [0, 1, 2], [3, 4, 6])",
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ALL)
def test_convolutions(mode: str, dtype: str) -> None:
    rng = random.Random()
    for name in ("convolve", "correlate"):
        a, v = (laid_out(rng, some(rng, each, (rng.randint(1, 9),))) for each in (dtype, rng.choice([dtype, rng.choice(ALL)])))
        agree(f"N.{name}(a, v, {mode!r})", told=False, a=a, v=v)


@pytest.mark.parametrize("expression", ["N.convolve(a, v)", "N.convolve(a, v, 'same')", "N.correlate(v, a)", "N.correlate(a, v, mode='full')"])
def test_long_convolutions(expression: str) -> None:
    rng = random.Random()
    sizes = [(rng.randint(2000, 9000), rng.randint(1, 9)), (rng.randint(60, 300), rng.randint(60, 300))]
    for first, second in sizes:
        agree(expression, a=some(rng, "float64", (first,)), v=some(rng, "float64", (second,)))


ERRORS = ["N.convolve(a, v[:0])", "N.convolve(a[:0], v)", "N.correlate(a[:0], v)", "N.correlate(a, v[:0])", "N.convolve(2, v)", "N.convolve(a[None], v)"]


@pytest.mark.parametrize("expression", [*ERRORS, "N.correlate(2, v)", "N.convolve(a, v, 'none')"])
def test_errors(expression: str) -> None:
    agree(expression, a=numpy.arange(4.0), v=numpy.arange(3.0))


def test_infinities_stay_where_they_are() -> None:
    a = numpy.array([1.0, numpy.inf, 2.0, numpy.nan, 3.0])
    agree("N.convolve(a, v)", told=False, a=a, v=numpy.array([1.0, 2.0]))


@pytest.mark.parametrize("expression", INTERPS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_interp(expression: str, dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, "float64" if dtype == "bool" else dtype, (3, 4), specials=rng.random() < 0.3))
    xp = numpy.cumsum(numpy.array([1.0 if dtype == "int64" else rng.choice([0.25, 0.5, 1.0]) for _ in range(5)])) - 1
    agree(expression, told=False, x=x, xp=xp.astype("float64" if dtype == "bool" else dtype), fp=some(rng, dtype, (5,), specials=rng.random() < 0.2))


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x, xp, fp = np.asarray(rng.uniform(-1, 5, size=6)), np.asarray([0.0, 1.0, 2.5, 4.0]), np.asarray(rng.normal(size=4))
    check(lambda x, fp: np.interp(x, xp, fp), [x, fp])
    check(lambda x, xp, fp: np.interp(x, xp, fp, period=4.5), [x, xp, fp])
    a, v = np.asarray(rng.normal(size=5)), np.asarray(rng.normal(size=3))
    for mode in MODES:
        check(lambda a, v, mode=mode: np.convolve(a, v, mode), [a, v])
        check(lambda a, v, mode=mode: np.correlate(a, v, mode), [a, v])
        check(lambda a, v, mode=mode: np.correlate(v, a, mode), [a, v])


def test_vmap() -> None:
    rng = numpy.random.default_rng()
    x, xp, v = np.asarray(rng.normal(size=(3, 5))), np.asarray(numpy.sort(rng.normal(size=5))), np.asarray(rng.normal(size=3))
    for function in (
        lambda m, row: m.interp(row, m.asarray(xp), row),
        lambda m, row: m.convolve(row, m.asarray(v)),
        lambda m, row: m.correlate(m.asarray(v), row, "same"),
    ):
        want = numpy.stack([function(numpy, row) for row in numpy.asarray(x)])
        numpy.testing.assert_allclose(np.vmap(lambda row, function=function: function(np, row))(x), want, rtol=1e-12, atol=1e-13)


def test_one_recording_for_all_sizes() -> None:
    v = np.asarray([1.0, -2.0, 1.0])
    smooth = np.compile(lambda x: np.convolve(x, v, "same"))
    between = np.compile(lambda x, xp: np.interp(x, xp, xp * 2))
    for size in (5, 6, 9, 17, 33):
        x = numpy.arange(float(size)) ** 2
        numpy.testing.assert_allclose(smooth(np.asarray(x)), numpy.convolve(x, numpy.asarray(v), "same"))
        numpy.testing.assert_allclose(between(np.asarray(x[:4] + 0.5), np.asarray(x)), numpy.interp(x[:4] + 0.5, x, x * 2))
    assert smooth.cache_info().misses <= 2 and between.cache_info().misses <= 2
