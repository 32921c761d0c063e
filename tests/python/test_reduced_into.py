"""out= of reductions, scans, places and products: which dtypes it makes them compute in, which shapes it may have, and NumPy's errors for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import IS_NUMPY_2_5, quietly

import fastnp as np

pytestmark = pytest.mark.part(2)

SHAPES = [(), (1,), (2,), (3,), (4,), (1, 3), (2, 1), (2, 3), (3, 3), (1, 1), (4, 3), (2, 2, 3), (2, 3, 1)]
DTYPES = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex128"]
SOURCES = [(2, 3), (1, 3), (2, 1), (3,), (0, 3), (2, 3, 4), ()]
REDUCTIONS = ["sum", "prod", "max", "any", "all", "mean", "var", "std"]

Call = Callable[..., Any]


def source(xp: Any, shape: tuple[int, ...], dtype: str) -> Any:
    x = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) * 37 % 11 + 90
    return xp.asarray(x.astype(dtype))


def outcome_of(xp: Any, function: Call, x: Any, out: Any, compiled: bool = False) -> Any:
    """What was written, or the exception."""
    call = np.compile(function) if compiled else function
    try:
        result = quietly(call, x, out)
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error), str(error)
    assert numpy.asarray(result).dtype == out.dtype
    return out.dtype, numpy.asarray(out).tolist()


def same(one: Any, other: Any) -> bool:
    if one == other:
        return True
    if one[0] != other[0] or isinstance(one[1], str) or isinstance(other[1], str):
        return False
    return bool(numpy.allclose(one[1], other[1], rtol=1e-5, equal_nan=True))


def compare(function: Call, shape: tuple[int, ...], dtype: str, into: tuple[int, ...], out_dtype: str, exactly: bool = True) -> None:
    want = outcome_of(numpy, lambda x, out: function(numpy, x, out), source(numpy, shape, dtype), numpy.zeros(into, out_dtype))
    for compiled in (False, True):
        found = outcome_of(np, lambda x, out: function(np, x, out), source(np, shape, dtype), np.zeros(into, out_dtype), compiled)
        as_wanted = same(found, want) or (not exactly and found[0] is want[0] is ValueError)
        assert as_wanted, (shape, dtype, into, out_dtype, compiled, found, want)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_shapes(name: str, keepdims: bool) -> None:
    for shape in SOURCES:
        if name == "max" and 0 in shape:
            continue
        for axis in (None, *range(len(shape)), *([(0, 2)] if len(shape) == 3 else [])):
            for into in SHAPES:
                exactly = not (keepdims and 1 in shape)  # else NumPy has several things to say
                function = lambda xp, x, out, axis=axis: getattr(xp, name)(x, axis=axis, out=out, keepdims=keepdims)  # noqa: E731
                compare(function, shape, "float64", into, "float64", exactly)


@pytest.mark.parametrize("name", [*REDUCTIONS, "cumsum", "cumprod"])
def test_dtypes(name: str) -> None:
    for dtype in DTYPES:
        for out_dtype in DTYPES:
            if name == "max" and "complex128" in (dtype, out_dtype):
                continue
            compare(lambda xp, x, out: getattr(xp, name)(x, axis=0, out=out), (2, 3), dtype, (3,) if name[:3] != "cum" else (2, 3), out_dtype)


def test_sums_are_made_in_the_dtype_of_out() -> None:
    x = numpy.full(100_000, 0.1, numpy.float32)
    for call in (lambda f: f, np.compile):
        out = np.zeros(())
        call(lambda x, out: np.sum(x, out=out))(x, out)
        assert abs(float(out) - 100_000 * float(numpy.float32(0.1))) < 1e-6
        running = np.zeros(100_000)
        call(lambda x, out: np.cumsum(x, out=out))(x, running)
        assert abs(float(running[-1]) - 100_000 * float(numpy.float32(0.1))) < 1e-6


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans(name: str) -> None:
    for shape in ((2, 3), (3,), (1, 3), (2, 3, 4)):
        for axis in (None, *range(len(shape))):
            for into in SHAPES:
                if len(into) > len(shape) > 1 or into == () or (axis is not None and shape[axis] == 1):  # NumPy writes a part of out, or beside it
                    continue
                function = lambda xp, x, out, axis=axis: getattr(xp, name)(x, axis=axis, out=out)  # noqa: E731
                if IS_NUMPY_2_5 and into != shape and len(into) == len(shape):  # it refuses an out of another size
                    continue
                compare(function, shape, "float64", into, "float64", exactly=len(into) >= len(shape))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places(name: str) -> None:
    for shape in ((2, 3), (3,), (1, 3)):
        for axis in (None, *range(len(shape))):
            for into in SHAPES:
                for out_dtype in ("int64", "int8", "bool", "uint64", "float64"):
                    compare(lambda xp, x, out, axis=axis: getattr(xp, name)(x, axis=axis, out=out), shape, "float64", into, out_dtype)


@pytest.mark.parametrize("out_dtype", ["float64", "float32", "int64", "complex128"])
def test_products(out_dtype: str) -> None:
    for into in ((2, 2), (3, 2, 2), (1, 2, 2), (1, 2), (2, 1), (2, 3)):
        compare(lambda xp, x, out: xp.matmul(x, x.T, out=out), (2, 3), "float64", into, out_dtype)
    for into in ((2,), (2, 2), (1,), (3,), (3, 2)):
        compare(lambda xp, x, out: xp.matmul(x, x[0], out=out), (2, 3), "float64", into, out_dtype)


@pytest.mark.parametrize("name", ["vecdot", "vdot", "inner"])
def test_products_keep_their_dtype(name: str) -> None:
    for dtype in ("bool", "int8", "uint8", "int32", "float32", "complex64"):
        x = numpy.array([2, 100, 77]).astype(dtype)
        want = getattr(numpy, name)(x, x)
        for call in (lambda f: f, np.compile):
            found = call(lambda x: getattr(np, name)(x, x))(np.asarray(x))
            assert found.dtype == want.dtype
            assert numpy.allclose(numpy.asarray(found), want, rtol=1e-6)
