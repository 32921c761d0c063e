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

DTYPES = ["bool", "uint16", "int64", "float16", "float32", "complex128"]  # tests/cpp/plan has the others
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
def on_device_alone(checks: int = 0, numbers: int = 0) -> Iterator[None]:
    """Nothing but so many numbers of the host's goes up meanwhile, and of each check of indices 16 bytes come down."""
    before = np.cuda.statistics()
    yield
    now = np.cuda.statistics()
    assert now.uploads - before.uploads <= numbers and now.uploaded_bytes - before.uploaded_bytes <= 16 * numbers
    assert now.downloaded_bytes - before.downloaded_bytes <= 16 * checks


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


MIXED: list[Callable[..., Any]] = [
    lambda x, i, j, m: x[..., j],
    lambda x, i, j, m: x[i, :, j],
    lambda x, i, j, m: x[1, j],
    lambda x, i, j, m: x[:, i, j],
    lambda x, i, j, m: x[:, j, 1:3],
    lambda x, i, j, m: x[:, i, None, j],
    lambda x, i, j, m: x[::-1, [1, 2, -1]],
    lambda x, i, j, m: x[i.reshape(2, 2), ..., 0],
    lambda x, i, j, m: x[:, i, ..., j],
    lambda x, i, j, m: x[m, 1],
    lambda x, i, j, m: x[:, m[0]],
    lambda x, i, j, m: x[m[:, :3], [0]],
    lambda x, i, j, m: x[-1, :, i[:, None] % 3],
]


@pytest.mark.parametrize("pick", MIXED)
def test_mixed_subscripts(pick: Callable[..., Any]) -> None:
    x, i, j, m = sample("float32", 4, 3, 5), numpy.array([2, 0, 1, 1]), numpy.array([1, 2, -1, 0]), random.random((4, 3)) < 0.6
    expected, given = pick(x, i, j, m), (there(x), there(i), there(j), there(m))
    compiled = np.compile(pick)
    for call in (pick, compiled):
        call(*given)
        with on_device_alone(checks=4, numbers=3):  # masks are counted; integers beside arrays, and lists
            found = call(*given)
        check(found, expected)
    value = numpy.asarray(expected + 1)

    def write(x: Any, i: Any, j: Any, m: Any, v: Any) -> None:
        key = pick(Key(), i, j, m)
        x[key] = v

    changed = x.copy()
    write(changed, i, j, m, value)
    for call in (write, np.compile(write)):
        target = there(x)
        call(target, *given[1:], there(value))
        check(target, changed)


class Key:
    """Gives the subscript that it is asked for."""

    def __getitem__(self, key: Any) -> Any:
        return key


def test_wrong_mixed_subscripts_are_numpys_errors() -> None:
    x, i, j = sample("float32", 4, 3, 5), numpy.array([2, 9]), numpy.array([1, 2, 0])
    wrong: list[Callable[..., Any]] = [lambda x, i, j: x[:, i % 3, i], lambda x, i, j: x[..., i], lambda x, i, j: x[i, j], lambda x, i, j: x[1, i]]
    for pick in [*wrong, lambda x, i, j: x[i, :, i, i]]:
        for function in (pick, lambda x, i, j, pick=pick: x.__setitem__(pick(Key(), i, j), 1)):
            with pytest.raises(IndexError) as expected:
                function(x.copy(), i, j)
            for call in (function, np.compile(function)):
                with pytest.raises(IndexError) as found:
                    call(there(x), there(i), there(j))
                assert str(found.value) == str(expected.value)


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


def written(function: Callable[..., Any], *arguments: numpy.ndarray, checks: int = 0, numbers: int = 0, exact: bool = True) -> None:
    """As both(), of a function that writes to its first argument, and gives nothing."""
    expected = arguments[0].copy()
    function(numpy, expected, *arguments[1:])
    compare = check if exact else check_close
    compiled = np.compile(lambda *x: function(np, *x))
    compiled(there(arguments[0]), *[there(each) for each in arguments[1:]])
    for call in (lambda *x: function(np, *x), compiled):
        given = [there(each) for each in arguments]
        call(*[each.copy() for each in given])  # the first time, what is written besides is compiled
        with on_device_alone(checks, numbers):
            call(*given)
        assert given[0].device.startswith("cuda")
        compare(given[0], expected)


