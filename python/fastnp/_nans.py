"""Where the first NaN or infinity comes from: a function is run once more as written, and watched."""

from __future__ import annotations

import sys
import threading
import types
from typing import Any

import numpy

from fastnp import _core, _watching
from fastnp._compiled_functions import name_of
from fastnp._control import as_written
from fastnp._fallback import check_unrecorded
from fastnp._values import copied, is_array, is_users, leaves, line_of, nan_or_inf, on_host, saved_draws, users_frame

_MOST_ELEMENTS = 10**8  # that are looked at in a run, of arrays that may have been written to


class _Lines:
    """Looks at the local variables of the user's functions after each line."""

    def __init__(self, kinds: tuple[bool, bool]) -> None:
        self.kinds = kinds  # NaN, infinity: which are looked for
        self.found: tuple[bool, str] | None = None  # whether it is a NaN, and where
        self.lines: dict[types.FrameType, tuple[int, dict[str, int]]] = {}
        self.looked = 0

    def __enter__(self) -> _Lines:
        self.before = sys.gettrace()
        sys.settrace(self.begin)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self.before)
        self.lines.clear()

    def begin(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if self.found is not None or not is_users(frame.f_code):
            return None
        self.lines[frame] = frame.f_lineno, {name: id(value) for name, value in frame.f_locals.items()}
        return self.look

    def look(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if self.found is not None or frame not in self.lines:
            return None
        line, known = self.lines[frame]
        for name, value in frame.f_locals.items():
            if known.get(name) != id(value) or self.may_be_written(value):
                self.check(frame, line, f"in {name!r}", value)
            known[name] = id(value)
        if event == "return":
            self.check(frame, line, "in what it returns", argument)
        self.lines[frame] = frame.f_lineno, known
        return self.look

    def may_be_written(self, value: Any) -> bool:
        if not is_array(value) or self.looked > _MOST_ELEMENTS:
            return False
        self.looked += value.size
        return True

    def check(self, frame: types.FrameType, line: int, where: str, value: Any) -> None:
        try:
            has = nan_or_inf(value)
        except TypeError:  # an array of a transform, which has no elements of its own
            return
        for number, what in enumerate(("a NaN", "an infinity")):
            if self.found is None and self.kinds[number] and has[number]:
                self.found = number == 0, f"{what} {where}, after {line_of(frame.f_code, line)}"


def _new(before: tuple[bool, bool], now: tuple[bool, bool], infs: bool) -> tuple[bool, bool]:
    return now[0] and not before[0], infs and now[1] and not before[1]


def _place(kinds: tuple[bool, bool], result: Any) -> str:
    what = "a NaN" if kinds[0] else "an infinity"
    for path, value in leaves(result, "the result"):
        if nan_or_inf(value)[0 if kinds[0] else 1]:
            return f"{path} has {what}"
    return f"an argument has {what} now"


def _told(function: Any, args: Any, kwargs: Any, kinds: tuple[bool, bool], infs: bool) -> tuple[str, BaseException | None]:
    """What made the first one, in words, and the error that says so."""
    modes: dict[str, Any] = {"invalid": "raise", "divide": "raise" if infs else "ignore", "over": "raise" if infs else "ignore"}
    error: BaseException | None = None
    lines = _Lines((True, infs))
    args, kwargs = on_host((args, kwargs))  # which tells of floating-point errors; devices do not
    scope = _core._DeviceScope("cpu") if _core._current_device() != "cpu" else None
    try:
        with as_written(), saved_draws(), numpy.errstate(**modes), lines:
            again = function(*args, **kwargs)
    except FloatingPointError as raised:
        error = raised
    except Exception as raised:  # noqa: BLE001  # the call itself went well
        return f"run as written, it raises {type(raised).__name__}: {raised}", raised
    finally:
        del scope
    if lines.found is not None and (lines.found[0] or error is None):
        return lines.found[1], error
    if error is not None:
        frame = users_frame(error)
        return f"{error}, at {line_of(frame[0].f_code, frame[1]) if frame else 'an unknown line'}", error
    if not any(_new((False, False), nan_or_inf((again, args, kwargs)), infs)):
        return "run as written, it gives none: np.debug.check() says where it differs", None
    return "no operation of its own made it: it is a derivative's, or lies in what the function reads", None


class Nans:
    """The context that `debug.nans` gives."""

    def __init__(self, infs: bool) -> None:
        self.infs = infs
        self.thread = 0
        self.busy = False
        self.state: numpy.errstate | None = None

    def __enter__(self) -> Nans:
        check_unrecorded("debug.nans")
        if self.state is not None:
            raise RuntimeError("this nans() is open: make another one")
        self.thread = threading.get_ident()
        self.state = self._state() if _core._current_device() == "cpu" else numpy.errstate()
        self.state.__enter__()
        _watching.add(self._call)
        return self

    def _state(self) -> numpy.errstate:
        more: dict[str, Any] = {"divide": "raise", "over": "raise"} if self.infs else {}
        return numpy.errstate(invalid="raise", **more)

    def __exit__(self, *error: Any) -> None:
        _watching.remove(self._call)
        assert self.state is not None
        self.state.__exit__(*error)
        self.state = None

    def _call(self, function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.busy or threading.get_ident() != self.thread:
            return forward(*args, **kwargs)
        self.busy = True
        try:
            return self._checked(function, forward, args, kwargs)
        finally:
            self.busy = False

    def _checked(self, function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        kept = copied((args, kwargs))
        before = nan_or_inf((args, kwargs))
        with numpy.errstate(all="ignore"):
            result = forward(*args, **kwargs)
        kinds = _new(before, nan_or_inf((result, args, kwargs)), self.infs)
        if not any(kinds):
            return result
        text, error = _told(function.__wrapped__, kept[0], kept[1], kinds, self.infs)
        raise FloatingPointError(f"{name_of(function)}: {_place(kinds, result)}; {text}") from error


class Decorator:
    """A context that may be entered often, and decorates functions."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self._local = threading.local()

    def __enter__(self) -> Any:
        made = self._make()
        made.__enter__()
        vars(self._local).setdefault("open", []).append(made)
        return made

    def __exit__(self, *error: Any) -> None:
        self._local.open.pop().__exit__(*error)

    def __call__(self, function: Any) -> Any:
        import functools

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self._make():
                return function(*args, **kwargs)

        return within
