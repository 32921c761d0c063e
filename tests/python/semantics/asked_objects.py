"""What objects and classes can be asked: see questions.py."""

# Written as users write, good style or not.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import abc
import collections
import functools
import types
import typing
from typing import Any

from questions import Fixed, Other, Plain, Point, Record, Slots, Tight, drop, put, row, values

import fastnp

# Attributes that are there, or not.

MISSING = (put("k", 2.0), put("k", 3.0), drop("k"))


def function() -> Any:
    def g(a=1.0):
        return a

    return g


def module() -> Any:
    return types.ModuleType("m")


def new_class() -> Any:
    return type("C", (), {})


def inherited() -> Any:
    class A:
        pass

    class B(A):
        pass

    return B()


HOLDERS = {
    "an object": Plain,
    "a function": function,
    "a class": new_class,
    "a module": module,
    "a namespace": types.SimpleNamespace,
    "a partial": lambda: functools.partial(function()),
    "a slotted object": lambda: Slots.__new__(Slots),
    "an exception": lambda: ValueError("a"),
    "a compiled function": lambda: fastnp.compile(function()),
    "an abstract class": lambda: abc.ABCMeta("C", (), {}),
    "a class with a metaclass": lambda: type("Meta", (type,), {})("C", (), {}),
}
ASKS = {
    "hasattr": "hasattr(o, 'k')",
    "getattr": "getattr(o, 'k', 0.0)",
    "computed getattr": "getattr(o, ''.join(['k']), 0.0)",
    "try": "try:\n    r = o.k\nexcept AttributeError:\n    r = 'none'",
    "vars": "'k' in vars(o)",
    "__dict__": "'k' in o.__dict__",
    "dir": "'k' in dir(o)",
    "operator": "try:\n    r = operator.attrgetter('k')(o)\nexcept AttributeError:\n    r = 'none'",
    "unguarded": "o.k",
}
for holder, make in HOLDERS.items():
    for how, ask in ASKS.items():
        row(f"{how} of {holder}", make, ask, *MISSING)
for how in ("hasattr", "getattr", "try", "computed getattr", "dir", "unguarded"):
    row(
        f"{how} of an object's class",
        inherited,
        ASKS[how],
        *(functools.partial(lambda step, o: step(type(o).__mro__[1]), step) for step in MISSING),
        put("k", 4.0),
        drop("k"),
    )
    row(
        f"{how} of a base",
        lambda: type(inherited()),
        ASKS[how],
        *(functools.partial(lambda step, o: step(o.__mro__[1]), step) for step in MISSING),
        put("k", 4.0),
        drop("k"),
    )
    row(f"{how} of a method's function", lambda: Other().go, ASKS[how], *(functools.partial(lambda step, o: step(o.__func__), step) for step in MISSING))
row("an attribute that hides the class's", lambda: type("C", (), {"k": 1.0})(), "o.k", put("k", 2.0), drop("k"), put("k", True))
row("a method hidden by an attribute", Other, "o.go()", put("go", lambda: 7.0), drop("go"))
row(
    "a class's attribute",
    lambda: type("C", (), {"k": 1.0})(),
    "o.k",
    lambda o: put("k", 2.0)(type(o)),
    lambda o: put("k", property(lambda self: 9.0))(type(o)),
    lambda o: put("k", 3)(type(o)),
)


def computed() -> Any:
    class Computed:
        def __init__(self):
            self.a = 1.0

        @property
        def k(self):
            return self.a

    return Computed()


def getter(self: Any, name: str) -> Any:
    if name == "k":
        return self.__dict__.get("hidden", 0.0)
    raise AttributeError(name)


row("a property", computed, "o.k", put("a", 2.0), lambda o: put("k", property(lambda self: 7.0))(type(o)), put("a", 3.0))
row("__getattr__", lambda: type("C", (), {"__getattr__": getter})(), "o.k", put("hidden", 2.0), put("hidden", 3.0), put("k", 9.0))
row(
    "__getattr__ that appears",
    lambda: type("C", (), {})(),
    "getattr(o, 'k', 1.0)",
    lambda o: put("__getattr__", getter)(type(o)),
    put("hidden", 3.0),
    lambda o: drop("__getattr__")(type(o)),
)
row(
    "__getattribute__ that appears",
    lambda: type("C", (), {"k": 1.0})(),
    "o.k",
    lambda o: put("__getattribute__", lambda self, name: 5.0)(type(o)),
    lambda o: drop("__getattribute__")(type(o)),
)


class Descriptor:
    def __get__(self, instance, owner):
        return vars(self).get("v", 1.0)


