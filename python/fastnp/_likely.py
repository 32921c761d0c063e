"""What is likely to be the cause of a compilation: which of the things that a function takes for granted is another one now."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from fastnp import _control
from fastnp._changes import _text
from fastnp._core import CompiledFunction
from fastnp._reads import _CELL, _CODE, _DEFAULTS, _DICT, _KEYWORD_DEFAULTS, _LIST, _SET, INSTANCE, ITEM, TYPE, Slot, Weak

if TYPE_CHECKING:
    from fastnp._reads import Reads

_MISSING = object()
SAME_LINE = "a new function object, defined on the same line as one that was compiled"


def tell(reads: Reads, roots: tuple[Any, ...]) -> None:
    """Tells who watches. No code of the user's runs for it."""
    try:
        text = cause(reads, roots)
    except Exception:  # noqa: BLE001  # a hint is no reason for a call to fail
        text = ""
    for watcher in list(_control.guard_watchers):
        watcher(reads.function, text)


def place_of(function: Any) -> tuple[str, int] | None:
    """Where a function is defined, or None."""
    written = getattr(function, "__wrapped__", function) if isinstance(function, CompiledFunction) else function
    code = getattr(getattr(written, "__func__", written), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if isinstance(code, types.CodeType) else None


def _difference(name: str, before: Any, now: Any) -> str:
    place = place_of(now)
    if place is not None:
        where = f"{place[0]}:{place[1]}"
        if place_of(before) == place:
            return f"{name} is {SAME_LINE} ({where})"
        return f"{name} is another function ({where})"
    if now is _MISSING:
        return f"{name} is not there any more"
    if before is _MISSING:
        return f"{name} is new: {_text(now)}"
    before, now = _text(before), _text(now)
    return f"{name} is another one: {now}" if before == now else f"{name} changed from {before} to {now}"


def _held(value: Any) -> Any:
    return value() if type(value) is Weak else value


def _is_other(before: Any, now: Any) -> bool:
    """As guards compare, roughly: numbers and texts by value, else objects."""
    if type(before) is Slot:
        return type(now) is not before.type
    before = _held(before)
    if before is now:
        return False
    if type(before) is not type(now):
        return True
    return not (type(before) in (int, float, complex, str, bytes, bool, tuple) and before == now)


def _name_of(reads: Reads, held: Any) -> str:
    """What the function knows something by."""
    for kind, _, name, *expected in reads.entries:
        if kind == ITEM and expected and _held(expected[0]) is held:
            return str(name)
    return f"a {type(held).__name__} that it reads"


def _variable(reads: Reads, cell: Any) -> str:
    for value in reads.seen.values():
        function = _held(value)
        if type(function) is types.FunctionType and function.__closure__:
            for name, each in zip(function.__code__.co_freevars, function.__closure__, strict=True):
                if each is cell:
                    return name
    return "a variable of an enclosing function"


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _changed(reads: Reads, entry: tuple[Any, ...]) -> str:
    kind, holder, name, *expected = entry
    before: Any = expected[0] if expected else _MISSING
    if kind in (ITEM, _CELL):
        now = holder.get(name, _MISSING) if kind == ITEM else _contents(holder)
        if _is_other(before, now):
            return _difference(name if kind == ITEM else _variable(reads, holder), _held(before), now)
    elif kind == TYPE:
        now = next((vars(base)[name] for base in holder.__mro__ if name in vars(base)), _MISSING)
        if _is_other(before, now):
            return _difference(f"{holder.__qualname__}.{name}", _held(before), now)
    elif kind in (_CODE, _DEFAULTS, _KEYWORD_DEFAULTS):
        part = {_CODE: "__code__", _DEFAULTS: "__defaults__", _KEYWORD_DEFAULTS: "__kwdefaults__"}[kind]
        if _is_other(None if before is _MISSING else before, getattr(holder, part)):
            return f"{holder.__qualname__}.{part} is another one"
    elif kind in (_LIST, _DICT, _SET):
        now = tuple(part for item in holder.items() for part in item) if kind == _DICT else tuple(holder)
        if len(now) != len(before):
            return f"{_name_of(reads, holder)} has {len(holder)} items, and had {len(before) // (2 if kind == _DICT else 1)}"
        for old, new in zip(before, now, strict=True):
            if _is_other(old, new):
                return _difference(f"an item of {_name_of(reads, holder)}", _held(old), new)
    elif kind == INSTANCE and type(_held(holder)) is not name:
        return f"an object is of another class than {name.__qualname__}"
    return ""


def cause(reads: Reads, roots: tuple[Any, ...]) -> str:
    """In words; empty where nothing is found: an object was changed and changed back, say."""
    if len(roots) != len(reads.named_roots):
        return "other objects are among the arguments"
    for (is_plain, before), now in zip(reads.named_roots, roots, strict=True):
        if is_plain or before == id(now):
            continue
        old = _held(reads.seen.get(before))
        place = place_of(now)
        if place is None:
            return f"another object of {type(now).__qualname__} is an argument"
        return _difference(f"the argument {getattr(now, '__qualname__', type(now).__qualname__)}", old, now)
    return next(filter(None, (_changed(reads, entry) for entry in reads.entries)), "")
