"""A function as it is recorded: what it reads (`_reads.py`), and a *twin* of it that reads copies of that.

The inputs appear as recorded arrays; lists, dicts and objects are copies, so that a change is noticed and does not happen; things that can't be guarded
(files, generators of random numbers) refuse to be used.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import math
import sys
import types
from typing import TYPE_CHECKING, Any

import numpy

from fastnp import _control, _core, _effects, _outside
from fastnp._classes import Classes
from fastnp._homes import IMPURE_NUMPY, is_pure, is_pure_import
from fastnp._kinds import is_copier
from fastnp._questions import is_anothers, own_names
from fastnp._reads import ITEM, Slot, Weak
from fastnp._stand_ins import (
    CREATORS,
    CREATORS_BY_ID,
    FREQUENCIES,
    IMPURE_BUILTINS,
    NUMBERS,
    REPLACED,
    Forbidden,
    Module,
    forbidden,
    fourier_module,
    frequencies,
    is_value,
    refuse,
    stand_in_len,
    stand_in_max,
    stand_in_min,
    stand_in_sum,
    stand_in_type,
)

_STAND_INS = (
    (type, stand_in_type),
    (print, _effects.stand_in_print),
    (len, stand_in_len),
    (sum, stand_in_sum),
    (max, stand_in_max),
    (min, stand_in_min),
)

if TYPE_CHECKING:
    from fastnp._identity import Identity

__all__ = ["Capture", "Slot"]


class Capture(Classes):
    """The guards of one function with the objects (`roots`) among the arguments of one call, and its twin."""

    @property
    def identity(self) -> Identity | None:
        """What names all this in other processes."""
        from fastnp._identity import identity_of  # where recordings are kept on disk

        # Not by functools.cached_property: Python 3.11 has a lock in it, one for all, which a fork may find taken.
        if "_identity" not in vars(self):
            self._identity = identity_of(self)
        return self._identity

    def begin(self, inputs: list[tuple[Any, Any]]) -> tuple[Any, dict[int, Any], dict[int, Any]]:
        """(the twin, what takes the place of the objects among the arguments by their ids, what these stand for by theirs).

        `inputs`: what is in the slots, with the recorded array or number for each.
        """
        self.recorded = [recorded for _, recorded in inputs]
        self.inputs = {id(value): recorded for value, recorded in inputs if type(value) not in (int, float)}
        self.memo: dict[int, Any] = dict(self.inputs)
        self.originals: dict[int, Any] = {}
        self.copies: list[tuple[Any, Any, Any, str]] = []  # (what the twin may change, what it stands for, a snapshot, its name)
        self.volatile = None
        self.builtins: dict[int, Any] = {}
        self.spaces: dict[int, dict[str, Any]] = {}
        self.begin_classes()
        twin = self.swap(self.function)
        swaps = {}
        for key, value in list(self.seen.items()):
            if self.kinds[key] != "same":
                swaps[key] = self.swap(value() if type(value) is Weak else value)
        self.copies = [(value, original, self.snapshot(value), name) for value, original, _, name in self.copies]
        return twin, swaps, self.originals

    def end(self) -> None:
        self.recorded, self.inputs, self.memo, self.originals, self.copies, self.spaces = [], {}, {}, {}, [], {}
        self.begin_classes()

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
        return {entry[2] for entry in self.entries if entry[0] == ITEM and entry[1] is source}

    def stores(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """What the recorded function changed outside of itself, as (function, arguments) that make the change, on what the twin has."""
        self.check_classes()
        found: list[tuple[Any, tuple[Any, ...]]] = []
        for value, original, before, name in self.copies:
            now = self.snapshot(value)
            if type(value) is dict:
                found += self.item_stores(value, original, before, now, name)
            elif type(value) is list:
                if not _effects.same_items(before, now):
                    found.append((list.__setitem__, (value, slice(None), now)))
                    self.note_volatile(name, *((None, None) if len(now) != len(before) else (before, now)))
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
        instance = type(original) is not dict
        holder = self.weak_or_held(original) if instance else None
        for key, old, item in _effects.dict_changes(before, now, name.format("...")):
            if key == "__builtins__":
                continue
            if item is _effects.ABSENT:
                found.append((functools.partial(_effects.drop, holder), (key,)) if holder else (dict.__delitem__, (value, key)))
                self.note_volatile(name.format(key), None, None)
                continue
            found.append((functools.partial(_effects.store, holder), (key, item)) if holder else (dict.__setitem__, (value, key, item)))
            if self.kinds.get(id(original)) == "dict" or key in self.guarded(vars(original) if instance else original):
                self.note_volatile(name.format(key), [None if old is _effects.ABSENT else old], [item])
        return found

    def weak_or_held(self, original: Any) -> Any:
        held = self.seen.get(id(original))
        return held if type(held) is Weak else lambda: original

    def note_volatile(self, name: str, before: Any, now: Any) -> None:
        """Notes a change of something that is guarded, other than of an input in its place by another one."""
        if before is None or any(a is not b and not self.replaces(a, b) for a, b in zip(before, now, strict=True)):
            self.volatile = f"changes {name}, which it reads, at every call"

    @staticmethod
    def replaces(before: Any, now: Any) -> bool:
        """Whether an input may be followed by what is there now in its place."""
        if _core._recorded_kind(before):
            return bool(_core._recorded_kind(now))
        kind = NUMBERS.get(type(before))
        return kind is not None and NUMBERS.get(type(now), type(now)) is kind

    def swap_item(self, holder: Any, name: Any, value: Any) -> Any:
        """What takes the place of what lies there."""
        slot = self.numbers.get((id(holder), name))
        return self.swap(value) if slot is None else self.recorded[slot.number]

    def swap(self, value: Any) -> Any:
        key = id(value)
        if key in self.memo:
            return self.memo[key]
        kind = self.kinds.get(key, "same")
        if kind in ("same", "value") or is_value(value):
            if type(value) is types.FunctionType and value.__module__ == "numpy.fft" and value.__name__ in FREQUENCIES:
                return frequencies(value.__name__)
            return _outside.maker_of(value) or CREATORS_BY_ID.get(key, value)
        made = getattr(self, f"swap_{kind}")(value)
        self.memo[key] = made
        if made is not value:
            self.originals[id(made)] = value
        return made

    def builtin(self, key: int) -> Any:
        """What stands for one of Python's own functions."""
        if key not in self.builtins:
            self.builtins = {id(function): Forbidden(f"calls {name}()") for name, function in IMPURE_BUILTINS.items()}
            own = (
                (getattr, self.stand_in_getattr),
                (hasattr, self.stand_in_hasattr),
                (isinstance, self.stand_in_isinstance),
                (issubclass, self.stand_in_issubclass),
            )
            self.builtins.update({id(function): stands_in for function, stands_in in (*_STAND_INS, *own)})
        return self.builtins[key]

    def swap_builtin(self, value: Any) -> Any:
        return self.builtin(id(value))

    def swap_forbidden(self, value: Any) -> Any:
        kind = f"a {type(value).__module__}.{type(value).__name__}"
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            kind = f"{value.__module__}.{value.__qualname__}"
        return forbidden(f"uses {kind}, which can't be guarded (fastnp.compiler.pure() may help)", value)

    def swap_copier(self, value: Any) -> Any:
        def copier(original: Any, *rest: Any, **named: Any) -> Any:
            self.check_whole(original, set())
            return value(original, *rest, **named)

        return copier

    def swap_generator(self, value: Any) -> Any:
        return _outside.StandIn(value)

    def swap_draw(self, value: Any) -> Any:
        return _outside.method_of(value.__self__, value.__name__, value)

    def swap_refused(self, value: Any) -> Any:
        return Forbidden(f"calls {value.__qualname__}, which {self.refusals[id(value)]}")

    def swap_disabled(self, value: Any) -> Any:
        return Forbidden(f"calls {getattr(value, '__qualname__', value)}, which is {_control.why_disabled(value)}")

    def swap_tuple(self, value: Any) -> Any:
        items = [self.swap(item) for item in value]
        if all(a is b for a, b in zip(items, value, strict=True)):
            return value
        return type(value)(items) if type(value) is tuple else self.in_order(type(value)(items), items)

    def in_order(self, made: Any, items: list[Any]) -> Any:
        """A set whose order is that of the one that it stands for; it may not be, as that depends on addresses and on how a set came about."""
        if len(made) == len(items) and all(a is b for a, b in zip(made, items, strict=True)):
            return made
        return Forbidden("uses a set whose order can't be kept")

    def swap_record(self, value: Any) -> Any:
        items = self.swap_tuple(tuple(value))
        return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)._make(items)

    def swap_list(self, value: list[Any]) -> Any:
        if self.is_growing(value):
            return _effects.Growing("reads a list that grows", functools.partial(self.reads_list, id(value)))
        made: list[Any] = []
        self.memo[id(value)] = made
        made += [self.swap(item) for item in value]
        self.copies.append((made, value, None, "a list"))
        return made

    def swap_set(self, value: set[Any]) -> Any:
        items = [self.swap(item) for item in value]
        made = value.copy() if all(a is b for a, b in zip(items, value, strict=True)) else set(items)
        self.copies.append((made, value, None, "a set"))
        return self.in_order(made, items)

    def swap_key(self, key: Any) -> Any:
        """What is looked for under a key is its twin; nothing can be looked for by what can't be used."""
        made = self.swap(key)
        return key if issubclass(type(made), Forbidden) else made

    def swap_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        self.memo[id(value)] = made
        made.update({self.swap_key(key): self.swap_item(value, key, item) for key, item in value.items()})
        self.copies.append((made, value, None, "a dict"))
        return made

    def space(self, source: dict[str, Any]) -> dict[str, Any]:
        """The globals of twins."""
        if id(source) not in self.spaces:
            made = dict(source, __fastnp_twin__=True)
            self.spaces[id(source)] = made
            self.originals[id(made)] = source
            if self.lists_all or self.imports:
                made["__builtins__"] = {**vars(builtins), "__import__": self.stand_in_import}
            for name in self.stored & made.keys():
                if name not in self.guarded(source):
                    del made[name]  # a store to it shows as a change, whatever is there
            for key, name in REPLACED.items():
                if name not in made or id(made[name]) == key:
                    made[name] = self.builtin(key)
            for entry in self.entries:
                if entry[0] == ITEM and entry[1] is source and len(entry) > 3:
                    made[entry[2]] = self.swap_item(source, entry[2], source[entry[2]])
            self.copies.append((made, source, None, "the global variable {}"))
        return self.spaces[id(source)]

    def stand_in_import(self, name: str, namespace: Any = None, local: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        frame = sys._getframe(1)
        is_written = dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_NAME"  # else something that the function calls imports
        if level != 0 or (is_written and not is_pure_import(name, frame.f_code)):
            return refuse(f"imports {name}")
        found = __import__(name, namespace, local, fromlist, level)
        return self.swap(found) if is_written else found

    def swap_function(self, value: types.FunctionType) -> types.FunctionType:
        cells = tuple(self.cell(cell) for cell in value.__closure__ or ())
        made = types.FunctionType(value.__code__, self.space(value.__globals__), value.__name__, None, cells)
        self.memo[id(value)] = made
        made.__qualname__, made.__module__, made.__doc__ = value.__qualname__, value.__module__, value.__doc__
        fields = vars(made)
        read = self.attributes_read(value)
        fields.update({name: self.swap_item(vars(value), name, item) for name, item in vars(value).items() if name in read or name == "__wrapped__"})
        self.originals[id(fields)] = vars(value)
        if "__annotations__" in self.names:
            made.__annotations__ = self.swap(value.__annotations__)
        self.copies.append((fields, vars(value), None, f"the attribute {{}} of {value.__qualname__}"))
        made.__defaults__ = self.swap_tuple(value.__defaults__) if value.__defaults__ else value.__defaults__
        if value.__kwdefaults__:
            made.__kwdefaults__ = self.swap(value.__kwdefaults__)
        return made

    def cell(self, cell: types.CellType) -> types.CellType:
        if id(cell) not in self.memo:
            self.memo[id(cell)] = made = types.CellType()
            with contextlib.suppress(ValueError):  # an empty cell
                made.cell_contents = self.swap_item(cell, None, cell.cell_contents)
            self.originals[id(made)] = cell
            self.copies.append((made, cell, None, "a variable of an enclosing function"))
        return self.memo[id(cell)]

    def swap_method(self, value: types.MethodType) -> Any:
        return types.MethodType(self.swap(value.__func__), self.swap(value.__self__))

    def swap_compiled(self, value: Any) -> Any:
        return self.swap(value.__wrapped__)

    def swap_partial(self, value: functools.partial[Any]) -> Any:
        made = functools.partial(self.swap(value.func), *(self.swap(item) for item in value.args), **self.swap(value.keywords))
        for name in self.attributes_read(value):
            setattr(made, name, self.swap_item(vars(value), name, vars(value)[name]))
        return made

    def swap_transformed(self, value: Any) -> Any:
        made = value.blank()
        self.memo[id(value)] = made  # its derivative may call it
        made.replace(tuple(self.swap(function) for function in value.functions()))
        return made

    def swap_module(self, value: types.ModuleType) -> Any:
        pure = is_pure(value.__name__)
        if pure and value is not numpy and not (value.__name__ == "fastnp" and not self.names.isdisjoint(("random", *IMPURE_NUMPY))):
            return self.pure_module(value)
        made = Module(value.__name__)
        self.memo[id(value)] = made
        made.__dict__.update(_source=value, _pure=pure)
        if value is numpy:
            made.__dict__.update({name: CREATORS_BY_ID[id(vars(numpy)[name])] for name in CREATORS if id(vars(numpy)[name]) in CREATORS_BY_ID})
            made.__dict__.update({name: self.swap(item) for name, item in own_names(numpy, self.names).items() if is_anothers(item)})
        if not pure:
            made.__dict__.update({name: self.swap_item(vars(value), name, vars(value)[name]) for name in self.names & vars(value).keys()})
        self.originals[id(made.__dict__)] = vars(value)
        self.copies.append((made.__dict__, vars(value), None, value.__name__ + ".{}"))
        return made

    def pure_module(self, value: types.ModuleType) -> types.ModuleType:
        if value is builtins:
            made = types.ModuleType("builtins")
            vars(made).update(vars(builtins), **{name: self.builtin(key) for key, name in REPLACED.items()})
            return made
        if value is math:
            return _outside.math_module
        if value.__name__ == "copy":
            made = types.ModuleType("copy")
            vars(made).update(vars(value), **{name: self.swap_copier(item) for name, item in vars(value).items() if is_copier(item)})
            return made
        if value is sys.modules.get("numpy.fft"):
            return fourier_module
        if value.__name__ == "fastnp" and "errstate" in self.names:
            made = types.ModuleType("fastnp")
            vars(made).update(vars(value), errstate=CREATORS["errstate"])
            return made
        return _outside.random_module if value is sys.modules.get("numpy.random") else value

    def swap_math(self, value: Any) -> Any:
        return _outside.MathFunction(value)

    def swap_object(self, value: Any) -> Any:
        twin = self.twin(type(value))
        if twin is None:
            return self.swap_forbidden(value)
        made: Any = object.__new__(twin)
        self.memo[id(value)] = made
        fields = vars(made)
        names = self.fields_read(value)
        fields.update({name: self.swap_item(vars(value), name, item) for name, item in vars(value).items() if name in names})
        self.copies.append((fields, value, None, f"the attribute {{}} of a {type(value).__name__}"))
        return made
