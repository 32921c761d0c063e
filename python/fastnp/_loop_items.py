"""What `for` goes over in programs that lies in memory or is written out: arrays and their parts, lists, tables, and tuples."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictState, DictView
from fastnp._loop_given import given
from fastnp._loop_lists import ListState
from fastnp._loop_nested import Nested
from fastnp._loop_program import INT, MOST, Kind, Number, Unsupported
from fastnp._loop_set_order import EMPTY, is_as_known
from fastnp._loop_tuples import Kept
from fastnp._loop_values import Again, Part, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["DequeItems", "DictItems", "Items", "Iteration", "ListItems", "Places", "Rows", "SetItems", "TableItems"]


class Iteration:
    """An iteration's state lies in variables of the program, which an exit hands out and an entry in the middle takes over."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def variables(self) -> list[tuple[int, Kind]]:
        raise NotImplementedError

    def lists(self) -> list[Any]:
        """The names of those that it goes over, dicts among them."""
        return []

    def is_enterable(self) -> bool:
        """Whether these and what is handed in say where it is, so that it can be entered in the middle."""
        return True

    def be_outer(self) -> None:
        """It is that of the program's own loop, which another program may enter in the middle: that says all that there is to know of it."""

    def can_go_on(self) -> bool:
        """Whether Python can go on with it where the program is left."""
        return self.is_enterable()

    def is_empty(self) -> bool:
        """Whether it is known to have no item, as far as the walk has come: it begins anew where one comes later."""
        return False

    def length(self) -> int:
        """Over how many items it goes, where that is known when it begins."""
        raise Unsupported("goes strictly over something that may grow")

    def counters(self) -> tuple[int, int] | None:
        """The variables that it counts from and up to, by ones, where that is all that there is to it."""
        return None

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
        for variable, kind in self.variables():
            self.steps.set(variable, walk.input_number(kind))
        self.advance()


class Places(Iteration):
    """What has a first place, a second one and so on: a counter says where it is."""

    def __init__(self, walk: Walk) -> None:
        super().__init__(walk)
        self.at = self.steps.variable(INT)

    def variables(self) -> list[tuple[int, Kind]]:
        return [(self.at, INT)]

    def start(self) -> None:
        self.steps.set(self.at, self.steps.whole(0))

    def advance(self) -> None:
        self.steps.set(self.at, self.steps.plus(self.steps.get(self.at), self.steps.whole(1)))


class Rows(Places):
    """The rows of an array, or of a part of one: of one that was handed in, its offset, sizes and steps say which part it is."""

    def __init__(self, walk: Walk, view: View, is_reversed: bool, node: ast.expr) -> None:
        super().__init__(walk)
        if not view.sizes:
            raise Unsupported("goes over an array without axes")
        self.view = view
        self.name = walk.frame.key, ("rows", id(node))
        self.held: Any = None
        self.is_reversed = is_reversed
        self.is_made = self.steps.is_made(view.array)
        self.place: list[tuple[int, int, bool]] = []  # variables, what they are at first, and whether that is so wherever the loop is entered
        if not self.is_made and view.whole() is None:
            offset = self.steps.whole(0) if view.offset is None else view.offset
            self.place = [(self.steps.variable(INT), value, self.is_known(value)) for value in (offset, *view.sizes, *view.strides)]

    def is_known(self, value: int) -> bool:
        return self.steps.steps[value][0] == "constant" or self.walk.slots.everywhere(value)

    def be_outer(self) -> None:
        """Sizes and steps that are the whole array's are known all the same."""
        rank = len(self.view.sizes)
        for number, (variable, value, is_known) in enumerate(self.place):
            is_of_array = self.steps.steps[value][0] == "input" or number > rank
            self.place[number] = variable, value, is_known and number > 0 and is_of_array

    def can_go_on(self) -> bool:
        return True

    def variables(self) -> list[tuple[int, Kind]]:
        if self.is_made:
            parts = ("origin", "address", *range(1, 1 + 2 * len(self.view.sizes)))
            return [*((self.walk.slots.variable((self.name, part), INT), INT) for part in parts), (self.at, INT)]
        return [*((variable, INT) for variable, _, _ in self.place), (self.at, INT)]

    def is_enterable(self) -> bool:
        return not self.is_made and not self.walk.is_bound_in_loop(self.walk.inputs.arrays[self.view.array])

    def start(self) -> None:
        super().start()
        if self.is_made:  # the variable that it comes from may be bound again
            self.held = self.walk.slots.store(self.name, self.view)
            self.view = self.walk.slots.load(self.name, self.held)
        for variable, value, _ in self.place:
            self.steps.set(variable, value)

    def now(self) -> View:
        """The array, as values that are known here."""
        if not self.place:
            return self.view
        view, rank = self.view, len(self.view.sizes)
        found = [value if is_known else self.steps.get(variable) for variable, value, is_known in self.place]
        return View(view.array, view.dtype, found[0], found[1 : rank + 1], found[rank + 1 :], Part(view.array), view.origins)

    def length(self) -> int:
        return self.view.sizes[0]

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.now().sizes[0])

    def item(self) -> Any:
        at, view = self.steps.get(self.at), self.now()
        if self.is_reversed:
            last = self.steps.plus(view.sizes[0], self.steps.whole(-1))
            at = self.steps.plus(last, self.steps.times(at, self.steps.whole(-1)))
        return self.walk.elements.row(view, at)

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        array = self.given_array(out)
        out.append((self.at, INT))

        def remaining(values: Any) -> Iterator[Any]:
            rows = array(values)
            at = next(values)
            return iter(rows[::-1][at:] if self.is_reversed else rows[at:])

        return remaining

    def given_array(self, out: list[tuple[int, Kind]]) -> Any:
        view = self.view
        if self.is_made:
            return given(self.walk.slots, self.name, self.held, out)
        if not self.place:
            return lambda values: values.arrays[view.array]
        out.extend((variable, INT) for variable, _, _ in self.place)
        rank = len(view.sizes)

        def part(values: Any) -> Any:
            offset, *rest = [next(values) for _ in self.place]
            return values.part_at(view.array, offset, rest[:rank], rest[rank:], view.dtype)

        return part


