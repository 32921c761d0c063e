"""Activations of networks, and functions along an axis that end as such."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import fastnp as np
from fastnp.onnx._read_erf import erf
from fastnp.onnx._read_values import Node, Op, Value, as_array, axis_of, like, product, wide


def activation(function: Callable[..., Any], **defaults: float) -> Op:
    """A node for a function of an array and of attributes, which are numbers. It is computed in float32 where the array is of halves."""

    def run(node: Node, x: Value) -> Any:
        given = as_array(x)
        return like(function(wide(given), *(node.get(name, value) for name, value in defaults.items())), given)

    return run


def sigmoid(x: Any) -> Any:
    """Without a power that overflows. The argument is chosen, not its size taken, so that the derivative at zero is right."""
    small = np.exp(np.where(x < 0, x, -x))
    return np.where(x < 0, small, 1.0) / (1.0 + small)


def softplus(x: Any) -> Any:
    return np.where(x < 0, 0.0, x) + np.log1p(np.exp(np.where(x < 0, x, -x)))


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


def leaky_relu(x: Any, alpha: float) -> Any:
    return np.where(x < 0, alpha * x, x)


def elu(x: Any, alpha: float) -> Any:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


def selu(x: Any, alpha: float, gamma: float) -> Any:
    return gamma * elu(x, alpha)


def celu(x: Any, alpha: float) -> Any:
    return np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(np.minimum(x, 0) / alpha))


def hard_sigmoid(x: Any, alpha: float, beta: float) -> Any:
    return np.maximum(0, np.minimum(1, alpha * x + beta))


def hard_swish(x: Any) -> Any:
    return x * hard_sigmoid(x, 1 / 6, 0.5)


def softsign(x: Any) -> Any:
    return x / (1 + np.abs(x))


def mish(x: Any) -> Any:
    return x * np.tanh(softplus(x))


def swish(x: Any, alpha: float) -> Any:
    return x * sigmoid(alpha * x)


def thresholded_relu(x: Any, alpha: float) -> Any:
    return np.where(x > alpha, x, 0.0)


def shrink(x: Any, bias: float, lambd: float) -> Any:
    return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0))


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


def gelu_by_tanh(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _gelu(node: Node, x: Value) -> Any:
    given = as_array(x)
    return like((gelu_by_tanh if node.get("approximate", "none") == "tanh" else gelu)(wide(given)), given)


def _fast_gelu(node: Node, x: Value, bias: Value = None) -> Any:
    given = as_array(x)
    return like(gelu_by_tanh(wide(given if bias is None else given + as_array(bias))), given)


def _bias_gelu(node: Node, x: Value, bias: Value) -> Any:
    given = as_array(x)
    return like(gelu(wide(given + as_array(bias))), given)


def _quick_gelu(node: Node, x: Value) -> Any:
    given = as_array(x)
    return like(swish(wide(given), node.get("alpha", 1.702)), given)


def _p_relu(node: Node, x: Value, slope: Value) -> Any:
    given = as_array(x)
    return np.where(given < 0, as_array(slope) * given, given)


def softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: int = -1) -> Any:
    moved = x - np.max(x, axis=axis, keepdims=True)
    return moved - np.log(np.sum(np.exp(moved), axis=axis, keepdims=True))


def hardmax(x: Any, axis: int = -1) -> Any:
    """One at the first largest element, zeros elsewhere."""
    place = axis % x.ndim
    steps = np.arange(x.shape[place]).reshape([-1 if each == place else 1 for each in range(x.ndim)])
    return (steps == np.expand_dims(np.argmax(x, axis=place), place)).astype(x.dtype)


def along_axis(function: Callable[[Any, int], Any]) -> Op:
    """A node for a function along an axis; before opset 13 the axes from that one on are one."""

    def run(node: Node, x: Value) -> Any:
        given = as_array(x)
        used = wide(given)
        if node.opset >= 13:
            return like(function(used, node.get("axis", -1)), given)
        axis = axis_of(node.get("axis", 1), given.ndim)
        rows = np.reshape(used, (product(given.shape[:axis]), product(given.shape[axis:])))
        return like(np.reshape(function(rows, -1), given.shape), given)

    return run


OPS: dict[str, Op] = {
    "Celu": activation(celu, alpha=1.0),
    "Elu": activation(elu, alpha=1.0),
    "Gelu": _gelu,
    "HardSigmoid": activation(hard_sigmoid, alpha=0.2, beta=0.5),
    "HardSwish": activation(hard_swish),
    "Hardmax": along_axis(hardmax),
    "LeakyRelu": activation(leaky_relu, alpha=0.01),
    "LogSoftmax": along_axis(log_softmax),
    "Mish": activation(mish),
    "PRelu": _p_relu,
    "Relu": lambda node, x: relu(as_array(x)),
    "Selu": activation(selu, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875),
    "Shrink": activation(shrink, bias=0.0, lambd=0.5),
    "Sigmoid": activation(sigmoid),
    "Softmax": along_axis(softmax),
    "Softplus": activation(softplus),
    "Softsign": activation(softsign),
    "Swish": activation(swish, alpha=1.0),
    "ThresholdedRelu": activation(thresholded_relu, alpha=1.0),
}

MICROSOFT: dict[str, Op] = {"BiasGelu": _bias_gelu, "FastGelu": _fast_gelu, "Gelu": _gelu, "QuickGelu": _quick_gelu}
