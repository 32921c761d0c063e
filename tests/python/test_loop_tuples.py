"""Tuples of numbers in native loops: stored into rows, gone over, chosen from by numbers; and what they are made and compared with."""

from __future__ import annotations

from typing import Any

import loop_tuples as loops
import numpy
import pytest
from loop_tuples import KERNEL, MOVES
from support import SEED
from test_loop_programs import agree as agree_with_draws
from test_native_loops import agree, programs_of

import fastnp as np


def check(function: Any, calls: list[Any], is_native: bool = True) -> None:
    """Compiled, it is as written for all arguments, one after the other and back; and it is native."""
    compiled = np.compile(function)
    for turn in range(2):
        for number, arguments in enumerate(calls[:: -1 if turn else 1]):
            agree(compiled, arguments, f"{function.__name__}, call {number} of turn {turn}")
    assert bool(programs_of(compiled)) == is_native, f"{function.__name__} is {'not ' if is_native else ''}native"


# Rows


STORED = [1, 2.5, True, 300, -1, 10**30, numpy.float32(2), numpy.int64(400), numpy.uint8(7), numpy.True_]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "B", "?"])
def test_rows_by_numbers(dtype: str) -> None:
    rng = numpy.random.default_rng(SEED)
    for number, j in enumerate(STORED):
        kinds = (("f8", "i8"), ("f4", "u1"), ("i4", "?"))[(number + SEED) % 3]
        x, k = rng.normal(size=20).astype(kinds[0]), rng.integers(0, 5, 20).astype(kinds[1])
        m = (abs(rng.normal(size=(20, 3))) * 5).astype(dtype)
        check(loops.row_by_numbers, [(m, x, k, j), (m[:0], x, k, j), (m[:, :2], x, k, j)])


def test_rows() -> None:
    rng = numpy.random.default_rng(SEED)
    x, m = rng.normal(size=20), rng.normal(size=(20, 3))
    check(loops.rows_at_once, [(m, x), (m[:, :2], x), (m[:0], x), (m, x[:0])])
    check(loops.rows_at_once, [(m[0], x), (numpy.zeros((2, 2, 3), "i2"), x), (numpy.zeros((2, 2, 4), "i2"), x)])
    check(loops.reached, [(rng.random((9, 9)) < 0.8,), (numpy.ones((4, 6), bool),)])


# Items by numbers that vary, and loops over items


def test_items() -> None:
    rng = numpy.random.default_rng(SEED)
    x = rng.normal(size=30)
    floats = tuple(tuple(map(float, row)) for row in KERNEL)
    check(loops.by_constants, [(x,), (x[:0],), (x.astype("f4"),), (rng.integers(0, 3, 30, dtype="i4"),)])
    check(loops.by_argument, [(x, KERNEL), (x, floats), (x, KERNEL[:2]), (x, KERNEL[::-1]), (x[:2], KERNEL), (x, list(map(list, KERNEL)))])
    check(loops.beyond_items, [(x, (1, 2, 3, 4, 5, 6), []), (x, (1, 2.5), []), (x, (1.5,) * 9, []), (x, (), []), (x, "text", [])])
    check(loops.beyond_items, [(abs(x), tuple(map(numpy.float32, range(20))), []), (x - 4, tuple(map(numpy.float32, range(20))), [])])
    k = rng.integers(0, 20, 30)
    check(loops.of_many_constants, [(k, []), (k - 3, []), (k + 3, []), (k - 50, []), (k[:0], []), (k.astype("u1"), [])])


def test_over_items() -> None:
    rng = numpy.random.default_rng(SEED)
    grid = rng.integers(0, 50, (9, 9))
    kinds = (list(MOVES), MOVES, MOVES[:1], ((1, 2.5), (2, 0)), ((numpy.int8(1), 2), (numpy.int8(1), 3)))
    check(loops.around, [(grid.astype(dtype), moves, m) for dtype, moves in (("i8", kinds[0]), ("f4", kinds[1]), ("u1", kinds[2])) for m in (9, 0, 3)])
    check(loops.around, [(grid, kinds[3], 9), (grid, kinds[4], 9), (grid, (), 9), (grid, ((1, 2, 3),), 2)])
    x = rng.normal(size=30) * 2
    check(loops.outermost, [(x, ((1, 2.0), (3, 4.0)), []), (x / 9, ((1, 2.0),) * 5, []), (x, (), []), (x, ((1, 2), (3, 4.0)), []), (x[:0], ((1, 2),), [])])


