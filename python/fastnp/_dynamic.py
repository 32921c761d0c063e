"""``dynamic=``: sizes that may vary, by name. What is wrong with it is an error at once; what a call lacks, at the call (python/named_sizes.cpp)."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_LARGEST = 2**63 - 1


def _is_whole(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(type(value), "__index__")


def _whole(name: str, what: str, value: Any) -> int:
    if not _is_whole(value):
        raise TypeError(f"the {what} of {name!r} is an int, not {value!r}")
    if abs(operator.index(value)) > _LARGEST:
        raise OverflowError(f"the {what} of {name!r} is no size: {value}")
    return operator.index(value)


class Dim:
    """A size that may vary without a new compilation, for `compile`'s ``dynamic``.

    Equal names mean equal sizes, at one call. Sizes out of bounds are compiled anew.

    Parameters
    ----------
    name : str
        Its name.
    low, high : int
        The least and the greatest size; from 0 on, and without a bound, unless given.
    multiple_of : int, default 1
        What the size is a multiple of.

    Raises
    ------
    TypeError
        For other names and sizes.
    ValueError
        Where no size is possible.

    See Also
    --------
    compile

    Examples
    --------
    >>> import fastnp as np
    >>> n = np.Dim("n", low=1)
    >>> f = np.compile(lambda x: x * 2, dynamic={"x": {0: n}})
    >>> f(np.ones(3)).shape, f(np.ones(5)).shape
    ((3,), (5,))
    >>> f.cache_info().compiles
    1
    """

    __slots__ = ("high", "low", "multiple_of", "name")

    def __init__(self, name: str, low: int = 0, high: int | None = None, *, multiple_of: int = 1) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a size is text, not {name!r}")
        self.name = name
        self.low = _whole(name, "least size", low)
        self.high = _LARGEST if high is None else _whole(name, "greatest size", high)
        self.multiple_of = _whole(name, "multiple_of", multiple_of)
        if self.multiple_of < 1:
            raise ValueError(f"multiple_of must be at least 1, not {multiple_of}")
        if self.low > self.high:
            raise ValueError(f"Dim({name!r}, {low}, {high}): the least size is above the greatest")
        if self.high < 0 or self.high // self.multiple_of * self.multiple_of < self.low:
            raise ValueError(f"{self!r} has no size")

    def __repr__(self) -> str:
        return f"Dim({self.name!r}, {self.low}, {self.high}, multiple_of={self.multiple_of})"


class Named(NamedTuple):
    """A size of an argument, as the core takes it. `is_own`: nobody named it, so of several arrays each has its own."""

    argument: str
    name: str
    low: int
    high: int
    multiple_of: int
    is_own: bool


class _Parameters:
    """What the arguments of a function are called. Their numbers are those of the core: the names, then the extra positional arguments."""

    def __init__(self, function: Any) -> None:
        self.title = str(getattr(function, "__qualname__", type(function).__qualname__))
        code = getattr(function, "__code__", None)
        if code is not None:
            self.positional = code.co_argcount
            self.names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
            self.takes_more, self.takes_names = bool(code.co_flags & 0x04), bool(code.co_flags & 0x08)
            self.first_extra = len(self.names)
            return
        self.positional, self.names, self.first_extra = 0, [], 0
        self.takes_more = self.takes_names = True
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):  # nothing is known of it
            return
        kinds = [each.kind for each in parameters]
        self.names = [each.name for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
        self.positional = len(self.names)
        self.takes_more, self.takes_names = inspect.Parameter.VAR_POSITIONAL in kinds, inspect.Parameter.VAR_KEYWORD in kinds

    def number_of(self, argument: Any) -> int:
        if isinstance(argument, str):
            if argument in self.names:
                return self.names.index(argument)
            if self.takes_names:
                return 1 << 30  # among the keywords
            raise ValueError(f"dynamic= names {argument!r}, which is no parameter of {self.title}: it has {', '.join(map(repr, self.names)) or 'none'}")
        if not _is_whole(argument):
            raise TypeError(f"dynamic= names arguments by their names or numbers, not {argument!r}")
        argument = operator.index(argument)
        if 0 <= argument < (self.positional if self.takes_more else len(self.names)):
            return argument
        if argument >= 0 and self.takes_more:
            return argument - self.positional + self.first_extra if self.first_extra else argument
        raise IndexError(f"dynamic= names argument {argument} of {self.title}, which takes {len(self.names)}")


def _axes(argument: Any, value: Any) -> list[tuple[Any, Any]]:
    """(axis, size)"""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, bool) or _is_whole(value):
        return [(value, None)]
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [(axis, None) for axis in value]
    raise TypeError(f"dynamic= gives for argument {argument!r} no axis, axes, or dict of axes and sizes, but {value!r}")


def _dim(place: tuple[Any, int], size: Any) -> tuple[Dim, bool]:
    argument, axis = place
    if not _is_whole(axis):
        raise TypeError(f"dynamic= names axis {axis!r} of argument {argument!r}: an axis is an int")
    if abs(operator.index(axis)) > _LARGEST:
        raise OverflowError(f"dynamic= names axis {axis} of argument {argument!r}: no array has that many")
    if size is None:
        return Dim(f"n{place[0]}_{place[1]}"), True
    if isinstance(size, str):
        return Dim(size), False
    if isinstance(size, Dim):
        return size, False
    raise TypeError(f"dynamic= gives as the size of axis {place[1]} of argument {place[0]!r} no Dim, name or None, but {size!r}")


def check(dynamic: Any) -> None:
    """TypeError for what is no value of dynamic=."""
    if dynamic is not None and not isinstance(dynamic, (bool, Mapping)):
        raise TypeError(f"dynamic= is True, False, None, or a dict that names arguments and axes, not {dynamic!r}")


def named_sizes(dynamic: Mapping[Any, Any] | None, function: Any) -> dict[tuple[int, int], Named]:
    """{(argument, axis): size}, or {argument: axis, axes, or {axis: size}}, where an argument is a number or a name and a size a Dim or a name."""
    flat: dict[tuple[int, int], Named] = {}
    parameters = _Parameters(function) if dynamic else None
    for key, value in (dynamic or {}).items():
        assert parameters is not None
        if isinstance(key, tuple) and len(key) != 2:
            raise TypeError(f"dynamic= names (argument, axis), not {key!r}")
        argument, axes = (key[0], [(key[1], value)]) if isinstance(key, tuple) else (key, _axes(key, value))
        number = parameters.number_of(argument)
        for axis, size in axes:
            dim, is_own = _dim((argument, axis), size)
            shown = argument if isinstance(argument, str) else parameters.names[number] if number < len(parameters.names) else str(argument)
            named = Named(shown, dim.name, dim.low, dim.high, dim.multiple_of, is_own)
            if flat.setdefault((number, operator.index(axis)), named)[1:] != named[1:]:
                other = flat[number, operator.index(axis)].name
                raise ValueError(f"dynamic= names axis {axis} of argument {shown!r} twice, {other!r} and {dim.name!r}")
    return flat
