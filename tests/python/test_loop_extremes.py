"""Extremes in native loops, of floats and of whole numbers, in the order of the program: NaN, zeros of both signs, numbers that do not fit."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy
import pytest
from loop_programs_more import warping
from support import LONG, SEED

import fastnp as np


def running(x, y):
    most, least, place, other = x[0], y[0], 0, -1
    for i in range(1, len(x)):
        if x[i] > most:
            most, place = x[i], i
        if least >= y[i]:
            least = y[i]
            other = i
    return most, least, place, other


def running_in_rows(x, y):
    total = 0.0
    for i in range(len(x)):
        row = y[i % 3 :]
        m = x[i]
        for j in range(len(row)):
            if row[j] < m:
                m = row[j]
        total += m
    return total


def choices(x, y):
    total = 0.0
    for i in range(len(x)):
        v = x[i] if x[i] < y[i] else y[i]
        v = min(v, total, y[0])
        w = max(x[i], v, 0.0)
        total = v * 0.5 + w
    return total


def values(rng: random.Random, count: int, dtype: str) -> Any:
    special = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]
    share = rng.choice([0.0, 0.3, 1.0])
    return numpy.array([rng.choice(special) if rng.random() < share else rng.gauss(0, 1) for _ in range(count)], dtype)


def bits(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(bits, result))
    if isinstance(result, int):
        return result
    found = numpy.asarray(result)
    return numpy.where(found == found, found, numpy.nan).tobytes()  # which sign NaN has is open


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("function", [running, running_in_rows, choices, warping], ids=lambda each: each.__name__)
def test_extremes_of_floats(function, dtype):
    rng = random.Random(f"{SEED} {function.__name__}")
    f = np.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if function is running else "ignore")
        for _ in range(200 if LONG else 40):
            x, y = (values(rng, rng.choice([1, 2, 9, 40]), dtype) for _ in range(2))
            if function in (running, choices):
                y = y[: len(x)] if len(x) <= len(y) else numpy.resize(y, len(x))
            assert bits(f(x, y)) == bits(function(x, y)), (x.tolist(), y.tolist())
    assert np.explain(f)(numpy.ones(3), numpy.ones(3)).native


def aligned(a, b, match, mismatch, gap, dtype):
    s = np.zeros((len(a) + 1, len(b) + 1), dtype)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            diagonal = s[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            s[i, j] = max(diagonal, s[i - 1, j] + gap, s[i, j - 1] + gap)
    return s


def edited(a, b, match, mismatch, gap, dtype):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost, 7 * mismatch)
    return d


def told(function: Any, *given: Any) -> Any:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = bits(function(*given))
        except Exception as error:
            result = type(error), str(error)
    return result, sorted({(each.category, str(each.message)) for each in seen})


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u2"])
@pytest.mark.parametrize("function", [aligned, edited], ids=lambda each: each.__name__)
def test_extremes_of_whole_numbers(function, dtype):
    rng = random.Random(f"{SEED} {function.__name__} {dtype}")
    f = np.compile(function)
    ends = numpy.iinfo(dtype)
    for _ in range(120 if LONG else 24):
        a, b = (numpy.array([rng.randrange(3) for _ in range(rng.choice([1, 2, 12]))]) for _ in range(2))
        scores = [rng.choice([1, 2, -1, 3, 0, ends.max, ends.min, ends.max - 3, ends.max + 1]) for _ in range(3)]
        assert told(f, a, b, *scores, dtype) == told(function, a, b, *scores, dtype), (a.tolist(), b.tolist(), scores)


def signs(x, y):
    """Terms by which LLVM's code finds overflow, as a program may have them itself."""
    found = x[0]
    for i in range(len(x)):
        a, b = x[i], y[i]
        s = a + b
        found = found | ((a ^ s) & (b ^ s))
    return found


def one_more(x, y):
    found = y[0]
    for i in range(len(x)):
        s = x[i] + 1
        found = found | (s & ~x[i])
    return found


@pytest.mark.parametrize("function", [signs, one_more], ids=lambda each: each.__name__)
def test_terms_that_look_like_overflow(function):
    rng = random.Random(f"{SEED} {function.__name__}")
    f = np.compile(function)
    for _ in range(20):
        x, y = (numpy.array([rng.randrange(-9, 9) for _ in range(5)]) for _ in range(2))
        assert f(x, y) == function(x, y), (x.tolist(), y.tolist())
    assert np.explain(f)(numpy.arange(5), numpy.arange(5)).native
