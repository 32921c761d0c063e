"""A loop's program as it is run: for one combination of kinds, with what it takes for granted, and what its exits hand out."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy

from fastnp import _core
from fastnp._loop_fields import ClassSpace, Fields
from fastnp._loop_frames import Exit
from fastnp._loop_lists import NumbersList, list_of, words_of
from fastnp._loop_numbers import BINARY
from fastnp._loop_program import Steps, plain
from fastnp._loop_values import UNBOUND
from fastnp._loop_walk import Walk

__all__ = ["NativeLoop", "Program", "Values"]


class Values(Iterator[Any]):
    """What an exit handed out, one after the other; `arrays`: those that were handed in."""

    def __init__(self, values: tuple[Any, ...], arrays: list[Any], passed: dict[str, Any], memory: Any = None) -> None:
        self.inner = iter(values)
        self.memory = memory  # of arrays that the program made
        self.arrays = arrays
        self.passed = passed  # variables as they were handed in
        self.lists: dict[Any, list[Any]] = {}  # that were handed out, by the names of their states

    def __next__(self) -> Any:
        return next(self.inner)

    def made(self, ours: bool, address: int, sizes: list[int], steps: list[int], dtype: Any) -> Any:
        """An array that the program made, or a part of one."""
        made = self.memory.array(address, sizes, steps, dtype)
        return _core.asarray(made) if ours else made

    def listed(self, name: str | None, address: int, length: int, known: NumbersList) -> list[Any]:
        """A list, and what was handed in by that name if it is this one."""
        words = _core._MadeArrays.words(address, length * max(known.words(), 1)).reshape(length, max(known.words(), 1))
        made = list_of(words, known)
        if name is None:
            return made
        old: list[Any] = self.passed[name]
        _core._store_changed(old, made)
        return old

    def part(self, array: int, address: int, sizes: list[int], steps: list[int], dtype: Any) -> Any:
        """A part of an array that was handed in."""
        whole = self.arrays[array]
        if type(whole) is numpy.ndarray:
            made = _core._MadeArrays.view(whole, address, sizes, steps, dtype)
            return made if sizes or dtype.names is None else made[()]  # a record
        return _core.asarray(_core._MadeArrays.view(numpy.asarray(whole), address, sizes, steps, dtype))

    def part_at(self, array: int, offset: int, sizes: list[int], steps: list[int], dtype: Any) -> Any:
        """The same, by how far from the array's first element it begins."""
        address = numpy.asarray(self.arrays[array]).__array_interface__["data"][0]
        return self.part(array, address + offset, sizes, steps, dtype)


class Program:
    """A loop's program for one combination of kinds."""

    def __init__(self, walk: Walk, guards: list[tuple[Any, str, Any]], takes: list[str], fields: Fields) -> None:
        self.takes = takes  # with fields
        self.fields = fields
        self.steps: Steps = walk.steps
        self.exits: list[Exit] = walk.exits
        self.guards = guards
        self.arrays = arrays = walk.inputs.arrays
        self.numbers = walk.inputs.numbers
        self.is_of_tuples = any(type(item) is tuple for _, item in self.numbers)  # of tuples, which calls without Python do not take apart
        self.is_for = walk.is_entered  # it is told whether it is entered in the middle
        self.outer = walk.outer.given([]) if walk.outer is not None else None
        self.streams = [generator for _, generator in walk.streams.values()]  # handed in after all numbers
        self.nowhere = tuple(_nothing(kind) for _, kind in walk.outer.variables()) if walk.outer is not None else ()  # for where it is then
        self.states = len(self.nowhere)
        self.all_lists = {name[1]: known for name, known in walk.lists_known.items() if name[0] == 0}
        self.lists = {name: self.all_lists[name] for name in arrays if name in self.all_lists}  # that are handed in
        self.is_of_arrays = walk.arrays.used  # whose statements rest on arrays' being apart
        self.steps.of_numbers = not self.is_of_arrays
        self.native: dict[bool, Any] = {}
        self.waits = False  # for its code
        self.stored = frozenset(walk.stored_fields)
        self.tables = {
            name: _core._TableKind(plain(kind), walk.steps.written[view.array]) for name, (view, kind) in walk.tables.views.items()
        }  # that are handed in
        # Else it makes no difference which of them are one.
        self.may_change_lists = bool(self.lists) or any(walk.steps.written[view.array] for view, _ in walk.tables.views.values())

    def stored_paths(self) -> list[str]:
        """The fields that it stores to, in their order."""
        return [path for path in self.fields.paths if path in self.stored]

    def array_of(self, name: str, value: Any) -> Any:
        """What it is run on in the place of an argument; OverflowError where a whole number has more than 64 bits."""
        if name in self.tables:
            made = self.tables[name].array_of(value)
            if made is None:
                raise OverflowError
            return made
        return words_of(value, self.lists[name]) if type(value) is list else value

    def numbers_of(self, values: dict[str, Any]) -> tuple[Any, ...]:
        """Those that it is handed, among variables."""
        return tuple(_item(values[name], item) for name, item in self.numbers)

    def store_tables(self, values: dict[str, Any], arrays: list[Any]) -> None:
        """Stores what a run has stored to tables."""
        for name, made in zip(self.arrays, arrays, strict=True):
            if name in self.tables:
                self.tables[name].store(values[name], made)

    def holds(self) -> bool:
        return all(_now(space, name) is value for space, name, value in self.guards)

    def first(self) -> Any:
        """The one for arrays that share no memory."""
        if True not in self.native:
            self.native[True] = self.steps.program(True)
        return self.native[True]

    def run(self, arrays: tuple[Any, ...], numbers: tuple[Any, ...]) -> Any:
        """None where arrays share memory that it took to be apart."""
        for apart in (True, False):
            if not apart and self.is_of_arrays:
                return None
            if apart not in self.native:
                self.native[apart] = self.steps.program(apart)
            found = self.native[apart].run(arrays, numbers)
            if found is not None:
                return found
        raise AssertionError

    def warnings(self) -> list[tuple[int, str]]:
        """(flag, text) of what a run may warn of, as NumPy does of its scalars: floating-point errors, and integers that wrapped around.
        Which operation it was is known if there is one."""
        told = {each: f"scalar {each}" if each in _OPERATORS else each for each in sorted(self.steps.float_ops)}
        ops = [*((each, each) for each in sorted(self.steps.array_ops)), *told.items()]
        found = [(_WRAPPED, f"overflow encountered in scalar {min(self.steps.whole_ops)}")] if self.steps.whole_ops else []
        for flag, name, text in ((1, "invalid", "invalid value"), (2, "divide", "divide by zero"), (4, "over", "overflow")):
            may = [where for op, where in ops if op in _MAY[name]]
            if may:
                found.append((flag, f"{text} encountered in {may[0]}"))
        return found

    def warn(self, flags: int) -> None:
        """Of what a run met, where NumPy is to warn of it."""
        state: Any = numpy.geterr()
        for flag, text in self.warnings():
            if flags & flag and state[_KINDS[flag]] == "warn":
                warnings.warn(text, RuntimeWarning, stacklevel=4)


