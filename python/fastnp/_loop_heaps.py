"""Heaps of numbers and tuples in programs: `heapq`, item by item as it does that, so that lists are the same in between."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from fastnp._loop_lists import Item, ListState
from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64, Choice, Number, Unsupported, machine

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["HEAPS", "Heaps"]


class Heaps:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def call(self, name: str, arguments: list[Any]) -> Any:
        heap = arguments[0]
        self.walk.lists.write(heap)
        self.walk.lists.changes += 1
        for each in arguments[1:]:
            self.expect_order(each)
        method = getattr(self, f"call_{name}")
        return self.walk.calls.functions.checked(method, arguments, {}, {})

    def expect_order(self, item: Any) -> None:
        """No NaN in a tuple: Python takes one for the same as itself there."""
        for each in item if type(item) is tuple else ():
            self.walk.leave(self.walk.list_methods.as_value(self.walk.conditions.compared(ast.Eq(), each, each)))

    def call_heappush(self, heap: ListState, item: Any) -> None:
        self.walk.list_methods.call_append(heap, item)
        last = self.steps.plus(self.walk.lists.length(heap), self.steps.whole(-1))
        self.up(heap, last, self.kept(heap, last), self.steps.whole(0))

    def call_heappop(self, heap: ListState) -> Any:
        steps, lists = self.steps, self.walk.lists
        self.walk.list_methods.call_pop(heap)  # leaves where there is none
        end = lists.length(heap)
        last = self.kept(heap, end)  # its words are still there
        first = steps.add("select", INT64, a=steps.compare("greater", end, steps.whole(0)), b=steps.whole(0), c=end)
        found = self.kept(heap, first)
        steps.add("if", a=steps.compare("greater", end, steps.whole(0)))
        self.sift(heap, steps.whole(0), end, last)
        steps.add("end")
        return self.value_of(heap, found)

    def call_heapify(self, heap: ListState) -> None:
        steps, end = self.steps, self.walk.lists.length(heap)
        if not self.walk.lists.known(heap.name).is_known:
            return
        half, lists = steps.map("right_shift", INT64, INT64, end, steps.whole(1)), self.walk.lists
        if lists.known(heap.name).is_tuple:
            steps.each(end, lambda at: self.expect_order(lists.item(heap, lists.offset(heap, at))))

        def sift(number: int) -> None:
            at = steps.plus(half, steps.plus(steps.whole(-1), steps.times(number, steps.whole(-1))))
            self.sift(heap, at, end, self.kept(heap, at))

        steps.each(half, sift)
        self.walk.note_written(heap)

    def call_heapreplace(self, heap: ListState, item: Any) -> Any:
        steps, lists = self.steps, self.walk.lists
        end, new = lists.length(heap), lists.as_item(item)
        lists.learn(heap, new)
        self.walk.leave(steps.compare("greater", end, steps.whole(0)))
        first = steps.whole(0)
        found = self.kept(heap, first)
        lists.put(Item(heap, lists.offset(heap, first)), new)
        self.sift(heap, first, end, self.kept(heap, first))
        self.walk.note_written(heap)
        return self.value_of(heap, found)

    def call_heappushpop(self, heap: ListState, item: Any) -> Any:
        """The new item lies behind the heap's last one meanwhile, and its words are the result's."""
        steps, lists = self.steps, self.walk.lists
        self.walk.list_methods.call_append(heap, item)
        end = steps.plus(lists.length(heap), steps.whole(-1))
        steps.set(lists.length_of(heap), end)
        new, first = self.kept(heap, end), self.kept(heap, steps.whole(0))
        steps.add("if", a=self.is_less(first, new))  # never of an empty heap, whose first place is the new item's
        self.put(heap, end, first)
        self.sift(heap, steps.whole(0), end, new)
        steps.add("end")
        return self.value_of(heap, self.kept(heap, end))

    def sift(self, heap: ListState, start: int, end: int, item: list[Any]) -> None:
        """`heapq._siftup` of an item: from a place on lesser children move up; where one is free then, the item moves up to where it belongs."""
        at = self.down(heap, start, end)
        self.put(heap, at, item)
        self.up(heap, at, item, start)

    def value_of(self, heap: ListState, found: list[Any]) -> Any:
        made = tuple(self.as_value(each) for each in found)
        return made if self.walk.lists.known(heap.name).is_tuple else made[0]

    # Items: words in variables, which later steps may read.

    def kept(self, heap: ListState, at: int) -> list[Any]:
        """The item at a place, in variables of the program."""
        steps, value = self.steps, self.walk.lists.item(heap, self.walk.lists.offset(heap, at))
        found: list[Any] = []
        for number in value if type(value) is tuple else (value,):
            if type(number) is Choice:
                found.append(number)
                continue
            variable = steps.variable(number.kind)
            steps.set(variable, number.id)
            found.append((number.kind, variable))
        return found

    def as_value(self, kept: Any) -> Any:
        return kept if type(kept) is Choice else Number(kept[0], self.steps.get(kept[1]))

    def put(self, heap: ListState, at: int, item: list[Any]) -> None:
        lists = self.walk.lists
        lists.put(Item(heap, lists.offset(heap, at)), (lists.known(heap.name).is_tuple, *(self.as_value(each) for each in item)))

    def is_less(self, x: list[Any], y: list[Any]) -> int:
        """Of tuples: where they differ first."""
        steps = self.steps
        result, goes_on = steps.variable(BOOLEAN), steps.variable(BOOLEAN)
        steps.set(result, steps.constant(False, BOOL))
        steps.set(goes_on, steps.constant(True, BOOL))
        for a, b in zip(x, y, strict=True):
            dtype = machine(a.kinds[0][1] if type(a) is Choice else a[0])
            one, other = (steps.get(self.variable_of(each)) for each in (a, b))
            now = steps.get(goes_on)
            less = steps.both(now, steps.map("less", dtype, BOOL, one, other))
            steps.set(result, steps.either(steps.get(result), less))
            steps.set(goes_on, steps.both(now, steps.map("equal", dtype, BOOL, one, other)))
        return steps.get(result)

    @staticmethod
    def variable_of(kept: Any) -> int:
        found = kept.shared() if type(kept) is Choice else kept[1]
        if found is None:
            raise Unsupported("has a heap of numbers of several kinds")
        return int(found)

    def up(self, heap: ListState, begin: int, item: list[Any], first: int) -> None:
        """`heapq._siftdown`: parents move down until one is not greater, or it is the first place."""
        steps = self.steps
        at = steps.variable(INT)
        steps.set(at, begin)
        steps.add("loop")
        steps.add("if", a=steps.compare("less_equal", steps.get(at), first))
        steps.add("break", a=0)
        steps.add("end")
        parent = steps.map("right_shift", INT64, INT64, steps.plus(steps.get(at), steps.whole(-1)), steps.whole(1))
        above = self.kept(heap, parent)
        steps.add("if", a=self.is_less(item, above))
        steps.add("else")
        steps.add("break", a=0)
        steps.add("end")
        self.put(heap, steps.get(at), above)
        steps.set(at, parent)
        steps.add("next")
        steps.add("end")
        self.put(heap, steps.get(at), item)

    def down(self, heap: ListState, start: int, end: int) -> int:
        """From a place on the lesser children move up; where a place is free then."""
        steps = self.steps
        at, child = steps.variable(INT), steps.variable(INT)
        steps.set(at, start)
        steps.set(child, steps.plus(steps.times(start, steps.whole(2)), steps.whole(1)))
        steps.add("loop")
        steps.add("if", a=steps.compare("less", steps.get(child), end))
        steps.add("else")
        steps.add("break", a=0)
        steps.add("end")
        right = steps.plus(steps.get(child), steps.whole(1))
        steps.add("if", a=steps.compare("less", right, end))
        is_less = self.is_less(self.kept(heap, steps.get(child)), self.kept(heap, right))
        steps.add("if", a=steps.map("logical_not", BOOL, BOOL, is_less))
        steps.set(child, right)
        steps.add("end")
        steps.add("end")
        self.put(heap, steps.get(at), self.kept(heap, steps.get(child)))
        steps.set(at, steps.get(child))
        steps.set(child, steps.plus(steps.times(steps.get(at), steps.whole(2)), steps.whole(1)))
        steps.add("next")
        steps.add("end")
        return steps.get(at)


HEAPS = frozenset(name.removeprefix("call_") for name in dir(Heaps) if name.startswith("call_"))  # functions of `heapq`
