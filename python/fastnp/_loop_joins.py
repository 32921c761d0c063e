"""NumPy's functions that lay arrays out anew, in programs: other shapes of what lies side by side, arrays one behind the other, and arrays of numbers."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_lists import Display
from fastnp._loop_program import BOOL, FLOAT64, INT64, Choice, Number, Unsupported, is_numbers_dtype, machine
from fastnp._loop_values import Lazy, View, is_array, part_of

if TYPE_CHECKING:
    from fastnp._loop_program import Steps
    from fastnp._loop_walk import Walk

__all__ = ["Joins"]


class Joins:
    """The part of `Functions` that is about them."""

    walk: Walk
    steps: Steps

    def sizes(self, shape: Any) -> list[int]:
        raise NotImplementedError

    @staticmethod
    def array(x: Any) -> Any:
        raise NotImplementedError

    # Other shapes.

    def call_ravel(self, a: Any) -> View:
        return self.lined(a, [self.walk.arrays.count(self.walk.arrays.lazy(self.array(a)))])

    def method_flatten(self, a: Any) -> View:
        x = self.walk.arrays.stored(self.walk.arrays.lazy(a))
        return self.lined(x, [self.walk.arrays.count(self.walk.arrays.lazy(x))])

    def call_reshape(self, a: Any, shape: Any) -> View:
        return self.reshaped(a, shape)

    def method_reshape(self, a: Any, *shape: Any) -> View:
        return self.reshaped(a, shape[0] if len(shape) == 1 else shape)

    def reshaped(self, a: Any, shape: Any) -> View:
        steps, asked = self.steps, list(shape) if type(shape) is tuple else [shape]
        total = self.walk.arrays.count(self.walk.arrays.lazy(self.array(a)))
        free = [place for place, each in enumerate(asked) if type(each) is int and each == -1]
        if len(free) > 1 or not asked:
            raise Unsupported("has an array of such a shape")
        sizes = self.sizes(tuple(1 if place in free else each for place, each in enumerate(asked)))
        rest = functools.reduce(lambda x, y: self.walk.numbers.checked("multiply", INT64, x, y), sizes)
        if free:
            self.walk.leave(steps.compare("greater", rest, steps.whole(0)))
            sizes[free[0]] = steps.add("floored", INT64, "floor_divide", INT64, total, rest)
            rest = steps.times(sizes[free[0]], rest)
        self.walk.leave(steps.compare("equal", rest, total))
        return self.lined(a, sizes)

    def lined(self, a: Any, sizes: list[int]) -> View:
        """What lies in C's order, by other sizes: a view. Leaves where that is a copy."""
        steps, view = self.steps, self.walk.arrays.kept(a)
        expected = steps.whole(view.dtype.itemsize)
        for size, stride in zip(reversed(view.sizes), reversed(view.strides), strict=True):
            self.walk.arrays.expect_same(stride, expected)
            expected = steps.times(expected, size)
        strides = [steps.whole(view.dtype.itemsize)]
        for size in reversed(sizes[1:]):
            strides.insert(0, steps.times(strides[0], size))
        return View(view.array, view.dtype, view.offset, sizes, strides, part_of(view.recipe, (None,)), view.origins)

    # One behind the other.

    def call_concatenate(self, arrays: Any, axis: Any = 0) -> View:
        operands = [self.walk.arrays.lazy(self.array(each)) for each in self.several(arrays)]
        rank = len(operands[0].sizes)
        if axis != 0 or any(len(each.sizes) != rank for each in operands):
            raise Unsupported("joins such arrays")
        for each in operands[1:]:
            for mine, first in zip(each.sizes[1:], operands[0].sizes[1:], strict=True):
                self.walk.arrays.expect_same(mine, first)
        return self.joined(operands, [each.sizes[0] for each in operands])

    def call_vstack(self, tup: Any) -> View:
        rows = [self.walk.arrays.lazy(self.array(each)) for each in self.several(tup)]
        if any(len(each.sizes) != 1 for each in rows):
            raise Unsupported("joins such arrays")
        return self.call_stack(tup)

    def call_stack(self, arrays: Any) -> View:
        operands: list[Lazy] = []
        for each in self.several(arrays):
            x = self.walk.arrays.lazy(self.array(each))
            if operands and len(operands[0].sizes) != len(x.sizes) + 1:
                raise Unsupported("joins such arrays")
            for mine, first in zip(x.sizes, operands[0].sizes[1:] if operands else x.sizes, strict=True):
                self.walk.arrays.expect_same(mine, first)
            operands.append(self.as_row(x))
        return self.joined(operands, [self.steps.whole(1)] * len(operands))

    def as_row(self, x: Lazy) -> Lazy:
        return Lazy(x.dtype, [self.steps.whole(1), *x.sizes], lambda at: x.element(at[1:]), x.reads, x.ours)

    def call_append(self, arr: Any, values: Any) -> View:
        x = self.walk.arrays.lazy(self.array(arr))
        if len(x.sizes) != 1:
            raise Unsupported("appends to such an array")
        if is_array(values):
            return self.call_concatenate((arr, values))
        number = self.walk.numbers.number(values)
        dtype, one = machine(number.kind), self.steps.whole(1)
        return self.joined([x, Lazy(dtype, [one], lambda _: number.id, [], x.ours)], [x.sizes[0], one])

    def joined(self, operands: list[Lazy], counts: list[int]) -> View:
        steps, arrays = self.steps, self.walk.arrays
        dtype = numpy.result_type(*(each.dtype for each in operands))
        if not is_numbers_dtype(dtype):
            raise Unsupported(f"makes an array of {dtype}")
        total = functools.reduce(steps.plus, counts)
        made = arrays.new(dtype, [total, *operands[0].sizes[1:]], any(each.ours for each in operands))
        begin = steps.whole(0)
        for each, count in zip(operands, counts, strict=True):
            part = View(
                made.array, dtype, self.walk.elements.moved(made, 0, begin, None), [count, *made.sizes[1:]], made.strides, made.recipe, made.origins
            )
            arrays.fill(part, each)
            begin = steps.plus(begin, count)
        return made

    @staticmethod
    def several(arrays: Any) -> list[Any]:
        found = list(arrays) if type(arrays) is tuple else arrays.items if type(arrays) is Display and arrays.times == 1 else []
        if not found:
            raise Unsupported("joins what is no tuple or list of arrays")
        return found

    # Of numbers.

    def of_numbers(self, items: list[Any], ours: bool) -> View:
        """``np.array([a, b])``, ``np.array([[a, b], [c, d]])``"""
        rows = [each.items if type(each) is Display and each.times == 1 else each for each in items]
        are_rows = all(type(each) is list for each in rows) and bool(rows)
        lines: list[list[Any]] = rows if are_rows else [rows]
        numbers = [[self.as_number(each) for each in line] for line in lines]
        if len(set(map(len, numbers))) != 1 or not numbers[0]:
            raise Unsupported("makes an array of such a list")
        dtype = functools.reduce(numpy.promote_types, (machine(each.kind) for line in numbers for each in line))
        if not is_numbers_dtype(dtype):
            raise Unsupported(f"makes an array of {dtype}")
        steps = self.steps
        counts = [len(numbers), len(numbers[0])] if are_rows else [len(numbers[0])]
        made = self.walk.arrays.new(dtype, list(map(steps.whole, counts)), ours)
        for place, each in enumerate(each for line in numbers for each in line):
            element = steps.cast(each.id, machine(each.kind), dtype)
            steps.add("store", dtype, a=made.array, b=steps.whole(place * dtype.itemsize), c=element)
        return made

    def as_number(self, value: Any) -> Number:
        if is_array(value) or type(value) in (Choice, tuple, Display, list):
            raise Unsupported("makes an array of a list of other things than numbers")
        return self.walk.numbers.number(value)

    # Of positions.

    def unit(self, rows: Any, columns: Any, dtype: numpy.dtype[Any], ours: bool) -> View:
        sizes = self.sizes((rows, rows if columns is None else columns))
        steps = self.steps
        return self.walk.arrays.stored(Lazy(dtype, sizes, lambda at: steps.cast(steps.compare("equal", *at), BOOL, dtype), [], ours))

    # Running sums.

    def call_cumsum(self, a: Any) -> View:
        x = self.walk.arrays.lazy(self.array(a))
        if len(x.sizes) != 1 or x.dtype not in (FLOAT64, INT64):
            raise Unsupported("has running sums of such an array")
        steps, arrays = self.steps, self.walk.arrays
        arrays.note("accumulate", x.dtype)
        x = arrays.lazy(arrays.kept(x))
        made, total = arrays.new(x.dtype, x.sizes, x.ours), steps.variable(x.dtype)
        steps.set(total, steps.constant(0, x.dtype))

        def add(at: list[int]) -> None:
            element = x.element(at)
            first = steps.compare("equal", at[0], steps.whole(0))
            now = steps.add("select", x.dtype, a=first, b=element, c=steps.map("add", x.dtype, x.dtype, steps.get(total), element))
            steps.set(total, now)
            steps.add("store", x.dtype, a=made.array, b=arrays.offset(made, at), c=now)

        arrays.over(x.sizes, add)
        return made
