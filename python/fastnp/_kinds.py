"""What kinds of things there are for a recorded function: what it may use as it is, what has a twin, what ends the recording (see _reads.py)."""

from __future__ import annotations

import functools
import types
import weakref
from typing import Any

import numpy

from fastnp import _control, _core
from fastnp._homes import HEAP_TYPE, home_of, is_outside, is_own, is_pure, is_record, is_walkable, said
from fastnp._outside import is_generator, is_maker
from fastnp._questions import is_unchanging, own_attributes
from fastnp._stand_ins import PLAIN, REPLACED, is_impure_numpy, is_value


def is_copier(value: Any) -> bool:
    """Whether it is a function of Python's that reads all that is in an object, by no name."""
    return type(value) is types.FunctionType and value.__module__ == "copy" and value.__name__ in ("copy", "deepcopy") and is_own(value)


def _is_outside(module: str | None, package: str) -> bool:
    """Whether using what is from there ends a recording: it is not of the function's own package, and of none that is followed."""
    home = (module or "").partition(".")[0]
    return home != package and is_outside(home)


def kind_of(value: Any, package: str) -> str:
    """What becomes of it in a recorded function; `package`: the function's own."""
    cls = type(value)
    if id(value) in REPLACED:
        return "builtin"
    if isinstance(value, PLAIN):
        return "value" if is_unchanging(value) else "forbidden"
    if is_generator(value):
        return "generator"
    if is_generator(said(value, "__self__")):
        return "draw"
    if is_impure_numpy(value):
        return "forbidden"
    if is_maker(value):
        return "same"
    if cls is types.BuiltinFunctionType and value.__module__ == "math":
        return "math"
    if isinstance(value, numpy.ufunc) and value.__name__.endswith("(vectorized)"):  # numpy.frompyfunc's
        return "forbidden"
    if isinstance(value, (_core.ufunc, _core._Function, numpy.ufunc)):
        return "same"
    if cls in (tuple, frozenset):
        return "tuple"
    if cls in (list, dict, set):
        return cls.__name__
    if is_record(cls):
        return "record"
    if cls is _control.Disabled:
        return "disabled"
    if cls is _control.Pure:
        return "same"
    if isinstance(value, _control.Transformed):
        return "transformed"
    if is_copier(value):
        return "copier"
    if cls is types.FunctionType:
        if value in _control.allowed or is_own(value):
            return "same"
        if _is_outside(home_of(value), package):
            return "forbidden"
        return "disabled" if _control.is_disabled(value) else "function"
    if cls is types.MethodType:
        return "method"
    if cls is _core.CompiledFunction:
        return "forbidden" if own_attributes(value) else "compiled"
    if cls is functools.partial:
        return "partial"
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        if is_own(value):
            return "same"
        is_written = value.__flags__ & HEAP_TYPE and is_own(type(value))  # in Python, without a metaclass of the user's
        return "class" if is_written and not _is_outside(home_of(value), package) else "forbidden"
    if callable(value) and not hasattr(value, "__dict__"):
        bound = getattr(value, "__self__", None)
        if isinstance(bound, types.ModuleType) or bound is None:
            home = getattr(value, "__module__", None) or getattr(value, "__objclass__", cls).__module__
            return "same" if is_pure(home) and not isinstance(value, weakref.ref) else "forbidden"
        return "same" if is_value(bound) or isinstance(bound, type) else "forbidden"
    if cls.__module__ == "numpy" and callable(value):  # numpy's array functions
        return "same"
    return "object" if is_walkable(cls) and hasattr(value, "__dict__") and not _is_outside(cls.__module__, package) else "forbidden"
