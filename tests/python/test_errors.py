"""Exceptions in NumPy's words, of its classes and with its attributes, and results where it raises none; eager and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import quietly

import fastnp as np
from fastnp import _errors

BOOLS = numpy.array([True, False])
WHOLE = numpy.arange(3)
SMALL = numpy.arange(3, dtype="u1")
FLOATS = numpy.arange(3.0)
ARRAYS = {"0-d": numpy.array(3.0), "1-d": FLOATS, "2-d": numpy.ones((2, 3))}


def outcome_of(function: Callable[[], Any]) -> Any:
    try:
        result = quietly(function)
    except Exception as error:
        attributes = [(name, repr(getattr(error, name))) for name in ("axis", "ndim", "ufunc", "casting", "to", "from_", "dtypes") if hasattr(error, name)]
        return type(error), str(error), attributes
    array = numpy.asarray(result)
    return array.dtype, array.shape, repr(array.tolist())


def check(function: Callable[..., Any], *arguments: numpy.ndarray) -> None:
    """As NumPy's: of fastnp's arrays, and in compiled functions of what they are called with."""
    want = outcome_of(lambda: function(numpy, *(x.copy() for x in arguments)))
    assert outcome_of(lambda: function(np, *(np.array(x) for x in arguments))) == want
    compiled = np.compile(lambda *xs: function(np, *xs))
    for _ in range(2):
        assert outcome_of(lambda: compiled(*(x.copy() for x in arguments))) == want


def powered_in_place(xp: Any, x: Any, exponent: Any) -> Any:
    x **= exponent
    return x


@pytest.mark.parametrize("exponent", [2, 1, 0, -1, True, 2.0, 0.5, 3, 300, -2, 2**63, 2**70])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i8", "u8", "f4", "f8", "c8"])
def test_powers(dtype: str, exponent: Any) -> None:
    x = numpy.array([1, 0, 1, 1]).astype(dtype)
    check(lambda xp, x: x**exponent, x)
    check(lambda xp, x: xp.power(x, exponent), x)
    if dtype != "?" or 0 <= exponent < 2**63:  # NumPy minds the cast before the exponent
        check(lambda xp, x: powered_in_place(xp, x, exponent), x)


MADE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "an array": lambda xp, x, e: xp.array(e),
    "a full array": lambda xp, x, e: xp.full(1, e),
    "a scalar": lambda xp, x, e: xp.int64(e),
    "cast": lambda xp, x, e: xp.array(float(e)).astype("i2"),
    "a difference": lambda xp, x, e: xp.zeros((), int) + e,
    "repeated": lambda xp, x, e: xp.broadcast_to(e, x.shape),
    "of a shape": lambda xp, x, e: xp.array(x.shape[0] - x.shape[0] + e),
}


@pytest.mark.parametrize("exponent", [-1, -3, 0, 3])
@pytest.mark.parametrize("made", MADE)
def test_powers_of_arrays_that_are_known(made: str, exponent: int) -> None:
    """Negative exponents that a recording makes constants of are errors as those that are looked at: of no elements, too, as NumPy has it."""
    for dtype in ("?", "u1", "i1", "i8", "f4"):
        for size in (4, 0, 3000):
            x = numpy.resize([1, 0, 3 if exponent > 0 else 1, 1], size).astype(dtype)
            check(lambda xp, x: xp.power(x, MADE[made](xp, x, exponent)), x)
            check(lambda xp, x: xp.power(x, MADE[made](xp, x, exponent)) * 2 + 1, x)
            check(lambda xp, x: xp.sum(xp.power(x + 1, MADE[made](xp, x, exponent))), x)
            if size == 4:
                check(lambda xp, x: xp.power(2, MADE[made](xp, x, exponent)) + x, x)
                check(lambda xp, x: xp.power.at(x, [0, 2, 2], MADE[made](xp, x[:3], exponent)), x)


def of_axis(name: str, axis: Any) -> Callable[[Any, Any], Any]:
    def function(xp: Any, x: Any) -> Any:
        call = getattr(xp, name)
        if name in ("roll", "repeat"):
            return call(x, 1, axis=axis)
        if name == "take":
            return call(x, [0], axis=axis)
        if name in ("concatenate", "stack"):
            return call([x, x], axis=axis)
        if name in ("swapaxes", "moveaxis"):
            return call(x, 0, axis)
        return call(x, axis=axis)

    return function


OF_AXIS = """sum prod mean std var min max argmin argmax any all cumsum cumprod sort median ptp average squeeze expand_dims roll repeat take concatenate
    stack swapaxes moveaxis count_nonzero diff argsort""".split()


@pytest.mark.parametrize("axis", [0, -1, 1, 5, -5, (0,), (-1,), (), (0, 0), (0, 5)])
@pytest.mark.parametrize("name", OF_AXIS)
def test_axes(name: str, axis: Any) -> None:
    for x in ARRAYS.values():
        check(of_axis(name, axis), x)


@pytest.mark.parametrize("axis", [None, 0, -1, 1, (0,), (-1,), (), (0, 0), (0, 1)])
@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum", "logical_and", "fmax"])
@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_axes_of_ufuncs(method: str, name: str, axis: Any) -> None:
    for x in ARRAYS.values():
        check(lambda xp, x: getattr(getattr(xp, name), method)(x, axis=axis), x)


def test_axis_errors_can_be_read() -> None:
    with pytest.raises(numpy.exceptions.AxisError) as found:
        np.sum(np.ones((2, 3)), axis=-4)
    assert (found.value.axis, found.value.ndim) == (-4, 2)
    with pytest.raises(numpy.exceptions.AxisError, match="source: axis 7 is out of bounds for array of dimension 1") as found:
        np.moveaxis(np.ones(2), 7, 0)
    assert (found.value.axis, found.value.ndim) == (7, 1)


@pytest.mark.parametrize("ord", [None, 1, 2, numpy.inf])
@pytest.mark.parametrize("axis", [None, 0, 1, -2, (0, 1), (0, 5), 5])
def test_norms(axis: Any, ord: Any) -> None:
    for x in ARRAYS.values():
        want = outcome_of(lambda x=x: numpy.linalg.norm(x, ord=ord, axis=axis))[:2]
        assert outcome_of(lambda x=x: np.linalg.norm(np.array(x), ord=ord, axis=axis))[:2] == want
        compiled = np.compile(lambda x: np.linalg.norm(x, ord=ord, axis=axis))
        assert outcome_of(lambda x=x, compiled=compiled: compiled(x))[:2] == want


@pytest.mark.parametrize("where", [True, False, numpy.array(True)])
@pytest.mark.parametrize("name", ["mean", "std", "var"])
def test_statistics_of_one_element_that_are_counted_by_where(name: str, where: Any) -> None:
    check(lambda xp, x: getattr(xp, name)(x, axis=0, where=where), ARRAYS["0-d"])


@pytest.mark.parametrize("shape", [(7,), (2, -1), (-1, -1), (7, -1), (-1, 7), (2, -1, 2), (-1, 2, 2), (4, 4), -1, 7, (0, -1), (2, 3, 1, 7), ()])
def test_reshapes(shape: Any) -> None:
    for x in (*ARRAYS.values(), numpy.ones(0)):
        check(lambda xp, x: x.reshape(shape), x)
        check(lambda xp, x: xp.reshape(x, shape), x)


def in_place(name: str, other: Any) -> Callable[[Any, Any], Any]:
    return lambda xp, x: getattr(x, name)(other)


def into_whole(name: str, *others: Any) -> Callable[[Any, Any], Any]:
    return lambda xp, x: getattr(xp, name)(x, *others, out=xp.zeros(3, dtype=int))


UFUNCS: dict[str, tuple[Callable[..., Any], numpy.ndarray]] = {
    "+=": (in_place("__iadd__", 1.5), WHOLE),
    "+= of bools": (in_place("__iadd__", 1), BOOLS),
    "/=": (in_place("__itruediv__", 2), WHOLE),
    "out of add": (into_whole("add", 1.5), FLOATS),
    "out of sin": (into_whole("sin"), FLOATS),
    "casting": (lambda xp, x: xp.add(x, 1.5, casting="no", dtype=int), FLOATS),
    "casting of a number": (lambda xp, x: xp.add(x, 1.5, casting="no", dtype=int), WHOLE),
    "casting of one": (lambda xp, x: xp.sin(x, casting="no", dtype="f4"), FLOATS),
    "dtype": (lambda xp, x: xp.add(x, x, dtype="i4"), FLOATS),
    "gcd": (lambda xp, x: xp.gcd(x, x), FLOATS),
    "bitwise_and": (lambda xp, x: xp.bitwise_and(x, x), FLOATS),
    "subtract of bools": (lambda xp, x: x - x, BOOLS),
    "negative of bools": (lambda xp, x: -x, BOOLS),
    "invert": (lambda xp, x: ~x, FLOATS),
    "shift": (lambda xp, x: x << 1, FLOATS),
    "floor": (lambda xp, x: xp.floor(x), FLOATS + 1j),
    "out of sum": (lambda xp, x: xp.sum(x, axis=0, out=xp.zeros((), dtype=int)), FLOATS),
    "out of cumsum": (into_whole("cumsum"), FLOATS),
}


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name: str) -> None:
    function, x = UFUNCS[name]
    check(function, x)


def test_errors_of_ufuncs_that_numpy_has_no_class_for() -> None:
    for text in (
        "Cannot cast ufunc 'unknown' output from dtype('int8') to dtype('bool') with casting rule 'safe'",
        "Cannot cast ufunc 'add' output from dtype('unknown') to dtype('bool') with casting rule 'safe'",
        "ufunc 'add' did not contain a loop with signature matching types () -> None",
    ):
        assert type(_errors.type_error(text)) is TypeError and str(_errors.type_error(text)) == text
    assert str(_errors.axis_error("some axis")) == "some axis"
