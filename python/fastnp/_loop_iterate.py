"""What `for` goes over in programs: ranges, arrays along their first axis, and `enumerate`, `zip` and `reversed` of these."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictState, DictView
from fastnp._loop_lists import ListState
from fastnp._loop_nested import Nested
from fastnp._loop_program import BOOLEAN, INT, MOST, Choice, Kind, Number, PythonKind, Unsupported, machine
from fastnp._loop_values import Lazy, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Iteration", "iteration_of"]

_MOST_ITEMS = 8  # of a tuple


class Iteration:
    """An iteration's state lies in variables of the program, which an exit hands out and an entry in the middle takes over."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def variables(self) -> list[int]:
        raise NotImplementedError

    def is_enterable(self) -> bool:
        """Whether these alone say where it is, so that it can be entered in the middle."""
        return True

    def start(self) -> None:
        raise NotImplementedError

    def more(self) -> int:
        raise NotImplementedError

    def item(self) -> Any:
        raise NotImplementedError

    def advance(self) -> None:
        raise NotImplementedError

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        """Adds what an exit has to hand out; what makes an iterator of that, over the items from the one at hand on."""
        raise NotImplementedError

    def take_over(self, walk: Walk) -> None:
        """Begins with the item after the one at which it was left."""
        for variable in self.variables():
            self.steps.set(variable, walk.input_number(INT))
        self.advance()


def _from(items: list[Any], at: int) -> Iterator[Any]:
    """Goes over a list, which may change meanwhile, from an item on."""
    made: Any = iter(items)
    made.__setstate__(at)
    return iter(made)


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
        if any(type(each) is int and abs(each) > MOST for each in self.bounds):
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

    def variables(self) -> list[int]:
        return [self.at, self.stop, *([] if self.by is None else [self.by])]

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
        out += [(each, INT) for each in self.variables()]
        return lambda values: iter(range(next(values), next(values), self.step if self.by is None else next(values)))


class _Places(Iteration):
    """What has a first place, a second one and so on: a counter says where it is."""

    def __init__(self, walk: Walk) -> None:
        super().__init__(walk)
        self.at = self.steps.variable(INT)

    def variables(self) -> list[int]:
        return [self.at]

    def is_enterable(self) -> bool:
        return False

    def start(self) -> None:
        self.steps.set(self.at, self.steps.whole(0))

    def advance(self) -> None:
        self.steps.set(self.at, self.steps.plus(self.steps.get(self.at), self.steps.whole(1)))


class _Rows(_Places):
    def __init__(self, walk: Walk, view: View, is_reversed: bool, node: ast.expr) -> None:
        super().__init__(walk)
        if not view.sizes:
            raise Unsupported("goes over an array without axes")
        self.view = view
        self.name = walk.frame.key, ("rows", id(node))
        self.held: Any = None
        self.is_reversed = is_reversed

    def is_enterable(self) -> bool:
        return self.view.whole() is not None and not self.steps.is_made(self.view.array)

    def start(self) -> None:
        if not self.is_enterable():  # the variable that it comes from may be bound again
            self.held = self.walk.slots.store(self.name, self.view)
            self.view = self.walk.slots.load(self.name, self.held)
        super().start()

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.view.sizes[0])

    def item(self) -> Any:
        at = self.steps.get(self.at)
        if self.is_reversed:
            last = self.steps.plus(self.view.sizes[0], self.steps.whole(-1))
            at = self.steps.plus(last, self.steps.times(at, self.steps.whole(-1)))
        return self.walk.elements.row(self.view, at)

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        whole = self.view.whole() if self.held is None else None
        array = (lambda values: values.arrays[whole]) if whole is not None else self.walk.slots.given(self.name, self.held, out)
        out.append((self.at, INT))

        def remaining(values: Any) -> Iterator[Any]:
            rows = array(values)
            at = next(values)
            return iter(rows[::-1][at:] if self.is_reversed else rows[at:])

        return remaining


