"""Products of matrices and vectors in programs, and their lengths: sums in any order, as the library's are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_arrays import kind_of_operand
from fastnp._loop_program import FLOAT64, INT64, Number, Unsupported
from fastnp._loop_values import Lazy, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Products"]

_MOST_PRODUCT = 96  # rows, columns and terms of a product of matrices of floats: beyond that the library's is quicker
_AT_ONCE = 4  # rows that are added up


class Products:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.arrays = walk.arrays

    def product(self, x: Any, y: Any) -> Any:
        """``x @ y``"""
        x, y = (self.walk.calls.functions.as_array(each) for each in (x, y))
        x, y = (self.arrays.lazy(self.arrays.kept(each)) if is_array(each) else self.refuse_number() for each in (x, y))
        (first, second), compute, result = self.walk.numbers.loop("multiply", kind_of_operand(x), kind_of_operand(y))
        if compute.kind == "b" or len(x.sizes) not in (1, 2) or len(y.sizes) not in (1, 2):
            raise Unsupported("has a product of such arrays")
        self.arrays.note("matmul", compute)
        a, b = self.arrays.converted(x, first), self.arrays.converted(y, second)
        self.arrays.expect_same(x.sizes[-1], y.sizes[0])
        terms = x.sizes[-1]
        are_matrices = len(x.sizes) == len(y.sizes) == 2
        for size in (x.sizes[0], terms, y.sizes[1]) if are_matrices and compute.kind in "fc" else ():
            self.walk.numbers.within(size, 0, _MOST_PRODUCT)
        if are_matrices and not self.has_lines(y):
            b = self.arrays.lazy(self.arrays.stored(b))

        def element(at: list[int]) -> int:
            row, column = at[: len(x.sizes) - 1], at[len(x.sizes) - 1 :]
            products = Lazy(result, [terms], lambda k: self.steps.add("map", result, "multiply", compute, a.element([*row, *k]), b.element([*k, *column]),
                                                                      bits=int(compute.kind in "fc")), [], False)  # fmt: skip
            return self.arrays.fold("add", products, result, self.steps.constant(0, result))

        sizes = [*x.sizes[:-1], *y.sizes[1:]]
        if len(y.sizes) == 2 and self.has_lines(b):
            return self.by_rows(a, b, sizes, result, compute, x.ours or y.ours)
        return self.arrays.lazy(self.arrays.stored(Lazy(result, sizes, element, [], x.ours or y.ours))) if sizes else Number(result, element([]))

    def has_lines(self, x: Lazy) -> bool:
        """Whether its rows lie one element after the other."""
        return all(self.steps.is_constant(view.strides[-1], view.dtype.itemsize) for view in x.reads)

    def by_rows(self, a: Lazy, b: Lazy, sizes: list[int], result: numpy.dtype[Any], compute: numpy.dtype[Any], ours: bool) -> Lazy:
        """The second one's rows times numbers of the first one, added up."""
        steps = self.steps
        made = self.arrays.new(result, sizes, ours)
        self.arrays.fill(made, Lazy(result, sizes, lambda _: steps.constant(0, result), [], ours))

        bits = int(compute.kind in "fc")

        def add(row: list[int], first: int, count: int) -> None:
            """So many rows, from one on, are added to what there is: the more at once, the fewer loads and stores."""
            rows = [steps.plus(first, steps.whole(number)) for number in range(count)]
            factors = [a.element([*row, k]) for k in rows]

            def along(column: int) -> None:
                place = self.arrays.offset(made, [*row, column])
                total = steps.add("load", result, a=made.array, b=place)
                for k, factor in zip(rows, factors, strict=True):
                    product = steps.add("map", result, "multiply", compute, factor, b.element([k, column]), bits=bits)
                    total = steps.add("map", result, "add", result, total, product, bits=bits)
                steps.add("store", result, a=made.array, b=place, c=total)

            steps.each(sizes[-1], along)

        def add_all(row: list[int]) -> None:
            terms = a.sizes[-1]
            blocks = steps.add("floored", INT64, "floor_divide", INT64, terms, steps.whole(_AT_ONCE))
            steps.each(blocks, lambda block: add(row, steps.times(block, steps.whole(_AT_ONCE)), _AT_ONCE))
            done = steps.times(blocks, steps.whole(_AT_ONCE))
            rest = steps.plus(terms, steps.times(done, steps.whole(-1)))
            steps.each(rest, lambda number: add(row, steps.plus(done, number), 1))

        self.arrays.over(sizes[:-1], add_all)
        return self.arrays.lazy(made)

    @staticmethod
    def refuse_number() -> Any:
        raise Unsupported("has a product with a number")

    def norm(self, x: Any) -> Number:
        """``linalg.norm(x)`` of a vector or a whole matrix: the root of the sum of squares."""
        x = self.arrays.lazy(x)
        if x.dtype.kind not in "f":
            x = self.arrays.converted(x, FLOAT64) if x.dtype.kind in "iub" else self.refuse_number()
        self.arrays.note("dot", x.dtype)
        dtype = x.dtype
        kept = self.arrays.lazy(self.arrays.kept(x))

        def square(at: list[int]) -> int:
            element = kept.element(at)
            return self.steps.add("map", dtype, "multiply", dtype, element, element, bits=1)

        total = self.arrays.fold("add", Lazy(dtype, kept.sizes, square, [], False), dtype, self.steps.constant(0, dtype))
        return Number(dtype, self.steps.map("sqrt", dtype, dtype, total))
