"""The program's variables behind those of a function that is walked: how values are stored in them and loaded, and what exits hand out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictDisplay, Dicts, DictState, DictView
from fastnp._loop_lists import Display, Lists, ListState
from fastnp._loop_nested import Nested, NestedState, TableDisplay, Tables
from fastnp._loop_program import INT, INT64, NOTHING, TUPLE, Choice, Kind, Number, Steps, Unsupported, has_value, machine, position_of
from fastnp._loop_values import (
    LOST,
    UNBOUND,
    Again,
    ArrayState,
    Handed,
    Held,
    Known,
    Maybe,
    MaybeState,
    Part,
    Passed,
    Several,
    State,
    StreamState,
    TupleState,
    View,
    ViewState,
    is_one_number,
    is_plain,
    is_unbound,
    without_kind,
)

if TYPE_CHECKING:
    from fastnp._loop_draws import Stream

__all__ = ["Slots"]


class Slots:
    """The program's variables behind those of the function. A name is a path: the function's variable, then positions in tuples and views."""

    lists: Lists  # set by the walk
    tables: Tables
    dicts: Dicts

    def __init__(self, steps: Steps, tagged: set[Any], moving: set[Any], everywhere: Callable[[int], bool], leave: Callable[[int], None]) -> None:
        self.streams: dict[str, Stream] = {}  # of generators that are arguments
        self.handed: dict[int, str] = {}  # functions that are arguments: their names by their ids
        self.leave = leave  # unless a condition holds
        self.steps = steps
        self.tagged = tagged  # variables of which it varies of what kind they are, as far as is known
        self.moving = moving  # variables that are not always the same array
        self.arrays: dict[Any, int] = {}  # of these
        self.origins: dict[Any, list[Any]] = {}  # recipes by their tags
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

    def take_tuple(self, name: Any, kinds: Iterable[Any]) -> TupleState:
        """`kinds`: of its numbers, in tuples where it has some."""
        self.passed[name] = self.variable((name, "passed"), INT)
        self.steps.set(self.passed[name], self.steps.whole(1))
        if name in self.tagged:
            self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, TUPLE)))
        return self.take_items(name, kinds)

    def take_items(self, name: Any, kinds: Iterable[Any]) -> TupleState:
        taken = (((name, number), each) for number, each in enumerate(kinds))
        return TupleState(tuple(self.take_items(item, each) if type(each) is tuple else self.take_number(item, each) for item, each in taken))

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
        if value is None and name in self.tagged:
            self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, NOTHING)))
            return State((NOTHING,))
        if type(value) is Maybe:
            return self.store_maybe(name, value)
        if type(value) is tuple:
            if name in self.tagged:
                self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, TUPLE)))
            if name in self.passed:
                self.steps.set(self.passed[name], self.steps.whole(0))
            if any(isinstance(item, (Display, ListState, TableDisplay, DictDisplay, DictState, DictView)) for item in value):
                raise Unsupported("has a tuple of lists")
            items = [self.kept(item) for item in value]
            return TupleState(tuple(self.store((name, number), item) for number, item in enumerate(items)))
        if name in self.tagged and isinstance(value, (DictDisplay, DictState, DictView)):
            raise Unsupported(f"binds {name[-1]!r} to other objects than numbers")
        if type(value) in (StreamState, Passed, DictView):
            return value
        if type(value) is Nested:
            if value.row is not None:
                self.put((name, "row"), INT, value.row)
            return NestedState(value.name, value.row is not None)
        if isinstance(value, Display):
            return self.lists.make(name, value)
        if type(value) is TableDisplay:
            return self.tables.make(name, value)
        if type(value) is DictDisplay:
            return self.dicts.make(name, value)
        if isinstance(value, (ListState, DictState)):
            if value.name[0] == name[0] and (value.name != name or type(value) is not ListState):
                raise Unsupported("gives a list another name")
            return value
        return Handed(self.handed[id(value)], value) if id(value) in self.handed else Known(value)

    def put(self, name: Any, kind: Kind, value: int) -> None:
        self.steps.set(self.variable(name, kind), value)
        if name in self.tagged:
            self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, kind)))

    def kept(self, value: Any) -> Any:
        """A number as it is now: one of several kinds lies in variables, which may be bound before it is stored (``a, b = b, a``)."""
        if type(value) is View:
            return self.kept_view(value)
        if type(value) is Maybe:
            choice = self.kept(value.choice)
            return Maybe(choice, tuple(map(self.kept, value.value)))
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

    def kept_items(self, value: Any) -> Any:
        """An item of a list as it is now, as what lies behind it may move there."""
        return tuple(map(self.kept, value)) if type(value) is tuple else self.kept(value)

    def kept_view(self, view: View) -> View:
        recipe = view.recipe
        if not self.steps.is_made(view.array):
            return view
        array = self.steps.made_array()
        self.steps.add("point", a=array, b=view.array)
        if type(recipe) is Several:
            tag = self.steps.variable(INT)
            self.steps.set(tag, self.steps.get(recipe.tag))
            recipe = Several(tag, recipe.recipes)
        return View(array, view.dtype, view.offset, view.sizes, view.strides, recipe, view.origins)

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
            if has_value(kind):
                self.put(name, kind, self.steps.get(variable))
            else:
                self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, kind)))
            self.steps.add("end")
        return State(kinds)

    def store_maybe(self, name: Any, value: Maybe) -> Held:
        self.need_tag(name)
        held = self.store(name, value.value)
        others = value.choice.without(TUPLE).kinds
        for number, kind, _ in others:
            self.steps.add("if", a=self.steps.compare("equal", self.steps.get(value.choice.tag), self.steps.whole(number)))
            self.steps.set(self.tag(name), self.steps.whole(self.tag_of(name, kind)))
            self.steps.add("end")
        return MaybeState(held, tuple(kind for _, kind, _ in others))

    def store_view(self, name: Any, view: View) -> Held:
        if name in self.moving:
            return self.store_array(name, view)
        if not is_plain(view.recipe) or self.steps.is_made(view.array):
            self.need_moving(name)
        fixed: list[Any] = []
        for number, value in enumerate((view.offset, *view.sizes, *view.strides)):
            if value is None or self.everywhere(value):
                fixed.append(("", value))
            else:
                fixed.append(None)
                self.put((name, number), INT, value)
        return ViewState(view.array, view.dtype, len(view.sizes), tuple(fixed), self.stored_recipe((name, "index"), view.recipe))

    def need_moving(self, name: Any) -> None:
        self.moving.add(name)
        raise Again

    def store_array(self, name: Any, view: View) -> ArrayState:
        steps = self.steps
        if name not in self.arrays:
            self.arrays[name] = steps.made_array()
        recipes, tag = self.stored_origin(name, view)
        fixed: list[Any] = []
        values = [steps.whole(0) if view.offset is None else view.offset, *view.sizes, *view.strides]
        for number, value in enumerate(values):
            self.put((name, number), INT, value)
            step = steps.steps[value]
            fixed.append(step[7] if step[0] == "constant" else None)
        array = self.arrays[name]
        if view.array != array:
            steps.add("point", a=array, b=view.array)
        address = steps.plus(steps.add("address", INT64, a=array), steps.get(self.variable((name, 0), INT)))
        self.put((name, "address"), INT, address)
        self.put((name, "origin"), INT, tag)
        return ArrayState(array, view.dtype, len(view.sizes), tuple(fixed), recipes, view.origins)

    def stored_origin(self, name: Any, view: View) -> tuple[tuple[Any, ...], int]:
        """What a variable may be then, and the value that says which of these it is."""
        steps, recipe = self.steps, view.recipe
        if type(recipe) is not Several:
            made = Part(min(view.origins)) if type(recipe) is tuple else recipe
            return (made,), steps.whole(self.origin_of(name, made))
        tag = steps.whole(self.origin_of(name, recipe.recipes[0][1]))
        for number, each in recipe.recipes[1:]:
            is_it = steps.compare("equal", steps.get(recipe.tag), steps.whole(number))
            tag = steps.add("select", INT64, a=is_it, b=steps.whole(self.origin_of(name, each)), c=tag)
        found: list[Any] = []
        found.extend(each for _, each in recipe.recipes if each not in found)
        return tuple(found), tag

    def origin_of(self, name: Any, recipe: Any) -> int:
        known = self.origins.setdefault(name, [UNBOUND])
        if recipe not in known:
            known.append(recipe)
        return known.index(recipe)

    def load_array(self, name: Any, held: ArrayState) -> View:
        steps = self.steps
        if UNBOUND in held.recipes:
            self.leave(steps.compare("not_equal", steps.get(self.variable((name, "origin"), INT)), steps.whole(0)))
        values = [steps.get(self.variable((name, number), INT)) if each is None else steps.whole(each) for number, each in enumerate(held.fixed)]
        tags = tuple((self.origin_of(name, each), each) for each in held.recipes if each is not UNBOUND)
        recipe = tags[0][1] if len(tags) == 1 else Several(self.variable((name, "origin"), INT), tags)
        return View(held.array, held.dtype, values[0], values[1 : held.rank + 1], values[held.rank + 1 :], recipe, held.origins)

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
            if is_one_number(held):
                return Number(held.kinds[0], steps.get(self.variable(name, held.kinds[0])), held.low, held.high)
            if len(held.kinds) == 1:
                return UNBOUND if is_unbound(held) else None
            return Choice(self.tag(name), [(self.tag_of(name, kind), kind, self.variable(name, kind) if has_value(kind) else -1) for kind in held.kinds])
        if type(held) is MaybeState:
            choice = Choice(self.tag(name), [(self.tag_of(name, kind), kind, -1) for kind in (TUPLE, *held.kinds)])
            return Maybe(choice, self.load(name, held.held))
        if type(held) is ViewState:
            values = [self.part(name, number, each) for number, each in enumerate(held.fixed)]
            return View(held.array, held.dtype, values[0], values[1 : held.rank + 1], values[held.rank + 1 :], self.loaded_recipe(held.recipe))
        if type(held) is ArrayState:
            return self.load_array(name, held)
        if type(held) is TupleState:
            return tuple(self.load((name, number), item) for number, item in enumerate(held.items))
        if type(held) is Known or type(held) is Handed:
            return held.value
        if type(held) is NestedState:
            return Nested(held.name, self.steps.get(self.variable((name, "row"), INT)) if held.is_row else None)
        if type(held) in (StreamState, Passed, DictState, DictView) or isinstance(held, ListState):
            return held
        raise Unsupported(f"reads {name[-1]!r}, which is lost")

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
        if any(type(each) in (State, TupleState, MaybeState) for each in (x, y)):
            x, y = (State((NOTHING,)) if type(each) is Known and each.value is None else each for each in (x, y))
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
        if any(type(each) in (TupleState, MaybeState) for each in (x, y)):
            found = self.joined_tuples(name, x, y)
            if found is not None:
                return found
        if is_unbound(x) and type(y) in (ViewState, ArrayState):
            x, y = y, x
        if type(x) in (ViewState, ArrayState) and is_unbound(y):
            if name not in self.moving:
                self.need_moving(name)
            return ArrayState(x.array, x.dtype, x.rank, x.fixed, x.recipes if UNBOUND in x.recipes else (*x.recipes, UNBOUND), x.origins)
        if type(x) in (ViewState, ArrayState) and type(y) in (ViewState, ArrayState) and x.dtype == y.dtype and x.rank == y.rank:
            if name not in self.moving:
                self.need_moving(name)
            recipes = x.recipes + tuple(each for each in y.recipes if each not in x.recipes)
            fixed = tuple(a if a == b else None for a, b in zip(x.fixed, y.fixed, strict=True))
            return ArrayState(x.array, x.dtype, x.rank, fixed, recipes, x.origins | y.origins)
        raise Unsupported(f"binds {name[-1]!r} to one object or another")

    def joined_tuples(self, name: Any, x: Held, y: Held) -> Held | None:
        """Of a tuple and what is one, None or not bound; None of others."""
        tuples = [each.held if type(each) is MaybeState else each for each in (x, y) if type(each) is not State]
        kinds = [kind for each in (x, y) if type(each) in (State, MaybeState) for kind in each.kinds]
        if any(type(each) is not TupleState for each in tuples) or any(map(has_value, kinds)):
            return None
        if len(tuples) == 2 and len(tuples[0].items) != len(tuples[1].items):
            return None
        if name not in self.tagged:
            self.need_tag(name)
        held = tuples[0] if len(tuples) == 1 else self.joined(name, tuples[0], tuples[1], True)
        return MaybeState(held, tuple(kind for number, kind in enumerate(kinds) if position_of(kinds, kind) == number))

    # Variables that may have no value.

    @staticmethod
    def may_lack(held: Held) -> bool:
        """Whether it may be not bound, or None, or something else."""
        if type(held) is State:
            return len(held.kinds) > 1 and not all(map(has_value, held.kinds))
        return type(held) is MaybeState or (type(held) is ArrayState and UNBOUND in held.recipes)

    def lacking(self, name: Any, held: Held) -> tuple[int, Held, Held]:
        """(the value that says whether it has none, what it is then, what it is else) of such a variable."""
        if type(held) is ArrayState:
            is_it = self.steps.compare("equal", self.steps.get(self.variable((name, "origin"), INT)), self.steps.whole(0))
            recipes = tuple(each for each in held.recipes if each is not UNBOUND)
            return is_it, State((None,)), ArrayState(held.array, held.dtype, held.rank, held.fixed, recipes, held.origins)
        kind = next(each for each in held.kinds if not has_value(each))
        is_it = self.steps.compare("equal", self.steps.get(self.tag(name)), self.steps.whole(self.tag_of(name, kind)))
        return is_it, State((kind,)), without_kind(held, kind)
