"""Lists of lists in native loops: results, the lists themselves, errors and warnings are Python's."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from support import SEED
from test_array_loops import agree, native_among
from test_native_loops import programs_of

import fastnp as np


def table_source(seed: int, statements: int, makes: bool = False) -> str:
    """A function ``f(g, h, x, n, log)`` of two tables and a vector. `makes`: it makes its first table, and is given how wide that is."""
    rng = random.Random(seed)

    def index(size: str) -> str:
        return rng.choice([f"i % {size}", f"j % {size}", "0", "-1", f"(i + j) % {size} - 1", f"-(i % {size}) - 1", "i" if rng.random() < 0.1 else "1"])

    def cell() -> str:
        return rng.choice([f"g[{index('len(g)')}][{index('len(g[0])')}]", f"h[{index('len(h)')}][{index('len(h[0])')}]", f"row[{index('len(row)')}]"])

    def number(depth: int = 0) -> str:
        if depth > 1 or rng.random() < 0.5:
            return rng.choice([cell(), cell(), "i", "j", "s", "2", "x[i % len(x)]", "len(g)", "len(row)"])
        return f"({number(depth + 1)} {rng.choice(['+', '-', '+', '*' if depth else '-'])} {number(depth + 1)})"

    lines: list[str] = []

    def statement(indent: str, depth: int) -> None:
        kind = rng.random()
        if kind < 0.35:
            lines.append(f"{indent}{cell()} {rng.choice(['=', '+=', '-='])} {number()}")
        elif kind < 0.45:
            lines.append(f"{indent}row = {rng.choice(['g', 'h'])}[{index('2')}]")
        elif kind < 0.55:
            lines.append(f"{indent}s = {number()}")
        elif kind < 0.65 and depth < 2:
            lines.append(f"{indent}for v in {rng.choice(['row', 'g[i % len(g)]'])}:")
            lines.append(f"{indent}    s = s + v")
            lines.append(f"{indent}    if s > 20:")
            lines.append(f"{indent}        {rng.choice(['break', 's = 0', 'log.append(s)', 'return s, i'])}")
        elif kind < 0.72 and depth < 1:
            lines.append(f"{indent}for other in {rng.choice(['g', 'h'])}:")
            lines.append(f"{indent}    other[0] = {rng.choice(['other[-1]', 'other[0] + 1', number()])}")
        elif depth < 2:
            lines.append(f"{indent}if {number()} > {number()}:")
            statement(indent + "    ", depth + 1)
            if rng.random() < 0.2:
                lines.append(f"{indent}    {rng.choice(['break', 'continue', 'log.append(g[0])', 'return row, s'])}")
        else:
            lines.append(f"{indent}s = 1")

    for _ in range(statements):
        statement("            ", 0)
    body = "\n".join(lines)
    kinds = [
        "[[0] * w for _ in range(2)]",
        "[[0, 1] * w for row in range(w)]",
        "[[0 for _ in range(w + 1)] for _ in range(w)]",
        "[[1.5] * w for i in range(3)]",
    ]
    made = rng.choice(kinds)
    begin, first = (f"    g = {made}\n    s, row = 0, h[0]\n", "w") if makes else ("    s, row = 0, g[0]\n", "g")
    end = rng.choice(["s, g, row, row is g[0]", "g[-1][0]", "s, h", "g"]) if makes else "s, g, row, row is g[0]"
    return f"def f({first}, h, x, n, log):\n{begin}    for i in range(n):\n        for j in range(2):\n{body}\n    return {end}\n"


def _table_calls(seed: int) -> Iterator[Any]:
    for call, n in enumerate((4, 5, 1, 0, 9)):
        rng = random.Random(seed * 10 + call)
        ranges = {"whole": functools.partial(rng.randrange, -5, 6), "real": lambda rng=rng: round(rng.gauss(0, 2), 2)}
        rows, columns = (2, 3) if call < 3 else (3, 2)
        g = [[ranges["whole"]() for _ in range(columns)] for _ in range(rows)]
        h = [[ranges["real" if seed % 3 else "whole"]() for _ in range(4)] for _ in range(2)]
        if call == 2:
            h = rng.choice([[g[0], [1, 2, 3]], [[1, 2], [3]], [[1, 2.0], [3, 4]], [[2**63, 1], [1, 2]], [[True, False], [False, True]]])
        yield g, h, _vector(seed), n, []


def _width_calls(seed: int) -> Iterator[Any]:
    for call, (n, width) in enumerate(((4, 3), (5, 3), (1, 2), (0, 3), (9, 0), (3, 1), (2, -1))):
        rng = random.Random(seed * 10 + call)
        h = [[rng.randrange(-5, 6) if seed % 3 else round(rng.gauss(0, 2), 2) for _ in range(4)] for _ in range(2)]
        yield width, h, _vector(seed), n, []


def _vector(seed: int) -> Any:
    return numpy.arange(3.0) if seed % 2 else numpy.arange(3)


@pytest.mark.parametrize("part", range(2))
def test_random_programs(part: int) -> None:
    assert native_among("tables", part, (1, 3, 6), table_source, _table_calls) > 1 / 3


@pytest.mark.parametrize("part", range(2, 4))
def test_random_programs_that_make_tables(part: int) -> None:
    source = functools.partial(table_source, makes=True)
    assert native_among("made tables", part, (1, 3, 6), source, _width_calls) > 1 / 3


def _common(a: Any, b: Any) -> Any:
    t = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                t[i + 1][j + 1] = t[i][j] + 1
            else:
                t[i + 1][j + 1] = max(t[i + 1][j], t[i][j + 1])
    return t[len(a)][len(b)]


def _palindrome(s: Any, _: Any) -> Any:
    n = len(s)
    is_one = [[False] * n for _ in range(n)]
    best = 0
    for i in range(n - 1, -1, -1):
        for j in range(i, n):
            if s[i] == s[j] and (j - i < 2 or is_one[i + 1][j - 1]):
                is_one[i][j] = True
                best = max(best, j - i + 1)
    return best, is_one


def _spiral(a: Any, _: Any) -> Any:
    n = len(a)
    g = [[-1 for _ in range(n)] for _ in range(n)]
    x = y = 0
    dx, dy = 1, 0
    for k in range(n * n):
        g[y][x] = k
        if not (0 <= x + dx < n and 0 <= y + dy < n and g[y + dy][x + dx] == -1):
            dx, dy = -dy, dx
        x += dx
        y += dy
    return g


def _again(a: Any, b: Any) -> Any:
    t = [[0] * len(b) for _ in range(3)]
    first = t[0]
    for v in a:
        t = [[v] * len(b) for _ in range(3)]
        t[0][0] = 9
    return t, first


@pytest.mark.parametrize("function", [_common, _palindrome, _spiral, _again])
def test_tables_that_a_program_makes(function: Any) -> None:
    """They are Python's where they are given, and no lists at all where they are not."""
    rng = random.Random(SEED)
    compiled = np.compile(function, adaptive=False)
    for size in (0, 1, 2, 7, 30):
        for _ in range(3):
            a, b = ([rng.randrange(3) for _ in range(max(0, size - less))] for less in (0, 1))
            agree(compiled, (a, b), f"{function.__name__} {a} {b}")
    assert function is _again or programs_of(compiled)