class ListItems(Places):
    """The items of a list, which may grow meanwhile."""

    def __init__(self, walk: Walk, held: ListState) -> None:
        super().__init__(walk)
        self.held = held

    def is_enterable(self) -> bool:
        return self.walk.lists.is_taken(self.held) and not self.walk.is_bound_in_loop(self.held.name[1])

    def lists(self) -> list[Any]:
        return [self.held.name]

    def is_empty(self) -> bool:
        return not self.walk.lists.known(self.held.name).is_known

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.walk.lists.length(self.held))

    def item(self) -> Any:
        return self.walk.lists.item(self.held, self.walk.lists.offset(self.held, self.steps.get(self.at)))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        """Of a list that is handed out by its name."""
        name, walk = self.held.name, self.walk
        if not self.is_enterable():
            named = [*walk.fields.held.values(), *walk.current().values()]
            if not any(isinstance(each, ListState) and each.name == name for each in named):
                raise Unsupported("leaves a loop over a list in the middle")
        out.append((self.at, INT))

        def remaining(values: Any) -> Iterator[Any]:
            return self.iterator(values.lists[name] if name in values.lists else values.passed[name[1]], next(values))

        return remaining

    @staticmethod
    def iterator(items: Any, at: int) -> Iterator[Any]:
        return _from(items, at)


class DequeItems(ListItems):
    """The items of a deque, which stays as it is meanwhile."""

    def is_enterable(self) -> bool:
        return False

    @staticmethod
    def iterator(items: Any, at: int) -> Iterator[Any]:
        """Python's, which notices where the deque is changed."""
        made = iter(items)
        for _ in range(at):
            next(made)
        return made


class Entries(Places):
    """What is in a dict or a set, which is made in the program. An exit hands out Python's own iterator, which notices where the object changes."""

    def __init__(self, walk: Walk, of: DictState) -> None:
        super().__init__(walk)
        self.of = of

    def is_enterable(self) -> bool:
        return False

    def lists(self) -> list[Any]:
        return [self.of.name]

    def is_empty(self) -> bool:
        return not self.walk.dicts.known(self.of).is_known

    def skip(self, is_within: Callable[[], int], is_there: Callable[[], int]) -> None:
        """Passes over places at which there is none (any more)."""
        steps = self.steps
        steps.add("loop")
        steps.add("if", a=is_within())
        steps.add("else")
        steps.add("break", a=0)
        steps.add("end")
        steps.add("if", a=is_there())
        steps.add("break", a=0)
        steps.add("end")
        steps.add("next")
        Places.advance(self)
        steps.add("end")


