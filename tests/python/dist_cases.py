"""Collectives at random, and what NumPy makes of all ranks' arrays: run by threads (test_dist.py) and by processes (test_dist_mpi.py)."""

from __future__ import annotations

import dataclasses
import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy

import fastnp as np

DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128")
UFUNCS = {"sum": numpy.add, "prod": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum}


@dataclasses.dataclass
class Case:
    """One collective: what it is, which options it has, and each rank's operand."""

    name: str
    options: dict[str, Any]
    operands: list[numpy.ndarray[Any, Any]]

    def call(self, x: Any) -> Any:
        return getattr(np.dist, self.name)(x, **self.options)

    def expected(self, rank: int) -> Any:
        with numpy.errstate(all="ignore"):
            return EXPECTED[self.name](self.operands, rank, **self.options)

    def __str__(self) -> str:
        x = self.operands[0]
        return f"{self.name}(x, {self.options}) of {x.dtype}{list(x.shape)} among {len(self.operands)} ranks"


def joined(operands: list[Any], op: str) -> Any:
    if op == "mean":
        wide = [x if x.dtype.kind in "fc" else x.astype(float) for x in operands]
        return joined(wide, "sum") / len(operands)
    result = operands[0]
    for x in operands[1:]:
        if x.dtype.kind == "c" and op == "prod":  # (NumPy's own has other bits for other layouts)
            result = numpy.asarray(np.multiply(np.ascontiguousarray(result), np.ascontiguousarray(x)))
        else:
            result = UFUNCS[op](result, x)
    return result


def part(x: Any, rank: int, ranks: int, axis: int, tiled: bool) -> Any:
    return numpy.split(x, ranks, axis)[rank] if tiled else numpy.take(x, rank, axis)


def together(parts: list[Any], axis: int, tiled: bool) -> Any:
    return numpy.concatenate(parts, axis) if tiled else numpy.stack(parts, axis)


def permuted(operands: list[Any], rank: int, pairs: list[tuple[int, int]]) -> Any:
    for source, to in pairs:
        if to == rank:
            return operands[source]
    return numpy.zeros_like(operands[0])


EXPECTED: dict[str, Callable[..., Any]] = {
    "all_reduce": lambda xs, rank, op: joined(xs, op),
    "all_gather": lambda xs, rank, axis, tiled: together(xs, axis, tiled),
    "reduce_scatter": lambda xs, rank, op, axis, tiled: part(joined(xs, op), rank, len(xs), axis, tiled),
    "broadcast": lambda xs, rank, root: xs[root],
    "all_to_all": lambda xs, rank, split_axis, concat_axis, tiled: together([part(x, rank, len(xs), split_axis, tiled) for x in xs], concat_axis, tiled),
    "permute": permuted,
}


def operand(random: numpy.random.Generator, dtype: str, shape: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
    """Small numbers and special ones, in C's order, in another one, or with steps."""
    kind = int(random.integers(3))
    whole = tuple(2 * n for n in shape) if kind == 2 else shape
    values = numpy.asarray(random.integers(-3, 4, whole), "float64")
    if numpy.dtype(dtype).kind in "fc":
        values = numpy.asarray(values / 3)
        special = numpy.asarray(random.random(whole))
        values[special < 0.05] = numpy.nan
        values[(special > 0.05) & (special < 0.1)] = -0.0
        values[(special > 0.1) & (special < 0.13)] = numpy.inf
    with numpy.errstate(all="ignore"):
        x = numpy.asarray(values + 1j * values[::-1] if numpy.dtype(dtype).kind == "c" and len(whole) else values).astype(dtype)
    if kind == 1:
        x = x.copy(order="F")
    return x[(..., *(slice(None, None, -2) for _ in whole))] if kind == 2 else x


def drawn(seed: int, ranks: int, dtypes: tuple[str, ...] = DTYPES) -> Case:
    """The same on all ranks that have the seed."""
    random = numpy.random.default_rng(seed)
    name = str(random.choice(list(EXPECTED)))
    dtype = str(random.choice(dtypes))
    most = int(random.choice([2, 4, 40]))
    rank = int(random.integers(1, 4)) if name in ("reduce_scatter", "all_to_all") else int(random.integers(0, 4))
    shape = [int(random.integers(0 if random.random() < 0.1 else 1, most + 1)) for _ in range(rank)]
    tiled = bool(random.integers(2)) and rank > 0
    options: dict[str, Any] = {}
    if name in ("all_reduce", "reduce_scatter"):
        options["op"] = str(random.choice(["sum", "prod", "min", "max", "mean"]))
    if name == "broadcast":
        options["root"] = int(random.integers(ranks))
    if name == "permute":
        count = int(random.integers(ranks + 1))
        options["pairs"] = list(zip(random.permutation(ranks)[:count].tolist(), random.permutation(ranks)[:count].tolist(), strict=True))
    if name == "all_gather":
        options |= {"axis": int(random.integers(rank + (0 if tiled else 1))), "tiled": tiled}
    if name in ("reduce_scatter", "all_to_all"):
        axis = int(random.integers(rank))
        shape[axis] = ranks * int(random.integers(1, 4)) if tiled else ranks
        if name == "reduce_scatter":
            options |= {"axis": axis, "tiled": tiled}
        else:
            options |= {"split_axis": axis, "concat_axis": int(random.integers(rank)), "tiled": tiled}
    return Case(name, options, [operand(random, dtype, tuple(shape)) for _ in range(ranks)])


def bits(x: Any) -> tuple[Any, ...]:
    """What it is, with all NaN as one."""
    found = numpy.array(numpy.asarray(x), order="C")
    if found.dtype.kind in "fc":
        parts = found.view(found.real.dtype) if found.ndim else found
        parts[...] = numpy.where(numpy.isnan(parts), numpy.nan, parts) if found.ndim else parts
    return str(found.dtype), found.shape, found.tobytes() if not (found.ndim == 0 and numpy.isnan(found)) else b"nan"


def check(seed: int, ranks: int) -> list[str]:
    """What is wrong with a case on this rank: eagerly, compiled at the first and the second call."""
    case = drawn(seed, ranks)
    own = np.dist.rank()
    x, expected = case.operands[own], bits(case.expected(own))
    before = x.copy()
    compiled = np.compile(case.call)
    with np.errstate(all="ignore"):
        found = [("eagerly", case.call(np.asarray(x))), ("compiled", compiled(x)), ("again", compiled(x))]
    wrong = [f"seed {seed}, rank {own}: {case} {how}" for how, value in found if bits(value) != expected]
    if before.tobytes() != x.tobytes():
        wrong.append(f"seed {seed}: {case} changed its operand")
    return wrong


def main() -> None:
    """As a process of several: checks many seeds, and prints a sum of all that it saw."""
    np.dist.init("mpi")
    first, count = int(sys.argv[1]), int(sys.argv[2])
    seen = 0
    for seed in range(first, first + count):
        wrong = check(seed, np.dist.size())
        if wrong:
            raise AssertionError("\n".join(wrong))
        case = drawn(seed, np.dist.size())
        seen = zlib.crc32(repr(bits(case.call(np.asarray(case.operands[np.dist.rank()])))).encode(), seen)
    print(f"rank {np.dist.rank()} of {np.dist.size()}: {seen}", flush=True)


if __name__ == "__main__":
    main()
