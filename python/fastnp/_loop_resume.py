"""What Python does where a program leaves a loop: the rest of the iteration at hand, from the statement at which it was left, as written.

The functions made here take the loop's variables, and give (how it ended, what the variables are then), or (RETURNS, the result).
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from typing import Any

from fastnp import _syntax
from fastnp._loop_values import UNBOUND

__all__ = ["ENDS", "GOES_ON", "LOCALS", "NAMES", "RETURNS", "UNBOUND_NAME", "else_of", "remaining", "rest_of_iteration"]

GOES_ON, RETURNS, ENDS = 0, 1, 2
ITEMS = "_fastnp_items"  # parameters: what the loops around the statement still go over
LOCALS = "_fastnp_locals"  # what these functions call: locals()
UNBOUND_NAME = "_fastnp_nothing"  # what stands for a variable that is not bound
NAMES = {LOCALS: types.CellType(builtins.locals), UNBOUND_NAME: types.CellType(UNBOUND)}

Path = list[tuple[str, int]]  # of fields and positions


def path_to(body: list[Any], statement: ast.stmt) -> Path | None:
    """The way to a statement from a block of statements."""
    for number, each in enumerate(body):
        if each is statement:
            return [("body", number)]
        for field in ("body", "orelse"):
            inner = path_to(getattr(each, field, None) or [], statement) if isinstance(each, (ast.If, ast.For, ast.While)) else None
            if inner is not None:
                return [("body", number), (field, inner[0][1]), *inner[1:]]
    return None


class _Returns(ast.NodeTransformer):
    """``return x`` says that it is one."""

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.Constant(None)
        return _syntax.located(ast.copy_location(ast.Return(ast.Tuple([ast.Constant(RETURNS), value], ast.Load())), node))

    def _stop(self, node: Any) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _stop


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _rest(block: list[Any], path: Path, loops: int) -> tuple[list[Any], int]:
    """The statements of a block from the one that a path leads to; and how many loops are resumed in it."""
    number = path[0][1]
    statement, after = block[number], block[number + 1 :]
    if len(path) == 1:
        return [statement, *after], loops
    field, inner_path = path[1][0], path[1:]
    inner = getattr(statement, field)
    if isinstance(statement, ast.If) or field == "orelse":  # of a loop: that has ended
        rest, loops = _rest(inner, inner_path, loops)
        return [*rest, *after], loops
    flag = f"_fastnp_resumed_{id(statement)}"
    full = _syntax.copied(statement.body)
    if isinstance(statement, ast.For):
        item, items = f"_fastnp_item_{loops}", f"{ITEMS}_{loops}"
        rest, loops = _rest(inner, inner_path, loops + 1)
        again = [ast.Assign([statement.target], _load(item)), *full]
        resumed: Any = ast.For(ast.Name(item, ast.Store()), _load(items), [], statement.orelse, None)
    else:
        rest, loops = _rest(inner, inner_path, loops)
        again = full
        resumed = ast.While(ast.BoolOp(ast.Or(), [_load(flag), statement.test]), [], statement.orelse)
    resumed.body = [ast.If(_load(flag), [_assign(flag, ast.Constant(False)), *rest], again)]
    return [_assign(flag, ast.Constant(True)), ast.copy_location(resumed, statement), *after], loops


def _function(loop: Any, body: list[Any], names: list[str], more: list[str], name: str) -> ast.FunctionDef:
    forget: list[ast.stmt] = [
        ast.If(ast.Compare(_load(each), [ast.Is()], [_load(UNBOUND_NAME)]), [ast.Delete([ast.Name(each, ast.Del())])], []) for each in names
    ]
    arguments = ast.arguments([], [ast.arg(each) for each in (*names, *more)], None, [], [], None, [])
    extra: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}
    made = ast.FunctionDef(name, arguments, [*forget, *body], [], **extra)
    for statement in _syntax.walk(made):
        if isinstance(statement, (ast.stmt, ast.expr)) and not hasattr(statement, "lineno"):
            ast.copy_location(statement, loop)
    return _syntax.located(ast.copy_location(made, loop))


def _ended(how: int) -> ast.Return:
    return ast.Return(ast.Tuple([ast.Constant(how), ast.Call(_load(LOCALS), [], [])], ast.Load()))


def rest_of_iteration(loop: Any, statement: ast.stmt, names: list[str], name: str) -> ast.FunctionDef:
    """From a statement in the loop to the end of the iteration at hand."""
    path = path_to(loop.body, statement)
    assert path is not None
    rest, loops = _rest(_syntax.copied(loop).body, path, 0)
    rest = [_Returns().visit(each) for each in rest]
    once = ast.For(ast.Name("_fastnp_once", ast.Store()), ast.Tuple([ast.Constant(0)], ast.Load()), rest, [_ended(GOES_ON)], None)
    return _function(loop, [once, _ended(ENDS)], names, [f"{ITEMS}_{number}" for number in range(loops)], name)


def remaining(loop: Any, names: list[str], name: str) -> ast.FunctionDef:
    """The loop as written, over what it still goes over."""
    made = _Returns().visit(_syntax.copied(loop))
    if isinstance(made, ast.For):
        made.iter = ast.copy_location(_load(ITEMS), made.iter)
    more = [ITEMS] if isinstance(made, ast.For) else []
    return _function(loop, [made, _ended(ENDS)], names, more, name)


def else_of(loop: Any, names: list[str], name: str) -> ast.FunctionDef:
    """What a loop does that has ended by itself."""
    body = [_Returns().visit(each) for each in _syntax.copied(loop.orelse)]
    return _function(loop, [*body, _ended(ENDS)], names, [], name)
