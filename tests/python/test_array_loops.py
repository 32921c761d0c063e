"""Loops over whole arrays as native code: results, aliases, what is written, errors and warnings are those of NumPy."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import numpy
import pytest
from array_source import array_source
from loop_source import function_of
from support import LONG, SEED, called
from test_native_loops import programs_of

import fastnp as np
import fastnp._parts
from fastnp import _loop_functions
from fastnp._loop_draws import Draws, PythonDraws
from fastnp._loop_functions import FUNCTIONS, METHODS, Functions
from fastnp._loop_heaps import HEAPS
from fastnp._loop_list_methods import LISTS, ListMethods
from fastnp._loop_scan import DRAWS, may_be_native


@pytest.fixture(autouse=True)
def every_loop_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those, too, that recordings would be as quick for."""
    monkeypatch.setattr(fastnp._parts, "is_over_numbers", may_be_native)


def outcome(function: Callable[..., Any], arguments: Any) -> tuple[Any, set[str]]:
    """What it gives or raises, and its warnings: which operation one is of is not known where several may be."""
    result, met = called(function, *arguments)
    return result, {str(each.message).partition(" encountered")[0] for each in met if each.category is RuntimeWarning}


def close(x: Any, y: Any, tolerance: float) -> bool:
    """Whether they are of one type, dtype and shape, and their numbers equal but for the order of sums."""
    if type(x) is not type(y):
        return False
    if isinstance(x, (tuple, list)):
        return len(x) == len(y) and all(close(a, b, tolerance) for a, b in zip(x, y, strict=True))
    if not isinstance(x, (numpy.ndarray, numpy.generic, float, np.ndarray)):
        return bool(x == y)
    a, b = numpy.asarray(x), numpy.asarray(y)
    return a.dtype == b.dtype and a.shape == b.shape and numpy.allclose(a, b, tolerance, tolerance, equal_nan=True)


def aliases(values: list[Any]) -> list[bool]:
    """Which of these arrays share memory."""
    arrays = [numpy.asarray(each) for each in values if isinstance(each, (numpy.ndarray, np.ndarray))]
    return [numpy.shares_memory(x, y) for x in arrays for y in arrays if x.size and y.size]


def agree(compiled: Any, arguments: Any, note: str = "", tolerance: float = 1e-9) -> None:
    mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want, told = outcome(compiled.__wrapped__, theirs)
    got, said = outcome(compiled, mine)
    assert close(got, want, tolerance), f"{note}: {got!r} where NumPy gives {want!r}"
    assert said == told, f"{note}: warns {said} where NumPy warns {told}"
    assert close(mine, theirs, tolerance), f"{note}: the arguments are {mine!r} then, {theirs!r} with NumPy"
    if isinstance(want, tuple) and want and not isinstance(want[0], type):
        assert aliases([*got, *mine]) == aliases([*want, *theirs]), f"{note}: other arrays share memory"


def native_among(name: str, part: int, sizes: Iterable[int], source_of: Callable[[int, int], str], calls_of: Callable[[int], Iterable[Any]]) -> float:
    """The share of random functions that have native loops; all of them agree with Python. `source_of`: by a seed and a number of statements, one of
    `sizes`, which rise: the shortest that fails is the one that is told. `calls_of`: arguments, by the seed."""
    native, first = [], SEED * 1000 + part * 10**7
    for seed in range(first, first + (300 if LONG else 12)):
        for statements in sizes:
            source = source_of(seed, statements)
            compiled = np.compile(function_of(source, f"{name} {seed} {statements}"), adaptive=False)
            for call, arguments in enumerate(calls_of(seed)):
                agree(compiled, arguments, f"seed {seed}, call {call}\n{source}")
            native.append(bool(programs_of(compiled)))
    return sum(native) / len(native)


def vector_of(rng: numpy.random.Generator, size: int, dtype: str) -> numpy.ndarray:
    """Of any layout."""
    values = (rng.normal(size=2 * size) * 3).round(3).astype(dtype)
    return [values[:size].copy(), values[::2], values[size:][::-1]][rng.integers(3)]


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    native = 0
    first = SEED * 1000 + part * 10**7
    count = 250 if LONG else 12
    for seed in range(first, first + count):
        for statements in (4, 8, 14):  # the shortest that fails is the one that is told
            source = array_source(seed, statements)
            compiled = np.compile(function_of(source, f"arrays {seed} {statements}"), adaptive=False)
            for call, size in enumerate((5, 5, 1, 12, 0)):
                rng = numpy.random.default_rng([seed, call])
                dtype = "f8" if seed % 4 else ["f4", "i4", "f8"][seed % 3]
                x, y = vector_of(rng, size, dtype), vector_of(rng, size, "f8")
                square = max(size, 3)
                arguments = x, y, rng.integers(0, 7, size), rng.normal(size=(square, square)), rng.normal(size=(size, size)), 4, []
                agree(compiled, arguments, f"seed {seed}, size {size}, {dtype}\n{source}", 1e-9 if dtype != "f4" else 2e-3)
            native += bool(programs_of(compiled))
    assert native > count


