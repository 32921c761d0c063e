"""NumPy's own functions called with fastnp arrays: __array_ufunc__ and __array_function__ (python/protocols.cpp) ask here."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy

import fastnp
from fastnp import _core, _fallback

_native: dict[int, Any] = {}


def own_of(function: Any) -> Any:
    """fastnp's function in the place of NumPy's, or None."""
    key = id(function)
    if key not in _native:
        if not callable(function):
            raise TypeError(f"a {type(function).__name__} is no function of NumPy's")
        name = function.__name__
        home: types.ModuleType = fastnp
        if getattr(function, "__module__", "") == "numpy.linalg":
            home = fastnp.linalg
        known = vars(home).get(name)
        source = numpy.linalg if home is not fastnp else numpy
        same = getattr(source, name, None) is function
        _native[key] = (known if same and not hasattr(known, "__wrapped__") else None, function)
    return _native[key][0]


def own_method_of(ufunc: Any, method: str) -> Any:
    """The same for a ufunc, or a method of one."""
    own = own_of(ufunc)
    if own is None or method == "__call__":
        return own
    return getattr(own, method) if isinstance(own, _core.ufunc) else None


def other_ufunc(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    target = ufunc if method == "__call__" else getattr(ufunc, method)
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    return _fallback.run(target, name, inputs, kwargs)


def other_function(function: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    module = getattr(function, "__module__", "numpy").removeprefix("numpy").lstrip(".")
    return _fallback.run(function, f"{module}.{function.__name__}" if module else function.__name__, args, kwargs)
