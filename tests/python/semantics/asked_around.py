"""What is asked of names, identities, and the state of Python and NumPy: see questions.py."""

# Written as users write, good style or not.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import builtins
import collections
import contextvars
import fractions
import math
import operator
import os
import sys
import warnings
import weakref
from typing import Any

import numpy
from asked_objects import function, new_class
from questions import New, Plain, Point, Record, drop, put, row

import fastnp as np

# Names.

row(
    "a global that appears",
    dict,
    "try:\n    r = appears\nexcept NameError:\n    r = 'none'",
    lambda o: GLOBALS().update(appears=2.0),
    lambda o: GLOBALS().update(appears=3.0),
    lambda o: GLOBALS().pop("appears"),
)
row(
    "a builtin that is hidden",
    dict,
    "abs(-2.0), len('ab')",
    lambda o: GLOBALS().update(abs=lambda v: 7.0),
    lambda o: GLOBALS().update(len=lambda v: 8.0),
    lambda o: (GLOBALS().pop("abs"), GLOBALS().pop("len")),
)
row(
    "a builtin that appears",
    dict,
    "try:\n    r = appears\nexcept NameError:\n    r = 'none'",
    lambda o: put("appears", 2.0)(builtins),
    lambda o: put("appears", 3.0)(builtins),
    lambda o: drop("appears")(builtins),
)
row("a builtin that is another", dict, "round(2.5)", lambda o: put("round", lambda v: 7)(builtins), lambda o: put("round", ROUND)(builtins))
row("globals()", dict, "globals().get('appears', 0.0)", lambda o: GLOBALS().update(appears=2.0), lambda o: GLOBALS().pop("appears"))
row("eval", dict, "eval('appears') if 'appears' in globals() else 0.0", lambda o: GLOBALS().update(appears=2.0), lambda o: GLOBALS().pop("appears"))
ROUND = round
SPACES: list[dict[str, Any]] = []


def GLOBALS() -> dict[str, Any]:  # noqa: N802
    return SPACES[-1]


# Identity.

