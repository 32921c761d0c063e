"""NEP 50: dtypes of operations over every pair of dtypes and every kind of scalar, and values that do not fit."""

from __future__ import annotations

import operator

import numpy
import pytest
from support import DTYPES, is_scalar, quietly

import fastnp as np

pytestmark = pytest.mark.part(2)

OPERATORS = [operator.add, operator.mul, operator.truediv, operator.floordiv, operator.and_, operator.lt, operator.lshift]
SCALARS = [True, 3, 2.5, 1 + 2j, numpy.float32(1.5), numpy.int8(3), numpy.uint64(7), numpy.bool_(True), numpy.complex64(1j), numpy.float16(0.5)]


def attempt(function, *args):
    try:
        return quietly(function, *args)
    except TypeError as error:
        return type(error)
    except OverflowError as error:
        return str(error)


def agree(got, want, context):
    if isinstance(want, (type, str)):
        assert got == want or (isinstance(got, type) and isinstance(want, type) and issubclass(want, got)), f"{context}: {got} where NumPy gives {want}"
    else:
        assert not isinstance(got, (type, str)), f"{context}: {got} where NumPy gives a result"
        assert got.dtype == want.dtype, f"{context}: {got.dtype} where NumPy gives {want.dtype}"


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_every_pair_of_dtypes(function):
    for a in DTYPES:
        for b in DTYPES:
            x, y = numpy.ones(2, a), numpy.ones(2, b)
            agree(attempt(function, np.asarray(x), np.asarray(y)), attempt(function, x, y), (function.__name__, str(a), str(b)))


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: f"{type(s).__name__}-{s}")
def test_scalars_on_either_side(function, scalar):
    for dtype in DTYPES:
        x = numpy.ones(2, dtype)
        agree(attempt(function, np.asarray(x), scalar), attempt(function, x, scalar), (function.__name__, str(dtype), scalar))
        agree(attempt(function, scalar, np.asarray(x)), attempt(function, scalar, x), (function.__name__, scalar, str(dtype)))


def test_zero_dimensional_arrays_are_strong():
    assert (np.ones(2, np.float32) + np.array(1.0)).dtype == np.float64
    assert (np.ones(2, np.float32) + 1.0).dtype == np.float32
    assert (np.ones(2, np.int8) + numpy.int64(1)).dtype == np.int64


def test_integers_that_do_not_fit():
    for dtype, value in ((np.int8, 300), (np.uint8, -1), (np.int64, 2**63), (np.uint64, -5), (np.int32, 2**40), (np.int8, 2**70)):
        with pytest.raises(OverflowError) as theirs:
            numpy.ones(2, dtype) + value
        with pytest.raises(OverflowError) as ours:
            np.ones(2, dtype) + value
        assert str(ours.value) == str(theirs.value) or "C long" in str(theirs.value)


def test_large_integers_where_numpy_takes_them():
    assert (np.ones(2) + 2**70).tolist() == [1 + 2.0**70] * 2
    assert (np.ones(2, np.uint8) < 300).tolist() == [True, True]
    assert (np.ones(2, np.uint8) == 2**80).tolist() == [False, False]
    assert (np.array([2**63], np.uint64) + 2**63).tolist() == [0]


def test_result_type_and_friends():
    assert np.result_type(np.ones(1, np.float32), 1.0, np.int64) == numpy.result_type(numpy.ones(1, "f4"), 1.0, "i8")
    assert np.promote_types("i4", "f4") == np.float64 and np.can_cast("i4", "f8")


def test_scalars_come_back_where_numpy_has_them():
    x = np.arange(4, dtype=np.float32)
    for got, kind in (
        (x.sum(), numpy.float32),
        (x[1], numpy.float32),
        (x.argmax(), numpy.int64),
        (np.add(x[0], x[1]), numpy.float32),
        (x @ x, numpy.float32),
        ((x > 1).any(), numpy.bool_),
        (np.sin(np.array(1.0)), numpy.float64),
        (np.array(2) * 3, numpy.int64),
    ):
        assert type(got) is kind or (is_scalar(got) and got.dtype == kind)
    for got in (x[1, ...], np.array(2.0), np.where(True, 1.0, 2.0), x.reshape(2, 2)[0], np.asarray(numpy.float32(3)), x.sum(keepdims=True), np.zeros(())):
        assert type(got) is np.ndarray


WIDE = """logical_and logical_or logical_xor equal not_equal less less_equal greater greater_equal add maximum bitwise_and left_shift floor_divide copysign
    heaviside gcd""".split()


@pytest.mark.parametrize("name", WIDE)
def test_python_integers_of_any_size_beside_every_dtype(name):
    for dtype in DTYPES:
        x = numpy.array([0, 1, 2], dtype)
        for number in (300, -1, 2**40, 2**63, 2**70, -(2**70)):
            for reverse in (False, True):

                def run(module, x, number=number, reverse=reverse):
                    function = getattr(module, name)
                    return function(number, x) if reverse else function(x, number)

                want = attempt(run, numpy, x)
                for got in (attempt(run, np, np.asarray(x)), attempt(np.compile(lambda x, run=run: run(numpy, x)), x)):
                    if isinstance(want, (type, str)):
                        assert isinstance(got, (type, str)), (name, dtype, number, got, want)
                    else:
                        assert not isinstance(got, (type, str)), (name, dtype, number, got, want)
                        assert got.dtype == want.dtype
                        numpy.testing.assert_array_equal(got, want)