_WRAPPED = 16
_OPERATORS = frozenset(name for _, name in BINARY.values())  # which NumPy's scalars do without a ufunc
_KINDS = {1: "invalid", 2: "divide", 4: "over", _WRAPPED: "over"}
_MAY = {
    "invalid": (
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "float_power",
        "remainder",
        "floor_divide",
        "sqrt",
        "arcsin",
        "arccos",
        "arccosh",
        "arctanh",
        "log1p",
        "sin",
        "cos",
        "tan",
        "reduce",
        "matmul",
        "dot",
    ),
    "divide": ("divide", "reciprocal", "power", "float_power", "arctanh", "log1p"),
    "over": (
        "cast",
        "multiply",
        "add",
        "subtract",
        "divide",
        "reciprocal",
        "power",
        "float_power",
        "exp",
        "exp2",
        "expm1",
        "sinh",
        "cosh",
        "square",
        "reduce",
        "matmul",
        "dot",
        "hypot",
    ),
}


def _item(value: Any, item: Any) -> Any:
    """A number, or the one at a place of a tuple."""
    if type(item) is tuple:
        return functools.reduce(lambda each, place: each[place], item, value)
    return value if item < 0 else value[item]


def _nothing(kind: Any) -> Any:
    made: Any = plain(kind)
    return made.type(0) if isinstance(made, numpy.dtype) else made(0)


def _now(space: Any, name: str) -> Any:
    if type(space) is dict:
        return space.get(name, UNBOUND)
    if type(space) is ClassSpace:
        return space.now(name)
    try:
        return getattr(space, name)
    except ValueError:  # an empty cell
        return UNBOUND


class NativeLoop:
    """What `explain` tells of a loop over numbers; `reason`: why it runs otherwise, if it does."""

    def __init__(self, place: Any, programs: list[Any], reason: str | None) -> None:
        self.lines = f"{place[0]}-{place[1]}" if place[1] != place[0] else str(place[0])
        self.reason = reason
        self.natives: list[Any] = [program.native[True] for program in programs if True in program.native]
        self.programs: list[str] = [native.text() for native in self.natives]
        """The steps of each program, as text."""
        self.milliseconds: list[float] = [program.native[True].compile() for program in programs if True in program.native and not program.waits]

    def where(self) -> str:
        return f"line{'s' * ('-' in self.lines)} {self.lines}"

    def __str__(self) -> str:
        if self.reason is not None:
            return f"loop, {self.where()}: no native code, as it {self.reason}"
        steps = [text.count("\n") for text in self.programs]
        made = [f"{count} steps, {spent:.1f} ms" for count, spent in zip(steps, self.milliseconds, strict=True)]
        return f"native loop, {self.where()}: " + ("; ".join(made) or "not reached yet")

    __repr__ = __str__
