"""Nothing is read before an array's first element, or behind its last one: pages that no one may touch lie on both sides."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

PAGE = mmap.PAGESIZE
NO_ACCESS, READ_AND_WRITE = 0, 3


class Walled:
    """Memory between two pages that can't be touched."""

    def __init__(self, pages: int) -> None:
        self.size = pages * PAGE
        self.memory = mmap.mmap(-1, self.size + 2 * PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.set(NO_ACCESS)

    def set(self, access: int) -> None:
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        for wall in (self.address, self.address + PAGE + self.size):
            assert protect(ctypes.c_void_p(wall), ctypes.c_size_t(PAGE), access) == 0

    def line(self, count: int, dtype: numpy.dtype[Any], step: int, at_end: bool) -> numpy.ndarray:
        """Elements a step apart, the last of which ends where the memory does, or the first begins where it does; backwards for a negative step."""
        length = ((count - 1) * abs(step) + 1) * dtype.itemsize
        x = numpy.frombuffer(self.memory, dtype, length // dtype.itemsize, PAGE + (self.size - length if at_end else 0))
        return x[::step]


@pytest.fixture(scope="module")
def walled() -> Any:
    both = Walled(8), Walled(8)
    yield both
    for each in both:
        each.set(READ_AND_WRITE)


PAIRS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "dot": lambda m, x, y: m.dot(x, y),
    "matmul": lambda m, x, y: x @ y,
    "vdot": lambda m, x, y: m.vdot(x, y),
    "inner": lambda m, x, y: m.inner(x, y),
    "column": lambda m, x, y: x[None, :] @ y[:, None],
    "outer": lambda m, x, y: m.outer(x, y[:3]),
    "einsum": lambda m, x, y: m.einsum("i,i->", x, y),
    "multiply": lambda m, x, y: x * y,
    "sum": lambda m, x, y: m.sum(x * y) + m.sum(x),
    "norm": lambda m, x, y: m.linalg.norm(x),
    "cumsum": lambda m, x, y: m.cumsum(y),
    "copy": lambda m, x, y: m.concatenate([x, y]),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "i1"])
@pytest.mark.parametrize("name", PAIRS)
def test_lines(name: str, dtype: str, walled: tuple[Walled, Walled]) -> None:
    seed = random.randrange(10**9)
    draw = random.Random(seed)
    function = PAIRS[name]
    compiled = np.compile(lambda x, y: function(np, x, y), dynamic=True)
    for _ in range(60):
        count = draw.choice([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 33, 64, 65])
        lines = [each.line(count, numpy.dtype(dtype), draw.choice([1, 1, 2, 3, 30, -1, -2]), draw.random() < 0.7) for each in walled]
        for x in lines:
            x[...] = numpy.arange(count) % 5 + 1
        want = function(numpy, *(x.copy() for x in lines))
        for got in (function(np, *map(np.asarray, lines)), compiled(*lines)):
            got = numpy.asarray(got)
            assert got.dtype == numpy.asarray(want).dtype
            assert numpy.allclose(got, want, rtol=1e-5), f"seed {seed}: {name} of {count} {dtype}, strides {[x.strides for x in lines]}"
