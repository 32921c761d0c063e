"""The ufunc machinery: attributes, keywords and methods, for every ufunc at once where that goes."""

from __future__ import annotations

import pickle

import numpy
import pytest
from support import quietly

import fastnp as np
from fastnp import _core

UFUNCS = sorted(name for name in dir(_core) if isinstance(getattr(_core, name), _core.ufunc))
ALIASES = """abs true_divide mod pow conj deg2rad rad2deg acos acosh asin asinh atan atan2 atanh bitwise_not bitwise_invert bitwise_left_shift
bitwise_right_shift permute_dims concat amax amin around""".split()


@pytest.mark.parametrize("name", UFUNCS)
def test_attributes_are_numpys(name):
    ours, theirs = getattr(np, name), getattr(numpy, name)
    assert (ours.__name__, ours.nin, ours.nout, ours.nargs) == (theirs.__name__, theirs.nin, theirs.nout, theirs.nargs)
    assert ours.identity == theirs.identity and ours.signature is None and ours.__doc__
    assert set(ours.types) <= set(theirs.types) and ours.ntypes == len(ours.types) > 0
    assert pickle.loads(pickle.dumps(ours)) is ours and repr(ours) == repr(theirs)


@pytest.mark.parametrize("name", ALIASES)
def test_aliases(name):
    assert getattr(np, name).__name__ == getattr(np, getattr(numpy, name).__name__).__name__


def test_out():
    x, out = np.arange(3.0), np.zeros(3)
    assert np.add(x, 1, out=out) is out and np.add(x, 2, out) is out and np.multiply(x, 2, out=(out,)) is out
    assert out.tolist() == [0, 2, 4]
    theirs = numpy.zeros(3)
    assert np.add(x, 1, out=theirs) is theirs and theirs.tolist() == [1, 2, 3]
    assert numpy.add(theirs, 1, out=out) is out and out.tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="Cannot cast"):
        np.add(x, 0.5, out=np.zeros(3, int))
    with pytest.raises(ValueError, match="broadcast"):
        np.add(x, 1, out=np.zeros(2))
    with pytest.raises(TypeError, match="return arrays must be of ArrayType"):
        np.add(x, 1, out=[1, 2, 3])
    with pytest.raises(TypeError, match="cannot specify 'out' as both"):
        np.add(x, 1, out, out=out)


def product(x, y):
    """Of complex numbers, each part rounded as written; NumPy's own loops fuse some of it on some processors."""
    return x.real * y.real - x.imag * y.imag + 1j * (x.real * y.imag + x.imag * y.real)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("name", "expected"), [("multiply", product), ("divide", numpy.divide)])
def test_complex_products_and_quotients_are_rounded_as_written(name, expected, dtype):
    # Products are rounded before they are added up: (2 + 2.5j) / (2 + 2.5j) is 1, with no imaginary part.
    random = numpy.random.default_rng(5)
    x, y = ((random.normal(size=(2, 3000)) * 10.0 ** random.integers(-3, 4, (2, 3000))) for _ in range(2))
    x, y = (x + 1j * y[:, ::-1]).astype(dtype), (y - 1j * x[::-1]).astype(dtype)
    x[0, :2], y[0, :2] = 2 + 2.5j, 2 + 2.5j
    call = getattr(np, name)
    for a, b in [(x, y), (x, x), (x[:, ::2], y[:, 1::2]), (x, y[:, :1]), (x.T, y.T)]:
        for f in (call, np.compile(call)):
            numpy.testing.assert_array_equal(numpy.asarray(f(np.array(a), np.array(b))), expected(a, b))


def test_where_dtype_and_casting():
    x, out = np.arange(4.0), np.full(4, -1.0)
    np.sqrt(x, out=out, where=x > 1)
    assert out.tolist() == [-1, -1, 2**0.5, 3**0.5]
    assert np.add(np.arange(3), 1, dtype=np.float32).dtype == np.float32
    assert np.add(x, 1, dtype=np.int32, casting="unsafe").dtype == np.int32
    with pytest.raises(TypeError):
        np.add(x, 1, dtype=np.int32)
    with pytest.raises(TypeError):
        np.add(x, x, nonsense=1)
    with pytest.raises(TypeError, match="positional arguments"):
        np.add(x)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_or", "logical_and", "bitwise_xor", "hypot", "subtract"])
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), None])
def test_reduce(name, axis):
    source = numpy.random.default_rng(0).integers(1, 9, (3, 4)).astype(int if name.startswith(("bit", "log")) else float)
    ours, theirs = getattr(np, name), getattr(numpy, name)
    if axis in (None, (0, 1)) and name == "subtract":
        with pytest.raises(ValueError, match="not reorderable"):
            ours.reduce(np.asarray(source), axis=axis)
        return
    for keepdims in (False, True):
        got, want = ours.reduce(np.asarray(source), axis=axis, keepdims=keepdims), theirs.reduce(source, axis=axis, keepdims=keepdims)
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-15)
        assert got.dtype == want.dtype and got.shape == want.shape
    assert ours.reduce(np.asarray(source)).shape == (4,)


