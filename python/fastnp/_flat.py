"""x.flat: NumPy's iterator, whose keys and values may be fastnp's arrays, and whose parts are; that of a recorded array; and its sort() in place."""

from __future__ import annotations

import operator
import warnings
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


class _Elements:
    """What both iterators do alike: elements are compared, and are not deleted."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def _compared(self, other: Any, name: str) -> Any:
        raise NotImplementedError

    def __delitem__(self, key: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

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


class flatiter(_Elements, metaclass=_Class):
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

    def __array__(self, dtype: Any = None, /, *, copy: Any = None) -> Any:
        return numpy.array(self._theirs.__array__(), dtype, copy=copy)

    def copy(self, /) -> Any:
        return _own(self._theirs.copy())

    def _compared(self, other: Any, name: str) -> Any:
        return _own(getattr(operator, name)(self._theirs, other._theirs if type(other) is flatiter else _view(other)))


flatiter.__module__ = "numpy"


class RecordedFlat(_Elements):
    """The same of an array that is recorded: its elements are a line, and what is set is made anew."""

    __slots__ = ("_next", "_of")
    __class__ = flatiter  # type: ignore[assignment]  # to isinstance

    def __init__(self, of: Any) -> None:
        self._of = of
        self._next = 0

    def _line(self) -> Any:
        return self._of.reshape(-1)

    @property
    def base(self) -> Any:
        return self._of

    @property
    def index(self) -> int:
        return self._next

    @property
    def coords(self) -> Any:
        return tuple(int(each) for each in numpy.unravel_index(self._next, tuple(map(operator.index, self._of.shape))))

    def __len__(self) -> int:
        return operator.index(self._of.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._line()) if self._next == 0 else self  # type: ignore[return-value]

    def __next__(self) -> Any:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self._line()[self._next - 1]

    def __getitem__(self, key: Any) -> Any:
        if type(key) is tuple and len(key) != 1:
            raise IndexError("unsupported iterator index")
        found = self._line()[key]
        return found if _core._is_scalar(found) else found.copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is tuple and len(key) != 1:
            raise IndexError("unsupported iterator index")
        line = self._of.reshape(-1).copy()
        chosen = line[key]
        if isinstance(value, (list, tuple)) and not _core._is_scalar(chosen):
            value = _core.asarray(value, dtype=line.dtype)
        if not _is_one_for(value, line.dtype) and (_core._is_scalar(chosen) or getattr(value, "dtype", None) != line.dtype):
            _refuse_setting()
        if _is_one_for(value, line.dtype):
            line[key] = value
        else:
            count, given = operator.index(chosen.size), operator.index(value.size)
            if count == 0 or given == 0:  # NumPy sets nothing
                return
            line[key] = value.reshape(-1)[numpy.arange(count) % given].reshape(chosen.shape)  # they begin again where they are too few
        self._of[...] = line.reshape(self._of.shape)

    def copy(self, /) -> Any:
        return self._line().copy()

    def _compared(self, other: Any, name: str) -> Any:
        return getattr(operator, name)(self._line(), other._line() if type(other) is RecordedFlat else other)


def _is_one_for(value: Any, dtype: Any) -> bool:
    """Whether it is one value that fits: NumPy casts it here in another way, with other words, than in other assignments."""
    if type(value) in (bool, int, float, complex):
        with warnings.catch_warnings(), numpy.errstate(all="raise"):
            warnings.simplefilter("error")
            try:
                numpy.zeros(1, dtype).flat[0] = value
            except (ValueError, TypeError, ArithmeticError, Warning):
                return False
        return True
    if type(value) is _core._Float:
        return bool(dtype == numpy.float64)
    return isinstance(value, (_core.ndarray, numpy.ndarray, numpy.generic)) and value.ndim == 0 and bool(value.dtype == dtype)


def _refuse_setting() -> None:
    what = "sets elements of flat to what may not be of the array's dtype"
    if _core._is_recording():
        _core._refuse(what)
    raise TypeError(f"a function that is transformed {what}")


def sort_in_place(x: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """x.sort() of an array that is recorded."""
    x[...] = _core.sort(x, operator.index(axis), kind, order, stable=stable)
