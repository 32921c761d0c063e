"""Tuples in programs whose items are chosen by numbers that vary, or gone over: each number of the item is chosen among the numbers at its place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fastnp import _syntax
from fastnp._loop_numbers import COMPARE
from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64, Choice, Kind, Number, Unsupported, kind_of_number, machine
from fastnp._loop_values import Maybe

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Kept", "Tuples", "constant_tuples"]

_MOST_ITEMS = 32  # that one is chosen of, one after the other
_PLAIN = frozenset([type(None), bool, int, float, complex, str, bytes])  # whose objects stand for themselves, and are equal by their values
_FEW_CONSTANTS = 16  # of which that is so; of more there is an array


class Tuples:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def item(self, held: tuple[Any, ...], index: Any) -> Any:
        """``held[index]``; leaves where there is none."""
        elements = self.walk.elements
        if not (elements.is_whole(index) or (type(index) is Number and index.kind is BOOLEAN)):
            raise Unsupported("takes an item of a tuple by something that is no whole number")
        return self.chosen(held, elements.index(self.steps.whole(len(held)), index))

    def chosen(self, items: tuple[Any, ...], at: int) -> Any:
        """The item of this number, a value which is within bounds."""
        if not items:
            raise Unsupported("takes an item of an empty tuple")
        if any(type(each) is tuple for each in items):
            if len({len(each) if type(each) is tuple else -1 for each in items}) > 1:
                raise Unsupported("takes one of several items of which some are tuples, or tuples of several lengths")
            return tuple(self.chosen(column, at) for column in zip(*items, strict=True))
        return self.number(items, at)

    def number(self, items: tuple[Any, ...], at: int) -> Any:
        steps = self.steps
        if len(items) > _FEW_CONSTANTS and (loaded := self.of_constants(items, at)) is not None:
            return loaded
        if len(items) > _MOST_ITEMS:
            raise Unsupported("takes an item of a long tuple by a number that varies")
        numbers: list[Any] = [each if type(each) is Choice else self.walk.numbers.number(each) for each in items]
        tests = [steps.compare("equal", at, steps.whole(place)) for place in range(len(numbers) - 1)]
        kind = numbers[0].kind if type(numbers[0]) is Number else None
        if any(type(each) is Choice or each.kind is not kind for each in numbers):
            return self.walk.one_of([*((test, _giving(each)) for test, each in zip(tests, numbers, strict=False)), (-1, _giving(numbers[-1]))])
        found = numbers[-1].id
        for test, each in zip(tests, numbers, strict=False):
            found = steps.add("select", machine(kind), a=test, b=each.id, c=found)
        lows, highs = ([getattr(each, bound) for each in numbers] for bound in ("low", "high"))
        return Number(kind, found, None if None in lows else min(lows), None if None in highs else max(highs))

    def of_constants(self, items: tuple[Any, ...], at: int) -> Number | None:
        """The same of many constants of one kind, which are an array; None of others."""
        kinds = [kind_of_number(each) for each in items]
        if kinds[0] is None or any(kind is not kinds[0] for kind in kinds):
            return None
        bounds: tuple[Any, Any] = (min(items), max(items)) if kinds[0] is INT else (None, None)
        if kinds[0] is INT and (bounds[0] < -(2**63) or bounds[1] >= 2**63):
            return None
        found = self.walk.elements.row(self.walk.fields.table(items, machine(kinds[0])), at)
        return Number(kinds[0], found.id, *bounds)

    # Comparisons: a bool that is known, or a number.

    def is_among(self, x: Any, items: tuple[Any, ...]) -> Any:
        """``x in items``"""
        found: Any = False
        for item in items:
            test = self.equal(x, item)
            found = test if found is False else self.walk.conditions.either(found, test)
        return self.made(found)

    def is_in_range(self, x: Any, bounds: list[Any]) -> Number:
        """``x in range(a, b)`` of whole numbers."""
        numbers: list[int] = []
        for each in (x, *([0] if len(bounds) == 1 else []), *bounds):
            if not self.walk.elements.is_whole(each):
                raise Unsupported("looks for something that is no whole number in a range, or in one of other numbers")
            numbers.append(self.walk.numbers.number(self.walk.each(each, self.walk.numbers.to_int)).id)
        value, start, stop = numbers
        return Number(BOOLEAN, self.steps.both(self.steps.compare("greater_equal", value, start), self.steps.compare("less", value, stop)))

    def equal(self, x: Any, y: Any) -> Any:
        """Whether items of tuples are equal, or one object: a bool that is known, or a value."""
        kinds = [type(each) for each in (x, y)]
        if tuple in kinds:
            return self.walk.conditions.as_truth(self.walk.conditions.compared(ast.Eq(), x, y))
        if not any(each in (Number, Choice, Maybe) for each in kinds):
            if not _PLAIN.issuperset(kinds):
                raise Unsupported("compares items that are neither numbers nor texts")
            return bool(x is y or x == y)
        for constant, other in ((x, y), (y, x)):
            if (kind := kind_of_number(constant)) is not None and constant != constant:
                if _may_be(other, kind):
                    raise Unsupported("compares a number with NaN, which it may be the same object as")
                return False
        if all(each in (Number, Choice) for each in kinds):
            self.walk.leave(self.walk.conditions.as_truth(self.walk.each(x, self.is_itself)))
        return self.walk.conditions.as_truth(self.walk.conditions.compared(ast.Eq(), x, y))

    def is_itself(self, x: Number) -> Number:
        """Whether it is no NaN, which equals none but may be one object with another."""
        dtype = machine(x.kind)
        return Number(BOOLEAN, self.steps.map("equal", dtype, BOOL, x.id, x.id) if dtype.kind in "fc" else self.steps.constant(True, BOOL))

    def compared(self, op: ast.cmpop, x: tuple[Any, ...], y: tuple[Any, ...]) -> Any:
        """Two tuples: by the first items that differ, else by their lengths."""
        if isinstance(op, (ast.Eq, ast.NotEq)) and len(x) != len(y):
            return isinstance(op, ast.NotEq)
        are_equal = [self.equal(*each) for each in zip(x, y, strict=False)]
        if isinstance(op, (ast.Eq, ast.NotEq)):
            found: Any = True
            for each in are_equal:
                found = each if found is True else self.both(found, each)
            return self.made(found) if isinstance(op, ast.Eq) else self.inverse(self.made(found))
        if type(op) not in COMPARE:
            raise Unsupported(f"has the comparison {type(op).__name__}")
        tests = [self.walk.conditions.compared(op, a, b) for a, b in zip(x, y, strict=False)]
        return self.first_that_differs(are_equal, tests, COMPARE[type(op)][0](len(x), len(y)))

    def first_that_differs(self, are_equal: list[Any], tests: list[Any], found: Any) -> Any:
        """The comparison of the first items that differ: Python's bool or NumPy's, as it gives it. `found`: what it is if there are none."""
        steps, tag = self.steps, self.steps.whole(0)
        are_python = all(type(each) is bool or (type(each) is Number and each.kind is BOOLEAN) for each in tests)
        for is_equal, test in reversed(list(zip(are_equal, tests, strict=True))):
            differs = self.walk.conditions.as_truth(test)
            found = steps.add("select", BOOL, a=self.value(is_equal), b=self.value(found), c=self.value(differs))
            if not are_python:
                tag = steps.add("select", INT64, a=self.value(is_equal), b=tag, c=self.is_numpy(test))
        if are_python:
            return self.made(found)
        kinds, variable = steps.variable(INT), steps.variable(BOOLEAN)
        steps.set(kinds, tag)
        steps.set(variable, found)
        return Choice(kinds, [(0, BOOLEAN, variable), (1, BOOL, variable)])

    def is_numpy(self, test: Any) -> int:
        """1 where a bool is NumPy's, else 0."""
        if type(test) is bool:
            return self.steps.whole(0)
        return int(self.walk.each(test, lambda each: Number(INT, self.steps.whole(int(each.kind is not BOOLEAN)))).id)

    def value(self, test: Any) -> int:
        return self.steps.constant(test, BOOL) if type(test) is bool else int(test)

    def both(self, x: Any, y: Any) -> Any:
        if x is False or y is False:
            return False
        return self.steps.both(self.value(x), self.value(y))

    def made(self, test: Any) -> Any:
        return test if type(test) is bool else Number(BOOLEAN, test)

    def inverse(self, test: Any) -> Any:
        return not test if type(test) is bool else Number(BOOLEAN, self.steps.map("logical_not", BOOL, BOOL, test.id))


