"""Statements around loops over numbers that become one program with them.

A list that one loop makes and another one takes, or that becomes an array, need not be Python's in between. Such a region is a loop of one iteration,
``while True: ...; break``, which takes the place of its statements in the function's source. One that can't be a program, or is left before its loops
have ended, is taken apart again: its loops are programs by themselves.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator
from typing import Any

from fastnp import _syntax
from fastnp._loop_comprehensions import is_comprehension, table_of
from fastnp._loop_dict_methods import DICTS
from fastnp._loop_dicts import DICT_TYPES
from fastnp._loop_heaps import HEAPS
from fastnp._loop_list_methods import LISTS
from fastnp._loop_scan import FOLDS, may_be_native
from fastnp._names import Uses, own_nodes, weight

__all__ = ["Region", "has_loops_ahead", "is_region", "region_at", "regions_of"]

_LOOPS = (ast.For, ast.While)
_OF_NUMBERS = FOLDS | {"len", "abs", "int", "float", "round", "bool", "range"}
_OF_ARRAYS = frozenset(["zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"])
_CONTAINERS = frozenset(each.__name__ for each in (*DICT_TYPES, collections.deque))  # that programs make by a call
_ATTRIBUTES = frozenset(
    ["shape", "size", "ndim", "dtype", "pi", "inf", "nan", "e", "int64", "float64", "int32", "float32", "uint64", "bool_", "complex128"]
)
_EXPRESSIONS = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Subscript, ast.Tuple, ast.List,
                ast.Dict, ast.Set, ast.GeneratorExp)  # fmt: skip  # ... of folds


class Region:
    """Statements of a block, side by side."""

    def __init__(self, block: list[Any], begin: int, end: int, last: list[Any]) -> None:
        self.block = block
        self.statements = block[begin:end]
        made = [*self.statements[:-1], *last] if last else self.statements
        first, final = self.statements[0], self.statements[-1]
        self.loop = ast.While(ast.Constant(True), [*(each for each in made if not isinstance(each, ast.Return)), ast.Break()], [])
        self.after = [each for each in made if isinstance(each, ast.Return)]
        ast.copy_location(self.loop.body[-1], final)
        self.loop.lineno, self.loop.col_offset = first.lineno, first.col_offset
        self.loop.end_lineno, self.loop.end_col_offset = final.end_lineno, final.end_col_offset
        self.loop.fastnp_region = True  # type: ignore[attr-defined]
        for each in (self.loop, *self.after):
            _syntax.located(each)

    def place(self) -> tuple[Any, ...]:
        return self.loop.lineno, self.loop.end_lineno, self.loop.col_offset, self.loop.end_col_offset

    def put(self) -> None:
        at = next(number for number, each in enumerate(self.block) if each is self.statements[0])
        self.block[at : at + len(self.statements)] = [self.loop, *self.after]

    def take_apart(self) -> None:
        at = next(number for number, each in enumerate(self.block) if each is self.loop)
        self.block[at : at + 1 + len(self.after)] = self.statements


def is_region(loop: Any) -> bool:
    return getattr(loop, "fastnp_region", False)


def has_loops_ahead(region: Any, statement: ast.stmt) -> bool:
    """Whether loops of a region come at a statement of it, or after that."""
    at = next((number for number, each in enumerate(region.body) if any(node is statement for node in _syntax.walk(each))), 0)
    return any(isinstance(each, _LOOPS) for each in region.body[at:])


def regions_of(tree: Any, loops: list[Any], arrays: set[str], whole: set[str]) -> list[Region]:
    """`loops`: those that are tried as native code; `arrays`: arguments that are arrays; `whole`: of these those of whole numbers."""
    if not isinstance(tree, ast.FunctionDef):
        return []
    chosen = {id(loop) for loop in loops}
    made = arrays | {name for each in _syntax.walk(tree) if isinstance(each, ast.Assign) and _is_array(each.value) for name in Uses(*each.targets).stores}
    captured = Uses(*tree.body).captured
    kinds = Kinds(made, captured, whole - captured)
    return [region for block in _blocks(tree.body) for region in _regions_in(block, chosen, kinds)]


def region_at(tree: Any, place: tuple[Any, ...]) -> Region | None:
    """One that was found before."""
    for block in _blocks(getattr(tree, "body", [])):
        begins = [number for number, each in enumerate(block) if (each.lineno, each.col_offset) == (place[0], place[2])]
        ends = [number for number, each in enumerate(block) if (each.end_lineno, each.end_col_offset) == (place[1], place[3])]
        if begins and ends and begins[0] < ends[0]:
            lists = {name for each in block[begins[0] : ends[0]] for name in _lists_made(each)} - Uses(*tree.body).captured
            return Region(block, begins[0], ends[0] + 1, _made_for_return(block[ends[0]], lists, Kinds(set(), set(), None)))
    return None


def _blocks(block: list[Any]) -> Iterator[list[Any]]:
    yield block
    for statement in block:
        if isinstance(statement, ast.If):
            yield from _blocks(statement.body)
            yield from _blocks(statement.orelse)


class Kinds:
    """What is known of a function's variables."""

    def __init__(self, arrays: set[str], captured: set[str], whole: set[str] | None) -> None:
        self.arrays = arrays
        self.captured = captured  # that other functions see, which are not bound to anything else
        self.whole = whole  # arrays of whole numbers; None: any may be


