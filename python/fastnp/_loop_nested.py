"""Lists of lists of numbers in programs: tables, whose rows are of one length. The program has them as arrays. What it stores to one that was handed in is
stored in the rows; one that it makes becomes Python's where the program is left. A table has one name, that of the variable it was made for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOL, BOOLEAN, FLOAT, INT, INT64, Kind, Number, Unsupported, machine
from fastnp._loop_values import Leaves, New, TupleState, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Cell", "Nested", "NestedState", "TableDisplay", "Tables", "kind_of_table"]

_KINDS: dict[type, Kind] = {int: INT, float: FLOAT, bool: BOOLEAN}


def kind_of_table(value: Any) -> Kind | None:
    """The kind of all numbers of a list of lists, or None where it is no table."""
    if type(value) is not list or not value or type(value[0]) is not list or not value[0]:
        return None
    kind, length = type(value[0][0]), len(value[0])
    if kind not in _KINDS or any(type(row) is not list or len(row) != length or set(map(type, row)) != {kind} for row in value):
        return None
    return _KINDS[kind] if len({id(row) for row in value}) == len(value) else None


class TableDisplay:
    """``[[a, b] * times for _ in range(rows)]``"""

    __slots__ = ("items", "rows", "times")

    def __init__(self, items: tuple[Any, ...], times: Any, rows: Any) -> None:
        self.items = items
        self.times = times
        self.rows = rows


class Nested:
    """A table, or one of its rows."""

    __slots__ = ("name", "row")

    def __init__(self, name: Any, row: int | None = None) -> None:
        self.name = name  # of the variable that was handed in, or, of one that was made, with its frame
        self.row = row  # the value that is its number


class NestedState:
    """The same in a variable."""

    __slots__ = ("is_row", "name")

    def __init__(self, name: Any, is_row: bool) -> None:
        self.name = name
        self.is_row = is_row

    def __eq__(self, other: object) -> bool:
        return type(other) is NestedState and other.name == self.name and other.is_row == self.is_row


class Cell:
    """A number's place in a table, to be stored to."""

    __slots__ = ("kind", "offset", "view")

    def __init__(self, view: View, offset: int, kind: Kind) -> None:
        self.view = view
        self.offset = offset
        self.kind = kind


