"""Elements of arrays that are taken by masks and by arrays of integers in programs, and stored there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._loop_program import BOOL, INT, INT64, Number, Unsupported
from fastnp._loop_values import Lazy, View, is_array

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Picked", "Picks"]


class Picked:
    """What is stored to: the elements of an array that a mask or an array of integers names."""

    __slots__ = ("index", "view")

    def __init__(self, view: View, index: Lazy) -> None:
        self.view = view
        self.index = index  # in memory that the statement does not change


class Picks:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps

    def named(self, view: View, index: Any) -> Picked:
        """The elements; leaves where some are not there."""
        arrays = self.walk.arrays
        if view.dtype.names is not None:
            raise Unsupported("takes records by masks or integers")
        index = arrays.lazy(index)
        if index.dtype.kind not in "biu" or (index.dtype != BOOL and not view.sizes):
            raise Unsupported("takes elements by such an array")
        held = arrays.kept(index)
        index = arrays.lazy(arrays.stored(arrays.lazy(held)) if held.array == view.array or held.origins & view.origins else held)
        if index.dtype == BOOL:
            if len(index.sizes) > len(view.sizes):
                raise Unsupported("takes elements by a mask of more axes")
            for x, y in zip(index.sizes, view.sizes, strict=False):
                arrays.expect_same(x, y)
        return Picked(view, index)

    def place(self, picked: Picked, at: list[int]) -> list[int]:
        """Where an element lies that the index's element of this place names."""
        number = Number(picked.index.dtype, picked.index.element(at))
        return [self.walk.elements.index(picked.view.sizes[0], number)]

    # Reads

    def taken(self, picked: Picked) -> View:
        if picked.index.dtype == BOOL:
            return self.masked(picked)
        arrays, view, rank = self.walk.arrays, picked.view, len(picked.index.sizes)
        sizes = [*picked.index.sizes, *view.sizes[1:]]
        place = self.places(picked) if sizes[rank:] else lambda at: self.place(picked, at)[0]
        return arrays.stored(Lazy(view.dtype, sizes, lambda at: arrays.read(view, [place(at[:rank]), *at[rank:]]), [], arrays.is_ours(view)))

    def places(self, picked: Picked) -> Callable[[list[int]], int]:
        """Where what the index names lies, looked up at once: of rows without elements, too, it has to be there."""
        arrays = self.walk.arrays
        return arrays.lazy(arrays.stored(Lazy(INT64, picked.index.sizes, lambda at: self.place(picked, at)[0], [], False))).element

    def masked(self, picked: Picked) -> View:
        arrays, steps, view = self.walk.arrays, self.steps, picked.view
        made = arrays.new(view.dtype, self.sizes(picked), arrays.is_ours(view))

        def put(at: list[int], number: int) -> None:
            steps.add("store", view.dtype, a=made.array, b=arrays.offset(made, [number, *at[len(picked.index.sizes) :]]), c=arrays.read(view, at))

        self.over_true(picked, put)
        return made

    def sizes(self, picked: Picked) -> list[int]:
        """Of what a mask takes."""
        count = self.walk.arrays.fold("add", picked.index, INT64, self.steps.whole(0))
        return [count, *picked.view.sizes[len(picked.index.sizes) :]]

    def over_true(self, picked: Picked, body: Callable[[list[int], int], None]) -> None:
        """`body` of the elements where the mask holds, with how many times it did before."""
        steps, rest = self.steps, picked.view.sizes[len(picked.index.sizes) :]
        number = steps.variable(INT)
        steps.set(number, steps.whole(0))

        def look(at: list[int]) -> None:
            steps.add("if", a=picked.index.element(at))
            now = steps.get(number)
            self.walk.arrays.over(rest, lambda inner: body([*at, *inner], now))
            steps.set(number, steps.plus(steps.get(number), steps.whole(1)))
            steps.add("end")

        self.walk.arrays.over(picked.index.sizes, look)

    # Writes

    def assignment(self, picked: Picked, value: Any) -> Callable[[], None]:
        """Checks that a value can be stored there; what stores it."""
        elements, arrays, view = self.walk.elements, self.walk.arrays, picked.view
        elements.expect_writeable(view)
        if not is_array(value):
            element = elements.element_for(view, value)
            return self.stores(picked, lambda at, _: element)
        x = arrays.lazy(value)
        if not numpy.can_cast(x.dtype, view.dtype, "same_kind"):
            raise Unsupported(f"stores {x.dtype} into {view.dtype}")
        x = arrays.lazy(arrays.stored(x, view.dtype))
        rank = len(picked.index.sizes)
        sizes = self.sizes(picked) if picked.index.dtype == BOOL else [*picked.index.sizes, *view.sizes[1:]]
        if len(x.sizes) > len(sizes):
            raise Unsupported("stores an array of more axes by another one")
        for mine, there in zip(x.sizes, sizes[len(sizes) - len(x.sizes) :], strict=True):
            if not arrays.is_one(mine):
                arrays.expect_same(mine, there)
        along = arrays.numbers_along(x, len(sizes))
        if picked.index.dtype == BOOL:
            return self.stores(picked, lambda at, number: x.element(along([number, *at[rank:]])))
        return self.stores(picked, lambda at, _: x.element(along(at)))

    def stores(self, picked: Picked, element: Callable[[list[int], int], int]) -> Callable[[], None]:
        arrays, view = self.walk.arrays, picked.view

        def put(at: list[int], value: int) -> None:
            self.steps.add("store", view.dtype, a=view.array, b=arrays.offset(view, at), c=value)

        if picked.index.dtype == BOOL:

            def by_mask() -> None:
                self.over_true(picked, lambda at, number: put(at, element(at, number)))
                self.walk.elements.note_written(view.origins)

            return by_mask
        rank = len(picked.index.sizes)
        place = self.places(picked)

        def by_numbers() -> None:
            sizes = [*picked.index.sizes, *view.sizes[1:]]
            arrays.over(sizes, lambda at: put([place(at[:rank]), *at[rank:]], element(at, -1)))
            self.walk.elements.note_written(view.origins)

        return by_numbers
