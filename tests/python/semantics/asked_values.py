"""What values, containers and iterators can be asked: see questions.py."""

# Written as users write, good style or not.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import array
import collections
import enum
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy
from questions import Bits, Cplx, Frozen, Group, Items, Kind, Level, Name, New, Pair, Raw, Real, Table, Unit, put, row, values

# Plain values: told by type and bits.

NUMBERS = (
    2,
    2.0,
    True,
    numpy.int64(2),
    numpy.float32(2),
    numpy.bool_(True),
    0,
    0.0,
    -0.0,
    False,
    complex(0.0, -0.0),
    complex(-0.0, 0.0),
    float("nan"),
    2**70,
    None,
)
values("number", "repr(o)", *NUMBERS[:3], *NUMBERS[6:])
values("number beside an array", "(x * o).dtype.str, str(x * o)", *NUMBERS[:-1])
values("type of a number", "type(o).__name__", *NUMBERS)
values("sign of a zero", "math.copysign(1.0, o)", 0.0, -0.0, 0, -0.0, 0.0)
values("text", "o + 'c'", "a", "b", "", "\ud800", "a\0")
values("bytes", "o.decode()", b"a", b"b", b"")
values("None or not", "o is None", None, 0, None, ...)
values("range", "sum(o) + len(o)", range(3), range(0, 6, 2), range(3, 0, -1), range(4))
values("slice", "str(x[o])", slice(0, 2), slice(1, None), slice(None, None, -1), slice(0, 2, 1))
values("slice's parts", "type(o.start).__name__, type(o.stop).__name__", slice(0, 2), slice(0.0, 2), slice(True, 2), slice(numpy.int64(0), 2))
values("dtype", "x.astype(o).dtype.str", numpy.dtype("f4"), numpy.dtype("f8"), numpy.dtype("i4"))
values("dtype's order", "o.byteorder, o.str", numpy.dtype("<f4"), numpy.dtype(">f4"))
values("NumPy's scalar", "o.dtype.str, str(o)", numpy.float64(1), numpy.float32(1), numpy.int8(1), numpy.float64(-0.0), numpy.float64(0.0))

# Containers and what is in them.

SETS = (
    {2},
    {2.0},
    {True},
    {0.0},
    {-0.0},
    {1, 2},
    {(0.0,)},
    {(-0.0,)},
    {(1, 2.0)},
    {(1.0, 2)},
    {"a"},
    {"a", "b"},
    {numpy.float32(2)},
    {numpy.int64(2)},
    set(),
)
SHOW = "str(sorted((repr(e) for e in o)))"
for kind in (set, frozenset):
    values(f"a {kind.__name__}'s elements", SHOW, *(kind(each) for each in SETS))
values(
    "a tuple's items",
    "repr(o)",
    (2,),
    (2.0,),
    (True,),
    (0.0,),
    (-0.0,),
    ((0.0,),),
    ((-0.0,),),
    (frozenset({0.0}),),
    (frozenset({-0.0}),),
    (frozenset({(2,)}),),
    (frozenset({(True,)}),),
)
values(
    "a dict's keys",
    "repr(list(o))",
    {2: 0},
    {2.0: 0},
    {True: 0},
    {0.0: 0},
    {-0.0: 0},
    {(0.0,): 0},
    {(-0.0,): 0},
    {frozenset({2}): 0},
    {frozenset({2.0}): 0},
)
values("a tuple in a dict", "repr(o['a'])", {"a": (1, 2)}, {"a": (1.0, 2)}, {"a": (1, frozenset({2}))}, {"a": (1, frozenset({2.0}))})


def becomes(*items: Any) -> Callable[[Any], None]:
    def change(o: Any) -> None:
        o.clear()
        (o.update if isinstance(o, (dict, set)) else o.extend)(items)

    return change


