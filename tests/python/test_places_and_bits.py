"""Places in the elements of an array, and bits of bytes: as NumPy has them, outside of compiled functions and in them, with and without its help."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

RNG = numpy.random.default_rng(SEED)
CALLS: dict[str, Callable[..., Any]] = {}


def call(count: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for i in range(count):
            CALLS[f"{function.__name__}{i}"] = function
        return function

    return add


def shape_of(most: int = 4) -> tuple[int, ...]:
    return tuple(int(size) for size in RNG.integers(1, 6, int(RNG.integers(1, most))))


@call(6)
def unravel() -> tuple[Callable[..., Any], Any]:
    shape, order = shape_of(), RNG.choice(["C", "F"])
    places = RNG.integers(0, numpy.prod(shape), shape_of()).astype(RNG.choice(["i8", "i4", "u1"]))
    return lambda m, i: m.unravel_index(i, shape, order=order), (places,)


@call(8)
def ravel() -> tuple[Callable[..., Any], Any]:
    dims = shape_of()
    sizes = shape_of()
    mode = [str(RNG.choice(["raise", "wrap", "clip"])) for _ in dims]
    given = [RNG.integers(0 if way == "raise" else -9, size if way == "raise" else 9, sizes) for size, way in zip(dims, mode, strict=True)]
    order = RNG.choice(["C", "F"])
    return lambda m, *i: m.ravel_multi_index(i, dims, mode=tuple(mode), order=order), given


@call(6)
def pack() -> tuple[Callable[..., Any], Any]:
    x = (RNG.random(tuple(RNG.integers(1, 20, int(RNG.integers(1, 4))))) < 0.5).astype(RNG.choice(["?", "i4", "u1"]))
    axis = None if RNG.random() < 0.3 else int(RNG.integers(-x.ndim, x.ndim))
    order = RNG.choice(["big", "little"])
    return lambda m, x: m.packbits(x, axis=axis, bitorder=order), (x,)


@call(6)
def unpack() -> tuple[Callable[..., Any], Any]:
    x = RNG.integers(0, 256, shape_of(), dtype="u1")
    axis = None if RNG.random() < 0.3 else int(RNG.integers(-x.ndim, x.ndim))
    most = 8 * (x.size if axis is None else x.shape[axis])
    count = None if RNG.random() < 0.3 else int(RNG.integers(-most, most + 10))
    order = RNG.choice(["big", "little"])
    return lambda m, x: m.unpackbits(x, axis=axis, count=count, bitorder=order), (x,)


@call(6)
def counts() -> tuple[Callable[..., Any], Any]:
    x = RNG.integers(0, 9, int(RNG.integers(0, 30))).astype(RNG.choice(["i8", "i4", "u1"]))
    least = int(RNG.integers(0, 15))
    step = int(RNG.choice([1, 2, -1]))
    if RNG.random() < 0.5:
        return lambda m, x: m.bincount(x[::step], minlength=least), (x,)
    weights = RNG.random(x.size).astype(RNG.choice(["f8", "f4", "i8"]))
    return lambda m, x, w: m.bincount(x[::step], w[::step], minlength=least), (x, weights)


@call(4)
def products() -> tuple[Callable[..., Any], Any]:
    a, b = RNG.random((3, 4, 4)), RNG.random((3, 4))
    if RNG.random() < 0.5:
        a = a + 1j * a[::-1]
        b = b - 1j * b[::-1]
    name = RNG.choice(["matvec", "vecmat"])
    return (lambda m, a, b: m.matvec(a, b)) if name == "matvec" else (lambda m, a, b: m.vecmat(b, a)), (a, b)


@call(3)
def axes() -> tuple[Callable[..., Any], Any]:
    a = RNG.random((2, 3, 4))
    b = RNG.random((4, 2, 5))
    ways = [
        lambda m, a, b: m.matmul(a, b, axes=[(1, 2), (0, 2), (0, 1)]),
        lambda m, a, b: m.matmul(a, b, axes=[(1, 2), (0, 2), (-1, 0)]),
        lambda m, a, b: m.vecdot(a, a * 2, axis=1),
    ]
    return ways[int(RNG.integers(3))], (a, b)


@call(6)
def sums() -> tuple[Callable[..., Any], Any]:
    a, b = RNG.random((2, 3, 4)), RNG.random((2, 4, 3))
    ways = [
        lambda m, a, b: m.einsum("...ij,...jk->...ik", a, b),
        lambda m, a, b: m.einsum("...ij,...jk", a, b),
        lambda m, a, b: m.einsum("...j,j->...", a, b[0, :, 0]),
        lambda m, a, b: m.einsum(a, [0, 1, 2], b, [0, 2, 3]),
        lambda m, a, b: m.einsum(a, [0, 1, 2], b, [0, 2, 3], [3, 0]),
        lambda m, a, b: m.einsum(a, [Ellipsis, 1, 2], b, [Ellipsis, 2, 1], [Ellipsis]),
    ]
    return ways[int(RNG.integers(6))], (a, b)


@call(4)
def methods() -> tuple[Callable[..., Any], Any]:
    x = RNG.random((3, 4))
    condition = RNG.random(int(RNG.integers(1, 4))) < 0.5
    which = RNG.integers(0, 2, (3, 4))
    ways = [
        lambda m, x, i: x.compress(condition, axis=0),
        lambda m, x, i: x.compress(condition),
        lambda m, x, i: i.choose([x, x * 2]),
        lambda m, x, i: i.choose([x, x * 2], mode="clip"),
    ]
    return ways[int(RNG.integers(4))], (x, which)


def leaves(value: Any) -> list[Any]:
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, tuple) else [value]


def check(got: Any, want: Any, exact: bool) -> None:
    for mine, theirs in zip(leaves(got), leaves(want), strict=True):
        mine = numpy.asarray(mine)
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        if exact:
            numpy.testing.assert_array_equal(mine, theirs)
        else:
            numpy.testing.assert_allclose(mine, theirs, rtol=1e-13)


@pytest.mark.parametrize("told", ["", "error"])
@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, given = CALLS[name]()
    want = function(numpy, *given)
    exact = not name.startswith(("products", "axes", "sums"))
    if told:
        monkeypatch.setenv("FASTNP_FALLBACK", told)
    ours = [np.asarray(each) for each in given]
    check(function(np, *ours), want, exact)
    compiled = np.compile(lambda *given: function(np, *given))
    for _ in range(2):
        check(compiled(*ours), want, exact)


@pytest.mark.parametrize("told", ["", "warn"])
@pytest.mark.parametrize(
    "function",
    [
        lambda m: m.unravel_index([0, 7], (2, 3)),
        lambda m: m.unravel_index([-1], (2, 3)),
        lambda m: m.unravel_index([0.5], (2, 3)),
        lambda m: m.ravel_multi_index(([0, 2], [0, 0]), (2, 3)),
        lambda m: m.ravel_multi_index(([0], [0], [0]), (2, 3)),
        lambda m: m.packbits(m.array([0.5])),
        lambda m: m.packbits(m.array([True]), axis=1),
        lambda m: m.unpackbits(m.array([1, 2])),
        lambda m: m.unpackbits(m.array([1, 2], dtype="u1"), count=-17),
        lambda m: m.bincount(m.array([1, -1])),
        lambda m: m.bincount(m.array([[1]])),
        lambda m: m.bincount(m.array([1.5])),
        lambda m: m.bincount(m.array([2**63], dtype="u8")),
        lambda m: m.bincount(m.array([1]), minlength=-1),
        lambda m: m.bincount(m.array([1]), minlength=True),
        lambda m: m.unravel_index([0], (2, 3), order="K"),
        lambda m: m.unravel_index([1], ()),
        lambda m: m.ravel_multi_index((0, 1), (2, 3), ("raise",)),
        lambda m: m.ravel_multi_index(([0],) * 10, (1025,) * 10),
        lambda m: m.bincount(m.array([1, 2]), weights=m.array([1.0])),
        lambda m: m.bincount(m.array([1, 2]), weights=m.array([1j, 2])),
    ],
)
def test_errors_are_numpys(function: Callable[[Any], Any], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError)) as wanted:
            function(numpy)
        if told:
            monkeypatch.setenv("FASTNP_FALLBACK", told)
        with pytest.raises(wanted.type) as raised:
            function(np)
    assert str(raised.value) == str(wanted.value)


def test_negative_places_in_compiled_functions() -> None:
    counts = np.compile(lambda i: np.bincount(i))
    numpy.testing.assert_array_equal(counts(np.array([0, 2, 2])), [1, 0, 2])
    numpy.testing.assert_array_equal(counts(np.array([4])), [0, 0, 0, 0, 1])
    with pytest.raises(ValueError, match="'list' argument must have no negative elements"):
        counts(np.array([0, -1]))


def test_weights_have_a_derivative() -> None:
    places = np.array([0, 2, 2, 1])
    got = np.grad(lambda w: np.sum(np.bincount(places, w) * np.array([1.0, 2.0, 3.0])))(np.array([1.0, 1.0, 1.0, 1.0]))
    numpy.testing.assert_array_equal(got, [1.0, 3.0, 3.0, 2.0])


def test_many_places_by_all_threads() -> None:
    for count, most in ((300_000, 50), (300_000, 200_000), (1000, 3)):
        places = numpy.random.default_rng(SEED).integers(0, most, count)
        numpy.testing.assert_array_equal(np.bincount(np.asarray(places)), numpy.bincount(places))
        numpy.testing.assert_array_equal(np.bincount(np.asarray(places)[::3]), numpy.bincount(places[::3]))
