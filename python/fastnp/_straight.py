"""Frames that do nothing but call one native loop and return what it gives: a call of the function needs no frame then.

Such a frame is told as what the loop takes and what is returned: arguments, their lengths and sizes, constants, and what the loop gives
(``python/straight.h`` makes such calls). Where there is something to tell of, an error or a warning, the loop goes on in a function that stands where
the frame would (`context_of` in `_source.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastnp._loop_resume import UNBOUND_NAME
from fastnp._loop_values import UNBOUND

__all__ = ["Straight", "straight_of"]

_ARGUMENT, _CONSTANT, _GIVEN, _SIZE = range(4)  # python/straight.h's
_MOST_GIVEN = 6  # ... loop_entry.h's

Operand = tuple[int, int, Any]  # kind, number, object


class Straight(NamedTuple):
    """What such a frame does; plain values alone, so that it can be kept."""

    parameters: int
    sizes: tuple[tuple[int, int], ...]  # that are taken before the loop: (argument, axis), or (argument, -1): its length
    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    is_tuple: bool
    nothing: tuple[int, ...]  # operands that stand for variables that are not bound

    def has_length(self) -> bool:
        """Whether it takes `len` for what it is."""
        return any(axis < 0 for _, axis in self.sizes)

    def all_operands(self) -> list[Operand]:
        return [(_CONSTANT, 0, UNBOUND) if number in self.nothing else each for number, each in enumerate(self.operands)]


class _NotStraight(Exception):
    pass


class _Reader:
    def __init__(self, tree: ast.FunctionDef, part: str) -> None:
        self.part = part
        self.known: dict[str, Operand] = {each.arg: (_ARGUMENT, number, None) for number, each in enumerate([*tree.args.posonlyargs, *tree.args.args])}
        self.parameters = set(self.known)
        self.operands: list[Operand] | None = None
        self.sizes: list[tuple[int, int]] = []
        self.nothing: list[int] = []
        self.held = ""  # the variable of what the loop gave

    def constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, complex, str, bytes, type(None))):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value: Any = node.operand.value
            if type(value) in (int, float, complex):
                return -value
        raise _NotStraight

    def argument(self, node: ast.expr) -> int:
        kind, number, _ = self.name(node)
        if kind != _ARGUMENT:
            raise _NotStraight
        return number

    def name(self, node: ast.expr) -> Operand:
        if not isinstance(node, ast.Name) or node.id not in self.known:
            raise _NotStraight
        return self.known[node.id]

    def size(self, node: ast.expr, axis: int) -> Operand:
        if self.operands is not None:  # the loop may have changed it
            raise _NotStraight
        self.sizes.append((self.argument(node), axis))
        return _SIZE, len(self.sizes) - 1, None

    def value(self, node: ast.expr) -> Operand:
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and "len" not in self.known:
            if len(node.args) != 1 or node.keywords:
                raise _NotStraight
            return self.size(node.args[0], -1)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            axis = self.constant(node.slice)
            if type(axis) is not int or axis < 0:
                raise _NotStraight
            return self.size(node.value.value, axis)
        return _CONSTANT, 0, self.constant(node)

    # Statements.

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.known[target.id] = self.value(value)
            return
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or len(target.elts) != len(value.elts):
            raise _NotStraight
        values = [self.value(each) for each in value.elts]
        for each, found in zip(target.elts, values, strict=True):
            if not isinstance(each, ast.Name):
                raise _NotStraight
            self.known[each.id] = found

    def call(self, held: str, call: ast.Call) -> None:
        self.held, self.operands = held, []
        for number, each in enumerate(call.args):
            if isinstance(each, ast.Name) and each.id == UNBOUND_NAME:
                self.nothing.append(number)
                self.operands.append((_CONSTANT, 0, None))
            else:
                self.operands.append(self.name(each))

    def given(self, target: ast.expr) -> None:
        if not isinstance(target, ast.Tuple) or len(target.elts) > _MOST_GIVEN + 1:
            raise _NotStraight
        for number, each in enumerate(target.elts[1:]):
            assert isinstance(each, ast.Name)
            self.known[each.id] = _GIVEN, number, None

    def is_returned(self, statement: ast.If) -> bool:
        texts = [ast.unparse(each) for each in (statement.test, *statement.body, *statement.orelse)]
        return self.operands is not None and texts == [f"{self.held}[0] == 1", f"return {self.held}[1]"]

    @staticmethod
    def is_never(statement: ast.If) -> bool:
        """What makes variables local is never done."""
        return isinstance(statement.test, ast.Constant) and statement.test.value is False and not statement.orelse

    def statement(self, statement: ast.stmt) -> None:
        """One before the end."""
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == self.part and isinstance(target, ast.Name):
                return self.call(target.id, value)
            if isinstance(value, ast.Name) and value.id == self.held != "":
                return self.given(target)
            return self.bind(target, value)
        if isinstance(statement, ast.If) and (self.is_returned(statement) or self.is_never(statement)):
            return None
        if isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant):
                self.name(statement.value)  # whether it is bound
            return None
        raise _NotStraight

    def end(self, statement: ast.stmt | None) -> tuple[tuple[Operand, ...], bool]:
        value = statement.value if isinstance(statement, ast.Return) else None
        if isinstance(value, ast.Tuple):
            return tuple(self.result(each) for each in value.elts), True
        return ((self.result(value),) if value is not None else ()), False

    def result(self, node: ast.expr) -> Operand:
        return self.name(node) if isinstance(node, ast.Name) else (_CONSTANT, 0, self.constant(node))


def straight_of(tree: ast.FunctionDef | ast.AsyncFunctionDef, parts: Sequence[Any]) -> Straight | None:
    """What the frame does, if it is a straight one. `parts`: those that it calls."""
    arguments = tree.args
    if not isinstance(tree, ast.FunctionDef) or len(parts) != 1 or parts[0].loop is None or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    reader = _Reader(tree, parts[0].name)
    body = list(tree.body)
    last = body.pop() if body and isinstance(body[-1], ast.Return) else None
    try:
        for statement in body:
            reader.statement(statement)
        results, is_tuple = reader.end(last)
    except _NotStraight:
        return None
    if reader.operands is None:
        return None
    nothing = tuple(reader.nothing)
    return Straight(len(reader.parameters), tuple(reader.sizes), tuple(reader.operands), results, is_tuple, nothing)
