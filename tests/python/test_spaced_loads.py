"""Kernels that read elements a few places apart, of pads, flattened arrays and convolutions: compiled, with gradients and Hessians, at random."""

from __future__ import annotations

import random

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

COUNT = 400 if LONG else 12


class Program:
    """A function of an array of reals, drawn from a seed: steps that move elements about, and a number at the end."""

    def __init__(self, seed: int, steps: int, size: int) -> None:
        draw = random.Random(seed)
        self.steps = [(draw.choice(STEPS), draw.random(), draw.randint(0, 3)) for _ in range(steps)]
        self.shape = draw.choice([(size,), (size, 2), (2, size), (2, 3, max(1, size // 3))])
        self.array = numpy.random.default_rng(seed).normal(size=self.shape)

    def __repr__(self) -> str:
        return f"{self.shape}: {[(step.__name__, round(r, 2), k) for step, r, k in self.steps]}"

    def __call__(self, x):
        for step, r, k in self.steps:
            x = step(x, r, k)
            if x.size > 3000:
                x = x.reshape(-1)[:: x.size // 1000]
        return numpy.sum(numpy.sin(x) * 0.7 + x * x * 0.1)


def step_pad(x, r, k):
    return numpy.pad(x, [(k if axis == 0 else 0, 1) for axis in range(x.ndim)], constant_values=r)


def step_spread(x, r, k):
    return x.reshape(-1)[:: k + 1]


def step_shifted(x, r, k):
    y = x.reshape(-1)
    cut = min(k + 1, max(y.size - 1, 0))
    return y[cut:] * r + y[: y.size - cut]


def step_convolve(x, r, k):
    y = x.reshape(-1)
    return numpy.convolve(y, numpy.array([1.0, r, -1.0, 0.5][: k + 1])) if y.size else y


def step_outer(x, r, k):
    y = x.reshape(-1)[:12]
    return numpy.log(numpy.outer(y, y) ** 2 + 0.5)


def step_columns(x, r, k):
    y = x.reshape(-1)
    width = k + 2
    rows = y[: y.size // width * width].reshape(-1, width)
    return rows[:, 0] * r + rows[:, -1] * rows[:, width // 2]


def step_fold(x, r, k):
    return x if x.ndim < 2 or x.size == 0 else numpy.min(x, axis=k % x.ndim, keepdims=True) + x * r


def step_joined(x, r, k):
    y = x.reshape(-1)
    return numpy.concatenate([y[::2] * r, y[1::2], y[:k]])


def step_turned(x, r, k):
    return numpy.cos(x.T + r)


def step_back(x, r, k):
    return x[::-1] * 0.9 + r


STEPS = [step_pad, step_spread, step_shifted, step_convolve, step_outer, step_columns, step_fold, step_joined, step_turned, step_back]


def differences(f, x):
    """The gradient by central differences."""
    found = numpy.zeros_like(x)
    for at in numpy.ndindex(x.shape):
        step = numpy.zeros_like(x)
        step[at] = 1e-6
        found[at] = (f(x + step) - f(x - step)) / 2e-6
    return found


def check(seed: int, steps: int, size: int) -> None:
    program = Program(seed, steps, size)
    x = program.array
    want = program(x)
    compiled, derivative = np.compile(lambda y: program(y)), np.grad(lambda y: program(y))
    for _ in range(3):
        numpy.testing.assert_allclose(compiled(x), want, rtol=1e-9, atol=1e-9)
    if x.size <= 24:
        first = numpy.asarray(derivative(x))
        numpy.testing.assert_allclose(first, differences(program, x), rtol=1e-3, atol=1e-4)
        for _ in range(2):
            numpy.testing.assert_allclose(derivative(x), first, rtol=1e-9, atol=1e-9)
    if x.size <= 8:
        curvature = np.hessian(lambda y: program(y))
        once = numpy.asarray(curvature(x))
        for _ in range(2):
            numpy.testing.assert_allclose(curvature(x), once, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [3, 8, 300])
def test_random_programs(size):
    for number in range(COUNT):
        seed = SEED + 1000 * number + size
        for steps in range(1, 5):  # the shortest program that fails is the one that is told
            try:
                check(seed, steps, size)
            except BaseException as error:
                raise AssertionError(f"FASTNP_TEST_SEED={SEED}, program {seed}: {Program(seed, steps, size)}") from error


def test_the_gradient_of_a_convolution_of_what_was_flattened():
    def f(p):
        v = numpy.log(numpy.outer(p, p) ** 2 + 0.5)
        c = numpy.convolve(v.reshape(-1), numpy.array([1.0, 2.0, -1.0]))
        return numpy.sum(numpy.sin(c) * 0.7 + c**2 * 0.3)

    p = numpy.random.default_rng(0).normal(size=(2, 3, 2))
    derivative = np.grad(f)
    for _ in range(3):
        numpy.testing.assert_allclose(derivative(p), differences(f, p), rtol=1e-4)


def test_the_hessian_of_pads_of_a_mapped_function():
    def part(y):
        return np.min(y, axis=None, keepdims=True), np.pad(y, (0, 1), constant_values=0.5)

    def loss(y):
        a, b = np.vmap(part)(np.stack([y, y * 1.1 + 0.05, y - 0.1]))
        return np.sum(np.sin(a)) * 0.5 + np.sum(np.sin(b + 0.3)) * 0.6

    y = numpy.array([0.3, -0.2, 0.7])
    curvature = np.hessian(loss)
    first = numpy.asarray(curvature(y))
    for _ in range(2):
        numpy.testing.assert_allclose(curvature(y), first, rtol=1e-12)
