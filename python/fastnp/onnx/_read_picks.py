"""What picks elements by their places, and writes to places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import fastnp as np
from fastnp.onnx._read_values import Known, Node, Op, Value, as_array, axis_of, like, sizes


def _gather(node: Node, x: Value, places: Value) -> Any:
    given = as_array(x)
    axis = axis_of(node.get("axis", 0), given.ndim)
    if isinstance(places, Known) and places.shape == ():
        return given[(slice(None),) * axis + (places.items[0],)]
    return np.take(given, as_array(places), axis=axis)


def _as_large(x: Any, places: Any, axis: int) -> Any:
    """The first elements of each other axis, as many as there are places."""
    key = [slice(None)] * x.ndim
    for each in range(x.ndim):
        if each != axis and x.shape[each] is not places.shape[each]:
            key[each] = slice(0, places.shape[each])
    return x[tuple(key)]


def _gather_elements(node: Node, x: Value, places: Value) -> Any:
    given, wanted = as_array(x), as_array(places)
    axis = axis_of(node.get("axis", 0), given.ndim)
    return np.take_along_axis(_as_large(given, wanted, axis), wanted, axis=axis)


def _along(size: Any, axis: int, ndim: int) -> Any:
    """The numbers of an axis's places, along that axis."""
    return np.arange(size).reshape([-1 if each == axis else 1 for each in range(ndim)])


def _gather_nd(node: Node, x: Value, places: Value) -> Any:
    """The last axis of the places has one for each axis that is picked from; the first `batch_dims` axes are those of both arrays."""
    given, wanted = as_array(x), as_array(places)
    batch, count = node.get("batch_dims", 0), wanted.shape[-1]
    ndim = wanted.ndim - 1
    key = [_along(given.shape[axis], axis, ndim) for axis in range(batch)]
    return given[tuple(key + [wanted[..., part] for part in range(int(count))])]


_REDUCTIONS = {"add": "add", "mul": "multiply", "max": "maximum", "min": "minimum"}


def written(x: Any, key: tuple[Any, ...], values: Any, reduction: str) -> Any:
    """A copy with values at some places."""
    result = np.array(x, copy=True)
    if reduction == "none":
        result[key] = values
    else:
        getattr(np, _REDUCTIONS[reduction]).at(result, key, values)
    return result


def _scatter_elements(node: Node, x: Value, places: Value, updates: Value) -> Any:
    given, wanted = as_array(x), as_array(places)
    axis = axis_of(node.get("axis", 0), given.ndim)
    key = tuple(wanted if each == axis else _along(wanted.shape[each], each, given.ndim) for each in range(given.ndim))
    return written(given, key, as_array(updates), node.get("reduction", "none"))


def _scatter_nd(node: Node, x: Value, places: Value, updates: Value) -> Any:
    given, wanted = as_array(x), as_array(places)
    key = tuple(wanted[..., part] for part in range(int(wanted.shape[-1])))
    return written(given, key, as_array(updates), node.get("reduction", "none"))


def _one_hot(node: Node, places: Value, depth: Value, values: Value) -> Any:
    wanted, pair, count = as_array(places), as_array(values), sizes(depth)[0]
    axis = axis_of(node.get("axis", -1), wanted.ndim + 1)
    wanted = np.where(wanted < 0, wanted + like(np.asarray(count), wanted), wanted)
    is_there = np.expand_dims(wanted, axis) == like(_along(count, axis, wanted.ndim + 1), wanted)
    return np.where(is_there, pair[1], pair[0])


def _compress(node: Node, x: Value, condition: Value) -> Any:
    return np.compress(as_array(condition), as_array(x), axis=node.get("axis"))


def _non_zero(node: Node, x: Value) -> Any:
    return np.stack(np.nonzero(as_array(x))).astype("int64")


def _reverse_sequence(node: Node, x: Value, lengths: Value) -> Any:
    """The first so many elements along the axis of time are the other way round, for each place of the batch."""
    given, count = as_array(x), as_array(lengths)
    time, batch = node.get("time_axis", 0), node.get("batch_axis", 1)
    steps = _along(given.shape[time], time, given.ndim)
    count = np.reshape(count, [-1 if axis == batch else 1 for axis in range(given.ndim)])
    places = np.where(steps < count, count - 1 - steps, steps)
    return np.take_along_axis(given, np.broadcast_to(places, given.shape), axis=time)


def _tensor_scatter(node: Node, past: Value, update: Value, start: Value = None) -> Any:
    """The places from `start` on of each batch, along an axis, which may begin anew at its end."""
    given, values = as_array(past), as_array(update)
    axis = axis_of(node.get("axis", -2), given.ndim)
    steps = _along(values.shape[axis], axis, values.ndim)
    if start is not None:
        steps = steps + np.reshape(as_array(start), [-1] + [1] * (given.ndim - 1))
    if node.get("mode", "linear") == "circular":
        steps = steps % given.shape[axis]
    key: Sequence[Any] = [steps if each == axis else _along(values.shape[each], each, given.ndim) for each in range(given.ndim)]
    return written(given, tuple(key), values, "none")


OPS: dict[str, Op] = {
    "Compress": _compress,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "NonZero": _non_zero,
    "OneHot": _one_hot,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
}
