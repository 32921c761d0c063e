"""What a function reads besides its arguments, found when it is first recorded.

`Reads` lists guards (checked by python/guards.cpp at every call) on everything that the function's code, and the Python functions that it reaches,
can read by name: globals, closure cells, defaults, attributes, items of lists and dicts. Arrays that are reached in these ways are inputs (`Slot`), so
that another array in the same place is seen.
"""

from __future__ import annotations

import builtins
import contextlib
import enum
import functools
import sys
import types
import weakref
from typing import Any

import numpy

from fastnp import _control, _core
from fastnp._bytecode import codes_of, global_names, instructions, loads, stored_attributes
from fastnp._homes import is_own, is_pure, is_pure_import, package_of
from fastnp._kinds import kind_of
from fastnp._questions import (
    DESCRIBED_BY,
    DESCRIBING,
    UNSEEN,
    asks_for_time,
    attributes_asked,
    class_shape,
    is_anothers,
    is_boring,
    is_nan,
    names_in,
    names_in_text,
    own_names,
    reads_names,
    reads_text,
    tells_objects_apart,
    text_options,
)
from fastnp._stand_ins import PLAIN, is_value

# Kinds of guards, as GuardKind in python/guards.h.
ITEM, _CELL, TYPE, _LIST, _DICT, _SET, _CODE, _DEFAULTS, _KEYWORD_DEFAULTS, INSTANCE, _ARRAY, _KNOWN = range(12)
SHAPE, NAMES, ATTRIBUTE, SUBCLASS, CONTEXT, OWN = range(12, 18)

_MOST_ENTRIES = 5000
_FUNCTIONS_OF = {staticmethod: "__func__", classmethod: "__func__", property: "fget", functools.cached_property: "func"}

# Where a number lies: (id of the dict or cell, name or key).
Place = tuple[int, Any]


class Slot:
    """In an entry, in place of an array or a number that varies: the number of an input, which takes what is there at each call."""

    __slots__ = ("number", "type")

    def __init__(self, number: int, cls: type) -> None:
        self.number = number
        self.type = cls


class Weak(weakref.ref[Any]):
    """In an entry, in place of an object of the user's, which lives as long as it would."""

    __slots__ = ()


