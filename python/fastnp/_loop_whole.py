"""Python's whole numbers in programs where they are of more than 64 bits in between, and their powers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

from fastnp import _syntax
from fastnp._loop_program import BOOL, BOOLEAN, INT, INT64, Number, PythonKind

if TYPE_CHECKING:
    from fastnp._loop_numbers import Numbers

__all__ = ["MIRRORED", "is_int", "is_mask", "is_wrapping", "masked", "modulo", "of_two_signs", "power", "wide_and", "wraps_around"]

_LOW = 2**63 - 1
_ALL = 2**64 - 1
# Operators whose result's lowest bits are known by those of the operands, but for shifts by numbers that vary.
_WRAPPING: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.BitXor: "bitwise_xor",
    ast.BitOr: "bitwise_or",
    ast.BitAnd: "bitwise_and",
    ast.LShift: "left_shift",
}
# Comparisons, and what they are with their operands exchanged.
MIRRORED = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}


_PLAIN = frozenset(["int", "len", "abs", "ord", "bool"])  # functions without effects


def is_wrapping(node: ast.expr) -> TypeGuard[ast.BinOp]:
    if not isinstance(node, ast.BinOp) or type(node.op) not in _WRAPPING:
        return False
    if not isinstance(node.op, ast.LShift):
        return True
    return isinstance(node.right, ast.Constant) and type(node.right.value) is int and 0 <= node.right.value < 64


def wraps_around(node: ast.BinOp) -> bool:
    """Whether it may be ``(a * b) & mask``, or ``% 2**k``, of what has no effects."""
    if not isinstance(node.op, (ast.BitAnd, ast.Mod)) or not is_wrapping(node.left):
        return False
    calls = [each.func for each in _syntax.walk(node.left) if isinstance(each, ast.Call)]
    return all(isinstance(each, ast.Name) and each.id in _PLAIN for each in calls)


def modulo(numbers: Numbers, op: ast.operator, x: Any, y: Any) -> Number:
    """The lowest 64 bits."""
    a, b = (numbers.whole(each) if type(each) is Number else numbers.steps.whole(_bits_of(int(each))) for each in (x, y))
    return Number(INT, numbers.steps.map(_WRAPPING[type(op)], INT64, INT64, a, b))


def is_mask(op: ast.operator, value: Any) -> int | None:
    """The mask of ``x & (2**k - 1)`` and ``x % 2**k``, of 64 bits at most; None of others."""
    if type(value) is not int or not isinstance(op, (ast.BitAnd, ast.Mod)):
        return None
    mask = value if isinstance(op, ast.BitAnd) else value - 1
    return mask if 0 < mask <= _ALL and mask & (mask + 1) == 0 else None


def _bits_of(value: int) -> int:
    """The lowest 64 bits, as a number with a sign."""
    return ((value + 2**63) & _ALL) - 2**63


def masked(numbers: Numbers, value: int, mask: int) -> Number:
    """Of a number whose lowest 64 bits are a value; leaves where these are more than 63 with no sign."""
    if mask == _ALL:
        numbers.leave(numbers.steps.compare("greater_equal", value, numbers.steps.whole(0)))
        return Number(INT, value, 0)
    return Number(INT, numbers.steps.map("bitwise_and", INT64, INT64, value, numbers.steps.whole(mask)), 0, mask)


def wide_and(numbers: Numbers, x: Number, other: int) -> Number:
    """``x & other`` of a number of more than 64 bits: where x is not below 0 its bits are known."""
    numbers.inside(x, 0, _LOW)
    return Number(INT, numbers.steps.map("bitwise_and", INT64, INT64, numbers.whole(x), numbers.steps.whole(other & _LOW)), 0, x.high)


def of_two_signs(numbers: Numbers, op: str, x: Number, y: Number) -> Number | None:
    """A comparison of NumPy's whole numbers, of 64 bits without a sign and any with one, which is exact; None of others."""
    if op not in MIRRORED or PythonKind in (type(x.kind), type(y.kind)) or {x.kind.kind, y.kind.kind} != {"i", "u"}:
        return None
    if x.kind.kind == "u":
        return of_two_signs(numbers, MIRRORED[op], y, x)
    if y.kind.itemsize < 8:
        return None
    steps, value = numbers.steps, numbers.whole(x)
    is_below = steps.compare("less", value, steps.whole(0))
    holds = steps.map(op, y.kind, BOOL, steps.cast(value, INT64, y.kind), y.id)
    if op in ("less", "less_equal", "not_equal"):
        return Number(BOOL, steps.either(is_below, holds))
    return Number(BOOL, steps.both(steps.map("logical_not", BOOL, BOOL, is_below), holds))


def power(numbers: Numbers, x: Number, y: Number) -> Number:
    """By squares; leaves where it is of more than 64 bits, and where the exponent is below 0."""
    steps, base, exponent = numbers.steps, numbers.whole(x), numbers.whole(y)
    low = 0 if x.low is not None and x.low >= 0 else None
    if y.low is not None and y.low == y.high and y.low >= 0:
        return _known_power(numbers, base, y.low, low)
    if x.low == x.high == 2:
        numbers.inside(y, 0, 62)
        return Number(INT, steps.map("left_shift", INT64, INT64, steps.whole(1), exponent), 1)
    numbers.inside(y, 0, _LOW)
    found, square, left = (steps.variable(INT) for _ in range(3))
    for variable, value in ((found, steps.whole(1)), (square, base), (left, exponent)):
        steps.set(variable, value)
    _while_positive(
        numbers,
        left,
        lambda: steps.set(found, numbers.checked("multiply", INT64, steps.get(found), steps.get(square))),
        lambda: steps.set(square, numbers.checked("multiply", INT64, steps.get(square), steps.get(square))),
    )
    return Number(INT, steps.get(found), low)


def _while_positive(numbers: Numbers, left: int, at_odd: Callable[[], None], before_next: Callable[[], None]) -> None:
    """Goes through the bits of a number, the lowest first."""
    steps = numbers.steps
    steps.add("loop")
    steps.add("if", a=steps.compare("less_equal", steps.get(left), steps.whole(0)))
    steps.add("break", a=0)
    steps.add("end")
    is_odd = steps.map("bitwise_and", INT64, INT64, steps.get(left), steps.whole(1))
    steps.add("if", a=steps.compare("not_equal", is_odd, steps.whole(0)))
    at_odd()
    steps.add("end")
    steps.set(left, steps.map("right_shift", INT64, INT64, steps.get(left), steps.whole(1)))
    steps.add("if", a=steps.compare("greater", steps.get(left), steps.whole(0)))
    before_next()
    steps.add("end")
    steps.add("next")
    steps.add("end")


def _known_power(numbers: Numbers, base: int, exponent: int, low: int | None) -> Number:
    found: int | None = None
    square, left = base, exponent
    while left:
        if left & 1:
            found = square if found is None else numbers.checked("multiply", INT64, found, square)
        left >>= 1
        if left:
            square = numbers.checked("multiply", INT64, square, square)
    made = numbers.steps.whole(1) if found is None else found
    return Number(INT, made, 0 if exponent % 2 == 0 else low)


def is_int(x: Any) -> bool:
    """Whether it is one of Python's, of the program's or known."""
    return type(x) in (int, bool) or (type(x) is Number and x.kind in (INT, BOOLEAN))
