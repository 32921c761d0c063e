"""Lists, dicts and sets that get other names, or change places (``a, b = b, a``), in programs.

A list belongs to the variable by whose name its memory and its length are kept (``_loop_lists.py``). Another variable may be the same list; one that is
bound to a list of another name takes it over, where no list is lost by that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastnp._loop_dicts import DictDisplay, DictState, DictView
from fastnp._loop_lists import Display, ListState
from fastnp._loop_program import INT, Unsupported, machine, position_of
from fastnp._loop_values import Again

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Moves"]


class Moves:
    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.lists = walk.lists
        self.iterated: list[Any] = []  # lists and dicts that open loops go over, by their names

    def expect_free(self, name: Any, value: Any) -> None:
        """That no other variable is the list which this variable's name stands for, and no loop goes over it, if it gets another one."""
        if not isinstance(value, (Display, DictDisplay)) and not self.is_moved(name, value):
            return
        others = [held for other, held in self.walk.current().items() if self.is_called(held, name) and other != name[1]]
        if others or name in self.iterated:
            raise Unsupported("gives a list another name")

    @staticmethod
    def is_called(held: Any, name: Any) -> bool:
        """Whether it is the list, the dict or the set of this name, or a view of it."""
        of = held.of if type(held) is DictView else held
        return isinstance(of, (ListState, DictState)) and of.name == name

    @staticmethod
    def is_moved(name: Any, value: Any) -> bool:
        """Whether it is a list, a dict or a set of the same function's by another name."""
        return type(value) in (ListState, DictState) and value.name != name and value.name[0] == name[0]

    def move(self, name: Any, held: Any) -> Any:
        """Has the name stand for this list, dict or set from now on."""
        return self.move_dict(name, held) if type(held) is DictState else self.move_list(name, held)

    def move_dict(self, name: Any, held: DictState) -> DictState:
        """Its items, and its table. (Views of it are known by the old name.)"""
        walk, steps, made = self.walk, self.walk.steps, DictState(name)
        env = walk.current()
        if held.name in self.iterated or name in walk.slots.tagged or any(type(each) is DictView and each.of == held for each in env.values()):
            raise Unsupported("gives a dict another name")
        self.share_dicts(made, held)
        self.move_list(made.items().name, held.items())
        steps.add("point", a=walk.dicts.table_of(made), b=walk.dicts.table_of(held))
        for part in ("count", "places"):
            steps.set(walk.dicts.variable(made, part), steps.get(walk.dicts.variable(held, part)))
        env.update({each: made for each, other in env.items() if other == held})
        return made

    def move_list(self, name: Any, held: ListState) -> ListState:
        """Has the name stand for this list from now on: no other list is lost by it. All variables that are this list know it by that name then."""
        steps, slots, made = self.walk.steps, self.walk.slots, ListState(name)
        if self.lists.is_taken(held) or held.name in self.iterated:
            raise Unsupported("gives a list another name")
        self.share_kinds(name, held.name)
        self.lists.leave_behind(made)
        steps.add("point", a=self.lists.array_of(made), b=self.lists.array_of(held))
        steps.set(self.lists.length_of(made), self.lists.length(held))
        steps.set(self.lists.room_of(made), steps.get(self.lists.room_of(held)))
        steps.set(slots.variable((name, "is new"), INT), steps.whole(1))
        self.lists.address(made)
        env = self.walk.current()
        env.update({each: made for each, other in env.items() if other == held})
        return made

    def kept(self, value: Any, targets: list[str]) -> Any:
        """A list as it is now, where one of these variables that are bound at once may take its name away."""
        if type(value) not in (ListState, DictState) or value.name[0] != self.walk.frame.key or value.name[1] not in targets:
            return value
        return self.move((value.name[0], ("kept", value.name[1])), value)

    def share_kinds(self, x: Any, y: Any) -> None:
        """What may change places has numbers of the same kinds."""
        mine, theirs = self.lists.known(x), self.lists.known(y)
        if mine is theirs:
            return
        if mine.is_known and theirs.is_known:
            if mine.is_tuple != theirs.is_tuple or len(mine.kinds) != len(theirs.kinds):
                raise Unsupported("has lists of several kinds that change places")
            for known, others in zip(mine.kinds, theirs.kinds, strict=True):
                if machine(known[0]) != machine(others[0]):
                    raise Unsupported("has lists of several kinds that change places")
                known += [kind for kind in others if position_of(known, kind) < 0]
        known_lists = self.walk.lists_known
        kept, dropped = (mine, theirs) if mine.is_known else (theirs, mine)
        kept.is_written |= dropped.is_written
        known_lists.update({name: kept for name, each in known_lists.items() if each is dropped})
        raise Again

    def share_dicts(self, x: DictState, y: DictState) -> None:
        """What may change places has keys and values of the same kinds, and tables of one form."""
        mine, theirs = self.walk.dicts.known(x), self.walk.dicts.known(y)
        if mine is theirs:
            return
        if None not in (mine.make, theirs.make) and mine.make != theirs.make:
            raise Unsupported("has dicts of several kinds that change places")
        if mine.is_known and theirs.is_known and (mine.form, mine.is_tuple, mine.has_tuples) != (theirs.form, theirs.is_tuple, theirs.has_tuples):
            raise Unsupported("has dicts of several kinds that change places")
        if mine.deletes != theirs.deletes:
            self.walk.dict_methods.mark(x if theirs.deletes else y)
        kept, dropped = (mine, theirs) if mine.is_known else (theirs, mine)
        kept.make = kept.make or dropped.make
        kept.deletes = kept.deletes or dropped.deletes
        kept.is_ordered = kept.is_ordered or dropped.is_ordered
        kept.is_of_constants = kept.is_of_constants or dropped.is_of_constants
        known = self.walk.dicts_known
        known.update({name: kept for name, each in known.items() if each is dropped})
        self.share_kinds(x.items().name, y.items().name)
        raise Again
