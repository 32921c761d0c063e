"""Subscripts of integer arrays, lists and masks outside of compiled functions: read, set and combined as NumPy does it, also where it lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from support import DTYPES, SEED

import fastnp as np
from fastnp._fallback import FallbackError

OPS = ["add", "subtract", "multiply", "maximum", "minimum", "divide", "fmax", "logical_or"]


def arrays(rng: numpy.random.Generator, count: int) -> Iterator[numpy.ndarray]:
    for _ in range(count):
        rank = int(rng.integers(1, 5))
        dtype = DTYPES[int(rng.integers(len(DTYPES)))]
        x = (rng.random(tuple(rng.integers(0 if rng.random() < 0.1 else 1, 6, rank))) * 100 - 50).astype("f8")
        with numpy.errstate(invalid="ignore"):
            x = (x + 1j * x[::-1]).astype(dtype) if dtype.kind == "c" else x.astype(dtype)
        ways = [
            lambda x: x,
            numpy.asfortranarray,
            lambda x: x.transpose(rng.permutation(x.ndim)),
            lambda x: numpy.repeat(x, 2, axis=0)[::2],
            lambda x: x[::-1],
        ]
        yield ways[int(rng.integers(len(ways)))](x)


def subscript(rng: numpy.random.Generator, x: numpy.ndarray) -> tuple[Any, ...]:
    """With at least one array of indices, a list or a mask."""
    key: list[Any] = []
    sizes = tuple(rng.integers(1, 4, int(rng.integers(0, 3))))
    for axis, length in enumerate(x.shape):
        kind = 4 if length == 0 else int(rng.integers(7))
        is_last = axis == x.ndim - 1 and not any(isinstance(each, (list, numpy.ndarray)) for each in key)
        if length and (kind <= 1 or is_last):
            shape = [size if rng.random() < 0.7 else 1 for size in sizes][int(rng.integers(0, len(sizes) + 1)) :]
            places = rng.integers(-length, length, shape).astype(rng.choice(["i8", "i4", "i1"]))
            places = numpy.asfortranarray(places) if rng.random() < 0.3 else places
            places = numpy.ascontiguousarray(places[..., ::-1])[..., ::-1] if places.ndim and rng.random() < 0.2 else places
            key.append(places.tolist() if rng.random() < 0.2 else places)
        elif kind == 2:
            key.append(slice(None, None, -1))
        elif kind == 3:
            key.append(int(rng.integers(-length, length)))
        elif kind == 4:
            key.append(rng.random(length) < 0.5)
        else:
            key.append(slice(0, length))
    if rng.random() < 0.2:
        key.insert(int(rng.integers(len(key) + 1)), None)
    return tuple(key)


def told(x: numpy.ndarray, key: tuple[Any, ...]) -> str:
    parts = [f"{each.dtype}{each.shape}{each.strides}" if isinstance(each, numpy.ndarray) else repr(each) for each in key]
    return f"{x.dtype} {x.shape} {x.strides} at {', '.join(parts)} (FASTNP_TEST_SEED={SEED})"


def bytes_after(act: Any, x: Any) -> Any:
    """Of an array that something is done to, or the error."""
    try:
        with numpy.errstate(all="ignore"):
            act(x)
    except FallbackError:
        return None
    except Exception as error:  # of every kind: both raise the same
        return type(error)
    return numpy.asarray(x).tobytes()


@pytest.fixture(params=["", "error"])
def own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is, and without what NumPy does for it."""
    if request.param:
        monkeypatch.setenv("FASTNP_FALLBACK", request.param)


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("draw", range(4))
def test_as_numpy(draw: int) -> None:
    rng = numpy.random.default_rng((SEED, draw))
    done = 0
    for x in arrays(rng, 300):
        key = subscript(rng, x)
        try:
            want = x[key]
        except IndexError:
            continue
        given = tuple(np.asarray(each) if isinstance(each, numpy.ndarray) and rng.random() < 0.5 else each for each in key)
        try:
            got = numpy.asarray(np.asarray(x)[given])
        except FallbackError:
            continue
        done += 1
        assert (got.dtype, got.shape, got.tobytes()) == (want.dtype, want.shape, want.tobytes()), told(x, key)
        assert got.strides == want.strides or got.size < 2 or 1 in got.shape, told(x, key)
        values: Any = (rng.random(want.shape) * 50).astype(x.dtype) if rng.random() < 0.7 else x.dtype.type(3)
        if isinstance(values, numpy.ndarray) and values.ndim and rng.random() < 0.3:
            values = values[..., :1]
        elif isinstance(values, numpy.ndarray) and values.ndim and rng.random() < 0.3:
            values = numpy.ascontiguousarray(values[::-1])[::-1]
        op = OPS[int(rng.integers(len(OPS)))]

        def set_to(a: Any, key: Any, values: Any = values) -> None:
            a[key] = values

        acts = [(set_to, set_to)]
        acts.append(
            (
                lambda a, key, op=op, values=values: getattr(numpy, op).at(a, key, values),
                lambda a, key, op=op, values=values: getattr(np, op).at(a, key, values),
            )
        )
        for of_numpy, of_fastnp in acts:
            expected = bytes_after(lambda a, act=of_numpy, key=key: act(a, key), x.copy(order="K"))
            found = bytes_after(lambda a, act=of_fastnp, key=given: act(a, key), np.asarray(x.copy(order="K")))
            assert found is None or found == expected, (op, numpy.shape(values), told(x, key))
    assert done > 150


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("kind", ["read", "set", "at"])
def test_errors_are_numpys_and_nothing_is_written(kind: str) -> None:
    x = numpy.arange(12.0).reshape(3, 4)
    bad: list[Any] = [
        ([0, 3], [0, 1]),
        ([0, 1], [0, -5]),
        (slice(None), [0, 4]),
        ([0, 1], [0, 1, 2]),
        numpy.array([[0], [3]]),
        ([0, 1], [True, False, True]),
    ]

    def act(module: Any, a: Any, key: Any) -> Any:
        if kind == "read":
            return a[key]
        if kind == "set":
            a[key] = 5.0
            return None
        return module.add.at(a, key, 5.0)

    for key in bad:
        with pytest.raises(IndexError) as wanted:
            act(numpy, x.copy(), key)
        mine = np.asarray(x.copy())
        with pytest.raises((IndexError, FallbackError)) as raised:
            act(np, mine, key)
        assert os.environ.get("FASTNP_FALLBACK") or str(raised.value) == str(wanted.value)
        numpy.testing.assert_array_equal(mine, x)


