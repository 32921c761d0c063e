"""Dicts and sets that native loops make: they have what Python's have, in their order, and raise what these raise."""

from __future__ import annotations

import collections
import random
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import LONG, SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_native_loops import outcome, programs_of, same

import fastnp as np


def alike(x: Any, y: Any) -> bool:
    """Dicts and sets with their types, their order and that of numbers."""
    if type(x) is not type(y):
        return False
    if isinstance(x, dict):
        return alike(list(x.items()), list(y.items()))
    if isinstance(x, set):
        return sorted(map(repr, x)) == sorted(map(repr, y))  # by what they say: no NaN equals another one, nor have these an order in a set
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(alike, x, y))
    return same(x, y)


def agree(compiled: Any, arguments: tuple[Any, ...], note: str) -> None:
    copies = [tuple(each.copy() if hasattr(each, "copy") else each for each in arguments) for _ in range(2)]
    want, got = outcome(compiled.__wrapped__, copies[0]), outcome(compiled, copies[1])
    assert alike(got, want), f"{note}: {got!r} where Python gives {want!r}"
    assert all(map(alike, *copies)), f"{note}: other arguments"


def dict_source(seed: int, statements: int) -> str:
    """A function f(x, k, n): an array of floats, one of whole numbers, how many turns."""
    rng = random.Random(seed)
    pick = rng.choice
    lines = [
        "def f(x, k, n):",
        f"    d, e, s, c = {pick(['{}', '{1: 2}', 'dict()', '{3: 1, 3: 4, 0: 0}'])}, {pick(['{}', '{(0, 0): 0.5}'])}, set(), defaultdict(int)",
    ]
    lines += ["    t, r = 0, 0.0", "    for i in range(n):"]

    def key() -> str:
        return pick(["i", "i % 5", "t % 9", "3", "int(k[i % len(k)])", "i * i % 11", "t", "-i", "i << 33", "len(d)"] + ["k[i % len(k)]"] * (seed % 3 == 0))

    def pair() -> str:
        return pick(["(i, 1)", "(i % 3, t % 2)", "(0, 0)", "i % 4, i % 2"])

    def in_brackets(text: str) -> str:
        return text if text.startswith("(") else f"({text})"

    def statement(depth: int) -> None:
        indent = "    " * depth
        p, q = key(), key()
        deletes = [f"del d[{p}]", f"t = d.pop({p})", f"t = d.pop({p}, {q})", f"s.discard({p})", f"s.remove({p})"] if seed % 2 else []
        texts = [
            f"d[{p}] = {q}", f"d[{p}] = d.get({p}, 0) + 1", f"d[{p}] += {q}", f"t = d.get({p}, {pick(['0', 't', '-1'])})", f"t = d[{p}]", f"s.add({p})",
            f"e[{pair()}] = r + {p}", f"r = e.get({in_brackets(pair())}, 0.25)", f"e[{pair()}] = e.get({in_brackets(pair())}, 1.0) * 0.5", f"c[{p}] += 1",
            f"t = t + c[{p}] % 4", f"t = d.setdefault({p}, {q})", "t = t + len(d) + len(s) + len(e)", f"r = r + x[{p} % len(x)]", *deletes, f"t = {p}",
            "d = {}" if pick([0, 0, 1]) else "s = {i, 3}", "t = t + sum(d.values())", "t = max(d.values()) if d else 1", f"c[{p}] = {q}",
        ]  # fmt: skip
        form = rng.random()
        if form < 0.75 or depth > 3:
            lines.append(indent + pick(texts))
            return
        head = pick(
            [f"if {p} in d:", f"if {p} not in s:", f"if {in_brackets(pair())} in e:", f"if t > {p}:", "if s:", "if c and not d:"]
            + ["for key in d:", "for key, value in d.items():", "for value in d.values():", "for (key, other), value in e.items():", "for key in c:"]
        )
        lines.append(indent + head)
        if head.startswith("for"):
            body = ["t = t + 1", "t = t * 3 % 1001 + key", "t = t * 3 % 1001 + value", "d[key] = t", "if t > 40:\n" + indent + "        break", "d[t] = 1"]
            usable = [each for each in body if not ("key" in each and "key" not in head) and not ("value" in each and "value" not in head)]
            lines.append(indent + "    " + pick([each for each in usable if "e.items" not in head or "value" not in each]))
        else:
            statement(depth + 1)

    for _ in range(statements):
        statement(2)
    if rng.random() < 0.3:
        lines += [f"        if {key()} > 6:", f"            {pick(['break', 'return d, s, t', 'x[0] = 1 // (t - t)', 'continue', 'd[2.5] = t'])}"]
    lines.append(f"    return {pick(['d, e, s, c, t, r', 'd, t', 't, r, len(s)', 'e, r', 's, c', 'len(d), t'])}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    native = 0
    first = SEED * 1000 + part * 10**7
    count = 200 if LONG else 15
    for seed in range(first, first + count):
        for statements in (2, 4, 7):
            source = dict_source(seed, statements)
            function = function_of(source, f"dicts {seed} {statements}")
            function.__globals__["defaultdict"] = collections.defaultdict
            compiled = np.compile(function, adaptive=False)
            for call, n in enumerate((4, 1, 0, 30, 9, 100)):
                rng = numpy.random.default_rng([seed, call])
                agree(compiled, (rng.normal(size=5), rng.integers(-4, 20, 7), n), f"seed {seed}, call {call}\n{source}")
            native += bool(programs_of(compiled))
    assert native > 2 * count


def test_many_keys() -> None:
    def counted(keys, n):
        counts, kept = {}, set()
        for i in range(n):
            k = int(keys[i])
            counts[k] = counts.get(k, 0) + 1
            kept.add((k, i % 3))
        return counts, len(kept), kept

    compiled = np.compile(counted, adaptive=False)
    rng = numpy.random.default_rng(SEED)
    for keys in (
        rng.integers(0, 50, 3000),
        rng.integers(-(2**63), 2**63 - 1, 3000),
        numpy.arange(3000) << 40,
        numpy.arange(3000) * 4096,
        numpy.zeros(0, int),
    ):
        agree(compiled, (keys, len(keys)), "keys")
    assert programs_of(compiled)


def test_what_is_deleted() -> None:
    """Items come and go for long, and the others keep their order."""

    def turned_over(keys, n):
        held, there = {}, set()
        for i in range(n):
            k = int(keys[i])
            if k in held:
                held[k] += 1
                if held[k] > 2:
                    del held[k]
                    there.discard(k)
            else:
                held[k] = 0
                there.add(k)
        total = 0
        for k, v in held.items():
            total = (total * 7 + k * 3 + v) % 1000003
        return held, sorted(there), total  # not the set, in whose order what it lost can be seen

    compiled = np.compile(turned_over, adaptive=False)
    for size, n in ((10, 3000), (500, 5000), (3, 7), (1, 0)):
        agree(compiled, (numpy.random.default_rng([SEED, size]).integers(0, size, n), n), f"{size} keys, {n} turns")
    assert programs_of(compiled)


def test_errors() -> None:
    def looked_up(keys, n):
        known, s = {1: 2, 3: 4}, 0
        for i in range(n):
            s += known[int(keys[i])]
            known[int(keys[i]) + 5] = s
        return s, known

    def grows(keys, n):
        known = {0: 1, 1: 1}
        for i in range(n):
            known[i] = int(keys[i])
        for each in known:
            if known[each] > 3:
                known[each + 1000] = 1
        return known

    for function in (looked_up, grows):
        compiled = np.compile(function, adaptive=False)
        for keys in ([1, 3, 1], [1, 7, 3], [], [1, 6, 8, 4], [1, 1, 3, 3]):
            agree(compiled, (numpy.array(keys, int), len(keys)), f"{function.__name__} {keys}")
        assert programs_of(compiled)


def test_made_by_functions_that_are_called() -> None:
    def distinct(values):
        seen = set()
        for v in values:
            seen.add(int(v))
        return len(seen)

    def windows(x, width):
        out = numpy.zeros(len(x), int)
        for i in range(len(x) - width):
            out[i] = distinct(x[i : i + width])
        return out

    compiled = np.compile(windows, adaptive=False)
    for size, width in ((30, 4), (3, 5), (0, 0), (100, 30)):
        agree(compiled, (numpy.random.default_rng([SEED, size]).integers(0, 9, size), width), f"{size}, {width}")
    assert programs_of(compiled)
