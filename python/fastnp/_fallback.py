"""Functions that only NumPy has: run on views of the arrays, their results taken over without a copy, and counted."""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core

counts: dict[str, int] = {}


class FallbackError(RuntimeError):
    """FASTNP_FALLBACK=error, and a function that fastnp leaves to NumPy was called."""


class FallbackWarning(UserWarning):
    """FASTNP_FALLBACK=warn, and a function that fastnp leaves to NumPy was called."""


def _count(name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
    mode = os.environ.get("FASTNP_FALLBACK")
    if mode == "error":
        raise FallbackError(f"numpy.{name} is not fastnp's own: it would run in NumPy (FASTNP_FALLBACK=error)")
    if mode == "warn":
        warnings.warn(f"numpy.{name} runs in NumPy", FallbackWarning, stacklevel=4)


def to_numpy(value: Any, originals: dict[int, Any]) -> Any:
    """The value with views for its arrays; which view is whose goes into `originals`."""
    kind = type(value)
    if kind is _core.ndarray:
        view = _core._view(value)
        originals[id(view)] = (view, value, view.copy() if _core._is_shared(value) else None)
        return view
    if kind is list or kind is tuple:
        return kind([to_numpy(item, originals) for item in value])
    if kind is dict:
        return {key: to_numpy(item, originals) for key, item in value.items()}
    if isinstance(value, _core.ufunc):
        return getattr(numpy, value.__name__)
    return value


def from_numpy(value: Any, originals: dict[int, Any]) -> Any:
    """The value with fastnp arrays over the memory of its NumPy arrays."""
    if type(value) is numpy.ndarray:
        if id(value) in originals:
            return originals[id(value)][1]
        return _core.asarray(value) if _core._is_supported(value) else value
    if type(value) in (tuple, list):
        return type(value)([from_numpy(item, originals) for item in value])
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make([from_numpy(item, originals) for item in value])
    return value


def is_composed(value: Any, records: bool) -> bool:
    """Whether there is an array in it that is recorded, on the tape, or at home on a device: compositions of fastnp's own functions are for these."""
    if type(value) in (tuple, list):
        return any(is_composed(item, records) for item in value)
    if type(value) in (_core._Size, _core._Float):
        return records
    return type(value) is _core.ndarray and (records or value.requires_grad or value.device != "cpu")


def run(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
    if is_composed((*args, *kwargs.values()), _core._records()):
        from fastnp import _compositions, _fft, _ordered  # noqa: F401  # not needed to import fastnp; the others add to what the first holds

        if name in _compositions.COMPOSED:
            with contextlib.suppress(_compositions.Unsupported):
                return _compositions.call(name, args, kwargs)
    if _core._is_recording():
        from fastnp import _outside  # not needed to import fastnp

        if _outside.holds_recorded((args, kwargs)):
            _count(name)
            return _outside.Outside(f"numpy.{name}", function)(*args, **kwargs)
    elif _core._records():
        from fastnp import _mapped, _outside

        if _mapped.is_active() and _mapped.depends((args, kwargs)):
            _count(name)
            return _outside.Outside(f"numpy.{name}", function)(*args, **kwargs)
    originals: dict[int, Any] = {}
    plain_args = [to_numpy(value, originals) for value in args]
    plain_kwargs = {key: to_numpy(value, originals) for key, value in kwargs.items()}
    _count(name)
    result = function(*plain_args, **plain_kwargs)
    for view, value, before in originals.values():
        if before is not None and view.tobytes() != before.tobytes():  # what is shared on a device is seen by copies
            value[...] = view
    return from_numpy(result, originals)


def _find(name: str) -> Callable[..., Any]:
    found: Any = numpy
    for part in name.split("."):
        found = getattr(found, part)
    return found


def call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """numpy.<name>(*args, **kwargs); what the C++ side calls."""
    return run(_find(name), name, args, kwargs)


def wrap(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def fallback(*args: Any, **kwargs: Any) -> Any:
        return run(function, name, args, kwargs)

    return fallback


def method(self: _core.ndarray, name: str) -> Any:
    """An attribute of numpy.ndarray that fastnp's has not: a method is wrapped, anything else read."""
    found = getattr(numpy.ndarray, name)
    if not callable(found):
        return getattr(_core._view(self), name)

    def fallback(*args: Any, **kwargs: Any) -> Any:
        return run(found, f"ndarray.{name}", (self, *args), kwargs)

    fallback.__name__ = name
    return fallback
