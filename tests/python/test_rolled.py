"""Loops of functions that derivatives and batches are taken of are recorded once an iteration, where nothing but computing is done; else as written."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np
from fastnp import _rolled

LOG: list[Any] = []
MANY = 60


def pendulum(x, n):
    angle, speed = x[0], x[1]
    for _ in range(n):
        speed = speed - 0.01 * np.sin(angle)
        angle = angle + 0.01 * speed
    return angle


def force(t, y, k):
    return np.stack([y[1], -k * np.sin(y[0]) - 0.1 * y[1]])


def rk4(f, t, y, h, k):
    a = f(t, y, k)
    b = f(t + h / 2, y + h / 2 * a, k)
    c = f(t + h / 2, y + h / 2 * b, k)
    d = f(t + h, y + h * c, k)
    return y + h / 6 * (a + 2 * b + 2 * c + d)


def orbit(x, n):
    y = x * 1.0
    for i in range(n):
        y = rk4(force, i * 0.01, y, 0.01, 2.0)
    return (y * y).sum()


def indexed(x, n):
    total = 0.0
    for i in range(1, n):
        total = total * 0.5 + x[i % 2] * x[-1 - i % 2] + i / n
    return total


def rows(x, n):
    data = np.reshape(np.arange(2.0 * n), (n, 2)) / n
    h = np.zeros(2)
    for row in data:
        h = np.tanh(row * x + h * 0.5)
    return h.sum()


def pairs(x, n):
    state = (x * 1.0, {"speed": x * 0.5})
    for _ in range(n):
        place, rest = state
        state = (place + 0.01 * rest["speed"], {"speed": rest["speed"] - 0.01 * np.sin(place)})
    return state[0].sum()


def nested(x, n):
    s = x[0] * 1.0
    for i in range(n):
        t = x[1] * 0.1
        for j in range(30):
            t = t * 0.9 + s * 0.01 * (j + 1)
        s = s * 0.5 + t * np.cos(i * 0.1)
    return s


def with_descent(x, n):
    w = x * 1.0
    slope = np.grad(lambda v: ((v - x) ** 2 * v).sum())
    for _ in range(n):
        w = w - 0.01 * slope(w)
    return w.sum()


# As written: what an iteration does besides, or is not the same thing in each.


def with_time(x, n):
    t, s = 0.0, x[0] * 1.0
    for _ in range(n):
        s = s + 0.01 * np.sin(t) * x[1]
        t += 0.01
    return s * math.cos(t)


def with_count(x, n):
    k, s = 0, x[0] * 1.0
    for _ in range(n):
        k += 1
        s = s * x[1] / k
    return s + k


def in_place(x, n):
    y = x * 1.0
    z = y
    for i in range(n):
        y += 0.01 * x * i
    return (z * z).sum()


def into_argument(x, n):
    for _ in range(n):
        x *= 0.99
    return (x * x).sum()


def stored(x, n):
    path = np.zeros(n + 1)
    path[0] = x[0]
    for i in range(n):
        path[i + 1] = path[i] * 0.9 + x[1]
    return path.sum()


def appended(x, n):
    found = []
    s = x[0] * 1.0
    for _ in range(n):
        s = np.sin(s) * x[1]
        found.append(s)
    return sum(found)


def logged(x, n):
    s = x[0] * 1.0
    for i in range(n):
        s = told(s * x[1], i)
    return s


def told(s, i):
    LOG.append(i)
    return s


def handed(x, n, step=told):
    return applied(step, x, n)


def applied(step, x, n):
    s = x[0] * 1.0
    for i in range(n):
        s = step(s * x[1], i)
    return s


def by_parity(x, n):
    s = x[0] * 1.0
    for i in range(n):
        s = s * x[1] if i % 2 else s + x[1]
    return s


def left_early(x, n):
    s = x[0] * 1.0
    for i in range(n):
        if i == 40:
            break
        s = np.cos(s) * x[1]
    return s


def widened(x, n):
    s = np.float32(1.0)
    for _ in range(n):
        s = s * x[0]
    return s * x[1]


def names_after(x, n):
    s = x[0] * 1.0
    for i in range(n):  # noqa: B007 - its last one is read below
        last = s * 0.5
        s = np.sin(s + last) * x[1]
    return s + last * i


# What reading or adding to does more than it says.


class Counter:
    def __init__(self) -> None:
        self.n = 0

    @property
    def tick(self) -> float:
        self.n += 1
        return 1.0

    def __add__(self, other: Any) -> Any:
        self.n += 1
        return other

    def __iadd__(self, other: Any) -> Any:
        self.n += other
        return self


def of_numpys_array(x, n):
    window, s = numpy.hanning(5), x[0] * 1.0
    for _ in range(n):
        window *= 1.01
        s = s + x[1]
    return s * window.sum()


def of_property(x, n):
    counter, s = Counter(), x[0] * 1.0
    for _ in range(n):
        s = s + x[1] * counter.tick
    return s * counter.n


def of_operator(x, n):
    counter, s = Counter(), x[0] * 1.0
    for _ in range(n):
        s = s + (counter + x[1])
    return s * counter.n


def of_object(x, n):
    counter, s = Counter(), x[0] * 1.0
    for _ in range(n):
        counter += 1
        s = s + x[1]
    return s * counter.n


def of_iterator(x, n):
    numbers, s = iter([float(i) for i in range(1000)]), x[0] * 1.0
    for _ in range(n):
        s = s + x[1] * sum([v for v, _ in zip(numbers, (1, 2), strict=False)])
    return s


def of_list(x, n):
    found, s = [1], x[0] * 1.0
    for _ in range(n):
        found += [1]
        s = s + x[1]
    return s * len(found)


def of_another_name(x, n):
    found, s = [1], x[0] * 1.0
    for _ in range(n):
        more = found
        more += [1]
        s = s + x[1]
    return s * len(found)


def lengthened(items):
    items += [1]
    return 1.0


def of_parameter(x, n):
    found, s = [1], x[0] * 1.0
    for _ in range(n):
        s = s + x[1] * lengthened(found)
    return s * len(found)


def of_dict(x, n):
    known, s = {}, x[0] * 1.0
    for _ in range(n):
        s = s + known.setdefault(len(known), x[1])
    return s * len(known)


def of_text(x, n):
    text, s = "", x[0] * 1.0
    for _ in range(n):
        text = text + "a"
        s = s + x[1]
    return s * len(text)


def of_generator(x, n):
    rng, s = np.random.default_rng(1), x[0] * 1.0
    for _ in range(n):
        s = s + x[1] * rng.normal()
    return s


MORE = [of_numpys_array, of_property, of_operator, of_object, of_iterator, of_list, of_another_name, of_parameter, of_dict, of_text, of_generator]
ROLLED: list[Callable[..., Any]] = [pendulum, orbit, indexed, rows, pairs, nested, with_descent, widened, names_after]
AS_WRITTEN: list[Callable[..., Any]] = [with_time, with_count, in_place, into_argument, stored, appended, logged, handed, by_parity, left_early]
WAYS: dict[str, Callable[..., Any]] = {
    "grad": lambda f, n: np.grad(lambda x: f(x, n)),
    "value and grad": lambda f, n: np.value_and_grad(lambda x: f(x, n)),
    "jvp": lambda f, n: lambda x: np.jvp(lambda v: f(v, n), (x,), (numpy.array([0.3, -0.2]),)),
    "second": lambda f, n: np.hessian(lambda x: f(x, n)),
}


def results(f: Callable[..., Any], x: Any) -> Any:
    LOG.clear()
    mine = x.copy()
    found = f(mine)
    return [numpy.asarray(each) for each in (found if isinstance(found, tuple) else (found,))], mine, list(LOG)


def agree(got: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    for one, other in zip(got[0], wanted[0], strict=True):
        assert one.dtype == other.dtype and numpy.allclose(one, other, rtol=tolerance, atol=1e-13), (one, other)
    assert numpy.array_equal(got[1], wanted[1]) and got[2] == wanted[2]


@pytest.mark.parametrize("function", ROLLED + AS_WRITTEN)
@pytest.mark.parametrize("way", WAYS)
def test_derivatives(function: Callable[..., Any], way: str, taken: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as of loops that are unrolled, with what they do besides; as often as it is called."""
    if way == "second" and function is nested:
        pytest.skip("the unrolled one is compiled for long")
    x = numpy.array([0.7, 0.9]) + random.Random(SEED).random() * 0.05
    made = WAYS[way](function, MANY)
    with monkeypatch.context() as unrolled:
        unrolled.setattr(_rolled, "FEW", 10**9)
        wanted = results(made, x)
    assert not taken
    compiled = np.compile(made)
    for _ in range(3):
        agree(results(compiled, x), wanted)
    assert any(taken) == (function in ROLLED), f"{function.__name__} is {'not ' if function in ROLLED else ''}rolled"


