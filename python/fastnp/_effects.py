"""Effects of recorded functions: noted while recording, done at each call after the compiled code has run, in the program's order.

That is right for effects that give nothing back to the function and that no later part of it can notice: printing, growing a list that it does not
read, stores to variables, attributes and items. A call that ends early (a value read differs, an element raises) has done none of them yet.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from fastnp import _core
from fastnp._stand_ins import PLAIN, Forbidden, refuse
from fastnp._unknown import Unknown

_SHOWN: tuple[type, ...] = (*PLAIN, _core._Size, _core._Float, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)


def _varint(table: bytes, at: int) -> tuple[int, int]:
    value, byte = table[at] & 63, table[at]
    while byte & 64:
        at += 1
        byte = table[at]
        value = value << 6 | (byte & 63)
    return value, at + 1


def _is_handled(frame: types.FrameType) -> bool:
    """Whether the frame is inside a `try` or a `with` (Objects/exception_handling_notes.txt of CPython)."""
    table, at = frame.f_code.co_exceptiontable, 0
    where = frame.f_lasti // 2
    while at < len(table):
        start, at = _varint(table, at)
        length, at = _varint(table, at)
        _, at = _varint(table, at)
        _, at = _varint(table, at)
        if start <= where < start + length:
            return True
    return False


def _check_place(what: str) -> None:
    """Refuses an effect inside of a `try` or a `with`: these may see what it raises, or change what it does."""
    caller = _core._caller_frame()
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame is not caller:
        if _is_handled(frame):
            refuse(f"{what} inside of a 'try' or a 'with'")
        frame = frame.f_back


def _snapshot(value: Any, what: str) -> Any:
    """The value as it is now: arrays are copied."""
    if _core._recorded_kind(value):
        return _core._snapshot(value)
    if type(value) in (tuple, list, set, frozenset):
        return type(value)(_snapshot(item, what) for item in value)
    if type(value) is dict:
        return {key: _snapshot(item, what) for key, item in value.items()}
    if not isinstance(value, (*_SHOWN, Unknown)):
        refuse(f"{what} a {type(value).__name__}")
    return value


def stand_in_print(*values: Any, **options: Any) -> None:
    _check_place("prints")
    shown = tuple(_snapshot(value, "prints") for value in values)
    plain = {name: value if name == "file" else _snapshot(value, "prints") for name, value in options.items()}
    _core._note_effect(builtins.print, shown, plain)


def effect(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """Calls ``function(*args, **kwargs)`` for its effect; its result is dropped. (jax.debug.callback)

    In a compiled function the call is made each time, after the compiled code has run, with the
    values of that run: arrays as they were at this point of the program.

    Parameters
    ----------
    function : callable
        What is called. The rest of the compiled function must not notice its effect.
    *args, **kwargs
        Arrays and plain values.

    Returns
    -------
    None
        The result is dropped.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: within a ``try`` or a ``with``, and for
        arguments other than arrays and plain values. Others run as written then.

    See Also
    --------
    compile, compiler.pure

    Examples
    --------
    >>> import fastnp as np
    >>> seen = []
    >>> @np.compile
    ... def f(x):
    ...     np.effect(seen.append, x.sum())
    ...     return x + 1
    >>> f(np.ones(3)), f(np.zeros(3))
    (array([2., 2., 2.]), array([1., 1., 1.]))
    >>> [float(each) for each in seen]
    [3.0, 0.0]
    """
    if not _core._is_recording():
        function(*args, **kwargs)
        return
    _check_place("has an effect")
    passed = {name: _snapshot(value, "passes to an effect") for name, value in kwargs.items()}
    _core._note_effect(function, tuple(_snapshot(value, "passes to an effect") for value in args), passed)


class Growing(Forbidden):
    """Stands for a list of the outside as long as the function only makes it longer: then its contents need no guard."""

    def __init__(self, name: str, refuse: Callable[[], None]) -> None:
        super().__init__(name)
        object.__setattr__(self, "_refuse_growing", refuse)

    def __getattribute__(self, name: str) -> Any:
        if name == "append":
            return lambda item, /: _core._note_effect(list.append, (self, item), {})
        if name == "extend":
            return lambda items, /: _core._note_effect(list.extend, (self, list(items)), {})
        object.__getattribute__(self, "_refuse_growing")()
        return super().__getattribute__(name)

    def __iadd__(self, items: Iterable[Any]) -> Any:  # type: ignore[misc]  # as list has it
        _core._note_effect(list.extend, (self, list(items)), {})
        return self


ABSENT = object()


def dict_changes(before: dict[Any, Any], now: dict[Any, Any], name: str) -> list[tuple[Any, Any, Any]]:
    """(key, old item, new item) of all that differs; `ABSENT` for no item. Refuses another order of what is in both."""
    if [key for key in now if key in before] != [key for key in before if key in now]:
        refuse(f"changes the order of {name}")
    gone = [(key, item, ABSENT) for key, item in before.items() if key not in now]
    return gone + [(key, before.get(key, ABSENT), item) for key, item in now.items() if before.get(key, ABSENT) is not item]


def same_items(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


def container_stores(copies: list[tuple[Any, Any]]) -> list[tuple[Any, tuple[Any, ...]]]:
    """What makes lists and dicts from what they were (second) to what they are (first)."""
    found: list[tuple[Any, tuple[Any, ...]]] = []
    for now, before in copies:
        if type(now) is dict:
            for key, _, item in dict_changes(before, now, "a dict of its arguments"):
                found.append((dict.__delitem__, (now, key)) if item is ABSENT else (dict.__setitem__, (now, key, item)))
        elif not same_items(now, before):
            found.append((list.__setitem__, (now, slice(None), list(now))))
    return found


def store(holder: Callable[[], Any], name: str, value: Any) -> None:
    """Sets an attribute in the dict of an object that is held weakly."""
    vars(holder())[name] = value


def drop(holder: Callable[[], Any], name: str) -> None:
    del vars(holder())[name]
