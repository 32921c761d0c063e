"""Elementwise operations by others' ones: functions of values whose operators make nodes, by the names in fastnp's catalogue.

Operations are called as ONNX calls them ("Log", "Where"); what writes another language says there what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy

#: What arithmetic on a dtype is done in, where few who run models have it in the dtype itself: the results are the same.
_WIDER: dict[str, numpy.dtype[Any]] = {
    **dict.fromkeys(["bool", "int8", "int16", "uint8", "uint16"], numpy.dtype("int32")),
    "uint32": numpy.dtype("int64"),
}


def wider(dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """The dtype that integers are computed in."""
    return _WIDER.get(dtype.name, dtype)


class Tensor:
    """A value that is computed by nodes. Numbers among operands are constants of the value's dtype."""

    __slots__ = ()
    dtype: numpy.dtype[Any]

    def op(self, kind: str, *others: Any, dtype: Any = None, **attributes: Any) -> Self:
        """The result of a node, of this value's dtype unless another one is said."""
        raise NotImplementedError

    def like(self, value: Any) -> Self:
        """A number as a constant of the dtype; a value as it is."""
        raise NotImplementedError

    def cast(self, dtype: Any) -> Self:
        raise NotImplementedError

    def mod(self, other: Any, fmod: int = 0) -> Self:
        """Of integers the remainder with the divisor's sign; `fmod`: with the dividend's."""
        raise NotImplementedError

    def choose(self, first: Any, second: Any) -> Self:
        """`first` where this one is true, else `second`; one of them is a value, or both."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Self:
        return self.op("Add", other)

    def __sub__(self, other: Any) -> Self:
        return self.op("Sub", other)

    def __mul__(self, other: Any) -> Self:
        return self.op("Mul", other)

    def __truediv__(self, other: Any) -> Self:
        return self.op("Div", other)

    def __neg__(self) -> Self:
        return self.op("Neg")

    def __abs__(self) -> Self:
        return self.op("Abs")

    def less(self, other: Any) -> Self:
        return self.op("Less", other, dtype=bool)

    def is_equal(self, other: Any) -> Self:
        return self.op("Equal", other, dtype=bool)

    def both(self, other: Self) -> Self:
        return self.op("And", other, dtype=bool)

    def either(self, other: Self) -> Self:
        return self.op("Or", other, dtype=bool)

    def inverted(self) -> Self:
        return self.op("Not", dtype=bool)


def _simple(kind: str) -> Callable[..., Tensor]:
    return lambda x, *others: x.op(kind, *others)


def _by_factor(factor: float) -> Callable[[Tensor], Tensor]:
    return lambda x: x * factor


def _is_float(x: Tensor) -> bool:
    return x.dtype.kind not in "biu"


def _rounding(kind: str) -> Callable[[Tensor], Tensor]:
    return lambda x: x.op(kind) if _is_float(x) else x


def _trunc(x: Tensor) -> Tensor:
    return x.less(0).choose(x.op("Ceil"), x.op("Floor")) if _is_float(x) else x


def _log1p(x: Tensor) -> Tensor:
    """By W. Kahan: what 1 + x loses, the quotient gives back."""
    u = x + 1
    near = u.is_equal(1).either(u.op("IsInf", dtype=bool, detect_negative=0))
    return near.choose(x, u.op("Log") * (x / near.choose(1, u - 1)))


def _expm1(x: Tensor) -> Tensor:
    """By W. Kahan, as log1p. Infinities and what is rounded to -1 are as they come."""
    u = x.op("Exp")
    less = u - 1
    plain = u.is_equal(1).either(less.is_equal(-1)).either(u.op("IsInf", dtype=bool) if _is_float(u) else u.is_equal(1))
    close = less * (x / plain.choose(1, u.op("Log")))
    return u.is_equal(1).choose(x, plain.choose(less, close))


def _signbit(x: Tensor) -> Tensor:
    return x.less(0).either(x.op("Reciprocal").less(0))


def _sign(x: Tensor) -> Tensor:
    return x.op("Sign")


def _isfinite(x: Tensor) -> Tensor:
    if not _is_float(x):
        return x.is_equal(x)
    return x.op("IsNaN", dtype=bool).either(x.op("IsInf", dtype=bool)).inverted()


def _never_for_integers(kind: str) -> Callable[[Tensor], Tensor]:
    return lambda x: x.op(kind, dtype=bool) if _is_float(x) else x.is_equal(x).inverted()


def _remainder(x: Tensor, y: Tensor) -> Tensor:
    if not _is_float(x):
        return x.mod(y)
    rest = x.mod(y, fmod=1)
    other_side = rest.less(0).op("Xor", y.less(0), dtype=bool).both(rest.is_equal(0).inverted())
    return other_side.choose(rest + y, rest)


def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
    if not _is_float(x):  # no difference that is out of range: of the least number, say
        quotient = x / y
        rest = x - quotient * y
        is_above = rest.less(0).op("Xor", y.less(0), dtype=bool).both(rest.is_equal(0).inverted())
        return is_above.choose(quotient - 1, quotient)
    whole = (x - _remainder(x, y)) / y
    down = whole.op("Floor")
    exact = (whole - down).less(0.5).choose(down, down + 1)
    return y.is_equal(0).choose(x / y, exact)


def _arctan2(y: Tensor, x: Tensor) -> Tensor:
    """Of the quotient's angle and the quadrant; of two zeros or infinities by their signs."""
    zeros = x.is_equal(0).both(y.is_equal(0))
    infinite = x.op("IsInf", dtype=bool).both(y.op("IsInf", dtype=bool))
    left = _signbit(x)
    quotient = infinite.choose(x.op("Sign") * y.op("Sign"), zeros.choose(left.choose(-y, y), y / zeros.choose(1, x)))
    angle = quotient.op("Atan")
    half_turn = _signbit(y).choose(x.like(-math.pi), x.like(math.pi))
    return left.choose(angle + half_turn, angle)


