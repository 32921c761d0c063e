"""Collectives of arrays that lie on devices, a rank a device as far as there are any: by NCCL between two of them, else by the host."""

from __future__ import annotations

from typing import Any

import dist_cases
import numpy
import pytest
from support import SEED

import fastnp as np
from fastnp.dist import RankError

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason="no CUDA device")


def own_device() -> Any:
    return np.device(f"cuda:{np.dist.rank() % len(np.cuda.devices())}")


def check(seed: int, ranks: int) -> list[str]:
    case = dist_cases.drawn(seed, ranks)
    own = np.dist.rank()
    with numpy.errstate(all="ignore"):
        expected = numpy.asarray(case.expected(own))
    compiled = np.compile(case.call)
    with own_device(), np.errstate(all="ignore"):
        x = np.asarray(case.operands[own])
        found = [case.call(x), compiled(x), compiled(x)]
    if expected.dtype.kind in "fc":  # (sums of several ranks are added in the device's order)
        close = 1e-2 if expected.dtype == "float16" else 1e-5 if expected.dtype.itemsize < 8 or expected.dtype == "complex64" else 1e-12
        right = [numpy.allclose(numpy.asarray(each), expected, rtol=close, atol=close, equal_nan=True) for each in found]
    else:
        right = [numpy.array_equal(numpy.asarray(each), expected) for each in found]
    return [f"seed {seed}, rank {own}: {case} {i}" for i, is_right in enumerate(right) if not is_right]


@pytest.mark.parametrize("ranks", [1, 2])
def test_collectives_at_random(ranks: int) -> None:
    def program() -> list[str]:
        return sum((check(seed, ranks) for seed in range(SEED, SEED + 40)), [])

    wrong = sum(np.dist.run(program, ranks), [])
    assert not wrong, "\n".join(wrong)


def test_steps_between_devices() -> None:
    """A step of products, a nonlinearity and averaged gradients is what the host makes of it."""
    random = numpy.random.default_rng(3)
    w, x, y = random.random((16, 16)), random.random((2, 64, 16)), random.random((2, 64))

    def loss(w: Any, x: Any, y: Any) -> Any:
        return np.mean((np.sum(np.tanh(x @ w), axis=1) - y) ** 2)

    @np.compile
    def step(w: Any, x: Any, y: Any) -> Any:
        return w - 0.1 * np.grad(loss)(w, x, y)

    def program(on_device: bool) -> Any:
        own = np.dist.rank()
        take = np.dist.data_parallel(step)
        if not on_device:
            return numpy.asarray(take(take(w, x[own], y[own]), x[own], y[own]))
        with own_device():
            mine = [np.asarray(each) for each in (w, x[own], y[own])]
            return numpy.asarray(take(take(*mine), *mine[1:]))

    wanted = np.dist.run(program, 2, False)
    for found, want in zip(np.dist.run(program, 2, True), wanted, strict=True):
        assert numpy.allclose(found, want, rtol=1e-10)


def test_a_rank_with_an_array_of_the_host() -> None:
    """One rank's array lies on a device, the other one's does not: an error, or one of them moves; no hang, no wrong result."""

    def program() -> Any:
        try:
            if np.dist.rank() == 0:
                with own_device():
                    return float(np.sum(np.dist.all_reduce(np.ones(3))))
            return float(np.sum(np.dist.all_reduce(np.ones(3))))
        except RankError as error:
            return str(error)

    found = np.dist.run(program, 2)
    assert found == [6.0, 6.0] or all("on a device" in text for text in found)


def test_large_arrays() -> None:
    count = 3_000_001

    def program() -> Any:
        with own_device():
            x = np.arange(count, dtype="float32") % 1000 + np.dist.rank()
            total = np.dist.all_reduce(x)
            every = np.dist.all_gather(x)
            return numpy.asarray(total), numpy.asarray(every)

    base = numpy.arange(count, dtype="float32") % 1000
    for total, every in np.dist.run(program, 2):
        assert numpy.array_equal(total, 2 * base + 1)
        assert numpy.array_equal(every, numpy.stack([base, base + 1]))
