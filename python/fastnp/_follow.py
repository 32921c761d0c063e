"""Functions that a compiled function calls, and that recordings break in: each is compiled by itself, and the frame calls that (see _parts.py).

A function that is made anew at each call is known by its code, and what it captures is handed to it as further arguments.
"""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Mapping
from typing import Any

from fastnp import _compile, _core, _syntax
from fastnp._bytecode import codes_of, instructions
from fastnp._loop_fields import in_class

__all__ = ["Followed", "key_of", "within"]

Key = tuple[str, str, int]  # of a code: its file, name and line

_ANONYMOUS = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def key_of(code: types.CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def within(frames: list[Any]) -> int:
    """Of the frames of a function and of what it calls: how many are its own expressions (comprehensions, lambdas) that have a call in them."""
    codes, count = codes_of(frames[0][0]), 0
    while count + 2 < len(frames) and frames[count + 1][0] in codes and frames[count + 1][0].co_name in _ANONYMOUS:
        count += 1
    return count


def _binds(code: types.CodeType, name: str) -> bool:
    """Whether code binds a variable of a function around it."""
    if name not in code.co_freevars:
        return False
    place = len({*code.co_varnames, *code.co_cellvars}) + code.co_freevars.index(name)  # by which instructions name it
    return any(each in ("STORE_DEREF", "DELETE_DEREF") and at == place for each, at in instructions(code))


def _stays(function: types.FunctionType, caller: types.CodeType) -> bool:
    """Whether no function beside it, in the one that makes it, changes what it captures."""
    code = function.__code__
    for maker in (caller, _maker_of(function)):
        inside = [] if maker is None else codes_of(maker)
        if code in inside:
            return not any(_binds(each, name) for each in inside[1:] for name in code.co_freevars)
    return False


def _maker_of(function: types.FunctionType) -> types.CodeType | None:
    """The code of the function that makes it, as its name tells."""
    first, *others = function.__qualname__.partition(".<locals>")[0].split(".")
    found: Any = function.__globals__.get(first)
    for name in others:
        found = getattr(found, name, None)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    code = getattr(found, "__code__", None)
    return code if isinstance(code, types.CodeType) else None


def _lifted(function: types.FunctionType, caller: types.CodeType) -> types.FunctionType | None:
    """The function with what it captures as its first parameters; None where that is not the same."""
    from fastnp._source import Source

    source, code = Source(function), function.__code__
    if source.tree is None or "__class__" in code.co_freevars or not _stays(function, caller):
        return None
    if any(isinstance(each, (ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)) for each in _syntax.walk(source.tree)):
        return None
    tree = _syntax.copied(source.tree)
    arguments = tree.args
    arguments.posonlyargs = [*(ast.arg(name) for name in code.co_freevars), *arguments.posonlyargs]
    _syntax.located(tree)
    return source.function_of(tree)


class Followed:
    """The functions that are followed, compiled."""

    def __init__(self, options: Mapping[str, Any], caller: types.CodeType | None) -> None:
        self.caller = caller
        self.options = {**options, "fullgraph": False, "dynamic": None, "name": None}
        self.keys: set[Key] = set()
        self.by_code: dict[types.CodeType, tuple[types.FunctionType, Any]] = {}  # one of them, and what is compiled for it, if anything

    def compiled(self) -> list[Any]:
        return [made for _, made in self.by_code.values() if made is not None]

    def follow(self, value: Any) -> Any:
        """A function that a recording broke in, compiled; what has one in it, with that; anything else as it is."""
        if type(value) is types.FunctionType:
            return self.function(value) if key_of(value.__code__) in self.keys else value
        if type(value) is types.MethodType:
            return self.method(value, value.__func__, value.__self__)
        if type(value) is functools.partial:
            made = self.follow(value.func)
            return value if made is value.func else functools.partial(made, *value.args, **value.keywords)
        if isinstance(value, type):
            return self.constructor(value)
        return self.method(value, in_class(type(value), "__call__"), value)

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``, whose property is followed."""
        found = in_class(type(value), name)
        if type(found) is property and type(found.fget) is types.FunctionType and key_of(found.fget.__code__) in self.keys:
            return self.function(found.fget)(value)
        return getattr(value, name)

    def method(self, value: Any, function: Any, instance: Any) -> Any:
        if type(function) is not types.FunctionType or key_of(function.__code__) not in self.keys:
            return value
        made = self.function(function)
        return value if made is function else types.MethodType(made, instance)

    def constructor(self, cls: Any) -> Any:
        """What makes an object of a class whose ``__init__`` is followed."""
        init = getattr(cls, "__init__", None)
        if type(cls) is not type or type(init) is not types.FunctionType or key_of(init.__code__) not in self.keys or cls.__new__ is not object.__new__:
            return cls
        made = self.function(init)

        def make(*args: Any, **kwargs: Any) -> Any:
            instance: Any = object.__new__(cls)
            if (given := made(instance, *args, **kwargs)) is not None:
                raise TypeError(f"__init__() should return None, not '{type(given).__name__}'")
            return instance

        return make

    def function(self, function: types.FunctionType) -> Any:
        """It compiled, or as it is."""
        code = function.__code__
        if code not in self.by_code:
            base = function if not _captures(code) else None if self.caller is None else _lifted(function, self.caller)
            made = None if base is None else _compile.compile(base, **self.options)
            if isinstance(made, _core.CompiledFunction):
                made._draw_on_caller()
            self.by_code[code] = function, made
        known, made = self.by_code[code]
        if made is None or not (known is function or _is_alike(known, function)):
            return function
        return self.with_cells(function, made) if _captures(code) else made

    @staticmethod
    def with_cells(function: types.FunctionType, made: Any) -> Any:
        try:
            captured = [cell.cell_contents for cell in function.__closure__ or ()]
        except ValueError:  # not bound yet
            return function
        if any(type(each) is types.FunctionType for each in captured):  # others at each call, perhaps
            return function
        return functools.partial(made, *captured)


def _captures(code: types.CodeType) -> bool:
    return code.co_freevars not in ((), ("__class__",))


def _is_alike(x: types.FunctionType, y: types.FunctionType) -> bool:
    """Whether functions of one code differ by what they capture alone, and that is not their class."""
    if x.__code__.co_freevars == ("__class__",) and _class_of(x) is not _class_of(y):
        return False
    return x.__globals__ is y.__globals__ and _are_same(x.__defaults__, y.__defaults__) and _are_same(x.__kwdefaults__, y.__kwdefaults__)


def _class_of(function: types.FunctionType) -> Any:
    try:
        return (function.__closure__ or (types.CellType(),))[0].cell_contents
    except ValueError:  # in its making
        return function


def _are_same(x: Any, y: Any) -> bool:
    """Whether defaults are the same: plain values by what they are."""
    if type(x) is tuple and type(y) is tuple and len(x) == len(y):
        return all(map(_are_same, x, y))
    return x is y or (type(x) is type(y) and type(x) in (int, float, str, bool) and x == y and repr(x) == repr(y))
