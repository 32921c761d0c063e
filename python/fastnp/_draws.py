"""Random numbers of numpy.random.Generator drawn on a device: the same numbers, and the same state after them.

What takes one number after the other of a bit generator that can be begun anywhere (PCG64, PCG64DXSM, Philox) is drawn there, if it is much; everything
else is drawn by NumPy, and so is what is wrong, for NumPy to say. (Arguments that are arrays, `out=`, and exponentials by the inverse method, which take
the C library's logarithm for each number, are NumPy's, too.)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from fastnp import _core

LEAST = 1 << 15
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


def _number(x: Any) -> float | None:
    """A finite number that is no array with axes."""
    is_plain = isinstance(x, (float, int, numpy.floating, numpy.integer, numpy.bool_))
    if not is_plain and not (type(x) is numpy.ndarray and x.ndim == 0 and x.dtype.kind in "fiub"):
        return None
    found = float(x)
    return found if math.isfinite(found) else None


def _whole(x: Any) -> int | None:
    return int(x) if isinstance(x, (int, numpy.integer, numpy.bool_)) else None


def _random(size: Any = None, dtype: Any = numpy.float64, out: Any = None) -> _Draw | None:
    return _Draw("uniform", numpy.dtype(dtype), size) if out is None else None


def _uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> _Draw | None:
    least, most = _number(low), _number(high)
    if least is None or most is None:
        return None
    span = most - least
    if not math.isfinite(span) or math.copysign(1, span) < 0:
        return None
    return _Draw("uniform", _FLOATS[1], size, (least, span))


def _standard_normal(size: Any = None, dtype: Any = numpy.float64, out: Any = None) -> _Draw | None:
    return _Draw("normal", numpy.dtype(dtype), size) if out is None else None


def _normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> _Draw | None:
    mean, deviation = _number(loc), _number(scale)
    if mean is None or deviation is None or math.copysign(1, deviation) < 0:
        return None
    return _Draw("normal", _FLOATS[1], size, (mean, deviation))


def _standard_exponential(size: Any = None, dtype: Any = numpy.float64, method: Any = "zig", out: Any = None) -> _Draw | None:
    return _Draw("exponential", numpy.dtype(dtype), size) if out is None and method == "zig" else None


def _exponential(scale: Any = 1.0, size: Any = None) -> _Draw | None:
    mean = _number(scale)
    if mean is None or math.copysign(1, mean) < 0:
        return None
    return _Draw("exponential", _FLOATS[1], size, (-0.0, mean))


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
    count = _whole(a)
    if count is None or not replace or p is not None:
        return None
    return _integers(0, count, size)


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


def _shape(size: Any) -> tuple[int, ...] | None:
    """Of enough numbers."""
    if size is None:
        return None
    try:
        shape = tuple(operator.index(each) for each in size) if isinstance(size, (tuple, list)) else (operator.index(size),)
    except TypeError:
        return None
    return shape if min(shape, default=1) >= 0 and math.prod(shape) >= LEAST else None


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


def draw(generator: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _core.ndarray | None:
    """What a method of a numpy.random.Generator gives, on the current device; None, and nothing is drawn, where NumPy has to draw."""
    method = _METHODS.get(name)
    if method is None or type(generator) is not numpy.random.Generator or type(generator.bit_generator) not in _KINDS:
        return None
    try:
        wanted = method(*args, **kwargs)
    except (TypeError, ValueError, OverflowError):  # which NumPy raises
        return None
    shape = None if wanted is None else _shape(wanted.size)
    if wanted is None or shape is None or (wanted.kind != "integers" and wanted.dtype not in _FLOATS):
        return None
    bits = generator.bit_generator
    with bits.lock:
        drawn = _core._draw(_state(bits), wanted.kind, wanted.dtype, wanted.numbers, wanted.bounds, shape)
        if drawn is None:
            return None
        array, after = drawn
        _set_state(bits, after)
    return array
