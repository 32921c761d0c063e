"""Functions as text of StableHLO: ``compiler.stablehlo``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core, _formulas, _told
from fastnp._ahead import _say
from fastnp._fallback import check_unrecorded
from fastnp._stablehlo import Builder, Tensor, type_of
from fastnp._stablehlo_ops import WRITERS, numbers
from fastnp._told import BACKWARD, BODY, IS_ONCE, IS_WHILE, Node, missing, results, told

# Of complex numbers: others of the table are formulas over real ones.
_COMPLEX = {"negative", "positive", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "subtract", "divide", "add", "multiply", "power", "absolute"}
_COMPLEX |= {"square", "reciprocal", "equal", "not_equal"}


def stablehlo(function: Callable[..., Any], specs: Any, /, *, name: str = "main") -> str:
    """What a function computes, as text of StableHLO: the language of XLA, IREE and others.

    The function is recorded for arguments of some shapes and dtypes, all of whose sizes are numbers. Its operations
    become StableHLO's (and those of its companion CHLO), derivatives and recorded loops included. Arrays that it reads
    from outside are constants of the text.

    Parameters
    ----------
    function : callable
        A function, or a compiled one.
    specs : tuple, list, dict or compiler.Spec
        What the function takes, as `fastnp.export` has it; sizes are numbers.
    name : str, optional
        The name of the text's function.

    Returns
    -------
    str
        A module with one public function. It gives the function's arrays in order: those of tuples, lists and dicts one
        after the other.

    Raises
    ------
    RecordError
        Where the function can't be recorded for shapes and dtypes alone, or writes to its arguments, where a size varies,
        and where StableHLO has no operation for what it does: one error tells all of these, with lines.

    See Also
    --------
    export, onnx.export

    Examples
    --------
    >>> import fastnp as np
    >>> print(np.compiler.stablehlo(lambda x: np.exp(x) + 1, np.ShapeDtype(3)))
    module {
      func.func public @main(%arg0: tensor<3xf64>) -> (tensor<3xf64>) {
        %v1 = stablehlo.exponential %arg0 : tensor<3xf64>
        %v2 = stablehlo.constant dense<0x3FF0000000000000> : tensor<3xf64>
        %v3 = stablehlo.add %v1, %v2 : tensor<3xf64>
        return %v3 : tensor<3xf64>
      }
    }
    """
    check_unrecorded("compiler.stablehlo")
    try:
        graph, _, its_name = told(function, specs)
        varying = sorted({size for row in graph["nodes"] for size in Node(*row).shape if not size.isdigit()})
        if varying:
            raise _core.RecordError(f"{its_name}() has sizes that vary ({', '.join(varying)}), and StableHLO's are numbers here: give specs of numbers")
        lacking = missing(graph, _has)
        if lacking:
            raise _core.RecordError(f"{its_name}() can't be StableHLO, which has nothing for: {'; '.join(lacking)}")
        return _text(graph, name)
    except _core.RecordError as error:
        raise _say(error) from None


def _has(node: Node) -> bool:
    if node.op in ("nonzero", "bind", "call", "given"):
        return False
    return node.op in WRITERS or (node.op in _formulas.names() and (node.dtype.kind != "c" or node.op in _COMPLEX))


def _text(graph: dict[str, Any], name: str) -> str:
    to = Builder()
    nodes, inputs = graph["nodes"], graph["inputs"]
    count = len(inputs) - len(graph["weights"])
    known: dict[int, Tensor] = {}
    for number, place in enumerate(inputs):
        node = Node(*nodes[place])
        if number < count:
            known[place] = Tensor(to, f"%arg{number}", node.dtype, tuple(numbers(node.shape)))
        else:
            known[place] = to.constant(numpy.asarray(graph["weights"][number - count]))
    values = _Values(to, graph, known)
    given = [graph["outputs"][number] if kind == "array" else inputs[number] for _, kind, number in results(json.loads(graph["structure"]))]
    taken = ", ".join(f"{known[place].name}: {known[place].type}" for place in inputs[:count])
    types = ", ".join(values[place].type for place in given)
    last = f"    return {', '.join(values[place].name for place in given)}{' : ' + types if given else ''}"
    return "\n".join(["module {", f"  func.func public @{name}({taken}) -> ({types}) {{", *to.lines, last, "  }", "}"])


class _Values(_told.Values):
    language = "StableHLO"
    writers = WRITERS

    def loop(self, node: Node, operands: list[Tensor]) -> list[Tensor]:
        return _loop(self.to, self.graph, node, operands)

    def elementwise(self, node: Node, operands: list[Tensor]) -> Any:
        if node.op == "absolute" and operands[0].dtype.kind == "c":
            return abs(operands[0]).cast(node.dtype)
        return _formulas.write(node.op, operands, node.dtype, is_exact=True)


def _loop(to: Builder, graph: dict[str, Any], node: Node, operands: list[Tensor]) -> list[Tensor]:
    """A while over the turn's number, the states, and the arrays that turns fill."""
    body = {**graph["bodies"][node.ints[BODY]], "bodies": graph["bodies"]}
    states, parts, constants, collected = body["counts"]
    rows = [Node(*body["nodes"][place]) for place in body["inputs"]]
    turns = int(node.dims[0])
    filled = [to.constant(0, row.dtype, [turns, *numbers(row.shape)]) for row in rows[states + parts + constants :]]
    begin = [to.constant(0, "int64"), *operands[:states], *filled]
    label = to.fresh()
    arguments = [Tensor(to, f"{label}_{number}", each.dtype, each.shape) for number, each in enumerate(begin)]
    types = ", ".join(each.type for each in begin)
    given = ", ".join(f"{inner.name} = {outer.name}" for inner, outer in zip(arguments, begin, strict=True))
    condition, turn = Builder(to, to.indent + "    "), Builder(to, to.indent + "    ")
    goes_on = _condition(condition, node, [Tensor(condition, each.name, each.dtype, each.shape) for each in arguments], turns)
    condition.line(f"stablehlo.return {goes_on.name} : {goes_on.type}")
    inside = [Tensor(turn, each.name, each.dtype, each.shape) for each in arguments]
    results_ = _turn(turn, body, node, inside, operands, turns)
    turn.line(f"stablehlo.return {', '.join(each.name for each in results_)} : {types}")
    made = to.fresh()
    to.line(f"{made}:{len(begin)} = stablehlo.while({given}) : {types}")
    to.line("  cond {")
    to.lines += condition.lines
    to.line("  } do {")
    to.lines += turn.lines
    to.line("  }")
    return [Tensor(to, f"{made}#{number}", each.dtype, each.shape) for number, each in enumerate(begin)][1:]