def _logaddexp(x: Tensor, y: Tensor) -> Tensor:
    same = x.is_equal(y)
    gap = -abs(same.choose(0, x - y))
    return x.op("Max", y) + _log1p(gap.op("Exp"))


def _logaddexp2(x: Tensor, y: Tensor) -> Tensor:
    return _logaddexp(x * math.log(2), y * math.log(2)) * (1 / math.log(2))


def _hypot(x: Tensor, y: Tensor) -> Tensor:
    most = abs(x).op("Max", abs(y))
    scale = most.is_equal(0).either(most.op("IsInf", dtype=bool)).choose(1, most)
    a, b = x / scale, y / scale
    infinite = x.op("IsInf", dtype=bool).either(y.op("IsInf", dtype=bool))  # whatever the other one is
    return infinite.choose(x.like(numpy.inf), scale * (a * a + b * b).op("Sqrt"))


def _cbrt(x: Tensor) -> Tensor:
    root = x.op("Sign") * abs(x).op("Pow", 1 / 3)
    close = root - (root * root * root - x) / (root * root * 3)  # a step of Newton's: the power's exponent is rounded
    return root.is_equal(0).either(root.op("IsInf", dtype=bool)).choose(root, close)


def _power(x: Tensor, y: Tensor) -> Tensor:
    return x.op("Pow", y)


def _ldexp(x: Tensor, y: Tensor) -> Tensor:
    return x * x.like(2).op("Pow", y.cast(x.dtype))


def _fmax(kind: str) -> Callable[[Tensor, Tensor], Tensor]:
    def chosen(x: Tensor, y: Tensor) -> Tensor:
        both = x.op(kind, y)
        if not _is_float(x):
            return both
        return x.op("IsNaN", dtype=bool).choose(y, y.op("IsNaN", dtype=bool).choose(x, both))

    return chosen


def _left_shift(x: Tensor, y: Tensor) -> Tensor:
    return x * x.like(2).op("Pow", y)


def _right_shift(x: Tensor, y: Tensor) -> Tensor:
    return _floor_divide(x, x.like(2).op("Pow", y))


def _logical(kind: str) -> Callable[..., Tensor]:
    return lambda x, *others: x.op(kind, *others, dtype=bool)


