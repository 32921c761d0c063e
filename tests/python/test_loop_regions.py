"""Loops and what lies between them as one program: lists that one makes and another takes, and arrays that are made of them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy
import pytest
from loop_programs_more import flood_fill
from support import SEED
from test_native_loops import agree, function_of, programs_of

import fastnp as np


def smoothed(x, width):
    ring, out = [0.0] * width, []
    s = 0.0
    for i in range(len(x)):
        s += x[i] - ring[i % width]
        ring[i % width] = x[i]
        out.append(s / min(i + 1, width))
    return numpy.array(out)


def lengths(x):
    values, counts = [], []
    i = 0
    while i < len(x):
        j = i + 1
        while j < len(x) and x[j] == x[i]:
            j += 1
        values.append(x[i])
        counts.append(j - i)
        i = j
    return numpy.array(values), numpy.asarray(counts)


def search(text, pattern):
    fail = [0] * len(pattern)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[i] != pattern[k]:
            k = fail[k - 1]
        if pattern[i] == pattern[k]:
            k += 1
        fail[i] = k
    found, k = [], 0
    for i in range(len(text)):
        while k > 0 and text[i] != pattern[k]:
            k = fail[k - 1]
        if text[i] == pattern[k]:
            k += 1
        if k == len(pattern):
            found.append(i - k + 1)
            k = fail[k - 1]
    return found


def early(x, limit):
    seen = []
    for i in range(len(x)):
        if x[i] > limit:
            return i, seen
        seen.append(x[i])
    if len(seen) < 3:
        seen = [1.0, 2.0]
    total = 0.0
    for v in seen:
        total += v * v
    return total, seen


def failing(x, k):
    out = [0.0] * 4
    for i in range(len(x)):
        out[k[i] % 5] += x[i]
        x[i] = -1.0
    squares = []
    for v in out:
        squares.append(1 / v)
    return squares


def growing(x, n):
    f, out = 1, []
    for i in range(1, n):
        f = f * i
        if i != 3:
            out.append(i)
    total = 0.0
    for i in range(len(x)):
        if x[i] != 0.5:
            total += x[i] * out[i % len(out)] if out else x[i]
    return f, total, out


def counted(x):
    bins = [0] * 5
    for v in x:
        if v >= 0:
            bins[int(v) % 5] += 1
    sums, s = [], 0
    for b in bins:
        s += b
        sums.append(s)
    flags = [False] * 5
    for i in range(5):
        flags[i] = sums[i] > 3
    return numpy.array(sums), numpy.array(flags), bins


def chosen(x, which):
    if which > 0:
        a = [1.0, 2.0]
        for v in x:
            if v > -1:
                a.append(v)
        b = []
        for v in a:
            if v != which:
                b.append(v * which)
        return numpy.array(b)
    return x


def averaged(labels, values, k):
    sums, counts = [0.0] * k, [0] * k
    for label, value in zip(labels, values):  # noqa: B905 - as users write it
        if label >= 0:
            sums[label] += value
            counts[label] += 1
    return [s / c if c else numpy.nan for s, c in zip(sums, counts)]  # noqa: B905 - as users write it


def spread(x, n):
    y = [v * 2 for v in x]
    best = 0.0
    for i in range(len(y)):
        if y[i] > best:
            best = y[i]
    pairs = [(i, j) for i in range(n) for j in range(i) if x[i] > x[j]]
    z = [y[i] - best for i in range(n) if y[i] != best]
    return numpy.array(z), best, pairs


def shadowing(x, v):
    for i in range(len(x)):
        if x[i] > v:
            x[i] = v
    x = [x for x in x if x != v]
    w = [1.0 / v for v in x]
    return v, w, [i for i in range(len(w)) if w[i] > 0]


def seen_growing(x):
    def size():
        return len(made)

    t = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            t += x[i]
    text = str(len(x))
    made, s = [1, 2, 3], 0.0
    for i in range(len(x)):
        if x[i] < 0:
            s += x[i]
    made = [size() + v for v in x]
    return made, s, t, text


def looked_at(x):
    def kind():
        return type(values)

    t = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            t += x[i]
    str(t)
    values = [0.0]
    for i in range(len(x)):
        if x[i] > 0:
            values.append(x[i])
    return numpy.array(values), kind


def doubled(v):
    return v + v


def calling(x, limit):
    total = 0.0
    for i in range(len(x)):
        row = [x[i] * k for k in range(i % 4)]
        for v in row:
            if x[i] * v > limit:
                total += doubled(v)
    return total


CASES: list[tuple[Any, Any]] = [
    (smoothed, lambda rng, n: (rng.normal(size=n), 1 + n % 7)),
    (lengths, lambda rng, n: (rng.integers(0, 2, n),)),
    (lengths, lambda rng, n: (rng.integers(0, 2, n).astype("f4"),)),
    (lengths, lambda rng, n: (rng.integers(0, 2, n).astype("u2"),)),
    (search, lambda rng, n: (rng.integers(0, 2, n), rng.integers(0, 2, 3))),
    (early, lambda rng, n: (rng.normal(size=n), rng.choice([0.5, 9.0]))),
    (failing, lambda rng, n: (rng.normal(size=n) + 2, rng.integers(0, 5, n))),
    (failing, lambda rng, n: (rng.normal(size=n) + 2, rng.integers(0, 4, n))),
    (growing, lambda rng, n: (rng.normal(size=n), n % 40)),
    (counted, lambda rng, n: (rng.normal(size=n) * 4,)),
    (chosen, lambda rng, n: (rng.normal(size=n), n % 3)),
    (averaged, lambda rng, n: (rng.integers(-1, 9, n), rng.normal(size=n), 9)),
    (averaged, lambda rng, n: (rng.integers(-1, 9, n), rng.normal(size=n), n)),
    (spread, lambda rng, n: (rng.normal(size=n), n)),
    (shadowing, lambda rng, n: (rng.normal(size=n), rng.choice([0.0, 0.5]))),
    (seen_growing, lambda rng, n: (rng.normal(size=n),)),
    (calling, lambda rng, n: (rng.normal(size=n), rng.choice([0.0, 0.5]))),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_python(number: int) -> None:
    function, make = CASES[number]
    rng = numpy.random.default_rng([SEED, number])
    compiled = np.compile(function, adaptive=False)
    for n in (20, 7, 0, 1, 2, 70, 33, 20):
        agree(compiled, make(rng, n), f"{function.__name__}, size {n}")
    assert programs_of(compiled)


def test_variables_of_other_functions() -> None:
    compiled = np.compile(looked_at, adaptive=False)
    for n in (5, 20, 0):
        x = numpy.random.default_rng(n).normal(size=n)
        made, kind = compiled(x)
        assert made.tolist() == looked_at(x)[0].tolist()
        assert kind() is list
    assert programs_of(compiled)


def test_one_program() -> None:
    """A region is one call, which explain() tells by its lines."""
    compiled = np.compile(search, adaptive=False)
    for n in (30, 40):
        compiled(numpy.arange(n) % 3, numpy.array([0, 1, 2, 0]))
    (loop,) = compiled._parts().told()
    first = search.__code__.co_firstlineno
    assert loop.lines == f"{first + 1}-{first + 17}"
    assert len(programs_of(compiled)) == 1


def test_taken_apart() -> None:
    """A region whose first loop leaves its program runs as Python for the rest of that call; afterwards each loop is by itself."""
    compiled = np.compile(growing, adaptive=False)
    x = numpy.arange(5.0)
    for n in (5, 10, 30, 30, 10):
        agree(compiled, (x, n), str(n))
    assert not compiled._parts().regions
    assert compiled._parts().native


def test_from_disk(tmp_path: Any) -> None:
    """Another process finds regions, and that they were taken apart."""
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import numpy, fastnp as np
        import test_loop_regions as made
        for function, make in made.CASES:
            compiled = np.compile(function, adaptive=False)
            for n in (7, 30, 7):
                made.agree(compiled, make(numpy.random.default_rng(n), n), function.__name__)
            parts = compiled._parts()
            print(function.__name__, len(parts.regions) if parts else 0, len(made.programs_of(compiled)))
    """)
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path), "FASTNP_TEST_SEED": str(SEED)}
    said = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        said.append(done.stdout)
    assert said[1] == said[2]
    assert "search 1 1" in said[2]


