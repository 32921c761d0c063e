"""Assignments of a walk over a loop (``_loop_walk.py``): to variables, elements, parts of arrays and items of lists, checked before anything is stored."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fastnp import _syntax
from fastnp._loop_dicts import DictDisplay, DictState, Entry
from fastnp._loop_expressions import Expressions, Leaves
from fastnp._loop_folds import FOUND
from fastnp._loop_lists import Display, Item, ListState, items_of_display
from fastnp._loop_nested import Cell, Nested, TableDisplay
from fastnp._loop_picks import Picked
from fastnp._loop_program import BOOLEAN, INT, Choice, Number, Unsupported, kind_of_number
from fastnp._loop_scan import small_step
from fastnp._loop_values import UNBOUND, Lazy, Maybe, Passed, View, is_array

__all__ = ["Stores"]


class Stores(Expressions):
    """The part of a walk that is about assignments."""

    root: Any
    counters: set[str]
    called: int

    def do_Assign(self, statement: ast.Assign) -> None:
        pending = self.arrays.pending
        self.assign(statement)
        self.arrays.pending = pending  # it has stored what it has computed

    def assign(self, statement: ast.Assign) -> None:
        if isinstance(statement.targets[0], ast.Subscript) and len(statement.targets) == 1 and self.draws.has_draws(statement):
            place, done = self.elements.destination(statement.targets[0]), self.effects()  # what is wrong of it leaves before anything is drawn
            shown = statement.value if type(place) is View and isinstance(statement.value, (ast.Tuple, ast.List)) else None
            if shown is not None:
                self.elements.expect_items(place, len(shown.elts))
            value = self.value_or_draw(statement.value)
            self.draws.expect_fits(place, value)
            value = self.draws.forced(value)
            if done != self.effects():
                raise Unsupported("calls functions in a statement that draws")
            items = None if shown is None else items_of_display(value)
            (self.storing(place, value) if items is None else self.elements.storing_items(place, items))()
            return
        value = self.value(statement.value)
        if type(value) is Lazy and len(statement.targets) > 1:
            value = self.arrays.stored(value)
        if len(statement.targets) > 1:
            if isinstance(value, (Display, ListState, TableDisplay, DictDisplay, DictState)):
                self.bind_all(statement.targets, value)
                return
            self.expect_apart(statement.targets, [value] * len(statement.targets))
        self.stores_of(statement.targets, [value] * len(statement.targets))()

    def bind_all(self, targets: list[ast.expr], value: Any) -> None:
        """``a = b = []``: one list, or one dict."""
        names = [each.id for each in targets if isinstance(each, ast.Name) and each.id in self.frame.local]
        if not isinstance(value, (Display, DictDisplay)) or len(set(names)) < len(targets):
            raise Unsupported("binds several variables to one list")
        for name in names[1:]:
            self.moves.expect_free((self.frame.key, name), value)
            self.lists.expect_kept(self.current().get(name), None)
        self.bind(names[0], value)
        self.current().update(dict.fromkeys(names[1:], self.current()[names[0]]))

    def do_AnnAssign(self, statement: ast.AnnAssign) -> None:
        if statement.value is not None:
            self.target(statement.target, self.value(statement.value))()

    def do_AugAssign(self, statement: ast.AugAssign) -> None:
        if isinstance(statement.target, ast.Name):
            read = ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target)
            x = self.value(read)
            counters = self.counters if self.frame is self.root else self.frame.counters
            if type(x) is Number and x.kind is INT and statement.target.id in counters:
                self.count(statement, statement.target.id, x)
                return
            if type(x) is View:
                self.in_place(x, statement)
                return
            if isinstance(x, ListState) and isinstance(statement.op, ast.Add):
                self.list_methods.call(x, "extend", [self.value(statement.value)], {})
                return
            self.target(statement.target, self.computed(statement.op, x, self.value_or_draw(statement.value)))()
        elif self.is_field(statement.target):
            self.change_field(statement)
        elif isinstance(statement.target, ast.Subscript):
            place = self.elements.destination(statement.target)
            if type(place) is View:
                self.in_place(place, statement)
                return
            if type(place) is Item:
                done = self.effects()
                item = self.computed(statement.op, self.lists.item(place.of, place.offset), self.value_or_draw(statement.value))
                if done != self.effects():
                    raise Unsupported("changes a list in a statement that stores into one")
                self.lists.storing(place, item)()
                return
            if type(place) is Entry:
                self.storing(place, self.computed(statement.op, self.dicts.load(place), self.value_or_draw(statement.value)))()
                return
            if type(place) is Cell:
                self.storing(place, self.computed(statement.op, self.tables.load(place), self.value_or_draw(statement.value)))()
                return
            if type(place) is Picked:
                self.picks.assignment(place, self.binary(statement.op, self.picks.taken(place), self.value(statement.value)))()
                return
            x = self.elements.load(place)
            self.elements.store(place, self.computed(statement.op, x, self.value_or_draw(statement.value)))
        else:
            raise Unsupported("changes something else")

    def do_Delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            held = self.value(target.value) if isinstance(target, ast.Subscript) else None
            if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Slice) or not isinstance(held, (ListState, DictState)):
                raise Unsupported("deletes something else than an item of a list or a dict")
            index = self.value(target.slice)
            if isinstance(held, DictState):
                self.dict_methods.delete(held, index)
            else:
                self.list_methods.delete(held, index)

    def is_field(self, target: ast.expr) -> bool:
        """Whether it is an attribute, or an item of a dict."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
            return isinstance(target, ast.Attribute)
        return type(self.value(target.value)) is Passed

    def change_field(self, statement: ast.AugAssign) -> None:
        target: Any = statement.target
        of = self.value(target.value)
        if isinstance(target, ast.Attribute):
            path, x = f"{of.name}.{target.attr}" if type(of) is Passed else "", self.calls.attribute(of, target.attr)
        else:
            path, x = self.fields.item_path(of, target.slice.value), self.fields.item(of, target.slice.value)
        if type(x) is View:
            self.in_place(x, statement)
            return
        step = small_step(statement)
        if step is None or not self.fields.count(path, x, step):
            self.storing_field(target, self.computed(statement.op, x, self.value_or_draw(statement.value)))()

    def storing_field(self, target: Any, value: Any) -> Callable[[], None]:
        of, fields = self.value(target.value), self.fields
        is_attribute = isinstance(target, ast.Attribute)
        return fields.storing(of, target.attr, value) if is_attribute else fields.storing_item(of, target.slice.value, value)

    def in_place(self, view: View, statement: ast.AugAssign) -> None:
        """``x += ...`` of an array."""
        value = self.computed(statement.op, view, self.value_or_draw(statement.value))
        self.draws.expect_fits(view, value)
        self.arrays.assignment(view, self.draws.forced(value), False)()

    def count(self, statement: ast.AugAssign, name: str, x: Number) -> None:
        """``c += 1`` of a counter, which does not overflow, nor does ``c += x > y`` of bools."""
        step = small_step(statement)
        if step is None:
            value = self.value(statement.value)
            if type(value) is not Number or value.kind is not BOOLEAN:
                self.bind(name, self.binary(statement.op, x, value))
                return
            by = self.numbers.whole(value)
            by = by if isinstance(statement.op, ast.Add) else self.steps.times(by, self.steps.whole(-1))
            self.bind(name, Number(INT, self.steps.plus(x.id, by), x.low if isinstance(statement.op, ast.Add) else None))
            return
        low, high = (None if each is None else each + step for each in (x.low, x.high))
        self.bind(name, Number(INT, self.steps.plus(x.id, self.steps.whole(step)), low, high))

    def target(self, target: ast.expr, value: Any) -> Callable[[], None]:
        """Checks that a value can be stored there; what stores it."""
        if isinstance(target, ast.Name):
            if target.id not in self.frame.local:
                raise Unsupported(f"binds {target.id!r}, which is no variable of its own")
            if value is UNBOUND:
                raise Leaves
            value = self.settled(value)
            return lambda: self.bind(target.id, value)
        if self.is_field(target):
            return self.storing_field(target, value)
        if isinstance(target, ast.Subscript):
            return self.storing(self.elements.destination(target), value)
        value = self.sure(value)
        if isinstance(target, (ast.Tuple, ast.List)) and is_array(value):
            value = self.items_of(value, len(target.elts))
        if isinstance(target, (ast.Tuple, ast.List)) and (shown := items_of_display(value)) is not None:
            value = shown
        if isinstance(target, (ast.Tuple, ast.List)) and type(value) is tuple and len(value) == len(target.elts):
            items = [self.arrays.stored(item) if type(item) is Lazy else self.slots.kept(item) for item in value]
            items = self.kept_lists(items, target.elts)
            self.expect_apart(target.elts, items)
            return self.stores_of(target.elts, items)
        raise Unsupported("takes a value apart")

    def stores_of(self, targets: list[ast.expr], values: list[Any]) -> Callable[[], None]:
        """What stores values one after the other. As long as the statement has stored nothing, places are looked up before: what is wrong of them
        leaves it then, later it is an error."""
        pairs = list(zip(targets, values, strict=True))
        if self.stored:
            looked: Iterable[Callable[[], None]] = (self.target(*each) for each in pairs)
        else:
            self.expect_lasting(targets)
            looked = [self.target(*each) for each in pairs]
            if self.stored and len(pairs) > 1:
                raise Unsupported("calls a function that writes for a place to store to")

        def store_all() -> None:
            for store in looked:
                store()

        return store_all

    def expect_lasting(self, targets: list[ast.expr]) -> None:
        """That no target's place is looked up by what one before it stores."""
        earlier: list[Any] = []
        for target in _parts_of(targets):
            reads = [each for each in _syntax.walk(target) if isinstance(each, ast.Call) or isinstance(getattr(each, "ctx", None), ast.Load)]
            reads.sort(key=lambda each: not isinstance(each, ast.Call))
            if earlier and not all(self.lasts(each, earlier) for each in reads):
                raise Unsupported("stores by what it may have stored in the same statement")
            if isinstance(target, (ast.Subscript, ast.Attribute)):
                earlier.append(target)
        if len(earlier) > 1 and any(self.base_of(each) is DictState for each in earlier):
            raise Unsupported("stores into a dict and elsewhere in one statement")

    def base_of(self, target: Any) -> Any:
        """The type of what a subscript is taken of."""
        if isinstance(target, ast.Attribute) or any(isinstance(each, ast.Call) for each in _syntax.walk(target.value)):
            return None
        return type(self.value(target.value))

    def lasts(self, read: ast.AST, earlier: list[Any]) -> bool:
        """Whether what is read is the same after the stores."""
        if isinstance(read, ast.Call):
            function = self.value(read.func) if isinstance(read.func, ast.Name) and len(read.args) == 1 and not read.keywords else None
            if function is not len:
                return function is int
            return isinstance(read.args[0], ast.Name) and (is_array(held := self.value(read.args[0])) or isinstance(held, ListState))
        if not isinstance(read, (ast.Subscript, ast.Attribute)):
            return True
        done, found = self.effects(), self.value(read)
        if done != self.effects():  # a property's function
            return False
        if isinstance(read, ast.Attribute):
            return all(not isinstance(each, ast.Attribute) or each.attr != read.attr for each in earlier)
        if type(found) in (View, Nested):  # elements change, not where they lie
            return all(isinstance(each, ast.Attribute) or issubclass(self.base_of(each) or int, (View, Nested, ListState)) for each in earlier)
        return type(self.value(read.value)) is tuple

    def kept_lists(self, items: list[Any], targets: list[ast.expr]) -> list[Any]:
        """Lists that change places by one statement: ``a, b = b, a``."""
        lists = [item for item in items if type(item) in (ListState, DictState)]
        if any(item == other for number, item in enumerate(lists) for other in lists[:number]):
            raise Unsupported("gives a list another name")
        own = {each.id: (self.frame.key, each.id) for each in targets if isinstance(each, ast.Name)}

        def stays(to: ast.expr, item: Any) -> bool:
            return isinstance(to, ast.Name) and item in lists and item.name == own[to.id] and item == self.current().get(to.id)

        return [item if stays(to, item) else self.moves.kept(item, list(own)) for to, item in zip(targets, items, strict=True)]

    def effects(self) -> tuple[int, int]:
        """How often functions were called, and lists changed."""
        return self.called, self.lists.changes

    @staticmethod
    def expect_apart(targets: list[ast.expr], values: list[Any]) -> None:
        """That it makes no difference whether all targets are looked at before the first one is stored to."""
        bound: set[str] = set()
        for target in targets:
            names = [each for each in _syntax.walk(target) if isinstance(each, ast.Name)]
            if any(each.id in bound and isinstance(each.ctx, ast.Load) for each in names):
                raise Unsupported("stores by what it binds in the same statement")
            bound |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
        stores = [each for target in targets for each in _syntax.walk(target) if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store)]
        if len(stores) > 1 and any(type(value) is View and value.origins != frozenset([-1]) for value in values):
            raise Unsupported("stores parts of arrays at several places")

    def items_of(self, value: Any, count: int) -> tuple[Any, ...]:
        """The rows or elements of an array that is taken apart."""
        view = self.arrays.kept(value)
        if not view.sizes:
            raise Unsupported("takes a value apart")
        self.leave(self.steps.compare("equal", view.sizes[0], self.steps.whole(count)))
        return tuple(self.elements.row(view, self.steps.whole(number)) for number in range(count))

    def storing(self, place: Any, value: Any) -> Callable[[], None]:
        """Checks that a value can be stored to what a subscript names; what stores it."""
        if type(place) is Item:
            return self.lists.storing(place, value)
        if type(place) is Entry:
            return self.dicts.storing(place, value)
        if type(place) is Cell or type(place) is Nested:
            return self.tables.storing(place, value)
        if type(place) is Picked:
            return self.picks.assignment(place, value)
        if type(place) is View and place.dtype.names is not None:
            return self.elements.storing_record(place, value)
        if type(place) is View and is_array(value):
            return self.arrays.assignment(place, value)
        if type(place) is View and (items := items_of_display(value)) is not None:
            self.elements.expect_items(place, len(items))
            return self.elements.storing_items(place, items)
        element = self.elements.element_for(place, value)
        if type(place) is View:
            return lambda: self.elements.fill(place, element)
        return lambda: self.elements.put(place, element)

    def bind(self, name: str, value: Any) -> None:
        if name == FOUND:
            self.folds.note(value)
        self.lists.expect_kept(self.current().get(name), value)
        key = self.frame.key, name
        self.moves.expect_free(key, value)
        self.current()[name] = self.moves.move(key, value) if self.moves.is_moved(key, value) else self.slots.store(key, self.settled(value))

    def settled(self, value: Any) -> Any:
        """A value as a variable takes it: numbers as the program's, arrays in memory."""
        if type(value) is tuple:
            return tuple(self.settled(item) for item in value)
        if type(value) is Lazy:
            return self.arrays.stored(value)
        if type(value) is Maybe:
            return Maybe(value.choice, self.settled(value.value))
        is_plain = not isinstance(value, (Number, Choice, View, ListState, Display)) and kind_of_number(value) is not None
        return self.numbers.number(value) if is_plain else value


def _parts_of(targets: list[ast.expr]) -> Iterator[ast.expr]:
    """Targets, those in tuples one by one."""
    for each in targets:
        if isinstance(each, (ast.Tuple, ast.List)):
            yield from _parts_of(each.elts)
        else:
            yield each
