"""Expressions and conditions of a walk over a loop (``_loop_walk.py``): each gives a number, an array's part, a tuple, or an object that is known."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fastnp import _syntax
from fastnp._loop_arrays import ufunc_of
from fastnp._loop_bounds import narrowed
from fastnp._loop_cases import IsNoNumber, Result
from fastnp._loop_comprehensions import table_of
from fastnp._loop_dicts import DictDisplay, Dicts
from fastnp._loop_folds import FOUND, Folds
from fastnp._loop_lists import Display, Lists
from fastnp._loop_nested import TableDisplay, Tables
from fastnp._loop_numbers import UNARY
from fastnp._loop_program import BOOL, BOOLEAN, INT, NOTHING, Choice, Number, Steps, Unsupported
from fastnp._loop_slots import Slots
from fastnp._loop_values import UNBOUND, Leaves, Maybe, State, is_array
from fastnp._loop_whole import is_int, is_mask, is_wrapping, masked, modulo, wraps_around

if TYPE_CHECKING:
    from fastnp._loop_arrays import Arrays
    from fastnp._loop_calls import Calls
    from fastnp._loop_conditions import Conditions
    from fastnp._loop_dict_methods import DictMethods
    from fastnp._loop_draws import Draws
    from fastnp._loop_elements import Elements
    from fastnp._loop_fields import WalkFields
    from fastnp._loop_list_methods import ListMethods
    from fastnp._loop_moves import Moves
    from fastnp._loop_numbers import Numbers
    from fastnp._loop_picks import Picks
    from fastnp._loop_products import Products
    from fastnp._loop_tuples import Tuples

__all__ = ["Expressions", "Leaves"]


class Expressions:
    """The part of a walk that is about expressions."""

    steps: Steps
    slots: Slots
    numbers: Numbers
    conditions: Conditions
    elements: Elements
    calls: Calls
    arrays: Arrays
    draws: Draws
    lists: Lists
    moves: Moves
    list_methods: ListMethods
    dicts: Dicts
    dict_methods: DictMethods
    picks: Picks
    products: Products
    fields: WalkFields
    tables: Tables
    folds: Folds
    tuples: Tuples
    root: Any
    stored = False  # whether the statement at hand has written to memory
    writes = 0  # how often the program has written to memory so far
    lasting = 0  # ... to such as the statement at hand found, if it is done once more
    frame: Any
    guard: Callable[[Any, str, Any], None]

    def leave(self, condition: int) -> None:
        """Leaves the program before the statement at hand unless the condition holds."""
        raise NotImplementedError

    def settled(self, value: Any) -> Any:
        """A value as a variable takes it."""
        raise NotImplementedError

    def current(self) -> dict[str, Any]:
        """What is known of variables here."""
        raise NotImplementedError

    def note_written(self, of: Any = None) -> None:
        """Memory was written to. A list, a dict or a set that a function made which is called is a new one where that is called once more."""
        self.stored = True
        self.writes += 1
        self.lasting += of is None or of.name[0] == self.root.key

    def value(self, node: ast.expr) -> Any:
        return self.draws.forced(self.value_or_draw(node))

    def value_or_draw(self, node: ast.expr) -> Any:
        """A number that it draws is not drawn yet."""
        method = getattr(self, "value_" + type(node).__name__, None)
        if method is None:
            raise Unsupported(f"has an expression of the kind {type(node).__name__}")
        return method(node)

    def value_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def value_Name(self, node: ast.Name) -> Any:
        name, frame = node.id, self.frame
        if name == FOUND and (found := self.folds.found()) is not None:
            return found
        if name in frame.local:
            found = self.slots.load((frame.key, name), self.current().get(name, State((None,))))
            if found is UNBOUND:
                raise Leaves
            return self.sure(found, None)
        if name in frame.function.__code__.co_cellvars:
            raise Unsupported(f"reads {name!r}, which other functions share")
        if name in frame.cells and (found := self.fields.captured(frame.function, name)) is not None:
            return found
        if name in frame.cells:
            cell = frame.cells[name]
            self.guard(cell, "cell_contents", cell.cell_contents)
            return self.outside(cell.cell_contents, name)
        for space in (frame.function.__globals__, vars(builtins)):
            if name in space:
                self.guard(space, name, space[name])
                return self.outside(space[name], name)
            self.guard(space, name, UNBOUND)
        raise Leaves

    def outside(self, value: Any, name: str) -> Any:
        if isinstance(value, set):
            raise Unsupported(f"reads {name!r}, which is no variable of its own")
        if id(value) in self.slots.handed:
            raise Unsupported(f"reads {name!r}, which is a function that it is handed, too")
        return self.fields.outside(name, value)

    # What may be None, or not bound.

    def sure(self, value: Any, kind: Any = NOTHING) -> Any:
        """Leaves where a value is of this kind; what it is else."""
        choice = value.choice if type(value) is Maybe else value
        number = choice.tag_of(kind) if type(choice) is Choice else None
        if number is None:
            return value
        self.leave(self.steps.compare("not_equal", self.steps.get(choice.tag), self.steps.whole(number)))
        return self.without(value, kind)

    def without(self, value: Any, kind: Any) -> Any:
        """A value that is not of this kind."""
        if type(value) is Maybe:
            rest = value.choice.without(kind)
            return Maybe(rest, value.value) if len(rest.kinds) > 1 else value.value
        rest = value.without(kind)
        (_, only, variable), *others = rest.kinds
        return rest if others else None if only is NOTHING else Number(only, self.steps.get(variable))

    def without_nothing(self, value: Any) -> Any:
        return self.without(value, NOTHING)

    def nothing_of(self, value: Any) -> int | None:
        """The value that says whether something is None; None if it never is."""
        choice = value.choice if type(value) is Maybe else value
        number = choice.tag_of(NOTHING) if type(choice) is Choice else None
        return None if number is None else self.steps.compare("equal", self.steps.get(choice.tag), self.steps.whole(number))

    def is_nothing(self, value: Any, holds: bool) -> Any:
        """Whether it is None, or is not."""
        lacks = self.nothing_of(value)
        if lacks is None:
            return (value is None) == holds
        return Number(BOOLEAN, lacks if holds else self.steps.map("logical_not", BOOL, BOOL, lacks))

    def each(self, x: Any, compute: Callable[[Any], Any]) -> Any:
        """`compute` of a number; where that is one of several kinds, for each of these."""
        x = self.sure(x)
        if type(x) is not Choice:
            return compute(x)
        alike = self.alike(x, compute)
        if alike is not None:
            return alike
        results: list[tuple[int, Callable[[], Any]]] = []
        for number, kind, variable in x.kinds:
            is_it = self.steps.compare("equal", self.steps.get(x.tag), self.steps.whole(number))
            results.append((is_it, functools.partial(self.of_variable, compute, kind, variable)))
        return self.one_of(results)

    def alike(self, x: Choice, compute: Callable[[Any], Any]) -> Any:
        """The same without a branch, where all kinds lie in one variable and the same is done to each; else None."""
        shared = x.shared()
        if shared is None:
            return None
        steps = self.steps.steps
        begin = len(steps)
        value = self.steps.get(shared)
        results: list[Any] = []
        first: Any = None
        for _, kind, _ in x.kinds:
            del steps[begin + 1 :]
            results.append(compute(Number(kind, value)))
            first = first or steps[begin:]
            if type(results[-1]) is not Number or results[-1].id != results[0].id or steps[begin:] != first:
                del steps[begin:]
                return None
        low, high = ({getattr(each, bound) for each in results} for bound in ("low", "high"))
        if all(each.kind is results[0].kind for each in results):
            return Number(results[0].kind, results[0].id, low.pop() if len(low) == 1 else None, high.pop() if len(high) == 1 else None)
        tag, variable = self.steps.variable(INT), self.steps.variable(results[0].kind)
        self.steps.set(tag, self.steps.get(x.tag))
        self.steps.set(variable, results[0].id)
        return Choice(tag, [(number, each.kind, variable) for (number, _, _), each in zip(x.kinds, results, strict=True)])

    def of_variable(self, compute: Callable[[Any], Any], kind: Any, variable: int) -> Any:
        return compute(Number(kind, self.steps.get(variable)))

    def one_of(self, cases: list[tuple[int, Callable[[], Any]]]) -> Any:
        """The result of the case whose condition holds; of the last one if none does."""
        self.draws.all_waiting()
        result, stored = Result(self), self.stored
        for condition, compute in cases[:-1]:
            self.steps.add("if", a=condition)
            result.keep(self.apart(stored, compute))
            self.steps.add("else")
        result.keep(self.apart(stored, cases[-1][1]))
        for _ in cases[:-1]:
            self.steps.add("end")
        return result.value()

    def apart(self, stored: bool, compute: Callable[[], Any]) -> Any:
        """`compute` in one of several cases, of which another one may have written to memory. `stored`: whether something had before."""
        others, self.stored = self.stored, stored
        found = compute()
        self.stored = self.stored or others
        return found

    def binary(self, op: ast.operator, x: Any, y: Any) -> Any:
        if is_array(x) or is_array(y):
            return self.products.product(x, y) if isinstance(op, ast.MatMult) else self.arrays.binary(ufunc_of(type(op)), x, y)
        if type(x) is Display and isinstance(op, ast.Mult) and x.times == 1:
            return Display(x.items, y)
        if type(x) is tuple or type(y) is tuple:
            raise Unsupported("computes with tuples")
        return self.each(x, lambda a: self.each(y, lambda b: self.numbers.binary(op, a, b)))

    def value_BinOp(self, node: ast.BinOp) -> Any:
        if wraps_around(node):
            return self.remainder(node)
        x = self.value_or_draw(node.left)
        y = self.value_or_draw(node.right)
        return self.computed(node.op, x, y)

    def remainder(self, node: ast.BinOp) -> Any:
        """``(a * b + c) & mask``, ``% 2**k``: of Python's ints the lowest 64 bits are enough."""
        operands: list[Any] = []

        def look(part: ast.expr) -> Callable[[Any], Any]:
            """Evaluates the operands, from the left; what computes with them, by a function."""
            if is_wrapping(part):
                x, y = look(part.left), look(part.right)
                return lambda compute: compute(part.op, x(compute), y(compute))
            operands.append(self.value(part))
            place = len(operands) - 1
            return lambda _: operands[place]

        left = look(node.left)
        y = self.value(node.right)
        mask = is_mask(node.op, y)
        if mask is None or not all(map(is_int, operands)):
            return self.computed(node.op, left(self.computed), y)
        return masked(self.numbers, left(functools.partial(modulo, self.numbers)).id, mask)

    def computed(self, op: ast.operator, x: Any, y: Any) -> Any:
        """Of numbers that may still be to be drawn."""
        if isinstance(op, (ast.Add, ast.Sub)):
            x, y = self.draws.beside(x, y), self.draws.beside(y, x)
        if isinstance(op, ast.MatMult):
            return self.binary(op, self.draws.forced(x), self.draws.forced(y))
        return self.draws.computed(x, y, lambda a, b: self.binary(op, a, b))

    def value_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            test = self.conditions.truth(node.operand)
            return not test if type(test) is bool else Number(BOOLEAN, self.steps.map("logical_not", BOOL, BOOL, test))
        x = self.value(node.operand)
        if is_array(x):
            return self.arrays.unary(UNARY[type(node.op)][1], x)
        if type(x) is tuple:
            raise Unsupported("computes with tuples")
        return self.each(x, lambda a: self.numbers.unary(node.op, a))

    def value_Tuple(self, node: ast.Tuple) -> Any:
        if any(isinstance(each, ast.Starred) for each in node.elts):
            raise Unsupported("unpacks into a tuple")
        return self.values(node.elts)

    def values(self, nodes: Iterable[ast.expr]) -> tuple[Any, ...]:
        """Several, one after the other; what is drawn for them is drawn once all is checked."""
        found = [self.value_or_draw(each) for each in nodes]
        return tuple(self.draws.forced(each) for each in found)

    def value_List(self, node: ast.List) -> Any:
        if any(isinstance(each, ast.Starred) for each in node.elts):
            raise Unsupported("unpacks into a list")
        return Display(list(self.values(node.elts)))

    def value_Dict(self, node: ast.Dict) -> Any:
        if any(each is None for each in node.keys):
            raise Unsupported("unpacks into a dict")
        found = self.values([part for pair in zip(node.keys, node.values, strict=True) for part in pair if part is not None])
        return DictDisplay(dict, list(found[::2]), list(found[1::2]))

    def value_Set(self, node: ast.Set) -> Any:
        if any(isinstance(each, ast.Starred) for each in node.elts):
            raise Unsupported("unpacks into a set")
        is_constant = len(node.elts) > 2 and not any(isinstance(each, ast.Name) for each in _syntax.walk(node))
        return DictDisplay(set, list(self.values(node.elts)), None, is_constant)

    def value_ListComp(self, node: ast.ListComp) -> Any:
        found = table_of(node)
        if found is None:
            raise Unsupported("has an expression of the kind ListComp")
        items, times, rows = found
        calls = [each for part in (*items, *([] if times is None else [times])) for each in _syntax.walk(part) if isinstance(each, ast.Call)]
        if any(self.value(each.func) is not builtins.len for each in calls):
            raise Unsupported("calls a function of its own for each row of a list")
        count = self.value(rows)  # Python looks at it first
        return TableDisplay(self.values(items), 1 if times is None else self.value(times), count)

    def where(self, test: ast.expr, holds: bool, compute: Callable[[], Any]) -> Any:
        """`compute`, with what a condition tells of variables."""
        before = self.current()
        self.frame.env = narrowed(before, test, holds)
        try:
            return compute()
        finally:
            self.frame.env = before

    def value_Compare(self, node: ast.Compare) -> Any:
        return self.conditions.comparison(node)

    def value_BoolOp(self, node: ast.BoolOp) -> Any:
        return self.conditions.junction(node)

    def value_IfExp(self, node: ast.IfExp) -> Any:
        test = self.conditions.truth(node.test)
        if type(test) is bool:
            return self.value(node.body if test else node.orelse)
        if any(isinstance(each, ast.Tuple) for each in (node.body, node.orelse)):
            return self.one_object(node, test)
        mark, stored, waiting = len(self.steps.steps), self.stored, list(self.draws.waiting)
        try:
            arms = [lambda: self.value(node.body), lambda: self.value(node.orelse)]
            first, second = (functools.partial(self.where, node.test, not number, arm) for number, arm in enumerate(arms))
            return self.one_of([(test, first), (-1, second)])
        except IsNoNumber:
            del self.steps.steps[mark:]
            self.stored, self.draws.waiting = stored, waiting
        return self.one_object(node, test)

    def one_object(self, node: ast.IfExp, test: int) -> Any:
        """One of two arrays or tuples, as if it were bound to a variable."""
        self.draws.all_waiting()
        name, stored = (self.frame.key, ("one of", id(node))), self.stored
        self.steps.add("if", a=test)
        first = self.slots.store(name, self.settled(self.apart(stored, lambda: self.where(node.test, True, lambda: self.value(node.body)))))
        self.steps.add("else")
        second = self.slots.store(name, self.settled(self.apart(stored, lambda: self.where(node.test, False, lambda: self.value(node.orelse)))))
        self.steps.add("end")
        return self.slots.load(name, self.slots.joined(name, first, second, True))

    def value_Subscript(self, node: ast.Subscript) -> Any:
        return self.elements.subscript(node)

    def value_Attribute(self, node: ast.Attribute) -> Any:
        return self.calls.attribute(self.value(node.value), node.attr)

    def value_Call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        if isinstance(node.func, ast.Name) and (found := self.folds.call(function, node)) is not NotImplemented:
            return found
        if any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords):
            raise Unsupported("unpacks arguments")
        found = self.values([*node.args, *(each.value for each in node.keywords)])
        named = dict(zip((str(each.arg) for each in node.keywords), found[len(node.args) :], strict=True))
        return self.calls.call(function, list(found[: len(node.args)]), named)
