"""Python's complex numbers in programs: in parts, as CPython computes with them, bit by bit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_program import BOOL, BOOLEAN, COMPLEX, FLOAT, FLOAT64, INT, Number, Unsupported

if TYPE_CHECKING:
    from fastnp._loop_numbers import Numbers

__all__ = ["Complexes"]

_COMPLEX128 = numpy.dtype("c16")
_MOST_POWER = 100  # up to which CPython multiplies
_EXACT = 2**53
_IS_MIXED_APART = sys.version_info >= (3, 14)  # from which on floats are not made complex before they are computed with

Parts = tuple[int, int]


class Complexes:
    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.steps = numbers.steps

    def op(self, name: str, *operands: int) -> int:
        return self.steps.quiet(name, *operands) if len(operands) == 2 else self.steps.map(name, FLOAT64, FLOAT64, *operands)

    def constant(self, value: float) -> int:
        return self.steps.constant(value, FLOAT64)

    def parts(self, x: Number) -> Parts:
        if x.kind is COMPLEX:
            return self.steps.map("real", _COMPLEX128, FLOAT64, x.id), self.steps.map("imag", _COMPLEX128, FLOAT64, x.id)
        return self.numbers.floating(x), self.constant(0.0)

    def number(self, parts: Parts) -> Number:
        return Number(COMPLEX, self.steps.map("from_parts", FLOAT64, _COMPLEX128, *parts))

    def binary(self, op: str, x: Number, y: Number) -> Number:
        if x.kind is not y.kind and _IS_MIXED_APART:
            raise Unsupported("computes with complex numbers and others")
        if op == "power":
            return self.power(x, y)
        a, b = self.parts(x), self.parts(y)
        if op in ("add", "subtract"):
            return self.number((self.op(op, a[0], b[0]), self.op(op, a[1], b[1])))
        if op == "multiply":
            return self.number(self.product(a, b))
        if op == "divide":
            return self.number(self.quotient(a, b))
        raise Unsupported(f"has {op} of complex numbers")

    def product(self, a: Parts, b: Parts) -> Parts:
        multiply = "multiply"
        real = self.op("subtract", self.op(multiply, a[0], b[0]), self.op(multiply, a[1], b[1]))
        return real, self.op("add", self.op(multiply, a[0], b[1]), self.op(multiply, a[1], b[0]))

    def quotient(self, a: Parts, b: Parts) -> Parts:
        """By the larger part of the divisor; leaves where that is no number other than 0."""
        steps = self.steps
        sizes = [self.op("absolute", each) for each in b]
        is_real = steps.map("greater_equal", FLOAT64, BOOL, *sizes)
        large, small = (steps.add("select", FLOAT64, a=is_real, b=b[at], c=b[1 - at]) for at in (0, 1))
        for each in b:
            self.numbers.leave(self.numbers.is_finite(each))
        self.numbers.leave(steps.map("not_equal", FLOAT64, BOOL, large, self.constant(0.0)))
        ratio = self.op("divide", small, large)
        divisor = self.op("add", large, self.op("multiply", small, ratio))

        def along(x: int, y: int, sign: str) -> int:
            """x and a share of y, where the real part is the larger one; else the other way round."""
            first = self.op(sign, x, self.op("multiply", y, ratio))
            second = self.op(sign, self.op("multiply", x, ratio), y)
            return self.op("divide", steps.add("select", FLOAT64, a=is_real, b=first, c=second), divisor)

        return along(a[0], a[1], "add"), along(a[1], a[0], "subtract")

    def power(self, x: Number, y: Number) -> Number:
        """By products, of a whole exponent that is known."""
        if x.kind is not COMPLEX or y.low is None or y.low != y.high or not 1 <= y.low <= _MOST_POWER:
            raise Unsupported("has such a power of complex numbers")
        left, square, found = y.low, self.parts(x), (self.constant(1.0), self.constant(0.0))
        while True:
            if left & 1:
                found = self.product(found, square)
            left >>= 1
            if not left:
                break
            square = self.product(square, square)
        for each in found:
            self.numbers.leave(self.numbers.is_finite(each))
        return self.number(found)

    def unary(self, op: str, x: Number) -> Number:
        if op == "invert":
            raise Unsupported("has bits of a complex number")
        real, imag = self.parts(x)
        return x if op == "positive" else self.number((self.op(op, real), self.op(op, imag)))

    def absolute(self, x: Number) -> Number:
        """Python raises where it is too large."""
        for each in self.parts(x):
            self.numbers.leave(self.numbers.is_finite(each))
        found = self.steps.add("libm", FLOAT64, "hypot", FLOAT64, *self.parts(x))
        self.numbers.leave(self.numbers.is_finite(found))
        return Number(FLOAT, found)

    def are_equal(self, x: Number, y: Number) -> Number:
        for each in (x, y):
            if each.kind in (INT, BOOLEAN):
                self.numbers.inside(each, -_EXACT, _EXACT)
        same = [self.steps.map("equal", FLOAT64, BOOL, a, b) for a, b in zip(self.parts(x), self.parts(y), strict=True)]
        return Number(BOOLEAN, self.steps.both(*same))

    def attribute(self, x: Number, name: str) -> Any:
        return Number(FLOAT, self.parts(x)[name == "imag"])

    def conjugate(self, x: Number) -> Number:
        real, imag = self.parts(x)
        return self.number((real, self.op("negative", imag)))