class _ListItems(_Places):
    """The items of a list, which may grow meanwhile."""

    def __init__(self, walk: Walk, held: ListState) -> None:
        super().__init__(walk)
        self.held = held

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.walk.lists.length(self.held))

    def item(self) -> Any:
        return self.walk.lists.item(self.held, self.walk.lists.offset(self.held, self.steps.get(self.at)))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        """Of a list that is handed out by its name."""
        name, walk = self.held.name, self.walk
        named = [*walk.fields.held.values(), *walk.current().values()]
        if not any(type(each) is ListState and each.name == name for each in named):
            raise Unsupported("leaves a loop over a list in the middle")
        out.append((self.at, INT))

        def remaining(values: Any) -> Iterator[Any]:
            return _from(values.lists[name], next(values))

        return remaining


class _DictItems(_Places):
    """The keys, values or items of a dict, in their order."""

    def __init__(self, walk: Walk, view: DictView) -> None:
        super().__init__(walk)
        self.of, self.what = view.of, view.what
        if walk.dicts.is_set(view.of):
            raise Unsupported("goes over a set")  # whose order is not that of its items
        if not walk.dicts.known(view.of).is_known:
            walk.dicts.guess(view.of)

    def more(self) -> int:
        steps, dicts, items = self.steps, self.walk.dicts, self.of.items()
        if dicts.known(self.of).deletes:
            steps.add("loop")
            steps.add("if", a=steps.compare("less", steps.get(self.at), self.walk.lists.length(items)))
            steps.add("else")
            steps.add("break", a=0)
            steps.add("end")
            steps.add("if", a=dicts.is_left(self.of, steps.get(self.at)))
            steps.add("break", a=0)
            steps.add("end")
            steps.add("next")
            super().advance()
            steps.add("end")
        return steps.compare("less", steps.get(self.at), self.walk.lists.length(items))

    def item(self) -> Any:
        dicts, lists, items = self.walk.dicts, self.walk.lists, self.of.items()
        dicts.open.append(self.of.name)
        numbers = lists.item(items, lists.offset(items, self.steps.get(self.at)))
        found = dicts.key_in(self.of, numbers), dicts.value_in(self.of, numbers)
        return found if self.what == "items" else found[self.what == "values"]

    def advance(self) -> None:
        self.walk.dicts.open.remove(self.of.name)
        super().advance()

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        """Python's iterator over the dict itself, which notices where that changes."""
        found, what, items = self.walk.dicts.given(self.of, out), self.what, self.of.items().name
        deletes = self.walk.dicts.known(self.of).deletes
        out.append((self.at, INT))

        def remaining(values: Any) -> Iterator[Any]:
            made, at = iter(getattr(found(values), what)()), next(values)
            for each in values.lists[items][:at]:
                if not deletes or each[-1]:
                    next(made)
            return made

        return remaining


class _TableItems(_Places):
    """The rows of a table, or the numbers of a row."""

    def __init__(self, walk: Walk, held: Nested) -> None:
        super().__init__(walk)
        self.held = held
        self.row = None if held.row is None else self.steps.variable(INT)

    def is_enterable(self) -> bool:
        return self.row is None

    def start(self) -> None:
        if self.row is not None:
            assert self.held.row is not None
            self.steps.set(self.row, self.held.row)
        super().start()

    def now(self) -> Nested:
        return Nested(self.held.name, None if self.row is None else self.steps.get(self.row))

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.walk.tables.length(self.held).id)

    def item(self) -> Any:
        return self.walk.tables.item(self.now(), Number(INT, self.steps.get(self.at), 0, MOST))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        table = self.walk.tables.given(self.held.name, out)
        out.extend((variable, INT) for variable in (self.at, *([] if self.row is None else [self.row])))

        def remaining(values: Any) -> Iterator[Any]:
            items, at = table(values), next(values)
            return _from(items if self.row is None else items[next(values)], at)

        return remaining