def test_reduce_initial_where_dtype_out():
    x = np.arange(6).reshape(2, 3)
    assert np.add.reduce(x, axis=1, initial=10).tolist() == [13, 22]
    assert np.add.reduce(x, axis=1, where=x > 1).tolist() == [2, 12]
    assert np.add.reduce(x, dtype=float).dtype == float
    out = np.zeros(3, int)
    assert np.add.reduce(x, out=out) is out and out.tolist() == [3, 5, 7]
    with pytest.raises(ValueError, match="reduce only supported for binary functions"):
        np.sin.reduce(x)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
def test_accumulate(name):
    source = numpy.random.default_rng(0).integers(1, 5, (3, 4))
    for axis in (0, 1, -1):
        assert getattr(np, name).accumulate(np.asarray(source), axis).tolist() == getattr(numpy, name).accumulate(source, axis).tolist()


def test_outer_at_reduceat():
    a, b = np.arange(3), np.arange(4).reshape(2, 2)
    assert np.multiply.outer(a, b).tolist() == numpy.multiply.outer(numpy.arange(3), numpy.arange(4).reshape(2, 2)).tolist()
    x = np.zeros(3)
    np.add.at(x, [0, 0, 2], 1)
    assert x.tolist() == [2, 0, 1]
    assert np.add.reduceat(np.arange(6), [0, 3]).tolist() == [3, 12]
    assert np.compiler.fallbacks() == ({"add.at": 1, "add.reduceat": 1} if x.device == "cpu" else {})  # devices have both


def test_two_results():
    x = np.array([1.5, -2.25])
    for name, args in (("modf", (x,)), ("frexp", (x,)), ("divmod", (x, 2))):
        got = getattr(np, name)(*args)
        want = getattr(numpy, name)(*(numpy.asarray(a) for a in args))
        assert type(got) is tuple and all(a.tolist() == b.tolist() and a.dtype == b.dtype for a, b in zip(got, want, strict=True))
    first, second = np.zeros(2), np.zeros(2)
    assert np.modf(x, first, second)[0] is first and second.tolist() == [1, -2]
    quotient, rest = divmod(x, 2)
    assert quotient.tolist() == [0, -2] and rest.tolist() == [1.5, 1.75]


def test_anything_array_like_goes():
    for x in ([1, 2], (1, 2), numpy.array([1, 2]), range(1, 3), [np.array(1), numpy.int64(2)]):
        assert np.add(x, 1).tolist() == [2, 3] and type(np.add(x, 1)) is np.ndarray
    assert type(np.add(1, 2)) is numpy.int64 and type(np.add(1, 2.0)) is numpy.float64 and type(np.add(True, True)) is numpy.bool_


def test_numpys_ufuncs_are_fastnps():
    x = np.arange(3.0)
    assert type(numpy.add(x, 1)) is np.ndarray and type(numpy.arange(3) - x) is np.ndarray and type(numpy.sqrt(x)) is np.ndarray
    assert numpy.add.reduce(x) == 3 and type(numpy.multiply.outer(x, x)) is np.ndarray and numpy.add.accumulate(x).tolist() == [0, 1, 3]
    theirs = numpy.ones(3)
    theirs += x
    assert type(theirs) is numpy.ndarray and theirs.tolist() == [1, 2, 3]
    assert np.compiler.fallbacks() == {}
    assert numpy.matmul(x, x) == 5


def test_object_arrays_and_dates_are_numpys():
    dates = numpy.array(["2020-01-01", "2020-01-03"], "M8[D]")
    assert np.subtract(dates[1], dates[0]) == numpy.timedelta64(2, "D")
    assert np.add(numpy.array([1, "a"], object)[:1], 1).tolist() == [2]
    assert quietly(np.compiler.fallbacks)["add"] == 1
