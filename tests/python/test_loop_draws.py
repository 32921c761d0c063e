"""Random numbers in native loops: NumPy's numbers, and NumPy's state after them."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy
import pytest
from support import SEED
from test_array_loops import agree
from test_native_loops import programs_of

import fastnp as np

BITS = [numpy.random.PCG64, numpy.random.PCG64DXSM, numpy.random.MT19937, numpy.random.Philox, numpy.random.SFC64]


def numbers(rng, a, b, low, high, n, out):
    for i in range(n):
        out[i, 0] = rng.random()
        out[i, 1] = rng.uniform(a, a + b)
        out[i, 2] = rng.normal(a, b)
        out[i, 3] = rng.standard_normal()
        out[i, 4] = rng.exponential(b)
        out[i, 5] = rng.integers(low, high)
        out[i, 6] = rng.integers(i + 1) - rng.integers(0, 2**40)
        if rng.random() < math.exp(-abs(a)):
            out[i, 7] = rng.standard_exponential() + rng.random() * rng.random()
        drawn = rng.normal(size=3) + rng.uniform(a, a + 1, size=3)
        out[i, 8:] = drawn


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("module", [numpy, np])
def test_numbers_and_states(bits: Any, module: Any) -> None:
    compiled = np.compile(numbers, adaptive=False)
    chosen = numpy.random.default_rng([SEED, 1])
    for n in (40, 3, 0, 200):
        seed = int(chosen.integers(2**60))
        mine, theirs = (module.random.Generator(bits(seed)) for _ in range(2))
        if n == 3:  # half a word is left
            mine.integers(5), theirs.integers(5)
        a, b = chosen.normal(), chosen.exponential()
        low = int(chosen.integers(-50, 50))
        high = low + int(chosen.choice([1, 2, 7, 2**32 - 1, 2**32, 2**32 + 1, 2**50]))
        got, want = numpy.zeros((n, 11)), numpy.zeros((n, 11))
        compiled(mine, a, b, low, high, n, got)
        numbers(theirs, a, b, low, high, n, want)
        assert numpy.array_equal(got, want), f"seed {seed}, {n} turns"
        assert [mine.random(), mine.integers(3)] == [theirs.random(), theirs.integers(3)]
    assert programs_of(compiled)


def test_the_global_one() -> None:
    def walk(n, width):
        x, kept = 0.0, numpy.empty(n)
        for i in range(n):
            x += numpy.random.uniform(-width, width)
            if numpy.random.rand() < 0.25:
                x = numpy.random.random_sample() - numpy.random.random()
            kept[i] = x
        return kept

    compiled = np.compile(walk, adaptive=False)
    for n in (5, 100, 0, 5):
        numpy.random.seed(SEED % 2**32)
        want = walk(n, 0.5)
        after = numpy.random.rand()
        numpy.random.seed(SEED % 2**32)
        assert numpy.array_equal(compiled(n, 0.5), want)
        assert numpy.random.rand() == after
    assert programs_of(compiled)


def test_errors_are_numpys() -> None:
    def scaled(seed, scale, n):
        rng, total = numpy.random.default_rng(seed), 0.0
        for i in range(n):
            total += rng.random()
            total += rng.normal(0.0, scale - i)
        return total, rng.random()

    compiled = np.compile(scaled, adaptive=False)
    for scale in (5.0, 1.5, -1.0, 0.0, -0.0, math.inf, math.nan):
        agree(compiled, (SEED, scale, 3), f"scale {scale}")
    assert programs_of(compiled)


def test_types_of_numbers() -> None:
    def kinds(rng):
        a, b, c = 0.0, 0, numpy.zeros(2)
        for _ in range(2):
            a, b, c = rng.random(), rng.integers(9), rng.random(size=2)
        return a, b, c

    compiled = np.compile(kinds, adaptive=False)
    for _ in range(3):
        got, want = compiled(numpy.random.default_rng(SEED)), kinds(numpy.random.default_rng(SEED))
        assert [type(each) for each in got] == [type(each) for each in want]
        assert got[:2] == want[:2]
        assert numpy.array_equal(got[2], want[2])
    assert programs_of(compiled)


def test_threads_draw_in_turn() -> None:
    """Each number is drawn once, whichever thread gets it."""

    def drawn(rng, out):
        for i in range(len(out)):
            out[i] = rng.random()

    compiled = np.compile(drawn, adaptive=False)
    compiled(numpy.random.default_rng(0), numpy.zeros(3))
    rng, parts = numpy.random.default_rng(SEED), [numpy.zeros(5000) for _ in range(8)]
    threads = [threading.Thread(target=compiled, args=(rng, part)) for part in parts]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert numpy.array_equal(numpy.sort(numpy.concatenate(parts)), numpy.sort(numpy.random.default_rng(SEED).random(40000)))
    assert programs_of(compiled)


def legacy(state, a, b, low, high, n, out):
    for i in range(n):
        out[i, 0] = state.normal(a, b)
        if state.rand() < 0.5:
            out[i, 1] = state.randn()
        out[i, 2] = state.standard_normal() * state.random_sample()
        out[i, 3] = state.exponential(b) + state.standard_exponential()
        out[i, 4] = state.randint(low, high)
        out[i, 5] = state.randint(i + 1) - state.randint(0, 2**40)
        out[i, 6:] = state.normal(a, b, size=3) + state.randn(3)


def of_the_global_one(unused, a, b, low, high, n, out):
    for i in range(n):
        out[i, 0] = numpy.random.normal(a, b)
        if numpy.random.rand() < 0.5:
            out[i, 1] = numpy.random.randn()
        out[i, 2] = numpy.random.standard_normal() * numpy.random.random_sample()
        out[i, 3] = numpy.random.exponential(b) + numpy.random.standard_exponential()
        out[i, 4] = numpy.random.randint(low, high)
        out[i, 5] = numpy.random.randint(i + 1) - numpy.random.randint(0, 2**40)
        out[i, 6:] = numpy.random.normal(a, b, size=3) + numpy.random.randn(3)


@pytest.mark.parametrize("kind", ["numpy", "fastnp", "global", *BITS])
def test_random_states(kind: Any) -> None:
    """Pairs of normal numbers are kept from call to call, in and out of loops."""
    body = of_the_global_one if kind == "global" else legacy
    compiled = np.compile(body, adaptive=False)
    chosen = numpy.random.default_rng([SEED, 2])
    for n in (40, 3, 0, 200, 1):
        seed, low = int(chosen.integers(2**32)), int(chosen.integers(-50, 50))
        high = low + int(chosen.choice([1, 2, 7, 8, 2**32 - 1, 2**32, 2**32 + 1, 2**50]))
        a, b, told = chosen.normal(), chosen.exponential(), []
        for function in (compiled, body):
            if kind == "global":
                numpy.random.seed(seed)
                state: Any = numpy.random
            elif type(kind) is str:
                state = {"numpy": numpy, "fastnp": np}[kind].random.RandomState(seed)
            else:
                state = numpy.random.RandomState(kind(seed))
            out = numpy.zeros((n, 9))
            if n != 3:
                state.randn()  # the other one is left
            function(None if kind == "global" else state, a, b, low, high, n, out)
            told.append((out, state.randn(), state.rand(), state.get_state(legacy=False)["gauss"]))
        (got, *after), (want, *expected) = told
        assert numpy.array_equal(got, want), f"seed {seed}, {n} turns, {low} to {high}: {numpy.argwhere(got != want)[:3]}"
        assert after == expected, f"seed {seed}, {n} turns"
    assert programs_of(compiled)


def test_what_a_random_state_lacks() -> None:
    def drawn(state, n):
        total = 0
        for _ in range(n):
            total += state.integers(5)
        return total

    compiled = np.compile(drawn, adaptive=False)
    assert compiled(numpy.random.default_rng(1), 5) == drawn(numpy.random.default_rng(1), 5)
    with pytest.raises(AttributeError):
        compiled(numpy.random.RandomState(1), 5)

    def empty(state, low, n):
        total = 0
        for _ in range(n):
            total += state.randint(low, 5)
        return total, type(state.randint(low, 5))

    compiled = np.compile(empty, adaptive=False)
    for low in (0, 4, 5, 9):
        mine, theirs = (numpy.random.RandomState(SEED % 2**32) for _ in range(2))
        if low < 5:
            assert compiled(mine, low, 3) == empty(theirs, low, 3)
        else:
            with pytest.raises(ValueError, match="low >= high"):
                compiled(mine, low, 3)
        assert mine.rand() == theirs.rand()
    assert programs_of(compiled)


def paths(state, x, mu, sigma, count, width):
    path = numpy.zeros((count + 1, len(x)))
    path[0] = x
    for i in range(count):
        path[i + 1] = path[i] + mu * path[i] - sigma * path[i] * state.standard_normal(len(x))
        path[i + 1] += sigma * state.uniform(size=width)
        path[i + 1, 1:] *= state.uniform() * path[0, 1:]
        x = path[i] * state.normal(size=width) + x
    return path, x


@pytest.mark.parametrize("make", [numpy.random.RandomState, numpy.random.default_rng])
def test_arrays_that_are_drawn_are_stored(make: Any) -> None:
    """What does not fit is found before anything is drawn, and raised after it, as in NumPy."""
    compiled = np.compile(paths, adaptive=False)
    for length, width, count in ((5, 5, 8), (5, 1, 3), (1, 1, 3), (5, 4, 3), (1, 4, 3), (4, 1, 0), (3, 3, 1)):
        mine, theirs = make(SEED % 2**32), make(SEED % 2**32)
        x = numpy.random.default_rng(SEED).random(length)
        want: Any
        try:
            want = paths(theirs, x, 0.1, 0.3, count, width)
        except ValueError as error:
            with pytest.raises(ValueError) as raised:
                compiled(mine, x, 0.1, 0.3, count, width)
            assert str(raised.value) == str(error)
        else:
            got = compiled(mine, x, 0.1, 0.3, count, width)
            assert all(numpy.array_equal(a, b) for a, b in zip(got, want, strict=True)), f"{length}, {width}, {count}"
        assert mine.uniform() == theirs.uniform(), f"{length}, {width}, {count}"
    assert programs_of(compiled)
