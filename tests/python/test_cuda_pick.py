"""Elements picked by index or by order on a CUDA device: the same values as NumPy's, over dtypes, layouts and sizes, with nothing copied to the host but
what a check of indices found.

Run as test_cuda.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
random = numpy.random.default_rng(7)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    """Few values, so that many are equal; NaN and infinities among those that have them."""
    values = random.integers(0, 5, size=shape).astype(float)
    if dtype[0] in "fc":
        values = numpy.where(random.random(shape) < 0.2, random.choice([numpy.nan, numpy.inf, -numpy.inf, -0.0], size=shape), values)
    return values.astype(dtype)


def there(x: Any) -> Any:
    return np.asarray(x).to("cuda")


@contextmanager
def on_device_alone(checks: int = 0) -> Iterator[None]:
    """Nothing goes up meanwhile, and of each check of indices 8 bytes come down."""
    before = np.cuda.statistics()
    yield
    now = np.cuda.statistics()
    assert now.uploads == before.uploads
    assert now.downloaded_bytes - before.downloaded_bytes <= 8 * checks


def check(found: Any, expected: Any) -> None:
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    numpy.testing.assert_array_equal(found, expected)


def both(function: Callable[..., Any], *arguments: numpy.ndarray, checks: int = 0) -> None:
    """As written on the device, and compiled (twice: the first call records), beside NumPy."""
    expected = function(numpy, *arguments)
    given = [there(each) for each in arguments]
    with on_device_alone(checks):
        found = function(np, *given)
    check(found, expected)
    compiled = np.compile(lambda *x: function(np, *x))
    check(compiled(*given), expected)
    with on_device_alone(checks):
        found = compiled(*given)
    check(found, expected)
    assert found.device.startswith("cuda")


GATHERS: dict[str, Callable[..., Any]] = {
    "rows": lambda m, x, i, j: x[i],
    "elements": lambda m, x, i, j: x[i, j],
    "rows of columns": lambda m, x, i, j: x[:, i % 3],
    "shape": lambda m, x, i, j: x[i.reshape(2, 3)],
    "transposed": lambda m, x, i, j: x.T[j],
    "strided": lambda m, x, i, j: x[::-2, 1:][i[::2] % 2],
    "take": lambda m, x, i, j: m.take(x, i, axis=0),
    "take flat": lambda m, x, i, j: m.take(x, i * 2),
    "take wrap": lambda m, x, i, j: m.take(x, i * 11, axis=1, mode="wrap"),
    "take clip": lambda m, x, i, j: m.take(x, i * 11, axis=1, mode="clip"),
    "along axis": lambda m, x, i, j: m.take_along_axis(x, i[:4].reshape(4, 1) % 5, axis=1),
    "along columns": lambda m, x, i, j: m.take_along_axis(x, j[:5].reshape(1, 5) % 4, axis=0),
    "broadcast": lambda m, x, i, j: x[i.reshape(6, 1), j],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", GATHERS)
def test_gathers(name: str, dtype: str) -> None:
    i, j = numpy.array([3, 0, -1, 2, 2, -4]), numpy.array([0, 1, 2, -1, -5, 4])
    both(GATHERS[name], sample(dtype, 4, 5), i, j, checks=3)


def test_gathers_of_other_index_dtypes_and_layouts() -> None:
    x = sample("float32", 6, 4)
    for dtype in ("int8", "uint16", "int32", "uint64"):
        both(lambda m, x, i: x[i], x, numpy.array([5, 0, 3]).astype(dtype), checks=1)
    both(lambda m, x, i: x[i.T[::-1]], x, numpy.arange(6).reshape(2, 3), checks=1)
    both(lambda m, x, i: x[i], x, numpy.zeros((0, 2), int), checks=1)
    both(lambda m, x, i: x[i], numpy.zeros((3, 0)), numpy.array([2, -1]), checks=1)


@pytest.mark.parametrize("function", [lambda m, x, i: x[i], lambda m, x, i: m.take(x, i, axis=1), lambda m, x, i: x[i - 2, i] * 2])
def test_an_index_out_of_bounds_is_numpys_error(function: Callable[..., Any]) -> None:
    x, i = sample("float64", 4, 5), numpy.array([2, 5, -7])
    with pytest.raises(IndexError) as expected:
        function(numpy, x, i)
    compiled = np.compile(lambda *x: function(np, *x))
    compiled(there(x), there(i * 0 + 2))  # of such indices there are no errors
    for call in (lambda *x: function(np, *x), compiled):
        with pytest.raises(IndexError) as found:
            call(there(x), there(i))
        if "axis 1" not in str(expected.value):  # of several indices each is looked at by itself
            assert str(found.value) == str(expected.value)
    check(compiled(there(x), there(i * 0 + 2)), function(numpy, x, i * 0 + 2))


def test_gathers_are_mapped() -> None:
    x, i = sample("float32", 4, 5), numpy.array([[3, 0], [1, 1], [-1, 2]])
    check(np.vmap(lambda row: there(x)[row])(there(i)), x[i])
    y = sample("int32", 3, 5)
    check(np.vmap(lambda row, places: row[places])(there(y), there(i)), numpy.take_along_axis(y, i, 1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_extremes(name: str, dtype: str) -> None:
    for shape in ((7,), (3, 40), (2, 3, 5), (1, 1)):
        x = sample(dtype, *shape)
        both(lambda m, x: getattr(m, name)(x), x)
        for axis in range(x.ndim):
            both(lambda m, x, axis=axis: getattr(m, name)(x.T[::-1], axis=axis), x)


def test_places_of_extremes_of_long_axes() -> None:
    x = random.normal(size=100_000)
    both(lambda m, x: m.argmax(x), x)
    both(lambda m, x: m.argmin(x.reshape(4, 25_000), axis=1), x)
    both(lambda m, x: m.argmax(x.reshape(25_000, 4), axis=0), x)
    both(lambda m, x: m.argmax(x.reshape(25_000, 4), axis=1), x)
    x[[700, 70_000]] = numpy.nan
    both(lambda m, x: m.argmax(x) + m.argmin(x), x)
