"""Attributes of objects in native loops: what they hold at a call is handed in as variables are, and what the loop stores is stored when it is left.

A field's name is a path, ``body.position.x``. Fields are of one kind throughout a program: a store of another kind leaves it, and another program goes
on. Methods and properties become part of the program as functions do.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

from fastnp._core import CompiledFunction
from fastnp._loop_program import INT, Choice, Number, Unsupported
from fastnp._loop_scan import FAR
from fastnp._loop_values import UNBOUND, Again, Held, Leaves, Passed, State, is_one_number

if TYPE_CHECKING:
    from fastnp._loop_walk import Walk

__all__ = ["Bound", "Fields", "NewField", "WalkFields", "in_class", "is_object"]

_HEAP_TYPE = 1 << 9  # in a type's flags
_TUPLE_GETTER: Any = type(__import__("collections").namedtuple("_", "x").x)  # of a namedtuple's fields


class NewField(Exception):
    """The walk came upon a field that is not handed in yet."""


class Bound:
    """A method of an object, not called yet."""

    __slots__ = ("function", "of")

    def __init__(self, function: types.FunctionType, of: Passed) -> None:
        self.function = function
        self.of = of


class ClassSpace:
    """A class's attributes, for what a program takes for granted. Calls that need no Python look at the class's version instead."""

    __slots__ = ("cls",)

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def now(self, name: str) -> Any:
        return in_class(self.cls, name)


def in_class(cls: type, name: str) -> Any:
    """What a class or one of its bases has by a name, as it stands there."""
    return next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), UNBOUND)


def is_object(value: Any) -> bool:
    """Whether it is an object of a plain class, which has nothing but attributes to look at."""
    cls = type(value)
    return cls is types.SimpleNamespace or bool(
        cls.__flags__ & _HEAP_TYPE
        and not isinstance(value, type)
        and in_class(cls, "__getattribute__") in (object.__getattribute__, tuple.__getattribute__)
        and in_class(cls, "__getattr__") is UNBOUND
        and cls.__module__.partition(".")[0] not in ("numpy", "fastnp")
    )


def _is_field(found: Any) -> bool:
    """Whether what a class has by a name leaves the attribute to the object, or is a plain value itself."""
    kind = type(found)
    if found is UNBOUND or kind in (types.MemberDescriptorType, _TUPLE_GETTER):
        return True
    return not any(hasattr(kind, each) for each in ("__get__", "__set__", "__delete__"))


class Fields:
    """The fields that a loop's programs have."""

    def __init__(self) -> None:
        self.paths: dict[str, tuple[str, str, Any]] = {}  # by name: object, attribute, and the function that it is, if it is one; objects come first
        self.roots: dict[str, Any] = {}  # objects that are no variables, by names made up here
        self.spaces: dict[type, ClassSpace] = {}

    def add(self, parent: str, name: str, function: Any = None) -> None:
        self.paths[f"{parent}.{name}"] = parent, name, function
        raise NewField

    def root(self, name: str, value: Any) -> Passed:
        """An object that is read from outside of the function."""
        made = f"<{name} {id(value)}>"
        if made not in self.roots:
            self.roots[made] = value
            raise NewField
        return Passed(made)

    def parents(self) -> set[str]:
        return {parent for parent, _, _ in self.paths.values()}

    def read(self, values: dict[str, Any]) -> dict[str, Any] | None:
        """The variables with the fields as they are now; None where an object is of another nature."""
        found = {**values, **self.roots}
        for path, (parent, name, function) in self.paths.items():
            owner = found[parent]
            if not is_object(owner):
                return None
            there = in_class(type(owner), name)
            if function is not None:
                value = getattr(owner, name, None)
                if (value.__func__ if type(value) is types.MethodType and value.__self__ is owner else value) is not function:
                    return None
                found[path] = None
                continue
            value = getattr(owner, name, UNBOUND) if _is_field(there) else UNBOUND
            if value is UNBOUND:
                return None
            found[path] = value
        return found

    def write(self, values: dict[str, Any], stored: frozenset[str]) -> None:
        for path, (parent, name, _) in self.paths.items():
            if path in stored:
                setattr(values[parent], name, values[path])

    def are_apart(self, values: dict[str, Any], stored: frozenset[str]) -> bool:
        """Whether no object that is stored to is there by two names."""
        owners = [values[each] for each in self.parents()]
        return not stored or len({id(each) for each in owners}) == len(owners)

    def space(self, cls: type) -> ClassSpace:
        return self.spaces.setdefault(cls, ClassSpace(cls))


