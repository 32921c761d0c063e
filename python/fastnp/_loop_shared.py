"""Loops whose iterations know nothing of each other: threads share them (src/ir/shared.h).

Each iteration stores to elements of its own, at its number along one axis, reads no others of the arrays that are stored to, and hands no variable on.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _core, _syntax
from fastnp._loop_values import UNBOUND, ArrayState, TupleState, View, ViewState

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["least_shared", "may_share", "tell_parts"]

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While, ast.Expr, ast.Pass, ast.Continue, ast.Break, ast.Raise, ast.Assert)
_LOOPS = (ast.For, ast.While)
_MANY = 1024  # iterations with no loop in them
_CHEAP = frozenset(["len", "min", "max", "abs", "int", "float", "bool", "range", "enumerate", "zip"])
_ARRAYS = (ViewState, ArrayState)
_PLAIN: tuple[Any, ...] = (types.BuiltinFunctionType, type, numpy.ufunc, int, float, complex, bool, str, type(None), numpy.generic)
_MODULES = frozenset(["numpy", "math", "cmath", "fastnp"])
_SIZES = frozenset(["shape", "size", "ndim"])
_PARTS = _SIZES | {"real", "imag", "T", "dtype"}


def least_shared(loop: ast.For) -> int:
    """From how many iterations on it may pay to share a loop; 0: it never does."""
    if any(isinstance(each, _LOOPS) for each in _nodes(loop)):
        return 2
    return _MANY if any(isinstance(each, ast.Pow) or (isinstance(each, ast.Call) and _is_costly(each)) for each in _nodes(loop)) else 0


def _is_costly(call: ast.Call) -> bool:
    return not isinstance(call.func, ast.Name) or call.func.id not in _CHEAP


def may_share(walk: Walk, loop: ast.For) -> tuple[list[str], list[str]] | None:
    """The arrays that a loop over a range stores to, and those that it reads which may be the same ones, if nothing else speaks against doing its
    iterations side by side; else None."""
    if not isinstance(loop.target, ast.Name) or loop.orelse or not least_shared(loop) or _is_left(loop.body):
        return None
    uses, number = walk.uses(loop), loop.target.id
    if uses.captured or uses.stores & walk.frame.live.head[id(loop)]:
        return None
    outside = uses.reads - walk.frame.local
    known = {name for name in outside if isinstance(walk.frame.function.__globals__.get(name), (numpy.ndarray, _core.ndarray))}
    if _knows_arrays(walk.frame.function, outside - known, set()):
        return None
    axes: dict[str, int] = {}
    for node in _nodes(loop):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return None
        if isinstance(node, ast.Name) and node.id == number and not isinstance(node.ctx, ast.Load):
            return None
        if isinstance(node, ast.Attribute) and not _is_of_module_or_part(walk, node):
            return None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            name, axis = _place(node, number)
            if name is None or name in uses.stores or axes.setdefault(name, axis) != axis:
                return None
    if not axes or not _reads_its_own(loop, number, axes):
        return None
    read = _may_be_stored(walk, uses.reads | uses.stores, axes, known)
    return None if read is None else (sorted(axes), read)


def tell_parts(walk: Walk, stored: list[str], read: list[str]) -> bool:
    """Says which memory the loop that follows stores to, and which must not be the same; whether that is known."""
    views = [walk.value(ast.Name(name, ast.Load())) for name in (*stored, *read)]
    if any(type(each) is not View for each in views):
        return False
    steps = walk.steps
    starts = [steps.whole(0) if view.offset is None else view.offset for view in views]
    for number, (view, start) in enumerate(zip(views, starts, strict=True)):
        steps.add("part", view.dtype, a=view.array, b=start, bits=int(number >= len(stored)))
        for size, stride in zip(view.sizes, view.strides, strict=True):
            steps.add("extent", b=size, c=stride)
    return True


def _nodes(loop: ast.For) -> Iterator[Any]:
    for statement in loop.body:
        yield from _syntax.walk(statement)


def _is_left(statements: list[ast.stmt]) -> bool:
    """Whether a `break` of the loop is among its statements, or a `return`."""
    for statement in statements:
        if isinstance(statement, (ast.Break, ast.Return)):
            return True
        if isinstance(statement, ast.If) and _is_left([*statement.body, *statement.orelse]):
            return True
        if isinstance(statement, _LOOPS) and (any(isinstance(each, ast.Return) for each in _syntax.walk(statement)) or _is_left(statement.orelse)):
            return True
    return False


def _is_of_module_or_part(walk: Walk, node: ast.Attribute) -> bool:
    """Whether it is a module's, or a size or part of a variable: other attributes may be arrays that a variable is, too."""
    base: Any = node
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        return node.attr in _PARTS and isinstance(base, ast.Subscript)
    return base.id not in walk.frame.local or node.attr in _PARTS