def test_loops_over_small_arrays_that_grow() -> None:
    """They are native, until arrays come which recordings share out to threads."""

    def relaxed(a: Any, b: Any, n: int) -> Any:
        x = b * 0.0
        for _ in range(n):
            x = x + 0.01 * (b - a * x) * numpy.exp(-x)
        return x

    for sizes in ((10, 40_000, 10), (40_000, 10)):
        compiled, is_recorded = np.compile(relaxed), False
        for size in sizes:
            for _ in range(3):
                arguments = numpy.linspace(0, 1, size), numpy.linspace(1, 2, size), 4
                numpy.testing.assert_allclose(compiled(*arguments), relaxed(*arguments), rtol=1e-12)
            is_recorded = is_recorded or size > 10
            assert bool(programs_of(compiled)) != is_recorded
            assert bool(compiled.cache_info().compiles) == is_recorded


GUARDED = """
def f(a, n, mode):
    total = 0.0
    if n < 0:
        raise ValueError(f"n is {n}")
    if n == 0:
        return a, n, [1, mode]
    assert mode != 3, "mode"
    if mode == 1:
        a[0] = 7.0
        return a * 2
    elif mode == 2:
        total = 5.0
        if a[1] > 0:
            return total, a[1]
    for i in range(n):
        total += a[i] * mode
    return total
"""  # (pytest writes assertions of modules anew)


def test_what_ends_early_is_a_part_of_them() -> None:
    """Returns, errors and assertions before a loop."""
    compiled = np.compile(function_of(GUARDED, "guarded"), adaptive=False)
    for n, mode, second in itertools.product((-1, 0, 1, 3, 9), range(5), (2.0, -1.0)):
        agree(compiled, (numpy.array([1.0, second, 3.0]), n, mode), f"{n}, {mode}, {second}")
    (loop,) = compiled._parts().told()
    assert loop.lines == "3-17", loop

    compiled = np.compile(flood_fill, adaptive=False)
    rng = numpy.random.default_rng(SEED)
    for _ in range(20):
        image = rng.integers(0, 3, (6, 7))
        agree(compiled, (image, int(rng.integers(6)), int(rng.integers(7)), int(rng.integers(3))), "flood_fill")
    (loop,) = compiled._parts().told()
    assert loop.lines.startswith(f"{flood_fill.__code__.co_firstlineno + 1}-"), loop


def in_pairs(x, rows):
    found = 0.0
    for i in range(2):
        for a, b in x[:, 1:3]:
            found += a * b
            rows[i] = b
        else:
            found += 100.0
            rows[i] = 7.0
    return found


def test_what_a_loop_asks_at_first_is_asked_before_its_else() -> None:
    """Rows of another length leave the program at the loop, not at what comes after it."""
    compiled = np.compile(in_pairs, adaptive=False)
    for shape in ((3, 4), (3, 2), (5, 9), (3, 3), (0, 4), (0, 2), (2, 1)):
        agree(compiled, (numpy.arange(1.0, 1 + shape[0] * shape[1]).reshape(shape), numpy.zeros(3)), f"{shape}")
    assert programs_of(compiled)
