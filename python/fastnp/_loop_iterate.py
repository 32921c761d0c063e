"""What `for` goes over in programs: ranges, arrays along their first axis, and `enumerate`, `zip` and `reversed` of these."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictState, DictView
from fastnp._loop_items import DequeItems, DictItems, Items, Iteration, ListItems, Rows, SetItems, TableItems
from fastnp._loop_lists import DequeState, ListState, items_of_display
from fastnp._loop_nested import Nested
from fastnp._loop_program import BOOLEAN, INT, MOST, Choice, Kind, Number, PythonKind, Unsupported
from fastnp._loop_values import Lazy, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Iteration", "iteration_of"]


def _whole(number: Number) -> Number:
    """Such a one as Python takes for an index: of others `range` raises, as written."""
    if number.kind is not INT and number.kind is not BOOLEAN and (type(number.kind) is PythonKind or number.kind.kind not in "iu"):
        raise Unsupported("has a range of numbers that are no integers")
    return number


class _Range(Iteration):
    def __init__(self, walk: Walk, bounds: list[Any], is_reversed: bool) -> None:
        super().__init__(walk)
        bounds = [walk.each(each, lambda number: walk.numbers.to_int(_whole(number))) if type(each) is Choice else each for each in bounds]
        if any(type(each) is not Number and type(each) is not int for each in bounds):
            raise Unsupported("has a range of other numbers")
        for each in bounds:
            if type(each) is Number:
                _whole(each)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
        if is_reversed and (type(step) is Number or step not in (1, -1)):
            raise Unsupported("goes over a range backward by steps")
        if step == 0:
            raise Unsupported("has a range without a step")
        self.bounds, self.step, self.is_reversed = (start, stop), -step if is_reversed else step, is_reversed
        self.at, self.stop = self.steps.variable(INT), self.steps.variable(INT)
        self.by = self.steps.variable(INT) if type(step) is Number else None
        self.sign = self.sign_of_step()
        if any(type(each) is int and abs(each) > MOST for each in (*self.bounds, self.step)):
            raise Unsupported("has a range of more than 2**62")
        self.low = self.low_of_items(start, stop)

    def sign_of_step(self) -> int:
        """Of a step that varies 0 where it may be of either."""
        if type(self.step) is int:
            return 1 if self.step > 0 else -1
        return 1 if self.step.low is not None and self.step.low > 0 else 0

    def low_of_items(self, start: Any, stop: Any) -> int | None:
        if self.sign == 0:
            return None
        counts_up = (self.sign > 0) != self.is_reversed  # as it is written
        bound = start if counts_up else stop
        known = bound if type(bound) is int else bound.low
        return known if known is None or counts_up else known + 1

    def variables(self) -> list[tuple[int, Kind]]:
        return [(each, INT) for each in (self.at, self.stop, self.by) if each is not None]

    def counters(self) -> tuple[int, int] | None:
        return (self.at, self.stop) if self.step == 1 and self.by is None else None

    def start(self) -> None:
        numbers, steps = self.walk.numbers, self.steps
        bounds = [numbers.to_int(numbers.number(each)) for each in self.bounds]
        by = [] if self.by is None else [numbers.to_int(self.step)]
        for each in (*bounds, *by):
            if each.low is None or each.high is None or each.low < -MOST or each.high > MOST:
                numbers.within(each.id, -MOST, MOST)
        start, stop = (each.id for each in bounds)
        if self.is_reversed:
            back = steps.whole(self.step)
            start, stop = steps.plus(stop, back), steps.plus(start, back)
        steps.set(self.at, start)
        steps.set(self.stop, stop)
        if self.by is not None:
            if self.sign == 0:  # Python raises where it is none
                self.walk.leave(steps.compare("not_equal", by[0].id, steps.whole(0)))
            steps.set(self.by, by[0].id)

    def more(self) -> int:
        steps = self.steps
        below, above = (steps.compare(op, steps.get(self.at), steps.get(self.stop)) for op in ("less", "greater"))
        if self.sign != 0:
            return below if self.sign > 0 else above
        assert self.by is not None
        forward, backward = (steps.compare(op, steps.get(self.by), steps.whole(0)) for op in ("greater", "less"))
        return steps.either(steps.both(forward, below), steps.both(backward, above))

    def one_step(self) -> int:
        return self.steps.whole(self.step) if self.by is None else self.steps.get(self.by)

    def item(self) -> Any:
        return Number(INT, self.steps.get(self.at), -MOST if self.low is None else self.low, MOST)

    def advance(self) -> None:
        self.steps.set(self.at, self.steps.plus(self.steps.get(self.at), self.one_step()))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        out += self.variables()
        return lambda values: iter(range(next(values), next(values), self.step if self.by is None else next(values)))


class _Counted(Iteration):
    def __init__(self, walk: Walk, inner: Iteration, start: Any) -> None:
        super().__init__(walk)
        self.inner, self.first = inner, walk.numbers.number(start)
        if self.first.kind is not INT:
            raise Unsupported("counts from something that is no int")
        self.at = self.steps.variable(INT)

    def lists(self) -> list[Any]:
        return self.inner.lists()

    def variables(self) -> list[tuple[int, Kind]]:
        return [(self.at, INT), *self.inner.variables()]

    def is_enterable(self) -> bool:
        return self.inner.is_enterable()

    def be_outer(self) -> None:
        self.inner.be_outer()

    def can_go_on(self) -> bool:
        return self.inner.can_go_on()

    def is_empty(self) -> bool:
        return self.inner.is_empty()

    def start(self) -> None:
        self.walk.numbers.inside(self.first, -MOST, MOST)
        self.steps.set(self.at, self.first.id)
        self.inner.start()

    def more(self) -> int:
        return self.inner.more()

    def item(self) -> Any:
        low = -MOST if self.first.low is None else max(self.first.low, -MOST)
        return Number(INT, self.steps.get(self.at), low), self.inner.item()

    def advance(self) -> None:
        self.steps.set(self.at, self.steps.plus(self.steps.get(self.at), self.steps.whole(1)))
        self.inner.advance()

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        out.append((self.at, INT))
        inner = self.inner.given(out)
        return lambda values: enumerate_from(next(values), inner(values))


def enumerate_from(start: int, items: Iterator[Any]) -> Iterator[Any]:
    return zip(itertools.count(start), items, strict=False)


class _Zipped(Iteration):
    def __init__(self, walk: Walk, inners: list[Iteration], is_strict: bool) -> None:
        super().__init__(walk)
        self.inners = inners
        self.lengths = [each.length() for each in inners] if is_strict else []

    def lists(self) -> list[Any]:
        return [name for each in self.inners for name in each.lists()]

    def variables(self) -> list[tuple[int, Kind]]:
        return [each for inner in self.inners for each in inner.variables()]

    def is_enterable(self) -> bool:
        return all(each.is_enterable() for each in self.inners)

    def be_outer(self) -> None:
        for each in self.inners:
            each.be_outer()

    def can_go_on(self) -> bool:
        return all(each.can_go_on() for each in self.inners)

    def is_empty(self) -> bool:
        return any(each.is_empty() for each in self.inners)

    def start(self) -> None:
        for each in self.lengths[1:]:  # Python raises at the end where these differ
            self.walk.arrays.expect_same(self.lengths[0], each)
        for inner in self.inners:
            inner.start()

    def more(self) -> int:
        found = self.inners[0].more()
        for each in self.inners[1:]:
            found = self.steps.both(found, each.more())
        return found

    def item(self) -> Any:
        return tuple(each.item() for each in self.inners)

    def advance(self) -> None:
        for each in self.inners:
            each.advance()

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        inners = [each.given(out) for each in self.inners]
        return lambda values: zip(*[each(values) for each in inners], strict=False)


def iteration_of(walk: Walk, loop: ast.For) -> Iteration:
    """What a loop goes over."""
    made = _of(walk, loop.iter, False)
    if loop is walk.loop:
        made.be_outer()
    return made


def _is_strict(call: ast.Call) -> bool | None:
    """Of a call of `zip`; None where that is not known."""
    if not call.keywords:
        return False
    value = call.keywords[0].value
    is_plain = len(call.keywords) == 1 and call.keywords[0].arg == "strict" and isinstance(value, ast.Constant) and type(value.value) is bool
    return bool(value.value) if is_plain and isinstance(value, ast.Constant) else None


def _of(walk: Walk, node: ast.expr, is_reversed: bool) -> Iteration:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not any(isinstance(each, ast.Starred) for each in node.args):
        function = walk.value(node.func)
        if function is builtins.range and not node.keywords and 1 <= len(node.args) <= 3:
            return _Range(walk, [walk.value(each) for each in node.args], is_reversed)
        if function is builtins.enumerate and 1 <= len(node.args) <= 2 and not is_reversed and all(each.arg == "start" for each in node.keywords):
            starts = [*node.args[1:], *(each.value for each in node.keywords)]
            return _Counted(walk, _of(walk, node.args[0], False), walk.value(starts[0]) if starts else 0)
        if function is builtins.zip and node.args and not is_reversed and (is_strict := _is_strict(node)) is not None:
            return _Zipped(walk, [_of(walk, each, False) for each in node.args], is_strict)
        if function is builtins.reversed and len(node.args) == 1 and not node.keywords and not is_reversed:
            return _of(walk, node.args[0], True)
    held = walk.sure(walk.value(node))
    if type(held) is Lazy:
        held = walk.arrays.stored(held)
    if items := items_of_display(held):
        return Items(walk, items[::-1] if is_reversed else items)
    if type(held) is Nested and not is_reversed:
        return TableItems(walk, held)
    if type(held) is DictState and walk.dicts.is_set(held):
        return SetItems(walk, held)
    if type(held) in (DictState, DictView) and not is_reversed:
        return DictItems(walk, held if type(held) is DictView else DictView(held, "keys"))
    if isinstance(held, ListState) and not is_reversed:
        return DequeItems(walk, held) if type(held) is DequeState else ListItems(walk, held)
    if type(held) is View:
        return Rows(walk, held, is_reversed, node)
    raise Unsupported("goes over something that is neither a range nor an array")
