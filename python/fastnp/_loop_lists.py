"""Lists of numbers, and of tuples of numbers, in programs: words in memory that grows. Where a program is left, Python's list is made, or made anew.

An item is one number or several (a tuple); each has a word, and a second one that says of which kind it is where that varies. Complex numbers have none.
A list has one name: what is known of it, and its length, belong to the variable that it was made for.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_program import BOOL, BOOLEAN, FLOAT64, INT, INT64, Choice, Kind, Number, Unsupported, kind_of_number, machine, position_of
from fastnp._loop_values import Again

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = [
    "DequeDisplay", "DequeState", "Display", "Item", "ListState", "Lists", "NumbersList", "items_of_display", "kinds_of_items", "words_of",
]  # fmt: skip

_WORD = 8
_LONGEST_ITEM = 8
_LONGEST_DISPLAY = 64


class NumbersList:
    """What is known of a list in all rounds of a walk: of which kinds the numbers of its items are."""

    def __init__(self) -> None:
        self.kinds: list[list[Kind]] = []
        self.is_tuple = False
        self.is_known = False  # whether it has had an item
        self.is_written = False
        self.made_as: type | None = None  # the class of the states of those that the program makes

    def are_of(self, other: type) -> bool:
        """Whether the program has made one of another class."""
        self.made_as = self.made_as or other
        return self.made_as is not other

    def words(self) -> int:
        return sum(1 if len(each) == 1 else 2 for each in self.kinds)


class ListState:
    """A variable that is a list: its name, which its length and its memory belong to."""

    __slots__ = ("name",)

    def __init__(self, name: Any) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is ListState and other.name == self.name


class DequeState(ListState):
    """A variable that is a deque: a list whose first item moves on in its memory."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is DequeState and other.name == self.name


class Display:
    """``[a, b]``, perhaps ``* n``"""

    __slots__ = ("items", "times")

    def __init__(self, items: list[Any], times: Any = 1) -> None:
        self.items = items
        self.times = times


def items_of_display(value: Any) -> tuple[Any, ...] | None:
    """The items of a tuple, or of a list that is written out and has no name; None of anything else."""
    if type(value) is Display and type(value.times) is int:
        return tuple(value.items) * value.times if len(value.items) * value.times <= _LONGEST_DISPLAY else None
    return value if type(value) is tuple else None


class DequeDisplay(Display):
    """``deque([a, b])``"""

    __slots__ = ()


class Item:
    """An item's place, to be stored to: the list, and the offset of its words."""

    __slots__ = ("at", "of", "offset")

    def __init__(self, of: ListState, offset: int, at: int = -1) -> None:
        self.of = of
        self.offset = offset
        self.at = at  # its number, where that is known


def kinds_of_items(value: list[Any]) -> Any:
    """(whether they are tuples, the kinds of each number), or None where a program can't have them; () of an empty list."""
    if not value:
        return ()
    is_tuple = type(value[0]) is tuple
    if is_tuple and (set(map(type, value)) != {tuple} or len(set(map(len, value))) != 1 or not 0 < len(value[0]) <= _LONGEST_ITEM):
        return None
    found = tuple(tuple(map(_kind_of_type, set(map(type, numbers)))) for numbers in (zip(*value, strict=True) if is_tuple else (value,)))
    if any(any(kind is None for kind in kinds) or not _are_alike(kinds) for kinds in found):
        return None
    return is_tuple, found


_KINDS: dict[type, Kind | None] = {}  # of types, as they are met


def _kind_of_type(cls: type) -> Kind | None:
    if cls not in _KINDS:
        is_number = cls in (int, float, bool) or issubclass(cls, numpy.number | numpy.bool_)
        _KINDS[cls] = kind_of_number(cls(0)) if is_number else None
    return _KINDS[cls]


def _are_alike(kinds: tuple[Kind, ...]) -> bool:
    """Whether one word holds a number of any of these."""
    return machine(kinds[0]).kind != "c" and all(machine(kind) == machine(kinds[0]) for kind in kinds)


def words_of(value: list[Any], known: NumbersList) -> numpy.ndarray[Any, Any]:
    """The words of a list; OverflowError where a whole number has more than 64 bits."""
    columns: list[Any] = []
    for number, kinds in enumerate(known.kinds):
        numbers = [each[number] for each in value] if known.is_tuple else value
        dtype = machine(kinds[0])
        column = numpy.array(numbers, FLOAT64 if dtype.kind == "f" else numpy.uint64 if dtype.kind == "u" else INT64)
        columns.append(column.view(INT64))
        if len(kinds) > 1:
            columns.append(numpy.array([position_of(kinds, kind_of_number(each)) for each in numbers], INT64))
    return columns[0].reshape(-1, 1) if len(columns) == 1 else numpy.stack(columns, axis=1) if columns else numpy.zeros((len(value), 1), INT64)


