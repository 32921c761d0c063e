"""What a walk over a loop knows of variables: numbers in variables of the program, views of arrays, tuples of these, and objects that do not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fastnp._loop_program import INT, INT64, Choice, Kind, Number, Steps, Unsupported, machine, position_of

__all__ = ["LOST", "UNBOUND", "Held", "Known", "Passed", "Slots", "State", "TupleState", "View", "ViewState", "is_one_number"]


class _Name:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


UNBOUND = _Name("UNBOUND")  # in Python's hands: a variable that has no value
LOST = _Name("LOST")  # a variable that nothing reads any more

Decoder = Callable[[Any], Any]  # what an exit hands out (`_loops._Values`) -> the object


class View:
    """A part of an array: offset, sizes and steps in bytes are values of the program; `recipe` makes it anew in Python."""

    __slots__ = ("array", "dtype", "offset", "recipe", "sizes", "strides")

    def __init__(self, array: int, dtype: Any, offset: int | None, sizes: list[int], strides: list[int], recipe: Any) -> None:
        self.array = array
        self.dtype = dtype
        self.offset = offset
        self.sizes = sizes
        self.strides = strides
        self.recipe = recipe  # the position of an array that was handed in, or (recipe, indices), or (recipe, a field's name)


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


class Passed:
    """An object that is handed through: it has a meaning in Python alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is Passed and other.name == self.name


