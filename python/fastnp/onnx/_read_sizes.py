"""What models compute of sizes, done on Python's numbers. Each function gives None for what is left to arrays."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from fastnp.onnx._read_shapes import broadcast_shape, slice_of
from fastnp.onnx._read_values import MOST_KNOWN, Known, Node, axes_from, axis_of, dtype_of, product

SizeOp = Callable[..., Any]  # of a Node and Knowns


def _quotient(x: Any, y: Any) -> Any:
    if isinstance(x, float) or isinstance(y, float):
        return x / y
    return x // y if (x >= 0) == (y > 0) else -(-x // y)


def _rounded(items: list[Any], dtype: str) -> list[Any]:
    """As arithmetic of that dtype has them."""
    if dtype in ("float32", "float16"):
        return [float(numpy.dtype(dtype).type(item)) for item in items]
    return items


def _is_exact(value: Known) -> bool:
    """Whether Python's arithmetic is that of the dtype here: integers don't wrap around, and floats are numbers."""
    if value.dtype in ("int32", "int64"):
        bound = 2 ** (31 if value.dtype == "int32" else 63)
        return all(type(item) is not int or -bound <= item < bound for item in value.items)
    if value.dtype in ("float32", "float64"):
        return value.is_plain and all(math.isfinite(item) for item in value.items)
    return value.dtype == "bool"


def elementwise(function: Callable[..., Any], dtype: str | None = None) -> SizeOp:
    """Of two or more Knowns, broadcast."""

    def run(node: Node, *values: Known) -> Known | None:
        result = values[0].dtype if dtype is None else dtype
        if not all(map(_is_exact, values)):
            return None
        found = values[0]
        for other in values[1:]:
            shape = broadcast_shape(found.shape, other.shape)
            pairs = zip(_spread(found, shape), _spread(other, shape), strict=True)
            try:
                found = Known(_rounded([function(x, y) for x, y in pairs], result), shape, result)
            except (ZeroDivisionError, OverflowError):
                return None
        return found if _is_exact(found) else None

    return run


def _spread(value: Known, shape: Sequence[int]) -> list[Any]:
    """Its numbers as an array of a larger shape has them."""
    if list(value.shape) == list(shape):
        return value.items
    places = numpy.broadcast_to(numpy.arange(len(value.items)).reshape(value.shape), tuple(shape))
    return [value.items[place] for place in places.ravel().tolist()]


def moved(function: Callable[[Any], Any]) -> Callable[[Known], Known]:
    """What a function of arrays that moves elements does to these numbers."""

    def run(value: Known) -> Known:
        places = function(numpy.arange(len(value.items)).reshape(value.shape))
        return Known([value.items[place] for place in places.ravel().tolist()], places.shape, value.dtype)

    return run


def _unary(function: Callable[[Any], Any]) -> SizeOp:
    def run(node: Node, value: Known) -> Known | None:
        if not _is_exact(value):
            return None
        try:
            items = [function(item) for item in value.items]
        except ValueError:
            return None
        found = Known(_rounded(items, value.dtype), value.shape, value.dtype)
        return found if _is_exact(found) else None

    return run


def _cast(node: Node, value: Known) -> Known | None:
    dtype = dtype_of(node.get("to"))
    if value.dtype == dtype:
        return value
    if dtype in ("int64", "int32"):
        if "float" not in value.dtype:
            return Known([int(item) if isinstance(item, bool) else item for item in value.items], value.shape, dtype)
        if value.is_plain and all(math.isfinite(item) for item in value.items):
            return Known([int(item) for item in value.items], value.shape, dtype)
    if dtype in ("float32", "float64") and value.is_plain:
        return Known(_rounded([float(item) for item in value.items], dtype), value.shape, dtype)
    if dtype == "bool" and value.is_plain:
        return Known([item != 0 for item in value.items], value.shape, dtype)
    return None


def _gather(node: Node, value: Known, places: Known) -> Known | None:
    if not places.is_plain:
        return None
    wanted = numpy.array(places.items, dtype="int64").reshape(places.shape)
    return moved(lambda x: numpy.take(x, wanted, axis=node.get("axis", 0)))(value)


def _concat(node: Node, *values: Known) -> Known | None:
    if any(len(value.shape) != 1 for value in values):
        return None
    items = [item for value in values for item in value.items]
    return Known(items, (len(items),), values[0].dtype)


def _slice(node: Node, value: Known, *given: Known | None) -> Known | None:
    if len(value.shape) != 1 or not all(each is None or each.is_plain for each in given):
        return None
    starts, ends, _, steps = (*given, None, None, None, None)[:4]
    start = (node.get("starts") if starts is None else starts.items)[0]
    end = (node.get("ends") if ends is None else ends.items)[0]
    items = value.items[slice_of(start, end, 1 if steps is None else steps.items[0])]
    return Known(items, (len(items),), value.dtype)


def _squeeze(node: Node, value: Known, axes: Known | None = None) -> Known | None:
    found = axes_from(node, axes)
    return moved(lambda x: numpy.squeeze(x, axis=None if found is None else tuple(found)))(value)


def _unsqueeze(node: Node, value: Known, axes: Known | None = None) -> Known | None:
    return moved(lambda x: numpy.expand_dims(x, tuple(axes_from(node, axes) or ())))(value)


def _reshape(node: Node, value: Known, shape: Known | None = None) -> Known | None:
    wanted = node.get("shape") if shape is None else shape.items
    if not all(type(size) is int for size in wanted) or 0 in wanted:
        return None
    return moved(lambda x: x.reshape(wanted))(value)


def _expand(node: Node, value: Known, shape: Known) -> Known | None:
    if not shape.is_plain:
        return None
    wanted = broadcast_shape(value.shape, shape.items)
    return Known(_spread(value, wanted), wanted, value.dtype) if product(wanted) <= MOST_KNOWN else None


def _split(node: Node, value: Known, parts: Known | None = None) -> Any:
    if len(value.shape) != 1 or (parts is not None and not parts.is_plain):
        return None
    counts = node.get("split") if parts is None else parts.items
    if counts is None:
        count = node.get("num_outputs", len(node.outputs))
        part = -(-len(value.items) // count)
        counts = [part] * (count - 1) + [len(value.items) - part * (count - 1)]
    starts = [sum(counts[:place]) for place in range(len(counts))]
    return tuple(Known(value.items[start : start + count], (count,), value.dtype) for start, count in zip(starts, counts, strict=True))


def _fold(function: Callable[[Sequence[Any]], Any]) -> SizeOp:
    """A reduction over the only axis."""

    def run(node: Node, value: Known, axes: Known | None = None) -> Known | None:
        found = axes_from(node, axes)
        if len(value.shape) != 1 or (not found and node.get("noop_with_empty_axes", 0)) or not value.items or "float" in value.dtype:
            return None
        for axis in found or ():
            axis_of(axis, 1)
        return Known([function(value.items)], (1,) if node.get("keepdims", 1) else (), value.dtype)

    return run


def _where(node: Node, condition: Known, x: Known, y: Known) -> Known | None:
    if not condition.is_plain:
        return None
    shape = broadcast_shape(broadcast_shape(condition.shape, x.shape), y.shape)
    picked = zip(_spread(condition, shape), _spread(x, shape), _spread(y, shape), strict=True)
    return Known([first if is_first else second for is_first, first, second in picked], shape, x.dtype)


OPS: dict[str, SizeOp] = {
    "Abs": _unary(abs),
    "Add": elementwise(operator.add),
    "And": elementwise(lambda x, y: x and y, "bool"),
    "Cast": _cast,
    "Ceil": _unary(lambda x: float(math.ceil(x))),
    "Concat": _concat,
    "Div": elementwise(_quotient),
    "Equal": elementwise(operator.eq, "bool"),
    "Expand": _expand,
    "Floor": _unary(lambda x: float(math.floor(x))),
    "Gather": _gather,
    "Greater": elementwise(operator.gt, "bool"),
    "GreaterOrEqual": elementwise(operator.ge, "bool"),
    "Less": elementwise(operator.lt, "bool"),
    "LessOrEqual": elementwise(operator.le, "bool"),
    "Max": elementwise(lambda x, y: x if x >= y else y),
    "Min": elementwise(lambda x, y: x if x <= y else y),
    "Mul": elementwise(operator.mul),
    "Neg": _unary(operator.neg),
    "Not": _unary(operator.not_),
    "Or": elementwise(lambda x, y: x or y, "bool"),
    "ReduceMax": _fold(max),
    "ReduceMin": _fold(min),
    "ReduceProd": _fold(product),
    "ReduceSum": _fold(sum),
    "Reshape": _reshape,
    "Slice": _slice,
    "Split": _split,
    "Sqrt": _unary(math.sqrt),
    "Squeeze": _squeeze,
    "Sub": elementwise(operator.sub),
    "Unsqueeze": _unsqueeze,
    "Where": _where,
}
