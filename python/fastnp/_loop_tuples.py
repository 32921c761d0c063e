"""Tuples in programs whose items are chosen by numbers that vary, or gone over: each number of the item is chosen among the numbers at its place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOLEAN, INT, Choice, Kind, Number, Unsupported, kind_of_number, machine

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Kept", "Tuples", "constant_tuples"]

_MOST_ITEMS = 32  # that one is chosen of, one after the other
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


def _giving(number: Any) -> Callable[[], Any]:
    return lambda: number


class Kept:
    """Items, tuples among them, as they are now: constants, and numbers in variables of the program."""

    def __init__(self, walk: Walk, items: tuple[Any, ...]) -> None:
        self.walk = walk
        self.numbers: list[tuple[int, Number]] = []  # variables
        self.items = self.keep(items)

    def keep(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(self.keep(each) for each in value)
        if type(value) is not Number:
            self.walk.numbers.number(value)  # it is one
            return value
        self.numbers.append((self.walk.steps.variable(value.kind), value))
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
    stores = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    stores.update(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and _is_constant(node.value)]
    return {target.id for node in found for target in node.targets if isinstance(target, ast.Name) and stores[target.id] == 1}


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and kind_of_number(node.value) in (INT, BOOLEAN, kind_of_number(0.0))
