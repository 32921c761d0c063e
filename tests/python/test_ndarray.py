"""fastnp.ndarray as an object: its properties, conversions and protocols."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import weakref

import numpy
import pytest
from support import DTYPES, is_scalar, values_of

import fastnp as np


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numpy_arrays_go_in_and_out_without_a_copy(dtype):
    source = values_of(dtype).reshape(5, 8)[::2, ::-1]
    x = np.asarray(source)
    assert x.dtype == source.dtype and x.shape == source.shape and x.strides == source.strides
    back = numpy.asarray(x)
    assert back.__array_interface__["data"] == source.__array_interface__["data"]
    assert numpy.shares_memory(back, source)
    numpy.testing.assert_array_equal(back, source)


def test_the_owner_lives_as_long_as_the_array():
    source = numpy.arange(4.0)
    gone = weakref.ref(source)
    x = np.asarray(source)[1:]
    del source
    gc.collect()
    assert gone() is not None
    assert x.sum() == 6
    del x
    gc.collect()
    assert gone() is None


def test_a_numpy_view_keeps_the_fastnp_array_alive():
    view = numpy.asarray(np.arange(1000.0))
    gc.collect()
    assert view.sum() == 499500


def test_read_only_stays_read_only():
    source = numpy.arange(3.0)
    source.flags.writeable = False
    x = np.asarray(source)
    assert not x.flags.writeable and not numpy.asarray(x).flags.writeable
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_double * 3).from_buffer(x)


def test_writes_are_seen_through_every_alias():
    source = numpy.zeros((3, 4))
    x = np.asarray(source)
    column = x[:, 1]
    column[...] = 7
    source[0, 0] = 5
    assert x[0, 0] == 5 and (source[:, 1] == 7).all()
    x.T[3] += 2
    assert (source[:, 3] == 2).all()
    x.reshape(-1)[4] = 9
    assert source[1, 0] == 9


def test_base_is_whose_memory_it_is():
    x = np.zeros((2, 3))
    assert x.base is None
    assert x[0].base is x and x.T.base is x and x.reshape(6).base is x and x[0][1:].base is x
    assert x.copy().base is None and (x + 1).base is None and x.T.ravel().base is None
    source = numpy.zeros(3)
    assert np.asarray(source).base is source


def test_properties():
    x = np.zeros((2, 3), np.float32)
    assert (x.shape, x.ndim, x.size, x.strides, x.itemsize, x.nbytes, x.dtype) == ((2, 3), 2, 6, (12, 4), 4, 24, numpy.dtype("f4"))
    assert x.T.shape == (3, 2) and x.mT.shape == (3, 2) and x.device.startswith(np.current_device()) and len(x) == 2
    assert x.flags.c_contiguous and x.T.flags.f_contiguous
    x.shape = (3, 2)
    assert x.shape == (3, 2)
    z = np.array([1 + 2j, 3 - 4j])
    z.real[0] = 9
    z.imag = 0
    assert z.tolist() == [9, 3]
    assert np.arange(3).real.tolist() == [0, 1, 2] and np.arange(3).imag.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "source", [numpy.arange(3), numpy.eye(2), numpy.array(3.5), numpy.zeros((0, 2)), numpy.arange(2000), numpy.array([1 + 2j])], ids=repr
)
def test_text_is_numpys(source):
    x = np.asarray(source)
    assert repr(x) == repr(source) and str(x) == str(source)


def test_conversions_to_plain_numbers():
    assert int(np.array(3.7)) == 3 and float(np.array([2])[0]) == 2.0 and complex(np.array(1 + 2j)) == 1 + 2j
    assert bool(np.array([1])) and not np.array(0.0) and [10, 20, 30][np.array(1)] == 20
    assert np.arange(6).reshape(2, 3).item(1, 2) == 5 and np.arange(3).item(1) == 1 and type(np.array(1.5).item()) is float
    assert np.arange(4).reshape(2, 2).tolist() == [[0, 1], [2, 3]]
    assert f"{np.array(1.25):.1f}" == f"{numpy.array(1.25):.1f}"
    with pytest.raises(ValueError, match="The truth value of an array with more than one element is ambiguous"):
        bool(np.arange(3))
    with pytest.raises(ValueError, match="The truth value of an empty array is ambiguous"):
        bool(np.zeros(0))
    with pytest.raises(TypeError, match="only integer scalar arrays can be converted to a scalar index"):
        [1][np.array(0.0)]
    with pytest.raises(TypeError, match="unsized"):
        len(np.array(1))
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        iter(np.array(1))


def test_iteration_and_containment():
    rows = list(np.arange(6).reshape(3, 2))
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3], [4, 5]]
    assert [is_scalar(x) and x.dtype == numpy.float64 for x in np.arange(2.0)] == [True, True]
    assert 3 in np.arange(5) and 7 not in np.arange(5)
    a, b = np.array([1, 2])
    assert (a, b) == (1, 2)


def test_no_hash():
    with pytest.raises(TypeError, match="unhashable"):
        hash(np.zeros(2))


@pytest.mark.parametrize("protocol", range(6))
def test_pickling(protocol):
    x = np.arange(12.0).reshape(3, 4)[:, ::2]
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is np.ndarray and y.tolist() == x.tolist() and y.dtype == x.dtype


def test_copies():
    x = np.arange(3)
    for y in (copy.copy(x), copy.deepcopy(x), x.copy(), np.copy(x), np.array(x)):
        y[0] = 9
        assert x[0] == 0
    assert np.asarray(x) is x and np.array(x, copy=False) is x
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.array(x, dtype=float, copy=False)


def test_buffer_protocol():
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    strided = memoryview(x[:, ::2])
    assert strided.tolist() == [[0, 2], [3, 5]] and not strided.contiguous
    assert bytes(x) == numpy.asarray(x).tobytes()
    view[0, 0] = 9
    assert x[0, 0] == 9


def test_dlpack():
    x = np.arange(6.0).reshape(2, 3)
    other = numpy.from_dlpack(x, device="cpu")
    other[0, 0] = 5
    assert x[0, 0] == 5 and x.__dlpack_device__() == (1, 0)
    back = np.from_dlpack(numpy.arange(3.0))
    assert type(back) is np.ndarray and back.tolist() == [0, 1, 2]


def test_array_method():
    x = np.arange(3)
    assert numpy.shares_memory(x.__array__(), numpy.asarray(x))
    assert not numpy.shares_memory(x.__array__(copy=True), numpy.asarray(x))
    assert x.__array__("f4").dtype == "f4"
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__("f4", copy=False)
    assert numpy.array(x, dtype=float).tolist() == [0, 1, 2]


def test_dtypes_that_fastnp_has_not_stay_numpys():
    for source in (["a", "b"], [object()], numpy.array(["2020-01-01"], "M8[D]"), numpy.zeros(2, "g")):
        assert type(np.asarray(source)) is numpy.ndarray
    swapped = np.asarray(numpy.arange(3, dtype=">i4"))
    assert type(swapped) is np.ndarray and swapped.tolist() == [0, 1, 2]


def test_methods_are_numpys():
    source = numpy.random.default_rng(0).normal(size=(4, 3))
    x = np.asarray(source)
    for name in "sum prod max min mean var std argmax argmin cumsum cumprod any all".split():
        for axis in (None, 0, -1):
            numpy.testing.assert_allclose(getattr(x, name)(axis=axis), getattr(source, name)(axis=axis), rtol=1e-14)
    assert x.std(ddof=1) == pytest.approx(source.std(ddof=1), rel=1e-14)
    assert x.round(2).tolist() == source.round(2).tolist() and x.clip(0, 1).tolist() == source.clip(0, 1).tolist()
    assert x.reshape(3, 4).shape == x.reshape((3, 4)).shape == x.reshape(-1, 4).shape == (3, 4)
    assert x.transpose(1, 0).shape == x.transpose((1, 0)).shape == x.T.shape == (3, 4) and x.swapaxes(0, 1).shape == (3, 4)
    assert x.ravel().tolist() == source.ravel().tolist() and x.flatten().base is None
    assert x.astype(int).dtype == int and x.astype("f4", copy=False).dtype == "f4" and x.astype(float, copy=False) is x
    assert x.take([0, 2], axis=1).tolist() == source.take([0, 2], axis=1).tolist()
    numpy.testing.assert_allclose(x.dot(x.T), source.dot(source.T))
    assert x.conj() is x
    assert x.argsort(axis=0).tolist() == source.argsort(axis=0).tolist()
    y = x.copy()
    y.sort(axis=0)
    assert y.tolist() == numpy.sort(source, axis=0).tolist()
    y.fill(3)
    assert (y == 3).all()


def test_other_methods_of_numpys_fall_back():
    x = np.arange(6).reshape(2, 3)
    repeated = x.repeat(2)
    assert repeated.tolist() == numpy.arange(6).repeat(2).tolist() and type(repeated) is np.ndarray
    assert pickle.loads(x.dumps()).tolist() == x.tolist()
    assert np.compiler.fallbacks() == {"ndarray.dumps": 1}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        x.nonsense  # noqa: B018
    assert not hasattr(x, "__wrapped__")


def test_in_place_operators():
    for operator in ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^="):
        dtype = float if operator == "/=" else int
        ours, theirs = np.arange(1, 5).astype(dtype), numpy.arange(1, 5).astype(dtype)
        first = ours
        scope = {"a": ours, "b": theirs}
        exec(f"a {operator} 2; b {operator} 2", scope)
        assert scope["a"] is first and scope["a"].tolist() == scope["b"].tolist(), operator
    x = np.arange(3)
    with pytest.raises(TypeError, match="Cannot cast"):
        x += 0.5
    y = np.arange(3.0)
    y += numpy.ones(3)
    y @= np.eye(3)
    assert y.tolist() == [1, 2, 3]


def test_operators_defer_to_types_that_want_to():
    class Other:
        __array_ufunc__ = None

        def __radd__(self, x):
            return "radd"

    assert np.arange(3) + Other() == "radd"
    assert (np.arange(3) == None).tolist() == [False] * 3  # noqa: E711
    with pytest.raises(TypeError):
        np.arange(3) + object()


def test_power_takes_numpys_short_cuts():
    source = numpy.array([-0.0, -numpy.inf, 4.0, 1e200, 0.1])
    with numpy.errstate(all="ignore"):
        for exponent in (2, 0.5, -1, 1, 0, 2.0):
            numpy.testing.assert_array_equal(numpy.asarray(np.asarray(source) ** exponent), source**exponent)
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        np.arange(3) ** -1
