"""Kernels on a CUDA device whose arrays lie along different axes: transposes beside arithmetic, and copies to another order, of every dtype and of sizes
that fill tiles of shared memory or don't.

Run as test_cuda.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

DTYPES = ["bool", "int8", "uint16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]
random = numpy.random.default_rng(5)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    values = random.integers(0, 100, size=shape)
    return (values % 2 if dtype == "bool" else values).astype(dtype)


def check(found: Any, expected: numpy.ndarray) -> None:
    found = numpy.asarray(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.flags.c_contiguous == expected.flags.c_contiguous
    numpy.testing.assert_array_equal(found, expected)


def in_order(m: Any, x: Any) -> Any:
    return m.ascontiguousarray(x)


CASES: dict[str, Callable[..., Any]] = {
    "added": lambda m, x, y: x + y.T,
    "turned": lambda m, x, y: in_order(m, x.T),
    "turned and computed with": lambda m, x, y: in_order(m, y.T) + x,
    "flat": lambda m, x, y: x.T.ravel(),
    "another shape": lambda m, x, y: y.T.reshape(-1) + x.reshape(-1),
    "backwards": lambda m, x, y: x + y.T[::-1, ::-1],
    "apart": lambda m, x, y: x[1:, ::2] + y.T[1:, ::2],
    "cast": lambda m, x, y: in_order(m, x.T.astype("float64")) if x.dtype.kind != "c" else in_order(m, x.T),
    "two results": lambda m, x, y: in_order(m, (x + y.T)[2:].T),
    "padded": lambda m, x, y: in_order(m, m.pad(y.T, ((1, 2), (3, 4))) + m.pad(x, ((1, 2), (3, 4)))),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_two_axes(name: str, dtype: str) -> None:
    function = CASES[name]
    with np.device("cuda"):
        varying = np.compile(lambda x, y: function(np, x, y), dynamic=True)
        for rows, columns in ((256, 128), (131, 257), (40, 500), (6000, 3), (3, 6000), (5, 6)):
            x, y = sample(dtype, rows, columns), sample(dtype, columns, rows)
            expected = function(numpy, x, y)
            given = [np.asarray(each).to("cuda") for each in (x, y)]
            check(varying(*given), expected)
            check(np.compile(lambda x, y: function(np, x, y), dynamic=False)(*given), expected)
            check(function(np, *given), expected)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_axes_of_stacks(dtype: str) -> None:
    with np.device("cuda"):
        for shape in ((4, 70, 65), (64, 33, 3), (2, 64, 64), (1, 100, 200)):
            x = sample(dtype, *shape)
            for order in ((0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)):
                given = np.asarray(x).to("cuda")
                expected = numpy.ascontiguousarray(x.transpose(order))
                check(np.ascontiguousarray(given.transpose(order)), expected)
                check(np.compile(lambda x, order=order: np.ascontiguousarray(x.transpose(order)))(given), expected)
                wide = np.compile(lambda x, order=order: np.ascontiguousarray(x.transpose(order)) * 2 + x.transpose(order)[:1])(given)
                check(wide, numpy.ascontiguousarray(x.transpose(order)) * 2 + x.transpose(order)[:1])


def test_in_place() -> None:
    x, y = sample("float32", 300, 200), sample("float32", 200, 300)
    with np.device("cuda"):

        def function(x: Any, y: Any) -> None:
            x += y.T
            y.T[...] *= x

        given = [np.asarray(each.copy()).to("cuda") for each in (x, y)]
        np.compile(function)(*given)
        function(x, y)
        check(given[0], x)
        check(given[1], y)