@pytest.mark.parametrize("function", [pendulum, orbit, indexed, names_after])
def test_batches(function: Callable[..., Any], taken: list[bool]) -> None:
    xs = numpy.random.default_rng(SEED).random((5, 2))
    wanted = [float(function(x, MANY)) for x in xs]
    mapped = np.vmap(lambda x: function(x, MANY))
    assert numpy.allclose(np.compile(mapped)(xs), wanted, rtol=1e-10)
    assert all(taken) and taken
    slopes = np.compile(np.vmap(np.grad(lambda x: function(x, MANY))))(xs)
    each = np.compile(np.grad(lambda x: function(x, MANY)))
    assert numpy.allclose(slopes, [each(x) for x in xs], rtol=1e-9)


@pytest.mark.parametrize("function", MORE)
def test_what_does_more_is_not_rolled(function: Callable[..., Any], taken: list[bool]) -> None:
    x, step = numpy.array([0.5, 0.25]), 1e-6
    wanted = [(float(function(x + step * unit, MANY)) - float(function(x - step * unit, MANY))) / (2 * step) for unit in numpy.eye(2)]
    compiled = np.compile(np.value_and_grad(function))
    for _ in range(3):
        value, slope = compiled(x, MANY)
        assert numpy.isclose(value, float(function(x, MANY))) and numpy.allclose(slope, wanted, rtol=1e-5)
    assert not any(taken)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 24, 25, 26, 27, 100, 1000])
