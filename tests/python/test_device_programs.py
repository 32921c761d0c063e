"""Random programs on a CUDA device, and what they once found: NumPy's values, on arguments and results of their own memory.

Run as test_cuda.py.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

# A false alarm of the simulated device alone, and how eager results of a device lie (docs/roadmap.md, both).
KNOWN = re.compile(r"launch with memory that was freed|# eager: \w+: strides ")


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    from fuzz.check import failure_of

    count = 10_000 if LONG else 250
    with np.device("cuda"):
        for seed in range(SEED * 10_000 + part * count, SEED * 10_000 + (part + 1) * count):
            said = failure_of(seed, ["compiled", "eager", "interpreted", "gradient", "mapped"])
            assert said is None or KNOWN.search(said), said


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(2, 16), (2, 1, 16), (3, 5, 16), (2, 3, 4), (7, 64), (2, 2, 2, 32), (5, 1, 1)])
def test_a_fold_of_all_beside_each_element(shape: tuple[int, ...], dtype: str) -> None:
    """Of arrays whose axes are not one: a kernel holds one of their rows at most."""
    x = numpy.random.default_rng(SEED).integers(0, 9, shape).astype(dtype)
    functions: list[Callable[..., Any]] = [
        lambda a: numpy.flip(a, -1) + numpy.max(numpy.flip(a, -1)),
        lambda a: numpy.flip(a, -1) > numpy.min(numpy.flip(a, -1)),
        lambda a: a[..., ::-1] * numpy.sum(a[..., ::-1]),
        lambda a: (a[..., ::-1] - numpy.max(a[..., ::-1], axis=(-2, -1), keepdims=True)) * 2,
    ]
    repeated = numpy.lib.stride_tricks.as_strided(x, (3, *x.shape), (0, *x.strides))
    for function in functions:
        for each in (x, x[..., ::2], repeated):
            compiled = np.compile(lambda a, function=function: function(a))
            with np.device("cuda"):
                assert numpy.array_equal(numpy.asarray(compiled(each)), function(each))


def test_elements_are_taken_of_one_number() -> None:
    """A number is given to kernels itself, not by an address."""
    places = numpy.array([1, 0, -1])
    functions: list[Callable[..., Any]] = [
        lambda a: numpy.negative(numpy.take(numpy.broadcast_to(a, (2,)), places)),
        lambda a: numpy.repeat(a, 2)[numpy.repeat(a, 2) > 0] * 2,
        lambda a: numpy.take_along_axis(numpy.broadcast_to(a, (3,)), numpy.argsort(numpy.broadcast_to(a, (3,)), kind="stable"), axis=0) + 1,
        lambda a: numpy.take(a.reshape(-1), [0, 0, 0])[1:] - a,
    ]
    for number in (numpy.array(1.5), numpy.array(3), numpy.float32(0.5)):
        for function in functions:
            compiled = np.compile(lambda a, function=function: function(a))
            with np.device("cuda"):
                for _ in range(2):
                    assert numpy.array_equal(numpy.asarray(compiled(number)), function(number))


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 3)])
@pytest.mark.parametrize(
    "function",
    [
        *(
            lambda x, each=each, axis=axis: getattr(np, each).accumulate(x, axis=axis)
            for each in ("maximum", "fmin", "add", "multiply")
            for axis in (0, 1)
        ),
        lambda x: np.roll(x, 0, axis=0),
        lambda x: np.roll(x, 1, axis=1),
        lambda x: np.roll(x, 3),
        lambda x: np.cumsum(x, axis=0),
        lambda x: np.sort(x, axis=1),
        lambda x: np.sum(x, axis=1, keepdims=True),
        lambda x: np.take(x, [0], axis=0),
        lambda x: np.concatenate([x]),
        lambda x: np.pad(x, 0),
    ],
)
def test_results_have_memory_of_their_own(function: Callable[..., Any], shape: tuple[int, ...]) -> None:
    with np.device("cuda"):
        x = np.asarray(numpy.ones(shape)) + 1
        made = function(x)
        before = numpy.array(numpy.asarray(made))
        x.fill(7)
        assert numpy.array_equal(numpy.asarray(made), before)
