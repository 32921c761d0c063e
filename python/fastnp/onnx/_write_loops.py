"""Loops whose bodies are graphs, as ONNX's ``Loop``."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp._told import BACKWARD, BODY, IS_ONCE, IS_WHILE, Node
from fastnp.onnx._tensors import Builder, Tensor


def write_loop(to: Builder, graph: dict[str, Any], node: Node, operands: list[Tensor]) -> list[Tensor]:
    """The arrays that a loop gives: its states at the end, and what its turns gave, along a new first axis."""
    body = graph["bodies"][node.ints[BODY]]
    states, parts, _, collected = body["counts"]
    count = to.size("1" if node.ints[IS_ONCE] else node.dims[0])
    is_while = bool(node.ints[IS_WHILE])
    begin = operands[0].cast(bool) if is_while else to.constant(True)
    inner = _body(to, {**body, "bodies": graph["bodies"]}, node, operands, count)  # loops in loops are numbered together
    names = [to.fresh("v") for _ in range(states + collected)]
    to.node("Loop", [None if is_while and not node.ints[IS_ONCE] else count.squeeze(0), begin, *operands[:states]], names, body=inner)
    dtypes = [Node(*body["nodes"][place]).dtype for place in body["outputs"]]
    made = [Tensor(to, name, dtype) for name, dtype in zip(names, dtypes, strict=True)]
    if node.ints[BACKWARD]:
        made[states:] = [_turned(each) for each in made[states:]]
    return made


def _turned(x: Tensor) -> Tensor:
    """The other way round along the first axis."""
    last, least = x.builder.constant([-1], "int64"), x.builder.constant([numpy.iinfo(numpy.int64).min], "int64")
    return x.op("Slice", last, least, x.builder.constant([0], "int64"), last)


def _body(around: Builder, body: dict[str, Any], node: Node, operands: list[Tensor], count: Tensor) -> Any:
    from onnx import helper

    from fastnp.onnx._write import Values, needed  # which calls this

    states, parts, constants, _ = body["counts"]
    to = Builder(around)
    turn, goes_on = Tensor(to, to.fresh("turn"), numpy.dtype("int64")), Tensor(to, to.fresh("goes_on"), numpy.dtype(bool))
    inputs = [_info(turn.name, turn.dtype, ()), _info(goes_on.name, goes_on.dtype, ())]
    known: dict[int, Tensor] = {}
    for number, place in enumerate(body["inputs"]):
        inside = Node(*body["nodes"][place])
        if number < states:
            known[place] = Tensor(to, to.fresh("state"), inside.dtype)
            inputs.append(_info(known[place].name, inside.dtype, inside.shape))
        elif number < states + parts:
            at = Tensor(to, count.name, count.dtype).squeeze(0) - 1 - turn if node.ints[BACKWARD] else turn
            known[place] = Tensor(to, operands[number].name, inside.dtype).op("Gather", at, axis=0)
        elif number < states + parts + constants:
            known[place] = Tensor(to, operands[number].name, inside.dtype)
        else:  # what the turn gives is written to it
            known[place] = to.constant(0, inside.dtype).expand(to.sizes(inside.shape)) if inside.shape else to.constant(0, inside.dtype)
    values = Values(to, body, known)
    results = [values[place].op("Identity") for place in body["outputs"]]
    condition = results[0].op("Identity") if node.ints[IS_WHILE] else goes_on.op("Identity")
    outputs = [_info(condition.name, condition.dtype, ())]
    for result, place in zip(results, body["outputs"], strict=True):
        outputs.append(_info(result.name, result.dtype, Node(*body["nodes"][place]).shape))
    nodes = needed(to.nodes, {each.name for each in outputs})
    return helper.make_graph(nodes, around.fresh("body"), inputs, outputs)


def _info(name: str, dtype: numpy.dtype[Any], shape: tuple[str, ...]) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), [int(size) if size.isdigit() else size for size in shape])
