"""Variables that loops alone bind, and that are read after them: where a loop has bound none, Python's UnboundLocalError is raised."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from loop_source import random_source
from support import LONG, SEED
from test_native_loops import agree, outcome, programs_of, run_random_programs, same

import fastnp as np


def converged(x, most):
    y = numpy.zeros(len(x))
    for turn in range(most):  # noqa: B007 - it is read after the loop
        change = 0.0
        for k in range(1, len(x)):
            now = y[k - 1] * 0.5 + x[k]
            change = max(change, abs(now - y[k]))
            y[k] = now
        if change < 1e-3:
            break
    return y, turn, change


def swept(x, most):
    error = 1.0
    while error > 0.1 and most > 0:
        error, most = 0.0, most - 1
        for k in range(len(x)):
            delta = abs(x[k]) * 0.5
            x[k] -= delta
            if delta > error:
                error = delta
        worst = error
    return x, worst, delta, k


def last_end(x, most):
    for k in range(len(x)):
        if x[k] > 0.9:
            end = k
    return end


def in_the_next_turn(x, most):
    s = 0.0
    for k in range(min(len(x), most)):
        if k > 0:
            s += x[k] * before  # noqa: F821 - it is bound by the turn before
        before = x[k]
    return s, before


def under_a_condition(x, most):
    if most > 3:
        best = -1.0
    for v in x:
        if v > 0.7:
            best = v
    return best


def one_after_the_other(x, most):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            s += 1
    for i in range(len(x) - 3):
        if x[i] > 0.5:
            s += x[i]
    return s, i


def with_else(x, most):
    for i in range(len(x)):
        if x[i] > 0.9:
            break
    else:
        return -1, most
    return i


def in_a_loop(x, names):
    total = 0
    for name in sorted({"a", "b", str(names)}):  # noqa: B007 - it is read after the loop
        for i in range(len(x)):
            if x[i] > 0.8:
                break
        else:
            continue
        total += i
    return total, i, name


def an_array(x, most):
    for i in range(most):
        if i == 2:
            y = x * 2.0
        if x[i] > 5.0:
            return y
    return y, i


def a_number_or_an_array(x, most):
    y = x[0]
    for i in range(most):
        if x[i] > 0.5:
            y = x * 2.0
    return y


def stored_after_it(x, most):
    y = numpy.zeros(4)
    for i in range(most):
        if x[i] > 0.5:
            y[i % 4] += x[i]
    y[0] = i
    return y


def both_ways(x, most):
    for i in range(most):
        if x[i] > 0.5:
            kind = 1
            most += i
        else:
            kind = 0.5
    return kind, i, most


FUNCTIONS: list[Any] = [converged, swept, last_end, in_the_next_turn, under_a_condition, one_after_the_other, with_else, an_array]
FUNCTIONS += [stored_after_it, both_ways]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    rng = numpy.random.default_rng(SEED)
    for size, most in ((20, 5), (20, 0), (0, 5), (0, 0), (1, 1), (1, 0), (20, 9), (7, 3), (3, 5), (20, 20)):
        for scale in (1.0, 7.0, 0.1):
            agree(compiled, (rng.random(size) * scale, most), f"{function.__name__}, size {size}, {most}")
    assert programs_of(compiled)


def test_a_number_or_an_array() -> None:
    compiled = np.compile(a_number_or_an_array, adaptive=False)
    for x in (numpy.zeros(3), numpy.ones(3), numpy.zeros(3)):
        agree(compiled, (x, 3), f"{x}")


def test_a_loop_around_it() -> None:
    compiled = np.compile(in_a_loop, adaptive=False)
    for x in ([0.5, 0.9], [0.1], [], [0.9], [0.1, 0.1]):
        agree(compiled, (numpy.array(x), 1), f"{x}")


def test_every_loop_has_a_reason() -> None:
    def tells(x):
        for k in range(len(x)):
            x[k] = float(repr(float(x[k])))
        return x

    def tries(x):
        try:
            for k in range(len(x)):
                if x[k] > 0:
                    x[k + 1] = 2.0
        except IndexError:
            return k
        return -1

    def shares(x):
        def found():
            return s

        s = 0.0
        for k in range(len(x)):
            if x[k] > 0:
                s += x[k]
        return found()

    for function, reason in ((tells, "calls repr"), (tries, "lies in a `try`"), (shares, "shares variables")):
        told = np.explain(np.compile(function))(numpy.ones(3))
        assert [reason in (each.reason or "") for each in told.native] == [True], str(told)


@pytest.mark.parametrize("part", range(2))
def test_random_programs(part: int) -> None:
    first = SEED * 1000 + part * 10**7
    run_random_programs("unbound", first, 400 if LONG else 15, lambda seed: random_source(seed, False), adaptive=False)


def test_variables_of_comprehensions_and_generators() -> None:
    """Those that are not bound have the words of the function that such an expression is, where it is one."""

    def made(x, n):
        for i in range(n):
            if i > 5:
                t = 0.5
        kept = [v * 2 for v in x if v > t]
        return len(kept)

    def of_unbound(x, n):
        for i in range(n):
            if i > 5:
                y = x
        return [v + 1 for v in y]

    def summed(x, n):
        s = 0.0
        for i in range(n):
            if i > 5:
                t = 0.5
            s += sum(v for v in x if v > t)
        return s

    for function in (made, of_unbound, summed):
        compiled = np.compile(function, adaptive=False)
        for n in (8, 3, 9, 2):
            x = [0.25, 0.75, 1.0]
            want, got = outcome(function, (x, n)), outcome(compiled, (x, n))
            assert same(got, want), f"{function.__name__}, n = {n}: {got} where Python gives {want}"
