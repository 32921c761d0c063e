"""Shapes and dtypes of arrays that are not there yet: what takes their places, and whether an array is as one says."""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterable
from typing import Any

import numpy

from fastnp import _core, _dynamic

_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
_HINT = 32  # a size that has a name and no bound: what is decided by a size at hand is decided for this one


class Spec:
    """The shape and the dtype of an array that is not there yet. (jax.ShapeDtypeStruct)

    `compiler.trace`, `CompiledFunction.lower` and `CompiledFunction.warmup` take it in place of arrays.

    Parameters
    ----------
    shape : int or tuple
        Its sizes: numbers, and for sizes that vary names or `Dim`. Equal names are equal sizes.
    dtype : dtype, default float64
        As NumPy takes it.

    Raises
    ------
    TypeError
        For what is no shape or no dtype of an array.
    ValueError
        For negative sizes.

    See Also
    --------
    compiler.trace, Dim

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.Spec((3, "n"), "float32")
    Spec((3, 'n'), float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Any, dtype: Any = float) -> None:
        sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        for size in sizes:
            if isinstance(size, (str, _dynamic.Dim)):
                continue
            if not _dynamic._is_whole(size):
                raise TypeError(f"a size is an int, a name or a Dim, not {size!r}")
            if size < 0:
                raise ValueError(f"negative dimensions are not allowed: {size}")
        self.shape = tuple(size if isinstance(size, (str, _dynamic.Dim)) else int(size) for size in sizes)
        self.dtype = numpy.dtype(dtype)

    def __repr__(self) -> str:
        return f"Spec({text_of(self.shape)}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and (text_of(self.shape), self.dtype) == (text_of(other.shape), other.dtype)

    def __hash__(self) -> int:
        return hash((text_of(self.shape), self.dtype))

    @property
    def names(self) -> dict[int, Any]:
        """The axes whose sizes have names."""
        return {axis: size for axis, size in enumerate(self.shape) if not isinstance(size, int)}


ShapeDtype = Spec  # its name beside the arrays' own (jax.ShapeDtypeStruct)


def text_of(shape: tuple[Any, ...]) -> str:
    sizes = [repr(size.name if isinstance(size, _dynamic.Dim) else size) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def size_at_hand(size: Any) -> int:
    """A number for a size, the same for the same name."""
    if isinstance(size, str):
        return _HINT
    if isinstance(size, _dynamic.Dim):
        least = max(size.low, min(_HINT, size.high))
        up = -(-least // size.multiple_of) * size.multiple_of
        return up if up <= size.high else size.high // size.multiple_of * size.multiple_of
    return int(size)


def _empty(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> Any:
    """An array that nobody reads or writes: there are addresses for it, and no memory."""
    needed = math.prod(shape) * dtype.itemsize
    if needed < mmap.PAGESIZE:
        return numpy.zeros(shape, dtype)
    try:
        pages = mmap.mmap(-1, needed, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
    except (OSError, OverflowError):
        raise MemoryError(f"there are no addresses for an array of shape {shape} and dtype {dtype}") from None
    return numpy.frombuffer(pages, dtype, math.prod(shape)).reshape(shape)


def is_spec(value: Any) -> bool:
    return isinstance(value, Spec) or (hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, (numpy.generic, type)))


def stand_in(value: Any, where: str) -> Any:
    """What takes an argument's place: an array is its own, and is not looked into."""
    if isinstance(value, (numpy.ndarray, _core.ndarray)):
        return value
    if isinstance(value, Spec):
        if value.names and not where.isidentifier() and not where.isdigit():
            raise ValueError(f"argument {where} has sizes with names: of what lies in lists, tuples and dicts sizes are numbers")
        return _empty(tuple(map(size_at_hand, value.shape)), value.dtype)
    if is_spec(value):
        try:
            spec = Spec(tuple(value.shape), value.dtype)
        except TypeError as error:
            raise TypeError(f"argument {where} has a shape and a dtype, but not those of an array: {error}") from None
        return stand_in(spec, where)
    if type(value) in (list, tuple):
        items = [stand_in(item, f"{where}[{i}]") for i, item in enumerate(value)]
        return items if type(value) is list else tuple(items)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        fields: Any = value
        return fields._make([stand_in(item, f"{where}.{name}") for name, item in zip(fields._fields, value, strict=True)])
    if type(value) is dict:
        return {key: stand_in(item, f"{where}[{key!r}]") for key, item in value.items()}
    return value


def listed(named: Iterable[str]) -> str:
    return ", ".join(map(repr, named)) or "none"


def said(spec: Any) -> str:
    return f"{numpy.dtype(spec.dtype)}{list(spec.shape)}" if is_spec(spec) else repr(spec)


def check(spec: Any, value: Any, where: str, sizes: dict[str, tuple[int, str]]) -> None:
    """TypeError or ValueError for an argument that is not as the spec says."""
    if is_spec(spec):
        if not isinstance(value, (numpy.ndarray, _core.ndarray)):
            raise TypeError(f"argument {where!r} is of type {type(value).__name__}, and this is compiled for an array of dtype {numpy.dtype(spec.dtype)}")
        if value.dtype != spec.dtype:
            raise TypeError(f"argument {where!r} has dtype {value.dtype}, and this is compiled for {numpy.dtype(spec.dtype)}")
        _check_shape(tuple(spec.shape), value.shape, where, sizes)
    elif isinstance(spec, (list, tuple)):
        if type(value) is not type(spec) or len(value) != len(spec):
            raise TypeError(f"argument {where!r} is to be a {type(spec).__name__} of {len(spec)}, as this is compiled for such a one")
        for i, (inner, item) in enumerate(zip(spec, value, strict=True)):
            check(inner, item, f"{where}[{i}]", sizes)
    elif type(spec) is dict:
        if type(value) is not dict or list(value) != list(spec):
            raise TypeError(f"argument {where!r} is to be a dict of {listed(spec)}, as this is compiled for such a one")
        for key, inner in spec.items():
            check(inner, value[key], f"{where}[{key!r}]", sizes)
    elif type(value) is not type(spec):
        raise TypeError(f"argument {where!r} is of type {type(value).__name__}, and this is compiled for {spec!r}")
    elif type(spec) in (int, float, bool, complex, str, bytes) and value != spec and not (value != value and spec != spec):
        raise ValueError(f"argument {where!r} is {value!r}, and this is compiled for {spec!r}")


def _check_shape(wanted: tuple[Any, ...], shape: tuple[int, ...], where: str, sizes: dict[str, tuple[int, str]]) -> None:
    def refuse(why: str = "") -> None:
        raise ValueError(f"argument {where!r} has shape {tuple(shape)}, and this is compiled for {text_of(wanted)}{why}")

    if len(wanted) != len(shape):
        refuse()
    for size, found in zip(wanted, shape, strict=True):
        if isinstance(size, _dynamic.Dim) and not (size.low <= found <= size.high and found % size.multiple_of == 0):
            refuse(f", where {size!r}")
        name = size.name if isinstance(size, _dynamic.Dim) else size
        if isinstance(name, str):
            known, other = sizes.setdefault(name, (found, where))
            if known != found:
                refuse(f", where {name!r} is {known} by argument {other!r}")
        elif name != found:
            refuse()
