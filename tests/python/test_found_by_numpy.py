"""What NumPy's own tests found: copies, views, words and flags that were not NumPy's. Each kind over its siblings."""

from __future__ import annotations

import array
import copy
import sys
from typing import Any

import numpy
import pytest

import fastnp as np

DTYPES = ["int8", "int32", "int64", "float32", "float64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", ["negative", "square", "add", "multiply", "equal"])
@pytest.mark.parametrize("steps", [1, -1, 2])
def test_a_mask_that_lies_in_what_is_written(function: str, dtype: str, steps: int) -> None:
    """where= is read before out= is written, in the same memory."""
    bits = numpy.random.default_rng(5).integers(0, 2, 40).astype(dtype)
    told = []
    for module, given in ((numpy, bits.copy()), (np, np.asarray(bits.copy()))):
        mask = given.view(module.bool_)[:: given.itemsize][::steps][:20]
        out = given[:20]
        operands = [given[20:] + 1] * (1 if function in ("negative", "square") else 2)
        getattr(module, function)(*operands, out=out, where=mask, casting="unsafe")
        told.append(numpy.array(given))
    numpy.testing.assert_array_equal(told[1], told[0])


class Interface:
    def __init__(self, values: Any) -> None:
        self.values = values
        self.__array_interface__ = values.__array_interface__


class Giving:
    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values) if copy else self.values


EXPORTERS = {
    "array.array": lambda: (given := array.array("d", [1, 2, 3]), given),
    "bytearray": lambda: (given := bytearray(b"abc"), given),
    "memoryview": lambda: (given := bytearray(b"abc"), memoryview(given)),
    "interface": lambda: (given := numpy.arange(3.0), Interface(given)),
    "__array__ of fastnp": lambda: (given := np.arange(3.0), Giving(given)),
}


@pytest.mark.parametrize("kind", EXPORTERS)
@pytest.mark.parametrize("copies", [True, None, False])
@pytest.mark.parametrize("dtype", [None, "float32"])
def test_copies_of_objects_with_memory(kind: str, copies: bool | None, dtype: str | None) -> None:
    memory, given = EXPORTERS[kind]()
    if copies is False and dtype is not None:
        with pytest.raises(ValueError, match="[Uu]nable to avoid copy"):
            np.array(given, dtype, copy=copies)
        return
    made = np.array(given, dtype, copy=copies)
    assert type(made) is np.ndarray
    made[0] = 77
    assert (memory[0] == 77) == (not copies and dtype is None)


def test_objects_that_give_arrays_of_fastnp() -> None:
    given = Giving(np.arange(3.0))
    assert np.asarray(given) is given.values
    for made in (np.add(given, 1), np.array([given, given])[0] + 1, np.sort(given) + 1, np.roll(given, 0) + 1):
        numpy.testing.assert_array_equal(made, [1.0, 2.0, 3.0])


def test_flat_takes_arrays_of_fastnp() -> None:
    for module in (numpy, np):
        x = module.arange(9).reshape(3, 3).T
        mask = module.arange(9) % 2 == 0
        numpy.testing.assert_array_equal(x.flat[mask], [0, 6, 4, 2, 8])
        numpy.testing.assert_array_equal(x.flat[module.array([1, 2])], [3, 6])
        x.flat[mask] = module.array([77])
        numpy.testing.assert_array_equal(x.flat == 77, numpy.asarray(mask))
        assert type(x.flat[1:3]) is type(x.flat.copy()) is module.ndarray
        assert x.flat.base is x and isinstance(x.flat, module.flatiter) and len(x.flat) == 9
        assert [int(each) for each in x.flat] == numpy.asarray(x).ravel().tolist()
        with pytest.raises(IndexError):
            x.flat[module.array([True])]


