"""Comprehensions in native loops and regions, as the loops that they are: ``y = [f(v) for v in x if v]`` is ``y = []`` and a loop that appends."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from fastnp import _syntax
from fastnp._names import Names, Uses, after, deleted

__all__ = ["expanded", "is_comprehension", "table_of"]

_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def table_of(node: Any) -> tuple[list[ast.expr], ast.expr | None, ast.expr] | None:
    """(items, how often they are repeated, rows) of ``[[0] * m for _ in range(n)]`` and the like: lists of one length, alike and apart; None of others."""
    rows = _count_of(node)
    if rows is None:
        return None
    row, times = node.elt, None
    if (columns := _count_of(row)) is not None:
        items, times, parts = [row.elt], columns, [row.elt, columns]
    elif isinstance(row, ast.BinOp) and isinstance(row.op, ast.Mult) and isinstance(row.left, ast.List):
        items, times, parts = row.left.elts, row.right, [*row.left.elts, row.right]
    elif isinstance(row, ast.List):
        items, parts = row.elts, row.elts
    else:
        return None
    targets = Uses(*(each.generators[0].target for each in (node, row) if isinstance(each, ast.ListComp))).stores
    inner = [each for part in parts for each in _syntax.walk(part)]
    if not items or not all(map(_is_repeatable, inner)) or targets & Uses(*parts).reads:
        return None
    return items, times, rows


def _is_repeatable(node: ast.AST) -> bool:
    """Whether it may be computed once for all rows: it changes nothing, whatever its variables are."""
    if isinstance(node, ast.Call):  # `len` is looked at where it is called
        return isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name)
    return isinstance(node, (ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context))


def _count_of(node: Any) -> ast.expr | None:
    """The count of ``[... for _ in range(count)]``."""
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        return None
    each = node.generators[0]
    counts = each.iter
    if each.ifs or each.is_async or not isinstance(each.target, ast.Name) or not isinstance(counts, ast.Call) or counts.keywords:
        return None
    is_range = isinstance(counts.func, ast.Name) and counts.func.id == "range" and len(counts.args) == 1
    return counts.args[0] if is_range and not any(isinstance(part, _SCOPES) for part in _syntax.walk(counts)) else None


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node


def is_comprehension(statement: Any) -> bool:
    return getattr(statement, "fastnp_comprehension", False)


def expanded(tree: Any, is_wanted: Callable[[ast.stmt], bool]) -> tuple[Any, frozenset[str]]:
    """A function's definition with other statements where such comprehensions are bound to a variable or returned, and the variables that they have."""
    if not isinstance(tree, ast.FunctionDef) or any(isinstance(each, (ast.Try, ast.TryStar, ast.Global, ast.Nonlocal)) for each in _syntax.walk(tree)):
        return tree, frozenset()
    tree = _syntax.copied(tree)
    made: set[str] = set()
    captured = Uses(*tree.body).captured  # which other functions would see while they grow
    parameters = frozenset(each.arg for each in _syntax.walk(tree.args) if isinstance(each, ast.arg))
    local = Uses(*tree.body).stores
    _block(tree.body, lambda each, bound: is_wanted(each) and _has_bound(each, bound, local), made, captured, parameters)
    return tree, frozenset(made)


def _has_bound(statement: Any, bound: Names, local: set[str]) -> bool:
    """Whether the variables that a comprehension reads are bound: before Python 3.12 it is a function, which has other words for those that are not."""
    value = getattr(statement, "value", None)
    if sys.version_info >= (3, 12) or not isinstance(value, ast.ListComp):
        return True
    own = Uses(*(each.target for each in value.generators)).stores
    return not (Uses(value).reads - Uses(value.generators[0].iter).reads - own) & local - bound


def _block(block: list[Any], is_wanted: Callable[[ast.stmt, Names], bool], made: set[str], captured: set[str], bound: Names) -> None:
    """`bound`: variables that are."""
    found: list[Any] = []
    for statement in block:
        then = after(statement, bound)
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            targets = Uses(statement.target).stores if isinstance(statement, ast.For) else set()
            inside = bound if isinstance(statement, ast.If) else bound - deleted(statement)
            _block(statement.body, is_wanted, made, captured, inside | targets)
            _block(statement.orelse, is_wanted, made, captured, inside)
        found += (_loops(statement, made, captured) if is_wanted(statement, bound) else None) or [statement]
        bound = bound if then is None else then
    block[:] = found


def _loops(statement: Any, made: set[str], captured: set[str]) -> list[Any] | None:
    value = getattr(statement, "value", None)
    if (
        not isinstance(value, ast.ListComp)
        or table_of(value) is not None
        or any(isinstance(each, _SCOPES) for part in _syntax.children(value) for each in _syntax.walk(part))
    ):
        return None
    if any(each.is_async for each in value.generators):
        return None
    if isinstance(statement, ast.Return):
        name = f"_fastnp_list_{len(made)}"
        made.add(name)
        then: list[Any] = [ast.Return(ast.Name(name, ast.Load()))]
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        name, then = statement.targets[0].id, []
        if name in Uses(value).reads | captured:
            return None
    else:
        return None
    first = _syntax.copied(value.generators[0].iter)  # where the names are those around it
    renamed = {each: f"_fastnp_{each}_{len(made)}" for generator in value.generators for each in sorted(Uses(generator.target).stores)}
    made.update(renamed.values())
    inner = _Renamed(renamed).visit(ast.copy_location(ast.ListComp(value.elt, [*value.generators]), value))
    append = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load()), [inner.elt], [])
    body: list[Any] = [ast.Expr(append)]
    for number, generator in reversed(list(enumerate(inner.generators))):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter if number else first, body, [], None)]
    body[0].fastnp_comprehension = True
    found = [ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load())), *body, *then]
    for each in found:
        for node in _syntax.walk(each):
            if isinstance(node, (ast.stmt, ast.expr)) and not hasattr(node, "lineno"):
                ast.copy_location(node, value)
        ast.copy_location(each, statement if not isinstance(each, ast.For) else value)
        _syntax.located(each)
    found[0].end_lineno, found[0].end_col_offset = value.lineno, value.col_offset  # each has a place of its own
    return found
