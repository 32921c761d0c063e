"""Arithmetic of programs' numbers: Python's own is exact, NumPy's follows its loops (NEP 50). What either would do otherwise than by an instruction
(overflow of 64 bits, a division by zero) leaves the program, and Python does it."""

from __future__ import annotations

import ast
import math
import operator
import struct
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core
from fastnp._loop_complex import Complexes
from fastnp._loop_program import (
    BOOL,
    BOOLEAN,
    COMPLEX,
    FLOAT,
    FLOAT64,
    INT,
    INT64,
    Number,
    PythonKind,
    Steps,
    Unsupported,
    kind_of_number,
    machine,
    plain,
)
from fastnp._loop_values import Passed
from fastnp._loop_whole import MIRRORED, of_two_signs, power, wide_and

__all__ = ["BINARY", "COMPARE", "UNARY", "Numbers"]

# By the syntax: Python's function, and NumPy's ufunc.
BINARY: dict[type, tuple[Callable[..., Any], str]] = {
    ast.Add: (operator.add, "add"),
    ast.Sub: (operator.sub, "subtract"),
    ast.Mult: (operator.mul, "multiply"),
    ast.Div: (operator.truediv, "divide"),
    ast.FloorDiv: (operator.floordiv, "floor_divide"),
    ast.Mod: (operator.mod, "remainder"),
    ast.Pow: (operator.pow, "power"),
    ast.LShift: (operator.lshift, "left_shift"),
    ast.RShift: (operator.rshift, "right_shift"),
    ast.BitAnd: (operator.and_, "bitwise_and"),
    ast.BitOr: (operator.or_, "bitwise_or"),
    ast.BitXor: (operator.xor, "bitwise_xor"),
}
COMPARE: dict[type, tuple[Callable[..., Any], str]] = {
    ast.Eq: (operator.eq, "equal"),
    ast.NotEq: (operator.ne, "not_equal"),
    ast.Lt: (operator.lt, "less"),
    ast.LtE: (operator.le, "less_equal"),
    ast.Gt: (operator.gt, "greater"),
    ast.GtE: (operator.ge, "greater_equal"),
}
UNARY: dict[type, tuple[Callable[..., Any], str]] = {
    ast.USub: (operator.neg, "negative"),
    ast.UAdd: (operator.pos, "positive"),
    ast.Invert: (operator.invert, "invert"),
}
_CHECKED = frozenset(["add", "subtract", "multiply"])
_EXACT = 2**53  # whole numbers up to here are float64's
_LEAST = -(2**63)
_SINGLE = (numpy.dtype("f4"), numpy.dtype("c8"))
_OVER_SINGLE = 2.0**128 - 2.0**103  # from here on a float is infinite in single precision


