"""Calls whose arguments are like those of the last call give what others give, whatever changes between them."""

from __future__ import annotations

import gc
import random
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED, alike

import fastnp as np

SCALE = 2.0
WEIGHTS = numpy.arange(4.0)
OTHERS = numpy.arange(4.0) * 3


class Layer:
    def __init__(self, weights: Any) -> None:
        self.weights = weights

    def call(self, x: Any) -> Any:
        return x * self.weights + 1


LAYER = Layer(numpy.arange(4.0))

BODIES: dict[str, Callable[..., Any]] = {
    "two arrays": lambda x, y, t: x * y + x,
    "a number": lambda x, y, t: x * t + y,
    "a sum": lambda x, y, t: (x * y).sum(),
    "a tuple": lambda x, y, t: (x + t, y * 2, x.max()),
    "a global": lambda x, y, t: x * SCALE + WEIGHTS,
    "two globals": lambda x, y, t: x * OTHERS - WEIGHTS * y,
    "a view": lambda x, y, t: x.T,
    "an argument": lambda x, y, t: y,
    "written": lambda x, y, t: numpy.add(x, y, out=x),
    "divided": lambda x, y, t: x / y,
    "whole": lambda x, y, t: x // y,
    "a default": lambda x, y, t=3.0: x * t + y,
    "a method": lambda x, y, t: LAYER.call(x) + y,
    "integers": lambda x, y, t: (x * 3).astype("i4") + 1,
    "transposed": lambda x, y, t: (x.reshape(2, 2).T + 1, y),
    "a part": lambda x, y, t: numpy.exp(x)[:2],
    "a part of a sum": lambda x, y, t: (numpy.stack([x, y]).sum(axis=0)[1:3], x[None].sum(axis=1)[0]),
    "no elements": lambda x, y, t: x[:0] + 1,
    "constants": lambda x, y, t: (x + 1, 3, "text", None),
    "random": lambda x, y, t: x + numpy.random.rand(),
}


def arguments_of(rng: random.Random) -> list[Any]:
    kinds: list[Callable[[], Any]] = [
        lambda: numpy.linspace(1, 2, 4) * rng.random(),
        lambda: numpy.linspace(1, 2, 8)[::2] * 1.5,
        lambda: numpy.linspace(1, 2, 8)[::2],
        lambda: numpy.linspace(-1, 2, 4)[::-1],
        lambda: numpy.array([0.0, 1.0, -0.0, numpy.nan]),
        lambda: numpy.array([1e308, 1e-308, numpy.inf, -3.0]),
        lambda: numpy.arange(4),
        lambda: numpy.zeros(4, "f4"),
        lambda: numpy.full(4, 2.0)[None][0],
    ]
    x = rng.choice(kinds[:5] if rng.random() < 0.7 else kinds)()
    y = x if rng.random() < 0.15 else rng.choice(kinds[:6] if rng.random() < 0.7 else kinds)()
    return [x, y, rng.choice([0.5, 0.5, rng.random(), 2, 3, -0.0, 0.0, numpy.nan, True, 10**20, numpy.float32(2)])]


def outcome(function: Any, arguments: list[Any]) -> Any:
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            result: Any = function(*arguments)
        except Exception as error:
            result = type(error), str(error)
    shared = [numpy.shares_memory(a, b) for a in parts_of(result) for b in arguments[:2]]
    told = sorted(str(each.message) for each in met if each.category is RuntimeWarning)
    return result, arguments, shared, told


def parts_of(result: Any) -> list[Any]:
    return [each for each in (result if isinstance(result, tuple) else (result,)) if isinstance(each, numpy.ndarray)]


@pytest.mark.parametrize("body", BODIES)
def test_calls_in_any_order(body, monkeypatch):
    rng = random.Random(SEED)
    function = BODIES[body]
    compiled = np.compile(function)
    here = sys.modules[__name__]
    kept: list[Any] = []
    for number in range(160):
        if rng.random() < 0.1:
            monkeypatch.setattr(here, "SCALE", rng.random())
        if rng.random() < 0.1:
            monkeypatch.setattr(here, "WEIGHTS", rng.choice([numpy.arange(4.0), numpy.arange(8.0)[::2], numpy.ones(4, "f4")]))
        if rng.random() < 0.1:
            monkeypatch.setattr(here, "OTHERS", rng.choice([WEIGHTS, numpy.arange(4.0) * 2]))
        if rng.random() < 0.1:
            WEIGHTS[0] = rng.random()
            LAYER.weights = rng.choice([LAYER.weights + 1, numpy.arange(4.0)[::-1]])
        if number % 4 == 0:  # calls that are alike come one after the other
            arguments = arguments_of(rng)
        sides = []
        for each in (function, compiled):
            copies = [value.copy() if isinstance(value, numpy.ndarray) else value for value in arguments]
            for value, copied in zip(arguments, copies, strict=True):
                if isinstance(value, numpy.ndarray) and value.strides != copied.strides:
                    wide = numpy.empty((value.size, 2), value.dtype)[:, 0] if value.strides[0] > 0 else numpy.empty_like(value)[::-1]
                    wide[...] = value
                    copies[[id(v) for v in arguments].index(id(value))] = wide
            if arguments[0] is arguments[1]:
                copies[1] = copies[0]
            if number % 20 >= 17 and body != "written":
                copies[number % 2] = WEIGHTS  # what the function knows, too
            numpy.random.seed(number)
            with numpy.errstate(divide=rng.choice(["warn"]), over="warn"):
                sides.append(outcome(each, copies))
        assert alike(sides[1], sides[0], rtol=1e-6, atol=1e-12, lies_same=True), (
            f"call {number}: {sides[1]!r} where the function as written gives {sides[0]!r}"
        )
        kept += [each for each in parts_of(sides[1][0]) if each is not WEIGHTS]
    fresh = [each for each in kept if each.flags.owndata]
    assert len({each.ctypes.data for each in fresh if each.size}) == len([each for each in fresh if each.size])