def _regions_in(block: list[Any], chosen: set[int], kinds: Kinds) -> Iterator[Region]:
    begin = 0
    while begin < len(block):
        end = begin
        while end < len(block) and (id(block[end]) in chosen or _is_simple(block[end], kinds.arrays)):
            end += 1
        region = _region(block, begin, end, chosen, kinds)
        if region is not None:
            yield region
        begin = end + 1


def _region(block: list[Any], begin: int, end: int, chosen: set[int], kinds: Kinds) -> Region | None:
    """Of statements of which each may be in one; None where nothing would be won."""
    places = [number for number in range(begin, end) if id(block[number]) in chosen]
    if not places:
        return None
    lists = {name for number in range(begin, end) for name in _lists_made(block[number])} - kinds.captured
    last = _made_for_return(block[end], lists, kinds) if end < len(block) else []
    used = lists & Uses(*(block[number] for number in places)).reads
    first, final = places[0], places[-1] + 1
    is_part = weight(*block[begin:first]) > 1  # it would be one
    first = begin if is_part else next((number for number in range(begin, first) if _lists_made(block[number]) & used), first)
    if last:
        final = end + 1
    elif weight(*block[final:end]) > 1 or any(_makes_array(each, lists) or isinstance(each, (ast.Expr, ast.For)) for each in block[final:end]):
        final = end
    return Region(block, first, final, last) if final - first > 1 else None


def _lists_made(statement: Any) -> set[str]:
    """Variables that are bound to a list."""
    found: set[str] = set()
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            pairs = [(target, statement.value)]
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = list(zip(target.elts, statement.value.elts, strict=False))
            found |= {to.id for to, value in pairs if isinstance(to, ast.Name) and _is_list(value)}
    return found


def _is_list(value: Any) -> bool:
    return (
        isinstance(value, (ast.List, ast.Dict, ast.Set))
        or _name_called(value) in _CONTAINERS
        or table_of(value) is not None
        or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List))
    )


def _made_of(value: Any, lists: set[str], kinds: Kinds) -> str | None:
    """The list that ``np.array(name)`` is of, or that an item like ``name[i][j]`` is one of; the array of whole numbers that ``name.sum()`` is of."""
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in FOLDS | {"mean"}
        and not value.args
        and not value.keywords
    ):
        of = value.func.value
        return of.id if isinstance(of, ast.Name) and (kinds.whole is None or of.id in kinds.whole) else None
    base = value
    while isinstance(base, ast.Subscript):
        base = base.value
    is_item = isinstance(value, ast.Subscript) and isinstance(base, ast.Name) and base.id in lists and _is_plain(value, kinds.arrays)
    return base.id if is_item else _array_of(value, lists)


