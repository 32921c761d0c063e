"""Loops over numbers and elements as native code: results, types, errors, warnings and what is written are those of Python and NumPy."""

from __future__ import annotations

import copy
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from loop_functions import LOOPS
from loop_source import function_of, random_source
from support import LONG, SEED, called

import fastnp as np


def outcome(function: Any, arguments: Any) -> tuple[Any, list[Any]]:
    """What it gives or raises, and its warnings."""
    result, met = called(function, *arguments)
    # Which of several operations a floating-point error was met in is not known of native code.
    told = {(each.category, str(each.message).partition(" in scalar")[0]) for each in met if each.category is not np.RecompileWarning}
    return result, sorted(told, key=str)


def kinds_of(told: list[Any]) -> set[Any]:
    return {(category, text.partition(" encountered")[0]) for category, text in told}


def same(x: Any, y: Any) -> bool:
    if type(x) is not type(y):
        return False
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return x.dtype == y.dtype and x.shape == y.shape and numpy.array_equal(x, y, equal_nan=x.dtype.kind in "fc")
    return bool(x == y or (x != x and y != y))


def agree(compiled: Any, arguments: Any, note: str) -> None:
    mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want, told = outcome(compiled.__wrapped__, theirs)
    got, said = outcome(compiled, mine)
    assert same(got, want), f"{note}: {got!r} where Python gives {want!r}"
    if programs_of(compiled):  # of several operations that may have met an error, native loops name one
        said, told = kinds_of(said), kinds_of(told)
    assert said == told, f"{note}: warns {said} where NumPy warns {told}"
    for x, y in zip(mine, theirs, strict=True):
        assert same(x, y), f"{note}: an argument is {x!r} then, {y!r} in Python"


def programs_of(compiled: Any) -> list[Any]:
    parts = compiled._parts()
    loops = [] if parts is None else [each for each in parts.functions if hasattr(each, "programs")]
    return [program for loop in loops for program in loop.programs.values() if hasattr(program, "exits")]


@pytest.mark.parametrize("case", LOOPS, ids=lambda case: case[0].__name__)
def test_loops(case: Any) -> None:
    function, make, is_native = case
    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(function)
    for n in (100, 7, 0, 1, 2, 7, 33):
        arguments = make(rng, n)
        if n < 2 and function.__name__ == "alias":
            continue
        agree(compiled, arguments, f"{function.__name__}, size {n}")
    if is_native:
        assert programs_of(compiled)


@pytest.mark.parametrize("layout", ["x", "x[::-1]", "x[::2]", "x.astype('f4')", "x.astype('i8')", "x.astype('u2')", "x.astype('f2')", "x.astype(bool)"])
def test_layouts_and_dtypes(layout: str) -> None:
    def total(x, y):
        s = 0
        for i in range(len(x)):
            if x[i] > 0:
                s = s + x[i] * 2
            y[i] = s
        return s

    rng = numpy.random.default_rng(SEED)
    compiled = np.compile(total)
    for _ in range(3):
        x = eval(layout, {"x": abs(rng.normal(size=20)) * 3})
        agree(compiled, (x, numpy.zeros(len(x))), layout)
        agree(compiled, (x, numpy.zeros(len(x), "i4")[::-1]), layout)


def test_overlapping_arrays() -> None:
    def shift(x, y):
        for i in range(len(x)):
            x[i] = y[i] + 1

    compiled = np.compile(shift)
    for offset in (1, 0, 2):
        mine, theirs = numpy.zeros(20), numpy.zeros(20)
        compiled(mine[offset:], mine[: 20 - offset])
        shift(theirs[offset:], theirs[: 20 - offset])
        assert same(mine, theirs)
    assert programs_of(compiled)


def test_read_only_arrays() -> None:
    def fill(x):
        for i in range(len(x)):
            x[i] = i

    x = numpy.zeros(3)
    x.flags.writeable = False
    compiled = np.compile(fill)
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            compiled(x)
    y = numpy.zeros(3)
    compiled(y)
    assert y.tolist() == [0, 1, 2]


SCALE = 2


def scaled(v: Any) -> Any:
    return v * SCALE


