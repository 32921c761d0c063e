"""Arrays that native loops lay out anew, or make of a form: joined, rolled, of equal distances, with a diagonal. They are NumPy's, bit by bit."""

from __future__ import annotations

import copy
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED, assert_same_bits
from test_array_loops import every_loop_is_tried, outcome  # noqa: F401 - a fixture
from test_native_loops import programs_of

import fastnp as np

SIZES = (0, 1, 2, 7, 100)
OF_VECTORS = [
    "np.roll(x, 1)", "np.roll(x, -1)", "np.roll(x, i * 3 - 4)", "np.roll(x[::-1], k[0])", "np.roll(x + y, 10**12)",
    "np.roll(x, 2, 0)", "np.roll(x, 2, axis=-1)",
    "np.roll(x, 1) - 2 * x + np.roll(x, -1)", "np.roll(x[1:], i)",
    "np.stack((x, y))", "np.stack([x, y], axis=1)", "np.stack((x, y, x), -1)", "np.stack((x, y[:3]), 1)",
    "np.hstack((x, y))", "np.hstack([x[:2], y, x])", "np.column_stack((x, y))", "np.column_stack([x * 2, k[: len(x)]])", "np.vstack((x, y))",
    "np.concatenate(([0.0], x))", "np.concatenate((x[:1], (1, 2), y))", "np.append(x, [1, 2])", "np.append(x, (0.5,))", "np.hstack(([i], x))",
    "np.concatenate((x, y), axis=-1)", "np.concatenate((x, k))",
    "np.diag(x)", "np.diag(x + y, 1)", "np.diag(x[::-1], -2)", "np.diag([1.0, i, 2])", "np.diag(x, 0) @ y", "np.diag((i, 2), k=-1)",
    "np.cross(x, y)", "np.cross(x[:3], y[:3])", "np.cross(k[:3], k[1:4])", "np.cross(x[:3], (1, 0, 2))", "np.cross([0.5, 1.5, i], y[-3:])",
]  # fmt: skip
OF_MATRICES = [
    "np.roll(A, 1)", "np.roll(A, -3, axis=0)", "np.roll(A, i, axis=1)", "np.roll(A.T, 2, -1)", "np.roll(A[:, ::-1], 5)",
    "np.roll(A, 1, 0) + np.roll(A, -1, 0) + np.roll(A, 1, 1) + np.roll(A, -1, 1) - 4 * A",
    "np.stack((A, B))", "np.stack((A, B), 1)", "np.stack((A, B), axis=-1)", "np.stack((A, B[:3]), axis=2)", "np.concatenate((A, B), axis=1)",
    "np.concatenate((A, B[:, :1], A), 1)", "np.concatenate((A[:1], B))", "np.concatenate((A, B), -2)", "np.hstack((A, B))", "np.vstack((A, B[0], A))",
    "np.column_stack((A, A[:, 0], B))", "np.concatenate((A, B.T), 1)",
    "np.diag(A[0], 2)", "np.diag(A.T[0])", "np.cross(A, B)", "np.cross(A[:, :3], B[:, -3:])", "np.cross(A[0, :3], B[:, :3])",
    "np.cross(A.T[:3].T, B[0][:3])",
]  # fmt: skip


OF_DISTANCES = [
    "np.linspace(0, 1, 5)", "np.linspace(x[0], x[1], k[0] + 9)", "np.linspace(x[0], x[1])", "np.linspace(x[1], 3, num=i)", "np.linspace(-1.5, k[1], 100)",
    "np.linspace(x[0], x[1], 7, False)", "np.linspace(k[0], k[1], k[2] + 4, endpoint=False)", "np.linspace(x[0], x[0], 4)", "np.linspace(i, True, 2)",
    "np.linspace(x[0], x[1], 0)", "np.linspace(x[0], x[1], -1)", "np.linspace(x[0], x[1], 1)", "np.linspace(x[0], x[1], 1, endpoint=False)",
]  # fmt: skip
AS_WRITTEN = [
    "np.roll(x, 0.5)", "np.roll(x, True)", "np.roll(x, 1, 1)", "np.stack((x, x), axis=2)", "np.concatenate((x, x), 1)", "np.concatenate((x, []))",
    "np.diag(np.diag(x))", "np.roll(A, 1, 2)", "np.hstack((A, x))", "np.concatenate((A, x))", "np.diag(A)", "np.roll(A, (1, 2), (0, 1))",
    "np.linspace(0, 1, 2.5)", "np.linspace(x, 1, 3)[0]", "np.linspace(0, 1, 5, dtype=np.float32)", "np.stack((x, x[0]))", "np.concatenate((A, A), None)",
]  # fmt: skip


