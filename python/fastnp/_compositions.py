"""NumPy's functions that are made of others, for recorded arrays, which are compiled, differentiated and mapped with the rest, and those on a device.

On other arrays with memory NumPy's own are called. A case that is not here raises Unsupported, and is left to NumPy as a call between compiled code.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core, _linalg
from fastnp._linalg import Unsupported

COMPOSED: dict[str, Callable[..., Any]] = dict(_linalg.FUNCTIONS)


def composed(function: Callable[..., Any]) -> Callable[..., Any]:
    COMPOSED[function.__name__.rstrip("_")] = function
    return function


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    COMPOSED["ndarray." + function.__name__.rstrip("_")] = function
    return composed(function)


def axis_of(axis: Any, rank: int) -> int:
    return range(rank)[operator.index(axis)]


def along(x: Any, axis: int, key: Any) -> Any:
    return x[(slice(None),) * axis + (key,)]


@composed
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    x = _core.asarray(a)
    if axis is None:
        return roll(x.reshape(-1), shift, 0).reshape(x.shape)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(shifts) != len(axes):
        if 1 not in (len(shifts), len(axes)):
            raise Unsupported
        longest = max(len(shifts), len(axes))
        shifts, axes = tuple(shifts) * (longest // len(shifts)), tuple(axes) * (longest // len(axes))
    given = x
    for each, where in zip(shifts, axes, strict=True):
        place = axis_of(where, x.ndim)
        length = operator.index(x.shape[place])
        by = operator.index(each) % length if length else 0
        if by:
            x = _core.concatenate([along(x, place, slice(length - by, None)), along(x, place, slice(None, length - by))], axis=place)
    return x.copy("K") if x is given else _core._laid_like(x, given)


@method
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """What NumPy's is a view of, this is too where rows or columns follow each other in memory. Like NumPy's it may not be written to."""
    x, is_view = _diagonal(_core.asarray(a), offset, axis1, axis2)
    _check_view(is_view)
    return _core.broadcast_to(x, x.shape)


def _check_view(is_view: bool) -> None:
    """A copy would not show what is written to the array later."""
    if is_view:
        return
    if _core._is_recording():
        _core._refuse("a diagonal, as a view, of an array whose rows do not follow each other in memory")
    raise Unsupported  # NumPy's view, of the same memory


def _diagonal(x: Any, offset: int, axis1: int, axis2: int) -> tuple[Any, bool]:
    """A diagonal, and whether it is a view: a step through rows that are one line, or columns that are."""
    if abs(operator.index(offset)) >= 2**31:
        raise Unsupported
    first, second = axis_of(axis1, x.ndim), axis_of(axis2, x.ndim)
    if first == second:
        raise Unsupported
    lead = [i for i in range(x.ndim) if i not in (first, second)]
    for rows_axis, columns_axis, above in ((first, second, offset), (second, first, -offset)):
        seen = _core.transpose(x, [*lead, rows_axis, columns_axis])
        rows, columns = operator.index(seen.shape[-2]), operator.index(seen.shape[-1])
        length = max(min(rows, columns - above) if above >= 0 else min(rows + above, columns), 0)
        start = above if above >= 0 else -above * columns
        try:
            line = _core.reshape(seen, (*seen.shape[:-2], rows * columns), copy=False)
        except ValueError:
            continue
        return line[..., start : start + length * (columns + 1) : columns + 1], True
    places = numpy.arange(length) * (columns + 1) + start
    return _core.take(seen.reshape((*seen.shape[:-2], rows * columns)), places, axis=-1), False


@method
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    if out is not None:
        raise Unsupported
    x = _core.asarray(a)
    total = _core.sum(_diagonal(x, offset, axis1, axis2)[0], axis=-1, dtype=dtype)
    return _core._laid_as_computed(total, [x], tuple(sorted((axis_of(axis1, x.ndim), axis_of(axis2, x.ndim))))) if x.ndim > 3 else total


@composed
def diag(v: Any, k: int = 0) -> Any:
    x = _core.asarray(v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise Unsupported
    size = operator.index(x.shape[0]) + abs(k)
    made = _core.zeros((size * size,), dtype=x.dtype)
    start = k if k >= 0 else -k * size
    made[start : start + x.shape[0] * (size + 1) : size + 1] = x
    return made.reshape((size, size))


def _triangle(m: Any, k: int, lower: bool) -> Any:
    x = _core.asarray(m)
    if x.ndim < 2:
        raise Unsupported
    sizes = [operator.index(n) for n in x.shape[-2:]]
    rows, columns = map(_core.arange, sizes)
    k = min(max(operator.index(k), -sizes[0]), sizes[1])  # diagonals beyond are all alike
    keeps = columns <= rows[:, None] + k if lower else columns >= rows[:, None] + k
    return _core.where(keeps, x, _core.zeros((), dtype=x.dtype))


@composed
def tril(m: Any, k: int = 0) -> Any:
    return _triangle(m, k, True)


@composed
def triu(m: Any, k: int = 0) -> Any:
    return _triangle(m, k, False)


@method
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    x = _core.asarray(a)
    if not isinstance(repeats, int):
        raise Unsupported
    if axis is None:
        x, axis = x.reshape(-1), 0
    place = axis_of(axis, x.ndim)
    shape = x.shape
    wide = _core.broadcast_to(_core.expand_dims(x, place + 1), (*shape[: place + 1], repeats, *shape[place + 1 :]))
    return wide.reshape((*shape[:place], shape[place] * repeats, *shape[place + 1 :])).copy()


@composed
def tile(A: Any, reps: Any) -> Any:
    x = _core.asarray(A)
    counts = [operator.index(n) for n in reps] if isinstance(reps, (tuple, list)) else [operator.index(reps)]
    rank = max(x.ndim, len(counts))
    counts = [1] * (rank - len(counts)) + counts
    if all(count == 1 for count in counts):
        return x.copy(order="K")[(None,) * (rank - x.ndim)]
    shape = (1,) * (rank - x.ndim) + tuple(x.shape)
    if 0 in x.shape:  # NumPy's is a view of it then
        return x.reshape(tuple(count * size for count, size in zip(counts, shape, strict=True)))
    x = x.reshape(tuple(part for size in shape for part in (1, size)))
    x = _core.broadcast_to(x, tuple(part for count, size in zip(counts, shape, strict=True) for part in (count, size)))
    return x.reshape(tuple(count * size for count, size in zip(counts, shape, strict=True))).copy()


@composed
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    x, places = _core.asarray(arr), _core.asarray(indices)
    if axis is None:
        return _core.take(x.reshape(-1), places)
    place = axis_of(axis, x.ndim)
    if places.ndim != x.ndim or places.dtype.kind not in "iu":
        raise Unsupported
    rows = (_core.arange(size).reshape([-1 if i == k else 1 for i in range(x.ndim)]) for k, size in enumerate(x.shape))
    given = [places if k == place else row for k, row in enumerate(rows)]  # what NumPy picks by, which the layout goes by
    x, places = _core.moveaxis(x, place, -1), _core.moveaxis(places, place, -1)
    lead = tuple(max(operator.index(m), operator.index(n)) for m, n in zip(x.shape[:-1], places.shape[:-1], strict=True))
    length, count = operator.index(x.shape[-1]), operator.index(places.shape[-1])
    lines = 1
    for size in lead:
        lines *= size
    x = _core.broadcast_to(x, (*lead, length)).reshape((lines * length,))
    places = _core.broadcast_to(places, (*lead, count)).reshape((lines, count))
    own = _core.take(_core.arange(length), places) + _core.arange(lines)[:, None] * length
    made = _core.moveaxis(_core.take(x, own, mode="clip").reshape((*lead, count)), -1, place)
    return _core._laid_as_computed(made, given)


@composed
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    places = _core.asarray(indices)
    if type(arr) is not _core.ndarray or axis is None or places.ndim != arr.ndim or places.dtype.kind not in "iu":
        raise Unsupported
    place = axis_of(axis, arr.ndim)
    rows = [_core.arange(operator.index(size)).reshape([-1 if i == k else 1 for i in range(arr.ndim)]) for k, size in enumerate(arr.shape)]
    arr[tuple(places if k == place else row for k, row in enumerate(rows))] = values


@composed
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    if out is not None:
        raise Unsupported
    return _core.max(a, axis=axis, keepdims=keepdims) - _core.min(a, axis=axis, keepdims=keepdims)


@composed
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = _core.moveaxis(_core.asarray(a), axisa, -1), _core.moveaxis(_core.asarray(b), axisb, -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise Unsupported
    (p, q, r), (u, v, w) = ([z[..., i] for i in range(3)] for z in (x, y))
    return _core.moveaxis(_core.stack([q * w - r * v, r * u - p * w, p * v - q * u], axis=-1).copy(), -1, axisc)


@composed
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    x, y = _core.asarray(a), _core.asarray(v)
    if x.ndim != 1 or y.ndim != 1 or mode not in ("full", "same", "valid"):
        raise Unsupported
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    n, m = operator.index(x.shape[0]), operator.index(y.shape[0])
    if m == 0:
        raise Unsupported
    padded = _core.pad(x, (m - 1, m - 1))
    windows = (
        _core.stack([padded[k : k + n + m - 1] for k in range(m)], axis=1)
        if m <= 64
        else _core.take(padded, numpy.arange(n + m - 1)[:, None] + numpy.arange(m))
    )
    places = _core.arange(n + m - 1)[:, None] + _core.arange(m)
    products = windows * y[::-1]  # those with the padding are none: an infinity or a NaN would spread into it
    products = _core.where((places >= m - 1) & (places < m - 1 + n), products, _core.zeros((), dtype=products.dtype))
    whole = _core.sum(products, axis=-1, dtype=products.dtype)
    if mode == "full":
        return whole
    return whole[(m - 1) // 2 : (m - 1) // 2 + n] if mode == "same" else whole[m - 1 : n]


@composed
def einsum(subscripts: Any, *operands: Any, **options: Any) -> Any:
    if not isinstance(subscripts, str) or not operands or options.keys() - {"optimize"}:
        raise Unsupported
    text = subscripts.replace(" ", "")
    if "." in text:
        raise Unsupported
    given, arrow, wanted = text.partition("->")
    names = given.split(",")
    if not arrow:
        wanted = "".join(sorted(name for name in set(given) - {","} if given.count(name) == 1))
    arrays = [_core.asarray(operand) for operand in operands]
    if len(names) != len(arrays) or any(len(name) != x.ndim for name, x in zip(names, arrays, strict=True)) or len(set(wanted)) != len(wanted):
        raise Unsupported
    sizes: dict[str, int] = {}
    for name, x in zip(names, arrays, strict=True):
        for letter, size in zip(name, x.shape, strict=True):
            if sizes.setdefault(letter, operator.index(size)) != size:
                raise Unsupported
    if set(wanted) - sizes.keys():
        raise Unsupported
    if len(names) == 1 and set(wanted) == set(names[0]):
        return _seen_as(names[0], arrays[0], wanted)
    if any(x.dtype.kind not in "fc" for x in arrays):
        raise Unsupported
    terms = [_without_repeats(name, x)[:2] for name, x in zip(names, arrays, strict=True)]
    name, total = terms[0]
    for number, (other, x) in enumerate(terms[1:], 1):
        later = set(wanted).union(*(rest for rest, _ in terms[number + 1 :]))
        name, total = _contract(name, total, other, x, later, sizes)
    name, total = _summed(name, total, set(wanted))
    total = _core.transpose(total, [name.index(letter) for letter in wanted])
    if options.get("optimize") and len(terms) == 2 and _is_tensordot(names[0], names[1], wanted):
        lying = [letter for letter in names[1] + names[0] if letter in wanted]  # numpy.tensordot of the second and the first, as a view
        return _core.transpose(_core.transpose(total, [wanted.index(letter) for letter in lying]).copy(), [lying.index(letter) for letter in wanted])
    letters = wanted + "".join(sorted(sizes.keys() - set(wanted)))
    total = _core._laid_as_computed(total, [_spread(*term, letters) for term in terms], tuple(range(len(wanted), len(letters))))
    return total if wanted else total[()]


def _is_tensordot(a: str, b: str, wanted: str) -> bool:
    both = set(a) & set(b)
    return len(set(a)) == len(a) and len(set(b)) == len(b) and bool(both) and not both & set(wanted) and set(a + b) == both | set(wanted)


def _spread(name: str, x: Any, letters: str) -> Any:
    """With an axis for each letter, of one element where the operand has none."""
    seen = _core.transpose(x, [name.index(letter) for letter in letters if letter in name])
    return seen[tuple(slice(None) if letter in name else None for letter in letters)] if letters else seen


def _seen_as(name: str, x: Any, wanted: str) -> Any:
    """Of one operand without sums: a view, which may be written to."""
    name, seen, is_view = _without_repeats(name, x)
    _check_view(is_view)
    return _core.transpose(seen, [name.index(letter) for letter in wanted])


def _without_repeats(name: str, x: Any) -> tuple[str, Any, bool]:
    """A letter that is there twice stands for a diagonal. The last result: whether it is a view."""
    is_view = True
    for letter in dict.fromkeys(name):
        while name.count(letter) > 1:
            first = name.index(letter)
            second = name.index(letter, first + 1)
            x, is_step = _diagonal(x, 0, first, second)
            is_view = is_view and is_step
            name = "".join(each for i, each in enumerate(name) if i not in (first, second)) + letter
    return name, x, is_view


def _summed(name: str, x: Any, kept: set[str]) -> tuple[str, Any]:
    axes = tuple(i for i, letter in enumerate(name) if letter not in kept)
    return "".join(letter for letter in name if letter in kept), _core.sum(x, axis=axes) if axes else x


def _contract(a: str, x: Any, b: str, y: Any, later: set[str], sizes: dict[str, int]) -> tuple[str, Any]:
    """The product of two, summed over what nothing needs later: a matrix product over the letters that both have and all do."""
    a, x = _summed(a, x, later | set(b))
    b, y = _summed(b, y, later | set(a))
    both = [letter for letter in a if letter in b]
    batch = "".join(letter for letter in both if letter in later)
    summed = "".join(letter for letter in both if letter not in later)
    left = "".join(letter for letter in a if letter not in b)
    right = "".join(letter for letter in b if letter not in a)

    def count(letters: str) -> int:
        product = 1
        for letter in letters:
            product *= sizes[letter]
        return product

    def arranged(name: str, z: Any, order: str, shape: tuple[int, ...]) -> Any:
        return _core.transpose(z, [name.index(letter) for letter in order]).reshape(shape)

    p = arranged(a, x, batch + left + summed, (count(batch), count(left), count(summed)))
    q = arranged(b, y, batch + summed + right, (count(batch), count(summed), count(right)))
    product = p @ q if summed else p * q
    name = batch + left + right
    return name, product.reshape(tuple(sizes[letter] for letter in name))


@composed
def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    z = _core.asarray(x)
    if not copy or z.dtype.kind != "f":
        raise Unsupported
    limits = numpy.finfo(z.dtype)
    made = z.copy()
    # Each element is looked at as it was given: what takes the place of a NaN may be infinite.
    _core.copyto(made, nan, where=_core.isnan(z))
    _core.copyto(made, limits.max if posinf is None else posinf, where=z == numpy.inf)
    _core.copyto(made, limits.min if neginf is None else neginf, where=z == -numpy.inf)
    return _core._laid_like(made, z) if made.ndim else made[()]


@composed
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    x = _core.asarray(m)
    first, second = (axis_of(axis, x.ndim) for axis in axes)
    if k % 4 == 2:
        return _core.flip(x, (first, second))
    if k % 4 == 1:
        return _core.swapaxes(_core.flip(x, second), first, second)
    return _core.flip(_core.swapaxes(x, first, second), second) if k % 4 else x[:]


@composed
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    parts = [_core.asarray(arr), _core.asarray(values)]
    return _core.concatenate([part.reshape(-1) for part in parts] if axis is None else parts, axis=0 if axis is None else axis)


@composed
def atleast_3d(*arys: Any) -> Any:
    made = []
    for each in arys:
        x = _core.asarray(each)
        made.append(x.reshape(1, 1, 1) if x.ndim == 0 else x[None, :, None] if x.ndim == 1 else x[:, :, None] if x.ndim == 2 else x)
    return made[0] if len(made) == 1 else tuple(made)


@composed
def dstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    return _core.concatenate([atleast_3d(x) for x in tup], axis=2, dtype=dtype, casting=casting)


def _depth(blocks: Any) -> int:
    if type(blocks) is not list:
        return 0
    depths = {_depth(each) for each in blocks}
    if len(depths) != 1 or any(type(each) is tuple for each in blocks):
        raise Unsupported
    return 1 + depths.pop()


@composed
def block(arrays: Any) -> Any:
    depth = _depth(arrays)
    leaves: list[Any] = []

    def gather(blocks: Any) -> Any:
        if type(blocks) is list:
            return [gather(each) for each in blocks]
        leaves.append(_core.asarray(blocks))
        return leaves[-1]

    parts = gather(arrays)
    rank = max(depth, *(x.ndim for x in leaves))

    def joined(blocks: Any, axis: int) -> Any:
        if axis == rank:
            return blocks[(*(None,) * (rank - blocks.ndim), ...)]
        return _core.concatenate([joined(each, axis + 1) for each in blocks], axis=axis)

    whole = joined(parts, rank - depth)
    if depth * whole.size > 2 * 512 * 512:  # NumPy concatenates, too
        return whole.copy(order="K")
    return whole.copy(order="F" if _are_fortran(leaves) else "C")


def _are_fortran(arrays: list[Any]) -> bool:
    try:
        layouts = [x.flags for x in arrays]
    except TypeError:  # what is differentiated or mapped tells nothing of its layout
        return False
    return all(flags.f_contiguous for flags in layouts) and not all(flags.c_contiguous for flags in layouts)


def _spacings(steps: Any, count: int) -> Any:
    if any(_core.asarray(step).ndim for step in steps):
        raise Unsupported
    return steps * count if len(steps) == 1 else steps or (1.0,) * count


@composed
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    x = _core.asarray(f)
    axes = range(x.ndim) if axis is None else [axis_of(each, x.ndim) for each in (axis if isinstance(axis, tuple) else (axis,))]
    steps = _spacings(varargs, len(axes))
    x = x.astype(float) if x.dtype.kind in "iu" else x
    if x.dtype.kind not in "fc" or len(steps) != len(axes) or len(set(axes)) != len(axes) or edge_order not in (1, 2):
        raise Unsupported
    if any(x.shape[place] <= edge_order for place in axes):
        raise Unsupported
    made = tuple(_slopes(x, place, step, edge_order) for place, step in zip(axes, steps, strict=True))
    return made[0] if len(axes) == 1 else made


def _slopes(x: Any, axis: int, step: Any, edge_order: int) -> Any:
    """Differences of an element's neighbours, and at the ends those of the first two or three and the last."""

    def at(start: Any, stop: Any) -> Any:
        return along(x, axis, slice(start, stop))

    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / step, (at(-1, None) - at(-2, -1)) / step
    else:
        first = -1.5 / step * at(0, 1) + 2.0 / step * at(1, 2) + -0.5 / step * at(2, 3)
        last = 0.5 / step * at(-3, -2) + -2.0 / step * at(-2, -1) + 1.5 / step * at(-1, None)
    middle = (at(2, None) - at(None, -2)) / (2.0 * step)
    slopes = _core.empty_like(x)
    slopes[...] = _core.concatenate([first, middle, last], axis=axis)
    return slopes


