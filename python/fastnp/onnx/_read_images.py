"""Images in other sizes: Resize and Upsample."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

import fastnp as np
from fastnp.onnx._read_values import Node, Op, Value, as_array, axis_of, kind_of, like, numbers, product, sizes, wide

_ROUNDINGS: dict[str, Callable[[Any, Any], Any]] = {
    "ceil": lambda module, x: module.ceil(x),
    "floor": lambda module, x: module.floor(x),
    "round_prefer_ceil": lambda module, x: module.floor(x + 0.5),
    "round_prefer_floor": lambda module, x: module.ceil(x - 0.5),
}


class _Axis:
    """One axis of an image: its old and its new size, and what the region of interest is of it."""

    def __init__(self, size: Any, length: Any, scale: float, region: Sequence[float], exact: Any) -> None:
        self.exact = exact
        self.size, self.length, self.scale, self.region = size, length, scale, region
        self.module: Any = numpy if type(size) is int and type(length) is int else np  # sizes that vary are fastnp's matter

    def coordinates(self, mode: str) -> Any:
        """Where each element of the new axis lies on the old one."""
        places = self.module.arange(self.length).astype("float64")
        if mode == "asymmetric":
            return places / self.scale
        if mode == "align_corners":
            whole = self.length if self.exact is None else self.exact  # what the scale gives, before it is cut off
            return places * (self.module.asarray(self.size - 1) / (whole - 1)) if self.length != 1 else places
        if mode == "tf_crop_and_resize":
            start, end = self.region
            if self.length == 1:
                return places + 0.5 * (start + end) * (self.size - 1)
            return start * (self.size - 1) + places * ((end - start) * (self.size - 1) / (self.length - 1))
        if mode == "pytorch_half_pixel" and self.length == 1:
            return places - 0.5
        if mode == "half_pixel_symmetric":
            exact = self.length if self.exact is None else self.exact
            return self.size / 2 * (1 - self.length / exact) + (places + 0.5) / self.scale - 0.5
        return (places + 0.5) / self.scale - 0.5

    def whole(self, places: Any) -> Any:
        return self.module.minimum(self.module.maximum(places, 0), self.size - 1).astype("int64")


def _nearest(x: Any, axis: int, along: _Axis, node: Node) -> Any:
    places = along.coordinates(node.get("coordinate_transformation_mode", "half_pixel"))
    rounded = _ROUNDINGS[node.get("nearest_mode", "round_prefer_floor")](along.module, places)
    return np.take(x, along.whole(rounded), axis=axis)


def _cubic(distance: Any, a: float, module: Any) -> Any:
    size = module.abs(distance)
    near = ((a + 2) * size - (a + 3)) * size * size + 1
    far = ((a * size - 5 * a) * size + 8 * a) * size - 4 * a
    return module.where(size <= 1, near, module.where(size < 2, far, 0.0))


def _weights(node: Node, along: _Axis) -> list[tuple[Any, Any]]:
    """Which old elements make a new one, and how much of each."""
    module, shrinks = along.module, bool(node.get("antialias", 0)) and along.scale < 1
    places = along.coordinates(node.get("coordinate_transformation_mode", "half_pixel"))
    is_cubic, width = node.get("mode") == "cubic", along.scale if shrinks else 1.0
    a = node.get("cubic_coeff_a", -0.75)
    reach = math.ceil((2 if is_cubic else 1) / width)
    first = module.floor(places)
    found = []
    for step in range(1 - reach, reach + 1):
        distance = (places - (first + step)) * width
        part = _cubic(distance, a, module) if is_cubic else module.maximum(1 - module.abs(distance), 0)
        if node.get("exclude_outside", 0):
            part = module.where((first + step >= 0) & (first + step <= along.size - 1), part, 0.0)
        found.append((along.whole(first + step), part))
    if node.get("exclude_outside", 0) or shrinks:
        total = sum(part for _, part in found)
        found = [(place, part / total) for place, part in found]
    return found


def _weighted(x: Any, axis: int, along: _Axis, node: Node) -> Any:
    shape = (-1, *[1] * (x.ndim - 1 - axis))
    parts = [np.take(x, place, axis=axis) * np.reshape(part, shape).astype(x.dtype) for place, part in _weights(node, along)]
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def _scaled(node: Node, size: Any, scale: float) -> Any:
    """How long an axis becomes; a whole factor leaves a size that varies one."""
    if scale == 1:
        return size
    return size * int(scale) if float(scale).is_integer() else math.floor(size * scale)


def _lengths(node: Node, x: Any, axes: Sequence[int], scales: Value, lengths: Value) -> list[tuple[Any, float]]:
    """The new size and the scale of each axis that changes."""
    old = [x.shape[axis] for axis in axes]
    if lengths is None or product(lengths.shape) == 0:
        factors = [float(scale) for scale in numbers(scales)]
        return [(_scaled(node, size, scale), scale) for size, scale in zip(old, factors, strict=True)]
    new = sizes(lengths)
    policy = node.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        ratios = [length / size for length, size in zip(new, old, strict=True)]
        scale = min(ratios) if policy == "not_larger" else max(ratios)
        return [(math.floor(scale * size + 0.5), scale) for size in old]
    return [(length, 1.0 if length is size else length / size) for length, size in zip(new, old, strict=True)]


def _outside(axis: int, along: _Axis, ndim: int, mode: str) -> Any:
    places = along.coordinates(mode)
    return np.reshape((places < 0) | (places > along.size - 1), (-1, *[1] * (ndim - 1 - axis)))


def _resize(node: Node, x: Value, roi: Value = None, scales: Value = None, lengths: Value = None) -> Any:
    given = as_array(x)
    axes = [axis_of(axis, given.ndim) for axis in node.get("axes") or range(given.ndim)]
    mode, count = node.get("coordinate_transformation_mode", "half_pixel"), len(axes)
    region = numbers(roi) if mode == "tf_crop_and_resize" else [0.0] * count + [1.0] * count
    is_nearest = node.get("mode", "nearest") == "nearest"
    result = given if is_nearest or kind_of(given) == "f" else given.astype("float32")
    result = result if is_nearest else wide(result)
    is_scaled = lengths is None or product(lengths.shape) == 0
    outside = []
    for place, (axis, (length, scale)) in enumerate(zip(axes, _lengths(node, given, axes, scales, lengths), strict=True)):
        exact = given.shape[axis] * scale if is_scaled and not float(scale).is_integer() else None
        along = _Axis(given.shape[axis], length, scale, (region[place], region[place + count]), exact)
        if mode == "tf_crop_and_resize":
            outside.append(_outside(axis, along, given.ndim, mode))
        elif (is_scaled and scale == 1) or length is along.size or (type(length) is int and type(along.size) is int and length == along.size):
            continue
        result = (_nearest if is_nearest else _weighted)(result, axis, along, node)
    for each in outside:
        result = np.where(each, node.get("extrapolation_value", 0.0), result)
    if kind_of(given) in "iu" and not is_nearest:
        result = np.rint(result) if kind_of(given) == "i" else np.clip(np.rint(result), 0, 255)
    return like(result, given)


def _old_resize(node: Node, x: Value, scales: Value = None) -> Any:
    """As Upsample, and Resize of opset 10, have it."""
    attributes = node.attributes | {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    factors = np.asarray(node.get("scales")) if scales is None else scales
    return _resize(node._replace(attributes=attributes), x, None, factors)


def _any_resize(node: Node, x: Value, *given: Value) -> Any:
    return _old_resize(node, x, *given) if node.opset < 11 else _resize(node, x, *given)


OPS: dict[str, Op] = {"Resize": _any_resize, "Upsample": _old_resize}
