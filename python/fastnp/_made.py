"""Generators of random numbers that a recorded function makes: each call of the compiled function makes them anew.

Making one, and all that is asked of it, are calls of the outside. Such a call gives its generators a place among those of the call that is under way
(`_core._made_objects()`), by its number and by where they lie in what it gave. While recording, a `Made` says this place; calls take what lies there.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core
from fastnp._outside import Outside, in_place
from fastnp._stand_ins import Hidden, refuse

Place = tuple[int, ...]


def _kinds() -> tuple[type, ...]:
    from fastnp import random

    drawers = numpy.random
    return random.Generator, drawers.Generator, drawers.RandomState, drawers.BitGenerator, drawers.SeedSequence


def _own_kinds() -> tuple[type, ...]:
    from fastnp import random

    return random.Generator, random.RandomState


class Making(Outside):
    """A function that makes generators, or asks one of them for something."""

    __slots__ = ("number",)

    def __init__(self, name: str, function: Callable[..., Any], number: int | None = None) -> None:
        super().__init__(name, function)
        self.number = _core._outside_calls() if number is None else number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from fastnp import _mapped  # which imports this

        if _mapped.is_active():
            return refuse(f"calls {self.__name__} in a function that is mapped")
        return self._stood_for(_core._call_outside(self, args, kwargs), (self.number,))

    def call(self, *args: Any, **kwargs: Any) -> Any:
        made = _core._made_objects()
        return self._placed(self.counted(*_found(args, made), **_found(kwargs, made)), (self.number,), made)

    def _placed(self, value: Any, place: Place, made: dict[Place, Any]) -> Any:
        """The result, with nothing in the places of generators."""
        if isinstance(value, _kinds()):
            made[place] = value
            return None
        if type(value) in (tuple, list):
            return type(value)(self._placed(item, (*place, number), made) for number, item in enumerate(value))
        return value

    def _stood_for(self, value: Any, place: Place) -> Any:
        """The recorded result, with what stands for generators in their places."""
        made = _core._made_objects()
        if place in made:
            return next(stand_in(known) for known, each in made.items() if each is made[place])
        if type(value) in (tuple, list):
            return type(value)(self._stood_for(item, (*place, number)) for number, item in enumerate(value))
        return value


def _found(tree: Any, made: dict[Place, Any]) -> Any:
    """The arguments with the generators that they name."""
    if type(tree) is Made:
        return made[place_of(tree)]
    if type(tree) in (tuple, list):
        return type(tree)(_found(item, made) for item in tree)
    if type(tree) is dict:
        return {key: _found(item, made) for key, item in tree.items()}
    return tree


_COPIED: dict[str, Callable[[Any], Any]] = {"__copy__": copy.copy, "__deepcopy__": copy.deepcopy}


def copied(source: Any, name: str) -> Any:
    """A method of a generator that is there already, which makes one like it."""
    return lambda *memo: Making(f"copy.{name.strip('_')}", functools.partial(_COPIED[name], source))()


def _asked(generator: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    return getattr(generator, name)(*args, **kwargs)


class Made(Hidden):
    """A generator that the recorded function made, for the twin."""

    __slots__ = ("_place",)

    def __init__(self, place: Place) -> None:
        object.__setattr__(self, "_place", place)

    def __getattribute__(self, name: str) -> Any:
        found = _core._made_objects()[place_of(self)]
        if name == "__class__":
            return type(found)
        if name in ("__copy__", "__deepcopy__"):
            return lambda *memo: Making(f"copy.{name.strip('_')}", _COPIED[name])(self)
        if name.startswith("_") or in_place(name):
            return refuse(f"uses {name} of a generator of random numbers")
        value = getattr(found, name)
        is_own = isinstance(found, _own_kinds())  # which counts itself
        home = f"{'' if is_own else 'numpy.'}random.{type(found).__name__}.{name}"
        if not callable(value):
            return Making(home, getattr)(self, name)
        return lambda *args, **kwargs: Making(home, _asked)(self, name, *args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        refuse("changes a generator of random numbers")

    def __repr__(self) -> str:
        return refuse("shows a generator of random numbers")


def place_of(made: Made) -> Place:
    return object.__getattribute__(made, "_place")


_stand_ins: dict[Place, Made] = {}


def stand_in(place: Place) -> Made:
    """One for each place: what is the same generator is the same here."""
    return _stand_ins.setdefault(place, Made(place))


class Maker:
    """A function or a class that makes generators, for the twin."""

    def __init__(self, name: str, made: Any) -> None:
        self.__name__ = name
        self.made = made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Making(self.__name__, self.made)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return refuse(f"uses {name} of {self.__name__}")

    def stands_for(self) -> Any:
        """What `isinstance` is asked about."""
        return self.made
