"""Native loops that call functions, and what these write: everything is done once, in Python's order, and by the objects of the call at hand."""

from __future__ import annotations

import collections
import copy
import functools
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np


def shown(value: Any) -> Any:
    """With the types, and in order."""
    if isinstance(value, numpy.ndarray | np.ndarray):
        return type(value).__name__, str(value.dtype), numpy.asarray(value).tolist()
    if isinstance(value, (list, tuple, set, collections.deque)):
        return type(value).__name__, [shown(each) for each in value]
    if isinstance(value, (random.Random, numpy.random.Generator)):
        return value.random()  # where its stream is
    return type(value).__name__, repr(value) if not hasattr(value, "__dict__") else shown(list(vars(value).values()))


def outcome(function: Callable[..., Any], arguments: list[Any]) -> Any:
    try:
        result = shown(function(*arguments))
    except Exception as error:  # noqa: BLE001  # it is compared
        result = type(error).__name__, str(error)
    return result, [shown(each) for each in arguments if not callable(each)]


def agree(compiled: Any, *arguments: Any) -> None:
    for _ in range(3):
        mine, theirs = ([each if callable(each) else copy.deepcopy(each) for each in arguments] for _ in range(2))
        assert outcome(compiled, mine) == outcome(compiled.__wrapped__, theirs)


def check(function: Callable[..., Any], *calls: tuple[Any, ...]) -> None:
    compiled = np.compile(function, adaptive=False)
    for arguments in calls:
        agree(compiled, *arguments)


# Writes in functions that are left in a later iteration.


def fill(xs: list[int], v: int, n: int) -> int:
    for i in range(n):
        if i > 3:
            raise ValueError(i)
        xs.append(i)
    return v


def grow(x: Any, v: int, n: int) -> int:
    for i in range(n):
        v = v * 1000003 + i
        x += 1
    return v


def drawing(r: Any, v: int, n: int) -> int:
    for i in range(n):
        v = v * 1000003 + i
        r.random()
    return v


def own(n: int) -> int:
    found = []
    for i in range(n):
        found.append(i * 3)
        if found[-1] % 7 == 5:
            found.pop()
    return len(found) + found[-1]


class Stack:
    def __init__(self) -> None:
        self.items: list[int] = []

    def push_all(self, n: int) -> int:
        for i in range(n):
            if i == 2:
                raise KeyError(i)
            self.items.append(i)
        return n


@pytest.mark.parametrize("name", ["fill", "grow", "drawing", "own", "push"])
def test_a_function_that_is_left_writes_once(name: str) -> None:
    def filled(xs: Any, n: int) -> Any:
        t = 0
        while t < 1:
            t = fill(xs, 1, n)
        return t

    def grown(x: Any, n: int) -> Any:
        v = 0
        for j in range(2):
            v = grow(x, j + 1, n)
            if v < 0:
                break
        return v

    def drawn(r: Any, n: int) -> Any:
        v = 0
        for j in range(2):
            v = drawing(r, j + 1, n)
            if v < 0:
                break
        return v, r.random()

    def owned(n: int) -> Any:
        v = 0
        for _ in range(3):
            v += own(n)
            if v < 0:
                break
        return v

    def pushed(s: Any, n: int) -> Any:
        t = 0
        for _ in range(3):
            t = s.push_all(n)
            if t < 0:
                break
        return t

    if name == "fill":
        check(filled, ([], 3), ([], 6), ([7], 5))
    elif name == "grow":
        check(grown, (numpy.zeros(2), 2), (numpy.zeros(2), 6))
    elif name == "drawing":
        check(drawn, (random.Random(1), 2), (random.Random(1), 6))
        check(drawn, (numpy.random.default_rng(1), 6))
    elif name == "own":
        check(owned, (5,), (1,), (0,))
    else:
        check(pushed, (Stack(), 1), (Stack(), 4))


def clamp(u: Any) -> float:
    u[u > 3] = 3.0
    return 0.5


def relax(u: Any, f: Any) -> Any:
    f[0] = 0.0
    return u * 2.0 + clamp(u)


def put(x: Any, i: int) -> float:
    x[i] = 100.0
    return 1.0


def test_arrays_are_computed_before_functions_change_them() -> None:
    def relaxed(u: Any, f: Any) -> Any:
        r = u
        for _ in range(1):
            r = relax(u, f)
        return r

    def drawn(rng: Any, x: Any) -> Any:
        y = x
        for _ in range(1):
            y = x * rng.random() + put(x, 2)
        return y

    check(relaxed, (numpy.array([1.0, 5, 7]), numpy.ones(1)))
    check(drawn, (numpy.random.default_rng(0), numpy.ones(3)))


# Draws, and what is made for each row.


def jump(r: Any) -> Any:
    return r.random() * 10


def test_draws_come_in_their_order() -> None:
    def beside_a_call(r: Any, n: int) -> Any:
        t = 0.0
        for _ in range(n):
            d = r.random() - jump(r)
            if d > 0:
                t += d
        return t

    def beside_a_branch(r: Any, n: int) -> Any:
        t = 0
        for i in range(n):
            if r.random() < (0.5 if i % 2 else r.random()):
                t += 1
        return t

    def beside_and(r: Any, n: int) -> Any:
        t = 0
        for i in range(n):
            if r.random() < 0.9 and (r.random() < 0.5 or i % 3 == 1) and r.random() < 0.7:
                t += 1
        return t

    def rows(r: Any, n: int) -> Any:
        t = 0.0
        for _ in range(n):
            m = [[r.random() for _ in range(2)] for _ in range(3)]
            if m[0][0] != m[1][1]:
                t += m[2][0]
        return t

    for function in (beside_a_call, beside_a_branch, beside_and, rows):
        check(function, (random.Random(1), 7))
        check(function, (numpy.random.default_rng(1), 7))


