"""Functions that can't be recorded as a whole: compiled in parts, between which Python goes on.

The first recording that ends at a break (a call of something that can't be followed, an effect in a ``try``, too many turns of a loop) says where. Then
the function is cut there (`_source.py`, `_cut.py`): its frame is run by Python and calls the parts, each a compiled function. A part that breaks is cut
further. Where a function was cut is noted on disk, with the code of the frame and the parts, so that another process need not find out.
"""

from __future__ import annotations

import ast
import marshal
import threading
import types
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _compile, _control, _core, _dynamic, _syntax
from fastnp._bytecode import has_loops
from fastnp._follow import Followed, key_of, within
from fastnp._fork import patiently
from fastnp._loop_comprehensions import expanded, is_comprehension
from fastnp._loop_regions import Region, region_at, regions_of
from fastnp._loop_resume import NAMES
from fastnp._loop_scan import are_small, computes_with_arrays, is_over_few_elements, is_over_numbers, may_be_native, outermost_loops
from fastnp._loops import Loop, NativeLoop
from fastnp._stand_ins import is_own_frame
from fastnp._straight import Straight

if TYPE_CHECKING:
    from fastnp._source import Source

__all__ = ["FOLLOW", "UNBOUND", "Break", "Cuts", "PartCode", "Parts"]

FOLLOW, UNBOUND = "_fastnp_follow", "_fastnp_unbound"  # what frames call Parts.follow, and NameError
_MOST_CUTS = 100
_MOST_FOLDED = 1 << 16  # elements of an array whose sum belongs to a region: of more of them threads take a share
Frame = tuple[types.CodeType, int]  # and the instruction


class Break:
    """Where a recording ended."""

    __slots__ = ("milliseconds", "reason", "stack")

    def __init__(self, reason: str, stack: list[str], milliseconds: float) -> None:
        self.reason = reason
        self.stack = stack  # of the user's, the outermost first
        self.milliseconds = milliseconds  # that the recording had taken

    def is_like(self, other: Break) -> bool:
        """Whether it is the same once more: exceptions may say something else each time."""
        return self.stack == other.stack and self.what() == other.what()

    def told(self) -> str:
        """With its place."""
        place = self.stack[-1] if self.stack else ""
        return self.reason if place in self.reason else f"{self.reason} ({place})"

    def what(self) -> str:
        raised, colon, text = self.reason.partition(": ")
        return f"{raised}: {text.partition(':')[0]}" if colon and raised.startswith("raises") else self.reason


class PartCode:
    """A part: its name in the frame, the variables that it takes, its code, and the lines that it is from."""

    __slots__ = ("code", "gives", "lines", "loop", "name", "takes")

    def __init__(
        self, name: str, takes: tuple[str, ...], code: types.CodeType, lines: str, gives: tuple[str, ...] = (), loop: Place | None = None
    ) -> None:
        self.gives = gives
        self.loop = loop  # the place of one that is a loop to be tried as native code
        self.name = name
        self.takes = takes
        self.code = code
        self.lines = lines


Place = tuple[int, int, int, int]  # line, end of the line, column, end of the column, as code objects say it


def stops(code: types.CodeType | None) -> bool:
    """Whether it calls a debugger: breakpoint(), pdb.set_trace() and those of its name."""
    return code is not None and not {"breakpoint", "set_trace"}.isdisjoint(code.co_names)


class Cuts:
    """Where a function is cut."""

    def __init__(self) -> None:
        self.places: set[Place] = set()  # that can't be recorded
        self.loops: set[Place] = set()  # that stay loops
        self.native: set[Place] = set()  # loops that are tried as native code
        self.unfit: set[Place] = set()  # ... and those that turned out to be none
        self.not_parts: dict[Place, str] = {}  # ... and those that can't be parts, with the reason
        self.regions: set[Place] = set()  # statements that are tried as one of these loops, together with loops
        self.are_for_few = False  # loops are native as arrays were small
        self.comprehensions: set[Place] = set()  # statements in all of these with comprehensions, which are loops there
        self.followed: set[Place] = set()  # calls of functions that are compiled by themselves


