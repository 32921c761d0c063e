"""What of a call's arguments are plain values, and what of them changed: for warnings that say why calls need another compilation."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any

Described = dict[str, str]
_SHOWN = (bool, int, float, complex, str, bytes, type(None))
_LONGEST = 60
_MOST = 1000  # values, of arguments that hold many


def _text(value: Any) -> str:
    """No code of the user's runs for it."""
    kind = type(value)
    if isinstance(value, enum.Enum):
        return f"{kind.__name__}.{value._name_}"
    if kind in _SHOWN:
        text = repr(value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return value.__name__ if kind is type else f"an object of {kind.__name__}"


def _leaves(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    kind = type(value)
    if kind.__name__ == "ndarray":
        yield path, "an array"
    elif kind in (list, tuple) and depth < 10:
        yield path, f"a {kind.__name__} of {len(value)}"
        for number, item in enumerate(value):
            yield from _leaves(f"{path}[{number}]", item, depth + 1)
    elif kind is dict and depth < 10:
        yield path, f"a dict of {len(value)}"
        for key, item in value.items():
            yield from _leaves(f"{path}[{_text(key)}]", item, depth + 1)
    else:
        yield path, _text(value)


def described(given: Mapping[str, Any]) -> Described:
    """The text of each plain value in the arguments, by where it is: ``{"mode": "'fast'", "opts": "a dict of 1", "opts['n']": "3"}``."""
    made: Described = {}
    for name, value in given.items():
        for path, text in _leaves(name, value):
            if len(made) == _MOST:
                return made
            made[path] = text
    return made


def changed(before: Described, now: Described) -> str:
    """What is another value, in words: ``mode changed from 'a' to 'b'``. Nothing where all that is described is the same."""
    for path, text in now.items():
        if path not in before:
            return f"{path} is new: {text}"
        if before[path] != text:
            return f"{path} changed from {before[path]} to {text}"
    gone = next((path for path in before if path not in now), None)
    return f"{gone} is missing: it was {before[gone]}" if gone is not None else ""
