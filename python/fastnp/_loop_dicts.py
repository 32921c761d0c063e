"""Dicts and sets of whole numbers, or of tuples of these, that programs make: their items lie in a list, in the order in which they came, and a table
of places in it finds them by their keys (open addressing). Values are numbers or tuples of numbers. What is deleted stays in the list, marked, until the
table is made anew. Where a program is left, Python's dict or set is made of them.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastnp._loop_keys import Keys
from fastnp._loop_lists import Display, Item, ListState
from fastnp._loop_program import BOOL, INT, INT64, Choice, Kind, Number, Unsupported
from fastnp._loop_set_order import EMPTY, FIRST_OF_SETS, SetOrder, Spot, asks_for_order
from fastnp._loop_values import Leaves

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["DICT_TYPES", "GONE", "DictDisplay", "DictState", "DictView", "Dicts", "Entry", "display_of"]

_WORD = 8
FIRST = 16  # places of a new table
GONE = -1  # in the table: an item that is no more


class NumbersDict:
    """What is known of a dict in all rounds of a walk."""

    def __init__(self) -> None:
        self.make: Any = None  # what makes Python's: dict, set, Counter, or (defaultdict, type)
        self.form = ""  # of its keys, a letter for each number
        self.is_tuple = False  # whether it is a tuple
        self.has_tuples = False  # whether values are
        self.is_known = False  # whether it has had an item
        self.deletes = False
        self.is_ordered = False  # whether it is a set whose table is Python's (`_loop_set_order.py`)
        self.is_of_constants = False  # ... that Python makes as a whole, in an order of its own

    @property
    def keys(self) -> int:
        """How many numbers a key has."""
        return len(self.form)


class DictState:
    """A variable that is a dict or a set: its name, which its memory belongs to."""

    __slots__ = ("name",)

    def __init__(self, name: Any) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is DictState and other.name == self.name

    def items(self) -> ListState:
        """The list of its items."""
        return ListState((self.name, "items"))


class DictView:
    """``d.keys()``, ``d.values()``, ``d.items()``"""

    __slots__ = ("of", "what")

    def __init__(self, of: DictState, what: str) -> None:
        self.of = of
        self.what = what

    def __eq__(self, other: object) -> bool:
        return type(other) is DictView and other.of == self.of and other.what == self.what


class DictDisplay:
    """``{}``, ``{a: b}``, ``{a, b}``, ``set()`` and the like"""

    __slots__ = ("is_constant", "keys", "make", "values")

    def __init__(self, make: Any, keys: list[Any], values: list[Any] | None, is_constant: bool = False) -> None:
        self.is_constant = is_constant
        self.make = make
        self.keys = keys
        self.values = values


class Entry:
    """A key's place in a dict: a place of the table, and the item's number, which is below 0 where there is none."""

    __slots__ = ("changes", "item", "key", "of", "slot")

    def __init__(self, of: DictState, key: Any, slot: int, item: int, changes: int) -> None:
        self.of = of
        self.key = key
        self.slot = slot
        self.item = item
        self.changes = changes  # how many there were when it was looked for


DICT_TYPES = (dict, set, collections.Counter, collections.defaultdict)  # that it makes


def display_of(function: Any, arguments: list[Any]) -> DictDisplay | None:
    """What a call makes, if that is a dict or a set."""
    if function is dict and not arguments:
        return DictDisplay(dict, [], [])
    if function is set and len(arguments) <= 1:
        items = arguments[0] if arguments else ()
        keys = items.items if type(items) is Display and items.times == 1 else list(items) if type(items) is tuple else None
        if keys is None:
            raise Unsupported("makes a set of something else than a few numbers")
        return DictDisplay(set, keys, None)
    if function is collections.Counter and not arguments:
        return DictDisplay(collections.Counter, [], [])
    if function is collections.defaultdict and len(arguments) == 1:
        if arguments[0] is not int and arguments[0] is not float:
            raise Unsupported("makes a defaultdict of other things than numbers")
        return DictDisplay((collections.defaultdict, arguments[0]), [], [])
    return None


class Dicts:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.lists = walk.lists
        self.keys = Keys(walk)
        self.order = SetOrder(walk)
        self.asked: dict[Any, bool] = {}  # whether the function asks for the order of sets
        self.looked: set[Any] = set()  # ... that the statement at hand has asked for something else than an item

    def known(self, held: DictState) -> NumbersDict:
        found: NumbersDict = self.walk.dicts_known.setdefault(held.name, NumbersDict())
        return found

    def is_set(self, held: DictState) -> bool:
        return self.known(held).make is set

    def variable(self, held: DictState, part: str) -> int:
        return self.walk.slots.variable((held.name, part), INT)

    def table_of(self, held: DictState) -> int:
        arrays = self.walk.slots.arrays
        if (held.name, "table") not in arrays:
            arrays[held.name, "table"] = self.steps.made_array()
        return arrays[held.name, "table"]

    def length(self, held: DictState) -> int:
        """How many it has."""
        self.looked.add(held.name)
        if self.known(held).deletes:
            return self.steps.get(self.variable(held, "count"))
        return self.lists.length(held.items())

    # How it comes about

    def make(self, name: Any, display: DictDisplay) -> DictState:
        held, known, steps = DictState(name), self.known(DictState(name)), self.steps
        if known.make is not None and known.make != display.make:
            raise Unsupported("binds a variable to dicts of several kinds")
        known.make = display.make
        known.is_of_constants |= display.is_constant
        if name in self.walk.moves.iterated:
            raise Unsupported("makes a dict in the place of one that it goes over")
        values = display.values if display.values is not None else [None] * len(display.keys)
        items = [(self.key(held, key), value) for key, value in zip(display.keys, values, strict=True)]
        for key, value in items:
            self.learn(held, key, value)
        self.lists.make(held.items().name, Display([]))
        steps.set(self.variable(held, "count"), steps.whole(0))
        self.new_table(held)
        for key, value in items:
            self.store(self.find(held, key), value)
        return held

    def new_table(self, held: DictState, places: int | None = None) -> None:
        """`places`: how many, if not as many as a new one has."""
        steps, table = self.steps, self.table_of(held)
        places = steps.whole(FIRST_OF_SETS if self.known(held).is_ordered else FIRST) if places is None else places
        made = steps.made_array()
        self.lists.allocate(made, steps.times(steps.plus(places, steps.whole(1)), steps.whole(_WORD)))
        steps.add("point", a=table, b=made)
        steps.each(places, lambda at: self.set_place(held, at, steps.whole(EMPTY)))
        steps.set(self.variable(held, "places"), places)

    def set_place(self, held: DictState, at: int, value: int) -> None:
        steps = self.steps
        steps.add("store", INT64, a=self.table_of(held), b=steps.times(at, steps.whole(_WORD)), c=value)

    # Keys

    def key(self, held: DictState, key: Any) -> tuple[Any, ...]:
        """(whether it is a tuple, its numbers)"""
        found, known = self.keys.of(key), self.known(held)
        form = self.keys.form(found)
        self.keys.expect_equal_to_itself(found)
        if known.is_known and (known.is_tuple, known.form) != (found[0], form):
            raise Unsupported("has a dict of keys of several kinds")
        return found

    def words(self, held: DictState, key: tuple[Any, ...]) -> list[int]:
        """What keys are compared by. The table has one more word than places."""
        places = self.steps.get(self.variable(held, "places"))
        return self.keys.words(key, (self.table_of(held), self.steps.times(places, self.steps.whole(_WORD))))

    def spot_of(self, held: DictState, words: list[int]) -> Spot:
        """Where a key belongs in the table."""
        if self.known(held).is_ordered:
            return self.order.spot(held, words, self.known(held).is_tuple)
        steps, at = self.steps, self.steps.variable(INT)
        last = steps.plus(steps.get(self.variable(held, "places")), steps.whole(-1))
        steps.set(at, steps.map("bitwise_and", INT64, INT64, self.keys.hashed(words), last))
        return Spot(at)

    def go_on(self, held: DictState, spot: Spot) -> None:
        """To the next place."""
        if self.known(held).is_ordered:
            self.order.go_on(held, spot)
            return
        steps, at = self.steps, spot.at
        last = steps.plus(steps.get(self.variable(held, "places")), steps.whole(-1))
        steps.set(at, steps.map("bitwise_and", INT64, INT64, steps.plus(steps.get(at), steps.whole(1)), last))

    def at_place(self, held: DictState, at: int) -> int:
        steps = self.steps
        return steps.add("load", INT64, a=self.table_of(held), b=steps.times(at, steps.whole(_WORD)))

    def item_words(self, held: DictState, item: int) -> list[int]:
        """The key's words of an item."""
        numbers = self.lists.item(held.items(), self.lists.offset(held.items(), item))
        return self.words(held, (True, *numbers[: self.known(held).keys]))

    def find(self, held: DictState, key: tuple[Any, ...]) -> Entry:
        steps, found = self.steps, self.steps.variable(INT)
        steps.set(found, steps.whole(-1))
        words = self.words(held, key)
        spot = self.spot_of(held, words)
        if not self.known(held).is_known:
            return Entry(held, key, steps.get(spot.at), steps.whole(-1), self.lists.changes)
        steps.add("loop")
        number = self.at_place(held, steps.get(spot.at))
        steps.add("if", a=steps.compare("equal", number, steps.whole(EMPTY)))
        steps.add("break", a=0)
        steps.add("end")
        if self.known(held).deletes:
            steps.add("if", a=steps.compare("greater", number, steps.whole(EMPTY)))
        item = steps.plus(number, steps.whole(-1))
        is_it = steps.constant(True, BOOL)
        for one, other in zip(words, self.item_words(held, item), strict=True):
            is_it = steps.both(is_it, steps.compare("equal", one, other))
        steps.add("if", a=is_it)
        steps.set(found, item)
        steps.add("break", a=0)
        steps.add("end")
        if self.known(held).deletes:
            steps.add("end")
        self.go_on(held, spot)
        steps.add("next")
        steps.add("end")
        return Entry(held, key, steps.get(spot.at), steps.get(found), self.lists.changes)

    def is_there(self, entry: Entry) -> int:
        return self.steps.compare("greater_equal", entry.item, self.steps.whole(0))

    def contains(self, held: DictState, key: Any) -> Any:
        """A bool that is known, or a value."""
        self.looked.add(held.name)
        numbers = self.key(held, key)
        return self.is_there(self.find(held, numbers)) if self.known(held).is_known else False

    # Values

    def learn(self, held: DictState, key: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        """An item as its list takes it; the walk begins anew where one of its kind is new."""
        known = self.known(held)
        parts = () if known.make is set else value if type(value) is tuple else (value,)
        if not known.is_known:
            known.form, known.is_tuple, known.is_known = self.keys.form(key), key[0], True
            known.has_tuples = type(value) is tuple and known.make is not set
        if known.has_tuples != (type(value) is tuple) and known.make is not set:
            raise Unsupported("has a dict of values of several kinds")
        mark = (1,) if known.deletes else ()
        item = self.lists.as_item((*key[1:], *parts, *mark))
        self.lists.learn(held.items(), item)
        return item

    def value_at(self, held: DictState, item: int) -> Any:
        return self.value_in(held, self.lists.item(held.items(), self.lists.offset(held.items(), item)))

    def value_in(self, held: DictState, numbers: tuple[Any, ...]) -> Any:
        known = self.known(held)
        values = numbers[known.keys : len(numbers) - int(known.deletes)]
        return tuple(values) if known.has_tuples else values[0]

    def key_in(self, held: DictState, numbers: tuple[Any, ...]) -> Any:
        known = self.known(held)
        return tuple(numbers[: known.keys]) if known.is_tuple else numbers[0]

    def place(self, held: DictState, key: Any) -> Entry:
        if self.is_set(held):
            raise Unsupported("takes an item of a set")
        return self.find(held, self.key(held, key))

    def missing(self, held: DictState) -> Any:
        """What stands for a value that is not there: None where that is a KeyError."""
        make = self.known(held).make
        return 0 if make is collections.Counter else make[1]() if type(make) is tuple else None

    def load(self, entry: Entry) -> Any:
        """Its value; of a dict without a default it has to be there."""
        default = self.missing(entry.of)
        if not self.known(entry.of).is_known:
            if default is None:
                raise Leaves
            return self.walk.numbers.number(default)
        if default is None:
            self.walk.leave(self.is_there(entry))
            return self.value_at(entry.of, entry.item)
        return self.value_or(entry, default)

    def value_or(self, entry: Entry, default: Any) -> Any:
        if not self.known(entry.of).is_known:
            return default
        if type(default) is tuple or self.known(entry.of).has_tuples:
            return self.tuple_or(entry, default)
        return self.walk.one_of([(self.is_there(entry), lambda: self.value_at(entry.of, entry.item)), (-1, lambda: default)])

    def tuple_or(self, entry: Entry, default: Any) -> Any:
        """One of two tuples, or a tuple or None, as if it were bound to a variable."""
        walk, slots, name = self.walk, self.walk.slots, (self.walk.frame.key, ("one of", entry.of.name))
        self.steps.add("if", a=self.is_there(entry))
        first = slots.store(name, self.value_at(entry.of, entry.item))
        self.steps.add("else")
        second = slots.store(name, walk.settled(default))
        self.steps.add("end")
        return slots.kept_items(slots.load(name, slots.joined(name, first, second, True)))

    def item(self, held: DictState, key: Any) -> Any:
        """``d[k]``"""
        if type(self.known(held).make) is tuple:  # a defaultdict has it then; the statement may be done again all the same
            entry, stored = self.place(held, key), self.walk.stored
            value = self.walk.slots.kept_items(self.load(entry))
            self.storing(entry, value)()
            self.walk.stored = stored or held.name in self.looked
            return value
        return self.load(self.place(held, key))

    def storing(self, entry: Entry, value: Any) -> Callable[[], None]:
        held = entry.of
        value = value if type(value) in (Number, Choice, tuple) else self.walk.numbers.number(value)
        self.learn(held, entry.key, value)
        if entry.changes != self.lists.changes:
            raise Unsupported("changes a dict in a statement that stores into one")
        if held.name in self.walk.moves.iterated:
            self.walk.leave(self.is_there(entry))

        def store() -> None:
            self.store(entry, value)

        return store

    def store(self, entry: Entry, value: Any) -> None:
        held, steps, lists = entry.of, self.steps, self.lists
        item = self.learn(held, entry.key, value)
        is_new = steps.compare("less", entry.item, steps.whole(0))
        steps.add("if", a=is_new)
        number = lists.length(held.items())
        self.walk.list_methods.call_append(held.items(), item[1:])
        steps.set(self.variable(held, "count"), steps.plus(steps.get(self.variable(held, "count")), steps.whole(1)))
        (self.order if self.known(held).is_ordered else self).enter_new(held, entry.slot, number)
        if not self.is_set(held):
            steps.add("else")
            self.put_value(held, entry.item, item)
        steps.add("end")
        self.lists.changes += 1
        self.walk.note_written(held)

    def enter_new(self, held: DictState, place: int, number: int) -> None:
        """An item that has come to the list's end."""
        steps = self.steps
        used = steps.times(steps.plus(number, steps.whole(1)), steps.whole(3))
        places = steps.get(self.variable(held, "places"))
        steps.add("if", a=steps.compare("greater_equal", used, steps.times(places, steps.whole(2))))
        self.make_room(held)
        steps.add("else")
        self.set_place(held, place, steps.plus(number, steps.whole(1)))
        steps.add("end")

    def put_value(self, held: DictState, item: int, numbers: tuple[Any, ...]) -> None:
        """Its key stays the one that came first."""
        old = self.lists.item(held.items(), self.lists.offset(held.items(), item))
        first = self.known(held).keys
        self.lists.put(Item(held.items(), self.lists.offset(held.items(), item)), (True, *old[:first], *numbers[1 + first :]))

    # The table anew

    def make_room(self, held: DictState) -> None:
        steps = self.steps
        places = steps.get(self.variable(held, "places"))
        if self.known(held).deletes:
            self.close(held)
            is_full = steps.compare("greater_equal", steps.times(self.length(held), steps.whole(3)), places)
            places = steps.add("select", INT64, a=is_full, b=steps.times(places, steps.whole(2)), c=places)
        else:
            places = steps.times(places, steps.whole(2))
        self.new_table(held, places)
        steps.each(self.lists.length(held.items()), lambda number: self.enter(held, number))

    def enter(self, held: DictState, number: int) -> None:
        """An item, into a table that has not got it."""
        steps = self.steps
        spot = self.spot_of(held, self.item_words(held, number))
        steps.add("loop")
        steps.add("if", a=steps.compare("equal", self.at_place(held, steps.get(spot.at)), steps.whole(EMPTY)))
        steps.add("break", a=0)
        steps.add("end")
        self.go_on(held, spot)
        steps.add("next")
        steps.add("end")
        self.set_place(held, steps.get(spot.at), steps.plus(number, steps.whole(1)))

    def close(self, held: DictState) -> None:
        """What is left moves to the list's beginning."""
        steps, lists, to = self.steps, self.lists, self.steps.variable(INT)
        steps.set(to, steps.whole(0))

        def move(number: int) -> None:
            steps.add("if", a=self.is_left(held, number))
            self.walk.heaps.put(held.items(), steps.get(to), self.walk.heaps.kept(held.items(), number))
            steps.set(to, steps.plus(steps.get(to), steps.whole(1)))
            steps.add("end")

        steps.each(lists.length(held.items()), move)
        steps.set(lists.length_of(held.items()), steps.get(to))

    def is_left(self, held: DictState, item: int) -> int:
        numbers = self.lists.item(held.items(), self.lists.offset(held.items(), item))
        return self.steps.compare("not_equal", numbers[-1].id, self.steps.whole(0))

    # What exits hand out

    def given(self, held: DictState, out: list[tuple[int, Kind]]) -> Callable[[Any], Any]:
        known = self.known(held)
        numbers = self.lists.known(held.items().name)
        self.expect_order(held)
        out += [(self.walk.slots.variable((held.items().name, part), INT), INT) for part in ("address", "length")]

        def decode(values: Any) -> Any:
            address, length = next(values), next(values)
            if held.name not in values.lists:
                items = values.listed(None, address, length, numbers) if known.is_known else []
                values.lists[held.items().name] = items
                values.lists[held.name] = python_of(known, items)
            return values.lists[held.name]

        return decode

    def expect_order(self, held: DictState) -> None:
        """That a set which is handed out has Python's order, or that the function does not ask for it."""
        known = self.known(held)
        if known.make is not set or not (known.deletes or known.is_of_constants):
            return
        names = [name[1] for name, each in self.walk.dicts_known.items() if each is known and isinstance(name[1], str)]
        self.asked.update({name: asks_for_order(self.walk.root.tree, name) for name in names if name not in self.asked})
        if any(map(self.asked.get, names)):
            raise Unsupported("asks for the order of a set that has lost items, or is made of constants")


def python_of(known: NumbersDict, items: list[tuple[Any, ...]]) -> Any:
    """Python's object of a list of keys, values and marks. (Of a set that has lost some, `expect_order`.)"""
    make, left = known.make, [each for each in items if each[-1]] if known.deletes else items
    keys = [each[: known.keys] for each in left] if known.is_tuple else [each[0] for each in left]
    if make is set:
        return set(keys)
    end = -1 if known.deletes else None
    values = [each[known.keys : end] for each in left] if known.has_tuples else [each[known.keys] for each in left]
    found = make[0](make[1]) if type(make) is tuple else make()
    found.update(dict(zip(keys, values, strict=True)))
    return found
