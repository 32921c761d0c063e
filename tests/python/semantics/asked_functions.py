"""What special methods and functions can be asked: see questions.py."""

# Written as users write, good style or not.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import functools
import operator
import types
from typing import Any

import numpy
from asked_objects import function, swapped, two_classes
from asked_values import becomes
from questions import New, Other, drop, put, row, values

# Special methods.

SPECIAL = {
    "__eq__": ("o == 1, o != 1", True, False),
    "__ne__": ("o != 1", True, False),
    "__lt__": ("o < 1", True, False),
    "__bool__": ("bool(o), not o", False, True),
    "__len__": ("len(o), bool(o)", 0, 3),
    "__contains__": ("1 in o", True, False),
    "__getitem__": ("o[0]", 1.0, 2.0),
    "__call__": ("o()", 1.0, 2.0),
    "__int__": ("int(o)", 1, 2),
    "__float__": ("float(o)", 1.0, 2.0),
    "__complex__": ("complex(o)", 1j, 2j),
    "__index__": ("[5, 6, 7][o], hex(o)", 1, 2),
    "__hash__": ("hash(o) < 9", 1, 20),
    "__repr__": ("repr(o)", "a", "b"),
    "__str__": ("str(o), '%s' % (o,)", "a", "b"),
    "__format__": ("format(o, '3')", "a", "b"),
    "__bytes__": ("bytes(o)", b"a", b"b"),
    "__add__": ("o + 1", 1.0, 2.0),
    "__radd__": ("1 + o", 1.0, 2.0),
    "__rmul__": ("(x * o)", 1.0, 2.0),
    "__matmul__": ("o @ 1", 1.0, 2.0),
    "__neg__": ("-o", 1.0, 2.0),
    "__abs__": ("abs(o)", 1.0, 2.0),
    "__round__": ("round(o)", 1.0, 2.0),
    "__divmod__": ("divmod(o, 1)", 1.0, 2.0),
    "__pow__": ("o ** 2", 1.0, 2.0),
    "__reversed__": ("list(reversed(o))", [1.0], [2.0]),
    "__iter__": ("list(o)", iter, iter),
    "__length_hint__": ("operator.length_hint(o)", 1, 2),
    "__dir__": ("dir(o)", ["a"], ["b"]),
    "__sizeof__": ("o.__sizeof__()", 100, 200),
    "__array__": ("numpy.asarray(o).sum()", None, None),
    "__fspath__": ("os.fspath(o)", "a", "b"),
    "__enter__": ("with contextlib.nullcontext() if not hasattr(o, '__enter__') else o as e:\n    r = e", 1.0, 2.0),
}
for name, (ask, first, second) in SPECIAL.items():

    def special(answer: Any, name: str = name) -> Any:
        if name == "__iter__":
            return lambda self, *rest: iter([1.0 if answer is first else 2.0])
        return lambda self, *rest: vars(self).get("answer", answer)

    def make_special(name: str = name, first: Any = first) -> Any:
        made: dict[str, Any] = {name: (lambda make: make(first))(special)}
        if name == "__iter__":
            made[name] = lambda self: iter(vars(self).get("items", [1.0]))
        if name == "__array__":
            made[name] = lambda self, *rest, **more: numpy.array(vars(self).get("items", [1.0]))
        if name == "__enter__":
            made["__exit__"] = lambda self, *rest: None
        if name == "__eq__":
            made["__hash__"] = None
        return type("C", (), made)()

    if name in ("__iter__", "__array__"):
        row(f"{name}", make_special, ask, put("items", [3.0]), put("items", [4.0]))
    else:
        row(
            f"{name}",
            make_special,
            ask,
            put("answer", second),
            functools.partial(lambda name, second, o: setattr(type(o), name, lambda self, *rest: second), name, second),
            functools.partial(lambda name, o: delattr(type(o), name), name),
        )


class Liar:
    """Equal to everything, or to nothing, or raises."""

    def __init__(self, says):
        self.says = says

    def __eq__(self, other):
        if self.says == "raises":
            raise ValueError("asked")
        return self.says

    __hash__ = object.__hash__


