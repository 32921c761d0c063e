"""What is asked through names in texts, modules imported where they are used, NaN, and what appears in classes: see questions.py."""

# Written as users write, good style or not: each of these rules forbids a way to ask that is to be asked in.
# ruff: noqa: B004, B010, B018, B019, B023, B024, B905, C408, C409, C416, C417, E731, PLC0105, PLC2801, PLW0108, PLW1641, RUF012, S, SIM, UP

from __future__ import annotations

import abc
import enum
import functools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy
from asked_around import GLOBALS
from asked_objects import HOLDERS, MISSING, inherited
from questions import New, Plain, put, row

import fastnp as np

# A NaN is in a container that holds this very object.

NAN = float("nan")
OTHERS = (lambda o: o.__setitem__(0, float("nan")), lambda o: o.__setitem__(0, o[1]), lambda o: o.__setitem__(1, math.nan))
for name, ask in {
    "in a list": "o[0] in o[1:]",
    "in lists that are equal": "[o[0]] == [o[1]]",
    "in tuples that are equal": "(o[0],) == (o[1],)",
    "in dicts that are equal": "{'a': o[0]} == {'a': o[1]}",
    "counted": "o[:1].count(o[1])",
    "as a key": "{o[0]: 1}.get(o[1], 0)",
    "in a set": "len({o[0], o[1]})",
    "by operator": "operator.contains([o[0]], o[1]), operator.is_(o[0], o[1]), operator.is_not(o[0], o[1])",
    "handed out": "o[0], o[0] in o[1:]",
}.items():
    row(f"NaN {name}", lambda: [NAN, NAN], ask, *OTHERS)
    row(f"complex NaN {name}", lambda: [complex(NAN)] * 2, ask, lambda o: o.__setitem__(0, complex(NAN)), lambda o: o.__setitem__(0, o[1]))
row(
    "NaN that is a global, too",
    lambda: [NAN],
    "float('nan') in o, FOUND in o",
    lambda o: GLOBALS().update(FOUND=o[0]),
    lambda o: GLOBALS().update(FOUND=math.nan),
)
row(
    "NaN that varies",
    lambda: [1.0, 1.0],
    "o[0] in o[1:], x * o[0]",
    *(functools.partial(lambda v, o: o.__setitem__(0, v), v) for v in (2.0, NAN, 3.0)),
    *OTHERS,
)
FOUND = NAN

# Attributes that code names in a text, or not at all.

MISSED = "\nexcept (AttributeError, TypeError):\n    r = 'none'"
BY_TEXT = {
    "format": "try:\n    r = '{0.k}'.format(o)" + MISSED,
    "format_map": "try:\n    r = '{a.k}'.format_map({'a': o})" + MISSED,
    "a format that is a global": "try:\n    r = FORMAT.format(o)" + MISSED,
    "attrgetter of a global": "try:\n    r = operator.attrgetter(NAMED)(o)" + MISSED,
    "map of getattr": "list(map(getattr, [o], [''.join(['k'])], [0.0]))",
    "partial of getattr": "functools.partial(getattr, o)('k', 0.0)",
    "object's __getattribute__": "try:\n    r = object.__getattribute__(o, ''.join(['k']))" + MISSED,
    "own __getattribute__": "try:\n    r = o.__getattribute__(''.join(['k']))" + MISSED,
    "copy": "getattr(copy.copy(o), 'k', 'none')",
    "copy of what it lies in": "getattr(copy.deepcopy([(o,)])[0][0], 'k', 'none')",
}
FORMAT, NAMED = "<{0.k}>", "k"
for holder, make in HOLDERS.items():
    for how, ask in BY_TEXT.items():
        if "copy" not in how or "compiled" not in holder:
            row(f"{how} of {holder}", make, ask, *MISSING)

# What others put into modules that are imported in the function, or lie in another one.


def patched(name: str, module: Any, attribute: str, ask: str, *values: Any) -> None:
    before = getattr(module, attribute)
    row(name, dict, ask, *(functools.partial(lambda v, _: setattr(module, attribute, v), v) for v in (*values, before)))


