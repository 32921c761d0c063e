"""What is known of whole numbers where a condition holds, and where it does not (``while lo < hi``, ``if 0 <= y < rows``), and of what a loop keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_numbers import COMPARE
from fastnp._loop_program import INT, NOTHING, position_of
from fastnp._loop_scan import NEAR
from fastnp._loop_values import MaybeState, State, is_one_number, without_kind
from fastnp._loop_whole import MIRRORED

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["bound_what_stays", "narrowed"]

_BY_NAME = {name: op for op, (_, name) in COMPARE.items()}
_INVERSE: dict[type, type] = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.NotEq: ast.Eq}
_TURNED = {op: _BY_NAME[MIRRORED[name]] for name, op in _BY_NAME.items() if op is not ast.NotEq}

_Bounds = tuple[int | None, int | None]  # the least one and the most one that it may be, if they are known


def narrowed(env: dict[str, Any], test: ast.expr, holds: bool) -> dict[str, Any]:
    """What is known of variables where a condition holds, or does not."""
    found = env
    for name, op, other in _relations(test, holds):
        state: Any = found.get(name)
        if not _is_whole(state):
            continue
        low, high = _bounds_of(found, other)
        least = [state.low] if op not in (ast.Gt, ast.GtE, ast.Eq) or low is None else [state.low, low + (op is ast.Gt)]
        most = [state.high] if op not in (ast.Lt, ast.LtE, ast.Eq) or high is None else [state.high, high - (op is ast.Lt)]
        low, high = (max(_known(least), default=None), min(_known(most), default=None))
        if (low, high) != (state.low, state.high) and not (low is not None and high is not None and low > high):
            found = {**found, name: State(state.kinds, low, high)}
    for name, is_none in _nothings(test, holds):
        held: Any = found.get(name)
        if type(held) in (State, MaybeState) and position_of(held.kinds, NOTHING) >= 0 and (len(held.kinds) > 1 or type(held) is MaybeState):
            found = {**found, name: State((NOTHING,)) if is_none else without_kind(held, NOTHING)}
    return found


def _nothings(test: ast.expr, holds: bool) -> Iterator[tuple[str, bool]]:
    """Variables that are None then, or are not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _nothings(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        for each in test.values:
            yield from _nothings(each, holds)
    elif isinstance(test, ast.Name) and holds:
        yield test.id, False
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        other = test.comparators[0]
        if isinstance(other, ast.Constant) and other.value is None and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
            yield test.left.id, isinstance(test.ops[0], (ast.Is, ast.Eq)) == holds


def _known(bounds: list[int | None]) -> list[int]:
    return [each for each in bounds if each is not None]


def _is_whole(state: Any) -> bool:
    if type(state) is not State or not is_one_number(state):
        return False
    kind = state.kinds[0]
    return kind is INT or (isinstance(kind, numpy.dtype) and kind.kind in "iu")


def _relations(test: ast.expr, holds: bool) -> Iterator[tuple[str, type, ast.expr]]:
    """(variable, comparison, what it is compared with) of all that is so then."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _relations(test.operand, not holds)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        for each in test.values:
            yield from _relations(each, holds)
    elif isinstance(test, ast.Compare) and (holds or len(test.ops) == 1):
        operands = [test.left, *test.comparators]
        for op, left, right in zip(test.ops, operands, operands[1:], strict=False):
            so = type(op) if holds else _INVERSE.get(type(op))
            if so not in _TURNED:
                continue
            if isinstance(left, ast.Name):
                yield left.id, so, right
            if isinstance(right, ast.Name):
                yield right.id, _TURNED[so], left


def _bounds_of(env: dict[str, Any], value: ast.expr) -> _Bounds:
    if isinstance(value, ast.Constant):
        return (value.value, value.value) if type(value.value) is int else (None, None)
    if isinstance(value, ast.Name):
        state: Any = env.get(value.id)
        return (state.low, state.high) if _is_whole(state) else (None, None)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        low, high = _bounds_of(env, value.operand)
        return None if high is None else -high, None if low is None else -low
    return None, None


def bound_what_stays(walk: Walk, loop: ast.For | ast.While) -> None:
    """Integers that the loop does not change are far from the largest ones."""
    changed, held = walk.uses(loop).stores, walk.fields.held
    stay = [(walk.current(), name) for name in sorted(walk.current()) if name not in changed]
    for env, name in [*stay, *((held, name) for name in sorted(held) if name not in walk.stored_fields)]:
        if env[name] == State((INT,)) and -NEAR <= walk.fields.objects[name] <= NEAR:
            walk.numbers.within(walk.steps.get(walk.slots.variable((walk.frame.key, name), INT)), -NEAR, NEAR)
            env[name] = State((INT,), -NEAR, NEAR)
