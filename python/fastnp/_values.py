"""Values of calls, taken apart: copies of them, where two of them differ, and which floating-point numbers are none."""

from __future__ import annotations

import copy
import os
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy

from fastnp import _core

_PACKAGES = (os.path.dirname(__file__) + os.sep, os.path.dirname(numpy.__file__) + os.sep, "<frozen")
_DEEPEST = 32


def is_array(value: Any) -> bool:
    return isinstance(value, (numpy.ndarray, numpy.generic, _core.ndarray))


def copied(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """The same again, so that nothing that is done to one is seen in the other; what can't be copied is itself."""
    memo = {} if memo is None else memo
    kind = type(value)
    if id(value) in memo:
        return memo[id(value)]
    if kind in (list, tuple):
        made: Any = kind(copied(item, memo) for item in value)
    elif kind is dict:
        made = {key: copied(item, memo) for key, item in value.items()}
    elif isinstance(value, (type, types.FunctionType, types.ModuleType)):
        made = value
    else:
        try:
            made = copy.deepcopy(value)
        except Exception:  # noqa: BLE001  # locks, files
            made = value
    memo[id(value)] = made
    memo.setdefault(id(memo), []).append(value)  # ids are of what lives
    return made


def on_host(value: Any) -> Any:
    """The same with arrays of the host in the place of a device's, in lists, tuples and dicts."""
    if type(value) is _core.ndarray:
        return value if value.device == "cpu" else value.to("cpu")
    if type(value) in (list, tuple):
        return type(value)(map(on_host, value))
    return {key: on_host(item) for key, item in value.items()} if type(value) is dict else value


def leaves(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Arrays and plain values, with the places where they lie."""
    if is_array(value) or depth > _DEEPEST:
        yield path, value
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for name, item in zip(value._fields, value, strict=False):
            yield from leaves(item, f"{path}.{name}", depth + 1)
    elif type(value) in (list, tuple):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]", depth + 1)
    elif type(value) is dict:
        for key, item in value.items():
            yield from leaves(item, f"{path}[{key!r}]", depth + 1)
    else:
        yield path, value


def has_nan_or_inf(value: Any) -> tuple[bool, bool]:
    """Whether there is a NaN in it, and an infinity."""
    if isinstance(value, (float, complex)) or is_array(value):
        array = numpy.asarray(value)
        if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
            with numpy.errstate(all="ignore"):
                return bool(numpy.isnan(array).any()), bool(numpy.isinf(array).any())
    return False, False


def nan_or_inf(value: Any) -> tuple[bool, bool]:
    """The same of all that lies in it."""
    found = [has_nan_or_inf(each) for _, each in leaves(value, "")]
    return any(each[0] for each in found), any(each[1] for each in found)


@dataclass(frozen=True)
class Difference:
    """Where two values differ first."""

    path: str
    index: tuple[int, ...] | None
    first: Any
    second: Any
    ulp: float | None
    count: int

    def told(self, first: str, second: str) -> str:
        where = self.path if self.index is None else f"{self.path} at {self.index if self.index else '()'}"
        distance = "" if self.ulp is None else f" ({self.ulp:.4g} ulp)"
        more = f", and {self.count - 1} more elements" if self.count > 1 else ""
        return f"{where} is {self.first!r} {first} and {self.second!r} {second}{distance}{more}"


def _ulps(a: Any, b: Any) -> Any:
    """How far floating-point numbers lie apart, in steps of the larger one; 0 for two NaN, infinite for one."""
    with numpy.errstate(all="ignore"):
        largest = numpy.maximum(numpy.abs(a), numpy.abs(b))
        step = numpy.spacing(largest)
        apart = numpy.abs(a - b) / step
    apart = numpy.where(numpy.isnan(apart), numpy.inf, apart)
    return numpy.where((a == b) | (numpy.isnan(a) & numpy.isnan(b)), 0.0, apart)


def _bits_differ(a: Any, b: Any) -> Any:
    return ((a != b) | (numpy.signbit(a) != numpy.signbit(b))) & ~(numpy.isnan(a) & numpy.isnan(b))


def _apart(a: Any, b: Any, ulp: float) -> tuple[Any, Any]:
    """(which elements differ by more, how far these are apart)"""
    if a.dtype.kind == "c":
        pairs = [_apart(getattr(a, part), getattr(b, part), ulp) for part in ("real", "imag")]
        return pairs[0][0] | pairs[1][0], numpy.maximum(pairs[0][1], pairs[1][1])
    wide = [each if each.dtype.kind == "f" else each.astype("f4") for each in (a, b)]  # bfloat16 is of ml_dtypes
    apart = _ulps(*wide)
    if ulp == 0:
        return _bits_differ(*wide), apart
    with numpy.errstate(all="ignore"):
        finite = numpy.abs(wide[0])[numpy.isfinite(wide[0])]
        scale = numpy.spacing(finite.max()) if finite.size else 0  # sums of large parts may be small
        near = numpy.abs(wide[0] - wide[1]) <= ulp * scale
    return (apart > ulp) & ~near, apart


def _array_difference(path: str, a: Any, b: Any, ulp: float) -> Difference | None:
    x, y = numpy.asarray(a), numpy.asarray(b)
    if x.dtype != y.dtype or x.shape != y.shape:
        said = [f"{each.dtype}{list(each.shape)}" for each in (x, y)]
        return Difference(path, None, said[0], said[1], None, 1)
    is_floating = x.dtype.kind in "fc" or x.dtype.name == "bfloat16"
    wrong, apart = _apart(x, y, ulp) if is_floating else (numpy.asarray(x != y), None)
    if not wrong.any():
        return None
    index = tuple(int(each) for each in numpy.argwhere(wrong)[0])
    return Difference(path, index, x[index].item(), y[index].item(), None if apart is None else float(apart[index]), int(wrong.sum()))


def difference(first: Any, second: Any, path: str, ulp: float) -> Difference | None:
    """Where two values differ first, by more than `ulp` where they are floating-point numbers; 0: in any bit but those of a NaN."""
    one, other = list(leaves(first, path)), list(leaves(second, path))
    if [each[0] for each in one] != [each[0] for each in other]:
        return Difference(path, None, f"{len(one)} values", f"{len(other)} values", None, 1)
    for (place, a), (_, b) in zip(one, other, strict=True):
        numbers = (bool, int, float, complex)
        if is_array(a) and is_array(b):
            found = _array_difference(place, a, b, ulp)
        elif type(a) in numbers and type(b) in numbers:
            found = _array_difference(place, a, b, ulp) if abs(a) < 2**63 else None if a == b else Difference(place, None, a, b, None, 1)
            found = replace(found, index=None) if found is not None else None
        elif is_array(a) != is_array(b) or (type(a) in (str, bytes, type(None)) and a != b):
            found = Difference(place, None, a, b, None, 1)
        else:
            continue
        if found is not None:
            return found
    return None


def is_users(code: types.CodeType) -> bool:
    """Whether code is neither fastnp's nor NumPy's nor of an import."""
    return not code.co_filename.startswith(_PACKAGES)


def line_of(code: types.CodeType, number: int) -> str:
    """A place in the user's program, with its text."""
    import linecache  # where something is told

    text = linecache.getline(code.co_filename, number).strip()
    return f"{code.co_filename}:{number}, in {code.co_qualname}" + (f": {text}" if text else "")


def users_frame(error: BaseException) -> tuple[types.FrameType, int] | None:
    """The innermost one of the user's that an error went through, and the line."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if is_users(trace.tb_frame.f_code):
            found = trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
    return found


class saved_draws:
    """The states of the generators that belong to nobody are put back at its end."""

    def __enter__(self) -> saved_draws:
        self._numpy = numpy.random.get_state()
        random = sys.modules.get("random")
        self._python = None if random is None else random.getstate()
        return self

    def __exit__(self, *error: object) -> None:
        numpy.random.set_state(self._numpy)
        if self._python is not None:
            sys.modules["random"].setstate(self._python)
