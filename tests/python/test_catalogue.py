"""Every elementwise op and reduction of the catalogue against NumPy, eager and compiled: generated, so a new row is tested by being there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import BACKENDS, DTYPES, EXACT, check, layouts_of, quietly, values_of

import fastnp
from fastnp import _core

pytestmark = pytest.mark.part(6)

ROWS = _core._catalogue()
UNARY = [row[0] for row in ROWS if row[1] == "map" and row[2] == 1 and hasattr(numpy, row[0])] + ["frexp", "modf"]
BINARY = [row[0] for row in ROWS if row[1] == "map" and row[2] == 2 and hasattr(numpy, row[0]) and row[0] != "where"] + ["divmod"]
FOLDS = [row[0] for row in ROWS if row[1] == "fold" and hasattr(numpy, row[0])]  # of others: test_ufunc_methods
ARGFOLDS = [row[0] for row in ROWS if row[1] == "argfold"]
SCANS = [row[0] for row in ROWS if row[1] == "scan" and hasattr(numpy, row[0])]


def as_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def outcome(function: Callable[..., Any], *args: Any) -> tuple[Any, Exception | None]:
    try:
        return quietly(function, *args), None
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        return None, error


def true_values(function: Callable[..., Any], args: tuple[numpy.ndarray, ...], exact: bool) -> Any:
    """In long double, of what NumPy computes with: whole numbers of 64 bits are rounded first."""
    if exact:
        return None
    if isinstance(function, numpy.ufunc):
        dtypes = function.resolve_dtypes((*(arg.dtype for arg in args), *[None] * function.nout))
        args = tuple(arg.astype(dtype) for arg, dtype in zip(args, dtypes, strict=False))
    return quietly(function, *(arg.astype(numpy.clongdouble if arg.dtype.kind == "c" else numpy.longdouble) for arg in args))


def size_of_terms(name: str, args: tuple[numpy.ndarray, ...], true: Any) -> Any:
    """What a result is the sum or the exponential of may be larger than it, and so is what it is rounded by: NumPy's, too."""
    wide = [arg.astype(numpy.clongdouble if arg.dtype.kind == "c" else numpy.longdouble) for arg in args]
    if name in ("logaddexp", "logaddexp2"):
        return quietly(lambda: numpy.abs(true - numpy.maximum(*wide)))
    if name in ("power", "float_power") and wide[0].dtype.kind == "c":
        return quietly(lambda: numpy.abs(true) * numpy.maximum(1, numpy.abs(wide[1] * numpy.log(wide[0]))))
    return None


def compare(name: str, function: Callable[..., Any], reference: Callable[..., Any], args: tuple[numpy.ndarray, ...], context: str) -> None:
    want, error = outcome(reference, *args)
    ours = tuple(fastnp.asarray(arg) for arg in args)
    got, our_error = outcome(function, *ours)
    if error is not None:
        assert our_error is not None, f"{context}: no error where NumPy raises {error!r}"
        assert isinstance(our_error, TypeError if isinstance(error, TypeError) else type(error)), f"{context}: {our_error!r} where NumPy raises {error!r}"
        return
    assert our_error is None, f"{context}: {our_error!r}"
    exact = name in EXACT and all(arg.dtype.kind != "c" for arg in args)
    true = true_values(reference, args, exact)
    size = None if true is None else size_of_terms(name, args, true)
    for part, wanted, precise in zip(as_tuple(got), as_tuple(want), as_tuple(true) if true is not None else (None, None), strict=False):
        check(part, wanted, exact, precise, context, size)


def compiled(name: str, backend: str, inputs: int) -> Callable[..., Any]:
    function = getattr(fastnp, name)
    if inputs == 1:
        return fastnp.compile(lambda x: function(x), backend=backend, cache_size_limit=256)
    return fastnp.compile(lambda x, y: function(x, y), backend=backend, cache_size_limit=256)


@pytest.mark.parametrize("name", UNARY)
def test_unary_eager(name: str) -> None:
    for dtype in DTYPES:
        for layout, values in layouts_of(values_of(dtype, special=dtype.kind != "c")):
            compare(name, getattr(fastnp, name), getattr(numpy, name), (values,), f"{name}({dtype}, {layout})")


@pytest.mark.parametrize("name", BINARY)
def test_binary_eager(name: str) -> None:
    for dtype in DTYPES:
        left = values_of(dtype, 100, 0, dtype.kind != "c")
        right = values_of(dtype, 100, 5, dtype.kind != "c")
        if dtype.kind == "i" and name in ("power", "float_power"):
            right = numpy.abs(right // 2)
        for (layout, x), (_, y) in zip(layouts_of(left), layouts_of(right), strict=True):
            compare(name, getattr(fastnp, name), getattr(numpy, name), (x, y), f"{name}({dtype}, {layout})")
        compare(
            name, getattr(fastnp, name), getattr(numpy, name), (left[:12].reshape(3, 1, 4), right[:6].reshape(3, 2, 1)), f"{name}({dtype}, mixed shapes)"
        )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", UNARY)
def test_unary_compiled(name: str, backend: str) -> None:
    function = compiled(name, backend, 1)
    for dtype in DTYPES:
        values = values_of(dtype, special=dtype.kind != "c")
        for layout, x in layouts_of(values) if dtype.char in "fil" else [("contiguous", values), ("reversed", values[::-1])]:
            compare(name, function, getattr(numpy, name), (x,), f"{name}({dtype}, {layout})")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BINARY)
