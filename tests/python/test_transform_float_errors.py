"""Floating-point errors of what a transform records, or the tape: those of the function as NumPy runs it, of `vmap` those of a loop over the parts."""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, values_of
from test_compiled_float_errors import EXACT, Program, said

import fastnp as np

PROGRAMS = 1000 if LONG else 40


def inputs(kind: str, shape: tuple[int, ...], seed: int) -> list[numpy.ndarray]:
    if kind == "tame":
        rng = numpy.random.default_rng(seed)
        return [rng.uniform(0.1, 0.9, shape) for _ in range(2)]
    size = int(numpy.prod(shape))
    return [values_of(numpy.dtype(kind), 100, seed + i)[:size].reshape(shape).copy() for i in range(2)]


def loss_of(program: Program, m: Any) -> Callable[..., Any]:
    """Its results as an aux, so that all of them count, and a number that is differentiated."""
    run = program.made(m)

    def loss(x, y):
        values = run(x, y)
        with numpy.errstate(all="ignore"):
            return m.sum(x), values

    return loss


def drawn(seed: int) -> tuple[random.Random, Program, str]:
    rng = random.Random(seed)
    program = Program(rng, "f8")
    program.in_place = False
    program.lines = [(min(step, EXACT - 1), *rest) for step, *rest in program.lines]
    return rng, program, rng.choice(["f8", "f4", "tame"])


@pytest.fixture
def seed():
    seed = random.randrange(2**32)
    print("seed", seed)  # shown where a test fails
    return seed


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda f: np.grad(f, argnums=(0, 1), has_aux=True),
    "value_and_grad": lambda f: np.value_and_grad(f, has_aux=True),
    "jvp": lambda f: lambda x, y: np.jvp(f, (x, y), (np.ones_like(x), np.ones_like(y)), has_aux=True),
    "vjp": lambda f: lambda x, y: np.vjp(f, x, y, has_aux=True),
    "linearize": lambda f: lambda x, y: np.linearize(f, x, y, has_aux=True),
    "jacrev": lambda f: np.jacrev(f, has_aux=True),
    "jacfwd": lambda f: np.jacfwd(f, has_aux=True),
    "hessian": lambda f: np.hessian(f, has_aux=True),
}


def test_derivatives_tell_what_the_function_tells(seed):
    for number in range(PROGRAMS):
        rng, program, kind = drawn(seed + number)
        name = rng.choice(list(TRANSFORMS))
        ours, theirs = TRANSFORMS[name](loss_of(program, np)), loss_of(program, numpy)
        given = inputs(kind, (rng.choice([1, 3, 40]),), rng.randrange(2**31))
        for mode in ["warn", "raise", "call", "ignore"]:
            expected = said(lambda f=theirs, given=given: f(*(x.copy() for x in given)), mode)
            found = said(lambda f=ours, given=given: f(*(np.array(x) for x in given)), mode)
            assert found == expected, (seed + number, name, mode, program.lines, [x.tolist() for x in given])


def loop(function: Callable[..., Any], x: numpy.ndarray, y: numpy.ndarray) -> None:
    for i in range(len(x)):
        function(x[i], y[i])


def test_vmap_tells_what_a_loop_tells(seed):
    for number in range(PROGRAMS):
        rng, program, kind = drawn(seed + number)
        program.lines = [(min(step, EXACT - 3), *rest) for step, *rest in program.lines]  # but for writes
        ours, theirs = np.vmap(program.made(np)), program.made(numpy)
        given = inputs(kind, (rng.choice([1, 3]), 5), rng.randrange(2**31))
        for mode in ["warn", "raise", "call", "ignore"]:
            expected = said(lambda f=theirs, given=given: loop(f, *(x.copy() for x in given)), mode)
            found = said(lambda f=ours, given=given: f(*(np.array(x) for x in given)), mode)
            assert found == expected, (seed + number, mode, program.lines, [x.tolist() for x in given])


