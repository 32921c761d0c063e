"""Functions made of others: thin, and recorded like what they call."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy

from fastnp import _core

__all__ = [
    "ascontiguousarray",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "column_stack",
    "copy",
    "diff",
    "fliplr",
    "flipud",
    "from_dlpack",
    "hstack",
    "identity",
    "inner",
    "ndim",
    "result_type",
    "shape",
    "size",
    "vdot",
    "vstack",
]


def ascontiguousarray(a: Any, dtype: Any = None) -> _core.ndarray:
    return atleast_1d(_core.asarray(a, dtype, order="C"))


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> _core.ndarray:
    return _core.asarray(x).astype(dtype, copy=copy)


def _at_least(x: Any, rank: int) -> _core.ndarray:
    x = _core.asarray(x)
    while x.ndim < rank:
        x = x[None]
    return x


def atleast_1d(*arys: Any) -> Any:
    made = tuple(_at_least(x, 1) for x in arys)
    return made[0] if len(made) == 1 else made


def atleast_2d(*arys: Any) -> Any:
    made = tuple(_at_least(x, 2) for x in arys)
    return made[0] if len(made) == 1 else made


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> _core.ndarray:
    return _core.concatenate([_at_least(x, 2) for x in tup], axis=0, dtype=dtype, casting=casting)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> _core.ndarray:
    arrays = [_at_least(x, 1) for x in tup]
    return _core.concatenate(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def column_stack(tup: Sequence[Any]) -> _core.ndarray:
    arrays = [_core.asarray(x) for x in tup]
    return _core.concatenate([x if x.ndim >= 2 else _at_least(x, 1)[:, None] for x in arrays], axis=1)


def copy(a: Any, order: str = "K", subok: bool = False) -> _core.ndarray:
    return _core.array(a, order=order, copy=True)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> _core.ndarray:
    x = _core.asarray(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if n == 0:
        return x
    axis = range(x.ndim)[axis]
    ends = [x if end is x else _core.asarray(end) for end in (prepend, x, append) if end is not None]
    if len(ends) > 1:
        length = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        x = _core.concatenate([_core.broadcast_to(end, length) if end.ndim == 0 else end for end in ends], axis=axis)
    later = (slice(None),) * axis + (slice(1, None),)
    earlier = (slice(None),) * axis + (slice(None, -1),)
    for _ in range(n):
        x = x[later] != x[earlier] if x.dtype == bool else x[later] - x[earlier]
    return x


def fliplr(m: Any) -> _core.ndarray:
    return _core.asarray(m)[:, ::-1]


def flipud(m: Any) -> _core.ndarray:
    return _core.asarray(m)[::-1, ...]


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> _core.ndarray:
    if type(x) is _core.ndarray and not copy:
        return x
    return _core.asarray(numpy.from_dlpack(x, device=device, copy=copy))


def identity(n: int, dtype: Any = None, *, like: Any = None) -> _core.ndarray:
    return _core.eye(n, dtype=dtype)


def inner(a: Any, b: Any, /) -> Any:
    x, y = _core.asarray(a), _core.asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        return _core.multiply(x, y)
    if x.ndim == 1 and y.ndim == 1:
        return _core.dot(x, y)
    return _core.tensordot(x, y, axes=(-1, -1))


def vdot(a: Any, b: Any, /) -> Any:
    return _core.dot(_core.conjugate(_core.ravel(a)), _core.ravel(b))


def ndim(a: Any) -> int:
    try:
        return int(a.ndim)
    except AttributeError:
        return _core.asarray(a).ndim


def shape(a: Any) -> tuple[int, ...]:
    try:
        return a.shape
    except AttributeError:
        return _core.asarray(a).shape


def size(a: Any, axis: int | None = None) -> int:
    if axis is None:
        try:
            return a.size
        except AttributeError:
            return _core.asarray(a).size
    return shape(a)[operator.index(axis)]


def result_type(*arrays_and_dtypes: Any) -> numpy.dtype[Any]:
    return numpy.result_type(*(x.dtype if type(x) is _core.ndarray else x for x in arrays_and_dtypes))