patched("a module imported inside", math, "cos", "import math\nr = math.cos(0.0)", lambda v: 5.0, math.sin)
patched("a name imported inside", math, "cos", "from math import cos\nr = cos(0.0)", lambda v: 5.0, math.sin)
patched("NumPy imported inside", numpy, "hypot", "import numpy as N\nr = float(N.hypot(3.0, 4.0))", lambda a, b: a, numpy.add)
patched("a number imported inside", numpy, "pi", "from numpy import pi\nr = x * pi", 3.0, 4)
patched("fastnp imported inside", np, "hypot", "import fastnp as M\nr = float(M.hypot(3.0, 4.0))", lambda a, b: a, np.add)
patched("a submodule imported inside", numpy.linalg, "norm", "import numpy.linalg\nr = float(numpy.linalg.norm([3.0, 4.0]))", lambda a: 9.0)
patched("a submodule's function", numpy.linalg, "norm", "float(numpy.linalg.norm([3.0, 4.0]))", lambda a: 9.0)
patched("fastnp's submodule's function", np.linalg, "norm", "float(np.linalg.norm([3.0, 4.0]))", lambda a: 9.0)
patched("a transform of NumPy's", numpy.fft, "fft", "abs(numpy.fft.fft([3.0, 4.0])).tolist()", lambda a: numpy.ones(2))
patched("a draw of NumPy's", numpy.random, "uniform", "numpy.random.uniform(1.0, 1.0)", lambda a, b: 7.0)
patched("a draw of fastnp's", np.random, "uniform", "np.random.uniform(1.0, 1.0)", lambda a, b: 7.0)
patched("what masked arrays have", numpy.ma, "default_fill_value", "numpy.ma.default_fill_value(1.0)", lambda a: 7.0)
row("isinstance imported inside", lambda: [1.0], "from builtins import len as l\nr = l(o)", lambda o: o.append(1.0))

# What appears in a class.

APPEARS: dict[str, tuple[str, Any]] = {
    "__bool__": ("bool(o)", lambda s: False),
    "__len__": ("bool(o)", lambda s: 0),
    "__eq__": ("o == 1", lambda s, t: True),
    "__call__": ("callable(o)", lambda s: 1),
    "__iter__": ("hasattr(o, '__iter__')", lambda s: iter([])),
    "__radd__": ("try:\n    r = x + o" + MISSED, lambda s, t: 5),
    "__array__": ("try:\n    r = x + o" + MISSED, lambda s, *a, **k: numpy.ones(2)),
    "__array_ufunc__": ("try:\n    r = x + o" + MISSED, lambda s, *a, **k: 5),
    "__array_function__": ("try:\n    r = numpy.sum(o) == 4" + MISSED, lambda s, *a: 4),
    "sum": ("try:\n    r = numpy.sum(o) == 4" + MISSED, lambda s, **k: 4),
    "__float__": ("try:\n    r = float(o)" + MISSED, lambda s: 2.0),
    "__index__": ("try:\n    r = [1, 2, 3][o]" + MISSED, lambda s: 2),
    "__contains__": ("try:\n    r = 1 in o" + MISSED, lambda s, v: True),
    "__getattr__": ("try:\n    r = o.zz" + MISSED, lambda s, n: 4),
    "__neg__": ("try:\n    r = -o" + MISSED, lambda s: 4),
    "__lt__": ("try:\n    r = o < 1" + MISSED, lambda s, t: 4),
    "__matmul__": ("try:\n    r = o @ 1" + MISSED, lambda s, t: 4),
    "__copy__": ("copy.copy(o) == 4", lambda s: 4),
    "__reduce_ex__": ("type(copy.copy(o)).__name__", lambda s, p: (int, (4,))),
    "__class_getitem__": ("try:\n    r = type(o)[int]" + MISSED, classmethod(lambda c, v: 4)),
}
for name, (ask, value) in APPEARS.items():
    row(f"{name} appears", lambda: type("C", (), {})(), ask, lambda o, n=name, v=value: setattr(type(o), n, v), lambda o, n=name: delattr(type(o), n))
    row(
        f"{name} appears in a base",
        inherited,
        ask,
        lambda o, n=name, v=value: setattr(type(o).__mro__[1], n, v),
        lambda o, n=name: delattr(type(o).__mro__[1], n),
    )


