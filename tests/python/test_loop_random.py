"""Python's module `random` in native loops: its numbers, and its state after them."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy
import pytest
from support import SEED
from test_array_loops import agree
from test_native_loops import programs_of, same

import fastnp as np


def everything(rng, a, b, n, x, out):
    for i in range(n):
        out[i, 0] = rng.random()
        out[i, 1] = rng.uniform(a, b)
        out[i, 2] = rng.gauss(a, b)
        out[i, 3] = rng.expovariate(0.5)
        out[i, 4] = rng.randrange(i + 1)
        out[i, 5] = rng.randint(-3, i)
        out[i, 6] = rng.randrange(2, 2**40) - rng.randint(0, 2**32)
        if rng.random() < math.exp(-abs(a)):
            out[i, 7] = rng.choice([-1.0, 1.0, 0.5]) + rng.gauss(0.0, 1)
        out[i, 8] = rng.choice(x)
        out[i, 9] = rng.choice((-1, 1)) * rng.random()


@pytest.mark.parametrize("is_global", [False, True])
def test_numbers_and_states(is_global: bool) -> None:
    compiled, chosen = np.compile(everything, adaptive=False), random.Random(SEED)
    for n in (40, 3, 0, 200, 700):
        seed, a, b = chosen.getrandbits(60), chosen.gauss(0, 1), chosen.expovariate(1)
        found = []
        for function in (everything, compiled):
            rng: Any = random if is_global else random.Random()
            rng.seed(seed)
            if n == 3:
                rng.gauss(0, 1)  # its second number is left
            out = numpy.zeros((n, 10))
            function(rng, a, b, n, numpy.arange(7.0) * a, out)
            found.append((out, rng.getstate(), rng.random()))
        assert numpy.array_equal(found[1][0], found[0][0]), f"seed {seed}, {n} turns"
        assert found[1][1:] == found[0][1:]
    assert programs_of(compiled)


def test_by_their_names() -> None:
    from random import gauss, randint, uniform

    def walk(n: Any) -> Any:
        x, hits = 0.0, 0
        for _ in range(n):
            x += uniform(-1.0, 1.0) + gauss(0.0, 0.1)
            hits += randint(1, 6) == 6
            if random.random() < 0.1:
                x = 0.0
        return x, hits

    compiled = np.compile(walk, adaptive=False)
    for n in (5, 100, 0, 7):
        random.seed(SEED)
        want, after = walk(n), random.random()
        random.seed(SEED)
        assert same(compiled(n), want)
        assert random.random() == after
    assert programs_of(compiled)


def test_errors_and_other_functions() -> None:
    def drawn(low: Any, high: Any, rate: Any) -> Any:
        rng, s = random.Random(3), 0.0
        for _ in range(5):
            s += rng.random()
            s += rng.randrange(low, high)
            s += rng.expovariate(rate)
        return s, rng.random()

    def other(n: Any) -> Any:
        rng, s = random.Random(3), 0.0
        for i in range(n):
            s += rng.triangular(0.0, 1.0)
            if s > 3:
                s -= rng.betavariate(1 + i, 2)
        return s, rng.random()

    compiled = np.compile(drawn, adaptive=False)
    for arguments in ((0, 3, 1.0), (3, 3, 1.0), (3, 1, 1.0), (0, 2.5, 1.0), (0, 3, 0.0), (0, 3, 2), (True, 3, -1.5), (0, 2**70, 1.0)):
        agree(compiled, arguments, str(arguments))
    assert programs_of(compiled)
    for n in (20, 3, 20):
        agree(np.compile(other, adaptive=False), (n,))


def test_subclasses_are_their_own() -> None:
    class Half(random.Random):
        def random(self) -> float:
            return 0.5

    def total(rng: Any, n: Any) -> Any:
        s = 0.0
        for _ in range(n):
            s += rng.random()
            if s > 2:
                s = 0.0
        return s

    compiled = np.compile(total, adaptive=False)
    for rng in (Half(), random.Random(1), random.SystemRandom()):
        for n in (7, 30):
            got = compiled(rng, n)
            assert got == total(rng, n) if type(rng) is Half else 0.0 <= got < 3


def test_numbers_of_numpys() -> None:
    """What is drawn is of the kind that it is computed in."""

    def drawn(low: Any, high: Any, rate: Any, n: Any) -> Any:
        random.seed(3)
        found: list[Any] = []
        for _ in range(n):
            found.append(random.uniform(low, high))
            found.append(random.gauss(low, high))
            found.append(random.expovariate(rate))
        return found

    compiled = np.compile(drawn, adaptive=False)
    for kind in (float, int, numpy.float64, numpy.float32, numpy.int64, numpy.int8):
        for other in (float, kind):
            agree(compiled, (kind(1), kind(3), other(2), 4), f"{kind}, {other}", 0.0)


def test_methods_that_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(rng: Any, n: Any) -> Any:
        s = 0.0
        for _ in range(n):
            s += rng.randint(1, 6) + rng.gauss(0.0, 1.0)
            if s > 1e9:
                break
        return s

    def patched() -> Any:
        rng = random.Random(4)
        rng.randrange = lambda *bounds: 7
        return rng

    compiled = np.compile(total, adaptive=False)
    for make in (lambda: random.Random(4), patched, lambda: random.Random(4)):
        assert [compiled(make(), n) for n in (5, 7)] == [total(make(), n) for n in (5, 7)]
    assert programs_of(compiled)
    monkeypatch.setattr(random.Random, "_randbelow", lambda self, n: 0)
    assert [compiled(random.Random(4), n) for n in (5, 7)] == [total(random.Random(4), n) for n in (5, 7)]
