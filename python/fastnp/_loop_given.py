"""What exits hand out of a program's variables, and how Python's objects are made of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictState, DictView
from fastnp._loop_lists import ListState
from fastnp._loop_nested import NestedState
from fastnp._loop_program import INT, NOTHING, TUPLE, Kind, has_value, position_of
from fastnp._loop_values import UNBOUND, ArrayState, Handed, Held, Known, MaybeState, New, Passed, State, StreamState, TupleState, ViewState

if TYPE_CHECKING:
    from fastnp._loop_slots import Slots

__all__ = ["given"]

Decoder = Callable[[Any], Any]  # what an exit hands out (`_loop_native.Values`) -> the object


def given(slots: Slots, name: Any, held: Held, out: list[tuple[int, Kind]]) -> Decoder:
    """Adds what it takes to make the object in Python; what makes it. Decoders get the arrays' objects as `arrays`."""
    if type(held) is State:
        return _given_number(slots, name, held, out)
    if type(held) is ViewState:
        return _given_view(slots, held.recipe, out)
    if type(held) is ArrayState:
        return _given_array(slots, name, held, out)
    if type(held) is MaybeState:
        return _given_maybe(slots, name, held, out)
    if type(held) is TupleState:
        items = [given(slots, (name, number), item, out) for number, item in enumerate(held.items)]
        if name not in slots.passed:
            return lambda values: tuple(item(values) for item in items)
        out.append((slots.passed[name], INT))

        def decode(values: Any) -> Any:
            made = tuple(item(values) for item in items)
            return values.passed[name[-1]] if next(values) else made

        return decode
    if type(held) is Known:
        value = held.value
        return lambda _: value
    if type(held) is DictState:
        return slots.dicts.given(held, out)
    if type(held) is DictView:
        found = slots.dicts.given(held.of, out)
        return lambda values: getattr(found(values), held.what)()
    if isinstance(held, ListState):
        return slots.lists.given(held, out)
    if type(held) is NestedState:
        table = slots.tables.given(held.name, out)
        if not held.is_row:
            return table
        out.append((slots.variable((name, "row"), INT), INT))
        return lambda values: table(values)[next(values)]
    if type(held) in (Passed, StreamState, Handed):
        return lambda values: values.passed[held.name]
    return lambda _: UNBOUND


def _given_number(slots: Slots, name: Any, held: State, out: list[tuple[int, Kind]]) -> Decoder:
    kinds = [kind for kind in held.kinds if has_value(kind)]
    nothing = slots.tag_of(name, NOTHING) if position_of(held.kinds, NOTHING) >= 0 else -1
    if len(held.kinds) == 1:
        if not kinds:
            return lambda _: UNBOUND if nothing < 0 else None
        out.append((slots.variable(name, kinds[0]), kinds[0]))
        return next
    out.append((slots.tag(name), INT))
    out.extend((slots.variable(name, kind), kind) for kind in kinds)
    numbers = [slots.tag_of(name, kind) for kind in kinds]

    def decode(values: Iterator[Any]) -> Any:
        tag = next(values)
        found = {number: next(values) for number in numbers}
        return None if tag == nothing else found.get(tag, UNBOUND)

    return decode


def _given_maybe(slots: Slots, name: Any, held: MaybeState, out: list[tuple[int, Kind]]) -> Decoder:
    out.append((slots.tag(name), INT))
    begin = len(out)
    inner, is_one, nothing = given(slots, name, held.held, out), slots.tag_of(name, TUPLE), slots.tag_of(name, NOTHING)
    count = len(out) - begin

    def decode(values: Any) -> Any:
        tag = next(values)
        if tag == is_one:
            return inner(values)
        for _ in range(count):  # of a tuple that is not there, whose arrays may lie nowhere
            next(values)
        return None if tag == nothing else UNBOUND

    return decode


def _given_array(slots: Slots, name: Any, held: ArrayState, out: list[tuple[int, Kind]]) -> Decoder:
    """Its origin, address, sizes and steps."""
    out.extend((slots.variable((name, part), INT), INT) for part in ("origin", "address", *range(1, 1 + 2 * held.rank)))
    origins = {slots.origin_of(name, each): each for each in held.recipes}

    def decode(values: Any) -> Any:
        origin, address = origins[next(values)], next(values)
        sizes, steps = ([next(values) for _ in range(held.rank)] for _ in range(2))
        if origin is UNBOUND:
            return UNBOUND
        if type(origin) is int:
            return values.arrays[origin]
        if type(origin) is New:
            return values.made(origin.ours, address, sizes, steps, held.dtype)
        return values.part(origin.array, address, sizes, steps, held.dtype)

    return decode


def _given_view(slots: Slots, recipe: Any, out: list[tuple[int, Kind]]) -> Decoder:
    if type(recipe) is int:
        return lambda values: values.arrays[recipe]
    parent = _given_view(slots, recipe[0], out)
    if type(recipe[1]) is str:
        return lambda values: parent(values)[recipe[1]]
    parts: list[Any] = []
    for index in recipe[1]:
        if type(index) is tuple and len(index) == 2:
            out.append((slots.variable(index, INT), INT))
            parts.append(next)
        else:
            parts.append(lambda _, index=index: index)
    return lambda values: parent(values)[tuple(part(values) for part in parts)]
