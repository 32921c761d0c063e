"""What computes and does nothing else: loops and functions that may be recorded once for many iterations."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any

import numpy

from fastnp import _core
from fastnp._control import Transformed
from fastnp._names import Live, Uses, bound_after, escapes

__all__ = ["Called", "calls_of", "computes_alone", "is_pure", "may_be_called"]

Called = tuple[str, ...]  # a dotted name; what is called of an expression begins with an empty one

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.For, ast.Pass)
_IN_FUNCTIONS = (*_STATEMENTS, ast.Return, ast.While, ast.Break, ast.Continue, ast.Raise, ast.Assert)
_NEVER = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_BUILTINS = frozenset("abs all any bool complex divmod enumerate float int isinstance len max min pow range reversed round sum tuple zip".split())
_METHODS = frozenset(
    "all any argmax argmin astype clip conj conjugate copy cumprod cumsum diagonal dot flatten max mean min prod ravel repeat reshape round squeeze std"
    " sum swapaxes take trace transpose var".split()
)
_ARRAYS = (_core.ndarray, numpy.ndarray, numpy.generic)
_TYPES = frozenset([bool, complex, dict, enumerate, float, int, list, range, reversed, tuple, zip])
_MODULES = frozenset(["fastnp", "math", "numpy", "operator"])


def _is_plain(statements: Iterable[ast.stmt], allowed: tuple[type, ...]) -> bool:
    """Whether they bind variables alone, and make no functions."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, _NEVER) or (isinstance(node, ast.stmt) and not isinstance(node, allowed)):
                return False
            if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
                return False
    return True


def computes_alone(loop: ast.For, function: ast.AST) -> list[str] | None:
    """The variables whose values an iteration hands to the next one, or to what follows; None where one does more than to compute them."""
    if loop.orelse or not isinstance(loop.target, ast.Name) or not _is_plain(loop.body, _STATEMENTS):
        return None
    number, bound = loop.target.id, Uses(*loop.body).stores
    if number in bound or any(escapes(statement) for statement in loop.body) or _is_raised(loop.body, number):
        return None
    if bound & Uses(*getattr(function, "body", [])).captured:
        return None
    read = Live().before(loop.body, set(), set(), set()) | _read_elsewhere(loop, function)
    states = bound & read
    return sorted(states) if states and states <= (bound_after(loop.body, frozenset()) or frozenset()) else None


def _read_elsewhere(loop: ast.For, function: ast.AST) -> set[str]:
    inside = {id(node) for statement in loop.body for node in ast.walk(statement)}
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inside}


def _is_raised(body: list[ast.stmt], number: str) -> bool:
    """Whether there are powers or shifts of the number of the iteration, which may leave 64 bits."""
    return any(
        isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.Pow, ast.LShift)) and number in Uses(node).reads
        for statement in body
        for node in ast.walk(statement)
    )


def calls_of(statements: Iterable[ast.stmt]) -> set[Called]:
    return {_called(node.func) for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Call)}


def _called(node: ast.expr) -> Called:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else "", *reversed(names))


def may_be_called(function: Any) -> bool:
    """Whether a function that is handed over computes, and does nothing else."""
    if isinstance(function, types.BuiltinFunctionType):
        of = function.__self__
        if not isinstance(of, types.ModuleType):
            return of is None or isinstance(of, _ARRAYS)
        return function.__name__ in _BUILTINS or of.__name__.partition(".")[0] in _MODULES
    if isinstance(function, (types.FunctionType, types.MethodType, _core.CompiledFunction, Transformed)):
        return _does_compute(function, ("",), set())
    if isinstance(function, type):
        return function in _TYPES or issubclass(function, numpy.generic)
    return type(function).__module__ in ("fastnp", "fastnp._core", "numpy")  # ufuncs and the like


def is_pure(call: Called, caller: Any) -> bool:
    """Whether what a function calls by that name computes, and does nothing else."""
    return _is_pure(call, caller, set())


def _is_pure(call: Called, caller: Any, seen: set[types.CodeType]) -> bool:
    code, first = caller.__code__, call[0]
    cells = dict(zip(code.co_freevars, caller.__closure__ or (), strict=True))
    if first in cells:
        try:
            found = cells[first].cell_contents
        except ValueError:
            return False
    elif first in code.co_varnames or first in code.co_cellvars:
        return True  # it is looked at when it is called
    elif first == "":
        return len(call) > 1  # ... and so is a method, but not what a call or a subscript gives
    elif first in caller.__globals__:
        found = caller.__globals__[first]
    else:
        return len(call) == 1 and first in _BUILTINS
    return _does_compute(found, call, seen)


def _does_compute(found: Any, call: Called, seen: set[types.CodeType]) -> bool:
    root = str(getattr(found, "__name__", "")).partition(".")[0]
    if (isinstance(found, types.ModuleType) or hasattr(type(found), "__getattr__")) and root in _MODULES:
        return len(call) > 1 and "random" not in call
    for name in call[1:]:
        if isinstance(found, (*_ARRAYS, int, float, complex, tuple)):
            return name == call[-1] and name in _METHODS
        found = getattr(found, name, None)
    if isinstance(found, Transformed):
        return all(_does_compute(each, call[:1], seen) for each in found.functions())
    if isinstance(found, types.MethodType):
        found = found.__func__
    if isinstance(found, _core.CompiledFunction):
        found = found.__wrapped__
    if not isinstance(found, types.FunctionType):
        return may_be_called(found)
    if found.__module__.partition(".")[0] in _MODULES:
        return "random" not in found.__module__
    return _computes(found, seen)


def _computes(function: types.FunctionType, seen: set[types.CodeType]) -> bool:
    if function.__code__ in seen:
        return True
    seen.add(function.__code__)
    from fastnp._roll import source_of  # which needs this

    tree = source_of(function).tree
    if tree is None:
        return False
    body = [ast.Expr(tree.body)] if isinstance(tree, ast.Lambda) else tree.body
    return _is_plain(body, _IN_FUNCTIONS) and all(_is_pure(call, function, seen) for call in calls_of(body))
