"""What a walk over a loop knows of variables: numbers in variables of the program, views of arrays, tuples of these, and objects that do not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from fastnp._loop_program import Choice, Kind, Number, has_value

__all__ = [
    "Again", "ArrayState", "Element", "Handed", "Held", "Known", "LOST", "Lazy", "Leaves", "Maybe", "MaybeState", "New", "Part", "Passed",
    "Several", "State", "StreamState", "TupleState", "UNBOUND", "View", "ViewState", "is_array", "is_one_number", "is_plain", "is_unbound",
    "part_of", "without_kind",
]  # fmt: skip


class _Name:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


UNBOUND = _Name("UNBOUND")  # in Python's hands: a variable that has no value
LOST = _Name("LOST")  # a variable that nothing reads any more


class View:
    """A part of an array: offset, sizes and steps in bytes are values of the program; `recipe` makes it anew in Python."""

    __slots__ = ("array", "dtype", "offset", "origins", "recipe", "sizes", "strides")

    def __init__(self, array: int, dtype: Any, offset: int | None, sizes: list[int], strides: list[int], recipe: Any, origins: Any = None) -> None:
        self.array = array
        self.dtype = dtype
        self.offset = offset
        self.sizes = sizes
        self.strides = strides
        self.recipe = recipe  # the position of an array that was handed in, (recipe, indices), (recipe, a field's name), a Part, New, or several of these
        self.origins: frozenset[int] = frozenset([array]) if origins is None else origins  # what it may lie in: arrays handed in; -1: one made since

    def whole(self) -> int | None:
        """The array that was handed in, if it is one as it was."""
        return self.recipe if type(self.recipe) is int else None


Element = Callable[[list[int]], int]  # numbers along the axes -> the element's value


class Lazy:
    """An array that is computed element by element where it is used."""

    __slots__ = ("dtype", "element", "ours", "reads", "sizes")

    def __init__(self, dtype: numpy.dtype[Any], sizes: list[int], element: Element, reads: list[View], ours: bool) -> None:
        self.dtype = dtype
        self.sizes = sizes
        self.element = element
        self.reads = reads  # what it reads of memory
        self.ours = ours  # whether it would be fastnp's, else NumPy's


def is_array(value: Any) -> bool:
    return type(value) is View or type(value) is Lazy


class New:
    """The recipe of what was made since."""

    __slots__ = ("ours",)

    def __init__(self, ours: bool) -> None:
        self.ours = ours  # fastnp's, else NumPy's

    def __eq__(self, other: object) -> bool:
        return type(other) is New and other.ours == self.ours


class Part:
    """The recipe of a part of an array that was handed in."""

    __slots__ = ("array",)

    def __init__(self, array: int) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return type(other) is Part and other.array == self.array


class Several:
    """The recipe of what is one of several; `tag` says which."""

    __slots__ = ("recipes", "tag")

    def __init__(self, tag: int, recipes: tuple[Any, ...]) -> None:
        self.tag = tag
        self.recipes = recipes


class Known:
    """An object that stays the same: a function, a module, a text, a plain number."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Known and (other.value is self.value or (type(other.value) is type(self.value) is str and other.value == self.value))


class State:
    """A number: its kinds (None among them: it may not be bound), and what it is not below and not above."""

    __slots__ = ("high", "kinds", "low")

    def __init__(self, kinds: tuple[Kind | None, ...], low: int | None = None, high: int | None = None) -> None:
        self.kinds = kinds
        self.low = low
        self.high = high

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is State
            and other.low == self.low
            and other.high == self.high
            and len(other.kinds) == len(self.kinds)
            and all(a is b for a, b in zip(self.kinds, other.kinds, strict=True))
        )


class MaybeState:
    """A tuple, or None, or not bound: the variable's tag says which."""

    __slots__ = ("held", "kinds")

    def __init__(self, held: TupleState, kinds: tuple[Kind | None, ...]) -> None:
        self.held = held
        self.kinds = kinds  # of these: NOTHING and None

    def __eq__(self, other: object) -> bool:
        return type(other) is MaybeState and other.held == self.held and set(map(id, other.kinds)) == set(map(id, self.kinds))


