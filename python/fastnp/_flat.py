"""x.flat: NumPy's iterator, whose keys and values may be fastnp's arrays, and whose parts are."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy

from fastnp import _core


def _view(value: Any) -> Any:
    return _core._view(value, "numpy.flatiter") if type(value) is _core.ndarray else value


def _own(value: Any) -> Any:
    return _core.asarray(value) if type(value) is numpy.ndarray and _core._is_supported(value) else value


class _Class(type):
    """NumPy's iterators are of the class, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, numpy.flatiter) or super().__instancecheck__(instance)


class flatiter(metaclass=_Class):
    """What `x.flat` gives: an iterator over the elements in C's order, which takes subscripts and is written to.

    Keys and values may be fastnp's arrays; parts of more than one element are.

    See Also
    --------
    ndarray.ravel, ndarray.flatten

    Examples
    --------
    >>> import fastnp as np
    >>> x = np.arange(6).reshape(2, 3)
    >>> x.flat[np.array([1, 4])]
    array([1, 4])
    >>> x.flat[x.ravel() > 3] = 0
    >>> x
    array([[0, 1, 2],
           [3, 0, 0]])
    """

    __slots__ = ("_of", "_theirs")
    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def __init__(self, theirs: Any, of: Any) -> None:
        self._theirs = theirs
        self._of = of

    @property
    def base(self) -> Any:
        return self._of

    @property
    def coords(self) -> Any:
        return self._theirs.coords

    @property
    def index(self) -> int:
        return int(self._theirs.index)

    def __iter__(self) -> Iterator[Any]:
        return self._theirs  # type: ignore[no-any-return]  # the same iterator, at its own speed

    def __next__(self) -> Any:
        return next(self._theirs)

    def __len__(self) -> int:
        return len(self._theirs)

    def __getitem__(self, key: Any) -> Any:
        return _own(self._theirs[_view(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._theirs[_view(key)] = _view(value)

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> Any:
        return numpy.array(self._theirs.__array__(), dtype, copy=copy)

    def copy(self, /) -> Any:
        return _own(self._theirs.copy())

    def _compared(self, other: Any, name: str) -> Any:
        return _own(getattr(operator, name)(self._theirs, other._theirs if type(other) is flatiter else _view(other)))

    def __eq__(self, other: object) -> Any:
        return self._compared(other, "eq")

    def __ne__(self, other: object) -> Any:
        return self._compared(other, "ne")

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, "lt")

    def __le__(self, other: Any) -> Any:
        return self._compared(other, "le")

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, "gt")

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, "ge")


flatiter.__module__ = "numpy"
