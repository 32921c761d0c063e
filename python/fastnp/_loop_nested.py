"""Lists of lists of numbers in programs: tables, whose rows are of one length. The program has them as arrays; what it stores is stored in the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOLEAN, FLOAT, INT, Kind, Number, Unsupported
from fastnp._loop_values import Leaves, View

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Cell", "Nested", "NestedState", "Tables", "kind_of_table"]

_KINDS: dict[type, Kind] = {int: INT, float: FLOAT, bool: BOOLEAN}


def kind_of_table(value: Any) -> Kind | None:
    """The kind of all numbers of a list of lists, or None where it is no table."""
    if type(value) is not list or not value or type(value[0]) is not list or not value[0]:
        return None
    kind, length = type(value[0][0]), len(value[0])
    if kind not in _KINDS or any(type(row) is not list or len(row) != length or set(map(type, row)) != {kind} for row in value):
        return None
    return _KINDS[kind] if len({id(row) for row in value}) == len(value) else None


class Nested:
    """A table, or one of its rows."""

    __slots__ = ("name", "row")

    def __init__(self, name: str, row: int | None = None) -> None:
        self.name = name  # of the variable that was handed in
        self.row = row  # the value that is its number


class NestedState:
    """The same in a variable."""

    __slots__ = ("is_row", "name")

    def __init__(self, name: str, is_row: bool) -> None:
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
        self.views: dict[str, tuple[View, Kind]] = {}
        self.used: set[str] = set()

    def length(self, of: Nested) -> Number:
        view, _ = self.views[of.name]
        self.used.add(of.name)
        return Number(INT, view.sizes[0 if of.row is None else 1], 1, 2**63 - 1)

    def item(self, of: Nested, index: Any) -> Any:
        place = self.place(of, index)
        return self.load(place) if isinstance(place, Cell) else place

    def place(self, of: Nested, index: Any) -> Nested | Cell:
        """A row, or a number's place."""
        view, kind = self.views[of.name]
        self.used.add(of.name)
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
