"""The short ways that calls on small arrays take (python/elements.h, picks.h, by_numpy.h): NumPy's values, types, layouts and errors."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
ROUNDS = 400


@pytest.fixture
def rng() -> random.Random:
    return random.Random(SEED)


def made(rng: random.Random, rank: int, dtype: str | None = None) -> numpy.ndarray[Any, Any]:
    """An array that lies in any way."""
    if rank == 0:
        return numpy.array(rng.randrange(100)).astype(dtype or rng.choice(DTYPES))
    shape = [rng.choice([0, 1, 2, 3, 4, 7]) if rng.random() < 0.3 else rng.randrange(1, 6) for _ in range(rank)]
    whole = numpy.array([rng.randrange(-3, 100) for _ in range(int(numpy.prod([2 * size for size in shape])))])
    x = whole.reshape([2 * size for size in shape]).astype(dtype or rng.choice(DTYPES))
    x = x[tuple(slice(None, None, 2) if rng.random() < 0.3 else slice(size) for size in shape)]
    x = x[tuple(slice(None, None, -1) if rng.random() < 0.2 else slice(None) for _ in shape)]
    if rng.random() < 0.3:
        x = x.transpose(rng.sample(range(rank), rank))
    return x if rng.random() < 0.4 else x.copy(order=rng.choice("CFK"))


def shared(x: numpy.ndarray[Any, Any]) -> Any:
    """The same elements in the same layout, in fastnp's array over memory of its own."""
    base = x if x.base is None else x.base
    copied = base.copy(order="K")
    offset = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    if x.size == 0:
        return np.asarray(x.copy(order="K"))
    return np.asarray(numpy.ndarray(x.shape, x.dtype, copied.ravel(order="K"), offset, x.strides))


def entry(rng: random.Random, size: int) -> Any:
    def number() -> Any:
        found = rng.randrange(-size - 1, size + 2) if rng.random() < 0.1 else rng.randrange(-size, max(size, 1 - size))
        return rng.choice([int, int, numpy.int64, numpy.int32, numpy.uint8 if found >= 0 else int])(found)

    def bound() -> Any:
        return None if rng.random() < 0.4 else rng.randrange(-size - 2, size + 3)

    kinds: list[Callable[[], Any]] = [
        number,
        number,
        lambda: slice(bound(), bound(), rng.choice([None, None, 1, 2, -1, -3, 1 << 40])),
        lambda: slice(None),
        lambda: None,
        lambda: Ellipsis,
        lambda: numpy.array([int(number()) for _ in range(rng.randrange(4))], rng.choice(["i8", "i8", "i4"])),
        lambda: [int(number()) for _ in range(rng.randrange(4))],
        lambda: rng.choice([True, numpy.True_, 1.5, "a", 1 << 70]),
        lambda: numpy.array([rng.random() < 0.5 for _ in range(size)]),
    ]
    return rng.choices(kinds, [6, 6, 4, 2, 1, 1, 3, 2, 0.3, 2])[0]()


def key_for(rng: random.Random, x: numpy.ndarray[Any, Any]) -> Any:
    if x.ndim and rng.random() < 0.15:
        return numpy.array([rng.random() < 0.5 for _ in range(x.size)], bool).reshape(x.shape)
    parts = [entry(rng, x.shape[min(i, x.ndim - 1)] if x.ndim else 0) for i in range(rng.randrange(1, x.ndim + 2))]
    return parts[0] if len(parts) == 1 and rng.random() < 0.8 else tuple(parts)


def own_key(rng: random.Random, key: Any) -> Any:
    if type(key) is tuple:
        return tuple(own_key(rng, each) for each in key)
    return np.asarray(key) if isinstance(key, numpy.ndarray) and rng.random() < 0.7 else key


def outcome(call: Callable[[], Any]) -> Any:
    """What it gives, or its error and warnings."""
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            found = call()
        except Exception as error:
            return type(error), str(error)
    return found, sorted({str(each.message) for each in met})


