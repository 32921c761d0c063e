"""Methods of lists and deques in programs, and what else changes how many items they have or in which order these are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastnp._loop_lists import DequeDisplay, DequeState, Display, Item, ListState
from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64, MOST, Number, Unsupported, machine
from fastnp._loop_sorts import Sorted, merge_sort

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["LISTS", "ListMethods", "deque_of"]

_WORD = 8
_OF_DEQUES = frozenset(["append", "appendleft", "pop", "popleft", "clear", "extend"])
_ONLY_OF_DEQUES = frozenset(["appendleft", "popleft"])
_READING = frozenset(["index", "count"])


class _Items(Sorted):
    """A list's items, in its memory and in memory of as much room."""

    def __init__(self, walk: Walk, held: ListState, other: ListState, goes_down: bool) -> None:
        lists = walk.lists
        super().__init__(lists.array_of(held), lists.array_of(other), lists.length(held))
        self.heaps = walk.heaps
        self.held = {self.array: held, self.other: other}
        self.goes_down = goes_down

    def read(self, array: int, at: int) -> Any:
        return self.heaps.kept(self.held[array], at)

    def write(self, array: int, at: int, item: Any) -> None:
        self.heaps.put(self.held[array], at, item)

    def less(self, x: Any, y: Any) -> int:
        return self.heaps.is_less(y, x) if self.goes_down else self.heaps.is_less(x, y)


