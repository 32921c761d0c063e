"""Elements at other places, and more than once, against NumPy (compositions.py)."""

from __future__ import annotations

import random

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

MOVES = """
N.roll(x, 1); N.roll(x, -2, axis=0); N.roll(x, 7, axis=1); N.roll(x, (1, 2), axis=(0, 1)); N.roll(x, 1, axis=(0, 1)); N.roll(x, (1, 1), axis=1)
N.roll(x, 0); N.roll(x, 0, axis=-1); N.roll(x, (3, -3), (0, 0)); N.roll(x, [1, -1], [0, -1]); N.roll(x[:0], 1, axis=0); N.roll(x, 1.0, axis=0)
N.roll(x, 1, axis=5); N.roll(x, (1, 2), (0, 1, 1)); N.roll(x[0, 0], 1); N.roll(x[:2], 5, axis=0)
N.rot90(x); N.rot90(x, 2); N.rot90(x, -1); N.rot90(x, 4); N.rot90(x, axes=(1, 0)); N.rot90(x, k=7, axes=[0, -1]); N.rot90(x, 1, (0, 0))
N.rot90(x, 1, (0, 3))
N.rot90(x, axes=(0,)); N.rot90([[1, 2], [3, 4]])
N.rollaxis(x, 1); N.rollaxis(x, 0, 2); N.rollaxis(x, -1, 1); N.rollaxis(x, 0, -1); N.rollaxis(x, 3); N.rollaxis(x, 0, 5)
N.repeat(x, 2); N.repeat(x, 3, axis=0); N.repeat(x, 2, axis=-1); N.repeat(x, 0); N.repeat(x, 1); N.repeat(x, -1); N.repeat(x, 2, axis=4)
N.repeat(3, 2)
x.repeat(2); x.repeat(repeats=2, axis=1); N.repeat(x, 2.0); N.repeat(x, True)
N.tile(x, 2); N.tile(x, (2, 1)); N.tile(x, (1, 2)); N.tile(x, (2, 2, 3)); N.tile(x, 1); N.tile(x, (1, 1, 1)); N.tile(x, ()); N.tile(x, 0)
N.tile(x[:0], 2)
N.tile(x, [2, 3]); N.tile(3, 2); N.tile([1, 2], 2); N.tile(x, (2, -1)); N.tile(x[0], numpy.array([2, 2]))
N.resize(x, (2, 2)); N.resize(x, 30); N.resize(x, (3, 5)); N.resize(x[:0], (2, 2)); N.resize(x, (0, 3)); N.resize(x, -1); N.resize(x, ())
N.resize([1, 2], (2, 3))
N.atleast_3d(x); N.atleast_3d(x[0]); N.atleast_3d(x[0, 0]); N.atleast_3d(x, x[0]); N.atleast_3d(3, [1, 2]); N.atleast_3d()
N.unstack(x); N.unstack(x, axis=1); N.unstack(x, axis=-1); N.unstack(x[0]); N.unstack(x, axis=2); N.unstack(x[0, 0, ...])
"""
EXPRESSIONS = [each.strip() for line in MOVES.strip().splitlines() for each in line.split(";")]
# What NumPy's words or its way is left to NumPy.
LEFT = {"N.roll(x, 1.0, axis=0)", "N.repeat(x, 2.0)"}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_layouts(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        x = laid_out(rng, some(rng, rng.choice(ALL), (3, 4)))
        agree(expression, tolerance=0, native=expression not in LEFT, x=x)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
@pytest.mark.parametrize(
    "expression", ["N.roll(x, 1, axis=1)", "N.roll(x, (1, 2), axis=(0, 2))", "N.rot90(x, axes=(0, 2))", "N.rollaxis(x, 2)", "N.repeat(x, 2, axis=1)"]
)
def test_three_axes(expression: str, axes: tuple[int, ...]) -> None:
    agree(expression, tolerance=0, x=numpy.arange(24.0).reshape(2, 3, 4).transpose(axes))


def test_numbers_of_repeats() -> None:
    rng = random.Random()
    x, counts = laid_out(rng, some(rng, "float64", (4, 3))), some(rng, "int64", (4,)) % 4
    agree("N.repeat(x, counts, axis=0)", tolerance=0, native=False, x=x, counts=counts)
    agree("N.repeat(x, counts[:1], axis=1)", tolerance=0, native=False, x=x, counts=counts)
    agree("N.repeat(x, [1, 0, 2], axis=1)", tolerance=0, native=False, x=x)
    agree("N.repeat(x, counts - 5, axis=0)", x=x, counts=counts)
    agree("N.repeat(x, counts, axis=1)", x=x, counts=counts)
    agree("N.repeat(x, counts * 1.0, axis=0)", x=x, counts=counts)
    repeated = np.compile(lambda x, n: np.repeat(x, n), fullgraph=True)
    for _ in range(4):
        n = some(rng, "int64", (12,)) % 3
        numpy.testing.assert_array_equal(repeated(x, n), numpy.repeat(x, n))
    assert repeated.cache_info().misses <= 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.roll(x, 1),
        lambda x: np.roll(x, (1, -1), axis=(0, 1)),
        lambda x: np.rot90(x) ** 2,
        lambda x: np.repeat(x, 2, axis=1),
        lambda x: np.repeat(x, [2, 0, 1], axis=0),
        lambda x: np.tile(x, (2, 2)),
        lambda x: np.resize(x, (5, 4)),
        lambda x: np.atleast_3d(x) * 2,
        lambda x: np.unstack(x)[1] * 3,
        lambda x: np.rollaxis(x, 1) * 2,
    ],
)
def test_derivatives(function: object) -> None:
    check(function, [np.asarray(numpy.random.default_rng().normal(size=(3, 4)))])  # type: ignore[arg-type]


def test_one_recording_for_all_sizes() -> None:
    def moved(x: np.ndarray) -> tuple[np.ndarray, ...]:
        return np.roll(x, 2), np.roll(x, -1, axis=0), np.repeat(x, 2), np.tile(x, (2, 1)), np.resize(x, (x.shape[0] + 2,)), np.atleast_3d(x)

    compiled = np.compile(moved, fullgraph=True)
    for size in (5, 6, 9, 17, 33):
        x = numpy.arange(float(size))
        want = [numpy.roll(x, 2), numpy.roll(x, -1), numpy.repeat(x, 2), numpy.tile(x, (2, 1)), numpy.resize(x, size + 2), numpy.atleast_3d(x)]
        for got, wanted in zip(compiled(x), want, strict=True):
            numpy.testing.assert_array_equal(got, wanted)
    assert compiled.cache_info().misses <= 2


def test_views() -> None:
    x = np.array(numpy.arange(6.0).reshape(2, 3))
    for view in (np.rot90(x), np.rot90(x, 4), np.rollaxis(x, 1), np.atleast_3d(x), np.unstack(x)[1]):
        assert view.base is x
        view[...] = view + 1
    assert numpy.asarray(x).tolist() == (numpy.arange(6.0).reshape(2, 3) + [[4], [5]]).tolist()
    deep = np.ones((1, 2, 3))
    assert np.atleast_3d(deep) is deep
