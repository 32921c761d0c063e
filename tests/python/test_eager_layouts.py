"""Strides of what is computed at once, axes of one element's too: NumPy's, on whichever device, whatever was computed there before."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
from support import SEED

import fastnp as np

STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "T": lambda x, y: x.T,
    "[::-1]": lambda x, y: x[::-1],
    "[..., None]": lambda x, y: x[..., None],
    "swapped": lambda x, y: x.swapaxes(0, -1),
    "x + 1": lambda x, y: x + 1,
    "abs": lambda x, y: abs(x),
    "x * y": lambda x, y: x * y if x.shape == y.shape else x,
    "x * x": lambda x, y: x * x,
    "x > row": lambda x, y: x > x[:1],
    **{f"copy {order}": lambda x, y, order=order: x.copy(order=order) for order in "CFAK"},
    **{f"astype {order}": lambda x, y, order=order: x.astype("f4", order=order) for order in "CFAK"},
}


def test_strides_of_chains() -> None:
    """Results of random chains of operations on arrays of up to three axes, of which many have one element."""
    rng = random.Random(SEED)
    for _ in range(400):
        shape = tuple(rng.choice([1, 2, 3, 3, 5]) for _ in range(rng.choice([2, 2, 2, 3])))
        dtype = rng.choice(["f8", "f4", "i8"])
        wanted, got = numpy.zeros(shape, dtype), np.zeros(shape, dtype)
        first = wanted, got
        told = f"{dtype} {shape}"
        for name in rng.choices(list(STEPS), k=rng.randrange(1, 5)):
            told += f", {name}"
            wanted, got = STEPS[name](wanted, first[0]), STEPS[name](got, first[1])
            assert (got.strides, got.dtype) == (wanted.strides, wanted.dtype), told
