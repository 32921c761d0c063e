"""Recurrent layers: RNN, GRU and LSTM. Time is a loop of Python's, so a compiled one is for sequences of one length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import fastnp as np
from fastnp.onnx import _read_activations as activations
from fastnp.onnx._read_values import Node, Op, Value, as_array

_Function = Callable[[Any], Any]

# Each with the defaults of its alpha and beta, as far as it has these.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "affine": (lambda x, alpha, beta: alpha * x + beta, (1.0, 0.0)),
    "elu": (activations.elu, (1.0,)),
    "hardsigmoid": (activations.hard_sigmoid, (0.2, 0.5)),
    "leakyrelu": (activations.leaky_relu, (0.01,)),
    "relu": (activations.relu, ()),
    "scaledtanh": (lambda x, alpha, beta: alpha * np.tanh(beta * x), (1.0, 1.0)),
    "sigmoid": (activations.sigmoid, ()),
    "softplus": (activations.softplus, ()),
    "softsign": (activations.softsign, ()),
    "tanh": (np.tanh, ()),
    "thresholdedrelu": (activations.thresholded_relu, (1.0,)),
}


def _functions(node: Node, defaults: Sequence[str], directions: int) -> list[list[_Function]]:
    """The activations of each direction. Their alphas and betas are lists, from which each takes its own."""
    names = [str(name).lower() for name in node.get("activations") or list(defaults) * directions]
    given = {"alpha": list(node.get("activation_alpha", [])), "beta": list(node.get("activation_beta", []))}
    made: list[_Function] = []
    for name in names:
        function, usual = _FUNCTIONS[name]
        numbers = [given[which].pop(0) if given[which] else value for which, value in zip(("alpha", "beta"), usual, strict=False)]
        made.append(_with(function, numbers))
    count = len(defaults)
    return [made[place * count : (place + 1) * count] for place in range(directions)]


def _with(function: Callable[..., Any], numbers: Sequence[float]) -> _Function:
    return lambda x: function(x, *numbers)


def activations_limit(node: Node) -> str:
    unknown = [name for name in node.get("activations") or [] if str(name).lower() not in _FUNCTIONS]
    return f"the activation {', '.join(map(str, unknown))}" if unknown else ""


class _Layer:
    """One direction of a layer: its weights, and the step from one state to the next."""

    gates = 1
    defaults: tuple[str, ...] = ("Tanh",)

    def __init__(self, node: Node, weights: Sequence[Any], bias: Any, functions: Sequence[_Function], peepholes: Any) -> None:
        self.node, self.functions = node, functions
        self.w, self.r = weights
        self.size = int(self.r.shape[-1])
        count = self.gates * self.size
        self.bias_w: Any = None if bias is None else bias[:count]
        self.bias_r: Any = None if bias is None else bias[count:]
        self.peepholes = None if peepholes is None else [peepholes[place * self.size : (place + 1) * self.size] for place in range(3)]

    def clipped(self, x: Any) -> Any:
        bound = self.node.get("clip")
        return x if bound is None else np.clip(x, -bound, bound)

    def parts(self, x: Any) -> list[Any]:
        return [x[..., place * self.size : (place + 1) * self.size] for place in range(self.gates)]

    def inputs(self, x: Any) -> Any:
        """What all steps need of their inputs, in one product."""
        found = np.matmul(x, self.w.T)
        return found if self.bias_w is None else found + self.bias_w

    def recurrent(self, h: Any) -> Any:
        found = np.matmul(h, self.r.T)
        return found if self.bias_r is None else found + self.bias_r

    def step(self, x: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self.functions[0](self.clipped(x + self.recurrent(state[0]))),)


class _Gru(_Layer):
    gates = 3
    defaults = ("Sigmoid", "Tanh")

    def step(self, x: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        (h,) = state
        xz, xr, xh = self.parts(x)
        inner, outer = self.functions
        if self.node.get("linear_before_reset", 0):
            hz, hr, hh = self.parts(self.recurrent(h))
            z, r = inner(self.clipped(xz + hz)), inner(self.clipped(xr + hr))
            new = outer(self.clipped(xh + r * hh))
        else:
            count = 2 * self.size
            both = np.matmul(h, self.r[:count].T)
            both = both if self.bias_r is None else both + self.bias_r[:count]
            z, r = inner(self.clipped(xz + both[..., : self.size])), inner(self.clipped(xr + both[..., self.size :]))
            last = np.matmul(r * h, self.r[count:].T)
            new = outer(self.clipped(xh + (last if self.bias_r is None else last + self.bias_r[count:])))
        return ((1 - z) * new + z * h,)


class _Lstm(_Layer):
    gates = 4
    defaults = ("Sigmoid", "Tanh", "Tanh")

    def step(self, x: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        h, c = state
        i, o, f, g = self.parts(x + self.recurrent(h))
        first, second, third = self.functions
        if self.peepholes is not None:
            i, f = i + self.peepholes[0] * c, f + self.peepholes[2] * c
        i = first(self.clipped(i))
        f = 1 - i if self.node.get("input_forget", 0) else first(self.clipped(f))
        c = f * c + i * second(self.clipped(g))
        if self.peepholes is not None:
            o = o + self.peepholes[1] * c
        return first(self.clipped(o)) * third(c), c


def _run(layer: _Layer, x: Any, state: tuple[Any, ...], lengths: Any, is_reverse: bool) -> tuple[Any, tuple[Any, ...]]:
    """All steps of a direction. After its end a sequence keeps its state, and its outputs are zeros."""
    inputs = layer.inputs(x)
    found = []
    steps = range(int(x.shape[0]))
    for time in reversed(steps) if is_reverse else steps:
        new = layer.step(inputs[time], state)
        if lengths is not None:
            goes_on = np.reshape(time < lengths, (-1, 1))
            state = tuple(np.where(goes_on, now, before) for now, before in zip(new, state, strict=True))
            found.append(np.where(goes_on, new[0], 0.0))
        else:
            state = new
            found.append(new[0])
    return np.stack(found[::-1] if is_reverse else found), state


def _recurrent(kind: type[_Layer]) -> Op:
    """A node for a kind of layer. Inputs: x, w, r, b, the lengths, the first states, and peepholes."""

    def run(node: Node, *given: Value) -> Any:
        inputs: list[Any] = [*map(as_array, given), *[None] * (8 - len(given))]
        x, w, r, b, lengths, h, c, peepholes = inputs
        is_batch_first, direction = bool(node.get("layout", 0)), node.get("direction", "forward")
        x = np.swapaxes(x, 0, 1) if is_batch_first else x
        directions = int(w.shape[0])
        functions = _functions(node, kind.defaults, directions)
        outputs: list[Any] = []
        states: list[tuple[Any, ...]] = []
        for place in range(directions):
            part = [None if each is None else each[place] for each in (w, r, b, peepholes)]
            layer = kind(node, (part[0], part[1]), part[2], functions[place], part[3])
            first = [_first_state(each, place, is_batch_first, x, layer.size) for each in ((h, c) if kind is _Lstm else (h,))]
            is_reverse = direction == "reverse" or place == 1
            output, state = _run(layer, x, tuple(first), lengths, is_reverse)
            outputs.append(output)
            states.append(state)
        last = [np.stack(parts, axis=1 if is_batch_first else 0) for parts in zip(*states, strict=True)]
        whole = np.stack(outputs, axis=1)  # time, direction, batch, hidden
        return (np.transpose(whole, (2, 0, 1, 3)) if is_batch_first else whole, *last)

    return run


def _first_state(given: Any, place: int, is_batch_first: bool, x: Any, size: int) -> Any:
    if given is None:
        return np.zeros((x.shape[1], size), dtype=x.dtype)
    return given[:, place] if is_batch_first else given[place]


OPS: dict[str, Op] = {"GRU": _recurrent(_Gru), "LSTM": _recurrent(_Lstm), "RNN": _recurrent(_Layer)}
