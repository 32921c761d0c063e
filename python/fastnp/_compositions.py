"""NumPy's functions that are made of others, for recorded arrays, which are compiled, differentiated and mapped with the rest, and those on a device.

On other arrays with memory NumPy's own are called. A case that is not here raises Unsupported, and is left to NumPy as a call between compiled code.
"""

from __future__ import annotations

import operator
import string
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


@composed
def einsum(subscripts: Any, *operands: Any, **options: Any) -> Any:
    if not operands or options.keys() - {"optimize"} or not isinstance(options.get("optimize", False), bool):
        raise Unsupported
    if not isinstance(subscripts, str):
        subscripts, operands = _in_letters((subscripts, *operands))
    text = _without_dots(subscripts.replace(" ", ""), operands)
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
            if sizes.setdefault(letter, size) != size:
                raise Unsupported
    if set(wanted) - sizes.keys():
        raise Unsupported
    if len(names) == 1 and set(wanted) == set(names[0]):
        return _seen_as(names[0], arrays[0], wanted)
    if any(x.dtype.kind not in "fc" for x in arrays):
        raise Unsupported
    terms = [_without_repeats(name, x, to_compute=True)[:2] for name, x in zip(names, arrays, strict=True)]
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


_LETTERS = string.ascii_uppercase + string.ascii_lowercase


