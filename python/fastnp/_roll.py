"""The code of functions whose loops may be rolled (see _rolled.py)."""

from __future__ import annotations

import ast
import sys
import types
import weakref
from typing import Any

from fastnp import _syntax
from fastnp._names import Uses
from fastnp._pure import computes_alone, loads_of
from fastnp._source import Source, definition

__all__ = ["ITERATIONS", "ROLLED", "code_of", "source_of"]

ITERATIONS, ROLLED = "_fastnp_iterations", "_fastnp_rolled"  # what the code calls


class Roll(ast.NodeTransformer):
    """A function's loops, and what it calls, with what rolls them."""

    def __init__(self, function: Any) -> None:
        self.count = 0
        self.known: dict[int, tuple[list[str], tuple[Any, ...], set[str]]] = {}  # as they are written
        loops = [node for node in _syntax.walk(function) if isinstance(node, ast.For)]
        for node in loops:
            names = computes_alone(node, function)
            if names is not None:
                self.known[id(node)] = names, tuple(sorted(loads_of(node.body))), Uses(*node.body).reads

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        if id(node) not in self.known or not isinstance(node.target, ast.Name):
            return node
        names, loads, reads = self.known[id(node)]
        of_numbers = node.target.id in reads
        self.count += 1
        iterations, turn = f"{ITERATIONS}{self.count}", f"_fastnp_turn{self.count}"
        made = ast.parse(
            f"{iterations} = {ITERATIONS}(None, {of_numbers}, {loads!r})\n"
            f"for _ in {iterations}:\n"
            f"    if {iterations}.is_to_roll:\n"
            f"        def {turn}({', '.join([node.target.id, *names])}):\n"
            f"            return ({', '.join(names)},)\n"
            f"        {', '.join([node.target.id, *names])}, = {iterations}.take({turn}, {', '.join([node.target.id, *names])})\n"
        )
        for each in _syntax.walk(made):
            ast.copy_location(each, node)
        make: Any = made.body[0]
        loop: Any = made.body[1]
        make.value.args[0] = node.iter
        loop.target = node.target
        loop.body[0].body[0].body[:0] = _syntax.copied(node.body)
        loop.body[:0] = node.body
        return [make, loop]

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, (ast.Name, ast.Attribute)) and not (isinstance(node.func, ast.Name) and node.func.id in ("super", "range", "len")):
            node.func = ast.copy_location(ast.Call(ast.copy_location(ast.Name(ROLLED, ast.Load()), node), [node.func], []), node)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        return node  # one that is made in it

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef


_GENERATORS = 0x2A0  # in co_flags
_codes: weakref.WeakKeyDictionary[types.CodeType, types.CodeType | None] = weakref.WeakKeyDictionary()


def code_of(function: types.FunctionType) -> types.CodeType | None:
    """The code of a user's function with loops that may be rolled; None where nothing changes."""
    code = function.__code__
    if code not in _codes:
        source, made = source_of(function), None
        if source.tree is not None and not code.co_flags & _GENERATORS:
            tree = _syntax.copied(source.tree)
            roll = Roll(tree)
            if isinstance(tree, ast.Lambda):
                tree = ast.copy_location(definition(code.co_name, tree.args, [ast.copy_location(ast.Return(tree.body), tree.body)]), tree)
            tree.body = [each for statement in tree.body for each in listed(roll.visit(statement))]
            made = source.code_of(tree, [ITERATIONS, ROLLED])
        _codes[code] = made
    return _codes[code]


def source_of(function: types.FunctionType) -> Source:
    """In a compiled function it has other globals than its module's."""
    module = sys.modules.get(function.__module__)
    cells = tuple(types.CellType() for _ in function.__code__.co_freevars)
    return Source(types.FunctionType(function.__code__, vars(module) if module else function.__globals__, function.__name__, None, cells))


def listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]
