"""All operators that are read, by their domains and names."""

from __future__ import annotations

from collections.abc import Callable

from fastnp.onnx import (
    _read_activations,
    _read_control,
    _read_elementwise,
    _read_images,
    _read_losses,
    _read_norms,
    _read_picks,
    _read_pools,
    _read_products,
    _read_quantized,
    _read_recurrent,
    _read_reductions,
    _read_shapes,
)
from fastnp.onnx._read_values import Node, Op

OPS: dict[tuple[str, str], Op] = {
    ("", name): op
    for module in (
        _read_activations,
        _read_control,
        _read_elementwise,
        _read_images,
        _read_losses,
        _read_norms,
        _read_picks,
        _read_pools,
        _read_products,
        _read_quantized,
        _read_recurrent,
        _read_reductions,
        _read_shapes,
    )
    for name, op in module.OPS.items()
}
OPS |= {("com.microsoft", name): op for module in (_read_activations, _read_norms, _read_products) for name, op in module.MICROSOFT.items()}

# Inputs that are numbers rather than arrays where the model has them as initializers: exponents, bounds, factors of sizes.
KNOWN_INPUTS: dict[str, tuple[int, ...]] = {"Clip": (1, 2), "Pow": (1,), "Range": (0, 1, 2), "Resize": (1, 2, 3), "Upsample": (1,)}

# What is not read of an operator, by a function that says it of a node.
LIMITS: dict[str, Callable[[Node], str]] = {
    "GRU": _read_recurrent.activations_limit,
    "LSTM": _read_recurrent.activations_limit,
    "RNN": _read_recurrent.activations_limit,
    "Scan": _read_control.scan_limit,
    "SkipLayerNormalization": _read_norms.skip_limit,
    "SkipSimplifiedLayerNormalization": _read_norms.skip_limit,
}
