"""Python's folds in programs: ``sum(x * x for x in v)``, ``any``, ``all``, ``max`` and ``min`` of generators, lists and arrays, as functions with loops.

``sum(e for v in it if c)`` becomes a function of the variables that it reads, which is inlined as functions of the user's are:
``total = 0``, ``for v in it: if c: total = total + e``, ``return total``.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from typing import TYPE_CHECKING, Any

from fastnp import _syntax
from fastnp._loop_dicts import DictState, DictView
from fastnp._loop_lists import ListState
from fastnp._loop_nested import Nested
from fastnp._loop_program import FLOAT, Choice, Number, Unsupported, has_value
from fastnp._loop_scan import folded
from fastnp._loop_values import State, is_array
from fastnp._names import Uses

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["FOUND", "Folds"]

FOUND, _IS_NEW, _ITEM, _ITEMS, _START = (f"_fastnp_{each}" for each in ("found", "is_new", "item", "items", "start"))
_SUMS_ARE_EXACTER = sys.version_info >= (3, 12)  # of Python's floats: with what rounding loses


class Folds:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def call(self, function: Any, node: ast.Call) -> Any:
        """What such a call gives; NotImplemented of another one."""
        name = getattr(function, "__name__", "")
        if getattr(builtins, name, None) is not function or not folded(node, name):
            return NotImplemented
        argument = node.args[0]
        start = node.args[1] if len(node.args) > 1 else None
        if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
            return self.checked(name, self.of_generator(name, node, argument, start))
        value = self.walk.value(argument)
        if is_array(value) and len(value.sizes) == 1:
            value = self.walk.arrays.kept(value)
        elif not isinstance(value, (ListState, Nested, DictState, DictView)):
            return self.walk.calls.call(function, [value, *([self.walk.value(start)] if start else [])], {})
        made = self.made(node, lambda: _function(name, _ITEM, ast.Name(_ITEMS, ast.Load()), [_ITEMS, *([_START] if start else [])], start is not None))
        return self.checked(name, self.walk.call_function(made, [value, *([self.walk.value(start)] if start else [])], {}))

    def note(self, value: Any) -> None:
        """What is found of a fold is bound to this."""
        if type(value) is Number:
            self.walk.found_kinds.setdefault(self.walk.frame.key, value.kind)

    def found(self) -> Any:
        """What is found of a fold, where it is read, and so bound; None where it may be of several kinds."""
        walk, name = self.walk, (self.walk.frame.key, FOUND)
        held = walk.current().get(FOUND)
        kinds = [kind for kind in held.kinds if has_value(kind)] if type(held) is State else []
        if not kinds and walk.frame.key in walk.found_kinds:
            kinds = [walk.found_kinds[walk.frame.key]]
        return Number(kinds[0], walk.steps.get(walk.slots.variable(name, kinds[0]))) if len(kinds) == 1 else None

    def of_generator(self, name: str, node: ast.Call, generator: ast.GeneratorExp | ast.ListComp, start: ast.expr | None) -> Any:
        reads = sorted((Uses(ast.Call(node.func, [generator], [])).reads - {name}) & self.walk.frame.local)
        made = self.made(node, lambda: _function(name, generator, None, [*reads, *([_START] if start else [])], start is not None))
        values = [self.walk.value(ast.copy_location(ast.Name(each, ast.Load()), node)) for each in reads]
        return self.walk.call_function(made, [*values, *([self.walk.value(start)] if start else [])], {})

    def made(self, node: ast.Call, make: Any) -> types.FunctionType:
        """The function of a call, which is the same in all rounds of a walk."""
        from fastnp._source import Source

        known, key = self.walk.fold_functions, (self.walk.frame.function, id(node))
        if key not in known:
            tree = make()
            for each in _syntax.walk(tree):
                if isinstance(each, (ast.stmt, ast.expr, ast.arg)):
                    ast.copy_location(each, node)
            known[key] = node, Source(self.walk.frame.function).function_of(_syntax.located(tree))
        function: types.FunctionType = known[key][1]
        return function

    @staticmethod
    def checked(name: str, value: Any) -> Any:
        kinds = [value.kind] if type(value) is Number else [kind for _, kind, _ in value.kinds] if type(value) is Choice else []
        if name == "sum" and _SUMS_ARE_EXACTER and FLOAT in kinds:
            raise Unsupported("adds up Python's floats")
        return value


def _function(name: str, of: Any, iterated: ast.expr | None, parameters: list[str], has_start: bool) -> ast.FunctionDef:
    """`of`: a generator, or the name of the item of what is iterated over."""
    element: ast.expr = ast.Name(of, ast.Load()) if isinstance(of, str) else of.elt
    begin, step, end = _parts_of(name, element, has_start)
    body = step
    if isinstance(of, str):
        assert iterated is not None
        body = [ast.For(ast.Name(of, ast.Store()), iterated, body, [], None)]
    else:
        for generator in reversed(of.generators):
            for test in reversed(generator.ifs):
                body = [ast.If(test, body, [])]
            body = [ast.For(generator.target, generator.iter, body, [], None)]
    arguments = ast.arguments([], [ast.arg(each) for each in parameters], None, [], [], None, [])
    made = ast.parse("def f(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = arguments, [*begin, *body, *end]
    return made


def _parts_of(name: str, element: ast.expr, has_start: bool) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt]]:
    """What is done first, for each element, and last."""

    def load(of: str) -> ast.expr:
        return ast.Name(of, ast.Load())

    def bind(to: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(to, ast.Store())], value)

    if name == "sum":
        total = bind(FOUND, ast.BinOp(load(FOUND), ast.Add(), element))
        return [bind(FOUND, load(_START) if has_start else ast.Constant(0))], [total], [ast.Return(load(FOUND))]
    if name in ("any", "all"):
        test = element if name == "any" else ast.UnaryOp(ast.Not(), element)
        return [], [ast.If(test, [ast.Return(ast.Constant(name == "any"))], [])], [ast.Return(ast.Constant(name == "all"))]
    op = ast.Gt() if name == "max" else ast.Lt()
    better = ast.If(ast.Compare(load(_ITEM), [op], [load(FOUND)]), [bind(FOUND, load(_ITEM))], [])
    first: list[ast.stmt] = [bind(_IS_NEW, ast.Constant(False)), bind(FOUND, load(_ITEM))]
    step = [*([] if isinstance(element, ast.Name) and element.id == _ITEM else [bind(_ITEM, element)]), ast.If(load(_IS_NEW), first, [better])]
    missing = ast.If(load(_IS_NEW), [ast.Raise(ast.Name("ValueError", ast.Load()), None)], [])
    return [bind(_IS_NEW, ast.Constant(True))], step, [missing, ast.Return(load(FOUND))]
