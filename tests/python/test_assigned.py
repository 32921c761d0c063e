"""What arrays are set to and filled with: numbers, lists and arrays are converted to their dtype with NumPy's checks and in its words."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import quietly

import fastnp as np

pytestmark = pytest.mark.part(6)

NAN, INF = float("nan"), float("inf")
DTYPES = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
NUMBERS: list[Any] = [NAN, INF, 1.5, 300, -1, 2**31, 2**63, 2**64, 2**70, -(2**63), -(2**64), 1 + 2j, 1e300, True]
SCALARS: list[Any] = [
    *(numpy.float64(x) for x in (NAN, INF, 1.5, 1e300)),
    *(numpy.float32(x) for x in (NAN, 2.5)),
    *(kind(1 + 2j) for kind in (numpy.complex128, numpy.complex64)),
    *(numpy.int64(300), numpy.int64(-1), numpy.uint64(2**63), numpy.int8(-1), numpy.bool_(True)),
]
LISTS: list[Any] = [
    *([x, 1] for x in (NAN, 1.5, 300, -1, 2**63, 2**64, 1 + 2j, True, None)),
    *((NAN, 1), (300, 1), [[1, 2], [3, 4]], [[NAN, 1]], [1, 2, 3], [], [1], [NAN], ["a", "b"], ["1", "2"]),
]
OF_SCALARS: list[Any] = [[numpy.float64(NAN), 1], [numpy.int64(300), 1], [numpy.complex128(1j), 1]]
ARRAYS: list[Any] = [numpy.array(x) for x in (NAN, [NAN, 1], [1 + 2j, 1], 1 + 2j, [300, 1], 300, [NAN], [1, 2, 3])]
OTHERS: list[Any] = [None, "3", "a"]
ALL = [*NUMBERS, *SCALARS, *LISTS, *OF_SCALARS, *ARRAYS, *OTHERS]
# What a compiled function reads as the value of a call, which no call is refused for.
READ_ANEW = [*SCALARS, *OF_SCALARS]

Setter = Callable[[Any, Any, Any], Any]


def at(key: Any) -> Setter:
    def function(xp: Any, x: Any, value: Any) -> Any:
        x[xp.asarray([True, False]) if isinstance(key, str) else key] = value
        return x

    return function


def filled(xp: Any, x: Any, value: Any) -> Any:
    x.fill(value)
    return x


SETTERS: dict[str, tuple[Setter, tuple[int, ...]]] = {
    "an element": (at(0), (2,)),
    "the element": (at(()), ()),
    "all of one": (at(...), ()),
    "a slice": (at(slice(None)), (2,)),
    "all": (at(...), (2,)),
    "picked": (at([0, 1]), (2,)),
    "masked": (at("mask"), (2,)),
    "a row": (at(1), (2, 2)),
    "fill": (filled, (2,)),
    "fill one": (filled, ()),
    "array": (lambda xp, x, value: xp.array(value, dtype=x.dtype), (2,)),
    "asarray": (lambda xp, x, value: xp.asarray(value, dtype=x.dtype), (2,)),
    "full": (lambda xp, x, value: xp.full((2,), value, dtype=x.dtype), (2,)),
    "full_like": (lambda xp, x, value: xp.full_like(x, value), (2,)),
    "full_like of it": (lambda xp, x, value: xp.full_like(x, value, order="C"), (2, 2)),
    "full_like of a dtype": (lambda xp, x, value: xp.full_like([[1.0, 2.0]], value, dtype=x.dtype), (2,)),
    "full as it is": (lambda xp, x, value: xp.full((2,), value), (2,)),
    "array as it is": (lambda xp, x, value: xp.array(value), (2,)),
}


def outcome_of(function: Callable[[Any], Any], x: Any) -> Any:
    """The result and what it left of x, as bytes, or the exception; what objects are in an array is no matter."""
    try:
        result = numpy.asarray(quietly(function, x))
    except Exception as error:
        return type(error), str(error)
    return result.dtype, result.shape, result.tolist().__repr__() if result.dtype == object else bits_of(result), bits_of(numpy.asarray(x))


def bits_of(x: numpy.ndarray) -> bytes:
    """NaNs are one number where a device makes them: its conversions have a pattern of bits of their own."""
    if x.dtype.kind in "fc" and os.environ.get("FASTNP_TEST_DEVICE", "cpu") != "cpu":
        x = numpy.ascontiguousarray(x).reshape(-1).view(x.real.dtype)
        x = numpy.where(numpy.isnan(x), numpy.array(NAN, x.dtype), x)
    return x.tobytes()


@pytest.mark.parametrize("name", SETTERS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_numpys_checks(dtype: str, name: str) -> None:
    function, shape = SETTERS[name]
    for value in ALL:
        want = outcome_of(lambda x, value=value: function(numpy, x, value), numpy.zeros(shape, dtype))
        assert outcome_of(lambda x, value=value: function(np, x, value), np.zeros(shape, dtype)) == want, value
        if isinstance(value, numpy.ndarray):
            assert outcome_of(lambda x, value=value: function(np, x, np.asarray(value)), np.zeros(shape, dtype)) == want, value


@pytest.mark.parametrize("name", SETTERS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "int64", "float16", "complex64"])
def test_numpys_checks_in_compiled_functions(dtype: str, name: str) -> None:
    function, shape = SETTERS[name]
    for value in ALL:
        want = outcome_of(lambda x, value=value: function(numpy, x, value), numpy.zeros(shape, dtype))
        if any(value is other for other in READ_ANEW) and isinstance(want[0], type):
            continue
        compiled = np.compile(lambda x, value=value: function(np, x, value))
        assert outcome_of(compiled, numpy.zeros(shape, dtype)) == want, value


@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_of_arrays_and_sizes(dtype: str) -> None:
    def sizes(xp: Any, x: Any) -> Any:
        x[:2] = [x.shape[0], 2]
        return x

    def sums(xp: Any, x: Any) -> Any:
        x[:2] = [xp.sum(x > 1), xp.max(x)]
        return x

    def numbers(xp: Any, x: Any) -> Any:
        x[:2] = (int(xp.sum(x > 1)), 1)
        return x

    for function in (sizes, sums, numbers):
        compiled = np.compile(lambda x, function=function: function(np, x))
        for size in (2, 3, 3, 5):
            x = numpy.arange(size).astype(dtype)
            want = outcome_of(lambda x, function=function: function(numpy, x), x.copy())
            assert outcome_of(lambda x, function=function: function(np, x), np.array(x)) == want
            assert outcome_of(compiled, x.copy()) == want
