"""What a function reads besides its arguments, found when it is first recorded.

A `Capture` lists guards (checked by python/guards.cpp at every call) on everything that the function's code, and the Python functions that it reaches,
can read by name: globals, closure cells, defaults, attributes, items of lists and dicts. Arrays that are reached in these ways are inputs (`Slot`), so
that another array in the same place is seen. For the recording it makes a *twin* of the function that reads copies of these: the inputs appear as
recorded arrays; lists, dicts and objects are copies, so that a change is noticed and does not happen; things that can't be guarded (files, generators
of random numbers) refuse to be used.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import opcode
import sys
import types
import weakref
from typing import Any

import numpy

from fastnp import _control, _core, _effects
from fastnp._stand_ins import (
    CREATORS,
    CREATORS_BY_ID,
    IMPURE_BUILTINS,
    IMPURE_NUMPY,
    PLAIN,
    Forbidden,
    Module,
    refuse,
    stand_in_isinstance,
    stand_in_len,
    stand_in_type,
)

# Kinds of guards, as GuardKind in python/guards.h.
_ITEM, _CELL, _TYPE, _LIST, _DICT, _SET, _CODE, _DEFAULTS, _KEYWORD_DEFAULTS, _INSTANCE, _ARRAY, _KNOWN = range(12)

# Modules whose functions depend on nothing but their arguments. numpy.random is looked for by name.
_PURE = frozenset(
    """builtins math cmath operator _operator functools _functools itertools collections typing types enum abc numbers dataclasses copy fractions decimal
    string statistics numpy fastnp __future__ contextlib inspect re""".split()
)
_GLOBAL_SHIFT = 1 if sys.version_info >= (3, 11) else 0
_MOST_ENTRIES = 5000
_STAND_INS = (
    ("isinstance", isinstance, stand_in_isinstance),
    ("type", type, stand_in_type),
    ("print", print, _effects.stand_in_print),
    ("len", len, stand_in_len),
)


def _is_pure(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in _PURE


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """A code object and those nested in it."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _codes(constant)
    return found


def _instructions(code: types.CodeType) -> list[tuple[str, int]]:
    """(name, argument) of every instruction; without `dis`, which takes longer to import than this to run."""
    raw, found, extended = code.co_code, [], 0
    for at in range(0, len(raw), 2):
        argument = raw[at + 1] | extended
        name = opcode.opname[raw[at]]
        extended = argument << 8 if name == "EXTENDED_ARG" else 0
        found.append((name, argument))
    return found


def _global_names(code: types.CodeType) -> tuple[set[str], set[str]]:
    """(globals that are read, that are stored to)."""
    read, stored = set(), set()
    for name, argument in _instructions(code):
        if name == "LOAD_GLOBAL":
            read.add(code.co_names[argument >> _GLOBAL_SHIFT])
        elif name in ("LOAD_NAME", "DELETE_GLOBAL"):
            read.add(code.co_names[argument])
        elif name == "STORE_GLOBAL":
            stored.add(code.co_names[argument])
    return read, stored


def _stored_attributes(code: types.CodeType) -> set[str]:
    return {code.co_names[argument] for name, argument in _instructions(code) if name == "STORE_ATTR"}


def _is_walkable(cls: type) -> bool:
    """Whether instances are nothing but their attributes, so that a copy can stand for one."""
    for base in cls.__mro__:
        if base is object:
            continue
        if not base.__flags__ & (1 << 9) or base.__dict__.get("__slots__") or "__getattribute__" in base.__dict__ or "__del__" in base.__dict__:
            return _is_pure(base.__module__) and base.__module__ in ("typing", "abc") and not base.__dict__.get("__slots__")
        if "__init_subclass__" in base.__dict__:
            return False
    return type(cls) is type or type(cls).__module__ == "abc"


class Slot:
    """In an entry, in place of an array: the number of an input, which takes the array that is there at each call."""

    __slots__ = ("number", "type")

    def __init__(self, number: int, cls: type) -> None:
        self.number = number
        self.type = cls


