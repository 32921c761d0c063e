"""Dicts and sets of tuples in native loops: what they have, in which order, and what they raise is Python's."""

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


def key_source(rng: random.Random, count: int) -> str:
    """A tuple of so many whole numbers."""
    numbers = ["i % 3", "t % 4", "0", "-1", "i // 4", "int(k[i % len(k)])", "i << 40", "k[i % len(k)]", "len(s)", "True"]
    return "(" + ", ".join(rng.choice(numbers[: 7 if rng.random() < 0.8 else None]) for _ in range(count)) + ")"


def tuple_source(seed: int, statements: int) -> str:
    """A function f(k, n): an array of whole numbers, how many turns. Its dict `d` has numbers, `e` pairs."""
    rng = random.Random(seed)
    pick, widths = rng.choice, [rng.randint(2, 4) for _ in range(3)]
    deletes = seed % 2 == 1
    first = "{}" if rng.random() < 0.5 else "{" + ", ".join(f"{str((number,) * widths[0])}: {number}" for number in range(3)) + "}"
    lines = ["def f(k, n):", f"    d, e, s, c, t = {first}, {{}}, set(), Counter(), 1", "    for i in range(n):"]

    def key(of: int) -> str:
        return key_source(rng, widths[of])

    def pair() -> str:
        return pick(["(t, i)", "(i % 5, -t)", "(0, 1)", "e.get(" + key(1) + ", (t, 2))"])

    def statement(depth: int) -> None:
        p, q, r, indent = key(0), key(1), key(2), "    " * depth
        texts = [
            f"d[{p}] = t", f"d[{p}] = d.get({p}, 0) + 1", f"d[{p[1:-1]}] += i", f"t = d[{p}]", f"t = t + d.setdefault({p}, i) % 7",
            f"e[{q}] = {pair()}", f"a, b = e.get({q}, (3, i))\n{indent}t = t * a % 31 + b % 5", f"t = e[{q}][1]", f"e[{q}] = e.setdefault({q}, (i, 4))",
            f"s.add({r})", f"p = {r}\n{indent}s.add(p)", f"c[{p}] += 1", f"t = t + c[{p}]", "t = t + len(d) * 3 + len(e) - len(s)", "t = i",
            f"v = d.get({p})\n{indent}if v is not None:\n{indent}    t = v % 9",
            f"w = e.get({q})\n{indent}if w is not None and w[0] > 2:\n{indent}    t = w[1]",
            "e = {}" if pick([0, 0, 1]) else "d.clear()",
        ]  # fmt: skip
        if deletes:
            texts += [f"del d[{p}]", f"t = d.pop({p})", f"t = d.pop({p}, i)", f"s.discard({r})", f"s.remove({r})", f"t = e.pop({q}, (i, 1))[0]"]
        if rng.random() < 0.7 or depth > 3:
            lines.append(indent + pick(texts))
            return
        head = pick([f"if {p} in d:", f"if {q} not in e:", f"if {r} in s:", "if t > 4:", "if s:"])
        unpacked = ["(x, " + ", ".join(f"x{j}" for j in range(widths[of] - 1)) + ")" for of in range(2)]
        if rng.random() < 0.4:
            items = [f"{unpacked[0]}, y in d.items()", f"{unpacked[1]}, (y, z) in e.items()", f"{unpacked[1][1:-1]} in e", "y in d.values()"]
            head = f"for {pick(items)}:"
            names = [each for each in ("x", "x0", "y", "z") if f"{each}," in head or f"{each} in" in head or f"{each})" in head]
            lines.append(indent + head)
            lines.append(indent + "    t = (t * 3 + " + " + ".join(names) + ") % 1009")
            if rng.random() < 0.3:
                lines.append(indent + f"    if t > 500:\n{indent}        {pick(['break', f'd[{p}] = t', f'e[{q}] = (1, t)', 'continue'])}")
            return
        lines.append(indent + head)
        statement(depth + 1)

    for _ in range(statements):
        statement(2)
    if rng.random() < 0.3:
        last = pick(["break", "return d, s, t", "t = 1 // (t - t)", "d[i] = t", "d[i, 2.5] = t", "s.add(str(t))"])
        lines.append(f"        if t % 6 == 5:\n            {last}")
    lines.append(f"    return {pick(['d, e, s, c, t', 'd, t', 'e, s', 'c, len(s), e', 'len(d), len(e), s'])}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    run_random_programs("tuple keys", part, tuple_source, Counter=collections.Counter)


def _states(k: Any, n: int) -> Any:
    """States of a search that have a flag."""
    queue, steps = collections.deque([(0, 0, False)]), {(0, 0, False): 0}
    while queue:
        x, y, turned = queue.popleft()
        for dx, dy in ((1, 0), (0, 1), (-1, 0)):
            p = (x + dx, y + dy, turned or dy > dx)
            if 0 <= p[0] < n and 0 <= p[1] <= n and p not in steps:
                steps[p] = steps[x, y, turned] + 1
                queue.append(p)
    return steps


def _paths(k: Any, n: int) -> Any:
    """How many ways lead somewhere, by four numbers."""
    ways = {(0, 0, 0, 0): 1}
    for i in range(n):
        for j in range(4):
            ways[i, j, i % 2, -j] = ways.get((i - 1, j, 1 - i % 2, -j), 0) + ways.get((i, j - 1, i % 2, 1 - j), 1)
    return ways, (n, n, n, n) in ways


def _missing(k: Any, n: int) -> Any:
    seen = {(-1, 0): 2.5}
    for i in range(n):
        seen[int(k[i]), i] = seen[int(k[i]) - 1, i - 1] + 0.5
    return seen


def _best(k: Any, n: int) -> Any:
    """Values that are pairs, or not there yet; nothing of the dict that stays empty."""
    best, never, t = {}, {}, 0
    for i in range(n):
        at = int(k[i]), i % 3
        before = best.get(at)
        if before is None or before[0] < t % 5:
            best[at] = (t % 5, i)
        for (x, y), (a, b) in never.items():
            t += x + y + a + b
        for (x, y), (a, b) in best.items():
            t = (t * 5 + x - y + a * b) % 1013
        last = best.pop((i, 1), (0, 7))
        t += last[1]
    return t, best, never


@pytest.mark.parametrize("function", [_states, _paths, _missing, _best])
def test_programs(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    for n in (each if function is not _states else min(each, 20) for each in SIZES):
        for keys in (numpy.arange(n), numpy.random.default_rng([SEED, n]).integers(-2, 5, n)):
            agree(compiled, (keys, n), f"{function.__name__}, {n}")
    assert programs_of(compiled)
