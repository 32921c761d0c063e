"""Functions made of others: thin, and recorded like what they call."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from fastnp import _core, _fallback

__all__ = [
    "amax",
    "amin",
    "around",
    "array_split",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "atleast_1d",
    "atleast_2d",
    "bincount",
    "broadcast_arrays",
    "column_stack",
    "copy",
    "diff",
    "dsplit",
    "fliplr",
    "flipud",
    "from_dlpack",
    "hsplit",
    "hstack",
    "identity",
    "inner",
    "may_share_memory",
    "ndim",
    "packbits",
    "ravel_multi_index",
    "result_type",
    "shape",
    "shares_memory",
    "size",
    "split",
    "unpackbits",
    "unravel_index",
    "vdot",
    "vsplit",
    "vstack",
]


def ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    if like is not None:
        return _fallback.call("ascontiguousarray", (a, dtype), {"like": like})
    return atleast_1d(_core.asarray(a, dtype, order="C"))


def asfortranarray(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
    if like is not None:
        return _fallback.call("asfortranarray", (a, dtype), {"like": like})
    return atleast_1d(_core.asarray(a, dtype, order="F"))


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> _core.ndarray:
    made = _core.asarray(x).astype(dtype, copy=copy)
    return made[()] if isinstance(x, numpy.generic) or _core._is_scalar(x) else made


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


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[_core.ndarray, ...]:
    arrays = [_core.asarray(x) for x in args]
    if all(type(x) is _core.ndarray for x in arrays):
        return _core.broadcast_arrays(*arrays)
    return _fallback.call("broadcast_arrays", args, {"subok": subok})  # of dtypes that only NumPy has


def _sequence(tup: Any) -> Any:
    if not hasattr(tup, "__getitem__"):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return tup


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> _core.ndarray:
    return _core.concatenate([_at_least(x, 2) for x in _sequence(tup)], axis=0, dtype=dtype, casting=casting)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> _core.ndarray:
    arrays = [_at_least(x, 1) for x in _sequence(tup)]
    return _core.concatenate(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def column_stack(tup: Sequence[Any]) -> _core.ndarray:
    arrays = [_core.asarray(x) for x in _sequence(tup)]
    return _core.concatenate([x if x.ndim >= 2 else _at_least(x, 1)[:, None] for x in arrays], axis=1)


def copy(a: Any, order: str = "K", subok: bool = False) -> _core.ndarray:
    return _core.array(a, order=order, copy=True)


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = _core.asarray(a)
    if x.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, x.ndim)
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
    x = _core.asarray(m)
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return x[:, ::-1]


def flipud(m: Any) -> _core.ndarray:
    x = _core.asarray(m)
    if x.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return x[::-1, ...]


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> _core.ndarray:
    """An array over the elements of another library's, on the processor or a CUDA device.

    Memory is shared where the array stays on its device; both libraries see what is written.

    Parameters
    ----------
    x : object
        An array with ``__dlpack__`` and ``__dlpack_device__`` (NumPy, PyTorch, JAX, CuPy, ...).
    device : str, optional
        Where the array is to be: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ... None: where `x` is.
    copy : bool, optional
        True: always a copy. False: none. None: where it is needed.

    Returns
    -------
    ndarray
        Of the shape and dtype of `x`.

    Raises
    ------
    BufferError
        Where `x` does not let itself be shared, or a copy is not allowed.

    See Also
    --------
    asarray, ndarray.to

    Examples
    --------
    >>> import fastnp as np
    >>> import numpy
    >>> theirs = numpy.zeros(2)
    >>> x = np.from_dlpack(theirs)
    >>> x[0] = 5
    >>> theirs
    array([5., 0.])
    """
    kind, number = x.__dlpack_device__()
    home = f"cuda:{number}" if kind in (2, 13) else "cpu"
    wanted = home if device is None else "cuda:0" if device == "cuda" else device
    if wanted != home and copy is False:
        raise BufferError(f"the array is on device '{home}': one on '{wanted}' would be a copy")
    if type(x) is _core.ndarray and not copy:
        return x.to(wanted)
    if home == "cpu":
        return _core.asarray(numpy.from_dlpack(x, copy=copy if wanted == home else None)).to(wanted)
    made = _core._from_foreign(x)
    if wanted != home:
        return made.to(wanted)
    return _core._copied_on_device(made) if copy else made


def identity(n: int, dtype: Any = None, *, like: Any = None) -> _core.ndarray:
    """The unit matrix: ones on the main diagonal, zeros elsewhere.

    `eye` makes matrices with other diagonals and sizes.

    Parameters
    ----------
    n : int
        The number of rows and columns.
    dtype : dtype, optional
        The dtype of the elements. None: float64.
    like : object, optional
        For NumPy's signature.

    Returns
    -------
    ndarray
        Of shape ``(n, n)``, made anew at each call of a compiled function.

    Raises
    ------
    ValueError
        For a negative `n`.

    See Also
    --------
    eye, diag

    Examples
    --------
    >>> import fastnp as np
    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return _core.eye(n, dtype=dtype)


