"""numpy.linalg: of arrays with memory NumPy's own, but for norms of vectors; of recorded ones fastnp's (_linalg)."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp import _core, _fallback

LinAlgError = numpy.linalg.LinAlgError


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """numpy.linalg.norm."""
    values = _core.asarray(x)
    if not isinstance(values, _core.ndarray):  # of a dtype that only NumPy has
        return _fallback.run(numpy.linalg.norm, "linalg.norm", (x, ord, axis, keepdims), {})
    euclidean = (ord is None and not isinstance(axis, (tuple, list))) or (ord == 2 and (isinstance(axis, int) or (axis is None and values.ndim == 1)))
    has_axis = axis is None or values.ndim > 0  # a sum of a 0-d array would not mind
    is_recorded = _core._records() or values.requires_grad  # then the one that has a derivative at 0
    if is_recorded or not euclidean or not has_axis or values.dtype.kind not in "fc":
        return _fallback.run(numpy.linalg.norm, "linalg.norm", (x, ord, axis, keepdims), {})
    squares = values.real**2 + values.imag**2 if values.dtype.kind == "c" else values * values
    return _core.sqrt(_core.sum(squares, axis=axis, keepdims=keepdims))


globals()["norm"] = _core._Function(norm, "linalg.norm")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(numpy.linalg, name)
    if callable(found) and not isinstance(found, type):
        found = _core._Function(_fallback.wrap(found, f"linalg.{name}"), f"linalg.{name}")  # whose docstring is made when it is asked for
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy.linalg) if not name.startswith("__"))})
