"""Functions that NumPy has in C or over structured arrays, done by fastnp's own: what is not here raises Unsupported, and is left to NumPy.

They are asked before NumPy; their names are in `_fallback.OWN`. None of them has written to an argument, or called a function of the user's, before it
raises.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core, _fallback
from fastnp._linalg import Unsupported


def _numeric(dtype: Any) -> Any:
    found = numpy.dtype(dtype)
    if not _core._is_supported(numpy.empty(0, found)):
        raise Unsupported
    return found


def frombuffer(buffer: Any, dtype: Any = float, count: Any = -1, offset: Any = 0, *, like: Any = None) -> Any:
    """The same memory."""
    if like is not None or type(buffer) not in (bytes, bytearray, memoryview) or _core._records():  # recorded, each call looks at it anew
        raise Unsupported
    return _core.asarray(numpy.frombuffer(buffer, _numeric(dtype), count, offset))


def fromiter(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    if like is not None:
        raise Unsupported
    kind, count = _numeric(dtype), operator.index(count)
    if not _core._records():
        return _core.asarray(numpy.fromiter(iter, kind, count))
    items = list(iter if count < 0 else itertools.islice(iter, count))
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return _core.array(items, dtype=kind)


def fromfunction(function: Callable[..., Any], shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any) -> Any:
    import fastnp

    if like is not None:
        raise Unsupported
    places = fastnp.indices(shape, dtype=dtype)
    return function(*places, **kwargs)


def min_scalar_type(a: Any, /) -> Any:
    if type(a) is _core.ndarray:
        if a.ndim > 0:
            return a.dtype
        a = a.dtype.type(a.item())
    elif isinstance(a, (list, tuple)):
        raise Unsupported
    return numpy.min_scalar_type(a)


def _seen(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that shows an array's memory in another way. In recordings writes would have to be seen through it."""

    def shown(x: Any, *args: Any, **options: Any) -> Any:
        if _core._records() or _fallback.is_composed((x,), False):
            raise Unsupported
        return _fallback.call_uncounted(function, function.__name__, (x, *args), options)

    return shown


sliding_window_view = _seen(numpy.lib.stride_tricks.sliding_window_view)
as_strided = _seen(numpy.lib.stride_tricks.as_strided)

_MOST_COLUMNS = 16  # with more, comparing whole rows is sooner than a sort for each column


def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """Of the parts along an axis."""
    x = _core.asarray(ar) if axis is not None else None
    if type(x) is not _core.ndarray or x.ndim == 0 or x.dtype.kind not in "biuf":
        raise Unsupported
    try:
        place = operator.index(axis)
    except TypeError:
        numpy.unique(numpy.zeros((1,) * x.ndim), axis=axis)  # whose error it is
        raise
    if not -x.ndim <= place < x.ndim:
        raise Unsupported
    if x.ndim == 1:  # of its elements
        return _core.unique(x, return_index, return_inverse, return_counts, equal_nan=equal_nan)  # type: ignore[attr-defined]  # (as below)
    parts = _core.moveaxis(x, place, 0)
    count = operator.index(x.shape[place])
    columns = operator.index(x.size) // max(count, 1)
    if count == 0 or columns == 0 or (columns > _MOST_COLUMNS and not _core._records() and not _fallback.is_told()):
        raise Unsupported
    rows = parts.reshape(count, columns)
    order = _core.lexsort(rows.T[::-1])  # type: ignore[attr-defined]  # (its stub is the package's)
    ordered = rows[order]
    first = _core.concatenate([_core.ones(1, dtype=bool), _core.any(ordered[1:] != ordered[:-1], axis=1)])
    values = ordered[first]
    found = [_core.moveaxis(values.reshape((values.shape[0], *parts.shape[1:])), 0, place)]
    if return_index:
        found.append(order[first])
    if return_inverse:
        inverse = _core.zeros(count, dtype=order.dtype)
        inverse[order] = _core.cumsum(first) - 1
        found.append(inverse)
    if return_counts:
        starts = _core.nonzero(first)[0]
        found.append(_core.concatenate([starts[1:], _core.asarray([count])]) - starts)
    return found[0] if len(found) == 1 else tuple(found)


FUNCTIONS: dict[str, Callable[..., Any]] = {name: globals()[name.rpartition(".")[2]] for name in _fallback.OWN}
