"""Every way in which Python can be asked something, as a table (asked_*.py): a thing, a question about it, and what changes the answer.

A question is an expression over `o`, or lines that set `r`. A step changes the thing in place, or gives another one (`New`) in its place.
"""

# Written as users write, good style or not.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Callable
from typing import Any


class New:
    """What takes the thing's place."""

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclasses.dataclass
class Question:
    name: str
    make: Callable[[], Any]
    ask: str
    steps: tuple[Callable[[Any], Any], ...]


QUESTIONS: list[Question] = []


def row(name: str, make: Callable[[], Any], ask: str, *steps: Callable[[Any], Any]) -> None:
    assert all(each.name != name for each in QUESTIONS), name
    QUESTIONS.append(Question(name, make, ask, steps))


def values(name: str, ask: str, *each: Any) -> None:
    """The thing is one of these after the other. A function makes a value."""
    made = [one if isinstance(one, types.LambdaType) else functools.partial(lambda value: value, one) for one in each]
    row(name, made[0], ask, *(functools.partial(lambda make, _: New(make()), one) for one in made[1:]))


def put(name: str, value: Any) -> Callable[[Any], None]:
    return lambda o: setattr(o, name, value)


def drop(name: str) -> Callable[[Any], None]:
    return lambda o: delattr(o, name)


class Plain:
    """An object with nothing in it."""


class Other:
    def go(self):
        return 3.0


class Unit(int):
    def __new__(cls, value=0, offset=0.0):
        made = int.__new__(cls, value)
        made.offset = offset
        return made


class Real(float):
    offset = 0.0


class Name(str):
    offset = 0.0


class Raw(bytes):
    offset = 0.0


class Pair(tuple):
    offset = 0.0


class Items(list):
    offset = 0.0


class Table(dict):
    offset = 0.0


class Group(set):
    offset = 0.0


class Frozen(frozenset):
    offset = 0.0


class Cplx(complex):
    offset = 0.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(enum.Enum):
    A = 1.0
    B = 2.0


class Bits(enum.Flag):
    A = 1
    B = 2


class Point(typing.NamedTuple):
    a: float
    b: float = 1.0


@dataclasses.dataclass
class Record:
    k: Any = 1.0


@dataclasses.dataclass(frozen=True)
class Fixed:
    k: Any = 1.0


@dataclasses.dataclass(slots=True)
class Tight:
    k: Any = 1.0


class Slots:
    __slots__ = ("k",)

    def __init__(self, k=1.0):
        self.k = k
