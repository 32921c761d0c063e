"""Loops whose iterations know nothing of each other: threads share them, and nothing shows of that."""

from __future__ import annotations

import math
import os
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED
from test_native_loops import agree, outcome, programs_of, same

import fastnp as np
from fastnp import _core

ALONE = os.environ.get("FASTNP_NUM_THREADS") == "1" or len(os.sched_getaffinity(0)) == 1


def mandel(h, w, most):
    out = numpy.zeros((h, w), numpy.int64)
    for i in range(h):
        for j in range(w):
            c = complex(-2 + 3 * j / w, -1 + 2 * i / h)
            z, n = 0j, 0
            while n < most and z.real * z.real + z.imag * z.imag < 4:
                z = z * z + c
                n += 1
            out[i, j] = n
    return out


def sums(x, out):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j] * x[i, j]
        out[i] = s
    return out


def distances(x):
    n = len(x)
    out = numpy.empty((n, n))
    for i in range(n):
        for j in range(n):
            d = 0.0
            for k in range(x.shape[1]):
                d += (x[i, k] - x[j, k]) ** 2
            out[i, j] = d**0.5
    return out


def triangular(x, out):
    for i in range(1, len(out)):
        for j in range(i):
            if x[j] < 0:
                continue
            out[i] += x[j] * i
    return out


def in_place(a):
    for i in range(a.shape[0]):
        largest = a[i, 0]
        for j in range(1, a.shape[1]):
            if a[i, j] > largest:
                largest = a[i, j]
        for j in range(a.shape[1]):
            a[i, j] = math.exp(-abs(a[i, j] / largest)) + math.sin(a[i, j]) ** 3
    return a


def second_axis(a, b):
    for j in range(a.shape[1]):
        for i in range(1, a.shape[0]):
            b[i, j] = b[i - 1, j] + a[i, j]
    return b


def steps(a, b, turns):
    for _ in range(turns):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]
    return a


def two(x, out, least):
    count = 0
    for i in range(len(x)):
        best, where = x[i, 0], 0
        for j in range(x.shape[1]):
            if x[i, j] < best:
                best, where = x[i, j], j
        out[i] = best
        least[i] = where
    for i in range(len(x)):
        count += least[i]
    return count


def wrapped(x, out):
    for i in range(len(x)):
        h = numpy.int32(7)
        for j in range(x.shape[1]):
            h = h * numpy.int32(31) + x[i, j]
        out[i] = h
    return out


def divided(x, out):
    for i in range(len(x)):
        s = x[i, 0] * 0
        for j in range(x.shape[1]):
            s += 1 / x[i, j]
        out[i] = s
    return out


def picked(x, at, out):
    for i in range(len(at)):
        s = 0.0
        for j in range(40):
            s += x[at[i] + j]
        out[i] = s
    return out


def whole(x, out):
    for i in range(len(x)):
        n, k = 3, 0
        while k < x[i]:
            n = n * 3
            k += 1
        out[i] = n % 1000
    return out


def quotients(x, out):
    for i in range(len(x)):
        s = 0
        for j in range(60):
            s += 100 // (x[i] + j)
        out[i] += s
    return out


OUTSIDE, TABLE = numpy.zeros(3000), numpy.arange(100.0)


def root_of_squares(v, w):
    return math.sqrt(v * v + w)


def helped(x, out):
    for i in range(len(x)):
        s = 0.0
        for j in range(x.shape[1]):
            s += root_of_squares(x[i, j], TABLE[j])
        out[i] = s
    return out


def prices(s, k, t, out):
    for i in range(len(s)):
        if s[i] <= 0:
            out[i] = -1.0
            continue
        d = (math.log(s[i] / k) + 0.02 * t[i]) / (0.3 * math.sqrt(t[i]))
        out[i] = s[i] * 0.5 * (1 + math.tanh(d / 1.25)) - k * math.exp(-0.02 * t[i])
    return out