def _place_of(frame: Frame) -> Any:
    """Its place; all None where Python was told not to keep them (-X no_debug_ranges)."""
    code, instruction = frame
    return list(code.co_positions())[instruction // 2]


def _frames(traceback: types.TracebackType | None) -> list[Frame]:
    """The user's functions, the outermost first."""
    found = []
    while traceback is not None:
        if not is_own_frame(traceback.tb_frame):
            found.append((traceback.tb_frame.f_code, traceback.tb_lasti))
        traceback = traceback.tb_next
    return found


def _at(node: Any) -> Place:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _lies_in(inner: Place, outer: Place) -> bool:
    return (outer[0], outer[2]) <= (inner[0], inner[2]) and (inner[1], inner[3]) <= (outer[1], outer[3])


class Parts(Cuts):
    """The parts of one function, as far as it is known where it breaks. `frame` is what to call in its place, or None."""

    def __init__(self, function: Any, options: Mapping[str, Any], title: str) -> None:
        super().__init__()
        self.function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))  # of objects that are called, their class's
        self.options = options
        self.title = title
        self.breaks: list[Break] = []
        self.refused: list[NativeLoop] = []  # loops that are no native code
        self.followed_functions = Followed(options, getattr(function, "__code__", None))
        self.known: dict[Any, Any] = {}  # compiled parts by what they consist of
        self.functions: list[Any] = []  # those of the frame
        self.made_frame = _core._Frame()  # which each call of the function looks at
        self.is_recursive = False  # it has a loop that calls it again
        self.stops = stops(getattr(function, "__code__", None))  # at a breakpoint: it runs as written, where a debugger sees its own lines and variables
        self.cuts = 0
        self.codes: tuple[types.CodeType | None, list[PartCode], tuple[Straight, types.CodeType] | None] = None, [], None
        self._source: Source | None = None
        self._regions: dict[Place, Region] = {}  # in the source
        self._lock = threading.RLock()

    @property
    def frame(self) -> Any:
        return self.made_frame.function

    @frame.setter
    def frame(self, frame: Any) -> None:
        self.made_frame.function = frame

    @property
    def source(self) -> Source:
        from fastnp._source import Source  # where a function is cut, or cut further

        with patiently(self._lock):
            if self._source is None:
                self._source = Source(self.function)
                if self.comprehensions:
                    self._source.expand(self.comprehensions)
                for place in self.regions:
                    self.put(place)
            return self._source

    def put(self, place: Place) -> None:
        """Puts the region at a place into the source."""
        source = self.source
        if not self._regions:
            source.tree = _syntax.copied(source.tree)  # which others may have, too
        region = region_at(source.tree, place)
        if region is not None:
            region.put()
            self._regions[place] = region

    @property
    def tree(self) -> Any:
        return self.source.tree if type(self.function) is types.FunctionType else None

    def broke(
        self,
        code: types.CodeType | None,
        traceback: types.TracebackType | None,
        reason: str,
        is_long: bool,
        milliseconds: float,
        called: types.CodeType | None = None,
    ) -> None:
        """Cuts at the place where the recording of the function, or of a part of it, which has this code, ended. `called`: what was about to be called."""
        with patiently(self._lock) as has_it:
            if has_it:
                self.cut(code, traceback, Break(reason, [], milliseconds), is_long, called)

    def cut(self, code: types.CodeType | None, traceback: types.TracebackType | None, found: Break, is_long: bool, called: types.CodeType | None) -> None:
        frames = _frames(traceback)
        if called is not None and frames and frames[-1][0] is not called:
            frames.append((called, 0))
        found.reason = _control.why_disallowed(found.reason)
        found.stack = [f"{each[0].co_filename}:{_place_of(each)[0]}, in {each[0].co_qualname}" for each in frames]
        if all(not found.is_like(each) for each in self.breaks):
            self.breaks.append(found)
            told = found.told()
            _core._tell("breaks", self.name, f"runs as written: it {told}" if told.startswith("is ") else told)
        self.cuts += 1
        self.stops = self.stops or any(stops(each[0]) for each in frames)
        if self.cuts > _MOST_CUTS or self.stops:
            self.frame = None
            return
        before = self.known_cuts()
        own = [number for number, each in enumerate(frames) if each[0] is code]
        here = own[-1] if own else None
        if self.tree is None or (here is None and (traceback is not None or self.frame is not None)):
            return
        if here is not None:
            here += within(frames[here:])
            place = _place_of(frames[here])
            if None in place:
                return
            inner = frames[here + 1 :]
            if len(own) > 1 and None not in (call := _place_of(frames[own[-2]])):  # where it calls itself
                self.source.cut_at(self, call, False, True)
            self.source.cut_at(self, place, is_long, bool(inner), any(has_loops(each[0]) for each in inner))
            self.followed_functions.keys.update(key_of(each[0]) for each in inner[:1])
        elif not self.source.cut_at_end(self):
            return
        if self.frame is not None and self.known_cuts() == before:
            return  # a part raises once more, say
        self.make()
        if _core._keeps_notes():
            self.keep()

    def known_cuts(self) -> tuple[int, ...]:
        """How many there are of each kind, which only grow."""
        found: list[set[Any]] = [self.places, self.loops, self.followed, self.followed_functions.keys, self.native, self.unfit, self.regions]
        return tuple(map(len, found))

    # The frame.

    def make(self) -> Any:
        """Cuts the function as it is known to break. Parts of one call of many, each a small one, take longer than the call."""
        if self.is_recursive:
            self.build(None, [])
            self.frame = self.function
            return self.frame
        return self.build(*self.source.cut(self))

    def build(self, code: types.CodeType | None, parts: list[PartCode], straight: tuple[Straight, types.CodeType] | None = None) -> Any:
        if self.stops:
            code, parts, straight = None, [], None
        self.codes = code, parts, straight
        self.functions = [self.compiled_part(part) for part in parts]
        self.frame = None
        if code is not None:
            cells = {part.name: types.CellType(made.called if type(made) is Loop else made) for part, made in zip(parts, self.functions, strict=True)}
            self.frame = self.function_of(code, {**cells, **NAMES, FOLLOW: types.CellType(self.follow), UNBOUND: types.CellType(NameError)})
            self.frame.__defaults__, self.frame.__kwdefaults__ = self.function.__defaults__, self.function.__kwdefaults__
            if straight is not None:
                self.tell(*straight)
        return self.frame

    def tell(self, straight: Straight, context: types.CodeType) -> None:
        """Calls need no frame."""
        loop = self.functions[0]
        if type(loop) is not Loop:
            return
        globals, builtins = self.function.__globals__, self.function.__builtins__
        lookups = [(globals, "len", ...), (builtins, "len", len)] if straight.has_length() else []
        self.made_frame.set_straight(
            loop.entry,
            self.function_of(context, {}),
            straight.parameters,
            list(straight.sizes),
            straight.all_operands(),
            list(straight.results),
            straight.is_tuple,
            lookups,
        )

    def function_of(self, code: types.CodeType, cells: Mapping[str, types.CellType]) -> types.FunctionType:
        """A function with this code, in the place of the function."""
        source = self.function
        held = {**dict(zip(source.__code__.co_freevars, source.__closure__ or (), strict=True)), **cells}
        made = types.FunctionType(code, source.__globals__, source.__name__, None, tuple(held[name] for name in code.co_freevars))
        made.__qualname__, made.__module__ = source.__qualname__, source.__module__
        return made

    def compiled_part(self, part: PartCode) -> Any:
        key = (part.takes, part.code)
        if key not in self.known:
            function = self.function_of(part.code, NAMES)
            if part.loop is not None:
                self.known[key] = Loop(self, part.loop, part.takes, part.gives, function)
                return self.known[key]
            options = self.options_of(part, f"{self.title}[{part.lines}]")
            self.known[key] = _compile.make(function, options, PartSplit(weakref.ref(self), part.code))
        return self.known[key]

    def options_of(self, part: PartCode, title: str) -> dict[str, Any]:
        options = {**self.options, "fullgraph": False, "name": title}
        dynamic = options["dynamic"]
        if isinstance(dynamic, Mapping):
            options["dynamic"] = {
                (each.argument, axis): _dynamic.Dim(each.name, each.low, each.high, multiple_of=each.multiple_of)
                for (_, axis), each in _dynamic.named_sizes(dynamic, self.function).items()
                if each.argument in part.takes
            }
        return options

    def follow(self, value: Any, *attribute: str) -> Any:
        """A function that a recording broke in, compiled (in parts) by itself; or an attribute, whose property is one."""
        if attribute:
            return self.followed_functions.attribute(value, *attribute)
        return self.frame if value is self.function else self.followed_functions.follow(value)

    def used(self) -> list[Any]:
        """The compiled functions that the frame calls."""
        return [each for each in (*self.functions, *self.followed_functions.compiled()) if type(each) is not Loop]

    # Native loops.

    def told(self) -> list[NativeLoop]:
        """What is to be told of loops over numbers."""
        others = [NativeLoop(place, [], why) for place, why in self.not_parts.items()]
        found = [*(each.told() for each in self.functions if type(each) is Loop), *self.refused, *others]
        return list({each.lines: each for each in reversed(found)}.values())[::-1]

    def all_loops(self) -> list[tuple[Place, Any, str | None]]:
        """The outermost loops, with the reason why a loop can't be a part as native code."""
        if self.tree is None:
            return []
        loops = [loop for loop in outermost_loops(self.tree, True) if not is_comprehension(loop)]
        tried = {id(loop) for loop in outermost_loops(self.tree)}
        self.native = {_at(loop) for loop in loops if may_be_native(loop)}
        self.source.cut(self)
        return [(_at(loop), loop, self.not_parts.get(_at(loop)) if id(loop) in tried else "lies in a `try`") for loop in loops]

    def scan(self, arguments: tuple[Any, ...], is_any: bool = False) -> bool:
        """Looks for loops over numbers, which are tried as native code before anything is recorded; whether there are any. `arguments`: of a call;
        `is_any`: loops that may be over something else, too."""
        with patiently(self._lock):  # threads make their own calls the first ones
            return self.tree is not None and self.finds_loops(arguments, is_any)

    def finds_loops(self, arguments: tuple[Any, ...], is_any: bool) -> bool:
        given = self.arrays_of(arguments)
        tree, _ = expanded(self.tree, lambda _: True)
        outermost = [loop for loop in outermost_loops(tree) if not is_comprehension(loop)]
        has_records = any(value.dtype.names for value in given.values() if type(value) is numpy.ndarray)  # which no recording takes
        choose = may_be_native if is_any or has_records else is_over_few_elements if are_small(arguments) else is_over_numbers
        loops = [loop for loop in outermost if choose(loop)]
        if self.compute_with(loops, given):
            return False
        self.are_for_few = choose is is_over_few_elements and not all(is_over_numbers(loop) for loop in loops)
        arrays = {name for name, value in given.items() if value.shape}
        whole = {name for name in arrays if given[name].dtype.kind in "biu" and given[name].size <= _MOST_FOLDED}
        self.regions = {each.place() for each in regions_of(tree, loops, arrays, whole)}
        places = {_at(loop) for loop in loops} | self.regions
        lists = [node for node in _syntax.walk(self.tree) if isinstance(node, (ast.Assign, ast.Return)) and isinstance(node.value, ast.ListComp)]
        self.comprehensions = {_at(node) for node in lists if any(_lies_in(_at(node), place) for place in places)}
        self._source, self._regions = None, {}  # as it is with these
        self.native = {_at(loop) for loop in outermost_loops(self.tree)} & places
        if self.native:
            self.make()
        return any(type(each) is Loop for each in self.functions)

    def arrays_of(self, arguments: tuple[Any, ...]) -> dict[str, Any]:
        given = zip(self.function.__code__.co_varnames, arguments, strict=False)
        return {name: value for name, value in given if isinstance(value, (numpy.ndarray, _core.ndarray))}

    @staticmethod
    def compute_with(loops: list[Any], arrays: dict[str, Any]) -> bool:
        shapes = {name: value.shape for name, value in arrays.items()}
        return any(computes_with_arrays(loop, shapes) for loop in loops)

    def outgrow(self, *arguments: Any) -> None:
        """Chooses anew where loops are native because arrays were small, and these are not: what computes with large ones is recorded."""
        with self._lock:
            if not self.are_for_few or self.places or self.loops or self.followed:
                return
            tree, _ = expanded(self.tree, lambda _: True)
            if not self.compute_with(outermost_loops(tree), self.arrays_of(arguments)):
                return
            self.native, self.regions, self.comprehensions, self.are_for_few = set(), set(), set(), False
            self._source, self._regions = None, {}
            self.build(None, [])  # it is recorded as a whole, but for loops that are over numbers
            self.scan(arguments)

    def loop_refused(self, loop: Loop) -> None:
        """A loop that can't be a program is one like others from the next call on."""
        with self._lock:
            self.native.discard(loop.place)
            self.is_recursive |= loop.is_recursive
            if loop.place in self.regions:
                self.take_apart(loop.place)
                if loop.is_recursive:  # and so are its loops, which are not tried then
                    self.refused.append(loop.told())
            else:
                self.unfit.add(loop.place)
                self.refused.append(loop.told())
            if not (self.places or self.loops or self.followed or self.native):
                self.build(None, [])  # it is recorded as a whole
                return
            self.make()
            if _core._keeps_notes():
                self.keep()

    def take_apart(self, place: Place) -> None:
        """A region that can't be a program: its loops may be."""
        self.regions.discard(place)
        region = self._regions.pop(place, None)
        if region is not None:
            region.take_apart()
            self.native |= {_at(loop) for loop in outermost_loops(ast.Module(region.statements, [])) if may_be_native(loop)}

    # On disk.

    def keep(self) -> None:
        """Notes where the function is cut, and what that gave."""
        found = (self.places, self.loops, self.followed, self.followed_functions.keys, self.native, self.unfit, self.regions, self.comprehensions)
        cuts = tuple(sorted(each) for each in found)
        code, parts, straight = self.codes
        if code is not None:
            breaks = [(each.reason, each.stack, each.milliseconds) for each in self.breaks]
            codes = [(part.name, part.takes, part.code, part.lines, part.gives, part.loop) for part in parts]
            note = marshal.dumps((cuts, breaks, code, codes, straight and (tuple(straight[0]), straight[1])))
            _core._keep_note(_compile.note_name(self.function.__code__), note)

    def recall(self, note: bytes) -> None:
        cuts, breaks, code, parts, straight = marshal.loads(note)
        self.breaks = [Break(*each) for each in breaks]
        self.places, self.loops, self.followed, self.followed_functions.keys, self.native, self.unfit, self.regions, self.comprehensions = map(set, cuts)
        self.build(code, [PartCode(*part) for part in parts], straight and (Straight(*straight[0]), straight[1]))


class PartSplit:
    """What a part calls when it breaks: it runs as written, and the next call of the function finds it cut."""

    def __init__(self, parts: weakref.ref[Parts], code: types.CodeType) -> None:
        self.parts = parts
        self.code = code

    def __call__(self, found: None, traceback: types.TracebackType | None, reason: str, is_long: bool, milliseconds: float) -> None:
        parts = self.parts()
        if parts is not None and traceback is not None:
            parts.broke(self.code, traceback, reason, is_long, milliseconds)
