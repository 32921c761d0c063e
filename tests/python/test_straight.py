"""Calls of functions that are one native loop between arguments and constants: they need no frame, and do what the function as written does."""

from __future__ import annotations

import gc
import linecache
import os
import pathlib
import random
import subprocess
import sys
import threading
import traceback
import warnings
import weakref
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED
from test_array_loops import every_loop_is_tried  # noqa: F401 - a fixture
from test_loop_dicts import agree
from test_native_loops import programs_of

import fastnp as np

CALLS = 8  # from the fifth one on calls of a kind are known


def is_straight(compiled: Any) -> bool:
    parts = compiled._parts()
    return parts is not None and parts.made_frame.is_straight


def warm(compiled: Any, *arguments: Any) -> None:
    for _ in range(CALLS):
        compiled(*arguments)


def tallied(x, t):
    c = 0
    for i in range(x.shape[0]):
        if x[i] > t:
            c += 1
    return c


def searched(a, v):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


def first(x, t):
    for i in range(len(x)):
        if x[i] > t:
            return i, x[i]
    return -1


def in_place(x, n):
    for i in range(n):
        x[i] = x[i] * 2 + i


def several(n, a):
    s, p = -1, 2.5
    for i in range(n):
        s += i * a
        p = p * 0.5 + s
    return s, p, a, "text"


def of_sizes(x):
    n, m, t = x.shape[0], x.shape[1], 0.0
    for i in range(n):
        for j in range(m):
            t += x[i, j] * (i + 1)
    return t


def lists(n):
    found = []
    for i in range(n):
        if i % 3:
            found.append(i)
    return found


def lengthened(xs, n):
    for i in range(n):
        xs.append(i * 0.5)
    return xs


STRAIGHT = [
    (tallied, lambda rng: (rng.normal(size=rng.integers(0, 40)), 0.25)),
    (searched, lambda rng: (numpy.sort(rng.normal(size=rng.integers(0, 40))), 0.25)),
    (searched, lambda rng: (sorted(rng.normal(size=rng.integers(1, 40)).tolist()), 0.25)),
    (first, lambda rng: (rng.normal(size=rng.integers(0, 9)), 0.5)),
    (in_place, lambda rng: (rng.normal(size=9), int(rng.integers(0, 12)))),
    (several, lambda rng: (int(rng.integers(0, 9)), int(rng.choice([3, -2, 2**61])))),
    (several, lambda rng: (int(rng.integers(0, 9)), 0.5)),
    (of_sizes, lambda rng: (rng.normal(size=rng.integers(0, 5, 2)),)),
    (lists, lambda rng: (int(rng.integers(0, 20)),)),
    (lengthened, lambda rng: (rng.normal(size=3).tolist(), int(rng.integers(0, 5)))),
]


@pytest.mark.parametrize("number", range(len(STRAIGHT)))
@pytest.mark.parametrize("adaptive", [False, True])
def test_calls(number: int, adaptive: bool) -> None:
    function, arguments_of = STRAIGHT[number]
    rng = numpy.random.default_rng(SEED + number)
    compiled = np.compile(function, adaptive=adaptive)
    for call in range(60):
        agree(compiled, arguments_of(rng), f"call {call}")
    assert adaptive or is_straight(compiled)


@pytest.mark.parametrize("function", [tallied, searched])
def test_arrays_of_fastnps(function: Any) -> None:
    compiled = np.compile(function, adaptive=False)
    for n in (3, 5, 6, 7, 4, 5, 6, 7, 0):
        x = np.arange(float(n))
        found = compiled(x, 2.0)
        assert found == function(numpy.arange(float(n)), 2.0) and type(found) is int, n
    assert is_straight(compiled)


