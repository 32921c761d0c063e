"""numpy.fft for recorded arrays: transforms that are compiled, differentiated and mapped with the rest. Cases that are not here are NumPy's own."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core
from fastnp._compositions import COMPOSED, Unsupported

NORMS = {None: "backward", "backward": "backward", "ortho": "ortho", "forward": "forward"}


def _checked_norm(norm: Any) -> str:
    if not isinstance(norm, (str, type(None))) or norm not in NORMS:
        raise Unsupported
    return NORMS[norm]


def _operand(a: Any, out: Any) -> Any:
    x = _core.asarray(a)
    if out is not None or x.dtype.name == "bfloat16":
        raise Unsupported
    return x


def _along_axis(name: str) -> Callable[..., Any]:
    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        return _core._fft(name, _operand(a, out), n, operator.index(axis), _checked_norm(norm))

    return transform


# NumPy's own words, as it gives them from a line of the caller's.
_NO_AXES = (
    "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of NumPy, this will raise an error and `s[i]` will "
    "correspond to the size along the transformed axis specified by `axes[i]`. To retain current behaviour, pass a sequence [0, ..., k-1] to `axes` for "
    "an array of dimension k."
)


def _along_axes(name: str, usual: tuple[int, ...] | None) -> Callable[..., Any]:
    def transform(a: Any, s: Any = None, axes: Any = usual, norm: Any = None, out: Any = None) -> Any:
        x = _operand(a, out)
        if s is not None:
            s = list(s)
            if None in s:
                raise Unsupported
            if axes is None:
                warnings.warn(_NO_AXES, DeprecationWarning, stacklevel=5)
                axes = tuple(range(-len(s), 0))
        if axes is None:
            axes = tuple(range(x.ndim))
        made = _core._fft_axes(name, x, s, tuple(operator.index(axis) for axis in axes), _checked_norm(norm))
        return x if made is x else made

    return transform


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    COMPOSED[f"fft.{_name}"] = _along_axis(_name)
for _name in ("fft", "ifft", "rfft", "irfft"):
    COMPOSED[f"fft.{_name}n"] = _along_axes(f"{_name}n", None)
    COMPOSED[f"fft.{_name}2"] = _along_axes(f"{_name}2", (-2, -1))


def _shift(back: bool) -> Callable[..., Any]:
    def shift(x: Any, axes: Any = None) -> Any:
        if axes is not None and not isinstance(axes, (int, numpy.integer)):
            axes = tuple(operator.index(axis) for axis in axes)
        return _core._fft_shift(_core.asarray(x), axes, back)

    return shift


COMPOSED["fft.fftshift"] = _shift(False)
COMPOSED["fft.ifftshift"] = _shift(True)


def _is_count(n: Any) -> bool:
    return isinstance(n, (int, numpy.integer)) or type(n) is _core._Size


def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    if device not in (None, "cpu") or not _is_count(n):
        raise Unsupported
    places = _core.arange(n)
    return _core.where(places < (n + 1) // 2, places, places - n) * (1.0 / (n * d))


def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    if device not in (None, "cpu") or not _is_count(n):
        raise Unsupported
    return _core.arange(n // 2 + 1) * (1.0 / (n * d))


COMPOSED["fft.fftfreq"] = fftfreq
COMPOSED["fft.rfftfreq"] = rfftfreq
