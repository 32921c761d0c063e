"""Random numbers of numpy.random.Generator drawn on a device: the same numbers, and the same state after them.

What takes one number after the other of a bit generator that can be begun anywhere (PCG64, PCG64DXSM, Philox) is drawn there, if it is much; everything
else is drawn by NumPy, and so is what is wrong, for NumPy to say. (Exponentials by the inverse method, which take the C library's logarithm of each
number, are NumPy's, too.) What arrays of parameters, weights or a population make of the numbers is computed there.

NumPy does not promise that its streams stay what they are, so the first draw of each kind is preceded by one that is compared with NumPy's; where they
differ the host goes on drawing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from fastnp import _core

LEAST = _core._least_draw
"""Numbers that are worth a kernel."""

_MASK = (1 << 64) - 1
_KINDS = (numpy.random.PCG64, numpy.random.PCG64DXSM, numpy.random.Philox)
_FLOATS = (numpy.dtype("float32"), numpy.dtype("float64"))


class _Draw(NamedTuple):
    """As the core takes it."""

    kind: str
    dtype: numpy.dtype[Any]
    size: Any
    numbers: tuple[float, float] = (-0.0, 1.0)  # what is added to each, and what each is first multiplied by; -0.0 changes none
    bounds: tuple[int, int] = (0, 1)  # the least, and the greatest from there, as bits
    finish: Callable[[_core.ndarray], _core.ndarray] | None = None  # makes the result of the numbers


_Array = (numpy.ndarray, _core.ndarray)


def _is_plain(x: Any, axes: bool) -> bool:
    """An array of real numbers, with axes or none, that is not differentiated."""
    return isinstance(x, _Array) and (x.ndim > 0) == axes and x.dtype.kind in "fiub" and not getattr(x, "requires_grad", False)


def _number(x: Any) -> float | None:
    """A finite number."""
    if not isinstance(x, (float, int, numpy.floating, numpy.integer, numpy.bool_)) and not _is_plain(x, axes=False):
        return None
    found = float(x)
    return found if math.isfinite(found) else None


def _whole(x: Any) -> int | None:
    is_whole = isinstance(x, (int, numpy.integer, numpy.bool_)) or (_is_plain(x, axes=False) and x.dtype.kind != "f")
    return int(x) if is_whole else None


def _reals(x: Any) -> Any:
    """A number, or an array of such, in double precision; None: something else."""
    if _is_plain(x, axes=True):
        return x.astype(numpy.float64, copy=False)
    return _number(x)


def _all(test: str, x: Any) -> bool:
    """Whether something is true of a number, or of all elements of an array."""
    return bool(getattr(_core if type(x) is _core.ndarray else numpy, test)(x).all())


def _is_negative(x: Any) -> bool:
    """Where NumPy raises."""
    if isinstance(x, float):
        return math.copysign(1, x) < 0
    module = _core if type(x) is _core.ndarray else numpy
    return bool((module.signbit(x) & ~module.isnan(x)).any())


def _size_of(size: Any, *parameters: Any) -> Any:
    """Of arrays of parameters; ValueError where they don't fit."""
    shape = numpy.broadcast_shapes(*(x.shape for x in parameters if not isinstance(x, float)))
    wanted = _sizes(shape if size is None else size)
    if numpy.broadcast_shapes(wanted, shape) != wanted:
        raise ValueError
    return wanted


def _is_much(size: Any, *parameters: Any) -> bool:
    """Whether it is worth a kernel; before what is said of parameters, which may be on a device, is looked at."""
    return math.prod(_size_of(size, *parameters)) >= LEAST


def _scaled(kind: str, shift: Any, scale: Any, size: Any) -> _Draw:
    """shift + scale * a number; arrays of these as NumPy rounds them."""
    if isinstance(shift, float) and isinstance(scale, float):
        return _Draw(kind, _FLOATS[1], size, (shift, scale))

    def finish(numbers: _core.ndarray) -> _core.ndarray:
        scaled = _core.multiply(numbers, scale, out=numbers)
        return scaled if isinstance(shift, float) and shift == 0 and math.copysign(1, shift) < 0 else _core.add(scaled, shift, out=scaled)

    return _Draw(kind, _FLOATS[1], _size_of(size, shift, scale), finish=finish)