row(
    "a descriptor",
    lambda: type("C", (), {"k": Descriptor()})(),
    "o.k",
    lambda o: put("v", 2.0)(vars(type(o))["k"]),
    lambda o: put("v", 3.0)(vars(type(o))["k"]),
)
row(
    "a descriptor that appears",
    lambda: type("C", (), {"k": 1.0})(),
    "o.k",
    lambda o: put("k", Descriptor())(type(o)),
    lambda o: put("v", 3.0)(vars(type(o))["k"]),
)
row("a module's __getattr__", module, "getattr(o, 'k', 1.0)", put("__getattr__", lambda name: 5.0), drop("__getattr__"))
row("an object's dict", Plain, "sorted(vars(o))", put("a", 1.0), put("b", 1.0), drop("a"))
row("an object's dict, another", Plain, "getattr(o, 'k', 1.0)", put("__dict__", {"k": 2.0}), put("__dict__", {"k": 3.0}), put("__dict__", {}))
row("a dict that is shared", Plain, "getattr(o, 'k', 1.0)", lambda o: vars(o).update(k=2.0), lambda o: vars(o).clear())
row("a cached property", lambda: type("C", (), {"k": cached(lambda self: 4.0)})(), "o.k", put("k", 2.0), drop("k"))


def cached(function: Any) -> Any:
    made = functools.cached_property(function)
    made.__set_name__(None, "k")
    return made


for cls in (Record, Fixed, Tight, Slots):
    row(
        f"a {cls.__name__}'s field",
        cls,
        "o.k",
        *(functools.partial(lambda value, o: object.__setattr__(o, "k", value), value) for value in (2.0, 3.0, True, -0.0, 0.0)),
    )
    row(f"whether a {cls.__name__} has a field", cls, "hasattr(o, 'k')", lambda o: object.__delattr__(o, "k"), lambda o: object.__setattr__(o, "k", 1.0))
row("a dataclass's further attribute", Record, "hasattr(o, 'other')", put("other", 1.0), drop("other"))
values("two dataclasses", "o == Record(1.0)", Record(1.0), Record(2.0), Fixed(1.0), Record(True))
values("a named tuple", "o.a + o.b", Point(1.0), Point(2.0), Point(True, 0.0), (lambda: collections.namedtuple("Point", "b a")(1.0, 5.0)))
values("a named tuple's name", "type(o).__name__, o._fields", Point(1.0), lambda: collections.namedtuple("Q", "a b")(1.0, 1.0), Point(1.0))
values("a tuple or a named one", "type(o) is tuple", Point(1.0), (1.0, 1.0), Point(1.0))

# Classes.

swap = [lambda o: setattr(o, "__class__", Other), lambda o: setattr(o, "__class__", Plain)]


def two_classes() -> Any:
    class A:
        k = 1.0

        def go(self):
            return 1.0

    class B:
        k = 2.0

        def go(self):
            return 2.0

    o = A()
    o.classes = [A, B]
    return o


def swapped(o: Any) -> None:
    o.__class__ = vars(o)["classes"][type(o).__name__ == "A"]


for name, ask in {
    "method": "o.go()",
    "attribute": "o.k",
    "type": "type(o).__name__",
    "__class__": "o.__class__.__name__",
    "isinstance": "isinstance(o, o.classes[0])",
    "type is": "type(o) is o.classes[0]",
    "type equals": "type(o) == o.classes[0]",
    "match": "match o:\n    case Plain():\n        r = 1\n    case _:\n        r = type(o).__name__",
}.items():
    row(f"a class that is swapped: {name}", two_classes, ask, swapped, swapped, swapped)
row("a class that is swapped, of nothing", Plain, "type(o) is Plain, hasattr(o, 'go'), isinstance(o, Other)", *swap, swap[0])
row(
    "a class that is swapped, of a slotted object",
    lambda: SLOTTED[0](),
    "o.go()",
    lambda o: setattr(o, "__class__", SLOTTED[1]),
    lambda o: setattr(o, "__class__", SLOTTED[0]),
)
row("a module's class", module, "getattr(o, 'k', 0.0)", lambda o: setattr(o, "__class__", LoudModule), lambda o: setattr(o, "__class__", types.ModuleType))


class LoudModule(types.ModuleType):
    k = 5.0


SLOTTED = [type("S", (), {"__slots__": ("a",), "go": functools.partialmethod(lambda self, v: v, v)}) for v in (1.0, 2.0)]


def family() -> Any:
    class A:
        def go(self):
            return 1.0

    class B:
        def go(self):
            return 2.0

    class C(A):
        pass

    C.others = (A, B)
    return C