def test_counts(n: int) -> None:
    x = numpy.array([0.3, 0.8])
    step = 1e-6
    for function in (pendulum, indexed):
        if n == 0 and function is indexed:
            continue
        slope = np.compile(np.grad(function))(x, n)
        sides = [[float(function(x + sign * step * unit, n)) for sign in (1, -1)] for unit in numpy.eye(2)]
        assert numpy.allclose(slope, [(up - down) / (2 * step) for up, down in sides], rtol=1e-4, atol=1e-7), (function, n)


def test_compiling_takes_as_long_for_any_count() -> None:
    """One kernel or program for all iterations."""
    slope = np.compile(np.grad(pendulum))
    x = numpy.array([0.3, 0.8])
    slope(x, 100_000)
    text = str(np.explain(slope)(x, 100_000))
    assert "loop" in text and len(text) < 4000, text


def test_errors_are_of_the_users_lines(taken: list[bool]) -> None:
    def beyond(x, n):
        s = x[0] * 1.0
        for i in range(n):
            s = s + x[i]
        return s

    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        np.compile(np.grad(beyond))(numpy.array([1.0, 2.0]), MANY)


def test_narrow_numbers_stay_narrow() -> None:
    """A Python number beside float32 is no float64."""

    def weighted(x, n):
        s = x[0] * np.float32(1)
        for i in range(n):
            s = s * np.float32(0.5) + x[1] * i
        return s

    x = numpy.array([0.5, 0.25], "f4")
    value, slope = np.compile(np.value_and_grad(weighted))(x, MANY)
    assert slope.dtype == numpy.float32 and numpy.isclose(value, weighted(x, MANY), rtol=1e-6)


def test_floating_point_errors_are_told() -> None:
    """Each at its line, as often as the loop written out tells of it."""

    def overflows(x, n):
        s = x[0] * 1.0
        for _ in range(n):
            s = s * s * x[1]
        return s

    slope = np.compile(np.grad(overflows))
    for _ in range(2):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            slope(numpy.array([3.0, 2.0]), MANY)
        with warnings.catch_warnings(record=True) as wanted:
            warnings.simplefilter("always")
            np.grad(overflows)(numpy.array([3.0, 2.0]), MANY)
        assert [str(each.message) for each in told] == [str(each.message) for each in wanted] != []
