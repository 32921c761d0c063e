"""Sums, extremes and other folds along axes, and cumulative ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fastnp as np
from fastnp.onnx._read_values import Node, Op, Value, as_array, axes_from, axis_of, kind_of, largest_of, like, number, sizes, smallest_of, wide

Fold = Callable[..., Any]  # of an array, axes (a tuple, or None for all of them), and whether they are kept


def reduction(function: Fold) -> Op:
    """A node for a fold. Its axes are an attribute in older models, and an input in newer ones."""

    def run(node: Node, x: Value, axes: Value = None) -> Any:
        given = as_array(x)
        found = axes_from(node, axes)
        if not found and node.get("noop_with_empty_axes", 0):
            return function(np.expand_dims(given, 0), (0,), False)  # what is done to each element is done
        places = None if not found else tuple(axis_of(axis, given.ndim) for axis in found)
        return function(given, places, bool(node.get("keepdims", 1)))

    return run


def total(x: Any, axes: Any, keep: bool) -> Any:
    return np.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)


def _product(x: Any, axes: Any, keep: bool) -> Any:
    return np.prod(x, axis=axes, keepdims=keep, dtype=x.dtype)


def mean(x: Any, axes: Any, keep: bool) -> Any:
    return like(np.mean(wide(x), axis=axes, keepdims=keep), x)


def _is_empty(x: Any, axes: Any) -> bool:
    """Whether there is nothing to fold. Sizes that vary are not asked."""
    return any(type(size) is int and size == 0 for axis, size in enumerate(x.shape) if axes is None or axis in axes)


def largest(x: Any, axes: Any, keep: bool) -> Any:
    if kind_of(x) == "b":
        return np.any(x, axis=axes, keepdims=keep)
    if _is_empty(x, axes):
        return like(np.max(x, axis=axes, keepdims=keep, initial=smallest_of(x.dtype)), x)
    return np.max(x, axis=axes, keepdims=keep)


def smallest(x: Any, axes: Any, keep: bool) -> Any:
    if kind_of(x) == "b":
        return np.all(x, axis=axes, keepdims=keep)
    if _is_empty(x, axes):
        return like(np.min(x, axis=axes, keepdims=keep, initial=largest_of(x.dtype)), x)
    return np.min(x, axis=axes, keepdims=keep)


def _real(x: Any) -> Any:
    return wide(x) if kind_of(x) in "fc" else x.astype("float64")


def _log_sum_exp(x: Any, axes: Any, keep: bool) -> Any:
    """Of what is left after the largest is taken off, so that no power overflows."""
    given = _real(x)
    if _is_empty(given, axes):
        return like(np.log(total(np.exp(given), axes, keep)), x)
    most = np.max(given, axis=axes, keepdims=True)
    most = np.where(np.isfinite(most), most, 0.0)
    result = np.log(np.sum(np.exp(given - most), axis=axes, keepdims=True)) + most
    if keep:
        return like(result, x)
    return like(np.squeeze(result, axis=tuple(range(x.ndim)) if axes is None else axes), x)


def _arg(picked: Callable[..., Any]) -> Op:
    def run(node: Node, x: Value) -> Any:
        given = as_array(x)
        axis = axis_of(node.get("axis", 0), given.ndim)
        is_last = node.get("select_last_index", 0)
        found = picked(np.flip(given, axis) if is_last else given, axis=axis)
        found = given.shape[axis] - 1 - found if is_last else found
        found = np.asarray(found).astype("int64")
        return np.expand_dims(found, axis) if node.get("keepdims", 1) else found

    return run


def cumulative(function: Callable[..., Any], first: int) -> Op:
    """A node for a fold of all elements up to each one, or up to the one before it."""

    def run(node: Node, x: Value, axis: Value) -> Any:
        given = as_array(x)
        place = axis_of(int(number(axis)), given.ndim)
        used = np.flip(given, place) if node.get("reverse", 0) else given
        result = function(used, axis=place, dtype=given.dtype)
        if node.get("exclusive", 0):
            start = np.full([1 if each == place else size for each, size in enumerate(given.shape)], first, dtype=given.dtype)
            result = np.concatenate([start, result], axis=place)[(slice(None),) * place + (slice(None, -1),)]
        return np.flip(result, place) if node.get("reverse", 0) else result

    return run


def _top_k(node: Node, x: Value, count: Value = None) -> Any:
    """Of equal elements the first ones: the order is that of a stable sort, of the flipped array where the largest are asked for."""
    given = as_array(x)
    axis = axis_of(node.get("axis", -1), given.ndim)
    k = node.get("k") if count is None else sizes(count)[0]
    if node.get("largest", 1):
        order = np.flip(given.shape[axis] - 1 - np.argsort(np.flip(given, axis), axis=axis, kind="stable"), axis)
    else:
        order = np.argsort(given, axis=axis, kind="stable")
    places = order[(slice(None),) * axis + (slice(None, k),)]
    return np.take_along_axis(given, places, axis=axis), places.astype("int64")


OPS: dict[str, Op] = {
    "ArgMax": _arg(np.argmax),
    "ArgMin": _arg(np.argmin),
    "CumProd": cumulative(np.cumprod, 1),
    "CumSum": cumulative(np.cumsum, 0),
    "ReduceL1": reduction(lambda x, axes, keep: total(np.abs(x), axes, keep)),
    "ReduceL2": reduction(lambda x, axes, keep: like(np.sqrt(total(_real(x) * _real(x), axes, keep)), x)),
    "ReduceLogSum": reduction(lambda x, axes, keep: like(np.log(total(_real(x), axes, keep)), x)),
    "ReduceLogSumExp": reduction(_log_sum_exp),
    "ReduceMax": reduction(largest),
    "ReduceMean": reduction(mean),
    "ReduceMin": reduction(smallest),
    "ReduceProd": reduction(_product),
    "ReduceSum": reduction(total),
    "ReduceSumSquare": reduction(lambda x, axes, keep: total(x * x, axes, keep)),
    "TopK": _top_k,
}
