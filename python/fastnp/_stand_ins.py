"""What a recorded function meets in place of things that a recording can't hold: using them ends the recording (see _capture.py)."""

from __future__ import annotations

import builtins
import enum
import os
import sys
import types
from typing import Any

import numpy

from fastnp import _core
from fastnp._functions import ascontiguousarray, asfortranarray
from fastnp._homes import IMPURE_NUMPY, said
from fastnp._unknown import Unknown

# Values that are known by what they are: they are guarded by equality.
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented), numpy.dtype, numpy.generic, enum.Enum, range, slice)

_EXACT = frozenset(cls for cls in PLAIN if cls not in (numpy.dtype, numpy.generic, enum.Enum))


def is_value(value: Any) -> bool:
    """Whether it is known by what it is, and is nothing besides: those of the user's classes may have attributes."""
    return type(value) in _EXACT or (isinstance(value, (numpy.dtype, numpy.generic)) and type(value).__module__.partition(".")[0] == "numpy")


_PACKAGE = os.path.dirname(__file__)


def is_own_frame(frame: types.FrameType) -> bool:
    """Whether it is one of fastnp's, or of the import system's."""
    return frame.f_code.co_filename.startswith((_PACKAGE, "<frozen"))


def place() -> str:
    """The line of the user's that is running, as "file.py:12, in f"."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_own_frame(frame):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}, in {frame.f_code.co_qualname}"


def refuse(what: str) -> Any:
    """Ends the recording; with ``fullgraph=True``, which lists everything that would end it, goes on with something unknown."""
    met = _core._note_break(f"{what} ({place()})")
    return Unknown(met) if met else _core._refuse(what)


IMPURE_BUILTINS = {
    name: getattr(builtins, name)
    for name in "input open exec eval compile globals locals vars setattr delattr breakpoint __import__ memoryview id hash dir".split()
}

# Those of Python's own functions that a recorded function has others in place of, by whichever name it finds them.
_OWN = (isinstance, issubclass, type, print, len, sum, max, min, getattr, hasattr)
REPLACED = {id(function): function.__name__ for function in (*_OWN, *IMPURE_BUILTINS.values())}


def is_impure_numpy(value: Any) -> bool:
    """Whether it is one of these, or what fastnp has in its place, by whatever name it is found."""
    name = said(value, "__name__")
    return type(name) is str and name in IMPURE_NUMPY and getattr(numpy, name, None) in (value, getattr(value, "__wrapped__", None))


# NumPy's functions that make arrays from nothing: recorded, they make fastnp's, which know what is written into them.
CREATORS: dict[str, Any] = {name: getattr(_core, name) for name in _core._creators()}
CREATORS |= {"ascontiguousarray": ascontiguousarray, "asfortranarray": asfortranarray}


def _is_scalar(element: Any) -> bool:
    """numpy.isscalar, to which what stands for a number is one."""
    return _core._recorded_kind(element) == 2 or type(element) in (_core._Size, _core._Float) or numpy.isscalar(element)


class _ErrorState(numpy.errstate):
    """numpy.errstate, of which the recording is told."""

    def __init__(self, **modes: Any) -> None:
        super().__init__(**modes)
        whole = modes.get("all")
        said = {kind: modes.get(kind) or whole for kind in ("divide", "over", "under", "invalid")}
        self._modes: dict[str, str] = {kind: mode for kind, mode in said.items() if mode is not None}

    def __enter__(self) -> None:
        super().__enter__()
        _core._entered_errstate(self._modes)


CREATORS["errstate"] = _ErrorState
# Those that ask for the type of what they get.
CREATORS |= {"isscalar": _is_scalar, "bmat": lambda *_: refuse("uses numpy.bmat")}
CREATORS_BY_ID: dict[int, Any] = {id(getattr(numpy, name)): function for name, function in CREATORS.items()}

# The same of numpy.fft, by name.
FREQUENCIES = frozenset(["fftfreq", "rfftfreq"])


def frequencies(name: str) -> Any:
    """numpy.fft.<name> that takes sizes which vary."""
    from fastnp import _compositions, _fft  # where it is used

    def made(*args: Any, **kwargs: Any) -> Any:
        try:
            return getattr(_fft, name)(*args, **kwargs)
        except (_compositions.Unsupported, TypeError):  # NumPy has the words
            return getattr(numpy.fft, name)(*args, **kwargs)

    return made


class FourierModule(types.ModuleType):
    """numpy.fft, for the twin."""

    def __getattr__(self, name: str) -> Any:
        return frequencies(name) if name in FREQUENCIES else getattr(numpy.fft, name)


fourier_module = FourierModule("numpy.fft")

_NO_ARRAYS: tuple[type, ...] = (list, tuple, dict, set, str, bytes, type(None), type, types.FunctionType, range, slice)

# Python numbers that vary from call to call, and what they are.
NUMBERS: dict[type, type] = {_core._Size: int, _core._Float: float}


# The classes of twins of classes, and what they are twins of.
METACLASSES: dict[type, type] = {}


def stand_in_len(value: Any, /) -> Any:
    if type(value) is _core._NumberList:
        return _core._number_list_size(value)
    return value.shape[0] if _core._recorded_kind(value) and value.ndim else len(value)


def stand_in_sum(value: Any, /, *start: Any, **named: Any) -> Any:
    if type(value) is _core._NumberList and not start and not named:
        return _core._number_list_sum(value)
    return sum(value, *start, **named)


def stand_in_max(*values: Any, **named: Any) -> Any:
    if len(values) == 1 and type(values[0]) is _core._NumberList and not named:
        return _core._number_list_extreme(values[0], True)
    return max(*values, **named)


def stand_in_min(*values: Any, **named: Any) -> Any:
    if len(values) == 1 and type(values[0]) is _core._NumberList and not named:
        return _core._number_list_extreme(values[0], False)
    return min(*values, **named)


OWN_FOLDS = (stand_in_sum, stand_in_max, stand_in_min)  # which twins have by the names of Python's own


def _itself(value: Any) -> Any:
    return value


def stand_in_isinstance(value: Any, classes: Any) -> Any:
    if type(value) in NUMBERS:
        value = NUMBERS[type(value)]()  # any int or float
    kind = _core._recorded_kind(value)
    every = classes if type(classes) is tuple else (classes,)
    every = tuple(type if item is stand_in_type else getattr(type(item), "stands_for", _itself)(item) for item in every)
    if kind and not all(item in _NO_ARRAYS for item in every):
        if kind == 1 and _core.ndarray in every:  # NumPy's are of the class, too
            return True
        return refuse("asks whether an array is an instance of a class")
    return isinstance(value, every)


def stand_in_type(*args: Any, **kwargs: Any) -> Any:
    if len(args) == 1 and issubclass(type(args[0]), (Forbidden, Hidden)):
        return args[0]._refuse()
    if len(args) == 1 and type(args[0]) in NUMBERS:
        return NUMBERS[type(args[0])]
    if len(args) == 1 and type(args[0]) is _core._NumberList:
        return args[0].__class__
    if len(args) == 1 and _core._recorded_kind(args[0]):
        return refuse("asks for the type of an array")
    made = type(*args, **kwargs)
    return METACLASSES.get(made, made)


class Hidden:
    """Stands for an object, of whose type it is an instance, too, though not by its own type."""

    __slots__ = ()


class Forbidden:
    """Stands for something that can't be guarded: any use ends the recording."""

    __array_ufunc__ = None  # it takes the operators of arrays

    def __init__(self, what: str) -> None:
        object.__setattr__(self, "_what", what)

    def __getattribute__(self, name: str) -> Any:
        return refuse(object.__getattribute__(self, "_what"))

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        return type(self).__getattribute__(self, "")

    __call__ = __getitem__ = __setitem__ = __delitem__ = __iter__ = __len__ = __bool__ = __next__ = __contains__ = __setattr__ = __delattr__ = _refuse
    __enter__ = __exit__ = __int__ = __float__ = __index__ = __neg__ = __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __format__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __eq__ = __lt__ = __gt__ = __repr__ = __str__ = _refuse
    __hash__ = None  # type: ignore[assignment]


def forbidden(what: str, value: Any) -> Any:
    """In place of a thing. That of an exception can be raised, which is for the function as written, and is caught where this one is."""
    if not isinstance(value, BaseException):
        return Forbidden(what)
    cls: Any = type("Forbidden", (Forbidden, type(value)), {})
    made = cls.__new__(cls)
    Forbidden.__init__(made, what)
    return made


class Module(types.ModuleType):
    """A module as the twin sees it: attributes that are not guarded are not there."""

    _refuses: str

    def __getattribute__(self, name: str) -> Any:
        if name == "__dict__" and _core._is_recording() and not is_own_frame(sys._getframe(1)):
            return refuse("reads the dict of a module")
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        source = self.__dict__["_source"]
        if self.__dict__["_pure"]:
            if name == "random":
                from fastnp import _outside  # which imports this

                return _outside.random_module if source is numpy else getattr(source, name)
            if name == "fft" and source is numpy:
                return fourier_module
            if name in IMPURE_NUMPY:
                return refuse(f"uses numpy.{name}")
            return getattr(source, name)
        return refuse(f"reads {source.__name__}.{name} by a computed name")