def test_rows_are_those_that_were_handed_in() -> None:
    def scaled(g: Any, by: Any) -> Any:
        for row in g:
            for j in range(len(row)):
                if row[j] > 0:
                    row[j] *= by
        return g

    compiled = np.compile(scaled, adaptive=False)
    for make in (lambda: [[1, -2], [3, 4]], lambda: [[0.5, 1.0, -1.0]], lambda: [[1]] * 3, lambda: [[], []], lambda: [[1], [2, 3]]):
        for by in (2, 0.5, 2**62, True):
            mine, theirs = make(), make()
            rows = list(mine)
            assert compiled(mine, by) is mine
            assert repr(mine) == repr(scaled(theirs, by))
            assert all(a is b for a, b in zip(mine, rows, strict=True))
    assert programs_of(compiled)


def test_numbers_that_are_not_stored_to_stay_what_they_are() -> None:
    nan = float("nan")

    def table(g: Any, n: Any) -> Any:
        for _ in range(n):
            g[0][0] += 1.0
            if g[0][0] > 100:
                break
        return nan in g[1], g[1][1] is nan, g[0][1] is nan

    def plain(x: Any, n: Any) -> Any:
        for _ in range(n):
            x[0] += 1.0
            if x[0] > 100:
                break
        return nan in x, x[1] is nan

    for _ in range(2):
        first, second = np.compile(table, adaptive=False), np.compile(plain, adaptive=False)
        for n in (3, 5, 0):
            assert first([[1.0, 2.0], [3.0, nan]], n) == (True, True, False)
            assert second([1.0, nan], n) == (True, True)
