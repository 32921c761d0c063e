"""NumPy's functions that write into an array, as compositions for recorded ones: what they write is part of the recording, with its derivative.

What is not here, in a recording, is a break, and in a transform outside of compiled functions an error: nothing that is written is lost.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core
from fastnp._compositions import COMPOSED, Unsupported, composed, varies

# The place of `out` among the arguments, of functions whose signature Python can't tell.
_OUT_PLACES = {"dot": 2, "concatenate": 2, "ndarray.round": 2, "ndarray.dot": 2, "ndarray.take": 3, "ndarray.compress": 3}
_OUT_PLACES |= {"ndarray.trace": 5, "ndarray.ptp": 2, "ndarray.clip": 3}
_REDUCTIONS = {"ndarray.mean": 3, "ndarray.sum": 3, "ndarray.std": 3, "ndarray.var": 3, "ndarray.prod": 3, "ndarray.max": 2, "ndarray.min": 2}
_OUT_PLACES |= _REDUCTIONS | {"ndarray.cumsum": 3, "ndarray.cumprod": 3, "ndarray.any": 2, "ndarray.all": 2, "ndarray.argmax": 2, "ndarray.argmin": 2}
_METHOD_PLACES = {"reduce": 3, "accumulate": 3, "reduceat": 4}


def _place_of_out(function: Callable[..., Any], name: str) -> int | None:
    if name == "ndarray.choose":  # of several arguments all are choices, whatever its signature says
        return None
    if name in _OUT_PLACES:
        return _OUT_PLACES[name]
    ufunc, _, method = name.rpartition(".")
    if method in _METHOD_PLACES and isinstance(getattr(numpy, ufunc, None), numpy.ufunc):
        return _METHOD_PLACES[method]
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names.index("out") if "out" in names else None


def split_out(function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What a call is to write its result into, or None, and the call without it."""
    if kwargs.get("out") is not None:
        out = kwargs["out"]
        out = out[0] if type(out) is tuple and len(out) == 1 else out
        return out, args, {key: value for key, value in kwargs.items() if key != "out"}
    place = _place_of_out(function, name)
    if place is None or len(args) <= place or args[place] is None:
        return None, args, kwargs
    return args[place], (*args[:place], *((None,) if len(args) > place + 1 else ()), *args[place + 1 :]), kwargs


def _arrays(value: Any) -> list[Any]:
    if type(value) in (tuple, list):
        return [array for item in value for array in _arrays(item)]
    return [value] if type(value) is _core.ndarray else []


def _own(function: Callable[..., Any], name: str) -> Callable[..., Any] | None:
    """fastnp's function in the place of NumPy's."""
    from fastnp import _dispatch  # which imports the package

    home, _, method = name.rpartition(".")
    if home == "ndarray":
        found: Any = getattr(_core.ndarray, method, None)
        return found  # type: ignore[no-any-return]  # found by its name, it has no type
    if isinstance(getattr(_core, home, None), _core.ufunc):
        return getattr(getattr(_core, home), method, None)
    return _dispatch.own_of(function)


def _is_in_c_order(x: Any) -> bool:
    try:
        return bool(x.flags.c_contiguous)
    except TypeError:  # what is differentiated or mapped tells nothing of its layout
        return False


