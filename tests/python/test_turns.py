"""scan, fori_loop, while_loop and cond against the same loops as they are written in Python."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy
import pytest

import fastnp
from fastnp import compile as compiled_function


def as_written_scan(f: Any, init: Any, xs: Any, reverse: bool = False) -> Any:
    collected, state = [], init
    for x in reversed(xs) if reverse else xs:
        state, given = f(state, x)
        collected.append(given)
    return state, numpy.array(collected[::-1] if reverse else collected)


def filtered(s: Any, x: Any) -> tuple[Any, Any]:
    following = s * 0.9 + x
    return following, following * x


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_scans(size: int, reverse: bool) -> None:
    x = numpy.random.default_rng(size).normal(size=size)
    last, given = as_written_scan(filtered, 0.5, x, reverse)

    @compiled_function
    def compiled(x: Any) -> Any:
        return fastnp.scan(filtered, 0.5, x, reverse=reverse)

    for f in (lambda x: fastnp.scan(filtered, 0.5, x, reverse=reverse), compiled):
        for _ in range(3):
            found = f(x)
            assert isinstance(found[0], numpy.floating) and found[1].shape == (size,)
            numpy.testing.assert_array_equal(numpy.asarray(found[0]), last)
            numpy.testing.assert_array_equal(numpy.asarray(found[1]), given)


def test_a_scan_is_compiled_once_for_all_lengths() -> None:
    @compiled_function
    def sums(x: Any) -> Any:
        return fastnp.scan(lambda s, part: (s + part, s), 0.0, x)

    for n in (5, 9, 12, 100, 3):
        assert float(sums(numpy.arange(float(n)))[0]) == n * (n - 1) / 2
    assert sums.cache_info().compiles <= 2


def test_states_are_trees() -> None:
    def step(state: dict[str, Any], part: tuple[Any, Any]) -> tuple[dict[str, Any], list[Any]]:
        a, b = part
        return {"x": state["x"] + a, "count": state["count"] + 1}, [state["x"], b * 2]

    a, b = numpy.arange(4.0), numpy.arange(12.0).reshape(4, 3)
    state, (before, doubled) = fastnp.scan(step, {"x": 1.0, "count": 0}, (a, b))
    assert int(state["count"]) == 4 and float(state["x"]) == 7
    numpy.testing.assert_array_equal(before, [1, 1, 2, 4])
    numpy.testing.assert_array_equal(doubled, 2 * b)
    assert type(doubled) is numpy.ndarray


def test_fori_loops() -> None:
    def factorial(n: Any) -> Any:
        return fastnp.fori_loop(1, n + 1, lambda i, s: s * i, 1)

    compiled = compiled_function(factorial)
    for n in (0, 1, 5, 20):
        assert int(factorial(n)) == int(compiled(numpy.int64(n))) == math.factorial(n)
    table = numpy.linspace(0, 1, 9)

    @compiled_function
    def total(x: Any) -> Any:
        return fastnp.fori_loop(0, x.shape[0], lambda i, s: s + x[i] * x[-1 - i], 0.0)

    assert float(total(table)) == pytest.approx(float(table @ table[::-1]), rel=1e-14)

    def total_of(x: Any, count: int) -> Any:
        return fastnp.fori_loop(0, count, lambda i, s: s + x[i], 0.0)

    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 9"):
        compiled_function(total_of)(fastnp.asarray(table), 12)


def test_while_loops() -> None:
    def collatz(n: Any) -> Any:
        def step(state: Any) -> Any:
            x, turns = state
            return fastnp.cond(x % 2 == 0, lambda: x // 2, lambda: 3 * x + 1), turns + 1

        return fastnp.while_loop(lambda state: state[0] != 1, step, (n, 0))[1]

    compiled = compiled_function(collatz)
    for n in (1, 6, 27, 97):
        turns, x = 0, n
        while x != 1:
            x, turns = (x // 2 if x % 2 == 0 else 3 * x + 1), turns + 1
        assert int(collatz(n)) == int(compiled(numpy.int64(n))) == turns


def newton(a: Any) -> Any:
    return fastnp.while_loop(lambda x: abs(x * x - a) > 1e-13 * a, lambda x: 0.5 * (x + a / x), 1.0)


def test_derivatives_and_batches() -> None:
    for a in (2.0, 0.3, 50.0):
        assert float(newton(a)) == pytest.approx(math.sqrt(a), rel=1e-13)
        for gradient in (fastnp.grad(newton), compiled_function(fastnp.grad(newton))):
            assert float(gradient(a)) == pytest.approx(0.5 / math.sqrt(a), rel=1e-11)
        assert float(fastnp.jvp(newton, (a,), (1.0,))[1]) == pytest.approx(0.5 / math.sqrt(a), rel=1e-11)
        assert float(fastnp.grad(fastnp.grad(newton))(a)) == pytest.approx(-0.25 * a**-1.5, rel=1e-9)
    values = numpy.array([2.0, 0.3, 50.0])
    numpy.testing.assert_allclose(fastnp.vmap(newton)(values), numpy.sqrt(values), rtol=1e-13)

    def loss(w: Any, x: Any) -> Any:
        _, given = fastnp.scan(lambda s, part: (fastnp.tanh(s * w + part), s * part), 0.1, x)
        return given.sum()

    def written(w: float, x: Any) -> float:
        s, total = 0.1, 0.0
        for part in x:
            s, total = math.tanh(s * w + part), total + s * part
        return total

    x = numpy.random.default_rng(0).normal(size=200)
    slope = (written(0.7 + 1e-6, x) - written(0.7 - 1e-6, x)) / 2e-6
    for gradient in (fastnp.grad(loss), compiled_function(fastnp.grad(loss))):
        assert float(gradient(0.7, x)) == pytest.approx(slope, rel=1e-6)


def test_branches() -> None:
    def safe_root(x: Any) -> Any:
        return fastnp.cond(x > 0, lambda v: fastnp.sqrt(v), lambda v: v * 0.0, x)

    compiled = compiled_function(safe_root)
    for value, wanted in ((4.0, 2.0), (-3.0, 0.0), (9.0, 3.0)):
        assert float(safe_root(value)) == wanted
        assert float(compiled(numpy.float64(value))) == wanted
        assert float(fastnp.grad(safe_root)(value)) == (0.5 / wanted if wanted else 0.0)


def test_random_affine_loops() -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    rng = numpy.random.default_rng(seed)
    for _ in range(10):
        a, b, count = rng.normal() * 0.5, rng.normal(), int(rng.integers(0, 50))
        x = rng.normal(size=count + 1)

        def loss(w: float, x: Any = x, a: float = a, b: float = b) -> Any:
            state, given = fastnp.scan(lambda s, p: (s * a + w * p, s * b), w, x)
            return state + given.sum()

        def written(w: float, x: Any = x, a: float = a, b: float = b) -> float:
            s, total = w, 0.0
            for p in x:
                s, total = s * a + w * p, total + s * b
            return s + total

        assert float(loss(0.3)) == pytest.approx(written(0.3), rel=1e-12, abs=1e-12)
        assert float(fastnp.grad(loss)(0.3)) == pytest.approx(written(1.0) - written(0.0), rel=1e-9, abs=1e-9)


def test_what_is_refused() -> None:
    x = numpy.arange(3.0)
    with pytest.raises(ValueError, match="no array whose first axis says how many iterations"):
        fastnp.scan(lambda s, p: (s, s), 0.0)
    with pytest.raises(ValueError, match="length is 4, and xs has 3 parts"):
        fastnp.scan(lambda s, p: (s, s), 0.0, x, length=4)
    with pytest.raises(TypeError, match="f is to give a pair"):
        fastnp.scan(lambda s, p: s, 0.0, x)
    with pytest.raises(TypeError, match="turns state 0 of shape"):
        fastnp.scan(lambda s, p: (x, s), 0.0, x)
    with pytest.raises(TypeError, match="the condition is to be an array of no axes"):
        fastnp.while_loop(lambda s: s > 0, lambda s: s, x)
    with pytest.raises(TypeError, match="one function gives an array of shape"):
        fastnp.cond(x.sum() > 0, lambda: x, lambda: 0.0)
