"""Comparisons within tolerances, of whole arrays, and with infinities against NumPy (compositions.py)."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy
import pytest
from compositions import ALL, agree, laid_out, some

import fastnp as np

PAIRS = [
    "N.isclose(x, y)",
    "N.isclose(x, y, 0.5)",
    "N.isclose(x, y, atol=2.0)",
    "N.isclose(x, y, rtol=0, atol=0)",
    "N.isclose(x, y, equal_nan=True)",
    "N.isclose(x, 1)",
    "N.isclose(2.5, y)",
    "N.isclose(x, 1 + 1j)",
    "N.isclose(x, True)",
    "N.isclose(x, N.asarray(y)[0])",
    "N.isclose(x, y, rtol=N.asarray(1e-3))",
    "N.isclose(x, y, atol=N.ones(4))",
    "N.isclose(x[0, 0], y[0, 0])",
    "N.allclose(x, y)",
    "N.allclose(x, x)",
    "N.allclose(x, x, equal_nan=True)",
    "N.allclose(x, y, atol=100.0)",
    "N.array_equal(x, y)",
    "N.array_equal(x, x * 1)",
    "N.array_equal(x, x * 1, equal_nan=True)",
    "N.array_equal(x, y, equal_nan=True)",
    "N.array_equal(x, x[:1])",
    "N.array_equal(x, x[0])",
    "N.array_equiv(x, x[0])",
    "N.array_equiv(x, x * 1)",
    "N.array_equiv(x, x[:, :2])",
    "N.array_equiv(x * 0, 0)",
]
ONE = [
    "N.isneginf(x)",
    "N.isposinf(x)",
    "N.isneginf(x[0])",
    "N.isposinf(x[0, 0])",
    "N.isposinf(x, N.zeros((3, 4), dtype=bool))",
    "N.isposinf(x, out=N.zeros((3, 4), dtype='i4'))",
    "N.isreal(x)",
    "N.isreal(x.T)",
    "N.isreal(x[0, 0])",
    "N.iscomplex(x)",
    "N.iscomplex(x[1, 1])",
    "N.iscomplex(x.T)",
    "N.isrealobj(x)",
    "N.iscomplexobj(x)",
    "N.isscalar(x)",
]


@pytest.mark.parametrize("expression", PAIRS)
@pytest.mark.parametrize("dtype", ALL)
def test_pairs(expression: str, dtype: str) -> None:
    rng = random.Random()
    x, y = (laid_out(rng, some(rng, each, (3, 4), specials=rng.random() < 0.5)) for each in (dtype, rng.choice(ALL)))
    agree(expression, x=x, y=y)


@pytest.mark.parametrize("expression", ONE)
@pytest.mark.parametrize("dtype", ALL)
def test_one(expression: str, dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 4), specials=rng.random() < 0.7))
    agree(expression, x=x)


NUMBERS = [
    "N.isclose(1.0, 1.0 + 1e-9)", "N.isclose(float('nan'), float('nan'), equal_nan=True)", "N.isclose(float('inf'), float('inf'))",
    "N.isclose(1, True)", "N.isclose([1, 2], [1.0, 2.0])", "N.allclose([1e10, 1e-7], [1.00001e10, 1e-8])", "N.array_equal([1, 2], [1, 2])",
    "N.array_equal([1], (1, 2))", "N.array_equiv([1, 2], [[1, 2], [1, 2]])", "N.array_equiv([1, 2], [[1, 2], [1, 3]])", "N.isreal(5)",
    "N.isreal(2j)", "N.isreal(1.5)", "N.isreal([1j, 2])", "N.isreal(numpy.float64(1))", "N.iscomplex(1j)", "N.iscomplex([1 + 1j, 2])", "N.iscomplex(3)",
    "N.isrealobj(1j)", "N.isrealobj([1, 2])", "N.iscomplexobj([1, 2j])", "N.iscomplexobj(numpy.complex64(1))", "N.isscalar(3)", "N.isscalar('a')",
    "N.isscalar([3])", "N.isscalar(numpy.float32(1))", "N.isscalar(None)", "N.isposinf([1.0, float('inf')])", "N.isneginf(-float('inf'))",
    "N.isposinf(1j)", "N.isclose([1, 2], [1, 2, 3])", "N.allclose([], [])", "N.array_equal([], [])",
]  # fmt: skip


@pytest.mark.parametrize("expression", NUMBERS)
def test_numbers(expression: str) -> None:
    agree(expression, compiled=False)


def test_of_python() -> None:
    assert np.isscalar(Fraction(1, 2)) and not np.isscalar(object())
    assert np.isscalar(np.ones(3).sum()) and not np.isscalar(np.asarray(1.0))
    kinds = np.compile(lambda x: x + 1 if np.isscalar(x.sum()) and not np.isscalar(x) and np.isrealobj(x) else x)
    assert kinds(np.ones(3)).tolist() == [2.0] * 3


def test_warnings() -> None:
    inf = numpy.array([numpy.inf, 1.0])
    agree("N.isclose(x, x)", x=inf)
    agree("N.isclose(x, x, rtol=float('inf'))", native=False, x=inf)
    agree("N.isclose(x * 1e308, -x * 1e308)", x=numpy.array([1.5, 1.0]))
    with numpy.errstate(all="raise"):
        assert np.isclose(np.asarray(inf), np.asarray(inf)).all() and np.allclose(np.asarray(inf), np.asarray(inf))


def test_answers_are_branches() -> None:
    @np.compile
    def branch(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x + 1 if np.allclose(x, y) else x - 1

    x, y = np.zeros(4), np.ones(4)
    for _ in range(2):
        assert branch(x, x).tolist() == [1.0] * 4 and branch(x, y).tolist() == [-1.0] * 4


def test_vmap_and_derivatives() -> None:
    x, y = np.asarray(numpy.arange(6.0).reshape(2, 3)), np.asarray([0.0, 1.0, 5.0])
    close = np.vmap(lambda row: np.isclose(row, y))(x)
    assert close.tolist() == numpy.isclose(numpy.asarray(x), numpy.asarray(y)).tolist()
    assert np.grad(lambda v: np.where(np.isclose(v, 1.0), v * 3, v).sum())(y).tolist() == [1.0, 3.0, 1.0]


def test_one_recording_for_all_sizes() -> None:
    near = np.compile(lambda x, y: np.isclose(x, y))
    for size in (5, 6, 9, 17, 33):
        x = numpy.arange(float(size))
        assert near(np.asarray(x), np.asarray(x)).all()
    assert near.cache_info().misses <= 2
