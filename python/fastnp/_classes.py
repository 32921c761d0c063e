"""Classes in recorded functions: twins with twins of their methods, so that what these read is seen, and what they do is noted.

The twins of a class and of its bases have each other as bases, so ``super()`` finds twins. A class that no twin can be made of is used as it is if it
has no functions of the user's; else its use ends the recording.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from fastnp import _effects
from fastnp._reads import Reads, is_plain, is_pure, is_record
from fastnp._stand_ins import PLAIN, Forbidden, refuse

_OWN = frozenset(["__dict__", "__weakref__", "__slots__", "_abc_impl", "__getattribute__"])


def _has_functions(cls: type) -> bool:
    """Whether it has functions that would have to be followed."""
    attributes = [item for base in cls.__mro__ for item in vars(base).values()]
    parts = [part for item in attributes for part in (item, *(getattr(item, name, None) for name in ("__func__", "fget", "fset", "fdel", "func")))]
    return any(type(part) is types.FunctionType and not is_pure(part.__module__) for part in parts)


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
        if original is None or (isinstance(original, type) and is_pure(original.__module__)):
            return
        bases = original.__mro__ if isinstance(original, type) else type(original).__mro__
        known = {each for base in bases if not is_pure(base.__module__) for each in vars(base) if each[:2] != "__"}
        if not isinstance(original, type):
            known |= vars(original).keys()
        found = known if name in known else {*known, name} if name == "__dict__" else {name}
        if not found <= (self.names if found is known else self.computed):
            self.computed |= found
            self.again = True
            refuse(f"reads {name} by a computed name")

    def check_class(self, value: Any, name: Any) -> None:
        """The same for classes, which do not say what is read of them."""
        if isinstance(value, type) and type(name) is str and (name not in self.names or not hasattr(value, name)):
            self.check_name(value, name)

    def stand_in_getattr(self, value: Any, name: str, /, *default: Any) -> Any:
        self.check_class(value, name)
        return getattr(value, name, *default)

    def stand_in_hasattr(self, value: Any, name: str, /) -> bool:
        self.check_class(value, name)
        return hasattr(value, name)

    # Twins.

    def swap_class(self, value: type) -> Any:
        if is_record(value):
            return value
        twin = self.twin(value)
        if twin is None and _has_functions(value):
            return Forbidden(f"uses {value.__module__}.{value.__qualname__}, a class that can't be followed")
        return value if twin is None else twin

    def twin(self, cls: type) -> type | None:
        if cls is object or is_pure(cls.__module__):
            return cls
        key = id(cls)
        if key not in self.classes:
            self.classes[key] = None
            bases = [twin for twin in (self.twin(base) for base in cls.__bases__) if twin is not None]
            if is_plain(cls) and len(bases) == len(cls.__bases__):
                named = {name: vars(cls)[name] for name in ("__module__", "__doc__", "__orig_bases__") if name in vars(cls)}
                try:
                    made = type(cls)(cls.__name__, tuple(bases), {**named, "__qualname__": cls.__qualname__})
                except TypeError:  # a base has its own mind
                    return None
                if "__abstractmethods__" in vars(cls):
                    made.__abstractmethods__ = vars(cls)["__abstractmethods__"]  # type: ignore[attr-defined]  # of ABCMeta alone
                self.classes[key] = self.memo[key] = made
                self.originals[id(made)] = cls
                self.fill(made, cls)
        return self.classes[key]

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
        self.class_copies.append((made, dict(vars(made))))

    def followed(self, value: Any) -> Any:
        """The twin of a function of a class; `ABSENT` for one that nothing was known to call."""
        kind = self.kinds.get(id(value))
        if kind in ("function", "same", "disabled", "refused"):
            return self.swap(value)
        return value if is_pure(getattr(value, "__module__", None)) else _effects.ABSENT

    def attribute(self, value: Any, name: str) -> Any:
        """What takes the place of an attribute of a class."""
        if type(value) is types.FunctionType:
            return self.followed(value)
        if type(value) in (staticmethod, classmethod):
            function = self.followed(value.__func__)
            return function if function is _effects.ABSENT else type(value)(function)
        if type(value) is property:
            function = self.followed(value.fget)
            return function if function is _effects.ABSENT else property(function)  # setting one ends the recording
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
        return value if isinstance(value, PLAIN) or name[:2] == "__" else _effects.ABSENT

    def check_classes(self) -> None:
        """Refuses what the recorded function changed in classes."""
        for made, before in self.class_copies:
            now = dict(vars(made))
            if now.keys() != before.keys() or any(now[name] is not item for name, item in before.items()):
                refuse(f"changes the class {made.__qualname__}")