class Tables:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.views: dict[str, tuple[View, Kind]] = {}  # of those that were handed in
        self.made: dict[Any, Kind] = {}
        self.used: set[str] = set()

    def view_of(self, name: Any) -> tuple[View, Kind]:
        if name in self.views:
            self.used.add(name)
            return self.views[name]
        kind, steps = self.made[name], self.steps
        rows, columns = (steps.get(self.variable(name, part)) for part in ("rows", "columns"))
        size = machine(kind).itemsize
        strides = [steps.times(columns, steps.whole(size)), steps.whole(size)]
        return View(self.array_of(name), machine(kind), None, [rows, columns], strides, New(False), frozenset([-1])), kind

    def length(self, of: Nested) -> Number:
        view, _ = self.view_of(of.name)
        return Number(INT, view.sizes[0 if of.row is None else 1], 1 if of.name in self.views else 0, 2**63 - 1)

    def item(self, of: Nested, index: Any) -> Any:
        place = self.place(of, index)
        return self.load(place) if isinstance(place, Cell) else place

    def place(self, of: Nested, index: Any) -> Nested | Cell:
        """A row, or a number's place."""
        view, kind = self.view_of(of.name)
        number = index if type(index) is int else self.walk.numbers.number(index)
        if type(number) is Number and number.kind is not INT:
            raise Unsupported("takes an item of a list by something that is no int")
        axis = 0 if of.row is None else 1
        at = self.walk.elements.index(view.sizes[axis], number)
        if of.row is None:
            return Nested(of.name, at)
        elements = self.walk.elements
        return Cell(view, elements.moved(view, 1, at, elements.moved(view, 0, of.row, view.offset)), kind)

    def load(self, cell: Cell) -> Number:
        return Number(cell.kind, self.steps.add("load", cell.view.dtype, a=cell.view.array, b=cell.offset))

    def storing(self, place: Nested | Cell, value: Any) -> Any:
        if not isinstance(place, Cell):
            raise Unsupported("stores a row of a list of lists")
        cell: Cell = place
        number = self.walk.numbers.number(value)
        if number.kind is not cell.kind:
            raise Leaves

        def store() -> None:
            self.steps.add("store", cell.view.dtype, a=cell.view.array, b=cell.offset, c=number.id)
            self.walk.elements.note_written(cell.view.origins)

        return store

    # Those that it makes

    def variable(self, name: Any, part: str) -> int:
        return self.walk.slots.variable((name, part), INT)

    def array_of(self, name: Any) -> int:
        return self.walk.slots.arrays.setdefault((name, "table"), -1)

    def make(self, name: Any, display: TableDisplay) -> NestedState:
        walk, steps = self.walk, self.steps
        if walk.frame is not walk.root or any(_is_of(held, name) for each, held in walk.current().items() if each != name[1]):
            raise Unsupported("makes a list of lists in the place of one that has another name")
        items = [walk.numbers.number(each) for each in display.items]
        kind = items[0].kind
        if any(each.kind is not kind for each in items) or kind not in _KINDS.values():
            raise Unsupported("makes a list of lists of other numbers")
        rows, times = (walk.numbers.number(each) for each in (display.rows, display.times))
        counts = []
        for each in (rows, times):
            if each.kind is not INT:
                raise Unsupported("makes a list of lists whose lengths are no ints")
            walk.numbers.within(each.id, -_MOST, _MOST)
            is_none = steps.compare("less", each.id, steps.whole(0))
            counts.append(steps.add("select", INT64, a=is_none, b=steps.whole(0), c=each.id))
        columns = steps.times(counts[1], steps.whole(len(items)))
        if self.array_of(name) < 0:
            walk.slots.arrays[name, "table"] = steps.made_array()
        array, dtype = self.array_of(name), machine(kind)
        total = steps.times(counts[0], columns)
        size = steps.plus(steps.times(total, steps.whole(dtype.itemsize)), steps.whole(1))
        steps.add("require", a=steps.add("allocate", BOOL, a=array, b=size), b=walk.no_memory())
        steps.set(self.variable(name, "rows"), counts[0])
        steps.set(self.variable(name, "columns"), columns)
        steps.set(self.variable(name, "address"), steps.add("address", INT64, a=array))
        width = steps.whole(dtype.itemsize * len(items))

        def put(number: int) -> None:
            for place, item in enumerate(items):
                at = steps.plus(steps.times(number, width), steps.whole(dtype.itemsize * place))
                steps.add("store", dtype, a=array, b=at, c=item.id)

        steps.each(steps.times(counts[0], counts[1]), put)
        self.made[name] = kind
        return NestedState(name, False)

    def given(self, name: Any, out: list[tuple[int, Kind]]) -> Callable[[Any], Any]:
        """What an exit hands out of it."""
        if name in self.views:
            return lambda values: values.passed[name]
        out += [(self.variable(name, part), INT) for part in ("address", "rows", "columns")]
        dtype = machine(self.made[name])

        def decode(values: Any) -> Any:
            address, rows, columns = (next(values) for _ in range(3))
            if name not in values.lists:
                made = values.made(False, address, [rows, columns], [columns * dtype.itemsize, dtype.itemsize], dtype)
                values.lists[name] = made.tolist()
            return values.lists[name]

        return decode


_MOST = 2**28  # of rows, and of columns: their bytes are no more than 64 bits hold


def _is_of(held: Any, name: Any) -> bool:
    """Whether a variable may hold such a table, or a row of it."""
    if type(held) is TupleState:
        return any(_is_of(each, name) for each in held.items)
    return type(held) is NestedState and held.name == name
