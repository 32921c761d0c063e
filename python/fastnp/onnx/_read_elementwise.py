"""Operations on elements: arithmetic, comparisons, logic and bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import fastnp as np
from fastnp.onnx._read_erf import erf
from fastnp.onnx._read_values import Known, Node, Op, Value, as_array, dtype_of, kind_of, like, operand, operands, wide


def unary(function: Callable[[Any], Any]) -> Op:
    """A node for a function of one array."""

    def run(node: Node, x: Value) -> Any:
        return function(as_array(x))

    return run


def binary(function: Callable[[Any, Any], Any]) -> Op:
    """A node for a function of two arrays."""

    def run(node: Node, x: Value, y: Value) -> Any:
        return function(*operands((x, y)))

    return run


def variadic(function: Callable[[Any, Any], Any]) -> Op:
    """A node for a function of two arrays that is done for any number of them."""

    def run(node: Node, *values: Value) -> Any:
        return functools.reduce(function, [as_array(value) for value in values])

    return run


def _widened(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Of bfloat16, for which some functions have no loop."""

    def run(x: Any) -> Any:
        return like(function(wide(x)), x) if str(x.dtype) == "bfloat16" else function(x)

    return run


def divide(x: Any, y: Any) -> Any:
    """Of integers it is cut off towards zero, as C's."""
    kind = kind_of(x if hasattr(x, "dtype") else y)
    if kind in "fc":
        return x / y
    quotient = x // y
    if kind == "u":
        return quotient
    return np.where((quotient * y != x) & ((x < 0) != (y < 0)), quotient + 1, quotient)


def _pow(node: Node, x: Value, y: Value) -> Any:
    """The exponent may have another dtype; the result has the base's."""
    base = as_array(x)
    exponent = operand(y)
    if isinstance(y, Known) and y.shape == ():
        if isinstance(exponent, float) and exponent.is_integer():
            exponent = int(exponent)  # a product, where a power would be a call
        if kind_of(base) == "f" or isinstance(exponent, int):
            return base**exponent if base.ndim else like(np.power(base, np.asarray(exponent, dtype=base.dtype)), base)
    exponent = np.asarray(exponent)
    if kind_of(base) == "f":
        return np.power(base, like(exponent, base))
    if kind_of(exponent) == "f":
        return np.power(base.astype("float64"), exponent.astype("float64")).astype(base.dtype)
    return np.power(base, like(exponent, base))


def _mod(node: Node, x: Value, y: Value) -> Any:
    return (np.fmod if node.get("fmod", 0) else np.mod)(*operands((x, y)))


def _mean(node: Node, *values: Value) -> Any:
    return functools.reduce(np.add, [as_array(value) for value in values]) / len(values)


def _is_inf(node: Node, x: Value) -> Any:
    given = as_array(x)
    found = np.isinf(given)
    if not node.get("detect_negative", 1):
        found = found & (given > 0)
    if not node.get("detect_positive", 1):
        found = found & (given < 0)
    return found


def _clip(node: Node, x: Value, low: Value = None, high: Value = None) -> Any:
    """Where the bounds are the wrong way round, the upper one holds."""
    given = as_array(x)
    least = node.get("min") if low is None else operand(low)
    most = node.get("max") if high is None else operand(high)
    if least is not None:
        given = np.maximum(given, least)
    return given if most is None else np.minimum(given, most)


def _where(node: Node, condition: Value, x: Value, y: Value) -> Any:
    return np.where(as_array(condition), *operands((x, y)))


def _bit_shift(node: Node, x: Value, y: Value) -> Any:
    return (np.left_shift if node.get("direction") == "LEFT" else np.right_shift)(*operands((x, y)))


def converted(x: Any, dtype: str) -> Any:
    if str(x.dtype) == dtype:
        return x
    return x != 0 if dtype == "bool" else x.astype(dtype)


def _cast(node: Node, x: Value) -> Any:
    return converted(as_array(x), dtype_of(node.get("to")))


def _cast_like(node: Node, x: Value, template: Value) -> Any:
    return converted(as_array(x), str(template.dtype))


def _bitcast(node: Node, x: Value) -> Any:
    return np.array(as_array(x), copy=True).view(dtype_of(node.get("to")))


_UNARY: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "BitwiseNot": np.invert,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Erf": erf,
    "Exp": np.exp,
    "Floor": np.floor,
    "IsNaN": np.isnan,
    "Log": np.log,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Reciprocal": lambda x: 1 / x,
    "Round": np.rint,
    "Sign": np.sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
}

_BINARY: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "And": np.logical_and,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Div": divide,
    "Equal": np.equal,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Mul": np.multiply,
    "Or": np.logical_or,
    "Sub": np.subtract,
    "Xor": np.logical_xor,
}

OPS: dict[str, Op] = {
    **{name: unary(_widened(function)) for name, function in _UNARY.items()},
    **{name: binary(function) for name, function in _BINARY.items()},
    "Max": variadic(np.maximum),
    "Min": variadic(np.minimum),
    "Sum": variadic(np.add),
    "Mean": _mean,
    "BitCast": _bitcast,
    "BitShift": _bit_shift,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Clip": _clip,
    "IsInf": _is_inf,
    "Mod": _mod,
    "Pow": _pow,
    "Where": _where,
}