def test_what_variables_share() -> None:
    def shared(x, n):
        y = z = x
        for i in range(n):
            z = y[1:]
            y = x * 1.0 if i == 1 else y
            z += i
        return x, y, z

    compiled = np.compile(shared, adaptive=False)
    for n in (1, 2, 3, 5, 1):
        agree(compiled, (numpy.arange(4.0), n), f"{n} turns")
    assert programs_of(compiled)


def test_arrays_are_left_with_in_the_middle() -> None:
    """What Python goes on with has the arrays that the program made, and what it writes to them is seen."""

    def stops(x, log):
        old = new = x
        for i in range(6):
            old, new = new, new * 2 + i
            if i % 2:
                log.append((old, new))
                new[0] = -1.0
        return old, new, x

    compiled = np.compile(stops, adaptive=False)
    for size in (3, 1, 0):
        for x in (numpy.arange(float(size)), np.arange(float(size))):
            agree(compiled, (x, []))
    assert programs_of(compiled)


def test_classes_of_arrays() -> None:
    def made(x, n):
        y = z = w = v = x
        for i in range(n):
            y = x + 1
            z = np.zeros(3) + i
            w = numpy.zeros(3)
            v = w + z
        return y, z, w, v

    compiled = np.compile(made, adaptive=False)
    for x in (numpy.ones(3), np.ones(3), numpy.ones(3)):
        got, want = compiled(x, 2), made(x, 2)
        given_numpys = type(x) is numpy.ndarray  # a compiled function gives these then
        assert [type(each) for each in got] == [numpy.ndarray if given_numpys else type(each) for each in want]
    assert programs_of(compiled)


def test_arrays_that_share_memory_are_as_written() -> None:
    def shift(x, y):
        for i in range(2):
            x[:] = y + i
            x *= 2

    compiled = np.compile(shift, adaptive=False)
    for offset in (1, 0, 2):
        mine, theirs = numpy.arange(20.0), numpy.arange(20.0)
        compiled(mine[offset:], mine[: 20 - offset])
        shift(theirs[offset:], theirs[: 20 - offset])
        assert mine.tolist() == theirs.tolist()
    agree(compiled, (numpy.zeros(4), numpy.ones(4)))
    assert programs_of(compiled)


def test_parts_that_overlap() -> None:
    def moved(x, A):
        for i in range(3):
            x[1:] = x[:-1] + i
            x[:-1] += x[1:]
            x[::2] = x[::-1][: len(x[::2])]
            A[1:] = A[:-1]
            A[:, 1:] -= A[:, :-1]
            A += A.T
            A[i] = A[:, i]

    compiled = np.compile(moved, adaptive=False)
    for size in (3, 4, 9):
        rng = numpy.random.default_rng([SEED, size])
        agree(compiled, (rng.normal(size=size), rng.normal(size=(size, size))))
    assert programs_of(compiled)


def test_errors_are_numpys() -> None:
    def pairs(x, y, k, n):
        out = 0.0
        for i in range(n):
            x[i] = i
            out = out + (x * y)[0]
            x[k] += 1.0
        return out

    compiled = np.compile(pairs, adaptive=False)
    for sizes in ((3, 3), (3, 1), (3, 4), (1, 1), (0, 0), (3, 0)):
        for k in ([0, 1], [0, -1, 0], [5], [-4]):
            agree(compiled, (numpy.zeros(sizes[0]), numpy.ones(sizes[1]), numpy.array(k), min(sizes[0], 3)), f"{sizes}, {k}")
    assert programs_of(compiled)

    x = numpy.zeros(3)
    x.flags.writeable = False
    agree(compiled, (x, x, numpy.array([0]), 2))


def test_functions_that_take_arrays() -> None:
    def slope(state, pull):
        return numpy.array(state)[::-1] * pull - state

    def steps(x, n):
        for i in range(n):
            half = x + 0.5 * slope(x, 0.1)
            x = x + slope(half, 0.1)
            if numpy.linalg.norm(x) < 1e-3:
                return x, i
        return x, n

    compiled = np.compile(steps, adaptive=False)
    for n in (0, 1, 20):
        agree(compiled, (numpy.array([1.0, 2.0, 3.0]), n))
    assert programs_of(compiled)


