"""fastnp's operations in StableHLO's: by the name in the catalogue, functions of tensors. Sizes are numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from fastnp._stablehlo import Builder, Tensor, type_of
from fastnp._told import Node


def numbers(texts: Sequence[str]) -> list[int]:
    return [int(text) for text in texts]


def slice_of(x: Tensor, starts: Sequence[int], lengths: Sequence[int], steps: Sequence[int]) -> Tensor:
    """As fastnp has it: steps may be negative."""
    back = [axis for axis, step in enumerate(steps) if step < 0]
    x = reverse(x, back)
    parts = []
    for axis, (start, length, step) in enumerate(zip(starts, lengths, steps, strict=True)):
        begin = x.shape[axis] - 1 - start if step < 0 and length else start if length else 0
        parts.append(f"{begin}:{begin + (length - 1) * abs(step) + 1 if length else begin}:{max(abs(step), 1)}")
    text = f"stablehlo.slice {x.name} [{', '.join(parts)}] : ({x.type}) -> {type_of(x.dtype, lengths)}"
    return x.builder.value(text, x.dtype, lengths) if x.shape else x


def reverse(x: Tensor, axes: Sequence[int]) -> Tensor:
    return x.builder.value(f"stablehlo.reverse {x.name}, dims = {list(axes)} : {x.type}", x.dtype, x.shape) if axes else x


def padded(x: Tensor, value: Tensor, low: Sequence[int], high: Sequence[int], between: Sequence[int]) -> Tensor:
    shape = [a + size + max(size - 1, 0) * gap + b for size, a, b, gap in zip(x.shape, low, high, between, strict=True)]
    text = f"stablehlo.pad {x.name}, {value.name}, low = {list(low)}, high = {list(high)}, interior = {list(between)} : "
    return x.builder.value(text + f"({x.type}, {value.type}) -> {type_of(x.dtype, shape)}", x.dtype, shape)


def spread(x: Tensor, shape: Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    dims = list(range(len(shape) - len(x.shape), len(shape))) if dims is None else list(dims)
    text = f"stablehlo.broadcast_in_dim {x.name}, dims = {dims} : ({x.type}) -> {type_of(x.dtype, shape)}"
    return x.builder.value(text, x.dtype, shape)


def joined(parts: Sequence[Tensor], axis: int) -> Tensor:
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    names, types = ", ".join(part.name for part in parts), ", ".join(part.type for part in parts)
    return parts[0].builder.value(f"stablehlo.concatenate {names}, dim = {axis} : ({types}) -> {type_of(parts[0].dtype, shape)}", parts[0].dtype, shape)


#: By the op that joins: its name, and what nothing gives.
JOINS: dict[str, tuple[str, Callable[[numpy.dtype[Any]], Any]]] = {
    "add": ("add", lambda dtype: 0), "multiply": ("multiply", lambda dtype: 1), "maximum": ("maximum", lambda dtype: least(dtype)),
    "minimum": ("minimum", lambda dtype: most(dtype)), "logical_or": ("or", lambda dtype: 0), "logical_and": ("and", lambda dtype: 1),
    "logical_xor": ("xor", lambda dtype: 0), "bitwise_or": ("or", lambda dtype: 0), "bitwise_and": ("and", lambda dtype: -1),
    "bitwise_xor": ("xor", lambda dtype: 0),
}  # fmt: skip


def least(dtype: numpy.dtype[Any]) -> Any:
    return False if dtype.kind == "b" else numpy.iinfo(dtype).min if dtype.kind in "iu" else -numpy.inf


def most(dtype: numpy.dtype[Any]) -> Any:
    return True if dtype.kind == "b" else numpy.iinfo(dtype).max if dtype.kind in "iu" else numpy.inf


def fold(x: Tensor, axes: Sequence[int], join: str) -> Tensor:
    name, nothing = JOINS[join]
    value = nothing(x.dtype)
    start = x.builder.constant(numpy.array(value).astype(x.dtype))
    shape = [size for axis, size in enumerate(x.shape) if axis not in axes]
    text = f"stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{name} across dimensions = {list(axes)} : "
    return x.builder.value(text + f"({x.type}, {start.type}) -> {type_of(x.dtype, shape)}", x.dtype, shape)


def _fold(join: str) -> Callable[..., Tensor]:
    return lambda to, node, x: fold(x.cast(node.dtype), node.ints, join) if node.ints else x.cast(node.dtype)


def counted(to: Builder, shape: Sequence[int], axis: int, dtype: Any = "int64") -> Tensor:
    return to.value(f"stablehlo.iota dim = {axis} : {type_of(dtype, shape)}", dtype, shape)


def _iota(to: Builder, node: Node) -> Tensor:
    return counted(to, numbers(node.dims), node.ints[0]).cast(node.dtype)


def _argfold(join: str) -> Callable[..., Tensor]:
    """The first place of the best element; NaN is the best. Values and places are folded together: XLA may compute an element twice, with other bits."""

    def folded(to: Builder, node: Node, x: Tensor) -> Tensor:
        axis = node.ints[0] if node.ints else 0
        x = x if node.ints else x.reshape([math.prod(x.shape)])
        x = x.cast("uint8") if x.dtype.kind == "b" else x
        places = counted(to, x.shape, axis)
        worst, first = to.constant(numpy.array(JOINS[join][1](x.dtype)).astype(x.dtype)), to.constant(0, "int64")
        region = Builder(to, to.indent + "  ")
        a, b = (Tensor(region, region.fresh(), x.dtype, ()) for _ in range(2))
        i, j = (Tensor(region, region.fresh(), places.dtype, ()) for _ in range(2))
        better, same = a.compare("GT" if join == "maximum" else "LT", b), a.is_equal(b)
        if x.dtype.kind not in "iu":
            better = better.either(a.op("IsNaN").both(b.op("IsNaN").inverted()))
            same = same.either(a.op("IsNaN").both(b.op("IsNaN")))
        is_first = better.either(same.both(i.less(j)))
        given = is_first.choose(a, b), is_first.choose(i, j)
        region.line(f"stablehlo.return {given[0].name}, {given[1].name} : {a.type}, {i.type}")
        shape = [size for each, size in enumerate(x.shape) if each != axis]
        pair = to.fresh()
        to.line(
            f"{pair}:2 = stablehlo.reduce({x.name} init: {worst.name}), ({places.name} init: {first.name}) across dimensions = [{axis}] : "
            f"({x.type}, {places.type}, {worst.type}, {first.type}) -> ({type_of(x.dtype, shape)}, {type_of('int64', shape)})"
        )
        to.line(f" reducer({a.name}: {a.type}, {b.name}: {b.type}) ({i.name}: {i.type}, {j.name}: {j.type}) {{")
        to.lines += region.lines
        to.line("}")
        return Tensor(to, f"{pair}#1", places.dtype, tuple(shape)).cast(node.dtype)

    return folded


def _running(to: Builder, x: Tensor, axis: int, join: str) -> Tensor:
    name, nothing = JOINS[join]
    start = to.constant(numpy.array(nothing(x.dtype)).astype(x.dtype))
    rank = len(x.shape)
    window = ", ".join(str(x.shape[axis]) if i == axis else "1" for i in range(rank))
    padding = ", ".join(f"[{max(x.shape[axis] - 1, 0) if i == axis else 0}, 0]" for i in range(rank))
    a, b, c = to.fresh(), to.fresh(), to.fresh()
    scalar = type_of(x.dtype, ())
    region = f"({{ ^bb0({a}: {scalar}, {b}: {scalar}): {c} = stablehlo.{name} {a}, {b} : {scalar} stablehlo.return {c} : {scalar} }})"
    text = f'"stablehlo.reduce_window"({x.name}, {start.name}) <{{padding = dense<[{padding}]> : tensor<{rank}x2xi64>, '
    text += f"window_dimensions = array<i64: {window}>}}> {region} : ({x.type}, {scalar}) -> {x.type}"
    return to.value(text, x.dtype, x.shape)


def _cumulated(join: str) -> Callable[..., Tensor]:
    return lambda to, node, x: _running(to, x.cast(node.dtype), node.ints[0], join) if math.prod(x.shape) else x.cast(node.dtype)


def _accumulate(to: Builder, node: Node, x: Tensor) -> Tensor:
    if node.join not in JOINS:
        raise NotImplementedError(f"running results of {node.join}")
    axis, _, is_last = node.ints
    x = x.cast(node.dtype)
    return fold(x, [axis], node.join) if is_last else _running(to, x, axis, node.join)


def _sorted(number: int) -> Callable[..., Tensor]:
    """The values (0) or their places (1); NaN last."""

    def made(to: Builder, node: Node, x: Tensor) -> Tensor:
        if node.dims:
            raise NotImplementedError("a part of what is sorted")
        if x.dtype.kind == "c":
            raise NotImplementedError("sorts of complex numbers")
        axis = node.ints[0]
        x = x.cast("uint8") if x.dtype.kind == "b" else x
        places = counted(to, x.shape, axis)
        region = Builder(to, to.indent + "    ")
        names = [region.fresh() for _ in range(4)]
        scalars = [type_of(x.dtype, ())] * 2 + [type_of("int64", ())] * 2
        a, b = Tensor(region, names[0], x.dtype, ()), Tensor(region, names[1], x.dtype, ())
        before = a.less(b)
        if x.dtype.kind not in "iu":
            before = before.either(b.op("IsNaN").both(a.op("IsNaN").inverted()))
        region.line(f"stablehlo.return {before.name} : {before.type}")
        pair = to.fresh()
        to.line(f'{pair}:2 = "stablehlo.sort"({x.name}, {places.name}) <{{dimension = {axis} : i64, is_stable = true}}> ({{')
        to.line("  ^bb0(" + ", ".join(f"{name}: {scalar}" for name, scalar in zip(names, scalars, strict=True)) + "):")
        to.lines += region.lines
        to.line(f"}}) : ({x.type}, {places.type}) -> ({x.type}, {places.type})")
        return Tensor(to, f"{pair}#{number}", places.dtype if number else x.dtype, x.shape).cast(node.dtype)

    return made


def _matmul(to: Builder, node: Node, a: Tensor, b: Tensor) -> Tensor:
    a, b = a.cast(node.dtype), b.cast(node.dtype)
    lead = [int(size) for size in node.shape[:-2]]
    a, b = (spread(each, [*lead, *each.shape[-2:]]) if list(each.shape[:-2]) != lead else each for each in (a, b))
    rank = len(lead)
    batch = f"batching_dims = {list(range(rank))} x {list(range(rank))}, " if rank else ""
    shape = numbers(node.shape)
    text = f"stablehlo.dot_general {a.name}, {b.name}, {batch}contracting_dims = [{rank + 1}] x [{rank}], precision = [HIGHEST, HIGHEST] : "
    return to.value(text + f"({a.type}, {b.type}) -> {type_of(node.dtype, shape)}", node.dtype, shape)


def _within(indices: Tensor, size: int, mode: int) -> Tensor:
    indices = indices.cast("int64")
    if mode == 1:
        return indices.mod(size) if size else indices
    if mode == 2:
        return indices.op("Max", 0).op("Min", size - 1)
    return indices.less(0).choose(indices + size, indices)


def _take(to: Builder, node: Node, x: Tensor, indices: Tensor) -> Tensor:
    axis, mode = node.ints
    places = _within(indices, x.shape[axis], mode)
    rank = len(places.shape)
    shape = [*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]]
    offsets = [*range(axis), *range(axis + rank, len(shape))]
    sizes = ", ".join("1" if i == axis else str(size) for i, size in enumerate(x.shape))
    how = f"#stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = [{axis}], start_index_map = [{axis}], index_vector_dim = {rank}>"
    text = f'"stablehlo.gather"({x.name}, {places.name}) <{{dimension_numbers = {how}, slice_sizes = array<i64: {sizes}>}}> : '
    return to.value(text + f"({x.type}, {places.type}) -> {type_of(x.dtype, shape)}", x.dtype, shape)


def _scatter(to: Builder, node: Node, x: Tensor, indices: Tensor, rows: Tensor) -> Tensor:
    if node.join and node.join not in JOINS:
        raise NotImplementedError(f"rows that are joined by {node.join}")
    x, rows, places = x.cast(node.dtype), rows.cast(node.dtype), _within(indices, x.shape[0], 0)
    rank = len(places.shape)
    windows = list(range(rank, rank + len(x.shape) - 1))
    a, b, c = to.fresh(), to.fresh(), to.fresh()
    scalar = type_of(x.dtype, ())
    inside = (
        f"{c} = stablehlo.{JOINS[node.join][0]} {a}, {b} : {scalar} stablehlo.return {c} : {scalar}" if node.join else f"stablehlo.return {b} : {scalar}"
    )
    how = f"#stablehlo.scatter<update_window_dims = {windows}, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = {rank}>"
    text = f'"stablehlo.scatter"({x.name}, {places.name}, {rows.name}) <{{scatter_dimension_numbers = {how}, indices_are_sorted = false, '
    text += f"unique_indices = false}}> ({{ ^bb0({a}: {scalar}, {b}: {scalar}): {inside} }}) : ({x.type}, {places.type}, {rows.type}) -> {x.type}"
    return to.value(text, x.dtype, x.shape)


def _update(to: Builder, node: Node, x: Tensor, part: Tensor) -> Tensor:
    """The part between zeros, chosen where a mask like it is set."""
    rank = len(node.ints)
    part = part.cast(node.dtype)
    if rank == 0 or math.prod(part.shape) == 0:
        return x if rank else part
    starts, lengths = numbers(node.dims[:rank]), numbers(node.dims[rank:])
    part = reverse(part, [axis for axis, step in enumerate(node.ints) if step < 0])
    low = [start if step > 0 else start + (length - 1) * step for start, length, step in zip(starts, lengths, node.ints, strict=True)]
    gaps = [max(abs(step), 1) - 1 for step in node.ints]
    high = [size - first - (length - 1) * (gap + 1) - 1 for size, first, length, gap in zip(x.shape, low, lengths, gaps, strict=True)]
    mask = padded(to.constant(True, bool, part.shape), to.constant(False), low, high, gaps)
    return mask.choose(padded(part, to.constant(0, node.dtype), low, high, gaps), x.cast(node.dtype))


def _searchsorted(to: Builder, node: Node, x: Tensor, values: Tensor) -> Tensor:
    common = numpy.result_type(x.dtype, values.dtype)
    lead, size, count = list(x.shape[:-1]), x.shape[-1], values.shape[-1]
    lines = spread(x.cast(common), [*lead, count, size], [*range(len(lead)), len(lead) + 1])
    sought = spread(values.cast(common), [*lead, count, size], range(len(lead) + 1))
    before = lines.compare("LE" if node.ints[0] else "LT", sought)
    return fold(before.cast("int64"), [len(lead) + 1], "add").cast(node.dtype)


def _pad(to: Builder, node: Node, x: Tensor, value: Tensor) -> Tensor:
    rank = len(x.shape)
    widths = numbers(node.dims)
    return padded(x.cast(node.dtype), value.cast(node.dtype).reshape([]), widths[:rank], widths[rank:], [0] * rank)


def _slice(to: Builder, node: Node, x: Tensor) -> Tensor:
    rank = len(node.ints)
    return slice_of(x, numbers(node.dims[:rank]), numbers(node.dims[rank:]), node.ints)


def _select(to: Builder, node: Node, condition: Tensor, first: Tensor, second: Tensor) -> Tensor:
    return condition.cast(bool).choose(first.cast(node.dtype), second.cast(node.dtype))


def _transform(kind: str) -> Callable[..., Tensor]:
    def made(to: Builder, node: Node, x: Tensor) -> Tensor:
        points = int(node.dims[0])
        scale = node.ints[1] if kind == "FFT" else node.ints[0]
        forward = kind != "IRFFT" and (kind == "RFFT" or bool(node.ints[0]))
        name = kind if kind != "FFT" else "FFT" if forward else "IFFT"
        size = points // 2 + 1 if kind == "IRFFT" else points
        rank = len(x.shape)
        if x.shape[-1] > size:
            x = slice_of(x, [0] * rank, [*x.shape[:-1], size], [1] * rank)
        elif x.shape[-1] < size:
            x = padded(x, to.constant(0, x.dtype), [0] * rank, [0] * (rank - 1) + [size - x.shape[-1]], [0] * rank)
        shape = numbers(node.shape)
        text = f"stablehlo.fft {x.name}, type = {name}, length = [{points}] : ({x.type}) -> {type_of(node.dtype, shape)}"
        result = to.value(text, node.dtype, shape)
        has = 1 if name in ("FFT", "RFFT") else 1 / points  # StableHLO divides the inverse ones
        wanted = {0: 1.0, 1: 1 / points, 2: points**-0.5}[scale]
        return result if wanted == has else result * (wanted / has)

    return made


def _triangular_solve(to: Builder, node: Node, a: Tensor, b: Tensor) -> Tensor:
    lower, which, unit = node.ints
    kind = ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")[which]
    text = f'"stablehlo.triangular_solve"({a.name}, {b.name}) <{{left_side = true, lower = {str(bool(lower)).lower()}, '
    text += f"unit_diagonal = {str(bool(unit)).lower()}, transpose_a = #stablehlo<transpose {kind}>}}> : ({a.type}, {b.type}) -> {b.type}"
    return to.value(text, b.dtype, b.shape)


def _cholesky(to: Builder, node: Node, a: Tensor) -> Tensor:
    made = to.value(f"stablehlo.cholesky {a.name}, lower = true : {a.type}", a.dtype, a.shape)
    rank = len(a.shape)
    return counted(to, a.shape, rank - 1).op("LessOrEqual", counted(to, a.shape, rank - 2)).choose(made, 0)


def _from_parts(to: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    real = numpy.dtype(f"f{node.dtype.itemsize // 2}")
    x, y = x.cast(real), y.cast(real)
    return to.value(f"stablehlo.complex {x.name}, {y.name} : {type_of(node.dtype, x.shape)}", node.dtype, x.shape)


def _part(name: str) -> Callable[..., Tensor]:
    def made(to: Builder, node: Node, x: Tensor) -> Tensor:
        if x.dtype.kind != "c":
            return x.cast(node.dtype) if name == "real" else to.constant(0, node.dtype, x.shape)
        return to.value(f"stablehlo.{name} {x.name} : ({x.type}) -> {type_of(node.dtype, x.shape)}", node.dtype, x.shape)

    return made


def _conjugate(to: Builder, node: Node, x: Tensor) -> Tensor:
    if x.dtype.kind != "c":
        return x.cast(node.dtype)
    real = Node("real", (), numpy.dtype(f"f{x.dtype.itemsize // 2}"), node.shape, (), (), None, "", "")
    return _from_parts(to, node, _part("real")(to, real, x), -_part("imag")(to, real, x))


def _own(name: str) -> Callable[..., Tensor]:
    """What StableHLO has itself, in the dtype of the result."""

    def made(to: Builder, node: Node, *operands: Tensor) -> Tensor:
        given = [each.cast(node.dtype) for each in operands]
        return to.value(f"stablehlo.{name} {', '.join(each.name for each in given)} : {given[0].type}", node.dtype, given[0].shape)

    return made


def _counted_bits(to: Builder, x: Tensor) -> Tensor:
    x = x.cast("uint8") if x.dtype.kind == "b" else abs(x)
    return to.value(f"stablehlo.popcnt {x.name} : {x.type}", x.dtype, x.shape)


def _right_shift(to: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    return _own("shift_right_logical" if node.dtype.kind == "u" else "shift_right_arithmetic")(to, node, x, y)


WRITERS: dict[str, Callable[..., Tensor]] = {
    "constant": lambda to, node: to.constant(node.scalar, node.dtype, numbers(node.dims)),
    "iota": _iota, "extent": lambda to, node: to.constant(int(node.dims[0]), "int64"),
    "select": _select, "slice": _slice, "update": _update, "pad": _pad, "take": _take, "scatter": _scatter, "matmul": _matmul,
    "concatenate": lambda to, node, *parts: joined([part.cast(node.dtype) for part in parts], node.ints[0]),
    "cast": lambda to, node, x: x.cast(node.dtype),
    "mark": lambda to, node, x: x, "stop_gradient": lambda to, node, x: x, "custom": lambda to, node, x, *others: x,
    "reshape": lambda to, node, x: x.reshape(numbers(node.shape)), "expand_dims": lambda to, node, x: x.reshape(numbers(node.shape)),
    "squeeze": lambda to, node, x: x.reshape(numbers(node.shape)),
    "broadcast_to": lambda to, node, x: spread(x, numbers(node.shape)),
    "transpose": lambda to, node, x: x.transpose(node.ints),
    "sum": _fold("add"), "prod": _fold("multiply"), "max": _fold("maximum"), "min": _fold("minimum"), "any": _fold("logical_or"),
    "all": _fold("logical_and"), "parity": _fold("logical_xor"), "all_bits": _fold("bitwise_and"), "any_bits": _fold("bitwise_or"),
    "odd_bits": _fold("bitwise_xor"),
    "argmax": _argfold("maximum"), "argmin": _argfold("minimum"), "cumsum": _cumulated("add"), "cumprod": _cumulated("multiply"),
    "accumulate": _accumulate, "sort": _sorted(0), "argsort": _sorted(1), "searchsorted": _searchsorted,
    "fft": _transform("FFT"), "rfft": _transform("RFFT"), "irfft": _transform("IRFFT"), "cholesky": _cholesky, "triangular_solve": _triangular_solve,
    "from_parts": _from_parts, "real": _part("real"), "imag": _part("imag"), "conjugate": _conjugate,
    "log1p": _own("log_plus_one"), "expm1": _own("exponential_minus_one"), "cbrt": _own("cbrt"), "arctan2": _own("atan2"),
    "left_shift": _own("shift_left"), "right_shift": _right_shift, "bitwise_count": lambda to, node, x: _counted_bits(to, x).cast(node.dtype),
}  # fmt: skip
