"""Loops that derivatives are taken of: the number of an iteration is Python's, which is exact, and counts less than arrays."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED

import fastnp as np

X = numpy.array([0.5, 1.25, -2.0, 3.0])

# What is not what arrays of 64 bits make of it.
TERMS = {
    "j = i + 0\n        t = x * (2**j / 2**60)": 80,
    "t = x * helper(i)": 80,
    "t = x * (pow(2, i % 70) / 2**60)": 80,
    "t = x * (i * 10**18 / 10**18)": 40,
    "t = x * ((i * 6364136223846793005 + 1442695040888963407) % 1000)": 40,
    "k = i * i * i * i\n        t = x * (k * k * k * k % 10007)": 60,
    "t = x * ((i > 3) + (i > 5))": 40,
    "b = i > 3\n        t = x * (b + b)": 40,
    "t = x * (~(i > 3))": 40,
    "t = x * (-(i > 3))": 40,
    "t = x * len([0] * i)": 40,
    "t = (NARROW + i) * x": 40,
    "t = SINGLE * i * x": 40,
    "t = x * (np.float32(0.1) * i)": 40,
    "t = x * (numpy.float32(0.1) * i)": 40,
    "t = x * (isinstance(i, int) * 1.0)": 40,
    "t = x * ((i << 60) / 2**60)": 40,
}
# What they make of it, too.
SAME = [
    "t = x * (7 - i) // 2",
    "t = x * i",
    "t = x * (i / 7)",
    "t = x * (0.1 * i + 2) / (i + 1)",
    "t = x * ((3 * i + 1) % 5) + i // 3",
    "t = np.sin(x * i) * (i - 40) ",
    "t = np.where(i > 3, x, 2 * x) * (i > 5)",
    "t = x * Y[i % 4]",
    "t = x * Y[3 - i % 4]",
]


def function_with(body: str, count: int, begin: int = 0, step: int = 1) -> Callable[..., Any]:
    source = f"def helper(i):\n    return 2**i / 2**60\n\n\ndef f(x):\n    s = x * 0\n    for i in range({begin}, {begin + count * step}, {step}):\n"
    source += f"        {body}\n        s = s + t\n    return s.sum()\n"
    function = function_of(source, f"rolled {begin} {step} {count} {body}")
    function.__globals__.update(
        np=np, numpy=numpy, NARROW=np.asarray(numpy.array([100, 50, 3, 7], numpy.int8)), SINGLE=numpy.float32(0.1), Y=np.asarray(numpy.arange(4.0))
    )
    return function


def agree(function: Callable[..., Any]) -> None:
    """With the unrolled loop's."""
    for transform in (np.value_and_grad, lambda f: lambda x: np.jvp(f, (x,), (X,))):
        want = transform(function)(np.asarray(X))
        compiled = np.compile(transform(function), adaptive=False)
        for _ in range(2):
            for mine, theirs in zip(compiled(X), want, strict=True):
                numpy.testing.assert_allclose(numpy.asarray(mine), numpy.asarray(theirs), rtol=1e-12)


@pytest.mark.parametrize("term", TERMS)
def test_numbers_of_iterations_are_exact(term: str, taken: list[bool]) -> None:
    agree(function_with(term, TERMS[term]))
    assert not any(taken)


@pytest.mark.parametrize("term", SAME)
def test_numbers_of_iterations_are_computed_with(term: str, taken: list[bool]) -> None:
    rng = random.Random(f"{SEED} {term}")
    for _ in range(3):
        agree(function_with(term, rng.choice([30, 50]), rng.randrange(10), rng.choice([1, 3])))
    assert taken and all(taken)


def test_divisions_by_zero_are_pythons() -> None:
    function = function_with("t = x * (1 / (i - 35))", 40)
    with pytest.raises(ZeroDivisionError):
        np.compile(np.grad(function), adaptive=False)(X)