def agree_exactly(compiled: Any, arguments: tuple[Any, ...], note: str) -> None:
    mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want, told = outcome(compiled.__wrapped__, theirs)
    got, said = outcome(compiled, mine)
    note = f"FASTNP_TEST_SEED={SEED}: {note}"
    assert type(got) is type(want), f"{note}: {got!r} where NumPy gives {want!r}"
    for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        assert type(g) is type(w), f"{note}: {g!r} where NumPy gives {w!r}"
        if isinstance(w, (numpy.ndarray, numpy.generic)):
            assert_same_bits(g, w, note)
        else:
            assert g == w, f"{note}: {g!r} where NumPy gives {w!r}"
    assert said == told, f"{note}: warns {said} where NumPy warns {told}"
    for g, w in zip(mine, theirs, strict=True):
        assert_same_bits(g, w, f"{note}: an argument afterwards")


def of_expression(expression: str, parameters: str) -> Any:
    """A loop that computes it and decides by a number, so that it is a program."""
    lines = [f"def f({parameters}, k, r, turns):", "    for i in range(turns):"]
    lines += ["        if k[0] > 99:", "            break", f"        r = {expression}", "    return r, turns"]
    return np.compile(function_of("\n".join(lines) + "\n", f"layouts {expression} {parameters}"), adaptive=False)


def example(expression: str, **values: Any) -> Any:
    """What a result looks like: an array of its dtype and number of axes."""
    try:
        with numpy.errstate(all="ignore"):
            found = numpy.asarray(eval(expression, {**values, "np": numpy, "i": 1}))
    except (ValueError, TypeError):
        return numpy.zeros(2)
    return numpy.zeros((2,) * found.ndim, found.dtype)


def agree_of_all(expression: str, parameters: str, dtypes: list[str], calls: list[Any], is_native: bool | None = True) -> None:
    """`calls`: by a dtype, arrays; those of the first one say what the results are like. `is_native`: None where either may be."""
    rng = numpy.random.default_rng([SEED, len(expression)])
    for dtype in (dtypes[0], rng.choice(dtypes[1:])):
        compiled = of_expression(expression, parameters)
        first = None
        for call in calls:
            arguments, k = call(rng, str(dtype)), rng.integers(-9, 9, 100)
            if first is None:
                first = example(expression, **dict(zip(parameters.split(", "), arguments, strict=True)), k=k)
            agree_exactly(compiled, (*arguments, k, first, 3), f"{expression}, {dtype}, of {arguments}"[:900])
        assert is_native in (None, bool(programs_of(compiled))), f"{expression} of {dtype}"


def vector(rng: numpy.random.Generator, size: int, dtype: str) -> numpy.ndarray:
    values = (rng.normal(size=2 * size) * 9).round(2).astype(dtype)
    return [values[:size].copy(), values[::2], values[size:][::-1]][rng.integers(3)]


def matrix(rng: numpy.random.Generator, rows: int, columns: int, dtype: str) -> numpy.ndarray:
    values = (rng.normal(size=(rows, columns)) * 9).round(2).astype(dtype)
    return [values, numpy.asfortranarray(values), numpy.repeat(values, 2, 1)[:, ::-2]][rng.integers(3)]


def _vectors(size: int) -> Any:
    return lambda rng, dtype: (vector(rng, size, dtype), vector(rng, size, dtype))


def _matrices(rows: int, columns: int) -> Any:
    return lambda rng, dtype: (matrix(rng, rows, columns, dtype), matrix(rng, rows, columns, dtype))


VECTORS = [_vectors(size) for size in (3, 7, *SIZES, 31)]
MATRICES = [_matrices(*shape) for shape in ((3, 3), (4, 3), (7, 3), (2, 7), (0, 0), (0, 3), (1, 1), (1, 5), (100, 7))]


@pytest.mark.parametrize("expression", OF_VECTORS)
def test_of_vectors(expression: str) -> None:
    agree_of_all(expression, "x, y", ["f8", "i8", "f4", "u1", "c16"], VECTORS)


@pytest.mark.parametrize("expression", OF_MATRICES)
def test_of_matrices(expression: str) -> None:
    agree_of_all(expression, "A, B", ["f8", "i4", "c8"], MATRICES)


@pytest.mark.parametrize("expression", OF_DISTANCES)
def test_of_distances(expression: str) -> None:
    pairs = [(0.0, 1.0), (0.1, -7.3), (-0.0, 0.0), (0.0, -0.0), (5e-324, 2e-323), (1e308, -1e308), (numpy.inf, 1.0), (0.5, numpy.nan), (1e16, 1.0)]
    calls = [lambda rng, dtype: (rng.normal(size=2).astype(dtype),)] * 6 + [lambda rng, dtype, pair=pair: (numpy.array(pair),) for pair in pairs]
    agree_of_all(expression, "x", ["f8", "f8"], calls, None if "x[1], -1)" in expression else True)


@pytest.mark.parametrize("expression", AS_WRITTEN)
def test_what_is_as_written(expression: str) -> None:
    agree_of_all(expression, "x, A", ["f8", "i4"], [lambda rng, dtype: (vector(rng, 4, dtype), matrix(rng, 4, 4, dtype))] * 2, False)