class Numbers:
    """Arithmetic, written into `steps`. `leave(condition)`: leaves the program unless the condition (a value) holds."""

    def __init__(self, steps: Steps, leave: Callable[[int], None]) -> None:
        self.steps = steps
        self.leave = leave
        self.complexes = Complexes(self)

    def number(self, value: Any) -> Number:
        """A number of the program, or one that is known by now, as one of the program."""
        if type(value) is Number:
            return value
        kind = kind_of_number(value)
        if type(value) is Passed:
            raise Unsupported(f"takes {value.name!r}, which is no number, array or function")
        if kind is None:
            raise Unsupported(f"takes a {type(value).__name__} for a number")
        if kind is INT and not _LEAST <= value < 2**63:
            raise Unsupported("has a whole number of more than 64 bits")
        known = value if kind is INT else None
        return Number(kind, self.steps.constant(value, machine(kind)), known, known)

    # Conversions.

    def whole(self, x: Number) -> int:
        """A Python int's value: of an int or a bool."""
        return self.steps.cast(x.id, machine(x.kind), INT64)

    def floating(self, x: Number) -> int:
        """A Python float's value, exactly as Python converts it."""
        if x.kind is INT:
            return self.steps.cast(x.id, INT64, FLOAT64)
        return self.steps.cast(x.id, machine(x.kind), FLOAT64)

    def within(self, x: int, low: int, high: int) -> None:
        """Leaves unless low <= x <= high, whole numbers."""
        if self.is_constant(x) and low <= _signed(self.steps.steps[x][7]) <= high:
            return
        if low > _LEAST:
            self.leave(self.steps.compare("greater_equal", x, self.steps.whole(low)))
        if high < 2**63 - 1:
            self.leave(self.steps.compare("less_equal", x, self.steps.whole(high)))

    def inside(self, x: Number, low: int, high: int) -> None:
        """The same, as far as it is not known."""
        least, most = (0, 1) if x.kind is BOOLEAN else (x.low, x.high)
        is_above, is_below = least is not None and least >= low, most is not None and most <= high
        if not (is_above and is_below):
            self.within(self.whole(x), _LEAST if is_above else low, 2**63 - 1 if is_below else high)

    def is_finite(self, x: int) -> int:
        return self.steps.add("map", BOOL, "isfinite", FLOAT64, x)

    def truth(self, x: Any) -> int:
        """Whether it counts as true."""
        if type(x) is not Number:
            return self.steps.constant(bool(x), BOOL)
        return x.id if machine(x.kind) == BOOL else self.steps.cast(x.id, machine(x.kind), BOOL)

    def converted(self, x: Number, target: numpy.dtype[Any]) -> int:
        """A number as an operand that a ufunc's loop takes in a dtype, or as an array's element: weak numbers have to fit."""
        source = machine(x.kind)
        if type(x.kind) is PythonKind and x.kind in (INT, BOOLEAN) and target.kind in "iu" and source == INT64:
            info = numpy.iinfo(target)
            self.inside(x, max(int(info.min), _LEAST), min(int(info.max), 2**63 - 1))
        if (x.kind is FLOAT or x.kind is COMPLEX) and target in _SINGLE:
            return self.steps.cast(self.in_single(x), source, target)
        return self.steps.cast(x.id, source, target)

    def in_single(self, x: Number) -> int:
        """A number of Python's whose cast to single precision does not overflow: of one that does NumPy warns."""
        steps, value = self.steps, x.id
        self.expect_single(x.id)

        def is_over(size: int, op: str, least: float) -> int:
            limits = ((op, least), ("less", math.inf))
            return steps.both(*(steps.map(op, FLOAT64, BOOL, size, steps.constant(limit, FLOAT64)) for op, limit in limits))

        for part in self.complexes.parts(x) if x.kind is COMPLEX else (x.id,):
            if self.is_constant(part):
                continue
            size = steps.map("absolute", FLOAT64, FLOAT64, part)
            self.leave(steps.map("logical_not", BOOL, BOOL, is_over(size, "greater_equal", _OVER_SINGLE)))
            # LLVM may cast it before, where its overflow would count. A test that looks like the one above it would drop.
            test = is_over(size, "greater", math.nextafter(_OVER_SINGLE, 0))
            value = steps.add("select", machine(x.kind), a=test, b=steps.constant(0.0, machine(x.kind)), c=value)
        return value

    def expect_single(self, x: int) -> None:
        """That a constant does not overflow in single precision, of which no instruction would tell."""
        parts = map(_float_of, self.steps.steps[x][7:9]) if self.is_constant(x) else ()
        if any(_OVER_SINGLE <= abs(each) < math.inf for each in parts):
            raise Unsupported("has a float that is too large for an operand's dtype")

    # Operators.

    def binary(self, node: ast.operator, x: Any, y: Any) -> Any:
        function, ufunc = BINARY.get(type(node), (None, ""))
        if function is None:
            raise Unsupported(f"has the operator {type(node).__name__}")
        if type(x) is not Number and type(y) is not Number:
            return self.folded(function, x, y)
        if isinstance(node, ast.BitAnd) and (wide := self.wide_and(x, y)) is not None:
            return wide
        x, y = self.number(x), self.number(y)
        if type(x.kind) is PythonKind and type(y.kind) is PythonKind:
            return self.python_binary(ufunc, x, y)
        return self.numpy_binary(ufunc, x, y)

    def wide_and(self, x: Any, y: Any) -> Number | None:
        """Where one is a whole number of more than 64 bits."""
        for number, other in ((x, y), (y, x)):
            if type(other) is int and not _LEAST <= other < -_LEAST and type(number) is Number and number.kind in (INT, BOOLEAN):
                return wide_and(self, number, other)
        return None

    @staticmethod
    def folded(function: Callable[..., Any], *values: Any) -> Any:
        if any(kind_of_number(each) is None for each in values):
            raise Unsupported(f"takes a {type(values[0]).__name__} for a number")
        try:
            return function(*values)
        except Exception as error:
            raise Unsupported(f"raises {type(error).__name__}") from None

    def python_binary(self, op: str, x: Number, y: Number) -> Number:
        if COMPLEX in (x.kind, y.kind):
            return self.complexes.binary(op, x, y)
        if op.startswith("bitwise"):
            if FLOAT in (x.kind, y.kind):
                raise Unsupported("has bits of a float")
            if x.kind is BOOLEAN and y.kind is BOOLEAN:
                return Number(BOOLEAN, self.steps.map(op, BOOL, BOOL, x.id, y.id))
            low = 0 if op == "bitwise_and" and (_is_positive(x) or _is_positive(y)) else None
            return Number(INT, self.steps.map(op, INT64, INT64, self.whole(x), self.whole(y)), low)
        if op == "divide":
            return self.true_divide(x, y)
        if FLOAT in (x.kind, y.kind):
            return self.python_float(op, self.floating(x), self.floating(y))
        return self.python_int(op, x, y)

    def python_int(self, op: str, x: Number, y: Number) -> Number:
        steps, a, b = self.steps, self.whole(x), self.whole(y)
        if op in _CHECKED:
            low, high = _range_of(op, x, y)
            fits = low is not None and high is not None and low >= _LEAST and high < -_LEAST
            return Number(INT, self.fitting(op, a, b, y) if fits else self.checked(op, INT64, a, b), low, high)
        if op in ("floor_divide", "remainder"):
            self.leave(steps.compare("not_equal", b, steps.whole(0)))
            if steps.known(b) in (None, 2**64 - 1):  # LEAST // -1
                self.leave(steps.map("logical_or", BOOL, BOOL, steps.compare("not_equal", b, steps.whole(-1)),
                                     steps.compare("not_equal", a, steps.whole(_LEAST))))  # fmt: skip
            return Number(INT, self.floored(op, a, b, None).id, *_floored_range(op, x, y))
        if op == "power":
            return self.python_power(x, y)
        if op == "left_shift":
            self.within(b, 0, 62)
            shifted = steps.map(op, INT64, INT64, a, b)
            self.leave(steps.compare("equal", steps.map("right_shift", INT64, INT64, shifted, b), a))
            return Number(INT, shifted, 0 if x.low is not None and x.low >= 0 else None)
        self.within(b, 0, 2**63 - 1)
        return Number(INT, steps.map(op, INT64, INT64, a, b), 0 if x.low is not None and x.low >= 0 else None)

    def is_constant(self, value: int) -> bool:
        return bool(self.steps.steps[value][0] == "constant")

    def floored(self, op: str, a: int, b: int, low: int | None) -> Number:
        """Python's quotient and remainder of whole numbers, of C's: the remainder has the divisor's sign."""
        return Number(INT, self.steps.add("floored", INT64, op, INT64, a, b), low)

    def checked(self, op: str, dtype: Any, a: int, b: int) -> int:
        over = self.steps.add("overflows", BOOL, op, dtype, a, b)
        self.leave(self.steps.map("logical_not", BOOL, BOOL, over))
        return self.steps.map(op, dtype, dtype, a, b)

    def fitting(self, op: str, a: int, b: int, y: Number) -> int:
        """What is known not to overflow."""
        if op == "subtract":
            return self.steps.map(op, INT64, INT64, a, b) if y.low is None or y.low != y.high else self.steps.plus(a, self.steps.whole(-y.low))
        return self.steps.plus(a, b) if op == "add" else self.steps.times(a, b)

    def python_power(self, x: Number, y: Number) -> Number:
        if y.high is not None and y.high < 0:  # a float
            return self.python_float("power", self.floating(x), self.floating(y))
        return power(self, x, y)

    def true_divide(self, x: Number, y: Number) -> Number:
        for each in (x, y):
            if each.kind is INT:
                self.inside(each, -_EXACT, _EXACT)  # beyond that Python rounds the quotient once
        return self.python_float("divide", self.floating(x), self.floating(y))

    def python_float(self, op: str, a: int, b: int) -> Number:
        steps = self.steps
        if op in ("divide", "floor_divide", "remainder"):
            self.leave(steps.map("not_equal", FLOAT64, BOOL, b, steps.constant(0.0, FLOAT64)))
        if op == "power":
            result = steps.add("libm", FLOAT64, op, FLOAT64, a, b)
            self.leave(self.is_finite(result))  # else Python looks at the operands
            self.leave(steps.both(self.is_finite(a), self.is_finite(b)))
            self.leave(steps.map("logical_or", BOOL, BOOL, steps.map("not_equal", FLOAT64, BOOL, a, steps.constant(0.0, FLOAT64)),
                                 steps.map("greater", FLOAT64, BOOL, b, steps.constant(0.0, FLOAT64))))  # fmt: skip
            return Number(FLOAT, result)
        if op in ("left_shift", "right_shift"):
            raise Unsupported("shifts a float")
        return Number(FLOAT, steps.quiet(op, a, b))

    def loop(self, ufunc: str, *operands: Number) -> Any:
        try:
            found = _core._loop_of(ufunc, [plain(each.kind) for each in operands])
        except TypeError as error:
            raise Unsupported(f"raises TypeError: {error}") from None
        if found is None:
            raise Unsupported(f"calls numpy.{ufunc}")
        if ufunc in MIRRORED and found[1].kind == "f" and all(machine(each.kind).kind in "iu" for each in operands):
            raise Unsupported("compares whole numbers of 64 bits with a sign and without one")  # NumPy does so exactly
        return found

    def numpy_binary(self, op: str, x: Number, y: Number) -> Number:
        """Of NumPy's scalars."""
        if (compared := of_two_signs(self, op, x, y)) is not None:
            return compared
        (first, second), compute, result = self.loop(op, x, y)
        a, b = self.converted(x, first), self.converted(y, second)
        steps = self.steps
        if compute.kind in "iu":
            if op in _CHECKED:
                steps.whole_ops.add(op)
                steps.add("wraps", BOOL, op, compute, a, b)
                return Number(result, steps.map(op, compute, result, a, b))
            if op in ("floor_divide", "remainder"):
                self.leave(steps.cast(b, compute, BOOL))
                if compute.kind == "i":
                    least = steps.constant(int(numpy.iinfo(compute).min), compute)
                    self.leave(steps.map("not_equal", compute, BOOL, a, least))
                    whole = steps.add("floored", INT64, op, INT64, steps.cast(a, compute, INT64), steps.cast(b, compute, INT64))
                    return Number(result, steps.cast(whole, INT64, result), 0 if op == "remainder" and y.low is not None and y.low > 0 else None)
            if op == "power":
                raise Unsupported("has a power of NumPy's whole numbers")
        elif compute.kind == "f":
            if op in ("divide", "floor_divide", "remainder"):
                self.leave(steps.map("not_equal", compute, BOOL, b, steps.constant(0.0, compute)))
            if op == "power" and compute in (FLOAT64, numpy.dtype("f4")):
                return Number(result, self.libm(op, compute, a, b))
        elif compute.kind == "c" and op == "divide":
            self.leave(steps.map("not_equal", compute, BOOL, b, steps.constant(0j, compute)))
        elif compute.kind == "c" and op not in _CHECKED:
            raise Unsupported(f"has {op} of complex numbers")
        if compute.kind in "fc":
            steps.float_ops.add(op)
        return Number(result, steps.map(op, compute, result, a, b))

    def libm(self, op: str, dtype: Any, *operands: int) -> int:
        self.steps.float_ops.add(op)
        return self.steps.add("libm", dtype, op, dtype, *operands)

    def compare(self, node: ast.cmpop, x: Any, y: Any) -> Any:
        function, ufunc = COMPARE.get(type(node), (None, ""))
        if function is None:
            raise Unsupported(f"has the comparison {type(node).__name__}")
        if type(x) is not Number and type(y) is not Number:
            return self.folded(function, x, y)
        x, y = self.number(x), self.number(y)
        if type(x.kind) is PythonKind and type(y.kind) is PythonKind:
            if COMPLEX in (x.kind, y.kind):
                return self.compare_complex(ufunc, x, y)
            if FLOAT not in (x.kind, y.kind):
                return Number(BOOLEAN, self.steps.compare(ufunc, self.whole(x), self.whole(y)))
            return self.compare_floats(ufunc, x, y)
        if (compared := of_two_signs(self, ufunc, x, y)) is not None:
            return compared
        (first, second), compute, result = self.loop(ufunc, x, y)
        return Number(result, self.steps.map(ufunc, compute, result, self.converted(x, first), self.converted(y, second)))

    def compare_floats(self, ufunc: str, x: Number, y: Number) -> Number:
        """Python compares a float with an int exactly."""
        for op, number, each in ((ufunc, x, y), (MIRRORED[ufunc], y, x)):
            if each.kind is not INT:
                continue
            bits = self.steps.known(each.id)
            if bits is None:
                self.inside(each, -_EXACT, _EXACT)
            elif int(float(_signed(bits))) != _signed(bits):
                return self.compare_between(op, number, _signed(bits))
        return Number(BOOLEAN, self.steps.map(ufunc, FLOAT64, BOOL, self.floating(x), self.floating(y)))

    def compare_between(self, op: str, x: Number, whole: int) -> Number:
        """A float with a whole number that is between two floats."""
        if op in ("equal", "not_equal"):
            return Number(BOOLEAN, self.steps.constant(op == "not_equal", BOOL))
        nearest = float(whole)
        lower = nearest if int(nearest) < whole else math.nextafter(nearest, -math.inf)
        limit = math.nextafter(lower, math.inf) if op.startswith("less") else lower
        return Number(BOOLEAN, self.steps.map(op.removesuffix("_equal"), FLOAT64, BOOL, x.id, self.steps.constant(limit, FLOAT64)))

    def compare_complex(self, ufunc: str, x: Number, y: Number) -> Number:
        if ufunc not in ("equal", "not_equal"):
            raise Unsupported("compares complex numbers")
        same = self.complexes.are_equal(x, y)
        return same if ufunc == "equal" else Number(BOOLEAN, self.steps.map("logical_not", BOOL, BOOL, same.id))

    def unary(self, node: ast.unaryop, x: Any) -> Any:
        function, ufunc = UNARY[type(node)]
        if type(x) is not Number:
            return self.folded(function, x)
        kind = x.kind
        if type(kind) is PythonKind:
            if kind is COMPLEX:
                return self.complexes.unary(ufunc, x)
            if kind is FLOAT and ufunc == "invert":
                raise Unsupported("has bits of a float")
            if kind is FLOAT:
                return x if ufunc == "positive" else Number(FLOAT, self.steps.map(ufunc, FLOAT64, FLOAT64, x.id))
            value = self.whole(x)
            if ufunc == "negative":
                self.leave(self.steps.compare("not_equal", value, self.steps.whole(_LEAST)))
            return Number(INT, value if ufunc == "positive" else self.steps.map(ufunc, INT64, INT64, value))
        return self.numpy_unary(ufunc, x)

    def numpy_unary(self, ufunc: str, x: Number) -> Number:
        (first,), compute, result = self.loop(ufunc, x)
        value = self.converted(x, first)
        if compute.kind in "iu" and ufunc in ("negative", "absolute"):
            if compute.kind == "u" and ufunc == "negative":
                raise Unsupported("negates a whole number without a sign")
            if compute.kind == "i":
                self.leave(self.steps.map("not_equal", compute, BOOL, value, self.steps.constant(int(numpy.iinfo(compute).min), compute)))
        if compute.kind in "fc":
            self.steps.float_ops.add(ufunc)
        return Number(result, self.steps.map(ufunc, compute, result, value), 0 if ufunc == "absolute" and compute.kind in "iu" else None)

    # What converts.

    def to_int(self, x: Any) -> Any:
        """``int(x)``"""
        if type(x) is not Number:
            return self.folded(int, x)
        dtype = machine(x.kind)
        if dtype.kind == "f":
            value = self.steps.cast(x.id, dtype, FLOAT64)
            return Number(INT, self.truncated(value))
        if dtype.kind == "c":
            raise Unsupported("makes a whole number of a complex one")
        if dtype == numpy.dtype("u8"):
            self.leave(self.steps.map("less", dtype, BOOL, x.id, self.steps.constant(2**63, dtype)))
        return Number(INT, self.steps.cast(x.id, dtype, INT64), x.low, x.high)

    def truncated(self, value: int) -> int:
        """Toward zero; leaves where that does not fit in 64 bits."""
        size = self.steps.map("absolute", FLOAT64, FLOAT64, value)
        self.leave(self.steps.map("less", FLOAT64, BOOL, size, self.steps.constant(2.0**63, FLOAT64)))
        return self.steps.add("truncate", INT64, a=value)

    def to_float(self, x: Any) -> Any:
        """``float(x)``"""
        if type(x) is not Number:
            return self.folded(float, x)
        dtype = machine(x.kind)
        if dtype.kind == "c":
            raise Unsupported("makes a float of a complex number")
        return Number(FLOAT, self.steps.cast(x.id, dtype, FLOAT64))


