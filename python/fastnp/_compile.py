"""The decorator ``compile``. The calls themselves are C++ (python/compiled_call.cpp)."""

from __future__ import annotations

import functools
import importlib
import types
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from fastnp._core import CompiledFunction

# As functools.lru_cache's, with the number of compilations and of calls that ran as written.
CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize", "compiles", "uncompiled"])


class Dim:
    """A size that may vary from `low` to `high` without a new compilation; equal names mean equal sizes."""

    __slots__ = ("high", "low", "name")

    def __init__(self, name: str, low: int = 0, high: int | None = None) -> None:
        self.name = name
        self.low = low
        self.high = 2**63 - 1 if high is None else high

    def __repr__(self) -> str:
        return f"Dim({self.name!r}, {self.low}, {self.high})"


def _flat_dynamic(dynamic: Mapping[Any, Any] | None, function: Any) -> dict[tuple[int, int], tuple[str, int, int]]:
    """{(argument, axis): size}, or {argument: axis, axes, or {axis: size}}, where an argument is a number or a name and a size a Dim or a name."""
    flat: dict[tuple[int, int], tuple[str, int, int]] = {}
    names = function.__code__.co_varnames if hasattr(function, "__code__") else ()
    for key, value in (dynamic or {}).items():
        if isinstance(key, tuple):
            sizes = {key: value}
        else:
            argument = names.index(key) if isinstance(key, str) else key
            if isinstance(value, int):
                value = (value,)
            axes = value if isinstance(value, Mapping) else dict.fromkeys(value)
            sizes = {(argument, axis): size for axis, size in axes.items()}
        for place, size in sizes.items():
            if size is None or isinstance(size, int):
                size = Dim(f"n{place[0]}_{place[1]}")
            elif isinstance(size, str):
                size = Dim(size)
            flat[place] = (size.name, size.low, size.high)
    return flat


def compile(
    function: Callable[..., Any] | None = None,
    /,
    *,
    backend: str = "llvm",
    dynamic: Mapping[Any, Any] | None = None,
    fullgraph: bool = False,
    name: str | None = None,
    cache_size_limit: int = 256,
) -> Any:
    """Compiles a function over arrays on first use and keeps it per kind of argument; ``@compile`` or ``@compile(backend="eager")``.

    The compiled function gives what the function as written would give. NumPy arrays in give NumPy arrays out, fastnp arrays in give fastnp arrays
    out. What can't be compiled runs as written (an error with ``fullgraph=True``); ``explain(f)(*args)`` says why. ``cache_size_limit`` compilations
    are kept; beyond it the one that was not called for longest goes.
    """
    if function is None:
        return functools.partial(compile, backend=backend, dynamic=dynamic, fullgraph=fullgraph, name=name, cache_size_limit=cache_size_limit)
    options: dict[str, Any] = {
        "backend": backend,
        "dynamic": dynamic,
        "fullgraph": fullgraph,
        "name": name,
        "cache_size_limit": cache_size_limit,
    }
    if isinstance(function, CompiledFunction):
        function = function.__wrapped__
    if isinstance(function, types.MethodType):
        return compile(function.__func__, **options).__get__(function.__self__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(compile(function.__func__, **options))
    title = name or str(getattr(function, "__name__", type(function).__name__))
    compiled = CompiledFunction(function, backend, _flat_dynamic(dynamic, function), fullgraph, title, cache_size_limit)
    for attribute in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(function, attribute):
            setattr(compiled, attribute, getattr(function, attribute))
    vars(compiled).update(getattr(function, "__dict__", {}))
    vars(compiled)["_options"] = options
    return compiled


def _restore(module: str, qualified_name: str, options: dict[str, Any]) -> Any:
    found: Any = importlib.import_module(module)
    for part in qualified_name.split("."):
        found = getattr(found, part)
    return found if isinstance(found, CompiledFunction) else compile(found, **options)


def reduce(compiled: Any) -> Any:
    return _restore, (compiled.__module__, compiled.__qualname__, vars(compiled)["_options"])
