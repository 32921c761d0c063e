"""Loops over numbers and elements of arrays as native code: what a compiled function's frame calls in the place of such a loop.

A loop's program is written for the kinds of values that its variables have (``_loop_walk.py``), and kept with what it takes for granted. It is left
where it can't go on; Python does the rest of that iteration as written (``_loop_resume.py``), and the program goes on with the next one. A loop that
can't be a program at all, or leaves it too often, runs as written.
"""

from __future__ import annotations

import ast
import builtins
import time
import types
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _core
from fastnp._loop_draws import is_generator
from fastnp._loop_frames import Exit, Frame
from fastnp._loop_lists import NumbersList, kinds_of_items, list_of, words_of
from fastnp._loop_program import Steps, Unsupported, is_numbers_dtype, kind_of_number
from fastnp._loop_resume import ENDS, GOES_ON, LOCALS, RETURNS, UNBOUND_NAME, else_of, remaining, rest_of_iteration
from fastnp._loop_values import UNBOUND, ArrayState, Known, New, Part, Passed, StreamState, ViewState
from fastnp._loop_walk import Walk
from fastnp._names import Live, Uses

if TYPE_CHECKING:
    from fastnp._parts import Parts

__all__ = ["Loop", "NativeLoop"]

_MOST_KINDS = 8  # programs of one loop
_FEW_EXITS = 32  # of one call
_MOST_IN_PYTHON = 0.5  # of the time of a call with more exits: else it runs as written
_LONGEST_TUPLE = 8  # that is taken apart
_PLAIN: Any = (type(None), str, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)


class _Values(Iterator[Any]):
    """What an exit handed out, one after the other; `arrays`: those that were handed in."""

    def __init__(self, values: tuple[Any, ...], arrays: list[Any], passed: dict[str, Any], memory: Any = None) -> None:
        self.inner = iter(values)
        self.memory = memory  # of arrays that the program made
        self.arrays = arrays
        self.passed = passed  # variables as they were handed in

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
        old[:] = made
        return old

    def part(self, array: int, address: int, sizes: list[int], steps: list[int], dtype: Any) -> Any:
        """A part of an array that was handed in."""
        whole = self.arrays[array]
        if type(whole) is numpy.ndarray:
            return _core._MadeArrays.view(whole, address, sizes, steps, dtype)
        return _core.asarray(_core._MadeArrays.view(numpy.asarray(whole), address, sizes, steps, dtype))


class _Program:
    """A loop's program for one combination of kinds."""

    def __init__(self, walk: Walk, guards: list[tuple[Any, str, Any]], arrays: list[str], numbers: list[tuple[str, int]]) -> None:
        self.steps: Steps = walk.steps
        self.exits: list[Exit] = walk.exits
        self.guards = guards
        self.arrays = arrays
        self.numbers = numbers
        self.is_for = walk.outer is not None  # it is told whether it is entered in the middle
        self.outer = walk.outer.given([]) if walk.outer is not None else None
        self.streams = [generator for _, generator in walk.streams.values()]  # handed in after all numbers
        self.states = len(walk.outer.variables()) if walk.outer is not None else 0
        self.lists = {name[1]: known for name, known in walk.lists_known.items() if name[0] == 0}
        self.is_of_arrays = walk.arrays.used  # whose statements rest on arrays' being apart
        self.native: dict[bool, Any] = {}

    def holds(self) -> bool:
        return all(_now(space, name) is value for space, name, value in self.guards)

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

    def warn(self, flags: int) -> None:
        """Of floating-point errors and of integers that wrapped around, as NumPy does of its scalars; which operation it was is known if there is one."""
        state: Any = numpy.geterr()
        if flags & 16 and state["over"] == "warn":
            warnings.warn(f"overflow encountered in scalar {min(self.steps.whole_ops)}", RuntimeWarning, stacklevel=4)
        ops = [*((each, each) for each in sorted(self.steps.array_ops)), *((each, f"scalar {each}") for each in sorted(self.steps.float_ops))]
        for flag, name, text in ((1, "invalid", "invalid value"), (2, "divide", "divide by zero"), (4, "over", "overflow")):
            may = [told for op, told in ops if op in _MAY[name]]
            if flags & flag and state[name] == "warn" and may:
                warnings.warn(f"{text} encountered in {may[0]}", RuntimeWarning, stacklevel=4)