def test_binary_compiled(name: str, backend: str) -> None:
    function = compiled(name, backend, 2)
    for dtype in DTYPES:
        left = values_of(dtype, 100, 0, dtype.kind != "c")
        right = values_of(dtype, 100, 5, dtype.kind != "c")
        if dtype.kind == "i" and name in ("power", "float_power"):
            right = numpy.abs(right // 2)
        pairs = [("contiguous", left, right), ("mixed shapes", left[:12].reshape(3, 1, 4), right[:6].reshape(3, 2, 1))]
        if dtype.char in "fl":
            pairs += [(layout, x, y) for (layout, x), (_, y) in zip(layouts_of(left), layouts_of(right), strict=True)]
        for layout, x, y in pairs:
            compare(name, function, getattr(numpy, name), (x, y), f"{name}({dtype}, {layout})")


AXES: list[Any] = [None, 0, -1, 1, (0, 2), (0, 1, 2), ()]


def fold_values(dtype: numpy.dtype[Any], name: str) -> numpy.ndarray:
    rng = numpy.random.default_rng(1)
    if dtype.kind == "b":
        return rng.integers(0, 2, (3, 4, 5)).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 9, (3, 4, 5)).astype(dtype)
    values = rng.uniform(0.5, 1.5, (3, 4, 5)) + (1j * rng.uniform(-1, 1, (3, 4, 5)) if dtype.kind == "c" else 0)
    return values.astype(dtype)


def close(got: Any, want: Any, exact: bool, context: str) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape, f"{context}: {got.dtype}{got.shape} where NumPy gives {want.dtype}{want.shape}"
    if exact:
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(want), err_msg=context)
    else:
        tolerance = 8 * float(numpy.finfo(want.dtype).eps) if want.dtype.kind in "fc" else 0
        numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=tolerance, atol=tolerance, err_msg=context)


@pytest.mark.parametrize("form", ["function", *BACKENDS])
@pytest.mark.parametrize("name", FOLDS)
def test_reductions(name: str, form: str) -> None:
    reference = getattr(numpy, name)
    ours = getattr(fastnp, name)
    for dtype in DTYPES:
        values = fold_values(dtype, name)
        exact = dtype.kind in "biu" or name in ("max", "min", "any", "all")
        for axis in AXES if dtype.char in "dfl?" else [None, 1]:
            for keepdims in (False, True):

                def function(x: Any, axis: Any = axis, keepdims: bool = keepdims) -> Any:
                    return ours(x, axis=axis, keepdims=keepdims)

                if form != "function":
                    function = fastnp.compile(function, backend=form, cache_size_limit=256)
                for layout, x in (("contiguous", values), ("transposed", values.transpose(2, 0, 1)), ("strided", values[::2, ::-1, 1::2])):
                    want = reference(x, axis=axis, keepdims=keepdims)
                    close(function(fastnp.asarray(x)), want, exact, f"{name}({dtype}, {layout}, axis={axis}, keepdims={keepdims})")


@pytest.mark.parametrize("form", ["function", *BACKENDS])
@pytest.mark.parametrize("name", ARGFOLDS + SCANS)
def test_arg_reductions_and_scans(name: str, form: str) -> None:
    for dtype in DTYPES:
        values = values_of(dtype, 60).reshape(3, 4, 5) if name in ARGFOLDS and dtype.kind != "c" else fold_values(dtype, name)
        for axis in (None, 0, 1, -1):

            def function(x: Any, axis: Any = axis) -> Any:
                return getattr(fastnp, name)(x, axis=axis)

            if form != "function":
                function = fastnp.compile(function, backend=form, cache_size_limit=256)
            for x in (values, values.transpose(2, 0, 1), values[:, ::-2]):
                exact = dtype.kind in "biu" or name in ARGFOLDS
                close(function(fastnp.asarray(x)), getattr(numpy, name)(x, axis=axis), exact, f"{name}({dtype}, axis={axis})")


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "prod", "any", "all"])
def test_reductions_of_special_values(name: str) -> None:
    for dtype in ("f", "d", "e"):
        for rows in ([1.0, numpy.nan, 3.0], [numpy.inf, -numpy.inf], [-0.0, 0.0], [numpy.nan, numpy.nan], [numpy.inf, 1.0]):
            x = numpy.array([rows, rows], dtype)
            for axis in (None, 0, 1):
                got = numpy.asarray(getattr(fastnp, name)(fastnp.asarray(x), axis=axis))
                numpy.testing.assert_array_equal(got, quietly(getattr(numpy, name), x, axis=axis), err_msg=f"{name} {rows} {axis}")


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "max", "min", "argmax", "mean"])
def test_reductions_of_nothing(name: str) -> None:
    for shape, axis in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0), 1)):
        x = numpy.zeros(shape)
        want, error = outcome(getattr(numpy, name), x, axis)
        got, our_error = outcome(getattr(fastnp, name), fastnp.asarray(x), axis)
        assert type(our_error) is type(error), (name, shape, axis, our_error, error)
        if error is None:
            numpy.testing.assert_array_equal(numpy.asarray(got), want)
        else:
            assert str(our_error) == str(error)