class Capture:
    """The guards of one function with the objects (`roots`) among the arguments of one call."""

    def __init__(self, function: Any, roots: tuple[Any, ...], read_lists: set[int]) -> None:
        self.function = function
        self.roots = roots
        self.read_lists = read_lists  # ids of lists whose contents it reads, as far as is known
        self.again = False  # whether it turned out while recording that a list is one of these
        self.volatile: str | None = None  # what the recorded function changes that it also reads, so that the next call needs another recording
        self.names: set[str] = set()  # of attributes that are read
        self.stored: set[str] = set()  # of attributes and globals that are written to
        self.reason: str | None = None
        self.entries: list[tuple[Any, ...]] = []
        while True:  # a function found late may name attributes of objects found early
            before = len(self.names)
            self.entries = []
            self.seen: dict[int, Any] = {}
            self.kinds: dict[int, str] = {}
            self.slots: dict[int, Slot] = {}  # by the array's id
            for root in (function, *roots):
                self.walk(root)
            if len(self.names) == before or self.reason:
                break
        if len(self.entries) > _MOST_ENTRIES:
            self.reason = "reads too much outside of its arguments to be guarded"
        if self.kinds.get(id(function)) == "disabled":
            self.reason = "is disabled"
        if self.kinds.get(id(function)) == "forbidden":
            self.reason = f"is a {type(function).__name__}, which can't be recorded"
        self.name_slots()
        self.let_go()

    def let_go(self) -> None:
        """Holds the objects among the arguments weakly from here on, so that they live as long as they would."""
        for root in self.roots:
            if self.kinds.get(id(root)) == "object":
                try:
                    weak = weakref.ref(root)
                except TypeError:
                    continue
                self.seen[id(root)] = weak
                self.entries = [(_INSTANCE, weak, *entry[2:]) if entry[0] == _INSTANCE and entry[1] is root else entry for entry in self.entries]
        self.roots = ()

    def name_slots(self) -> None:
        """Arrays in the entries become slots, and are held no longer: another one may take the place."""

        def named(value: Any) -> Any:
            return self.slots.get(id(value), value)

        for number, (kind, *parts) in enumerate(self.entries):
            if kind in (_LIST, _DICT):
                parts[2] = tuple(named(item) for item in parts[2])
            elif len(parts) > 2:
                parts[2] = named(parts[2])
            self.entries[number] = (kind, *parts)
        for key in self.slots:
            del self.seen[key]
            self.kinds.pop(key, None)

    def slot_types(self) -> list[type]:
        return [slot.type for slot in self.slots.values()]

    # Finding what is read.

    def walk_place(self, value: Any) -> None:
        """What lies where something else may lie later."""
        if not self.is_array(value):
            self.walk(value)
        elif id(value) not in self.slots:
            self.slots[id(value)] = Slot(len(self.slots), type(value))
            self.seen[id(value)] = value

    @staticmethod
    def is_array(value: Any) -> bool:
        return type(value) is _core.ndarray or (isinstance(value, (numpy.ndarray, numpy.generic)) and _core._is_supported(value))

    def walk(self, value: Any) -> None:
        if self.is_array(value) and not isinstance(value, numpy.generic):
            self.walk_place(value)
            self.entries.append((_ARRAY, value, None, value))
            return
        if isinstance(value, PLAIN) or id(value) in self.seen or self.reason or len(self.entries) > _MOST_ENTRIES:
            return
        self.seen[id(value)] = value
        kind = self.kind_of(value)
        self.kinds[id(value)] = kind
        if kind not in ("same", "forbidden", "disabled"):
            getattr(self, f"walk_{kind}")(value)

    def kind_of(self, value: Any) -> str:
        cls = type(value)
        if isinstance(value, (_core.ufunc, numpy.ufunc)):
            return "same"
        if cls in (tuple, frozenset):
            return "tuple"
        if cls in (list, dict, set):
            return cls.__name__
        if cls is _control.Disabled:
            return "disabled"
        if cls is types.FunctionType:
            if value in _control.allowed or _is_pure(value.__module__):
                return "same"
            return "disabled" if _control.is_disabled(value) else "function"
        if cls is types.MethodType:
            return "method"
        if cls is _core.CompiledFunction:
            return "compiled"
        if cls is functools.partial:
            return "partial"
        if isinstance(value, types.ModuleType):
            return "module"
        if isinstance(value, type):
            return "same" if _is_pure(value.__module__) else "class"
        if callable(value) and not hasattr(value, "__dict__"):
            home = getattr(value, "__module__", None) or getattr(type(getattr(value, "__self__", None)), "__module__", None)
            bound = getattr(value, "__self__", None)
            if isinstance(bound, types.ModuleType) or bound is None:
                return "same" if _is_pure(home) else "forbidden"
            return "same" if isinstance(bound, (*PLAIN, type)) else "forbidden"
        if cls.__module__ == "numpy" and callable(value):  # numpy's array functions
            return "same"
        return "object" if _is_walkable(cls) and hasattr(value, "__dict__") else "forbidden"

    def walk_tuple(self, value: Any) -> None:
        for item in value:
            self.walk(item)

    def is_growing(self, value: list[Any]) -> bool:
        """Whether a list may be one that the function makes longer and does not read; its contents are not guarded then."""
        return id(value) not in self.read_lists and not self.names.isdisjoint(("append", "extend"))

    def walk_list(self, value: list[Any]) -> None:
        if self.is_growing(value):
            self.entries.append((_KNOWN, value, None))
            return
        self.entries.append((_LIST, value, None, tuple(value)))
        for item in value:
            self.walk_place(item)

    def walk_set(self, value: set[Any]) -> None:
        self.entries.append((_SET, value, None, frozenset(value)))
        self.walk_tuple(value)

    def walk_dict(self, value: dict[Any, Any]) -> None:
        self.entries.append((_DICT, value, None, tuple(part for item in value.items() for part in item)))
        for key, item in list(value.items()):
            self.walk(key)
            self.walk_place(item)

    def item(self, holder: dict[str, Any], name: str) -> None:
        if name in holder:
            self.entries.append((_ITEM, holder, name, holder[name]))
            self.walk_place(holder[name])
        else:
            self.entries.append((_ITEM, holder, name))

    def walk_function(self, value: types.FunctionType) -> None:
        self.entries.append((_CODE, value, None, value.__code__))
        for kind, held in ((_DEFAULTS, value.__defaults__), (_KEYWORD_DEFAULTS, value.__kwdefaults__)):
            self.entries.append((kind, value, None) if held is None else (kind, value, None, held))
        for item in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
            self.walk(item)
        codes = _codes(value.__code__)
        for code in codes:
            stored = _stored_attributes(code)
            self.stored |= stored
            self.names.update(name for name in code.co_names if name not in stored or self.loads(code, name))
            self.names.update(text for text in code.co_consts if isinstance(text, str) and text.isidentifier())
            self.check_code(code)
        for cell in value.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                self.entries.append((_CELL, cell, None))
            else:
                self.entries.append((_CELL, cell, None, content))
                self.walk_place(content)
        known = vars(builtins)
        globals_used = [_global_names(code) for code in codes]
        read = set().union(*(names for names, _ in globals_used))
        self.stored.update(*(names - read for _, names in globals_used))
        for name in read:
            if name in value.__globals__:
                self.item(value.__globals__, name)
            else:
                self.entries.append((_ITEM, value.__globals__, name))
                if name in known:
                    self.entries.append((_ITEM, known, name, known[name]))

    def check_code(self, code: types.CodeType) -> None:
        if code.co_flags & 0x20 and code is getattr(self.function, "__code__", None):
            self.reason = "is a generator"
        if code.co_flags & 0x280:
            self.reason = "is asynchronous"
        for name, argument in _instructions(code):
            if name == "IMPORT_NAME":
                module = code.co_names[argument]
                if not _is_pure(module) or "random" in code.co_names:
                    self.reason = f"imports {module}"
            elif name in ("MATCH_CLASS", "MATCH_SEQUENCE", "MATCH_MAPPING"):  # these would ask stand-ins for their type
                self.reason = "matches patterns of classes, sequences or mappings"
        if "__class__" in code.co_names:
            self.reason = "reads __class__"

    @staticmethod
    def loads(code: types.CodeType, name: str) -> bool:
        """Whether a name occurs otherwise than as the target of a store to an attribute."""
        for instruction, argument in _instructions(code):
            if instruction in ("LOAD_ATTR", "LOAD_METHOD", "DELETE_ATTR", "IMPORT_FROM", "LOAD_NAME", "LOAD_SUPER_ATTR"):
                shift = int(instruction in ("LOAD_ATTR", "LOAD_SUPER_ATTR") and sys.version_info >= (3, 12))
                if code.co_names[argument >> (2 if instruction == "LOAD_SUPER_ATTR" else shift)] == name:
                    return True
        return False

    def walk_method(self, value: types.MethodType) -> None:
        self.walk(value.__func__)
        self.walk(value.__self__)

    def walk_compiled(self, value: Any) -> None:
        self.walk(value.__wrapped__)

    def walk_partial(self, value: functools.partial[Any]) -> None:
        for part in (value.func, value.args, value.keywords):
            self.walk(part)

    def walk_module(self, value: types.ModuleType) -> None:
        if _is_pure(value.__name__):
            return
        for name in sorted(self.names & vars(value).keys()):
            self.item(vars(value), name)

    def walk_class(self, value: type) -> None:
        for base in value.__mro__:
            if base is object or _is_pure(base.__module__):
                continue
            for name, attribute in list(vars(base).items()):
                function = getattr(attribute, "__func__", None) or getattr(attribute, "fget", None) or attribute
                dunder = name.startswith("__") and isinstance(function, types.FunctionType)
                if name in self.names or dunder:
                    self.entries.append((_TYPE, value, name, value.__dict__.get(name, attribute)))
                    self.walk_place(function)

    def walk_object(self, value: Any) -> None:
        fields = vars(value)
        self.entries.append((_INSTANCE, value, None, fields))
        self.walk(type(value))
        if type(value) not in PLAIN:
            self.walk_class(type(value))
        for name in sorted(self.names):
            if name in fields or hasattr(type(value), name):
                self.item(fields, name)

    # The twin.

    def begin(self, inputs: list[tuple[Any, Any]]) -> tuple[Any, dict[int, Any], dict[int, Any]]:
        """(the twin, what takes the place of the objects among the arguments by their ids, what these stand for by theirs).

        `inputs`: what is in the slots, with the recorded array for each.
        """
        self.inputs = {id(value): recorded for value, recorded in inputs}
        self.memo: dict[int, Any] = dict(self.inputs)
        self.originals: dict[int, Any] = {}
        self.copies: list[tuple[Any, Any, Any, str]] = []  # (what the twin may change, what it stands for, a snapshot, its name)
        self.volatile = None
        self.spaces: dict[int, dict[str, Any]] = {}
        self.classes: dict[int, type] = {}
        twin = self.swap(self.function)
        swaps = {}
        for key, value in list(self.seen.items()):
            if self.kinds[key] != "same":
                swaps[key] = self.swap(value() if type(value) is weakref.ref else value)
        self.copies = [(value, original, self.snapshot(value), name) for value, original, _, name in self.copies]
        return twin, swaps, self.originals

    def end(self) -> None:
        self.inputs, self.memo, self.originals, self.copies, self.spaces, self.classes = {}, {}, {}, [], {}, {}

    @staticmethod
    def snapshot(value: Any) -> Any:
        if type(value) is types.CellType:
            try:
                return value.cell_contents
            except ValueError:
                return Capture
        return value.copy()

    def reads_list(self, key: int) -> None:
        self.read_lists.add(key)
        if len(self.read_lists) > 12:  # then it is likely to read the others too
            self.read_lists.update(id(value) for value in self.seen.values() if type(value) is list)
        self.again = True

    def guarded(self, source: dict[str, Any]) -> set[str]:
        return {entry[2] for entry in self.entries if entry[0] == _ITEM and entry[1] is source}

    def stores(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """What the recorded function changed outside of itself, as (function, arguments) that make the change, on what the twin has."""
        found: list[tuple[Any, tuple[Any, ...]]] = []
        for value, original, before, name in self.copies:
            now = self.snapshot(value)
            if type(value) is dict:
                found += self.item_stores(value, original, before, now, name)
            elif type(value) is list:
                if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
                    found.append((list.__setitem__, (value, slice(None), now)))
                    self.note_volatile(name, *((None, None) if len(now) != len(before) else (list(before), now)))
            elif type(value) is types.CellType:
                if now is Capture and before is not Capture:
                    refuse(f"deletes {name}")
                if now is not before:
                    found.append((setattr, (value, "cell_contents", now)))
                    self.note_volatile(name, [before], [now])
            elif now != before:
                refuse(f"changes {name}")
        return found

    def item_stores(self, value: Any, original: Any, before: Any, now: Any, name: str) -> list[tuple[Any, tuple[Any, ...]]]:
        found: list[tuple[Any, tuple[Any, ...]]] = []
        kept = [key for key in now if key in before]
        if kept != [key for key in before if key in now]:
            refuse(f"changes the order of {name.format('...')}")
        instance = type(original) is not dict
        holder = self.weak_or_held(original) if instance else None
        for key in [key for key in before if key not in now and key != "__builtins__"]:
            found.append((functools.partial(_effects.drop, holder), (key,)) if holder else (dict.__delitem__, (value, key)))
            self.note_volatile(name.format(key), None, None)
        for key, item in now.items():
            if key == "__builtins__" or (key in before and before[key] is item):
                continue
            found.append((functools.partial(_effects.store, holder), (key, item)) if holder else (dict.__setitem__, (value, key, item)))
            if self.kinds.get(id(original)) == "dict" or key in self.guarded(vars(original) if instance else original):
                self.note_volatile(name.format(key), [before.get(key)], [item])
        return found

    def weak_or_held(self, original: Any) -> Any:
        held = self.seen.get(id(original))
        return held if type(held) is weakref.ref else lambda: original

    def note_volatile(self, name: str, before: Any, now: Any) -> None:
        """Notes a change of something that is guarded, other than of an array in its place by another one."""
        if before is None or any(a is not b and not (_core._recorded_kind(a) and _core._recorded_kind(b)) for a, b in zip(before, now, strict=True)):
            self.volatile = f"changes {name}, which it reads, at every call"

    def swap(self, value: Any) -> Any:
        key = id(value)
        if key in self.memo:
            return self.memo[key]
        kind = self.kinds.get(key, "same")
        if kind == "same" or isinstance(value, PLAIN):
            return CREATORS_BY_ID.get(key, value)
        made = getattr(self, f"swap_{kind}")(value)
        self.memo[key] = made
        if made is not value:
            self.originals[id(made)] = value
        return made

    def swap_forbidden(self, value: Any) -> Any:
        return Forbidden(f"uses a {type(value).__module__}.{type(value).__name__} ({getattr(value, '__name__', '...')}), which can't be guarded")

    def swap_disabled(self, value: Any) -> Any:
        return Forbidden(f"calls {getattr(value, '__qualname__', value)}, which is disabled")

    def swap_tuple(self, value: Any) -> Any:
        items = [self.swap(item) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)

    def swap_list(self, value: list[Any]) -> Any:
        if self.is_growing(value):
            return _effects.Growing("reads a list that grows", functools.partial(self.reads_list, id(value)))
        made: list[Any] = []
        self.memo[id(value)] = made
        made += [self.swap(item) for item in value]
        self.copies.append((made, value, None, "a list"))
        return made

    def swap_set(self, value: set[Any]) -> set[Any]:
        made = {self.swap(item) for item in value}
        self.copies.append((made, value, None, "a set"))
        return made

    def swap_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        self.memo[id(value)] = made
        made.update({key: self.swap(item) for key, item in value.items()})
        self.copies.append((made, value, None, "a dict"))
        return made

    def space(self, source: dict[str, Any]) -> dict[str, Any]:
        """The globals of twins."""
        if id(source) not in self.spaces:
            made = dict(source)
            self.spaces[id(source)] = made
            self.originals[id(made)] = source
            for name in self.stored & made.keys():
                if name not in self.guarded(source):
                    del made[name]  # a store to it shows as a change, whatever is there
            for name, function in IMPURE_BUILTINS.items():
                if name not in made or made[name] is function:
                    made[name] = Forbidden(f"calls {name}()")
            for name, function, stands_in in _STAND_INS:
                if made.get(name, function) is function:
                    made[name] = stands_in
            for entry in self.entries:
                if entry[0] == _ITEM and entry[1] is source and len(entry) > 3:
                    made[entry[2]] = self.swap(source[entry[2]])
            self.copies.append((made, source, None, "the global variable {}"))
        return self.spaces[id(source)]

    def swap_function(self, value: types.FunctionType) -> types.FunctionType:
        cells = tuple(self.cell(cell) for cell in value.__closure__ or ())
        made = types.FunctionType(value.__code__, self.space(value.__globals__), value.__name__, None, cells)
        self.memo[id(value)] = made
        made.__qualname__, made.__module__, made.__doc__ = value.__qualname__, value.__module__, value.__doc__
        made.__dict__.update(value.__dict__)
        made.__defaults__ = self.swap_tuple(value.__defaults__) if value.__defaults__ else value.__defaults__
        if value.__kwdefaults__:
            made.__kwdefaults__ = {key: self.swap(item) for key, item in value.__kwdefaults__.items()}
        return made

    def cell(self, cell: types.CellType) -> types.CellType:
        if id(cell) not in self.memo:
            self.memo[id(cell)] = made = types.CellType()
            with contextlib.suppress(ValueError):  # an empty cell
                made.cell_contents = self.swap(cell.cell_contents)
            self.originals[id(made)] = cell
            self.copies.append((made, cell, None, "a variable of an enclosing function"))
        return self.memo[id(cell)]

    def swap_method(self, value: types.MethodType) -> Any:
        return types.MethodType(self.swap(value.__func__), self.swap(value.__self__))

    def swap_compiled(self, value: Any) -> Any:
        return self.swap(value.__wrapped__)

    def swap_partial(self, value: functools.partial[Any]) -> Any:
        keywords = {key: self.swap(item) for key, item in value.keywords.items()}
        return functools.partial(self.swap(value.func), *(self.swap(item) for item in value.args), **keywords)

    def swap_module(self, value: types.ModuleType) -> Any:
        pure = _is_pure(value.__name__)
        if pure and value is not numpy and not (value.__name__ == "fastnp" and not self.names.isdisjoint(("random", *IMPURE_NUMPY))):
            return Forbidden("draws random numbers") if value.__name__ in ("numpy.random", "fastnp.random") else value
        made = Module(value.__name__)
        self.memo[id(value)] = made
        made.__dict__.update(_source=value, _pure=pure)
        if value is numpy:
            made.__dict__.update(CREATORS)
        if not pure:
            made.__dict__.update({name: self.swap(vars(value)[name]) for name in self.names & vars(value).keys()})
        self.originals[id(made.__dict__)] = vars(value)
        self.copies.append((made.__dict__, vars(value), None, value.__name__ + ".{}"))
        return made

    def swap_class(self, value: type) -> type:
        return value

    def swap_object(self, value: Any) -> Any:
        cls = type(value)
        made: Any = object.__new__(self.subclass(cls))
        self.memo[id(value)] = made
        fields = {name: self.swap(item) for name, item in vars(value).items()}
        # Arrays of the class, which every instance shares.
        for name in self.names:
            item = getattr(cls, name, None)
            if name not in fields and ((type(item) in (list, dict) and id(item) in self.kinds) or id(item) in self.inputs):
                made.__dict__[name] = self.swap(item)
        made.__dict__.update({name: item for name, item in fields.items() if name in self.names or name not in self.stored})
        self.copies.append((made.__dict__, value, None, f"the attribute {{}} of a {cls.__name__}"))
        return made

    def subclass(self, cls: type) -> type:
        """The class with twins of its methods."""
        key = id(cls)
        if key not in self.classes:
            body: dict[str, Any] = {}
            for base in reversed(cls.__mro__):
                for name, attribute in list(vars(base).items()):
                    function = getattr(attribute, "__func__", None) or getattr(attribute, "fget", None) or attribute
                    if self.kinds.get(id(function)) != "function":
                        continue
                    twin = self.swap(function)
                    if isinstance(attribute, property):
                        body[name] = property(twin)
                    elif isinstance(attribute, (staticmethod, classmethod)):
                        body[name] = type(attribute)(twin)
                    elif isinstance(attribute, types.FunctionType):
                        body[name] = twin
            body.update(__module__=cls.__module__, __qualname__=cls.__qualname__, __doc__=cls.__doc__)
            self.classes[key] = type(cls)(cls.__name__, (cls,), body)
        return self.classes[key]

    def describe(self) -> list[str]:
        """The guards as text."""
        texts = []
        for entry in self.entries:
            if entry[0] == _ITEM and len(entry) > 3 and not isinstance(entry[3], (types.ModuleType, types.BuiltinFunctionType, type)):
                value = entry[3]
                if isinstance(value, Slot):
                    texts.append(f"{entry[2]} is an input")
                else:
                    shown = repr(value) if isinstance(value, PLAIN) else f"the same {type(value).__name__}"
                    texts.append(f"{entry[2]} is {shown}")
            elif entry[0] in (_CELL, _LIST, _DICT, _SET) and len(entry) > 3:
                kind = {_CELL: "a variable of an enclosing function", _LIST: "a list", _DICT: "a dict", _SET: "a set"}[entry[0]]
                texts.append(f"{kind} is unchanged")
        return texts
