"""Errors of the core as NumPy's exceptions that say in attributes what went wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy

_AXIS = re.compile(r"(?:(.*): )?axis (-?\d+) is out of bounds for array of dimension (\d+)", re.DOTALL)
_DTYPE = r"dtype\('(\w+)'\)"
_CAST = re.compile(rf"Cannot cast ufunc '(\w+)' (input|output)(?: (\d+))? from {_DTYPE} to {_DTYPE} with casting rule '(\w+)'")
_NO_LOOP = re.compile(r"ufunc '(\w+)' did not contain a loop with signature matching types (.*) -> None")


def axis_error(text: str) -> Exception:
    """numpy.exceptions.AxisError of that text, with its axis and ndim where the text names them."""
    found = _AXIS.fullmatch(text)
    if found is None:
        return numpy.exceptions.AxisError(text)
    return numpy.exceptions.AxisError(int(found[2]), int(found[3]), found[1])


def type_error(text: str) -> Exception:
    """A TypeError of that text: of a ufunc's casts and loops NumPy's UFuncTypeError, where it would be in the same words."""
    try:
        error = _ufunc_error(text)
        return error if error is not None and str(error) == text else TypeError(text)
    except (ImportError, AttributeError, TypeError):  # NumPy's are not public; and it may not know the dtype
        return TypeError(text)


def _ufunc_error(text: str) -> Exception | None:
    from numpy._core import _exceptions as kinds

    if cast := _CAST.fullmatch(text):
        kind: Any = kinds._UFuncInputCastingError if cast[2] == "input" else kinds._UFuncOutputCastingError
        return kind(getattr(numpy, cast[1]), cast[6], numpy.dtype(cast[4]), numpy.dtype(cast[5]), int(cast[3] or 0))
    if missing := _NO_LOOP.fullmatch(text):
        ufunc = getattr(numpy, missing[1])
        names = re.findall(r"numpy\.dtypes\.(\w+)'", missing[2])
        return kinds._UFuncNoLoopError(ufunc, (*(getattr(numpy.dtypes, name) for name in names), *(None,) * ufunc.nout))
    return None
