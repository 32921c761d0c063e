"""Functions of numbers in native loops: `math`'s, Python's own and methods of ints give what Python gives, bit by bit, and raise what it raises."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import LONG, SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_native_loops import agree, programs_of

import fastnp as np

_EDGES = [0, 1, -1, 2, 3, -7, 20, 21, 61, 2**31, 2**53 + 1, 3037000499**2, 3037000499**2 - 1, 3037000500**2 - 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1]
OF_INTS = [
    "math.gcd(a, b)", "math.gcd(a, 360)", "math.gcd(a, b, c)", "math.lcm(a, b)", "math.isqrt(a)", "math.factorial(a)", "math.comb(a, b)",
    "divmod(a, b)", "divmod(a, 7)[1]", "pow(a, b, c)", "pow(a, b % 50, 1000003)", "pow(3, b, c)", "pow(a, 2)", "a.bit_length()", "a.bit_count()",
    "(a * b + c) & 0xFFFF", "(a * 6364136223846793005 + b) & ((1 << 64) - 1)", "(a ^ (b << 13)) & ((1 << 63) - 1)", "a & ((1 << 64) - 1)",
    "a & 2**70", "-2**70 & a", "(a * b - c) % 2**32", "4 ** (a % 40)", "2 ** (a % 70)", "2 ** (a % 70 - 3)", "a ** (b % 9)", "a ** 5", "a ** 0",
    "a ** 7", "a ** -2", "(a + b) % 7",
    "(a * 3 + True) & 255", "(a * b * c | a) & 0xFFFFFFFF", "(int(x) * a * b) % 2**40", "(a * b + 0.5) % 4", "(x * a + b) % 8", "(a << (b % 80)) & 255",
    "sorted((a, b))[0]", "sorted([a, b, c])[1]", "math.hypot(a, b)", "round(a)", "math.gcd(int(x), b)", "math.gcd(x, b)",
]  # fmt: skip
OF_FLOATS = [
    "math.hypot(a, b)", "math.hypot(a, b, c)", "math.hypot(a)", "math.dist((a, b), (c, a))", "math.degrees(a)", "math.radians(a)",
    "math.isclose(a, b)", "math.isclose(a, b, rel_tol=0.5)", "math.isclose(a, b, rel_tol=0.0, abs_tol=c)", "round(a)", "round(a, 2)", "round(a, 0)",
    "round(a, 7)", "round(a * 100 + 0.005, 2)", "divmod(a, b)", "sorted((a, b))[1]", "sorted((c, a, b))[2]", "math.log(a, 2)", "math.log(a, b)",
    "float('nan')", "min(a, float('inf'))", "math.gcd(a, 2)", "math.isqrt(a)", "round(x, 2)", "divmod(x, 0.5)", "math.hypot(x, 1)",
]  # fmt: skip


def _function(expression: str) -> Any:
    begin = ["def f(u, v, w, y):", "    found = []", "    for i in range(len(u)):"]
    begin += ["        a, b, c, x = u[i], v[i], w[i], y[0]", "        if x > 99:", "            break"]
    lines = [*begin, f"        found.append({expression})", "    return found"]
    return function_of("\n".join(lines) + "\n", f"functions {expression}")


def _agree_in_rows(expression: str, columns: list[Any], y: Any) -> Any:
    """Of each row by itself, as one that raises ends the loop; of none, and of all."""
    compiled = np.compile(_function(expression), adaptive=False)
    for begin, end in (*((at, at + 1) for at in range(len(columns[0]))), (0, 0), (0, len(columns[0]))):
        agree(compiled, (*(column[begin:end] for column in columns), y), f"{expression} of rows {begin}-{end} of {columns}, {y}")
    return compiled


@pytest.mark.parametrize("expression", OF_INTS)
def test_of_ints(expression: str) -> None:
    rng = numpy.random.default_rng(SEED)
    small = rng.integers(-40, 41, (3, 40)).tolist()
    edges = [rng.permutation(numpy.array(_EDGES, object)).tolist() for _ in range(3)]
    wide = rng.integers(-(2**40), 2**40, (3, 40)).tolist()
    for columns in (small, edges, wide):
        compiled = _agree_in_rows(expression, columns, numpy.array([12], numpy.int32))
        assert programs_of(compiled) or columns is not small, expression  # it may leave too often for others


OF_COMPLEX = [
    "z + w", "z - w", "z * w", "z / w", "-z", "+z", "z * a", "a * z", "z + 1", "2 - z", "z / a", "a / z", "z ** 2", "z ** 5", "z ** 1", "abs(z)", "z.real",
    "z.imag", "z.conjugate()", "z == w", "z != z", "z == a", "complex(a)", "complex(b, 2)", "z * 1j", "z * w * w - z / w", "(z + w) * 2.5j", "int(a) * z",
]  # fmt: skip


@pytest.mark.parametrize("expression", OF_COMPLEX)
def test_of_complex_numbers(expression: str) -> None:
    rng = numpy.random.default_rng(SEED)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-310, 1e308, -1e200, math.inf, -math.inf, math.nan, 3.0]
    lines = [
        "def f(u, v, out):",
        "    s = 0j",
        "    for i in range(len(u)):",
        "        a, b = u[i], v[i]",
        "        z, w = complex(a, b), complex(b, -a)",
        "        if out[0] > 1e9:",
        "            break",
    ]
    lines += [f"        r = {expression}", "        s = s + r", "        out[i] = (r + 0j).real", "    return s"]
    for columns in (rng.normal(size=(2, 60)), rng.integers(-3, 4, (2, 60)).astype(float), [rng.permutation(edges) for _ in range(2)]):
        compiled = np.compile(function_of("\n".join(lines) + "\n", f"complex {expression}"), adaptive=False)
        for begin, end in (*((at, at + 1) for at in range(len(columns[0]))), (0, 60), (0, 0)):
            given = tuple(column[begin:end].tolist() for column in columns)
            agree(compiled, (*given, numpy.zeros(len(given[0]))), f"{expression} of {given}")
        if columns[0][0] % 1:
            assert programs_of(compiled), expression


def test_roots_of_unity() -> None:
    def transform(re, im):
        n, s, w = len(re), 0.0, 1j
        for step in range(1, n):
            w, turn = 1 + 0j, complex(re[step], im[step])
            if im[step] > 99:
                break
            for _ in range(n):
                w *= turn
                s += w.real
                if abs(w) > 10:
                    w /= turn * turn
        return w, s

    compiled = np.compile(transform, adaptive=False)
    for n in (2, 3, 30, 7):
        rng = numpy.random.default_rng([SEED, n])
        agree(compiled, (rng.normal(size=n).tolist(), rng.normal(size=n)), f"{n}")
    assert programs_of(compiled)


@pytest.mark.parametrize("expression", OF_FLOATS)
def test_of_floats(expression: str) -> None:
    rng = numpy.random.default_rng(SEED)
    plain = rng.normal(size=(3, 40)).tolist()
    ties = (rng.integers(-4000, 4000, (3, 60)) / 8).tolist()
    decimals = (rng.integers(-4000, 4000, (3, 60)) / 200).tolist()
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e-310, 5e-324, 1e308, -1e300, math.inf, -math.inf, math.nan, 2.0**52 + 0.5, 1e15, 1.005, 2.675]
    mixed = [rng.permutation(edges).tolist() for _ in range(3)]
    scales = (rng.normal(size=(3, 60)) * 2.0 ** rng.integers(-1060, 1020, (3, 60)).astype(float)).tolist()
    for columns in (plain, ties, decimals, mixed, scales):
        compiled = _agree_in_rows(expression, columns, rng.normal(size=1))
        assert programs_of(compiled) or columns is not plain, expression  # it may leave too often for others


def test_lengths_and_roundings_are_exact() -> None:
    """Of many numbers: `hypot` and `round` have ways of their own to the last bit."""

    def lengths(x, y, out):
        for i in range(len(x)):
            out[i] = math.hypot(x[i], y[i])
        return out

    def roundings(x, y, out):
        for i in range(len(x)):
            out[i] = round(float(x[i]), 3)
        return out

    rng = numpy.random.default_rng(SEED)
    count = 1_000_000 if LONG else 30_000
    for function in (lengths, roundings):
        compiled = np.compile(function, adaptive=False)
        for scale in (1.0, 1000.0):
            x, y = rng.normal(size=(2, count)) * scale
            agree(compiled, (x, y, numpy.zeros(count)), function.__name__)
            agree(compiled, (numpy.round(x, 2) + 0.0005, y, numpy.zeros(count)), function.__name__)
        assert programs_of(compiled)
