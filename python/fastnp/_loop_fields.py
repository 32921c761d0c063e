"""Attributes of objects in native loops: what they hold at a call is handed in as variables are, and what the loop stores is stored when it is left.

A field's name is a path, ``body.position.x``. Fields are of one kind throughout a program: a store of another kind leaves it, and another program goes
on. Methods and properties become part of the program as functions do.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy

from fastnp._core import CompiledFunction
from fastnp._loop_draws import is_generator
from fastnp._loop_kinds import is_array_object
from fastnp._loop_program import INT, Choice, Number, Unsupported
from fastnp._loop_scan import FAR
from fastnp._loop_values import UNBOUND, Again, Held, Leaves, Passed, State, is_one_number

if TYPE_CHECKING:
    from fastnp._loop_frames import Exit
    from fastnp._loop_walk import Walk

__all__ = ["Bound", "Field", "Fields", "NewField", "WalkFields", "in_class", "is_object", "was_stored"]

_HEAP_TYPE = 1 << 9  # in a type's flags
_TUPLE_GETTER: Any = type(vars(collections.namedtuple("_", "x"))["x"])  # of a namedtuple's fields


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
        and type(cls.__module__) is str  # else it is a property
        and cls.__module__.partition(".")[0] not in ("numpy", "fastnp")
    )


def _is_field(found: Any) -> bool:
    """Whether what a class has by a name leaves the attribute to the object, or is a plain value itself."""
    kind = type(found)
    if found is UNBOUND or kind in (types.MemberDescriptorType, _TUPLE_GETTER):
        return True
    return not any(hasattr(kind, each) for each in ("__get__", "__set__", "__delete__"))


class Field:
    """Where one comes from: an attribute or an item of an object, a function or a property of its class, an object that is read from outside, what a
    function captures."""

    __slots__ = ("function", "how", "name", "parent")
    ATTRIBUTE, FUNCTION, TYPE, ITEM, ITSELF, CELL = range(6)

    def __init__(self, parent: str, name: Any, how: int, function: Any = None) -> None:
        self.parent = parent
        self.name = name
        self.how = how
        self.function = function

    def now(self, owner: Any) -> Any:
        """What it holds; UNBOUND where the object is of another nature."""
        if self.how == Field.ITSELF:
            return owner
        if self.how == Field.ITEM:
            return owner.get(self.name, UNBOUND) if type(owner) is dict else UNBOUND
        if self.how == Field.CELL:
            return cell_of(owner, self.name)
        if not is_object(owner):
            return UNBOUND
        if self.how == Field.TYPE:
            return None if in_class(type(owner), self.name) is self.function else UNBOUND
        value = getattr(owner, self.name, UNBOUND) if self.how == Field.FUNCTION or _is_field(in_class(type(owner), self.name)) else UNBOUND
        if self.how == Field.ATTRIBUTE:
            return value
        bare = value.__func__ if type(value) is types.MethodType and value.__self__ is owner else value
        return None if bare is self.function else UNBOUND

    def store(self, owner: Any, value: Any) -> None:
        if self.how == Field.ITEM:
            owner[self.name] = value
        else:
            setattr(owner, self.name, value)


def was_stored(path: str) -> str:
    """By which name an exit tells whether a field was stored to."""
    return f"{path} was stored"


def cell_of(function: Any, number: int) -> Any:
    """What a function captures."""
    closure = function.__closure__ if type(function) is types.FunctionType else None
    try:
        return UNBOUND if closure is None else closure[number].cell_contents
    except ValueError:
        return UNBOUND


class Fields:
    """The fields that a loop's programs have."""

    def __init__(self) -> None:
        self.paths: dict[str, Field] = {}  # objects come before what is in them
        self.roots: dict[str, Any] = {}  # objects that are no variables, by names made up here
        self.spaces: dict[type, ClassSpace] = {}
        self.tables: dict[Any, numpy.ndarray[Any, Any]] = {}  # of constants

    def parents(self) -> set[str]:
        return {field.parent for field in self.paths.values() if field.how != Field.ITSELF}

    def read(self, values: dict[str, Any]) -> dict[str, Any] | None:
        """The variables with the fields as they are now; None where an object is of another nature."""
        found = {**values, **self.roots}
        for path, field in self.paths.items():
            found[path] = field.now(found[field.parent])
            if found[path] is UNBOUND:
                return None
        return found

    def write(self, values: dict[str, Any], stored: frozenset[str]) -> None:
        """Stores what was stored to."""
        for path, field in self.paths.items():
            if path in stored and values.get(was_stored(path)):
                field.store(values[field.parent], values[path])

    def are_apart(self, values: dict[str, Any], stored: frozenset[str]) -> bool:
        """Whether no object that is stored to is there by two names."""
        owners = [values[each] for each in self.parents()] if stored else []
        if any(type(each) is dict for each in owners):  # objects' attributes lie in dicts
            owners += [vars(each) for each in owners if type(each) is not dict and hasattr(each, "__dict__")]
        return len({id(each) for each in owners}) == len(owners)

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
        self.has_found = False  # fields that are not handed in yet, so that the walk is for finding others alone
        self.is_learning = False  # what it should have known from its beginning
        self.before: dict[str, int] = {}  # variables with what fields were at the beginning of the statement at hand

    # What there is.

    def expect_known(self) -> None:
        """That a walk has come upon nothing that it should have known."""
        if self.has_found or self.is_learning:
            raise Again

    def add(self, path: str, field: Field) -> None:
        """A field that is handed in: one that is not yet, is as if it were, so that one walk finds all that there are."""
        if path not in self.fields.paths:
            self.fields.paths[path] = field
            self.has_found = True
        if path not in self.held:
            self.has_found = True
            value = self.objects[path] = field.now(self.objects[field.parent])
            if value is UNBOUND:
                raise Leaves
            self.held |= self.walk.inputs.take({path: value})

    def root(self, name: str, value: Any) -> str:
        """The name of an object that is read from outside of the function."""
        made = f"<{name} {id(value)}>"
        if made not in self.fields.roots:
            self.fields.roots[made] = value
            self.has_found = True
        self.objects[made] = value
        return made

    def load(self, path: str) -> Any:
        return self.walk.slots.load((0, path), self.held[path])

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
            self.add(f"{of.name}.{name}", Field(of.name, name, Field.TYPE, found))
            return self.walk.call_function(found.fget, [of], {})
        return self.load(self.path(of, name, found))

    def known(self, of: Passed, name: str, function: Any) -> None:
        """The object has no attribute of its own in the place of a function."""
        self.add(f"{of.name}.{name}", Field(of.name, name, Field.FUNCTION, function))

    def outside(self, name: str, value: Any) -> Any:
        """An object that is read from outside of the function: arrays, lists and generators as if they were handed in."""
        if not (is_array_object(value) or type(value) is list or is_generator(value)):
            return Passed(self.root(name, value)) if type(value) is dict or is_object(value) else value
        path = self.root(name, value)
        self.add(path, Field(path, "", Field.ITSELF))
        return self.load(path)

    def table(self, values: tuple[Any, ...], dtype: numpy.dtype[Any]) -> Any:
        """An array of constants, as if it were handed in."""
        made = numpy.array(values, dtype)
        made = self.fields.tables.setdefault((dtype.char, made.tobytes()), made)
        made.flags.writeable = False
        return self.outside("constants", made)

    def captured(self, function: types.FunctionType, name: str) -> Any:
        """What a function captures that is handed in; None where it is another one."""
        takes = next((each for each, value in self.objects.items() if value is function), None)
        if takes is None:
            return None
        number = function.__code__.co_freevars.index(name)
        path = f"{takes}<{name}>"
        self.add(path, Field(takes, number, Field.CELL))
        return self.load(path)

    def class_attribute(self, cls: type, name: str) -> Any:
        """What a class has by a name."""
        found = in_class(cls, name)
        is_plain = in_class(type(cls), name) is UNBOUND and in_class(type(cls), "__getattribute__") is type.__getattribute__
        if not is_plain or not _is_field(found) or found is UNBOUND:
            raise Unsupported(f"reads the attribute {name!r} of the class {cls.__name__}")
        self.walk.guard(cls, name, found)
        return self.walk.outside(found, name)

    def item(self, of: Passed, key: Any) -> Any:
        """``d["key"]`` of a dict."""
        return self.load(self.item_path(of, key))

    def item_path(self, of: Passed, key: Any) -> str:
        path = f"{of.name}[{key!r}]"
        if path not in self.held:
            owner = self.objects.get(of.name)
            if type(owner) is not dict or type(key) not in (str, int) or key not in owner or "__builtins__" in owner:
                raise Unsupported(f"takes an item of {of.name!r}, which is no array or list that programs have")
            self.add(path, Field(of.name, key, Field.ITEM))
        return path

    def path(self, of: Passed, name: str, found: Any) -> str:
        path = f"{of.name}.{name}"
        if path not in self.held:
            if not _is_field(found) or getattr(self.objects[of.name], name, UNBOUND) is UNBOUND:
                raise Unsupported(f"reads the attribute {name!r} of a {type(self.objects[of.name]).__name__}")
            self.add(path, Field(of.name, name, Field.ATTRIBUTE))
        return path

    # Stores.

    def storing(self, of: Any, name: str, value: Any) -> Callable[[], None]:
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
        return self.storing_at(self.path(of, name, found), value)

    def storing_item(self, of: Passed, key: Any, value: Any) -> Callable[[], None]:
        return self.storing_at(self.item_path(of, key), value)

    def storing_at(self, path: str, value: Any) -> Callable[[], None]:
        held = self.held[path]
        if type(value) is Choice:
            raise Unsupported("stores numbers of several kinds in an attribute")
        number = self.walk.numbers.number(value)
        if not is_one_number(held) or held.kinds[0] is not number.kind:
            raise Leaves
        if path not in self.stored or path not in self.uncounted:
            self.stored.add(path)
            self.uncounted.add(path)
            self.is_learning = True

        def store() -> None:
            self.walk.shadow()
            self.walk.slots.put((0, path), number.kind, number.id)
            self.note_stored(path)

        return store

    def flag(self, path: str) -> int:
        """The variable that says whether a field was stored to."""
        return self.walk.slots.variable(((0, path), "was stored"), INT)

    def note_stored(self, path: str, value: int = 1) -> None:
        self.walk.steps.set(self.flag(path), self.walk.steps.whole(value))

    def count(self, path: str, x: Any, step: int) -> bool:
        """``x.count += 1``, unless something else is stored there as well: it does not overflow."""
        steps = self.walk.steps
        if type(x) is not Number or x.kind is not INT or path in self.uncounted or path not in self.held:
            return False
        if path not in self.stored:
            self.stored.add(path)
            self.is_learning = True
        self.walk.shadow()
        self.walk.slots.put((0, path), INT, steps.plus(x.id, steps.whole(step)))
        self.note_stored(path)
        return True

    def expect_counters(self) -> None:
        """Nothing is stored yet. Counters are far from the largest numbers when the loop begins."""
        for path in sorted(self.stored & self.held.keys()):
            self.note_stored(path, 0)
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
                self.before[was_stored(path)] = slots.variable(((0, path), "was stored before"), INT)
                steps.set(self.before[was_stored(path)], steps.get(self.flag(path)))

    def tell_stores(self, made: Exit, before: dict[str, int]) -> None:
        """Adds to an exit whether fields were stored to."""
        for path in sorted(self.stored & self.held.keys()):
            name = was_stored(path)
            made.places[name] = len(made.variables)
            made.variables.append((before.get(name, self.flag(path)), INT))
            made.names.append((name, next))
