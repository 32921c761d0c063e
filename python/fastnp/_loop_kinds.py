"""The kinds of values that a loop is handed: what a program is written for, and what is compared at calls."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy

from fastnp import _core
from fastnp._loop_draws import is_generator
from fastnp._loop_lists import kinds_of_items
from fastnp._loop_nested import kind_of_table
from fastnp._loop_program import is_numbers_dtype, kind_of_number
from fastnp._loop_values import UNBOUND

__all__ = [
    "PLAIN", "axes_of_one", "expected", "has_lines", "is_array_object", "is_bare_function", "is_tuple_of_numbers", "is_writeable", "kind_of",
    "kinds_of_tuple", "numbers_of_tuple", "twins_of",
]  # fmt: skip

_MOST_NUMBERS = 64  # of a tuple that is taken apart
PLAIN: Any = (type(None), str, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, numpy.ufunc, type(_core.exp))


def is_array_object(value: Any) -> bool:
    return type(value) is numpy.ndarray or type(value) is _core.ndarray


def has_lines(value: Any) -> bool:
    return value.ndim > 0 and value.strides[-1] == value.itemsize


def axes_of_one(value: Any) -> int:
    """Bits of the axes of one element, which are alike to all sizes of others: of rows and columns. (Vectors are as long as they are by chance.)"""
    return sum(1 << axis for axis, size in enumerate(value.shape) if size == 1) if value.ndim > 1 else 0


def is_writeable(value: Any) -> bool:
    return bool(value.flags.writeable)


def is_tuple_of_numbers(value: Any) -> bool:
    return type(value) is tuple and 0 < len(value) <= _MOST_NUMBERS and all(kind_of_number(each) is not None for each in value)


def kinds_of_tuple(value: Any) -> Any:
    """The kinds of the numbers of a tuple, in tuples where it has some; None where there is anything else in it."""
    if type(value) is not tuple:
        return kind_of_number(value)
    found = tuple(map(kinds_of_tuple, value))
    return found if found and all(each is not None for each in found) and _count(found) <= _MOST_NUMBERS else None


def _count(kinds: Any) -> int:
    return sum(map(_count, kinds)) if type(kinds) is tuple else 1


def numbers_of_tuple(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where the numbers of a tuple lie."""
    if type(value) is not tuple:
        yield path
        return
    for number, each in enumerate(value):
        yield from numbers_of_tuple(each, (*path, number))


def is_bare_function(value: Any) -> bool:
    """Whether it is a function that is its code alone, and what it captures."""
    if type(value) is not types.FunctionType or value.__dict__:
        return False
    return value.__defaults__ is None and value.__kwdefaults__ is None and "__class__" not in value.__code__.co_freevars


def _is_record(dtype: Any) -> bool:
    return dtype.names is not None and all(is_numbers_dtype(dtype.fields[name][0]) for name in dtype.names)


def kind_of(value: Any) -> Any:
    """What a program is written for; None where there is none."""
    kind = kind_of_number(value)
    if kind is not None:
        return kind
    if is_array_object(value):
        dtype = value.dtype
        is_elsewhere = type(value) is _core.ndarray and value.device != "cpu"  # its elements may be lent as a copy, and writes be lost
        if not (is_numbers_dtype(dtype) or _is_record(dtype)) or is_elsewhere:
            return None
        known = id(dtype) if dtype.names is None else ("record", dtype)
        return type(value), known, value.ndim, has_lines(value), is_writeable(value), axes_of_one(value)
    if is_generator(value):
        return "generator", type(value)
    if type(value) is list:
        found = kinds_of_items(value)
        if found is None:
            return "passed" if (kind := kind_of_table(value)) is None else ("table", kind)
        return "list", found
    if is_bare_function(value):  # one that is made anew at each call is the same, but for what it captures
        return "function", value.__code__, id(value.__globals__)
    if isinstance(value, PLAIN):
        return ("text", value) if type(value) is str else ("is", id(value))
    if value is UNBOUND:
        return ("is", id(value))
    found = kinds_of_tuple(value) if type(value) is tuple else None
    return "passed" if found is None else ("tuple", *found)


def twins_of(values: Iterable[Any]) -> tuple[tuple[int, int], ...]:
    """The places of functions that are one object: what they capture is looked up by the first of them."""
    first: dict[int, int] = {}
    places = [(first.setdefault(id(value), place), place) for place, value in enumerate(values) if is_bare_function(value)]
    return tuple(each for each in places if each[0] != each[1])


def expected(value: Any) -> tuple[Any, ...]:
    """What `_LoopCall` compares a value with."""
    if is_array_object(value):
        return type(value), value.dtype, value.ndim, has_lines(value), is_writeable(value), axes_of_one(value)
    if kind_of_number(value) is not None or is_generator(value):
        return type(value), None
    if is_tuple_of_numbers(value):
        return tuple, tuple(map(type, value))
    if is_bare_function(value):
        return types.FunctionType, value
    return (value,) if isinstance(value, PLAIN) or value is UNBOUND else ()