def check(mine: Any, theirs: Any, about: Any) -> None:
    if isinstance(theirs, tuple) and isinstance(theirs[0], type):
        assert isinstance(mine, tuple) and mine == theirs, (about, mine, theirs)
        return
    (a, told), (b, said) = mine, theirs
    assert told == said, (about, told, said)
    if isinstance(b, numpy.ndarray):
        assert type(a) is np.ndarray and a.dtype == b.dtype and a.shape == b.shape, (about, a, b)
        assert a.strides == b.strides or b.size == 0, (about, a.strides, b.strides)
        assert numpy.asarray(a).tobytes() == b.tobytes(), (about, a, b)
    else:
        assert type(a) is type(b) and repr(a) == repr(b), (about, a, b)


def test_elements_and_parts(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        x = made(rng, rng.randrange(4))
        y, key = shared(x), key_for(rng, x)
        theirs, mine_key = outcome(lambda x=x, key=key: x[key]), own_key(rng, key)
        check(outcome(lambda y=y, key=mine_key: y[key]), theirs, (x, key))
        part = theirs[0]
        if isinstance(part, numpy.ndarray) and numpy.shares_memory(part, x):
            y[key][...] = 1
            part[...] = 1
            assert numpy.asarray(y).tobytes() == x.tobytes(), (x, key)
            assert y[key].base is not None


VALUES: list[Callable[[random.Random], Any]] = [
    lambda rng: rng.choice([0, 1, -1, 127, 255, 300, -129, 1 << 24, (1 << 24) + 1, 1 << 53, (1 << 53) + 1, 1 << 63, 1 << 64, -(1 << 63)]),
    lambda rng: rng.choice([0.0, -0.0, 1.5, -2.5, 1e-310, 1e-40, 1e39, 1e308, float("inf"), float("nan"), 3.4028235677973366e38]),
    lambda rng: rng.choice([True, False, numpy.True_, 1j, 1 + 0j]),
    lambda rng: rng.choice([numpy.float64, numpy.float32, numpy.int64, numpy.int8, numpy.uint64, numpy.complex128])(rng.randrange(100)),
    lambda rng: rng.choice([None, "a", [1], [1, 2], (1,), {}]),
    lambda rng: made(rng, 1),
]


def test_what_is_set(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        x = made(rng, rng.randrange(4))
        y, key, value = shared(x), key_for(rng, x), rng.choice(VALUES)(rng)
        if rng.random() < 0.4:  # one that fits
            try:
                value = made(rng, numpy.ndim(x[key]), x.dtype.str[1:])
                value = numpy.resize(value, numpy.shape(x[key])) if value.size else value
            except (IndexError, ValueError, TypeError):
                pass
        if rng.random() < 0.1:
            x.flags.writeable = False
            y.flags.writeable = False
        mine_value = np.asarray(value) if isinstance(value, numpy.ndarray) and rng.random() < 0.7 else value
        theirs = outcome(lambda x=x, key=key, value=value: x.__setitem__(key, value))
        mine_key = own_key(rng, key)
        mine = outcome(lambda y=y, key=mine_key, value=mine_value: y.__setitem__(key, value))
        if x.flags.writeable:
            check(mine, theirs, (x, key, value))
        else:  # of several things that are wrong either may be told of
            assert isinstance(mine[0], type) == isinstance(theirs[0], type), (x, key, value)
        assert numpy.asarray(y).tobytes() == x.tobytes(), (x, key, value)


def test_parts_of_an_array_set_to_others(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        x = made(rng, rng.randrange(1, 3))
        y = shared(x)
        key, other = (rng.choice([slice(None, -1), slice(1, None), slice(None, None, -1), slice(None)]) for _ in range(2))
        theirs = outcome(lambda x=x, key=key, other=other: x.__setitem__(key, x[other]))
        check(outcome(lambda y=y, key=key, other=other: y.__setitem__(key, y[other])), theirs, (x, key, other))
        assert numpy.asarray(y).tobytes() == x.tobytes(), (x, key, other)
        if x.dtype != bool:
            x[key] += x.dtype.type(1)
            y[key] += x.dtype.type(1)
            assert numpy.asarray(y).tobytes() == x.tobytes(), (x, key)


def test_iteration_and_numbers(rng: random.Random) -> None:
    for _ in range(ROUNDS // 4):
        x = made(rng, rng.randrange(4), rng.choice(DTYPES[:-2]))
        y = shared(x)
        for call in (lambda a: list(a)[:2], lambda a: a.tolist(), lambda a: a.item(), lambda a: a.item(rng.randrange(-2, 2)), lambda a: float(a)):
            state = rng.getstate()
            theirs = outcome(lambda x=x, call=call: call(x))
            rng.setstate(state)
            mine = outcome(lambda y=y, call=call: call(y))
            assert repr(mine).replace("array", "") == repr(theirs).replace("array", ""), (x, mine, theirs)
        iterator = iter(y) if y.ndim else iter([])
        assert sum(1 for _ in iterator) == (len(x) if x.ndim else 0) and next(iterator, 7) == 7


def test_shapes_of_views(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        x = made(rng, rng.randrange(4))
        y = shared(x)
        sizes = [rng.choice([-1, 0, 1, 2, 3, x.size, *x.shape]) for _ in range(rng.randrange(1, 4))]
        for call in (
            lambda a, sizes=sizes: a.reshape(*sizes),
            lambda a, sizes=sizes: a.reshape(sizes),
            lambda a, sizes=sizes: a.reshape(tuple(sizes)),
            lambda a: a.T,
            lambda a: a.transpose(),
            lambda a: a.ravel(),
        ):
            theirs = outcome(lambda x=x, call=call: call(x))
            mine = outcome(lambda y=y, call=call: call(y))
            check(mine, theirs, (x.shape, x.strides, sizes))
            if isinstance(theirs[0], numpy.ndarray) and x.size:
                assert numpy.shares_memory(theirs[0], x) == numpy.shares_memory(numpy.asarray(mine[0]), numpy.asarray(y))


def item(rng: random.Random, depth: int) -> Any:
    if depth == 0 or rng.random() < 0.05:
        kinds = [1.5, 2, -3, True, 1 << 62, 1 << 63, 1 << 70, numpy.float64(2.5), numpy.int64(4), numpy.float32(1), numpy.True_, 2j, "a", None]
        return rng.choices(kinds, [9, 9, 3, 2, 1, 0.3, 0.3, 2, 2, 0.4, 0.4, 0.4, 0.2, 0.2])[0]
    length = rng.randrange(1, 4) if rng.random() < 0.9 else 0
    same = rng.random() < 0.8
    first = item(rng, depth - 1)
    return rng.choice([list, tuple])([first if same else item(rng, depth - 1) for _ in range(length)])


def test_arrays_of_lists(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        given, dtype = item(rng, rng.randrange(1, 4)), rng.choice([None, None, float, int, bool, "f4", "u1"])
        theirs = outcome(lambda given=given, dtype=dtype: numpy.array(given, dtype=dtype))
        if isinstance(theirs[0], numpy.ndarray) and theirs[0].dtype.kind not in "?iufc":
            continue
        mine = outcome(lambda given=given, dtype=dtype: np.array(given, dtype=dtype))
        if isinstance(theirs[0], type):
            assert isinstance(mine[0], type), (given, dtype, mine, theirs)
        else:
            check(mine, theirs, (given, dtype))


def test_draws() -> None:
    calls: list[Callable[[Any], Any]] = [
        lambda r: r.rand(),
        lambda r: r.rand(3),
        lambda r: r.randn(2, 2),
        lambda r: r.random(),
        lambda r: r.uniform(1, 2, (2, 3)),
        lambda r: r.normal(0, 2, size=4),
        lambda r: r.randint(10),
        lambda r: r.randint(0, 10, 3),
        lambda r: r.choice(5, 2),
        lambda r: r.permutation(5),
    ]
    np.random.seed(SEED)
    theirs = numpy.random.RandomState(SEED)
    for call in calls * 2:
        check((call(np.random), []), (call(theirs), []), call)
    mine, other = np.random.default_rng(SEED), numpy.random.default_rng(SEED)
    more: list[Callable[[Any], Any]] = [
        lambda r: r.random(),
        lambda r: r.random(3, dtype="f4"),
        lambda r: r.standard_normal((2, 2)),
        lambda r: r.integers(9),
    ]
    for generated in more * 2:
        check((generated(mine), []), (generated(other), []), generated)
    x = np.arange(9)
    y = numpy.arange(9)
    mine.shuffle(x)
    other.shuffle(y)
    bound, numpys = mine.random, other.random
    assert numpy.array_equal(x, y) and bound() == numpys() and numpy.array_equal(bound(out=np.zeros(2)), numpys(2))
    into = np.zeros(3)
    assert mine.random(None, "f8", into) is into and numpy.array_equal(into, other.random(3))
    assert np.random.Generator.random(mine) == other.random()
    with pytest.raises(TypeError):
        mine.random("a")
    assert mine.random() == other.random() and "Draw" in np.random.rand.__doc__ or "fastnp" in np.random.rand.__doc__


def test_functions_that_only_numpy_has(rng: random.Random) -> None:
    calls: list[Callable[[Any, Any], Any]] = [
        lambda m, x: m.partition(x, 2),
        lambda m, x: m.partition(x, 2, axis=-1),
        lambda m, x: m.bincount(m.asarray([1, 2, 1])),
        lambda m, x: m.histogram(x, 3),
        lambda m, x: m.einsum("i,i->", x, x),
        lambda m, x: m.einsum("i->i", x),
        lambda m, x: m.trim_zeros(x),
        lambda m, x: m.partition(x, 99),
        lambda m, x: m.packbits(x > 1),
        lambda m, x: m.linalg.norm(x),
        lambda m, x: m.linalg.norm(x * 1e200),
        lambda m, x: m.linalg.norm(x, 1),
        lambda m, x: m.dot(x, x[::-1]),
        lambda m, x: m.dot(x, x[1:]),
    ]
    for call in calls:
        x = numpy.array([rng.randrange(9) for _ in range(5)], "f8")
        mine, theirs = outcome(lambda x=x, call=call: call(np, np.asarray(x))), outcome(lambda x=x, call=call: call(numpy, x))
        if not isinstance(theirs[0], tuple):
            check(mine, theirs, (x, call))
        else:
            for a, b in zip(mine[0], theirs[0], strict=True):
                check((a, []), (b, []), (x, call))
    y = np.zeros(3)
    np.add.at(y, np.array([0, 0, 2]), 1.0)
    assert y.tolist() == [2, 0, 1]


def test_recordings_and_tapes_take_the_general_way() -> None:
    def f(x: Any) -> Any:
        y = x.copy()
        y[1] = 2.0
        y[np.array([0, 2])] = x[1]
        return y.reshape(3, 1).T[0, 2] * x[0] + x[x > 1].sum() + sum(v * v for v in x)

    given = numpy.array([1.5, 2.5, 3.5])
    wanted = f(np.array(given))
    assert float(np.compile(f)(np.array(given))) == pytest.approx(float(wanted))
    x = np.array(given)
    x.requires_grad = True
    assert x[1].requires_grad and x.T.requires_grad and x.reshape(3, 1).requires_grad and x[np.array([0, 1])].requires_grad
    with pytest.raises(RuntimeError):
        x[0] = 1.0
    with pytest.raises(RuntimeError):
        x[np.array([0])] = 1.0
    (x[0] * x[1]).backward()
    assert x.grad.tolist() == [2.5, 1.5, 0]


def test_takes_of_places_that_are_none() -> None:
    for dtype in ("int8", "int32", "float64", "complex128"):
        x, places = numpy.arange(7).astype(dtype), numpy.random.default_rng(SEED).integers(-20, 20, 5000)
        for mode in ("clip", "wrap"):
            assert numpy.array_equal(np.take(np.asarray(x), np.asarray(places), mode=mode), numpy.take(x, places, mode=mode)), (dtype, mode)
        with pytest.raises(IndexError, match="out of bounds"):
            np.take(np.asarray(x), np.asarray(places))
