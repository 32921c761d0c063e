"""Programs whose work is a loop in another function, which they call in every way there is. Each takes a vector and a number of turns."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy

PROGRAMS: list[Callable[..., Any]] = []  # whose loops become native code
OTHERS: list[Callable[..., Any]] = []  # ... or not


def program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(function)
    return function


def other(function: Callable[..., Any]) -> Callable[..., Any]:
    OTHERS.append(function)
    return function


def kernel(a: Any, n: Any) -> Any:
    s = 0.0
    for i in range(n):
        s += a[i % len(a)] * 0.5 + i
        if s > 1e3:
            s -= 1e3
    return s


@program
def calls(a, n):
    return kernel(a, n)


@program
def calls_twice(a, n):
    return kernel(a, n) + kernel(n=n, a=a * 2), a.max()


@program
def in_comprehensions(a, n):
    return [kernel(a * k, n) for k in range(3)], {k: kernel(a, n + k) for k in range(2)}, sum(kernel(a + k, n) for k in range(2))


@program
def in_a_lambda(a, n):
    return (lambda b: kernel(b, n))(a), max(range(3), key=lambda k: kernel(a * k, n))


@program
def in_a_loop(a, n):
    total = 0.0
    for k in range(3):
        total += kernel(a * k, n)
    return total


@program
def in_conditions(a, n):
    if kernel(a, n) > 3 and (x := kernel(a * 3, n)) > 0:
        return kernel(a * 2, n) if n > 5 else x
    return 0.0


def middle(a, n):
    return kernel(a, n) * 2


@program
def two_deep(a, n):
    x = middle(a, n)
    return x - 1


@program
def nested(a, n):
    def inner(b):
        s = 0.0
        for i in range(n):
            s += b[i % len(b)] * 0.5 + i
            if s > 1e3:
                s -= 1e3
        return s, inner.__qualname__ if n < 0 else ""

    return inner(a) if n < 0 else inner_of(n)(a)


def inner_of(n):
    def inner(b):
        s = 0.0
        for i in range(n):
            s += b[i % len(b)] * 0.5 + i
            if s > 1e3:
                s -= 1e3
        return s

    return inner


@program
def nested_plain(a, n):
    def inner(b, n, by=0.5):
        s = 0.0
        for i in range(n):
            s += b[i % len(b)] * by + i
            if s > 1e3:
                s -= 1e3
        return s

    return inner(a, n) + inner(a * 2, n), inner.__qualname__


def factory(k):
    def made(a, n):
        s = 0.0
        for i in range(n):
            s += a[i % len(a)] * k + i
            if s > 1e3:
                s -= 1e3
        return s

    return made


half = factory(0.5)


@program
def captures(a, n):
    return half(a, n), factory(n * 0.25)(a, n), factory(3)(a, n)


def counter():
    count = 0

    def step(a, n):
        nonlocal count
        for i in range(n):
            count += 1
            if a[i % len(a)] > 0.5:
                count += 2
        return count

    def add(k):
        nonlocal count
        count += k

    def total(a, n, call=None):
        s = 0
        for i in range(n):
            s += count
            if a[i % len(a)] > 0.5:
                s -= 1
                add(1)
        return s

    return step, add, total


@other
def changes_what_it_captures(a, n):
    step, add, total = counter()
    return step(a, n), add(2), total(a, n), step(a, n)


@other
def changes_what_another_captures(a, n):
    k = 1

    def change():
        nonlocal k
        k += 1

    def inner():
        s = 0
        for i in range(n):
            s += k
            if a[i % len(a)] > 0.5:
                change()
        return s

    return inner(), k, inner(), k


@other
def calls_itself(a, n):
    def inner(k):
        s = 0.0
        for i in range(k):
            s += a[i % len(a)]
            if s > 5:
                s = 0.0
        return s if k < 2 else s + inner(k // 2)

    return inner(n)


@other
def captures_later(a, n):
    def inner():
        s = 0
        for i in range(n):
            s += k
            if a[i % len(a)] > 0.5:
                s -= 1
        return s

    try:
        inner()
    except NameError as error:
        told = str(error)
    k = 2
    return inner(), told


part = functools.partial(kernel, n=30)


@program
def partial(a, n):
    return part(a), functools.partial(kernel, a)(n)


TABLE = {"kernel": kernel}


@program
def by_table(a, n):
    return TABLE["kernel"](a, n)


def apply(f, a, n):
    return f(a, n)


@program
def handed_over(a, n, f=kernel):
    return f(a, n), apply(kernel, a, n)


@program
def by_star(a, n):
    given, keywords = (a, n), {"a": a, "n": n}
    return kernel(*given), kernel(**keywords)


@program
def in_blocks(a, n):
    try:
        with numpy.errstate(over="ignore"):
            return kernel(a, n)
    except ZeroDivisionError:
        return 0.0


def recursive(a, n, depth):
    return kernel(a, n) if depth == 0 else recursive(a, n, depth - 1) + 1


@program
def recursion(a, n):
    return recursive(a, n, 2)


class Static:
    @staticmethod
    def of(a, n):
        return kernel(a, n)

    @classmethod
    def of_class(cls, a, n):
        return kernel(a, n), cls.__name__


@program
def static(a, n):
    return Static.of(a, n), Static.of_class(a, n)


def parts_of(compiled: Any) -> Iterator[Any]:
    """What a compiled function, and those that it calls, consist of."""
    parts = compiled._parts()
    if parts is not None:
        yield parts
        for each in parts.used():
            yield from parts_of(each)
