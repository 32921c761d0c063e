"""NumPy's functions of the elements of arrays together, in programs: how they are spread, their order, counts and differences; and rounded ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_arrays import example_of, kind_of_operand
from fastnp._loop_lists import Display
from fastnp._loop_operands import Operands
from fastnp._loop_program import BOOL, FLOAT64, INT, INT64, Choice, Number, Unsupported, is_numbers_dtype, kind_of_number, machine
from fastnp._loop_sorts import Sorted, merge_sort
from fastnp._loop_values import Lazy, View, is_array, part_of

if TYPE_CHECKING:
    from fastnp._loop_program import Steps

__all__ = ["Statistics"]

_COUNT = kind_of_number(numpy.count_nonzero(numpy.ones(1)))  # an int's, or NumPy's, as its version has it
_FAR = {"f": 1e300, "i": 2.0**51}  # the difference of two numbers that are no farther is finite, or exact


class _Elements(Sorted):
    def __init__(self, steps: Steps, view: View, other: View) -> None:
        super().__init__(view.array, other.array, view.sizes[0])
        self.steps = steps
        self.dtype = view.dtype

    def offset(self, at: int) -> int:
        return self.steps.times(at, self.steps.whole(self.dtype.itemsize))

    def read(self, array: int, at: int) -> int:
        return self.steps.add("load", self.dtype, a=array, b=self.offset(at))

    def write(self, array: int, at: int, item: int) -> None:
        self.steps.add("store", self.dtype, a=array, b=self.offset(at), c=item)

    def less(self, x: int, y: int) -> int:
        return self.steps.map("less", self.dtype, BOOL, x, y)


class _Places(_Elements):
    """Numbers of elements, sorted by these."""

    def __init__(self, steps: Steps, view: View, other: View, key: Callable[[int], int], key_dtype: Any) -> None:
        super().__init__(steps, view, other)
        self.key = key
        self.key_dtype = key_dtype

    def less(self, x: int, y: int) -> int:
        return self.steps.map("less", self.key_dtype, BOOL, self.key(x), self.key(y))


class Statistics(Operands):
    """The part of `Functions` that is about them."""

    # Spread.

    def call_var(self, a: Any, axis: Any = None, *, ddof: Any = 0) -> Any:
        return self.spread(a, axis, ddof, False)

    def call_std(self, a: Any, axis: Any = None, *, ddof: Any = 0) -> Any:
        return self.spread(a, axis, ddof, True)

    def spread(self, a: Any, axis: Any, ddof: Any, is_root: bool) -> Any:
        """The mean of the squares of what lies between elements and their mean."""
        steps, arrays = self.steps, self.walk.arrays
        x = arrays.lazy(arrays.kept(self.array(a)))
        if x.dtype.kind == "c" or type(ddof) is not int or not 0 <= ddof < 2**31:
            raise Unsupported("takes the spread of such an array")
        is_whole = axis is None or type(axis) is not int or not -len(x.sizes) <= axis < len(x.sizes)
        count = arrays.count(x) if is_whole else x.sizes[axis]
        self.walk.leave(steps.compare("greater", count, steps.whole(ddof)))
        dtype = x.dtype if x.dtype.kind == "f" else FLOAT64
        for name in ("subtract", "multiply", "divide"):
            arrays.note(name, dtype)

        def of(line: Lazy) -> Number:
            size = arrays.count(line)
            mean = steps.map("divide", dtype, dtype, arrays.total(line, dtype), steps.cast(size, INT64, dtype))

            def square(at: list[int]) -> int:
                apart = steps.map("subtract", dtype, dtype, steps.cast(line.element(at), line.dtype, dtype), mean)
                return steps.map("multiply", dtype, dtype, apart, apart)

            total = arrays.total(Lazy(dtype, line.sizes, square, [], False), dtype)
            left = steps.plus(size, steps.whole(-ddof))
            found = steps.map("divide", dtype, dtype, total, steps.cast(left, INT64, dtype))
            return Number(dtype, steps.map("sqrt", dtype, dtype, found) if is_root else found)

        return arrays.folded(x, axis, of)

    def call_ptp(self, a: Any, axis: Any = None) -> Any:
        arrays = self.walk.arrays
        x = arrays.kept(self.array(a))
        most, least = (arrays.folded(x, axis, fold) for fold in (arrays.max, arrays.min))
        if type(most) is not Number or x.dtype.kind not in "iuf":
            return self.walk.calls.of_ufunc("subtract", [most, least])
        arrays.note("subtract", x.dtype)  # by the ufunc, which says nothing of whole numbers that wrap around
        return Number(x.dtype, self.steps.map("subtract", x.dtype, x.dtype, most.id, least.id))

    def call_count_nonzero(self, a: Any, axis: Any = None) -> Any:
        arrays = self.walk.arrays

        def of(line: Lazy) -> Number:
            return Number(INT64, arrays.fold("add", arrays.converted(line, BOOL), INT64, self.steps.whole(0)), 0)

        found = arrays.folded(self.array(a), axis, of)
        return Number(_COUNT, found.id, 0) if type(found) is Number and axis is None else found

    # Order.

    def call_sort(self, a: Any) -> View:
        """A copy in order."""
        arrays = self.walk.arrays
        x = arrays.lazy(self.array(a))
        if len(x.sizes) != 1 or x.dtype.kind not in "iuf":
            raise Unsupported("sorts such an array")
        made, other = arrays.stored(x), arrays.new(x.dtype, x.sizes, x.ours)
        if x.dtype.kind == "f":
            self.expect_numbers(made)
        merge_sort(self.steps, _Elements(self.steps, made, other))
        return made

    def call_argsort(self, a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> View:
        """Equal elements stay in their order; leaves where there are some, and NumPy is free to have them in another one."""
        steps, arrays = self.steps, self.walk.arrays
        view = arrays.kept(self.array(a))
        x = arrays.lazy(view)
        if len(x.sizes) != 1 or x.dtype.kind not in "iuf" or type(axis) is not int or axis not in (0, -1):
            raise Unsupported("sorts such an array")
        if kind not in (None, "quicksort", "heapsort", "mergesort", "stable") or type(stable) not in (bool, type(None)) or None not in (kind, stable):
            raise Unsupported("sorts in such a way")
        if x.dtype.kind == "f":
            self.expect_numbers(view)
        made = arrays.stored(Lazy(INT64, x.sizes, lambda at: at[0], [], x.ours))
        places = _Places(steps, made, arrays.new(INT64, x.sizes, x.ours), lambda at: x.element([at]), x.dtype)
        merge_sort(steps, places)
        if not stable and kind not in ("mergesort", "stable"):
            self.expect_order(made, places)
        return made

    def expect_order(self, made: View, places: _Places) -> None:
        """Leaves where two neighbours are equal."""
        steps, arrays = self.steps, self.walk.arrays
        last = steps.plus(made.sizes[0], steps.whole(-1))

        def is_less(at: list[int]) -> int:
            return places.less(places.read(made.array, at[0]), places.read(made.array, steps.plus(at[0], steps.whole(1))))

        self.walk.leave(arrays.fold("logical_and", Lazy(BOOL, [last], is_less, [], False), BOOL, steps.constant(True, BOOL)))

    def expect_numbers(self, view: View) -> None:
        """Leaves where one is none."""
        arrays, dtype = self.walk.arrays, view.dtype
        x = arrays.lazy(view)

        def is_number(at: list[int]) -> int:
            element = x.element(at)
            return self.steps.map("equal", dtype, BOOL, element, element)

        self.walk.leave(arrays.fold("logical_and", Lazy(BOOL, x.sizes, is_number, [], False), BOOL, self.steps.constant(True, BOOL)))

    def method_sort(self, a: Any) -> None:
        if type(a) is not View:
            raise Unsupported("sorts something that is no array")
        self.walk.elements.expect_nothing_pending()
        self.walk.arrays.assignment(a, self.call_sort(a))()

    def call_median(self, a: Any) -> Number:
        """The one in the middle, or the mean of two."""
        steps, arrays = self.steps, self.walk.arrays
        x = arrays.lazy(self.array(a))
        self.walk.leave(steps.compare("greater", x.sizes[0], steps.whole(0)) if x.sizes else steps.constant(False, BOOL))
        line = arrays.lazy(self.call_sort(a))
        dtype = x.dtype if x.dtype.kind == "f" else FLOAT64
        for name in ("add", "divide"):
            arrays.note(name, dtype)
        half = steps.map("right_shift", INT64, INT64, x.sizes[0], steps.whole(1))
        is_odd = steps.compare("not_equal", steps.map("bitwise_and", INT64, INT64, x.sizes[0], steps.whole(1)), steps.whole(0))
        before = steps.add("select", INT64, a=is_odd, b=half, c=steps.plus(half, steps.whole(-1)))
        low, high = (steps.cast(line.element([at]), x.dtype, dtype) for at in (before, half))
        mean = steps.map("divide", dtype, dtype, steps.map("add", dtype, dtype, low, high), steps.constant(2.0, dtype))
        return Number(dtype, steps.add("select", dtype, a=is_odd, b=high, c=mean))

    def call_percentile(self, a: Any, q: Any) -> Any:
        """One, or an array of several: what lies between neighbours is NumPy's, bit by bit."""
        steps = self.steps
        shares = q.items if type(q) is Display else list(q) if type(q) is tuple else [q]
        if any(is_array(each) or type(each) in (tuple, Display, Choice) for each in shares) or (type(q) is Display and q.times != 1) or not shares:
            raise Unsupported("takes such percentiles")
        numbers = [self.walk.numbers.number(each) for each in shares]
        if any(machine(each.kind).kind not in "if" or machine(each.kind).itemsize != 8 for each in numbers):
            raise Unsupported("takes such percentiles")
        hundred = steps.constant(100.0, FLOAT64)
        parts = [steps.map("divide", FLOAT64, FLOAT64, steps.cast(each.id, machine(each.kind), FLOAT64), hundred) for each in numbers]
        x = self.walk.arrays.lazy(self.array(a))
        line = self.sorted_doubles(x)
        found = [Number(FLOAT64, self.between(line, part)) for part in parts]
        return found[0] if type(q) not in (tuple, Display) else self.of_numbers(found, x.ours)

    def sorted_doubles(self, x: Lazy) -> Lazy:
        """In order; leaves where NumPy's differences of neighbours would not be those of finite floats."""
        steps, arrays = self.steps, self.walk.arrays
        if len(x.sizes) != 1 or x.dtype not in (FLOAT64, INT64):
            raise Unsupported("takes percentiles of such an array")
        self.walk.leave(steps.compare("greater", x.sizes[0], steps.whole(0)))
        line = arrays.converted(arrays.lazy(self.call_sort(x)), FLOAT64)
        most = steps.constant(_FAR[x.dtype.kind], FLOAT64)
        for at in (steps.whole(0), steps.plus(x.sizes[0], steps.whole(-1))):
            self.walk.leave(steps.map("less_equal", FLOAT64, BOOL, steps.map("absolute", FLOAT64, FLOAT64, line.element([at])), most))
        self.expect_one_zero(line)
        return Lazy(FLOAT64, line.sizes, line.element, line.reads, x.ours)

    def expect_one_zero(self, x: Lazy) -> None:
        """Leaves where a zero has a sign: which of several comes first is NumPy's affair."""
        steps, arrays = self.steps, self.walk.arrays

        def is_plain(at: list[int]) -> int:
            element = x.element(at)
            is_zero = steps.map("equal", FLOAT64, BOOL, element, steps.constant(0.0, FLOAT64))
            return steps.map("logical_not", BOOL, BOOL, steps.both(is_zero, steps.map("signbit", FLOAT64, BOOL, element)))

        self.walk.leave(arrays.fold("logical_and", Lazy(BOOL, x.sizes, is_plain, [], False), BOOL, steps.constant(True, BOOL)))

    def between(self, line: Lazy, share: int) -> int:
        """What lies at a share of the way through a line in order: between two neighbours, from the nearer one."""
        steps, zero, one = self.steps, self.steps.constant(0.0, FLOAT64), self.steps.constant(1.0, FLOAT64)

        def op(name: str, *operands: int) -> int:
            return steps.map(name, FLOAT64, FLOAT64, *operands)

        self.walk.leave(steps.both(steps.map("greater_equal", FLOAT64, BOOL, share, zero), steps.map("less_equal", FLOAT64, BOOL, share, one)))
        last = steps.plus(line.sizes[0], steps.whole(-1))
        place = op("multiply", steps.cast(last, INT64, FLOAT64), share)
        before = steps.add("truncate", INT64, a=place)
        is_last = steps.compare("greater_equal", before, last)
        after = steps.add("select", INT64, a=is_last, b=last, c=steps.plus(before, steps.whole(1)))
        x, y = (line.element([steps.add("select", INT64, a=is_last, b=last, c=at)]) for at in (before, after))
        part, apart = op("subtract", place, steps.cast(before, INT64, FLOAT64)), op("subtract", y, x)
        from_x = op("add", x, op("multiply", apart, part))
        from_y = op("subtract", y, op("multiply", apart, op("subtract", one, part)))
        is_far = steps.map("greater_equal", FLOAT64, BOOL, part, steps.constant(0.5, FLOAT64))
        return steps.add("select", FLOAT64, a=is_far, b=from_y, c=from_x)

    def call_searchsorted(self, a: Any, v: Any, side: Any = "left") -> Number:
        """Halving, as NumPy does it."""
        steps, arrays, numbers = self.steps, self.walk.arrays, self.walk.numbers
        x = arrays.lazy(arrays.kept(self.array(a)))
        if is_array(v) or type(v) in (tuple, Choice) or len(x.sizes) != 1 or side not in ("left", "right") or x.dtype.kind not in "iuf":
            raise Unsupported("searches such an array")
        number = numbers.number(v)
        if machine(number.kind) != x.dtype and not (x.dtype == FLOAT64 and machine(number.kind) == INT64):
            raise Unsupported("searches for such a number")
        value = steps.cast(number.id, machine(number.kind), x.dtype)
        if x.dtype.kind == "f":
            self.walk.leave(steps.map("equal", x.dtype, BOOL, value, value))
        low, high = steps.variable(INT), steps.variable(INT)
        steps.set(low, steps.whole(0))
        steps.set(high, x.sizes[0])
        steps.add("loop")
        steps.add("if", a=steps.compare("less", steps.get(low), steps.get(high)))
        steps.add("else")
        steps.add("break", a=0)
        steps.add("end")
        room = steps.plus(steps.get(high), steps.times(steps.get(low), steps.whole(-1)))
        middle = steps.plus(steps.get(low), steps.map("right_shift", INT64, INT64, room, steps.whole(1)))
        steps.add("if", a=steps.map("less" if side == "left" else "less_equal", x.dtype, BOOL, x.element([middle]), value))
        steps.set(low, steps.plus(middle, steps.whole(1)))
        steps.add("else")
        steps.set(high, middle)
        steps.add("end")
        steps.add("next")
        steps.add("end")
        return Number(INT64, steps.get(low), 0)

    # Neighbours.

    def call_diff(self, a: Any) -> Lazy:
        steps, arrays = self.steps, self.walk.arrays
        x = arrays.lazy(arrays.kept(self.array(a)))
        if len(x.sizes) != 1 or x.dtype.kind not in "iuf":
            raise Unsupported("takes differences of such an array")
        less = steps.plus(x.sizes[0], steps.whole(-1))
        count = steps.add("select", INT64, a=steps.compare("less", less, steps.whole(0)), b=steps.whole(0), c=less)
        later = Lazy(x.dtype, [count], lambda at: x.element([steps.plus(at[0], steps.whole(1))]), x.reads, x.ours)
        return arrays.binary("subtract", later, Lazy(x.dtype, [count], x.element, x.reads, x.ours))

    def diagonal(self, a: Any) -> View:
        view, steps = self.view(a), self.steps
        if len(view.sizes) != 2:
            raise Unsupported("takes the diagonal of such an array")
        rows, columns = view.sizes
        size = steps.add("select", INT64, a=steps.compare("less", rows, columns), b=rows, c=columns)
        stride = steps.plus(*view.strides)
        return View(view.array, view.dtype, view.offset, [size], [stride], part_of(view.recipe, (None,)), view.origins)

    def call_trace(self, a: Any) -> Number:
        return self.walk.arrays.sum(self.walk.arrays.lazy(self.diagonal(a)))

    # Clipped.

    def call_clip(self, a: Any, a_min: Any, a_max: Any) -> Any:
        """Of a number, too, which becomes NumPy's."""
        values, numbers = [a, a_min, a_max], self.walk.numbers
        if a_min is None or a_max is None:
            raise Unsupported("clips on one side")
        if any(map(is_array, values)):
            return self.clipped(list(map(self.walk.arrays.operand, values)))
        self.walk.calls.numbers_of(values)

        def along(known: list[Number], rest: list[Any]) -> Any:
            return self.walk.each(rest[0], lambda x: along([*known, numbers.number(x)], rest[1:])) if rest else self.clipped_number(known)

        return along([], values)

    def clipped(self, operands: list[Any]) -> Lazy:
        """Leaves where an array of bounds has a zero that another sign has where it counts: which one is taken is NumPy's affair."""
        arrays, dtype = self.walk.arrays, self.dtype_of_clipped(list(map(kind_of_operand, operands)))
        if dtype.kind == "f" and any(map(is_array, operands[1:])):
            operands = [arrays.lazy(arrays.kept(each)) if is_array(each) else each for each in operands]
            same = arrays.mapped([arrays.converted(each, dtype) for each in operands], BOOL, lambda *each: self.is_one_zero(dtype, *each))
            self.walk.leave(arrays.fold("logical_and", same, BOOL, self.steps.constant(True, BOOL)))
        return arrays.mapped([arrays.converted(each, dtype) for each in operands], dtype, lambda *each: self.between_bounds(dtype, *each))

    def clipped_number(self, numbers: list[Number]) -> Number:
        dtype = self.dtype_of_clipped(numbers)
        return Number(dtype, self.between_bounds(dtype, *(self.walk.arrays.converted(each, dtype) for each in numbers)))

    @staticmethod
    def dtype_of_clipped(numbers: list[Number]) -> numpy.dtype[Any]:
        dtype = numpy.result_type(*(example_of(each) for each in numbers))
        if dtype.kind not in "iuf" or not is_numbers_dtype(dtype):
            raise Unsupported(f"clips {dtype}")
        return dtype

    def between_bounds(self, dtype: numpy.dtype[Any], x: int, low: int, high: int) -> int:
        """An element, or the bound that it is beyond; NaN where one of the three is."""
        steps = self.steps
        for op, bound in (("less", low), ("greater", high)):
            is_beyond = steps.map(op, dtype, BOOL, x, bound)
            if dtype.kind == "f":
                is_beyond = steps.either(is_beyond, steps.map("not_equal", dtype, BOOL, bound, bound))
            x = steps.add("select", dtype, a=is_beyond, b=bound, c=x)
        return x

    def is_one_zero(self, dtype: numpy.dtype[Any], x: int, low: int, high: int) -> int:
        """Whether none of the three equals another one and has another sign."""
        steps = self.steps

        def agree(a: int, b: int) -> int:
            signs = (steps.map("signbit", dtype, BOOL, each) for each in (a, b))
            return steps.either(steps.map("not_equal", dtype, BOOL, a, b), steps.map("equal", BOOL, BOOL, *signs))

        return functools.reduce(steps.both, (agree(x, low), agree(x, high), agree(low, high)))

    # Rounded.

    def call_round(self, a: Any, decimals: Any = 0) -> Any:
        """By a product and a quotient, as NumPy does it."""
        if type(decimals) is not int or not 0 <= decimals <= 22:
            raise Unsupported("rounds to so many decimals")
        if not is_array(a):
            return self.walk.each(a, lambda x: self.rounded_number(self.walk.numbers.number(x), decimals))
        dtype = a.dtype
        if dtype.kind in "iu":
            return self.walk.arrays.unary("positive", a)
        if dtype.kind != "f":
            raise Unsupported("rounds such an array")
        arrays = self.walk.arrays
        if decimals == 0:
            return arrays.unary("rint", a)
        return arrays.binary("divide", arrays.unary("rint", arrays.binary("multiply", a, 10.0**decimals)), 10.0**decimals)

    call_around = call_round

    def rounded_number(self, x: Number, decimals: int) -> Number:
        numbers, dtype = self.walk.numbers, machine(x.kind)
        if dtype.kind in "iu":
            return Number(dtype, x.id, x.low, x.high)
        if dtype.kind != "f":
            raise Unsupported("rounds such a number")
        plain = Number(dtype, x.id)
        if decimals == 0:
            return numbers.numpy_unary("rint", plain)
        power = numbers.number(10.0**decimals)
        return numbers.numpy_binary("divide", numbers.numpy_unary("rint", numbers.numpy_binary("multiply", plain, power)), power)
