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
