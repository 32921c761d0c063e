"""Sorting in programs: by merging, so that what is equal stays in its order. NaN has no place in it: where there is one, the program is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64

if TYPE_CHECKING:
    from fastnp._loop_program import Steps

__all__ = ["Sorted", "merge_sort"]


class Sorted:
    """What is sorted: items in memory, of which a part is read into the program's values. `array`: where they lie, `other`: room for as many."""

    def __init__(self, array: int, other: int, count: int) -> None:
        self.array = array
        self.other = other
        self.count = count

    def read(self, array: int, at: int) -> Any:
        raise NotImplementedError

    def write(self, array: int, at: int, item: Any) -> None:
        raise NotImplementedError

    def less(self, x: Any, y: Any) -> int:
        raise NotImplementedError


def merge_sort(steps: Steps, items: Sorted) -> None:
    """Runs of 1, 2, 4 ... items are merged, from one memory into the other one."""
    width = steps.variable(INT)
    steps.set(width, steps.whole(1))

    def merge_all() -> None:
        begin = steps.variable(INT)
        steps.set(begin, steps.whole(0))

        def merge() -> None:
            _merge(steps, items, steps.get(begin), steps.get(width))
            steps.set(begin, steps.plus(steps.get(begin), steps.times(steps.get(width), steps.whole(2))))

        steps.repeat(lambda: steps.compare("less", steps.get(begin), items.count), merge)
        between = steps.made_array()
        for to, of in ((between, items.array), (items.array, items.other), (items.other, between)):
            steps.add("point", a=to, b=of)
        steps.set(width, steps.times(steps.get(width), steps.whole(2)))

    steps.repeat(lambda: steps.compare("less", steps.get(width), items.count), merge_all)


def _merge(steps: Steps, items: Sorted, begin: int, width: int) -> None:
    """Two runs that lie side by side."""

    def within(x: int) -> int:
        return steps.add("select", INT64, a=steps.compare("less", x, items.count), b=x, c=items.count)

    middle = within(steps.plus(begin, width))
    end = within(steps.plus(begin, steps.times(width, steps.whole(2))))
    first, second, takes_first = steps.variable(INT), steps.variable(INT), steps.variable(BOOLEAN)
    steps.set(first, begin)
    steps.set(second, middle)

    def put(number: int) -> None:
        steps.set(takes_first, steps.compare("less", steps.get(first), middle))
        steps.add("if", a=steps.both(steps.get(takes_first), steps.compare("less", steps.get(second), end)))
        is_less = items.less(items.read(items.array, steps.get(second)), items.read(items.array, steps.get(first)))
        steps.set(takes_first, steps.map("logical_not", BOOL, BOOL, is_less))
        steps.add("end")
        at = steps.add("select", INT64, a=steps.get(takes_first), b=steps.get(first), c=steps.get(second))
        items.write(items.other, steps.plus(begin, number), items.read(items.array, at))
        by = steps.cast(steps.get(takes_first), BOOL, INT64)
        steps.set(first, steps.plus(steps.get(first), by))
        steps.set(second, steps.plus(steps.get(second), steps.plus(steps.whole(1), steps.times(by, steps.whole(-1)))))

    steps.each(steps.plus(end, steps.times(begin, steps.whole(-1))), put)
