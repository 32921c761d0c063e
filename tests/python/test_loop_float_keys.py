"""Dicts and sets of floats in native loops: zeros of both signs are one key, NaN is left to Python, whole numbers are other keys' business."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from loop_keys import run_random_programs
from support import SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_dicts import agree
from test_native_loops import programs_of

import fastnp as np


def float_source(seed: int, statements: int) -> str:
    """A function f(x, n): `d` has floats as keys, `e` pairs of one and a whole number, `s` has floats."""
    rng = random.Random(seed)
    pick = rng.choice

    def key() -> str:
        usual = ["float(x[i % len(x)])", "i * 0.5", "-0.0", "0.0", "r", "i / 3", "float(i)", "-1e300 * i", "1.5", "x[i % len(x)]"]
        return pick([*usual, "i"] if rng.random() < 0.05 else usual[: None if seed % 3 == 0 else -1])

    def pair() -> str:
        return f"({key()}, {pick(['i % 3', '0', 't % 4'])})"

    def statement(depth: int) -> None:
        p, q, v, indent = key(), key(), pair(), "    " * depth
        texts = [f"d[{p}] = t", f"d[{p}] = d.get({p}, 0) + 1", f"t = d[{p}]", f"e[{v}] = {q}", f"r = e.get({v}, 0.5)", f"s.add({q})"]
        texts += [f"t = t + ({q} in s) + ({p} in d)", "t = t % 17 + len(s) + len(d)", f"r = {p}", f"if {p} in d:\n{indent}    t = d[{q}]"]
        texts += [f"for y, v in d.items():\n{indent}    r = r * 0.5 + y\n{indent}    t = t + v % 5", f"r = d.get({p}, 2) * 0.25"]
        texts += [f"for (y, j), v in e.items():\n{indent}    r = r * 0.25 + y * v"]
        if seed % 2:
            texts += [f"s.discard({q})", f"t = d.pop({p}, 3)", f"del d[{p}]"]
        lines.append(indent + pick(texts))

    lines = ["def f(x, n):", f"    d, e, s, t, r = {pick(['{}', '{0.5: 2, -0.0: 1}'])}, {{}}, set(), 1, 0.5", "    for i in range(n):"]
    for _ in range(statements):
        statement(2)
    lines.append(f"    return {pick(['d, e, s, t, r', 's, t', 'e, len(d), t', 'in_order(s), t' if seed % 2 == 0 else 'd, t'])}")
    return "\n".join(lines) + "\n"


def _vectors(call: int, seed: int) -> Any:
    rng = numpy.random.default_rng([seed, call])
    x = numpy.round(rng.normal(size=6), 1)
    if call % 2:
        x[rng.integers(6, size=2)] = rng.choice([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 5e-324, 2.0**60], 2)
    return x


def _in_order(items: set[Any]) -> Any:
    """The items as they follow each other. A NaN lies by its address, and others after it where it left them room: no two runs of Python agree."""
    return items if any(item != item for item in items) else list(items)


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    run_random_programs("float keys", part, float_source, keys=_vectors, in_order=_in_order)


def _counted(x: Any, n: int) -> Any:
    counts, seen = {}, set()
    for i in range(n):
        v = float(x[i])
        counts[v] = counts.get(v, 0) + 1
        seen.add((v, i % 2))
    return counts, seen, list(seen), 0.0 in counts, (0.5, 1) in seen


def _of_nans(x: Any, n: int) -> Any:
    """NaN is in a set that has this very object alone."""
    seen, found = set(), 0
    for i in range(n):
        v = x[i]
        if v in seen:
            found += 1
        seen.add(v)
        if v in seen:
            found += 10
    return len(seen), found


def test_many_keys() -> None:
    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(_counted, adaptive=False)
    for x in (numpy.arange(3000.0), rng.normal(size=3000), numpy.zeros(50) * rng.choice([-1, 1], 50), rng.integers(-9, 9, 400) / 4, numpy.zeros(0)):
        agree(compiled, (x, len(x)), f"{x[:9]}")
    assert programs_of(compiled)


def test_nan() -> None:
    for x in ([1.0, numpy.nan, 1.0, numpy.nan], [numpy.nan] * 4, []):
        compiled = np.compile(_of_nans, adaptive=False)
        agree(compiled, (numpy.array([1.0, 2.0, 1.0]), 3), "none")
        assert programs_of(compiled)
        agree(compiled, (numpy.array(x), len(x)), f"{x}")
