"""What one of several cases gives, in a walk over a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_program import INT, NOTHING, Choice, Number, Unsupported, machine, position_of
from fastnp._loop_values import is_array

if TYPE_CHECKING:
    from fastnp._loop_expressions import Expressions

__all__ = ["IsNoNumber", "Result"]


class IsNoNumber(Unsupported):
    """One of several cases gives an array, or a tuple."""


class Result:
    """What several cases give, each a number of its own kind."""

    def __init__(self, walk: Expressions) -> None:
        self.walk = walk
        self.tag = walk.steps.variable(INT)
        self.found: dict[Any, int] = {}  # variables by kinds
        self.lows: list[int | None] = []
        self.highs: list[int | None] = []

    def keep(self, value: Any) -> None:
        """In one of the cases: this is its result."""
        if is_array(value) or type(value) is tuple:
            raise IsNoNumber("takes one of several arrays or tuples")
        if value is None:
            self.keep_nothing()
            return
        if type(value) is not Choice:
            self.keep_number(self.walk.numbers.number(value))
            return
        steps = self.walk.steps
        for number, kind, variable in value.kinds:
            steps.add("if", a=steps.compare("equal", steps.get(value.tag), steps.whole(number)))
            if kind is NOTHING:
                self.keep_nothing()
            else:
                self.keep_number(Number(kind, steps.get(variable)))
            steps.add("end")

    def keep_nothing(self) -> None:
        self.found[NOTHING] = -1
        self.walk.steps.set(self.tag, self.walk.steps.whole(position_of(self.found, NOTHING)))

    def keep_number(self, number: Number) -> None:
        steps = self.walk.steps
        if number.kind not in self.found:
            alike = [variable for kind, variable in self.found.items() if kind is not NOTHING and machine(kind) == machine(number.kind)]
            self.found[number.kind] = alike[0] if alike else steps.variable(number.kind)
        self.lows.append(number.low)
        self.highs.append(number.high)
        steps.set(self.found[number.kind], number.id)
        steps.set(self.tag, steps.whole(position_of(self.found, number.kind)))

    def value(self) -> Any:
        if len(self.found) > 1:
            return Choice(self.tag, [(number, kind, variable) for number, (kind, variable) in enumerate(self.found.items())])
        low = min((each for each in self.lows if each is not None), default=None) if None not in self.lows else None
        high = max((each for each in self.highs if each is not None), default=None) if None not in self.highs else None
        ((kind, variable),) = self.found.items()
        if kind is NOTHING:
            return None
        return Number(kind, self.walk.steps.get(variable), low, high)
