"""Classes in recorded functions: twins with twins of their methods, so that what these read is seen, and what they do is noted.

The twins of a class and of its bases have each other as bases, so ``super()`` finds twins. A class that no twin can be made of is used as it is if it
has no functions of the user's; else its use ends the recording.
"""

from __future__ import annotations

import abc
import functools
import sys
import types
import typing
from typing import Any

from fastnp import _core, _effects
from fastnp._homes import is_own, is_plain, is_pure, is_record
from fastnp._questions import has_functions
from fastnp._reads import Reads
from fastnp._stand_ins import METACLASSES, NUMBERS, PLAIN, Forbidden, refuse, stand_in_isinstance, stand_in_type

_OWN = frozenset(["__dict__", "__weakref__", "__slots__", "_abc_impl", "__getattribute__"])


class _NoClass:
    """Nothing is an instance of it."""


def _each(classes: Any) -> list[Any]:
    """The classes that `isinstance` was asked about."""
    if type(classes) is tuple:
        return [part for each in classes for part in _each(each)]
    return [*typing.get_args(classes)] if isinstance(classes, types.UnionType) else [classes]


def _dict_of(cls: type) -> dict[str, Any]:
    return dict(vars(type)["__dict__"].__get__(cls))


_metaclasses: dict[type, type] = {}


