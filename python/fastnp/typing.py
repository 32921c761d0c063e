"""Types for annotations: ``import fastnp.typing as npt``, with NumPy's names for them.

``NDArray[np.float64]`` is an array of that dtype and any number of axes, ``ndarray[tuple[int, int], np.dtype[np.float64]]`` one of two axes.
`ArrayLike` is all that becomes an array: arrays of fastnp's and NumPy's, numbers, and lists of these. `DTypeLike` is all that becomes a dtype.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy
from numpy.typing import ArrayLike, DTypeLike

from fastnp._core import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

_ScalarT = TypeVar("_ScalarT", bound=numpy.generic)

NDArray: TypeAlias = ndarray[tuple[Any, ...], numpy.dtype[_ScalarT]]
