"""What stands for a value that a recording can't hold, where ``fullgraph=True`` has all that it can't hold looked for."""

from __future__ import annotations

import opcode
import sys
from typing import Any

__all__ = ["Unknown", "unknown_among"]


def _items_asked_for() -> int:
    """How many items the code that begins to go over something takes: as many as it unpacks, or one, as a loop."""
    frame = sys._getframe(2)
    code, at = frame.f_code.co_code, frame.f_lasti
    name, argument = opcode.opname[code[at]], code[at + 1]
    if name == "UNPACK_EX":  # before the starred name, and after it
        return argument + (code[at - 1] if opcode.opname[code[at - 2]] == "EXTENDED_ARG" else 0)
    return argument if name == "UNPACK_SEQUENCE" else 1


class Unknown:
    """It takes part in everything, and what comes of it is unknown, too. Conditions hold where they are asked for the first time, so that loops end."""

    __hash__ = object.__hash__

    def __init__(self, met: int = 1) -> None:
        self._asked: set[Any] = set()  # the places where it was a condition
        self._met = met  # how often the program has been where it comes from

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array"):
            raise AttributeError(name)
        return self

    def _same(self, *args: Any, **kwargs: Any) -> Any:
        return self

    __call__ = __getitem__ = __enter__ = _same
    __add__ = __sub__ = __mul__ = __matmul__ = __truediv__ = __floordiv__ = __mod__ = __divmod__ = __pow__ = _same
    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _same
    __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _same
    __neg__ = __pos__ = __abs__ = __invert__ = __round__ = _same
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _same
    __array_function__ = __array_ufunc__ = _same

    def __setitem__(self, index: Any, value: Any) -> None:
        pass

    def __exit__(self, *args: Any) -> None:
        pass

    def __bool__(self) -> bool:
        frame = sys._getframe(1)
        place = frame.f_code, frame.f_lasti
        is_first = self._met == 1 and place not in self._asked
        self._asked.add(place)
        return is_first

    def __contains__(self, item: Any) -> bool:
        return True

    def __len__(self) -> int:
        return 1

    __int__ = __index__ = __len__

    def __float__(self) -> float:
        return 1.0

    def __complex__(self) -> complex:
        return 1.0 + 0j

    def __iter__(self) -> Any:
        return iter([self] * _items_asked_for())


def unknown_among(values: Any) -> Unknown | None:
    """One of the values, or of the items of lists and tuples among them."""
    for each in values:
        found = unknown_among(each) if isinstance(each, (list, tuple)) else each
        if type(found) is Unknown:
            return found
    return None