def test_floating_point_errors() -> None:
    def risky(x, y):
        z = w = x
        for _ in range(2):
            z = x / y
            w = z * z
        return z, w

    compiled = np.compile(risky, adaptive=False)
    for x, y in ((1.0, 2.0), (0.0, 0.0), (1.0, 0.0), (1e200, 1e-5), (numpy.nan, 1.0)):
        agree(compiled, (numpy.full(5, x), numpy.full(5, y)), f"{x} / {y}")
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        compiled(numpy.ones(5), numpy.zeros(5))
    assert programs_of(compiled)


def test_logarithms_of_what_is_not_positive() -> None:
    def entropy(p, n):
        total = 0.0
        for _ in range(n):
            total += (p * numpy.log(p)).sum()
            p = p * 0.5
        return total

    compiled = np.compile(entropy, adaptive=False)
    for p in ([0.2, 0.8], [0.0, 1.0], [-0.5, 1.5], [numpy.nan, 1.0], []):
        agree(compiled, (numpy.array(p), 3), str(p))
    assert programs_of(compiled)


def test_memory_is_used_again() -> None:
    """What a turn makes is free in the next one; what there is too little memory for is an error in the user's line."""

    def turns(x, n):
        y = x
        for i in range(n):
            x = x * 0.5 + 1.0
            y = x[::-1] + i
        return x, y

    compiled = np.compile(turns, adaptive=False)
    agree(compiled, (numpy.arange(8.0), 20000))

    def huge(x, n):
        y = x
        for _ in range(n):
            y = x + 1.0
        return y

    compiled = np.compile(huge, adaptive=False)
    agree(compiled, (numpy.ones(3), 2))
    wide = numpy.lib.stride_tricks.as_strided(numpy.ones(1), (2**45,), (0,))
    with pytest.raises(MemoryError):
        compiled(wide, 1)
    assert programs_of(compiled)


def test_gradients_are_those_of_recordings() -> None:
    def loss(x, n):
        for i in range(n):
            x = x * x - 0.5 * x[::-1]
            if i > 1:
                x = x + 1.0
        return x.sum()

    compiled = np.compile(loss, adaptive=False)
    x = numpy.array([0.3, -0.2, 0.5])
    compiled(x, 4)
    assert programs_of(compiled)
    want = np.grad(loss)(np.asarray(x), 4)
    numpy.testing.assert_allclose(numpy.asarray(np.grad(compiled)(np.asarray(x), 4)), numpy.asarray(want), rtol=1e-12)


def reads_its_old_rows(x):
    s = 0.0
    for v in x:
        if v < 0:
            break
        s += v
        x = x[:1] * 10
    return s


def swaps_rows(A):
    for i in range(2):
        A[i], A[i + 1] = A[i + 1], A[i]
    return A


def computes_before_it_stores(a, b):
    for k in range(4):
        if k == 2:
            break
        a[:], b[:] = b + 1, a + 2
    return a, b


def binds_then_stores(x):
    i = 0
    for k in range(3):
        i, x[i] = k + 1, 50.0
        i = x[i] = k + 1
    return x, i


def without_axes(x):
    a, b, n = x + 1, x, 0
    while n < 2:
        a = x + 1
        b = a
        b += 5
        n += 1
    return a, b


def stores_integers(x, k):
    for i in range(3):
        x[i] = k[i]
    return x


def adds_more_axes(x):
    n = 0
    while n < 2:
        x += numpy.ones((1, 3))
        n += 1
    return x


def casts(x, y):
    for i in range(3):
        x[i] = y[i]
        x[:] = y * 2
    return x


def fails(n):
    raise KeyError(n)


def fails_at_once(n):
    while fails(n):
        n += 1
    return n


def takes_rows_apart(a):
    s = 0.0
    for _ in range(2):
        for p, q in a:
            s += p * q
    return s


def iterates_into_elements(x, k):
    s = 0
    for x[k] in range(5):
        s += 1
        k += 1
    return s