def _into(out: Any, kind: str, dtype: Any, size: Any) -> _Draw | None:
    """Numbers as they are; into an array that lies in C order, as NumPy fills it."""
    wanted = numpy.dtype(dtype)
    if out is None:
        return _Draw(kind, wanted, size)
    fits = _is_plain(out, axes=True) and type(out) is _core.ndarray and out.dtype == wanted and out.flags.c_contiguous and out.flags.writeable
    if not fits or (size is not None and _sizes(size) != out.shape):
        return None

    filled: _core.ndarray = out

    def finish(numbers: _core.ndarray) -> _core.ndarray:
        filled[...] = numbers
        return filled

    return _Draw(kind, wanted, out.shape, finish=finish)


def _random(size: Any = None, dtype: Any = numpy.float64, out: Any = None) -> _Draw | None:
    return _into(out, "uniform", dtype, size)


def _uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> _Draw | None:
    least, most = _reals(low), _reals(high)
    if least is None or most is None or not _is_much(size, least, most):
        return None
    span = most - least
    if not _all("isfinite", span) or _is_negative(span):
        return None
    return _scaled("uniform", least, span, size)


def _standard_normal(size: Any = None, dtype: Any = numpy.float64, out: Any = None) -> _Draw | None:
    return _into(out, "normal", dtype, size)


def _normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> _Draw | None:
    mean, deviation = _reals(loc), _reals(scale)
    if mean is None or deviation is None or not _is_much(size, mean, deviation) or _is_negative(deviation):
        return None
    return _scaled("normal", mean, deviation, size)


def _standard_exponential(size: Any = None, dtype: Any = numpy.float64, method: Any = "zig", out: Any = None) -> _Draw | None:
    return _into(out, "exponential", dtype, size) if method == "zig" else None


def _exponential(scale: Any = 1.0, size: Any = None) -> _Draw | None:
    mean = _reals(scale)
    if mean is None or not _is_much(size, mean) or _is_negative(mean):
        return None
    return _scaled("exponential", -0.0, mean, size)


def _integers(low: Any, high: Any = None, size: Any = None, dtype: Any = numpy.int64, endpoint: Any = False) -> _Draw | None:
    if high is None:
        low, high = 0, low
    least, most, kind = _whole(low), _whole(high), numpy.dtype(dtype)
    if least is None or most is None or kind.kind not in "iub" or not kind.isnative:
        return None
    if not endpoint:
        most -= 1
    first, last = (0, 1) if kind.kind == "b" else (int(numpy.iinfo(kind).min), int(numpy.iinfo(kind).max))
    if not first <= least < most <= last:  # one number that is possible takes no draws
        return None
    return _Draw("integers", kind, size, bounds=(least & _MASK, most - least))


def _choice(a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True) -> _Draw | None:
    is_array = isinstance(a, _Array) and a.ndim > 0 and (type(a) is _core.ndarray or _core._is_supported(a)) and not getattr(a, "requires_grad", False)
    count = a.shape[axis] if is_array else _whole(a)
    if count is None or count <= 0 or not replace or not _is_much(size):
        return None
    places = _integers(0, count, size) if p is None else _weighted(count, size, p)
    if places is None or not is_array:
        return places
    find = places.finish or (lambda numbers: numbers)
    return places._replace(finish=lambda numbers: _core.take(_core.asarray(a), find(numbers), axis=axis))


def _weighted(count: int, size: Any, p: Any) -> _Draw | None:
    """Places by their weights."""
    weights = numpy.asarray(p, dtype=numpy.float64)
    numpy.random.Generator(numpy.random.PCG64(0)).choice(count, 0, p=weights)  # raises what NumPy does
    sums = weights.cumsum()
    sums /= sums[-1]

    def finish(numbers: _core.ndarray) -> _core.ndarray:
        return _core.searchsorted(_core.asarray(sums), numbers, side="right")

    return _Draw("uniform", _FLOATS[1], size, finish=finish)