@composed
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    # The axis is one of each operand, which may have different numbers of them.
    x, y = (_core.moveaxis(each, axis_of(axis, each.ndim), -1) for each in map(_core.asarray, (x1, x2)))
    if operator.index(x.shape[-1]) != operator.index(y.shape[-1]):
        raise Unsupported
    products = (_core.conjugate(x) if x.dtype.kind == "c" else x) * y
    total = _core.sum(products, axis=-1, dtype=products.dtype)
    if total.ndim < 2 or operator.index(x.shape[-1]) == 0:
        return total
    return _core._laid_as_computed(total, [each[(None,) * (products.ndim - each.ndim) + (..., 0)] for each in (x, y)])


@composed
def meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False, copy: bool = True) -> Any:
    if indexing not in ("xy", "ij") or not copy:
        raise Unsupported
    rank = len(xi)
    parts = [_core.asarray(x).reshape(-1).reshape((1,) * i + (-1,) + (1,) * (rank - 1 - i)) for i, x in enumerate(xi)]
    if indexing == "xy" and rank > 1:
        parts = [_core.swapaxes(part, 0, 1) for part in parts]
    if sparse:
        return tuple(part.copy() for part in parts)
    return tuple(part.copy() for part in _core.broadcast_arrays(*parts))


def _of_matrices(name: str, function: Callable[..., Any]) -> None:
    """numpy.linalg's, of the last two axes, or of vectors along the last."""
    COMPOSED["linalg." + name] = function


