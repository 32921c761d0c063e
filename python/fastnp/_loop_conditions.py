"""Comparisons and conditions of a walk over a loop: a condition is a bool that is known, or a value of the program."""

from __future__ import annotations

import ast
import builtins
import types
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_dicts import DictState
from fastnp._loop_lists import Display, ListState, items_of_display
from fastnp._loop_nested import Nested
from fastnp._loop_numbers import COMPARE
from fastnp._loop_program import BOOL, BOOLEAN, Choice, Number, Unsupported, kind_of_number
from fastnp._loop_values import Maybe, is_array

if TYPE_CHECKING:
    from fastnp._loop_expressions import Expressions

__all__ = ["Conditions"]

_FIXED = frozenset([bool, int, float, complex, str, bytes, tuple, types.FunctionType, types.BuiltinFunctionType])  # which are true or not for ever


class Conditions:
    """The part of a walk that is about them."""

    def __init__(self, walk: Expressions) -> None:
        self.walk = walk
        self.steps = walk.steps

    def comparison(self, node: ast.Compare) -> Any:
        """What a comparison gives, or a chain of them: the later ones are computed if the first ones hold."""
        if len(node.ops) == 1:
            if isinstance(node.ops[0], (ast.In, ast.NotIn)) and (bounds := self.bounds_of_range(node.comparators[0])) is not None:
                found = self.walk.tuples.is_in_range(self.walk.value(node.left), [self.walk.value(each) for each in bounds])
                return self.walk.tuples.inverse(found) if isinstance(node.ops[0], ast.NotIn) else found
            x, y = self.walk.value_or_draw(node.left), self.walk.value_or_draw(node.comparators[0])
            return self.compared(node.ops[0], self.walk.draws.forced(x), self.walk.draws.forced(y))

        def chain(left: Any, number: int) -> Any:
            right = self.walk.value(node.comparators[number])
            found = self.compared(node.ops[number], left, right)
            if number + 1 == len(node.ops):
                return found
            test = self.as_truth(found)
            if type(test) is bool:
                return chain(right, number + 1) if test else found
            return self.walk.one_of([(test, lambda: chain(right, number + 1)), (-1, lambda: found)])

        return chain(self.walk.value(node.left), 0)

    def compared(self, op: ast.cmpop, x: Any, y: Any) -> Any:
        """What one comparison gives."""
        if isinstance(op, (ast.Is, ast.IsNot)):
            if x is None or y is None:
                return self.walk.is_nothing(y if x is None else x, isinstance(op, ast.Is))
            raise Unsupported("asks whether two objects are one")
        if isinstance(op, (ast.In, ast.NotIn)) and (items := items_of_display(y)) is not None:
            found = self.walk.tuples.is_among(x, items)
            return self.walk.tuples.inverse(found) if isinstance(op, ast.NotIn) else found
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(y, (ListState, DictState)):
            test = self.walk.list_methods.contains(y, x) if isinstance(y, ListState) else self.walk.dicts.contains(y, x)
            found = test if type(test) is bool else Number(BOOLEAN, test)
            return self.walk.tuples.inverse(found) if isinstance(op, ast.NotIn) else found
        if type(x) is tuple and type(y) is tuple:
            return self.walk.tuples.compared(op, x, y)
        if type(x) is str and type(y) is str:
            return (x in y) == isinstance(op, ast.In) if isinstance(op, (ast.In, ast.NotIn)) else COMPARE[type(op)][0](x, y)
        if (is_array(x) or is_array(y)) and type(op) in COMPARE:
            return self.walk.arrays.binary(COMPARE[type(op)][1], x, y)
        if isinstance(op, (ast.Eq, ast.NotEq)) and (x is None or y is None or self.walk.nothing_of(x) is not None or self.walk.nothing_of(y) is not None):
            return self.compared_with_nothing(op, x, y)
        x, y = self.walk.sure(x), self.walk.sure(y)
        if is_array(x) or is_array(y) or type(x) is tuple or type(y) is tuple:
            raise Unsupported("compares tuples, or looks for something in an array")
        return self.walk.each(x, lambda a: self.walk.each(y, lambda b: self.walk.numbers.compare(op, a, b)))

    def compared_with_nothing(self, op: ast.cmpop, x: Any, y: Any) -> Any:
        """``==`` and ``!=`` where one of them is None, or may be."""
        if x is not None and self.walk.nothing_of(x) is None:
            x, y = y, x  # both ways are the same
        if x is None:
            if type(y) not in (type(None), Number, Choice, Maybe, tuple, str) and kind_of_number(y) is None:
                raise Unsupported("compares something else with None")
            return self.walk.is_nothing(y, isinstance(op, ast.Eq))
        lacks, there = self.walk.nothing_of(x), self.walk.without_nothing(x)
        return self.walk.one_of([(int(lacks or 0), lambda: self.compared(op, None, y)), (-1, lambda: self.compared(op, there, y))])

    def truth(self, node: ast.expr) -> Any:
        """An expression as a condition."""
        if isinstance(node, ast.BoolOp):
            return self.truth_of_all(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            test = self.truth(node.operand)
            return not test if type(test) is bool else self.steps.map("logical_not", BOOL, BOOL, test)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.truth_of_chain(node)
        return self.as_truth(self.walk.value(node))

    def as_truth(self, value: Any) -> Any:
        """Whether a value is true."""
        if (lacks := self.walk.nothing_of(value)) is not None:
            there = self.as_truth(self.walk.without_nothing(value))
            there = self.steps.constant(there, BOOL) if type(there) is bool else there
            return self.steps.both(self.steps.map("logical_not", BOOL, BOOL, lacks), there)
        if type(value) is Choice:
            found = self.walk.each(value, lambda each: Number(BOOLEAN, self.walk.numbers.truth(each)))
            return found.id
        if type(value) is Number:
            return self.walk.numbers.truth(value)
        if type(value) is Nested:
            return self.steps.compare("not_equal", self.walk.tables.length(value).id, self.steps.whole(0))
        if type(value) is DictState:
            return self.steps.compare("not_equal", self.walk.dicts.length(value), self.steps.whole(0))
        if isinstance(value, ListState):
            return self.steps.compare("not_equal", self.walk.lists.length(value), self.steps.whole(0))
        if type(value) is Display:
            return self.as_truth(self.length_of(value)) if value.items else False
        if not (value is None or type(value) in _FIXED or isinstance(value, (numpy.generic, types.ModuleType, type))):
            raise Unsupported("asks whether an array or an object is true")
        return bool(value)

    def length_of(self, display: Display) -> Any:
        """Of one with items; it has none where it is repeated fewer times than once."""
        if type(display.times) is not int and not self.walk.elements.is_whole(display.times):
            raise Unsupported("repeats a list by something that is no whole number")
        return self.compared(ast.Gt(), display.times, 0)

    def truth_of_chain(self, node: ast.Compare) -> Any:
        """``a < b < c`` as a condition, which is of one kind, whatever its comparisons are of."""
        left = self.walk.value(node.left)
        self.walk.draws.all_waiting()
        result = self.steps.variable(BOOLEAN)

        def chain(left: Any, number: int) -> None:
            right = self.walk.value(node.comparators[number])
            test = self.as_truth(self.compared(node.ops[number], left, right))
            test = self.steps.constant(test, BOOL) if type(test) is bool else test
            self.steps.set(result, test)
            if number + 1 < len(node.ops):
                self.steps.add("if", a=test)
                chain(right, number + 1)
                self.steps.add("end")

        chain(left, 0)
        return self.steps.get(result)

    def truth_of_all(self, node: ast.BoolOp) -> Any:
        """`and` and `or` as conditions: the later ones are looked at only if they decide."""
        is_and = isinstance(node.op, ast.And)
        self.walk.draws.all_waiting()
        result = self.steps.variable(BOOLEAN)

        def chain(number: int, test: Any) -> None:
            value = self.steps.constant(test, BOOL) if type(test) is bool else test
            self.steps.set(result, value)
            if number + 1 < len(node.values) and (type(test) is not bool or test == is_and):
                self.steps.add("if", a=value if is_and else self.steps.map("logical_not", BOOL, BOOL, value))
                self.walk.where(node.values[number], is_and, lambda: chain(number + 1, self.truth(node.values[number + 1])))
                self.steps.add("end")

        for number, each in enumerate(node.values):
            test = self.truth(each)
            if type(test) is not bool:
                chain(number, test)
                return self.steps.get(result)
            if test != is_and:
                break
        return test

    def junction(self, node: ast.BoolOp) -> Any:
        """`and` and `or` as values: one of their operands."""
        is_and = isinstance(node.op, ast.And)

        def chain(number: int) -> Any:
            x = self.walk.value(node.values[number])
            if number + 1 == len(node.values):
                return x
            test = self.as_truth(x)
            if type(test) is bool:
                return x if test != is_and else chain(number + 1)
            if not is_and and self.walk.nothing_of(x) is not None:
                x = self.walk.without_nothing(x)  # where it is taken
            condition = test if is_and else self.steps.map("logical_not", BOOL, BOOL, test)
            return self.walk.one_of([(condition, lambda: chain(number + 1)), (-1, lambda: x)])

        return chain(0)

    def either(self, x: Any, y: Any) -> Any:
        """Whether one of two conditions holds."""
        x, y = (self.steps.constant(each, BOOL) if type(each) is bool else each for each in (x, y))
        return self.steps.map("logical_or", BOOL, BOOL, x, y)

    def bounds_of_range(self, node: ast.expr) -> list[ast.expr] | None:
        """The arguments of ``range(n)`` and ``range(a, b)``; None of anything else."""
        is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and self.walk.value(node.func) is builtins.range
        if not is_range or not isinstance(node, ast.Call) or node.keywords or len(node.args) not in (1, 2):
            return None
        return None if any(isinstance(each, ast.Starred) for each in node.args) else node.args
