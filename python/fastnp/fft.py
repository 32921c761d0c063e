"""numpy.fft, by NumPy; recorded arrays go to the compositions of _fft.py."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp import _core, _fallback


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(numpy.fft, name)
    if callable(found) and not isinstance(found, type):
        found = _core._Function(_fallback.wrap(found, f"fft.{name}"), f"fft.{name}")  # whose docstring is made when it is asked for
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy.fft) if not name.startswith("__"))})
