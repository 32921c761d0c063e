"""Arrays that a transform's function reads and that are written to afterwards, by NumPy or by fastnp, before the function ends: what was read counts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

MAKES: dict[str, Callable[[], Any]] = {
    "indices": lambda: numpy.indices((2, 2))[0] * 1.0,
    "eye": lambda: numpy.eye(2),
    "steps": lambda: numpy.arange(8.0).reshape(2, 4)[:, ::2],
    "turned": lambda: numpy.arange(4.0).reshape(2, 2)[::-1].T,
    "repeated": lambda: numpy.array(numpy.broadcast_to(numpy.arange(2.0), (2, 2))),
    "ours": lambda: np.arange(4.0).reshape(2, 2),
}
READS: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda a, v: a * v,
    "reflected": lambda a, v: v * a,
    "where": lambda a, v: numpy.where(a > v, a, v),
    "matmul": lambda a, v: a @ v,
    "fmin": lambda a, v: numpy.fmin(a, v) * a,
    "stack": lambda a, v: numpy.stack([a, v * 1.0]) * a,
}


def add(v: Any) -> None:
    v += 5


def assign(v: Any) -> None:
    v[...] = v[::-1] - 3


def element(v: Any) -> None:
    v[0, 1] = 9


def output(v: Any) -> None:
    numpy.subtract(v, 1.5, out=v)


def part(v: Any) -> None:
    v[1:] *= -2


def program(make: str, read: str, write: Callable[[Any], None], outside: bool) -> tuple[Callable[[Any], Any], Callable[[], None]]:
    """A function of one array, and what makes all as it was."""
    held = [MAKES[make]()]

    def renew() -> None:
        held[0] = MAKES[make]()

    def f(a: Any) -> Any:
        v = held[0] if outside else MAKES[make]()
        first = READS[read](a, v)
        write(v)
        return first + READS[read](a, v)

    return f, renew


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_was_read_counts():
    rng = random.Random(SEED)
    cases = list(itertools.product(MAKES, READS, (add, assign, element, output, part), (False, True)))
    for make, read, write, outside in rng.sample(cases, 60):
        f, renew = program(make, read, write, outside)
        check(f, renew, not outside, f"FASTNP_TEST_SEED={SEED}: {make}, {read}, {write.__name__}, {outside}")


def check(f: Callable[[Any], Any], renew: Callable[[], None], compiles: bool, message: str) -> None:
    x = numpy.array([[3.07, -1.13], [0.55, 7.21]])  # no element equals one that is read

    def loss(a: Any) -> Any:
        return (f(a) * 1.0).sum()

    expected = numpy.zeros((2, 2))
    for i in numpy.ndindex(2, 2):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[i] += sign * 1e-6
            renew()
            ends.append(float(loss(moved)))
        expected[i] = (ends[0] - ends[1]) / 2e-6
    renew()
    values = numpy.asarray(f(x.copy()))
    direction = numpy.array([[1.0, 2.0], [-1.0, 0.5]])
    ways: dict[str, tuple[Callable[[], Any], Any]] = {
        "grad": (lambda: np.grad(loss)(x.copy()), expected),
        "jvp": (lambda: np.jvp(loss, (x.copy(),), (direction,))[1], (expected * direction).sum()),
        "vmap": (lambda: np.vmap(f)(x[None].copy())[0], values),
        "vmap of grad": (lambda: np.vmap(np.grad(loss))(x[None].copy())[0], expected),
    }
    if compiles:
        ways["compiled"] = (lambda: np.compile(np.grad(loss))(x.copy()), expected)
    for way, (run, want) in ways.items():
        renew()
        assert numpy.allclose(numpy.asarray(run()), want, rtol=1e-4, atol=1e-4), f"{message}: {way}"


def test_arguments_that_are_not_differentiated():
    def f(a: Any, b: Any) -> Any:
        y = a * b
        b += 5
        return y.sum()

    b = numpy.arange(2.0)
    assert np.grad(f)(numpy.array([3.0, 4.0]), b).tolist() == [0, 1]
    assert b.tolist() == [5, 6]


def test_large_arrays_are_watched():
    """They are not copied: an error says that one was written to."""
    large = numpy.arange(100_000.0)

    def f(a: Any, writes: bool) -> Any:
        y = a * large
        if writes:
            large[::1000] += 1
        return y.sum()

    x = numpy.ones(100_000)
    assert numpy.array_equal(np.grad(f)(x, False), large)
    with pytest.raises(np.RecordError, match="was written to by others"):
        np.grad(f)(x, True)
    columns = large.reshape(100, 1000)[:, ::2]

    def g(a: Any, writes: bool) -> Any:
        y = a * columns
        if writes:
            large[1] += 1  # between them
        return y.sum()

    assert numpy.array_equal(np.grad(g)(numpy.ones((100, 500)), True), columns)


def test_a_view_that_is_a_copy():
    def f(a: Any) -> Any:
        d = numpy.diagonal(a[::-1])
        a += a
        return d + 1

    with pytest.raises(np.RecordError, match="gave a view of it, which is a copy"):
        np.vmap(f)(numpy.arange(8.0).reshape(2, 2, 2))