def check_close(found: Any, expected: Any) -> None:
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    bound = 1e-12 if found.dtype.name in ("float64", "complex128") else 2e-2 if found.dtype == "float16" else 1e-5
    numpy.testing.assert_allclose(found, expected, rtol=bound, atol=bound)


def set_rows(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[i] = v


def set_elements(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[i, j] = v[:, 0]


def set_number(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[i] = 3


def set_part(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[::2][i % 2] = v


def set_broadcast(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[i] = v[0]


def set_from_itself(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    x[i] = x[j % 4]


def add_rows(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.add.at(x, i, v)


def add_elements(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.add.at(x, (i, j), v[:, 1])


def add_number(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.add.at(x, i, x.dtype.type(1))


def maximum_rows(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.maximum.at(x, i, v)


def put_along(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.put_along_axis(x, i[:4].reshape(4, 1) % 5, v[:4, :1], axis=1)


def put_along_columns(m: Any, x: Any, i: Any, j: Any, v: Any) -> None:
    m.put_along_axis(x, i[:2].reshape(2, 1) % 4, v[0], axis=0)


SCATTERS = [
    set_rows,
    set_elements,
    set_number,
    set_part,
    set_broadcast,
    set_from_itself,
    add_rows,
    add_elements,
    add_number,
    maximum_rows,
    put_along,
    put_along_columns,
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", SCATTERS)
def test_scatters(function: Callable[..., Any], dtype: str) -> None:
    i, j = numpy.array([3, 0, -1, 2, 2, -4]), numpy.array([0, 1, 2, -1, -5, 4])
    x, v = (random.integers(0, 5, size=shape).astype(dtype) for shape in ((4, 5), (6, 5)))
    written(function, x, i, j, v, checks=4, numbers=1 if function in (set_number, add_number) else 0)


def test_a_scatter_out_of_bounds_writes_nothing() -> None:
    x, i, j, v = numpy.ones((4, 5)), numpy.array([0, 9]), numpy.array([0, 1]), numpy.zeros((2, 5))
    for function in (set_rows, add_rows, set_elements):
        for call in (lambda *x, function=function: function(np, *x), np.compile(lambda *x, function=function: function(np, *x))):
            given = there(x)
            with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 4"):
                call(given, there(i), there(j), there(v))
            check(given, x)


def test_many_values_for_a_row() -> None:
    i, v = random.integers(0, 3, size=20_000), random.normal(size=20_000)
    written(lambda m, x, i, v: m.add.at(x, i, v), numpy.zeros(3), i, v, checks=1, exact=False)
    written(lambda m, x, i, v: x.__setitem__(i, v), numpy.zeros(3), i, v, checks=1)
    first = there(numpy.zeros(3))
    np.add.at(first, there(i), there(v))
    for _ in range(3):  # the same sums each time
        again = there(numpy.zeros(3))
        np.add.at(again, there(i), there(v))
        check(again, first)
    for rows in (22, 100):  # up to 1,024 values are added in NumPy's order
        few = random.integers(0, rows, size=20_000)
        written(lambda m, x, i, v: m.add.at(x, i, v), numpy.zeros(rows), few, v, checks=1)


def test_values_go_along_with_their_rows() -> None:
    """What is small is sorted itself, in the order of its rows; wide rows are combined by warps."""
    i, v = random.integers(-3000, 3000, size=20_000), random.normal(size=(20_000, 2)) * 9
    for dtype in ("float32", "float16", "int16", "bool"):
        for values in (v[:, 0].astype(dtype).copy(), v.astype(dtype)[::-1, 1]):
            written(lambda m, x, i, v: m.add.at(x, i, v), numpy.zeros(3000, dtype), i, values, checks=1)
        written(lambda m, x, i: m.add.at(x, i, x.dtype.type(1)), numpy.ones(3000, dtype), i, checks=1, numbers=1)
    written(lambda m, x, i, v: m.multiply.at(x, i, v), numpy.ones(3000, "float32"), i, (1 + v[:, 0] / 99).astype("float32"), checks=1)
    for rows in (1, 7, 900):
        wide, few = random.normal(size=(6000, 5, 9)), random.integers(0, rows, size=6000)
        written(lambda m, x, i, v: m.add.at(x, i, v), numpy.zeros((rows, 5, 9)), few, wide, checks=1, exact=rows > 7)
        written(lambda m, x, i, v: m.maximum.at(x, i, v), numpy.zeros((rows, 5, 9)), few, wide, checks=1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sums_for_few_rows(dtype: str) -> None:
    for rows, count in ((1, 3000), (5, 70_000), (50, 60_000)):
        i, v = random.integers(-rows, rows, size=count), random.integers(-50, 50, size=(2, count)) / 4  # so sums are exact
        v = (v[0] + 1j * v[1] if dtype[0] == "c" else v[0]).astype(dtype)
        written(lambda m, x, i, v: m.add.at(x, i, v), numpy.ones(rows, dtype), i, v, checks=1)
        written(lambda m, x, i, v: m.add.at(x[::2], i, v[::-1]), numpy.ones(2 * rows, dtype), i, v, checks=1)
        written(lambda m, x, i: m.add.at(x, i, x.dtype.type(2)), numpy.ones(rows, dtype), i, checks=1, numbers=1)
        v[7], v[99] = numpy.nan, numpy.inf
        written(lambda m, x, i, v: m.add.at(x, i, v), numpy.full(rows, -0.0, dtype), i, v, checks=1)
    skewed = numpy.where(random.random(60_000) < 0.9, 3, random.integers(0, 40, size=60_000))
    written(lambda m, x, i: m.add.at(x, i, x.dtype.type(1)), numpy.zeros(40, dtype), skewed, checks=1, numbers=1)


@pytest.mark.parametrize("dtype", ["int16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers_joined_to_rows(dtype: str) -> None:
    i, v = random.integers(-50, 50, size=20_000), random.integers(0, 99, size=20_000).astype(dtype)
    for name in ("add", "subtract", "maximum", "minimum", "bitwise_or", "multiply"):
        written(lambda m, x, i, v, name=name: getattr(m, name).at(x, i, v), numpy.arange(50).astype(dtype), i, v, checks=1)
    one: object = numpy.uint64(1) if dtype == "uint64" else 1  # 1 is an int64 to NumPy here, beside which uint64 is computed as float64
    written(lambda m, x, i: m.add.at(x, i, one), numpy.zeros(50, dtype), i, checks=1, numbers=1)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "int64"])
def test_the_last_of_many_values_stays(dtype: str) -> None:
    v = random.integers(0, 99, size=20_000).astype(dtype)
    for rows in (1, 100, 30_000, 90_000, 400_000):
        i = random.integers(-rows, rows, size=20_000)
        written(lambda m, x, i, v: x.__setitem__(i, v), numpy.zeros(rows, dtype), i, v, checks=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_masks(dtype: str) -> None:
    x, mask = sample(dtype, 40, 5), random.random((40, 5)) < 0.4
    given, chosen = there(x), there(mask)
    for pick in (lambda x, m: x[m], lambda x, m: x[m[:, 0]]):
        for call in (pick, np.compile(pick)):
            call(given, chosen)
            with on_device_alone(checks=1):  # how many there are
                found = call(given, chosen)
            check(found, pick(x, mask))
    values = numpy.arange(mask.sum()).astype(dtype)
    for call in (lambda x, m, v: x.__setitem__(m, v), np.compile(lambda x, m, v: x.__setitem__(m, v))):
        changed, expected = there(x), x.copy()
        call(changed.copy(), chosen, there(values))
        more = there(values)
        with on_device_alone(checks=1):
            call(changed, chosen, more)
        expected[mask] = values
        check(changed, expected)
    check(np.flatnonzero(chosen), numpy.flatnonzero(mask))
    for found, wanted in zip(np.nonzero(chosen), numpy.nonzero(mask), strict=True):
        check(found, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_folds(name: str, dtype: str) -> None:
    for shape in ((7,), (3, 100), (2, 40, 3), (0, 4)):
        x = random.integers(0, 3, size=shape).astype(dtype)  # exact but for products of many
        if name == "cumprod":
            x = numpy.where(random.random(shape) < 0.9, 1, x).astype(dtype)
        for axis in range(x.ndim):
            both(lambda m, x, axis=axis: getattr(m, name)(x, axis=axis), x)
    both(lambda m, x: getattr(m, name)(x.T[::-1]), x)


def check_sums(found: Any, x: numpy.ndarray) -> None:
    """Of the first axis. Where sums cross zero they are as far off as those before them, NumPy's too: what counts is the size of all that was added."""
    exact = numpy.cumsum(x.astype(numpy.longdouble), axis=0)
    off = numpy.abs(numpy.asarray(found) - exact) / numpy.cumsum(numpy.abs(x), axis=0)
    assert found.dtype == x.dtype and off.max() < 2 * numpy.finfo(x.dtype).eps


def test_running_folds_of_long_axes() -> None:
    for x in (random.normal(size=50_000), random.normal(size=(25_000, 2))):
        check_sums(np.cumsum(there(x), axis=0), x)
    x = numpy.random.default_rng(7).normal(size=50_000)  # fixed: near zero the bound is what NumPy is off by itself
    y = there(x)
    check_close(np.cumsum(y), numpy.cumsum(x))
    check(np.cumsum(y), np.cumsum(y))
    check_close(np.cumsum(y.reshape(25_000, 2), axis=0), numpy.cumsum(x.reshape(25_000, 2), axis=0))
    both(lambda m, x: m.cumsum(x), random.integers(-9, 9, size=50_000))
    x[777] = numpy.nan
    assert numpy.isnan(numpy.asarray(np.cumsum(there(x)))).tolist() == numpy.isnan(numpy.cumsum(x)).tolist()


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float32", "complex128"])
def test_sorts(dtype: str) -> None:
    for shape in ((9,), (3, 100), (2, 3, 5), (0, 4)):
        x = sample(dtype, *shape)
        for axis in range(x.ndim):
            both(lambda m, x, axis=axis: m.sort(x, axis=axis), x)
            both(lambda m, x, axis=axis: m.argsort(x, axis=axis, kind="stable"), x)
    both(lambda m, x: m.sort(x.T[::-1], axis=0), sample(dtype, 30, 4))
    both(lambda m, x: m.sort(x, axis=None), sample(dtype, 30, 4))


def test_sorts_of_many() -> None:
    x = random.normal(size=30_000)
    both(lambda m, x: m.sort(x), x)
    both(lambda m, x: m.argsort(x, kind="stable"), (x * 10).astype("int16"))
    check(np.unique(there((x * 10).astype("int16"))), numpy.unique((x * 10).astype("int16")))
    for dtype in ("int64", "float16"):
        y = sample(dtype, 2, 4200)
        for axis in (1, None):
            both(lambda m, x, axis=axis: m.sort(x, axis=axis), y)
            both(lambda m, x, axis=axis: m.argsort(x, axis=axis, kind="stable"), y.T)


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float16", "float64"])
def test_places_in_sorted_arrays(dtype: str) -> None:
    for length in (0, 1, 2, 3, 64, 1001):
        keys = numpy.sort(sample(dtype, length))
        for v in (sample(dtype, 5, 7), sample(dtype, 1)[0], numpy.array([], dtype), sample("float32", 9)):
            for side in ("left", "right"):
                expected = numpy.searchsorted(keys, v, side=side)
                given = there(keys), there(v)
                with on_device_alone(numbers=12):
                    found = np.searchsorted(*given, side=side)
                check(found, expected)
    x = random.normal(size=50)
    check(np.searchsorted(there(x), there(x[:9]), sorter=there(numpy.argsort(x))), numpy.searchsorted(x, x[:9], sorter=numpy.argsort(x)))


def test_derivatives_and_batches_stay_on_the_device() -> None:
    x, i = random.normal(size=(6, 3)).astype("float32"), numpy.array([[0, 2], [5, 0], [2, 2]])

    def loss(x: Any, i: Any) -> Any:
        rows = np.cumsum(np.sort(x[i], axis=1), axis=-1)
        return (rows * rows).sum() + x[np.argmax(x, axis=0)].sum()

    gradient = np.compile(np.grad(loss))
    expected = np.grad(loss)(np.asarray(x), np.asarray(i))
    given = there(x), there(i)
    gradient(*given)
    with on_device_alone(checks=8):
        found = gradient(*given)
    check_close(found, expected)
    batched = np.compile(np.vmap(loss, in_axes=(None, 0)))
    batched(*given)
    with on_device_alone(checks=8):
        found = batched(*given)
    check_close(found, np.vmap(loss, in_axes=(None, 0))(np.asarray(x), np.asarray(i)))


def test_one_wait_for_all_indices() -> None:
    def several(m: Any, x: Any, i: Any, j: Any) -> Any:
        y = x[i, j] + x[j, i] + m.take(x, i + 1)
        m.add.at(y, j, y[i])
        return y

    x, i, j = sample("int32", 5, 5), numpy.array([0, 2, -1]), numpy.array([2, 0, 1])
    compiled = np.compile(lambda *arguments: several(np, *arguments))
    given = there(x), there(i), there(j)
    compiled(*given)
    before = np.cuda.statistics().downloads
    found = compiled(*given)
    assert np.cuda.statistics().downloads - before == 1
    check(found, several(numpy, x, i, j))
    before = np.cuda.statistics().downloads
    found = given[0][given[1], given[2]]
    assert np.cuda.statistics().downloads - before == 1
    check(found, x[i, j])


def write_then_take(x: Any, i: Any) -> Any:
    x[0] = 7
    return x[i] + 1


def take_then_write(x: Any, i: Any) -> Any:
    y = x[i] + 1
    x[0] = y[0]
    return y


def take_then_read(x: Any, i: Any) -> Any:
    y = x[i] * 2
    return y + 1 if y.sum() > 0 else y - 1


def set_twice(x: Any, i: Any) -> Any:
    x[i % 3] = 5
    x[i] = 6
    return x * 2


def caught(x: Any, i: Any) -> Any:
    try:
        return x[i] + 1
    except IndexError:
        return x * 2


@pytest.mark.parametrize("function", [write_then_take, take_then_write, take_then_read, set_twice, caught])
def test_wrong_indices_among_writes_and_reads(function: Callable[..., Any]) -> None:
    def outcome(call: Callable[..., Any], x: Any, i: Any) -> tuple[Any, Any]:
        try:
            return numpy.asarray(call(x, i)).tolist(), numpy.asarray(x).tolist()
        except IndexError as error:
            return str(error), numpy.asarray(x).tolist()

    compiled = np.compile(function)
    x = numpy.arange(4.0)
    for i in (numpy.array([1, 2]), numpy.array([1, 4]), numpy.array([-5, 9]), numpy.array([3, 0])):
        expected = outcome(function, x.copy(), i)
        for call in (function, compiled):
            assert outcome(call, there(x), there(i)) == expected


def test_indices_that_were_right_are_not_looked_at_again() -> None:
    x, y, i, v = there(random.normal(size=50)), there(numpy.zeros(9)), there(random.integers(-50, 50, size=20)), there(random.normal(size=20))
    sums = there(numpy.zeros(50, "int64"))

    def add(i: Any) -> None:
        np.add.at(sums, i, 1)

    def put(i: Any) -> None:
        x[i] = v

    def put_all(i: Any) -> None:
        x[i] = 1.0

    compiled = np.compile(lambda x, i: x[i] * 2)
    uses: list[Callable[[Any], Any]] = [lambda i: x[i], lambda i: compiled(x, i), add, put, put_all, lambda i: np.add.at(x, i, v)]
    for use in uses:
        use(i)
        use(i)
        with on_device_alone(checks=0, numbers=1):  # so nobody waits
            use(i)
        check(i, numpy.asarray(i))
    for use in uses:
        for write in (lambda: i.__setitem__(3, 50), lambda: numpy.asarray(i).__setitem__(7, -51), lambda: i.__setitem__(slice(None), i + 60)):
            use(i)
            kept = numpy.asarray(i).copy()
            write()
            before = numpy.asarray(x).copy(), numpy.asarray(sums).copy()
            with pytest.raises(IndexError):
                use(i)
            check(x, before[0])
            check(sums, before[1])
            i[:] = there(kept)
            use(i)
    for use in (lambda i: compiled(y, i), lambda i: y[i]):  # of another extent
        with pytest.raises(IndexError):
            use(i)
    for _ in range(20):  # other arrays, in the same memory
        use, right = uses[0], there(numpy.arange(20))
        use(right)
        use(right)
        del right
        wrong = there(numpy.arange(20) + 40)
        with pytest.raises(IndexError):
            use(wrong)
        del wrong
    shown = np.asarray(numpy.arange(20)).to("cuda")
    uses[0](shown)
    view = numpy.asarray(shown)  # which NumPy may write to at any time
    uses[0](shown)
    view[2] = 99
    with pytest.raises(IndexError):
        uses[0](shown)
    del view
    with pytest.raises(IndexError):
        uses[0](shown)