_MAY = {
    "invalid": (
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "remainder",
        "floor_divide",
        "sqrt",
        "arcsin",
        "arccos",
        "sin",
        "cos",
        "tan",
        "reduce",
        "matmul",
        "dot",
    ),
    "divide": ("divide", "power", "arctanh", "log1p"),
    "over": ("multiply", "add", "subtract", "divide", "power", "exp", "exp2", "expm1", "sinh", "cosh", "square", "reduce", "matmul", "dot", "hypot"),
}


def _now(space: Any, name: str) -> Any:
    if type(space) is dict:
        return space.get(name, UNBOUND)
    try:
        return getattr(space, name)
    except ValueError:  # an empty cell
        return UNBOUND


class NativeLoop:
    """What `explain` tells of a loop over numbers; `reason`: why it runs otherwise, if it does."""

    def __init__(self, place: Any, programs: list[Any], reason: str | None) -> None:
        self.lines = f"{place[0]}-{place[1]}" if place[1] != place[0] else str(place[0])
        self.reason = reason
        self.programs: list[str] = [program.native[True].text() for program in programs if True in program.native]
        """The steps of each program, as text."""
        self.milliseconds: list[float] = [program.native[True].compile() for program in programs if True in program.native]

    def __str__(self) -> str:
        if self.reason is not None:
            return f"loop, lines {self.lines}: no native code, as it {self.reason}"
        steps = [text.count("\n") for text in self.programs]
        made = [f"{count} steps, {spent:.1f} ms" for count, spent in zip(steps, self.milliseconds, strict=True)]
        return f"native loop, lines {self.lines}: " + ("; ".join(made) or "not reached yet")

    __repr__ = __str__


