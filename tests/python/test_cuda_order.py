"""What is found in sorted order, and counted, on a CUDA device: NumPy's values, with nothing copied to the host but a few numbers that sizes or errors
depend on.

Run as test_cuda.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

DTYPES = ["bool", "int16", "int64", "float16", "float32", "float64", "complex128"]
random = numpy.random.default_rng(9)


def sample(dtype: str, *shape: int, rare: float = 0.02) -> numpy.ndarray:
    values = random.integers(0, 50, size=shape).astype(float)
    if dtype[0] in "fc":
        values = numpy.where(random.random(shape) < rare, random.choice([numpy.nan, numpy.inf, -numpy.inf, -0.0], size=shape), values / 8)
    return values.astype(dtype)


def there(x: Any) -> Any:
    return np.asarray(x).to("cuda")


def check(found: Any, expected: Any) -> None:
    for one, other in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        one, other = numpy.asarray(one), numpy.asarray(other)
        assert one.dtype == other.dtype and one.shape == other.shape
        numpy.testing.assert_array_equal(one, other)


def run(function: Callable[..., Any], *arguments: numpy.ndarray, down: int = 0, up: int = 0) -> None:
    """As written and compiled, on the device, beside NumPy; so many bytes at most go up and down."""
    with numpy.errstate(all="ignore"):
        expected = function(numpy, *arguments)
    given = [there(x) for x in arguments]
    compiled = np.compile(lambda *x: function(np, *x))
    for call in (lambda *x: function(np, *x), compiled):
        check(call(*given), expected)
        before = np.cuda.statistics()
        found = call(*given)
        now = np.cuda.statistics()
        assert now.uploaded_bytes - before.uploaded_bytes <= up
        assert now.downloaded_bytes - before.downloaded_bytes <= down
        check(found, expected)
        for each in found if isinstance(found, tuple) else (found,):
            assert each.device.startswith("cuda")


@pytest.mark.parametrize("dtype", DTYPES)
def test_partitions(dtype: str) -> None:
    for x in (sample(dtype, 40), sample(dtype, 3, 5000), sample(dtype, 4, 1, 7)):
        for axis in (0, -1, None):
            kth = (x.size if axis is None else x.shape[axis]) // 3
            whole = numpy.sort(x, axis=axis)
            check(np.partition(there(x), kth, axis=axis), whole)
            check(np.compile(lambda x, kth=kth, axis=axis: np.partition(x, (kth, -1), axis=axis))(there(x)), whole)
            places = np.argpartition(there(x), kth, axis=axis)
            assert places.device.startswith("cuda")
            check(np.take_along_axis(there(x), places, axis=axis), whole)
    with pytest.raises(ValueError, match="kth"):
        np.partition(there(sample(dtype, 5)), 5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_medians(dtype: str) -> None:
    for x in (sample(dtype, 40), sample(dtype, 5, 31, 4), sample(dtype, 7, 10, rare=0)):
        for axis in (None, 0, -1, (0, -1)) if x.ndim > 1 else (None, 0):
            run(lambda m, x, axis=axis: m.median(x, axis=axis), x, up=64)
            run(lambda m, x, axis=axis: m.median(x, axis=axis, keepdims=True), x, up=64)
    for x in (sample(dtype, 9001, rare=0), sample(dtype, 2, 9000, rare=0), sample(dtype, 9001)):  # long lines are not sorted
        run(lambda m, x: m.median(x, axis=-1), x, up=64)


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "float64"])
def test_quantiles(dtype: str) -> None:
    for x in (sample(dtype, 40), sample(dtype, 5, 31, 4), sample(dtype, 7, 10, rare=0)):
        for q, hundreds in ((0.3, 30.0), (1.0, 100), (0.0, 0), ([0.1, 0.5, 0.97, 1.0], [10, 50, 97, 100])):
            for axis in (None, 0, -1) if x.ndim > 1 else (None,):
                run(lambda m, x, axis=axis, q=q: m.quantile(x, q, axis=axis), x, up=512)
                run(lambda m, x, axis=axis, q=hundreds: m.percentile(x, q, axis=axis, keepdims=True), x, up=512)
    for x in (random.normal(size=9001).astype(dtype), (random.normal(size=(9000, 3)) * 9).astype(dtype), sample(dtype, 9001)):
        for q in (0.3, 0.0, 1.0, [0.25, 0.7501, 1.0]):
            run(lambda m, x, q=q: m.quantile(x, q, axis=0), x, up=512)
        run(lambda m, x: m.percentile(x, 25, axis=0, keepdims=True), x, up=512)
    x = there(sample(dtype, 9, rare=0))
    run(lambda m, x: m.percentile(x, 25), sample(dtype, 9), up=512)
    for q in (numpy.float64(0.3), numpy.array([0.3])):  # no weak numbers: the results' dtype depends on the values (compiled functions have NumPy do it)
        last = numpy.array([numpy.nan if dtype[0] == "f" else 3]).astype(dtype)
        for values in (sample(dtype, 9, rare=0), numpy.concatenate([last, sample(dtype, 9)])):
            for keepdims in (False, True):
                run(lambda m, x, q=q, keepdims=keepdims: m.quantile(x, q, keepdims=keepdims), values, down=512, up=512)
    parts = np.vmap(lambda x: np.quantile(x, numpy.float64(0.3)))(there(sample(dtype, 3, 9, rare=0)))  # with NaN NumPy gives another dtype
    assert parts.shape == (3,) and parts.dtype == numpy.float64
    for call in (lambda x: np.quantile(x, 1.5), np.compile(lambda x: np.quantile(x, 1.5))):
        with pytest.raises(ValueError, match="range"):
            call(x)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_counts(dtype: str) -> None:
    x, w = random.integers(0, 90, size=9000).astype(dtype), random.integers(0, 9, size=9000).astype("float32")
    run(lambda m, x: m.bincount(x), x, down=64, up=16)
    run(lambda m, x: m.bincount(x, minlength=200), x, down=64, up=16)
    run(lambda m, x, w: m.bincount(x, weights=w), x, w, down=64, up=16)
    run(lambda m, x: m.bincount(x, x * 2), x, down=64, up=16)
    check(np.bincount(there(x[:0])), numpy.bincount(x[:0]))
    if dtype != "uint8":
        with pytest.raises(ValueError, match="negative"):
            np.bincount(there(x - 50))
    compiled = np.compile(lambda x: np.bincount(x))
    for size in (1, 5, 700):  # of other lengths
        check(compiled(there(x[:size])), numpy.bincount(x[:size]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histograms(dtype: str) -> None:
    x = random.normal(size=9000).astype(dtype)
    run(lambda m, x: m.histogram(x), x, down=64, up=64)
    run(lambda m, x: m.histogram(x, bins=1000), x.reshape(90, 100), down=64, up=64)
    run(lambda m, x: m.histogram(x, bins=7, range=(-1, 0.5)), x, down=64, up=256)
    run(lambda m, x: m.histogram(x, bins=3, range=(-1.0, 2.0)), numpy.array([-1, 0, 1, 2, 3, -2, numpy.nan], dtype), down=64, up=256)
    run(lambda m, x: m.histogram(x, bins=3, range=(1, 1)), x, down=64, up=256)
    edges = numpy.array([-2, -0.5, -0.5, 0.25, 1, 1], dtype)
    for given in (x, numpy.concatenate([edges, edges + 1, [numpy.nan, numpy.inf]]).astype(dtype), (x * 3).astype("int32")):
        run(lambda m, x, e: m.histogram(x, bins=e), given, edges, down=64, up=64)
    check(np.histogram(there(x), [0, 1, 2]), numpy.histogram(x, [0, 1, 2]))
    with pytest.raises(ValueError, match="monotonically"):
        np.histogram(there(x), [0, 2, 1])
    check(np.histogram(there(x * 0)), numpy.histogram(x * 0))
    x[3] = numpy.inf
    with pytest.raises(ValueError, match="finite"):
        np.histogram(there(x))


def test_lengths_vary() -> None:
    for f in (
        lambda m, x: m.median(x),
        lambda m, x: m.median(x.reshape(-1, 2), axis=0),
        lambda m, x: m.quantile(x, 0.3),
        lambda m, x: m.percentile(x, [10, 50.0, 90]),
        lambda m, x: m.partition(x, 1),
        lambda m, x: m.searchsorted(m.sort(x), x[:3]),
    ):
        compiled = np.compile(lambda x, f=f: f(np, x))
        for length in (16, 10, 12, 14, 18):
            for dtype in ("float32", "int64"):
                x = sample(dtype, length, rare=0)
                found, expected = compiled(there(x)), f(numpy, x)
                check(found, expected if f(numpy, x).shape != x.shape else numpy.sort(x))
        assert compiled.cache_info().compiles <= 6  # for each dtype one for a length, one or two for many


def test_order_by_several_keys() -> None:
    a, b, c = random.integers(0, 4, size=5000), random.integers(0, 4, size=5000).astype("float32"), random.normal(size=5000)
    run(lambda m, a, b, c: m.lexsort((c, b, a)), a, b, c)
    run(lambda m, a, b: m.lexsort((a, b)), a, b)


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float16", "float64"])
def test_places_in_sorted_arrays(dtype: str) -> None:
    for length in (1, 2, 3, 64, 1001):
        keys = numpy.sort(sample(dtype, length))
        for v in (sample(dtype, 5, 7), sample(dtype, 1)[0:0], sample("float32", 9)):
            for side in ("left", "right"):
                run(lambda m, k, v, side=side: m.searchsorted(k, v, side=side), keys, v, up=256)
    edges = numpy.array([0.0, 1.0, 2.5, 4.0])
    for right in (False, True):
        run(lambda m, x, e, right=right: m.digitize(x, e, right=right), sample("float64", 300), edges, down=16, up=64)
        check(
            np.digitize(there(sample("float64", 3, rare=0) * 0 + 2), edges[::-1], right=right),
            numpy.digitize(numpy.full(3, 2.0), edges[::-1], right=right),
        )


@pytest.mark.parametrize("dtype", ["bool", "int16", "int64", "float16", "float64"])
def test_running_extremes(dtype: str) -> None:
    for shape in ((1,), (31,), (33,), (5000,), (3, 70), (2, 1100, 3)):
        x = sample(dtype, *shape, rare=0.002)
        for axis in range(len(shape)):
            for name in ("maximum", "minimum", "fmax"):
                run(lambda m, x, name=name, axis=axis: getattr(m, name).accumulate(x, axis=axis), x)
    if dtype[0] != "f":
        run(lambda m, x: m.bitwise_xor.accumulate(x), sample(dtype, 2000))
    run(lambda m, x: m.logical_or.accumulate(x, axis=1), sample("bool", 3, 90) & (random.random((3, 90)) < 0.05))


@pytest.mark.parametrize("dtype", ["bool", "int16", "uint32", "int64", "float16", "float64"])
def test_reductions_of_ufuncs(dtype: str) -> None:
    """Folds, and what is joined in NumPy's order."""
    kind = numpy.dtype(dtype).kind
    names = ["fmax", "fmin"] if kind == "f" else ["fmax", "bitwise_and", "bitwise_or", "bitwise_xor"]
    names += ["logical_xor"] if kind == "b" else ["subtract"] if dtype != "float16" else []
    names += ["gcd"] if kind in "iu" else []
    for shape in ((1,), (33,), (5000,), (3, 70), (2, 1100, 3)):
        x = sample(dtype, *shape, rare=0.002)
        for axis in range(len(shape)):
            for name in names:
                run(lambda m, x, name=name, axis=axis: getattr(m, name).reduce(x, axis=axis), x)
            if kind != "b" and dtype != "float16":
                run(lambda m, x, axis=axis: m.subtract.accumulate(x, axis=axis), x)


def test_slices_of_an_axis() -> None:
    x = random.integers(-9, 9, (40, 3))
    for name in ("add", "maximum", "subtract", "bitwise_or"):
        run(lambda m, x, name=name: getattr(m, name).reduceat(x, [0, 4, 4, 30, 7], axis=0), x, down=1 << 16, up=1 << 16)


def test_different_elements() -> None:
    x = random.integers(0, 300, size=9000)
    run(lambda m, x: m.unique(x), x, down=64, up=64)
    run(lambda m, x: m.unique(x, return_index=True, return_inverse=True, return_counts=True), x, down=128, up=64)


def test_a_recording_knows_where_it_is() -> None:
    def f(x: Any) -> Any:
        return x + (1 if x.device == "cpu" else 2)

    compiled = np.compile(f)
    check(compiled(np.zeros(3)), numpy.ones(3))
    check(compiled(there(numpy.zeros(3))), numpy.full(3, 2.0))
    with np.device("cuda"):
        check(compiled(np.zeros(3)), numpy.full(3, 2.0))
    check(compiled(np.zeros(3)), numpy.ones(3))
