"""Lists of lists of numbers in programs: tables, whose rows are of one length. The program has them as arrays. What it stores to one that was handed in is
stored in the rows; one that it makes becomes Python's where the program is left. A table has one name, that of the variable it was made for. Where its
numbers are of several kinds, each has a word, and a second one that says of which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_program import BOOL, BOOLEAN, FLOAT, FLOAT64, INT, INT64, Choice, Kind, Number, Unsupported, machine, position_of
from fastnp._loop_values import Again, Leaves, New, TupleState, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Cell", "Nested", "NestedState", "TableDisplay", "Tables", "kind_of_table"]

_KINDS: dict[type, Kind] = {int: INT, float: FLOAT, bool: BOOLEAN}
_MIXED = (*_KINDS.values(), INT64, FLOAT64)  # what one word may be
_WORD = 8


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

    __slots__ = ("kinds", "name", "offset", "view")

    def __init__(self, name: Any, view: View, offset: int, kinds: list[Kind]) -> None:
        self.name = name
        self.view = view
        self.offset = offset
        self.kinds = kinds


class Tables:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.views: dict[str, tuple[View, Kind]] = {}  # of those that were handed in
        self.used: set[str] = set()

    def view_of(self, name: Any) -> tuple[View, list[Kind]]:
        if name in self.views:
            self.used.add(name)
            view, kind = self.views[name]
            return view, [kind]
        kinds, steps = self.kinds_of(name), self.steps
        rows, columns = (steps.get(self.variable(name, part)) for part in ("rows", "columns"))
        size = _size(kinds)
        strides = [steps.times(columns, steps.whole(size)), steps.whole(size)]
        return View(self.array_of(name), machine(kinds[0]), None, [rows, columns], strides, New(False), frozenset([-1])), kinds

    def length(self, of: Nested) -> Number:
        view, _ = self.view_of(of.name)
        return Number(INT, view.sizes[0 if of.row is None else 1], 1 if of.name in self.views else 0, 2**63 - 1)

    def item(self, of: Nested, index: Any) -> Any:
        place = self.place(of, index)
        return self.load(place) if isinstance(place, Cell) else place

    def place(self, of: Nested, index: Any) -> Nested | Cell:
        """A row, or a number's place."""
        view, kinds = self.view_of(of.name)
        index = self.walk.elements.as_index(index)
        if not self.walk.elements.is_whole(index):
            raise Unsupported("takes an item of a list by something that is no whole number")
        axis = 0 if of.row is None else 1
        at = self.walk.elements.index(view.sizes[axis], index)
        if of.row is None:
            return Nested(of.name, at)
        elements = self.walk.elements
        return Cell(of.name, view, elements.moved(view, 1, at, elements.moved(view, 0, of.row, view.offset)), kinds)

    def load(self, cell: Cell) -> Any:
        steps, array = self.steps, cell.view.array
        if len(cell.kinds) == 1:
            return Number(cell.kinds[0], steps.add("load", cell.view.dtype, a=array, b=cell.offset))
        tag = steps.variable(INT)
        steps.set(tag, steps.add("load", INT64, a=array, b=steps.plus(cell.offset, steps.whole(_WORD))))
        variables: dict[str, int] = {}
        for kind in cell.kinds:
            dtype = machine(kind)
            if dtype.char not in variables:
                word = _word(kind)
                variables[dtype.char] = steps.variable(kind)
                steps.set(variables[dtype.char], steps.cast(steps.add("load", word, a=array, b=cell.offset), word, dtype))
        return Choice(tag, [(number, kind, variables[machine(kind).char]) for number, kind in enumerate(cell.kinds)])

    def storing(self, place: Nested | Cell, value: Any) -> Any:
        if not isinstance(place, Cell):
            raise Unsupported("stores a row of a list of lists")
        cell: Cell = place
        value = self.walk.sure(value)
        made: Any = value if type(value) is Choice else self.walk.numbers.number(value)
        self.expect_kinds(cell, [made.kind] if type(made) is Number else [kind for _, kind, _ in made.kinds])

        def store() -> None:
            if type(made) is Number:
                self.put(cell, made)
            else:
                for number, kind, variable in made.kinds:
                    self.steps.add("if", a=self.steps.compare("equal", self.steps.get(made.tag), self.steps.whole(number)))
                    self.put(cell, Number(kind, self.steps.get(variable)))
                    self.steps.add("end")
            self.walk.elements.note_written(cell.view.origins)

        return store

    def expect_kinds(self, cell: Cell, kinds: list[Kind]) -> None:
        """That a place may hold numbers of these; of a table that the program makes, the walk begins anew where that is new."""
        more = [kind for kind in kinds if position_of(cell.kinds, kind) < 0]
        if not more:
            return
        if cell.name in self.views or any(position_of(_MIXED, kind) < 0 for kind in more):
            raise Leaves
        cell.kinds += more
        raise Again

    def put(self, cell: Cell, number: Number) -> None:
        steps, array = self.steps, cell.view.array
        if len(cell.kinds) == 1:
            steps.add("store", cell.view.dtype, a=array, b=cell.offset, c=number.id)
            return
        word = _word(number.kind)
        steps.add("store", word, a=array, b=cell.offset, c=steps.cast(number.id, machine(number.kind), word))
        tag = steps.whole(position_of(cell.kinds, number.kind))
        steps.add("store", INT64, a=array, b=steps.plus(cell.offset, steps.whole(_WORD)), c=tag)

    # Those that it makes

    def variable(self, name: Any, part: str) -> int:
        return self.walk.slots.variable((name, part), INT)

    def array_of(self, name: Any) -> int:
        return self.walk.slots.arrays.setdefault((name, "table"), -1)

    def kinds_of(self, name: Any) -> list[Kind]:
        """Of the numbers of one that it makes, as far as they are known."""
        return self.walk.table_kinds.setdefault(name, [])

    def make(self, name: Any, display: TableDisplay) -> NestedState:
        walk, steps = self.walk, self.steps
        if walk.frame is not walk.root or any(_is_of(held, name) for each, held in walk.current().items() if each != name[1]):
            raise Unsupported("makes a list of lists in the place of one that has another name")
        items = [walk.numbers.number(each) for each in display.items]
        kinds = self.kinds_of(name)
        for each in items:
            if position_of(_MIXED, each.kind) < 0:
                raise Unsupported("makes a list of lists of other numbers")
            if position_of(kinds, each.kind) < 0:
                kinds.append(each.kind)
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
        array, cell = self.array_of(name), _size(kinds)
        size = steps.plus(steps.times(steps.times(counts[0], columns), steps.whole(cell)), steps.whole(1))
        steps.add("require", a=steps.add("allocate", BOOL, a=array, b=size), b=walk.no_memory())
        steps.set(self.variable(name, "rows"), counts[0])
        steps.set(self.variable(name, "columns"), columns)
        steps.set(self.variable(name, "address"), steps.add("address", INT64, a=array))
        view = View(array, machine(kinds[0]), None, [], [], New(False), frozenset([-1]))

        def put(number: int) -> None:
            begin = steps.times(number, steps.whole(cell * len(items)))
            for place, item in enumerate(items):
                self.put(Cell(name, view, steps.plus(begin, steps.whole(cell * place)), kinds), item)

        steps.each(steps.times(counts[0], counts[1]), put)
        return NestedState(name, False)

    def given(self, name: Any, out: list[tuple[int, Kind]]) -> Callable[[Any], Any]:
        """What an exit hands out of it."""
        if name in self.views:
            return lambda values: values.passed[name]
        out += [(self.variable(name, part), INT) for part in ("address", "rows", "columns")]
        kinds = self.kinds_of(name)
        size = _size(kinds)

        def decode(values: Any) -> Any:
            address, rows, columns = (next(values) for _ in range(3))
            if name not in values.lists:
                dtypes = [machine(kinds[0])] if len(kinds) == 1 else [INT64, FLOAT64]
                parts = [values.made(False, address, [rows, columns], [columns * size, size], each) for each in dtypes]
                tags = values.made(False, address + _WORD, [rows, columns], [columns * size, size], INT64) if len(kinds) > 1 and rows * columns else None
                values.lists[name] = parts[0].tolist() if tags is None else _mixed(kinds, dict(zip("qd", parts, strict=True)), tags)
            return values.lists[name]

        return decode


def _mixed(kinds: list[Kind], words: dict[str, Any], tags: Any) -> list[list[Any]]:
    """The numbers of a table of several kinds."""
    found: list[Any] = []
    for kind in kinds:
        numbers = words["d" if machine(kind).kind == "f" else "q"]
        found.append([list(row) for row in numbers] if isinstance(kind, numpy.dtype) else numbers.astype(machine(kind)).tolist())
    return [[found[tag][i][j] for j, tag in enumerate(row)] for i, row in enumerate(tags.tolist())]


def _word(kind: Kind) -> Any:
    return FLOAT64 if machine(kind).kind == "f" else INT64


def _size(kinds: list[Kind]) -> int:
    """Of a number of these kinds, in bytes."""
    return machine(kinds[0]).itemsize if len(kinds) == 1 else 2 * _WORD


_MOST = 2**28  # of rows, and of columns: their bytes are no more than 64 bits hold


def _is_of(held: Any, name: Any) -> bool:
    """Whether a variable may hold such a table, or a row of it."""
    if type(held) is TupleState:
        return any(_is_of(each, name) for each in held.items)
    return type(held) is NestedState and held.name == name
