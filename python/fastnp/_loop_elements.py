"""Elements and parts of arrays in programs: bounds are checked as NumPy checks them, and what is out of them leaves the program."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_dicts import DictState
from fastnp._loop_lists import Display, ListState, items_of_display
from fastnp._loop_nested import Nested
from fastnp._loop_program import BOOL, COMPLEX, FLOAT64, INT, INT64, Choice, Number, PythonKind, Unsupported, is_numbers_dtype, machine
from fastnp._loop_values import Leaves, Passed, View, is_array, part_of

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Elements", "Place"]


class Place:
    """An element, or a field of one: its array, its offset in bytes, and what that may lie in."""

    __slots__ = ("array", "dtype", "offset", "origins")

    def __init__(self, array: int, dtype: numpy.dtype[Any], offset: int, origins: frozenset[int]) -> None:
        self.origins = origins
        self.array = array
        self.dtype = dtype
        self.offset = offset


class Elements:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.writeable: list[bool] = []  # of each array
        self.ones: dict[int, int] = {}  # of arrays that are handed in, bits of the axes of one element

    def add_array(self, dtype: numpy.dtype[Any], rank: int, is_contiguous: bool, is_writeable: bool, ones: int) -> View:
        """One more array that is handed in. `is_contiguous`: its last axis's elements lie side by side; `ones`: bits of the axes of one element."""
        array = self.steps.array(rank)
        self.ones[array] = ones
        self.writeable.append(is_writeable)
        return View(array, dtype, None, [-1 - axis for axis in range(rank)], [is_contiguous and axis == rank - 1 for axis in range(rank)], array)

    def name_sizes(self, view: View) -> None:
        """Its sizes and steps as values, once all arrays are known."""
        rank = len(view.sizes)
        ones = self.ones[view.array]
        view.sizes = [self.steps.whole(1) if ones >> axis & 1 else self.steps.size_of(view.array, axis) for axis in range(rank)]
        view.strides = [self.steps.whole(view.dtype.itemsize) if view.strides[axis] else self.steps.stride_of(view.array, axis) for axis in range(rank)]

    # Subscripts.

    def subscript(self, node: ast.Subscript) -> Any:
        held = self.walk.sure(self.walk.value(node.value))
        if (items := items_of_display(held)) is not None:
            return self.item(items, node.slice)
        if is_array(held):
            held = self.walk.arrays.kept(held)
        if isinstance(held, ListState) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return self.walk.lists.taken(held, self.walk.value(node.slice))
        if type(held) is DictState and not isinstance(node.slice, ast.Slice):
            return self.walk.dicts.item(held, self.walk.value(node.slice))
        if type(held) is Nested and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return self.walk.tables.item(held, self.walk.value(node.slice))
        if type(held) is Passed:
            return self.walk.fields.item(held, node.slice.value if isinstance(node.slice, ast.Constant) else None)
        if type(held) is not View:
            raise Unsupported("takes an item of something that is no array")
        indices = self.indices(node.slice)
        if len(indices) == 1 and type(indices[0]) is str:
            field = self.field(held, indices[0])
            return field if field.sizes else self.load(self.place_of(field, []))
        if held.dtype.names is None and len(indices) == len(held.sizes) and all(self.is_whole(each) for each in indices):
            return self.load(self.place_of(held, indices))
        if len(indices) == 1 and is_array(indices[0]):
            return self.walk.picks.taken(self.walk.picks.named(held, indices[0]))
        return self.part(held, indices)

    def field(self, view: View, name: str) -> View:
        """One field of each of the view's records."""
        if view.dtype.names is None or name not in view.dtype.names:
            raise Unsupported(f"takes a field {name!r} that is not there")
        dtype, begin = view.dtype.fields[name][:2]
        offset = view.offset
        if begin != 0:
            offset = self.steps.whole(begin) if offset is None else self.steps.plus(offset, self.steps.whole(begin))
        return View(view.array, dtype, offset, view.sizes, view.strides, part_of(view.recipe, name), view.origins)

    def item(self, held: tuple[Any, ...], node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            bounds = [None if each is None else self.walk.value(each) for each in (node.lower, node.upper, node.step)]
            if bounds[2] == 0 or any(type(each) not in (int, type(None)) for each in bounds):
                raise Unsupported("takes a part of a tuple that varies")
            return held[slice(*bounds)]
        index = self.walk.value(node)
        if type(index) is not int:
            return self.walk.tuples.item(held, index)
        if not -len(held) <= index < len(held):
            raise Leaves
        return held[index]

    def indices(self, node: ast.expr) -> list[Any]:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[Any] = []
        for each in nodes:
            if isinstance(each, ast.Slice):
                found.append(each)
                continue
            value = self.as_index(self.walk.value(each))
            found += map(self.as_index, value) if type(value) is tuple and not isinstance(node, ast.Tuple) else [value]
        return found

    def as_index(self, value: Any) -> Any:
        """A whole number of one of several kinds, which are alike as subscripts."""
        if type(value) is Choice and all(kind is not None and self.is_whole(Number(kind, -1)) for _, kind, _ in value.kinds):
            return self.walk.each(value, self.walk.numbers.to_int)
        return value

    @staticmethod
    def is_whole(index: Any) -> bool:
        if type(index) in (Number, Choice):
            kinds = [index.kind] if type(index) is Number else [kind for _, kind, _ in index.kinds]
            return all(kind is INT or (isinstance(kind, numpy.dtype) and kind.kind in "iu") for kind in kinds)
        return type(index) is int

    def destination(self, node: ast.Subscript) -> Any:
        """What a subscript names, to be stored to: an element's place, a view, or what an array picks."""
        held = self.walk.value(node.value)
        if isinstance(held, ListState) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return self.walk.lists.place(held, self.walk.value(node.slice))
        if type(held) is DictState and not isinstance(node.slice, ast.Slice):
            return self.walk.dicts.place(held, self.walk.value(node.slice))
        if type(held) is Nested and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            return self.walk.tables.place(held, self.walk.value(node.slice))
        if type(held) is not View:
            raise Unsupported("stores into something that is no array")
        indices = self.indices(node.slice)
        self.expect_writeable(held)
        if len(indices) == 1 and type(indices[0]) is str:
            field = self.field(held, indices[0])
            return field if field.sizes else self.place_of(field, [])
        if held.dtype.names is not None:
            if len(indices) != len(held.sizes) or not all(self.is_whole(each) for each in indices):
                raise Unsupported("stores records")
            return self.part(held, indices)
        if len(indices) == len(held.sizes) and all(self.is_whole(each) for each in indices):
            return self.place_of(held, indices)
        if len(indices) == 1 and is_array(indices[0]):
            return self.walk.picks.named(held, indices[0])
        return self.part(held, indices)

    def expect_writeable(self, view: View) -> None:
        if any(not self.writeable[each] for each in view.origins if each >= 0):
            raise Unsupported("writes to an array that is read-only")

    def place_of(self, view: View, indices: list[Any]) -> Place:
        offset = view.offset
        for axis, index in enumerate(indices):
            offset = self.moved(view, axis, self.index(view.sizes[axis], index, axis), offset)
        return Place(view.array, view.dtype, self.steps.whole(0) if offset is None else offset, view.origins)

    def moved(self, view: View, axis: int, index: int, offset: int | None) -> int:
        by = self.steps.times(index, view.strides[axis])
        return by if offset is None else self.steps.plus(offset, by)

    def index(self, size: int, index: Any, axis: int | None = None) -> int:
        """The element's number from the axis's beginning; leaves where there is none. `axis`: of an array, where a function that has written may be left
        by an error alone."""
        steps = self.steps
        if self.walk.stored and axis is not None:
            return self.index_or_error(size, index, axis)
        if type(index) is int:
            if not -(2**62) < index < 2**62:
                raise Unsupported("has a subscript of more than 64 bits")
            place = steps.whole(index) if index >= 0 else steps.plus(size, steps.whole(index))
            if index >= 0:
                self.walk.leave(steps.compare("less", place, size))
            else:
                self.walk.leave(steps.compare("greater_equal", place, steps.whole(0)))
            return place
        number = self.walk.each(index, self.walk.numbers.to_int)
        value, is_counted = number.id, number.low is not None and number.low >= 0
        if not is_counted:
            is_behind = steps.compare("less", value, steps.whole(0))
            value = steps.add("select", INT64, a=is_behind, b=steps.map("add", INT64, INT64, value, size), c=value)
            self.walk.leave(steps.compare("greater_equal", value, steps.whole(0)))
        self.walk.leave(steps.compare("less", value, size))
        return value

    def index_or_error(self, size: int, index: Any, axis: int) -> int:
        """The same, where Python can't do the statement again: it is NumPy's error then."""
        steps = self.steps
        number = self.walk.numbers.number(self.walk.each(index, self.walk.numbers.to_int))
        is_behind = steps.compare("less", number.id, steps.whole(0))
        place = steps.add("select", INT64, a=is_behind, b=steps.map("add", INT64, INT64, number.id, size), c=number.id)
        is_there = steps.both(steps.compare("greater_equal", place, steps.whole(0)), steps.compare("less", place, size))
        self.walk.raise_unless(is_there, (number.id, size), axis)
        return place

    def part(self, view: View, indices: list[Any]) -> View:
        """A view: whole numbers take an axis away, `:` leaves it as it is, None makes one, and `...` stands for what is left."""
        left = len(view.sizes) - sum(each is not None and each is not ... for each in indices)
        if left < 0 or sum(each is ... for each in indices) > 1:
            raise Unsupported("has too many subscripts")
        offset, sizes, strides = view.offset, list[int](), list[int]()
        made: list[Any] = []
        axis = -1
        for index in indices:
            if index is None:
                sizes.append(self.steps.whole(1))
                strides.append(self.steps.whole(0))
                made.append(None)
                continue
            if index is ...:
                sizes += view.sizes[axis + 1 : axis + 1 + left]
                strides += view.strides[axis + 1 : axis + 1 + left]
                axis += left
                made += [slice(None)] * left
                continue
            axis += 1
            if isinstance(index, ast.Slice):
                start, size, step = self.sliced(view.sizes[axis], index)
                sizes.append(size)
                strides.append(view.strides[axis] if step is None else self.steps.times(view.strides[axis], step))
                offset = offset if start is None else self.moved(view, axis, start, offset)
                is_whole = index.lower is None and index.upper is None and index.step is None
                made.append(slice(None) if is_whole else index)
            elif self.is_whole(index):
                place = self.index(view.sizes[axis], index)
                offset = self.moved(view, axis, place, offset)
                made.append(Number(INT, place))
            else:
                raise Unsupported("takes elements by an array")
        rest = axis + 1
        if view.dtype.names is not None and rest == len(view.sizes) and not sizes and any(each is ... for each in indices):
            raise Unsupported("takes a record as an array")
        recipe = part_of(view.recipe, tuple(made))
        return View(view.array, view.dtype, offset, sizes + view.sizes[rest:], strides + view.strides[rest:], recipe, view.origins)

    def sliced(self, size: int, node: ast.Slice) -> tuple[int | None, int, int | None]:
        """(start, size, step) of a slice of an axis, as Python has it; None for a start or a step that changes nothing."""
        steps, numbers = self.steps, self.walk.numbers
        step = 1 if node.step is None else self.walk.value(node.step)
        if type(step) is Number and self.is_whole(step):
            step = numbers.to_int(step)
            self.walk.leave(steps.compare("greater", step.id, steps.whole(0)))
        elif type(step) is not int or step == 0 or abs(step) > 2**31:
            raise Unsupported("has a slice of such a step")
        is_back = type(step) is int and step < 0
        low = steps.whole(-1 if is_back else 0)
        high = steps.plus(size, steps.whole(-1)) if is_back else size
        start, stop = (
            default if bound is None else self.bounded(size, bound, low, high)
            for bound, default in ((node.lower, high if is_back else low), (node.upper, low if is_back else high))
        )
        if node.lower is None and node.upper is None and step == 1:
            return None, size, None
        first, last = (stop, start) if is_back else (start, stop)
        room = steps.plus(last, steps.times(first, steps.whole(-1)))
        if step in (1, -1):
            count = room
        else:
            width = step.id if type(step) is Number else steps.whole(abs(step))
            count = steps.plus(steps.add("floored", INT64, "floor_divide", INT64, steps.plus(room, steps.whole(-1)), width), steps.whole(1))
        none = steps.compare("less_equal", room, steps.whole(0))
        count = steps.add("select", INT64, a=none, b=steps.whole(0), c=count)
        return start, count, None if step == 1 else step.id if type(step) is Number else steps.whole(step)

    def bounded(self, size: int, node: ast.expr, low: int, high: int) -> int:
        """A bound of a slice, counted from the beginning and within what there is."""
        steps = self.steps
        number = self.walk.value(node)
        if not self.is_whole(number):
            raise Unsupported("has a slice of other numbers")
        value = self.walk.numbers.number(self.walk.each(number, self.walk.numbers.to_int)).id
        self.walk.numbers.within(value, -(2**62), 2**62)
        is_behind = steps.compare("less", value, steps.whole(0))
        value = steps.add("select", INT64, a=is_behind, b=steps.plus(value, size), c=value)
        value = steps.add("select", INT64, a=steps.compare("less", value, low), b=low, c=value)
        return steps.add("select", INT64, a=steps.compare("greater", value, high), b=high, c=value)

    def fill(self, view: View, element: int) -> None:
        """Every element of a part of an array."""

        def along(axis: int, offset: int | None) -> None:
            if axis == len(view.sizes):
                assert offset is not None
                self.put(Place(view.array, view.dtype, offset, view.origins), element)
                return
            self.steps.each(view.sizes[axis], lambda at: along(axis + 1, self.moved(view, axis, at, offset)))

        along(0, view.offset if view.sizes or view.offset is not None else self.steps.whole(0))

    def expect_items(self, view: View, count: int) -> None:
        """That so many numbers can be stored along the last axis."""
        if not view.sizes:
            raise Unsupported("stores items into an array without axes")
        if count != 1:
            self.walk.leave(self.steps.compare("equal", view.sizes[-1], self.steps.whole(count)))

    def storing_items(self, view: View, items: tuple[Any, ...]) -> Callable[[], None]:
        """Checks that numbers, of which there are as many as expected, can be stored as elements are; what stores them. One is stored at all places."""
        if not items or any(is_array(each) or type(each) in (tuple, Display) for each in items):
            raise Unsupported("stores items that are no numbers into an array")
        elements = [self.element_for(view, each) for each in items]
        if len(elements) == 1:
            return lambda: self.fill(view, elements[0])

        def store() -> None:
            for number, element in enumerate(elements):
                offset = self.moved(view, len(view.sizes) - 1, self.steps.whole(number), view.offset)
                self.fill(View(view.array, view.dtype, offset, view.sizes[:-1], view.strides[:-1], view.recipe, view.origins), element)

        return store

    def storing_record(self, record: View, value: Any) -> Callable[[], None]:
        """Checks that the items of a tuple can be stored to the fields of a record; what stores them."""
        fields = [self.field(record, name) for name in record.dtype.names or ()]
        if type(value) is not tuple or len(value) != len(fields) or not all(is_numbers_dtype(each.dtype) for each in fields):
            raise Unsupported("stores something else than a tuple of numbers to a record")
        places = [self.place_of(each, []) for each in fields]
        elements = [self.element_for(place, item) for place, item in zip(places, value, strict=True)]

        def store() -> None:
            for place, element in zip(places, elements, strict=True):
                self.put(place, element)

        return store

    def row(self, view: View, index: int) -> Any:
        """What an iteration over an array gives: its part of this number, which is within bounds."""
        offset = self.moved(view, 0, index, view.offset)
        if len(view.sizes) == 1 and view.dtype.names is None:
            return self.load(Place(view.array, view.dtype, offset, view.origins))
        return View(view.array, view.dtype, offset, view.sizes[1:], view.strides[1:], part_of(view.recipe, (Number(INT, index),)), view.origins)

    # Elements.

    def load(self, place: Place) -> Number:
        loaded = self.steps.add("load", place.dtype, a=place.array, b=place.offset)
        return Number(place.dtype, loaded, 0 if place.dtype.kind == "u" and place.dtype.itemsize < 8 else None)

    def store(self, place: Place, value: Any) -> None:
        self.put(place, self.element_for(place, value))

    def put(self, place: Place, element: int) -> None:
        self.steps.add("store", place.dtype, a=place.array, b=place.offset, c=element)
        self.note_written(place.origins)

    def note_written(self, origins: frozenset[int]) -> None:
        for each in origins:
            if each >= 0:
                self.steps.written[each] = True
        self.walk.note_written()

    def element_for(self, place: Place | View, value: Any) -> int:
        """The number as an element of this dtype, as NumPy's assignment converts it."""
        if type(value) in (View, tuple):
            raise Unsupported("stores an array into an element")
        if type(value) is Choice:
            found = self.walk.each(value, lambda each: Number(place.dtype, self.element_for(place, each)))
            return int(found.id)
        number = self.walk.numbers.number(value)
        self.expect_to_fit(number, place.dtype)
        return self.as_dtype(number, place.dtype)

    def expect_to_fit(self, x: Number, target: numpy.dtype[Any]) -> None:
        """An integer of NumPy's is stored into a signed one as Python's is."""
        if type(x.kind) is PythonKind or x.kind.kind not in "iu" or target.kind != "i" or numpy.can_cast(x.kind, target):
            return
        info = numpy.iinfo(target)
        self.walk.numbers.within(self.walk.numbers.to_int(x).id, int(info.min), int(info.max))

    def expect_to_hold(self, x: Number, target: numpy.dtype[Any]) -> None:
        """That no constant overflows, which NumPy warns of."""
        if target.char in "fF" and machine(x.kind).char in "dD":
            self.walk.numbers.expect_single(x.id)

    def expect_nothing_pending(self) -> None:
        """That the statement has not computed with arrays before it writes to one: they are read where the results are stored."""
        if self.walk.arrays.pending:
            raise Unsupported("writes to an array after it has computed with some")

    def note_cast(self, source: numpy.dtype[Any], target: numpy.dtype[Any]) -> None:
        """One that may overflow."""
        if source.kind in "fc" and target.kind in "fc" and not numpy.can_cast(source, target):
            self.steps.array_ops.add("cast")

    def as_dtype(self, x: Number, target: numpy.dtype[Any]) -> int:
        steps, numbers = self.steps, self.walk.numbers
        source = machine(x.kind)
        if source == target:
            return x.id
        self.note_cast(source, target)
        self.expect_to_hold(x, target)
        if source.kind == "c" and target.kind not in "cb":
            raise Unsupported("makes a real number of a complex one")
        if target == BOOL:
            return numbers.truth(x)
        if target.kind in "iu":
            if source.kind == "f":
                whole = numbers.truncated(steps.cast(x.id, source, FLOAT64))
                info = numpy.iinfo(target)
                numbers.within(whole, int(info.min), min(int(info.max), 2**63 - 1))
                return steps.cast(whole, INT64, target)
            return numbers.converted(x, target)
        if type(x.kind) is PythonKind and x.kind is not COMPLEX:
            return steps.cast(numbers.floating(x), FLOAT64, target)
        return steps.cast(x.id, source, target)
