"""Native loops whose iterations are done side by side, and whose checks are done before them: results, errors and warnings stay Python's."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np


def below(x, y, limit):
    for i in range(x.shape[0]):
        if x[i] < limit:
            y[i] = x[i] * x[i]
    return y


def chosen(x, y, limit):
    for i in range(x.shape[0]):
        y[i] = x[i] - x[i] if x[i] <= limit else 0.0
    return y


def skipped(x, y, limit):
    for i in range(x.shape[0]):
        if not x[i] < limit:
            continue
        y[i] = x[i] * x[i] - 1.0
    return y


def roots(x, y, limit):
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[i] = numpy.sqrt(x[i]) / limit
    return y


def counted(x, y, limit):
    c = 0
    for i in range(x.shape[0]):
        c += 1
        if x[i] > limit:
            c += 1
        elif x[i] < -limit:
            c -= 2
    return c


def largest(x, y, limit):
    m = x[0]
    for i in range(1, x.shape[0]):
        m = max(m, x[i])
        if x[i] > y[i]:
            y[i] = x[i]
    return m, y


def whole(x, y, limit):
    for i in range(x.shape[0]):
        if -1e9 < x[i] < 1e9:
            y[i] = int(x[i])
    return y


def joined(x, y, limit):
    n = 0
    for i in range(x.shape[0]):
        if (x[i] < y[i] or x[i] < -2.0) and x[i] != limit:
            y[i] = 1.0 if x[i] == x[i] and x[i] >= -2.5 else 2.0
            n += 1
    return n, y


LOOPS: list[Callable[..., Any]] = [below, chosen, skipped, roots, counted, largest, whole, joined]


def told(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    return result, sorted({str(each.message).split(" in ")[0] for each in caught})


def same(got: Any, want: Any) -> bool:
    if isinstance(want, tuple):
        return all(same(g, w) for g, w in zip(got, want, strict=True))
    return type(got) is type(want) and numpy.array_equal(got, want, equal_nan=True)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_nothing_is_computed_that_is_not_asked_for(loop, dtype):
    """Numbers that would overflow, and NaN, lie beside others; what a condition leaves out tells of nothing."""
    rng = random.Random(f"{SEED} {loop.__name__} {dtype}")
    compiled = np.compile(loop, adaptive=False)
    limit = 100.0
    huge = float(numpy.finfo(dtype).max) / 2
    for _ in range(6):
        special = rng.choice([[], [huge], [numpy.inf], [numpy.nan], [huge, numpy.nan, -1.0]])
        x = numpy.array([rng.choice(special) if special and rng.random() < 0.2 else rng.uniform(-3, 3) for _ in range(rng.choice([1, 5, 40, 333]))], dtype)
        y = numpy.zeros(x.shape, dtype)
        theirs, mine = y.copy(), y.copy()
        want, got = told(loop, x, theirs, limit), told(compiled, x, mine, limit)
        assert same(got[0], want[0]) and same(mine, theirs), f"FASTNP_TEST_SEED={SEED}: {loop.__name__} of {x}"
        assert got[1] == want[1], f"FASTNP_TEST_SEED={SEED}: {loop.__name__} of {x}"


def hashed(x, a, s):
    for i in range(x.shape[0]):
        if x[i] != 3:
            s = s * a + x[i]
    return s


def summed(x, a, s):
    for i in range(x.shape[0]):
        if x[i] != 3:
            x[i] = x[i] + a - s
    return x


def distance(x, a, s):
    for i in range(1, x.shape[0]):
        x[i] = min(x[i - 1] + 1, x[i] - 1) + s
    return x


@pytest.mark.parametrize("dtype", ["i8", "u8", "i4", "u4", "i2", "u1", "i1"])
@pytest.mark.parametrize("loop", [hashed, summed, distance], ids=lambda loop: loop.__name__)
def test_numpys_integers_wrap(loop, dtype):
    """As NumPy's do, natively, with a warning where one did."""
    rng = random.Random(f"{SEED} {loop.__name__} {dtype}")
    compiled = np.compile(loop, adaptive=False)
    info = numpy.iinfo(dtype)
    for _ in range(8):
        most = rng.choice([5, int(info.max)])
        x = numpy.array([rng.randint(max(int(info.min), -most), most) for _ in range(rng.choice([1, 7, 100]))], dtype)
        a, s = (numpy.dtype(dtype).type(rng.randint(0, most)) for _ in range(2))
        theirs, mine = x.copy(), x.copy()
        want, got = told(loop, theirs, a, s), told(compiled, mine, a, s)
        message = f"FASTNP_TEST_SEED={SEED}: {loop.__name__} of {x}, {a}, {s}"
        assert same(got[0], want[0]) and same(mine, theirs), message
        assert bool(got[1]) == bool(want[1]), message
        assert all(each.startswith("overflow encountered") for each in got[1]), message


