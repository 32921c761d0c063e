"""Transforms of arrays that are on the tape: their results are on it, and backward() goes through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np
import fastnp.random as np_random

START = numpy.array([0.3, -1.2, 0.8])
WEIGHTS = np.asarray(numpy.array([1.0, -2.0, 0.5]))


def cubes(x: Any) -> Any:
    return np.sum(np.sin(x) * x**3)


def spread(x: Any) -> Any:
    return np.tanh(x) * np.sum(x * x)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda x: np.grad(cubes)(x),
    "value_and_grad": lambda x: np.value_and_grad(cubes)(x)[0] * np.value_and_grad(cubes)(x)[1],
    "two arguments": lambda x: np.grad(lambda a, b: np.sum(np.exp(a * b) * b), argnums=(0, 1))(x, WEIGHTS)[1],
    "a tree": lambda x: np.grad(lambda tree: cubes(tree["a"]) * np.sum(tree["b"][0]))({"a": x, "b": [x * 2]})["a"],
    "nested": lambda x: np.grad(lambda y: np.sum(np.grad(cubes)(y) ** 2))(x),
    "jvp": lambda x: np.jvp(spread, (x,), (WEIGHTS,))[1],
    "jvp along": lambda x: np.jvp(spread, (WEIGHTS,), (x,))[1],
    "vjp": lambda x: np.vjp(spread, x)[1](WEIGHTS)[0],
    "vjp of": lambda x: np.vjp(spread, WEIGHTS)[1](x)[0],
    "linearize": lambda x: np.linearize(spread, x)[1](WEIGHTS) * np.linearize(spread, x)[0],
    "jacfwd": lambda x: np.jacfwd(spread)(x) @ WEIGHTS,
    "jacrev": lambda x: WEIGHTS @ np.jacrev(spread)(x),
    "hessian": lambda x: np.hessian(cubes)(x) @ x,
    "vmap": lambda x: np.vmap(lambda y: np.sin(y) * np.sum(x))(np.outer(x, x)) @ WEIGHTS,
    "vmap of grad": lambda x: np.vmap(np.grad(cubes))(np.outer(WEIGHTS, x)) @ WEIGHTS,
    "closure": lambda x: np.grad(lambda y: np.sum(np.sin(x * y) * y))(WEIGHTS),
    "a closure of what is recorded": lambda x: (lambda z: np.vmap(lambda w: np.sum(z * w))(np.outer(WEIGHTS, WEIGHTS)))(x * 2),
    "checkpoint within": lambda x: np.grad(lambda y: np.sum(np.checkpoint(spread)(y) * x))(x),
    "written to": lambda x: np.grad(lambda y: np.sum(doubled(y) * x))(x * 1),
    "fft": lambda x: np.grad(lambda y: np.sum(np.abs(np.fft.rfft(y * x)) ** 2))(x),
}


def doubled(y: Any) -> Any:
    z = y * 1
    z[1:] *= y[:-1]
    return z


def near(x: Any, y: Any) -> None:
    numpy.testing.assert_allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("of", ["a leaf", "what is recorded"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_backward_goes_through(name: str, of: str) -> None:
    f = TRANSFORMS[name] if of == "a leaf" else lambda x: TRANSFORMS[name](np.exp(x) * 0.5)
    plain = np.asarray(START)
    wanted = np.grad(lambda x: np.sum(f(x) * WEIGHTS))(plain)
    x = np.asarray(START.copy())
    x.requires_grad = True
    result = f(x)
    assert result.requires_grad
    near(result.detach(), f(plain))
    np.sum(result * WEIGHTS).backward()
    near(x.grad, wanted)
    x.grad = None
    np.sum(f(x) * WEIGHTS).backward()  # a tape of its own again
    near(x.grad, wanted)


def test_results_mix_with_the_rest_of_the_tape() -> None:
    x = np.asarray(START.copy())
    x.requires_grad = True
    y = x * x
    slope = np.grad(cubes)(y)
    np.sum(slope * y + np.vmap(np.sin)(y)).backward()
    near(x.grad, np.grad(lambda x: np.sum(np.grad(cubes)(x * x) * (x * x) + np.sin(x * x)))(np.asarray(START)))


def test_a_second_stage_goes_on_on_the_tape() -> None:
    x = np.asarray(START.copy())
    x.requires_grad = True
    _, pull = np.vjp(spread, x * 2)
    total = np.sum(pull(WEIGHTS)[0]) + np.sum(pull(WEIGHTS * 3)[0] ** 2)
    total.backward(retain_graph=True)
    near(
        x.grad, np.grad(lambda x: np.sum(np.vjp(spread, x * 2)[1](WEIGHTS)[0]) + np.sum(np.vjp(spread, x * 2)[1](WEIGHTS * 3)[0] ** 2))(np.asarray(START))
    )
    np.sum(pull(WEIGHTS)[0]).backward()
    with pytest.raises(RuntimeError, match="of a tape that is gone"):
        pull(WEIGHTS)


def test_attributes_and_many_arguments() -> None:
    class Model:
        def __init__(self) -> None:
            self.w = np.asarray(START.copy())

        def loss(self, x: Any) -> Any:
            return np.sum(np.tanh(x * self.w))

    model = Model()
    model.w.requires_grad = True
    np.sum(np.grad(model.loss)(WEIGHTS)).backward()
    near(model.w.grad, np.grad(lambda w: np.sum(np.grad(lambda x: np.sum(np.tanh(x * w)))(WEIGHTS)))(np.asarray(START)))
    many = [np.asarray(START * k) for k in range(1, 100)]
    many[-1].requires_grad = True
    np.sum(np.grad(lambda xs: sum(cubes(x) for x in xs))(many)[-1]).backward()
    near(many[-1].grad, np.hessian(cubes)(np.asarray(START * 99)) @ np.ones(3))


def test_an_array_that_is_not_found_is_an_error() -> None:
    hidden = np.asarray(START.copy())
    hidden.requires_grad = True
    for value in (hidden, hidden * 2):
        deep = [[[[[[[value]]]]]]]
        with pytest.raises(RuntimeError, match="hand it over, or detach"):
            np.grad(lambda x: np.sum(x * deep[0][0][0][0][0][0][0]))(WEIGHTS)  # noqa: B023  # called at once


def test_without_gradients_nothing_is_on_the_tape() -> None:
    x = np.asarray(START.copy())
    x.requires_grad = True
    y = x * 2
    with np.no_grad():
        for value in (x, y):
            found = np.grad(cubes)(value)
            assert not found.requires_grad
            near(found, np.grad(cubes)(value.detach()))
            assert not np.vmap(lambda z: z * value)(np.outer(WEIGHTS, WEIGHTS)).requires_grad  # noqa: B023  # called at once
    assert not np.grad(cubes)(x.detach()).requires_grad
    numpys = np.grad(cubes)(START)
    assert type(numpys) is numpy.ndarray


def test_draws_and_functions_of_the_outside() -> None:
    x = np.asarray(START.copy())
    x.requires_grad = True
    rng = np_random.default_rng(3)
    np.sum(np.vmap(lambda w: np.sum(w * x * rng.normal(size=3)) * rng.random())(np.outer(WEIGHTS, WEIGHTS))).backward()
    again = np_random.default_rng(3)
    wanted = sum(numpy.asarray(row) * numpy.asarray(again.normal(size=3)) * again.random() for row in numpy.outer(WEIGHTS, WEIGHTS))
    near(x.grad, wanted)
    if np.current_device() == "cpu":  # devices have it themselves
        with pytest.raises(TypeError, match="derivative would be lost"):
            np.vmap(lambda w: np.trim_zeros(w * x))(np.outer(WEIGHTS, WEIGHTS))


def test_in_compiled_functions() -> None:
    x = np.asarray(START.copy())
    x.requires_grad = True
    slope = np.compile(np.grad(cubes))
    for _ in range(2):
        x.grad = None
        result = slope(x * 2)
        assert result.requires_grad
        np.sum(result).backward()
        near(x.grad, np.grad(lambda x: np.sum(np.grad(cubes)(x * 2)))(np.asarray(START)))
