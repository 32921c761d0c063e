"""NumPy's functions that lay arrays out anew, in programs: other shapes, arrays one behind the other, turned ones, and arrays of numbers."""

from __future__ import annotations

import functools
from typing import Any

import numpy

from fastnp._loop_lists import Display
from fastnp._loop_operands import Operands
from fastnp._loop_program import FLOAT64, INT64, Unsupported, is_numbers_dtype, machine
from fastnp._loop_values import Lazy, View, is_array, part_of

__all__ = ["Joins"]


class Joins(Operands):
    """The part of `Functions` that is about them."""

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
        operands = self.several(arrays)
        rank = len(operands[0].sizes)
        if any(len(each.sizes) != rank for each in operands):
            raise Unsupported("joins such arrays")
        return self.joined(operands, self.axis_of(axis, rank))

    @staticmethod
    def axis_of(axis: Any, rank: int) -> int:
        if type(axis) is not int or not -rank <= axis < rank:
            raise Unsupported("joins or rolls arrays along such an axis")
        return axis % rank

    def call_vstack(self, tup: Any) -> View:
        return self.call_concatenate(tuple(self.as_part(each, 0) if len(each.sizes) == 1 else each for each in self.several(tup)))

    def call_hstack(self, tup: Any) -> View:
        operands = self.several(tup)
        return self.call_concatenate(tuple(operands), int(len(operands[0].sizes) > 1))

    def call_column_stack(self, tup: Any) -> View:
        return self.call_concatenate(tuple(self.as_part(each, 1) if len(each.sizes) == 1 else each for each in self.several(tup)), 1)

    def call_stack(self, arrays: Any, axis: Any = 0) -> View:
        operands = self.several(arrays)
        place = self.axis_of(axis, len(operands[0].sizes) + 1)
        if any(len(each.sizes) != len(operands[0].sizes) for each in operands):
            raise Unsupported("joins such arrays")
        return self.joined([self.as_part(each, place) for each in operands], place)

    def as_part(self, x: Lazy, axis: int) -> Lazy:
        """With one more axis, of one element."""
        sizes = [*x.sizes[:axis], self.steps.whole(1), *x.sizes[axis:]]
        return Lazy(x.dtype, sizes, lambda at: x.element([*at[:axis], *at[axis + 1 :]]), x.reads, x.ours)

    def call_append(self, arr: Any, values: Any) -> View:
        x = self.walk.arrays.lazy(self.array(arr))
        if len(x.sizes) != 1:
            raise Unsupported("appends to such an array")
        if is_array(values) or type(values) in (tuple, Display):
            return self.call_concatenate((arr, values))
        number = self.walk.numbers.number(values)
        return self.joined([x, Lazy(machine(number.kind), [self.steps.whole(1)], lambda _: number.id, [], x.ours)], 0)

    def joined(self, operands: list[Lazy], axis: int) -> View:
        """Arrays of as many axes each, whose sizes along the others have to be alike."""
        steps, arrays = self.steps, self.walk.arrays
        for each in operands[1:]:
            for along, (mine, first) in enumerate(zip(each.sizes, operands[0].sizes, strict=True)):
                if along != axis:
                    arrays.expect_same(mine, first)
        dtype = numpy.result_type(*(each.dtype for each in operands))
        if not is_numbers_dtype(dtype):
            raise Unsupported(f"makes an array of {dtype}")
        sizes = list(operands[0].sizes)
        sizes[axis] = functools.reduce(steps.plus, (each.sizes[axis] for each in operands))
        made = arrays.new(dtype, sizes, any(each.ours for each in operands))
        begin = steps.whole(0)
        for each in operands:
            offset = self.walk.elements.moved(made, axis, begin, None)
            counts = [*made.sizes[:axis], each.sizes[axis], *made.sizes[axis + 1 :]]
            arrays.fill(View(made.array, dtype, offset, counts, made.strides, made.recipe, made.origins), each)
            begin = steps.plus(begin, each.sizes[axis])
        return made

    def several(self, arrays: Any) -> list[Lazy]:
        """What is joined: arrays, and lists of numbers as such."""
        found = list(arrays) if type(arrays) is tuple else arrays.items if type(arrays) is Display and arrays.times == 1 else []
        if not found:
            raise Unsupported("joins what is no tuple or list of arrays")
        return [self.walk.arrays.lazy(self.array(self.as_array(each))) for each in found]

    # Turned.

    def call_roll(self, a: Any, shift: Any, axis: Any = None) -> View:
        arrays = self.walk.arrays
        x = arrays.lazy(self.array(a))
        if axis is None and len(x.sizes) > 1:
            line = self.lined(arrays.stored(x), [arrays.count(x)])
            return self.lined(self.call_roll(line, shift), x.sizes)
        place = self.axis_of(0 if axis is None else axis, len(x.sizes))
        if not self.walk.elements.is_whole(shift):
            raise Unsupported("rolls by something that is no whole number")
        x = arrays.lazy(arrays.kept(x))
        last, first = self.turned(x, self.walk.numbers.number(self.walk.each(shift, self.walk.numbers.to_int)).id, place)
        return self.joined([last, first], place)

    def turned(self, x: Lazy, shift: int, axis: int) -> tuple[Lazy, Lazy]:
        """What comes to the beginning by a shift, and the rest."""
        steps, size = self.steps, x.sizes[axis]
        divisor = steps.add("select", INT64, a=steps.compare("equal", size, steps.whole(0)), b=steps.whole(1), c=size)
        count = steps.add("floored", INT64, "remainder", INT64, shift, divisor)
        rest = steps.plus(size, steps.times(count, steps.whole(-1)))

        def part(begin: int, count: int) -> Lazy:
            sizes = [*x.sizes[:axis], count, *x.sizes[axis + 1 :]]
            return Lazy(x.dtype, sizes, lambda at: x.element([*at[:axis], steps.plus(at[axis], begin), *at[axis + 1 :]]), x.reads, x.ours)

        return part(rest, count), part(steps.whole(0), rest)

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
