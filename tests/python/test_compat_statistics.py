"""Statistics without NaN, averages and covariances against NumPy (compositions.py)."""

from __future__ import annotations

import random
import warnings

import numpy
import pytest
from compositions import ALL, COMPLEX, FLOATS, agree, laid_out, some
from test_derivatives import check

import fastnp as np

NAN = numpy.nan
FOLDS = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
SPELLINGS = ["(x)", "(x, axis=0)", "(x, 1)", "(x, axis=(0, -1))", "(x, axis=-1, keepdims=True)", "(x, keepdims=True)", "(x, axis=2)"]
PLACES = ["nanargmax", "nanargmin"]
SCANS = ["nancumsum", "nancumprod"]


def nans(rng: random.Random, dtype: str, shape: tuple[int, ...], part: float = 0.3) -> numpy.ndarray:
    """Small numbers, some of them NaN; now and then all of a row, or none."""
    x = some(rng, dtype, shape)
    if x.dtype.kind in "fc" and rng.random() < 0.8:
        for place in numpy.ndindex(shape):
            if rng.random() < part:
                x[place] = complex(rng.choice([NAN, 1.0]), NAN) if x.dtype.kind == "c" else NAN
        if rng.random() < 0.3:
            x[0] = NAN
    return x


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("dtype", ALL)
def test_folds(name: str, dtype: str) -> None:
    rng = random.Random()
    for spelling in SPELLINGS:
        x = laid_out(rng, nans(rng, dtype, (3, 4)))
        agree(f"N.{name}{spelling}", tolerance=32, told=name not in ("nanmax", "nanmin") or x.dtype.kind == "f", x=x)


@pytest.mark.parametrize("name", FOLDS)
def test_options_of_folds(name: str) -> None:
    rng = random.Random()
    x, mask = nans(rng, "float64", (3, 4)), some(rng, "bool", (3, 4))
    least = {"nanmax": "-9", "nanmin": "9.5"}.get(name, "0.5")
    extreme = name in ("nanmax", "nanmin")
    if name in ("nansum", "nanprod") or extreme:
        agree(f"N.{name}(x, axis=1, initial={least}, where=mask)", x=x, mask=mask)
        agree(f"N.{name}(x, initial={least})", x=x)
        agree(f"N.{name}(x[:0], axis=0, initial=2)", x=x)
        agree(f"N.{name}(x[:0], initial=numpy.nan)", x=x)
        agree(f"N.{name}(x, axis=0, initial=numpy.nan)", x=x)
    else:
        agree(f"N.{name}(x, axis=1, where=mask)", tolerance=32, x=x, mask=mask)
    if not extreme:
        for dtype in ("float32", "complex64", "int64"):
            agree(f"N.{name}(x, axis=0, dtype=numpy.{dtype})", tolerance=32, told=False, x=some(rng, "float64", (3, 4)))
    agree(f"N.{name}(x[:, :0], axis=1)", x=x)
    agree(f"N.{name}(x[:0], axis=1)", x=x)
    agree(f"N.{name}(x[0, 0])", x=x)
    agree(f"N.{name}([1.0, 2.5])", native=False)
    for dtype in ("float32", "float64", "complex128", "int64"):
        out = numpy.zeros(3, dtype)
        agree(f"(N.{name}(x, axis=1, out=out), out)", tolerance=32, told=False, native=False, x=x, out=out)
    agree(f"N.{name}(x, axis=1, out=out)", native=False, x=x, out=numpy.zeros(4))