rebase = [
    lambda o: setattr(o, "__bases__", (o.others[1],)),
    lambda o: setattr(o, "__bases__", o.others[::-1]),
    lambda o: setattr(o, "__bases__", (o.others[0],)),
]
for name, ask in {
    "method": "o().go()",
    "__bases__": "[b.__name__ for b in o.__bases__]",
    "__base__": "o.__base__.__name__",
    "__mro__": "[b.__name__ for b in o.__mro__]",
    "mro()": "[b.__name__ for b in o.mro()]",
    "issubclass": "issubclass(o, o.others[0])",
    "isinstance": "isinstance(o(), o.others[1])",
    "super": "super(o, o()).go()",
}.items():
    row(f"bases that change: {name}", family, ask, *rebase)
row("bases that change, of an object", lambda: family()(), "o.go()", *(functools.partial(lambda step, o: step(type(o)), step) for step in rebase))


def keep(o: Any) -> Any:
    o.kept = [*getattr(o, "kept", ()), type("Sub", (o,), {})]


row("subclasses", new_class, "len(o.__subclasses__())", keep, keep)
row("a class's name", new_class, "o.__name__, o.__qualname__, o.__module__", put("__name__", "D"), put("__qualname__", "E"), put("__module__", "F"))
row("a class's text", new_class, "o.__doc__", put("__doc__", "text"), put("__doc__", "other"))
row(
    "a class's annotations",
    lambda: type("C", (), {"__annotations__": {"a": int}}),
    "list(o.__annotations__)",
    lambda o: o.__annotations__.update(b=int),
    lambda o: put("__annotations__", {})(o),
)
row("a class's dict", new_class, "'k' in o.__dict__, len(o.__dict__)", put("k", 1.0), drop("k"))
row(
    "a class that is called",
    lambda: type("C", (), {"__init__": lambda self: put("k", 1.0)(self)}),
    "o().k",
    put("__init__", lambda self: put("k", 2.0)(self)),
    put("__new__", lambda cls: types.SimpleNamespace(k=3.0)),
)
row(
    "a class's staticmethod",
    lambda: type("C", (), {"go": staticmethod(lambda: 1.0)}),
    "o.go()",
    put("go", staticmethod(lambda: 2.0)),
    put("go", classmethod(lambda cls: 3.0)),
)


def abstract() -> Any:
    class Base(abc.ABC):
        pass

    class A:
        pass

    Base.one = A
    Base.o = A()
    return Base


def hooked() -> Any:
    class Base(abc.ABC):
        answer = [False]

        @classmethod
        def __subclasshook__(cls, other):
            return cls.answer[0]

    Base.one = type("A", (), {})
    return Base


def instance_checked() -> Any:
    class Meta(type):
        def __instancecheck__(cls, other):
            return cls.answer[0]

        def __subclasscheck__(cls, other):
            return cls.answer[0]

    return Meta("C", (), {"answer": [False], "one": type("A", (), {})})


def protocol() -> Any:
    class Goes(typing.Protocol):
        def go(self): ...

    Goes.one = type("A", (), {})
    return typing.runtime_checkable(Goes)


register = lambda o: o.register(o.one)
answer = [lambda o: o.answer.__setitem__(0, True), lambda o: o.answer.__setitem__(0, False)]
grow = [lambda o: put("go", lambda self: 1.0)(o.one), lambda o: drop("go")(o.one)]
for title, make, steps in (
    ("register", abstract, [register]),
    ("__subclasshook__", hooked, answer),
    ("__instancecheck__", instance_checked, answer),
    ("a protocol", protocol, grow),
):
    row(f"{title}: isinstance", make, "isinstance(o.one(), o)", *steps)
    row(f"{title}: issubclass", make, "issubclass(o.one, o)", *steps)
    row(f"{title}: isinstance of several", make, "isinstance(o.one(), (int, o))", *steps)
    row(f"{title}: a union", make, "isinstance(o.one(), int | o)", *steps)
row(
    "abc's own register",
    lambda: type("A", (), {})(),
    "isinstance(o, collections.abc.Sized), isinstance(o, collections.abc.Hashable)",
    lambda o: collections.abc.Sized.register(type(o)),
    lambda o: None,
)
row(
    "a method that makes it an ABC's",
    lambda: type("A", (), {})(),
    "isinstance(o, collections.abc.Callable), callable(o)",
    lambda o: put("__call__", lambda self: 1)(type(o)),
    lambda o: drop("__call__")(type(o)),
)
row(
    "abstract methods",
    abstract,
    "try:\n    r = type(o()).__name__\nexcept TypeError:\n    r = 'abstract'",
    put("__abstractmethods__", frozenset({"go"})),
    put("__abstractmethods__", frozenset()),
)


def counts_its_questions() -> Any:
    """An object that changes when it is asked for what it has not."""

    def asked(self, name):
        type(self).asked += 1.0
        return type(self).asked

    return type("Counts", (), {"__getattr__": asked, "asked": 0.0})()


row("__getattr__ that counts", counts_its_questions, "o.absent", lambda o: None)