def test_transforms_in_transforms():
    """Of parts of parts, in the loops' order; derivatives of what is mapped, and the other way round."""
    zeros = np.zeros((2, 3))

    def ratio(x):
        return np.sum(1 / x)

    for wrapped, count in [
        (np.vmap(np.vmap(lambda x: 1 / x)), 6),
        (np.vmap(np.grad(ratio)), 2),
        (np.grad(lambda x: np.sum(np.vmap(ratio)(x))), 2),
        (np.vmap(np.hessian(ratio)), 2),
    ]:
        for _ in range(3):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                wrapped(zeros)
            texts = [str(each.message) for each in seen]
            words = "divide by zero encountered in scalar divide" if count == 6 else "divide by zero encountered in divide"
            assert texts == [words] * count
            assert {each.filename for each in seen} == {__file__}
        with numpy.errstate(divide="raise"), pytest.raises(FloatingPointError, match=words):
            wrapped(zeros)


def test_the_function_may_catch_what_is_raised():
    def safe(x):
        try:
            with np.errstate(divide="raise"):
                return np.sum(1 / x)
        except FloatingPointError:
            return np.sum(x)

    assert np.grad(safe)(np.zeros(3)).tolist() == [1, 1, 1]
    assert np.grad(safe)(np.ones(3)).tolist() == [-1, -1, -1]


def test_derivatives_of_their_own_tell_nothing():
    """sqrt is fine at 0, its derivative is infinite."""
    for derivative in [np.grad(lambda x: np.sum(np.sqrt(x))), np.jacfwd(np.sqrt), np.jacrev(np.sqrt), np.vmap(np.grad(np.sqrt))]:
        with warnings.catch_warnings(), numpy.errstate(all="raise", under="ignore"):
            warnings.simplefilter("error")
            for _ in range(3):
                assert np.isinf(np.nanmax(derivative(np.zeros(3))))


def test_tape(seed):
    for number in range(PROGRAMS):
        rng, program, kind = drawn(seed + number)
        ours, theirs = program.made(np), program.made(numpy)
        given = inputs(kind, (rng.choice([1, 3, 40]),), rng.randrange(2**31))

        def on_tape(given=given, ours=ours):
            x, y = (np.array(each) for each in given)
            x.requires_grad = y.requires_grad = True
            values = ours(x, y)
            with numpy.errstate(all="ignore"):
                total = np.sum(x)
                for value in values:
                    if value.dtype.kind == "f":
                        total = total + np.sum(value)
            total.backward()

        for mode in ["warn", "raise", "call", "ignore"]:
            expected = said(lambda f=theirs, given=given: f(*(x.copy() for x in given)), mode)
            found = said(on_tape, mode)
            assert found == expected, (seed + number, mode, program.lines, [x.tolist() for x in given])


def test_a_tape_goes_with_its_arrays():
    import gc
    import weakref

    class Marker:
        pass

    marker = Marker()
    gone = weakref.ref(marker)
    x = np.ones(3)
    x.requires_grad = True
    y = np.vmap(lambda row: row / 2)(x * 3) + np.sum(x)
    held = [y, marker]
    del y, marker, held, x
    gc.collect()
    assert gone() is None


def test_what_is_overwritten_counts_as_it_was():
    x = np.arange(4.0)

    def loss(w):
        np.divide(1, x, out=x)
        return np.sum(w * x)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        np.grad(loss)(np.ones(4))
    assert [str(each.message) for each in seen] == ["divide by zero encountered in divide"]


def test_warnings_are_shown_once_a_place():
    """As the filters at hand ask for; those of others count as shown still."""
    mapped = np.vmap(lambda x: 1 / x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(5):
            warnings.warn("another", stacklevel=1)
            mapped(np.zeros(20))
    assert sorted(str(each.message) for each in seen) == ["another", "divide by zero encountered in scalar divide"]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "divide", RuntimeWarning)
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            mapped(np.zeros(20))


def test_warnings_shown_once_do_not_cost_for_ever():
    from fastnp import _float_errors

    judged = 0

    def count(frame, event, arg):
        nonlocal judged
        judged += event == "call" and frame.f_code is _float_errors.tell.__code__

    step = np.grad(lambda x: np.sum(np.log(x)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.setprofile(count)
        try:
            for _ in range(300):
                step(np.zeros(3))
        finally:
            sys.setprofile(None)
    assert 1 <= judged < 30