def test_arrays_of_draws_are_the_generator_s() -> None:
    def f(rng: Any) -> Any:
        y = 0
        for _ in range(2):
            y = rng.random(2)
        return y

    for make in (np.random.default_rng, numpy.random.default_rng):
        compiled = np.compile(f, adaptive=False)
        for _ in range(3):
            assert type(compiled(make(1))) is type(f(make(1)))


def test_each_row_is_computed_by_itself() -> None:
    def popped(xs: Any, n: int) -> Any:
        t = 0
        for _ in range(n):
            m = [[xs.pop(), 1] for _ in range(3)]
            if m[2][0] > 0:
                t = m[2][0]
        return t, xs

    def missing(n: int) -> Any:
        d: Any = collections.defaultdict(int)
        for _ in range(n):
            d[1] += len([[d[5]] * 2 for _ in range(0)])
            if d[1] > 9:
                break
        return sorted(d.items())

    check(popped, (list(range(9)), 2))
    check(missing, (3,))


# Which function, which object, and what is true of it.


def scaled(k: int) -> Any:
    def inner(x: Any) -> Any:
        return x * k

    return inner


HELD = scaled(5)
QUEUE: Any = collections.deque()
TABLE: Any = ([],)


def default(x: int, seen: list[int] = []) -> int:  # noqa: B006  # that is what is tested
    return x + 1 if seen else x


def test_functions_are_those_of_the_call() -> None:
    def both(f: Any, g: Any, n: int) -> Any:
        t = 0
        for i in range(n):
            t += f(i) + 10 * g(i)
            if t > 10**6:
                break
        return t

    def beside_a_global(f: Any, n: int) -> Any:
        t = 0
        for i in range(n):
            t += f(i) + 10 * HELD(i)
            if t > 10**6:
                break
        return t

    a, b = scaled(2), scaled(3)
    for calls in ([(a, a, 4), (a, b, 4)], [(a, b, 4), (b, b, 4), (b, a, 4)]):
        check(both, *calls)
    check(beside_a_global, (HELD, 4), (a, 4))
    check(beside_a_global, (a, 4), (HELD, 4))


def wrapping(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(x: int, y: int = 2) -> Any:
        return function(x, y) * 10

    return wrapper


@wrapping
def added(x: int, y: int = 5) -> int:
    return x + y


def test_wrappers_have_their_own_parameters() -> None:
    def f(n: int) -> Any:
        t = 0
        for i in range(n):
            t += added(i)
            if t > 9999:
                break
        return t

    check(f, (5,))


def test_what_is_true_may_change() -> None:
    def queue(n: int) -> Any:
        t = 0
        for _ in range(n):
            if QUEUE:
                t += 1
            if TABLE[0]:
                t += 10
            t += default(0) * 100
            if t > 9999:
                break
        return t

    def displays(n: int) -> Any:
        t = 0
        for i in range(n):
            ys = [] or [1]  # noqa: SIM222  # that is what is tested
            t += len(ys)
            if not [0] * (i % 2):
                t += 10
            if [0, i] * (i - 2):
                t += 1000
            if [[0] * 2 for _ in range(i % 2)]:
                t += 100
            if t > 9999:
                break
        return t

    check(displays, (4,))
    compiled = np.compile(queue, adaptive=False)
    try:
        for each in (None, QUEUE, TABLE[0], default.__defaults__[0]):
            if each is not None:
                each.append(1)
            agree(compiled, 3)
    finally:
        for each in (QUEUE, TABLE[0], default.__defaults__[0]):
            each.clear()


def test_a_deque_of_two_names_is_one() -> None:
    def f(n: int) -> Any:
        a = b = collections.deque()
        for i in range(n):
            if i == 9:
                break
            a.append(i)
        return a is b, list(a)

    check(f, (4,))


def test_sets_are_handed_out_in_their_order() -> None:
    def largest(n: int) -> Any:
        s = set()
        for i in range(n):
            s.add(i * 37 % 101)
            if i % 2 == 0:
                s.discard(i * 17 % 101)
        return max(s, key=lambda v: v % 3)

    def two_names(n: int) -> Any:
        a = b = set()
        for i in range(n):
            a.add(i * 37 % 101)
            if i % 3 == 0:
                a.discard(i * 37 % 101)
        return list(b)

    def returned(n: int) -> Any:
        s = set()
        for i in range(n):
            s.add(i * 37 % 101)
            if i % 3 == 0:
                s.discard(i * 17 % 101)
        return s

    for function in (largest, two_names, returned):
        check(function, *((n,) for n in (0, 1, 5, 10, 20, 60)))


def test_lists_are_repeated_by_numbers_of_arrays() -> None:
    def zeros(a: Any) -> Any:
        counts = [0] * (a.max() + 1)
        for v in a:
            counts[v] += 1
        return counts

    def pair(a: Any) -> Any:
        return (1, 2) * a[1], a[0] * [1, 2]

    def in_place(a: Any) -> Any:
        found = [5]
        found *= a[1]
        return found, len([0] * a.max())

    for function in (zeros, pair, in_place):
        check(function, (numpy.array([2, 3]),), (numpy.array([1, 0, 1]),))
    for number in (numpy.True_, numpy.float64(2), numpy.int8(2)):
        check(lambda x: [1, 2, 3] * x, (number,))