def _place(node: ast.Subscript, number: str) -> tuple[str | None, int]:
    """The variable of which this is an element or a part at the iteration's number, and along which axis that is."""
    while isinstance(node.value, ast.Subscript):
        node = node.value
    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for axis, index in enumerate(indices):
        if isinstance(index, ast.Name) and index.id == number:
            return (node.value.id if isinstance(node.value, ast.Name) else None), axis
        if isinstance(index, (ast.Starred, ast.Constant)) and not (isinstance(index, ast.Constant) and type(index.value) is int):
            break  # the axes behind it are not known
    return None, -1


def _reads_its_own(loop: ast.For, number: str, axes: dict[str, int]) -> bool:
    """Whether the arrays that are stored to are nowhere but at the iteration's number, or asked for their sizes."""
    known: set[int] = set()
    for node in _nodes(loop):
        if isinstance(node, ast.Attribute) and node.attr in _SIZES:
            known.add(id(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            known.update(id(each) for each in node.args)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in axes:
            if _place(node, number) != (node.value.id, axes[node.value.id]):
                return False
            known.add(id(node.value))
        elif isinstance(node, ast.Name) and node.id in axes and id(node) not in known:
            return False
    return True


def _may_be_stored(walk: Walk, names: set[str], stored: dict[str, int], outside: set[str]) -> list[str] | None:
    """The other arrays among the variables of the loop that may be one that is stored to, which the run has to look at; None where one is for certain, or
    it can't be known. `outside`: arrays that it reads by name from outside."""
    env = walk.current()
    held = [env.get(name) for name in stored]
    arrays = {each.array for each in held if isinstance(each, _ARRAYS)}
    others = {name: env[name] for name in names - stored.keys() if name in env}
    if len(arrays) != len(held) or any(type(each) is TupleState and _has_arrays(each) for each in others.values()):
        return None
    others = {name: each for name, each in others.items() if isinstance(each, _ARRAYS)}
    unnamed: list[Any] = [each for each in walk.fields.held.values() if isinstance(each, _ARRAYS)]
    unnamed += [walk.value(ast.Name(name, ast.Load())) for name in sorted(outside)]
    if any(type(each) is ArrayState and UNBOUND in each.recipes for each in (*held, *others.values())):
        return None
    if not all(isinstance(each, (*_ARRAYS, View)) for each in unnamed) or any(each.array in arrays for each in (*others.values(), *unnamed)):
        return None
    changes = any(type(each) is ArrayState for each in (*held, *others.values()))
    return None if changes and unnamed else sorted(others) if changes else []


def _knows_arrays(function: types.FunctionType, names: Iterable[str], seen: set[int]) -> bool:
    """Whether arrays, or objects that may have some, are among what a function reads by these names from outside, or a function does that it calls."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name in names:
        try:
            value = cells[name].cell_contents if name in cells else function.__globals__.get(name)
        except ValueError:  # a cell without anything in it
            return True
        if isinstance(value, types.FunctionType):
            code = value.__code__
            if id(code) not in seen and value.__module__ not in ("numpy", "math"):
                seen.add(id(code))
                if _knows_arrays(value, (*code.co_names, *code.co_freevars), seen):
                    return True
        elif isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] not in _MODULES:
                return True
        elif not isinstance(value, _PLAIN):
            return True
    return False


def _has_arrays(held: TupleState) -> bool:
    return any(isinstance(each, _ARRAYS) or (type(each) is TupleState and _has_arrays(each)) for each in held.items)
