"""What native loops take by masks of fewer axes, and store there, orders of elements and percentiles: NumPy's, bit by bit."""

from __future__ import annotations

import numpy
import pytest
from loop_source import function_of
from support import SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_layouts import SIZES, agree_exactly, agree_of_all, of_expression, vector
from test_native_loops import programs_of

import fastnp as np

SORTS = [
    "np.argsort(x)", "x.argsort()", "np.argsort(-x)[::-1]", "np.argsort(x, kind='stable')", "np.argsort(x * 2, 0, 'mergesort')", "x.argsort(stable=True)",
    "x[np.argsort(x)]", "np.argsort(np.argsort(x))", "y[x.argsort(kind='stable')[:2]]", "np.argsort(x[::-1], stable=False)", "x.argsort(-1, 'heapsort')",
]  # fmt: skip
MASKED = ["A[m]", "A[A[:, 0] > 0]", "A[m][:, 0]", "A[m] * 2 - A[m]", "A[m].max(0)", "T[m]", "T[A > 0.5]", "A[~m, :]", "A[m[::-1]].T", "A[m, 0]"]
STORES = ["A[m] = 0", "A[m] += 1.5", "A[m] = A[m][::-1]", "A[m] *= A[0]", "A[m] = A[0]", "A[m] = A[:2]", "T[m] = A[0]", "T[A > 0] -= 1",
          "T[A > 0] = T[0, 0]",
          "T[m] = T[m] * 2", "A[m] = m", "A[m] = A[:1]", "T[A > 0] = A[:, :1]", "A[m[:-1]] = 1", "A[A > 0] = 0"]  # fmt: skip


@pytest.mark.parametrize("expression", SORTS)
@pytest.mark.parametrize("dtypes", [["f8", "i8", "u1"], ["i4", "f4", "i2"]])
def test_order(expression: str, dtypes: list[str]) -> None:
    def apart(size: int):
        return lambda rng, dtype: tuple(rng.permutation(200)[:size].astype(dtype) - numpy.dtype(dtype).type(50) for _ in range(2))

    def ties(size: int):
        return lambda rng, dtype: tuple(rng.integers(0, 1 + size // 2, size).astype(dtype) for _ in range(2))

    def special(rng, dtype):
        values = numpy.array([0.0, -0.0, numpy.inf, 3.0, -numpy.inf, *([numpy.nan] if rng.integers(2) else [])])
        return tuple(rng.permutation(values if dtype[0] == "f" else numpy.arange(5)).astype(dtype) for _ in range(2))

    agree_of_all(expression, "x, y", dtypes, [*(apart(size) for size in (3, *SIZES, 17)), *(ties(size) for size in SIZES), *[special] * 4])


PERCENTILES = [
    "np.full(2, np.percentile(x, 50))", "np.percentile(x, k[0] + 9)", "y + np.percentile(x * 2, 99.5)", "np.percentile(x, [25, 50, 75])",
    "np.percentile(y, (0, 100))", "np.full(2, np.percentile(x, i * 33.3))", "np.percentile(x, [k[1] + 50.0, 10.0])",
    "y - np.percentile(x[1:], y[0] * 0 + 12.5)", "np.percentile(x, -1 + i)",
]  # fmt: skip
FAR = [[1e308, -1e308, 3.0], [numpy.inf, 1.0], [numpy.nan, 1.0, 2.0], [2.0**62, -(2.0**62)], [-0.0, 0.0], [0.0, -0.0, -0.0, 0.0]]


@pytest.mark.parametrize("expression", PERCENTILES)
def test_percentiles(expression: str) -> None:
    calls = [lambda rng, dtype, size=size: (vector(rng, size, dtype), vector(rng, size, dtype)) for size in (7, *SIZES, 33)]
    # Where it is recorded no further apart than int64 reaches: of that NumPy warns, and recorded code does not (docs/users/sharp-bits.md).
    most = 2.0**61 if "k[0]" in expression else 2.0**62
    for x in FAR:
        whole = numpy.nan_to_num(numpy.array(x), posinf=9).clip(-most, most)
        calls.append(lambda rng, dtype, x=x, whole=whole: (numpy.array(x) if dtype == "f8" else whole.astype("i8"),) * 2)
    agree_of_all(expression, "x, y", ["f8", "i8"], calls, None if "k[0]" in expression or "-1 + i" in expression else True)


def test_order_of_what_is_far_apart() -> None:
    compiled = of_expression("x.argsort()", "x")
    rng = numpy.random.default_rng(SEED)
    for size in (2, 1000, 4097):
        agree_exactly(compiled, (rng.normal(size=size), numpy.arange(3), numpy.arange(3), 2), f"{size}")
    assert programs_of(compiled)


def _masked(rng: numpy.random.Generator, dtype: str, rows: int, columns: int) -> tuple[numpy.ndarray, ...]:
    A = (rng.normal(size=(rows, columns)) * 9).round(1).astype(dtype)
    A = A if rng.integers(2) else numpy.asfortranarray(A)
    m = vector(rng, rows, "f8") > 0
    m[: int(rows == 4)] = True  # the first call says what results are like
    return A, (rng.normal(size=(rows, columns, 2)) * 9).astype(dtype), m


@pytest.mark.parametrize("expression", MASKED)
def test_masks_of_fewer_axes(expression: str) -> None:
    is_native = None if expression in ("A[~m, :]", "A[m, 0]") else True
    shapes = [(4, 3), (7, 2), (0, 3), (1, 1), (2, 1), (100, 3), (3, 0), (1, 4)]
    calls = [lambda rng, dtype, shape=shape: _masked(rng, dtype, *shape) for shape in shapes]
    agree_of_all(expression, "A, T, m", ["f8", "i4", "f4"], calls, is_native)


@pytest.mark.parametrize("statement", STORES)
def test_stores_by_masks_of_fewer_axes(statement: str) -> None:
    source = f"def f(A, T, m, turns):\n    for i in range(turns):\n        if A.size > 999:\n            break\n        {statement}\n    return A, T\n"
    rng = numpy.random.default_rng(SEED)
    for dtype in ("f8", "f4"):
        compiled = np.compile(function_of(source, f"stores {statement}"), adaptive=False)
        for rows, columns in ((4, 3), (7, 2), (0, 3), (1, 1), (2, 1), (100, 3), (3, 0)):
            agree_exactly(compiled, (*_masked(rng, dtype, rows, columns), 2), f"{statement} of {dtype}, {rows} x {columns}")
        if statement not in ("A[m] = A[:2]", "A[m[:-1]] = 1", "T[A > 0] = A[:, :1]"):
            assert programs_of(compiled), statement