WRONG: list[Any] = [
    ([0, 1], 2**64 - 1),
    ([0, 1], 2**70),
    [2**70, 0],
    [2**64 - 1, 0],
    [2**63, -1],
    ([0, 1], [2**64 - 1, 0]),
    ([0, 1], numpy.timedelta64(1)),
    (7, numpy.zeros(0, int)),
    (7, numpy.zeros(4, bool)),
    (None,) * 63 + ([0],),
    numpy.asfortranarray([[0, 9], [8, 1]]),
    "a",
    [0.5],
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_no_index(number: int) -> None:
    key = WRONG[number]
    mine = np.zeros((3, 4))
    given = tuple(np.asarray(each) if isinstance(each, numpy.ndarray) else each for each in key) if isinstance(key, tuple) else key
    with pytest.raises((IndexError, OverflowError)) as wanted:
        numpy.zeros((3, 4))[key]
    with pytest.raises(wanted.type) as raised:
        mine[given]
    assert str(raised.value) == str(wanted.value)
    with pytest.raises((IndexError, OverflowError)) as wanted:
        numpy.zeros((3, 4))[key] = 1.0
    with pytest.raises(wanted.type) as raised:
        mine[given] = 1.0
    assert str(raised.value) == str(wanted.value) and not numpy.asarray(mine).any()


def test_masks_of_any_bytes() -> None:
    for count in (4, 40_000):
        bits = numpy.resize(numpy.array([0, 2, 1, 3], "u1"), count)
        theirs, mine = bits.view(bool), np.asarray(bits).view(bool)
        x = numpy.arange(2.0 * count).reshape(count, 2)
        numpy.testing.assert_array_equal(np.asarray(x)[mine], x[theirs])
        numpy.testing.assert_array_equal(np.asarray(x.T.copy())[:, mine], x.T[:, theirs])
        numpy.testing.assert_array_equal(np.asarray(x[:, 0].copy())[mine], x[theirs, 0])
        numpy.testing.assert_array_equal(np.nonzero(mine)[0], numpy.nonzero(theirs)[0])
        numpy.testing.assert_array_equal(np.nonzero(mine[::-1])[0], numpy.nonzero(theirs[::-1])[0])
        numpy.testing.assert_array_equal(np.asarray(x).compress(mine, axis=0), x.compress(theirs, axis=0))
        want, got = x.copy(), np.asarray(x.copy())
        want[theirs, 0] = 5.0
        got[mine, 0] = 5.0
        numpy.testing.assert_array_equal(got, want)


def test_what_is_set_may_be_what_it_is_taken_from() -> None:
    for key in ([2, 0, 1], (slice(None), [1, 0, 2]), ([0, 2, 1], [2, 1, 0])):
        x = numpy.arange(9.0).reshape(3, 3)
        mine = np.asarray(x.copy())
        source = x.T[0] if isinstance(key, tuple) and isinstance(key[0], list) else x.T
        ours = mine.T[0] if isinstance(key, tuple) and isinstance(key[0], list) else mine.T
        x[key] = source
        mine[key] = ours
        numpy.testing.assert_array_equal(mine, x)
    index = numpy.array([2, 0, 1, 1])
    mine = np.asarray(index.copy())
    index[index] = index.copy()
    mine[mine] = mine
    numpy.testing.assert_array_equal(mine, index)


def test_many_elements_by_all_threads() -> None:
    rng = numpy.random.default_rng(SEED)
    x = rng.random((600, 700))
    rows, columns = rng.integers(-600, 600, 900), rng.integers(-700, 700, 800)
    for key in ((rows[:, None], columns), (slice(None), columns), (slice(1, None), columns), rows, (rows[:700], columns[:700]), (x[:, 0] > 0.5, 3)):
        want, mine = x.copy(), np.asarray(x.copy())
        numpy.testing.assert_array_equal(mine[key], want[key])
        values = rng.random(want[key].shape)
        want[key] = values
        mine[key] = values
        numpy.testing.assert_array_equal(mine, want)
        want[key] = 1.5
        mine[key] = 1.5
        numpy.testing.assert_array_equal(mine, want)