_METHODS: dict[str, Callable[..., _Draw | None]] = {
    "random": _random,
    "uniform": _uniform,
    "standard_normal": _standard_normal,
    "normal": _normal,
    "standard_exponential": _standard_exponential,
    "exponential": _exponential,
    "integers": _integers,
    "choice": _choice,
}


def _sizes(size: Any) -> tuple[int, ...]:
    return tuple(operator.index(each) for each in size) if isinstance(size, (tuple, list)) else (operator.index(size),)


def _state(bits: Any) -> Any:
    """Of a bit generator, as the core takes it."""
    state = bits.state
    inner = state["state"]
    if "inc" in inner:
        words = [word for number in (inner["state"], inner["inc"]) for word in (number & _MASK, number >> 64)]
    else:
        words = [*inner["counter"].tolist(), *inner["key"].tolist(), *state["buffer"].tolist(), state["buffer_pos"]]
    return state["bit_generator"], words, bool(state["has_uint32"]), state["uinteger"]


def _set_state(bits: Any, after: Any) -> None:
    name, words, has_half, half = after
    state: dict[str, Any] = {"bit_generator": name, "has_uint32": int(has_half), "uinteger": half}
    if len(words) == 4:
        state["state"] = {"state": words[1] << 64 | words[0], "inc": words[3] << 64 | words[2]}
    else:
        numbers = numpy.array(words, dtype=numpy.uint64)
        state |= {"state": {"counter": numbers[:4], "key": numbers[4:6]}, "buffer": numbers[6:10], "buffer_pos": words[10]}
    bits.state = state


def _by_numpy(generator: Any, wanted: _Draw, count: int) -> Any:
    """The numbers that a draw begins with, but for what is added and multiplied."""
    if wanted.kind == "integers":
        first = wanted.bounds[0]
        least = first - (1 << 64) if wanted.dtype.kind == "i" and first >> 63 else first
        return generator.integers(least, least + wanted.bounds[1], count, wanted.dtype, endpoint=True)
    return getattr(generator, {"uniform": "random"}.get(wanted.kind, f"standard_{wanted.kind}"))(count, wanted.dtype)


_TRIED = 1 << 16
_right: dict[Any, bool] = {}


def _is_numpys(bits: Any, wanted: _Draw) -> bool:
    """Whether this NumPy draws so, and has the C library that we have: found out once for each kind of draw."""
    span = wanted.bounds[1]
    key = type(bits), wanted.kind, wanted.dtype, span > 0xFFFFFFFF, span & (span + 1) == 0
    if key not in _right:
        wanted = wanted._replace(numbers=(-0.0, 1.0))
        reference = numpy.random.Generator(type(bits)(0))
        drawn = _core._draw(_state(reference.bit_generator), *wanted[:2], wanted.numbers, wanted.bounds, (_TRIED,))
        expected = _by_numpy(reference, wanted, _TRIED)
        _right[key] = drawn is None or (numpy.asarray(drawn[0]).tobytes() == expected.tobytes() and drawn[1] == _state(reference.bit_generator))
    return _right[key]


def draw(generator: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _core.ndarray | None:
    """What a method of a numpy.random.Generator gives, on the current device; None, and nothing is drawn, where NumPy has to draw."""
    method = _METHODS.get(name)
    if method is None or type(generator) is not numpy.random.Generator or type(generator.bit_generator) not in _KINDS:
        return None
    try:
        wanted = method(*args, **kwargs)
        shape = None if wanted is None or wanted.size is None else _sizes(wanted.size)
    except (TypeError, ValueError, OverflowError, IndexError):  # which NumPy raises
        return None
    if wanted is None or shape is None or min(shape, default=1) < 0 or math.prod(shape) < LEAST:
        return None
    if wanted.kind != "integers" and wanted.dtype not in _FLOATS:
        return None
    bits = generator.bit_generator
    if not _is_numpys(bits, wanted):
        return None
    with bits.lock:
        drawn = _core._draw(_state(bits), wanted.kind, wanted.dtype, wanted.numbers, wanted.bounds, shape)
        if drawn is None:
            return None
        numbers, after = drawn
        _set_state(bits, after)
    return numbers if wanted.finish is None else wanted.finish(numbers)
