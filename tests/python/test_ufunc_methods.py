"""reduce, accumulate, reduceat, at and outer of every function of two operands: NumPy's values to the bit, dtypes, layouts, errors and warnings, eagerly
and compiled; derivatives against differences, batched; nothing is left to NumPy.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from compositions import ALL, FLOATS, WHOLE, laid_out, no_fallbacks, outcome, some
from test_derivatives import check, check_map, check_tape

import fastnp as np

ROWS = np._core._catalogue()
BINARY = [row[0] for row in ROWS if row[1] == "map" and row[2] == 2 and row[0] not in ("from_parts", "ldexp")]
CHOICES = ["maximum", "minimum", "fmax", "fmin"]
ROUNDED = {"power", "float_power", "arctan2", "hypot", "logaddexp", "logaddexp2", "multiply", "divide", "add"}  # within a few ulp, as the functions are


BROKEN = ("power", "arctan2")  # NumPy's reduce of contiguous elements joins the first with the last alone, on processors with AVX-512


def numpys(call: Callable[[Any, Any], Any], x: numpy.ndarray, name: str) -> Any:
    return outcome(lambda: call(ByAccumulate if name in BROKEN else numpy, x))


class InOrder:
    """A ufunc whose reduce is the last running result, as it should be."""

    def __init__(self, name: str) -> None:
        self.ufunc = getattr(numpy, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ufunc, name)

    def reduce(self, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None, **options: Any) -> Any:
        found = self.ufunc.reduce(x, axis, dtype, out, **options)
        axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else 0 if x.ndim == 1 and axis is None else axis
        if not isinstance(axis, int) or options.keys() - {"keepdims"} or out is not None or x.ndim == 0 or x.shape[axis] < 2:
            return found
        last = numpy.take(self.ufunc.accumulate(x, axis, dtype), -1, axis)
        return numpy.expand_dims(last, axis) if options.get("keepdims") else last


class ByAccumulate:
    power, arctan2 = InOrder("power"), InOrder("arctan2")
    asarray, zeros = numpy.asarray, numpy.zeros


def same(found: Any, wanted: Any, name: str, where: Any, layout: bool = True) -> None:
    (got, told), (want, said) = found, wanted
    if isinstance(want, tuple):
        assert got == want, (where, got, want)
        return
    assert not isinstance(got, tuple), (where, got, want)
    ours, theirs = numpy.asarray(got), numpy.asarray(want)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), (where, ours, theirs)
    assert isinstance(got, numpy.generic) == isinstance(want, numpy.generic), (where, type(got), type(want))
    if layout and theirs.size and name not in BROKEN:
        wide = [axis for axis, size in enumerate(theirs.shape) if size > 1]
        assert [got.strides[axis] for axis in wide] == [want.strides[axis] for axis in wide], (where, got.strides, want.strides)
    assert told == said, (where, told, said)
    if name in ROUNDED and theirs.dtype.kind in "fc":
        eps = float(numpy.finfo(theirs.dtype).eps)
        numpy.testing.assert_allclose(ours, theirs, rtol=64 * eps, atol=64 * eps, err_msg=str(where))
    else:
        numpy.testing.assert_array_equal(ours, theirs, err_msg=str(where))


def both(call: Callable[[Any, Any], Any], x: numpy.ndarray, name: str, where: Any, compiled: bool = False) -> None:
    given = np.asarray(x)
    wanted = numpys(call, x, name)
    same(outcome(lambda: call(np, given)), wanted, name, where)
    if compiled and not isinstance(wanted[0], tuple):
        with no_fallbacks(), numpy.errstate(all="ignore"):
            f = np.compile(lambda y: call(np, y), fullgraph=True)
            for _ in range(2):
                found = outcome(lambda: f(given))
                same((found[0], wanted[1]), wanted, name, ("compiled", where))


def operands_of(rng: random.Random, name: str, dtype: str, shape: tuple[int, ...]) -> numpy.ndarray:
    x = some(rng, dtype, shape, specials=rng.random() < 0.3 and name not in ROUNDED)
    if name in ROUNDED and x.dtype.kind in "fc":
        x = (abs(x) / 16 + 0.5).astype(dtype)
    if name in ("power", "float_power", "left_shift", "right_shift") and x.dtype.kind in "iu":
        x = abs(x) % 4
    return x


@pytest.mark.parametrize("name", BINARY)
def test_accumulate(name: str) -> None:
    seed = random.randrange(10**6)
    rng = random.Random(seed)
    for dtype in ALL:
        for shape in ((5,), (1,), (0,), (3, 4), (2, 3, 20), (3, 0)):
            axis = rng.randrange(-len(shape), len(shape))
            x = laid_out(rng, operands_of(rng, name, dtype, shape))
            both(lambda m, x, axis=axis: getattr(m, name).accumulate(x, axis=axis), x, name, (seed, name, dtype, shape, axis), compiled=len(shape) == 2)


@pytest.mark.parametrize("name", BINARY)
def test_reduce(name: str) -> None:
    seed = random.randrange(10**6)
    rng = random.Random(seed)
    for dtype in ALL:
        for shape in ((5,), (1,), (0,), (3, 4), (2, 3, 20), (3, 0)):
            axis: Any = rng.randrange(-len(shape), len(shape))
            if rng.random() < 0.3:
                axis = rng.choice([None, (0,), (), tuple(range(len(shape)))])
            x = laid_out(rng, operands_of(rng, name, dtype, shape))
            if name in ("hypot", "logaddexp", "logaddexp2", "add", "multiply") and x.dtype == numpy.float16:
                continue  # NumPy's halves are rounded as its buffers end
            keepdims = rng.random() < 0.3
            both(
                lambda m, x, axis=axis, keepdims=keepdims: getattr(m, name).reduce(x, axis=axis, keepdims=keepdims),
                x,
                name,
                (seed, name, dtype, shape, axis, keepdims),
                compiled=len(shape) == 2 and not (dtype == "float16" and name in ("subtract", "divide")),
            )


def option_calls(name: str, mask: numpy.ndarray, start: Any) -> list[Callable[[Any, Any], Any]]:
    return [
        lambda m, x: getattr(m, name).reduce(x, axis=1, initial=start),
        lambda m, x: getattr(m, name).reduce(x, where=m.asarray(mask)),
        lambda m, x: getattr(m, name).reduce(x, axis=1, where=m.asarray(mask), initial=start),
        lambda m, x: getattr(m, name).reduce(x, dtype="float64"),
        lambda m, x: getattr(m, name).reduce(x, axis=1, dtype="int64"),
        lambda m, x: getattr(m, name).reduce(x, 0, None, m.zeros(4)),
        lambda m, x: getattr(m, name).reduce(x, out=m.zeros(4, "int16")),
        lambda m, x: getattr(m, name).reduce(x, out=m.zeros(3)),
        lambda m, x: getattr(m, name).reduce(x, initial=None),
        lambda m, x: getattr(m, name).reduce(x[:0], axis=0, initial=start),
        lambda m, x: getattr(m, name).reduce(x, axis=2),
        lambda m, x: getattr(m, name).reduce(x[0, 0], axis=0),
        lambda m, x: getattr(m, name).accumulate(x, dtype="float64"),
        lambda m, x: getattr(m, name).accumulate(x, 1, None, m.zeros((3, 4))),
        lambda m, x: getattr(m, name).accumulate(x, out=m.zeros((3, 3))),
        lambda m, x: getattr(m, name).accumulate(x, axis=2),
        lambda m, x: getattr(m, name).accumulate(x[0, 0]),
    ]


@pytest.mark.parametrize("name", BINARY)
def test_options_of_reduce(name: str) -> None:
    seed = random.randrange(10**6)
    rng = random.Random(seed)
    for dtype in ("bool", "int32", "uint8", "float32", "float64"):
        x = operands_of(rng, name, dtype, (3, 4))
        mask = numpy.array([[rng.random() < 0.6 for _ in range(4)] for _ in range(3)])
        calls = option_calls(name, mask, x[0, 0].item())
        for number, call in enumerate(calls):
            if name in BROKEN and number in (0, 2, 5):
                continue
            both(call, x, name, (seed, name, dtype, number))


def test_nothing_is_left_to_numpy() -> None:
    rng = random.Random(1)
    with no_fallbacks():
        for name in BINARY:
            dtype = (
                "bool"
                if name.startswith(("equal", "not_", "less", "greater", "logical"))
                else "int64"
                if name.endswith(("cm", "cd", "shift"))
                else "float64"
            )
            dtype = "int64" if name.startswith("bitwise") else dtype
            x = np.asarray(operands_of(rng, name, dtype, (3, 4)))
            getattr(np, name).reduce(x, axis=1)
            getattr(np, name).accumulate(x, axis=1)


@pytest.mark.parametrize("name", BINARY)
def test_large(name: str) -> None:
    """Runs beside each other, lines in parallel, narrow columns."""
    rng = random.Random(3)
    for dtype in ("float64", "int32"):
        line = operands_of(rng, name, dtype, (997,))
        x = numpy.tile(line, 300)[: 40 * 5000]
        if name in ROUNDED:
            continue
        for shape in ((40, 5000), (5000, 40), (200000,), (66666, 3), (20, 20, 500)):
            y = x[: int(numpy.prod(shape))].reshape(shape)
            for axis in range(len(shape)):
                for method in ("reduce", "accumulate"):
                    with numpy.errstate(all="ignore"):
                        both(
                            lambda m, y, axis=axis, method=method: getattr(getattr(m, name), method)(y, axis=axis),
                            y,
                            name,
                            (name, dtype, shape, axis, method),
                        )


@pytest.mark.parametrize("name", [name for name in BINARY if name not in ("nextafter", "gcd", "lcm")])
def test_derivatives(name: str) -> None:
    if name.startswith(("bitwise", "logical", "left", "right", "equal", "not_", "less", "greater")):
        return
    rng = numpy.random.default_rng(len(name))
    x = rng.uniform(0.6, 1.4, (4, 3)) + numpy.arange(12).reshape(4, 3) % 5 / 100
    if name in CHOICES:
        x = rng.permutation(12).reshape(4, 3) / 3.0
    for axis in (0, 1):
        for method in ("accumulate", "reduce"):

            def f(y: Any, axis: int = axis, method: str = method) -> Any:
                return getattr(getattr(np, name), method)(y, axis=axis)

            check(f, [np.asarray(x)])
            check_tape(f, [np.asarray(x)])
            check_map(f, [np.asarray(numpy.stack([x, x[::-1]]))])


def test_the_first_of_equal_ones_has_the_derivative() -> None:
    x = np.array([1.0, 3.0, 3.0, 2.0, numpy.nan, 5.0, numpy.nan])
    assert np.grad(lambda x: np.sum(np.maximum.accumulate(x[:4])))(x).tolist() == [1, 3, 0, 0, 0, 0, 0]
    assert np.grad(lambda x: np.sum(np.where(np.isnan(x), 1.0, 0) * np.maximum.accumulate(x)))(x).tolist() == [0, 0, 0, 0, 2, 0, 0]
    y = np.array([numpy.nan, 3.0, numpy.nan, 3.0, 4.0])
    assert np.grad(lambda y: np.sum(np.fmax.accumulate(y)[1:]))(y).tolist() == [0, 3, 0, 0, 1]


def test_one_recording_serves_all_sizes() -> None:
    f = np.compile(lambda x: np.subtract.reduce(np.maximum.accumulate(x)), dynamic=True, fullgraph=True)
    for length in (3, 4, 7, 1000):
        x = numpy.random.default_rng(length).normal(size=length)
        assert f(np.asarray(x)) == numpy.subtract.reduce(numpy.maximum.accumulate(x))
    assert f.cache_info().misses <= 2


def test_gradients_of_gradients() -> None:
    x = np.array([1.2, 0.7, 1.9, 1.4])
    f = np.hessian(lambda x: np.divide.reduce(x) + np.sum(np.hypot.accumulate(x)))
    step = 1e-5
    slope = np.grad(lambda x: np.divide.reduce(x) + np.sum(np.hypot.accumulate(x)))
    for i in range(4):
        change = numpy.eye(4)[i] * step
        numpy.testing.assert_allclose(numpy.asarray(f(x))[i], (slope(x + change) - slope(x - change)) / (2 * step), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", ["fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor"])
def test_folds_are_fused(name: str) -> None:
    """Of what is computed on the way, in every dtype and along all axes."""
    for dtype in ("bool", *WHOLE, *FLOATS):
        if dtype[0] == "f" and name.startswith("bit"):
            continue
        x = some(random.Random(name + dtype), dtype, (7, 33, 5))
        for axis in (0, 1, 2, None, (0, 2)):
            call = lambda m, x, axis=axis: getattr(m, name).reduce(x == 1 if x.dtype.kind == "b" else x + x.dtype.type(1), axis=axis)  # noqa: E731
            both(call, x, name, (name, dtype, axis), compiled=True)


@pytest.mark.parametrize("name", BINARY)
def test_reduceat(name: str) -> None:
    rng = random.Random(name)
    for dtype in ("bool", "int8", "int64", "float32", "float64"):
        x = operands_of(rng, name, dtype, (6, 4))
        for axis, indices in ((0, [0, 2, 5]), (-1, [3, 1, 2, 2]), (0, [5]), (1, [0]), (0, [0, 6]), (0, [])):
            both(lambda m, x, axis=axis, indices=indices: getattr(m, name).reduceat(x, indices, axis=axis), x, name, (name, dtype, axis, indices))
            wanted = numpys(lambda m, x, axis=axis, indices=indices: getattr(m, name).reduceat(x, indices, axis=axis), x, "")
            if isinstance(wanted[0], tuple) or name in (*ROUNDED, *BROKEN) or not indices:
                continue
            with no_fallbacks(), numpy.errstate(all="ignore"):
                found = np.compile(lambda y, axis=axis, indices=indices: getattr(np, name).reduceat(y, indices, axis=axis), fullgraph=True)(np.asarray(x))
            same((found, []), (wanted[0], []), name, ("compiled", name, dtype, axis, indices))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract"])
def test_derivatives_of_slices(name: str) -> None:
    x = numpy.random.default_rng(3).permutation(24).reshape(6, 4) / 7 + 0.4

    def f(y: Any) -> Any:
        return getattr(np, name).reduceat(y, [0, 3, 1, 1], axis=0)

    check(f, [np.asarray(x)])
    check_map(f, [np.asarray(numpy.stack([x, x[::-1]]))])


def test_outer_with_options() -> None:
    x, y = numpy.arange(3.0), numpy.arange(4.0).reshape(2, 2)
    a, b = np.asarray(x), np.asarray(y)
    with no_fallbacks():
        assert np.add.outer(a, b, dtype="float32").dtype == numpy.float32
        out = np.zeros((3, 2, 2))
        assert np.multiply.outer(a, b, out=out) is out
        numpy.testing.assert_array_equal(numpy.asarray(out), numpy.multiply.outer(x, y))
        numpy.testing.assert_array_equal(numpy.asarray(np.less.outer(a, b)), numpy.less.outer(x, y))


def test_order_and_signature() -> None:
    x = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
    for order in "CFK":
        for given in (x, x.T, x[:, ::-1]):
            wanted = numpy.add(given, 1, order=order)
            with no_fallbacks():
                assert np.add(np.asarray(given), 1, order=order).strides == wanted.strides, order
                assert np.sqrt(np.asarray(given), order=order).strides == wanted.strides, order
    with no_fallbacks():
        assert np.add(np.arange(3), np.arange(3), signature="dd->d").dtype == numpy.float64
        assert np.sqrt(np.arange(3), signature="f->f", casting="unsafe").dtype == numpy.float32
    with pytest.raises(TypeError, match="Cannot cast"):
        np.add(np.arange(3.0), 1, signature="ii->i")
