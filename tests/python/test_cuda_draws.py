"""Random numbers drawn on a CUDA device: NumPy's, bit for bit, and the generator's state after each draw.

Run as test_cuda.py.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import fastnp as np
from fastnp import _core, _draws

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

KINDS = [numpy.random.PCG64, numpy.random.PCG64DXSM, numpy.random.Philox]
INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
Rng = Any


@pytest.fixture(autouse=True)
def every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws of any size are worth a kernel."""
    monkeypatch.setattr(_draws, "LEAST", 1)


def state_of(rng: Rng) -> str:
    return repr(rng.bit_generator.state)


def bits_of(x: numpy.ndarray) -> numpy.ndarray:
    """With one NaN for all: which one comes out is the machine's."""
    return numpy.where(numpy.isnan(x), numpy.array(numpy.nan, x.dtype), x) if x.dtype.kind == "f" else x


def same(found: Any, expected: Any) -> None:
    found, expected = (bits_of(numpy.asarray(x)) for x in (found, expected))
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes(), f"{(found != expected).sum()} of {found.size} differ"


def follow(rng: Rng, reference: numpy.random.Generator, draw: Callable[[Rng], Any], there: bool = True) -> None:
    """The same from both, and the same states; of what is drawn on the device nothing was copied to or from it but what that takes."""
    with np.device("cuda"):
        found = draw(rng)
    if there:
        assert found.device.startswith("cuda")
    expected = draw(reference)
    assert state_of(rng) == state_of(reference)
    same(found, expected)


def both(kind: Any, seed: int = 0) -> tuple[Rng, numpy.random.Generator]:
    return np.random.Generator(kind(seed)), numpy.random.Generator(kind(seed))


def with_a_half(*generators: Rng) -> None:
    """Has each keep half of a draw."""
    for each in generators:
        each.integers(0, 10, dtype=numpy.int32)


def bounds_of(dtype: str) -> Iterator[tuple[int, int]]:
    """Powers of two, all, few, and those of which half of the pieces are left out."""
    if dtype == "bool":
        yield 0, 2
        return
    low, high = int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)
    yield low, high + 1
    yield low, high
    yield 3, 19
    yield 3, 103
    yield low, low + (high - low) // 2 + 2
    if numpy.dtype(dtype).itemsize == 8:
        yield 5, 5 + 2**32
        yield 5, 5 + 2**32 - 1
        yield 5, 5 + 2**31 + 1
        yield 5, 6 + 2**32
        yield 5, 3 * 2**61


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(kind: Any, dtype: str) -> None:
    rng, reference = both(kind)
    for low, high in bounds_of(dtype):
        for size in (1, 3, 1000, 20_001):
            follow(rng, reference, lambda g, low=low, high=high, size=size: g.integers(low, high, size, dtype=dtype))
        with_a_half(rng, reference)
        follow(rng, reference, lambda g, low=low, high=high: g.integers(low, high - 1, (37, 5), dtype, endpoint=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 5, (3, 7), 4096, 4097, 30_000, (2, 30_001)])
def test_reals(kind: Any, size: Any) -> None:
    rng, reference = both(kind, 3)
    for draw in REALS:
        follow(rng, reference, lambda g, draw=draw: draw(g, size))
        with_a_half(rng, reference)
        follow(rng, reference, lambda g, draw=draw: draw(g, size))