SUBTLE: list[tuple[Callable[..., Any], list[Callable[[], tuple[Any, ...]]]]] = [
    (reads_its_old_rows, [lambda: (numpy.arange(4.0),), lambda: (numpy.ones(5000),)]),
    (swaps_rows, [lambda: (numpy.arange(6.0).reshape(3, 2),)]),
    (computes_before_it_stores, [lambda: (numpy.arange(3.0), numpy.arange(3.0) + 5)]),
    (binds_then_stores, [lambda: (numpy.arange(6.0),)]),
    (without_axes, [lambda: (numpy.array(3.0),)]),
    (stores_integers, [lambda: (numpy.zeros(3, "i1"), numpy.array([1, 200, 300])), lambda: (numpy.zeros(3, "u1"), numpy.array([1, 200, 300]))]),
    (stores_integers, [lambda: (numpy.zeros(3, "i8"), numpy.array([1, 2**64 - 1, 3], "u8")), lambda: (numpy.zeros(3), numpy.array([1, 2, 3]))]),
    (adds_more_axes, [lambda: (numpy.arange(3.0),)]),
    (casts, [lambda: (numpy.zeros(3, "f4"), numpy.array([1.0, 1e300, 2.0])), lambda: (numpy.zeros(3, "f4"), numpy.ones(3))]),
    (fails_at_once, [lambda: (3,)]),
    (takes_rows_apart, [lambda: (numpy.ones((2, 2)),), lambda: (numpy.ones((2, 3)),)]),
    (iterates_into_elements, [lambda: (numpy.arange(8.0), 0), lambda: (numpy.arange(3.0), 0)]),
]


@pytest.mark.parametrize("function, calls", SUBTLE)
def test_order_of_what_is_done(function: Callable[..., Any], calls: list[Callable[[], tuple[Any, ...]]]) -> None:
    """What is evaluated, checked, bound and stored comes in Python's order."""
    compiled = np.compile(function, adaptive=False)
    for make in [*calls, *calls]:
        agree(compiled, make(), function.__name__)


def test_sums_of_single_precision() -> None:
    def sums(x, n):
        s = m = x[0]
        while n < 2:
            s, m = x.sum(), x.mean()
            n += 1
        return s, m

    compiled = np.compile(sums, adaptive=False)
    x = numpy.full(1 << 18, 0.1, "f4")
    got = compiled(x, 0)
    assert [each.dtype for each in got] == [numpy.float32] * 2
    assert numpy.allclose(got, (x.sum(dtype="f8"), x.mean(dtype="f8")), rtol=1e-6)
    assert programs_of(compiled)


def test_loops_are_tried_for_what_programs_have() -> None:
    """The names by which loops are looked for are those of the functions that programs have."""
    made = {name.partition("_")[2] for name in dir(Functions) if name.startswith("call_")}
    methods = {name.partition("_")[2] for name in dir(Functions) if name.startswith("method_")}
    reductions = set(_loop_functions._REDUCTIONS)
    assert made - {"method"} | reductions == FUNCTIONS
    assert methods | made | reductions >= METHODS
    assert methods <= METHODS
    drawn = {name.partition("_")[2] for name in (*dir(Draws), *dir(PythonDraws)) if name.startswith("draw_")}
    assert drawn | {"rand", "randn", "random_sample"} == DRAWS
    assert {name.partition("_")[2] for name in dir(ListMethods) if name.startswith("call_")} == LISTS
    assert {"heappush", "heappop", "heapify", "heapreplace", "heappushpop"} == HEAPS


def test_rounded_and_sorted() -> None:
    def rounded(x, n):
        found, total = x * 0, 0.0
        for i in range(n):
            found = found + numpy.round(x * i) + numpy.round(x, 2) + x.round(1) + numpy.around(x, 1)
            total = total + numpy.round(x[i], 3) + round(x[i], 1) + numpy.round(1.25 * i, 1) + numpy.round(i)
        return found, total

    def in_order(x, n):
        found = 0
        for i in range(n):
            y = numpy.sort(x[i:])
            x[i:].sort()
            found = found + numpy.median(x) + y[-1] + numpy.searchsorted(y, y[0]) + numpy.searchsorted(y, y[0], side="right")
        return found, x

    for function, dtypes in ((rounded, ("f8", "f4", "i4", "i8")), (in_order, ("f8", "f4", "i4", "i8", "u1"))):
        for dtype in dtypes:
            compiled = np.compile(function, adaptive=False)
            for size, n in ((7, 3), (100, 5), (7, 0), (1, 1), (2, 2), (0, 0), (0, 1), (65, 6)):
                x = (numpy.random.default_rng([SEED, size]).integers(-999, 999, size) / 8).astype(dtype)
                agree(compiled, (x, n), f"{function.__name__}, {dtype}, {size}, {n}", 1e-6 if dtype == "f4" else 1e-12)
                agree(compiled, (numpy.append(x, numpy.array([numpy.nan, 1]).astype(dtype)), n), f"{function.__name__}, {dtype}, {size}, {n}", 1e-6)
            assert programs_of(compiled), (function, dtype)
