"""Arrays joined, and elements put in and left out, against NumPy (compositions.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

JOINS = """
N.append(x, 3); N.append(x, x, axis=0); N.append(x, [1.5]); N.append(x, x, axis=-1); N.append(x, 3, axis=0); N.append(x, x[:, :2], axis=0)
N.append(x[0, 0], x); N.append([1, 2], 3)
N.insert(x, 1, 5); N.insert(x, 1, 5, axis=0); N.insert(x, -1, y, axis=1); N.insert(x, 4, y, axis=1); N.insert(x, 0, [1, 2, 3, 4], axis=0)
N.insert(x, 9, 5, axis=0)
N.insert(x, 1, x, axis=0); N.insert(x, 1, 1.7); N.insert(x, 12, 1); N.insert(x, -13, 1); N.insert([1, 2, 3], 1, 2.5); N.insert(x, 0, 1, axis=2)
N.delete(x, 1); N.delete(x, 1, axis=0); N.delete(x, -1, axis=1); N.delete(x, 4, axis=1); N.delete(x, slice(1, 3), axis=1)
N.delete(x, slice(None, None, 2), axis=1)
N.delete(x, slice(3, 0, -2), axis=1); N.delete(x, slice(5, 9)); N.delete(x, slice(2, 1), axis=0); N.delete(x, slice(-2, None), axis=0)
N.delete(x, numpy.int64(1), axis=0)
N.delete([1, 2, 3], 0); N.delete(x, 1, axis=7)
N.dstack([x, x]); N.dstack((x[0], y[0])) if False else N.dstack((x[0], x[1])); N.dstack([1, 2]); N.dstack([x, x[0]])
N.block([[x, x], [x, x]]); N.block([x, x]); N.block(x); N.block([[x], [x]]); N.block([x[0], 1, x[1]]); N.block([[[x, x]], [[x, x]]]); N.block(3)
N.block([[x, x], x]); N.block([]); N.block([[x, x], [x]]); N.block((x, x)); N.block([[x, y[:, None]], [x[:1], 7]]); N.block([[x * 1.5, x], [x, x]])
"""
EXPRESSIONS = [each.strip() for line in JOINS.strip().splitlines() for each in line.split(";")]
LISTS = """
N.insert(x, [0, 2], 7, axis=0); N.insert(x, [1, 1, 3], y[:, None], axis=1); N.insert(x, [0, 2], [1, 2]); N.insert(x, [1], 5, axis=0)
N.insert(x, [1], [[1], [2]], axis=0)
N.insert(x, places, 5, axis=1); N.insert(x, places[:1], 5, axis=1); N.insert(x, places[0], 5, axis=0); N.insert(x, [], 5, axis=0)
N.insert(x, slice(1, 3), 5, axis=0)
N.insert(x, places + 9, 5, axis=1); N.insert(x, mask, 5, axis=1); N.insert(x, [-1, -2], 5, axis=0); N.insert(x, [True, False], 5, axis=0)
N.delete(x, [0, 2], axis=0); N.delete(x, [1, 1, -1]); N.delete(x, places, axis=1); N.delete(x, mask, axis=1)
N.delete(x, [True, False, True], axis=0); N.delete(x, [], axis=0)
N.delete(x, places[0], axis=0); N.delete(x, places[:1], axis=0); N.delete(x, [5], axis=0); N.delete(x, [1, 5], axis=0); N.delete(x, mask, axis=0)
N.delete(x, [0.5], axis=0)
N.delete(x, [2], axis=0); N.delete(x, numpy.array([0, 1]), axis=1)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_layouts(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        dtype = rng.choice(ALL)
        agree(expression, tolerance=0, x=laid_out(rng, some(rng, dtype, (3, 4))), y=some(rng, dtype, (3,)))


@pytest.mark.parametrize("expression", [each.strip() for line in LISTS.strip().splitlines() for each in line.split(";")])
def test_places_in_lists_and_arrays(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        x = laid_out(rng, some(rng, rng.choice(ALL), (3, 4)))
        given: dict[str, Any] = {"places": numpy.array([0, 2]), "mask": numpy.array([True, False, True, False]), "y": some(rng, "int64", (3,))}
        agree(expression, tolerance=0, native=False, x=x, **{name: each for name, each in given.items() if name in expression})


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
@pytest.mark.parametrize(
    "expression", ["N.insert(x, 1, 5, axis=1)", "N.delete(x, 0, axis=0)", "N.append(x, x, axis=1)", "N.dstack([x, x])", "N.block([[x, x], [x, x]])"]
)
def test_three_axes(expression: str, axes: tuple[int, ...]) -> None:
    agree(expression, tolerance=0, x=numpy.arange(24.0).reshape(2, 3, 4).transpose(axes))


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_blocks(order: Any) -> None:
    x = numpy.asarray(numpy.random.default_rng().random((300, 500)), order=order)
    agree("N.block([[x, x], [x[:7], x[:7] * 2]])", tolerance=0, x=x)
    agree("N.block([[x, x], [x[:7], 2]])", compiled=False, x=x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.append(x, y),
        lambda x, y: np.insert(x, 1, y, axis=0),
        lambda x, y: np.insert(x, [0, 2, 2], y[:3, None], axis=1) if False else np.insert(x, [0, 2], y, axis=0),
        lambda x, y: np.delete(x, 1, axis=1) * 2,
        lambda x, y: np.delete(x, [0, 2], axis=0),
        lambda x, y: np.delete(x, slice(0, 4, 2), axis=1),
        lambda x, y: np.dstack([x, x * 2]),
        lambda x, y: np.block([[x, x], [x, 2 * x]]) + np.sum(y),
    ],
)
def test_derivatives(function: Any) -> None:
    rng = numpy.random.default_rng()
    check(function, [np.asarray(rng.normal(size=(3, 4))), np.asarray(rng.normal(size=4))])


def test_one_recording_for_all_sizes() -> None:
    def joined(x: np.ndarray) -> tuple[np.ndarray, ...]:
        return (
            np.append(x, 1.0),
            np.insert(x, 2, 7.0),
            np.insert(x, [1, 3], 7.0),
            np.delete(x, -1),
            np.delete(x, slice(1, 3)),
            np.block([x, x]),
            np.dstack([x, x]),
        )

    compiled = np.compile(joined, fullgraph=True)
    for size in (5, 6, 9, 17, 33):
        x = numpy.arange(float(size))
        want = [
            numpy.append(x, 1),
            numpy.insert(x, 2, 7),
            numpy.insert(x, [1, 3], 7),
            x[:-1],
            numpy.delete(x, slice(1, 3)),
            numpy.block([x, x]),
            numpy.dstack([x, x]),
        ]
        for got, wanted in zip(compiled(x), want, strict=True):
            numpy.testing.assert_array_equal(got, wanted)
    assert compiled.cache_info().misses <= 2