#: In the dtype of the result.
FUNCTIONS: dict[str, Callable[..., Tensor]] = {
    **{name: _simple(kind) for name, kind in (pair.split(":") for pair in (
        "negative:Neg sqrt:Sqrt exp:Exp log:Log sin:Sin cos:Cos tan:Tan arcsin:Asin arccos:Acos arctan:Atan sinh:Sinh cosh:Cosh "
        "tanh:Tanh arcsinh:Asinh arccosh:Acosh arctanh:Atanh subtract:Sub divide:Div"
    ).split())},
    "positive": lambda x: x, "conjugate": lambda x: x, "real": lambda x: x, "absolute": abs, "fabs": abs, "sign": _sign,
    "imag": lambda x: x * 0,
    "rint": _rounding("Round"), "floor": _rounding("Floor"), "ceil": _rounding("Ceil"), "trunc": _trunc,
    "cbrt": _cbrt, "square": lambda x: x * x, "reciprocal": lambda x: x.like(1) / x,
    "exp2": lambda x: x.like(2).op("Pow", x), "expm1": _expm1, "log1p": _log1p,
    "log2": lambda x: x.op("Log") * (1 / math.log(2)), "log10": lambda x: x.op("Log") * (1 / math.log(10)),
    "degrees": _by_factor(180 / math.pi), "radians": _by_factor(math.pi / 180),
    "modf_fraction": lambda x: x.op("IsInf", dtype=bool).choose(0, x - _trunc(x)),
    "add": _simple("Add"), "multiply": _simple("Mul"),
    "maximum": _simple("Max"), "minimum": _simple("Min"),
    "fmax": _fmax("Max"), "fmin": _fmax("Min"),
    "floor_divide": _floor_divide, "remainder": _remainder, "fmod": lambda x, y: x.mod(y, fmod=1),
    "power": _power, "float_power": _power, "arctan2": _arctan2, "hypot": _hypot, "logaddexp": _logaddexp, "logaddexp2": _logaddexp2,
    "copysign": lambda x, y: _signbit(y).choose(-abs(x), abs(x)),
    "heaviside": lambda x, y: x.is_equal(0).choose(y, x.op("IsNaN", dtype=bool).choose(x, x.like(0).less(x).cast(x.dtype))),
    "ldexp": _ldexp, "left_shift": _left_shift, "right_shift": _right_shift,
    "invert": _simple("BitwiseNot"),
    "bitwise_and": _simple("BitwiseAnd"),
    "bitwise_or": _simple("BitwiseOr"),
    "bitwise_xor": _simple("BitwiseXor"),
}  # fmt: skip

#: Of bools, and to bools.
LOGICAL: dict[str, Callable[..., Tensor]] = {
    "logical_not": _logical("Not"), "logical_and": _logical("And"), "logical_or": _logical("Or"), "logical_xor": _logical("Xor"),
}  # fmt: skip

#: Of bools where that is the dtype of the result, in the place of arithmetic.
BOOLS: dict[str, Callable[..., Tensor]] = {
    "add": _logical("Or"), "multiply": _logical("And"), "maximum": _logical("Or"), "minimum": _logical("And"), "fmax": _logical("Or"),
    "fmin": _logical("And"), "invert": _logical("Not"), "bitwise_and": _logical("And"), "bitwise_or": _logical("Or"), "bitwise_xor": _logical("Xor"),
}  # fmt: skip

#: To bools, in the dtype of the operands.
QUESTIONS: dict[str, Callable[..., Tensor]] = {
    "equal": lambda x, y: x.is_equal(y), "not_equal": lambda x, y: x.is_equal(y).inverted(), "less": lambda x, y: x.less(y),
    "less_equal": lambda x, y: x.op("LessOrEqual", y, dtype=bool), "greater": lambda x, y: y.less(x),
    "greater_equal": lambda x, y: y.op("LessOrEqual", x, dtype=bool),
    "isnan": _never_for_integers("IsNaN"), "isinf": _never_for_integers("IsInf"), "isfinite": _isfinite, "signbit": _signbit,
}  # fmt: skip

#: Whose second operand keeps its dtype.
_SCALED = {"ldexp"}
#: Which ONNX has for each dtype of integers, and the wider one would change.
_OF_EACH = {"invert"}


def names() -> set[str]:
    """All that have a form."""
    return FUNCTIONS.keys() | LOGICAL.keys() | QUESTIONS.keys()


def write(name: str, operands: list[Any], dtype: numpy.dtype[Any], is_exact: bool = False) -> Any:
    """The operation's result, of this dtype. `is_exact`: integers of all widths are computed in their own dtypes."""
    wide = (lambda dtype: dtype) if is_exact else wider
    if name in LOGICAL:
        return LOGICAL[name](*(each.cast(bool) for each in operands))
    if name in QUESTIONS:
        common = wide(numpy.result_type(*(each.dtype for each in operands)))
        return QUESTIONS[name](*(each.cast(common) for each in operands))
    if dtype.kind == "b" and name in BOOLS:
        return BOOLS[name](*(each.cast(bool) for each in operands))
    inside = dtype if name in _OF_EACH else wide(dtype)
    if name in _SCALED:
        return FUNCTIONS[name](operands[0].cast(inside), *operands[1:]).cast(dtype)
    return FUNCTIONS[name](*(each.cast(inside) for each in operands)).cast(dtype)
