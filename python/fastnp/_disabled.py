"""Which functions and operations are kept from being compiled, by patterns, and where that was said."""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import Any, NamedTuple

_PACKAGE = os.path.dirname(__file__) + os.sep


class Pattern(NamedTuple):
    """Functions that are not compiled: all that is given has to match."""

    module: str | None
    file: str | None
    namespace: str | None
    place: str  # where it was set

    def matches(self, function: types.FunctionType) -> bool:
        import fnmatch

        module, file = function.__module__ or "", function.__code__.co_filename
        name = f"{module}.{function.__qualname__}"
        found = self.module is None or fnmatch.fnmatch(module, self.module) or fnmatch.fnmatch(file, self.module)
        found = found and (self.file is None or fnmatch.fnmatch(file, self.file) or fnmatch.fnmatch(file, f"*/{self.file}"))
        return found and (self.namespace is None or fnmatch.fnmatch(name, self.namespace))

    def __str__(self) -> str:
        given = [(name, getattr(self, name)) for name in ("module", "file", "namespace")]
        return f"disabled by {', '.join(f'{name}={pattern!r}' for name, pattern in given if pattern is not None)}, set at {self.place}"


patterns: list[Pattern] = []
disallowed: list[tuple[str, str]] = []  # patterns of operations, and where they were set


def is_disabled(function: types.FunctionType) -> bool:
    """Whether it matches a pattern that is disabled."""
    return bool(patterns) and any(pattern.matches(function) for pattern in patterns)


def why_disabled(value: Any) -> str:
    """By what: a pattern, or the decorator, and where that was set."""
    if not isinstance(value, types.FunctionType):
        return f"disabled at {value._place}"
    found = next((pattern for pattern in patterns if pattern.matches(value)), None)
    return "disabled" if found is None else str(found)


def why_disallowed(reason: str) -> str:
    """The reason of a break; where an operation is disallowed, with the pattern that it matches."""
    name, told, _ = reason.removeprefix("uses ").partition(", which is disallowed")
    if not told:
        return reason
    import fnmatch

    found = next((each for each in disallowed if fnmatch.fnmatch(name, each[0])), None)
    return reason if found is None else reason.replace(told, f"{told} by {found[0]!r}, set at {found[1]}", 1)


def caller() -> str:
    """The line of the user's that said something, as "file.py:12"."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, functools.__file__)):
        frame = frame.f_back
    return "an unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
