"""Arrays as sets, and orders by several keys, against NumPy (compositions.py)."""

from __future__ import annotations

import random

import numpy
import pytest
from compositions import ALL, agree, laid_out, no_fallbacks, some

import fastnp as np

EXPRESSIONS = [
    "N.isin(x, y)",
    "N.isin(x, y, invert=True)",
    "N.isin(x, y, assume_unique=True)",
    "N.isin(x, y[:0])",
    "N.isin(x, y, kind='sort')",
    "N.isin(x[0, 0], y)",
    "N.isin(x, 2)",
    "N.isin(x, [1, 2])",
    "N.union1d(x, y)",
    "N.intersect1d(x, y)",
    "N.intersect1d(x, y, return_indices=True)",
    "N.intersect1d(N.unique(x), N.unique(y), assume_unique=True)",
    "N.intersect1d(N.unique(x), N.unique(y), assume_unique=True, return_indices=True)",
    "N.setdiff1d(x, y)",
    "N.setdiff1d(N.unique(x), N.unique(y), assume_unique=True)",
    "N.setxor1d(x, y)",
    "N.setxor1d(x[:0], y[:0])",
    "N.unique_counts(x)",
    "N.unique_inverse(x)",
    "N.unique_all(x)",
    "N.sort(N.unique_values(x))",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dtype", ALL)
def test_sets(expression: str, dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 4), specials=rng.random() < 0.3))
    y = some(rng, rng.choice([dtype, "float64"]), (5,))
    if "intersect1d(N.unique(x), N.unique(y)" in expression and y.dtype != x.dtype:
        y = y.astype(dtype)
    # In order NumPy's loops are faster than fastnp's, eagerly.
    agree(expression, tolerance=0, native="isin" in expression, told=False, x=x, y=y)


RECORDED = [each.replace("N.sort(N.unique_values(x))", "N.unique_values(x)") for each in EXPRESSIONS if "assume_unique" not in each]


@pytest.mark.parametrize("expression", RECORDED)
def test_recorded(expression: str) -> None:
    rng = random.Random()
    x, y = some(rng, "float64", (3, 4)), some(rng, "float64", (5,))
    function = eval(f"lambda N, x, y: {expression}")  # an expression of the tests' own
    compiled = np.compile(lambda x, y: tuple(made) if isinstance(made := function(np, x, y), tuple) else (made,), fullgraph=True)
    want = function(numpy, x, y)
    with no_fallbacks():
        got = compiled(np.asarray(x), np.asarray(y))
    for a, b in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
        numpy.testing.assert_array_equal(numpy.sort(a) if "unique_values" in expression else a, numpy.sort(b) if "unique_values" in expression else b)


def test_many_others() -> None:
    rng = random.Random()
    x, y = some(rng, "float64", (300,)), some(rng, "float64", (90,))
    agree("N.isin(x, y)", native=False, x=x, y=y)
    agree("N.isin(x, y)", x=some(rng, "int64", (300,)), y=some(rng, "int64", (90,)))
    recorded = np.compile(lambda x: np.isin(x, np.asarray(y)), fullgraph=True)
    numpy.testing.assert_array_equal(recorded(np.asarray(x)), numpy.isin(x, y))


def test_wide_integers() -> None:
    rng = random.Random()
    x = numpy.array([rng.choice([0, 2**62, -(2**62), 5]) for _ in range(9)])
    agree("N.isin(x, y)", x=x, y=numpy.array([5, 2**62]))
    agree("N.isin(x, y)", native=False, x=x, y=numpy.array([5, 2**63], numpy.uint64))
    agree("N.isin(x, y, kind='table')", native=False, x=x, y=numpy.array([5, 6]))


LEXSORTS = ["N.lexsort((x, y))", "N.lexsort([x, y, x])", "N.lexsort((x,))", "N.lexsort(z)", "N.lexsort((z, z[::-1]), axis=0)", "N.lexsort((x, y[:2]))"]


@pytest.mark.parametrize("expression", [*LEXSORTS, "N.lexsort((z,))", "N.lexsort(())"])
@pytest.mark.parametrize("dtype", ALL)
def test_lexsort(expression: str, dtype: str) -> None:
    rng = random.Random()
    x, y = (some(rng, each, (7,)) for each in (dtype, rng.choice(ALL)))
    z = some(rng, dtype, (3, 5))
    agree(expression, native=False, x=x, y=y, z=z)
    if "y[:2]" not in expression and expression != "N.lexsort((z,))" and expression != "N.lexsort(())":
        function = eval(f"lambda N, x, y, z: {expression}")  # an expression of the tests' own
        with no_fallbacks():
            got = np.compile(lambda *given: function(np, *given), fullgraph=True)(*map(np.asarray, (x, y, z)))
        numpy.testing.assert_array_equal(got, function(numpy, x, y, z))


def test_named_results() -> None:
    found = np.unique_all(np.asarray([3, 1, 3]))
    assert type(found) is type(numpy.unique_all([1])) and found.values.tolist() == [1, 3] and found.counts.tolist() == [1, 2]
    assert np.unique_counts([2, 2])._fields == ("values", "counts")


def test_vmap() -> None:
    x = np.asarray(numpy.random.default_rng().integers(0, 6, size=(3, 5)))
    want = numpy.stack([numpy.isin(row, [1, 4]) for row in numpy.asarray(x)])
    numpy.testing.assert_array_equal(np.vmap(lambda row: np.isin(row, np.asarray([1, 4])))(x), want)
    want = numpy.stack([numpy.lexsort((row, row % 2)) for row in numpy.asarray(x)])
    numpy.testing.assert_array_equal(np.vmap(lambda row: np.lexsort((row, row % 2)))(x), want)


def test_sizes_that_differ_from_part_to_part() -> None:
    x = np.asarray([[1.0, 2.0, 2.0], [3.0, 3.0, 1.0]])
    found = np.vmap(lambda row: np.unique_inverse(row).inverse_indices)(x)
    numpy.testing.assert_array_equal(found, [[0, 1, 1], [1, 1, 0]])


def test_one_recording_for_all_sizes() -> None:
    both = np.compile(lambda x, y: (np.isin(x, y), np.union1d(x, y), np.setdiff1d(x, y)))
    for size in (5, 6, 9, 17, 33):
        x, y = numpy.arange(float(size)), numpy.arange(float(size)) * 2
        for got, want in zip(both(np.asarray(x), np.asarray(y)), (numpy.isin(x, y), numpy.union1d(x, y), numpy.setdiff1d(x, y)), strict=True):
            numpy.testing.assert_array_equal(got, want)
    assert both.cache_info().misses <= 2
