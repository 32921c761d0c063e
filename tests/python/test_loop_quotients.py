"""Quotients and remainders of arrays in native loops, complex ones, and tuples and lists beside arrays: NumPy's, bit by bit, and its warnings."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from support import SEED, values_of
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_layouts import VECTORS, agree_exactly, agree_of_all, matrix, of_expression, vector
from test_native_loops import programs_of

import fastnp as np

OF_INTEGERS = ["x / y", "x // y", "x % y", "x // (y * y + 1)", "x % k[: len(x)]", "(x - 3) // -y", "7 // y", "i % y", "x[0] // y", "x // x[::-1]"]
OF_FLOATS = ["x / y", "x // y", "x % y", "2.5 // y", "x[0] % y", "x % 2.5", "y // -0.3", "y % k[3]"]
OF_COMPLEX = ["x / y", "x / (y + y[::-1])", "x / (2 - 1j)", "1 / y", "x[1] / y", "x / i", "x[0] / y[0] + x", "x + 1j / y[1]", "x + k[0] / y[0]"]
WITH_TUPLES = [
    "x - (1, 2, 3)", "(0.5, i, 2) * x", "[1, 2, 3] * x", "x + [i, 2, k[0]]", "np.maximum(x, (0, 1, 2))", "x == (1, 2, 3)", "x / (1, 2, 4)",
    "np.where(x > 0, x, (1, 2, 3))", "np.add((1, 2, 3), x)", "A - (1, 2, 3)", "A + (1.5, x[0], 0)", "A * [[1, 2, 3]]", "(1,) + x",
    "x / np.array((1.5, 2, 4))", "1 / (x + np.array([i, 2, 99]))", "x / [i + 1, 2, 3]", "x - (x[0], 1, 2)",
    "A / (1.5, x[0] + 99, 2)", "A[0] / [[2], [3], [4], [5]]",
]  # fmt: skip


def some(rng: numpy.random.Generator, size: int, dtype: str, is_apart: bool) -> numpy.ndarray:
    """Numbers with extremes among them; `is_apart`: none that NumPy warns of as a divisor."""
    values = rng.choice(values_of(numpy.dtype(dtype), 40, int(rng.integers(1000)), special=not is_apart), size)
    return numpy.where((values == 0) | (abs(values) < 1e-3), values.dtype.type(3), values) if is_apart else values


def _of(size: int, is_apart: bool) -> Any:
    return lambda rng, dtype: (some(rng, size, dtype, False), some(rng, size, dtype, is_apart))


@pytest.mark.parametrize("expression", OF_INTEGERS)
@pytest.mark.parametrize("dtypes", [["i8", "u8", "i2"], ["i4", "u1", "i1"]])
def test_of_integers(expression: str, dtypes: list[str]) -> None:
    calls = [*VECTORS[:2], *(_of(size, is_apart) for size in (1, 2, 3, 7, 40, 100) for is_apart in (True, False))]
    agree_of_all(expression, "x, y", dtypes, calls)


@pytest.mark.parametrize("expression", OF_FLOATS)
def test_of_floats(expression: str) -> None:
    agree_of_all(expression, "x, y", ["f8", "f4"], [*VECTORS, *(_of(size, True) for size in (1, 7, 100))])


@pytest.mark.parametrize("expression", OF_COMPLEX)
def test_of_complex_numbers(expression: str) -> None:
    agree_of_all(expression, "x, y", ["c16", "c8"], [*VECTORS, *(_of(size, is_apart) for size in (2, 7, 100) for is_apart in (True, False))])


@pytest.mark.parametrize("expression", WITH_TUPLES)
def test_tuples_beside_arrays(expression: str) -> None:
    agree_of_all(expression, "x, A", ["f8", "f4", "i8", "u1"], [lambda rng, dtype: (vector(rng, 3, dtype), matrix(rng, 4, 3, dtype))] * 4)
    rng = numpy.random.default_rng(SEED)
    for size in (1, 2, 4):
        compiled = of_expression(expression, "x, A")
        agree_exactly(compiled, (vector(rng, size, "f8"), matrix(rng, 2, size, "f8"), numpy.arange(9), numpy.zeros(2), 2), f"{expression} of {size}")


def test_tuples_are_added_to_rows() -> None:
    def pushed(A, v, turns):
        made = [0.5, 1.5]
        for i in range(turns):
            if A[0, 0] > 1e9:
                break
            A[i % 4] += v[0], i
            A[:, 1] *= [1, 2, 3, v[1]]
            A[i % 4] -= made
            A[1:3] /= (2, v[0] + 100)
            A[A > 5] -= v[0]
            A += v
            made.append(float(A[0, 0]) * 0.0)
            made.pop()
            A[i % 4, 0] -= 1
        return A, turns

    def integers(A, v, turns):
        for i in range(turns):
            if A[0, 0] == 999:
                return A, i
            A[i % 4] //= 2, 3
            A[:2] %= (v[0] + 40, 7)
            A[2:] += [[i, 1], [2, 3]]
        return A, turns

    for function, dtypes in ((pushed, ["f8", "f4"]), (integers, ["i8", "i4"])):
        for dtype in dtypes:
            compiled = np.compile(function, adaptive=False)
            rng = numpy.random.default_rng(SEED)
            for turns in (0, 1, 2, 7):
                v = (rng.normal(size=2) * 9).tolist() if dtype[0] == "f" else rng.integers(-9, 9, 2).tolist()
                agree_exactly(compiled, ((rng.normal(size=(4, 2)) * 99).astype(dtype), v, turns), f"{function.__name__} of {dtype}, {turns}")
            assert programs_of(compiled), (function.__name__, dtype)
