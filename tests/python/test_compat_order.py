"""Medians and quantiles against NumPy (compositions.py)."""

from __future__ import annotations

import functools
import random
import warnings

import numpy
import pytest
from compositions import ALL, FLOATS, agree, laid_out, outcome, some
from test_compat_statistics import nans
from test_derivatives import check

import fastnp as np

NAN = numpy.nan
METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear median_unbiased normal_unbiased lower
higher midpoint nearest""".split()
REAL = [dtype for dtype in ALL if not dtype.startswith("complex")]


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@pytest.mark.parametrize("dtype", ALL)
def test_medians(name: str, dtype: str) -> None:
    if name == "nanmedian" and dtype.startswith("complex"):
        return  # of which NumPy's is of masked arrays
    rng = random.Random()
    for spelling in [
        "(x)",
        "(x, axis=0)",
        "(x, 1)",
        "(x, axis=(0, -1))",
        "(x, axis=-1, keepdims=True)",
        "(x, keepdims=True)",
        "(x[:, :3], axis=1)",
        "(x, axis=2)",
    ]:
        x = laid_out(rng, nans(rng, dtype, (3, 4), part=0.1))
        agree(f"N.{name}{spelling}", told=dtype != "float16", x=x)
    x = nans(rng, dtype, (2, 3, 4), part=0.1)
    for axis in ("0", "1", "(0, 2)", "(2, 0)", "()"):
        agree(f"N.{name}(x, axis={axis})", native=False, x=laid_out(rng, x))


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_what_is_numpys_of_medians(name: str) -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    agree(f"(N.{name}(x, axis=0, out=out), out)", x=x, out=numpy.zeros(4))
    for expression in ("(x, axis=0, out=out[:2])", "(x[:0])", "(x[:, :0], axis=1)", "(3.0)", "(x, axis=(0, 0))", "(x, axis=0, overwrite_input=True)"):
        agree(f"N.{name}{expression}", native=False, x=x, out=numpy.zeros(4))


QUANTILES = ["0.3", "0", "1", "0.5", "[0.2, 0.5, 1.0]", "numpy.float64(0.3)", "numpy.array([[0.1, 0.9]])", "numpy.float32(0.25)", "[]"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", REAL)
def test_quantiles(method: str, dtype: str) -> None:
    rng = random.Random()
    for q in QUANTILES:
        x = laid_out(rng, nans(rng, dtype, (3, 4), part=0.05))
        for axis in rng.sample(["None", "0", "1", "(0, 1)", "-1, keepdims=True"], 2):
            agree(f"N.quantile(x, {q}, axis={axis}, method={method!r})", tolerance=32, told=False, native=False, x=x)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_quantiles_without_nan(method: str, dtype: str) -> None:
    rng = random.Random()
    for q in ("0.3", "0", "[0.2, 0.5, 1.0]", "0.5"):
        x = laid_out(rng, nans(rng, dtype, (3, 4)))
        if dtype == "float32" and q.startswith("["):
            continue  # of NaN alone NumPy's is in another dtype
        for axis in rng.sample(["None", "0", "1", "(0, 1)", "-1, keepdims=True"], 2):
            agree(f"N.nanquantile(x, {q}, axis={axis}, method={method!r})", tolerance=32, native=False, x=x)
            percents = str([100 * part for part in (0.2, 0.5, 1.0)]) if q.startswith("[") else str(100 * float(q))
            agree(f"N.nanpercentile(x, {percents}, axis={axis}, method={method!r})", tolerance=32, told=False, native=False, x=x)


@pytest.mark.parametrize("dtype", REAL)
def test_percentiles(dtype: str) -> None:
    rng = random.Random()
    for q in ("30", "99.5", "[0, 10, 100]", "numpy.int32(20)"):
        x = laid_out(rng, some(rng, dtype, (3, 4)))
        agree(f"N.percentile(x, {q}, axis=1)", tolerance=32, told=False, native=False, x=x)
        agree(f"N.percentile(x, {q})", tolerance=32, told=False, native=False, x=x)


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_what_is_numpys_of_quantiles(name: str) -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    agree(f"(N.{name}(x, 0.25, axis=0, out=out), out)", x=x, out=numpy.zeros(4))
    wrong = (
        "(x, 1.5)",
        "(x, [0.1, -1])",
        "(x, numpy.nan)",
        "(x, 0.5, method='none')",
        "(x, 0.5, axis=2)",
        "(x * 1j, 0.5)",
        "(x, 0.5, axis=0, weights=x)",
        "(x[:0], 0.5)",
    )
    for expression in (*wrong, "(x, 0.5, axis=0, weights=x + 1, method='inverted_cdf')", "(x, True)", "(x, 0.5, overwrite_input=True)", "(5.0, 0.5)"):
        agree(f"N.{name}{expression}", native=False, told=False, x=x)


@pytest.mark.parametrize("name", ["median", "nanmedian", "quantile", "nanquantile"])
def test_long_lines(name: str) -> None:
    x = numpy.random.default_rng().normal(size=10001)
    x[3] = NAN if name.startswith("nan") else 0
    q = "" if name.endswith("median") else ", 0.3"
    agree(f"N.{name}(x{q})", native=False, x=x)


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x = np.asarray(rng.permutation(20).reshape(4, 5) + rng.uniform(0, 0.3, size=(4, 5)))
    q = np.asarray(numpy.array([0.3, 0.62]))
    for name in ("median", "nanmedian"):
        check(lambda x, name=name: getattr(np, name)(x, axis=0), [x])
        check(lambda x, name=name: getattr(np, name)(x), [x])
    for name in ("quantile", "nanquantile"):
        for method in METHODS:
            check(lambda x, name=name, method=method: getattr(np, name)(x, 0.37, axis=1, method=method), [x])
        check(lambda x, q, name=name: getattr(np, name)(x, q, axis=1), [x, q])
    check(lambda x: np.percentile(x, [10, 80], axis=0), [x])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint64"])
def test_neighbours_that_are_further_apart_than_the_dtype_reaches(dtype: str) -> None:
    info = numpy.iinfo(dtype)
    x = numpy.array([info.min, info.max], dtype)
    calls = [("percentile", 40, {}), ("quantile", 0.4, {}), ("nanquantile", 0.7, {}), ("quantile", numpy.float64(0.4), {"keepdims": True}),
             ("quantile", [0.4], {}), ("quantile", 0.6, {"method": "hazen"}), ("nanpercentile", [3], {})]  # fmt: skip
    for name, q, more in calls:
        got, want = (outcome(functools.partial(getattr(m, name), x, q, **more)) for m in (np, numpy))
        assert repr(got) == repr(want), (name, q, more)
        assert bool(want[1]) == (info.min < 0 and not isinstance(q, list))


@pytest.mark.parametrize("dtype", FLOATS)
def test_gradients_at_nan(dtype: str) -> None:
    given = numpy.array([3.0, NAN, 1.0, -2.0, NAN, 7.0], dtype)
    slope = numpy.asarray(np.grad(np.nanmedian)(np.asarray(given)))
    numpy.testing.assert_array_equal(slope, [0.5, 0, 0.5, 0, 0, 0])
    slope = numpy.asarray(np.compile(np.grad(lambda x: np.nanquantile(x, 0.25)))(np.asarray(given)))
    numpy.testing.assert_allclose(slope, [0, 0, 0.75, 0.25, 0, 0], rtol=1e-3)


def test_mapped() -> None:
    rng = random.Random()
    x = nans(rng, "float64", (4, 5), part=0.15)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, more in (("median", ()), ("nanmedian", ()), ("quantile", (0.3,)), ("nanquantile", ([0.1, 0.5],)), ("percentile", (25,))):
            found = np.vmap(lambda row, name=name, more=more: getattr(np, name)(row, *more))(np.asarray(x))
            for row, each in zip(x, numpy.asarray(found), strict=True):
                numpy.testing.assert_allclose(each, getattr(numpy, name)(row, *more), rtol=1e-12, err_msg=f"{name} of {row!r}")


@pytest.mark.parametrize("name", ["median", "nanmedian", "quantile", "nanquantile", "percentile"])
def test_one_recording_for_all_sizes(name: str) -> None:
    rng = numpy.random.default_rng()
    more = () if name.endswith("median") else (0.3,)
    compiled = np.compile(lambda x: getattr(np, name)(x, *more, axis=1) * 1, fullgraph=True)
    for size in (5, 6, 9, 17, 32):
        x = rng.normal(size=(3, size))
        numpy.testing.assert_allclose(numpy.asarray(compiled(np.asarray(x))), getattr(numpy, name)(x, *more, axis=1), rtol=1e-12)
    assert compiled.cache_info().misses <= 2


def test_quantiles_that_are_arguments() -> None:
    compiled = np.compile(lambda x, q: np.quantile(x, q) * 2, fullgraph=True)
    x = numpy.arange(7.0)
    for q in ([0.1, 0.5], [0.2, 0.9], [0.0, 1.0]):
        numpy.testing.assert_allclose(compiled(np.asarray(x), np.asarray(q)), numpy.quantile(x, q) * 2, rtol=1e-14)
    with pytest.raises(ValueError, match="Quantiles must be in the range"):
        compiled(np.asarray(x), np.asarray([0.5, 1.5]))


@pytest.mark.parametrize("dtype", REAL)
def test_bins(dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, nans(rng, dtype, (3, 4), part=0.1))
    edges = numpy.sort(some(rng, rng.choice(["float64", "int32", "float32"]), (5,)))
    for bins in ("b", "b[::-1]", "b[:1]", "b[:0]", "b * 0", "[0, 1.5, 2]"):
        for right in ("", ", right=True"):
            agree(f"N.digitize(x, {bins}{right})", x=x, b=edges)
    agree("N.digitize(x[0, 0], b)", x=x, b=edges)


def test_what_is_numpys_of_bins() -> None:
    x = numpy.arange(6.0)
    for expression in ("x, [0, 2, 1]", "x * 1j, [0, 1]", "x, [[0, 1]]", "x, 1", "x, [0, numpy.nan]", "x, [1j]", "x, [numpy.nan, 1, 0]"):
        agree(f"N.digitize({expression})", native=False, told=False, x=x)
    compiled = np.compile(lambda x, b: np.digitize(x, b) + 1, fullgraph=True)
    for bins in ([0.0, 2.0], [1.0, 3.0], [3.0, 1.0], [4.0, 1.0]):
        numpy.testing.assert_array_equal(compiled(np.asarray(x), np.asarray(bins)), numpy.digitize(x, bins) + 1)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_elements_that_are_found(dtype: str) -> None:
    rng = random.Random()
    x = (numpy.random.default_rng(rng.randrange(10**6)).normal(size=(4, 90)) * 20).astype(dtype)
    if x.dtype.kind == "f" and rng.random() < 0.5:
        x.flat[rng.randrange(x.size)] = NAN
    for name in ("quantile", "nanquantile"):
        for q in ("0.5", "0.0", "1.0", str([rng.random() for _ in range(rng.randint(1, 12))])):
            if name == "nanquantile" and dtype == "float32" and q.startswith("["):
                continue
            for axis in ("None", "0", "1"):
                agree(f"N.{name}(x, {q}, axis={axis}, method={rng.choice(METHODS)!r})", tolerance=32, told=False, native=False, compiled=False, x=x)
    for name in ("median", "nanmedian"):
        agree(f"N.{name}(x, axis={rng.choice(['None', '0', '1'])})", compiled=False, x=laid_out(rng, x))