def test_what_it_reads_may_change() -> None:
    global SCALE

    def total(x):
        s = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                s += scaled(x[i])
        return s

    compiled, x = np.compile(total), numpy.arange(10.0)
    for SCALE in (2, 3, 2.5, 2):  # noqa: B007
        agree(compiled, (x,), f"scale {SCALE}")
    assert programs_of(compiled)


def test_errors_name_the_users_line() -> None:
    def take(x, n):
        s = 0.0
        for i in range(n):
            if x[i] > 0.5:
                s += x[i + 1]  # here
        return s

    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3") as info:
        np.compile(take)(numpy.ones(3), 3)
    found = [each for each in info.traceback if each.name == "take"]
    assert found and "# here" in str(found[-1].statement)


def test_states_of_errors() -> None:
    def ratio(x, y):
        for i in range(len(x)):
            if y[i] < 5:
                x[i] = x[i] / y[i]
        return x

    compiled = np.compile(ratio)
    x, y = numpy.ones(4), numpy.array([1.0, 0.0, 2.0, 0.0])
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        compiled(x.copy(), y)
    with numpy.errstate(divide="ignore"):
        agree(compiled, (x, y), "ignored")
    agree(compiled, (x, y), "warned")


def test_exits_too_often_run_as_written() -> None:
    def noisy(x, log):
        for i in range(len(x)):
            if x[i] >= 0:
                log.append(i)

    compiled = np.compile(noisy)
    for _ in range(3):
        log: list[int] = []
        compiled(numpy.ones(500), log)
        assert log == list(range(500))


def test_arrays_of_fastnp() -> None:
    def clip(x):
        for i in range(len(x)):
            if x[i] > 1:
                x[i] = 1.0
        return x

    x = np.array([0.5, 2.0, 3.0])
    found = np.compile(clip)(x)
    assert type(found) is np.ndarray and found is x and found.tolist() == [0.5, 1.0, 1.0]


def test_gradient_of_a_native_loop() -> None:
    def poly(x):
        s = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                s = s + x[i] * x[i]
        return s

    x = numpy.array([1.0, -2.0, 3.0])
    compiled = np.compile(poly)
    assert compiled(x) == 10.0
    numpy.testing.assert_allclose(numpy.asarray(np.grad(poly)(x)), [2.0, 0.0, 6.0])
    numpy.testing.assert_allclose(numpy.asarray(np.grad(compiled)(x)), [2.0, 0.0, 6.0])


def run_random_programs(
    title: str, first: int, count: int, source_of: Callable[[int], str], sizes: Callable[[int], tuple[int, ...]] | None = None, **options: Any
) -> None:
    """Programs with seeds from `first` on, against Python. `sizes`: what they are called with, one after the other, for an array's length."""
    native = 0
    for seed in range(first, first + count):
        source = source_of(seed)
        compiled = np.compile(function_of(source, f"{title} {seed}"), **options)
        size = (5, 5, 70)[seed % 3]
        for call, n in enumerate((size - 1, size + 2, 0, 6) if sizes is None else sizes(size)):
            rng = numpy.random.default_rng([seed, call])
            arguments = (rng.normal(size=size), rng.integers(-5, 50, size), rng.normal(size=(3, 4)), n, [])
            agree(compiled, arguments, f"seed {seed}, call {call}, n = {n}\n{source}")
        native += bool(programs_of(compiled))
    assert native > 5, random.Random(first)


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    first = SEED * 1000 + part * 10**7
    run_random_programs("loop", first, 400 if LONG else 25, random_source, lambda size: (size - 1, size + 2, size - 1, 0))