def _array_of(value: Any, lists: set[str]) -> str | None:
    """The list that ``np.array(name)`` is of."""
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("array", "asarray") and not value.keywords
    if not is_call or len(value.args) != 1 or not isinstance(value.args[0], ast.Name) or value.args[0].id not in lists:
        return None
    return str(value.args[0].id)


def _makes_array(statement: Any, lists: set[str]) -> bool:
    return isinstance(statement, ast.Assign) and _array_of(statement.value, lists) is not None


def _made_for_return(statement: Any, lists: set[str], kinds: Kinds) -> list[Any]:
    """``return np.array(values)`` as ``values = np.array(values); return values``, which is the same; so are ``return table[i][j]`` and
    ``return counts.sum()``. Nothing of others."""
    if not isinstance(statement, ast.Return) or statement.value is None:
        return []
    parts = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    named = [_made_of(each, lists, kinds) for each in parts]
    if not any(named) or any(name is None and not isinstance(each, (ast.Name, ast.Constant)) for name, each in zip(named, parts, strict=True)):
        return []
    names = [name or getattr(each, "id", "") for name, each in zip(named, parts, strict=True)]
    if len(set(names)) < len(names):
        return []
    made: list[Any] = [ast.Assign([ast.Name(name, ast.Store())], each) for name, each in zip(named, parts, strict=True) if name]
    values = [ast.Name(name, ast.Load()) if name else each for name, each in zip(names, parts, strict=True)]
    made.append(ast.Return(ast.Tuple(values, ast.Load()) if isinstance(statement.value, ast.Tuple) else values[0]))
    for each in made:
        ast.copy_location(each, statement)
    return made


def _is_simple(statement: Any, arrays: set[str]) -> bool:
    """Whether a statement is likely to be one of a program: numbers, lists, new arrays. What computes with arrays is the business of recordings."""
    if is_comprehension(statement):
        return may_be_native(statement)
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.If, ast.Pass, ast.Expr, ast.Assert)) or not may_be_native(statement):
        return False
    if isinstance(statement, ast.If):
        inside = [*statement.body, *statement.orelse]
        return _is_plain(statement.test, arrays) and all(isinstance(each, (ast.Return, ast.Raise)) or _is_simple(each, arrays) for each in inside)
    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, ast.Assert):
        return _is_plain(statement.test, arrays)
    if isinstance(statement, ast.Expr):
        call = statement.value
        grows = (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.attr in LISTS | HEAPS | DICTS
        )
        return grows and isinstance(call, ast.Call) and not call.keywords and all(_is_plain(each, arrays) for each in call.args)
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name) and statement.target.id in arrays:
        return False
    return all(_is_plain(each, arrays) for each in targets) and _is_plain(statement.value, arrays)


def _is_plain(value: Any, arrays: set[str]) -> bool:
    if (table := table_of(value)) is not None:
        return all(_is_plain(each, arrays) for each in (*table[0], *table[1:]) if each is not None)
    nodes = [node for node in own_nodes(value) if isinstance(node, ast.expr)]
    computing = [node for node in nodes if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp))]
    operands = [each for node in computing for each in _syntax.children(node)]
    if any(isinstance(each, ast.Name) and each.id in arrays for each in operands):
        return False
    return all(
        isinstance(node, _EXPRESSIONS)
        or (isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES | _OF_ARRAYS | _CONTAINERS | {"array", "asarray"})
        or (isinstance(node, ast.Call) and _is_usual(node))
        for node in nodes
    )


def _is_array(value: Any) -> bool:
    """Whether a call is likely to make one, or more."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr not in _ATTRIBUTES


def _name_called(value: Any) -> str:
    """Of the function, or of the attribute that is one."""
    function = value.func if isinstance(value, ast.Call) else None
    return str(getattr(function, "id", getattr(function, "attr", "")))


def _is_usual(call: ast.Call) -> bool:
    function = call.func
    if _name_called(call) in _CONTAINERS:
        return True
    if isinstance(function, ast.Name):
        return function.id in _OF_NUMBERS
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    return function.attr in _OF_ARRAYS or (function.attr in ("array", "asarray") and len(call.args) == 1 and isinstance(call.args[0], ast.Name))
