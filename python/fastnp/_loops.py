"""Loops over numbers and elements of arrays as native code: what a compiled function's frame calls in the place of such a loop.

A loop's program is written for the kinds of values that its variables have (``_loop_walk.py``), and kept with what it takes for granted. It is left
where it can't go on; Python does the rest of that iteration as written (``_loop_resume.py``), and the program goes on with the next one. A loop that
can't be a program at all, or leaves it too often, runs as written.
"""

from __future__ import annotations

import ast
import threading
import time
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _core, _syntax
from fastnp._fork import patiently
from fastnp._loop_comprehensions import expanded
from fastnp._loop_expressions import Leaves
from fastnp._loop_fields import ClassSpace, Fields, NewField, was_stored
from fastnp._loop_frames import Exit, Frame
from fastnp._loop_inlined import Recursive
from fastnp._loop_inputs import Inputs
from fastnp._loop_kinds import PLAIN, expected, kind_of, twins_of
from fastnp._loop_lists import ListState
from fastnp._loop_native import NativeLoop, Program, Values
from fastnp._loop_nested import NestedState
from fastnp._loop_program import NOTHING, Unsupported, plain
from fastnp._loop_regions import has_loops_ahead, is_region
from fastnp._loop_resume import ENDS, GOES_ON, LOCALS, NAMES, RETURNS, UNBOUND_NAME, else_of, remaining, rest_of_iteration
from fastnp._loop_scan import counters_of, dear_seconds
from fastnp._loop_tuples import constant_tuples
from fastnp._loop_values import UNBOUND, ArrayState, Handed, Known, New, Part, Passed, State, StreamState, ViewState, is_unbound
from fastnp._loop_walk import Walk
from fastnp._names import Live, Uses

if TYPE_CHECKING:
    from fastnp._parts import Parts

__all__ = ["Loop", "NativeLoop"]

_MOST_KINDS = 8  # programs of one loop
_MOST_FIELDS = 64
_FEW_EXITS = 32  # of one call
_MOST_IN_PYTHON = 0.5  # of the time of a call with more exits: else it runs as written


