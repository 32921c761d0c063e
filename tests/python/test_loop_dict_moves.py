"""Dicts and sets that native loops give other names: each is the one that it is in Python."""

from __future__ import annotations

import collections
import random
from typing import Any

import numpy
import pytest
from loop_keys import SIZES, run_random_programs
from support import SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_dicts import agree
from test_native_loops import programs_of

import fastnp as np


def move_source(seed: int, statements: int) -> str:
    """A function f(k, n) with three variables that are dicts, or sets, of one kind."""
    rng = random.Random(seed)
    pick = rng.choice
    are_sets, is_pair, deletes = rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.3
    empty = "set()" if are_sets else "{}"

    def key() -> str:
        one = pick(["i", "t % 7", "i * 8", "-i", "3", "i << 33"])
        return f"({one}, {pick(['i % 3', '1', 't % 2'])})" if is_pair else one

    def name() -> str:
        return pick("abc")

    def statement(depth: int) -> None:
        indent, x, y, z = "    " * depth, name(), name(), name()
        store = f"{x}.add({key()})" if are_sets else f"{x}[{key()}] = t"
        texts = [store] * 4 + [f"{x} = {y}", f"{x}, {y} = {y}, {x}", f"{x} = {empty}", f"{x} = {y} = {empty}", f"t = t + len({x})"]
        texts += [f"{x}, {y}, {z} = {y}, {z}, {x}", f"if {x}:\n{indent}    {y} = {x}", f"new = {empty}\n{indent}{x} = new", f"{x}.clear()"]
        texts += [f"t = t + ({key()} in {y})"]
        if deletes:
            texts += [f"{x}.discard({key()})" if are_sets else f"t = {x}.pop({key()}, 1)"]
        if rng.random() < 0.25 and depth < 4:
            bound = "u, v" if is_pair else "u"
            lines.append(f"{indent}for {bound} in {x}:")
            lines.append(f"{indent}    t = (t * 3 + u) % 10007")
            if rng.random() < 0.3:
                lines.append(f"{indent}    {pick([store, f'{y} = {x}', f'{y} = {empty}'])}")
            return
        lines.append(indent + pick(texts))

    lines = ["def f(k, n):", f"    a, b, c, t = {empty}, {empty}, {empty}, 1", "    for i in range(n):"]
    for _ in range(statements):
        statement(2)
    if rng.random() < 0.3:
        lines.append(f"        if t % 5 == 4:\n            {pick(['break', 't = t // (t - t)', 'return a is b, b is c, a, b'])}")
    lines.append(f"    return {pick(['a, b, c, t', 'a is b, a is c, b is c, b', 't, a', 't'])}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    run_random_programs("moves of dicts", part, move_source, (2, 4, 6), count=16)  # of which half are native


def _life(k: Any, n: int) -> Any:
    alive = {(0, 1), (1, 2)}
    for i in range(3):
        alive.add((2, i))
    for _ in range(min(n, 30)):
        counts = {}
        for i, j in alive:
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        counts[i + di, j + dj] = counts.get((i + di, j + dj), 0) + 1
        new = set()
        for p, count in counts.items():
            if count == 3 or (count == 2 and p in alive):
                new.add(p)
        alive = new
    return alive, len(alive), list(alive)


def _levels(k: Any, n: int) -> Any:
    front, seen, steps = {(0, 0)}, {(0, 0)}, []
    while front:
        steps.append(len(front))
        ahead = set()
        for x, y in front:
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                p = (x + dx, y + dy)
                if 0 <= p[0] < n and 0 <= p[1] < min(n, 20) and p not in seen and (p[0] * 7 + p[1] * 3) % 5:
                    seen.add(p)
                    ahead.add(p)
        front = ahead
    return steps, seen


def _sums(k: Any, n: int) -> Any:
    """Sums of some of the numbers, and in how many ways."""
    ways, last = {0: 1}, {}
    for i in range(n):
        ahead = {}
        for total, count in ways.items():
            ahead[total] = (ahead.get(total, 0) + count) % 1009
            if total < 300:
                ahead[total + int(k[i])] = (ahead.get(total + int(k[i]), 0) + count) % 1009
        last, ways = ways, ahead
    return ways, last


def _at_once(k: Any, n: int) -> Any:
    """One dict by two names."""
    found = 0
    for i in range(n):
        a = b = {}
        c = d = set()
        q = r = collections.deque()
        a[i] = i
        d.add(i)
        r.append(i)
        found += (i in b) + (i in c) + len(q)
    return found


def _views(k: Any, n: int) -> Any:
    """A view is that of the dict which it was made of."""
    held, found = {}, 0
    for i in range(n):
        held[i] = i
        values = held.values()
        if i % 5 == 3:
            held = {}
        held[100] = 7
        for each in values:
            found += each
    return found, held


@pytest.mark.parametrize("function", [_life, _levels, _sums, _at_once, _views])
def test_programs(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    for n in SIZES:
        keys = numpy.random.default_rng([SEED, n]).integers(1, 9, n)
        agree(compiled, (keys, n), f"{function.__name__}, {n}")
    assert programs_of(compiled) or function is _views
