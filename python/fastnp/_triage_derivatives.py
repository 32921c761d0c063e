"""Whether a gradient is the one that differences of the function give, and which operation's rule is to blame if it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from fastnp import _control
from fastnp._first_op import FirstOp, _needed, _values
from fastnp._transform import Grad, ValueAndGrad, chosen
from fastnp._values import copied, saved_draws

_FAR = 1e-3  # relative, of what central differences of float64 give to seven digits where the function is smooth
_DIRECTIONS = 2


@dataclass
class Checked:
    """What is wrong (empty: nothing), and where it begins."""

    told: str
    first: FirstOp | None = None


def _leaf(value: Any) -> Any | None:
    array = numpy.asarray(value)
    return array if array.dtype == numpy.float64 and array.size else None


def _slopes(function: Any, point: Any, along: Any) -> float | None:
    """The slope by central differences, or None where two widths of steps do not agree: it is not smooth there."""
    scale = max(1.0, float(numpy.abs(point).max()))
    found = []
    for width in (1e-5 * scale, 2e-5 * scale):
        up, down = (float(numpy.asarray(function(point + sign * width * along))) for sign in (1, -1))
        found.append((up - down) / (2 * width))
    near = abs(found[0] - found[1]) <= 1e-4 * max(1e-6, abs(found[0]))
    return found[0] if near and numpy.isfinite(found[0]) else None


def _wrong(function: Any, gradient: Any, point: Any) -> str:
    rng = numpy.random.default_rng(0)
    for _ in range(_DIRECTIONS):
        along = rng.standard_normal(point.shape)
        slope = _slopes(function, point, along)
        told = float(numpy.sum(numpy.asarray(gradient) * along))
        if slope is not None and not abs(slope - told) <= _FAR * max(abs(slope), abs(told), 1e-6):
            return f"the slope along a direction is {told:.8g} by the derivative and {slope:.8g} by differences"
    return ""


def checked(problem: Any) -> Checked | None:
    """None: it is no gradient of float64."""
    plain = problem.plain
    if not isinstance(plain, ValueAndGrad) or problem.wanted[2]:
        return None
    function = plain.functions()[0]
    try:
        numbers = chosen("grad", plain.argnums, problem.args)
    except Exception:  # noqa: BLE001  # its own error tells
        return None
    gradients = problem.wanted[0] if isinstance(plain, Grad) else problem.wanted[0][1]
    if plain.has_aux:
        return None
    gradients = gradients if isinstance(gradients, tuple) and isinstance(plain.argnums, (tuple, list)) else (gradients,)
    for number, gradient in zip(numbers, gradients, strict=True):
        point = _leaf(problem.args[number])
        if point is None:
            continue

        def at(value: Any, number: int = number) -> Any:
            args = list(copied(problem.args))
            args[number] = value
            with _control.as_written(), saved_draws():
                return function(*args, **problem.kwargs)

        if told := _wrong(at, gradient, point):
            return Checked(told, _first(problem, function))
    return Checked("")


def _first(problem: Any, function: Any) -> FirstOp | None:
    """The first operation of the function whose rule gives something else."""
    import fastnp
    from fastnp._triage import Problem, captured

    for graph, arrays in captured(Problem(function, problem.args, problem.kwargs, problem.ulp, problem.seconds)):
        nodes = [node for node in _needed(graph, graph.outputs) if node.dtype == numpy.float64]
        values = _values(graph, _needed(graph, graph.outputs), arrays)
        values |= {node.number: value for node, value in zip(graph.inputs, arrays, strict=True)}
        constants = [node for node in graph.nodes if node.op == "constant"]
        values |= {node.number: numpy.full(node.shape, node.attributes["scalar"], node.dtype) for node in constants}
        for node in nodes:
            if not all(each.number in values for each in node.inputs):
                continue
            operands = tuple(dict.fromkeys(node.inputs))
            part = graph.part([node], operands)
            given = [values[each.number] for each in operands]
            weights = numpy.random.default_rng(1).standard_normal(node.shape)
            for place, operand in enumerate(operands):
                if operand.dtype != numpy.float64 or not given[place].size:
                    continue

                def summed(value: Any, place: int = place, part: Any = part, given: Any = given, weights: Any = weights) -> Any:
                    return fastnp.sum(part.run(*given[:place], value, *given[place + 1 :])[0] * weights)

                told = _wrong(summed, fastnp.grad(summed)(fastnp.asarray(given[place])), given[place])
                if told:
                    return FirstOp(node.op, node.text, f"operand {place}: {told}", node.place, given, "", part, place)
    return None
