"""Samples, grids, windows and choices against NumPy (compositions.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from compositions import ALL, FLOATS, agree, laid_out, some
from support import IS_NUMPY_2_5
from test_derivatives import check

import fastnp as np

PLAIN = """
N.linspace(0, 1, 5, retstep=True); N.linspace(2, 2, 4, retstep=True); N.linspace(0, 1, 1, retstep=True)[0]; N.linspace(0, 1, 0, retstep=True)[0]
N.linspace(0, 1, 1, False, True)
N.linspace([0, 1], [2, 5], 4); N.linspace([0, 1], 3, 4, axis=1); N.linspace([0, 1], [2, 5], 4, endpoint=False, axis=-1)
N.linspace([1, 2], [1, 5], 3, dtype=int)
N.linspace(numpy.float32(0), 1, 5); N.linspace(0, 1j, 5); N.linspace(0, 1, 5, axis=1); N.linspace([0], 1, -1)
N.linspace([0.0, 1], [[1], [2]], 3, retstep=True)
N.logspace(0, 2, 5); N.logspace(0, 1, 3, base=2); N.logspace(0, 2, 4, endpoint=False, dtype=int); N.logspace([0, 1], 2, 3, axis=1)
N.logspace(0, 1, 3, base=[2, 3])
N.logspace(0, 1, 3, base=[2, 3], axis=-1); N.logspace(0, 2, 0)
N.geomspace(1, 1000, 4); N.geomspace(1, 256, 9, dtype=int); N.geomspace(-1000, -1, 4); N.geomspace(1, 8, 3, endpoint=False)
N.geomspace([1, 2], [8, 200], 4, axis=1)
N.geomspace(1j, 1000j, 4); N.geomspace(0, 3, 3); N.geomspace(1, 2, 1); N.geomspace(1, 2, 0); N.geomspace(numpy.float32(1), 2, 3)
N.geomspace(-1, 1, 4)
N.indices((2, 3)); N.indices((2, 3), sparse=True); N.indices((2, 2), dtype=float); N.indices((), int); N.indices((0, 2)); N.indices([2, 1, 2], 'i4')
N.indices(3)
N.bartlett(5); N.blackman(6); N.hamming(7); N.hanning(8); N.hanning(1); N.hanning(0); N.bartlett(-2); N.kaiser(5, 2.0); N.kaiser(1, 3)
N.kaiser(0, 3); N.kaiser(6, 14)
N.hanning(5.0); N.hamming(4.5); N.kaiser(numpy.int64(4), 0)
N.vander([1, 2, 3]); N.vander([1, 2], 4, increasing=True); N.vander([1.5], 0); N.vander([[1]]); N.ix_([0, 1], [True, False]); N.ix_([]); N.ix_([[1]])
N.meshgrid([1, 2], [3, 4, 5]); N.meshgrid(); N.meshgrid(3); N.meshgrid([1], [2], indexing='no')
N.i0(3); N.i0(0.5); N.i0([1, 20]); N.i0(1j)
N.broadcast_shapes((2, 1), (3,), ()); N.broadcast_shapes(3, (1, 1)); N.broadcast_shapes(); N.broadcast_shapes((2,), (3,))
N.broadcast_shapes((0, 1), (1, 4))
"""
LEFT = {"N.hanning(5.0)", "N.hamming(4.5)"}


@pytest.mark.parametrize("expression", [each.strip() for line in PLAIN.strip().splitlines() for each in line.split(";")])
def test_of_numbers(expression: str) -> None:
    agree(expression, tolerance=64, native=expression not in LEFT)


ARRAYS = """
N.linspace(a, b, 5); N.linspace(a, b, 4, retstep=True, axis=1); N.linspace(a, 1, 3, endpoint=False); N.linspace(a[0], b[0], 3); N.vander(a)
N.vander(a, 2, increasing=True)
N.meshgrid(a, b); N.meshgrid(a, b, indexing='ij'); N.meshgrid(a, b, sparse=True); N.meshgrid(a, b, a, copy=False)
N.meshgrid(a, b, copy=False, sparse=True)
N.meshgrid(a, copy=False); N.ix_(a, b); N.ix_(a > 0, b)
"""


@pytest.mark.parametrize("expression", [each.strip() for line in ARRAYS.strip().splitlines() for each in line.split(";")])
def test_of_arrays(expression: str) -> None:
    rng = random.Random()
    for dtype in rng.sample([each for each in ALL if each != "bool"], 3):
        a, b = (laid_out(rng, some(rng, dtype, (4,))) for _ in range(2))
        if IS_NUMPY_2_5 and "copy=False, sparse=True" in expression:  # a tuple there, a list here
            expression = expression if expression.startswith("list") else f"list({expression})"
        agree(expression, tolerance=64, told=False, native="copy=False" not in expression and "ix_" not in expression, a=a, b=b)


@pytest.mark.parametrize("dtype", FLOATS)
def test_bessel(dtype: str) -> None:
    rng = random.Random()
    for x in (some(rng, dtype, (3, 4), specials=True) * 5, some(rng, dtype, (3, 4)), some(rng, dtype, (5,)) / 64 + 20):
        agree("N.i0(x)", tolerance=32, told=False, x=laid_out(rng, numpy.asarray(x, dtype)))


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    a, b = (np.asarray(rng.uniform(0.5, 3, size=3)) for _ in range(2))
    check(lambda a, b: np.linspace(a, b, 4), [a, b])
    check(lambda a, b: np.logspace(a, b, 3, base=2.0), [a, b])
    check(lambda a, b: np.geomspace(a, b, 4), [a, b])
    check(lambda a: np.vander(a, 4), [a])
    check(lambda a, b: np.meshgrid(a, b)[0] * np.meshgrid(a, b)[1], [a, b])
    check(lambda a: np.i0(a * 5), [a], tolerance=1e-5)
    check(lambda a: np.kaiser(5, a[0]), [a], tolerance=1e-5)


def test_one_recording_for_all_sizes() -> None:
    def made(x: np.ndarray) -> tuple[Any, ...]:
        n = x.shape[0]
        windows = np.hanning(n), np.hamming(n), np.blackman(n), np.bartlett(n), np.kaiser(n, 3.0)
        return *windows, np.indices((n, 2)), np.vander(x, 3), np.meshgrid(x, x)[1], np.linspace(x[0], x[1], n), np.ix_(x, x)[0] + 0

    compiled = np.compile(made, fullgraph=True)
    for n in (5, 6, 9, 17, 33):
        x = numpy.random.default_rng().random(n)
        windows = numpy.hanning(n), numpy.hamming(n), numpy.blackman(n), numpy.bartlett(n), numpy.kaiser(n, 3.0)
        want = *windows, numpy.indices((n, 2)), numpy.vander(x, 3), numpy.meshgrid(x, x)[1], numpy.linspace(x[0], x[1], n), numpy.ix_(x, x)[0]
        for got, wanted in zip(compiled(x), want, strict=True):
            numpy.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)
    assert compiled.cache_info().misses <= 2


def test_grids_of_views() -> None:
    x, y = np.asarray([1.0, 2.0]), np.asarray([3.0, 4.0, 5.0])
    grids = np.meshgrid(x, y, copy=False, sparse=True)
    assert type(grids) is list and grids[0].base is x and grids[1].base is y
    grids[0][0, 0] = 7
    assert x[0] == 7