def test_ranges_of_all_steps() -> None:
    def steps(x, a, b, by):
        total = 0.0
        for j in range(a, b, by):
            if x[j] > -1:
                total += x[j] * (j + 1)
        return total

    def backward(x, a, b):
        total = 0.0
        for j in reversed(range(a, b, -1)):
            if x[j] > -1:  # elements from the end on, where j is negative
                total = total * 0.5 + x[j]
        return total

    def halves(n):
        out = numpy.zeros(n)
        width = 1
        while width < n:
            for i in range(0, n, 2 * width):
                for j in range(i, min(i + width, n)):
                    out[j] += i * width
            width *= 2
        return out

    draw = random.Random(SEED)
    x = numpy.arange(12.0)
    compiled = [np.compile(each) for each in (steps, backward, halves)]
    for _ in range(300):
        a, b, by = draw.randint(-15, 15), draw.randint(-15, 15), draw.choice([-3, -2, -1, 0, 1, 2, 7, 2**62, -(2**63), 2**64])
        agree(compiled[0], (x, a, b, by), f"{a}, {b}, {by}")
        agree(compiled[1], (x, a, b), f"backward {a}, {b}")
    for n in (0, 1, 5, 33, 100):
        agree(compiled[2], (n,), f"halves of {n}")
    for each in compiled:
        assert all("step" not in (loop.refused or "") for loop in each._parts().functions if hasattr(loop, "refused"))
        assert programs_of(each)


def test_tuples_are_states() -> None:
    def largest(x, start):
        best, where = 0.0, start
        for i in range(len(x)):
            for j in range(i):
                if x[i] * x[j] > best:
                    best, where = x[i] * x[j], (i, j)
        return best, where, where is start

    def turned(x, step):
        at = (0, 0)
        seen = 0
        for k in range(len(x)):
            if x[k] > 0:
                step = (step[1], -step[0])
                seen += 1
            at = (at[0] + step[0], at[1] + step[1])
        return at, step, seen

    draw = numpy.random.default_rng(SEED)
    compiled = [np.compile(largest), np.compile(turned)]
    starts: list[Any] = [(-1, -1), (0, 0), (0, 1, 2), (), (0.5, True), (-0.0, numpy.float32(2)), None, "none", (2**70, 1), ((1, 2), 3)]
    for n in (0, 1, 2, 7, 30) * 4:
        x = draw.normal(size=n)
        for start in starts:
            agree(compiled[0], (x, start), f"{n} numbers, {start}")
            agree(compiled[0], (-numpy.abs(x) if n < 2 else x * 0, start), f"{n} zeros, {start}")
        for step in ((1, 0), (0.5, 2), (2**62, 1), (numpy.int8(100), 3)):
            agree(compiled[1], (x, step), f"{n} turns, {step}")
    for each in compiled:
        assert programs_of(each)


def test_it_is_explained() -> None:
    def total(x):
        s = 0.0
        for i in range(len(x)):
            if x[i] > 0.314159:  # as no other test has it: equal programs are compiled once in a process
                s += x[i]
        return s

    told = np.explain(np.compile(total))(numpy.arange(3.0))
    assert len(told.native) == 1 and "load" in told.native[0].programs[0] and told.native[0].milliseconds[0] > 0
    assert "native loop, lines" in str(told)

    def other(x, names):
        for i in range(len(x)):
            if names[i] > x[i]:
                x[i] = 0.0

    told = np.explain(np.compile(other))(numpy.arange(3.0), {0: 1, 1: 2, 2: 3})
    assert "no native code, as it" in str(told) and "names" in str(told)


def test_variables_that_other_functions_share() -> None:
    def counted(x):
        c = 0

        def add(y):
            nonlocal c
            c += y

        for i in range(len(x)):
            if x[i] > 0:
                add(i)
        return c

    agree(np.compile(counted), (numpy.array([1.0, -1.0, 2.0]),), "nonlocal")


STEP = 0


def test_what_changes_at_every_call() -> None:
    global STEP

    def total(x):
        s = 0
        for i in range(len(x)):
            if x[i] > 0:
                s += STEP
        return s

    compiled, x = np.compile(total), numpy.ones(4)
    for STEP in range(30):  # noqa: B007
        assert compiled(x) == 4 * STEP


def noted(x: Any) -> Any:
    TIMES.append(time.time())
    return x * 2


TIMES: list[float] = []


def test_calls_of_what_breaks() -> None:
    def grown(x, n):
        for step in range(n):
            if step % 2:
                x = noted(x)
        return x

    compiled = np.compile(grown)
    for _ in range(4):
        agree(compiled, (numpy.ones(3), 5), "a break in a function that a loop calls")


