"""Texts of errors that compiled functions catch: the sizes in them are the call's, also where sizes vary from call to call."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import IS_NUMPY_2_5

import fastnp as np

FAULTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "broadcast": lambda m, x, y: x + y,
    "in place": lambda m, x, y: x.__iadd__(y),
    "assign": lambda m, x, y: x.__setitem__(slice(None), y),
    "mask": lambda m, x, y: x[y > 0],
    "set by a mask": lambda m, x, y: x.__setitem__(y > 0, 1),
    "element": lambda m, x, y: x[x.shape[0]],
    "element from the end": lambda m, x, y: x[-1 - x.shape[0]],
    "element of a constant": lambda m, x, y: x[100],
    "reshape": lambda m, x, y: x.reshape(7, -1),
    "reshape to sizes": lambda m, x, y: x.reshape(y.shape),
    "concatenate": lambda m, x, y: m.concatenate([m.stack([x, x]), m.stack([y, y])]),
    "stack": lambda m, x, y: m.stack([x, y]),
    "matmul": lambda m, x, y: x @ y,
    "dot": lambda m, x, y: m.dot(x, y),
    "inner": lambda m, x, y: m.inner(x, y),
    "solve": lambda m, x, y: m.linalg.solve(m.diag(x), y),
    "broadcast_to": lambda m, x, y: m.broadcast_to(x, y.shape),
    "broadcast_arrays": lambda m, x, y: m.broadcast_arrays(x, y),
    "out": lambda m, x, y: m.add(x, x, out=y),
    "sum into": lambda m, x, y: m.sum(m.stack([x, x]), axis=0, out=y),
    "fft": lambda m, x, y: m.fft.fft(x, x.shape[0] - y.shape[0] - x.shape[0]),
    "squeeze": lambda m, x, y: m.squeeze(x, axis=0),
    "split": lambda m, x, y: m.split(x, 7),
    "take": lambda m, x, y: m.take(x, x.shape[0] + 2),
    "insert": lambda m, x, y: m.insert(x, y.shape[0] + x.shape[0], 1),
    "delete": lambda m, x, y: m.delete(x, x.shape[0] + 1),
    "where": lambda m, x, y: m.where(x > 0, x, y),
    "cross": lambda m, x, y: m.cross(x, y),
    "convolve": lambda m, x, y: m.convolve(x, y[:0]),
    "outer into": lambda m, x, y: m.multiply.outer(x, y, out=m.zeros((2, 2))),
    "trapezoid": lambda m, x, y: m.trapezoid(x, y),
    "interp": lambda m, x, y: m.interp(x, x, y),
    "polyval": lambda m, x, y: m.polyval(x, m.stack([y, y])) + x,
    "partition": lambda m, x, y: m.partition(x, x.shape[0] + 1),
    "roll": lambda m, x, y: m.rollaxis(x, 2),
    "tensordot": lambda m, x, y: m.tensordot(x, y, 1),
    "append": lambda m, x, y: m.append(m.stack([x, x]), m.stack([y, y]), axis=0),
    "choose": lambda m, x, y: m.choose(m.zeros(y.shape, int), [x, x]),
    "repeat": lambda m, x, y: m.repeat(x, m.ones(y.shape, int)),
}
if IS_NUMPY_2_5:  # which has other words for what it refuses besides
    del FAULTS["cross"]


def caught(module: Any, fault: Callable[..., Any]) -> Callable[..., Any]:
    def f(x: Any, y: Any) -> Any:
        text = "none"
        try:
            fault(module, x, y)
        except (ValueError, IndexError, TypeError) as error:
            text = str(error)
        return y * len(x), text

    return f


@pytest.mark.parametrize("name", FAULTS)
def test_the_sizes_in_a_text_are_the_calls(name: str) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)  # shown where a test fails
    rng = random.Random(seed)
    written, compiled = caught(numpy, FAULTS[name]), np.compile(caught(np, FAULTS[name]), adaptive=False)
    for _ in range(8):
        sizes = rng.sample(range(2, 40), 2)
        wanted = written(*(numpy.arange(1.0, size + 1) for size in sizes))
        found = compiled(*(np.arange(1.0, size + 1) for size in sizes))
        assert (found[0].tolist(), found[1]) == (wanted[0].tolist(), wanted[1]), sizes