class Maybe:
    """What such a variable is: `choice` says whether it is the tuple."""

    __slots__ = ("choice", "value")

    def __init__(self, choice: Choice, value: tuple[Any, ...]) -> None:
        self.choice = choice
        self.value = value


class ViewState:
    """A view, whose values lie in variables of the program."""

    __slots__ = ("array", "dtype", "fixed", "rank", "recipe")

    def __init__(self, array: int, dtype: Any, rank: int, fixed: tuple[Any, ...], recipe: Any) -> None:
        self.array = array
        self.dtype = dtype
        self.rank = rank
        self.fixed = fixed  # of offset, sizes and strides: a value that is known everywhere, or None for one in a variable
        self.recipe = recipe  # as a view's, with (name, number) for indices in variables

    def __eq__(self, other: object) -> bool:
        if type(other) is not ViewState:
            return False
        mine, theirs = ((x.array, x.dtype, x.rank, x.fixed, x.recipe) for x in (self, other))
        return mine == theirs


class ArrayState:
    """An array that is not always the same one: where it lies, its offset, sizes and steps are variables of the program."""

    __slots__ = ("array", "dtype", "fixed", "origins", "rank", "recipes")

    def __init__(self, array: int, dtype: Any, rank: int, fixed: tuple[Any, ...], recipes: tuple[Any, ...], origins: frozenset[int]) -> None:
        self.array = array
        self.dtype = dtype
        self.rank = rank
        self.fixed = fixed  # of offset, sizes and strides: a number that is known, or None
        self.recipes = recipes  # what it may be: the position of an array that was handed in, a Part or New
        self.origins = origins

    def __eq__(self, other: object) -> bool:
        if type(other) is not ArrayState:
            return False
        mine, theirs = ((x.array, x.dtype, x.rank, x.fixed, x.recipes, x.origins) for x in (self, other))
        return mine == theirs


class Passed:
    """An object that is handed through: it has a meaning in Python alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is Passed and other.name == self.name


class Handed:
    """A function that is handed in: one of its code, another at each call, perhaps."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any) -> None:
        self.name = name  # of the argument that it is
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Handed and other.name == self.name


class StreamState:
    """A generator of random numbers, that is handed through."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name  # of the argument that it is

    def __eq__(self, other: object) -> bool:
        return type(other) is StreamState and other.name == self.name


class TupleState:
    __slots__ = ("items",)

    def __init__(self, items: tuple[Any, ...]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return type(other) is TupleState and other.items == self.items


Held = Any  # State, MaybeState, ViewState, ArrayState, TupleState, Known, Passed or LOST


def is_one_number(held: Held) -> bool:
    """Whether it is a number of one kind, and bound."""
    return type(held) is State and len(held.kinds) == 1 and has_value(held.kinds[0])


def part_of(recipe: Any, indices: Any) -> Any:
    """The recipe of a part."""
    if type(recipe) is Several:
        return Several(recipe.tag, tuple((number, Part(each) if type(each) is int else each) for number, each in recipe.recipes))
    return recipe if type(recipe) in (Part, New) else (recipe, indices)


def is_unbound(held: Held) -> bool:
    """Whether it has no value for sure."""
    return held is None or (type(held) is State and len(held.kinds) == 1 and held.kinds[0] is None)


def without_kind(held: Held, kind: Kind | None) -> Held:
    """A variable of several kinds that is not of this one."""
    kinds = tuple(each for each in held.kinds if each is not kind)
    if type(held) is State:
        return State(kinds, held.low, held.high)
    return MaybeState(held.held, kinds) if kinds else held.held


def is_plain(recipe: Any) -> bool:
    """Whether it is one that Python makes by subscripts which are numbers."""
    if type(recipe) is int:
        return True
    if type(recipe) is not tuple:
        return False
    parent, indices = recipe
    return is_plain(parent) and (type(indices) is str or all(type(each) in (Number, slice) for each in indices))


class Leaves(Exception):
    """A statement that always leaves the program."""


class Again(Exception):
    """More is known now: the walk begins anew."""