def test_python_may_end_while_a_loop_is_compiled(tmp_path: Any) -> None:
    program = tmp_path / "ends.py"
    loop = "def f(x):\n    s = 0.0\n    for i in range(len(x)):\n        if x[i] > 0:\n            s += x[i]\n    return s\n"
    thread = "threading.Thread(target=fastnp.compile(f), args=(numpy.ones(100000),), daemon=True).start()\n"
    program.write_text("import threading, numpy, fastnp\n" + loop + thread)
    for _ in range(5):
        assert subprocess.run([sys.executable, str(program)], timeout=100).returncode == 0


def test_functions_that_write_end_by_errors() -> None:
    """A called function that has written can't be done again: a subscript out of bounds is NumPy's error, and what was written stays."""

    def halved(parent, i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def joined(parent, pairs, found):
        for a, b in pairs:
            x, y = halved(parent, a), halved(parent, b)
            if x != y:
                parent[max(x, y)] = min(x, y)
                found.append(int(a))
        return parent

    compiled = np.compile(joined, adaptive=False)
    rng = numpy.random.default_rng(SEED)
    for size, most in ((20, 20), (5, 5), (5, 9), (1, 1), (3, 4)):
        parent = numpy.arange(size)
        parent[rng.integers(size)] = rng.integers(-size, size)
        agree(compiled, (parent, rng.integers(0, most, (12, 2)), []), f"{size}, below {most}")
    assert programs_of(compiled)


def test_programs_are_left_in_loops_of_functions_that_they_call() -> None:
    def power(x, k):
        made = 1
        for _ in range(k):
            made = made * x
        return made

    def total(n, k):
        s = 0
        for i in range(n):
            for j in range(2):
                s += power(i, k) + j
                if s < 0:
                    return s
        return s

    compiled = np.compile(total, adaptive=False)
    for n, k in ((5, 20), (5, 3), (30, 20), (30, 60), (3, 9)):
        agree(compiled, (n, k), f"{n}, {k}")
    assert programs_of(compiled)


def test_chained_comparisons_are_of_numpy_or_of_python() -> None:
    def counted(x: Any) -> Any:
        count, inside, found = 0, 0, []
        for i, v in enumerate(x):
            count += 0 < v < 1
            inside += 0 < i < 3
            found.append(-1 <= v <= i != 2)
            if not 0 < v < 2 <= i < 7:
                count += 1
        return count, inside, found

    compiled = np.compile(counted)
    for x in (numpy.linspace(-2, 4, 9), numpy.arange(4), numpy.array([0.5]), numpy.linspace(-2, 4, 9).astype("f4"), [1, 0.5, 0]):
        agree(compiled, (x,), str(x))
        found, wanted = compiled(x), counted(x)
        assert [type(each) for each in found[2]] == [type(each) for each in wanted[2]]
    assert programs_of(compiled)


@pytest.mark.parametrize("ufunc", ["arccosh", "arctanh", "log1p", "reciprocal", "float_power"])
def test_errors_of_elementary_functions(ufunc: str) -> None:
    unary = getattr(numpy, ufunc)

    def powers(x: Any) -> Any:
        count = 0
        for i in range(len(x)):
            if numpy.float_power(x[i], -1.5) > 1:
                count += 1
        return count

    def known(x: Any) -> Any:
        count = 0
        for i in range(len(x)):
            value = unary(x[i])
            if value == value:
                count += 1
        return count

    compiled = np.compile(powers if ufunc == "float_power" else known)
    for x in ([2.0, 3.0], [0.0, 1.0, 3.0], [-2.0, 0.5], [-1.0, 2.0], [5e-324, 2.0], [2.0, 0.5]):
        agree(compiled, (numpy.array(x),), str(x))
    assert programs_of(compiled)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_quotients_of_nan_tell_nothing(dtype: str) -> None:
    def rests(x: Any, y: Any) -> Any:
        n = 0
        for i in range(len(x)):
            for each in (x[i] // y[i], x[i] % y[i]):
                if each == each:
                    n += 1
        return n

    x, y = (numpy.array(each, dtype) for each in ([numpy.nan, 1, 7, -7], [2, numpy.nan, -2, 2.5]))
    compiled = np.compile(rests)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert compiled(x, y) == rests(x, y) == 4