@pytest.mark.parametrize("shapes", [((3, 3), (3, 1)), ((3, 3, 3), (3, 3, 1)), ((3,), (3, 1))])
def test_products_in_place_are_not_spread(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    for module in (numpy, np):
        a, b = (module.ones(shape) for shape in shapes)
        with pytest.raises(ValueError):
            a @= b


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_svd_of_singular_hermitian_matrices(dtype: str) -> None:
    rng = numpy.random.default_rng(3)
    for rank in range(4):
        half = rng.standard_normal((4, rank)).astype(dtype)
        u, s, vh = np.linalg.svd(np.asarray(half @ half.T), hermitian=True)
        numpy.testing.assert_allclose(vh @ vh.T.conj(), numpy.eye(4), atol=1e-12)
        numpy.testing.assert_allclose((u * s) @ vh, half @ half.T, atol=1e-12)


def test_who_owns_the_memory() -> None:
    for module in (numpy, np):
        x = module.ones((100, 2))
        assert x.flags.owndata and x.flags["O"] and not x.T.flags.owndata and not x[1:].flags["OWNDATA"]
        assert sys.getsizeof(x) > x.nbytes > sys.getsizeof(x[1:])
        assert copy.copy(x.T).flags.f_contiguous and copy.deepcopy(x.T).flags.f_contiguous


def test_arrays_of_numpy_are_arrays() -> None:
    def kind(x: Any) -> Any:
        return x * 2 if isinstance(x, np.ndarray) else x * 3

    for x in (numpy.ones(2), np.ones(2), numpy.array(["a"]).view(numpy.ndarray)):
        assert isinstance(x, np.ndarray) and issubclass(type(x), np.ndarray)
    for x in (numpy.ones(2), np.ones(2)):
        assert kind(x)[0] == np.compile(kind)(x)[0] == 2
    assert not isinstance(numpy.float64(1), np.ndarray) and not isinstance([1], np.ndarray)


@pytest.mark.parametrize("xp", [[0, numpy.nan], [numpy.nan, 1], [0, 1, numpy.nan, numpy.nan], [0, 0.25, 1, numpy.nan, 3, 4]])
def test_interp_among_nan(xp: list[float]) -> None:
    fp = [10.0 * i for i in range(len(xp))]
    for x in (0.5, [0.1, 0.5, 0.9, 0.2], [2.0, 0.5, 3.5]):
        numpy.testing.assert_array_equal(np.interp(x, xp, fp), numpy.interp(x, xp, fp))


@pytest.mark.parametrize("call", ["m.nextafter(x, m.inf)", "m.spacing(x)", "m.nextafter(-x, -m.inf)", "m.spacing(-x)", "m.nextafter(x, 0)"])
def test_steps_of_halves_overflow(call: str) -> None:
    told = []
    for module in (numpy, np):
        x = module.asarray([numpy.finfo("float16").max, 1.0], dtype="float16")
        try:
            with module.errstate(all="raise"):
                eval(call, {"m": module, "x": x})
            told.append(None)
        except FloatingPointError as error:
            told.append(str(error))
    assert told[0] == told[1]


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
@pytest.mark.parametrize("shape", [(2, 3), (4,), (2, 3, 4)])
def test_of_another_shape_in_the_order_of_a_prototype(name: str, shape: tuple[int, ...]) -> None:
    for lay in (lambda x: x, lambda x: x.T, lambda x: x[::2]):
        arguments = (7,) if name == "full_like" else ()
        mine, theirs = (getattr(m, name)(lay(m.ones((4, 6))), *arguments, shape=shape) for m in (np, numpy))
        assert mine.strides == theirs.strides
        with pytest.raises(ValueError, match="but received: moon"):
            getattr(np, name)(np.ones(2), *arguments, device="moon")


def test_words() -> None:
    x = np.ones(3)
    with pytest.raises(ValueError, match="matrix transpose with ndim < 2"):
        x.mT  # noqa: B018  # the attribute itself raises
    with pytest.raises(IndexError):
        np.ones((1, 1))[0.0:, 0.0]
    with pytest.raises(IndexError):
        x[(None,) * 70]
    with pytest.raises(TypeError):
        np.ones(3).resize(4, refcheck="yes")
    with pytest.raises(ValueError, match="strings are not allowed"):
        np.array([1], copy="always")
    assert np.arange(stop=3).tolist() == [0, 1, 2]
    assert np.ndarray.argpartition(np.array([2, 1]), 0).tolist() == [1, 0]
    assert not hasattr(np.ndarray, "no_such_method")
    assert type(x.__array_wrap__(numpy.ones(3))) is np.ndarray and x.__array_wrap__(numpy.array(2.0), None, True) == 2
    assert type(np.add(1, 2, out=...)) is np.ndarray and "OO->O" in np.add.types
    assert type(np.ndarray(2, ">i4")) is numpy.ndarray  # of a dtype that only NumPy has
