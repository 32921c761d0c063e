"""The flags of an array: NumPy's object for a view of it, which says what is, while what is set is set of the array."""

from __future__ import annotations

from typing import Any

from fastnp import _core

_WRITEABLE = ("WRITEABLE", "W")


class Flags:
    """What `x.flags` gives: numpy.ndarray's flags, of a fastnp.ndarray. As there, it shows the flags as they were when it was asked for."""

    __slots__ = ("_array", "_flags")

    def __init__(self, array: _core.ndarray, flags: Any) -> None:
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_flags", flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "writeable":
            self._array.setflags(write=bool(value))
        else:
            setattr(self._flags, name, value)

    def __getitem__(self, key: str) -> Any:
        return self._flags[key]

    def __setitem__(self, key: str, value: Any) -> None:
        if key in _WRITEABLE:
            self._array.setflags(write=bool(value))
        else:
            self._flags[key] = value

    def __eq__(self, other: object) -> Any:
        return self._flags == (other._flags if isinstance(other, Flags) else other)

    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def __repr__(self) -> str:
        return repr(self._flags)

    def __dir__(self) -> list[str]:
        return dir(self._flags)