def _may_be(x: Any, kind: Kind) -> bool:
    """Whether a number of the program is of this kind, or may be."""
    kinds = [x.kind] if type(x) is Number else [each for _, each, _ in x.kinds] if type(x) is Choice else []
    return any(each is kind for each in kinds)


def _giving(number: Any) -> Callable[[], Any]:
    return lambda: number


class Kept:
    """Items, tuples among them, as they are now: constants, and numbers in variables of the program. `knows`: whether what is known of them now is so
    wherever they are read."""

    def __init__(self, walk: Walk, items: tuple[Any, ...], knows: bool = True) -> None:
        self.walk = walk
        self.knows = knows
        self.numbers: list[tuple[int, Number]] = []  # variables
        self.items = self.keep(items)

    def keep(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(self.keep(each) for each in value)
        made = self.walk.numbers.number(value)
        if self.knows and type(value) is not Number:
            return value
        self.numbers.append((self.walk.steps.variable(made.kind), made if self.knows else Number(made.kind, made.id)))
        return self.numbers[-1]

    def variables(self) -> list[tuple[int, Kind]]:
        return [(variable, number.kind) for variable, number in self.numbers]

    def store(self) -> None:
        for variable, number in self.numbers:
            self.walk.steps.set(variable, number.id)

    def loaded(self) -> tuple[Any, ...]:
        """The items as values."""

        def number(variable: int, first: Number) -> Number:
            return Number(first.kind, self.walk.steps.get(variable), first.low, first.high)

        return self.made(self.items, number)

    def decoded(self, values: Iterator[Any]) -> tuple[Any, ...]:
        """The items in Python, of what an exit handed out."""
        return self.made(self.items, lambda *_: next(values))

    def made(self, kept: Any, number: Callable[[int, Number], Any]) -> Any:
        if type(kept) is not tuple:
            return kept
        if len(kept) == 2 and type(kept[1]) is Number:
            return number(*kept)
        return tuple(self.made(each, number) for each in kept)


def constant_tuples(tree: Any) -> set[str]:
    """Variables of a function that are bound once, to a tuple of constants."""
    stores = Counter(node.id for node in _syntax.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    stores.update(node.arg for node in _syntax.walk(tree) if isinstance(node, ast.arg))
    found = [node for node in _syntax.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and _is_constant(node.value)]
    return {target.id for node in found for target in node.targets if isinstance(target, ast.Name) and stores[target.id] == 1}


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and kind_of_number(node.value) in (INT, BOOLEAN, kind_of_number(0.0))