def test_wrapping_is_no_reason_to_leave():
    """A hash wraps at nearly each iteration."""

    def f(x):
        s = numpy.uint64(1469598103934665603)
        for i in range(x.shape[0]):
            if x[i] < 255:
                s = (s ^ x[i]) * numpy.uint64(1099511628211)
        return s

    compiled = np.compile(f, adaptive=False)
    x = numpy.arange(5000, dtype="u8") % 256
    with numpy.errstate(over="ignore"):
        want = f(x)
        assert compiled(x) == want and type(compiled(x)) is numpy.uint64
    with pytest.warns(RuntimeWarning, match="overflow encountered in scalar multiply"):
        compiled(x)
    assert "native loop" in str(np.explain(compiled)(x))


def ends(n, low, high):
    s = 0
    for i in range(low, high):
        s += (i - 1) * (i + 1) - (n - i)
    return s


@pytest.mark.parametrize("low", [-(2**62), -3, 0, 2**62 - 4])
def test_numbers_near_the_end_of_64_bits(low):
    compiled = np.compile(ends, adaptive=False)
    for n in (0, 2**63 - 1, -(2**63), 2**70):
        assert compiled(n, low, low + 3) == ends(n, low, low + 3)


def remainders(x):
    found = []
    total = 0
    for i in range(-9, 10):
        total = total * 31 % 1000003 + (i // 4) * 7 + i % 8 + (x - i) // 2 + (x - i) % 1
    return total, found


def test_quotients_by_powers_of_two():
    compiled = np.compile(remainders, adaptive=False)
    for x in (-(2**40) - 3, -1, 0, 12345):
        assert compiled(x) == remainders(x)


def kinds(x, n):
    s, t, k = 0.0, 0, True
    for i in range(n):
        s = s * 0.5 + x[i]
        t = t + numpy.int64(i)
        k = k and x[i] > -2.0
    return s, t, k


def test_numbers_of_several_kinds_in_one_variable():
    """A sum that begins as Python's and goes on as NumPy's: what comes out is of the kind that it has in Python."""
    compiled = np.compile(kinds, adaptive=False)
    x = numpy.random.default_rng(SEED).normal(size=20)
    for n in (0, 1, 2, 20):
        want, got = kinds(x, n), compiled(x, n)
        assert got == want and [type(each) for each in got] == [type(each) for each in want]


def swapped(x, n):
    s, t = 0.0, 1.5
    for i in range(n):
        if x[i] > 0:
            s = x[i]
        if x[i] < -0.5:
            t = x[i] * 2
        s, t = t, s
    return s, t


def turned(x, n):
    s, t, u = 0.0, 1, 0.5
    for i in range(n):
        if x[i] > 0:
            s = x[i]
        if x[i] < -0.5:
            u = x[i]
        s, (t, u) = u, (s, t)
    return s, t, u


def crossed(x, n):
    p = (0.0, 1.5)
    for i in range(n):
        if x[i] > 0:
            p = (x[i], p[1])
        if x[i] < -0.5:
            p = (p[0], x[i])
        p = (p[1], p[0])
    return p


def larger(p, q):
    if p > q:
        return p
    return q


def called(x, n):
    s, t, u = 0.0, 1.5, 0.0
    for i in range(n):
        if x[i] > 0:
            s = x[i]
        if x[i] < -0.5:
            t = x[i] * 2
        u = larger(s, t) - larger(t, u)
    return s, t, u


@pytest.mark.parametrize("loop", [swapped, turned, crossed, called], ids=lambda loop: loop.__name__)
def test_numbers_of_several_kinds_change_places(loop):
    """All values of an assignment are read before the first one is stored."""
    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(loop, adaptive=False)
    for _ in range(10):
        x = rng.normal(size=12)
        for n in (0, 1, 2, 3, 12):
            want, got = loop(x, n), compiled(x, n)
            assert got == want and [type(each) for each in got] == [type(each) for each in want], f"FASTNP_TEST_SEED={SEED}: {n} of {x}"
