"""NumPy's functions that make arrays of a form in programs: numbers at equal distances, unit and diagonal matrices, vector products."""

from __future__ import annotations

from typing import Any

import numpy

from fastnp._loop_operands import Operands
from fastnp._loop_program import BOOL, FLOAT64, INT64, Unsupported, is_numbers_dtype, machine
from fastnp._loop_values import Lazy, View, is_array

__all__ = ["Forms"]

_MOST_OFFSET = 2**31  # of a diagonal


class Forms(Operands):
    """The part of `Functions` that is about them."""

    # By places.

    def unit(self, rows: Any, columns: Any, dtype: numpy.dtype[Any], ours: bool) -> View:
        sizes = self.sizes((rows, rows if columns is None else columns))
        steps = self.steps
        return self.walk.arrays.stored(Lazy(dtype, sizes, lambda at: steps.cast(steps.compare("equal", *at), BOOL, dtype), [], ours))

    def call_diag(self, v: Any, k: Any = 0) -> View:
        """A matrix with these numbers beside its diagonal. (The diagonal of one is a view that can't be written to.)"""
        steps, arrays = self.steps, self.walk.arrays
        x = arrays.lazy(self.array(self.as_array(v)))
        if len(x.sizes) != 1 or type(k) is not int or abs(k) > _MOST_OFFSET:
            raise Unsupported("takes or makes such a diagonal")
        size = steps.plus(x.sizes[0], steps.whole(abs(k)))
        made = arrays.new(x.dtype, [size, size], x.ours)
        arrays.fill(made, Lazy(x.dtype, made.sizes, lambda _: steps.constant(0, x.dtype), [], x.ours))
        offset = steps.times(steps.whole(abs(k)), made.strides[int(k > 0)])
        line = View(made.array, x.dtype, offset, x.sizes, [steps.plus(*made.strides)], made.recipe, made.origins)
        arrays.fill(line, x)
        return made

    # At equal distances.

    def call_linspace(self, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, *, ours: bool) -> View:
        """As NumPy computes them: by multiples of a step, and the last one as it is."""
        steps, arrays = self.steps, self.walk.arrays
        if is_array(start) or is_array(stop) or type(num) is tuple or type(endpoint) is not bool:
            raise Unsupported("makes an array of such distances")
        first, last = (self.double(each) for each in (start, stop))
        (size,) = self.sizes(num)
        count = steps.plus(size, steps.whole(-1)) if endpoint else size
        is_apart = steps.compare("greater", count, steps.whole(0))
        for name in ("subtract", "multiply", "add"):
            arrays.note(name, FLOAT64)
        width = steps.map("subtract", FLOAT64, FLOAT64, last, first)
        divisor = steps.add("select", INT64, a=is_apart, b=count, c=steps.whole(1))
        step = steps.map("divide", FLOAT64, FLOAT64, width, steps.cast(divisor, INT64, FLOAT64))
        zero = steps.constant(0.0, FLOAT64)
        # Of no numbers nobody asks for the width, whose errors NumPy tells of.
        self.walk.leave(steps.either(steps.compare("greater", size, steps.whole(0)), self.walk.numbers.is_finite(width)))
        self.walk.leave(steps.either(*(steps.map(op, FLOAT64, BOOL, x, zero) for op, x in (("not_equal", step), ("equal", width)))))

        def element(at: list[int]) -> int:
            product = steps.map("multiply", FLOAT64, FLOAT64, steps.cast(at[0], INT64, FLOAT64), step)
            return steps.map("add", FLOAT64, FLOAT64, product, first)

        made = arrays.stored(Lazy(FLOAT64, [size], element, [], ours))
        if endpoint:
            steps.add("if", a=is_apart)
            steps.add("store", FLOAT64, a=made.array, b=arrays.offset(made, [count]), c=last)
            steps.add("end")
        return made

    def double(self, x: Any) -> int:
        """A number as one of double precision, which it makes others beside it."""
        number = self.walk.numbers.number(x)
        dtype = machine(number.kind)
        if numpy.result_type(dtype, FLOAT64) != FLOAT64 or (dtype.kind == "f" and dtype != FLOAT64):
            raise Unsupported("makes an array of such distances")
        return self.steps.cast(number.id, dtype, FLOAT64)

    # Vector products.

    def call_cross(self, a: Any, b: Any) -> View:
        """Of vectors of three numbers along the last axes."""
        steps, arrays = self.steps, self.walk.arrays
        x, y = (arrays.lazy(arrays.kept(self.array(self.as_array(each)))) for each in (a, b))
        for each in (x, y):
            if not each.sizes:
                raise Unsupported("has a vector product of such arrays")
            arrays.expect_same(each.sizes[-1], steps.whole(3))
        dtype = numpy.promote_types(x.dtype, y.dtype)
        if dtype.kind not in "iufc" or not is_numbers_dtype(dtype):
            raise Unsupported(f"has a vector product of {dtype}")
        for name in ("multiply", "subtract"):
            arrays.note(name, dtype)
        sizes, along = arrays.broadcast([Lazy(each.dtype, each.sizes[:-1], each.element, [], False) for each in (x, y)])
        made = arrays.new(dtype, [*sizes, steps.whole(3)], x.ours or y.ours)

        def product(at: list[int], *places: int) -> int:
            parts = ((of, of.element([*own(at), steps.whole(place)])) for of, own, place in zip((x, y), along, places, strict=True))
            factors = (steps.cast(element, of.dtype, dtype) for of, element in parts)
            return steps.map("multiply", dtype, dtype, *factors)

        def put(at: list[int]) -> None:
            for place, (first, second) in enumerate(((1, 2), (2, 0), (0, 1))):
                found = steps.map("subtract", dtype, dtype, product(at, first, second), product(at, second, first))
                steps.add("store", dtype, a=made.array, b=arrays.offset(made, [*at, steps.whole(place)]), c=found)

        arrays.over(sizes, put)
        return made