def random_source(seed: int) -> str:
    """A function f(x, y, n) that is a loop between constants, arguments and sizes."""
    rng = random.Random(seed)
    pick = rng.choice
    starts = ["0", "1", "-2", "0.5", "-0.0", "len(x)", "x.shape[0]", "len(y)", "y.shape[0]", "y.shape[1]"]
    names = ["a", "b", "c"][: rng.randint(1, 3)]
    lines = ["def f(x, y, n):"]
    if rng.random() < 0.5:
        lines.append(f"    {', '.join(names)} = {', '.join(pick(starts) for _ in names)}")
    else:
        lines += [f"    {name} = {pick(starts)}" for name in names]
    lines.append(f"    for i in range({pick(['n', 'len(x)', '3'])}):")
    for _ in range(rng.randint(1, 3)):
        name = pick(names)
        value = pick([f"{name} + i", f"{name} * 3 + 1", f"{name} - x[i]", "y[i % 2, 0] * i", f"{name} * {pick(names)}", "n", "a", "x[i] / 2"])
        lines.append(f"        {name} = {value}")
    if rng.random() < 0.4:
        lines.append(f"        if {pick(names)} > {pick(['5', '40', 'n'])}:")
        leaves = ["break", f"return {pick(names)}", f"return {pick(names)}, i, 'left'", "return", "x[i] = i"]
        lines.append(f"            {pick(leaves)}")
    lines.append(
        f"    {pick(['return ' + pick(names), 'return ' + ', '.join([*names, 'n', '7']), 'return x', 'return -1', 'return None', 'return (n,)', 'pass'])}"
    )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    straight = 0
    for seed in range(SEED * 1000 + part * 10**7, SEED * 1000 + part * 10**7 + 12):
        source = random_source(seed)
        compiled = np.compile(function_of(source, f"straight {seed}"), adaptive=False)
        rng = numpy.random.default_rng(seed)
        for call in range(14):
            x, y = rng.normal(size=4 + call % 3) * 3, rng.integers(-9, 9, (2, 3))
            arguments = (x, y, int(rng.integers(0, 6 if call > 9 else 4)))
            agree(compiled, arguments, f"seed {seed}, call {call}\n{source}")
        straight += bool(programs_of(compiled)) and is_straight(compiled)
    assert straight > 3, f"part {part}: {straight}"


# What is told, and where.


def test_tracebacks() -> None:
    compiled = np.compile(in_place, adaptive=False)
    x = numpy.arange(6.0)
    warm(compiled, x, 5)
    assert is_straight(compiled)
    with pytest.raises(IndexError, match="index 6 is out of bounds") as caught:
        compiled(x, 9)
    assert numpy.isfinite(x).all()
    places = [(each.name, each.lineno) for each in traceback.extract_tb(caught.value.__traceback__) if each.filename == __file__]
    first_line = in_place.__code__.co_firstlineno
    assert any(name == "in_place" and first_line < line <= first_line + 2 for name, line in places), places


def test_warnings() -> None:
    def logs(x, n):
        s = 0.0
        for i in range(n):
            s = x[i] * x[i]
        return s

    compiled = np.compile(logs, adaptive=False)
    warm(compiled, numpy.ones(9), 9)
    assert is_straight(compiled)
    told, large = [], numpy.full(9, 1e200)
    for function in (logs, compiled):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert function(large, 9) == numpy.inf
        told.append({(str(each.message), each.filename, linecache.getline(each.filename, each.lineno).strip()) for each in caught})
    (written,), (given,) = told
    assert written[:2] == given[:2] and given[2] == "for i in range(n):"
    with numpy.errstate(all="raise"), pytest.raises(FloatingPointError, match="overflow"):
        compiled(large, 9)
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(large, 9) == numpy.inf


# What may change between calls.


def test_len_of_the_module() -> None:
    source = "def f(x):\n    n, t = len(x), 0\n    for i in range(n):\n        t += i\n    return t\n"
    function = function_of(source, "another len")
    compiled = np.compile(function, adaptive=False)
    x = numpy.ones(5)
    warm(compiled, x)
    assert is_straight(compiled) and compiled(x) == 10
    function.__globals__["len"] = lambda x: 3
    assert compiled(x) == 3
    del function.__globals__["len"]
    assert compiled(x) == 10


