"""Loops that are unrolled while recording: long chains are cut into kernels that are mostly equal, and no value is looked at twice."""

from __future__ import annotations

import time

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import fastnp as np


def logistic(x, n):
    for _ in range(n):
        x = 3.7 * x * (1 - x)
    return x


def squares(x, n):
    for _ in range(n):
        x = x * x - 0.5 * x
    return x


def newton(x, n):
    y = x
    for _ in range(n):
        y = y - (y * y - x) / (2 * y)
    return y


def normalised(x, n):
    for _ in range(n):
        x = x / (x.sum() + 1)
    return x


def centred(x, n):
    for _ in range(n):
        x = x - x.mean()
        x = x / (1 + abs(x).max())
    return x


def two(x, n):
    a, b = x, 1 - x
    for _ in range(n):
        a, b = 0.5 * (a + b), numpy.sqrt(a * b + 1) / 2
    return a, b


def in_place(x, n):
    for _ in range(n):
        x[1:-1] = 0.5 * x[1:-1] + 0.25 * (x[:-2] + x[2:])
        x *= 0.999


def several(x, n):
    total = 0
    for i in range(n):
        y = numpy.sin(x + i) * x
        total = total + y
        x = x + 0.01 * y
    return x, total, total.sum()


FUNCTIONS = [logistic, squares, newton, normalised, centred, two, in_place, several]


@pytest.mark.parametrize("backend", ["llvm", "eager"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_loops(function, backend):
    compiled = np.compile(function, backend=backend)
    for size, turns in ((7, 64), (1000, 100), (40000, 33)):
        mine, theirs = numpy.linspace(0.1, 0.9, size), numpy.linspace(0.1, 0.9, size)
        want, got = function(mine, turns), compiled(theirs, turns)
        numpy.testing.assert_allclose(theirs, mine, rtol=1e-9)
        if want is not None:
            for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
                numpy.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-12)
    assert compiled.cache_info().uncompiled == 0


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_time_to_compile_grows_with_the_loop(function):
    """No exponential, and nothing that takes minutes: 500 turns took hours before they were cut."""
    x = numpy.linspace(0.1, 0.9, 1000)
    compiled = np.compile(function, fullgraph=True)  # else a loop of that length stays one
    start = time.perf_counter()
    compiled(x, 500)
    assert time.perf_counter() - start < 10  # about 0.3
    kernels = compiled._inspect(False)[0][0]["kernels"]
    assert 1 < len(kernels) <= 1500
    assert max(len(kernel["ops"]) for kernel in kernels) <= 600


BODIES = st.lists(
    st.tuples(st.sampled_from(["+", "-", "*", "max", "mean", "where", "update"]), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=40)
@given(BODIES, st.sampled_from([1, 5, 70, 150]), st.sampled_from([1, 9, 600]))
def test_random_bodies(body, turns, size):
    def function(x, y):
        values = [x, y, x * 0.5 + y]
        for _ in range(turns):
            for op, a, b, to in body:
                p, q = values[a], values[b]
                if op == "+":
                    values[to] = 0.5 * (p + q)
                elif op == "-":
                    values[to] = p - 0.5 * q
                elif op == "*":
                    values[to] = numpy.tanh(p * q)
                elif op == "max":
                    values[to] = numpy.maximum(p, q) * 0.9
                elif op == "mean":
                    values[to] = p - q.mean()
                elif op == "where":
                    values[to] = numpy.where(p > q, p * 0.5, q)
                else:
                    y[::2] = p[::2] * 0.25
        return values[0], values[1], values[2]

    x, y = numpy.linspace(-1, 1, size), numpy.linspace(1, 0.2, size)
    mine, theirs = (x.copy(), y.copy()), (x.copy(), y.copy())
    want, got = function(*mine), np.compile(function)(*theirs)
    for g, w in zip((*got, *theirs), (*want, *mine), strict=True):
        numpy.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-9)
