"""Keys of dicts and sets in programs: words, which are equal where the keys are, and hashes of these.

A key is a number or a tuple of numbers. Whole numbers are their own words, whatever their kinds; floats are known by their bits, as zero has one sign
and NaN is left to Python, which asks whether it is the same object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOL, BOOLEAN, FLOAT, FLOAT64, INT, INT64, Choice, Number, PythonKind, Unsupported

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Keys"]

_MIX = -7046029254386353131  # odd: a bit of a product has bits of all bits below
_MOST = 4  # numbers of a key


class Keys:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def of(self, key: Any) -> tuple[Any, ...]:
        """(whether it is a tuple, its numbers)"""
        numbers = key if type(key) is tuple else (key,)
        if not 0 < len(numbers) <= _MOST:
            raise Unsupported("has a dict of long tuples")
        return (type(key) is tuple, *(each if type(each) is Choice else self.walk.numbers.number(each) for each in numbers))

    def form(self, key: tuple[Any, ...]) -> str:
        """``i`` for each whole number, ``f`` for each float: of another form are no two keys that are compared."""
        return "".join(map(_form_of, key[1:]))

    def expect_equal_to_itself(self, key: tuple[Any, ...]) -> None:
        """Leaves where a number is NaN."""
        for each in key[1:]:
            if _form_of(each) == "f":
                value = self.float_of(each)
                self.walk.leave(self.steps.map("equal", FLOAT64, BOOL, value, value))

    def float_of(self, number: Any) -> int:
        return number.id if type(number) is Number else self.steps.get(number.shared())

    def words(self, key: tuple[Any, ...], scratch: tuple[int, int]) -> list[int]:
        """What keys are compared by. `scratch`: an array, and an offset where it has a word that nothing else is in."""
        return [self.bits_of(each, scratch) if _form_of(each) == "f" else self.walk.each(each, self.walk.numbers.to_int).id for each in key[1:]]

    def bits_of(self, number: Any, scratch: tuple[int, int]) -> int:
        """A float's bits, of which some may be all the same: the upper ones are in the lower half, too."""
        steps, (array, offset) = self.steps, scratch
        plain = steps.map("add", FLOAT64, FLOAT64, self.float_of(number), steps.constant(0.0, FLOAT64))  # -0.0 is 0.0
        steps.add("store", FLOAT64, a=array, b=offset, c=plain)
        bits = steps.add("load", INT64, a=array, b=offset)
        upper = steps.map("bitwise_and", INT64, INT64, steps.map("right_shift", INT64, INT64, bits, steps.whole(32)), steps.whole(2**32 - 1))
        return steps.map("bitwise_xor", INT64, INT64, bits, upper)

    def hashed(self, words: list[int]) -> int:
        steps, found = self.steps, self.steps.whole(0)
        for word in words:
            mixed = steps.map("multiply", INT64, INT64, steps.map("add", INT64, INT64, found, word), steps.whole(_MIX))
            found = steps.map("bitwise_xor", INT64, INT64, mixed, steps.map("right_shift", INT64, INT64, mixed, steps.whole(32)))
        return found


def _form_of(number: Any) -> str:
    kinds: list[Any] = [number.kind] if type(number) is Number else [kind for _, kind, _ in number.kinds]
    if all(kind is INT or kind is BOOLEAN or (_is_of_numpy(kind) and kind.kind in "iub") for kind in kinds):
        return "i"
    if all(kind is FLOAT or (_is_of_numpy(kind) and kind == FLOAT64) for kind in kinds) and (type(number) is Number or number.shared() is not None):
        return "f"
    raise Unsupported("has a dict whose keys are of several kinds, or no numbers")


def _is_of_numpy(kind: Any) -> bool:
    return kind is not None and type(kind) is not PythonKind
