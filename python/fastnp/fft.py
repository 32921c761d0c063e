"""numpy.fft: transforms by fastnp's own, at once; recorded arrays and those on devices go to the compositions of _fft.py, the rest to NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core, _fallback

_FEW = 4096


def _shift_at_once(name: str) -> Callable[..., Any]:
    """fftshift or ifftshift of an array with memory of the host, or NotImplemented."""

    def shift(x: Any, axes: Any = None) -> Any:
        if _core._records() or type(x) is not _core.ndarray or x.device != "cpu" or x.requires_grad or not isinstance(axes, (int, tuple, type(None))):
            return NotImplemented
        if x.size > _FEW and x.ndim > 1 and (axes is None or isinstance(axes, tuple)):  # an axis after the other, where NumPy copies once
            return NotImplemented
        try:
            return _core._fft_shift(x, axes, name[0] == "i")
        except (TypeError, ValueError):  # NumPy says what is wrong
            return NotImplemented

    return shift


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(numpy.fft, name)
    if callable(found) and not isinstance(found, type):
        wrapped, quick = _fallback.wrap(found, f"fft.{name}"), _shift_at_once(name) if name.endswith("shift") else getattr(_core, f"_quick_{name}", None)
        found = _core._Function(wrapped, f"fft.{name}", *([] if quick is None else [quick]))  # whose docstring is made when it is asked for
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy.fft) if not name.startswith("__"))})
