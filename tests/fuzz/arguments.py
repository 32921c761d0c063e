"""Arguments of random programs: an array's elements as literals, and a view of it, so that a failing program can be printed whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
SMOOTH = "f8 f8 f8 f4 i4 c16".split()
SIZES = [0, 1, 1, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17, 33]

# Views as Python text over an array x. Those of a second list give other shapes.
LAYOUTS = [
    "x",
    "x",
    "x",
    "numpy.asfortranarray(x)",
    "x[::-1]",
    "x[..., ::2]",
    "x[..., ::-1]",
    "x[1:]",
    "x.T",
    "x[::-2, None]",
    "x[..., 1:-1]",
    "numpy.repeat(x, 3, axis=-1)[..., ::3]",
    "numpy.broadcast_to(x, (2, *x.shape)).copy()[:, ...][::-1]",
    "numpy.lib.stride_tricks.as_strided(x, (3, *x.shape), (0, *x.strides))",
]


@dataclass
class Argument:
    """Elements (C order) and the text that makes the argument of them."""

    elements: numpy.ndarray
    layout: str

    def make(self) -> Any:
        x = self.elements.copy()
        return eval(self.layout, {"numpy": numpy, "x": x})

    def lines(self, name: str) -> list[str]:
        """Statements that make the argument."""
        dtype, shape = self.elements.dtype.str[1:], self.elements.shape
        if self.elements.size and (self.elements == 1).all():
            x = f"numpy.ones({shape}, {dtype!r})"
        else:
            listed = repr(self.elements.reshape(-1).tolist()).replace("nan", "numpy.nan").replace("inf", "numpy.inf")
            x = f"numpy.array({listed}, {dtype!r}).reshape({shape})"
        return [f"{name} = {x}"] if self.layout == "x" else [f"x = {x}", f"{name} = {self.layout}"]


def elements_of(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str, tame: bool) -> numpy.ndarray:
    """Small multiples of an eighth; if not tame, also NaN, infinities, zeros of both signs, and the dtype's ends."""
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        info = numpy.iinfo(dtype)
        x = rng.integers(max(-9, info.min), 10, shape).astype(dtype)
        ends = rng.choice(numpy.array([info.min, info.max], dtype), shape)
        return x if tame else numpy.where(rng.random(shape) < 0.1, ends, x)
    if kind == "c":
        part = "f4" if dtype == "c8" else "f8"
        made = numpy.empty(shape, dtype)
        made.real, made.imag = elements_of(rng, shape, part, tame), elements_of(rng, shape, part, tame)
        return made
    x = (rng.integers(-40, 41, shape) / 8).astype(dtype)
    if tame:
        return x
    info = numpy.finfo(dtype)
    special = [numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0, info.max, info.tiny, info.smallest_subnormal, 0.5, 1.5]
    return numpy.where(rng.random(shape) < 0.25, rng.choice(special, shape).astype(dtype), x).astype(dtype)


def random_kind(rng: numpy.random.Generator, dtypes: list[str]) -> tuple[str, int]:
    """A dtype and a number of axes."""
    return str(rng.choice(dtypes)), int(rng.choice([0, 1, 1, 2, 2, 2, 3]))


def random_arguments(rng: numpy.random.Generator, kinds: list[tuple[str, int]], tame: bool, smooth: bool) -> list[Argument]:
    """Arguments of these kinds whose shapes go together: the last axes have common sizes, or 1."""
    sizes = [int(n) for n in rng.choice(SIZES, 3)]
    made = []
    for dtype, rank in kinds:
        shape = tuple(1 if rng.random() < 0.15 else n for n in sizes[3 - rank :])
        elements = numpy.asarray(rng.normal(size=shape) if smooth else elements_of(rng, shape, dtype, tame)).astype(dtype)
        layout = "x" if rank == 0 else str(rng.choice(LAYOUTS))
        while numpy.ndim(Argument(elements, layout).make()) > 4:
            layout = "x"
        made.append(Argument(elements, layout))
    return made
