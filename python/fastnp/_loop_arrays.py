"""Whole arrays in programs: what a statement computes of each element is one loop nest, into memory of the program's or into the array that it names.

Nothing is computed before it is stored, folded or bound to a variable: `Lazy` says how each element comes about. What NumPy checks of shapes and dtypes is
checked before the statement has written anything; where the program can't go on, Python does the statement.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_elements import Place
from fastnp._loop_numbers import BINARY
from fastnp._loop_program import BOOL, FLOAT64, INT, INT64, Choice, Number, PythonKind, Unsupported, is_numbers_dtype, kind_of_number, machine
from fastnp._loop_values import Element, Lazy, New, View, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Arrays"]

# Ufuncs whose loops say by the processor's flags what NumPy would say of their floating-point errors.
_BINARY = frozenset(
    ["add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "copysign", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and"]
    + ["logical_or", "logical_xor", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "arctan2", "hypot"]
)
_UNARY = frozenset(
    ["negative", "positive", "absolute", "fabs", "sqrt", "square", "sign", "exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan"]
    + ["arcsinh", "floor", "ceil", "trunc", "rint", "isnan", "isinf", "isfinite", "logical_not", "invert", "signbit"]
)
_DIVISIONS = frozenset(["divide", "floor_divide", "remainder"])
_FAR = {"d": 1e150, "f": 1e15}  # no quotient of numbers that are as far from 0, and from infinity, overflows
_FEW = 16  # LLVM fills up vectors of fewer elements, if their count is known, by zeros: quotients of these would count as errors
_LOGARITHMS = frozenset(["log", "log2", "log10"])


class Arrays:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.used = False
        self.pending = 0  # how often the statement at hand has computed with arrays
        self.divides = False  # whether it has divided some
        self.ours: list[bool] = []  # of the arrays that are handed in: whether they are fastnp's

    # What is computed of each element.

    def lazy(self, x: Any) -> Lazy:
        self.used = True
        if type(x) is Lazy:
            return x
        if not is_numbers_dtype(x.dtype):
            raise Unsupported("computes with records")
        return Lazy(x.dtype, x.sizes, lambda at: self.read(x, at), [x], self.is_ours(x))

    def read(self, view: View, at: list[int]) -> int:
        return self.walk.elements.load(Place(view.array, view.dtype, self.offset(view, at), view.origins)).id

    def offset(self, view: View, at: list[int]) -> int:
        offset = view.offset
        for axis, number in enumerate(at):
            offset = self.walk.elements.moved(view, axis, number, offset)
        return self.steps.whole(0) if offset is None else offset

    def is_ours(self, view: View) -> bool:
        recipes = [each for _, each in view.recipe.recipes] if hasattr(view.recipe, "recipes") else [view.recipe]
        return any(each.ours if type(each) is New else self.ours[min(view.origins - {-1})] for each in recipes)

    def is_one(self, size: int) -> bool:
        return self.steps.is_constant(size, 1)

    def broadcast(self, operands: list[Lazy]) -> tuple[list[int], list[Callable[[list[int]], list[int]]]]:
        """The sizes that they have together, and what numbers along their axes are along each one's. Sizes that are one by chance leave."""
        rank = max(len(each.sizes) for each in operands)
        sizes: list[int] = []
        for axis in range(rank):
            found: int | None = None
            for each in operands:
                own = axis - rank + len(each.sizes)
                if own < 0 or self.is_one(each.sizes[own]):
                    continue
                size = each.sizes[own]
                self.expect_same(size if found is None else found, size)
                found = size if found is None or self.steps.known(size) is not None else found
            sizes.append(self.steps.whole(1) if found is None else found)
        return sizes, [self.numbers_along(each, rank) for each in operands]

    def numbers_along(self, x: Lazy, rank: int) -> Callable[[list[int]], list[int]]:
        first = rank - len(x.sizes)
        are_one = [self.is_one(size) for size in x.sizes]
        zero = self.steps.whole(0)
        return lambda at: [zero if is_one else number for is_one, number in zip(are_one, at[first:], strict=True)]

    def expect_same(self, x: int, y: int) -> None:
        if not self.steps.alike(x, y):
            self.walk.leave(self.steps.compare("equal", x, y))

    def mapped(self, operands: list[Any], dtype: numpy.dtype[Any], compute: Callable[..., int]) -> Lazy:
        """`compute` of the elements of arrays and of values of the program."""
        self.pending += 1
        arrays = [each for each in operands if type(each) is Lazy]
        sizes, along = self.broadcast(arrays)
        if not sizes:
            raise Unsupported("computes with arrays without axes")

        def element(at: list[int]) -> int:
            numbers = iter(along)
            return compute(*(each.element(next(numbers)(at)) if type(each) is Lazy else each for each in operands))

        return Lazy(dtype, sizes, element, [view for each in arrays for view in each.reads], any(each.ours for each in arrays))

    # Ufuncs.

    def operand(self, x: Any) -> Any:
        """An array as a Lazy, a number as a Number."""
        if is_array(x):
            return self.lazy(x)
        if type(x) is Choice:
            raise Unsupported("computes with arrays and numbers of several kinds")
        made = self.walk.calls.functions.as_array(x)
        return self.lazy(made) if is_array(made) else self.walk.numbers.number(x)

    def binary(self, name: str, x: Any, y: Any) -> Lazy:
        exponent = y
        x, y = self.operand(x), self.operand(y)
        (first, second), compute, result = self.walk.numbers.loop(name, kind_of_operand(x), kind_of_operand(y))
        if name == "power":
            return self.power(x, exponent, y, first, second, compute, result)
        if name in ("floor_divide", "remainder") and compute.kind in "iuf":
            if type(y) is Number and compute.kind in "iu":
                self.expect_divisor(y, second)
            else:
                x, y = self.with_divisors(name, x, y, first, second)
        elif name == "divide" and compute.kind == "c":
            x, y = self.with_divisors(name, x, y, first, second)
        elif name in ("left_shift", "right_shift") and type(exponent) is int and 0 <= exponent < 8 * compute.itemsize:
            pass
        elif name not in _BINARY or (compute.kind == "c" and name not in ("add", "subtract", "multiply", "equal", "not_equal")):
            raise Unsupported(f"calls numpy.{name} of arrays")
        self.note(name, compute)
        operands = [self.converted(x, first), self.converted(y, second)]
        return self.mapped(operands, result, lambda a, b: self.steps.map(name, compute, result, a, b))

    def expect_divisor(self, y: Number, dtype: numpy.dtype[Any]) -> None:
        """Leaves where it is 0, or where a quotient may not fit."""
        value = self.walk.numbers.converted(y, dtype)
        for number in (0, -1) if dtype.kind == "i" else (0,):
            self.walk.leave(self.steps.map("not_equal", dtype, BOOL, value, self.steps.constant(number, dtype)))

    def with_divisors(self, name: str, x: Any, y: Any, first: numpy.dtype[Any], second: numpy.dtype[Any]) -> tuple[Any, Any]:
        """Operands whose quotients NumPy has no warning for; leaves where there are others."""
        steps = self.steps
        x, y = (self.lazy(self.kept(each)) if type(each) is Lazy else each for each in (x, y))

        def is_fit(a: int, b: int) -> int:
            if second.kind == "f":
                return self.is_near(second, a, b)
            fits = steps.map("not_equal", second, BOOL, b, steps.constant(0, second))
            if name != "floor_divide" or first.kind != "i":
                return fits
            least, minus_one = (steps.constant(number, first) for number in (int(numpy.iinfo(first).min), -1))
            is_least, is_negated = (steps.map("not_equal", first, BOOL, *each) for each in ((a, least), (b, minus_one)))
            return steps.both(fits, steps.either(is_least, is_negated))

        fit = self.mapped([self.converted(x, first), self.converted(y, second)], BOOL, is_fit)
        self.walk.leave(self.fold("logical_and", fit, BOOL, steps.constant(True, BOOL)))
        return x, y

    def is_near(self, dtype: numpy.dtype[Any], x: int, y: int) -> int:
        """Whether the quotient is that of numbers none of which is NaN, and does not overflow."""
        steps = self.steps
        most, least = (steps.constant(_FAR[dtype.char] ** sign, dtype) for sign in (1, -1))
        a, b = (steps.map("absolute", dtype, dtype, each) for each in (x, y))
        return functools.reduce(steps.both, (steps.map("less_equal", dtype, BOOL, *each) for each in ((a, most), (b, most), (least, b))))

    def note(self, name: str, compute: numpy.dtype[Any]) -> None:
        if compute.kind in "fc":
            self.steps.array_ops.add(name)
            self.divides = self.divides or name in _DIVISIONS

    def converted(self, x: Any, dtype: numpy.dtype[Any]) -> Any:
        """An operand as a loop takes it: numbers at once, elements where they are read."""
        if type(x) is Number:
            return self.walk.numbers.converted(x, dtype)
        if x.dtype == dtype:
            return x
        return Lazy(dtype, x.sizes, lambda at: self.steps.cast(x.element(at), x.dtype, dtype), x.reads, x.ours)

    def power(self, x: Any, exponent: Any, y: Any, first: Any, second: Any, compute: Any, result: Any) -> Lazy:
        steps = self.steps
        if machine(kind_of_operand(x).kind) == BOOL:
            raise Unsupported("has powers of bools")
        if type(x) is Lazy and type(exponent) in (int, float) and compute.kind in "fiu":
            base = [self.converted(x, first)]
            if exponent == 2:
                self.note("square", compute)
                return self.mapped(base, result, lambda a: steps.map("multiply", compute, result, a, a))
            if type(exponent) is int and exponent in (3, 4) and compute.kind in "iu":
                square = self.mapped(base, result, lambda a: steps.map("multiply", compute, result, a, a))
                return self.mapped([square, square if exponent == 4 else x], result, lambda a, b: steps.map("multiply", compute, result, a, b))
            if exponent == 0.5 and compute.kind == "f":
                self.note("sqrt", compute)
                return self.mapped(base, result, lambda a: steps.map("sqrt", compute, result, a))
        if compute not in (FLOAT64, numpy.dtype("f4")):
            raise Unsupported("has powers of such arrays")
        self.note("power", compute)
        operands = [self.converted(x, first), self.converted(y, second)]
        return self.mapped(operands, result, lambda a, b: steps.add("libm", compute, "power", compute, a, b))

    def unary(self, name: str, x: Any) -> Lazy:
        x = self.lazy(x)
        (first,), compute, result = self.walk.numbers.loop(name, kind_of_operand(x))
        if name not in _UNARY | _LOGARITHMS or (compute.kind == "c" and name not in ("negative", "positive", "absolute", "square")):
            raise Unsupported(f"calls numpy.{name} of arrays")
        if name in _LOGARITHMS:
            x = self.expect_positive(x)
        self.note(name, compute)
        return self.mapped([self.converted(x, first)], result, lambda a: self.steps.map(name, compute, result, a))

    def expect_positive(self, x: Lazy) -> Lazy:
        """Leaves where one is not above 0: NumPy warns, and says of what."""
        kept = self.lazy(self.kept(x))
        dtype = kept.dtype
        zero = self.steps.constant(0, dtype)
        above = Lazy(BOOL, kept.sizes, lambda at: self.steps.map("greater", dtype, BOOL, kept.element(at), zero), kept.reads, False)
        self.walk.leave(self.fold("logical_and", above, BOOL, self.steps.constant(True, BOOL)))
        return kept

    def kept(self, x: Any) -> View:
        """An array in memory."""
        return x if type(x) is View else self.stored(x)

    def where(self, condition: Any, x: Any, y: Any) -> Lazy:
        x, y = self.operand(x), self.operand(y)
        dtype = numpy.result_type(*(example_of(kind_of_operand(each)) for each in (x, y)))
        condition = self.operand(condition)
        test = self.truth_of(condition)
        operands = [test, *(self.converted(each, dtype) if type(each) is Lazy else self.walk.elements.as_dtype(each, dtype) for each in (x, y))]
        return self.mapped(operands, dtype, lambda c, a, b: self.steps.add("select", dtype, a=c, b=a, c=b))

    def truth_of(self, x: Any) -> Any:
        return self.walk.numbers.truth(x) if type(x) is Number else self.converted(x, BOOL)

    # Memory.

    def stored(self, x: Lazy, dtype: Any = None) -> View:
        """It in new memory, in C's order."""
        view = self.new(x.dtype if dtype is None else dtype, x.sizes, x.ours)
        self.fill(view, x)
        return view

    def new(self, dtype: numpy.dtype[Any], sizes: list[int], ours: bool) -> View:
        steps = self.steps
        strides = [steps.whole(dtype.itemsize)]
        for axis in range(len(sizes) - 1, 0, -1):
            strides.insert(0, steps.times(strides[0], sizes[axis]))
        total = steps.whole(dtype.itemsize)
        for size in sizes:
            total = self.with_axis(total, size, len(sizes) == 1)
        array = steps.made_array()
        got = steps.add("allocate", BOOL, a=array, b=total)
        if self.walk.stored:
            steps.add("require", a=got, b=self.walk.no_memory())
        else:
            self.walk.leave(got)
        return View(array, dtype, None, sizes, strides[: len(sizes)], New(ours), frozenset([-1]))

    def with_axis(self, bytes: int, size: int, is_only: bool) -> int:
        """So many bytes times a size, which have to fit. An axis of no elements does not count, as NumPy has it: the others are to fit, too."""
        steps = self.steps
        if not is_only and steps.known(size) is None:
            size = steps.add("select", INT64, a=steps.compare("equal", size, steps.whole(0)), b=steps.whole(1), c=size)
        elif not is_only and steps.known(size) == 0:
            return bytes
        if not self.walk.stored or not is_only:
            return self.walk.numbers.checked("multiply", INT64, bytes, size)
        over = steps.add("overflows", BOOL, "multiply", INT64, bytes, size)
        steps.add("require", a=steps.map("logical_not", BOOL, BOOL, over), b=self.walk.no_memory())
        return steps.times(bytes, size)

    def fill(self, view: View, x: Lazy) -> None:
        """All elements, one after the other."""
        self.walk.elements.note_cast(x.dtype, view.dtype)
        along = self.numbers_along(x, len(view.sizes)) if len(x.sizes) <= len(view.sizes) else lambda at: at[len(x.sizes) - len(view.sizes) :]

        def put(at: list[int]) -> None:
            element = self.steps.cast(x.element(along(at)), x.dtype, view.dtype)
            self.steps.add("store", view.dtype, a=view.array, b=self.offset(view, at), c=element)

        sizes = list(view.sizes)
        for place, size in enumerate(reversed(x.sizes[-len(sizes) :] if sizes else []), 1):
            if (self.steps.known(size) or 0) > 1:  # what is stored there is as large
                sizes[-place] = size
        self.over(sizes, put)

    def over(self, sizes: list[int], body: Callable[[list[int]], None], is_fold: bool = False) -> None:
        def along(at: list[int]) -> None:
            if len(at) == len(sizes):
                body(at)
            elif len(at) + 1 == len(sizes) and self.divides and (count := self.steps.known(sizes[-1])) is not None and count < _FEW:
                for number in range(count):
                    body([*at, self.steps.whole(number)])
            else:
                self.steps.each(sizes[len(at)], lambda number: along([*at, number]), is_fold and len(at) + 1 == len(sizes))

        along([])

    def assignment(self, view: View, value: Any, unsafe: bool = True) -> Callable[[], None]:
        """Checks that an array can be stored into a part of one; what stores it."""
        self.walk.elements.expect_writeable(view)
        x = self.lazy(value)
        if not (x.dtype == view.dtype or numpy.can_cast(x.dtype, view.dtype, "same_kind") or (unsafe and x.dtype.kind in "b")):
            raise Unsupported(f"stores {x.dtype} into {view.dtype}")
        extra = len(x.sizes) - len(view.sizes)
        if any(not (unsafe and self.is_one(size)) for size in x.sizes[: max(extra, 0)]):
            raise Unsupported("stores an array of more axes")
        own = x.sizes[max(extra, 0) :]
        for size, there in zip(own, view.sizes[len(view.sizes) - len(own) :], strict=True):
            if not self.is_one(size):
                self.expect_same(size, there)
        if extra > 0:
            zero, element = self.steps.whole(0), x.element
            x = Lazy(x.dtype, own, lambda at: element([zero] * extra + at), x.reads, x.ours)
        if any(self.meets(view, each) for each in x.reads):
            x = self.lazy(self.stored(x))

        def store() -> None:
            self.fill(view, x)
            self.walk.elements.note_written(view.origins)

        return store

    def meets(self, view: View, read: View) -> bool:
        """Whether storing an element may change another one that is still to be read."""
        may_meet = view.array == read.array or bool(view.origins & read.origins)
        return may_meet and not self.is_same(view, read)

    def is_same(self, x: View, y: View) -> bool:
        mine, theirs = ([view.offset, *view.sizes, *view.strides] for view in (x, y))
        same = (a == b or (a is not None and b is not None and self.steps.alike(a, b)) for a, b in zip(mine, theirs, strict=False))
        return x.array == y.array and len(x.sizes) == len(y.sizes) and all(same)

    # Folds.

    def fold(self, op: str, x: Lazy, dtype: numpy.dtype[Any], first: int) -> int:
        """All elements, of a dtype, joined by an op; the first one is a value."""
        steps = self.steps
        found = steps.variable(dtype)
        steps.set(found, first)

        is_free = dtype.kind in "fc" and op in ("add", "multiply")

        def add(at: list[int]) -> None:
            element = steps.cast(x.element(at), x.dtype, dtype)
            steps.set(found, steps.add("map", dtype, op, dtype, steps.get(found), element, bits=int(is_free)))

        self.over(x.sizes, add, is_free)
        return steps.get(found)

    def folded(self, x: Any, axis: Any, fold: Callable[[Lazy], Number]) -> Any:
        """What NumPy's reductions give: a number, or an array of what they give along an axis. `fold`: of one line, or of all."""
        x = self.lazy(x)
        if axis is None or len(x.sizes) == 1 and type(axis) is int and axis in (0, -1):
            return fold(x)
        if type(axis) is not int or not -len(x.sizes) <= axis < len(x.sizes):
            raise Unsupported("folds along such axes")
        axis %= len(x.sizes)
        if fold in (self.max, self.min, self.mean):  # of lines without elements there are none
            self.walk.leave(self.steps.compare("greater", x.sizes[axis], self.steps.whole(0)))
        x = self.lazy(self.kept(x))
        sizes = [size for number, size in enumerate(x.sizes) if number != axis]
        kinds: list[Any] = []

        def element(at: list[int]) -> int:
            line = Lazy(x.dtype, [x.sizes[axis]], lambda inner: x.element([*at[:axis], *inner, *at[axis:]]), x.reads, x.ours)
            made = fold(line)
            kinds.append(made.kind)
            return made.id

        return self.of_lines(sizes, element, kinds, x.ours)

    def of_lines(self, sizes: list[int], element: Element, kinds: list[Any], ours: bool) -> View:
        """An array whose elements are loops of their own; `kinds` has their dtype once one was written."""
        steps = self.steps
        mark = len(steps.steps), len(steps.variables)
        zero = steps.whole(0)
        element([zero] * len(sizes))
        dtype = kinds[0]
        del steps.steps[mark[0] :], steps.variables[mark[1] :]
        return self.stored(Lazy(dtype, sizes, element, [], ours))

    def count(self, x: Lazy) -> int:
        total = self.steps.whole(1)
        for number, size in enumerate(x.sizes):
            total = self.steps.times(total, size) if number else size
        return total

    def sum(self, x: Lazy) -> Number:
        dtype = _sum_dtype(x.dtype)
        return Number(dtype, self.total(x, dtype))

    def total(self, x: Lazy, dtype: numpy.dtype[Any]) -> int:
        """Of single precision in double: NumPy's, by pairs, is as good."""
        self.note("reduce", dtype)
        wide = {"f": FLOAT64, "F": numpy.dtype("c16")}.get(dtype.char, dtype)
        return self.steps.cast(self.fold("add", x, wide, self.steps.constant(0, wide)), wide, dtype)

    def prod(self, x: Lazy) -> Number:
        dtype = _sum_dtype(x.dtype)
        self.note("reduce", dtype)
        return Number(dtype, self.fold("multiply", x, dtype, self.steps.constant(1, dtype)))

    def extreme(self, op: str, x: Lazy) -> Number:
        if x.dtype.kind == "c":
            raise Unsupported("takes the extreme of complex numbers")
        self.walk.leave(self.steps.compare("greater", self.count(x), self.steps.whole(0)))
        return Number(x.dtype, self.fold(op, x, x.dtype, x.element([self.steps.whole(0)] * len(x.sizes))))

    def max(self, x: Lazy) -> Number:
        return self.extreme("maximum", x)

    def min(self, x: Lazy) -> Number:
        return self.extreme("minimum", x)

    def any(self, x: Lazy) -> Number:
        return Number(BOOL, self.fold("logical_or", x, BOOL, self.steps.constant(False, BOOL)))

    def all(self, x: Lazy) -> Number:
        return Number(BOOL, self.fold("logical_and", x, BOOL, self.steps.constant(True, BOOL)))

    def mean(self, x: Lazy) -> Number:
        if x.dtype.kind == "c":
            raise Unsupported("takes the mean of complex numbers")
        count = self.count(x)
        self.walk.leave(self.steps.compare("greater", count, self.steps.whole(0)))  # of nothing it warns
        dtype = x.dtype if x.dtype.kind == "f" else FLOAT64
        return Number(dtype, self.steps.map("divide", dtype, dtype, self.total(x, dtype), self.steps.cast(count, INT64, dtype)))

    def argument(self, op: str, x: Lazy) -> Number:
        """Where the first extreme lies; NaN is one."""
        steps = self.steps
        if x.dtype.kind not in "iuf" or len(x.sizes) != 1:
            raise Unsupported("looks for the extreme of such an array")
        self.walk.leave(steps.compare("greater", x.sizes[0], steps.whole(0)))
        best, at = steps.variable(x.dtype), steps.variable(INT)
        steps.set(best, x.element([steps.whole(0)]))
        steps.set(at, steps.whole(0))

        def look(number: int) -> None:
            element, now = x.element([number]), steps.get(best)
            is_better = steps.map(op, x.dtype, BOOL, element, now)
            if x.dtype.kind == "f":
                is_number = steps.map("equal", x.dtype, BOOL, now, now)
                is_none = steps.map("not_equal", x.dtype, BOOL, element, element)
                is_better = steps.both(is_number, steps.either(is_better, is_none))
            steps.set(best, steps.add("select", x.dtype, a=is_better, b=element, c=now))
            steps.set(at, steps.add("select", INT64, a=is_better, b=number, c=steps.get(at)))

        steps.each(x.sizes[0], look)
        return Number(INT64, steps.get(at), 0)


def kind_of_operand(x: Any) -> Number:
    """What a ufunc's loop is looked for by: a number, or one of an array's dtype."""
    return x if type(x) is Number else Number(x.dtype, -1)


def example_of(x: Number) -> Any:
    """What `result_type` takes for a number of a kind."""
    return x.kind.type(0) if type(x.kind) is PythonKind else x.kind


def _sum_dtype(dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
    """That NumPy adds up in."""
    if dtype.kind in "bi":
        return INT64
    return numpy.dtype("u8") if dtype.kind == "u" else dtype


def ufunc_of(operator: Any) -> str:
    return BINARY[operator][1]


def shape_of(value: Any) -> list[Any]:
    """The items of a `shape=` argument."""
    items = list(value) if type(value) is tuple else [value]
    if any(type(each) is not Number and kind_of_number(each) is None for each in items):
        raise Unsupported("makes an array of such a shape")
    return items