row("a set changed in place", lambda: {2}, SHOW, *(becomes(*each) for each in SETS))
row("a set's length", lambda: {2}, "len(o)", becomes(2, 3), becomes())
row("in a set", lambda: {2}, "2 in o, 'a' in o", becomes(3), becomes("a"), becomes(2, "a"))
row("a set's iteration", set, "[e for e in o]", becomes(8, 0), becomes(0, 8), becomes("a"), becomes(1, 9, 17), becomes(17, 9, 1))
row(
    "a list changed in place",
    lambda: [2],
    "repr(o)",
    *(becomes(each) for each in (2.0, True, 0.0, -0.0, (0.0,), (-0.0,), frozenset({2}), frozenset({2.0}), None)),
    becomes(),
)
row("a list's length", lambda: [1.0], "len(o)", becomes(1.0, 2.0), becomes())
row("a list's order", lambda: [1, 2], "o[0]", lambda o: o.reverse(), lambda o: o.reverse())
row("in a list", lambda: [1.0], "2 in o", becomes(2), becomes(True), becomes(2.0))
row("a dict's order", lambda: {"a": 1, "b": 2}, "list(o)", lambda o: o.update(a=o.pop("a")), lambda o: o.update(b=o.pop("b")))
row(
    "a dict's items",
    lambda: {"a": 1},
    "o['a'] + 1",
    lambda o: o.update(a=2),
    lambda o: o.update(a=2.0),
    lambda o: o.update(a=True),
    lambda o: o.update(a=-0.0),
    lambda o: o.update(a=0.0),
)
row("a key that is not there", dict, "o.get('a', 7.0)", lambda o: o.update(a=2.0), lambda o: o.clear())
row("in a dict", dict, "'a' in o", lambda o: o.update(a=2.0), lambda o: o.clear())
row("KeyError", dict, "try:\n    r = o['a']\nexcept KeyError:\n    r = 'none'", lambda o: o.update(a=2.0), lambda o: o.clear())
row("IndexError", list, "try:\n    r = o[1]\nexcept IndexError:\n    r = 'none'", lambda o: o.extend([1.0, 2.0]), lambda o: o.clear())
row("a dict's views", lambda: {"a": 1}, "list(o.items()), list(o.values()), len(o.keys())", lambda o: o.update(b=2), lambda o: o.pop("a"))
row(
    "a nested list",
    lambda: [[1.0, [2.0]]],
    "o[0][1][0]",
    lambda o: o[0][1].insert(0, 5.0),
    lambda o: o[0].__setitem__(1, [-1.0]),
    lambda o: o[0][1].__setitem__(0, True),
)
row("a nested set", lambda: [{1: {2}}], "repr(o[0][1])", lambda o: becomes(2.0)(o[0][1]), lambda o: becomes(True)(o[0][1]))
row(
    "a deque",
    lambda: collections.deque([1.0], 3),
    "sum(o) + len(o) + o.maxlen",
    lambda o: o.append(2.0),
    lambda o: o.rotate(1),
    lambda o: New(collections.deque(o, 7)),
)
row("an OrderedDict", lambda: collections.OrderedDict(a=1.0, b=2.0), "list(o.items())", lambda o: o.move_to_end("a"), lambda o: o.update(a=3.0))
row(
    "a defaultdict",
    lambda: collections.defaultdict(float, a=1.0),
    "o['a'] + o.default_factory()",
    lambda o: o.update(a=2.0),
    put("default_factory", lambda: 5.0),
)
row("a Counter", lambda: collections.Counter("aab"), "o['a'] + o['z'] + o.total()", lambda o: o.update("aaz"), lambda o: o.clear())
row("a ChainMap", lambda: collections.ChainMap({"a": 1.0}, {"b": 2.0}), "o['b'] + len(o)", lambda o: o.maps[1].update(b=5.0), lambda o: o.update(b=7.0))
row("a UserDict", lambda: collections.UserDict(a=1.0), "o['a'] + len(o)", lambda o: o.update(a=2.0), lambda o: o.update(b=2.0))
row(
    "a mapping proxy",
    lambda: TABLE.update(a=1.0) or types.MappingProxyType(TABLE),
    "o['a']",
    lambda o: TABLE.update(a=2.0),
    lambda o: TABLE.update(a=True),
)
row("a bytearray", lambda: bytearray(b"ab"), "o[0] + len(o)", lambda o: o.__setitem__(0, 7), lambda o: o.append(1))
row("an array.array", lambda: array.array("d", [1.0]), "o[0] + len(o)", lambda o: o.__setitem__(0, 7), lambda o: o.append(1))
row("a memoryview", lambda: memoryview(bytearray(b"ab")), "o[0] + len(o)", lambda o: o.__setitem__(0, 7), lambda o: o.__setitem__(1, 7))
TABLE = {"a": 1.0}

