"""NumPy's functions of elements in order, and counts of them, for arrays on a device, as written and in recordings for it. On the processor NumPy's own
are faster.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy

from fastnp import _core
from fastnp._compositions import COMPOSED, axis_of, composed, method
from fastnp._fallback import is_told
from fastnp._linalg import Unsupported


def _on_device(*arrays: Any, or_told: bool = False) -> list[Any]:
    """`or_told`: on the processor, too, where elements are differentiated, mapped over, or NumPy is not to help."""
    given = [_core.asarray(a) for a in arrays]
    if all(x.device == "cpu" for x in given) and not (or_told and (is_told() or _is_transformed(given))):
        raise Unsupported
    return given


def _is_transformed(arrays: list[Any]) -> bool:
    from fastnp import _mapped, _outside  # not needed to import fastnp

    return any(map(_outside.is_marked, arrays)) or (_mapped.is_active() and _mapped.depends(tuple(arrays)))


def _picked(x: Any, places: Any) -> Any:
    """Elements, or rows, at places that are known to be there."""
    return _core.take(x, places, axis=0, mode="clip")


@method
def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """With a sorter; without one it is an op."""
    keys = _core.asarray(a)
    if sorter is None or keys.ndim != 1 or side not in ("left", "right"):
        raise Unsupported
    order = _core.asarray(sorter)
    if order.shape != keys.shape or order.dtype.kind not in "iu" or not bool(_core.all((order >= 0) & (order < keys.shape[0]))):
        raise Unsupported
    return _core.searchsorted(_core.take(keys, order), v, side=side)


@composed
def partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    return _core.sort(*_partitioned(a, kth, axis, kind, order))


@method
def argpartition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Any:
    return _core.argsort(*_partitioned(a, kth, axis, kind, order))


def _partitioned(a: Any, kth: Any, axis: Any, kind: str, order: Any) -> tuple[Any, int]:
    """What is sorted in its place. (Half of an array's elements in order take a device as long as all of them.)"""
    (x,) = _on_device(a, or_told=True)
    if order is not None or kind != "introselect":
        raise Unsupported
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
    length = x.shape[axis_of(axis, x.ndim)]
    for k in numpy.atleast_1d(numpy.asarray(kth)):
        if not -length <= operator.index(k) < length:
            raise Unsupported
    return x, axis_of(axis, x.ndim)


def _reduceat(name: str) -> None:
    """A ufunc's reduceat: the first element of each slice, joined with the others one after the other."""
    op, numpys = getattr(_core, name), getattr(numpy, name)

    def reduceat(array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
        x = _core.asarray(array)
        if out is not None or x.ndim == 0 or type(indices) is _core.ndarray or _core._recorded_kind(indices):
            raise Unsupported
        starts = numpy.asarray(indices)
        place = axis_of(axis, x.ndim)
        length = operator.index(x.shape[place])
        if starts.ndim != 1 or starts.dtype.kind not in "iu" or not numpy.all((starts >= 0) & (starts < length)):
            raise Unsupported
        wanted = numpys.reduceat(numpy.zeros(1, x.dtype), [0], dtype=dtype).dtype
        moved = _core.moveaxis(x.astype(wanted, copy=False), place, 0)
        counts = numpy.maximum(numpy.append(starts[1:], length) - starts, 1) - 1
        slices = numpy.repeat(numpy.arange(starts.size), counts)
        rest = numpy.arange(slices.size) - numpy.repeat(numpy.cumsum(counts) - counts, counts) + starts[slices] + 1
        made = moved[starts]
        if rest.size:
            op.at(made, slices, moved[rest])
        return _core._laid_as_computed(_core.moveaxis(made, 0, place), [x])

    COMPOSED[f"{name}.reduceat"] = reduceat


for _name, _kind, _operands, *_ in _core._catalogue():
    if _kind == "map" and _operands == 2 and hasattr(_core, _name):
        _reduceat(_name)


def _along_one(a: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """An array whose last axis stands for one or several, and which these were."""
    (x,) = _on_device(a)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(axis_of(each, x.ndim) for each in axes)
    kept = [i for i in range(x.ndim) if i not in axes]
    if len(kept) + len(axes) != x.ndim or x.ndim == 0:
        raise Unsupported
    length = math.prod(x.shape[i] for i in axes)
    shape = [x.shape[i] for i in kept]
    if any(size == 0 for size in (length, *shape)):
        raise Unsupported
    return _core.transpose(x, [*kept, *sorted(axes)]).reshape((*shape, length)), axes


def _with_dims(x: Any, axes: tuple[int, ...], first: int, keepdims: Any) -> Any:
    """With axes of one element in the place of those that are gone, behind the first ones."""
    return _core.expand_dims(x, tuple(first + i for i in sorted(axes))) if keepdims is True else x


def _or_nan(x: Any, lines: Any) -> Any:
    """For lines in which there is a NaN, that: the one that is sorted last."""
    if lines.dtype.kind not in "fc":
        return x
    last = _core.max(lines, axis=-1) if lines.dtype.kind == "f" else _core._sorted_part(lines, (lines.shape[-1] - 1, 1))[..., 0]
    return _core.where(_core.isnan(last), last, x)


@composed
def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    if _core._recorded_kind(q) or type(q) is _core.ndarray:
        raise Unsupported
    return _quantile(a, numpy.asanyarray(q), type(q) in (int, float), axis, keepdims, out is None and weights is None and method == "linear")


@composed
def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: Any = False,
    *,
    weights: Any = None,
) -> Any:
    if _core._recorded_kind(q) or type(q) is _core.ndarray:
        raise Unsupported
    parts = numpy.asanyarray(numpy.true_divide(q, 100))
    return _quantile(a, parts, type(q) in (int, float), axis, keepdims, out is None and weights is None and method == "linear")


def _quantile(a: Any, q: Any, is_weak: bool, axis: Any, keepdims: Any, is_linear: bool) -> Any:
    """In NumPy's words: between the elements around a virtual index. Without `is_weak` the dtype of q takes part in the result's."""
    x, axes = _along_one(a, axis)
    if not is_linear or x.dtype.kind not in "iuf" or q.dtype.kind != "f" or q.ndim > 1 or not numpy.all((q >= 0) & (q <= 1)):
        raise Unsupported
    length = x.shape[-1]
    m: Any = numpy if type(length) is int else _core  # a length that varies
    virtual = m.asarray(q) * (length - 1)
    below = m.floor(virtual).astype(numpy.int64)
    is_last = virtual >= length - 1
    gamma = virtual - m.where(is_last, -1, below)
    if type(length) is int and q.size <= 4 and _core._finds_sorted_part(x, 2):
        low, high = _around(x, below, length)
    else:
        ordered = _core.moveaxis(_core.sort(x, axis=-1), -1, 0)
        low, high = (_picked(ordered, m.minimum(below + k, length - 1)) for k in (0, 1))
    part, rest = (each.astype(numpy.result_type(x.dtype, 0.5)) if is_weak else each for each in (gamma, 1 - gamma))
    part, rest = (each.reshape(q.shape + (1,) * (x.ndim - 1)) for each in (part, rest))
    between = high - low
    result = _core.where(gamma.reshape(part.shape) >= 0.5, high - between * rest, low + between * part)
    if result.ndim == 0 and result.dtype != x.dtype and x.dtype.kind == "f" and not _core._is_mapped(x):
        last = _core.max(x)
        if bool(_core.isnan(last)):
            return _with_dims(last, axes, 0, keepdims)  # NumPy then gives the element itself
    return _with_dims(_or_nan(result, x), axes, q.ndim, keepdims)


def _around(x: Any, below: Any, length: int) -> tuple[Any, Any]:
    """Of sorted lines the elements at places, and the next ones, or the last."""
    pairs = [_core._sorted_part(x, (min(place, length - 1), min(2, length - min(place, length - 1)))) for place in numpy.ravel(below).tolist()]
    ends = ([pair[..., k] for pair in pairs] for k in (0, -1))
    low, high = (end[0] if below.ndim == 0 else _core.stack(end) for end in ends)
    return low, high


def _counts(shape: tuple[Any, ...], places: Any) -> Any:
    """How often each place comes. (Devices add numbers of 32 bits several times as fast as wider ones.)"""
    counts = _core.zeros(shape, dtype=numpy.int32 if places.size < 2**31 else numpy.int64)
    _core.add.at(counts, places, 1)
    return counts.astype(numpy.int64, copy=False)


def _bins_of(x: Any, bins: int) -> tuple[Any, Any, Any, Any]:
    """Of all elements: the first edge, the width of all bins together, the last edge, and the edges, as numpy.linspace has them."""
    first, last = _core.min(x), _core.max(x)
    if not bool((first < last) & _core.isfinite(first) & _core.isfinite(last)):
        raise Unsupported
    step = (last - first) / bins
    numbers = _core.arange(bins + 1, dtype=x.dtype)
    edges = _core.where(step == 0, numbers / bins * (last - first), numbers * step) + first
    edges = _core.concatenate([edges[:-1], last.reshape((1,))])
    if not bool(_core.all(edges[1:] > edges[:-1])):
        raise Unsupported
    return first, last - first, last, edges


def _bins_between(dtype: Any, bins: int, first: Any, last: Any) -> tuple[Any, Any, Any, Any]:
    """The same between two numbers. (NumPy computes places in double precision here, since the width is no weak number.)"""
    if type(first) not in (int, float) or type(last) not in (int, float):
        raise Unsupported
    edges = numpy.histogram_bin_edges(numpy.empty(0, dtype), bins, (first, last))
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, numpy.float64(last - first), last, _core.array(edges, copy=True)


def _histogram_between(x: Any, edges: Any) -> Any:
    """Of bins between given edges, of which the last one belongs to the last bin."""
    if edges.ndim != 1 or edges.shape[0] < 2 or edges.dtype.kind not in "iuf" or x.dtype.kind not in "iuf":
        raise Unsupported
    if not bool(_core.all(edges[1:] >= edges[:-1])):
        raise Unsupported
    length = edges.shape[0]
    x = x.reshape(-1)
    places = _core.where(x == edges[-1], length - 1, _core.searchsorted(edges, x, side="right"))
    return _counts((length + 1,), places)[1:-1].copy(), edges


@composed
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """Of so many bins between two numbers, as NumPy finds them, or of given ones."""
    (x,) = _on_device(a)
    if not isinstance(bins, (int, numpy.integer, str)) and not density and weights is None and x.size > 0:
        return _histogram_between(x, _core.asarray(bins))
    if not isinstance(bins, (int, numpy.integer)) or bins < 1 or density or weights is not None or x.size == 0:
        raise Unsupported
    if x.dtype not in (numpy.float32, numpy.float64):
        raise Unsupported
    x = x.reshape(-1)
    first, width, last, edges = _bins_of(x, int(bins)) if range is None else _bins_between(x.dtype, int(bins), *range)
    is_in = (x >= first) & (x <= last)
    x = _core.where(is_in, x, first).astype(x.dtype, copy=False)
    place = ((x - first) / width * bins).astype(numpy.int64)
    place = place - (place == bins)
    place = place - (x < _picked(edges, place))
    place = place + ((x >= _picked(edges, place + 1)) & (place != bins - 1))
    return _counts((bins + 1,), _core.where(is_in, place, bins))[:-1].copy(), edges