@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_long_lines(name: str, dtype: str) -> None:
    rng = random.Random()
    for shape in ((rng.randint(60, 300),), (rng.randint(1, 4), rng.randint(60, 200)), (rng.randint(60, 90), 5), (3, 70, 4)):
        x = numpy.random.default_rng(rng.randrange(10**6)).normal(size=shape).astype(dtype)
        x[numpy.random.default_rng(rng.randrange(10**6)).random(shape) < rng.choice([0.1, 0.5, 1.0])] = NAN
        if rng.random() < 0.5:
            x.flat[rng.randrange(x.size)] = rng.choice([numpy.inf, -numpy.inf])
        for more in ("", ", axis=0", ", axis=-1, keepdims=True", ", keepdims=True"):
            agree(f"N.{name}(x{more})", tolerance=0, compiled=rng.random() < 0.2, x=x)


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_degrees_of_freedom(name: str) -> None:
    rng = random.Random()
    for dtype in (*FLOATS, *COMPLEX, "int32"):
        x = nans(rng, dtype, (3, 4))
        for ddof in ("1", "3", "0.5", "7"):
            agree(f"N.{name}(x, axis=1, ddof={ddof})", tolerance=64, told=dtype != "complex64", x=x)
        agree(f"N.{name}(x, axis=0, correction=1)", tolerance=64, x=x)
        agree(f"N.{name}(x, axis=0, ddof=1, correction=1)", native=False, x=x)
        agree(f"N.{name}(x, axis=0, mean=m)", tolerance=64, native=False, x=x, m=some(rng, dtype, (1, 4)))


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("dtype", ALL)
def test_places(name: str, dtype: str) -> None:
    rng = random.Random()
    for spelling in ["(x)", "(x, axis=0)", "(x, 1)", "(x, axis=-1, keepdims=True)", "(x, keepdims=True)", "(x, axis=2)", "(x[:, :0], axis=1)"]:
        agree(f"N.{name}{spelling}", x=laid_out(rng, nans(rng, dtype, (3, 4))))


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", ALL)
def test_scans(name: str, dtype: str) -> None:
    rng = random.Random()
    for spelling in ["(x)", "(x, axis=0)", "(x, 1)", "(x, axis=2)", "(x, axis=0, dtype=numpy.complex128)"]:
        agree(f"N.{name}{spelling}", x=laid_out(rng, nans(rng, dtype, (3, 4))))


def test_numpy_warns_in_any_state() -> None:
    x = numpy.full((2, 2), NAN)
    for name in ("nanmax", "nanmin", "nanmean", "nanvar"):
        for module in (numpy, np):
            with numpy.errstate(all="ignore"), warnings.catch_warnings(record=True) as met:
                warnings.simplefilter("always")
                getattr(module, name)(np.asarray(x) if module is np else x, axis=0)
            assert len(met) == 1 and met[0].category is RuntimeWarning, (name, module)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128", "bool"])
def test_averages(dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 4)))
    w, v = some(rng, "uint8", (3, 4)) + numpy.uint8(1), numpy.abs(some(rng, "float32", (4,))) + numpy.float32(0.5)
    for more in ("", ", returned=True", ", keepdims=True", ", keepdims=True, returned=True"):
        for given in ("", ", axis=0", ", axis=(1, 0)", ", weights=w", ", 0, w", ", axis=-1, weights=v", ", axis=(1, 0), weights=w.T", ", (0, 1), w"):
            agree(f"N.average(x{given}{more})", x=x, w=w, v=v)
    for wrong in ("weights=v", "axis=0, weights=v", "axis=2", "axis=(0, 0)", "axis=0, weights=w[:2]"):
        agree(f"N.average(x, {wrong})", x=x, w=w, v=v)
    agree("N.average(x[:, :0], axis=0)", x=x)
    agree("N.average(x[:, :0], axis=1)", x=x)
    agree("N.average(x, axis=0, weights=w[:, 0] * 0)", compiled=False, x=x, w=w)


@pytest.mark.parametrize("dtype", ALL)
def test_ranges(dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 4), specials=rng.random() < 0.3))
    for spelling in ("(x)", "(x, axis=0)", "(x, (0, 1), keepdims=True)", "(x[:0])", "(x, axis=3)", "(x, axis=1, out=out)"):
        agree(f"N.ptp{spelling}", told=False, x=x, out=numpy.zeros(3, dtype))


