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


# What programs do to an array of NumPy's from outside, `x`, and to arrays of fastnp's over it: by NumPy, and by fastnp.
SHARED = [
    "v = np.asarray(x)",
    "v = np.asarray(x[1:])",
    "v = np.asarray(x[::-2])",
    "v = np.asarray(x)[1:]",
    "v = np.broadcast_arrays(x, np.ones(x.shape))[0]",
    "v = np.asarray(x).reshape(2, -1)",
    "v[0] = 5.0",
    "v[1:] = v[:-1] * 2",
    "v += 1",
    "v *= np.asarray(x)[2]",
    "np.copyto(v, 3.0)",
    "np.add(v, np.asarray(x)[0], out=v)",
    "x[1] = 7",
    "x *= -0.5",
    "x[::2] = numpy.asarray(x)[1]",
    "read(numpy.asarray(x) + 0)",
    "read(numpy.asarray(v)[::-1] * 3)",
    "read(x.copy())",
    "read(v * a[0])",
    "read(np.asarray(x) + a[1])",
    "read(v + 1)",
    "read(np.asarray(x[2:]) * a[2])",
    "read(a[0] if v.sum() > 2 else a[1] * 2)",
]


@pytest.mark.parametrize("make", [numpy.array, np.array])
@pytest.mark.parametrize("size", [6, 20_000])
@pytest.mark.parametrize("number", range(25))
def test_what_is_written_outside_shows_at_once(number, size, make):
    """NumPy and fastnp write to one array in turn while a transform's function runs; each sees what the other wrote."""
    rng = random.Random(SEED + number)
    lines = ["v = np.asarray(x)", *(rng.choice(SHARED) for _ in range(10)), "read(x.copy())", "read(v * a[0])"]

    def program(x: Any, a: Any) -> Any:
        made: list[Any] = []
        names = {
            "x": x,
            "a": a,
            "np": np,
            "numpy": numpy,
            "read": lambda value: made.append((value * numpy.cos(numpy.arange(value.size))).sum() if numpy.ndim(value) == 1 else (value * 1.0).sum()),
        }
        for line in lines:
            exec(line, names)
        return numpy.stack(made)

    def fresh() -> Any:
        return make(numpy.linspace(-1.0, 1.5, size))

    a = numpy.array([0.5, -2.0, 3.0])
    x = fresh()
    want = numpy.asarray(program(x, a.copy()))
    ways = {
        "jvp": lambda x: np.jvp(lambda a: program(x, a), (a.copy(),), (numpy.ones(3),))[0],
        "vjp": lambda x: np.vjp(lambda a: program(x, a), a.copy())[0],
        "vmap": lambda x: np.vmap(lambda a: program(x, a))(a[None].copy())[0],
    }
    for way, run in ways.items():
        given = fresh()
        try:
            got = numpy.asarray(run(given))
        except np.RecordError as error:
            assert size > 1000 and "was written to by others" in str(error)  # too large to be copied
            continue
        message = f"FASTNP_TEST_SEED={SEED}: {way} of {lines}"
        assert numpy.allclose(got, want, rtol=1e-12, atol=1e-9 * size), message
        assert numpy.array_equal(numpy.asarray(given), numpy.asarray(x)), message


@pytest.mark.parametrize("write", ["v[0] = a[0]", "v += a[0]", "v[1:][0] = a[1]", "np.copyto(v, a[0] * 2)"])
def test_values_with_derivatives_do_not_get_lost_outside(write):
    def f(a: Any) -> Any:
        v = np.asarray(x)
        exec(write, {"v": v, "a": a, "np": np})
        return (x * 1.0).sum()

    x = numpy.arange(3.0)
    a = numpy.array([2.0, 3.0])
    for run in (np.grad(f), lambda a: np.jvp(f, (a,), (a,))):
        with pytest.raises(np.RecordError, match="writes a value with a derivative into an array of NumPy's"):
            run(a)
    with pytest.raises(TypeError, match="writes values that differ from part to part"):
        np.vmap(f)(a[None])
    assert x.tolist() == [0, 1, 2]


MADE_INSIDE: dict[str, Callable[[], Any]] = {
    "NumPy's": lambda: np.asarray(numpy.arange(4.0)),
    "drawn": lambda: np.asarray(numpy.random.default_rng(0).random(4)),
    "a part": lambda: np.asarray(numpy.arange(8.0)[::2]),
    "fastnp's": lambda: np.arange(4.0),
}


@pytest.mark.parametrize("make", MADE_INSIDE)
def test_arrays_that_nobody_else_sees_keep_derivatives(make):
    """What has a derivative may be written to memory of NumPy's that is reached through fastnp alone; NumPy can't get at it then."""
    a = numpy.array([2.0, 3.0])

    def f(a: Any) -> Any:
        x = MADE_INSIDE[make]()
        x[:2] = a * a
        return (x * x).sum()

    assert numpy.allclose(np.grad(f)(a), 4 * a**3)
    assert numpy.allclose(np.jvp(f, (a,), (numpy.ones(2),))[1], (4 * a**3).sum())

    def handed_out(a: Any) -> Any:
        x = MADE_INSIDE[make]()
        x[:2] = a
        return numpy.asarray(x).sum()

    with pytest.raises(TypeError, match="the derivative would be lost"):
        np.grad(handed_out)(a)

    def before(a: Any) -> Any:
        x = MADE_INSIDE[make]()
        y = numpy.asarray(x)
        x[:2] = 5.0
        return (y * 1.0).sum() + (a * x[:2]).sum()

    if make != "fastnp's":  # docs/roadmap.md
        assert float(np.jvp(before, (a,), (a,))[0]) == float(before(a))


def test_known_values_in_own_arrays_are_handed_out():
    kept = np.arange(4.0)

    def f(a: Any) -> Any:
        kept[:2] = 5.0
        shown = numpy.asarray(kept)
        with pytest.raises(ValueError, match="read-only"):
            shown[0] = 1.0
        return shown.sum() + a

    assert float(np.jvp(f, (numpy.array(1.0),), (numpy.array(1.0),))[0]) == 16.0
    assert kept.tolist() == [5, 5, 2, 3]