def _condition(to: Builder, node: Node, arguments: list[Tensor], turns: int) -> Tensor:
    if not node.ints[IS_WHILE]:
        return arguments[0].less(turns)
    goes_on = arguments[1].cast(bool)
    return goes_on.both(arguments[0].less(1)) if node.ints[IS_ONCE] else goes_on


def _turn(to: Builder, body: dict[str, Any], node: Node, arguments: list[Tensor], operands: list[Tensor], turns: int) -> list[Tensor]:
    states, parts, constants, collected = body["counts"]
    number = arguments[0]
    at = to.constant(turns - 1, "int64") - number if node.ints[BACKWARD] else number
    known: dict[int, Tensor] = {}
    for place_of, place in enumerate(body["inputs"]):
        row = Node(*body["nodes"][place])
        if place_of < states:
            known[place] = arguments[1 + place_of]
        elif place_of < states + parts:
            known[place] = _row(Tensor(to, operands[place_of].name, operands[place_of].dtype, operands[place_of].shape), at)
        elif place_of < states + parts + constants:
            outer = operands[place_of]
            known[place] = Tensor(to, outer.name, outer.dtype, outer.shape)
        else:
            known[place] = to.constant(0, row.dtype, numbers(row.shape))
    values = _Values(to, body, known)
    given = [values[place] for place in body["outputs"]]
    filled = [_with_row(whole, at, row) for whole, row in zip(arguments[1 + states :], given[states:], strict=True)]
    return [number + 1, *given[:states], *filled]


def _starts(whole: Tensor, at: Tensor) -> tuple[str, str]:
    zero = whole.builder.constant(0, "int64")
    names = [at.name] + [zero.name] * (len(whole.shape) - 1)
    return ", ".join(names), ", ".join([at.type] * len(names))


def _row(whole: Tensor, at: Tensor) -> Tensor:
    names, types = _starts(whole, at)
    shape = [1, *whole.shape[1:]]
    text = f"stablehlo.dynamic_slice {whole.name}, {names}, sizes = {shape} : ({whole.type}, {types}) -> {type_of(whole.dtype, shape)}"
    return whole.builder.value(text, whole.dtype, shape).reshape(whole.shape[1:])


def _with_row(whole: Tensor, at: Tensor, row: Tensor) -> Tensor:
    part = row.reshape([1, *row.shape])
    names, types = _starts(whole, at)
    text = f"stablehlo.dynamic_update_slice {whole.name}, {part.name}, {names} : ({whole.type}, {part.type}, {types}) -> {whole.type}"
    return whole.builder.value(text, whole.dtype, whole.shape)