def floats(r: Any, *sizes: int) -> Any:
    return r.normal(size=sizes)


def at(r: Any, n: int, far: bool) -> Any:
    made = r.integers(0, 900, n)
    if far and n > 3:
        made[r.integers(n // 2, n)] = 5000
    return made


def counts(r: Any, n: int, far: bool) -> Any:
    made = r.integers(0, 38, n)
    if far and n > 3:
        made[r.integers(n // 2, n)] = 45  # 3**46 is beyond 64 bits
    return made


def divisors(r: Any, n: int, far: bool) -> Any:
    made = r.integers(1, 50, n)
    if far and n > 3:
        made[r.integers(n // 2, n)] = -30
    return made


def rows_with(r: Any, n: int, value: float) -> Any:
    made = floats(r, n, 60)
    if n > 3:
        made[r.integers(n // 2, n), 7] = value
    return made


# (function, what makes its arguments of a size, a size at which threads share it)
LOOPS: list[tuple[Callable[..., Any], Callable[[Any, int], Any], int]] = [
    (mandel, lambda r, n: (n, n + 3, 40), 90),
    (sums, lambda r, n: (floats(r, n, 50), numpy.zeros(n)), 3000),
    (sums, lambda r, n: (floats(r, 50, n).T, numpy.zeros(2 * n)[::-2]), 3000),
    (distances, lambda r, n: (floats(r, n, 3),), 150),
    (triangular, lambda r, n: (floats(r, n), numpy.zeros(n)), 2500),
    (in_place, lambda r, n: (floats(r, n, 60),), 1500),
    (in_place, lambda r, n: (floats(r, 2 * n, 60)[::-2],), 1500),
    (second_axis, lambda r, n: (floats(r, 70, n), floats(r, 70, n)), 1500),
    (steps, lambda r, n: (floats(r, n, n), floats(r, n, n), 3), 250),
    (helped, lambda r, n: (floats(r, n, 50), numpy.zeros(n)), 2000),
    (prices, lambda r, n: (floats(r, n) + 1, 1.25, r.random(n) + 0.1, numpy.zeros(n)), 9000),
    (two, lambda r, n: (floats(r, n, 70), numpy.zeros(n), numpy.zeros(n, int)), 1500),
    (wrapped, lambda r, n: (r.integers(0, 1000, (n, 50)).astype("i4"), numpy.zeros(n, "i4")), 2000),
    (divided, lambda r, n: (rows_with(r, n, 0.0), numpy.zeros(n)), 1500),
    (picked, lambda r, n: (floats(r, 1000), at(r, n, False), numpy.zeros(n)), 3000),
    (picked, lambda r, n: (floats(r, 1000), at(r, n, True), numpy.zeros(n)), 3000),
    (whole, lambda r, n: (counts(r, n, False), numpy.zeros(n, int)), 5000),
    (whole, lambda r, n: (counts(r, n, True), numpy.zeros(n, int)), 5000),
    (quotients, lambda r, n: (divisors(r, n, False), numpy.zeros(n, int)), 3000),
    (quotients, lambda r, n: (divisors(r, n, True), numpy.zeros(n, int)), 3000),
]
# Left in the middle: what threads did is put back, and done in the loop's order. And what stores much, which is shared where it takes long enough.
LEFT = (8, 13, 15, 17, 19)


@pytest.mark.parametrize("number", range(len(LOOPS)), ids=lambda number: f"{LOOPS[number][0].__name__}{number}")
def test_loops(number: int) -> None:
    function, make, size = LOOPS[number]
    rng = numpy.random.default_rng([SEED, number])
    compiled = np.compile(function, adaptive=False)
    rounds = _core._shared_rounds()
    for n in (7, size, 0, 1, 2, size + 13, 3) if not LONG else (7, size, 0, 1, 2, size + 13, 3, *rng.integers(size // 2, 2 * size, 6)):
        agree(compiled, make(rng, int(n)), f"{function.__name__}, size {n}, seed {SEED}")
    assert programs_of(compiled)
    assert ALONE or number in LEFT or _core._shared_rounds() > rounds


def reads_neighbours(a, n):
    for i in range(1, n):
        for j in range(3):
            a[i, j] += a[i - 1, j]
    return a


def carries(x, out):
    s = 0.0
    for i in range(len(x)):
        for j in range(x.shape[1]):
            s += x[i, j]
        out[i] = s
    return out


def keeps_the_last(x, out):
    last = -1
    for i in range(len(x)):
        for j in range(x.shape[1]):
            if x[i, j] > 1:
                last = i
        out[i] = j
    return out, last


def leaves(x, out):
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i] += x[i, j]
        if out[i] > 20:
            break
    return out


def twice_the_same(x, out):
    other = out
    for i in range(len(x) - 1):
        for j in range(x.shape[1]):
            out[i] += x[i, j] + other[i + 1]
    return out


def elsewhere(x, out):
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i // 2] += x[i, j]
    return out


def other_number(x, out):
    for i in range(len(x)):
        k = i
        for j in range(x.shape[1]):
            k = j % 5
            out[k] += x[i, j]
    return out


def draws(x, out):
    rng = numpy.random.default_rng(3)
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i] += rng.random() * x[i, j]
    return out


def from_the_end(x, out):
    for i in range(-5, len(x)):
        for j in range(x.shape[1]):
            out[i] += x[i, j] * (i + 6)
        out[i] = out[i] * 0.5
    return out


IN_ORDER: list[Callable[..., Any]] = [carries, keeps_the_last, leaves, twice_the_same, elsewhere, other_number, draws, from_the_end]


@pytest.mark.parametrize("function", IN_ORDER, ids=lambda each: each.__name__)
def test_loops_in_their_order(function: Any) -> None:
    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(function, adaptive=False)
    rounds = _core._shared_rounds()
    for n in (1200, 5, 1300):
        agree(compiled, (floats(rng, n, 40) * 0.1, numpy.zeros(n)), f"{function.__name__}, size {n}, seed {SEED}")
    assert _core._shared_rounds() == rounds


def test_neighbours_are_read_in_their_order() -> None:
    rounds = _core._shared_rounds()
    compiled = np.compile(reads_neighbours, adaptive=False)
    for n in (20000, 3):
        agree(compiled, (floats(numpy.random.default_rng(SEED), 20000, 3), n), f"size {n}")
    assert _core._shared_rounds() == rounds


def test_arrays_whose_elements_overlap() -> None:
    compiled = np.compile(sums, adaptive=False)
    x = floats(numpy.random.default_rng(SEED), 3000, 50)
    rounds = _core._shared_rounds()
    for strides in ((0,), (4,)):
        mine, theirs = numpy.zeros(3001), numpy.zeros(3001)
        got = compiled(x, numpy.lib.stride_tricks.as_strided(mine, (3000,), strides))
        want = sums(x, numpy.lib.stride_tricks.as_strided(theirs, (3000,), strides))
        assert same(got, want)
        assert same(mine, theirs)
    assert _core._shared_rounds() == rounds


class Holder:
    def __init__(self) -> None:
        self.T = numpy.zeros(3000)


def from_outside(i):
    return OUTSIDE[i + 1]


def one_from_outside(x, holder):
    out = OUTSIDE
    for i in range(len(x) - 1):
        for j in range(x.shape[1]):
            out[i] += x[i, j] + OUTSIDE[i + 1]
    return out


def one_that_a_function_reads(x, holder):
    out = OUTSIDE
    for i in range(len(x) - 1):
        for j in range(x.shape[1]):
            out[i] += x[i, j] + from_outside(i)
    return out


def one_that_an_object_has(x, holder):
    out = holder.T
    for i in range(len(x) - 1):
        for j in range(x.shape[1]):
            out[i] += x[i, j] + holder.T[i + 1]
    return out


@pytest.mark.parametrize("function", [one_from_outside, one_that_a_function_reads, one_that_an_object_has], ids=lambda each: each.__name__)
def test_arrays_by_other_names(function: Any) -> None:
    x = floats(numpy.random.default_rng(SEED), 3000, 30)
    OUTSIDE[:] = 0
    want = function(x, Holder()).copy()
    compiled = np.compile(function, adaptive=False)
    rounds = _core._shared_rounds()
    for _ in range(3):
        OUTSIDE[:] = 0
        assert same(compiled(x, Holder()), want)
    assert _core._shared_rounds() == rounds
    OUTSIDE[:] = 0


def test_arrays_over_one_memory() -> None:
    """Arguments that share memory are done in the loop's order."""
    compiled = np.compile(sums, adaptive=False)
    for start in (0, 1):
        whole = numpy.random.default_rng(SEED).normal(size=(3000, 51))
        mine, theirs = whole.copy(), whole.copy()
        got = outcome(compiled, (mine[:, 1:], mine[:, start]))
        assert same(got, outcome(sums, (theirs[:, 1:], theirs[:, start])))
        assert same(mine, theirs)


def random_loop(rng: random.Random) -> str:
    """A loop over rows with an inner one, of random statements."""
    values = ["x[i, j]", "y[j]", "s", "x[i, 0]", "j", "i", "2.0", "out[i]", "w[j, i]"]
    lines = ["def f(x, y, w, out, n):", "    for i in range(" + rng.choice(["n", "len(x)", "1, n", "n - 1"]) + "):", "        s = 0.5"]
    if rng.random() < 0.3:
        lines += ["        if x[i, 0] > 1.5:", "            continue"]
    lines += ["        for j in range(" + rng.choice(["x.shape[1]", "i % 17", "3, 20"]) + "):"]
    for _ in range(rng.randint(1, 3)):
        first, second = rng.choice(values), rng.choice(values)
        made = f"{first} {rng.choice('+-*')} {second}"
        made = rng.choice([made, made, f"max({made}, 0.5)", f"({made}) / ({rng.choice(values)} + 1.25)", f"abs({made}) % 3.0"])
        target = rng.choice(["s = ", "s += ", "out[i] = ", "out[i] += ", "s -= "])
        guard = f"if {rng.choice(values)} > {rng.choice(values)}: " if rng.random() < 0.4 else ""
        lines += [f"            {guard}{target}{made}"]
    lines += ["        out[i] = s * 0.5 + out[i]", "    return out"]
    return "\n".join(lines)


@pytest.mark.parametrize("part", range(4))
def test_random_loops(part: int) -> None:
    shared = _core._shared_rounds()
    for number in range(40 if LONG else 6):
        seed = f"{SEED} {part} {number}"
        source = random_loop(random.Random(seed))
        space: dict[str, Any] = {}
        compiled = np.compile(_function(source, space, seed), adaptive=False)
        rng = numpy.random.default_rng([SEED, part, number])
        for n in (1500, 4, 0, 1600):
            arguments = (floats(rng, n, 30), floats(rng, 30), floats(rng, 30, n), floats(rng, n), n)
            agree(compiled, arguments, f"{seed}, n = {n}\n{source}")
    assert ALONE or _core._shared_rounds() > shared


def _function(source: str, space: dict[str, Any], name: str) -> Any:
    import linecache

    file = f"<shared {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), space)
    return space["f"]


def test_threads_call_it_side_by_side() -> None:
    compiled = np.compile(sums, adaptive=False)
    x = numpy.random.default_rng(SEED).normal(size=(2000, 50))
    want = compiled(x, numpy.zeros(2000)).copy()
    wrong = []

    def work() -> None:
        for _ in range(50):
            if not (compiled(x, numpy.zeros(2000)) == want).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
