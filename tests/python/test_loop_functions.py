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


def _agree_in_rows(expression: str, columns: list[Any], y: Any) -> None:
    """Of each row by itself, as one that raises ends the loop; of none, and of all."""
    compiled = np.compile(_function(expression), adaptive=False)
    for begin, end in (*((at, at + 1) for at in range(len(columns[0]))), (0, 0), (0, len(columns[0]))):
        agree(compiled, (*(column[begin:end] for column in columns), y), f"{expression} of rows {begin}-{end} of {columns}, {y}")
    assert programs_of(compiled), f"{expression}: {np.explain(compiled)(*(column[:3] for column in columns), y)}"


@pytest.mark.parametrize("expression", OF_INTS)
def test_of_ints(expression: str) -> None:
    rng = numpy.random.default_rng(SEED)
    small = rng.integers(-40, 41, (3, 40)).tolist()
    edges = [rng.permutation(numpy.array(_EDGES, object)).tolist() for _ in range(3)]
    wide = rng.integers(-(2**40), 2**40, (3, 40)).tolist()
    for columns in (small, edges, wide):
        _agree_in_rows(expression, columns, numpy.array([12], numpy.int32))


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
        _agree_in_rows(expression, columns, rng.normal(size=1))


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
