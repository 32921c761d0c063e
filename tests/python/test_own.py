"""Functions of _own.py, x.flat and x.sort() in recordings: NumPy's values, dtypes and errors, eager, compiled and differentiated, without NumPy."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

ROUNDS = 600 if LONG else 60


@pytest.fixture
def draw() -> random.Random:
    print("seed", SEED)
    return random.Random(SEED)


@pytest.fixture
def _told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTNP_FALLBACK", "error")


def array(draw: random.Random, least: int = 1, most: int = 3, size: int = 4, special: bool = False) -> numpy.ndarray[Any, Any]:
    shape = [draw.randint(1, size) for _ in range(draw.randint(least, most))]
    values = [draw.choice([0.0, 1.0, 2.0, -1.5, 3.0] + [numpy.nan, numpy.inf, -0.0] * special) for _ in range(int(numpy.prod(shape)))]
    x = numpy.array(values).reshape(shape)
    dtype = draw.choice(["f8", "f4", "i8", "i4", "u1", "?"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = (x if dtype[0] == "f" else numpy.nan_to_num(abs(x), posinf=7)).astype(dtype)
    return draw.choice([x, numpy.asfortranarray(x), x.T, x[::-1]])


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, IndexError, TypeError) as error:
        return type(error)


def agree(got: Any, want: Any) -> bool:
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(agree, got, want))
    if not isinstance(want, (numpy.ndarray, numpy.generic)):
        return bool(got == want)
    got = numpy.asarray(got)
    return bool(got.dtype == want.dtype and got.shape == want.shape and numpy.array_equal(got, want, equal_nan=got.dtype.kind == "f"))


def check(program: Callable[..., Any], *given: Any, compiles: bool = True, about: Any = None) -> None:
    want = outcome(lambda: program(numpy, *[each.copy() if isinstance(each, numpy.ndarray) else each for each in given]))

    def mine() -> list[Any]:
        return [np.array(each, order="K") if isinstance(each, numpy.ndarray) else each for each in given]

    ways = [lambda: program(np, *mine())]
    if compiles:
        compiled = np.compile(lambda *each: program(np, *each))
        ways += [lambda: compiled(*mine())] * 2
    for number, way in enumerate(ways):
        got = outcome(way)
        if isinstance(want, type):
            assert isinstance(got, type), (number, about, given, got, want)
        else:
            assert not isinstance(got, type) and agree(got, want), (number, about, given, got, want)


@pytest.mark.usefixtures("_told")
def test_views_by_strides() -> None:
    x = np.arange(10.0)
    view = np.lib.stride_tricks.as_strided(x, (3, 4), (16, 8))
    view[0, 3] = 50
    assert type(view) is np.ndarray and x[3] == 50 == view[1, 1]
    window = np.lib.stride_tricks.sliding_window_view(x, 4)
    x[0] = 9
    assert window[0, 0] == 9
    with pytest.raises(ValueError, match="read-only"):
        window[0, 0] = 1


@pytest.mark.usefixtures("_told")
def test_unique_along_an_axis(draw: random.Random) -> None:
    for _ in range(ROUNDS):
        x = array(draw, special=draw.random() < 0.3)
        axis = draw.randrange(-x.ndim, x.ndim)
        options = {name: True for name in ("return_index", "return_inverse", "return_counts") if draw.random() < 0.5}

        def unique(m: Any, x: Any, axis: int = axis, options: dict[str, bool] = options) -> Any:
            found = m.unique(x, axis=axis, **options)
            return (found[0] + x.dtype.type(0), *found[1:]) if options else found + x.dtype.type(0)  # of two zeros it is one by chance

        check(unique, x, about=(axis, options))


@pytest.mark.usefixtures("_told")
def test_what_is_made() -> None:
    check(lambda m, x: m.fromfunction(lambda i, j: i * 10 + j, (2, 3)) + x, numpy.ones(3))
    check(lambda m, x: m.fromfunction(lambda i, k: i + k + x[0], (3,), dtype="i4", k=2), numpy.ones(3))
    check(lambda m, x: m.fromiter((x[i] * 2 for i in range(3)), "f8"), numpy.arange(3.0))
    check(lambda m, x: m.fromiter(range(9), int, count=4) + x, numpy.arange(4))
    check(lambda m, x: m.fromiter(range(2), int, count=4) + x, numpy.arange(4))
    check(lambda m, x: m.frombuffer(b"12345678", "u1", 3, 2), 1, compiles=False)
    check(lambda m, x: m.frombuffer(b"1234567", "f8"), 1, compiles=False)
    assert not np.frombuffer(b"12345678").flags.writeable
    memory = bytearray(16)
    np.frombuffer(memory, "i8")[1] = 3
    assert memory[8] == 3
    for value in (3, -3, 2.5, 1e300, 3j, True, numpy.int16(3), numpy.arange(3, dtype="i2"), numpy.array(300)):
        assert np.min_scalar_type(value) == np.min_scalar_type(np.asarray(value)) == numpy.min_scalar_type(value)
    x = numpy.ones((3, 3))
    assert np.einsum_path("ij,jk,kl->il", x, x, x) == numpy.einsum_path("ij,jk,kl->il", x, x, x)


@pytest.mark.usefixtures("_told")
def test_dot_into_an_array() -> None:
    x = numpy.arange(6.0).reshape(2, 3)
    out = np.empty((2, 2))
    assert np.dot(np.asarray(x), x.T, out=out) is out and numpy.array_equal(out, x @ x.T)
    assert np.dot(out, out, out) is out and numpy.array_equal(out, (x @ x.T) @ (x @ x.T))


KEYS: list[Any] = [0, -1, 2, slice(None), slice(1, None, 2), slice(None, None, -1), [0, 1], numpy.array([1, 1, 0]), [], ..., numpy.int64(1)]


@pytest.mark.usefixtures("_told")
def test_flat_in_compiled_functions(draw: random.Random) -> None:
    for _ in range(ROUNDS):
        x = array(draw)
        key = draw.choice([*KEYS, numpy.arange(x.size) % 2 == 0, 99])
        value = draw.choice([7, [1, 2], [3], numpy.array([[4, 5], [6, 7]]), [] if isinstance(key, slice) else 8])  # (NumPy reads any memory for one)
        check(lambda m, x, key=key: x.flat[key] + 0 if not isinstance(key, list) or key else x.flat[key].shape, x, about=key)

        def stored(m: Any, x: Any, key: Any = key, value: Any = value) -> Any:
            y = x.copy()
            y.flat[key] = value
            return y

        is_right = not isinstance(outcome(lambda x=x, f=stored: f(numpy, x)), type)
        if is_right or isinstance(key, int):  # (of others what is wrong is another error)
            check(stored, x, about=(key, value))

        def all_of(m: Any, x: Any, value: Any = value) -> Any:
            y = x.copy()
            y.flat = value if value != [] else 1
            return y, [each + 1 for each in y.flat], len(y.flat), y.flat == 7

        if not isinstance(value, numpy.ndarray):
            check(all_of, x, about=value)


@pytest.mark.usefixtures("_told")
def test_sort_in_place_in_compiled_functions(draw: random.Random) -> None:
    for _ in range(ROUNDS):
        x = array(draw)
        axis = draw.choice([-1, 0, x.ndim - 1, 5])

        def ordered(m: Any, x: Any, axis: int = axis) -> Any:
            y = x.copy()
            part = y[::-1]
            none = part.sort(axis=axis)
            return y, none

        is_right = axis != 5
        check(ordered, x, compiles=is_right, about=axis)
    assert numpy.array_equal(np.grad(lambda x: (lambda y: (y.sort(), np.sum(y * np.arange(3.0)))[1])(x * 1))(numpy.array([3.0, 1.0, 2.0])), [2, 0, 1])
