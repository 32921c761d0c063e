"""What NumPy's functions are given in programs: arrays, numbers and lists that are taken for arrays, dtypes, and sizes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_arrays import shape_of
from fastnp._loop_lists import Display, ListState
from fastnp._loop_program import FLOAT64, Choice, Number, Unsupported, is_numbers_dtype, machine
from fastnp._loop_values import Lazy, View, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Operands"]


class Operands:
    """The part of `Functions` that is about them."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    @staticmethod
    def array(x: Any) -> Any:
        if not is_array(x):
            raise Unsupported("calls a function of arrays with a number")
        return x

    def view(self, x: Any) -> View:
        return self.walk.arrays.kept(self.array(x))

    @staticmethod
    def dtype(value: Any) -> numpy.dtype[Any]:
        if not isinstance(value, (type, str, numpy.dtype)):
            raise Unsupported("makes an array of such a dtype")
        dtype = numpy.dtype(value)
        if not is_numbers_dtype(dtype):
            raise Unsupported(f"makes an array of {dtype}")
        return dtype

    def sizes(self, shape: Any) -> list[int]:
        numbers = self.walk.numbers
        found = []
        for each in shape_of(shape):
            number = numbers.number(each)
            if not self.walk.elements.is_whole(number):
                raise Unsupported("makes an array of a size that is no integer")
            size = numbers.to_int(number).id
            if number.low is None or number.low < 0:
                self.walk.leave(self.steps.compare("greater_equal", size, self.steps.whole(0)))
            found.append(size)
        return found

    def as_array(self, value: Any) -> Any:
        """A tuple or a list of numbers as NumPy takes it where it computes with arrays."""
        if type(value) is tuple and value:
            return self.of_numbers(list(value), False)
        if type(value) is ListState:
            return self.of_list(value, False)
        return self.of_numbers(value.items, False) if type(value) is Display and value.times == 1 and value.items else value

    def of_list(self, held: ListState, ours: bool) -> View:
        """An array of a list's numbers, whose dtype is theirs; of an empty one it is float64."""
        steps, lists = self.steps, self.walk.lists
        known = lists.known(held.name)
        if known.is_tuple or len(known.kinds) != 1:
            raise Unsupported("makes an array of a list of other things than numbers")
        dtype, length = machine(known.kinds[0][0]), lists.length(held)
        if dtype != FLOAT64:
            self.walk.leave(steps.compare("greater", length, steps.whole(0)))
        return self.walk.arrays.stored(Lazy(dtype, [length], lambda at: lists.number(held, lists.offset(held, at[0])), [], ours))

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