class Loop:
    """One loop of a function that is run in parts. Called with the variables that it takes; gives (0, variables that it gives) or (1, a result)."""

    def __init__(self, parts: Parts, place: Any, takes: tuple[str, ...], gives: tuple[str, ...], written: Any) -> None:
        self.parts = parts
        self.place = place
        self.takes = takes
        self.gives = gives
        self.written = written  # the part as written
        self.refused: str | None = None
        self.programs: dict[Any, Any] = {}
        self.known: list[Any] = []  # what identities among the keys stand for
        self.functions: dict[Any, Any] = {}
        self.frames: dict[Any, Any] = {}
        self.loop: Any = None
        self.rewritten = 0  # how often what a program took for granted had changed
        self.entry = _core._LoopCall(self.slow, self.left)
        self.called = self.entry.function()  # what the frame calls

    # Calls. `entry` knows what needs no Python: kinds that it knows, and loops that come to their ends.

    def slow(self, arguments: tuple[Any, ...]) -> Any:
        if self.refused is not None or _core._records() or not _is_quiet():
            return self.written(*arguments)
        program = self.program_for(arguments)
        if program is None:
            return self.written(*arguments)
        return self.run(program, dict(zip(self.takes, arguments, strict=True)), None)

    def left(self, program: Any, number: int, handed: tuple[Any, ...], flags: int, arguments: tuple[Any, ...], memory: Any) -> Any:
        """A call whose program was left elsewhere."""
        return self.run(program, dict(zip(self.takes, arguments, strict=True)), (number, handed, flags, memory))

    def run(self, program: Any, values: dict[str, Any], found: Any) -> Any:
        """Goes on until the loop has ended. `found`: what the program gave, where it was run already."""
        entry: tuple[Any, ...] | None = None  # of a loop that is entered in the middle
        in_python, begin, count = 0.0, time.perf_counter(), 0
        while True:
            arrays = [values[name] for name in program.arrays]
            if program.lists:
                given_lists = [id(each) for each in arrays if type(each) is list]
                if len(set(given_lists)) < len(given_lists):
                    return self.rest(values, program, entry)
                try:
                    arrays = [
                        words_of(each, program.lists[name]) if type(each) is list else each for name, each in zip(program.arrays, arrays, strict=True)
                    ]
                except OverflowError:
                    return self.rest(values, program, entry)
            if found is None:
                try:
                    found = self.results_of(program, values, arrays, entry)
                except OverflowError:  # a whole number of more than 64 bits
                    return self.rest(values, program, entry)
            if found is None:
                return self.rest(values, program, entry)
            number, handed, flags, memory = found
            found = None
            if flags:
                program.warn(flags)
            exit = program.exits[number]
            if exit.is_error:
                raise MemoryError(f"unable to allocate an array in the loop in lines {self.place[0]}-{self.place[1]}")
            decoded = _Values(handed, arrays, values, memory)
            values = {name: decode(decoded) for name, decode in exit.names}
            items = [decode(decoded) for _, decode in exit.iterations]
            if exit.statement is None:
                return self.ended(exit, values)
            if exit.statement is self.loop:
                return self.rest(values, program, entry)
            count += 1
            start = time.perf_counter()
            state = handed[len(handed) - program.states :] if program.states else ()
            how, after = self.function(("rest", exit.statement))(*self.listed(values), *items)
            if how == RETURNS:
                return RETURNS, after
            values = after
            if how == ENDS:
                return self.given(values)
            entry = state
            arguments = tuple(values.get(name, UNBOUND) for name in self.takes)
            other = None if any(each is UNBOUND for each in arguments) else self.program_for(arguments)
            now = time.perf_counter()
            in_python += now - start
            if count > _FEW_EXITS and in_python > _MOST_IN_PYTHON * (now - begin):
                self.refuse("leaves its native code too often")
                other = None
            if other is None or other.states != program.states:
                return self.rest(values, program, entry)
            program = other

    @staticmethod
    def results_of(program: Any, values: dict[str, Any], arrays: list[Any], entry: tuple[Any, ...] | None) -> Any:
        given = tuple(each if type(each) is numpy.ndarray else numpy.asarray(each) for each in arrays)
        numbers: tuple[Any, ...] = tuple(values[name] if item < 0 else values[name][item] for name, item in program.numbers)
        if program.is_for:
            numbers += (entry is not None, *(entry or (0,) * program.states))
        return program.run(given, (*numbers, *program.streams))

    def ended(self, exit: Exit, values: dict[str, Any]) -> Any:
        if exit.broke or not self.loop.orelse:
            return self.given(values)
        how, after = self.function(("else", None))(*self.listed(values))
        return (RETURNS, after) if how == RETURNS else self.given(after)

    def rest(self, values: dict[str, Any], program: Any, entry: tuple[Any, ...] | None) -> Any:
        """The loop as written, from where it is."""
        if entry is None and isinstance(self.loop, ast.For):
            return self.written(*(values[name] for name in self.takes))
        more = []
        if isinstance(self.loop, ast.For):
            arrays = [values.get(name) for name in program.arrays]
            items = program.outer(_Values(entry or (), arrays, values))
            next(items, None)  # the one that it was left at
            more = [items]
        how, after = self.function(("remaining", None))(*self.listed(values), *more)
        return (RETURNS, after) if how == RETURNS else self.given(after)

    def given(self, values: dict[str, Any]) -> Any:
        return (GOES_ON, *(values[name] for name in self.gives))

    def listed(self, values: dict[str, Any]) -> list[Any]:
        return [values.get(name, UNBOUND) for name in self.names]

    # Programs.

    def program_for(self, arguments: tuple[Any, ...]) -> Any:
        key = tuple(map(_kind_of, arguments))
        if any(each is None for each in key):
            if not self.programs:
                self.refuse("takes arrays on a device, or of a dtype that programs have not")
            return None
        program = self.programs.get(key)
        if program is not None and (program is Unsupported or program.holds()):
            return None if program is Unsupported else program
        if program is not None:  # what it took for granted is so no more
            self.programs.clear()
            self.entry.clear()
            self.rewritten += 1
            if self.rewritten > _MOST_KINDS:
                self.refuse("reads something that is another one at every call")
                return None
        if len(self.programs) >= _MOST_KINDS or not _core._affords_compiling():
            return None
        with _core._Compiling():
            return self.new_program(key, arguments)

    def new_program(self, key: Any, arguments: tuple[Any, ...]) -> Any:
        self.known += [each for each in arguments if isinstance(each, _PLAIN)]
        try:
            program = self.programs[key] = self.written_for(arguments)
        except Unsupported as why:
            self.programs[key] = Unsupported
            self.refuse(str(why))
            return None
        self.make_ready(program, arguments)
        return program

    def make_ready(self, program: Any, arguments: tuple[Any, ...]) -> None:
        """Has `entry` serve such calls."""
        if program.lists or any(type(each) is _core.ndarray for each in arguments) or any(type(space) is not dict for space, _, _ in program.guards):
            return
        ends = {}
        self.program_arrays = program.arrays
        for number, exit in enumerate(program.exits):
            end = self.end_of(exit)
            if all(each is not None for each in end[2]):
                ends[number] = end
        guards = [(space, name, ... if value is UNBOUND else value) for space, name, value in program.guards]
        places = {name: number for number, name in enumerate(self.takes)}
        program.native[True] = program.native.get(True) or program.steps.program(True)
        program.native[True].compile()
        self.entry.add(
            [_expected(each) for each in arguments],
            guards,
            [program.native[True]],
            [places[name] for name in program.arrays],
            [(places[name], item) for name, item in program.numbers],
            [*([False, *(0,) * program.states] if program.is_for else []), *program.streams],
            ends,
            program,
        )

    def end_of(self, exit: Exit) -> tuple[bool, bool, list[Any]]:
        """(whether it is a return, of a tuple, where the values come from) of an exit, as `_LoopCall` takes it; None for what needs Python."""
        if exit.statement is None:
            return False, False, [self.source_of(exit, name) for name in self.gives] if exit.broke or not self.loop.orelse else [None]
        if not isinstance(exit.statement, ast.Return):
            return False, False, [None]
        value = exit.statement.value or ast.Constant(None)
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        found = [
            self.source_of(exit, each.id) if isinstance(each, ast.Name) else (2, each.value) if isinstance(each, ast.Constant) else None for each in parts
        ]
        return True, isinstance(value, ast.Tuple), found

    def source_of(self, exit: Exit, name: str) -> Any:
        """Where a variable comes from at an exit, as `_LoopCall` takes it; None where that is more than one thing."""
        if name in exit.places:
            return 0, exit.places[name]
        if name in exit.tuples:
            first, count, may_be_passed = exit.tuples[name]
            return 3, (first, count), self.takes.index(name) if may_be_passed else -1
        held = exit.held.get(name)
        if type(held) is ViewState and type(held.recipe) is int and name in self.takes:
            return 1, self.takes.index(name)
        if type(held) is ArrayState and name in exit.arrays and not any(type(each) is Part for each in held.recipes):
            return self.array_source(exit.arrays[name], held)
        if isinstance(held, (Passed, StreamState)) and held.name in self.takes:
            return 1, self.takes.index(held.name)
        return (2, held.value) if type(held) is Known else None

    def array_source(self, place: tuple[int, dict[int, Any]], held: ArrayState) -> Any:
        """As `source_of`; None where the array is fastnp's."""
        first, origins = place
        found = []
        for number in range(max(origins) + 1):
            origin = origins.get(number)
            if type(origin) is New and origin.ours:
                return None
            found.append(-1 if type(origin) is not int else self.takes.index(self.program_arrays[origin]))
        return 4, (first, held.rank), held.dtype, found

    def told(self) -> NativeLoop:
        return NativeLoop(self.place, [each for each in self.programs.values() if type(each) is _Program], self.refused)

    def refuse(self, reason: str) -> None:
        self.refused = reason
        self.entry.clear()
        self.parts.loop_refused(self)

    def written_for(self, arguments: tuple[Any, ...]) -> Any:
        self.find()
        guards: list[tuple[Any, str, Any]] = []
        arrays: list[str] = []
        numbers: list[tuple[str, int]] = []  # variables, and places in tuples or -1

        def guard(space: Any, name: str, value: Any) -> None:
            if all(each[0] is not space or each[1] != name for each in guards):
                guards.append((space, name, value))

        def root(walk: Walk) -> Frame:
            guards.clear()
            arrays.clear()
            numbers.clear()
            return self.root(walk, arguments, arrays, numbers)

        self.unused: set[str] = set()
        while True:
            walk = Walk(self.frame_of, guard)
            walk.run(self.loop, root)
            unused = {name[1] for name in walk.lists_known if name[0] == 0} - {name[1] for name in walk.lists.used}
            if not unused:
                break
            self.unused |= unused  # they are handed through
        return _Program(walk, guards, list(arrays), list(numbers))

    def root(self, walk: Walk, arguments: tuple[Any, ...], arrays: list[str], numbers: list[tuple[str, int]]) -> Frame:
        """The function itself, with its variables bound to what is handed in."""
        frame = self.frame_of(self.parts.function)
        frame.key = 0
        walk.frame = frame
        env = frame.env
        assert env is not None
        views, lists = {}, {}
        for name, value in zip(self.takes, arguments, strict=True):
            if type(value) is list and name not in self.unused and kinds_of_items(value) is not None:
                lists[name] = walk.steps.array(2)
                walk.elements.writeable.append(True)
                walk.arrays.ours.append(False)
                arrays.append(name)
                self.expect_kinds(walk, name, value)
            if _is_array(value):
                views[name] = walk.elements.add_array(value.dtype, value.ndim,
                                                      _has_lines(value), _is_writeable(value))  # fmt: skip
                walk.arrays.ours.append(type(value) is _core.ndarray)
                arrays.append(name)
        for view in views.values():
            walk.elements.name_sizes(view)
        for name, value in zip(self.takes, arguments, strict=True):
            if name in views:
                env[name] = walk.slots.store((0, name), views[name])
            elif name in lists:
                env[name] = walk.lists.take((0, name), lists[name])
            elif (kind := kind_of_number(value)) is not None:
                numbers.append((name, -1))
                env[name] = walk.slots.take_number((0, name), kind)
            elif is_generator(value):
                numbers.append((name, -1))
                walk.slots.streams[name] = walk.steps.input(walk.steps.number(None))
                env[name] = StreamState(name)
            elif _is_tuple_of_numbers(value):
                numbers += [(name, item) for item in range(len(value))]
                env[name] = walk.slots.take_tuple((0, name), map(kind_of_number, value))
            else:
                env[name] = walk.slots.store((0, name), value) if isinstance(value, _PLAIN) else Passed(name)
        walk.prologue = len(walk.steps.steps)
        return frame

    @staticmethod
    def expect_kinds(walk: Walk, name: str, value: list[Any]) -> None:
        """What a list has that is handed in."""
        known, found = walk.lists_known.setdefault((0, name), NumbersList()), kinds_of_items(value)
        if not found:
            return
        if not known.is_known:
            known.is_tuple, known.kinds, known.is_known = found[0], [list(each) for each in found[1]], True
        elif known.is_tuple != found[0] or len(known.kinds) != len(found[1]):
            raise Unsupported(f"takes {name!r}, a list of items of several kinds")

    def find(self) -> None:
        if self.loop is not None:
            return
        tree = self.parts.tree
        from fastnp._unfold import place_of

        found = None if tree is None else next((n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While)) and place_of(n) == self.place), None)
        if found is None:
            raise Unsupported("has no source")
        self.loop = found
        uses = Uses(found)
        code = self.parts.function.__code__
        local = {*code.co_varnames, *code.co_cellvars}
        self.names = sorted((uses.reads | uses.stores | set(self.takes) | set(self.gives)) & local)
        if uses.captured & local:
            raise Unsupported("has variables that other functions share")

    def frame_of(self, function: Any) -> Frame:
        """A function's definition and what its variables are."""
        if function.__code__ not in self.frames:
            from fastnp._source import Source

            tree = self.parts.tree if function is self.parts.function else Source(function).tree
            if tree is None:
                raise Unsupported(f"calls {function.__qualname__}, whose source is not known")
            body = [ast.copy_location(ast.Return(tree.body), tree.body)] if isinstance(tree, ast.Lambda) else tree.body
            live = Live()
            live.before(body, set(), set(), set())
            code = function.__code__
            if any(isinstance(each, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)) for each in ast.walk(tree)):
                raise Unsupported(f"calls {function.__qualname__}, which is more than its arguments and results")
            self.frames[code] = tree, live, frozenset(code.co_varnames) - set(code.co_cellvars)
        tree, live, local = self.frames[function.__code__]
        return Frame(None, function, tree, live, local)

    # Python's parts of it.

    def function(self, key: tuple[str, Any]) -> Any:
        if key not in self.functions:
            kind, statement = key
            name = self.parts.function.__name__
            if kind == "rest":
                tree = rest_of_iteration(self.loop, statement, self.names, name)
            else:
                tree = (else_of if kind == "else" else remaining)(self.loop, self.names, name)
            code = self.parts.source.code_of(tree, [LOCALS, UNBOUND_NAME])
            cells = {LOCALS: types.CellType(builtins.locals), UNBOUND_NAME: types.CellType(UNBOUND)}
            self.functions[key] = self.parts.function_of(code, cells)
        return self.functions[key]


