"""Loops in functions that compiled ones call, however these are called: native code as those of the function itself, with Python's results."""

from __future__ import annotations

from typing import Any

import followed_functions
import numpy
import pytest
from followed_functions import OTHERS, PROGRAMS, parts_of
from support import SEED
from test_native_loops import agree

import fastnp as np


def natives(compiled: Any) -> int:
    loops = [each for parts in parts_of(compiled) for each in parts.functions if hasattr(each, "programs")]
    return sum(hasattr(program, "exits") for loop in loops for program in loop.programs.values())


@pytest.mark.parametrize("function", [*PROGRAMS, *OTHERS], ids=lambda each: each.__name__)
def test_programs(function: Any) -> None:
    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(function, adaptive=False)
    for n in (40, 40, 7, 0, 1, 33):
        agree(compiled, (rng.normal(size=rng.integers(1, 9)), n), f"{n} turns")
    assert natives(compiled) or function in OTHERS


def test_what_is_called_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, a = np.compile(followed_functions.calls, adaptive=False), numpy.arange(3.0)
    for _ in range(3):
        assert compiled(a, 50) == followed_functions.calls(a, 50)
    monkeypatch.setattr(followed_functions, "kernel", lambda a, n: n)
    assert compiled(a, 50) == 50
    monkeypatch.setattr(followed_functions, "kernel", np.compile(followed_functions.middle))
    with pytest.raises(RecursionError):
        compiled(a, 50)


def test_what_is_captured_may_change() -> None:
    by: Any = 2

    def inner(a: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s += a[i % len(a)] * by
            if s > 9:
                s = 0.0
        return s

    compiled, a = np.compile(lambda a, n: inner(a, n)), numpy.arange(3.0)
    for value in (2, 3, 2.5, numpy.float32(1), 3):
        by = value
        assert compiled(a, 40) == inner(a, 40)


def pi_by(a: Any, n: Any) -> Any:
    state, hits = 7, 0
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        x = state / 2147483648
        state = (state * 1103515245 + 12345) % 2147483648
        y = state / 2147483648
        hits += x * x + y * y < 1
    return hits * 4 / n, a.max()


def calls_pi_by(a: Any, n: Any) -> Any:
    return pi_by(a, n)[0] * 2, [pi_by(a, k)[0] for k in (n, 5)]


@pytest.mark.parametrize("function", [pi_by, calls_pi_by])
def test_numbers_that_differ_from_call_to_call(function: Any) -> None:
    """A recording of such a loop holds for one number alone: from the third on it is native code."""
    compiled = np.compile(function, adaptive=False)
    for n in (*range(30, 40), 5, 30):
        agree(compiled, (numpy.arange(3.0), n), f"{n} turns")
    assert natives(compiled)


def test_functions_that_are_made_anew_at_each_call() -> None:
    """Their code is known, what they capture is an argument, and what Python goes on with are the call's own."""

    def bisection(target: Any, n: Any) -> Any:
        def f(x: Any) -> Any:
            return x**3 - x - target

        lo, hi, g, seen = 0.0, 3.0, f, []
        for i in range(n):
            middle = (lo + hi) / 2
            if f(lo) * g(middle) <= 0:
                hi = middle
            else:
                lo = middle
            if i == 7:
                seen.append((f(0.5), g is f))
        return lo, target, seen, g(1.0), f is g

    compiled = np.compile(bisection, adaptive=False)
    for target in (0.5, 1.5, 0.25, 7.5, 0.125, -0.25, 0.75, 1.25, 1.0):
        agree(compiled, (target, 20), f"{target!r}")
    assert 0 < natives(compiled) <= 2
    for target in (2, numpy.float64(3), 0.5):
        agree(compiled, (target, 20), f"{target!r}")


def test_captured_variables_that_change() -> None:
    def f(a: Any, n: Any) -> Any:
        k = 1

        def change() -> None:
            nonlocal k
            k += 1

        def read() -> Any:
            return k

        s = 0
        for i in range(n):
            if a[i % len(a)] > 0.5:
                s += read() * i
        change()
        for i in range(n):
            if a[i % len(a)] > 0.5:
                s += read() + k
            if s > 50:
                change()
                s = 0
        return s, k

    compiled = np.compile(f, adaptive=False)
    for n in (5, 30, 30, 0, 31):
        agree(compiled, (numpy.linspace(0, 1, 7), n), f"{n} turns")


def of_classes(k: Any, n: Any) -> Any:
    class Base:
        def value(self) -> Any:
            return k * 1.0

    class Derived(Base):
        def __init__(self) -> None:
            self.x = 0.0

        def step(self, n: Any) -> Any:
            for i in range(n):
                self.x += i * 0.5
                if self.x > 1e6:
                    break
            return super().value() + self.x

    class Broken:
        def __init__(self, n: Any) -> None:
            self.t = 0.0
            for i in range(n):
                self.t += i * 0.1
                if self.t > 2.0:
                    return 5  # noqa: PLE0101 - Python raises when it does

    return Derived().step(n), Broken(n).t


def test_classes_that_are_made_anew() -> None:
    compiled = np.compile(of_classes, adaptive=False)
    for turn in range(9):
        agree(compiled, (turn, 2 + turn), f"turn {turn}")