class TupleState:
    __slots__ = ("items",)

    def __init__(self, items: tuple[Any, ...]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return type(other) is TupleState and other.items == self.items


Held = Any  # State, ViewState, TupleState, Known, Passed or LOST


def is_one_number(held: Held) -> bool:
    """Whether it is a number of one kind, and bound."""
    return type(held) is State and len(held.kinds) == 1 and held.kinds[0] is not None


class Again(Exception):
    """More is known now: the walk begins anew."""


class Slots:
    """The program's variables behind those of the function. A name is a path: the function's variable, then positions in tuples and views."""

    def __init__(self, steps: Steps, tagged: set[Any], everywhere: Callable[[int], bool]) -> None:
        self.steps = steps
        self.tagged = tagged  # variables of which it varies of what kind they are, as far as is known
        self.everywhere = everywhere  # whether a value is known in the whole program
        self.variables: dict[Any, int] = {}
        self.numbers: dict[Any, list[Kind | None]] = {}  # kinds by their tags
        self.passed: dict[Any, int] = {}  # variables that were handed in as tuples: whether they are these, which may be asked for by identity

    def variable(self, name: Any, kind: Kind) -> int:
        """Kinds of one dtype of the machine share one."""
        key = name, machine(kind).char
        if key not in self.variables:
            self.variables[key] = self.steps.variable(kind)
        return self.variables[key]

    def tag(self, name: Any) -> int:
        return self.variable((name, "tag"), INT)

    def tag_of(self, name: Any, kind: Kind | None) -> int:
        known = self.numbers.setdefault(name, [None])
        found = position_of(known, kind)
        if found < 0:
            known.append(kind)
        return found if found >= 0 else len(known) - 1

    # What is handed in.

    def take_number(self, name: Any, kind: Kind) -> State:
        self.put(name, kind, self.steps.input(self.steps.number(kind)))
        return State((kind,))

    def take_tuple(self, name: Any, kinds: Iterable[Kind]) -> TupleState:
        self.passed[name] = self.variable((name, "passed"), INT)
        self.steps.set(self.passed[name], self.steps.whole(1))
        return TupleState(tuple(self.take_number((name, item), kind) for item, kind in enumerate(kinds)))

    # Stores.

    def store(self, name: Any, value: Any) -> Held:
        """Binds a variable."""
        if type(value) is Number:
            self.put(name, value.kind, value.id)
            return State((value.kind,), value.low, value.high)
        if type(value) is Choice:
            return self.store_choice(name, value)
        if type(value) is View:
            return self.store_view(name, value)
        if type(value) is tuple:
            if name in self.passed:
                self.steps.set(self.passed[name], self.steps.whole(0))
            items = [self.kept(item) for item in value]
            return TupleState(tuple(self.store((name, number), item) for number, item in enumerate(items)))
        if name in self.tagged:
            raise Unsupported(f"binds {name[-1]!r} to other objects than numbers")
        return Known(value)

    def put(self, name: Any, kind: Kind, value: int) -> None:
        self.steps.set(self.variable(name, kind), value)
        if name in self.tagged:
            self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, kind)))

    def kept(self, value: Any) -> Any:
        """A number as it is now: one of several kinds lies in variables, which may be bound before it is stored (``a, b = b, a``)."""
        if type(value) is not Choice:
            return value
        copies: dict[int, int] = {-1: -1}
        for _, kind, variable in value.kinds:
            if variable not in copies:
                copies[variable] = self.steps.variable(kind)
                self.steps.set(copies[variable], self.steps.get(variable))
        tag = self.steps.variable(INT)
        self.steps.set(tag, self.steps.get(value.tag))
        return Choice(tag, [(number, kind, copies[variable]) for number, kind, variable in value.kinds])

    def store_choice(self, name: Any, value: Choice) -> Held:
        kinds = tuple(kind for _, kind, _ in value.kinds)
        self.need_tag(name)
        shared = value.shared()
        if shared is not None:  # by no branch
            tag = self.steps.whole(self.tag_of(name, kinds[0]))
            for number, kind, _ in value.kinds[1:]:
                is_it = self.steps.compare("equal", self.steps.get(value.tag), self.steps.whole(number))
                tag = self.steps.add("select", INT64, a=is_it, b=self.steps.whole(self.tag_of(name, kind)), c=tag)
            self.steps.set(self.variable(name, kinds[0]), self.steps.get(shared))
            self.steps.set(self.tag(name), tag)
            return State(kinds)
        for number, kind, variable in value.kinds:
            is_it = self.steps.compare("equal", self.steps.get(value.tag), self.steps.whole(number))
            self.steps.add("if", a=is_it)
            if kind is not None:
                self.put(name, kind, self.steps.get(variable))
            self.steps.add("end")
        return State(kinds)

    def store_view(self, name: Any, view: View) -> Held:
        fixed: list[Any] = []
        for number, value in enumerate((view.offset, *view.sizes, *view.strides)):
            if value is None or self.everywhere(value):
                fixed.append(("", value))
            else:
                fixed.append(None)
                self.put((name, number), INT, value)
        return ViewState(view.array, view.dtype, len(view.sizes), tuple(fixed), self.stored_recipe((name, "index"), view.recipe))

    def stored_recipe(self, name: Any, recipe: Any) -> Any:
        if type(recipe) is int:
            return recipe
        parent, indices = recipe
        if type(indices) is str:
            return self.stored_recipe((name, "of"), parent), indices
        made: list[Any] = []
        for number, index in enumerate(indices):
            if type(index) is Number:
                self.put((name, number), INT, index.id)
                made.append((name, number))
            elif type(index) is slice:
                made.append(index)
            else:
                raise Unsupported("keeps a part of an array that is taken by a slice")
        return self.stored_recipe((name, "of"), parent), tuple(made)

    def need_tag(self, name: Any) -> None:
        if name not in self.tagged:
            self.tagged.add(name)
            raise Again

    # Loads.

    def load(self, name: Any, held: Held) -> Any:
        steps = self.steps
        if type(held) is State:
            if len(held.kinds) == 1 and held.kinds[0] is not None:
                return Number(held.kinds[0], steps.get(self.variable(name, held.kinds[0])), held.low, held.high)
            if len(held.kinds) == 1:
                return UNBOUND
            kinds = [(self.tag_of(name, kind), kind, -1 if kind is None else self.variable(name, kind)) for kind in held.kinds]
            return Choice(self.tag(name), kinds)
        if type(held) is ViewState:
            values = [self.part(name, number, each) for number, each in enumerate(held.fixed)]
            return View(held.array, held.dtype, values[0], values[1 : held.rank + 1], values[held.rank + 1 :], self.loaded_recipe(held.recipe))
        if type(held) is TupleState:
            return tuple(self.load((name, number), item) for number, item in enumerate(held.items))
        if type(held) is Known:
            return held.value
        raise Unsupported(f"takes {name[-1]!r}, which is no number, array or function" if type(held) is Passed else f"reads {name[-1]!r}, which is lost")

    def part(self, name: Any, number: int, fixed: Any) -> Any:
        return fixed[1] if fixed is not None else self.steps.get(self.variable((name, number), INT))

    def loaded_recipe(self, recipe: Any) -> Any:
        if type(recipe) is int:
            return recipe
        parent, indices = recipe
        return self.loaded_recipe(parent), indices if type(indices) is str else tuple(
            Number(INT, self.steps.get(self.variable(index, INT))) if type(index) is tuple and len(index) == 2 else index for index in indices
        )

    # Where paths meet.

    def joined(self, name: Any, x: Held, y: Held, is_live: bool) -> Held:
        if x == y:
            return x
        if type(x) is State and type(y) is State:
            kinds = x.kinds + tuple(kind for kind in y.kinds if position_of(x.kinds, kind) < 0)
            if len(kinds) > 1 and is_live:
                self.need_tag(name)
            elif len(kinds) > 1:
                return LOST
            low = None if x.low is None or y.low is None else min(x.low, y.low)
            return State(kinds, low, None if x.high is None or y.high is None else max(x.high, y.high))
        if not is_live or x is LOST or y is LOST:
            return LOST
        if type(x) is TupleState and type(y) is TupleState and len(x.items) == len(y.items):
            return TupleState(tuple(self.joined((name, i), a, b, is_live) for i, (a, b) in enumerate(zip(x.items, y.items, strict=True))))
        raise Unsupported(f"binds {name[-1]!r} to one object or another")

    # What exits hand out.

    def given(self, name: Any, held: Held, out: list[tuple[int, Kind]]) -> Decoder:
        """Adds what it takes to make the object in Python; what makes it. Decoders get the arrays' objects as `arrays`."""
        if type(held) is State:
            return self.given_number(name, held, out)
        if type(held) is ViewState:
            return self.given_view(held.recipe, out)
        if type(held) is TupleState:
            items = [self.given((name, number), item, out) for number, item in enumerate(held.items)]
            if name not in self.passed:
                return lambda values: tuple(item(values) for item in items)
            out.append((self.passed[name], INT))

            def decode(values: Any) -> Any:
                made = tuple(item(values) for item in items)
                return values.passed[name[-1]] if next(values) else made

            return decode
        if type(held) is Known:
            value = held.value
            return lambda _: value
        if type(held) is Passed:
            return lambda values: values.passed[held.name]
        return lambda _: UNBOUND

    def given_number(self, name: Any, held: State, out: list[tuple[int, Kind]]) -> Decoder:
        kinds = [kind for kind in held.kinds if kind is not None]
        if len(held.kinds) == 1:
            if not kinds:
                return lambda _: UNBOUND
            out.append((self.variable(name, kinds[0]), kinds[0]))
            return next
        out.append((self.tag(name), INT))
        out.extend((self.variable(name, kind), kind) for kind in kinds)
        numbers = [self.tag_of(name, kind) for kind in kinds]

        def decode(values: Iterator[Any]) -> Any:
            tag = next(values)
            found = {number: next(values) for number in numbers}
            return found.get(tag, UNBOUND)

        return decode

    def given_view(self, recipe: Any, out: list[tuple[int, Kind]]) -> Decoder:
        if type(recipe) is int:
            return lambda values: values.arrays[recipe]
        parent = self.given_view(recipe[0], out)
        if type(recipe[1]) is str:
            return lambda values: parent(values)[recipe[1]]
        parts: list[Any] = []
        for index in recipe[1]:
            if type(index) is tuple and len(index) == 2:
                out.append((self.variable(index, INT), INT))
                parts.append(next)
            else:
                parts.append(lambda _, index=index: index)
        return lambda values: parent(values)[tuple(part(values) for part in parts)]