def _identity(value: Any) -> Any:
    return value if value is UNBOUND else None


def _is_array(value: Any) -> bool:
    return type(value) is numpy.ndarray or type(value) is _core.ndarray


def _has_lines(value: Any) -> bool:
    return value.ndim > 0 and value.strides[-1] == value.itemsize


def _is_writeable(value: Any) -> bool:
    return bool(value.flags.writeable)


def _is_tuple_of_numbers(value: Any) -> bool:
    return type(value) is tuple and 0 < len(value) <= _LONGEST_TUPLE and all(kind_of_number(each) is not None for each in value)


def _is_record(dtype: Any) -> bool:
    return dtype.names is not None and all(is_numbers_dtype(dtype.fields[name][0]) for name in dtype.names)


def _kind_of(value: Any) -> Any:
    """What a program is written for; None where there is none."""
    kind = kind_of_number(value)
    if kind is not None:
        return kind
    if _is_array(value):
        dtype = value.dtype
        is_elsewhere = type(value) is _core.ndarray and value.device != "cpu"  # its elements may be lent as a copy, and writes be lost
        if not (is_numbers_dtype(dtype) or _is_record(dtype)) or is_elsewhere:
            return None
        return type(value), id(dtype) if dtype.names is None else ("record", dtype), value.ndim, _has_lines(value), _is_writeable(value)
    if is_generator(value):
        return "generator", type(value)
    if type(value) is list:
        found = kinds_of_items(value)
        return "passed" if found is None else ("list", found)
    if isinstance(value, _PLAIN):
        return ("text", value) if type(value) is str else ("is", id(value))
    return ("tuple", *map(kind_of_number, value)) if _is_tuple_of_numbers(value) else "passed"


def _expected(value: Any) -> tuple[Any, ...]:
    """What `_LoopCall` compares a value with."""
    if type(value) is numpy.ndarray:
        return numpy.ndarray, value.dtype, value.ndim, _has_lines(value), _is_writeable(value)
    if kind_of_number(value) is not None or is_generator(value):
        return type(value), None
    if _is_tuple_of_numbers(value):
        return tuple, tuple(map(type, value))
    return (value,) if isinstance(value, _PLAIN) else ()


def _is_quiet() -> bool:
    """Whether NumPy would at most warn of floating-point errors."""
    state = numpy.geterr()
    return all(state[each] in ("ignore", "warn") for each in ("divide", "over", "invalid")) and state["under"] == "ignore"