def inner(a: Any, b: Any, /) -> Any:
    x, y = _core.asarray(a), _core.asarray(b)
    if x.ndim == 0 or y.ndim == 0 or (x.ndim == 1 and y.ndim == 1):
        return _core.dot(x, y)
    return _core.tensordot(x, y, axes=(-1, -1))


def vdot(a: Any, b: Any, /) -> Any:
    with numpy.errstate(all="ignore"):  # NumPy's has no word for it
        x = _core.reshape(a, -1)
        return _core.matmul(_core.conjugate(x) if x.dtype.kind in "cO" else x, _core.reshape(b, -1))


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


def size(a: Any, axis: int | tuple[int, ...] | None = None) -> int:
    if axis is None:
        try:
            return a.size
        except AttributeError:
            return _core.asarray(a).size
    sizes = shape(a)
    return math.prod(sizes[each] for each in normalize_axis_tuple(axis, len(sizes)))


def _layout(x: Any) -> Any:
    return _core._layout(x) if type(x) is _core.ndarray else x


def may_share_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    return bool(numpy.may_share_memory(_layout(a), _layout(b), max_work))


def shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    return bool(numpy.shares_memory(_layout(a), _layout(b), max_work))


def result_type(*arrays_and_dtypes: Any) -> numpy.dtype[Any]:
    return numpy.result_type(*(x.dtype if type(x) is _core.ndarray else x for x in arrays_and_dtypes))


def _parts(x: _core.ndarray, points: Sequence[Any], axis: int) -> list[_core.ndarray]:
    before = (slice(None),) * axis
    return [x[(*before, slice(start, stop))] for start, stop in itertools.pairwise(points)]


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[_core.ndarray]:
    x = _core.asarray(ary)
    axis = operator.index(axis) % x.ndim if -x.ndim <= axis < x.ndim else axis
    length = x.shape[axis] if hasattr(ary, "shape") else len(ary)  # of lists whatever the axis, as in NumPy
    if hasattr(indices_or_sections, "__len__"):
        return _parts(x, (0, *indices_or_sections, length), axis)
    sections = int(indices_or_sections)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, longer = length // sections, operator.index(length % sections)
    return _parts(x, [n * each + min(n, longer) for n in range(sections + 1)], axis)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[_core.ndarray]:
    if not hasattr(indices_or_sections, "__len__") and ary.shape[axis] % indices_or_sections:  # lists have no shape, in NumPy
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def _split_along(name: str, least: int, axis: int) -> Any:
    def along(ary: Any, indices_or_sections: Any) -> list[_core.ndarray]:
        rank = ndim(ary)
        if rank < least:
            raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
        # NumPy asks the operand of hsplit itself, so lists have none.
        return split(ary, indices_or_sections, axis if least > 1 or ary.ndim > 1 else 0)

    along.__name__ = along.__qualname__ = name
    return along


hsplit = _split_along("hsplit", 1, 1)
vsplit = _split_along("vsplit", 2, 0)
dsplit = _split_along("dsplit", 3, 2)


def _as_numpys(name: str) -> Any:
    """The core's function, with what NumPy's tells of itself: its signature, its name and where it is."""
    function = getattr(_core, name)

    @functools.wraps(getattr(numpy, name))
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__doc__ = function.__doc__
    call.__signature__ = inspect.signature(call)  # type: ignore[attr-defined]  # mypy knows of no attributes of functions
    del call.__wrapped__  # by which functions that are NumPy's are known (_dispatch)
    return _core._Function(call, name, function)


bincount = _as_numpys("bincount")
packbits = _as_numpys("packbits")
unpackbits = _as_numpys("unpackbits")
ravel_multi_index = _as_numpys("ravel_multi_index")
unravel_index = _as_numpys("unravel_index")

# Functions that NumPy has twice.
amax = _core._Function(_core.max, "amax")
amin = _core._Function(_core.min, "amin")
around = _core._Function(_core.round, "around")

# An argument that is no array of ours may decide itself what becomes of it; NumPy asks it.
_python_ones = [name for name in __all__ if type(globals()[name]) is not _core._Function and name not in ("from_dlpack", "identity")]
globals().update({name: _core._Function(globals()[name], name) for name in _python_ones})
