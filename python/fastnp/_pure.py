"""What computes and does nothing else: loops and functions that may be recorded once for many iterations.

Statements may bind variables, and nothing else. Names from outside must stand for values that nobody changes by reading them: arrays, numbers, texts, and
tuples, lists and dicts of these; modules; functions that are such themselves; plain attributes of objects. What is called by a variable is looked at when
it is called (`may_be_called`).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy

from fastnp import _core, _syntax
from fastnp._control import Transformed
from fastnp._names import Live, Uses, bound_after, escapes
from fastnp._stand_ins import is_value

__all__ = ["Load", "computes_alone", "is_pure", "is_unchanging", "loads_of", "may_be_called"]

Load = tuple[bool, str, tuple[str, ...]]  # whether it is called; a name, or an empty one for what is computed; and attributes of it

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.For, ast.Pass)
_IN_FUNCTIONS = (*_STATEMENTS, ast.Return, ast.While, ast.Break, ast.Continue, ast.Raise, ast.Assert)
_NEVER = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_NEW = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Constant,
    ast.JoinedStr,
    ast.List,
    ast.Tuple,
    ast.ListComp,
)  # expressions that give an object of their own
_BUILTINS = frozenset("abs all any bool complex divmod enumerate float int len max min pow range reversed round sum tuple zip".split())
_MODULES = frozenset(["fastnp", "math", "numpy", "operator"])
_CONTAINERS = (tuple, list, dict)
_NOTHING: Mapping[str, Any] = {}
_MISSING = object()


# Statements.


def _binds_alone(statements: list[ast.stmt], allowed: tuple[type, ...], parameters: Iterable[str] = ()) -> bool:
    """Whether they bind variables, and make no functions. What is added to in place must have been made there: it may be another name's, too."""
    added, others = set(), set(parameters)
    for node in (node for statement in statements for node in _syntax.walk(statement)):
        if isinstance(node, _NEVER) or (isinstance(node, ast.stmt) and not isinstance(node, allowed)):
            return False
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            added.add(node.target.id)
        elif isinstance(node, ast.Assign) and not isinstance(node.value, _NEW):
            others |= Uses(*node.targets).stores
        elif isinstance(node, (ast.AnnAssign, ast.For)):
            others |= Uses(node.target).stores
    return added.isdisjoint(others)


def computes_alone(loop: ast.For, function: ast.AST) -> list[str] | None:
    """The variables whose values an iteration hands to the next one, or to what follows; None where one does more than to compute them."""
    if loop.orelse or not isinstance(loop.target, ast.Name) or not _binds_alone(loop.body, _STATEMENTS):
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
    inside = {id(node) for statement in loop.body for node in _syntax.walk(statement)}
    return {node.id for node in _syntax.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inside}


def _is_raised(body: list[ast.stmt], number: str) -> bool:
    """Whether there are powers or shifts of the number of the iteration, which may leave 64 bits."""
    return any(
        isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, (ast.Pow, ast.LShift)) and number in Uses(node).reads
        for statement in body
        for node in _syntax.walk(statement)
    )


def loads_of(statements: Iterable[ast.AST]) -> set[Load]:
    """What they read and call, but for what comprehensions bind."""
    own = {name for node in _all(statements) if isinstance(node, ast.comprehension) for name in Uses(node.target).stores}
    return {load for each in statements for load in _loads(each) if load[1] not in own}


