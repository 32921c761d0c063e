"""What a loop is handed, as inputs of its program: numbers, arrays, lists, generators, and objects that are handed through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp import _core
from fastnp._loop_draws import Stream, is_generator, is_of_python, is_random_state
from fastnp._loop_kinds import PLAIN, axes_of_one, has_lines, is_array_object, is_bare_function, is_writeable, kinds_of_tuple, numbers_of_tuple
from fastnp._loop_lists import NumbersList, kinds_of_items
from fastnp._loop_nested import NestedState, kind_of_table
from fastnp._loop_program import Unsupported, kind_of_number, machine
from fastnp._loop_values import UNBOUND, Held, Known, Passed, State, StreamState

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Inputs"]


class Inputs:
    """The inputs of one walk's program. `unused`: lists that the loop has no use for, which are handed through; `constant`: tuples that are known."""

    def __init__(self, walk: Walk, unused: set[str], constant: set[str]) -> None:
        self.walk = walk
        self.unused = unused
        self.constant = constant
        self.arrays: list[str] = []  # what has an array of the program
        self.numbers: list[tuple[str, Any]] = []  # variables, and places in tuples (paths in tuples of tuples) or -1
        self.views: dict[str, Any] = {}
        self.lists: dict[str, int] = {}

    def take(self, values: dict[str, Any]) -> dict[str, Held]:
        """Binds these to what is handed in: arrays come first, so that it is known where numbers lie."""
        for name, value in values.items():
            self.declare(name, value)
        for name in values:
            if name in self.views:
                self.walk.elements.name_sizes(self.views[name])
        return {name: self.bound(name, value) for name, value in values.items()}

    def declare(self, name: str, value: Any) -> None:
        """An array of the program's, for what is one or becomes one."""
        walk = self.walk
        table = kind_of_table(value) if name not in self.unused else None
        if table is not None:
            self.add_view(name, machine(table), 2, (True, True, 0), False)
            walk.tables.views[name] = self.views[name], table
        elif is_array_object(value):
            self.add_view(name, value.dtype, value.ndim, (has_lines(value), is_writeable(value), axes_of_one(value)), type(value) is _core.ndarray)
        elif type(value) is list and name not in self.unused and kinds_of_items(value) is not None:
            self.lists[name] = walk.steps.array(2)
            walk.elements.writeable.append(True)
            walk.arrays.ours.append(False)
            self.arrays.append(name)
            self.expect_kinds(name, value)

    def add_view(self, name: str, dtype: Any, rank: int, traits: tuple[bool, bool, int], is_ours: bool) -> None:
        self.views[name] = self.walk.elements.add_array(dtype, rank, *traits)
        self.walk.arrays.ours.append(is_ours)
        self.arrays.append(name)

    def expect_kinds(self, name: str, value: list[Any]) -> None:
        """What a list has that is handed in."""
        known, found = self.walk.lists_known.setdefault((0, name), NumbersList()), kinds_of_items(value)
        if not found:
            return
        if not known.is_known:
            known.is_tuple, known.kinds, known.is_known = found[0], [list(each) for each in found[1]], True
        elif known.is_tuple != found[0] or len(known.kinds) != len(found[1]):
            raise Unsupported(f"takes {name!r}, a list of items of several kinds")

    def bound(self, name: str, value: Any) -> Held:
        walk, slots = self.walk, self.walk.slots
        if name in walk.tables.views:
            return NestedState(name, False)
        if name in self.views:
            return slots.store((0, name), self.views[name])
        if name in self.lists:
            return walk.lists.take((0, name), self.lists[name])
        if (kind := kind_of_number(value)) is not None:
            self.numbers.append((name, -1))
            return slots.take_number((0, name), kind)
        if is_generator(value):
            self.numbers.append((name, -1))
            address = walk.steps.input(walk.steps.number(None))
            import fastnp.random  # where something is drawn

            slots.streams[name] = Stream(address, is_random_state(value), is_of_python(value), type(value) is fastnp.random.Generator)
            return StreamState(name)
        if type(value) is tuple and name in self.constant:
            return Known(value)
        if type(value) is tuple and (kinds := kinds_of_tuple(value)) is not None:
            self.numbers += [(name, path if len(path) > 1 else path[0]) for path in numbers_of_tuple(value)]
            return slots.take_tuple((0, name), kinds)
        if value is UNBOUND:
            return State((None,))
        if is_bare_function(value):
            slots.handed.setdefault(id(value), name)
        return slots.store((0, name), value) if isinstance(value, PLAIN) else Passed(name)