def _in_letters(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """What is given as operands, each with a list of its axes' numbers, and those of the result, as a text and operands."""

    def named(axes: Any) -> str:
        if not isinstance(axes, (list, tuple)) or not all(each is Ellipsis or (type(each) is int and 0 <= each < 52) for each in axes):
            raise Unsupported
        return "".join("..." if each is Ellipsis else _LETTERS[each] for each in axes)

    text = ",".join(named(each) for each in given[1::2])
    if len(given) % 2:
        parts = text.split(",")
        return ",".join(parts) + "->" + named(given[-1]), given[:-1:2]
    return text, given[::2]


def _without_dots(text: str, operands: tuple[Any, ...]) -> str:
    """With letters that are not used yet for the axes that an ellipsis stands for: the last ones are the same of all operands."""
    if "." not in text:
        return text
    given, arrow, wanted = text.partition("->")
    names = given.split(",")
    if len(names) != len(operands):
        raise Unsupported
    counts = [_core.asarray(x).ndim - len(name.replace("...", "")) if "..." in name else 0 for name, x in zip(names, operands, strict=True)]
    letters = "".join(letter for letter in _LETTERS if letter not in text)[: max(counts)]
    if min(counts) < 0 or any(name.replace("...", "", 1).count(".") for name in (*names, wanted)):
        raise Unsupported
    names = [name.replace("...", letters[len(letters) - count :]) for name, count in zip(names, counts, strict=True)]
    if not arrow:
        joined = "".join(names)
        wanted = "..." + "".join(sorted(letter for letter in set(joined) - set(letters) if joined.count(letter) == 1))
    if "..." not in wanted and letters:
        raise Unsupported
    return ",".join(names) + "->" + wanted.replace("...", letters)


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


def _without_repeats(name: str, x: Any, to_compute: bool = False) -> tuple[str, Any, bool]:
    """A letter that is there twice stands for a diagonal. The last result: whether it is a view, which nobody looks at where it is `to_compute`."""
    is_view = True
    for letter in dict.fromkeys(name):
        while name.count(letter) > 1:
            first = name.index(letter)
            second = name.index(letter, first + 1)
            x, is_step = _picked_diagonal(x, first, second) if to_compute else _diagonal(x, 0, first, second)
            is_view = is_view and is_step
            name = "".join(each for i, each in enumerate(name) if i not in (first, second)) + letter
    return name, x, is_view


def varies(*sizes: Any) -> bool:
    """Whether one of them is another one in other calls of a recording."""
    return any(type(size) is _core._Size for size in sizes)


def _picked_diagonal(x: Any, first: int, second: int) -> tuple[Any, bool]:
    rows, columns = x.shape[first], x.shape[second]
    if not varies(rows, columns):
        return _diagonal(x, 0, first, second)
    lead = [i for i in range(x.ndim) if i not in (first, second)]
    lines = _core.transpose(x, [*lead, first, second]).reshape((*(x.shape[i] for i in lead), rows * columns))
    return _core.take(lines, _core.arange(min(rows, columns)) * (columns + 1), axis=-1), False


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
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Each function is called for the elements of its condition, as NumPy does it."""
    given = _core.asarray(x)
    if given.ndim == 0:
        raise Unsupported
    is_one = numpy.isscalar(condlist) or not isinstance(condlist[0], (list, numpy.ndarray, _core.ndarray)) or _core._is_scalar(condlist[0])
    masks = _core.asarray([condlist] if is_one else condlist).astype(bool)
    rows = [masks[i] for i in range(operator.index(masks.shape[0]))]
    if len(rows) == len(funclist) - 1:
        rows.append(~_core.any(masks, axis=0))  # type: ignore[arg-type]  # a mask
    elif len(rows) != len(funclist):
        raise Unsupported
    made = _core.zeros_like(given)
    for mask, function in zip(rows, funclist, strict=True):
        made[mask] = function(given[mask], *args, **kw) if callable(function) else function
    return made


@composed
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    # The axis is one of each operand, which may have different numbers of them.
    x, y = (_core.moveaxis(each, axis_of(axis, each.ndim), -1) for each in map(_core.asarray, (x1, x2)))
    if x.shape[-1] != y.shape[-1]:
        raise Unsupported
    products = (_core.conjugate(x) if x.dtype.kind == "c" else x) * y
    total = _core.sum(products, axis=-1, dtype=products.dtype)
    if total.ndim < 2 or x.shape[-1] == 0:
        return total
    return _core._laid_as_computed(total, [each[(None,) * (products.ndim - each.ndim) + (..., 0)] for each in (x, y)])


def _with_axes(function: Callable[..., Any], cores: tuple[int, int, int]) -> Callable[..., Any]:
    """A function of stacks of matrices and vectors with `axes=`. `cores`: how many axes each has, and the result."""

    def moved(x1: Any, x2: Any, /, *, axes: Any = None) -> Any:
        x, y = _core.asarray(x1), _core.asarray(x2)
        if axes is None:
            return function(x, y)
        places = [(each,) if isinstance(each, int) else tuple(each) for each in axes]
        if [len(each) for each in places[:2]] != list(cores[:2]) or len(places) > 3 or (len(places) == 2 and cores[2]):
            raise Unsupported
        x, y = (_core.moveaxis(z, at, tuple(range(-len(at), 0))) for z, at in zip((x, y), places, strict=False))
        made = function(x, y)
        at = places[2] if len(places) == 3 else ()
        if len(at) != cores[2]:
            raise Unsupported
        return _core.moveaxis(made, tuple(range(-len(at), 0)), at) if at else made

    return moved


def _matvec(x: Any, y: Any) -> Any:
    if x.ndim < 2 or y.ndim < 1 or x.shape[-1] != y.shape[-1]:
        raise Unsupported
    return _core.matmul(x, y[..., None])[..., 0]


def _vecmat(x: Any, y: Any) -> Any:
    if x.ndim < 1 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        raise Unsupported
    x = _core.conjugate(x) if x.dtype.kind == "c" else x
    return _core.matmul(x[..., None, :], y)[..., 0, :]


def _matmul(x: Any, y: Any) -> Any:
    if x.ndim < 2 or y.ndim < 2:
        raise Unsupported
    return _core.matmul(x, y)


COMPOSED["matvec"] = _with_axes(_matvec, (2, 1, 1))
COMPOSED["vecmat"] = _with_axes(_vecmat, (1, 2, 1))
COMPOSED["matmul"] = _with_axes(_matmul, (2, 2, 2))


def _cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    x, y = _core.asarray(x1), _core.asarray(x2)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise Unsupported
    return _core.cross(x, y, axis=axis)  # type: ignore[attr-defined]  # (its stub is the package's)


def _of_matrices(name: str, function: Callable[..., Any]) -> None:
    """numpy.linalg's, of the last two axes, or of vectors along the last."""
    COMPOSED["linalg." + name] = function


# (The stubs of these rows are the package's.)
_of_matrices("diagonal", lambda x, /, *, offset=0: _core.diagonal(x, offset, -2, -1))  # type: ignore[attr-defined]
_of_matrices("trace", lambda x, /, *, offset=0, dtype=None: _core.trace(x, offset, -2, -1, dtype))  # type: ignore[attr-defined]
_of_matrices("cross", _cross)
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
