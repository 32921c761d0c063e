"""ufunc.at: any ufunc, dtype, subscript and values; eager, compiled, mapped and differentiated. NumPy's results, and its errors."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from support import quietly

import fastnp as np

BINARY = [
    *["add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "floor_divide", "arctan2", "hypot", "left_shift"],
    *["logical_and", "less", "copysign", "bitwise_and", "remainder", "fmax", "equal", "ldexp"],
]
UNARY = ["negative", "sqrt", "absolute", "sin", "logical_not", "isnan", "square", "invert", "sign", "exp"]
DTYPES = ["?", "i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
NUMBERS = [2, 0, 1, -1, 300, 2.5, 0.1, 1j, True, 1.0, 2**31, 2**40, 2**63, 2**70]


def keys(x: numpy.ndarray, draw: random.Random) -> Any:
    """A subscript for x, and whether it depends on its values."""
    some = numpy.array([draw.randrange(-x.shape[0], x.shape[0]) for _ in range(draw.choice([1, 2, 3]))])
    one = int(some[0])
    choices: list[Any] = [one, slice(None), slice(0, None, 2), slice(None, None, -1), ..., None, (one, ...), (..., 0), some.tolist(), some, (some,)]
    choices += [numpy.array(one), numpy.int32(one), (None, some), (), numpy.array([some, some]).tolist(), x != 3, (slice(None),) * x.ndim]
    if x.ndim > 1:
        choices += [(some, [0] * len(some)), (one, [0, 0]), (slice(None), [0, 0]), (some, slice(None)), (one, 0), (slice(None), 0), (some, None)]
        choices += [(x.reshape(x.shape[0], -1)[:, 0] != 3, 0)]
    if x.ndim > 2:
        choices += [(some, slice(None), [0] * len(some)), (one, slice(None), [0, 0])]
    return draw.choice(choices)


def values(shape: tuple[int, ...], draw: random.Random) -> Any:
    dtype = draw.choice(DTYPES)
    kind = draw.choice(["number", "number", "scalar", "array", "no axes", "row"])
    if kind == "number":
        return draw.choice(NUMBERS)
    if kind == "scalar":
        return numpy.dtype(dtype).type(3)
    shape = {"array": shape, "no axes": (), "row": shape[1:]}[kind]
    return numpy.asarray((numpy.arange(int(numpy.prod(shape))).reshape(shape) % 3 + 1).astype(dtype))


def outcome(function: Any, *args: Any) -> Any:
    try:
        return quietly(function, *args)
    except Exception as error:
        return type(error)


def alike(got: Any, want: Any) -> bool:
    if isinstance(got, type) or isinstance(want, type):
        return got is want
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    got = numpy.asarray(got)
    return bool(
        got.tobytes() == want.tobytes()
        or (want.dtype.kind in "fc" and numpy.allclose(got, want, rtol=1e-3 if want.itemsize == 2 else 1e-6, equal_nan=True))
    )


@pytest.mark.parametrize("way", ["eager", "compiled", "mapped"])
def test_at(way):
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    done = 0
    while done < 60:
        shape = tuple(draw.choice([1, 2, 3]) for _ in range(draw.choice([1, 2, 3])))
        x = (numpy.arange(int(numpy.prod(shape))).reshape(shape) * 3 % 7).astype(draw.choice(DTYPES))
        key, name = keys(x, draw), draw.choice(BINARY + UNARY)
        args = () if name in UNARY else (values(x[key].shape, draw),)
        in_place = draw.random() < 0.5
        if name == "power" and args and args[0] is NUMBERS[-1]:  # powers of 2**70, which are objects, have no end
            continue

        def program(m: Any, x: Any, *args: Any, key: Any = key, name: str = name, in_place: bool = in_place) -> Any:
            y = x if in_place else x.copy()
            if m is numpy and args and 0 < numpy.ndim(args[0]) < y[key].ndim and numpy.ndim(y) == 1:  # NumPy 2.4 reads behind it
                args = (numpy.broadcast_to(args[0], y[key].shape).copy(),)
            getattr(m, name).at(y, key, *args)
            return y

        want = outcome(program, numpy, x.copy(), *args)
        if way == "mapped":
            if in_place or isinstance(want, type) or (args and args[0] is NUMBERS[-1]):  # 2**70, which NumPy makes an object of: it can't be mapped
                continue
            got = outcome(np.vmap(lambda x, *args: program(np, x, *args), in_axes=(0, *[None] * len(args))), np.array([x, x]), *args)
            got = got if isinstance(got, type) else got[1]
        elif way == "compiled":
            got = outcome(np.compile(lambda x, *args: program(np, x, *args)), np.array(x), *args)
        else:
            got = outcome(program, np, np.array(x), *args)
        assert alike(got, want), f"seed {seed}: {name}.at({x!r}, {key!r}, {args!r}), {way}: {got!r} where NumPy has {want!r}"
        done += 1


@pytest.mark.parametrize("dtype", ["u1", "i8", "f4", "f8", "c8"])
def test_operands_of_fewer_axes_than_the_index(dtype: str) -> None:
    """They are repeated, outside of compiled functions as well, where NumPy 2.4 reads what lies behind them."""
    for key in ([[0, 1, 2], [0, 1, 3]], numpy.array([[0, 1, 2], [0, 1, 3]]), (numpy.array([[0, -3, 2], [0, 1, -1]]),)):
        for function in (lambda x, v, key=key: np.add.at(x, key, v), np.compile(lambda x, v, key=key: np.add.at(x, key, v))):
            x = np.array(numpy.zeros(4, dtype))
            function(x, np.array(numpy.array([1, 2, 3], dtype)))
            assert numpy.array_equal(numpy.asarray(x), numpy.array([2, 4, 3, 3], dtype))
    with pytest.raises(ValueError, match="broadcast"):
        np.add.at(np.array(numpy.zeros(4, dtype)), [[0, 1, 2], [0, 1, 3]], np.array(numpy.ones(2, dtype)))


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "power", "hypot", "arctan2", "logaddexp", "maximum", "negative", "sqrt", "sin", "square"])
def test_derivatives(name):
    """Against differences, where an index is named once and where several times."""
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    x, v = numpy.array([1.5, 2.5, 0.7, 1.1]), numpy.array([1.2, 0.8, 2.0])
    weights = numpy.arange(1.0, 5.0)
    for key in (2, slice(1, None), numpy.array([True, False, True, True]), [draw.randrange(4) for _ in range(3)], [3, 3, 3]):

        def loss(m: Any, x: Any, v: Any, key: Any = key) -> Any:
            y = x * 1.0
            getattr(m, name).at(y, key, *(() if name in UNARY else (v[0] if isinstance(key, int) else v,)))
            return (y * y * weights).sum()

        for place in range(1 if name in UNARY else 2):
            want = []
            for i in range((x, v)[place].size):
                up, down = [x.copy(), v.copy()], [x.copy(), v.copy()]
                up[place][i] += 1e-6
                down[place][i] -= 1e-6
                want.append((loss(numpy, *up) - loss(numpy, *down)) / 2e-6)
            gradient = np.grad(lambda x, v: loss(np, x, v), argnums=place)
            forward = np.jacfwd(lambda x, v: loss(np, x, v), argnums=place)
            for way in (gradient, np.compile(gradient), forward):
                got = numpy.asarray(way(np.array(x), np.array(v)))
                assert numpy.allclose(got, want, rtol=1e-4, atol=1e-4), f"seed {seed}: {name}.at(..., {key!r}), argument {place}: {got} for {want}"


def test_numbers_are_not_weak():
    """The exponent is a float64, to which the elements are converted, and the power is rounded to theirs."""
    x = numpy.linspace(0.1, 2, 500, dtype="f4")
    want = numpy.power(x.astype("f8"), 0.3).astype("f4")

    def program(x: Any) -> Any:
        y = x.copy()
        np.power.at(y, np.arange(500), 0.3)
        return y

    assert numpy.array_equal(program(np.array(x)), want)
    assert numpy.array_equal(np.compile(program)(np.array(x)), want)
