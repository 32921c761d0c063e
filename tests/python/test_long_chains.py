"""Long chains of what moves elements: code grows with the chain's length, not with a power of it."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fastnp as np

STEPS = {
    "pad of a stencil": lambda a: numpy.pad(0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]), 1),
    "roll": lambda a: 0.5 * (numpy.roll(a, 1, axis=0) + numpy.roll(a, -1, axis=1)),
    "concatenate": lambda a: 0.5 * (numpy.concatenate([a[1:], a[:1]]) + a),
    "where": lambda a: numpy.where(a > 0.1, a[::-1], a * 0.5),
    "gather": lambda a: 0.5 * (a[[3, 1, 2, 0, 4, 5, 7, 6]] + a),
    "transpose": lambda a: 0.25 * (a.T + a + a[::-1] + a[:, ::-1]),
    "pad": lambda a: numpy.pad(a[1:, 1:] * 0.5 + a[:-1, :-1], ((0, 1), (1, 0))),
}


def chain(step: Any, count: int) -> Any:
    def run(a):
        for _ in range(count):
            a = step(a)
        return a

    return run


def ops_of(step: Any, count: int, x: numpy.ndarray) -> int:
    """How many operations the kernels of a chain have."""
    function = chain(step, count)
    explained = np.explain(np.compile(function))(x)
    numpy.testing.assert_allclose(numpy.asarray(explained.result), function(x), rtol=1e-12, atol=1e-12)
    return sum(len(kernel["ops"]) for kernel in explained.kernels)


@pytest.mark.parametrize("name", STEPS)
def test_code_grows_with_the_chain(name: str) -> None:
    x = numpy.random.default_rng(0).normal(size=(8, 8))
    short, long = (ops_of(STEPS[name], count, x) for count in (10, 40))
    assert long <= 6 * short + 40, (short, long)