# Conditional expressions of tuples, bools as numbers, conditions


def test_one_of_two() -> None:
    rng = numpy.random.default_rng(SEED)
    x, k, m = rng.normal(size=30), rng.integers(0, 5, 30), rng.normal(size=(30, 3))
    check(loops.one_of_two, [(x, k, m), (x[:1], k, m), (x[:0], k, m), (x, k, m[:2])])
    check(loops.one_of_two, [(list(map(float, x)), list(map(int, k)), m), (x.astype("f4"), k.astype("u1"), m.astype("i4"))])
    check(loops.or_an_array, [(x, m), (x, k), (x[:0], m)])


KINDS = [(0, 0), (numpy.uint8(250), numpy.int8(-120)), (True, 1.5), (numpy.float32(1), numpy.uint16(3))]


@pytest.mark.parametrize("numbers", KINDS, ids=repr)
def test_bools_as_numbers(numbers: Any) -> None:
    rng = numpy.random.default_rng(SEED)
    x, y = rng.normal(size=30), rng.normal(size=30)
    for a, b in ((x, y), (list(map(float, x)), list(map(float, y))), (x.astype("f4"), y > 1), (x.astype("i4"), y.astype("u1"))):
        check(loops.counted, [(a, b, *numbers), (a[:0], b, *numbers), (a, b, *numbers[::-1])])


def test_conditions() -> None:
    rng = numpy.random.default_rng(SEED)
    x, k = rng.normal(size=30), rng.integers(0, 5, 30)
    for p in (k % 2, k > 2, (k % 2).astype("u1"), list(map(int, k % 2))):
        check(loops.failure_links, [(p,), (p[:0],), (p[:1],)])
    check(loops.expected, [(x, 5), (x, 1), (x[:0], 1), (x, 0.5), (x * 50, 1000), (x.astype("f4"), 5)])
    missing = x.copy()
    missing[3] = numpy.nan
    check(loops.among, [(k, x, 1), (k, x, float("nan")), (k, missing, 2), (k, missing, float("nan")), (k[:0], x, 1)])
    check(loops.among, [(k.astype("u1"), x.astype("f4"), numpy.float32("nan")), (k > 2, x.astype("i4"), 1.0)])


def test_comparisons_of_tuples() -> None:
    rng = numpy.random.default_rng(SEED)
    x, k = rng.normal(size=30), rng.integers(0, 4, 30)
    missing = x.copy()
    missing[4] = loops.NAN
    check(loops.compared, [(x, k, 2), (x, k, 2.5), (missing, k, 1), (missing, k, loops.NAN), (list(map(float, x)), list(map(int, k)), 1)])
    check(loops.compared, [(x.astype("f4"), k.astype("u1"), True), (missing, k > 2, numpy.float32("nan")), (x[:1], k, 1)])
    check(loops.running_least, [(x, 0), (missing, 0), (list(map(float, missing)), 0), (x.astype("f4"), 0), (k, 0), (x[:0], 0)])


def test_ranges_as_sets() -> None:
    k = numpy.random.default_rng(SEED).integers(0, 9, 30)
    for x in (k, k.astype("u1"), k > 4, list(map(int, k))):
        check(loops.inside, [(x, 4), (x, 0), (x, 30), (x, 31), (x, numpy.int16(7)), (x, 2.0)])
    check(loops.in_ranges, [(k, 4), (k, 0), (k[:0], 1), (k, 2.5)], False)
    check(loops.in_ranges, [(k / 2, 4), (k / 2, 9)], False)


def test_effects_in_tuples() -> None:
    x = numpy.random.default_rng(SEED).normal(size=30)
    compiled = np.compile(loops.drawn_pairs)
    for n in (30, 3, 0, 30):
        agree_with_draws(compiled, (numpy.random.default_rng([SEED, n]), x[:n]), f"drawn pairs, size {n}")
    assert programs_of(compiled)
    check(loops.popped_pairs, [(x,), (x * 0,), (x[:0],), (-abs(x),)])
