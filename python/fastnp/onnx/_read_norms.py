"""Normalizations."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import fastnp as np
from fastnp.onnx._read_shapes import padded
from fastnp.onnx._read_values import Node, Op, Value, as_array, axis_of, dtype_of, like, product, wide


def _along_channels(value: Value, ndim: int) -> Any:
    """A number for each place of axis 1."""
    return np.reshape(as_array(value), (-1, *[1] * (ndim - 2)))


def _moments(x: Any, axes: Sequence[int]) -> tuple[Any, Any]:
    """What is left after the mean is taken off, and the mean of its squares."""
    rest = x - np.mean(x, axis=tuple(axes), keepdims=True)
    return rest, np.mean(rest * rest, axis=tuple(axes), keepdims=True)


def _batch_normalization(node: Node, x: Value, scale: Value, bias: Value, mean: Value, variance: Value) -> Any:
    """Outside of training one factor and one number to add for each channel."""
    given = as_array(x)
    used, ndim, epsilon = wide(given), given.ndim, node.get("epsilon", 1e-5)
    if not node.get("training_mode", 0):
        factor = as_array(scale) / np.sqrt(as_array(variance) + epsilon)
        return like(used * _along_channels(factor, ndim) + _along_channels(as_array(bias) - as_array(mean) * factor, ndim), given)
    axes = (0, *range(2, ndim))
    rest, power = _moments(used, axes)
    result = rest / np.sqrt(power + epsilon) * _along_channels(scale, ndim) + _along_channels(bias, ndim)
    momentum, old, spread = node.get("momentum", 0.9), as_array(mean), as_array(variance)
    new = like(np.mean(used, axis=axes), old) * (1 - momentum) + old * momentum
    return like(result, given), new, like(np.reshape(power, (-1,)), spread) * (1 - momentum) + spread * momentum


def _instance_normalization(node: Node, x: Value, scale: Value, bias: Value) -> Any:
    given = as_array(x)
    rest, power = _moments(wide(given), range(2, given.ndim))
    result = rest / np.sqrt(power + node.get("epsilon", 1e-5))
    return like(result * _along_channels(scale, given.ndim) + _along_channels(bias, given.ndim), given)


def _last_axes(node: Node, x: Any) -> tuple[int, ...]:
    return tuple(range(axis_of(node.get("axis", -1), x.ndim), x.ndim))


def _layer_normalization(node: Node, x: Value, scale: Value, bias: Value = None) -> Any:
    """Computed in the dtype that `stash_type` names, as are the mean and the inverse deviation that it gives."""
    given = as_array(x)
    used = given if str(given.dtype) == "float64" else given.astype(dtype_of(node.get("stash_type", 1)))
    axes = _last_axes(node, given)
    rest, power = _moments(used, axes)
    inverse = 1 / np.sqrt(power + node.get("epsilon", 1e-5))
    result = like(rest * inverse, given) * as_array(scale)
    result = result if bias is None else result + as_array(bias)
    if not any(node.outputs[1:]):
        return result
    return result, np.mean(used, axis=axes, keepdims=True), inverse


def _rms(node: Node, x: Value, scale: Value) -> Any:
    given = as_array(x)
    used = given if str(given.dtype) == "float64" else given.astype(dtype_of(node.get("stash_type", 1)))
    power = np.mean(used * used, axis=_last_axes(node, given), keepdims=True)
    return like(used / np.sqrt(power + node.get("epsilon", 1e-5)), given) * as_array(scale)


def _group_normalization(node: Node, x: Value, scale: Value, bias: Value) -> Any:
    """Scales are of groups before opset 21, of channels from then on."""
    given = as_array(x)
    groups, channels = node.get("num_groups"), given.shape[1]
    parts = np.reshape(wide(given), (given.shape[0], groups, product(given.shape[1:]) // groups))
    rest, power = _moments(parts, (2,))
    result = rest / np.sqrt(power + node.get("epsilon", 1e-5))
    factors = [as_array(scale), as_array(bias)]
    if node.opset < 21:
        factors = [np.repeat(each, channels // groups) for each in factors]
    factor, offset = (_along_channels(each, given.ndim) for each in factors)
    return like(np.reshape(result, given.shape) * factor + offset, given)


def _lp_normalization(node: Node, x: Value) -> Any:
    """What is all zeros stays so."""
    given = as_array(x)
    axis, used = node.get("axis", -1), wide(given)
    is_first = node.get("p", 2) == 1
    total = np.sum(np.abs(used) if is_first else used * used, axis=axis, keepdims=True)
    size = np.where(total == 0, 1, total)  # what is divided by; the root of zero has no derivative
    size = size if is_first else np.sqrt(size)
    return like(np.where(total == 0, 0, used / size), given)


def _mean_variance_normalization(node: Node, x: Value) -> Any:
    given = as_array(x)
    rest, power = _moments(wide(given), [axis_of(axis, given.ndim) for axis in node.get("axes", [0, 2, 3])])
    return like(rest / (np.sqrt(power) + 1e-9), given)


def _local_response(node: Node, x: Value) -> Any:
    """The squares of so many channels around each one are added up."""
    given = as_array(x)
    size, used = node.get("size"), wide(given)
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    low, high = [0] * given.ndim, [0] * given.ndim
    low[1], high[1] = before, after
    squares, channels = padded(used * used, low, high), given.shape[1]
    total = functools.reduce(np.add, [squares[:, place : place + channels] for place in range(size)])
    return like(used / (node.get("bias", 1.0) + node.get("alpha", 1e-4) / size * total) ** node.get("beta", 0.75), given)


def _skip(node: Node, x: Value, skip: Value, gamma: Value, beta: Value = None, bias: Value = None) -> Any:
    """The normalization of a sum, which is the fourth output."""
    total = as_array(x) + as_array(skip)
    total = total if bias is None else total + as_array(bias)
    inner = node._replace(outputs=(True,))
    return _layer_normalization(inner, total, gamma, beta), None, None, total


def _skip_simplified(node: Node, x: Value, skip: Value, gamma: Value, bias: Value = None) -> Any:
    total = as_array(x) + as_array(skip)
    total = total if bias is None else total + as_array(bias)
    return _rms(node, total, gamma), None, None, total


def skip_limit(node: Node) -> str:
    return "the mean or the deviation (its second and third output)" if any(node.outputs[1:3]) else ""


OPS: dict[str, Op] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "InstanceNormalization": _instance_normalization,
    "LRN": _local_response,
    "LayerNormalization": _layer_normalization,
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance_normalization,
    "RMSNormalization": _rms,
    "SimplifiedLayerNormalization": _rms,  # what onnxruntime writes into the main domain
}

MICROSOFT: dict[str, Op] = {
    "LayerNormalization": _layer_normalization,
    "SimplifiedLayerNormalization": _rms,
    "SkipLayerNormalization": _skip,
    "SkipSimplifiedLayerNormalization": _skip_simplified,
}