row("is", lambda: [None, None], "o[0] is o[1]", lambda o: o.__setitem__(0, o), lambda o: o.__setitem__(1, o))
row("is, of lists", lambda: [[1.0], [1.0]], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, [1.0]))
row("is, of tuples", lambda: [(1.0,), tuple([1.0])], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, tuple([1.0])))
row("is, of named tuples", lambda: [Point(1.0), Point(1.0)], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, Point(1.0)))
row(
    "is, of NumPy's numbers",
    lambda: [numpy.float64(2), numpy.float64(2)],
    "o[0] is o[1]",
    lambda o: o.__setitem__(0, o[1]),
    lambda o: o.__setitem__(0, numpy.float64(2)),
)
row("is, of texts", lambda: ["ab", "".join(["a", "b"])], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, "".join(["a", "b"])))
row("is, of numbers", lambda: [1e9, float("1e9")], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, float("1e9")))
row("is, of arrays", lambda: [numpy.ones(2), numpy.ones(2)], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, numpy.ones(2)))
row("is, of objects", lambda: [Plain(), Plain()], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, Plain()))
row("is, of sets", lambda: [frozenset({1}), frozenset([1])], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, frozenset([1])))
row(
    "is, of classes",
    lambda: [new_class(), new_class()],
    "o[0] is o[1], o[0]() == o[1]()",
    lambda o: o.__setitem__(0, o[1]),
    lambda o: o.__setitem__(0, new_class()),
)
row("is, of functions", lambda: [function(), function()], "o[0] is o[1]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, function()))
row("is a global", list, "o is THING", lambda o: GLOBALS().update(THING=o), lambda o: GLOBALS().update(THING=None))
row(
    "equality of objects", lambda: [Plain(), Plain()], "o[0] == o[1], o[0] in o[1:]", lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(0, Plain())
)
row("id", lambda: [Plain()], "IDS.setdefault(id(o[0]), len(IDS))", lambda o: o.append(o[0]) or o.__setitem__(0, Plain()), lambda o: o.__setitem__(0, o[1]))
row(
    "hash",
    lambda: [Plain()],
    "IDS.setdefault(hash(o[0]), len(IDS))",
    lambda o: o.append(o[0]) or o.__setitem__(0, Plain()),
    lambda o: o.__setitem__(0, o[1]),
)
IDS: dict[int, int] = {}
THING = None

# Weak references.


def weak_values() -> Any:
    return weakref.WeakValueDictionary()


class WITH_ONE:
    """An object with another one, and a table that does not keep it."""

    def __init__(self) -> None:
        self.weak, self.k = weak_values(), Plain()


def weak() -> Any:
    KEPT[:] = [Plain()]
    return weakref.ref(KEPT[0])


def weak_table() -> Any:
    KEPT[:] = [Plain()]
    return weakref.WeakValueDictionary(a=KEPT[0])


KEPT: list[Any] = []
row("a weak reference", weak, "o() is None", lambda o: KEPT.clear())
row(
    "a weak reference to something with a value",
    weak,
    "getattr(o(), 'k', 'none')",
    lambda o: put("k", 2.0)(KEPT[0]),
    lambda o: put("k", 3.0)(KEPT[0]),
    lambda o: KEPT.clear(),
)
row(
    "a weak reference, another", weak, "getattr(o(), 'k', 'none')", lambda o: KEPT.append(Record(5.0)) or New(weakref.ref(KEPT[1])), lambda o: KEPT.clear()
)
row(
    "a weak proxy",
    lambda: weakref.proxy(weak()()),
    "try:\n    r = getattr(o, 'k', 0.0)\nexcept ReferenceError:\n    r = 'dead'",
    lambda o: put("k", 2.0)(o),
    lambda o: KEPT.clear(),
)
row("a weak dict", weak_table, "len(o), 'a' in o", lambda o: KEPT.clear())
row("a weak set", lambda: weakref.WeakSet([weak()()]), "len(o)", lambda o: KEPT.clear())


row("a weak dict of what lies in a list", lambda: [weak_values(), Plain()], "len(o[0]), len(o)", lambda o: o[0].update(k=o[1]), lambda o: o.pop() and None)
row("a weak dict of what an object has", lambda: WITH_ONE(), "len(o.weak), hasattr(o, 'k')", lambda o: o.weak.update(k=o.k), lambda o: delattr(o, "k"))
row(
    "a weak dict of a dict's values",
    lambda: [weak_values(), {"k": Plain(), 2: 3.0}],
    "len(o[0]), len(o[1])",
    lambda o: o[0].update(k=o[1]["k"]),
    lambda o: o[1].pop("k") and None,
)


# What tests and users put into the modules of others.


def patched(name: str, module: Any, attribute: str, ask: str, *values: Any) -> None:
    """Other things under a name of a module, and then what was there."""
    before = vars(module).get(attribute, None)

    def back(_: Any) -> None:
        if before is None:
            delattr(module, attribute)
        else:
            setattr(module, attribute, before)

    row(name, dict, ask, *(lambda _, value=value: setattr(module, attribute, value) for value in values), back, lambda _: None)


patched("a function of NumPy's", numpy, "hypot", "float(numpy.hypot(3.0, 4.0))", lambda a, b: a, lambda a, b: GLOBALS().get("k", b), numpy.add)
patched("a number of NumPy's", numpy, "pi", "numpy.pi, numpy.e", 3.0, 4)
patched("a function of fastnp's", np, "hypot", "float(np.hypot(3.0, 4.0))", lambda a, b: a, np.add)
patched("a function that NumPy does for fastnp", np, "kaiser", "np.kaiser(3, 1.0).tolist()", lambda n, b: np.ones(n), np.full)
patched("a number of fastnp's", np, "pi", "np.pi * x", 3.0, 4)
patched("a name that NumPy has not", numpy, "halved", "numpy.halved(4.0) if hasattr(numpy, 'halved') else 0", lambda v: v / 2, lambda v: v / 4)
patched("a name that fastnp has not", np, "halved", "np.halved(4.0) if hasattr(np, 'halved') else 0", lambda v: v / 2, lambda v: v / 4)
patched("a number of math's", math, "tau", "math.tau * 2", 6, 6.5)
patched("a function of math's", math, "cos", "math.cos(0.0)", lambda v: 5.0, math.sin)
patched("a name that math has not", math, "halved", "math.halved(4.0) if hasattr(math, 'halved') else 0", lambda v: v / 2, abs)
patched("a function of operator's", operator, "add", "operator.add(1.0, 2.0)", operator.sub, lambda a, b: 9.0)
patched("a class of collections'", collections, "OrderedDict", "collections.OrderedDict is dict", dict)


# Python's and NumPy's own state.

VARIABLE = contextvars.ContextVar("variable", default=1.0)
row("a context variable", lambda: VARIABLE, "o.get()", lambda o: o.set(2.0) and None, lambda o: o.set(3.0) and None, lambda o: o.set(1.0) and None)
row(
    "an environment variable",
    dict,
    "os.environ.get('FASTNP_QUESTION', 'none')",
    lambda o: os.environ.update(FASTNP_QUESTION="a"),
    lambda o: os.environ.update(FASTNP_QUESTION="b"),
    lambda o: os.environ.pop("FASTNP_QUESTION"),
)
row(
    "an environment variable, by getenv",
    dict,
    "os.getenv('FASTNP_QUESTION', 'none')",
    lambda o: os.environ.update(FASTNP_QUESTION="a"),
    lambda o: os.environ.pop("FASTNP_QUESTION"),
)
row("the environment", lambda: os.environ, "o.get('FASTNP_QUESTION', 'none')", lambda o: o.update(FASTNP_QUESTION="a"), lambda o: o.pop("FASTNP_QUESTION"))
row("sys.argv", dict, "len(sys.argv)", lambda o: sys.argv.append("a"), lambda o: sys.argv.pop() and None)
row("sys.modules", dict, "'a_question' in sys.modules", lambda o: sys.modules.update(a_question=sys), lambda o: sys.modules.pop("a_question") and None)
row(
    "sys's recursion limit",
    sys.getrecursionlimit,
    "sys.getrecursionlimit()",
    lambda o: sys.setrecursionlimit(sys.getrecursionlimit() + 1),
    lambda o: sys.setrecursionlimit(sys.getrecursionlimit() - 1),
)
row(
    "warnings' filters",
    lambda: warnings.filters,
    "len(o)",
    lambda o: warnings.simplefilter("ignore", BytesWarning),
    lambda o: warnings.filters.pop(0) and None,
)
row("geterr", numpy.geterr, "numpy.geterr()['over']", lambda o: numpy.seterr(over="ignore") and None, lambda o: numpy.seterr(over="warn") and None)
row("getbufsize", numpy.getbufsize, "numpy.getbufsize()", lambda o: numpy.setbufsize(16384) and None, lambda o: numpy.setbufsize(8192) and None)
row(
    "print options",
    dict,
    "str(numpy.array([1 / 3])), repr(numpy.float64(1 / 3))",
    lambda o: numpy.set_printoptions(precision=3),
    lambda o: numpy.set_printoptions(precision=8),
)
row("print options of what is recorded", dict, "str(x / 3)", lambda o: numpy.set_printoptions(precision=3), lambda o: numpy.set_printoptions(precision=8))
row(
    "get_printoptions",
    dict,
    "numpy.get_printoptions()['precision']",
    lambda o: numpy.set_printoptions(precision=3),
    lambda o: numpy.set_printoptions(precision=8),
)
row("a decimal context", dict, "str(decimal.Decimal(1) / 3)", lambda o: put("prec", 5)(decimal_context()), lambda o: put("prec", 28)(decimal_context()))
row("a locale of numbers", lambda: 1234.5, "format(o, 'n')", lambda o: New(2.5), lambda o: New(3.5))
row(
    "fractions",
    lambda: fractions.Fraction(1, 3),
    "float(o), o.numerator",
    lambda o: New(fractions.Fraction(2, 3)),
    lambda o: New(fractions.Fraction(3, 3)),
)
row("an exception's text", lambda: ValueError("a"), "str(o), o.args", put("args", ("b",)), put("args", (1, 2)))
row("a thread's data", lambda: __import__("threading").local(), "getattr(o, 'k', 0.0)", put("k", 2.0), put("k", 3.0), drop("k"))
row("a random generator", lambda: __import__("random").Random(1), "o.random()", lambda o: o.seed(5), lambda o: o.seed(6))
row(
    "NumPy's random generator",
    lambda: numpy.random.default_rng(1),
    "o.bit_generator.state['state']['state'] % 1000",
    lambda o: o.random() and None,
    lambda o: o.random() and None,
)
row("a file", lambda: __import__("io").StringIO("abcdefghijklmn"), "o.read(1)", lambda o: o.seek(0) and None, lambda o: o.seek(4) and None)
row(
    "a pattern",
    lambda: __import__("re").compile("a"),
    "o.pattern",
    lambda o: New(__import__("re").compile("b")),
    lambda o: New(__import__("re").compile("c")),
)


def decimal_context() -> Any:
    import decimal

    return decimal.getcontext()


# Arrays: what is asked of one besides its elements.

row(
    "an array's flags",
    lambda: numpy.ones(3),
    "o.flags.writeable, o.flags['C_CONTIGUOUS']",
    lambda o: o.setflags(write=False),
    lambda o: New(numpy.ones((2, 3)).T),
)
row("an array's base", lambda: numpy.ones(3)[:], "o.base is None", lambda o: New(numpy.ones(3)), lambda o: New(numpy.ones(3)[1:]))
row("an array's class", lambda: numpy.ones(3), "type(o).__name__", lambda o: New(o.view(numpy.matrix)), lambda o: New(numpy.ma.array(numpy.ones(3))))
row(
    "an array's shape",
    lambda: numpy.ones(3),
    "o.shape, o.strides, o.ndim, len(o)",
    lambda o: New(numpy.ones(4)),
    lambda o: New(numpy.ones((2, 3))),
    lambda o: New(numpy.ones(6)[::2]),
)
row("an array's shape, set", lambda: numpy.ones(6), "o.shape", put("shape", (2, 3)), put("shape", (3, 2)))
row("an array's dtype, set", lambda: numpy.ones(2), "o.dtype.str, len(o)", put("dtype", "i8"), put("dtype", "i4"))
row(
    "an array's elements",
    lambda: numpy.ones(2),
    "float(o[0])",
    lambda o: o.__setitem__(0, 2.0),
    lambda o: o.__setitem__(0, -0.0),
    lambda o: o.__setitem__(0, numpy.nan),
)
row("an array of objects", lambda: numpy.array([1, "a"], object), "repr(o[0])", lambda o: o.__setitem__(0, 2.0), lambda o: o.__setitem__(0, True))
row(
    "a structured array",
    lambda: numpy.zeros(2, [("a", "f8")]),
    "float(o['a'][0])",
    lambda o: o["a"].__setitem__(0, 2.0),
    lambda o: o["a"].__setitem__(0, 3.0),
)
row(
    "an array's address",
    lambda: numpy.ones(2),
    "IDS.setdefault(o.ctypes.data, len(IDS))",
    lambda o: [KEPT.append(o), New(numpy.ones(2))][1],
    lambda o: New(KEPT[-1]),
)