def rich_enum() -> Any:
    class Rich(enum.Enum):
        A = 1.0
        B = 2.0

        def go(self):
            return self.value * 2

        @classmethod
        def _missing_(cls, value):
            return cls.A

    return Rich


for ask in (
    "o(1.0).name",
    "o(7.0).name",
    "o['A'].value",
    "o.A.go()",
    "[e.name for e in o]",
    "o.A is o(1.0)",
    "bool(o.A)",
    "str(o.A)",
    "getattr(o.A, 'k', 0)",
):
    row(
        f"an enumeration: {ask}",
        rich_enum,
        ask,
        lambda o: put("_value_", 5.0)(o.A),
        lambda o: put("_name_", "Z")(o.A),
        lambda o: setattr(o, "go", lambda self: 77.0),
        lambda o: setattr(o, "_missing_", classmethod(lambda cls, value: cls.B)),
        lambda o: o._value2member_map_.update({1.0: o.B}),
        lambda o: o._member_map_.update(A=o.B),
        lambda o: put("k", 3)(o.A),
        lambda o: setattr(o, "__bool__", lambda self: False),
        lambda o: setattr(o, "__str__", lambda self: "z"),
    )


class ANY(abc.ABC):
    """What classes are registered with."""


for ask in ("ANY.__instancecheck__(o), ANY.__subclasscheck__(type(o))", "functools.partial(isinstance, o)(ANY)", "[isinstance(o, c) for c in (int, ANY)]"):
    row(f"an ABC: {ask}", lambda: type("A", (), {})(), ask, lambda o: ANY.register(type(o)) and None)

# Two names for one thing.


def aliased(name: str, make: Callable[[], Any], ask: str) -> None:
    row(name, lambda: [make(), make()], ask, lambda o: o.__setitem__(1, o[0]), lambda o: o.__setitem__(1, make()))


aliased("one list twice", lambda: [1.0], "o[0].append(2.0)\nr = len(o[1])")
aliased("one dict twice", dict, "o[0][len(o[0])] = 1\nr = len(o[1])")
aliased("one object twice", Plain, "o[0].k = getattr(o[1], 'k', 0) + 1\nr = getattr(o[1], 'k', 0)")
aliased("one array twice", lambda: numpy.ones(2), "o[0] += 1\nr = o[1].tolist()")
aliased("arrays that share memory", lambda: numpy.ones(2), "numpy.shares_memory(o[0], o[1]), numpy.may_share_memory(o[0], o[1])")

# NumPy's and fastnp's own things.

row("a dtype's metadata", lambda: numpy.dtype("f8", metadata={"a": 1}), "o.metadata['a']", lambda o: New(numpy.dtype("f8", metadata={"a": 2})))
row("a dtype of arrays", lambda: numpy.dtype(("f8", 2)), "str(o.subdtype)", lambda o: New(numpy.dtype(("f4", 4))), lambda o: New(numpy.dtype("V16")))
row(
    "a ufunc of Python's",
    lambda: numpy.frompyfunc(lambda v: GLOBALS().get("K", 1), 1, 1),
    "o(2.0)",
    lambda o: GLOBALS().update(K=5),
    lambda o: GLOBALS().update(K=6),
)
row(
    "fallbacks()",
    lambda: np.compiler.reset_fallbacks() or {},
    "np.compiler.fallbacks().get('kaiser', 0)",
    lambda o: np.compiler.reset_fallbacks(),
    lambda o: np.kaiser(3, 1.0) is None or None,
)
row("an exception that is raised", lambda: ValueError("a"), "try:\n    raise o\nexcept ValueError as e:\n    r = str(e)", put("args", ("b",)))
row(
    "an exception that is raised and not asked",
    lambda: [ValueError("a")],
    "try:\n    raise o[0]\nexcept KeyError:\n    r = 1\nexcept ValueError:\n    r = 2",
    lambda o: o.__setitem__(0, KeyError("b")),
)
row(
    "a namespace's items",
    lambda: types.SimpleNamespace(a=[1.0], b=[1.0]),
    "o.a.append(2.0)\nr = len(o.b)",
    put("b", [3.0]),
    lambda o: setattr(o, "b", o.a),
)
row("an operator's function", lambda: operator.itemgetter(0), "o([1, 2])", lambda o: New(operator.itemgetter(1)))