def _signed(bits: int) -> int:
    return bits - 2**64 if bits >= 2**63 else bits


def _float_of(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def _is_positive(x: Number) -> bool:
    """Whether it is known to be 0 or more."""
    return x.low is not None and x.low >= 0


def _floored_range(op: str, x: Number, y: Number) -> tuple[int | None, int | None]:
    """What a quotient or remainder by a positive number is not below, and not above."""
    if y.low is None or y.low <= 0:
        return None, None
    if op == "remainder":
        return 0, None if y.high is None else y.high - 1
    if y.low == y.high:
        return None if x.low is None else x.low // y.low, None if x.high is None else x.high // y.low
    return 0 if _is_positive(x) else None, None


def _range_of(op: str, x: Number, y: Number) -> tuple[int | None, int | None]:
    """What a sum, difference or product is not below, and not above."""

    def together(a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else a + b

    def minus(a: int | None) -> int | None:
        return None if a is None else -a

    if op == "add":
        return together(x.low, y.low), together(x.high, y.high)
    if op == "subtract":
        return together(x.low, minus(y.high)), together(x.high, minus(y.low))
    if x.low is None or y.low is None:
        return None, None
    if x.high is None or y.high is None:
        return (0, None) if x.low >= 0 and y.low >= 0 else (None, None)
    products = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    return min(products), max(products)