row("a liar", lambda: Liar(True), "o == 1", put("says", False), put("says", "raises"), put("says", True))
row("a liar in a set", lambda: {Liar(True)}, "len(o)", lambda o: becomes(Liar("raises"))(o), lambda o: becomes(Liar(True), Liar(False))(o))
row("a liar in a list", lambda: [Liar(True)], "1 in o", lambda o: becomes(Liar(False))(o), lambda o: becomes(Liar("raises"))(o))
row("a liar in a tuple", lambda: (Liar(True), 1.0), "o[1]", lambda o: New((Liar(True), 2.0)), lambda o: New((Liar("raises"), 3.0)))
row("a liar as a key", lambda: {Liar(False): 1.0}, "sum(o.values())", lambda o: o.update({Liar(False): 2.0}), lambda o: o.clear())
row("a set and a liar", set, "2 in o", lambda o: New(Liar(True)), lambda o: New({2}))

# Functions.

f_steps = {
    "__defaults__": (
        "o()",
        put("__defaults__", (2.0,)),
        put("__defaults__", (True,)),
        put("__defaults__", (frozenset({2}),)),
        put("__defaults__", (frozenset({2.0}),)),
    ),
    "__defaults__ as such": ("repr(o.__defaults__)", put("__defaults__", (2.0,)), put("__defaults__", (True,)), put("__defaults__", None)),
    "__kwdefaults__": (
        "o(b=0) if o.__kwdefaults__ is None else o()",
        lambda o: put("__kwdefaults__", {"b": 3.0})(o),
        lambda o: o.__kwdefaults__.update(b=4.0),
        put("__kwdefaults__", None),
    ),
    "__code__": ("o()", lambda o: put("__code__", (lambda a=1.0: a + 1).__code__)(o), lambda o: put("__code__", (lambda a=1.0: a + 5).__code__)(o)),
    "__code__ as such": (
        "o.__code__.co_name, o.__code__.co_argcount",
        lambda o: put("__code__", (lambda a=1.0: a + 1).__code__)(o),
        lambda o: put("__code__", (lambda a, b: a + 5).__code__)(o),
    ),
    "__name__": ("o.__name__, o.__qualname__, o.__module__", put("__name__", "h"), put("__qualname__", "k"), put("__module__", "l")),
    "__doc__": ("o.__doc__", put("__doc__", "h"), put("__doc__", "k")),
    "__annotations__": ("list(o.__annotations__)", lambda o: put("__annotations__", {"a": int})(o), lambda o: o.__annotations__.update(b=int)),
    "__wrapped__": ("getattr(o, '__wrapped__', o)()", put("__wrapped__", lambda: 7.0), put("__wrapped__", lambda: 8.0), drop("__wrapped__")),
    "__dict__": ("len(o.__dict__)", put("a", 1.0), put("b", 1.0)),
    "__type_params__": ("len(getattr(o, '__type_params__', ()))", lambda o: None),
    "signature": ("str(inspect.signature(o))", put("__defaults__", (2.0,)), put("__signature__", None)),
}
for name, (ask, *steps) in f_steps.items():
    row(f"a function's {name}", function, ask, *steps)


def kw_function() -> Any:
    def g(*, b=1.0):
        return b

    return g


def closure() -> Any:
    k = 1.0

    def g():
        return k

    return g


