"""Numbers as small integers with a scale, and products of such."""

from __future__ import annotations

from typing import Any

import fastnp as np
from fastnp.onnx._read_products import convolved, with_bias
from fastnp.onnx._read_values import Node, Op, Value, as_array, axis_of, dtype_of, largest_of, smallest_of


def _spread(node: Node, x: Any, value: Any) -> Any:
    """A scale or a zero point as the array has it: one number, one for each place of an axis, or one for each block."""
    if value.ndim == 0 or (value.ndim == 1 and x.ndim != 1 and type(value.shape[0]) is int and value.shape[0] == 1):
        return np.reshape(value, ())
    axis, block = axis_of(node.get("axis", 1), x.ndim), node.get("block_size", 0)
    if block:
        return np.repeat(value, block, axis=axis)[(slice(None),) * axis + (slice(None, x.shape[axis]),)]
    return np.reshape(value, (-1, *[1] * (x.ndim - 1 - axis))) if value.ndim == 1 and x.ndim > 1 else value


def quantized(x: Any, scale: Any, zero: Any, dtype: str) -> Any:
    places = np.rint(x / scale)
    places = places if zero is None else places + zero.astype(places.dtype)
    return np.clip(places, smallest_of(dtype), largest_of(dtype)).astype(dtype)


def _quantize(node: Node, x: Value, scale: Value, zero: Value = None) -> Any:
    given = as_array(x)
    dtype = dtype_of(node.get("output_dtype", 0) or 2) if zero is None else str(zero.dtype)
    wide = given if str(given.dtype) == "float64" else given.astype("float32")
    factor = _spread(node, given, as_array(scale)).astype(wide.dtype)
    return quantized(wide, factor, None if zero is None else _spread(node, given, as_array(zero)), dtype)


def _dequantize(node: Node, x: Value, scale: Value, zero: Value = None) -> Any:
    given, factor = as_array(x), as_array(scale)
    places = given.astype("int32")
    if zero is not None:
        places = places - _spread(node, given, as_array(zero)).astype("int32")
    result = places.astype("float32") * _spread(node, given, factor).astype("float32")
    return result.astype(dtype_of(node.get("output_dtype")) if node.get("output_dtype", 0) else factor.dtype)


def _dynamic_quantize(node: Node, x: Value) -> Any:
    """To unsigned bytes, with the scale that holds all elements and zero."""
    given = as_array(x)
    low, high = np.minimum(np.min(given), 0), np.maximum(np.max(given), 0)
    scale = ((high - low) / 255).astype("float32")
    zero = np.clip(np.rint(-low / np.where(scale == 0, 1, scale)), 0, 255).astype("uint8")
    return quantized(given, scale, zero, "uint8"), scale, zero


def _less(x: Any, zero: Value, axis: int | None = None, ndim: int = 0) -> Any:
    """An array of small integers as int32, less its zero point."""
    if zero is None:
        return x.astype("int32")
    point = as_array(zero).astype("int32")
    if point.ndim == 1 and axis is not None:
        point = np.reshape(point, [-1 if each == axis else 1 for each in range(ndim)])
    return x.astype("int32") - point


def _matmul_integer(node: Node, a: Value, b: Value, a_zero: Value = None, b_zero: Value = None) -> Any:
    x, y = as_array(a), as_array(b)
    return np.matmul(_less(x, a_zero, x.ndim - 2, x.ndim), _less(y, b_zero, y.ndim - 1, y.ndim))


def _conv_integer(node: Node, x: Value, w: Value, x_zero: Value = None, w_zero: Value = None) -> Any:
    given, weights = as_array(x), as_array(w)
    return convolved(node, _less(given, x_zero), _less(weights, w_zero, 0, weights.ndim)).astype("int32")


def _q_linear_matmul(node: Node, a: Value, a_scale: Value, a_zero: Value, b: Value, b_scale: Value, b_zero: Value, scale: Value, zero: Value) -> Any:
    total = _matmul_integer(node, a, b, a_zero, b_zero)
    factor = as_array(a_scale).astype("float32") * as_array(b_scale).astype("float32") / as_array(scale).astype("float32")
    return quantized(total.astype("float32") * factor, 1.0, as_array(zero), str(zero.dtype))


def _q_linear_conv(node: Node, *given: Value) -> Any:
    x, x_scale, x_zero, w, w_scale, w_zero, scale, zero, bias = (*given, None)[:9]
    total = with_bias(_conv_integer(node, x, w, x_zero, w_zero), bias)
    factor = as_array(x_scale) * as_array(w_scale) / as_array(scale)
    factor = np.reshape(factor, (-1, *[1] * (total.ndim - 2))) if factor.ndim == 1 else factor
    return quantized(total.astype("float32") * factor, 1.0, as_array(zero), str(as_array(zero).dtype))


OPS: dict[str, Op] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": _q_linear_conv,
    "QLinearMatMul": _q_linear_matmul,
    "QuantizeLinear": _quantize,
}
