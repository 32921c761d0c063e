"""Lists that get other names and change places in loops: which list is which, and what lies in it, is as in Python."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import LONG, SEED
from test_native_loops import agree, programs_of

import fastnp as np


def edits(a, b):
    prev = [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        prev[j] = j
    for i in range(len(a)):
        cur = [i + 1]
        for j in range(len(b)):
            cur.append(min(prev[j] + (a[i] != b[j]), prev[j + 1] + 1, cur[j] + 1))
        prev = cur
    return prev


def edits_in_place(a, b):
    prev, cur = [0] * (len(b) + 1), [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        prev[j] = j
    for i in range(len(a)):
        cur[0] = i + 1
        for j in range(len(b)):
            cur[j + 1] = min(prev[j] + (a[i] != b[j]), prev[j + 1] + 1, cur[j] + 1)
        prev, cur = cur, prev
    return prev, cur


def number_of_edits(a, b):
    prev, cur = [0] * (len(b) + 1), [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        prev[j] = j
    for i in range(len(a)):
        cur[0] = i + 1
        for j in range(len(b)):
            cur[j + 1] = min(prev[j] + (a[i] != b[j]), prev[j + 1] + 1, cur[j] + 1)
        prev, cur = cur, prev
    return prev[len(b)]


def levels(a, b):
    front, n = [0], 0
    while front and n < 40:
        more = []
        for u in front:
            n += 1
            if u < len(a) + len(b):
                more.append(u * 2 + 1)
                more.append(u * 2 + 2)
        front = more
    return n, front


def batches(a, b):
    out, buffer, total = [], [], 0.0
    for v in a:
        buffer.append(v)
        if len(buffer) > len(b) or buffer[-1] > 1:
            out = buffer
            buffer = []
        if len(out) > 2:
            total += out[2]
    return total, out, buffer


def turned(a, b):
    x, y, z = [0.0] * len(a), [1.0] * len(a), [2.0] * len(a)
    for v in b:
        for i in range(1, len(a)):
            z[i] = 0.5 * x[i - 1] + y[i] * a[i] + v
        x, y, z = y, z, x
    return x, y, z, x is y


def one_after_the_other(a, b):
    p, q, r = [1.0] * 4, [2.0] * 4, [3.0] * 4
    for v in b:
        for i in range(1, 4):
            r[i] = p[i - 1] + q[i] + v
        p = q
        q = r
        r = [0.0] * 4
    return p, q


def one_list(a, b):
    x = y = [0.0] * 3
    for i in range(len(a)):
        if a[i] > 0:
            x[i % 3] += 1.0
    return x, y, x is y


def one_list_at_each_turn(a, b):
    s = 0.0
    for i in range(len(a)):
        x = y = [0.0] * 3
        if a[i] > 0:
            x[i % 3] = 1.0
        s += y[i % 3]
    return s


def of_tuples(a, b):
    x, y = [(0, 1.0)], []
    for k in range(len(a)):
        if a[k] < 2:
            y.append((k, 0.5 * a[k]))
        x, y = y, x
    return x, y


FUNCTIONS: list[Any] = [edits, edits_in_place, number_of_edits, levels, batches, turned, one_after_the_other, one_list, one_list_at_each_turn, of_tuples]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    rng = numpy.random.default_rng(SEED)
    for n, m in ((6, 4), (3, 0), (0, 3), (5, 9), (20, 20), (3, 1), (30, 12)):
        agree(compiled, (rng.integers(0, 3, n), rng.integers(0, 3, m)), f"{function.__name__}, {n}, {m}")
    assert programs_of(compiled)


def changed(x: Any, most: Any) -> Any:
    s = 0.0
    for _ in range(2):
        for v in x:
            if v == most:
                x = [7.0, 8.0, 9.0, 10.0]
            s += v
    return s, x


def test_a_loop_over_a_list_that_gets_another_one() -> None:
    compiled = np.compile(changed, adaptive=False)
    for x in ([1.0, 2.0, 3.0], [], [1.0], [3.0, 1.0]):
        agree(compiled, (x, 1.0), f"{x}")


_STATEMENTS = [
    "x, y = y, x", "x, y, z = y, z, x", "z = x", "x = y", "z = [{value}] * (k % 3 + 1)", "x = []", "y = [{value}, s]", "x = z\nz = []", "x = y = [s] * 2",
    "x.append({value})", "y.append({value})", "z.append(s)", "if len(y) > 2:\n    y.pop()", "if x:\n    s += x[-1]", "if len(z) > 1:\n    z[1] = {value}",
    "if len(x) > 0:\n    x[0] = s", "for v in y:\n    s += v * 0.5", "for v in z:\n    if v > s:\n        z = [v]\n    s += 0.25", "z, x = [{value}], z",
    "if a[k % len(a)] > 0.5:\n    x, z = z, x", "if k == 4:\n    log.append(len(x))", "if k > 6 and s > 20.0:\n    break",
    "if k == 5:\n    y.insert(0, s)",
    "s += float(len(x)) - len(y)",
]  # fmt: skip


def random_source(seed: int) -> str:
    rng = random.Random(seed)
    lines = ["s, z = 0.0, [0.5] * 2", rng.choice(["y = [1.5]", "y = []", "x, y = [2.5] * 2, [0.0]", "y = x"])]
    lines.append("for k in range(n):")
    for _ in range(rng.randint(3, 7)):
        value = rng.choice(["a[k % len(a)]", "s * 0.5", "1.5", "0.25 * k"])
        lines += ["    " + each for each in rng.choice(_STATEMENTS).format(value=value).split("\n")]
    lines.append(rng.choice(["return x, y, z, s, x is y, y is z", "return x, y", "return z, s", "return s"]))
    return "def f(a, x, n, log):\n" + "\n".join("    " + each for each in lines) + "\n"


def test_random_programs() -> None:
    native = 0
    first = SEED * 1000
    for seed in range(first, first + (1000 if LONG else 40)):
        source = random_source(seed)
        compiled = np.compile(function_of(source, f"moves {seed}"), adaptive=False)
        for call, (n, x) in enumerate(((6, [3.5]), (0, [1.0, 2.0]), (9, []), (12, [0.5] * 3))):
            a = numpy.random.default_rng([seed, call]).random(5)
            agree(compiled, (a, x, n, []), f"seed {seed}, call {call}, n = {n}\n{source}")
        native += bool(programs_of(compiled))
    assert native > 5, random.Random(first)