COVARIANCES = ["", ", x", ", rowvar=False", ", x * 2, False", ", bias=True", ", ddof=0", ", ddof=2", ", ddof=9", ", dtype=numpy.float32"]
WEIGHTS = [
    ", fweights=f",
    ", aweights=a",
    ", fweights=f, aweights=a",
    ", fweights=f, aweights=a, ddof=0",
    ", aweights=a, bias=True",
    ", fweights=f, ddof=3",
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128", "bool"])
def test_covariances(dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 5)))
    f, a = numpy.array([rng.randint(0, 3) for _ in range(4)] + [1]), numpy.array([rng.random() for _ in range(5)])
    for more in COVARIANCES + WEIGHTS:
        if more == ", dtype=numpy.float32" and dtype == "complex128":
            continue
        agree(f"N.cov(x{more})", tolerance=64, told=False, x=x, f=f, a=a)
    for given in ("x[0]", "x[0], x[1]", "x[:1]", "x[:0]", "x[0, 0]", "x[:, :1]", "x[0], rowvar=False", "x, x[0]", "x.T, x[0], False"):
        agree(f"N.cov({given})", tolerance=64, told=False, x=x)
    for wrong in ("x[None]", "x, x[:, :2]", "x, ddof=1.5", "x, fweights=a", "x, aweights=-a", "x, aweights=a[:2]", "x, aweights=x", "x, fweights=f[0]"):
        agree(f"N.cov({wrong})", native=False, compiled=False, x=x, f=f, a=a)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_correlations(dtype: str) -> None:
    rng = random.Random()
    x = laid_out(rng, some(rng, dtype, (3, 5)) + numpy.arange(5).astype(dtype))
    for more in ("", ", x * x", ", rowvar=False", ", dtype=numpy.complex64"):
        agree(f"N.corrcoef(x{more})", tolerance=256, told=False, x=x)
    agree("N.corrcoef(x[0])", x=x)
    agree("N.corrcoef(x[0], x[1])", tolerance=256, told=False, x=x)
    agree("N.corrcoef(x[:, :1])", x=x)


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x, w = np.asarray(rng.normal(size=(3, 5))), np.asarray(rng.uniform(1, 2, size=5))
    for name in ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "ptp", "average"):
        check(lambda x, name=name: getattr(np, name)(x, axis=1), [x])
    for name in SCANS:
        check(lambda x, name=name: getattr(np, name)(x, axis=0), [x])
    check(lambda x, w: np.average(x, axis=1, weights=w), [x, w])
    check(lambda x: np.cov(x), [x])
    check(lambda x, y: np.cov(x, y, rowvar=False), [x, x])
    check(lambda x, w: np.cov(x, aweights=w), [x, w])
    check(lambda x: np.corrcoef(x)[0, 1:], [x])


@pytest.mark.parametrize("name", [*FOLDS, *SCANS])
def test_gradients_at_nan(name: str) -> None:
    given = numpy.array([1.0, NAN, 3.0, -2.0])
    function = getattr(np, name)
    found = numpy.asarray(np.grad(lambda x: np.sum(function(x)))(np.asarray(given)))
    wanted = numpy.asarray(np.grad(lambda x: np.sum(function(x)))(np.asarray(given[[0, 2, 3]])))
    assert found[1] == 0
    if name in FOLDS:
        numpy.testing.assert_allclose(found[[0, 2, 3]], wanted, rtol=1e-12)
    compiled = np.compile(np.grad(lambda x: np.sum(function(x))))
    numpy.testing.assert_allclose(numpy.asarray(compiled(np.asarray(given))), found, rtol=1e-12)


def test_mapped() -> None:
    rng = random.Random()
    x = nans(rng, "float64", (4, 5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in (*FOLDS, *SCANS, "average", "ptp", "cov"):
            found = np.vmap(getattr(np, name))(np.asarray(x))
            for row, each in zip(x, numpy.asarray(found), strict=True):
                numpy.testing.assert_allclose(each, getattr(numpy, name)(row), rtol=1e-12, err_msg=f"{name} of {row!r}")


@pytest.mark.parametrize("name", [*FOLDS, *SCANS, *PLACES, "average", "ptp", "cov", "corrcoef"])
def test_one_recording_for_all_sizes(name: str) -> None:
    rng = numpy.random.default_rng()
    compiled = np.compile(lambda x: getattr(np, name)(x) * 1)
    for size in (5, 6, 9, 17, 33):
        x = rng.normal(size=(3, size))
        x[0, 1] = x[0, 1] if name in ("average", "ptp", "cov", "corrcoef") else NAN
        numpy.testing.assert_allclose(numpy.asarray(compiled(np.asarray(x))), getattr(numpy, name)(x), rtol=1e-10)
    assert compiled.cache_info().misses <= 2


@pytest.mark.parametrize("name", PLACES)
def test_all_nan_in_compiled_functions(name: str) -> None:
    compiled = np.compile(lambda x: getattr(np, name)(x, axis=1) + 1)
    x = numpy.array([[1.0, NAN, 3.0], [NAN, 2.0, 1.0]])
    for _ in range(3):
        numpy.testing.assert_array_equal(compiled(np.asarray(x)), getattr(numpy, name)(x, axis=1) + 1)
    x[0] = NAN
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        compiled(np.asarray(x))