row(
    "keyword defaults",
    kw_function,
    "o()",
    lambda o: put("__kwdefaults__", {"b": 3.0})(o),
    lambda o: o.__kwdefaults__.update(b=4.0),
    lambda o: o.__kwdefaults__.update(b=True),
    lambda o: o.__kwdefaults__.update(b=-0.0),
)
row(
    "a closure",
    closure,
    "o()",
    lambda o: put("cell_contents", 2.0)(o.__closure__[0]),
    lambda o: put("cell_contents", True)(o.__closure__[0]),
    lambda o: put("cell_contents", frozenset({2}))(o.__closure__[0]),
    lambda o: put("cell_contents", frozenset({2.0}))(o.__closure__[0]),
)
row(
    "__closure__",
    closure,
    "o.__closure__[0].cell_contents",
    lambda o: put("cell_contents", 2.0)(o.__closure__[0]),
    lambda o: put("cell_contents", True)(o.__closure__[0]),
)
row(
    "an empty cell",
    closure,
    "try:\n    r = o()\nexcept NameError:\n    r = 'none'",
    lambda o: drop("cell_contents")(o.__closure__[0]),
    lambda o: put("cell_contents", 2.0)(o.__closure__[0]),
)
values("another function", "o()", lambda: lambda: 1.0, lambda: lambda: 2.0, closure)
row("a bound method", lambda: Other().go, "o()", lambda o: New(types.MethodType(lambda self: 5.0, 1.0)), lambda o: New(Other().go))
row("a bound method's self", lambda: two_classes().go, "o.__self__.k", lambda o: put("k", 5.0)(o.__self__), lambda o: swapped(o.__self__))
row("a list's method", lambda: [1.0].__len__, "o()", lambda o: o.__self__.append(2.0), lambda o: o.__self__.append(2.0))
row("a list's method, called", lambda: [1.0].count, "o(1.0)", lambda o: o.__self__.append(1.0), lambda o: o.__self__.append(1.0))
row("a dict's method", lambda: {"a": 1.0}.get, "o('a')", lambda o: o.__self__.update(a=2.0), lambda o: o.__self__.update(a=True))
row("a set's method", lambda: {2}.__contains__, "o(3)", lambda o: o.__self__.add(3), lambda o: o.__self__.clear())
row("text's method", lambda: "ab".join, "o(['1', '2'])", lambda o: New("c".join), lambda o: New("d".join))
row(
    "a partial",
    lambda: functools.partial(lambda a, b: a - b, 1.0, b=2.0),
    "o()",
    lambda o: o.keywords.update(b=5.0),
    lambda o: o.keywords.update(b=True),
    lambda o: o.__setstate__((o.func, (7.0,), {"b": 1.0}, {})),
    lambda o: o.__setstate__((lambda a, b: a + b, (7.0,), {"b": 1.0}, {})),
)
row(
    "a partial's parts",
    lambda: functools.partial(lambda a, b: a - b, 1.0, b=2.0),
    "o.args, sorted(o.keywords.items())",
    lambda o: o.keywords.update(b=5.0),
    lambda o: o.__setstate__((o.func, (7.0,), {"b": 1.0}, {})),
    lambda o: o.keywords.clear(),
)
row(
    "a partial of a partial",
    lambda: functools.partial(functools.partial(lambda a, b: a - b, b=2.0), 1.0),
    "o()",
    lambda o: o.keywords.update(b=5.0),
    lambda o: o.keywords.update(b=6.0),
)
row(
    "a partial in a partial",
    lambda: functools.partial(lambda f: f(), functools.partial(lambda a: a, a=2.0)),
    "o()",
    lambda o: o.args[0].keywords.update(a=5.0),
    lambda o: o.args[0].keywords.update(a=6.0),
)
row(
    "a cached function",
    lambda: COUNTS.update(n=1.0) or functools.lru_cache(lambda: COUNTS["n"]),
    "o()",
    lambda o: COUNTS.update(n=2.0),
    lambda o: o.cache_clear(),
    lambda o: COUNTS.update(n=1.0),
)
row(
    "a single dispatch",
    lambda: functools.singledispatch(lambda a: 1.0),
    "o(1)",
    lambda o: o.register(int, lambda a: 2.0),
    lambda o: o.register(int, lambda a: 3.0),
)
COUNTS = {"n": 1.0}
row("a function that says it is another's", lambda: says_numpy(), "o(1.0)", lambda o: COUNTS.update(n=2.0), lambda o: COUNTS.update(n=3.0))


def says_numpy() -> Any:
    COUNTS.update(n=1.0)

    @functools.wraps(numpy.sum)
    def sum(v):
        return v * COUNTS["n"]

    return sum


values("an operator", "o([1, 2])", operator.itemgetter(0), operator.itemgetter(1), len, sum)
values("a builtin", "o(-1.5)", abs, float, lambda: lambda v: v)
