"""Pools: the largest, the mean or a norm of each window."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import fastnp as np
from fastnp.onnx._read_products import Window
from fastnp.onnx._read_reductions import largest, mean
from fastnp.onnx._read_shapes import padded
from fastnp.onnx._read_values import Node, Op, Value, as_array, like, product, sizes, smallest_of, wide


def _pieces(window: Window, x: Any, value: Any) -> list[Any]:
    """The elements of all windows, with a value where there are none."""
    high = [pad + window.beyond(axis) for axis, pad in enumerate(window.high)]
    return window.pieces(padded(x, [0, 0, *window.low], [0, 0, *high], value))


def _window(node: Node, x: Any) -> Window:
    return Window(node, node.get("kernel_shape"), x.shape[2:])


def _max_pool(node: Node, x: Value) -> Any:
    given = as_array(x)
    window = _window(node, given)
    pieces = _pieces(window, given, smallest_of(given.dtype))
    if not any(node.outputs[1:]):
        return functools.reduce(np.maximum, pieces)
    places = _flat_places(window, given.shape, bool(node.get("storage_order", 0)))
    best, found = pieces[0], np.broadcast_to(places[0], pieces[0].shape)
    for piece, place in zip(pieces[1:], places[1:], strict=True):
        is_more = piece > best
        best, found = np.where(is_more, piece, best), np.where(is_more, place, found)
    return best, found


def _flat_places(window: Window, shape: Sequence[Any], is_column_first: bool) -> list[Any]:
    """For each place of the kernel where the element of each window lies in the array, all axes taken for one."""
    ndim = len(window.kernel)
    order = list(range(ndim)) if is_column_first else list(range(ndim))[::-1]
    steps, step = [0] * ndim, 1
    for axis in order:
        steps[axis], step = step, step * window.size[axis]
    planes = np.reshape(np.arange(shape[0] * shape[1]) * step, (shape[0], shape[1], *[1] * ndim))
    found = []
    for offset in itertools.product(*map(range, window.kernel)):
        total = planes
        for axis, place in enumerate(offset):
            along = np.arange(window.count[axis]) * window.strides[axis] + (place * window.dilations[axis] - window.low[axis])
            total = total + np.reshape(along * steps[axis], (-1, *[1] * (ndim - 1 - axis)))
        found.append(total)
    return found


def _max_unpool(node: Node, x: Value, places: Value, shape: Value = None) -> Any:
    """Zeros, and the elements where they were largest. The places are those of an array of the sizes that the window implies."""
    given = as_array(x)
    kernel = node.get("kernel_shape")
    count = len(kernel)
    strides, pads = node.get("strides") or [1] * count, node.get("pads") or [0] * (2 * count)
    spans = zip(given.shape[2:], strides, kernel, pads[:count], pads[count:], strict=True)
    whole = [*given.shape[:2], *[(size - 1) * stride + width - low - high for size, stride, width, low, high in spans]]
    result = np.zeros((product(whole),), dtype=given.dtype)
    result[np.reshape(as_array(places), (-1,))] = np.reshape(given, (-1,))
    result = np.reshape(result, tuple(whole))
    if shape is None:
        return result
    return padded(result, [0] * len(whole), [wanted - size for wanted, size in zip(sizes(shape), whole, strict=True)])


def _counts(window: Window, axis: int, with_pads: bool, dtype: Any) -> Any:
    """How many elements each window has along an axis."""
    own = np.ones(window.size[axis], dtype=dtype)
    pad = 1 if with_pads else 0
    own = np.pad(own, [(window.low[axis], window.high[axis])], constant_values=pad)
    own = np.pad(own, [(0, window.beyond(axis))], constant_values=0)
    stride, step, count = window.strides[axis], window.dilations[axis], window.count[axis]
    starts = [place * step for place in range(window.kernel[axis])]
    return functools.reduce(np.add, [own[start : start + (count - 1) * stride + 1 : stride] for start in starts])


def _average_pool(node: Node, x: Value) -> Any:
    given = as_array(x)
    window = _window(node, given)
    total = functools.reduce(np.add, _pieces(window, wide(given), 0))
    with_pads = bool(node.get("count_include_pad", 0))
    has_pads = any(type(pad) is not int or pad != 0 for pad in (*window.low, *window.high))
    if not node.get("ceil_mode", 0) and (with_pads or not has_pads):
        return like(total / functools.reduce(lambda a, b: a * b, window.kernel), given)
    ndim = len(window.kernel)
    for axis in range(ndim):
        counts = _counts(window, axis, with_pads, total.dtype)
        total = total / np.reshape(counts, (-1, *[1] * (ndim - 1 - axis)))
    return like(total, given)


def _norm(x: Any, p: float, fold: Callable[[Any], Any]) -> Any:
    if p == 1:
        return fold(np.abs(x))
    return np.sqrt(fold(x * x)) if p == 2 else fold(np.abs(x) ** p) ** (1 / p)


def _lp_pool(node: Node, x: Value) -> Any:
    given = as_array(x)
    pieces = _window(node, given)
    return like(_norm(wide(given), node.get("p", 2), lambda powers: functools.reduce(np.add, _pieces(pieces, powers, 0))), given)


def _space(x: Any) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


def _global_lp_pool(node: Node, x: Value) -> Any:
    given = as_array(x)
    return like(_norm(wide(given), node.get("p", 2), lambda powers: np.sum(powers, axis=_space(given), keepdims=True)), given)


def _global(function: Callable[[Any, Sequence[int], bool], Any]) -> Op:
    def run(node: Node, x: Value) -> Any:
        given = as_array(x)
        return function(given, _space(given), True)

    return run


OPS: dict[str, Op] = {
    "AveragePool": _average_pool,
    "GlobalAveragePool": _global(mean),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": _global(largest),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
    "MaxUnpool": _max_unpool,
}