class ListMethods:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.lists = walk.lists

    def call(self, held: ListState, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        method = getattr(self, f"call_{name}", None)
        is_deque = type(held) is DequeState
        if method is None or (name not in _OF_DEQUES if is_deque else name in _ONLY_OF_DEQUES) or (is_deque and name == "pop" and arguments):
            raise Unsupported(f"calls {name} of a list")
        if is_deque and held.name in self.walk.moves.iterated:
            raise Unsupported("changes a deque that it goes over")  # which Python notices
        if name not in _READING:
            self.lists.write(held)
            self.lists.changes += 1
        return self.walk.calls.functions.checked(method, [held, *arguments], named, {})

    # More items

    def call_append(self, held: ListState, value: Any) -> None:
        item = self.lists.as_item(value)
        self.lists.learn(held, item)
        self.grow(held, self.steps.whole(1))
        self.put_last(held, item)

    def put_last(self, held: ListState, item: Any) -> None:
        """Where there is room."""
        steps, lists = self.steps, self.lists
        length = lists.length(held)
        lists.put(Item(held, lists.offset(held, length)), item)
        steps.set(lists.length_of(held), steps.plus(length, steps.whole(1)))
        self.walk.note_written(held)

    def call_appendleft(self, held: ListState, value: Any) -> None:
        steps, lists = self.steps, self.lists
        item = lists.as_item(value)
        lists.learn(held, item)
        begin, length = lists.begin_of(held), lists.length(held)
        steps.add("if", a=steps.compare("less_equal", steps.get(begin), steps.whole(0)))
        self.move_to_room(held, steps.plus(length, steps.whole(8)), steps.whole(1))
        steps.add("end")
        steps.set(begin, steps.plus(steps.get(begin), steps.whole(-1)))
        lists.put(Item(held, lists.offset(held, steps.whole(0))), item)
        steps.set(lists.length_of(held), steps.plus(length, steps.whole(1)))
        self.walk.note_written(held)

    def call_extend(self, held: ListState, values: Any) -> None:
        if isinstance(values, ListState):
            self.extend_by_list(held, values)
            return
        items = values.items if type(values) is Display and values.times == 1 else list(values) if type(values) is tuple else None
        if items is None:
            raise Unsupported("extends a list by something else")
        items = [self.lists.as_item(each) for each in items]
        for each in items:
            self.lists.learn(held, each)
        if items:
            self.grow(held, self.steps.whole(len(items)))
        for each in items:
            self.put_last(held, each)

    def extend_by_list(self, held: ListState, values: ListState) -> None:
        """By as many items as there are at the beginning: it may be the list itself."""
        lists = self.lists
        if not lists.known(values.name).is_known:
            return

        def put(at: int) -> None:
            item = lists.as_item(lists.item(values, lists.offset(values, at)))
            lists.learn(held, item)
            self.put_last(held, item)

        count = lists.length(values)
        self.grow(held, count)
        self.steps.each(count, put)

    def call_insert(self, held: ListState, index: Any, value: Any) -> None:
        steps, lists = self.steps, self.lists
        item = lists.as_item(value)
        lists.learn(held, item)
        length = lists.length(held)
        number = self.whole(index)
        behind = steps.plus(number, length)
        at = steps.add("select", INT64, a=steps.compare("less", number, steps.whole(0)), b=behind, c=number)
        at = steps.add("select", INT64, a=steps.compare("less", at, steps.whole(0)), b=steps.whole(0), c=at)
        at = steps.add("select", INT64, a=steps.compare("greater", at, length), b=length, c=at)
        self.grow(held, steps.whole(1))
        count = steps.plus(length, steps.times(at, steps.whole(-1)))
        self.each_word(held, count, lambda word: self.move_word(held, at, self.from_end(held, count, word), 1))
        lists.put(Item(held, lists.offset(held, at)), item)
        steps.set(lists.length_of(held), steps.plus(length, steps.whole(1)))
        self.walk.note_written(held)

    def whole(self, index: Any) -> int:
        if not self.walk.elements.is_whole(index):
            raise Unsupported("takes a place in a list by something that is no whole number")
        number = self.walk.numbers.to_int(self.walk.numbers.number(index)).id
        self.walk.numbers.within(number, -MOST, MOST)
        return number

    # Fewer

    def call_pop(self, held: ListState, index: Any = -1) -> Any:
        steps, lists = self.steps, self.lists
        length = lists.length(held)
        last = steps.plus(length, steps.whole(-1))
        if type(index) is int and index == -1:
            self.walk.leave(steps.compare("greater", length, steps.whole(0)))
            found = lists.item(held, lists.offset(held, last))
        else:
            place = lists.place(held, index)
            found = self.walk.slots.kept_items(lists.item(held, place.offset))
            self.close(held, place.at)
        steps.set(lists.length_of(held), last)
        self.walk.note_written(held)
        return found

    def call_popleft(self, held: ListState) -> Any:
        steps, lists = self.steps, self.lists
        length, begin = lists.length(held), lists.begin_of(held)
        self.walk.leave(steps.compare("greater", length, steps.whole(0)))
        found = lists.item(held, lists.offset(held, steps.whole(0)))
        steps.set(begin, steps.plus(steps.get(begin), steps.whole(1)))
        steps.set(lists.length_of(held), steps.plus(length, steps.whole(-1)))
        self.walk.note_written(held)
        return found

    def delete(self, held: ListState, index: Any) -> None:
        """``del x[i]``"""
        if type(held) is DequeState:
            raise Unsupported("deletes an item of a deque")
        self.lists.write(held)
        self.lists.changes += 1
        self.call_pop(held, self.walk.numbers.number(index))

    def call_remove(self, held: ListState, value: Any) -> None:
        at = self.find(held, value)
        self.walk.leave(self.steps.compare("less", at, self.lists.length(held)))
        self.close(held, at)
        self.steps.set(self.lists.length_of(held), self.steps.plus(self.lists.length(held), self.steps.whole(-1)))
        self.walk.note_written(held)

    def call_clear(self, held: ListState) -> None:
        self.steps.set(self.lists.length_of(held), self.steps.whole(0))
        self.walk.note_written(held)

    # Looked for

    def find(self, held: ListState, value: Any) -> int:
        """The first place whose item is equal; the length where there is none. (Of NaN it is asked whether it is the same object.)"""
        steps, lists = self.steps, self.lists
        for each in value if type(value) is tuple else (value,):
            self.walk.leave(self.as_value(self.walk.conditions.compared(ast.Eq(), each, each)))
        at = steps.variable(INT)
        steps.set(at, steps.whole(0))
        if not lists.known(held.name).is_known:
            return lists.length(held)
        steps.add("loop")
        steps.add("if", a=steps.compare("less", steps.get(at), lists.length(held)))
        steps.add("else")
        steps.add("break", a=0)
        steps.add("end")
        steps.add("if", a=self.are_equal(lists.item(held, lists.offset(held, steps.get(at))), value))
        steps.add("break", a=0)
        steps.add("end")
        steps.add("next")
        steps.set(at, steps.plus(steps.get(at), steps.whole(1)))
        steps.add("end")
        return steps.get(at)

    def as_value(self, test: Any) -> int:
        test = self.walk.conditions.as_truth(test)
        return self.steps.constant(test, BOOL) if type(test) is bool else test

    def are_equal(self, x: Any, y: Any) -> int:
        a, b = (each if type(each) is tuple else (each,) for each in (x, y))
        if len(a) != len(b) or (type(x) is tuple) != (type(y) is tuple):
            raise Unsupported("looks for something in a list that is of another kind than its items")
        found = self.steps.constant(True, BOOL)
        for one, other in zip(a, b, strict=True):
            found = self.steps.both(found, self.as_value(self.walk.conditions.compared(ast.Eq(), one, other)))
        return found

    def contains(self, held: ListState, value: Any) -> int:
        return self.steps.compare("less", self.find(held, value), self.lists.length(held))

    def call_index(self, held: ListState, value: Any) -> Any:
        at = self.find(held, value)
        self.walk.leave(self.steps.compare("less", at, self.lists.length(held)))
        return Number(INT, at, 0)

    def call_count(self, held: ListState, value: Any) -> Any:
        steps, lists = self.steps, self.lists
        found = steps.variable(INT)
        steps.set(found, steps.whole(0))
        if lists.known(held.name).is_known:
            for each in value if type(value) is tuple else (value,):
                self.walk.leave(self.as_value(self.walk.conditions.compared(ast.Eq(), each, each)))  # NaN is found by identity

            def look(at: int) -> None:
                is_it = self.are_equal(lists.item(held, lists.offset(held, at)), value)
                steps.set(found, steps.plus(steps.get(found), steps.cast(is_it, BOOL, INT64)))

            steps.each(lists.length(held), look)
        return Number(INT, steps.get(found), 0)

    # In another order

    def call_reverse(self, held: ListState) -> None:
        steps, lists, heaps = self.steps, self.lists, self.walk.heaps
        length = lists.length(held)
        if not lists.known(held.name).is_known:
            return

        def swap(at: int) -> None:
            other = steps.plus(length, steps.plus(steps.whole(-1), steps.times(at, steps.whole(-1))))
            x, y = heaps.kept(held, at), heaps.kept(held, other)
            heaps.put(held, at, y)
            heaps.put(held, other, x)

        steps.each(steps.map("right_shift", INT64, INT64, length, steps.whole(1)), swap)
        self.walk.note_written(held)

    def call_sort(self, held: ListState, *, reverse: Any = False) -> None:
        steps, lists = self.steps, self.lists
        known, other = lists.known(held.name), ListState((held.name, "sorted"))
        if type(reverse) is not bool:
            raise Unsupported("sorts a list in an order that varies")
        if not known.is_known:
            return
        if any(machine(each[0]).kind == "f" for each in known.kinds):
            self.expect_numbers(held)
        self.walk.lists_known[other.name] = known
        lists.allocate(lists.array_of(other), lists.bytes_of(held, steps.get(lists.room_of(held))))
        merge_sort(steps, _Items(self.walk, held, other, reverse))
        lists.address(held)
        self.walk.note_written(held)

    def expect_numbers(self, held: ListState) -> None:
        """Leaves where one is NaN, which has no place in an order."""
        steps, lists = self.steps, self.lists
        found = steps.variable(BOOLEAN)
        steps.set(found, steps.constant(True, BOOL))

        def look(at: int) -> None:
            value = lists.item(held, lists.offset(held, at))
            for each in value if type(value) is tuple else (value,):
                steps.set(found, steps.both(steps.get(found), self.as_value(self.walk.conditions.compared(ast.Eq(), each, each))))

        steps.each(lists.length(held), look)
        self.walk.leave(steps.get(found))

    # Memory

    def each_word(self, held: ListState, count: int, body: Callable[[int], None]) -> None:
        """Of so many items."""
        self.steps.each(self.steps.times(count, self.steps.whole(self.width(held))), body)

    def width(self, held: ListState) -> int:
        return max(self.lists.known(held.name).words(), 1)

    def from_end(self, held: ListState, count: int, word: int) -> int:
        steps = self.steps
        last = steps.plus(steps.times(count, steps.whole(self.width(held))), steps.whole(-1))
        return steps.plus(last, steps.times(word, steps.whole(-1)))

    def move_word(self, held: ListState, at: int, word: int, by: int) -> None:
        """A word of the items from a place on, by so many items."""
        steps, array = self.steps, self.lists.array_of(held)
        place = steps.plus(self.lists.offset(held, at), steps.times(word, steps.whole(_WORD)))
        to = steps.plus(place, steps.whole(by * _WORD * self.width(held)))
        steps.add("store", INT64, a=array, b=to, c=steps.add("load", INT64, a=array, b=place))

    def close(self, held: ListState, at: int) -> None:
        """The items behind a place move down by one."""
        steps = self.steps
        after = steps.plus(at, steps.whole(1))
        count = steps.plus(self.lists.length(held), steps.times(after, steps.whole(-1)))
        self.each_word(held, count, lambda word: self.move_word(held, after, word, -1))

    def grow(self, held: ListState, more: int) -> None:
        """Room for so many more."""
        steps, lists = self.steps, self.lists
        used = lists.length(held)
        if type(held) is DequeState:
            used = steps.plus(used, steps.get(lists.begin_of(held)))
        steps.add("if", a=steps.compare("greater", steps.plus(used, more), steps.get(lists.room_of(held))))
        self.move_to_room(held, None, more)
        steps.add("end")

    def move_to_room(self, held: ListState, begin: int | None, more: int) -> None:
        """Into new memory, with room for more items behind these, and before them, if a place is given at which they begin."""
        steps, lists = self.steps, self.lists
        length, array = lists.length(held), lists.array_of(held)
        room = steps.plus(steps.plus(steps.times(length, steps.whole(2)), steps.whole(7)), more)
        room = room if begin is None else steps.plus(room, begin)
        larger, width = steps.made_array(), steps.whole(_WORD * self.width(held))
        lists.allocate(larger, lists.bytes_of(held, room))
        first = lists.offset(held, steps.whole(0))

        def move(number: int) -> None:
            at = steps.times(number, steps.whole(_WORD))
            to = at if begin is None else steps.plus(at, steps.times(begin, width))
            steps.add("store", INT64, a=larger, b=to, c=steps.add("load", INT64, a=array, b=steps.plus(first, at)))

        self.each_word(held, length, move)
        steps.add("point", a=array, b=larger)
        steps.set(lists.room_of(held), room)
        if type(held) is DequeState:
            steps.set(lists.begin_of(held), steps.whole(0) if begin is None else begin)
        lists.address(held)


def deque_of(items: Any = ()) -> DequeDisplay:
    """``collections.deque(items)``"""
    if type(items) is tuple:
        return DequeDisplay(list(items))
    if type(items) is not Display or items.times != 1:
        raise Unsupported("makes a deque of something else than a few numbers")
    return DequeDisplay(items.items)


LISTS = frozenset(name.removeprefix("call_") for name in dir(ListMethods) if name.startswith("call_"))  # methods of lists and deques
