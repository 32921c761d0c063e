"""Heaps of numbers and tuples in programs: ``heapq.heappush`` and ``heappop``, item by item as `heapq` does it, so that lists are the same in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_lists import Item, ListState
from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64, Choice, Number, Unsupported, machine

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Heaps"]


class Heaps:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def call(self, name: str, arguments: list[Any]) -> Any:
        heap = arguments[0]
        self.walk.lists.write(heap)
        self.walk.lists.changes += 1
        if name == "heappush" and len(arguments) == 2:
            return self.push(heap, arguments[1])
        if name == "heappop" and len(arguments) == 1:
            return self.pop(heap)
        raise Unsupported(f"calls heapq.{name} with other arguments")

    def push(self, heap: ListState, value: Any) -> None:
        self.walk.lists.call_append(heap, value)
        last = self.steps.plus(self.walk.lists.length(heap), self.steps.whole(-1))
        self.up(heap, last, self.kept(heap, last))

    def pop(self, heap: ListState) -> Any:
        steps, lists = self.steps, self.walk.lists
        lists.call_pop(heap)  # leaves where there is none
        end = lists.length(heap)
        last = self.kept(heap, end)  # its words are still there
        first = steps.add("select", INT64, a=steps.compare("greater", end, steps.whole(0)), b=steps.whole(0), c=end)
        found = self.kept(heap, first)
        steps.add("if", a=steps.compare("greater", end, steps.whole(0)))
        at = self.down(heap, end)
        self.put(heap, at, last)
        self.up(heap, at, last)
        steps.add("end")
        known = lists.known(heap.name)
        made = tuple(self.as_value(each) for each in found)
        return made if known.is_tuple else made[0]

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

    def up(self, heap: ListState, start: int, item: list[Any]) -> None:
        """`heapq._siftdown`: parents move down until one is not greater."""
        steps = self.steps
        at = steps.variable(INT)
        steps.set(at, start)
        steps.add("loop")
        steps.add("if", a=steps.compare("less_equal", steps.get(at), steps.whole(0)))
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

    def down(self, heap: ListState, end: int) -> int:
        """`heapq._siftup`, from the first place: the lesser children move up; where a place is free then."""
        steps = self.steps
        at, child = steps.variable(INT), steps.variable(INT)
        steps.set(at, steps.whole(0))
        steps.set(child, steps.whole(1))
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