class Loop:
    """One loop of a function that is run in parts. Called with the variables that it takes; gives (0, variables that it gives) or (1, a result)."""

    def __init__(self, parts: Parts, place: Any, takes: tuple[str, ...], gives: tuple[str, ...], written: Any) -> None:
        self.parts = parts
        self.place = place
        self.takes = takes
        self.gives = gives
        self.written = written  # the part as written
        self.refused: str | None = None
        self.is_recursive = False  # it calls its own function, and so itself
        self.programs: dict[Any, Any] = {}
        self.known: list[Any] = []  # what identities among the keys stand for
        self.functions: dict[Any, Any] = {}
        self.frames: dict[Any, Any] = {}
        self.loop: Any = None
        self.source: Any = None  # that it is in
        self.constant: set[str] = set()  # variables that are tuples of constants
        self._lock = threading.RLock()  # programs and fields are found by one thread at a time
        self.fields = Fields()
        self.all_takes = list(takes)  # with the names of fields
        self.left_early = 0  # how often a program was left that is not entered again
        self.rewritten = 0  # how often what a program took for granted had changed
        self.entry = _core._LoopCall(self.slow, self.left)
        self.called = self.entry.function()  # what the frame calls

    # Calls. `entry` knows what needs no Python: kinds that it knows, and loops that come to their ends.

    def slow(self, arguments: tuple[Any, ...]) -> Any:
        if self.refused is not None or _core._records() or not _is_quiet():
            return self.written(*arguments)
        program, values = self.program_for(dict(zip(self.takes, arguments, strict=True)))
        if program is None:
            return self.written(*arguments)
        return self.run(program, values, None)

    def left(self, program: Any, number: int, handed: tuple[Any, ...], flags: int, arguments: tuple[Any, ...], memory: Any) -> Any:
        """A call whose program was left elsewhere. `arguments`: with fields."""
        values = {**dict(zip(program.takes, arguments, strict=True)), **program.fields.roots}
        return self.run(program, values, (number, handed, flags, memory))

    def run(self, program: Any, values: dict[str, Any], found: Any) -> Any:
        """Goes on until the loop has ended. `found`: what the program gave, where it was run already."""
        entry: tuple[Any, ...] | None = None  # of a loop that is entered in the middle
        in_python, begin, count = 0.0, time.perf_counter(), 0
        while True:
            arrays = [values[name] for name in program.arrays]
            if program.lists or program.tables:
                given_lists = [id(each) for each in arrays if type(each) is list]
                given_lists += [id(row) for name in program.tables for row in values[name]]
                if program.may_change_lists and len(set(given_lists)) < len(given_lists):
                    return self.rest(values, program, entry)
                try:
                    arrays = [program.array_of(name, each) for name, each in zip(program.arrays, arrays, strict=True)]
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
            program.store_tables(values, arrays)
            exit = program.exits[number]
            if exit.is_error:
                raise MemoryError(f"unable to allocate an array in the loop in lines {self.place[0]}-{self.place[1]}")
            decoded = Values(handed, arrays, values, memory)
            values = {**program.fields.roots, **{name: decode(decoded) for name, decode in exit.names}}
            items = [decode(decoded) for _, decode in exit.iterations]
            program.fields.write(values, program.stored)
            if flags:
                program.warn(flags)
            if exit.error is not None:
                index, size = handed[-2:]
                raise IndexError(f"index {index} is out of bounds for axis {exit.error} with size {size}")
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
            if is_region(self.loop) and has_loops_ahead(self.loop, exit.statement):
                self.refuse("is left before its loops have ended" + (f": it {exit.why}" if exit.why else ""))
            before, values = values, after
            if how == ENDS:
                return self.given(values)
            entry = state
            if not program.is_for and isinstance(self.loop, ast.For):  # it is not entered again
                self.left_early += 1
                if self.left_early > _FEW_EXITS:
                    self.refuse("leaves its native code too often" + (f": it {exit.why}" if exit.why else ""))
                return self.remaining(values, program.outer(Values(entry, arrays, values, memory)))
            other, values = self.program_for({**dict.fromkeys(self.takes, UNBOUND), **values})
            fields = {name: before[name] for name in (*program.fields.paths, *program.fields.roots) if name in before}
            if any(values.get(name) is not before[name] for name in program.arrays if name in fields):
                return self.rest({**values, **fields}, program, entry)  # what is gone over, perhaps, is no field any more
            values = {**fields, **values}
            now = time.perf_counter()
            in_python += now - start
            if count > _FEW_EXITS and in_python > _MOST_IN_PYTHON * (now - begin):
                self.refuse("leaves its native code too often" + (f": it {exit.why}" if exit.why else ""))
                other = None
            if other is None or list(map(type, other.nowhere)) != list(map(type, program.nowhere)):
                return self.rest(values, program, entry)
            program = other

    @staticmethod
    def results_of(program: Any, values: dict[str, Any], arrays: list[Any], entry: tuple[Any, ...] | None) -> Any:
        given = tuple(each if type(each) is numpy.ndarray else numpy.asarray(each) for each in arrays)
        numbers: tuple[Any, ...] = program.numbers_of(values)
        if program.is_for:
            numbers += (entry is not None, *(entry or program.nowhere))
        return program.run(given, (*numbers, *program.streams))

    def ended(self, exit: Exit, values: dict[str, Any]) -> Any:
        if exit.broke or not self.loop.orelse:
            return self.given(values)
        how, after = self.function(("else", None))(*self.listed(values))
        return (RETURNS, after) if how == RETURNS else self.given(after)

    def rest(self, values: dict[str, Any], program: Any, entry: tuple[Any, ...] | None) -> Any:
        """The loop as written, from where it is."""
        if entry is None and isinstance(self.loop, ast.For):
            return self.written(*(values.get(name, UNBOUND) for name in self.takes))
        if not isinstance(self.loop, ast.For):
            return self.remaining(values)
        return self.remaining(values, program.outer(Values(entry or (), [values.get(name) for name in program.arrays], values)))

    def remaining(self, values: dict[str, Any], *items: Iterator[Any]) -> Any:
        """The same, over what a `for` loop still goes over."""
        for each in items:
            next(each, None)  # the one that it was left at
        how, after = self.function(("remaining", None))(*self.listed(values), *items)
        return (RETURNS, after) if how == RETURNS else self.given(after)

    def given(self, values: dict[str, Any]) -> Any:
        return (GOES_ON, *(values.get(name, UNBOUND) for name in self.gives))

    def listed(self, values: dict[str, Any]) -> list[Any]:
        return [values.get(name, UNBOUND) for name in self.names]

    # Programs.

    def program_for(self, values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The program for such variables, or None, and these with the fields that it takes."""
        with patiently(self._lock) as has_it:
            return self.found_program(values) if has_it else (None, values)

    def found_program(self, values: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        try:
            self.find()
        except Unsupported as why:
            self.refuse(str(why))
            return None, values
        while True:
            found = self.fields.read(values)
            if found is None:
                return None, values
            try:
                return self.program_of(found), found
            except NewField:
                self.programs.clear()
                self.entry.clear()
                self.all_takes = [*self.takes, *self.fields.paths]
                if len(self.fields.paths) > _MOST_FIELDS:
                    self.refuse("reads too many attributes of objects")
                    return None, values

    def kind(self, name: str, value: Any) -> Any:
        if type(value) is tuple and name in self.constant:
            return "is", id(value)
        is_owner = name in self.fields.parents() and type(value) is not types.FunctionType
        return ("object", type(value)) if is_owner else kind_of(value)

    def program_of(self, values: dict[str, Any]) -> Any:
        arguments = tuple(values[name] for name in self.all_takes)
        key = *map(self.kind, self.all_takes, arguments), twins_of(arguments)
        if any(each is None for each in key):
            if not self.programs:
                self.refuse("takes arrays on a device, or of a dtype that programs have not")
            return None
        program = self.programs.get(key)
        if program is not None and program is not Unsupported and not self.fields.are_apart(values, program.stored):
            return None
        if program is not None and (program is Unsupported or program.holds()):
            return None if program is Unsupported or not self.has_code(program, arguments) else program
        if program is not None:  # what it took for granted is so no more
            self.programs.clear()
            self.entry.clear()
            self.rewritten += 1
            if self.rewritten > _MOST_KINDS:
                self.refuse("reads something that is another one at every call")
                return None
            if self.fields.roots:  # what is read from outside is another one
                self.fields = Fields()
                raise NewField
        if len(self.programs) >= _MOST_KINDS or not _core._affords_compiling():
            return None
        with _core._Compiling():
            program = self.new_program(key, arguments, values)
        return None if program is None or not self.fields.are_apart(values, program.stored) else program

    def new_program(self, key: Any, arguments: tuple[Any, ...], values: dict[str, Any]) -> Any:
        try:
            self.find()
            if not _core._affords_compiling(dear_seconds(self.loop, values)):
                return None
            self.known += [each for name, each in zip(self.all_takes, arguments, strict=True) if isinstance(each, PLAIN) or name in self.constant]
            program = self.programs[key] = self.written_for(values)
        except Unsupported as why:
            self.programs[key] = Unsupported
            self.is_recursive |= type(why) is Recursive
            if all(each is Unsupported for each in self.programs.values()):
                self.refuse(str(why))
            return None
        program.waits = self.parts.options["background"]
        if not program.waits:
            self.make_ready(program, arguments)
        return program if self.has_code(program, arguments) else None

    def has_code(self, program: Any, arguments: tuple[Any, ...]) -> bool:
        """Whether it can be run; while its code is made in the background, the loop runs as written."""
        if program.waits and program.first().is_compiled_by_now():
            program.waits = False
            self.make_ready(program, arguments)
        return not program.waits

    def make_ready(self, program: Any, arguments: tuple[Any, ...]) -> None:
        """Has `entry` serve such calls."""
        if program.is_of_tuples or twins_of(arguments):  # which the entry does not look at
            return
        self.list_kinds = {
            name: _core._ListKind(known.is_tuple, [list(map(plain, each)) for each in known.kinds]) for name, known in program.all_lists.items()
        }
        ends = {}
        self.lists_taken = program.lists
        self.program_arrays = program.arrays
        for number, exit in enumerate(program.exits):
            end = self.end_of(exit)
            fields = [self.source_of(exit, path) for path in self.fields.paths if path in program.stored]
            if all(each is not None for each in (*end[2], *end[3], *fields)):
                ends[number] = *end, [(each, exit.places[was_stored(path)]) for each, path in zip(fields, program.stored_paths(), strict=True)]
        guards = [(space, name, ... if value is UNBOUND else value) for space, name, value in program.guards if type(space) is not ClassSpace]
        places = {name: number for number, name in enumerate(self.all_takes)}
        parents = self.fields.parents()
        owners = {name for name, each in zip(self.all_takes, arguments, strict=True) if name in parents and type(each) is not types.FunctionType}
        roots = self.fields.roots
        fields = [
            (-1 if each.parent in roots else places[each.parent], roots.get(each.parent), each.name, each.how, each.function)
            for each in self.fields.paths.values()
        ]
        self.entry.set_fields(fields)
        for owner in [*(each for name, each in zip(self.all_takes, arguments, strict=True) if name in parents), *self.fields.roots.values()]:
            self.entry.know(type(owner))
        native = program.first()
        spent = native.compile()
        if "timing" in _core._logs():
            steps = native.text().count("\n")
            _core._tell("timing", self.parts.name, f"native loop, {self.told().where()}: {steps} steps, compiled in {spent:.1f} ms")
        self.entry.add(
            [
                (list, program.tables[name])
                if name in program.tables
                else (list, self.list_kinds[name])
                if name in program.lists
                else (type(each), None)
                if name in owners
                else (each,)
                if name in self.constant
                else expected(each)
                for name, each in zip(self.all_takes, arguments, strict=True)
            ],
            guards,
            [program.native[True]],
            [places[name] for name in program.arrays],
            [(places[name], item) for name, item in program.numbers],
            [*([False, *program.nowhere] if program.is_for else []), *program.streams],
            ends,
            program,
            [number for number, path in enumerate(self.fields.paths) if path in program.stored],
            program.warnings(),
        )

    def end_of(self, exit: Exit) -> tuple[bool, bool, list[Any], list[Any]]:
        """(whether it is a return, of a tuple, where the values come from, lists that were changed) of an exit, as `_LoopCall` takes it; None for what
        needs Python."""
        lists = [self.source_of(exit, name) for name in exit.lists if name in self.lists_taken]
        if exit.statement is None:
            given = [(2, UNBOUND) if is_unbound(exit.held.get(name)) else self.source_of(exit, name) for name in self.gives]
            return False, False, given if exit.broke or not self.loop.orelse else [None], lists
        if not isinstance(exit.statement, ast.Return):
            return False, False, [None], []
        value = exit.statement.value or ast.Constant(None)
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        found = [
            self.source_of(exit, each.id) if isinstance(each, ast.Name) else (2, each.value) if isinstance(each, ast.Constant) else None for each in parts
        ]
        return True, isinstance(value, ast.Tuple), found, lists

    def source_of(self, exit: Exit, name: str) -> Any:
        """Where a variable comes from at an exit, as `_LoopCall` takes it; None where that is more than one thing."""
        if name in exit.places:
            return 0, exit.places[name]
        if name in exit.choices:
            first, tags = exit.choices[name]
            return 5, first, [first + 1 + tags.index(tag) if tag in tags else -1 for tag in range(max(tags) + 1)]
        if name in exit.tuples:
            first, count, may_be_passed = exit.tuples[name]
            return 3, (first, count), self.all_takes.index(name) if may_be_passed else -1
        held = exit.held.get(name)
        if type(held) is ListState:
            if held.name[1] != name or sum(other == held for other in exit.held.values()) > 1:
                return None
            at = self.all_takes.index(name) if name in self.lists_taken else -1
            return (6, exit.lists[name], at, self.list_kinds[name]) if name in exit.lists else (1, at)
        if type(held) is ViewState and type(held.recipe) is int and name in self.all_takes:
            return 1, self.all_takes.index(name)
        if type(held) is ArrayState and name in exit.arrays and not any(type(each) is Part or each is UNBOUND for each in held.recipes):
            return self.array_source(exit.arrays[name], held)
        if type(held) is NestedState and not held.is_row and held.name in self.all_takes:
            return 1, self.all_takes.index(held.name)
        if isinstance(held, (Passed, StreamState, Handed)) and held.name in self.all_takes:
            return 1, self.all_takes.index(held.name)
        if type(held) is State and len(held.kinds) == 1 and held.kinds[0] is NOTHING:
            return 2, None
        return (2, held.value) if type(held) is Known else None

    def array_source(self, place: tuple[int, dict[int, Any]], held: ArrayState) -> Any:
        """As `source_of`."""
        first, origins = place
        found = []
        for number in range(max(origins) + 1):
            origin = origins.get(number)
            is_ours = type(origin) is New and origin.ours
            found.append((-2 if is_ours else -1) if type(origin) is not int else self.all_takes.index(self.program_arrays[origin]))
        return 4, (first, held.rank), held.dtype, found

    def told(self) -> NativeLoop:
        return NativeLoop(self.place, [each for each in self.programs.values() if type(each) is Program], self.refused)

    def refuse(self, reason: str) -> None:
        self.refused = reason
        _core._tell("breaks", self.parts.name, str(self.told()))
        self.entry.clear()
        self.parts.loop_refused(self)

    def written_for(self, values: dict[str, Any]) -> Any:
        self.find()
        taken = {name: values[name] for name in self.all_takes}
        guards: list[tuple[Any, str, Any]] = []
        unused: set[str] = set()

        def guard(space: Any, name: str, value: Any) -> None:
            if all(each[0] is not space or each[1] != name for each in guards):
                guards.append((space, name, value))

        def root(walk: Walk) -> Frame:
            """The function itself, with its variables bound to what is handed in."""
            guards.clear()
            walk.inputs = Inputs(walk, unused, self.constant)
            walk.fields.objects = dict(values)
            walk.frame = frame = self.frame_of(self.parts.function)
            frame.key = 0
            held = walk.inputs.take(taken)
            walk.lists_taken = set(walk.inputs.lists)
            frame.env = {name: each for name, each in held.items() if name not in self.fields.paths}
            walk.fields.held = {name: each for name, each in held.items() if name in self.fields.paths}
            walk.prologue = len(walk.steps.steps)
            return frame

        while True:
            walk = Walk(self.frame_of, guard, self.fields)
            try:
                walk.run(self.loop, root)
            except Leaves:
                raise Unsupported("fails wherever it begins") from None
            idle = {name[1] for name in walk.lists_known if name[0] == 0} - {name[1] for name in walk.lists.used}
            idle |= set(walk.tables.views) - walk.tables.used
            if not idle:
                break
            unused |= idle  # they are handed through
        walk.fields.objects = {}  # they are the call's
        return Program(walk, guards, self.all_takes, self.fields)

    def find(self) -> None:
        if self.loop is not None:
            return
        source = self.parts.source  # one for all that follows: what another thread finds of the function makes it anew
        tree = source.tree if type(self.parts.function) is types.FunctionType else None
        from fastnp._unfold import place_of

        found = None if tree is None else next((n for n in _syntax.walk(tree) if isinstance(n, (ast.For, ast.While)) and place_of(n) == self.place), None)
        if found is None:
            raise Unsupported("has no source")
        self.loop, self.source = found, source
        self.constant = constant_tuples(tree)
        uses = Uses(found)
        code = self.parts.function.__code__
        local = {*code.co_varnames, *code.co_cellvars, *source.made}
        self.names = sorted((uses.reads | uses.stores | set(self.takes) | set(self.gives)) & local)
        if uses.captured & local:
            raise Unsupported("has variables that other functions share")

    def frame_of(self, function: Any) -> Frame:
        """A function's definition and what its variables are."""
        if function.__code__ not in self.frames:
            from fastnp._source import Source

            is_own = function is self.parts.function
            tree, made = (self.source.tree, self.source.made) if is_own else expanded(Source(function).tree, lambda _: True)
            if tree is None:
                raise Unsupported(f"calls {function.__qualname__}, whose source is not known")
            body = [ast.copy_location(ast.Return(tree.body), tree.body)] if isinstance(tree, ast.Lambda) else tree.body
            live = Live()
            live.before(body, set(), set(), set())
            code = function.__code__
            if any(isinstance(each, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)) for each in _syntax.walk(tree)):
                raise Unsupported(f"calls {function.__qualname__}, which is more than its arguments and results")
            shared = set(code.co_cellvars) & Uses(*body).captured  # with functions inside of it
            local = frozenset((*code.co_varnames, *code.co_cellvars, *made)) - shared
            if is_own:
                local |= shared - Uses(self.loop).stores  # which can't change in the loop
            parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            self.frames[code] = tree, live, local, frozenset(counters_of(tree) - set(parameters)) & local
        tree, live, local, counters = self.frames[function.__code__]
        return Frame(None, function, tree, live, local, counters)

    # Python's parts of it.

    def function(self, key: tuple[str, Any]) -> Any:
        if key not in self.functions:
            kind, statement = key
            name = self.parts.name
            if kind == "rest":
                tree = rest_of_iteration(self.loop, statement, self.names, name)
            else:
                tree = (else_of if kind == "else" else remaining)(self.loop, self.names, name)
            code = self.source.code_of(tree, [LOCALS, UNBOUND_NAME])
            self.functions[key] = self.parts.function_of(code, NAMES)
        return self.functions[key]


def _is_quiet() -> bool:
    """Whether NumPy would at most warn of floating-point errors."""
    state = numpy.geterr()
    return all(state[each] in ("ignore", "warn") for each in ("divide", "over", "invalid")) and state["under"] == "ignore"