def as_own(value: Any, rng: random.Random, own: bool) -> Any:
    """The array as one of fastnp's that lies the same way, or itself."""
    if not isinstance(value, numpy.ndarray) or not own:
        return value
    if rng.random() < 0.5:
        return np.asarray(value)
    return np.array(value)  # C order


@pytest.mark.parametrize("body", [each for each in BODIES if each not in ("written", "random")])
def test_arrays_of_both_kinds_in_any_order(body, monkeypatch):
    rng = random.Random(SEED)
    compiled, others = np.compile(BODIES[body]), np.compile(BODIES[body])
    here = sys.modules[__name__]

    def by_name(x: Any, y: Any, t: Any) -> Any:  # such calls take the long way
        return others(x=x, y=y, t=t)

    for number in range(160):
        if rng.random() < 0.1:
            monkeypatch.setattr(here, "WEIGHTS", rng.choice([numpy.arange(4.0), np.arange(4.0), np.arange(8.0)[::2], np.ones(4, "f4")]))
        if number % 4 == 0:
            arguments = arguments_of(rng)
            chosen = rng.choice([(True, True), (True, False), (False, True), (False, False)])
            state = rng.getstate()
        rng.setstate(state)
        given = [as_own(value, rng, own) for value, own in zip(arguments[:2], chosen, strict=True)]
        if arguments[0] is arguments[1] and chosen[0] == chosen[1]:
            given[1] = given[0]
        rng.random()
        values = [*given, arguments[2]]
        want = outcome(by_name, values)
        got = outcome(compiled, values)
        for a, b in zip(*([*each[0]] if isinstance(each[0], tuple) else [each[0]] for each in (got, want)), strict=True):
            assert type(a) is type(b), (number, given, a, b)
            assert alike(numpy.asarray(a), numpy.asarray(b), rtol=1e-6, atol=1e-12), (number, given, a, b)
        assert got[3] == want[3]
        state = rng.getstate() if number % 4 == 3 else state
    if body in ("two arrays", "a global"):
        taped = np.ones(4)
        taped.requires_grad = True
        found = compiled(taped, np.ones(4), 2.0)
        found.sum().backward()
        assert taped.grad is not None


def test_state_of_errors_is_that_of_the_call():
    compiled = np.compile(lambda x, y: x / y)
    x, y = numpy.ones(3), numpy.ones(3)
    for _ in range(4):
        compiled(x, y)
    y[1] = 0
    with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
        compiled(x, y)
    with numpy.errstate(divide="ignore"):
        for _ in range(40):
            assert compiled(x, y)[1] == numpy.inf
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        compiled(x, y)


@np.compiler.disable
def between(x):
    return x


def test_parts_that_are_given_no_arrays_give_what_the_frame_is_called_with():
    def in_parts(x, t):
        y = np.ones(3) * t + 1  # no array goes into this part
        return between(y) * 2, between(x) + y

    compiled = np.compile(in_parts)
    for make, kind in ((numpy.ones, numpy.ndarray), (np.ones, np.ndarray)) * 3:
        for t in (1.0, 2.0, 3.0, 4.0):
            for found in compiled(make(3), t):
                assert type(found) is kind


def test_counts_and_clearing():
    compiled = np.compile(lambda x: x * 2)
    for _ in range(10):
        compiled(numpy.ones(3))
    assert compiled.cache_info().hits == 9
    compiled.cache_clear()
    assert compiled(numpy.ones(3)).tolist() == [2, 2, 2]
    assert compiled.cache_info().misses == 1


def test_objects_that_are_gone():
    """An object at the address of one that is gone is another one."""
    compiled = np.compile(Layer.call)
    for number in range(50 if LONG else 8):  # a collection takes half a second where JAX is loaded
        layer = Layer(numpy.full(4, float(number)))
        for _ in range(3):
            assert numpy.array_equal(compiled(layer, numpy.ones(4)), layer.weights + 1)
        del layer
        gc.collect()


def test_results_are_kept_by_nothing():
    compiled = np.compile(lambda x, y: x * y)
    x = numpy.ones(100)
    for _ in range(5):
        compiled(x, x + 1)
    before = sys.getrefcount(x)
    results = [compiled(x, x + 1) for _ in range(100)]
    assert sys.getrefcount(x) == before
    assert all(sys.getrefcount(each) <= 3 for each in results)


def test_many_threads():
    compiled = np.compile(lambda x, t: x * t + 1)
    wrong: list[Any] = []

    def run(size: int) -> None:
        x = numpy.arange(float(size))
        for number in range(400):
            if not numpy.array_equal(compiled(x, float(number % 3)), x * (number % 3) + 1):
                wrong.append((size, number))

    threads = [threading.Thread(target=run, args=(3 + number % 3,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
