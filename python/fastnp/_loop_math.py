"""Functions of `math`, and Python's of whole numbers, in programs: they give what CPython gives, bit by bit. Arguments for which they have no result
leave the program, and Python raises."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from fastnp._loop_program import BOOL, BOOLEAN, FLOAT, FLOAT64, INT, INT64, Number, PythonKind, Unsupported

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["MATH", "Math"]

_LEAST = -(2**63)
_ROOT = 3037000499  # the largest number whose square is less than 2^63
_MOST_FACTORIAL = 20
_SPLIT = 134217729.0  # 2^27 + 1: Dekker's, to cut a float in two halves
_LEAST_SCALED = 2.0**-1021  # from which on CPython scales by powers of two
_DEGREES, _RADIANS = 180.0 / 3.141592653589793, 3.141592653589793 / 180.0


class Math:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def call(self, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        method = getattr(self, f"math_{name}")
        return self.walk.calls.functions.checked(method, arguments, named, {})

    # Whole numbers.

    def whole(self, x: Any) -> Number:
        """An argument that has to be an integer, Python's or NumPy's."""
        number = self.walk.numbers.number(x)
        is_whole = number.kind in (INT, BOOLEAN) if type(number.kind) is PythonKind else number.kind.kind in "iu"
        if not is_whole:
            raise Unsupported("takes a float for a whole number")
        return number if number.kind is INT else Number(INT, self.walk.numbers.to_int(number).id, number.low, number.high)

    def variable(self, value: int) -> int:
        made = self.steps.variable(INT)
        self.steps.set(made, value)
        return made

    def math_gcd(self, *integers: Any) -> Any:
        """Euclid's: NumPy's `gcd` is as exact."""
        found: Any = Number(INT, self.steps.whole(0), 0, 0)
        for each in map(self.whole, integers):
            self.walk.numbers.inside(each, _LEAST + 1, 2**63 - 1)
            found = Number(INT, self.steps.map("gcd", INT64, INT64, found.id, each.id), 0)
        return found

    def math_lcm(self, *integers: Any) -> Any:
        steps, numbers = self.steps, self.walk.numbers
        found = steps.whole(1)
        for each in map(self.whole, integers):
            numbers.inside(each, _LEAST + 1, 2**63 - 1)
            divisor = steps.map("gcd", INT64, INT64, found, each.id)
            none = steps.compare("equal", divisor, steps.whole(0))
            quotient = numbers.floored("floor_divide", found, steps.add("select", INT64, a=none, b=steps.whole(1), c=divisor), None).id
            found = numbers.checked("multiply", INT64, quotient, steps.map("absolute", INT64, INT64, each.id))
        return Number(INT, found, 0)

    def math_isqrt(self, n: Any) -> Any:
        """The float's root is off by one at most."""
        steps, number = self.steps, self.whole(n)
        self.walk.numbers.inside(number, 0, 2**63 - 1)
        root = steps.map("sqrt", FLOAT64, FLOAT64, steps.cast(number.id, INT64, FLOAT64))
        found = steps.add("truncate", INT64, a=root)
        for by in (0, -1, 1):  # not beyond the largest root; not too large; not too small
            other = steps.plus(found, steps.whole(by))
            if by < 0:
                is_other = steps.compare("greater", steps.times(found, found), number.id)
            else:
                limit = steps.compare("greater", other, steps.whole(_ROOT))
                other = steps.add("select", INT64, a=limit, b=steps.whole(_ROOT), c=other)
                is_other = steps.compare("less_equal", steps.times(other, other), number.id) if by else steps.constant(True, BOOL)
            found = steps.add("select", INT64, a=is_other, b=other, c=found)
        return Number(INT, found, 0, _ROOT)

    def math_factorial(self, n: Any) -> Any:
        steps, number = self.steps, self.whole(n)
        self.walk.numbers.inside(number, 0, _MOST_FACTORIAL)
        found, at = self.variable(steps.whole(1)), self.variable(number.id)

        def multiply() -> None:
            steps.set(found, steps.times(steps.get(found), steps.get(at)))
            steps.set(at, steps.plus(steps.get(at), steps.whole(-1)))

        steps.repeat(lambda: steps.compare("greater", steps.get(at), steps.whole(1)), multiply)
        return Number(INT, steps.get(found), 1)

    def math_comb(self, n: Any, k: Any) -> Any:
        """n! / (k! (n - k)!), by products that are whole at each step."""
        steps, numbers, all_, chosen = self.steps, self.walk.numbers, self.whole(n), self.whole(k)
        for each in (all_, chosen):
            numbers.inside(each, 0, 2**62)
        rest = steps.plus(all_.id, steps.times(chosen.id, steps.whole(-1)))
        count = steps.add("select", INT64, a=steps.compare("less", rest, chosen.id), b=rest, c=chosen.id)
        none = steps.compare("less", rest, steps.whole(0))
        found, at = self.variable(steps.add("select", INT64, a=none, b=steps.whole(0), c=steps.whole(1))), self.variable(steps.whole(0))

        def multiply() -> None:
            left = steps.plus(all_.id, steps.times(steps.get(at), steps.whole(-1)))
            steps.set(at, steps.plus(steps.get(at), steps.whole(1)))
            product = numbers.checked("multiply", INT64, steps.get(found), left)
            steps.set(found, numbers.floored("floor_divide", product, steps.get(at), None).id)

        steps.repeat(lambda: steps.compare("less", steps.get(at), count), multiply)
        return Number(INT, steps.get(found), 0)

    def power_of(self, base: Any, exponent: Any, modulus: Any) -> Any:
        """``pow(a, b, m)``: by squares, as long as products of what is below m fit."""
        steps, numbers = self.steps, self.walk.numbers
        if any(type(each) is Number and each.kind not in (INT, BOOLEAN) for each in (base, exponent, modulus)):
            raise Unsupported("has a power of other numbers by a modulus")
        a, b, m = map(self.whole, (base, exponent, modulus))
        numbers.inside(b, 0, 2**63 - 1)
        numbers.inside(m, -_ROOT, _ROOT)
        numbers.leave(steps.compare("not_equal", m.id, steps.whole(0)))

        def reduced(x: int) -> int:
            return numbers.floored("remainder", x, m.id, None).id

        minus_one = steps.compare("equal", m.id, steps.whole(-1))  # by which the least number is not to be divided
        first = steps.add("select", INT64, a=minus_one, b=steps.whole(0), c=a.id)
        square, found, left = self.variable(reduced(first)), self.variable(reduced(steps.whole(1))), self.variable(b.id)

        def step() -> None:
            is_odd = steps.compare("not_equal", steps.map("bitwise_and", INT64, INT64, steps.get(left), steps.whole(1)), steps.whole(0))
            steps.add("if", a=is_odd)
            steps.set(found, reduced(steps.times(steps.get(found), steps.get(square))))
            steps.add("end")
            steps.set(square, reduced(steps.times(steps.get(square), steps.get(square))))
            steps.set(left, steps.map("right_shift", INT64, INT64, steps.get(left), steps.whole(1)))

        steps.repeat(lambda: steps.compare("greater", steps.get(left), steps.whole(0)), step)
        return Number(INT, steps.get(found), 0 if m.low is not None and m.low > 0 else None)

    def magnitude(self, x: Number) -> int:
        """Of an int; the least one leaves."""
        self.walk.numbers.inside(x, _LEAST + 1, 2**63 - 1)
        return self.steps.map("absolute", INT64, INT64, self.walk.numbers.whole(x))

    def bit_count(self, x: Number) -> Number:
        steps = self.steps
        dtype = self.walk.numbers.loop("bitwise_count", Number(INT64, -1))[2]
        return Number(INT, steps.cast(steps.map("bitwise_count", INT64, dtype, self.magnitude(x)), dtype, INT64), 0, 63)

    def bit_length(self, x: Number) -> Number:
        """All bits below the highest one set, and counted."""
        steps, value = self.steps, self.magnitude(x)
        for by in (1, 2, 4, 8, 16, 32):
            value = steps.map("bitwise_or", INT64, INT64, value, steps.map("right_shift", INT64, INT64, value, steps.whole(by)))
        return self.bit_count(Number(INT, value, 0))

    # Floats.

    def floating(self, x: Any) -> int:
        number = self.walk.numbers.number(self.walk.numbers.to_float(x))
        return number.id

    def math_degrees(self, x: Any) -> Any:
        return Number(FLOAT, self.steps.map("multiply", FLOAT64, FLOAT64, self.floating(x), self.steps.constant(_DEGREES, FLOAT64)))

    def math_radians(self, x: Any) -> Any:
        return Number(FLOAT, self.steps.map("multiply", FLOAT64, FLOAT64, self.floating(x), self.steps.constant(_RADIANS, FLOAT64)))

    def math_isclose(self, a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
        steps, zero = self.steps, self.steps.constant(0.0, FLOAT64)
        x, y, relative, absolute = (self.floating(each) for each in (a, b, rel_tol, abs_tol))
        for each in (relative, absolute):
            self.walk.leave(steps.map("greater_equal", FLOAT64, BOOL, each, zero))
        for each in (x, y):
            self.walk.leave(self.walk.numbers.is_finite(each))
        apart = self.size(steps.map("subtract", FLOAT64, FLOAT64, y, x))
        limits = [self.size(steps.map("multiply", FLOAT64, FLOAT64, relative, each)) for each in (y, x)]
        found = steps.constant(False, BOOL)
        for limit in (*limits, absolute):
            found = steps.either(found, steps.map("less_equal", FLOAT64, BOOL, apart, limit))
        return Number(BOOLEAN, steps.either(steps.map("equal", FLOAT64, BOOL, x, y), found))

    def size(self, x: int) -> int:
        return self.steps.map("absolute", FLOAT64, FLOAT64, x)

    def math_dist(self, p: Any, q: Any) -> Any:
        if type(p) is not tuple or type(q) is not tuple or len(p) != len(q):
            raise Unsupported("takes the distance of other things than tuples")
        return self.length([self.steps.map("subtract", FLOAT64, FLOAT64, self.floating(x), self.floating(y)) for x, y in zip(p, q, strict=True)])

    def math_hypot(self, *coordinates: Any) -> Any:
        return self.length([self.floating(each) for each in coordinates])

    def length(self, values: list[int]) -> Number:
        """CPython's `vector_norm`: of numbers scaled to less than 1, squares in two parts, added up with what is lost, and the root corrected."""
        steps = self.steps
        sizes = [self.size(each) for each in values]
        largest = steps.constant(0.0, FLOAT64)
        for each in sizes:
            self.walk.leave(self.walk.numbers.is_finite(each))
            largest = steps.map("maximum", FLOAT64, FLOAT64, largest, each)
        if len(sizes) < 2:
            return Number(FLOAT, largest)
        zero, found = steps.constant(0.0, FLOAT64), steps.variable(FLOAT)
        steps.set(found, zero)
        none = steps.map("equal", FLOAT64, BOOL, largest, zero)
        self.walk.leave(steps.either(none, steps.map("greater_equal", FLOAT64, BOOL, largest, steps.constant(_LEAST_SCALED, FLOAT64))))
        steps.add("if", a=none)
        steps.add("else")
        steps.set(found, self.scaled_length(sizes, largest))
        steps.add("end")
        return Number(FLOAT, steps.get(found))

    def scaled_length(self, sizes: list[int], largest: int) -> int:
        steps, one = self.steps, self.steps.constant(1.0, FLOAT64)
        dtype = self.walk.numbers.loop("frexp_exponent", Number(FLOAT64, -1))[2]
        exponent = steps.cast(steps.map("frexp_exponent", FLOAT64, dtype, largest), dtype, INT64)
        scale = steps.map("ldexp", FLOAT64, FLOAT64, one, steps.times(exponent, steps.whole(-1)))
        total, lost = one, [steps.constant(0.0, FLOAT64)] * 3
        for each in sizes:
            total, lost = self.added(total, lost, steps.map("multiply", FLOAT64, FLOAT64, each, scale), 1.0)

        def rest() -> int:
            sum = self.plus(self.plus(lost[0], lost[1]), lost[2])
            return self.plus(self.plus(total, steps.constant(-1.0, FLOAT64)), sum)

        root = steps.map("sqrt", FLOAT64, FLOAT64, rest())
        total, lost = self.added(total, lost, root, -1.0)
        twice = steps.map("multiply", FLOAT64, FLOAT64, steps.constant(2.0, FLOAT64), root)
        root = self.plus(root, steps.map("divide", FLOAT64, FLOAT64, rest(), twice))
        return steps.map("divide", FLOAT64, FLOAT64, root, scale)

    def plus(self, x: int, y: int) -> int:
        return self.steps.map("add", FLOAT64, FLOAT64, x, y)

    def added(self, total: int, lost: list[int], x: int, sign: float) -> tuple[int, list[int]]:
        """A sum and what it has lost so far, with the square of x, or less it: by halves of x, whose products are exact."""
        steps = self.steps

        def times(a: int, b: int) -> int:
            return steps.map("multiply", FLOAT64, FLOAT64, a, b)

        high, low = halves(steps, x)
        found = list(lost)
        for place, part in enumerate((times(high, high), times(times(steps.constant(2.0, FLOAT64), high), low))):
            part = part if sign > 0 else steps.map("negative", FLOAT64, FLOAT64, part)
            before, total = total, self.plus(total, part)
            rest = steps.map("subtract", FLOAT64, FLOAT64, before, total)
            found[place] = self.plus(found[place], self.plus(rest, part))
        square = times(low, low)
        if sign > 0:
            found[2] = self.plus(found[2], square)
        else:
            part = steps.map("negative", FLOAT64, FLOAT64, square)
            before, total = total, self.plus(total, part)
            found[2] = self.plus(found[2], self.plus(steps.map("subtract", FLOAT64, FLOAT64, before, total), part))
        return total, found

    # Several numbers.

    def divmod(self, x: Any, y: Any) -> Any:
        return self.walk.binary(ast.FloorDiv(), x, y), self.walk.binary(ast.Mod(), x, y)

    def rounded(self, x: Number, digits: int) -> Number:
        """``round(x, digits)`` of a Python float: the exact product by a power of ten tells to which side. The quotient is the float nearest to
        the decimal."""
        steps = self.steps
        if not 0 <= digits <= 15:
            raise Unsupported("rounds to so many digits")
        power = steps.constant(10.0**digits, FLOAT64)
        self.walk.leave(steps.map("less", FLOAT64, BOOL, self.size(x.id), steps.constant(2.0**51 / 10.0**digits, FLOAT64)))
        product = steps.map("multiply", FLOAT64, FLOAT64, x.id, power)
        nearest = steps.map("rint", FLOAT64, FLOAT64, product)
        apart = self.size(steps.map("subtract", FLOAT64, FLOAT64, product, nearest))
        below = steps.map("floor", FLOAT64, FLOAT64, product)
        error, zero = self.error_of_product(x.id, power, product), steps.constant(0.0, FLOAT64)
        for op, value in (("less", below), ("greater", self.plus(below, steps.constant(1.0, FLOAT64)))):
            is_it = steps.both(
                steps.map("equal", FLOAT64, BOOL, apart, steps.constant(0.5, FLOAT64)),
                steps.map(op, FLOAT64, BOOL, error, zero),
            )
            nearest = steps.add("select", FLOAT64, a=is_it, b=value, c=nearest)
        quotient = steps.map("divide", FLOAT64, FLOAT64, nearest, power)
        return Number(FLOAT, steps.map("copysign", FLOAT64, FLOAT64, quotient, x.id))

    def error_of_product(self, x: int, y: int, product: int) -> int:
        """What a product has lost."""
        steps = self.steps

        def times(a: int, b: int) -> int:
            return steps.map("multiply", FLOAT64, FLOAT64, a, b)

        (a, b), (c, d) = halves(steps, x), halves(steps, y)
        error = steps.map("subtract", FLOAT64, FLOAT64, times(a, c), product)
        for part in (times(a, d), times(b, c), times(b, d)):
            error = self.plus(error, part)
        return error


def halves(steps: Any, x: int) -> tuple[int, int]:
    """A float as a sum of two, each of half its digits."""
    wide = steps.map("multiply", FLOAT64, FLOAT64, x, steps.constant(_SPLIT, FLOAT64))
    high = steps.map("subtract", FLOAT64, FLOAT64, wide, steps.map("subtract", FLOAT64, FLOAT64, wide, x))
    return high, steps.map("subtract", FLOAT64, FLOAT64, x, high)


MATH = frozenset(name.removeprefix("math_") for name in dir(Math) if name.startswith("math_"))
