"""Native loops over sets and deques: in Python's order, with its errors where they are changed meanwhile."""

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
from fastnp._loop_set_order import is_as_known


def order_source(seed: int, statements: int) -> str:
    """A function f(k, n) with a set `s` of numbers, one `p` of tuples, and deques `q` of numbers and `w` of pairs."""
    rng = random.Random(seed)
    pick = rng.choice
    width = rng.randint(2, 4)
    lines = ["def f(k, n):", f"    s, p, t = {pick(['set()', '{0, n}', 'set([7, -1, 8])'])}, set(), 1", "    q, w = deque(), deque([(1, 0.5)])"]
    lines.append("    for i in range(n):")

    def number() -> str:
        return pick(
            ["i", "t", "-i", "i * 8", "t % 13", "k[i % 5]", "i << 20", "-1", "t * 4096", "i - 2", "int(k[t % 5]) * (i << 50)"][: 5 if seed % 3 else None]
        )

    def key() -> str:
        return "(" + ", ".join(pick(["i", "t % 5", "-1", "i % 3", "t", "int(k[i % 5])"]) for _ in range(width)) + ")"

    def in_loop(indent: str, names: list[str]) -> None:
        one = " + ".join(names)
        more = [f"t = t * 5 + {one}", f"t = (t * 3 + {one}) % 1013", f"t = (t ^ {names[0]}) % 4099", f"if {names[0]} > t % 9:\n{indent}    break"]
        changes = [
            f"s.add({number()})",
            f"p.add({key()})",
            f"q.append({names[0]})",
            "q.popleft()",
            f"t = t // ({names[0]} - 3)",
            "return t, i, s",
            "s.clear()",
        ]
        for _ in range(rng.randint(1, 2)):
            lines.append(indent + pick(more))
        if rng.random() < 0.4:
            lines.append(f"{indent}if t % 23 == {rng.randrange(4)}:\n{indent}    {pick(changes)}")

    def statement() -> None:
        indent = "        "
        if rng.random() < 0.5:
            texts = [f"s.add({number()})", f"p.add({key()})", "q.append(t % 100)", "w.append((i, t * 0.5))", f"q.appendleft({pick(['i', '3'])})"]
            texts += ["if len(q) > 4:\n            t = q.popleft()", "s = set()" if rng.random() < 0.3 else f"s.add({number()})", "t = t + sum(q) % 7"]
            texts += ["t = t + sum(s) % 11", "t = max(q) if q else 2", "t = min(s) % 77 if s else 3", f"if {number()} in s:\n            t = i"]
            lines.append(indent + pick(texts))
            return
        names = ["x"] + [f"x{each}" for each in range(1, width)]
        items: list[tuple[str, list[str]]] = [("x in s", ["x"]), ("x in q", ["x"]), (f"{', '.join(names)} in p", names), ("(x, y) in w", ["x"])]
        items += [("j, x in enumerate(s)", ["x", "j"]), ("j, x in enumerate(q, 2)", ["x", "j"]), ("x, (y, z) in zip(s, w)", ["x", "y"])]
        over, bound = pick(items)
        lines.append(f"{indent}for {over}:")
        in_loop(indent + "    ", bound)

    for _ in range(statements):
        statement()
    lines += ["        t = t % 100003", f"    return {pick(['t, s, p, list(s)', 't, q, w', 't, list(p)', 't'])}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    run_random_programs("orders", part, order_source, deque=collections.deque)


def _folded(keys: Any, n: int) -> Any:
    """A number that depends on the order, at several sizes."""
    seen, t = set(), 0
    for i in range(n):
        seen.add(int(keys[i]))
        if i & (i + 1) == 0 or i + 1 == n:
            for x in seen:
                t = (t * 31 + x % 1000) % 1000003
    return t, list(seen)


def _folded_pairs(keys: Any, n: int) -> Any:
    seen, t = set(), 0
    for i in range(n):
        seen.add((int(keys[i]), i % 7))
        if i & (i + 1) == 0 or i + 1 == n:
            for x, y in seen:
                t = (t * 31 + x % 1000 + y) % 1000003
    return t, list(seen)


def _overflows(keys: Any, n: int) -> Any:
    """Python goes on in the middle, over what is left of a set and of a deque."""
    seen, last, t = {n}, collections.deque(), 1
    for i in range(n):
        if i % 3 != 1:
            seen.add(int(keys[i]))
            last.append(i)
        for x in seen:
            t = t * (x % 1000 + 3)
            for j, y in enumerate(last):
                if y % 2:
                    t = t + y * x - j
        t %= 10007
    return t, seen, last


def _grows(keys: Any, n: int) -> Any:
    """Errors of sets and deques that change while they are gone over."""
    seen, last, t = set(), collections.deque(), 0
    for i in range(n):
        if keys[i] % 2 == 0:
            seen.add(int(keys[i]))
        last.append(int(keys[i]))
        for x in last:
            t = t + x
            if t % 100 == 5:
                last.popleft()
        for x in seen:
            t = t * 2 % 1009 + x
            if t % 60 == 1:
                seen.add(x + 2)
    return t, seen, last


def _key_arrays(n: int) -> list[Any]:
    rng = numpy.random.default_rng(SEED)
    far = rng.integers(-(2**63), 2**63 - 1, n)
    return [numpy.arange(n) * 8, rng.integers(-9, 9, n), far, numpy.arange(n) << 40, -numpy.arange(n)]


@pytest.mark.parametrize("function", [_folded, _folded_pairs])
def test_programs(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    for n in (*SIZES, 3000):
        for keys in _key_arrays(n):
            agree(compiled, (keys, n), f"{function.__name__}, {n}, {keys[:9]}")
    assert programs_of(compiled)


@pytest.mark.parametrize("function", [_overflows, _grows])
def test_programs_that_are_left(function: Any) -> None:
    """For good: each is made anew."""
    for n in SIZES:
        for keys in _key_arrays(n):
            compiled = np.compile(function, adaptive=False)
            agree(compiled, (keys[:0], 0), "no turn")
            assert programs_of(compiled)
            agree(compiled, (keys, n), f"{function.__name__}, {n}, {keys[:9]}")


def test_large_sets() -> None:
    """From 50,000 items on tables grow more slowly."""
    compiled = np.compile(_folded, adaptive=False)
    for keys in (numpy.arange(100_000) * 3, numpy.random.default_rng(SEED).integers(-(2**40), 2**40, 90_000)):
        agree(compiled, (keys, len(keys)), "large")
    assert programs_of(compiled)


def test_sets_whose_order_is_not_known() -> None:
    """Constants make a set at once, and what is lost leaves places behind: such ones are gone over as written."""

    def constants(n):
        t, s = 0, {40, 8, 16, 1, 72, 33}
        for i in range(n):
            s.add(i)
            for x in s:
                t = (t * 3 + x) % 1009
        return t

    def lost(n):
        t, s = 0, {n, 8}
        for i in range(n):
            s.add(i * 8)
            s.discard(i * 4)
            for x in s:
                t = (t * 3 + x) % 1009
        return t

    assert is_as_known()
    for function in (constants, lost):
        compiled = np.compile(function, adaptive=False)
        for n in SIZES:
            agree(compiled, (n,), f"{function.__name__} {n}")


def test_sets_that_are_gone_over_after_a_native_loop() -> None:
    """What comes after such a loop, as written, has Python's set."""

    def lost(n):
        s = {n, 8}
        for i in range(n):
            s.add(i * 8 % 72)
            s.discard(i * 4 % 28)
        return list(s), sorted(s)

    def constants(n):
        s = {40, 8, 16, 1, 72, 33}
        for i in range(n):
            s.add(i * 9)
        return list(s)

    def added(n):
        s = {n, 8}
        for i in range(n):
            s.add(i * 8 % 72)
        return list(s), s

    for function in (lost, constants, added):
        compiled = np.compile(function, adaptive=False)
        for n in SIZES:
            agree(compiled, (n,), f"{function.__name__} {n}")
        assert bool(programs_of(compiled)) == (function is added)
