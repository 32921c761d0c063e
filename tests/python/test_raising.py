"""Calls that mostly end in an exception take little longer than as written, and what they do is the same."""

from __future__ import annotations

import gc
import random
import time
import weakref

import numpy
import pytest
from support import SEED

import fastnp as np
from fastnp.compiler import CompiledFunction


def checked(x, limit):
    """Refuses what is too large, as validators do."""
    if limit > 3.0:
        raise ValueError(f"{limit} is too large")
    return np.sqrt(x) + limit


def looped(x, limit):
    total = 0.0
    for i in range(len(x)):
        if limit > 3.0:
            raise ValueError(f"{limit} is too large at {i}")
        total += x[i] * limit
    return x + total


def indexed(x, limit):
    return x[int(limit)] * x


def misfit(x, limit):
    return x + np.ones(2 if limit > 3.0 else 4)


def compiled(function):
    return np.compile(function, adaptive=True)


def outcome(function, *args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error), str(error)
    assert function.__class__ is not CompiledFunction or type(result) is type(args[0])
    return numpy.asarray(result).tolist()


FUNCTIONS = [checked, looped, indexed, misfit]


@pytest.mark.parametrize("make", [numpy.array, np.array], ids=["numpy", "fastnp"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_calls_that_raise_among_others(function, make):
    rng = random.Random(f"{SEED} {function.__name__}")
    f = compiled(function)
    x = make([1.0, 4.0, 9.0, 16.0])
    limit = 9.0
    for _ in range(400):
        if rng.random() < 0.03:
            limit = rng.choice([0.5, 2.0, 4.5, 9.0])
        assert outcome(f, x, limit) == outcome(function, x, limit)


@pytest.mark.parametrize("make", [numpy.array, np.array], ids=["numpy", "fastnp"])
def test_what_raised_for_long_may_give_results_of_its_kind(make):
    f = compiled(checked)
    x = make([1.0, 4.0])
    for _ in range(200):
        with pytest.raises(ValueError, match="9.0 is too large"):
            f(x, 9.0)
    assert type(f(x, 1.0)) is type(x)
    assert numpy.array_equal(f(x, 1.0), [2.0, 3.0])


def test_what_is_known_may_be_forgotten_meanwhile():
    def function(x, limit):
        f.cache_clear()
        return checked(x, limit)

    f = compiled(function)
    x = numpy.ones(2)
    for limit in [9.0] * 80 + [1.0] * 40:
        assert outcome(f, x, limit) == outcome(checked, x, limit)


def test_an_exception_is_let_go():
    class Kept(ValueError):
        pass

    def function(x, limit):
        raise Kept

    f = compiled(function)
    watched = []
    for _ in range(100):
        try:
            f(numpy.ones(2), 9.0)
        except Kept as error:
            watched.append(weakref.ref(error))
    gc.collect()
    assert not any(each() for each in watched)


@pytest.mark.alone
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_they_take_little_longer_than_as_written(function):
    f = compiled(function)
    x = numpy.ones(4)

    def once(called):
        begin = time.perf_counter()
        for _ in range(200):
            try:
                called(x, 9.0)
            except (ValueError, IndexError):
                continue
            pytest.fail("it raises")
        return (time.perf_counter() - begin) / 200

    once(f)
    written, known = min(once(function) for _ in range(9)), min(once(f) for _ in range(9))
    print(f"{function.__name__}: {1e6 * written:.2f} us as written, {1e6 * known:.2f} us compiled")
    assert known < written + 1.5e-6
