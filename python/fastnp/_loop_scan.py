"""Which loops look as if they were over numbers and elements, so that a program is tried before anything else."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

import numpy

from fastnp import _core, _syntax
from fastnp._loop_comprehensions import table_of
from fastnp._loop_dict_methods import DICTS
from fastnp._loop_functions import FUNCTIONS, METHODS
from fastnp._loop_heaps import HEAPS
from fastnp._loop_list_methods import LISTS

__all__ = [
    "DRAWS", "FAR", "FOLDS", "NEAR", "are_small", "computes_with_arrays", "counters_of", "is_over_few_elements",
    "folded", "is_over_numbers", "may_be_native", "outermost_loops",
    "small_step", "what_is_unfit", "why_not_tried",
]  # fmt: skip

_STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass, ast.Return, ast.Raise,
               ast.Assert, ast.Expr, ast.Delete)  # fmt: skip
_EXPRESSIONS = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Subscript, ast.Attribute, ast.Tuple,
                ast.List, ast.Slice, ast.Dict, ast.Set)  # fmt: skip
FOLDS = frozenset(["sum", "any", "all", "max", "min"])  # Python's
# Methods of generators of random numbers, and functions of NumPy's global one.
DRAWS = frozenset(
    ["random", "uniform", "normal", "standard_normal", "exponential", "standard_exponential", "integers", "rand", "randn", "random_sample"]
    + ["randrange", "randint", "choice", "gauss", "expovariate"]  # of Python's `random`
)
# Methods of what programs have not.
_OF_OTHERS = frozenset({*dir(str), *dir(bytes), *dir(dict), *dir(set)} - {"update", "add", "get", "remove", "index", "count", "find", "pop", "copy"})
_LOOPS = (ast.For, ast.While)
_SHAPES = frozenset(["shape", "size", "ndim"])


def outermost_loops(tree: Any, is_any: bool = False) -> list[Any]:
    """The loops of a function that are in no other one. `is_any`: those in a `try`, too."""
    found: list[Any] = []

    def look(statements: list[Any]) -> None:
        for statement in statements:
            if isinstance(statement, _LOOPS):
                found.append(statement)
            elif isinstance(statement, ast.If):
                look(statement.body)
                look(statement.orelse)
            elif isinstance(statement, ast.With):
                look(statement.body)
            elif is_any and isinstance(statement, ast.Try):
                for each in (statement.body, *(handler.body for handler in statement.handlers), statement.orelse, statement.finalbody):
                    look(each)

    look(getattr(tree, "body", []) if not isinstance(tree, ast.Lambda) else [])
    return found


def may_be_native(loop: Any) -> bool:
    """Whether nothing speaks against a program. What is done under conditions, and raises or has other effects, leaves it when it is done."""
    return what_is_unfit(loop) is None


def what_is_unfit(loop: Any) -> str | None:
    """What a loop has that no program has, if there is anything by the looks of it."""
    for node in _nodes(loop, False):
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            return f"has a statement of the kind {type(node).__name__}"
        if isinstance(node, ast.expr) and not isinstance(node, _EXPRESSIONS):
            return f"has an expression of the kind {type(node).__name__}"
        if isinstance(node, ast.Call) and not _is_of_numbers(node) and not _is_of_arrays(node):
            return f"calls {ast.unparse(node.func)}"
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Del):
            return "deletes an attribute"
        if isinstance(node, ast.Expr) and not isinstance(node.value, (ast.Constant, ast.Call)):
            return "has an expression whose value it has no use for"
    return None


def folded(call: ast.Call, name: str) -> bool:
    """Whether it may be a fold of a generator, a list or an array: what it is of, and for sums where they start. (Lists are made as a whole.)"""
    if name not in FOLDS or call.keywords or not 1 <= len(call.args) <= (2 if name == "sum" else 1):
        return False
    of = call.args[0]
    if isinstance(of, ast.ListComp) and name in ("any", "all"):
        return False
    return not isinstance(of, (ast.ListComp, ast.GeneratorExp)) or not any(each.is_async for each in of.generators)


def _parts_of_fold(call: ast.Call) -> list[ast.AST]:
    of = call.args[0]
    if not isinstance(of, (ast.ListComp, ast.GeneratorExp)):
        return list(call.args)
    return [of.elt, *(part for each in of.generators for part in (each.target, each.iter, *each.ifs)), *call.args[1:]]


def _nodes(node: Any, is_arm: bool) -> Iterator[Any]:
    """The nodes that have to be of kinds that programs have."""
    if isinstance(node, (ast.Return, ast.Raise, ast.Assert)) or (is_arm and isinstance(node, ast.Expr)):
        return
    if (table := table_of(node)) is not None:
        items, *counts = table
        for each in (*items, *counts):
            if each is not None:
                yield from _nodes(each, is_arm)
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and folded(node, node.func.id):
        for part in _parts_of_fold(node):
            yield from _nodes(part, is_arm)
        return
    yield node
    for each in _syntax.children(node):
        yield from _nodes(each, isinstance(node, ast.If) and each is not node.test)


def _is_of_numbers(call: ast.Call) -> bool:
    """Whether it may call a function of numbers."""
    function = call.func
    if isinstance(function, ast.Name) and function.id == "sorted":
        return len(call.args) == 1 and isinstance(call.args[0], (ast.Tuple, ast.List)) and not call.keywords
    if isinstance(function, ast.Name) and function.id in ("dict", "set"):
        return len(call.args) <= (function.id == "set") and all(isinstance(each, (ast.Tuple, ast.List)) for each in call.args) and not call.keywords
    if isinstance(function, ast.Name):
        return function.id not in ("print", "list", "tuple", "sum", "map", "filter", "getattr", "setattr", "open", "iter", "next")
    if not isinstance(function, ast.Attribute):
        return False
    name = function.attr
    if isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy", "math"):
        is_scalar_type = isinstance(getattr(numpy, name, None), type) and issubclass(getattr(numpy, name), numpy.generic)
        return isinstance(getattr(numpy, name, None), numpy.ufunc) or hasattr(math, name) or is_scalar_type
    return isinstance(function.value, (ast.Name, ast.Attribute)) and name not in _OF_OTHERS


def _is_of_arrays(call: ast.Call) -> bool:
    """Whether it may be a method or a function of arrays that programs have."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in METHODS | FUNCTIONS | DRAWS | LISTS | HEAPS | DICTS