def write_out(out: Any, function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function gives without `out`, written there. Unsupported where NumPy would compute, cast or overlap in another way."""
    from fastnp import _fallback  # which imports this

    last = name.rpartition(".")[2]
    given = [] if last == "dot" else _arrays((*args, *kwargs.values()))  # NumPy's dot writes into a copy where it overlaps
    if type(out) is not _core.ndarray or _core._is_scalar(out) or any(_core._shares_storage(out, each) for each in given):
        raise Unsupported
    if isinstance(function, numpy.ufunc) and kwargs.get("where", True) is not True:  # where it is false the elements stay as they are
        raise Unsupported
    if last in ("dot", "multi_dot") and not _is_in_c_order(out):  # an error of NumPy's
        raise Unsupported
    if last in ("round", "around") and out.dtype.kind not in "fc":
        raise Unsupported
    own = _own(function, name)
    result = _core.asarray(own(*args, **kwargs) if own is not None else _fallback.run(function, name, args, kwargs))
    if (
        result.dtype != out.dtype
        or result.ndim != out.ndim
        or any(operator.index(m) != operator.index(n) for m, n in zip(result.shape, out.shape, strict=True))
    ):
        raise Unsupported
    out[...] = result
    return out


def _target(x: Any) -> Any:
    if type(x) is not _core.ndarray or _core._is_scalar(x):  # what NumPy makes of a write into its scalars is an error, or nothing
        raise Unsupported
    return x


def _count(x: Any) -> int:
    return math.prod(x.shape)


def _castable(values: Any, dtype: Any) -> Any:
    """What putmask and place take: NumPy casts arrays, other than its scalars, safely alone. What it does not is left to it, with its words."""
    is_array = isinstance(values, numpy.ndarray) or (type(values) is _core.ndarray and not _core._is_scalar(values))
    if is_array and not numpy.can_cast(values.dtype, dtype):
        raise Unsupported
    return values


def _cycled(values: Any, dtype: Any, count: int) -> Any:
    """So many elements, from the beginning again where they end; one stands for all."""
    line = _core.asarray(values, dtype).reshape(-1)
    size = _count(line)
    if size == 0:
        raise Unsupported
    if size > 1 and size != count:
        line = line[:count] if size > count else _core.take(line, _core.arange(count) % size)
    return line


def _through_line(x: Any, write: Callable[[Any], None]) -> None:
    """Writes into the elements of x in C order as one line."""
    try:
        write(_core.reshape(x, -1, copy=False))
    except ValueError:
        line = x.reshape(-1).copy()
        write(line)
        x[...] = line.reshape(x.shape)


@composed
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    x, places = _target(a), _core.asarray(ind).reshape(-1)
    count = _count(x)
    if places.dtype.kind not in "iu" or mode not in ("raise", "wrap", "clip") or count == 0:
        raise Unsupported
    if mode != "raise":
        places = places % count if mode == "wrap" else _core.clip(places, 0, count - 1)
    values = _cycled(v, x.dtype, _count(places))

    def write(line: Any) -> None:
        line[places] = values

    _through_line(x, write)


def _put_method(a: Any, indices: Any, values: Any, mode: str = "raise") -> None:
    put(a, indices, values, mode)


COMPOSED["ndarray.put"] = _put_method


def _chosen(mask: Any, x: Any) -> Any:
    chosen = _core.asarray(mask)
    if _count(chosen) != _count(x):
        raise Unsupported
    return chosen.astype(bool, copy=False).reshape(x.shape)


@composed
def putmask(a: Any, mask: Any, values: Any) -> None:
    x = _target(a)
    chosen = _chosen(mask, x)
    given = _cycled(_castable(values, x.dtype), x.dtype, _count(x))
    x[...] = _core.where(chosen, given if _count(given) == 1 else given.reshape(x.shape), x)


@composed
def place(arr: Any, mask: Any, vals: Any) -> None:
    x = _target(arr)
    chosen = _chosen(mask, x)
    line = _core.asarray(_castable(vals, x.dtype), x.dtype).reshape(-1)
    size = _count(line)
    if size == 0:
        raise Unsupported
    number = _core.cumsum(chosen.reshape(-1)) - 1
    x[...] = _core.where(chosen, _core.take(line, number % size, mode="clip").reshape(x.shape), x)


def _fill_by_places(x: Any, value: Any) -> None:
    """One value where all subscripts are equal."""
    lines = [_core.arange(size).reshape((-1,) + (1,) * (x.ndim - 1 - axis)) for axis, size in enumerate(x.shape)]
    is_on = lines[0] == lines[1]
    for line in lines[2:]:
        is_on = is_on & (lines[0] == line)
    x[...] = _core.where(is_on, value, x)


@composed
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    x = _target(a)
    if x.ndim > 1 and varies(*x.shape) and numpy.ndim(val) == 0 and all(size == x.shape[0] for size in x.shape[1:]):
        return _fill_by_places(x, _core.asarray(val, x.dtype))
    sizes = [operator.index(size) for size in x.shape]
    if len(sizes) < 2 or (len(sizes) > 2 and len(set(sizes)) > 1):
        raise Unsupported
    step, end = 1, None
    for size in sizes[:0:-1]:
        step = step * size + 1
    if len(sizes) == 2 and not wrap:
        end = sizes[1] * sizes[1]
    count = len(range(_count(x))[:end:step])
    values = _cycled(val, x.dtype, count)

    def write(line: Any) -> None:
        line[:end:step] = values

    _through_line(x, write)


def _sort(a: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    x = _target(a)
    if order is not None or axis is None or x.ndim == 0:
        raise Unsupported
    x[...] = _core.sort(x, axis=axis)


COMPOSED["ndarray.sort"] = _sort


def _partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> None:
    if axis is None:
        raise Unsupported
    a[...] = COMPOSED["partition"](a, kth, axis, kind, order)


COMPOSED["ndarray.partition"] = _partition
