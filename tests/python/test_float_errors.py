"""Floating-point errors: warnings and exceptions are NumPy's, for random functions, dtypes and special values."""

from __future__ import annotations

import operator
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import DTYPES, values_of

import fastnp as np
from fastnp import _core

UFUNCS = sorted(name for name in dir(_core) if isinstance(getattr(_core, name), _core.ufunc))
FOLDS = ["sum", "prod", "mean", "std", "var", "max", "cumsum", "cumprod"]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
KINDS = [*DTYPES, numpy.dtype("e")]
HALF = numpy.dtype("e")


def special(dtype: numpy.dtype[Any], count: int, seed: int) -> numpy.ndarray:
    with numpy.errstate(all="ignore"):
        return values_of(numpy.dtype("f") if dtype == HALF else dtype, 100, seed).astype(dtype)[:count].copy()


def said(run: Callable[[], Any], mode: str) -> list[Any]:
    """What a call has to say under numpy.errstate(divide=mode, over=mode, invalid=mode)."""
    told: list[Any] = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with numpy.errstate(divide=mode, over=mode, invalid=mode, call=lambda kind, flag: told.append(kind)):
            try:
                run()
            except FloatingPointError as error:
                told.append(("error", str(error)))
            except (TypeError, ValueError) as error:  # integers to negative powers
                told.append(type(error).__name__)
    return told + sorted((warning.category.__name__, str(warning.message)) for warning in seen)


def check(run: Callable[..., Any], arrays: list[numpy.ndarray], what: Any) -> None:
    for mode in ["warn", "raise", "call", "ignore"]:
        theirs, ours = [x.copy() for x in arrays], [np.array(x) for x in arrays]
        expected, found = said(lambda x=theirs: run(numpy, *x), mode), said(lambda x=ours: run(np, *x), mode)
        assert found == expected, (what, mode, [x.tolist() for x in arrays])


@pytest.fixture
def rng():
    seed = random.randrange(2**32)
    print("seed", seed)  # shown where a test fails
    return random.Random(seed)


def draw(rng: random.Random, dtypes: list[numpy.dtype[Any]] = KINDS, count: int = 2) -> tuple[int, numpy.dtype[Any], list[numpy.ndarray]]:
    seed, dtype, size = rng.randrange(2**31), rng.choice(dtypes), rng.choice([1, 3, 40, 100])
    return seed, dtype, [special(dtype, size, seed + i) for i in range(count)]


def test_ufuncs(rng):
    for name in UFUNCS * 3:
        seed, dtype, arrays = draw(rng)
        nin = getattr(numpy, name).nin
        check(lambda m, *x, name=name: getattr(m, name)(*x), arrays[:nin], (name, dtype, seed))


def test_operators_also_in_place(rng):
    for name in OPERATORS * 6:
        seed, dtype, (x, y) = draw(rng)
        other = rng.choice(["array", 2, 0.5, 0])
        in_place = rng.random() < 0.5

        def run(m, x, y, name=name, other=other, in_place=in_place):
            return getattr(operator, "i" + name if in_place else name)(x, y if other == "array" else other)

        check(run, [x, y], (name, other, in_place, dtype, seed))


def test_folds(rng):
    for name in FOLDS * 4:
        seed, dtype, (x,) = draw(rng, [d for d in KINDS if d.kind != "c"], 1)
        check(lambda m, x, name=name: getattr(m, name)(x), [x], (name, dtype, seed))


def test_casts(rng):
    def put(m, x, to):
        m.zeros(x.shape, to)[...] = x

    ways = [lambda m, x, to: x.astype(to), lambda m, x, to: m.asarray(x, dtype=to), put]
    for _ in range(60):
        seed, dtype, (x,) = draw(rng, count=1)
        way, to = rng.randrange(len(ways)), rng.choice(KINDS)
        check(lambda m, x, way=way, to=to: ways[way](m, x, to), [x], (way, dtype, to, seed))


def test_results_that_overwrite_operands(rng):
    for name in ["exp", "log", "sqrt", "tanh", "arcsin", "divide", "power", "reciprocal", "square", "floor_divide"] * 3:
        seed, dtype, arrays = draw(rng, [numpy.dtype(code) for code in "fdFD"])
        nin = getattr(numpy, name).nin
        check(lambda m, *x, name=name: getattr(m, name)(*x, out=x[0]), arrays[:nin], (name, dtype, seed))


def test_large_arrays_that_threads_share():
    x = np.ones(1_000_000)
    x[-1] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        1 / x
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="encountered in log"):
        np.log(x)


def test_what_python_leaves_behind_is_not_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float("inf") - float("inf") != 0
        assert (np.ones(3) + np.ones(3)).tolist() == [2, 2, 2]


def draw_infinities(rng: random.Random, kinds: str = "efdFD") -> tuple[int, numpy.ndarray]:
    """Few distinct elements, so that infinities meet each other and NaN in many an order."""
    seed = rng.randrange(2**31)
    values = numpy.random.default_rng(seed)
    size = rng.choice([2, 3, 9, 40, 300, 3000])
    some = [1.0, -2.0, 0.5, *rng.sample([numpy.nan, numpy.inf, -numpy.inf, 0.0], rng.randint(1, 3))]
    weights = numpy.array([8.0] * 3 + [rng.choice([0.1, 1.0])] * (len(some) - 3))
    x = values.choice(some, size, p=weights / weights.sum()).astype(rng.choice(kinds))
    if x.dtype.kind == "c" and rng.random() < 0.5:
        x.imag = values.choice(some, size)
    return seed, x