def _changes_set(node: Any) -> bool:
    """Whether it is ``seen.add(x)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("add", "discard") and len(call.args) == 1


def is_over_numbers(loop: Any) -> bool:
    """Whether it looks as if it were: it takes or stores elements by numbers and decides by them, or by numbers that it changes, or ends by chance."""
    if not may_be_native(loop):
        return False
    nodes = _syntax.walk(loop)
    if any(isinstance(node, ast.If) and any(isinstance(each, (ast.Break, ast.Return, ast.Continue)) for each in _syntax.walk(node)) for node in nodes):
        return True
    if any(isinstance(node, ast.Attribute) and (node.attr in DRAWS or isinstance(node.ctx, ast.Store)) for node in nodes):
        return True
    if any(_changes_set(node) for node in nodes):
        return True
    stores = [node for node in _nodes(loop, False) if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)]
    if any(not any(isinstance(each, ast.Slice) for each in _syntax.walk(node.slice)) for node in stores):
        return True
    tests = [node.test for node in nodes if isinstance(node, (ast.If, ast.While, ast.IfExp))]
    return any(isinstance(node, ast.While) for node in nodes) or any(isinstance(each, ast.Subscript) for test in tests for each in _syntax.walk(test))


_SMALL_ARRAY = 256


def is_over_few_elements(loop: Any) -> bool:
    """Whether a loop over small arrays is likely to be a program: nothing is called for its effects."""
    return is_over_numbers(loop) or (may_be_native(loop) and not any(isinstance(each, ast.Expr) for each in _syntax.walk(loop)))


def why_not_tried(loop: Any) -> str:
    """Why it was not tried as native code."""
    unfit = what_is_unfit(loop)
    if unfit is None and not is_over_numbers(loop):
        return "decides nothing by numbers or elements: it is recorded turn by turn"
    return unfit or "computes with large arrays, or lies in a function whose loops were recorded so far"


def are_small(arguments: Any) -> bool:
    """Whether a function's arguments are arrays of a few elements, among which a recording's kernels take more time to be called than to run."""
    arrays = [each for each in arguments if isinstance(each, (numpy.ndarray, _core.ndarray))]
    counts = [each for each in arguments if type(each) is int]
    return bool(arrays) and all(each.size <= _SMALL_ARRAY for each in arrays) and all(each <= _SMALL_ARRAY for each in counts)


_LARGE = 1 << 15  # elements: as many as recordings share out to threads


def computes_with_arrays(loop: Any, shapes: dict[str, tuple[int, ...]], least: int = _LARGE) -> bool:
    """Whether a statement computes with large arrays, which is the business of recordings."""

    def shape(node: Any) -> tuple[int, ...]:
        if isinstance(node, ast.Name):
            return shapes.get(node.id, ())
        if isinstance(node, ast.Subscript):
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            whole = shape(node.value)
            kept = [size for size, index in zip(whole, indices, strict=False) if isinstance(index, ast.Slice)]
            return (*kept, *whole[len(indices) :])
        return ()

    def operands(node: Any) -> list[Any]:
        if isinstance(node, ast.BinOp):
            return [node.left, node.right]
        if isinstance(node, ast.UnaryOp):
            return [node.operand]
        if isinstance(node, ast.Compare):
            return [node.left, *node.comparators]
        if isinstance(node, ast.BoolOp):
            return list(node.values)
        if isinstance(node, ast.AugAssign):
            return [node.target, node.value]
        return list(node.args) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []

    return any(math.prod(shape(each)) > least for node in _nodes(loop, False) for each in operands(node))


_MANY = 1 << 12  # elements, over which NumPy's own loops take far longer than their calls
_SECONDS = 0.03  # that an operation on arrays takes to compile, roughly
_OPERATIONS = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Call, ast.Subscript)


def dear_seconds(loop: Any, values: dict[str, Any]) -> float:
    """What it is likely to take to compile a loop whose statements, over many elements, take little longer as written; 0 for other loops."""
    shapes = {name: each.shape for name, each in values.items() if isinstance(each, (numpy.ndarray, _core.ndarray))}
    if not computes_with_arrays(loop, shapes, _MANY):
        return 0.0
    return _SECONDS * sum(isinstance(node, _OPERATIONS) for node in _syntax.walk(loop))


_SMALL, FAR = 1024, 2**62  # of counters: 2^52 steps are more than a program can take
NEAR = FAR - _SMALL  # of numbers that stay: sums with small constants are no farther


def small_step(statement: ast.AugAssign) -> int | None:
    """By how much ``x += 1`` or ``x -= 1`` changes x, if that is a small constant."""
    value = statement.value
    if not isinstance(value, ast.Constant) or type(value.value) is not int or abs(value.value) > _SMALL:
        return None
    return value.value if isinstance(statement.op, ast.Add) else -value.value if isinstance(statement.op, ast.Sub) else None


def counters_of(loop: ast.AST) -> set[str]:
    """Variables that the loop changes by small constants or bools alone, or sets to constants: from a value of 62 bits on they take years to overflow."""
    found: set[str] = set()
    other: set[str] = set()
    counted: set[int] = set()  # ids of targets
    for node in _syntax.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            is_counted = small_step(node) is not None or (isinstance(node.value, ast.Compare) and isinstance(node.op, (ast.Add, ast.Sub)))
            (found if is_counted else other).add(node.target.id)
            counted.add(id(node.target))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int and abs(node.value.value) < FAR:
            counted.update(map(id, node.targets))
    for node in _syntax.walk(loop):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in counted:
            other.add(node.id)
    return found - other
