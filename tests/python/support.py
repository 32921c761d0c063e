"""What the tests share: dtypes, awkward values, layouts, and how a result is compared with NumPy's."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy

import fastnp

SEED = int(os.environ["FASTNP_TEST_SEED"])  # another in each run, which conftest.py prints
IS_NUMPY_2_5 = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"
LONG = os.environ.get("FASTNP_LONG_TESTS") == "1"  # the second tier

DTYPES = [numpy.dtype(code) for code in "?bBhHiIlLefdFD"]
REAL = [dtype for dtype in DTYPES if dtype.kind != "c"]
FLOATS = [dtype for dtype in DTYPES if dtype.kind == "f"]
BACKENDS = ["eager", "llvm"]

# Ops whose results are NumPy's bit for bit, for real operands.
EXACT = set(
    """positive negative absolute fabs sign rint floor ceil trunc sqrt square reciprocal logical_not invert isnan isinf isfinite signbit spacing conjugate
    bitwise_count add subtract multiply divide floor_divide remainder fmod maximum minimum fmax fmin copysign nextafter heaviside ldexp gcd lcm equal
    not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift real imag
    frexp modf divmod""".split()
)


def values_of(dtype: numpy.dtype[Any], count: int = 40, seed: int = 0, special: bool = True) -> numpy.ndarray:
    """Elements of a dtype: extremes, zeros of both signs, NaN and infinities, and ordinary ones."""
    rng = numpy.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        edges = [0, 1, 2, 3, info.min, info.max, info.max - 1, info.min + 1, 7, info.max // 2]
        rest = rng.integers(max(info.min, -50), min(info.max, 50), count - len(edges))
        values = numpy.array(edges + rest.tolist(), dtype=dtype)
    elif dtype.kind == "f":
        info = numpy.finfo(dtype)
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, float(info.tiny), float(info.eps), 1e-3]
        if special:
            edges += [numpy.nan, numpy.inf, -numpy.inf, float(info.max), float(info.min)]
        rest = numpy.concatenate([rng.normal(size=(count - len(edges)) // 2), rng.uniform(-30, 30, count - len(edges) - (count - len(edges)) // 2)])
        values = numpy.concatenate([numpy.array(edges), rest]).astype(dtype)
    else:
        part = numpy.dtype("f4" if dtype == "F" else "f8")
        with numpy.errstate(invalid="ignore"):
            values = (values_of(part, count, seed, special) + 1j * rng.permutation(values_of(part, count, seed + 1, special))).astype(dtype)
    return rng.permutation(values)


def layouts_of(values: numpy.ndarray) -> Iterator[tuple[str, numpy.ndarray]]:
    """The same elements (or some of them) in every kind of layout; the arrays are NumPy's and are shared with fastnp without copies."""
    yield "contiguous", values
    spread = numpy.zeros(values.size * 3, values.dtype)
    spread[::3] = values
    yield "strided", spread[::3]
    yield "reversed", values[::-1]
    yield "columns", numpy.asfortranarray(values[: values.size // 4 * 4].reshape(-1, 4))
    yield "broadcast", numpy.broadcast_to(values[:4], (5, 4))
    yield "empty", values[:0].reshape(0, 3)
    yield "0-d", values[3:4].reshape(())


def ulps(got: numpy.ndarray, true: numpy.ndarray, size: Any = None) -> numpy.ndarray:
    """Distance from the true values (of long double) in units in the last place of got's dtype, of a size that is larger if there is one."""
    with numpy.errstate(all="ignore"):
        info = numpy.finfo(got.dtype)
        largest = numpy.abs(true) if size is None else numpy.fmax(numpy.abs(true), size)
        step = numpy.maximum(numpy.spacing(largest.astype(got.dtype)), info.smallest_subnormal).astype(numpy.longdouble)
        distance = numpy.abs(got.astype(numpy.longdouble) - true) / step
    return numpy.where(numpy.isnan(distance), numpy.inf, distance)


def same(got: numpy.ndarray, want: numpy.ndarray) -> numpy.ndarray:
    """Equal elements; NaN equals NaN, and zeros of different signs differ."""
    with numpy.errstate(all="ignore"):
        equal = got == want
        if want.dtype.kind in "fc":
            equal = numpy.where(numpy.isnan(want), numpy.isnan(got), equal)
        if want.dtype.kind == "f":
            equal &= numpy.isnan(want) | (numpy.signbit(got) == numpy.signbit(want))
    return equal


def parts_of(x: Any) -> list[numpy.ndarray]:
    """The array, or its real and its imaginary part."""
    x = numpy.asarray(x)
    return [x.real, x.imag] if x.dtype.kind == "c" else [x]


def assert_same_bits(got: Any, want: Any, context: str) -> None:
    """Dtype, shape and each bit; any NaN is any other."""
    got, want = numpy.asarray(got), numpy.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), context
    for g, w in zip(parts_of(got), parts_of(want), strict=True):
        good = same(g, w)
        assert good.all(), f"{context}: {g[~good][:4]} where NumPy has {w[~good][:4]}"


def is_scalar(x: Any) -> bool:
    """A NumPy scalar; or an array of no axes on a device, which stands for one."""
    return isinstance(x, numpy.generic) or fastnp._core._is_scalar(x)


def check(got: Any, want: Any, exact: bool, true: Any = None, context: str = "", size: Any = None) -> None:
    """Dtype, shape and elements as NumPy's; inexact ones within 4 ulp of the true value, complex ones within a few eps of the size of NumPy's or of the
    true value. (`size`: of what the result is made, where that is larger.)
    """
    scalar = isinstance(want, (numpy.generic, float, int)) and not isinstance(want, numpy.ndarray)
    assert is_scalar(got) == scalar, f"{context}: {type(got)} where NumPy gives {type(want)}"
    if not scalar:
        assert isinstance(got, (fastnp.ndarray, numpy.ndarray)), context
    assert got.dtype == want.dtype, f"{context}: dtype {got.dtype} where NumPy gives {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape} where NumPy gives {want.shape}"
    got, want = numpy.asarray(got), numpy.asarray(want)
    good = same(got, want)
    if not exact and not good.all():
        if want.dtype.kind == "f" and true is not None:
            good |= ulps(got, numpy.asarray(true), size) <= 4
        elif want.dtype.kind == "c":
            with numpy.errstate(all="ignore"):
                eps = numpy.finfo(want.dtype).eps
                tiny = numpy.finfo(want.dtype).tiny
                good |= numpy.abs(got.astype("D") - want.astype("D")) <= 32 * eps * numpy.maximum(numpy.abs(want.astype("D")), tiny)
                if true is not None:
                    largest = numpy.fmax(numpy.abs(true), tiny if size is None else size)
                    good |= numpy.abs(got - numpy.asarray(true)) <= 32 * eps * numpy.maximum(largest, tiny)
                    good |= same(got, numpy.asarray(true).astype(want.dtype))  # infinities, where NumPy's have overflowed on the way
    if not good.all():
        bad = numpy.argwhere(~good)[:3]
        shown = ", ".join(f"{tuple(map(int, at))}: {got[tuple(at)]!r} != {want[tuple(at)]!r}" for at in bad)
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ: {shown}")


def quietly(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls without floating-point warnings."""
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def called(function: Any, *arguments: Any) -> tuple[Any, list[warnings.WarningMessage]]:
    """What a function gives, or the type and the words of what it raises; and all warnings."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            result = function(*arguments)
        except Exception as error:  # compared with the other's
            result = type(error), str(error)
    return result, met


def outcome(function: Any, *arguments: Any) -> Any:
    """What a function gives, or the exception that it raises."""
    try:
        return quietly(function, *arguments)
    except Exception as error:  # compared with the other's
        return error


def assert_same(got: Any, want: Any) -> None:
    """Outcomes of a compiled function and of the same as written: types, dtypes, shapes, values, and errors with their words."""
    assert type(got) is type(want), (got, want)
    if isinstance(want, tuple):
        assert len(got) == len(want)
        for x, y in zip(got, want, strict=True):
            assert_same(x, y)
    elif isinstance(want, (numpy.ndarray, numpy.generic)):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        numpy.testing.assert_allclose(got, want, rtol=1e-6 if want.dtype.itemsize > 2 else 1e-2)
    elif isinstance(want, Exception):
        assert str(got) == str(want)
    else:
        assert repr(got) == repr(want)  # -0.0 and NaN too


def alike(a: Any, b: Any, rtol: float = 0.0, atol: float = 0.0, numbers: float = 0.0, lies_same: bool = False) -> bool:
    """Whether two results are the same: types, structure, dtypes and shapes, strides too if they are to; elements within tolerances, NaN equal to NaN.
    Python's numbers, and the rest, are equal, floats perhaps within a tolerance of their own."""
    if type(a) is not type(b):
        return False

    def within(x: Any, y: Any) -> bool:
        return alike(x, y, rtol, atol, numbers, lies_same)

    if isinstance(a, dict):
        return list(a) == list(b) and all(map(within, a.values(), b.values()))
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(within, a, b))
    if isinstance(a, (numpy.ndarray, numpy.generic, fastnp.ndarray)):
        if a.shape != b.shape or a.dtype != b.dtype or (lies_same and a.size and a.strides != b.strides):
            return False
        return numpy.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True) if a.dtype.kind in "biufc" else numpy.array_equal(a, b)
    if isinstance(a, (float, complex)):
        return a == b or (a != a and b != b) or abs(a - b) <= numbers * abs(b)
    return a is b or bool(a == b)


def forget_users_backends() -> None:
    """Those that other tests and pages registered."""
    for name in fastnp.compiler.list_backends():
        if fastnp.compiler.backend_info(name).kernels == "a user's":
            fastnp.compiler.register_backend(name, None)