class Classes(Reads):
    """What `Capture` knows of classes."""

    originals: dict[int, Any]
    memo: dict[int, Any]
    inputs: dict[int, Any]

    def begin_classes(self) -> None:
        self.classes: dict[int, type | None] = {}
        self.class_copies: list[tuple[type, dict[str, Any]]] = []

    def swap(self, value: Any) -> Any:
        raise NotImplementedError

    # Attributes that are read.

    def check_name(self, value: Any, name: str) -> None:
        """Looks at a read of an attribute of an object's twin, or of a class: one by a name that the code does not show, or of nothing, is not guarded."""
        original = self.originals.get(id(value), value if isinstance(value, type) else None)
        if original is None or (isinstance(original, type) and is_own(original)):
            return
        bases = original.__mro__ if isinstance(original, type) else type(original).__mro__
        known = {each for base in bases if not is_own(base) for each in vars(base) if each[:2] != "__"}
        if not isinstance(original, type):
            known |= vars(original).keys()
        found = known if name in known else {*known, name} if name == "__dict__" else {name}
        if not found <= (self.names if found is known else self.computed):
            self.look_for(found)
            refuse(f"reads {name} by a computed name")

    def check_whole(self, value: Any, seen: set[int]) -> None:
        """The same for all that is in an object, and in what lies in it."""
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, Forbidden):
            refuse(object.__getattribute__(value, "_what"))
        if type(value) is dict:
            items = [*value.keys(), *value.values()]
        elif type(value) in (tuple, list, set, frozenset):
            items = list(value)
        elif id(value) in self.originals and id(type(value)) in self.originals:
            self.check_name(value, "__dict__")
            items = list(object.__getattribute__(value, "__dict__").values())
        else:
            return
        for item in items:
            self.check_whole(item, seen)

    def check_class(self, value: Any, name: Any) -> None:
        """The same for classes, which do not say what is read of them."""
        if isinstance(value, type) and type(name) is str and (name not in self.names or not hasattr(value, name)):
            self.check_name(value, name)
        if type(value) in (types.FunctionType, functools.partial) and id(value) in self.originals and name not in self.names:
            self.look_for({name})
            refuse(f"reads {name} by a computed name")

    def stand_in_getattr(self, value: Any, name: str, /, *default: Any) -> Any:
        self.check_class(value, name)
        return getattr(value, name, *default)

    def stand_in_hasattr(self, value: Any, name: str, /) -> bool:
        self.check_class(value, name)
        return hasattr(value, name)

    # Which classes something is of.

    def stand_in_isinstance(self, value: Any, classes: Any, /) -> Any:
        return stand_in_isinstance(value, tuple(self.told(each, type(value)) for each in _each(classes)))

    def stand_in_issubclass(self, cls: Any, classes: Any, /) -> Any:
        return issubclass(cls, tuple(self.told(each, cls) for each in _each(classes)))

    def told(self, cls: Any, of: Any) -> Any:
        """A class that is asked whether another is of it; the verdict itself, as a class, where it is one that may change, which is guarded then."""
        if cls is stand_in_type or not isinstance(cls, type):
            return cls
        asked = self.originals.get(id(cls), cls)
        checks = [vars(base)["__instancecheck__"] for base in type(asked).__mro__ if "__instancecheck__" in vars(base)]
        if checks[0] is vars(type)["__instancecheck__"]:
            return cls
        hook = getattr(getattr(asked, "__subclasshook__", None), "__func__", None)
        if checks[0] is not vars(abc.ABCMeta)["__instancecheck__"] or (hook is not None and not is_own(hook)):
            return refuse(f"asks whether something is of {asked.__qualname__}, which has ways of its own to tell")
        given = self.originals.get(id(of), of)
        if not isinstance(given, type) or given in NUMBERS or issubclass(given, (Forbidden, _core.ndarray)) or (is_own(given) and is_own(asked)):
            return cls
        if (given, asked) not in self.found_late:
            self.look_for({(given, asked)})
            refuse(f"asks whether a {given.__qualname__} is a {asked.__qualname__}")
        return object if issubclass(given, asked) else _NoClass

    # Twins.

    def swap_class(self, value: type) -> Any:
        if is_record(value):
            return value
        twin = self.twin(value)
        if twin is None and has_functions(value):
            return Forbidden(f"uses {value.__module__}.{value.__qualname__}, a class that can't be followed")
        return value if twin is None else twin

    def twin(self, cls: type) -> type | None:
        if cls is object or is_own(cls):
            return cls
        key = id(cls)
        if key not in self.classes:
            self.classes[key] = None
            bases = [twin for twin in (self.twin(base) for base in cls.__bases__) if twin is not None]
            if is_plain(cls) and len(bases) == len(cls.__bases__):
                named = {name: vars(cls)[name] for name in ("__module__", "__doc__", "__orig_bases__") if name in vars(cls)}
                try:
                    made = self.metaclass(type(cls))(cls.__name__, tuple(bases), {**named, "__qualname__": cls.__qualname__})
                except TypeError:  # a base has its own mind
                    return None
                if "__abstractmethods__" in vars(cls):
                    made.__abstractmethods__ = vars(cls)["__abstractmethods__"]  # type: ignore[attr-defined]  # of ABCMeta alone
                self.classes[key] = self.memo[key] = made
                self.originals[id(made)] = cls
                self.fill(made, cls)
        return self.classes[key]

    def metaclass(self, original: type) -> type:
        """The class of twins: what they are asked for of themselves is not theirs to tell."""
        if original not in _metaclasses:

            def getattribute(cls: type, name: str) -> Any:
                if name == "__dict__" and "__fastnp_twin__" in sys._getframe(1).f_globals:
                    return refuse("reads the dict of a class")
                return original.__getattribute__(cls, name)  # type: ignore[call-arg, arg-type]  # a metaclass's

            bases = (original,) if original is type else (original, self.metaclass(type))
            _metaclasses[original] = type(original.__name__, bases, {"__getattribute__": getattribute})
            METACLASSES[_metaclasses[original]] = original
        return _metaclasses[original]

    def fill(self, made: type, cls: type) -> None:
        for name, attribute in list(vars(cls).items()):
            if name not in _OWN:
                item = self.attribute(attribute, name)
                if item is not _effects.ABSENT:
                    setattr(made, name, item)

        def getattribute(instance: Any, name: str) -> Any:
            if name == "__dict__" or (name not in self.names and name[:2] != "__"):
                self.check_name(instance, name)
            try:
                return object.__getattribute__(instance, name)
            except AttributeError:
                if name[:2] != "__" and name not in self.computed:
                    self.check_name(instance, name)
                raise

        made.__getattribute__ = getattribute  # type: ignore[method-assign, assignment]  # a class made here
        if made.__repr__ is object.__repr__:
            made.__repr__ = lambda instance: refuse("shows the address of an object")  # type: ignore[method-assign, assignment, misc]
        if made.__hash__ is object.__hash__:  # a dict or a set of the outside knows the object itself
            made.__hash__ = lambda instance: self.hash_of(instance)  # type: ignore[method-assign, assignment, misc]  # a class made here
        self.class_copies.append((made, _dict_of(made)))

    def hash_of(self, instance: Any) -> int:
        """That of the object that the twin of one stands for. What stands for an argument, or was made while recording, is unknown outside."""
        if id(instance) not in self.originals:
            return int(refuse("asks for the hash of an object, which says which one it is"))
        return object.__hash__(self.originals[id(instance)])

    def followed(self, value: Any) -> Any:
        """The twin of a function of a class; `ABSENT` for one that nothing was known to call."""
        kind = self.kinds.get(id(value))
        if kind in ("function", "same", "disabled", "refused"):
            return self.swap(value)
        pure = is_own(value) if type(value) is types.FunctionType else is_pure(getattr(value, "__module__", None))
        return value if pure else _effects.ABSENT

    def attribute(self, value: Any, name: str) -> Any:
        """What takes the place of an attribute of a class."""
        if type(value) is types.FunctionType:
            return self.followed(value)
        if type(value) in (staticmethod, classmethod):
            function = self.followed(value.__func__)
            if issubclass(type(function), Forbidden):  # of which Python would read the name
                forbidden = function
                function = lambda *args, **kwargs: forbidden(*args, **kwargs)  # noqa: E731
            return function if function is _effects.ABSENT else type(value)(function)
        if isinstance(value, property):
            return self.property_of(value, name)
        if type(value) is functools.cached_property:
            function = self.followed(value.func)
            if function is _effects.ABSENT:
                return function
            made = functools.cached_property(function)
            made.__set_name__(type(None), name)
            return made
        if self.kinds.get(id(value)) == "builtin" and not isinstance(value, type):
            return staticmethod(self.swap(value))  # no method, as it is none
        if id(value) in self.inputs or id(value) in self.kinds:
            return self.swap(value)
        if isinstance(value, PLAIN) or name[:2] == "__":
            return value
        return Forbidden(f"uses {name} of a class") if name in self.names else _effects.ABSENT

    def property_of(self, value: property, name: str) -> Any:
        """A property that is read as the class's; what sets or deletes one ends the recording."""

        def unknown(instance: Any) -> Any:
            raise AttributeError(name)

        def stored(instance: Any, *what: Any) -> None:
            refuse(f"sets or deletes the property {name}")

        function = value.fget and self.followed(value.fget)
        if function is _effects.ABSENT:
            if value.fset is None and value.fdel is None:
                return function
            function = unknown
        made = property(function, value.fset and stored, value.fdel and stored)
        made.__set_name__(type(None), name)  # type: ignore[attr-defined]  # which errors tell
        return made

    def check_classes(self) -> None:
        """Refuses what the recorded function changed in classes."""
        for made, before in self.class_copies:
            now = _dict_of(made)
            if now.keys() != before.keys() or any(now[name] is not item for name, item in before.items()):
                refuse(f"changes the class {made.__qualname__}")