class _Items(_Places):
    """The items of a tuple of numbers."""

    def __init__(self, walk: Walk, items: tuple[Any, ...]) -> None:
        super().__init__(walk)
        if len(items) > _MOST_ITEMS:
            raise Unsupported("goes over a long tuple")
        self.numbers = [walk.numbers.number(each) for each in items]
        if any(each.kind is not self.numbers[0].kind for each in self.numbers):
            raise Unsupported("goes over numbers of several kinds")
        self.kept = [self.steps.variable(each.kind) for each in self.numbers]

    def start(self) -> None:
        super().start()
        for variable, number in zip(self.kept, self.numbers, strict=True):
            self.steps.set(variable, number.id)

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.steps.whole(len(self.kept)))

    def item(self) -> Any:
        steps, at = self.steps, self.steps.get(self.at)
        found = steps.get(self.kept[-1])
        for number, variable in enumerate(self.kept[:-1]):
            is_it = steps.compare("equal", at, steps.whole(number))
            found = steps.add("select", machine(self.numbers[0].kind), a=is_it, b=steps.get(variable), c=found)
        lows, highs = ([getattr(each, bound) for each in self.numbers] for bound in ("low", "high"))
        return Number(self.numbers[0].kind, found, None if None in lows else min(lows), None if None in highs else max(highs))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        out.append((self.at, INT))
        out.extend((variable, number.kind) for variable, number in zip(self.kept, self.numbers, strict=True))

        def remaining(values: Any) -> Iterator[Any]:
            at = next(values)
            return iter([next(values) for _ in self.kept][at:])

        return remaining


class _Counted(Iteration):
    def __init__(self, walk: Walk, inner: Iteration, start: Any) -> None:
        super().__init__(walk)
        if type(start) is not int or not 0 <= start < MOST:
            raise Unsupported("counts from something that varies")
        self.inner, self.first = inner, start
        self.at = self.steps.variable(INT)

    def variables(self) -> list[int]:
        return [self.at, *self.inner.variables()]

    def is_enterable(self) -> bool:
        return self.inner.is_enterable()

    def start(self) -> None:
        self.steps.set(self.at, self.steps.whole(self.first))
        self.inner.start()

    def more(self) -> int:
        return self.inner.more()

    def item(self) -> Any:
        return Number(INT, self.steps.get(self.at), self.first), self.inner.item()

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
    def __init__(self, walk: Walk, inners: list[Iteration]) -> None:
        super().__init__(walk)
        self.inners = inners

    def variables(self) -> list[int]:
        return [each for inner in self.inners for each in inner.variables()]

    def is_enterable(self) -> bool:
        return all(each.is_enterable() for each in self.inners)

    def start(self) -> None:
        for each in self.inners:
            each.start()

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
    return _of(walk, loop.iter, False)


def _of(walk: Walk, node: ast.expr, is_reversed: bool) -> Iteration:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not any(isinstance(each, ast.Starred) for each in node.args):
        function = walk.value(node.func)
        if function is builtins.range and not node.keywords and 1 <= len(node.args) <= 3:
            return _Range(walk, [walk.value(each) for each in node.args], is_reversed)
        if function is builtins.enumerate and 1 <= len(node.args) <= 2 and not is_reversed and all(each.arg == "start" for each in node.keywords):
            starts = [*node.args[1:], *(each.value for each in node.keywords)]
            return _Counted(walk, _of(walk, node.args[0], False), walk.value(starts[0]) if starts else 0)
        if function is builtins.zip and node.args and not node.keywords and not is_reversed:
            return _Zipped(walk, [_of(walk, each, False) for each in node.args])
        if function is builtins.reversed and len(node.args) == 1 and not node.keywords and not is_reversed:
            return _of(walk, node.args[0], True)
    held = walk.value(node)
    if type(held) is Lazy:
        held = walk.arrays.stored(held)
    if type(held) is tuple and held and not is_reversed:
        return _Items(walk, held)
    if type(held) is Nested and not is_reversed:
        return _TableItems(walk, held)
    if type(held) in (DictState, DictView) and not is_reversed:
        return _DictItems(walk, held if type(held) is DictView else DictView(held, "keys"))
    if type(held) is ListState and not is_reversed:
        return _ListItems(walk, held)
    if type(held) is View:
        return _Rows(walk, held, is_reversed, node)
    raise Unsupported("goes over something that is neither a range nor an array")
