"""Calls at the edge of what NumPy takes: the same results, dtypes, memory orders, or exceptions of the same class."""

from __future__ import annotations

import builtins
import warnings
from fractions import Fraction
from typing import Any

import numpy
import pytest

import fastnp

CALLS = """
concatenate(x for x in [[1], [2]]) | hstack(x for x in [[1], [2]]) | hstack(5) | stack(x for x in [[1]]) | column_stack(x for x in [[1]])
vstack(iter([[1]])) | dstack(x for x in [[1]]) | hstack([[1], [2]]) | concatenate(5)
ones(1).reshape(True) | zeros(True) | ones(1).reshape((True, 1)) | zeros((True, 2)) | reshape(ones(1), True) | full(True, 1) | broadcast_to(1, True)
zeros(m.True_) | ones(2).reshape(m.True_) | eye(True) | empty(True) | tile([1], True) | arange(True) | linspace(0, 1, True) | repeat([1, 2], True)
ones((1, 1)).sum(axis=True) | sum(ones((1, 1)), axis=(False,)) | ones((1, 2)).transpose(True, False) | squeeze(ones((1, 1)), True)
ones((2, 1)).argmax(True) | ones((2, 1)).cumsum(True) | concatenate([[[1]], [[2]]], True) | stack([[1], [2]], True) | flip(ones((2, 2)), True)
expand_dims([1], True) | moveaxis(ones((2, 3)), True, False) | sort(ones((2, 2)), axis=True) | ones((2, 3)).swapaxes(True, False)
clip(arange(4.0), 1) | clip(arange(4.0), a_max=1) | clip(arange(4.0)) | clip(arange(4.0), 1, 2, min=1) | clip(arange(4.0), 1, min=1)
clip(arange(4.0), min=1) | arange(4.0).clip(1) | arange(4.0).clip(a_min=1) | arange(4.0).clip() | clip(arange(4.0), None, None) | arange(4.0).clip(max=1)
arange(4.0).clip(1, 2) | clip(arange(4.0), 1, 2, out=zeros(4)) | clip(arange(4.0), None, 2) | arange(4).clip(0.5, dtype='f4')
std(arange(4.0), ddof=1, correction=2) | var(arange(4.0), ddof=0, correction=2) | arange(4.0).std(correction=1) | std(arange(4.0), correction=1)
array([0.0, 1.0]) == ['a', 'b'] | array([0.0, 1.0]) != ['a', 'b'] | array([0.0, 1.0]) < ['a', 'b'] | arange(3) == 'a' | arange(3) != 'a' | arange(3) < 'a'
'a' == arange(3) | arange(3) == None | arange(3) == b'a' | arange(3) == ['a', 'b'] | equal(arange(3), 'a') | arange(3) == [1, 'a', 2]
arange(3) == [None] * 3 | arange(3) == {} | arange(3) == object | arange(0) == 'a' | array(1) == 'a' | arange(3) == slice(1) | arange(3) == m.str_('a')
arange(3) == m.datetime64('2020') | array([0.0, 1.0]) == object() | arange(3) == [[1], [1, 2]]
array([1.0, 2.0]).astype('i4', casting='same_value') | array([1.5, 2.0]).astype('i4', casting='same_value')
array([1, 300]).astype('i1', casting='same_value')
ldexp(2.0, 2**62) | ldexp(2.0, -2**62) | ldexp(2.0, 2**64) | ldexp(m.float32(2), 2**40) | ldexp(ones(2, 'f4'), 2**40) | ldexp(2.0, 2**31) | ldexp(2, True)
arange(0, 1, m.inf) | arange(0, -1, m.inf) | arange(0, m.inf) | arange(0, 1, -m.inf) | arange(1, 1, m.inf) | arange(0, 1e-320, 1e300)
arange(0.0, 1.0, m.nan) | arange(0, 1, m.inf, dtype='i4') | arange(0, 1, m.inf, dtype='f4') | arange(5, 6, m.inf) | arange(m.inf) | arange(0, 0.0, m.inf)
fliplr(arange(3)) | concatenate([m.float32(1), 1.0], axis=None) | concatenate([m.float32(1), 1.0, True], axis=None)
concatenate([m.int8(1), 1000], axis=None) | concatenate([ones(2, 'f4'), 1j], axis=None) | concatenate([1, 2.0], axis=None)
concatenate([True, 2], axis=None) | concatenate([ones(2, 'f4'), 1.0])
concatenate([ones(2, 'u1'), -1], axis=None) | concatenate([ones(2, 'f2'), 1e30], axis=None) | concatenate([ones(2, 'f4'), 1.1], axis=None, dtype='f8')
random.default_rng(array([1, 2])).integers(10, size=3) | arange(3).__array_namespace__() is m | arange(3).__array_namespace__(api_version='2024.12') is m
arange(3).__array_namespace__(api_version='1') | str(add.resolve_dtypes((m.dtype('f4'), m.dtype('f8'), None)))
ones(1).view(m.ndarray) | type('Mine', (m.ndarray,), {}).__name__ | round(array([True]), 1) | array([[1, 2], [3, 4]], order='F').flags.f_contiguous
arange(10)[arange(10).reshape(5, 2).T].flags.f_contiguous | array([1, 2]) * Fraction(1, 2) | copy(asfortranarray(ones((2, 3)))).flags.f_contiguous
ones(3).reshape(None) | ones((2, 3)).sum(axis=[0]) | take(arange(3), 1, axis=False) | arange(2**63, 2**63 + 2) | add.accumulate([1, 2], axis=True)
pad([1], True) | array([1, 2]).sum(where=[1, 0]) | count_nonzero([[1, 0]], axis=True) | imag(5) | real(2.5) | real(1 + 2j) | imag(m.float32(1))
isinstance(array([1, 2]).view(type('Mine', (m.ndarray,), {})), m.ndarray) | issubclass(type('Mine', (m.ndarray,), {}), m.ndarray)
"""