LINES: dict[str, Callable[..., Any]] = {
    "sum": lambda m, x: m.sum(x),
    "sum of rows": lambda m, x: m.sum(x.reshape(-1, 1) * m.ones((1, 3), x.dtype), axis=0),
    "add.reduce": lambda m, x: m.add.reduce(x),
    "prod": lambda m, x: m.prod(x),
    "mean": lambda m, x: m.mean(x),
    "var": lambda m, x: m.var(x),
    "cumsum": lambda m, x: m.cumsum(x),
    "cumprod": lambda m, x: m.cumprod(x),
    "method": lambda m, x: x[::-1].sum(),
    "vdot": lambda m, x: m.vdot(x, x[::-1]),
    "matmul": lambda m, x: m.matmul(x.reshape(1, -1), x.reshape(-1, 1) * m.ones((1, 3), x.dtype)),
    "inner": lambda m, x: m.inner(x, x * 3),
}


def is_of_padding(name: str, x: numpy.ndarray) -> bool:
    """Whether NumPy's library of matrices may multiply infinities by the zeros that it pads with: it is invalid then, and nothing in the result is."""
    with numpy.errstate(all="ignore"):
        return name == "matmul" and not numpy.isnan(LINES[name](numpy, x)).any()


def test_infinities_that_meet_in_folds(rng):
    for name in list(LINES) * 6:
        seed, x = draw_infinities(rng, "efd")
        if is_of_padding(name, x):
            continue
        check(lambda m, x, name=name: LINES[name](m, x), [x], (name, x.dtype, seed))


SILENT = [
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "equal",
    "sign",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "max",
    "min",
    "floor_divide",
    "sum",
    "heaviside",
]


def test_nan_alone_is_no_reason_to_ask(monkeypatch):
    """NumPy has nothing to say, and is not asked each time."""
    asked: list[str] = []
    for name in SILENT:
        original = getattr(numpy, name)
        monkeypatch.setattr(numpy, name, lambda *args, name=name, original=original: (asked.append(name), original(*args))[1])
    for kind in "efd":
        x = np.full(37, numpy.nan, kind)
        for name in SILENT:
            for y in [x, np.ones(37, kind)]:
                getattr(np, name)(*([x, y] if name not in ("sign", "max", "min", "sum") else [y]))
    assert asked == []


def test_numbers_that_the_dtype_lacks_are_told_of(rng):
    for name in ["maximum", "less", "clip", "fmax"] * 3:
        seed, x = draw_infinities(rng, "ef")
        more = [1e300] if name != "clip" else [0.0, 1e300]
        check(lambda m, x, name=name, more=more: getattr(m, name)(x, *more), [x], (name, x.dtype, seed))


def test_zeros_of_different_sign(rng):
    """Which of them maximum, minimum and clip give: NumPy's, of every dtype."""
    for kind in "efd" * 10:
        x, y, z = (numpy.random.default_rng(rng.randrange(2**31)).choice([0.0, -0.0, 1.0, -1.0], rng.choice([1, 2, 7, 33])).astype(kind) for _ in range(3))
        y, z = numpy.resize(y, x.shape), numpy.resize(z, x.shape)
        for run in [lambda m, x, y, z: m.maximum(x, y), lambda m, x, y, z: m.minimum(x, y), lambda m, x, y, z: m.clip(x, y, z)]:
            expected = numpy.signbit(run(numpy, x, y, z))
            for ours in [run, np.compile(lambda m, *arrays, run=run: run(np, *arrays))]:
                found = numpy.signbit(numpy.asarray(ours(np, *map(np.array, (x, y, z)))))
                numpy.testing.assert_array_equal(found, expected, err_msg=str((kind, x, y, z)))


def test_the_first_zero_is_the_extreme_of_halves(rng):
    for _ in range(40):
        x = numpy.random.default_rng(rng.randrange(2**31)).choice([0.0, -0.0, -1.0], rng.choice([1, 5, 40, 2000])).astype("e")
        for name, each in [("max", x), ("min", -x)]:
            assert numpy.signbit(getattr(np, name)(np.array(each))) == numpy.signbit(getattr(numpy, name)(each)), (name, each.tolist())


@pytest.mark.parametrize("shape", [(0,), (0, 0), (2, 0), (0, 2), (2, 3)])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_of_nothing_are_told_of(name: str, axis: int | None, shape: tuple[int, ...]) -> None:
    """Also where the result has no elements, so that nothing is divided."""

    def told(function: Callable[[Any], Any], x: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            function(x)
        return [str(each.message) for each in met]

    def method(x: Any) -> Any:
        return getattr(x, name)(axis)

    def function(x: Any) -> Any:
        return getattr(numpy, name)(x, axis=axis) * 2

    for each in (method, function):
        x, compiled = numpy.ones(shape), np.compile(each)
        wanted = told(each, x)
        assert [told(compiled, x) for _ in range(3)] == [wanted] * 3
    assert told(method, np.asarray(x)) == told(method, x)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_of_nothing_are_told_of_whatever_came_before(name: str, rng: random.Random) -> None:
    def f(x: Any, axis: int | None) -> Any:
        return getattr(x, name)(axis)

    def told(function: Callable[[Any, int | None], Any], x: Any, axis: int | None) -> list[str]:
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            function(x, axis)
        return [str(each.message) for each in met]

    compiled = np.compile(f, cache_size_limit=100)
    for _ in range(40):
        x, axis = numpy.ones((rng.choice([0, 2, 3]), rng.choice([0, 2, 4]))), rng.choice([None, 0, 1, -1])
        assert told(compiled, x, axis) == told(f, x, axis), (x.shape, axis)
