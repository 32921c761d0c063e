"""Branches and loops. Loops are Python's: a compiled one is for so many iterations."""

from __future__ import annotations

from typing import Any

import fastnp as np
from fastnp.onnx._read_shapes import split_at
from fastnp.onnx._read_values import Known, Node, Op, Value, as_array, axis_of, number

Values = dict[str, Value]


def _done(node: Node, name: str, values: Values, given: tuple[Value, ...] = ()) -> list[Value]:
    """The outputs of a graph inside of a node, which sees the values around it."""
    from fastnp.onnx._read_plan import compute  # which imports this

    plan = node.get(name)
    inner = dict(values)
    inner.update(zip(plan.inputs, given, strict=True))
    return compute(plan, inner)


def _several(found: list[Value]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


def _if(node: Node, values: Values, condition: Value) -> Any:
    """What is decided by sizes is decided at once. Other branches are `cond` where both give the same kinds of arrays, else the condition is read."""
    if isinstance(condition, Known):
        return _several(_done(node, "then_branch" if condition.items[0] else "else_branch", values))
    chosen = np.reshape(as_array(condition), ())

    def branch(name: str) -> Any:
        return lambda: tuple(np.asarray(as_array(value)) for value in _done(node, name, values))

    try:
        return _several(list(np.cond(chosen, branch("then_branch"), branch("else_branch"))))
    except (TypeError, ValueError):
        return _several(_done(node, "then_branch" if bool(chosen) else "else_branch", values))


def _loop(node: Node, values: Values, count: Value = None, condition: Value = None, *state: Value) -> Any:
    most = None if count is None else int(number(count))
    goes_on = True if condition is None else bool(number(condition))
    carried, rows, step = list(state), [], 0
    parts = len(node.outputs) - len(state)
    while goes_on and (most is None or step < most):
        found = _done(node, "body", values, (Known([step], (), "int64"), Known([True], (), "bool"), *carried))
        goes_on = bool(number(found[0]))
        carried = found[1 : 1 + len(state)]
        rows.append(found[1 + len(state) :])
        step += 1
    if parts and not rows:
        raise NotImplementedError("a loop of no iterations, which gives arrays of unknown shapes")
    return _several([*carried, *[np.stack([as_array(row[part]) for row in rows]) for part in range(parts)]])


def _scan(node: Node, values: Values, *given: Value) -> Any:
    """The last inputs are taken apart along an axis, and the last outputs put together."""
    count = node.get("num_scan_inputs")
    state, whole = list(given[: len(given) - count]), [as_array(value) for value in given[len(given) - count :]]
    axes = [axis_of(axis, x.ndim) for axis, x in zip(node.get("scan_input_axes") or [0] * count, whole, strict=True)]
    flips = node.get("scan_input_directions") or [0] * count
    columns = []
    for x, axis, flip in zip(whole, axes, flips, strict=True):
        parts = [np.squeeze(part, axis) for part in split_at(x, axis, [1] * int(x.shape[axis]))]
        columns.append(parts[::-1] if flip else parts)
    rows = []
    for row in zip(*columns, strict=True):
        found = _done(node, "body", values, (*state, *row))
        state = found[: len(state)]
        rows.append(found[len(state) :])
    kept = len(node.outputs) - len(state)
    ends, turns = node.get("scan_output_axes") or [0] * kept, node.get("scan_output_directions") or [0] * kept
    gathered = []
    for place in range(kept):
        column = [as_array(row[place]) for row in rows]
        gathered.append(np.stack(column[::-1] if turns[place] else column, axis=ends[place]))
    return _several([*state, *gathered])


def scan_limit(node: Node) -> str:
    return "as opset 8 has it" if node.opset < 9 else ""


OPS: dict[str, Op] = {"If": _if, "Loop": _loop, "Scan": _scan}
