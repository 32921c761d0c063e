"""Python's folds of generators, lists and arrays in native loops: what they give and raise is Python's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from support import SEED
from test_array_loops import agree, native_among
from test_native_loops import programs_of

import fastnp as np


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []

    def number(self, names: list[str], depth: int = 0) -> str:
        pick = self.rng.choice
        if depth > 1 or self.rng.random() < 0.5:
            return pick([*names, *names, "i", "s", "2", "0.5", "x[i % len(x)]", "v[-1]", "g[0][1]", "len(v)"])
        return f"({self.number(names, depth + 1)} {pick(['+', '-', '*'])} {self.number(names, depth + 1)})"

    def test(self, names: list[str]) -> str:
        return f"{self.number(names)} {self.rng.choice(['<', '>', '!=', '=='])} {self.number(names, 1)}"

    def iterations(self) -> tuple[str, list[str]]:
        """What a generator goes over, and the variables that it binds."""
        pick = self.rng.choice
        found = [
            (pick(["j in range(i)", "j in range(n)", "j in range(len(x))", "j in range(1, 4)", "j in range(3, -1, -1)"]), ["j"]),
            (f"e in {pick(['x', 'v', 'g[1]', 'x[1:]', '(i, 2, 3)'])}", ["e"]),
            ("j, e in enumerate(x)", ["j", "e"]),
            ("a, b in zip(x, v)", ["a", "b"]),
            ("row in g", ["row[0]", "row[-1]"]),
        ]
        return pick(found)

    def generator(self, wants_test: bool) -> str:
        over, names = self.iterations()
        element = self.test(names) if wants_test else self.number(names)
        if self.rng.random() < 0.2:
            element, over = self.number([*names, "k"]), f"{over} for k in range({self.rng.choice(['2', 'i', 'len(v)'])})"
        condition = f" if {self.test(names)}" if self.rng.random() < 0.4 else ""
        return f"{element} for {over}{condition}"

    def fold(self) -> str:
        pick = self.rng.choice
        whole = pick(["x", "v", "g[i % 2]", "x[:2]", "x * 2"])
        return pick(
            [
                lambda: f"sum({self.generator(False)})",
                lambda: f"sum({self.generator(True)})",
                lambda: f"sum(({self.generator(False)}), {pick(['s', '1', '0.5'])})",
                lambda: f"sum([{self.generator(False)}])",
                lambda: f"{pick(['max', 'min'])}({self.generator(False)})",
                lambda: f"{pick(['any', 'all'])}({self.generator(True)})",
                lambda: f"{pick(['sum', 'max', 'min', 'any', 'all'])}({whole})",
            ]
        )()

    def statement(self, indent: str) -> None:
        pick = self.rng.choice
        kind = self.rng.random()
        if kind < 0.45:
            self.lines.append(f"{indent}s = {pick(['', 's + ', 's - 2 * '])}{self.fold()}")
        elif kind < 0.6:
            self.lines.append(f"{indent}{pick(['v[i % len(v)]', 'x[i % len(x)]', 'g[i % 2][0]'])} {pick(['=', '+='])} {self.fold()}")
        elif kind < 0.8:
            self.lines.append(f"{indent}if {self.fold()} {pick(['> 2', '< i', '!= 0'])}:")
            self.lines.append(f"{indent}    {pick(['s = i', 'break', 'continue', 'log.append(s)', 'return s, i'])}")
        else:
            self.lines.append(f"{indent}t = t + [{self.fold()}]" if self.rng.random() < 0.2 else f"{indent}t.append({self.fold()})")


def fold_source(seed: int, statements: int) -> str:
    """A function ``f(x, v, g, n, log)`` of an array, a list, a list of lists, a count, and a list that it may append to."""
    writer = _Writer(random.Random(seed))
    for _ in range(statements):
        writer.statement("        ")
    body = "\n".join(writer.lines)
    return f"def f(x, v, g, n, log):\n    s, t = 0, []\n    for i in range(n):\n{body}\n    return s, t, x, v, g\n"


def _fold_calls(seed: int) -> Iterator[Any]:
    for call, (n, size) in enumerate(((4, 5), (5, 3), (1, 1), (0, 2), (3, 0))):
        rng = random.Random(seed * 10 + call)
        floats = seed % 3 == 0
        v: list[Any] = [round(rng.gauss(0, 2), 2) if floats else rng.randrange(-4, 5) for _ in range(size)]
        g = [[rng.randrange(-4, 5) for _ in range(3)] for _ in range(2)]
        x = numpy.array([rng.gauss(0, 2) for _ in range(size)]) if seed % 2 else numpy.array([rng.randrange(-4, 5) for _ in range(size)], int)
        yield x, v, g, n, []


@pytest.mark.parametrize("part", range(2))
def test_random_programs(part: int) -> None:
    assert native_among("folds", part, (1, 2, 4), fold_source, _fold_calls) > 1 / 6


def _products(a: Any, b: Any, n: Any) -> Any:
    c = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            c[i][j] = sum(a[i][k] * b[k][j] for k in range(n))
    return c


def _spread(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(1, n):
        total = total + max(x[i] - x[j] for j in range(i)) - min(abs(x[i] - x[j]) for j in range(i))
    return total


def _primes(_: Any, n: Any) -> Any:
    found = []
    for k in range(2, n):
        if all(k % p for p in found if p * p <= k):
            found.append(k)
    return found


def test_what_people_write() -> None:
    rng = random.Random(SEED)
    products, spread, primes = (np.compile(each, adaptive=False) for each in (_products, _spread, _primes))
    for n in (0, 1, 2, 7, 12):
        a, b = ([[rng.choice([rng.random(), 0.5]) for _ in range(n)] for _ in range(n)] for _ in range(2))
        agree(products, (a, b, n))
        agree(products, (a, a, n))  # one list, of which both are
        agree(spread, (numpy.array([rng.random() for _ in range(n)]), n))
        agree(primes, (numpy.zeros(1), 10 * n))
    assert programs_of(products)
    assert programs_of(spread)


def test_other_functions_of_these_names() -> None:
    def sum(values: Any) -> Any:
        return len(list(values))

    def counted(x: Any, n: Any) -> Any:
        total = 0
        for i in range(n):
            if x[i] > 0:
                total += sum(v for v in x)
        return total

    agree(np.compile(counted, adaptive=False), (numpy.array([1.0, -1.0, 2.0]), 3))
