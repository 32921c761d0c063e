"""Loops of functions that call themselves in them, directly or by way of others: what they give is Python's, and they have a reason not to be native."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED
from test_native_loops import agree, programs_of

import fastnp as np


def subsets(a, i, left):
    if left == 0:
        return 1
    n = 0
    for j in range(i, len(a)):
        n += subsets(a, j + 1, left - a[j])
    return n


def pruned(a, i, left):
    if left == 0:
        return 1
    n = 0
    for j in range(i, len(a)):
        if a[j] <= left:
            n += pruned(a, j + 1, left - a[j])
    return n


def evens(a, i):
    n = 0
    for j in range(i, len(a)):
        if a[j] % 2 == 0:
            n += odds(a, j + 1)
    return n + 1


def odds(a, i):
    n = 0
    for j in range(i, len(a)):
        if a[j] % 2 == 1:
            n += evens(a, j + 1)
    return n + 1


def queens(board, row):
    n = len(board)
    if row == n:
        return 1
    total = 0
    for column in range(n):
        is_free = True
        for r in range(row):
            if board[r] == column or abs(board[r] - column) == row - r:
                is_free = False
                break
        if is_free:
            board[row] = column
            total += queens(board, row + 1)
    return total


def later(a, i):
    n = 1
    while i < len(a):
        i += 1
        if a[i - 1] > 2:
            n += later(a, i)
    return n


def flooded(g, i, j):
    g[i, j] = 2
    n = 1
    for d in range(4):
        a = i + (d == 0) - (d == 1)
        b = j + (d == 2) - (d == 3)
        if 0 <= a < len(g) and 0 <= b < len(g) and g[a, b] == 0:
            n += flooded(g, a, b)
    return n


def placed(a, depth):
    n = 1
    for k in range(len(a)):
        if a[k] == 0:
            a[k] = 1
            n += placed(a, depth + 1)
            a[k] = 0
    return n


class Tree:
    def __init__(self, a):
        self.a = a

    def count(self, i):
        n = 1
        for j in range(i, len(self.a)):
            if self.a[j] > 2:
                n += self.count(j + 1)
        return n


def of_method(a):
    return Tree(a).count(0)


def outer(a, left):
    t = 0
    for k in range(3):
        t += pruned(a, 0, left + k)
    return t


def made(n):
    return (numpy.arange(1, n + 1),)


RECURSIONS: list[Any] = [
    (subsets, lambda n: (*made(n), 0, n)),
    (pruned, lambda n: (*made(n), 0, 2 * n)),
    (evens, lambda n: (*made(n), 0)),
    (queens, lambda n: (numpy.zeros(min(n, 5), int), 0)),
    (later, lambda n: (*made(n), 0)),
    (flooded, lambda n: (numpy.arange(n * n).reshape(n, n) % 3 // 2, 0, 0) if n else (numpy.zeros((1, 1), int), 0, 0)),
    (placed, lambda n: (numpy.zeros(min(n, 4), int), 0)),
    (placed, lambda n: ([0] * min(n, 4), 0)),
    (of_method, lambda n: made(n)),
    (outer, lambda n: (*made(n), n)),
]


@pytest.mark.parametrize("function, make", RECURSIONS, ids=lambda each: getattr(each, "__name__", ""))
def test_recursions(function: Any, make: Any) -> None:
    compiled = np.compile(function)
    for n in (3, 0, 1, 6, 3, 8):
        agree(compiled, make(n), f"{function.__name__}, size {n}")
    assert not programs_of(compiled)


def test_they_have_a_reason() -> None:
    for function, arguments in ((pruned, (*made(4), 0, 5)), (evens, (*made(6), 0)), (queens, (numpy.zeros(4, int), 0))):
        told = str(np.explain(np.compile(function))(*arguments))
        assert f"no native code, as it calls {function.__name__}" in told


def test_the_compiled_function_calls_itself() -> None:
    compiled = np.compile(function_of(_SUMMED, "summed"))
    compiled.__wrapped__.__globals__["f"] = compiled
    for n in (3, 0, 9, 6):
        assert compiled(numpy.arange(n), 0, 5) == summed(numpy.arange(n), 0, 5)
    assert not programs_of(compiled)


_SUMMED = """
def f(a, i, left):
    n = left == 0
    for j in range(i, len(a)):
        if 0 < a[j] <= left:
            n += f(a, j + 1, left - a[j])
    return n
"""


def summed(a, i, left):
    n = left == 0
    for j in range(i, len(a)):
        if 0 < a[j] <= left:
            n += summed(a, j + 1, left - a[j])
    return n


def test_recursions_that_end_by_what_they_are_given() -> None:
    def halves(x, is_end=None):
        if is_end is not None:
            return x * 0.5
        s = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                s += halves(x[i], "end")
        return s

    compiled = np.compile(halves, adaptive=False)
    for n in (5, 0, 1, 30):
        agree(compiled, (numpy.arange(-2.0, n),), f"size {n}")


_TEMPLATE = """
def f(x, i, left):
    n = {start}
    {loop}
        {before}
        if {test}:
            {write}
            n += {call}(x, {step}, left - 1)
            {end}
        {behind}
    {last}
    return n


def g(x, i, left):
    s = 0
    for k in range(i, len(x)):
        if left > 0 and x[k] % 2:
            s += f(x, k + 1, left - 1)
        else:
            s -= 1
    return s
"""


def recursive_source(seed: int) -> str:
    pick = random.Random(seed).choice
    return _TEMPLATE.format(
        start=pick(["0", "1", "x[0]", "0.5"]),
        loop=pick(["for j in range(i, len(x)):", "for j in range(len(x) - 1, i - 1, -1):", "j = i - 1\n    while j + 1 < len(x):\n        j += 1"]),
        before=pick(["n += x[j]", "n = n + 1", "pass", "if x[j] == 5:\n            break"]),
        test=pick(["left > 0", "left > 0 and x[j] > 2", "left > 0 and (x[j] + n) % 2 == 0"]),
        write=pick(["x[j] += 1", "pass", "x[i - 1] = j"]),
        call=pick(["f", "f", "g"]),
        step=pick(["j + 1", "i + 1", "j"]),
        end=pick(["x[j] -= 1", "pass", "continue", "x[j + 3] = 0" if seed % 4 == 0 else "pass"]),
        behind=pick(["n -= 1", "pass", "if n > 50:\n            return n, j"]),
        last=pick(["n += 1", "pass", "for k in range(2):\n        if k < n:\n            n += k"]),
    )


def test_random_recursions() -> None:
    for seed in range(SEED * 1000, SEED * 1000 + 40):
        source = recursive_source(seed)
        compiled = np.compile(function_of(source, f"recursion {seed}"))
        for n, left in ((4, 2), (0, 3), (1, 1), (5, 3), (4, 0)):
            x = numpy.random.default_rng([seed, n]).integers(0, 9, n)
            agree(compiled, (x, 0, left), f"seed {seed}, {n} numbers, {left}\n{source}")