class Names(dict[str, Any]):
    """The module's names, and `m` for itself."""

    def __init__(self, module: Any) -> None:
        super().__init__(m=module, Fraction=Fraction)
        self.module = module

    def __missing__(self, name: str) -> Any:
        return getattr(builtins if name in ("object", "slice", "type", "str", "iter", "isinstance", "issubclass") else self.module, name)


def outcome(call: str, module: Any) -> Any:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = eval(call, {"__builtins__": builtins}, Names(module))
        except Exception as error:
            return type(error).__name__
    if isinstance(value, (numpy.ndarray, numpy.generic, fastnp.ndarray)):
        return str(value.dtype), value.shape, repr(value.tolist())
    return repr(value)


@pytest.mark.parametrize("call", [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")])
def test_as_numpy(call):
    assert outcome(call, fastnp) == outcome(call, numpy)


def test_dtype_may_be_set():
    x, y = numpy.arange(4), fastnp.arange(4)
    view = y[:2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in ("u8", "f8", "i4", "c16", "i1"):
            x.dtype = y.dtype = dtype
            assert (y.dtype, y.shape, y.tobytes()) == (x.dtype, x.shape, x.tobytes())
        with pytest.raises(TypeError):
            y.dtype = "M8[s]"
    y[:8] = 1
    assert view[0] == 0x0101010101010101


def test_strides_may_be_set():
    x, y = numpy.arange(6), fastnp.arange(6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for z in (x, y):
            z.shape = (2, 3)
            z.strides = (8, 16)
        assert (x.tolist(), x.strides) == (y.tolist(), y.strides)
        for z in (x, y):
            with pytest.raises(ValueError):
                z.strides = (80, 8)


def test_text_is_compared_in_compiled_functions():
    f = fastnp.compile(lambda x: (x == "a", x + 1))
    for x in (numpy.arange(3), numpy.arange(4.0)):
        got, more = f(x)
        assert got.dtype == bool and not got.any() and got.shape == x.shape
        numpy.testing.assert_array_equal(more, x + 1)


def test_classes_derived_from_ndarray():
    class Named(fastnp.ndarray):
        def __new__(cls, values, name):
            made = numpy.asarray(values).view(cls)
            made.name = name
            return made

        def __array_finalize__(self, made):
            self.name = getattr(made, "name", None)

    x = Named([1.0, 2.0], "x")
    assert (type(x * 2), (x * 2).name, (x * 2).tolist()) == (Named, "x", [2.0, 4.0])
    assert type(fastnp.add(fastnp.ones(2), x)) is Named and (fastnp.ones(2) + x).name == "x"
    assert isinstance(x, fastnp.ndarray) and isinstance(x, numpy.ndarray)
    assert isinstance(numpy.ones(1), fastnp.ndarray) and isinstance(fastnp.ones(1), fastnp.ndarray)  # as of numpy.ndarray itself