def list_of(words: numpy.ndarray[Any, Any], known: NumbersList) -> list[Any]:
    """The list of these words."""
    columns, at = [], 0
    for kinds in known.kinds:
        dtype, word = machine(kinds[0]), words[:, at]
        plain = word.view(FLOAT64) if dtype.kind == "f" else word.view(numpy.uint64) if dtype.kind == "u" else word
        made = [_made(kind, plain) for kind in kinds]
        if len(kinds) == 1:
            columns.append(made[0])
        else:
            columns.append([made[tag][place] for place, tag in enumerate(words[:, at + 1].tolist())])
        at += 1 if len(kinds) == 1 else 2
    return list(zip(*columns, strict=True)) if known.is_tuple else list(columns[0]) if columns else []


def _made(kind: Kind, plain: Any) -> list[Any]:
    if isinstance(kind, numpy.dtype):
        return list(plain.astype(kind))
    return plain.astype(bool).tolist() if kind is BOOLEAN else plain.tolist()


class Lists:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.changes = 0  # how often the walk has changed a list's length
        self.used: set[Any] = set()  # lists that anything is done with

    def write(self, held: ListState) -> None:
        """Exits hand it out; the walk begins anew where some did not."""
        known = self.known(held.name)
        if not known.is_written:
            known.is_written = True
            raise Again

    def known(self, name: Any) -> NumbersList:
        self.used.add(name)
        return self.walk.lists_known.setdefault(name, NumbersList())

    def length(self, held: ListState) -> int:
        self.used.add(held.name)
        return self.steps.get(self.length_of(held))

    def length_of(self, held: ListState) -> int:
        return self.walk.slots.variable((held.name, "length"), INT)

    def room_of(self, held: ListState) -> int:
        return self.walk.slots.variable((held.name, "room"), INT)

    def begin_of(self, held: ListState) -> int:
        return self.walk.slots.variable((held.name, "begin"), INT)

    def array_of(self, held: ListState) -> int:
        arrays = self.walk.slots.arrays
        if held.name not in arrays:
            arrays[held.name] = self.steps.made_array()
        return arrays[held.name]

    def address(self, held: ListState) -> int:
        """Kept for exits wherever it changes."""
        address = self.steps.add("address", INT64, a=self.array_of(held))
        self.steps.set(self.walk.slots.variable((held.name, "address"), INT), address)
        return address

    # How lists come about

    def take(self, name: Any, array: int) -> ListState:
        """One that is handed in as an array of its words."""
        held, steps = ListState(name), self.steps
        steps.add("point", a=self.array_of(held), b=array)
        count = steps.size_of(array, 0)
        steps.set(self.length_of(held), count)
        steps.set(self.room_of(held), count)
        steps.set(self.walk.slots.variable((name, "is new"), INT), steps.whole(0))
        self.address(held)
        return held

    def make(self, name: Any, display: Display) -> ListState:
        held, steps = DequeState(name) if type(display) is DequeDisplay else ListState(name), self.steps
        self.known(name).is_written = True
        if self.known(name).are_of(type(held)):
            raise Unsupported("binds a variable to a list and to a deque")
        items = [self.as_item(item) for item in display.items]
        for item in items:
            self.learn(held, item)
        self.leave_behind(held)
        times = display.times
        if times != 1:
            number = self.walk.numbers.number(times)
            if number.kind is not INT:
                raise Unsupported("repeats a list by something that is no whole number")
            self.walk.numbers.within(number.id, -(2**40), 2**40)
            none = steps.compare("less", number.id, steps.whole(0))
            times = steps.add("select", INT64, a=none, b=steps.whole(0), c=number.id)
        else:
            times = steps.whole(1)
        count = steps.times(times, steps.whole(len(items)))
        room = steps.plus(count, steps.whole(8))
        self.allocate(self.array_of(held), self.bytes_of(held, room))
        steps.set(self.room_of(held), room)
        steps.set(self.walk.slots.variable((name, "is new"), INT), steps.whole(1))
        self.address(held)
        if type(held) is DequeState:
            steps.set(self.begin_of(held), steps.whole(0))

        def put(number: int) -> None:
            for place, item in enumerate(items):
                at = steps.plus(steps.times(number, steps.whole(len(items))), steps.whole(place))
                self.put(Item(held, self.offset(held, at)), item)

        steps.each(times, put)
        steps.set(self.length_of(held), count)
        return held

    def is_taken(self, held: ListState) -> bool:
        return held.name[0] == self.walk.root.key and held.name[1] in self.walk.lists_taken

    def leave_behind(self, held: ListState) -> None:
        """The list that was handed in stays what it is now, when its variable becomes another one."""
        if not self.is_taken(held):
            return
        steps, slots = self.steps, self.walk.slots
        first = slots.arrays.setdefault((held.name, "first"), -1)
        if first < 0:
            first = slots.arrays[held.name, "first"] = steps.made_array()
        steps.add("if", a=steps.compare("equal", steps.get(slots.variable((held.name, "is new"), INT)), steps.whole(0)))
        steps.add("point", a=first, b=self.array_of(held))
        steps.set(slots.variable((held.name, "first address"), INT), steps.add("address", INT64, a=first))
        steps.set(slots.variable((held.name, "first length"), INT), self.length(held))
        steps.add("end")

    def expect_kept(self, before: Any, value: Any) -> None:
        """That a list which was handed in, and changed, is handed out once its variable is bound to something else."""
        is_lost = type(before) is ListState and self.is_taken(before) and type(value) not in (ListState, Display)
        if is_lost and self.known(before.name).is_written:
            raise Unsupported("binds a variable whose list it has changed to something else")

    def bytes_of(self, held: ListState, count: int) -> int:
        return self.steps.times(count, self.steps.whole(_WORD * max(self.known(held.name).words(), 1)))

    def allocate(self, array: int, size: int) -> None:
        self.steps.add("require", a=self.steps.add("allocate", BOOL, a=array, b=size), b=self.walk.no_memory())

    # Items

    def as_item(self, value: Any) -> tuple[Any, ...]:
        value = self.walk.sure(value)
        numbers = tuple(map(self.walk.sure, value)) if type(value) is tuple else (value,)
        found = tuple(each if type(each) is Choice else self.walk.numbers.number(each) for each in numbers)
        if not 0 < len(found) <= _LONGEST_ITEM:
            raise Unsupported("has a list of long tuples")
        return (type(value) is tuple, *found)

    def learn(self, held: ListState, item: tuple[Any, ...]) -> None:
        """What kinds an item's numbers are of; the walk begins anew where that is new."""
        known = self.known(held.name)
        is_tuple, numbers = item[0], item[1:]
        if not known.is_known:
            known.kinds, known.is_tuple, known.is_known = [[] for _ in numbers], is_tuple, True
        if known.is_tuple != is_tuple or len(known.kinds) != len(numbers):
            raise Unsupported("has a list of items of several kinds")
        is_new = False
        for kinds, number in zip(known.kinds, numbers, strict=True):
            for kind in (number.kind,) if type(number) is Number else (each for _, each, _ in number.kinds):
                if kind is None or machine(kind).kind == "c" or (kinds and machine(kind) != machine(kinds[0])):
                    raise Unsupported("has a list of numbers of several kinds")
                if position_of(kinds, kind) < 0:
                    kinds.append(kind)
                    is_new = True
        if is_new:
            raise Again

    def offset(self, held: ListState, at: int) -> int:
        if type(held) is DequeState:
            at = self.steps.plus(at, self.steps.get(self.begin_of(held)))
        return self.steps.times(at, self.steps.whole(_WORD * self.known(held.name).words()))

    def put(self, item: Item, value: tuple[Any, ...]) -> None:
        steps, array, at = self.steps, self.array_of(item.of), item.offset
        for kinds, number in zip(self.known(item.of.name).kinds, value[1:], strict=True):
            data, tag = self.as_words(kinds, number)
            steps.add("store", steps.steps[data][2], a=array, b=at, c=data)
            at = steps.plus(at, steps.whole(_WORD))
            if len(kinds) > 1:
                steps.add("store", INT64, a=array, b=at, c=tag)
                at = steps.plus(at, steps.whole(_WORD))

    def as_words(self, kinds: list[Kind], number: Any) -> tuple[int, int]:
        """The word of a number, and the one of its kind."""
        steps = self.steps
        if type(number) is Number:
            value, tag = number.id, steps.whole(position_of(kinds, number.kind))
        else:
            shared = number.shared()
            if shared is None:
                raise Unsupported("has a list of numbers of several kinds")
            value, tag = steps.get(shared), steps.whole(position_of(kinds, number.kinds[0][1]))
            for known, kind, _ in number.kinds[1:]:
                is_it = steps.compare("equal", steps.get(number.tag), steps.whole(known))
                tag = steps.add("select", INT64, a=is_it, b=steps.whole(position_of(kinds, kind)), c=tag)
        dtype = machine(kinds[0])
        return steps.cast(value, dtype, _word_dtype(dtype)), tag

    def number(self, held: ListState, offset: int) -> int:
        """The number at an offset, of whichever kind it is."""
        dtype = machine(self.known(held.name).kinds[0][0])
        word = _word_dtype(dtype)
        return self.steps.cast(self.steps.add("load", word, a=self.array_of(held), b=offset), word, dtype)

    def item(self, held: ListState, offset: int) -> Any:
        steps, array, known = self.steps, self.array_of(held), self.known(held.name)
        found: list[Any] = []
        for kinds in known.kinds:
            dtype = machine(kinds[0])
            word = _word_dtype(dtype)
            value = steps.cast(steps.add("load", word, a=array, b=offset), word, dtype)
            offset = steps.plus(offset, steps.whole(_WORD))
            if len(kinds) == 1:
                found.append(Number(kinds[0], value))
                continue
            tag, variable = steps.variable(INT), steps.variable(kinds[0])
            steps.set(tag, steps.add("load", INT64, a=array, b=offset))
            steps.set(variable, value)
            offset = steps.plus(offset, steps.whole(_WORD))
            found.append(Choice(tag, [(number, kind, variable) for number, kind in enumerate(kinds)]))
        if not found:
            raise Unsupported("takes an item of a list that has none")
        return tuple(found) if known.is_tuple else found[0]

    def place(self, held: ListState, index: Any) -> Item:
        index = self.walk.elements.as_index(index)
        if not self.walk.elements.is_whole(index):
            raise Unsupported("takes an item of a list by something that is no whole number")
        at = self.walk.elements.index(self.length(held), index)
        return Item(held, self.offset(held, at), at)

    def taken(self, held: ListState, index: Any) -> Any:
        return self.item(held, self.place(held, index).offset)

    def storing(self, item: Item, value: Any) -> Callable[[], None]:
        made = self.as_item(value)
        self.learn(item.of, made)
        self.write(item.of)

        def store() -> None:
            self.put(item, made)
            self.walk.note_written(item.of)

        return store

    # What exits hand out

    def given(self, held: ListState, out: list[tuple[int, Kind]]) -> Callable[[Any], Any]:
        """The list that was handed in, changed in place, or a new one."""
        name = held.name[1]
        known = self.walk.lists_known.setdefault(held.name, NumbersList())
        if type(held) is DequeState:
            return self.given_deque(held, known, out)
        if not known.is_written:
            return lambda values: values.lists.setdefault(held.name, values.passed[name])
        parts = ["is new", "address", "length", *(["first address", "first length"] if self.is_taken(held) else [])]
        out += [(self.walk.slots.variable((held.name, part), INT), INT) for part in parts]

        def decode(values: Any) -> Any:
            is_new, address, length = next(values), next(values), next(values)
            first = [next(values) for _ in parts[3:]]
            if first and is_new and type(values.passed.get(name)) is list:
                values.listed(name, *first, known)
            if held.name in values.lists:  # of another variable
                return values.lists[held.name]
            values.lists[held.name] = values.listed(None if is_new else name, address, length, known)
            return values.lists[held.name]

        return decode

    def given_deque(self, held: ListState, known: NumbersList, out: list[tuple[int, Kind]]) -> Callable[[Any], Any]:
        out += [(self.walk.slots.variable((held.name, part), INT), INT) for part in ("begin", "address", "length")]
        size = _WORD * max(known.words(), 1)

        def decode(values: Any) -> Any:
            begin, address, length = next(values), next(values), next(values)
            if held.name not in values.lists:  # of another variable
                values.lists[held.name] = collections.deque(values.listed(None, address + begin * size, length, known))
            return values.lists[held.name]

        return decode


def _word_dtype(dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    return FLOAT64 if dtype.kind == "f" else numpy.dtype("u8") if dtype.kind == "u" else INT64
