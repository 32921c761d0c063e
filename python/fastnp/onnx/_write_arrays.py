"""What makes, moves, picks, folds and multiplies arrays, in ONNX's operations: by the name in fastnp's catalogue."""

from __future__ import annotations

from collections.abc import Callable

import numpy

from fastnp._formulas import wider
from fastnp._told import Node
from fastnp.onnx._tensors import Builder, Tensor

_LAST = numpy.iinfo(numpy.int64).min  # an end before the first element


def _constant(to: Builder, node: Node) -> Tensor:
    value = to.constant(node.scalar, node.dtype)
    return value.expand(to.sizes(node.dims)) if node.dims else value


def _iota(to: Builder, node: Node) -> Tensor:
    zero, one = to.constant(0, "int64"), to.constant(1, "int64")
    axis = node.ints[0]
    numbers = to.op("Range", zero, to.size(node.dims[axis]).squeeze(0), one, dtype="int64")
    if len(node.dims) > 1:
        row = to.sizes(["1"] * axis + [node.dims[axis]] + ["1"] * (len(node.dims) - axis - 1))
        numbers = numbers.reshape(row).expand(to.sizes(node.dims))
    return numbers.cast(node.dtype)


def _extent(to: Builder, node: Node) -> Tensor:
    return to.size(node.dims[0]).squeeze(0)


def _select(to: Builder, node: Node, condition: Tensor, first: Tensor, second: Tensor) -> Tensor:
    return condition.cast(bool).choose(first.cast(node.dtype), second.cast(node.dtype))


def _ends(to: Builder, node: Node) -> tuple[Tensor, Tensor]:
    """Starts and ends of a slice, as ONNX has them: an end before the first element is the least number."""
    rank = len(node.ints)
    starts, ends = [], []
    for start, length, step in zip(node.dims[:rank], node.dims[rank:], node.ints, strict=True):
        begin = to.size(start)
        end = begin + to.size(length) * step
        starts.append(begin)
        ends.append(end.less(0).choose(_LAST, end) if step < 0 else end)
    return _joined(to, starts), _joined(to, ends)


def _joined(to: Builder, vectors: list[Tensor]) -> Tensor:
    return vectors[0] if len(vectors) == 1 else to.op("Concat", *vectors, dtype="int64", axis=0)


def _slice(to: Builder, node: Node, x: Tensor) -> Tensor:
    rank = len(node.ints)
    if rank == 0:
        return x
    axes, steps = to.constant(range(rank), "int64"), to.constant(node.ints, "int64")
    numbers = (*node.dims[:rank], *node.dims[rank:])
    if all(number.isdigit() for number in numbers):
        starts = [int(number) for number in node.dims[:rank]]
        ends = [start + int(length) * step for start, length, step in zip(starts, node.dims[rank:], node.ints, strict=True)]
        return x.op("Slice", to.constant(starts, "int64"), to.constant([end if end >= 0 else _LAST for end in ends], "int64"), axes, steps)
    return x.op("Slice", *_ends(to, node), axes, steps)


def _update(to: Builder, node: Node, x: Tensor, part: Tensor) -> Tensor:
    """From the last axis to the first: lines of the region's places along it, in what the region takes of the axes before."""
    rank = len(node.ints)
    if rank == 0:
        return part.cast(node.dtype)
    starts, lengths = node.dims[:rank], node.dims[rank:]
    filled = part.cast(node.dtype)
    if set(starts) == {"0"} and lengths == node.shape and set(node.ints) == {1}:
        return filled
    for axis in reversed(range(rank)):
        sizes = [*lengths[: axis + 1], *node.shape[axis + 1 :]]
        base = x
        if axis > 0:
            taken = node._replace(ints=node.ints[:axis], dims=(*starts[:axis], *lengths[:axis]))
            base = _slice(to, taken, x)
        count = to.op("Range", to.constant(0, "int64"), to.size(lengths[axis]).squeeze(0), to.constant(1, "int64"), dtype="int64")
        places = count * node.ints[axis] + to.size(starts[axis])
        row = to.sizes(["1"] * axis + [lengths[axis]] + ["1"] * (rank - axis - 1))
        filled = base.op("ScatterElements", places.reshape(row).expand(to.sizes(sizes)), filled, axis=axis)
    return filled


def _pad(to: Builder, node: Node, x: Tensor, value: Tensor) -> Tensor:
    return x.cast(node.dtype).op("Pad", to.sizes(node.dims), value.cast(node.dtype), mode="constant")


def _take(to: Builder, node: Node, x: Tensor, indices: Tensor) -> Tensor:
    axis, mode = node.ints
    indices = indices.cast("int64")
    if mode != 0:
        size = x.op("Shape", dtype="int64", start=axis, end=axis + 1).squeeze(0)
        indices = indices.mod(size) if mode == 1 else indices.op("Max", 0).op("Min", size - 1)
    return x.op("Gather", indices, axis=axis)