def test_other_arguments() -> None:
    compiled = np.compile(searched, adaptive=False)
    a = numpy.arange(9.0)
    warm(compiled, a, 3.0)
    assert compiled(a, v=3.0) == compiled(v=3.0, a=a) == 3
    assert compiled(tuple(a.tolist()), 3.0) == 3
    assert compiled(a, numpy.float32(3)) == compiled(a, 3) == 3
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        compiled(a)
    with pytest.raises(TypeError, match="len"):
        compiled(5, 3.0)


def test_other_code() -> None:
    def function(n):
        t = 0
        for i in range(n):
            t += i
        return t

    def other(n):
        t = 1
        for i in range(n):
            t += 2 * i
        return t

    compiled = np.compile(function, adaptive=False)
    warm(compiled, 9)
    assert is_straight(compiled) and compiled(9) == 36
    function.__code__ = other.__code__
    assert compiled(9) == 73


def test_recordings_and_transforms() -> None:
    """In these the function is a part of them."""

    def weighted(x, w):
        t = 0.0
        for i in range(x.shape[0]):
            t = t + x[i] * w[i]
        return t

    compiled = np.compile(weighted, adaptive=False)
    x, w = numpy.arange(4.0), numpy.ones(4)
    warm(compiled, x, w)
    assert is_straight(compiled)
    numpy.testing.assert_array_equal(np.grad(compiled)(np.array(x), w), w)
    numpy.testing.assert_array_equal(np.vmap(compiled, in_axes=(0, None))(np.array([x, 2 * x]), w), [6, 12])
    assert compiled(x, w) == 6


def test_threads() -> None:
    """One loop that many call while it learns other kinds."""
    compiled = np.compile(tallied, adaptive=False)
    kinds = [numpy.arange(9, dtype=dtype) for dtype in ("f8", "f4", "i8", "i4", "i2", "u1")]
    failed: list[Any] = []
    interval = sys.getswitchinterval()

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(300):
            x, t = rng.choice(kinds), rng.choice([2, 5])
            if compiled(x, t) != 8 - t:
                failed.append((x.dtype, t))

    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed, failed[:3]


def test_calls_within_calls() -> None:
    """The rest of a call calls the function once more, which learns another kind there."""

    def of(x, n):
        t = 0.0
        for i in range(n):
            t = t + x[i] * x[i]
        return t

    compiled = np.compile(of, adaptive=False)
    x = numpy.ones(6)
    warm(compiled, x, 6)
    assert is_straight(compiled)
    found = []

    def show(*_: Any, **__: Any) -> None:
        found.append(compiled(numpy.arange(1, 5, dtype="f4"), 4))
        found.append(compiled(x, 6))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        assert compiled(numpy.full(6, 1e200), 6) == numpy.inf
    assert found == [30, 6]


def test_what_is_gone_is_collected() -> None:
    """A compiled function with native loops, its parts and their programs."""

    def made() -> Any:
        def function(x, n):
            t = 0.0
            for i in range(n):
                t += x[i] * i
            return t

        return np.compile(function, adaptive=False)

    compiled = made()
    warm(compiled, numpy.ones(5), 5)
    parts = weakref.ref(compiled._parts())
    assert is_straight(compiled) and parts() is not None
    del compiled
    gc.collect()
    assert parts() is None


def test_kept_on_disk(tmp_path: Any) -> None:
    """Another process knows it."""
    script = tmp_path / "kept.py"
    script.write_text(
        "import numpy, fastnp as np\n"
        "@np.compile(adaptive=False)\n"
        "def f(x, t):\n"
        "    c, n = 0, len(x)\n"
        "    for i in range(n):\n"
        "        if x[i] > t:\n"
        "            c += 1\n"
        "    return c, n, -1.5\n"
        "for _ in range(8):\n"
        "    found = f(numpy.arange(6.0), 2.5)\n"
        "print(found, f._parts().made_frame.is_straight)\n"
    )
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(pathlib.Path(np.__file__).parents[1])}
    for _ in range(3):
        done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120)
        assert done.stdout.strip() == "(3, 6, -1.5) True", done.stdout + done.stderr