class DictItems(Entries):
    """The keys, values or items of a dict, in their order."""

    def __init__(self, walk: Walk, view: DictView) -> None:
        super().__init__(walk, view.of)
        self.what = view.what

    def is_within(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.walk.lists.length(self.of.items()))

    def more(self) -> int:
        dicts = self.walk.dicts
        if dicts.known(self.of).deletes:
            self.skip(self.is_within, lambda: dicts.is_left(self.of, self.steps.get(self.at)))
        return self.is_within()

    def item(self) -> Any:
        dicts, lists, items = self.walk.dicts, self.walk.lists, self.of.items()
        numbers = lists.item(items, lists.offset(items, self.steps.get(self.at)))
        found = dicts.key_in(self.of, numbers), dicts.value_in(self.of, numbers)
        return found if self.what == "items" else found[self.what == "values"]

    def given(self, out: list[tuple[int, Kind]]) -> Any:
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


class SetItems(Entries):
    """The items of a set, in the order of its table."""

    def __init__(self, walk: Walk, of: DictState) -> None:
        super().__init__(walk, of)
        self.done = self.steps.variable(INT)  # how many items came before
        known = walk.dicts.known(of)
        if known.deletes or known.is_of_constants or "f" in known.form or not is_as_known():
            raise Unsupported("goes over a set whose order is not known")
        if not known.is_ordered:
            known.is_ordered = True
            raise Again

    def start(self) -> None:
        super().start()
        self.steps.set(self.done, self.steps.whole(0))

    def more(self) -> int:
        steps, dicts = self.steps, self.walk.dicts
        places = steps.get(dicts.variable(self.of, "places"))

        def is_within() -> int:
            return steps.compare("less", steps.get(self.at), places)

        self.skip(is_within, lambda: steps.compare("greater", dicts.at_place(self.of, steps.get(self.at)), steps.whole(EMPTY)))
        return is_within()

    def item(self) -> Any:
        dicts, lists, items = self.walk.dicts, self.walk.lists, self.of.items()
        number = self.steps.plus(dicts.at_place(self.of, self.steps.get(self.at)), self.steps.whole(-1))
        return dicts.key_in(self.of, lists.item(items, lists.offset(items, number)))

    def advance(self) -> None:
        super().advance()
        self.steps.set(self.done, self.steps.plus(self.steps.get(self.done), self.steps.whole(1)))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        found = self.walk.dicts.given(self.of, out)
        out.append((self.done, INT))

        def remaining(values: Any) -> Iterator[Any]:
            made = iter(found(values))
            for _ in range(next(values)):
                next(made)
            return made

        return remaining


class TableItems(Places):
    """The rows of a table, or the numbers of a row."""

    def __init__(self, walk: Walk, held: Nested) -> None:
        super().__init__(walk)
        self.held = held
        self.row = None if held.row is None else self.steps.variable(INT)

    def variables(self) -> list[tuple[int, Kind]]:
        return [(each, INT) for each in (self.at, self.row) if each is not None]

    def is_enterable(self) -> bool:
        return self.held.name in self.walk.tables.views and not self.walk.is_bound_in_loop(self.held.name)

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
        out += self.variables()

        def remaining(values: Any) -> Iterator[Any]:
            items, at = table(values), next(values)
            return _from(items if self.row is None else items[next(values)], at)

        return remaining


class Items(Places):
    """The items of a tuple, or of a list that is written out: numbers, or tuples of these of one length."""

    def __init__(self, walk: Walk, items: tuple[Any, ...]) -> None:
        super().__init__(walk)
        self.items = items
        self.count = len(items)
        self.kept = Kept(walk, items)

    def variables(self) -> list[tuple[int, Kind]]:
        return [(self.at, INT), *self.kept.variables()]

    def start(self) -> None:
        super().start()
        self.kept.store()

    def be_outer(self) -> None:
        self.kept = Kept(self.walk, self.items, False)

    def length(self) -> int:
        return self.steps.whole(self.count)

    def more(self) -> int:
        return self.steps.compare("less", self.steps.get(self.at), self.steps.whole(self.count))

    def item(self) -> Any:
        return self.walk.tuples.chosen(self.kept.loaded(), self.steps.get(self.at))

    def given(self, out: list[tuple[int, Kind]]) -> Any:
        out += self.variables()

        def remaining(values: Any) -> Iterator[Any]:
            at = next(values)
            return iter(self.kept.decoded(values)[at:])

        return remaining


def _from(items: list[Any], at: int) -> Iterator[Any]:
    """Goes over a list, which may change meanwhile, from an item on."""
    made: Any = iter(items)
    made.__setstate__(at)
    return iter(made)