_JOINS = {"": "none", "add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}


def _scatter(to: Builder, node: Node, x: Tensor, indices: Tensor, rows: Tensor) -> Tensor:
    kind = _JOINS.get(node.join)
    if kind is None:
        raise NotImplementedError(f"rows that are joined by {node.join}")
    inside = wider(node.dtype) if kind != "none" else node.dtype
    places = indices.cast("int64")
    places = places.op("Unsqueeze", to.constant([-1], "int64"))
    return x.cast(inside).op("ScatterND", places, rows.cast(inside), reduction=kind).cast(node.dtype)


def _fold(kind: str) -> Callable[..., Tensor]:
    def folded(to: Builder, node: Node, x: Tensor) -> Tensor:
        inside = wider(node.dtype)
        return x.cast(inside).op(kind, to.constant(node.ints, "int64"), keepdims=0, noop_with_empty_axes=1).cast(node.dtype)

    return folded


def _truth(kind: str) -> Callable[..., Tensor]:
    def folded(to: Builder, node: Node, x: Tensor) -> Tensor:
        if not node.ints:
            return x.cast(bool)
        total = x.cast(bool).cast("int32").op("ReduceSum" if kind == "any" else "ReduceProd", to.constant(node.ints, "int64"), keepdims=0)
        return total.cast(bool)

    return folded


def _argfold(kind: str) -> Callable[..., Tensor]:
    def folded(to: Builder, node: Node, x: Tensor) -> Tensor:
        x = x.cast(wider(x.dtype))
        if node.ints:
            return x.op(kind, dtype="int64", axis=node.ints[0], keepdims=0, select_last_index=0)
        return x.reshape(to.constant([-1], "int64")).op(kind, dtype="int64", axis=0, keepdims=0, select_last_index=0)

    return folded


def _running_sum(to: Builder, node: Node, x: Tensor) -> Tensor:
    return x.cast(wider(node.dtype)).op("CumSum", to.constant(node.ints[0], "int64")).cast(node.dtype)


def _accumulate(to: Builder, node: Node, x: Tensor) -> Tensor:
    axis, _, last = node.ints
    if node.join != "add":
        raise NotImplementedError(f"running results of {node.join}")
    if not last:
        return _running_sum(to, node, x)
    inside = wider(node.dtype)
    return x.cast(inside).op("ReduceSum", to.constant([axis], "int64"), keepdims=0).cast(node.dtype)


def _sorted(number: int) -> Callable[..., Tensor]:
    """The values (0) or places (1) that TopK gives of all elements."""

    def taken(to: Builder, node: Node, x: Tensor) -> Tensor:
        if node.dims:
            raise NotImplementedError("a part of what is sorted")
        axis = node.ints[0]
        x = x.cast(wider(x.dtype))
        size = x.op("Shape", dtype="int64", start=axis, end=axis + 1)
        names = [to.fresh("v"), to.fresh("v")]
        to.node("TopK", [x, size], names, axis=axis, largest=0, sorted=1)
        return Tensor(to, names[number], x.dtype if number == 0 else numpy.dtype("int64")).cast(node.dtype)

    return taken


def _searchsorted(to: Builder, node: Node, x: Tensor, values: Tensor) -> Tensor:
    """How many of a line lie before: each element is compared with each value."""
    common = wider(numpy.result_type(x.dtype, values.dtype))
    lines, sought = x.cast(common).unsqueeze(-2), values.cast(common).unsqueeze(-1)
    before = lines.op("LessOrEqual", sought, dtype=bool) if node.ints[0] else lines.less(sought)
    return before.cast("int64").op("ReduceSum", to.constant([-1], "int64"), keepdims=0)


def _matmul(to: Builder, node: Node, a: Tensor, b: Tensor) -> Tensor:
    inside = wider(node.dtype)
    return a.cast(inside).op("MatMul", b.cast(inside)).cast(node.dtype)


def _nonzero(to: Builder, node: Node, x: Tensor) -> Tensor:
    return x.cast(bool).op("NonZero", dtype="int64").squeeze(0).cast(node.dtype)


def _concatenate(to: Builder, node: Node, *parts: Tensor) -> Tensor:
    return to.op("Concat", *(part.cast(node.dtype) for part in parts), dtype=node.dtype, axis=node.ints[0])


def _bind(to: Builder, node: Node, x: Tensor) -> Tensor:
    to.bind(node.dims[0], x.cast("int64").reshape(to.constant([1], "int64")))
    return x


#: Each is given the builder, the node, and the values of its operands.
WRITERS: dict[str, Callable[..., Tensor]] = {
    "constant": _constant, "iota": _iota, "extent": _extent, "select": _select, "slice": _slice, "update": _update, "pad": _pad,
    "take": _take, "scatter": _scatter, "concatenate": _concatenate, "nonzero": _nonzero, "bind": _bind, "matmul": _matmul,
    "cast": lambda to, node, x: x.cast(node.dtype),
    "mark": lambda to, node, x: x, "stop_gradient": lambda to, node, x: x, "custom": lambda to, node, x, *others: x,
    "reshape": lambda to, node, x: x.reshape(to.sizes(node.dims)),
    "broadcast_to": lambda to, node, x: x.expand(to.sizes(node.dims)),
    "transpose": lambda to, node, x: x.op("Transpose", perm=list(node.ints)),
    "expand_dims": lambda to, node, x: x.unsqueeze(*node.ints),
    "squeeze": lambda to, node, x: x.squeeze(*node.ints),
    "sum": _fold("ReduceSum"), "prod": _fold("ReduceProd"), "max": _fold("ReduceMax"), "min": _fold("ReduceMin"),
    "any": _truth("any"), "all": _truth("all"), "argmax": _argfold("ArgMax"), "argmin": _argfold("ArgMin"),
    "cumsum": _running_sum, "accumulate": _accumulate, "sort": _sorted(0), "argsort": _sorted(1), "searchsorted": _searchsorted,
}  # fmt: skip