def _all(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    return (node for statement in statements for node in _syntax.walk(statement))


def _loads(node: ast.AST, is_called: bool = False) -> Iterator[Load]:
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            yield is_called, node.id, tuple(attributes)
        return
    if is_called:
        yield True, "", tuple(attributes)
    for child in _syntax.children(node):
        yield from _loads(child, isinstance(node, ast.Call) and child is node.func)


# Values.


def is_unchanging(value: Any) -> bool:
    """Whether reading it changes nothing, and nothing is done to it but by what is looked at: not so NumPy's arrays, which are written to in place."""
    if isinstance(value, _CONTAINERS):
        return type(value) in _CONTAINERS and all(map(is_unchanging, value.values() if type(value) is dict else value))
    return type(value) in (_core.ndarray, _core._Size, _core._Float, numpy.dtype) or is_value(value) or isinstance(value, types.ModuleType)


def may_be_called(function: Any) -> bool:
    """Whether a function computes, and does nothing else."""
    return _computes(function, set())


def is_pure(load: Load, reader: Any) -> bool:
    """Whether what a function reads or calls by that name only computes."""
    return _is_pure(load, reader, _NOTHING, set())


def _is_pure(load: Load, reader: Any, given: Mapping[str, Any], seen: set[Any]) -> bool:
    """`given`: what is known of the reader's parameters."""
    is_called, name, attributes = load
    code = reader.__code__
    if name == "":
        return len(attributes) > 0  # a method: it is looked at when it is called, but not what a call or a subscript gives
    if name in given:
        value = given[name]
    elif name in code.co_varnames or name in code.co_cellvars:
        return True
    elif name in code.co_freevars:
        cell = reader.__closure__[code.co_freevars.index(name)]
        value = _contents(cell)
    elif name in reader.__globals__:
        value = reader.__globals__[name]
    else:
        return name in _BUILTINS and not attributes and hasattr(builtins, name)
    for attribute in attributes:
        value = _attribute(value, attribute)
    if value is _MISSING:
        return False
    return _computes(value, seen) if is_called or callable(value) else is_unchanging(value)


def _contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _attribute(value: Any, name: str) -> Any:
    """An attribute that is read without anything being run for it, but for modules' and arrays'."""
    if isinstance(value, types.ModuleType):
        is_known = value.__name__.partition(".")[0] in _MODULES and name != "random"
        return getattr(value, name, _MISSING) if is_known or name in vars(value) else _MISSING
    if is_unchanging(value) and not isinstance(value, _CONTAINERS):
        return getattr(value, name, _MISSING)
    own, of_class = inspect.getattr_static(value, "__dict__", _NOTHING), inspect.getattr_static(type(value), name, _MISSING)
    if hasattr(of_class, "__set__") or hasattr(type(value), "__getattr__"):
        return _MISSING
    if isinstance(own, dict) and name in own:
        return own[name]
    return types.MethodType(of_class, value) if isinstance(of_class, types.FunctionType) else _MISSING


def _computes(function: Any, seen: set[Any]) -> bool:
    if isinstance(function, types.BuiltinFunctionType):
        of = function.__self__
        if isinstance(of, types.ModuleType):
            return function.__name__ in _BUILTINS or of.__name__.partition(".")[0] in _MODULES
        return of is None or isinstance(of, (_core.ndarray, numpy.ndarray, numpy.generic))
    if isinstance(function, Transformed):
        return all(_computes(each, seen) for each in function.functions())
    if isinstance(function, _core.CompiledFunction):
        function = function.__wrapped__
    given: dict[str, Any] = {}
    if isinstance(function, types.MethodType):
        given, function = {"": function.__self__}, function.__func__
    if isinstance(function, type):
        return function in (dict, list) or function.__name__ in _BUILTINS or issubclass(function, numpy.generic)
    if not isinstance(function, types.FunctionType):
        return type(function).__module__ in ("fastnp", "fastnp._core", "numpy")  # ufuncs and the like
    if (function.__module__ or "").partition(".")[0] in _MODULES:
        return "random" not in function.__module__
    return _is_pure_function(function, {function.__code__.co_varnames[0]: given[""]} if given and function.__code__.co_argcount else {}, seen)


def _is_pure_function(function: types.FunctionType, given: dict[str, Any], seen: set[Any]) -> bool:
    """`given`: what is known of its parameters."""
    key = function.__code__, *map(id, given.values())
    if key in seen:
        return True
    seen.add(key)
    from fastnp._roll import source_of  # which needs this

    tree = source_of(function).tree
    if tree is None or not all(map(is_unchanging, (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()))):
        return False
    body = [ast.copy_location(ast.Expr(tree.body), tree.body)] if isinstance(tree, ast.Lambda) else tree.body
    parameters = {node.arg for node in _syntax.walk(tree.args) if isinstance(node, ast.arg)}
    return _binds_alone(body, _IN_FUNCTIONS, parameters) and all(_is_pure(load, function, given, seen) for load in loads_of(body))