# Iterators, which every question changes.

row("an iterator", lambda: iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), "next(o, 'end')", lambda o: None, lambda o: next(o))
row("a generator", lambda: (float(k) for k in range(20)), "next(o, 'end')", lambda o: None, lambda o: next(o))
row("a range's iterator", lambda: iter(range(20)), "next(o)", lambda o: None, lambda o: next(o))
row("an enumeration", lambda: enumerate("abcdefghijkl"), "next(o)[1]", lambda o: None, lambda o: next(o))
row("a zip", lambda: zip("abcdefgh", range(8)), "next(o)[1]", lambda o: None, lambda o: next(o))
row("a map", lambda: map(float, range(20)), "next(o)", lambda o: None, lambda o: next(o))
row("a count", lambda: itertools_count(), "next(o)", lambda o: None, lambda o: next(o))
row("a reversed list", lambda: reversed([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), "next(o)", lambda o: None, lambda o: next(o))
row("an iterator's hint", lambda: iter([1.0, 2.0, 3.0]), "o.__length_hint__()", lambda o: next(o), lambda o: next(o))


def itertools_count() -> Any:
    import itertools

    return itertools.count()


# Subclasses of plain types, with attributes of their own.

for cls, value in (
    (Unit, 2),
    (Real, 2.0),
    (Name, "ab"),
    (Raw, b"ab"),
    (Pair, (1.0, 2.0)),
    (Items, [1.0]),
    (Table, {"a": 1.0}),
    (Group, {1}),
    (Frozen, {1}),
    (Cplx, 1j),
):
    title = f"a {cls.__name__}"

    def at(offset: Any, cls: Any = cls, value: Any = value) -> Any:
        made = cls(value)
        made.offset = offset
        return made

    values(f"{title}'s attribute", "o.offset + 1", *(at(k) for k in (0.0, 1.0, 2.0, True)))
    row(f"{title}'s attribute, set", functools.partial(at, 0.0), "o.offset + 1", put("offset", 1.0), put("offset", -0.0), put("offset", True))
    values(f"{title} or what it is of", "type(o).__name__", at(0.0), value if cls not in (Group, Frozen) else cls.__base__(value), at(0.0))
    values(f"{title}'s value", "repr(o)", at(0.0), cls(), at(0.0))
row("a list subclass's items", lambda: Items([1.0]), "o[0] + len(o)", lambda o: o.append(1.0), lambda o: o.__setitem__(0, 7.0))
row("a dict subclass's items", lambda: Table(a=1.0), "o['a'] + len(o)", lambda o: o.update(a=2.0), lambda o: o.update(b=2.0))
row("a set subclass's items", lambda: Group([1]), "sum(o)", lambda o: o.add(2.0), lambda o: o.add(3.0))
values("an int subclass beside an array", "str(x * o)", Unit(2), Unit(3), 3, Unit(2))

# Enumerations.

values("an enumeration's member", "o.value, o.name", Kind.A, Kind.B, Kind.A)
values("an IntEnum", "o + 1, o.name", Level.LOW, Level.HIGH, 1, Level.LOW)
values("a Flag", "o.value", Bits.A, Bits.A | Bits.B, Bits.B)


def fresh_enum() -> Any:
    class Fresh(enum.Enum):
        A = 1.0
        B = 2.0

    return Fresh.A


row("a member's value", fresh_enum, "o.value", put("_value_", 5.0), put("_value_", True))
row("a member's attribute", fresh_enum, "getattr(o, 'k', 0.0)", put("k", 5.0), put("k", 7.0))
row("an enumeration's members", lambda: type(fresh_enum()), "len(o), o.A.value", lambda o: put("_value_", 5.0)(o.A), lambda o: put("_value_", 6.0)(o.A))
