"""Variables that are None or a number, or None or a tuple: what loops make of them is what Python makes of them."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
from loop_source import random_source
from support import LONG, SEED
from test_native_loops import agree, programs_of, run_random_programs

import fastnp as np


def smoothed(x):
    prev = None
    out = numpy.zeros(len(x))
    for i in range(len(x)):
        if prev is None:  # noqa: SIM108 - a branch that binds it is what is tested
            prev = x[i]
        else:
            prev = 0.5 * prev + 0.5 * x[i]
        out[i] = prev
    return out, prev


def last_prime(n):
    last = None
    for k in range(2, int(len(n) * 7)):
        p = True
        for j in range(2, k):
            if j * j > k:
                break
            if k % j == 0:
                p = False
                break
        if p:
            last = k
    return last


def closest(x):
    best, pair = math.inf, None
    for i in range(1, len(x)):
        d = abs(x[i] - x[i - 1])
        if d < best:
            best, pair = d, (i - 1, i)
    return best, pair


def largest(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


def taken_for_false(x):
    best = None
    n = 0
    for v in x:
        if not best:
            best = v - 0.5
        elif best:
            n += 1
    return best, n


def runs(x):
    last, n = None, 0
    for i in range(len(x)):
        k = int(x[i] * 3)
        if k != last:
            n += 1
            last = k
    return n, last


def taken_apart(x):
    where = None
    s = 0
    for i in range(len(x)):
        if where is not None:
            a, b = where
            s += a - b
        if x[i] > 0.5:
            where = (i, i * 2)
        elif x[i] < 0.1:
            where = None
    return where, s


def taken_where_it_is_none(x):
    where = None
    s = 0
    for i in range(len(x)):
        if i > 2:
            s += where[0]
        if x[i] > 0.1:
            where = (i, x[i])
    return where, s


def added_to_none(x):
    best = None
    for i in range(len(x)):
        if x[i] > 0.3:
            best = best + x[i] if i > 3 else x[i]
    return best


def find(x, t):
    for i in range(len(x)):
        if x[i] > t:
            return i
    return None


def of_calls(x):
    n = s = 0
    for k in range(10):
        i = find(x, k / 10)
        if i is None:
            n += 1
        else:
            s += i
    return n, s


def chosen(x):
    s, last = 0.0, None
    for i in range(len(x)):
        v = x[i] if x[i] > 0.5 else None
        if v is not None:
            s += v
        last = v
    return s, last


def differences(x, prev=None):
    t = 0.0
    for i in range(len(x)):
        if prev is not None:
            t += x[i] - prev
        prev = x[i]
    return t, prev


def copied(x):
    a = b = None
    for i in range(len(x)):
        b = a
        a = x[i] if x[i] > 0.3 else None
        if i > 3 and a is None:
            break
    return a, b


def swapped(x):
    a = b = None
    for i in range(len(x)):
        b, a = a, b
        if x[i] > 0.3:
            a = (i, 1.5)
        elif x[i] < 0.1:
            a = None
    return a, b


def compared(x):
    a = None
    n = 0
    for i in range(len(x)):
        if a == None:  # noqa: E711 - `==` is what is tested
            n += 1
        if a != x[i]:
            n += 2
        a = x[i] if i % 3 else None
    return n, a


def in_max(x):
    m = None
    for i in range(len(x)):
        if x[i] > 0.2:
            m = x[i] if m is None else max(m, x[i])
    return m


def in_or(x):
    m = None
    for i in range(len(x)):
        m = (m or 0.0) + x[i] if x[i] > 0.4 else m
    return m


def not_bound(x):
    for i in range(len(x)):
        if x[i] > 0.5:
            w = (i, x[i])
    return w


def handed_in(x, w):
    for i in range(len(x)):
        if x[i] > 0.9:
            w = None
        elif x[i] > 0.5:
            w = (i, i)
    return w


FUNCTIONS: list[Any] = [
    smoothed,
    last_prime,
    closest,
    largest,
    taken_for_false,
    runs,
    taken_apart,
    taken_where_it_is_none,
    added_to_none,
    of_calls,
    chosen,
    differences,
    copied,
    swapped,
    compared,
]
FUNCTIONS += [in_max, in_or, not_bound]


def several_arrays() -> list[Any]:
    rng = numpy.random.default_rng(SEED)
    made = [rng.random(50), numpy.zeros(0), rng.random(1), rng.random(5), numpy.linspace(0, 1, 7), rng.random(20) * 0.3]
    return [*made, rng.integers(0, 3, 10), rng.random(30).astype("f4"), *made]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    for x in several_arrays():
        agree(compiled, (x,), f"{function.__name__}, {x}")
    assert programs_of(compiled)


def test_what_is_handed_in() -> None:
    compiled, others = np.compile(handed_in, adaptive=False), np.compile(differences, adaptive=False)
    for x in several_arrays():
        for w in (None, (1, 2), (0, 1), (1.5, 2)):
            agree(compiled, (x, w), f"{x}, {w}")
        for prev in (None, 1, 2.5, numpy.float32(1)):
            agree(others, (x, prev), f"{x}, {prev}")
    assert programs_of(compiled) and programs_of(others)


def test_random_programs() -> None:
    first = SEED * 1000
    run_random_programs("none", first, 400 if LONG else 20, lambda seed: random_source(seed, seed % 4 > 0, True), adaptive=False)