class Reads:
    """The guards of one function with the objects (`roots`) among the arguments of one call."""

    def __init__(
        self, function: Any, roots: tuple[Any, ...], read_lists: set[int], varying: set[Place], found_late: set[Any], lists_all: bool = False
    ) -> None:
        self.function = function
        self.lists_all = lists_all  # all that can't be recorded is looked for: an import is found while recording, as the rest is
        self.package = str(getattr(function, "__module__", "")).partition(".")[0]
        self.roots = roots
        self.read_lists = read_lists  # ids of lists whose contents it reads, as far as is known
        self.varying = varying  # places of numbers that changed between calls, as far as is known
        # What its code does not show, as far as is known: names of attributes that it reads, and (class, class) where it asks whether one is of the other.
        self.found_late = found_late
        self.computed = {name for name in found_late if type(name) is str}
        self.again = False  # whether it turned out while recording that it reads more than was known
        self.volatile: str | None = None  # what the recorded function changes that it also reads, so that the next call needs another recording
        self.names = set(self.computed)  # of attributes that are read
        self.asks_identity = False  # whether it may ask if two values are one object
        self.reads_text = False  # whether it may take the text of an array
        self.reads_names = False  # whether it may read attributes by names that lie in texts
        self.imports = False  # whether it imports modules
        self.stored: set[str] = set()  # of attributes and globals that are written to
        self.reason: str | None = None
        self.entries: list[tuple[Any, ...]] = []
        self.named_roots = [(is_value(root), root if is_value(root) else id(root)) for root in roots]
        while True:  # a function found late may name attributes of objects found early
            before = len(self.names)
            self.entries = []
            self.seen: dict[int, Any] = {}
            self.own_dicts: set[int] = set()  # of objects
            self.kinds: dict[int, str] = {}
            self.refusals: dict[int, str] = {}  # why functions of the kind "refused" can't be recorded, by their ids
            self.slots: dict[int, Slot] = {}  # by the array's id
            self.numbers: dict[Place, Slot] = {}
            self.texts: set[str] = set()
            for root in (function, *roots):
                self.walk(root)
            self.walk_questions()
            if self.reads_names:
                self.names.update(*map(names_in_text, self.texts))
            if len(self.names) == before or self.reason:
                break
        if len(self.entries) > _MOST_ENTRIES:
            self.reason = "reads too much outside of its arguments to be guarded"
        if self.kinds.get(id(function)) == "disabled":
            self.reason = f"is {_control.why_disabled(function)}"
        if self.kinds.get(id(function)) == "forbidden":
            self.reason = f"is a {type(function).__name__}, which can't be recorded"
        used = set(map(package_of, self.seen.values()))
        self.is_plain_numpy = "numpy" in used and "fastnp" not in used
        self.name_slots()
        self.let_go()

    def let_go(self) -> None:
        """Holds objects weakly from here on, so that they live as long as they would."""
        weak: dict[int, Weak] = {}
        for key, value in self.seen.items():
            if self.kinds.get(key) == "object":
                with contextlib.suppress(TypeError):  # there may be none to it
                    weak[key] = Weak(value)
        self.seen.update(weak)
        if weak:
            self.entries = [self.held_weakly(entry, weak) for entry in self.entries]
        self.roots = ()

    @staticmethod
    def held_weakly(entry: tuple[Any, ...], weak: dict[int, Weak]) -> tuple[Any, ...]:
        def held(value: Any) -> Any:
            return weak.get(id(value), value)

        kind, holder, *rest = entry
        if kind == INSTANCE:
            return kind, weak.get(id(holder), holder), *rest
        if len(rest) < 2:
            return entry
        return kind, holder, rest[0], tuple(map(held, rest[1])) if kind in (_LIST, _DICT, _SET) else held(rest[1])

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

    def walk_questions(self) -> None:
        """What is guarded for the sake of the question, and not of a place."""
        for asked in self.found_late:
            if type(asked) is tuple:
                for cls in asked:
                    self.walk(cls)
                self.entries.append((SUBCLASS, *asked, issubclass(*asked)))
        if self.reads_text and text_options is not None:
            self.entries.append((CONTEXT, text_options, None, text_options.get()))

    def look_for(self, found: Any) -> None:
        """What was found while recording: it is looked for when the recording begins again."""
        self.found_late.update(found)
        self.computed.update(name for name in found if type(name) is str)
        self.again = True

    def slot_types(self) -> list[type]:
        return [slot.type for slot in sorted((*self.slots.values(), *self.numbers.values()), key=lambda slot: slot.number)]

    def note_changed(self, roots: tuple[Any, ...], notes_numbers: bool) -> None:
        """Notes the numbers that are others than they were: they are inputs from now on. `roots`: those of a call whose guards did not hold."""
        if _control.guard_watchers:
            from fastnp import _likely  # where somebody wants to know

            _likely.tell(self, roots)
        if not notes_numbers:
            return
        for kind, holder, name, *expected in self.entries:
            if kind == ITEM and expected and name in holder:
                self.note_place(holder, name, expected[0], holder[name])
            elif kind == _CELL and expected:
                with contextlib.suppress(ValueError):  # an empty cell
                    self.note_place(holder, None, expected[0], holder.cell_contents)
            elif kind == _DICT:
                for key, before in zip(expected[0][::2], expected[0][1::2], strict=True):
                    if type(key) is not Weak and key in holder:
                        self.note_place(holder, key, before, holder[key])

    def note_place(self, holder: Any, name: Any, before: Any, now: Any) -> None:
        if type(before) in (int, float) and type(now) is type(before) and now != before and not is_nan(now):
            self.varying.add((id(holder), name))

    def number_slot(self, holder: Any, name: Any, value: Any) -> Any:
        """In place of a number that varies: its slot."""
        place = (id(holder), name)
        if place not in self.varying or type(value) not in (int, float) or is_nan(value):
            return value
        return self.numbers.setdefault(place, Slot(len(self.slots) + len(self.numbers), type(value)))

    # Finding what is read.

    def walk_place(self, value: Any) -> None:
        """What lies where something else may lie later."""
        if not self.is_array(value):
            self.walk(value)
        elif id(value) not in self.slots:
            self.slots[id(value)] = Slot(len(self.slots) + len(self.numbers), type(value))
            self.seen[id(value)] = value

    @staticmethod
    def is_array(value: Any) -> bool:
        return type(value) is _core.ndarray or (isinstance(value, (numpy.ndarray, numpy.generic)) and _core._is_supported(value))

    def walk(self, value: Any) -> None:
        if self.is_array(value) and not isinstance(value, numpy.generic):
            self.walk_place(value)
            self.entries.append((_ARRAY, value, None, value))
            return
        if type(value) is str:
            self.texts.add(value)
        if is_value(value) or id(value) in self.seen or self.reason or len(self.entries) > _MOST_ENTRIES:
            return
        self.seen[id(value)] = value
        if id(value) in self.own_dicts:
            self.reason = "reads an object and its __dict__"
            return
        kind = kind_of(value, self.package)
        self.kinds[id(value)] = kind
        walk = getattr(self, f"walk_{kind}", None)  # there is nothing to find in others
        if walk is not None:
            walk(value)

    def walk_tuple(self, value: Any) -> None:
        for item in value:
            self.walk(item)

    def walk_record(self, value: Any) -> None:
        self.walk_tuple(value)

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
        self.entries.append((_SET, value, None, tuple(value)))
        self.walk_tuple(value)

    def walk_dict(self, value: dict[Any, Any]) -> None:
        self.entries.append((_DICT, value, None, tuple(part for key, item in value.items() for part in (key, self.number_slot(value, key, item)))))
        for key, item in list(value.items()):
            self.walk(key)
            self.walk_place(item)

    def walk_value(self, value: Any) -> None:
        """A member of an enumeration, or a number or text of a class of the user's: it is used as it is."""
        fields = getattr(value, "__dict__", None)
        self.entries.append((INSTANCE, value, type(value)) if fields is None else (INSTANCE, value, type(value), fields))
        if fields is not None:
            self.entries.append((_DICT, fields, None, tuple(part for item in fields.items() for part in item)))
        self.walk(type(value))

    def item(self, holder: dict[str, Any], name: str) -> None:
        if name in holder:
            self.entries.append((ITEM, holder, name, self.number_slot(holder, name, holder[name])))
            self.walk_place(holder[name])
        else:
            self.entries.append((ITEM, holder, name))

    def walk_function(self, value: types.FunctionType) -> None:
        self.entries.append((_CODE, value, None, value.__code__))
        codes = codes_of(value.__code__)
        reason = next((text for text in map(self.refusal, codes) if text), None)
        if reason is not None:
            if value is self.function:
                self.reason = reason
            self.kinds[id(value)] = "refused"  # to call it ends the recording
            self.refusals[id(value)] = reason
            return
        for kind, held in ((_DEFAULTS, value.__defaults__), (_KEYWORD_DEFAULTS, value.__kwdefaults__)):
            self.entries.append((kind, value, None) if held is None else (kind, value, None, held))
        for item in value.__defaults__ or ():
            self.walk(item)
        if value.__kwdefaults__:
            self.walk(value.__kwdefaults__)
        self.walk_attributes(value)
        for code in codes:
            self.asks_identity = self.asks_identity or tells_objects_apart(code)
            self.reads_text = self.reads_text or reads_text(code)
            self.reads_names = self.reads_names or reads_names(code)
            self.walk_imports(code)
            stored = stored_attributes(code)
            self.stored |= stored
            self.names.update(name for name in code.co_names if name not in stored or loads(code, name))
            self.names.update(text for text in code.co_consts if isinstance(text, str) and text.isidentifier())
            self.texts.update(text for text in code.co_consts if type(text) is str)
        for cell in value.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                self.entries.append((_CELL, cell, None))
            else:
                self.entries.append((_CELL, cell, None, self.number_slot(cell, None, content)))
                self.walk_place(content)
        known = vars(builtins)
        globals_used = [global_names(code) for code in codes]
        read = set().union(*(names for names, _ in globals_used))
        self.stored.update(*(names - read for _, names in globals_used))
        for name in sorted(read):
            if name in value.__globals__:
                self.item(value.__globals__, name)
            else:
                self.entries.append((ITEM, value.__globals__, name))
                self.entries.append((ITEM, known, name, known[name]) if name in known else (ITEM, known, name))

    def refusal(self, code: types.CodeType) -> str | None:
        """Why a function with such code can't be recorded."""
        if code.co_flags & 0x20 and code is getattr(self.function, "__code__", None):
            return "is a generator"
        if code.co_flags & 0x280:
            return "is asynchronous"
        for name, argument in instructions(code):
            if name == "IMPORT_NAME":
                module = code.co_names[argument]
                if not self.lists_all and not is_pure_import(module, code):
                    return f"imports {module}"
            elif name in ("MATCH_CLASS", "MATCH_SEQUENCE", "MATCH_MAPPING"):  # these would ask stand-ins for their type
                return "matches patterns of classes, sequences or mappings"
        for name in UNSEEN:
            if name in code.co_names:
                return f"reads {name}"
        if asks_for_time(code):
            return "asks NumPy for the time"
        if "__class__" in code.co_names and code.co_filename != "<string>":  # dataclasses' own methods ask for that of their instances
            return "reads __class__"
        return None

    def walk_imports(self, code: types.CodeType) -> None:
        """The modules that it imports, which are those of Python's, NumPy's or fastnp's."""
        for name, argument in instructions(code):
            if name != "IMPORT_NAME" or not is_pure_import(code.co_names[argument], code):
                continue
            self.imports = True
            with contextlib.suppress(ImportError):
                __import__(code.co_names[argument])
            parts = code.co_names[argument].split(".")
            for end in range(1, len(parts) + 1):
                self.item(sys.modules, ".".join(parts[:end]))

    def walk_method(self, value: types.MethodType) -> None:
        self.walk(value.__func__)
        self.walk(value.__self__)

    def walk_compiled(self, value: Any) -> None:
        self.entries.append((NAMES, value, *names_in(value, self.names)))
        self.walk(value.__wrapped__)

    def walk_partial(self, value: functools.partial[Any]) -> None:
        for name in ("func", "args", "keywords"):
            self.entries.append((ATTRIBUTE, value, name, getattr(value, name)))
            self.walk(getattr(value, name))
        self.walk_attributes(value)

    def walk_attributes(self, value: Any) -> None:
        """What is read of a function or the like by name."""
        self.entries.append((NAMES, value, *names_in(value, self.names)))
        for name in sorted(self.attributes_read(value)):
            self.item(vars(value), name)
        for name in attributes_asked(value, self.names):
            self.entries.append((ATTRIBUTE, value, name, getattr(value, name)))
            self.walk(getattr(value, name))

    def attributes_read(self, value: Any) -> set[str]:
        return set(vars(value)) if "__dict__" in self.names else self.names & vars(value).keys()

    def walk_transformed(self, value: _control.Transformed) -> None:
        self.walk(vars(value))  # the functions, and what the transform was told

    def walk_module(self, value: types.ModuleType) -> None:
        if is_pure(value.__name__):
            found = own_names(value, self.names)
            self.entries.append((OWN, vars(value), None, tuple(part for item in found.items() for part in item)))
            for name, item in found.items():
                if is_anothers(item):
                    self.walk_replaced(value, name, item)
                elif isinstance(item, types.ModuleType) and is_pure(item.__name__):
                    self.walk(item)
            return
        self.entries.append((INSTANCE, value, type(value), vars(value)))
        for name in sorted(self.names & vars(value).keys()):
            self.item(vars(value), name)

    def walk_replaced(self, module: types.ModuleType, name: str, item: Any) -> None:
        """A function of the user's in such a module: that of NumPy has a twin, with twins in it."""
        if module is numpy:
            self.walk(item)
        else:
            self.reason = f"reads {module.__name__}.{name}, which was put there by others"

    def walk_class(self, value: type) -> None:
        self.entries.append((SHAPE, value, None, class_shape(value, self.names)))
        for base in value.__mro__:
            if base is object or is_own(base):
                continue
            for name in attributes_asked(base, self.names):
                self.entries.append((ATTRIBUTE, base, name, getattr(base, name)))
            for name in DESCRIBING & vars(base).keys() if not self.names.isdisjoint(DESCRIBED_BY) else ():
                described = vars(base)[name]
                self.entries.append((TYPE, base, name, described))
                self.entries.append((_DICT, described, None, tuple(part for item in described.items() for part in item)))
            for name, attribute in list(vars(base).items()):
                function = (type(attribute) in _FUNCTIONS_OF and getattr(attribute, _FUNCTIONS_OF[type(attribute)])) or attribute
                dunder = name.startswith("__") and isinstance(function, types.FunctionType)
                if name in self.names or dunder:
                    self.check_attribute(value, name, attribute)
                    self.entries.append((TYPE, value, name, value.__dict__.get(name, attribute)))
                    self.walk_place(function)
                elif name[:2] == "__" and not is_boring(name):
                    self.entries.append((TYPE, value, name, value.__dict__.get(name, attribute)))
        if isinstance(value, enum.EnumMeta):
            self.entries.append((_DICT, value._member_map_, None, tuple(part for item in value._member_map_.items() for part in item)))
            for member in value._member_map_.values():
                self.walk(member)

    def check_attribute(self, cls: type, name: str, attribute: Any) -> None:
        """What computes something when it is read must be a function that can be followed."""
        known = (types.FunctionType, staticmethod, classmethod, property, functools.cached_property, types.MemberDescriptorType, _control.Disabled)
        computes = hasattr(type(attribute), "__get__") and not isinstance(attribute, (*known, *PLAIN))
        if computes and type(attribute).__name__ != "_tuplegetter" and not (name[:2] == name[-2:] == "__" and is_pure(type(attribute).__module__)):
            self.reason = f"reads {cls.__qualname__}.{name}, a {type(attribute).__name__}"

    def walk_object(self, value: Any) -> None:
        fields = vars(value)
        self.own_dicts.add(id(fields))
        if id(fields) in self.seen:
            self.reason = "reads an object and its __dict__"
            return
        self.entries.append((INSTANCE, value, type(value), fields))
        if "__dict__" in self.computed:
            self.walk_dict(fields)
        self.walk(type(value))
        if self.kinds.get(id(type(value))) != "class":
            self.walk_class(type(value))
        for name in sorted(self.fields_read(value)):
            if name in fields or name in self.computed or hasattr(type(value), name):
                self.item(fields, name)

    def fields_read(self, value: Any) -> set[str]:
        """The names of the attributes of an object that may be read: all, by the methods of a class that is not looked into."""
        return set(vars(value)) if is_own(type(value)) else self.names

    def describe(self) -> list[str]:
        """The guards as text."""
        texts = []
        for entry in self.entries:
            if entry[0] == ITEM and len(entry) > 3 and not isinstance(entry[3], (types.ModuleType, types.BuiltinFunctionType, type)):
                value = entry[3]() if type(entry[3]) is Weak else entry[3]
                if isinstance(value, Slot):
                    texts.append(f"{entry[2]} is an input")
                else:
                    is_long = isinstance(value, int) and value.bit_length() > 4096  # Python refuses to show longer ones
                    shown = repr(value) if isinstance(value, PLAIN) and not is_long else f"the same {type(value).__name__}"
                    texts.append(f"{entry[2]} is {shown}")
            elif entry[0] in (_CELL, _LIST, _DICT, _SET) and len(entry) > 3:
                kind = {_CELL: "a variable of an enclosing function", _LIST: "a list", _DICT: "a dict", _SET: "a set"}[entry[0]]
                texts.append(f"{kind} is unchanged")
        return texts
