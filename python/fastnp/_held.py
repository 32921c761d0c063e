"""What a function can reach by what its code names, its cells and its attributes."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

_PARTS = ("__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__", "func", "args", "keywords", "function")
_MOST = 64  # of a container that are looked at


def held(value: Any, is_wanted: Callable[[Any], bool], depth: int = 4) -> Iterator[Any]:
    """The objects that are wanted, of those that are no more than `depth` steps away."""
    yield from _held(value, is_wanted, depth, set())


def _held(value: Any, is_wanted: Callable[[Any], bool], depth: int, seen: set[int]) -> Iterator[Any]:
    if id(value) in seen or isinstance(value, (int, float, str, type, types.ModuleType)):
        return
    seen.add(id(value))
    if is_wanted(value):
        yield value
    elif depth > 0:
        for part in _parts(value):
            yield from _held(part, is_wanted, depth - 1, seen)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list, dict)):
        yield from list(value.values() if isinstance(value, dict) else value)[:_MOST]
        return
    code = getattr(value, "__code__", None)
    names = {} if code is None else getattr(value, "__globals__", {})
    yield from (names[name] for name in getattr(code, "co_names", ()) if name in names)
    for cell in getattr(value, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty
            continue
    own = getattr(value, "__dict__", None) or {}
    yield from (getattr(value, name) for name in _PARTS if name not in own and getattr(value, name, None) is not None)
    yield from list(own.values())[:_MOST]
