"""Calls of compiled functions that are looked at: compared with the function as written, or told of where an index is out of bounds."""

from __future__ import annotations

import re
import threading
import types
from typing import Any

import numpy

from fastnp import _control, _watching
from fastnp._compiled_functions import name_of
from fastnp._fallback import check_unrecorded
from fastnp._promises import AllowedCalls
from fastnp._values import copied, difference, is_array, line_of, saved_draws, users_frame


class MismatchError(AssertionError):
    """A compiled function and the function as written gave different results. Its attribute `difference` says where."""

    difference: Any = None


class Check:
    """The context that `debug.check` gives."""

    def __init__(self, every: int, ulp: float) -> None:
        self.every = every
        self.ulp = ulp
        self.counts: dict[int, int] = {}
        self.local = threading.local()

    def __enter__(self) -> Check:
        check_unrecorded("debug.check")
        _control.checks_promises += 1
        _watching.add(self._call)
        return self

    def __exit__(self, *error: object) -> None:
        _watching.remove(self._call)
        _control.checks_promises -= 1

    def _call(self, function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(self.local, "busy", False):
            return forward(*args, **kwargs)
        count = self.counts.get(id(function), 0) + 1
        self.counts[id(function)] = count
        self.local.busy = True
        try:
            return self._compared(function, forward, args, kwargs) if count % self.every == 0 else forward(*args, **kwargs)
        finally:
            self.local.busy = False

    def _compared(self, function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = copied((args, kwargs))
        raised: Exception | None = None
        with saved_draws():
            wanted, error, allowed = _as_written(function.__wrapped__, given)
        try:
            result = forward(*args, **kwargs)
        except Exception as caught:
            if error is None:
                raise MismatchError(f"{name_of(function)} raises {type(caught).__name__} compiled, and nothing as written: {caught}") from caught
            raised = caught
        allowed.settle()
        if raised is not None:
            if type(raised) is not type(error):
                raise MismatchError(f"{name_of(function)} raises {type(raised).__name__} compiled, and {type(error).__name__} as written") from raised
            raise raised
        if error is not None:
            raise MismatchError(f"{name_of(function)} raises {type(error).__name__} as written, and nothing compiled: {error}") from error
        for path, now, then in (("the result", result, wanted), ("the arguments", (args, kwargs), given)):
            found = difference(now, then, path, self.ulp)
            if found is not None:
                mismatch = MismatchError(f"{name_of(function)}: {found.told('compiled', 'as written')}")
                mismatch.difference = found
                raise mismatch
        return result


def _as_written(function: Any, given: Any) -> tuple[Any, Exception | None, AllowedCalls]:
    """What it gives, what it raises, and the calls in it of functions that promised something."""
    allowed = AllowedCalls()
    with _control.as_written(), allowed, numpy.errstate():
        try:
            return function(*given[0], **given[1]), None, allowed
        except Exception as error:  # noqa: BLE001  # the compiled function is to raise it, too
            return None, error, allowed


_NAME = re.compile(r"[A-Za-z_]\w*")


class Bounds:
    """The context that `debug.bounds` gives."""

    def __enter__(self) -> Bounds:
        check_unrecorded("debug.bounds")
        self.thread = threading.get_ident()
        _watching.add(self._call)
        return self

    def __exit__(self, *error: object) -> None:
        _watching.remove(self._call)

    def _call(self, function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if threading.get_ident() != self.thread:
            return forward(*args, **kwargs)
        try:
            return forward(*args, **kwargs)
        except IndexError as error:
            note = _where(error)
            if note and note not in getattr(error, "__notes__", []):
                error.add_note(note)
            raise


def _where(error: IndexError) -> str:
    """The line, and what of it is known: sizes of arrays, values of indices."""
    found = users_frame(error)
    if found is None:
        return ""
    frame, number = found
    line = line_of(frame.f_code, number)
    names = dict.fromkeys(_NAME.findall(line.rpartition(frame.f_code.co_qualname + ": ")[2]))
    told = [f"{name} {_said(value)}" for name in names if (value := _value(frame, name)) is not None]
    return f"at {line}" + (f" ({'; '.join(told)})" if told else "")


def _value(frame: types.FrameType, name: str) -> Any:
    value = frame.f_locals.get(name)
    return value if isinstance(value, (int, list, tuple)) or is_array(value) else None


def _said(value: Any) -> str:
    if is_array(value) and value.ndim:
        few = f", {numpy.asarray(value).tolist()}" if value.size <= 8 and value.dtype.kind in "iub" else ""
        return f"has shape {tuple(value.shape)}{few}"
    return f"has {len(value)} items" if isinstance(value, (list, tuple)) else f"is {value}"
