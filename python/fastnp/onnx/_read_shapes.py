"""What moves elements, or takes the sizes of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

import fastnp as np
from fastnp.onnx._read_values import (
    MOST_KNOWN,
    Known,
    Node,
    Op,
    Value,
    as_array,
    axes_from,
    axis_of,
    dtype_of,
    is_one,
    kind_of,
    known_of,
    number,
    numbers,
    product,
    sizes,
)

_FAR = 2**31 - 1  # what models write for an end


def _shape_of(value: Value) -> Any:
    return value.shape


def _shape(node: Node, x: Value) -> Any:
    found = list(_shape_of(x))[slice(node.get("start", 0), node.get("end"))]
    return Known(found, (len(found),), "int64")


def _size(node: Node, x: Value) -> Any:
    return Known([product(_shape_of(x))], (), "int64")


def _reshape(node: Node, x: Value, shape: Value = None) -> Any:
    """A zero is the size that is there, unless zeros are allowed."""
    given = as_array(x)
    wanted = node.get("shape") if shape is None else sizes(shape)
    if not node.get("allowzero", 0):
        wanted = [given.shape[axis] if type(size) is int and size == 0 else size for axis, size in enumerate(wanted)]
    return np.reshape(given, tuple(wanted))


def _flatten(node: Node, x: Value) -> Any:
    given = as_array(x)
    axis = node.get("axis", 1)
    axis = axis + given.ndim if axis < 0 else axis
    return np.reshape(given, (product(given.shape[:axis]), product(given.shape[axis:])))


def _transpose(node: Node, x: Value) -> Any:
    order = node.get("perm")
    return np.transpose(as_array(x), None if order is None else tuple(order))


def _squeeze(node: Node, x: Value, axes: Value = None) -> Any:
    given = as_array(x)
    found = axes_from(node, axes)
    if found is None:
        found = [axis for axis, size in enumerate(given.shape) if size == 1]
    return np.squeeze(given, axis=tuple(found))


def _unsqueeze(node: Node, x: Value, axes: Value = None) -> Any:
    return np.expand_dims(as_array(x), tuple(axes_from(node, axes) or ()))


def _concat(node: Node, *values: Value) -> Any:
    return np.concatenate([as_array(value) for value in values], axis=node.get("axis", 1))


def split_at(x: Any, axis: int, parts: Sequence[Any]) -> tuple[Any, ...]:
    """Parts of so many elements along an axis."""
    found, start = [], 0
    for part in parts:
        found.append(x[(slice(None),) * axis + (slice(start, start + part),)])
        start = start + part
    return tuple(found)


def _split(node: Node, x: Value, parts: Value = None) -> Any:
    given = as_array(x)
    axis = axis_of(node.get("axis", 0), given.ndim)
    if parts is not None or node.get("split") is not None:
        return split_at(given, axis, node.get("split") if parts is None else sizes(parts))
    count, size = node.get("num_outputs", len(node.outputs)), given.shape[axis]
    part = -(-size // count)
    return split_at(given, axis, [part] * (count - 1) + [size - part * (count - 1)])


def _bound(place: Any, step: Any) -> Any:
    """An end of a slice; None for what lies beyond the array, however large it is."""
    if type(place) is int and (place >= _FAR if step > 0 else place <= -_FAR):
        return None
    return place


def slice_of(start: Any, end: Any, step: Any) -> slice:
    return slice(None if type(start) is int and (start <= -_FAR if step > 0 else start >= _FAR) else start, _bound(end, step), step)


def _slice(node: Node, x: Value, starts: Value = None, ends: Value = None, axes: Value = None, steps: Value = None) -> Any:
    given = as_array(x)
    first = node.get("starts") if starts is None else sizes(starts)
    last = node.get("ends") if ends is None else sizes(ends)
    places = axes_from(node, axes)
    places = list(range(len(first))) if places is None else places
    strides = [1] * len(first) if steps is None else sizes(steps)
    key = [slice(None)] * given.ndim
    for start, end, place, step in zip(first, last, places, strides, strict=True):
        key[axis_of(place, given.ndim)] = slice_of(start, end, step)
    return given[tuple(key)]


def broadcast_shape(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """What both broadcast to. Sizes that vary are not compared with others, but with 1 where there is no other way to know."""
    count = max(len(first), len(second))
    found = []
    for x, y in zip([1] * (count - len(first)) + list(first), [1] * (count - len(second)) + list(second), strict=True):
        if is_one(x) or is_one(y):
            found.append(y if is_one(x) else x)
        elif type(x) is int or type(y) is int:
            found.append(x if type(x) is int else y)
        else:
            found.append(x if y == 1 else y)
    return found


def _expand(node: Node, x: Value, shape: Value) -> Any:
    given = as_array(x)
    return np.broadcast_to(given, tuple(broadcast_shape(given.shape, sizes(shape))))


def _tile(node: Node, x: Value, repeats: Value) -> Any:
    return np.tile(as_array(x), tuple(sizes(repeats)))


def _cut(x: Any, low: Sequence[Any], high: Sequence[Any]) -> Any:
    """What negative pads leave."""
    key = tuple(slice(-before if before < 0 else None, after if after < 0 else None) for before, after in zip(low, high, strict=True))
    return x[key]


def padded(x: Any, low: Sequence[Any], high: Sequence[Any], value: Any = 0) -> Any:
    """With a constant around it."""
    if all(type(each) is int and each == 0 for each in (*low, *high)):
        return x
    return np.pad(x, list(zip(low, high, strict=True)), mode="constant", constant_values=value)


def _pad(node: Node, x: Value, pads: Value = None, constant: Value = None, axes: Value = None) -> Any:
    given = as_array(x)
    wanted = node.get("pads", node.get("paddings")) if pads is None else sizes(pads)
    value = node.get("value", 0.0) if constant is None else as_array(constant)
    value = value if kind_of(given) == "f" or constant is not None else 0
    places = list(range(given.ndim)) if axes is None else [axis_of(axis, given.ndim) for axis in sizes(axes)]
    low, high = [0] * given.ndim, [0] * given.ndim
    for place, axis in enumerate(places):
        low[axis], high[axis] = wanted[place], wanted[place + len(places)]
    mode = node.get("mode", "constant")
    if any(each < 0 for each in (*low, *high)):
        given = _cut(given, low, high)
        low, high = [max(each, 0) for each in low], [max(each, 0) for each in high]
    if mode != "constant":
        return np.pad(given, list(zip(low, high, strict=True)), mode=mode)
    return padded(given, low, high, np.reshape(value, ()) if hasattr(value, "shape") else value)


_NUMBERS = {"value_float": "float32", "value_floats": "float32", "value_int": "int64", "value_ints": "int64"}


def constant_of(attributes: dict[str, Any]) -> numpy.ndarray[Any, Any] | None:
    """The array of a node Constant; None for text."""
    for name, value in attributes.items():
        if name == "value":
            return numpy.asarray(value)
        if name in _NUMBERS:
            return numpy.array(value, dtype=_NUMBERS[name])
    return None


def constant_value(x: numpy.ndarray[Any, Any]) -> Value:
    """A constant of the model: what may be a size is known, and so is a single number, which takes no place in a kernel then."""
    may_be_size = x.dtype in (numpy.int64, numpy.int32) and x.size <= MOST_KNOWN
    is_single = x.shape == () and x.dtype.kind in "biuf"
    return known_of(x) if may_be_size or is_single else np.asarray(x)


def _constant_of_shape(node: Node, shape: Value) -> Any:
    wanted, value = sizes(shape), node.get("value", numpy.zeros(1, "float32")).reshape(-1)[0]
    is_plain = all(type(size) is int for size in wanted)
    if is_plain and value.dtype in (numpy.int64, numpy.int32) and product(wanted) <= MOST_KNOWN:
        return known_of(numpy.full(wanted, value))
    return np.full(tuple(wanted), value, dtype=value.dtype)


def _eye_like(node: Node, x: Value) -> Any:
    rows, columns = _shape_of(x)
    dtype = str(x.dtype) if node.get("dtype") is None else dtype_of(node.get("dtype"))
    return np.eye(rows, columns, node.get("k", 0), dtype=dtype)


def _trilu(node: Node, x: Value, k: Value = None) -> Any:
    return (np.triu if node.get("upper", 1) else np.tril)(as_array(x), int(number(k, 0)))


def _range(node: Node, start: Value, limit: Value, delta: Value) -> Any:
    first, last, step = (numbers(value)[0] for value in (start, limit, delta))
    dtype = str(start.dtype)
    if all(type(each) is int for each in (first, last, step)) and len(range(first, last, step)) <= MOST_KNOWN:
        return known_of(numpy.arange(first, last, step, dtype=dtype))
    if type(step) is int and step == 1:
        return np.arange(first, last, dtype=dtype)
    return np.arange(first, last, step, dtype=dtype)


def _depth_to_space(node: Node, x: Value) -> Any:
    given, block = as_array(x), node.get("blocksize")
    n, c, h, w = given.shape
    if node.get("mode", "DCR") == "DCR":
        parts = np.transpose(np.reshape(given, (n, block, block, c // block**2, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        parts = np.transpose(np.reshape(given, (n, c // block**2, block, block, h, w)), (0, 1, 4, 2, 5, 3))
    return np.reshape(parts, (n, c // block**2, h * block, w * block))


def _space_to_depth(node: Node, x: Value) -> Any:
    given, block = as_array(x), node.get("blocksize")
    n, c, h, w = given.shape
    parts = np.reshape(given, (n, c, h // block, block, w // block, block))
    order = (0, 3, 5, 1, 2, 4) if node.get("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    return np.reshape(np.transpose(parts, order), (n, c * block**2, h // block, w // block))


def _dropout(node: Node, x: Value, ratio: Value = None, training: Value = None) -> Any:
    """As it is outside of training."""
    given = as_array(x)
    if training is not None and number(training) and number(ratio, 0.5) != 0:
        raise NotImplementedError("Dropout in training draws random numbers")
    return given, np.ones(given.shape, dtype=bool)


def _identity(node: Node, x: Value) -> Any:
    return x


OPS: dict[str, Op] = {
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "DepthToSpace": _depth_to_space,
    "Dropout": _dropout,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Identity": _identity,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
    "Shape": _shape,
    "Size": _size,
    "Slice": _slice,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unsqueeze": _unsqueeze,
}
