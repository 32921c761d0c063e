"""numpy.linalg by fastnp's own functions (_linalg); of arrays with memory NumPy's own where these take less time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core, _fallback

LinAlgError = numpy.linalg.LinAlgError


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """numpy.linalg.norm."""
    values = _core.asarray(x)
    if type(values) is not _core.ndarray:  # of a dtype that only NumPy has
        return _fallback.run(numpy.linalg.norm, "linalg.norm", (x, ord, axis, keepdims), {})
    euclidean = (ord is None and not isinstance(axis, (tuple, list))) or (ord == 2 and (isinstance(axis, int) or (axis is None and values.ndim == 1)))
    has_axis = axis is None or values.ndim > 0  # a sum of a 0-d array would not mind
    is_recorded = _core._records() or values.requires_grad  # then the one that has a derivative at 0
    if is_recorded or not euclidean or not has_axis or values.dtype.kind not in "fc":
        return _fallback.run(numpy.linalg.norm, "linalg.norm", (x, ord, axis, keepdims), {})
    if axis is None and not keepdims:  # as NumPy has it, by products of vectors
        line = values.ravel(order="K")
        return _core.sqrt(line.dot(line) if values.dtype.kind == "f" else line.real.dot(line.real) + line.imag.dot(line.imag))
    squares = values.real**2 + values.imag**2 if values.dtype.kind == "c" else values * values
    return _core.sqrt(_core.sum(squares, axis=axis, keepdims=keepdims))


globals()["norm"] = _core._Function(norm, "linalg.norm", _core._quick_norm)


# Done by fastnp's own outside of compiled code, too. NumPy's determinants, least squares and norms take less time for small matrices.
_AT_ONCE = frozenset("solve inv cholesky qr eigh eigvalsh eig eigvals svd svdvals pinv matrix_rank cond matrix_power".split())
_THEMSELVES = {"matmul": _core.matmul, "matrix_transpose": _core.matrix_transpose, "tensordot": _core.tensordot}


def _is_plain(x: Any) -> bool:
    return type(x) is not _core.ndarray or (x.device == "cpu" and not x.requires_grad)


def _at_once(name: str) -> Callable[..., Any]:
    """The function on arrays with memory of the host, or NotImplemented."""
    from fastnp import _linalg  # not needed to import fastnp

    function = _linalg.FUNCTIONS[f"linalg.{name}"]

    def at_once(*args: Any, **kwargs: Any) -> Any:
        if _core._records() or not all(map(_is_plain, args)) or not all(map(_is_plain, kwargs.values())):
            return NotImplemented
        try:
            return function(*args, **kwargs)
        except LinAlgError:
            raise
        except (_linalg.Unsupported, TypeError, ValueError, IndexError):  # NumPy says what is wrong
            return NotImplemented

    return at_once


def _quick(name: str) -> list[Callable[..., Any]]:
    return [_at_once(name)] if name in _AT_ONCE else [_THEMSELVES[name]] if name in _THEMSELVES else []


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = getattr(numpy.linalg, name)
    if callable(found) and not isinstance(found, type):
        wrapped = _fallback.wrap(found, f"linalg.{name}")
        quick = _quick(name) or [_core._ByNumpy(found, f"linalg.{name}")]
        found = _core._Function(wrapped, f"linalg.{name}", *quick)  # whose docstring is made when it is asked for
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in dir(numpy.linalg) if not name.startswith("__"))})