_of_matrices("diagonal", lambda x, /, *, offset=0: diagonal(x, offset, -2, -1))
_of_matrices("trace", lambda x, /, *, offset=0, dtype=None: trace(x, offset, -2, -1, dtype))
_of_matrices("cross", lambda x1, x2, /, *, axis=-1: cross(x1, x2, axis=axis))
_of_matrices("vecdot", vecdot)


def _home_of(value: Any) -> str:
    """The device that the first array in it that is at home on one is at home on, else the processor."""
    if type(value) in (tuple, list):
        return next((home for home in map(_home_of, value) if home != "cpu"), "cpu")
    return value.device if type(value) is _core.ndarray else "cpu"


def call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The function of NumPy's on recorded arrays; Unsupported where it has to be NumPy's own, errors of bad arguments among that."""
    scope = None  # while it lives, what is made besides is on the device that the arguments are on
    if not _core._records() and _core._current_device() == "cpu":
        home = _home_of((*args, *kwargs.values()))
        scope = _core._DeviceScope(home) if home != "cpu" else None
    try:
        return _call(name, args, kwargs)
    finally:
        del scope


def _call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if name in _linalg.FUNCTIONS:
        return COMPOSED[name](*args, **kwargs)
    try:
        return COMPOSED[name](*args, **kwargs)
    except (ValueError, TypeError, IndexError) as error:
        raise Unsupported from error