REALS = [
    lambda g, size: g.random(size),
    lambda g, size: g.random(size, dtype=numpy.float32),
    lambda g, size: g.random(size=size, dtype="f4"),
    lambda g, size: g.uniform(size=size),
    lambda g, size: g.uniform(-3, 5.5, size),
    lambda g, size: g.uniform(numpy.float32(0.1), high=numpy.array(7), size=size),
    lambda g, size: g.uniform(2, 2, size),
    lambda g, size: g.standard_normal(size),
    lambda g, size: g.standard_normal(size, dtype=numpy.float32),
    lambda g, size: g.normal(size=size),
    lambda g, size: g.normal(1.5, 0.25, size),
    lambda g, size: g.normal(3, 0, size),
    lambda g, size: g.standard_exponential(size),
    lambda g, size: g.standard_exponential(size, numpy.float32),
    lambda g, size: g.exponential(size=size),
    lambda g, size: g.exponential(2.5, size),
    lambda g, size: g.choice(1000, size),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_entry_of_the_tables(kind: Any, dtype: str) -> None:
    """So many numbers that each layer, its wedge, and the tails with more than one attempt come up."""
    rng, reference = both(kind, 11)
    follow(rng, reference, lambda g: g.standard_normal(3_000_000, dtype=dtype))
    follow(rng, reference, lambda g: g.standard_exponential(3_000_000, dtype=dtype))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_sequences(kind: Any, seed: int) -> None:
    """Draws on the device, on the host, by NumPy from the same bit generator, after jumps and advances."""
    order = numpy.random.default_rng(seed)
    rng, reference = both(kind, seed)
    for _ in range(40):
        size = int(order.integers(0, 6_000)) * int(order.integers(1, 3))
        what = int(order.integers(0, 6))
        if what == 0:
            dtype = INTEGERS[int(order.integers(len(INTEGERS)))]
            low, high = list(bounds_of(dtype))[int(order.integers(len(list(bounds_of(dtype)))))]
            follow(rng, reference, lambda g, low=low, high=high, size=size, dtype=dtype: g.integers(low, high, size, dtype), size > 0)
        elif what == 1:
            with_a_half(rng, reference)
        elif what == 2:
            same(numpy.random.Generator(rng.bit_generator).random(3), reference.random(3))
        elif what == 3:
            same(rng.gamma(2.0, size=5), reference.gamma(2.0, size=5))
        elif what == 4 and size % 3 == 0:
            for each in (rng, reference):
                each.bit_generator.advance(size + 1)
        else:
            draw = REALS[int(order.integers(len(REALS)))]
            follow(rng, reference, lambda g, draw=draw, size=size: draw(g, size), size > 0)


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_children(kind: Any) -> None:
    rng, reference = both(kind, 5)
    for child, other in zip(rng.spawn(2), reference.spawn(2), strict=True):
        follow(child, other, lambda g: g.normal(size=5000))
    pairs = [
        (np.random.Generator(rng.bit_generator.jumped()), numpy.random.Generator(reference.bit_generator.jumped())),
        (pickle.loads(pickle.dumps(rng)), pickle.loads(pickle.dumps(reference))),
        (np.random.Generator(copy.deepcopy(rng.bit_generator)), numpy.random.Generator(copy.deepcopy(reference.bit_generator))),
    ]
    for each, other in pairs:
        follow(each, other, lambda g: g.integers(0, 77, 3000, dtype=numpy.int8))
        follow(each, other, lambda g: g.random(3000, dtype=numpy.float32))
    follow(rng, reference, lambda g: g.random(10))


def test_states_at_their_ends() -> None:
    """Counters that overflow, buffers in all places, and those that no draws made."""
    for counter in ([2**64 - 2, 2**64 - 1, 2**64 - 1, 7], [2**64 - 1] * 4):
        for position in range(5):
            rng, reference = both(numpy.random.Philox, 1)
            for each in (rng, reference):
                state = each.bit_generator.state
                state["state"]["counter"] = numpy.array(counter, dtype=numpy.uint64)
                state["buffer"] = numpy.arange(4, dtype=numpy.uint64) * 2**62 + 12345
                state["buffer_pos"] = position
                each.bit_generator.state = state
            for count in (1, 2, 3, 4, 5, 9, 5000):
                follow(rng, reference, lambda g, count=count: g.random(count))
                follow(rng, reference, lambda g, count=count: g.random(count, dtype=numpy.float32))
                follow(rng, reference, lambda g, count=count: g.standard_normal(count))
    for number in (0, 2**128 - 1):
        rng, reference = both(numpy.random.PCG64, 1)
        for each in (rng, reference):
            state = each.bit_generator.state
            state["state"] = {"state": number, "inc": 2**128 - 1}
            each.bit_generator.state = state
        follow(rng, reference, lambda g: g.random(5000))


@pytest.mark.parametrize("close", [1e-6, 1e-5, 1e-4, 1e-3, 0.5])
def test_what_is_close_is_decided_by_the_host(monkeypatch: pytest.MonkeyPatch, close: float) -> None:
    """By more launches; and where that were too much the host draws."""
    outcomes = []

    def draw(*args: Any) -> Any:
        drawn = _core._draw(*args, close=close)
        outcomes.append(drawn is not None)
        return drawn

    class Core:
        _draw = staticmethod(draw)

    monkeypatch.setattr(_draws, "_core", Core)
    for seed in range(3):
        rng, reference = both(numpy.random.PCG64, seed)
        for dtype in ("float32", "float64"):
            follow(rng, reference, lambda g, dtype=dtype: g.standard_normal(150_000, dtype=dtype), close < 1e-3)
            follow(rng, reference, lambda g, dtype=dtype: g.standard_exponential(150_000, dtype=dtype), close < 1e-3)
    assert all(outcomes) if close < 1e-3 else not any(outcomes)


def given(rng: Rng, *arrays: Any) -> Any:
    """Arrays as a generator's draw is given them: fastnp's are on the device."""
    made = [np.asarray(x).to("cuda") if isinstance(rng, np.random.Generator) else numpy.asarray(x) for x in arrays]
    return made[0] if len(made) == 1 else made


MEANS, SCALES = numpy.linspace(-3, 3, 7), numpy.array([[0.5], [2], [0], [1e300]])
PEOPLE = numpy.arange(60, dtype=numpy.float32).reshape(5, 4, 3)
WEIGHTS = numpy.array([0.1, 0, 0.4, 0.3, 0.2])
OF_ARRAYS: list[Callable[[Rng], Any]] = [
    lambda g: g.normal(given(g, MEANS), 2),
    lambda g: g.normal(given(g, MEANS), given(g, SCALES)),
    lambda g: g.normal(MEANS, given(g, SCALES), (50, 4, 7)),
    lambda g: g.normal(given(g, 3), given(g, numpy.float32(0.1)), 40),
    lambda g: g.normal(given(g, MEANS).sum(), given(g, MEANS).max(), 40),
    lambda g: g.normal(numpy.array([-0.0, 0.0, numpy.nan, numpy.inf]), 0, (1000, 4)),
    lambda g: g.normal(0, given(g, numpy.array([numpy.nan, 1, numpy.inf])), (100, 3)),
    lambda g: g.normal(numpy.arange(4), numpy.array([True, False, True, True]), (100, 4)),
    lambda g: g.uniform(given(g, MEANS), 5),
    lambda g: g.uniform(*given(g, MEANS, MEANS + 1), (500, 7)),
    lambda g: g.uniform(low=-4, high=given(g, MEANS.astype(numpy.float32)), size=(500, 7)),
    lambda g: g.exponential(given(g, SCALES), (4, 100)),
    lambda g: g.exponential(numpy.array([1, 2]), (100, 2)),
    lambda g: g.choice(given(g, PEOPLE), (20, 3)),
    lambda g: g.choice(given(g, PEOPLE), 33, axis=1),
    lambda g: g.choice(PEOPLE, 33, axis=-1),
    lambda g: g.choice(numpy.arange(5), 500, p=WEIGHTS),
    lambda g: g.choice(5, (100, 3), p=WEIGHTS),
    lambda g: g.choice(5, (100, 3), True, given(g, WEIGHTS)),
    lambda g: g.choice(given(g, PEOPLE), 50, p=[0.2] * 5),
]


@pytest.mark.parametrize("number", range(len(OF_ARRAYS)))
def test_arrays_of_parameters(number: int) -> None:
    rng, reference = both(numpy.random.PCG64, 6)
    with numpy.errstate(all="ignore"):
        follow(rng, reference, OF_ARRAYS[number])
    follow(rng, reference, lambda g: g.random(1001, dtype=numpy.float32))


def test_draws_are_made_where_arguments_are() -> None:
    rng, reference = both(numpy.random.PCG64, 6)
    mean, out = np.asarray(MEANS).to("cuda"), np.zeros(5000).to("cuda")
    for drawn, expected in (
        (rng.normal(mean, 2, (100, 7)), reference.normal(MEANS, 2, (100, 7))),
        (rng.choice(mean, 500), reference.choice(MEANS, 500)),
        (rng.random(out=out), reference.random(out=numpy.zeros(5000))),
        (rng.uniform(high=mean.max(), size=500), reference.uniform(high=MEANS.max(), size=500)),
    ):
        assert drawn.device == mean.device
        same(drawn, expected)
    assert rng.random(500).device == "cpu"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_into_arrays(name: str, dtype: str) -> None:
    rng, reference = both(numpy.random.PCG64DXSM, 6)
    for shape in ((5000,), (60, 70)):
        mine, theirs = np.zeros(shape, dtype).to("cuda"), numpy.zeros(shape, dtype)
        for size in (None, shape):
            with np.device("cuda"):
                found = getattr(rng, name)(size, dtype=dtype, out=mine)
            assert found is mine and mine.device.startswith("cuda")
            same(mine, getattr(reference, name)(size, dtype=dtype, out=theirs))
            assert state_of(rng) == state_of(reference)
        for wrong in (mine[::2], mine.reshape(-1)[:10], np.zeros(shape, "int32"), np.zeros(shape[::-1], dtype).T):
            other = numpy.asarray(wrong)
            for generator, out in ((reference, other), (rng, wrong)):
                outcome: Any
                with np.device("cuda"):
                    try:
                        outcome = numpy.asarray(getattr(generator, name)(dtype=dtype, out=out)).tobytes()
                    except (ValueError, TypeError) as error:
                        outcome = type(error), str(error)
                if generator is reference:
                    expected = outcome
            assert outcome == expected
            assert state_of(rng) == state_of(reference)


HOSTS = [
    lambda g: g.random(),
    lambda g: g.random(0),
    lambda g: g.random((4, 0)),
    lambda g: g.integers(5),
    lambda g: g.integers(5, 6, 100),
    lambda g: g.integers([3, 4], 9, (50, 2)),
    lambda g: g.integers(numpy.array([3, 4]), 9, (50, 2)),
    lambda g: g.normal([0.0, 1.0], 1, (50, 2)),
    lambda g: g.standard_exponential(100, method="inv"),
    lambda g: g.random(out=numpy.empty(40)),
    lambda g: g.standard_normal(out=numpy.empty(40, numpy.float32), dtype=numpy.float32),
    lambda g: g.normal(numpy.nan, 1, 20),
    lambda g: g.gamma(1.5, size=40),
    lambda g: g.permutation(50),
    lambda g: g.choice([1, 2, 3], 20),
    lambda g: g.choice(10, 5, replace=False),
    lambda g: numpy.frombuffer(g.bytes(33), numpy.uint8),
]


@pytest.mark.parametrize("number", range(len(HOSTS)))
def test_other_draws_are_numpys(number: int) -> None:
    rng, reference = both(numpy.random.PCG64, 9)
    follow(rng, reference, lambda g: g.random(1001, dtype=numpy.float32))
    follow(rng, reference, HOSTS[number], there=False)
    follow(rng, reference, lambda g: g.random(1001, dtype=numpy.float32))


@pytest.mark.parametrize("kind", [numpy.random.MT19937, numpy.random.SFC64])
def test_other_generators_are_numpys(kind: Any) -> None:
    rng, reference = both(kind, 9)
    for draw in REALS:
        with np.device("cuda"):
            same(draw(rng, 100), draw(reference, 100))
    assert state_of(rng) == state_of(reference)


WRONG: list[Callable[[Rng], Any]] = [
    lambda g: g.random(-1),
    lambda g: g.random((3, -1)),
    lambda g: g.random(3, dtype=numpy.int32),
    lambda g: g.random(2.5),
    lambda g: g.random(3, 4, 5, 6),
    lambda g: g.random(3, sort=True),
    lambda g: g.uniform(1, 0, 9),
    lambda g: g.uniform(0, numpy.inf, 9),
    lambda g: g.uniform("a", 1, 9),
    lambda g: g.normal(0, -1, 9),
    lambda g: g.normal(0, -0.0, 9),
    lambda g: g.exponential(-1, 9),
    lambda g: g.integers(5, 5, 9),
    lambda g: g.integers(0, 300, 9, dtype=numpy.int8),
    lambda g: g.integers(-1, 5, 9, dtype=numpy.uint8),
    lambda g: g.integers(0, 5, 9, dtype=float),
    lambda g: g.integers(0, 5, 9, dtype=">i4"),
    lambda g: g.standard_exponential(9, dtype=numpy.float16),
    lambda g: g.choice(0, 9),
    lambda g: g.choice(numpy.ones((3, 4)), 9, axis=2),
    lambda g: g.choice(numpy.ones(0), 9),
    lambda g: g.choice(3, 9, p=[0.5, 0.6, 0.1]),
    lambda g: g.choice(3, 9, p=[0.5, 0.5]),
    lambda g: g.choice(3, 9, p=[0.5, -0.5, 1]),
    lambda g: g.normal(numpy.zeros(3), -numpy.ones(3)),
    lambda g: g.normal(numpy.zeros(3), 1, (3, 4)),
    lambda g: g.normal(numpy.zeros((2, 3)), 1, 3),
    lambda g: g.normal(numpy.zeros(3) * 1j, 1),
    lambda g: g.uniform(numpy.zeros(3), numpy.array([1, 2, -1])),
    lambda g: g.uniform(numpy.zeros(3), numpy.array([1, 2, numpy.inf])),
    lambda g: g.exponential(numpy.array([1, -1])),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_are_numpys(number: int) -> None:
    rng, reference = both(numpy.random.PCG64)
    with pytest.raises(Exception) as expected:  # noqa: PT011  # whatever NumPy raises
        WRONG[number](reference)
    with np.device("cuda"), pytest.raises(type(expected.value)) as found:
        WRONG[number](rng)
    assert str(found.value) == str(expected.value)
    assert state_of(rng) == state_of(reference)


def test_small_draws_are_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_draws, "LEAST", 1000)
    rng, reference = both(numpy.random.PCG64)
    with np.device("cuda"):
        before = np.cuda.statistics().launches
        same(rng.random(999), reference.random(999))
        assert np.cuda.statistics().launches == before
    follow(rng, reference, lambda g: g.random(1000))
    assert np.cuda.statistics().launches > before


def test_other_streams_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a NumPy drew otherwise, the first draw of each kind would show it."""
    monkeypatch.setattr(_draws, "_right", {})
    rng, reference = both(numpy.random.PCG64, 8)
    follow(rng, reference, lambda g: g.integers(-7, 93, 1000))
    by_numpy = _draws._by_numpy

    def other(generator: Any, wanted: Any, count: int) -> Any:
        numbers = by_numpy(generator, wanted, count)
        numbers[-1] += 1
        return numbers

    monkeypatch.setattr(_draws, "_by_numpy", other)
    for draw in REALS[:-1]:
        follow(rng, reference, lambda g, draw=draw: draw(g, 1000), there=False)
        with np.device("cuda"):
            assert isinstance(rng.random(10), np.ndarray) and rng.random(10).device == "cpu"
            reference.random(20)
    follow(rng, reference, lambda g: g.integers(5, 77, 1000))  # which was found right before


def test_nothing_is_copied() -> None:
    rng = np.random.default_rng(0)
    with np.device("cuda"):
        rng.random(10)  # the first draw of its kind is compared with NumPy's
        before = np.cuda.statistics()
        x = rng.random(1_000_000) + rng.uniform(1, 2, 1_000_000)
        now = np.cuda.statistics()
    assert x.device.startswith("cuda")
    assert now.downloads == before.downloads  # and so nobody waited
    assert now.uploaded_bytes - before.uploaded_bytes < 100_000


@pytest.mark.skipif(len(np.cuda.devices()) < 2, reason="there is one device")
def test_other_devices() -> None:
    rng, reference = both(numpy.random.PCG64, 4)
    for name in ("cuda:1", "cuda:0", "cuda:1"):
        with np.device(name):
            x, y = rng.standard_normal(5000), rng.integers(0, 2**40, 5000)
        assert x.device == y.device == name
        same(x, reference.standard_normal(5000))
        same(y, reference.integers(0, 2**40, 5000))


def test_threads() -> None:
    """One generator for all, whose draws come one after the other; and one for each."""
    shared, reference = both(numpy.random.PCG64, 4)
    found: list[Any] = []

    def draw(seed: int) -> None:
        own, other = both(KINDS[seed % 3], seed)
        for _ in range(5):
            follow(own, other, lambda g: g.standard_normal(10_000))
            with np.device("cuda"):
                found.append(numpy.asarray(shared.random(1_000)))

    threads = [threading.Thread(target=draw, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = [reference.random(1_000).tobytes() for _ in range(20)]
    assert sorted(each.tobytes() for each in found) == sorted(expected)
    assert state_of(shared) == state_of(reference)


def by_sums(g: Rng, x: Any) -> Any:
    """A course of several, found by values that are drawn; a run that ends early draws once all the same."""
    y = x + g.normal(size=x.shape)
    return y * g.random(x.shape) if y.sum() > 0 else y


def in_loop(g: Rng, x: Any) -> Any:
    for _ in range(3):
        x = x * 0.5 + g.standard_normal(x.shape)
    return x


def written(g: Rng, x: Any) -> Any:
    y = g.random(x.shape)
    y[1:] += y[:-1]
    y *= 2
    return y, y[::2]


COMPILED: list[Callable[[Rng, Any], Any]] = [
    lambda g, x: g.random(x.shape),
    lambda g, x: x + g.random(x.shape),
    lambda g, x: (x + g.normal(size=x.shape), g.integers(0, 100, x.shape), g.random() + 1),
    lambda g, x: numpy.where(g.random(x.shape) < 0.5, x, 0) / 0.5,
    lambda g, x: x[g.integers(0, x.shape[0], x.shape[0])],
    lambda g, x: g.standard_exponential(x.shape, dtype=numpy.float32).reshape(-1, 1)[1:] * 2,
    lambda g, x: x * g.uniform(-1, 1, x.shape) + g.gamma(2.0, size=x.shape),
    by_sums,
    in_loop,
    written,
]


@pytest.mark.parametrize("number", range(len(COMPILED)))
@pytest.mark.parametrize("numpys", [False, True])
def test_compiled_functions(number: int, numpys: bool) -> None:
    """In a scope, and where an argument is at home on the device; the first call records, later ones run; sizes vary; NumPy's generators, too."""
    function = COMPILED[number]
    for in_scope in (True, False):
        reference = numpy.random.default_rng(3)
        rng: Rng = numpy.random.default_rng(3) if numpys else np.random.default_rng(3)
        compiled = np.compile(lambda x, rng=rng: function(rng, x))
        for size in (1000, 1000, 5001, 7003, 1000):
            x = numpy.linspace(-1, 1, size)
            if in_scope:
                with np.device("cuda"):
                    found = compiled(np.asarray(x))
            else:
                found = compiled(np.asarray(x).to("cuda"))
            expected = function(reference, x)
            for one, other in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
                if isinstance(other, numpy.ndarray):
                    assert one.device.startswith("cuda")
                numpy.testing.assert_array_almost_equal_nulp(numpy.asarray(one), numpy.asarray(other), 0 if number < 6 else 4)
            assert state_of(rng) == state_of(reference)
        assert compiled.cache_info().uncompiled == 0


@pytest.mark.parametrize("in_scope", [True, False])
def test_draws_of_compiled_functions_stay_there(in_scope: bool) -> None:
    rng, reference = both(numpy.random.PCG64)
    compiled = np.compile(lambda x: (rng.random(400_000) * x, rng.uniform(1, 2, 400_000)))
    x = np.asarray(numpy.full(400_000, 0.5)).to("cuda")
    with np.device("cuda") if in_scope else contextlib.nullcontext():
        compiled(x)
        before = np.cuda.statistics()
        found = compiled(x)
        now = np.cuda.statistics()
    assert now.downloads == before.downloads
    assert now.uploaded_bytes - before.uploaded_bytes < 100_000
    for _ in range(2):
        expected = reference.random(400_000) * 0.5, reference.uniform(1, 2, 400_000)
    for one, other in zip(found, expected, strict=True):
        same(one, other)
    assert state_of(rng) == state_of(reference)


def test_what_was_drawn_is_nobody_elses() -> None:
    """Results that are draws themselves are written to, and drawn anew by the next call."""
    rng, reference = both(numpy.random.PCG64)
    compiled = np.compile(lambda: rng.random(5000))
    with np.device("cuda"):
        first = compiled()
        first[:] = 0
        second = compiled()
        first += 1
    reference.random(5000)
    same(second, reference.random(5000))
    same(first, numpy.ones(5000))


def test_calls_that_start_over_put_streams_back() -> None:
    """The draws of a function that raises are those of the function as written."""
    rng, reference = both(numpy.random.Philox)

    def function(g: Rng, m: Any, x: Any) -> Any:
        noise = g.standard_normal(x.shape)
        return m.linalg.inv(x + 0 * noise)

    compiled = np.compile(lambda x: function(rng, np, x))
    for matrix in (numpy.eye(40), numpy.ones((40, 40)), numpy.eye(40) * 2):
        results = []
        for run in (lambda x=matrix: compiled(np.asarray(x).to("cuda")), lambda x=matrix: function(reference, numpy, x)):
            try:
                results.append(numpy.asarray(run()))
            except numpy.linalg.LinAlgError as error:
                results.append(numpy.array(str(error)))
        assert results[0].shape == results[1].shape
        assert state_of(rng) == state_of(reference)


def test_mapped_draws() -> None:
    rng, reference = both(numpy.random.PCG64)
    x = numpy.arange(12.0).reshape(3, 4)
    mapped = np.compile(np.vmap(lambda row: row + rng.normal(size=4)))
    with np.device("cuda"):
        found = mapped(x)
    expected = numpy.stack([row + reference.normal(size=4) for row in x])
    numpy.testing.assert_allclose(numpy.asarray(found), expected)
    assert state_of(rng) == state_of(reference)
