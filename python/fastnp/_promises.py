"""What callers of `pure` and `allow_in_graph` promise, checked: the same output for the same input, no writes, no errors that depend on data."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from fastnp import _control
from fastnp._values import copied, difference, is_array, leaves, saved_draws


class PromiseError(AssertionError):
    """A function that was declared `pure` or `allow_in_graph` does not keep what that promises."""


def _fail(name: str, what: str, error: BaseException | None = None) -> None:
    raise PromiseError(f"{name} {what}") from error


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", function))


def _check_written(name: str, before: Any, now: Any) -> None:
    found = difference(before, now, "its argument", 0)
    if found is not None:
        _fail(name, f"writes to its arguments, and promised not to: {found.told('before the call', 'after it')}")


def call(function: Callable[..., Any], take: Callable[[Any], Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function's result, of arguments that `take` makes for each of two calls."""
    name = _name(function)
    given = [take((args, kwargs)) for _ in range(2)]
    before = copied((args, kwargs))
    results = []
    for each in given:
        try:
            results.append(function(*each[0], **each[1]))
        except Exception as error:
            if isinstance(error, ValueError) and "read-only" in str(error):
                _fail(name, f"writes to its arguments, and promised not to: {error}", error)
            _fail(name, f"raises {type(error).__name__} for these values, and promised no error that depends on data: {error}", error)
        _check_written(name, before, each)
    _check_same(name, *results)
    return results[0]


def _check_same(name: str, first: Any, second: Any) -> None:
    found = difference(first, second, "its result", 0)
    if found is not None:
        _fail(name, f"gives another result for the same arguments, and promised not to: {found.told('at first', 'then')}")


class AllowedCalls:
    """Watches calls of functions that are `allow_in_graph` in what runs within. ``settle()`` calls them once more, and raises what is found."""

    def __init__(self) -> None:
        self.functions = {each.__code__: each for each in list(_control.allowed) if isinstance(each, types.FunctionType)}
        self.calls: list[tuple[Any, dict[str, Any], dict[str, Any], Any]] = []
        self.open: dict[types.FrameType, tuple[dict[str, Any], dict[str, Any]]] = {}
        self.thread = threading.get_ident()

    def __enter__(self) -> AllowedCalls:
        self.before = sys.getprofile()
        if self.functions:
            sys.setprofile(self.look)
        return self

    def __exit__(self, *error: object) -> None:
        if self.functions:
            sys.setprofile(self.before)
        self.open.clear()

    def look(self, frame: types.FrameType, event: str, argument: Any) -> None:
        function = self.functions.get(frame.f_code)
        if function is None:
            return
        if event == "call":
            code = frame.f_code
            count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
            given = {name: frame.f_locals[name] for name in code.co_varnames[:count] if name in frame.f_locals}
            self.open[frame] = given, copied(given)
        elif event == "return" and frame in self.open:
            given, before = self.open.pop(frame)
            self.calls.append((function, given, before, copied(argument)))

    def settle(self) -> None:
        for function, given, before, result in self.calls:
            name = _name(function)
            _check_written(name, before, given)
            args, kwargs = _passed(function.__code__, before)
            try:
                with saved_draws():
                    again = function(*args, **kwargs)
            except Exception as error:
                _fail(name, f"raises {type(error).__name__} when it is called once more with the same arguments: {error}", error)
            if any(is_array(each) or isinstance(each, (int, float, complex, str)) for _, each in leaves(result, "")):
                _check_same(name, result, again)


def _passed(code: types.CodeType, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments, by the local variables that they begin as."""
    count = code.co_argcount
    names = code.co_varnames
    args = [given[name] for name in names[:count]]
    kwargs = {name: given[name] for name in names[count : count + code.co_kwonlyargcount]}
    at = count + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        args += given[names[at]]
        at += 1
    if code.co_flags & 0x08:
        kwargs |= given[names[at]]
    return args, kwargs
