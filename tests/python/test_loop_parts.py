"""What native loops go over: parts of arrays, rows, tuples and lists; left in the middle, and entered there again."""

from __future__ import annotations

from typing import Any

import loop_parts as loops
import numpy
import pytest
from support import SEED
from test_loop_tuples import check

import fastnp as np

RNG = numpy.random.default_rng(SEED)
X, M, Y = RNG.normal(size=30), RNG.normal(size=(30, 3)), RNG.normal(size=9)
BOUNDS = [(1, 20, 1), (0, 30, 2), (None, None, 3), (-1, 0, -1), (5, 2, 1), (25, 100, 1), (-4, None, -3)]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "B", "?"])
def test_slices(dtype: str) -> None:
    x = (X * 3).astype(dtype)
    check(loops.over_slice, [(x, *bounds, []) for bounds in BOUNDS])
    check(loops.over_slice, [(y, *bounds, []) for bounds in BOUNDS[:2] for y in (x[::-1], x[3:], x[:0], x.astype(">f8"))])
    check(loops.backward, [(x, []), (x[:1], []), (x[:0], [])])
    check(loops.segments, [(x, numpy.array(each), []) for each in ([0, 3, 3, 10, 30], [0], [5, 2, 40])])


def test_what_changes_meanwhile() -> None:
    check(loops.bounds_change, [(X, 1, 20, []), (X, 0, 30, []), (X, 1, 20, []), (X, -5, 100, [])])
    check(loops.shifted, [(X,), (X[:2],), (X[:1],), ((X * 5).astype("i2"),)])
    check(loops.bound_to_a_number, [(X, Y, []), (X[:0], Y, [])])
    check(loops.bound_to_an_array, [(X, Y, []), (X[:1], Y, [])])
    check(loops.changes_tuple, [(X, []), (X.astype("f4"), [])])
    check(loops.changes_global, [(X, [], (5, 6, 7)), (X, [], (5, 6.5)), (X, [], (1, 2, 3))])
    check(loops.changes_bound, [(X, [], 5), (X, [], 3)])
    check(loops.counted_from, [(X, 0, []), (X, 2**61, []), (X, 2**63, []), (X, -5, []), (X, 1.5, [])])


def test_rows_of_arrays() -> None:
    check(loops.over_rows, [(M, []), (M.T[:2], []), (numpy.asfortranarray(M), []), (M[:1], []), (M[:, :1], [])])
    check(loops.over_a_row, [(M, 2, []), (M, -1, []), (M, 40, []), (M, numpy.int64(3), []), (M[::-1], 2, [])])
    check(loops.areas, [(M, []), (M[:1], []), (M[:, :2], []), (M.astype("f4"), []), (M, [5])])
    check(loops.ends_or_returns, [(X, []), (-X, []), (X * 0.1, []), (X[:2], [])])
    check(loops.strictly, [(x, y, t, []) for x in (X, Y[1:], X[:2]) for y in (X, Y, Y[:3]) for t in ((1, 2), (0.5, 2.5, 1.5))])
    check(loops.smallest_rise, [(X, Y), (X * 3, Y), (X[:1], Y), (X, Y[:0])])


def test_tuples_and_lists() -> None:
    check(loops.over_thresholds, [(X, (1, 2, 3), []), (X, (1, 2.5, -1), []), (X, (numpy.float32(0.5), numpy.float32(1)), []), (X, (), [])])
    floats = list(map(float, X))
    check(loops.over_a_list, [(floats, []), ([1, 2, 3, 4, 5], []), ([], []), (list(X), []), ([1, 2.5], []), (["text"], [])])
    check(loops.over_a_growing_list, [(floats, []), ([5.0], []), ([3, 1], [])])
    check(loops.over_a_table, [([[1, 2, 3], [2, 1, 4]], []), ([[1.0, 0.5], [2.5, 1.0]], []), ([[1], [2, 3]], [])])


def test_what_is_made() -> None:
    check(loops.over_what_is_made, [(X, X[:5], []), (X[:0], Y, []), (X / 9, Y, [])])
    k = RNG.integers(0, 30, 9)
    check(loops.over_picked, [(X, k, []), (X, X > 1, []), (X, k + 20, []), (X, k[:0], [])])
    check(loops.over_one_or_another, [(X, Y, []), (X[:0], Y, [])])


def test_records() -> None:
    p = numpy.zeros(9, dtype=[("x", "f8"), ("v", "f4")])
    p["x"], p["v"] = Y, Y[::-1]
    check(loops.records, [(p, []), (p[:1], []), (p[::-1], []), (p[:0], [])])


def test_arrays_of_fastnp() -> None:
    compiled = np.compile(loops.areas)
    for _ in range(2):
        for m in (M, M[:1], M):
            assert float(compiled(np.asarray(m.copy()), [])) == pytest.approx(float(loops.areas(m, [])))
    compiled = np.compile(loops.over_slice)
    for bounds in BOUNDS[:3] * 2:
        mine: list[Any] = []
        theirs: list[Any] = []
        assert float(compiled(np.asarray(X.copy()), *bounds, mine)) == pytest.approx(float(loops.over_slice(X, *bounds, theirs)))
        assert list(map(float, mine)) == list(map(float, theirs))
