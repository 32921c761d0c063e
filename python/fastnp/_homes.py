"""Whose a module, a function or a class is: Python's and NumPy's own, the user's, or of the world outside; and what kinds of classes there are."""

from __future__ import annotations

import os
import sys
import types
from typing import Any

# NumPy's functions that depend on files or on settings, or change them.
IMPURE_NUMPY = frozenset(
    """set_printoptions get_printoptions printoptions seterr geterr seterrcall geterrcall setbufsize getbufsize load loadtxt genfromtxt fromfile
    fromregex memmap save savez savez_compressed savetxt""".split()
)

# Modules whose functions depend on nothing but their arguments. numpy.random is looked for by name.
_PURE = frozenset(
    """builtins math cmath operator _operator functools _functools itertools collections typing types enum abc numbers dataclasses copy fractions
    string statistics numpy fastnp __future__ contextlib re""".split()
)
# Those of Python's own modules whose functions and objects are followed as if they were the user's.
_FOLLOWED = frozenset(["argparse", "heapq", "bisect", "random", "graphlib", "colorsys", "reprlib"])


def is_pure(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in _PURE


def is_pure_import(module: str, code: types.CodeType) -> bool:
    """Whether a function with such code may import a module while it is recorded."""
    return is_pure(module) and "random" not in code.co_names and IMPURE_NUMPY.isdisjoint(code.co_names)


def home_of(value: Any) -> str | None:
    """The module that a function or a class was made in, whatever it says: `functools.wraps` and metaclasses have it say another."""
    if isinstance(value, types.FunctionType):
        return value.__globals__.get("__name__")
    module = value.__module__
    if isinstance(value, type) and value.__flags__ & HEAP_TYPE and is_pure(module):
        found: Any = sys.modules.get(module)
        for part in value.__qualname__.split("."):
            found = getattr(found, part, None)
        return module if found is value else None
    return module


def is_own(value: Any) -> bool:
    """Whether a function or a class is Python's, NumPy's or fastnp's own."""
    return is_pure(home_of(value)) and is_pure(value.__module__)


_outside: dict[str, bool] = {}


def is_outside(package: str) -> bool:
    """Whether a package is one of Python's that deal with the world outside (files, clocks, threads, logs), or is installed."""
    if package not in _outside:
        if package in _PURE or package in _FOLLOWED:
            _outside[package] = False
        elif package in sys.stdlib_module_names:
            _outside[package] = True
        else:
            file = getattr(sys.modules.get(package), "__file__", None) or ""
            _outside[package] = not {"site-packages", "dist-packages"}.isdisjoint(file.split(os.sep))
    return _outside[package]


class _Plain:
    pass


HEAP_TYPE, _BASE_TYPE = 1 << 9, 1 << 10


def said(value: Any, name: str) -> Any:
    """An attribute, or None where a `__getattr__` of the user's would be asked for it, which may do what it wants."""
    cls = type(value)
    return None if cls.__flags__ & HEAP_TYPE and hasattr(cls, "__getattr__") else getattr(value, name, None)


_HOOKS = ("__init_subclass__", "__getattribute__", "__del__", "__set_name__", "__prepare__")


def is_plain(cls: type) -> bool:
    """Whether a class is what its dict says, and nothing besides: written in Python, without slots, hooks and a metaclass of its own."""
    flags = cls.__flags__
    if not flags & HEAP_TYPE or not flags & _BASE_TYPE or vars(cls).get("__slots__") or any(name in vars(cls) for name in _HOOKS):
        return False
    room = max(base.__basicsize__ for base in cls.__bases__) + _Plain.__basicsize__ - object.__basicsize__
    return cls.__basicsize__ <= room and (type(cls) is type or type(cls).__module__ == "abc")


def is_walkable(cls: type) -> bool:
    """Whether instances are nothing but their attributes, so that a copy can stand for one."""
    return all(base is object or home_of(base) in ("typing", "abc") or is_plain(base) for base in cls.__mro__)


def is_record(cls: type) -> bool:
    """Whether it is a named tuple without methods of the user's."""
    made = ("__new__", "_make", "_replace", "__repr__", "_asdict", "__getnewargs__", "__replace__")
    if cls.__bases__ != (tuple,) or "_fields" not in vars(cls):
        return False
    return all(name in made or not isinstance(getattr(item, "__func__", item), (types.FunctionType, property)) for name, item in vars(cls).items())


def package_of(value: Any) -> str:
    """The package that a module, a function, or an array is from."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
    else:
        name = value.__module__ if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)) else type(value).__module__
    return str(name).partition(".")[0]
