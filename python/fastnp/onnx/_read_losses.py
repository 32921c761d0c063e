"""Losses of classes."""

from __future__ import annotations

from typing import Any

import fastnp as np
from fastnp.onnx._read_activations import log_softmax
from fastnp.onnx._read_values import Node, Op, Value, as_array, like, wide


def _loss(node: Node, powers: Any, target: Value, weight: Value) -> Any:
    """Of logarithms along axis 1: what those of the classes are, with a sign, folded as the node says."""
    classes, ignored = as_array(target), node.get("ignore_index")
    counts = np.ones(classes.shape, dtype=powers.dtype)
    if ignored is not None:
        counts = np.where(classes == ignored, 0.0, counts)
        classes = np.where(classes == ignored, 0, classes)
    if weight is not None:
        counts = counts * np.take(as_array(weight).astype(powers.dtype), classes)
    found = -np.squeeze(np.take_along_axis(powers, np.expand_dims(classes, 1), axis=1), 1) * counts
    reduction = node.get("reduction", "mean")
    if reduction == "none":
        return found
    return np.sum(found) if reduction == "sum" else np.sum(found) / np.sum(counts)


def _negative_log_likelihood(node: Node, x: Value, target: Value, weight: Value = None) -> Any:
    given = as_array(x)
    return like(np.asarray(_loss(node, wide(given), target, weight)), given)


def _softmax_cross_entropy(node: Node, x: Value, target: Value, weight: Value = None) -> Any:
    given = as_array(x)
    powers = log_softmax(wide(given), 1)
    return like(np.asarray(_loss(node, powers, target, weight)), given), like(powers, given)


OPS: dict[str, Op] = {"NegativeLogLikelihoodLoss": _negative_log_likelihood, "SoftmaxCrossEntropyLoss": _softmax_cross_entropy}
