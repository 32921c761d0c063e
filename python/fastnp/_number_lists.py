"""NumPy's functions of lists of numbers whose lengths vary (`_core._NumberList`): of the arrays that NumPy would make of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastnp import _core


def _as_arrays(value: Any) -> Any:
    kind = type(value)
    if kind is _core._NumberList:
        return _core._NumberList._elements(value)
    if kind in (list, tuple):
        return kind(map(_as_arrays, value))
    return {key: _as_arrays(each) for key, each in value.items()} if kind is dict else value


def array_function(function: Callable[..., Any], _types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*_as_arrays(args), **_as_arrays(kwargs))


def array_ufunc(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    return getattr(ufunc, method)(*_as_arrays(inputs), **_as_arrays(kwargs))
