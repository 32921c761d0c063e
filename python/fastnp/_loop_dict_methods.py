"""Methods of dicts and sets in programs (`_loop_dicts.py`), and what else deletes items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import GONE, DictState, DictView, Entry
from fastnp._loop_lists import Display, Item
from fastnp._loop_program import INT, Number, Unsupported
from fastnp._loop_values import Again, Leaves

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["DICTS", "DictMethods"]

_OF_SETS = frozenset(["add", "discard", "remove", "clear"])
_OF_DICTS = frozenset(["get", "setdefault", "keys", "values", "items", "pop", "clear"])


class DictMethods:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.steps = walk.steps
        self.lists = walk.lists
        self.dicts = walk.dicts

    def call(self, held: DictState, name: str, arguments: list[Any]) -> Any:
        method = getattr(self, f"call_{name}", None)
        if method is None or name not in (_OF_SETS if self.dicts.is_set(held) else _OF_DICTS):
            raise Unsupported(f"calls {name} of a dict or a set")
        return self.walk.calls.functions.checked(method, [held, *arguments], {}, {})

    def call_add(self, held: DictState, key: Any) -> None:
        self.dicts.storing(self.dicts.find(held, self.dicts.key(held, key)), ())()

    def call_clear(self, held: DictState) -> None:
        if held.name in self.walk.moves.iterated:
            raise Unsupported("empties a dict that it goes over")
        self.lists.make(held.items().name, Display([]))
        self.steps.set(self.dicts.variable(held, "count"), self.steps.whole(0))
        self.dicts.new_table(held)
        self.lists.changes += 1
        self.walk.note_written(held)

    def call_get(self, held: DictState, key: Any, default: Any = None) -> Any:
        return self.dicts.value_or(self.dicts.place(held, key), default)

    def call_setdefault(self, held: DictState, key: Any, default: Any) -> Any:
        entry = self.dicts.place(held, key)
        value = self.walk.slots.kept_items(self.dicts.value_or(entry, default))
        self.dicts.storing(entry, value)()
        return value

    def call_keys(self, held: DictState) -> DictView:
        return DictView(held, "keys")

    def call_values(self, held: DictState) -> DictView:
        return DictView(held, "values")

    def call_items(self, held: DictState) -> DictView:
        return DictView(held, "items")

    def call_pop(self, held: DictState, key: Any, *default: Any) -> Any:
        entry = self.dicts.find(held, self.dicts.key(held, key))
        if len(default) > 1 or self.dicts.is_set(held):
            raise Unsupported("calls pop with other arguments")
        if not default:
            self.walk.leave(self.dicts.is_there(entry))
        if not self.dicts.known(held).is_known:
            if not default:
                raise Leaves
            return default[0]
        value = self.dicts.value_or(entry, default[0]) if default else self.dicts.value_at(held, entry.item)
        value = self.walk.slots.kept_items(value)
        self.remove(entry)
        return value

    def call_remove(self, held: DictState, key: Any) -> None:
        self.delete(held, key)

    def call_discard(self, held: DictState, key: Any) -> None:
        if self.dicts.known(held).is_known:
            self.remove(self.dicts.find(held, self.dicts.key(held, key)))

    def delete(self, held: DictState, key: Any) -> None:
        """``del d[k]``"""
        entry = self.dicts.find(held, self.dicts.key(held, key))
        self.walk.leave(self.dicts.is_there(entry))
        self.remove(entry)

    def remove(self, entry: Entry) -> None:
        """An item that may be there."""
        held, steps = entry.of, self.steps
        known, count = self.dicts.known(held), self.dicts.variable(entry.of, "count")
        if held.name in self.walk.moves.iterated:
            raise Unsupported("deletes an item of a dict that it goes over")
        if not known.is_known:
            return
        if not known.deletes:
            self.mark(held)
            raise Again
        items = held.items()
        steps.add("if", a=self.dicts.is_there(entry))
        numbers = self.lists.item(items, self.lists.offset(items, entry.item))
        self.lists.put(Item(items, self.lists.offset(items, entry.item)), (True, *numbers[:-1], Number(INT, steps.whole(0))))
        self.dicts.set_place(held, entry.slot, steps.whole(GONE))
        steps.set(count, steps.plus(steps.get(count), steps.whole(-1)))
        steps.add("end")
        self.lists.changes += 1
        self.walk.note_written(held)

    def mark(self, held: DictState) -> None:
        """Its items say whether they are left from now on."""
        lists, known = self.walk.lists_known, self.dicts.known(held)
        items = lists.get(held.items().name)
        for name in [name for name, each in lists.items() if each is items]:
            del lists[name]
        known.deletes, known.is_known = True, False


DICTS = frozenset(name.removeprefix("call_") for name in dir(DictMethods) if name.startswith("call_"))  # methods of dicts and sets