class WalkFields:
    """The part of a walk that is about fields."""

    def __init__(self, walk: Walk, fields: Fields, stored: set[str], uncounted: set[str]) -> None:
        self.walk = walk
        self.fields = fields
        self.stored = stored  # fields that the loop stores to, as far as is known
        self.uncounted = uncounted  # those of them that are more than counters
        self.held: dict[str, Held] = {}
        self.objects: dict[str, Any] = {}  # of this call
        self.before: dict[str, int] = {}  # variables with what fields were at the beginning of the statement at hand

    # What there is.

    def nature(self, of: Passed, name: str) -> Any:
        """What the object's class has by a name; UNBOUND if it is the object's alone."""
        if of.name not in self.objects:
            raise Unsupported(f"reads the attribute {name!r} of an object that is not known")
        owner = self.objects[of.name]
        if not is_object(owner):
            raise Unsupported(f"takes {of.name!r}, which is no number, array or function")
        found, space = in_class(type(owner), name), self.fields.space(type(owner))
        self.walk.guard(space, name, found)
        return found

    def attribute(self, of: Passed, name: str) -> Any:
        found = self.nature(of, name)
        if isinstance(found, CompiledFunction):
            found = found.__wrapped__
        if type(found) is types.FunctionType:
            self.known(of, name, in_class(type(self.objects[of.name]), name))
            return Bound(found, of)
        if type(found) is staticmethod:
            self.known(of, name, found.__func__)
            return found.__func__
        if type(found) is property and type(found.fget) is types.FunctionType:
            return self.walk.call_function(found.fget, [of], {})
        return self.walk.slots.load((0, self.path(of, name, found)), self.held[f"{of.name}.{name}"])

    def known(self, of: Passed, name: str, function: Any) -> None:
        """The object has no attribute of its own in the place of a function."""
        if f"{of.name}.{name}" not in self.fields.paths:
            self.fields.add(of.name, name, function)

    def path(self, of: Passed, name: str, found: Any) -> str:
        path = f"{of.name}.{name}"
        if path in self.held:
            return path
        if not _is_field(found) or getattr(self.objects[of.name], name, UNBOUND) is UNBOUND:
            raise Unsupported(f"reads the attribute {name!r} of a {type(self.objects[of.name]).__name__}")
        self.fields.add(of.name, name)
        raise AssertionError

    # Stores.

    def storing(self, of: Any, name: str, value: Any) -> Any:
        """Checks that a field can be stored to; what stores it."""
        if type(of) is not Passed:
            raise Unsupported("stores an attribute of something that is no object")
        found = self.nature(of, name)
        cls = type(self.objects[of.name])
        setter = in_class(cls, "__setattr__")
        self.walk.guard(self.fields.space(cls), "__setattr__", setter)
        is_plain = setter is object.__setattr__ or cls is types.SimpleNamespace
        if not is_plain or type(found) is _TUPLE_GETTER:
            raise Unsupported(f"stores an attribute of a {cls.__name__}")
        path = self.path(of, name, found)
        held = self.held[path]
        if type(value) is Choice:
            raise Unsupported("stores numbers of several kinds in an attribute")
        number = self.walk.numbers.number(value)
        if not is_one_number(held) or held.kinds[0] is not number.kind:
            raise Leaves
        if path not in self.stored or path not in self.uncounted:
            self.stored.add(path)
            self.uncounted.add(path)
            raise Again

        def store() -> None:
            self.walk.shadow()
            self.walk.slots.put((0, path), number.kind, number.id)

        return store

    def count(self, of: Passed, name: str, x: Any, step: int) -> bool:
        """``x.count += 1``, unless something else is stored there as well: it does not overflow."""
        path, steps = f"{of.name}.{name}", self.walk.steps
        if type(x) is not Number or x.kind is not INT or path in self.uncounted or path not in self.held:
            return False
        if path not in self.stored:
            self.stored.add(path)
            raise Again
        self.walk.shadow()
        self.walk.slots.put((0, path), INT, steps.plus(x.id, steps.whole(step)))
        return True

    def expect_counters(self) -> None:
        """Counters are far from the largest numbers when the loop begins."""
        for path in sorted(self.stored - self.uncounted):
            if self.held[path] == State((INT,)):
                self.walk.numbers.within(self.walk.steps.get(self.walk.slots.variable((0, path), INT)), -FAR, FAR)

    # Exits.

    def begin(self) -> None:
        """Keeps what fields are, for exits to the beginning of a statement that stores to them before it leaves."""
        slots, steps = self.walk.slots, self.walk.steps
        for path in sorted(self.stored):
            held = self.held.get(path)
            if type(held) is State:
                kind = held.kinds[0]
                self.before[path] = slots.variable(((0, path), "before"), kind)
                steps.set(self.before[path], steps.get(slots.variable((0, path), kind)))
