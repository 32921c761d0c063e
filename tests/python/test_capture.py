"""Compiled functions never go stale: whatever they read besides their arguments may change between calls."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import functools
import operator
import os
import random
import sys
import time
import types
import uuid

import numpy
import pytest
from support import BACKENDS

import fastnp as np

pytestmark = pytest.mark.parametrize("backend", BACKENDS)

SCALE = 2.0
TABLE = {"scale": 2.0, "items": [1.0, 2.0]}
WEIGHTS = numpy.arange(3.0)
OURS = np.arange(3.0)
COUNT = 0
LOG: list[object] = []
X = np.ones(3)


def helper(x):
    return x * SCALE


def check(f, change, undo=None):
    """The compiled function follows what it reads."""

    def agree():
        numpy.testing.assert_allclose(numpy.asarray(f(X)), numpy.asarray(f.__wrapped__(X)), rtol=1e-15)

    agree()
    assert f.cache_info().compiles == 1, np.explain(f)(X)
    change()
    agree()
    if undo:
        undo()
        agree()


def set_global(name, value):
    return lambda: globals().__setitem__(name, value)


def test_globals(backend):
    check(np.compile(lambda x: x * SCALE, backend=backend), set_global("SCALE", 3.0), set_global("SCALE", 2.0))


def test_globals_of_functions_that_it_calls(backend):
    check(np.compile(lambda x: helper(x) + 1, backend=backend), set_global("SCALE", 5.0), set_global("SCALE", 2.0))
    inner = np.compile(helper, backend=backend)
    check(np.compile(lambda x: inner(x) + 1, backend=backend), set_global("SCALE", 5.0), set_global("SCALE", 2.0))


def test_functions_that_it_calls(backend):
    check(np.compile(lambda x: helper(x), backend=backend), set_global("helper", lambda x: -x), set_global("helper", helper))

    def local(x):
        return x + 1

    def other(x):
        return x - 1

    check(np.compile(lambda x: local(x), backend=backend), lambda: setattr(local, "__code__", other.__code__))


def test_closures(backend):
    factor = 2.0

    def f(x):
        return (lambda y: y * factor)(x)

    def change():
        nonlocal factor
        factor = 7.0

    check(np.compile(f, backend=backend), change)


def test_defaults(backend):
    def f(x, k=2.0, *, m=1.0):
        return x * k + m

    def change():
        f.__defaults__ = (3.0,)
        f.__kwdefaults__ = {"m": 5.0}

    check(np.compile(f, backend=backend), change)


def test_items_of_lists_and_dicts(backend):
    check(np.compile(lambda x: x * TABLE["scale"], backend=backend), lambda: TABLE.update(scale=9.0), lambda: TABLE.update(scale=2.0))
    check(np.compile(lambda x: sum(TABLE["items"]) * x, backend=backend), lambda: TABLE["items"].append(4.0), lambda: TABLE["items"].pop())


def test_attributes(backend):
    class Config:
        scale = 2.0

        def __init__(self):
            self.offset = 1.0
            self.inner = types.SimpleNamespace

        def apply(self, x):
            return x * self.scale + self.offset

        @property
        def doubled(self):
            return self.offset * 2

    config = Config()
    for f in (lambda x: x * config.scale + config.offset, lambda x: config.apply(x), lambda x: x * config.doubled):
        check(np.compile(f, backend=backend), lambda: setattr(config, "offset", 4.0), lambda: setattr(config, "offset", 1.0))
    for f in (lambda x: x * config.scale, lambda x: config.apply(x)):
        check(np.compile(f, backend=backend), lambda: setattr(Config, "scale", 4.0), lambda: setattr(Config, "scale", 2.0))
    check(np.compile(lambda x: config.apply(x), backend=backend), lambda: setattr(config, "scale", 8.0), lambda: delattr(config, "scale"))
    check(np.compile(lambda x: config.apply(x), backend=backend), lambda: setattr(Config, "apply", lambda self, x: -x))


@pytest.mark.parametrize(
    "function",
    [
        lambda part, x: x * part.bias if hasattr(part, "bias") else x,
        lambda part, x: x * getattr(part, "bias", 1.0),
        lambda part, x: x * getattr(part, "bi" + "as"[:2], 1.0),
        lambda part, x: x * getattr(part, "bias", 1.0) + getattr(part, "off" + "set", 0.0),
        lambda part, x: x * getattr(type(part), "shared" + str(0), 2.0),
        lambda part, x: x * getattr(part, "shared" + str(0), 2.0),
        lambda part, x: x * (type(part).shared0 if hasattr(type(part), "shared0") else 3.0),
        lambda part, x: x * sum(value for name, value in part.__dict__.items() if name.startswith("b")),
        lambda part, x: x * len(part.__dict__),
        lambda part, x: x * operator.attrgetter("bi" + "as")(part) if "bias" in part.__dict__ else x,
        lambda part, x: getattr(part, "app" + "ly")(x),
    ],
)
def test_attributes_by_computed_names_and_absent_ones(backend, function):
    class Part:
        def apply(self, x):
            return x * SCALE

    part = Part()
    compiled = np.compile(function, backend=backend)
    changes = [
        lambda: None,
        lambda: setattr(part, "bias", 3.0),
        lambda: setattr(part, "bias", 4.0),
        lambda: setattr(part, "offset", 5.0),
        lambda: setattr(Part, "shared0", 6.0),
        lambda: setattr(Part, "shared0", 7.0),
        set_global("SCALE", 5.0),
        lambda: setattr(Part, "apply", lambda self, x: -x),
        lambda: delattr(part, "bias"),
        lambda: delattr(Part, "shared0"),
        set_global("SCALE", 2.0),
    ]
    for change in changes:
        change()
        for _ in range(2):
            numpy.testing.assert_array_equal(numpy.asarray(compiled(part, X)), numpy.asarray(function(part, X)))
    assert compiled.cache_info().uncompiled == 0


def test_modules_of_the_user(backend):
    module = types.ModuleType("settings")
    module.scale = 2.0
    exec("def apply(x):\n    return x * scale", module.__dict__)
    check(np.compile(lambda x: module.apply(x) + module.scale, backend=backend), lambda: setattr(module, "scale", 3.0))


@pytest.mark.parametrize("source", ["WEIGHTS", "OURS"])
def test_arrays_by_reference(backend, source):
    array = globals()[source]

    def f(x):
        return x * (WEIGHTS if source == "WEIGHTS" else OURS)

    compiled = np.compile(f, backend=backend)
    check(compiled, lambda: array.__setitem__(0, 50.0), lambda: array.__setitem__(0, 0.0))
    assert compiled.cache_info().compiles == 1
    check(np.compile(f, backend=backend), set_global(source, np.zeros(3)), set_global(source, array))


def globals_array():
    return WEIGHTS


def test_arrays_that_get_another_shape(backend):
    for grid in (numpy.arange(4.0), np.arange(4.0)):
        holder = [grid]
        f = np.compile(lambda x, holder=holder: x[0] * holder[0], backend=backend)
        g = np.compile(lambda x, grid=grid: x[0] * (lambda: grid)(), backend=backend)
        assert f(X).shape == g(X).shape == (4,)
        grid.shape = (2, 2)
        assert f(X).shape == g(X).shape == (2, 2)


def test_what_is_different_at_every_call_runs_as_written_in_the_end(backend):
    class Box:
        def __del__(self):  # else it would be taken apart
            pass

    f = np.compile(lambda box, x: x * box.value, backend=backend)
    for k in range(150):
        box = Box()
        box.value = k
        assert f(box, X).tolist() == [k] * 3
    assert f.cache_info().uncompiled >= 40
    assert "at every call" in str(np.explain(f)(box, X))


def test_what_plain_numpy_does_with_captured_arrays(backend):
    holder = types.SimpleNamespace(w=WEIGHTS)

    class Model:
        def __init__(self):
            self.w = WEIGHTS

    model = Model()
    for f in (
        lambda x: x * numpy.exp(WEIGHTS),
        lambda x: x * numpy.sum(WEIGHTS),
        lambda x: x * WEIGHTS.sum(),
        lambda x: x * globals_array().max(),
        lambda x: x * numpy.mean(model.w),
        lambda x: x * model.w.sum(),
        lambda x: (numpy.cumsum(WEIGHTS) * 2)[1] + x,
    ):
        compiled = np.compile(f, backend=backend)
        check(compiled, lambda: WEIGHTS.__setitem__(0, 50.0), lambda: WEIGHTS.__setitem__(0, 0.0))
    f = np.compile(lambda x: x * holder.w.sum(), backend=backend)
    assert f(X).tolist() == [3, 3, 3]
    WEIGHTS[0] = 10
    assert f(X).tolist() == [13, 13, 13]
    WEIGHTS[0] = 0


def test_state_that_the_function_changes(backend):
    def count(x):
        global COUNT
        COUNT += 1
        return x * COUNT

    f = np.compile(count, backend=backend)
    globals()["COUNT"] = 0
    assert [f(X)[0] for _ in range(4)] == [1, 2, 3, 4] and COUNT == 4

    def remember(x):
        LOG.append(1)
        return x * len(LOG)

    LOG.clear()
    g = np.compile(remember, backend=backend)
    assert [g(X)[0] for _ in range(4)] == [1, 2, 3, 4] and len(LOG) == 4

    class Counter:
        def __init__(self):
            self.n = 0

        def step(self, x):
            self.n += 1
            return x * self.n

        compiled_step = np.compile(step, backend=backend)

    counter = Counter()
    assert [counter.compiled_step(X)[0] for _ in range(4)] == [1, 2, 3, 4] and counter.n == 4
    other = Counter()
    h = np.compile(lambda x: other.step(x), backend=backend)
    assert [h(X)[0] for _ in range(4)] == [1, 2, 3, 4] and other.n == 4
    total = 0

    def nonlocal_total(x):
        nonlocal total
        total += 1
        return x * total

    k = np.compile(nonlocal_total, backend=backend)
    assert [k(X)[0] for _ in range(3)] == [1, 2, 3] and total == 3


def test_effects_happen_at_every_call(backend, capsys):
    def speak(x):
        print("called")
        return x + 1

    f = np.compile(speak, backend=backend)
    f(X), f(X), f(X)
    assert capsys.readouterr().out == "called\n" * 3


def test_other_sources_of_values(backend):
    rng = numpy.random.default_rng(0)
    ours = np.random.default_rng(0)
    for draw in (
        lambda x: x * random.random(),
        lambda x: x + rng.random(),
        lambda x: x + numpy.random.rand(),
        lambda x: x + ours.normal(),
        lambda x: x * time.perf_counter(),
        lambda x: x + np.random.rand(3),
    ):
        f = np.compile(draw, backend=backend)
        assert f(X).tolist() != f(X).tolist()

    def local_import(x):
        import random as r

        return x * r.random()

    f = np.compile(local_import, backend=backend)
    assert f(X).tolist() != f(X).tolist()
    items = iter(range(100))
    g = np.compile(lambda x: x * next(items), backend=backend)
    assert [g(X)[0] for _ in range(3)] == [0, 1, 2]
    h = np.compile(lambda x: x * sys.getrefcount(None) * 0 + len(LOG), backend=backend)
    LOG[:] = [1]
    assert h(X)[0] == 1
    LOG.append(2)
    assert h(X)[0] == 2


def test_functions_as_arguments(backend):
    f = np.compile(lambda activation, x: activation(x), backend=backend)
    for function, own in ((np.sin, np.sin), (np.cos, np.cos), (numpy.tanh, np.tanh)):
        numpy.testing.assert_array_max_ulp(f(function, X), own(X), 2)  # by the host or a device
    assert f(helper, X).tolist() == [2, 2, 2]
    globals()["SCALE"] = 4.0
    assert f(helper, X).tolist() == [4, 4, 4]
    globals()["SCALE"] = 2.0
    assert f(functools.partial(np.multiply, 3), X).tolist() == [3, 3, 3]
    for k in range(20):  # a new function each time, at an address that was another's
        assert f(lambda x, k=k: x * k, X).tolist() == [k] * 3


def test_objects_as_arguments_are_not_confused(backend):
    class Box:
        def __init__(self, value):
            self.value = value

    f = np.compile(lambda box, x: x * box.value, backend=backend)
    for k in range(50):
        assert f(Box(k), X).tolist() == [k] * 3


def test_types_that_are_asked_for_in_other_ways(backend):
    def by_class(x):
        return x * 2 if x.__class__ is numpy.ndarray else x

    def by_pattern(x, n):
        match x:
            case numpy.ndarray():
                x = x * 2
        match n:
            case [first, *_]:
                return x + first
            case {"k": value}:
                return x + value
        return x

    x = numpy.ones(3)
    f, g = np.compile(by_class, backend=backend), np.compile(by_pattern, backend=backend)
    for _ in range(2):
        numpy.testing.assert_array_equal(f(x), x * 2)
        numpy.testing.assert_array_equal(g(x, [3]), x * 2 + 3)
        numpy.testing.assert_array_equal(g(x, {"k": 4}), x * 2 + 4)


@dataclasses.dataclass
class Settings:
    scale: float
    name: str = "settings"


def test_dataclasses_around_a_function_compile(backend):
    settings = Settings(2.0)
    f = np.compile(lambda x: x * settings.scale, backend=backend, fullgraph=True)
    assert f(X).tolist() == (X * 2).tolist()
    assert f.cache_info().compiles == 1


FACTOR = numpy.array([1.0, 2.0, 3.0])
SEEN: list[object] = []


class Base:
    shared = 1.0

    def __init__(self, x):
        self.value = x * FACTOR

    @classmethod
    def made(cls, x):
        return cls(x).value

    @staticmethod
    def plain(x):
        return x + FACTOR

    @property
    def doubled(self):
        return self.value * 2

    @functools.cached_property
    def cached(self):
        return self.value + FACTOR

    def apply(self, x):
        return x * FACTOR + self.shared

    def seen(self, x):
        SEEN.append("base")
        return x


class Derived(Base):
    def __init__(self, x):
        super().__init__(x + 1)

    def apply(self, x):
        return super().apply(x) - 1

    def seen(self, x):
        SEEN.append("derived")
        return super().seen(x)


@dataclasses.dataclass
class Point:
    x: object
    y: object = 2.0

    def scaled(self):
        return Point(self.x * FACTOR, self.y)


class Bad(Exception):
    def __init__(self, x):
        super().__init__("bad")
        self.x = x * FACTOR


def raises(x):
    try:
        raise Bad(x)
    except Bad as error:
        return error.x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: Base(x).value,
        lambda x: Derived(x).value,
        lambda x: Base.made(x) + Derived.made(x),
        lambda x: Base.plain(x),
        lambda x: Derived.plain(x) + Base(x).doubled,
        lambda x: Base(x).cached,
        lambda x: Base.apply(Derived(x), x),
        lambda x: Derived(x).apply(x),
        lambda x: HELD.apply(x),
        lambda x: type(HELD)(x).value if isinstance(HELD, Base) and type(HELD) is Derived and issubclass(Derived, Base) else x,
        lambda x: Point(x).scaled().x,
        lambda x: dataclasses.replace(Point(x), y=x * 2).scaled().y,
        lambda x: dataclasses.asdict(Point(x).scaled())["x"],
        raises,
    ],
)
def test_functions_of_classes(backend, function, monkeypatch):
    """Constructors, class methods, static methods, methods of bases by super(): what they read may change."""
    compiled = np.compile(function, backend=backend)
    for factor in (FACTOR, FACTOR * 2, numpy.ones(3), numpy.arange(3)):
        monkeypatch.setitem(globals(), "FACTOR", factor)
        numpy.testing.assert_allclose(numpy.asarray(compiled(X)), numpy.asarray(function(X)))
    monkeypatch.setattr(Base, "shared", 5.0)
    numpy.testing.assert_allclose(numpy.asarray(compiled(X)), numpy.asarray(function(X)))
    assert compiled.cache_info().uncompiled == 0


HELD = Derived(numpy.ones(3))


def test_objects_of_classes_that_are_handed_out(backend):
    f = np.compile(lambda x: Point(x * 2, "y"), backend=backend)
    made = f(X)
    assert type(made) is Point and made.y == "y"
    numpy.testing.assert_array_equal(numpy.asarray(made.scaled().x), 2 * FACTOR)
    g = np.compile(lambda point, x: point.scaled().x + x, backend=backend)
    numpy.testing.assert_array_equal(numpy.asarray(g(Point(X), X)), FACTOR + 1)


def test_effects_of_functions_of_classes(backend):
    SEEN.clear()
    f = np.compile(lambda x: Derived(x).seen(x * 2), backend=backend)
    for _ in range(3):
        f(X)
    assert SEEN == ["derived", "base"] * 3

    class Counted:
        count = 0

    def count(x):
        Counted.count += 1
        return x * Counted.count

    f = np.compile(count, backend=backend)
    for k in range(1, 4):
        numpy.testing.assert_array_equal(numpy.asarray(f(X)), [k] * 3)


class Moving:
    def __get__(self, instance, owner):
        return time.perf_counter()


class Meta(type):
    @property
    def now(cls):
        return time.perf_counter()


class Odd(metaclass=Meta):
    moving = Moving()
    slow = functools.lru_cache(lambda self, x: x)

    @classmethod
    def time(cls):
        return time.perf_counter()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * datetime.datetime.now().timestamp(),
        lambda x: x * Odd.now,
        lambda x: x * Odd().moving,
        lambda x: x * Odd.time(),
        lambda x: x * Odd().time(),
        lambda x: x * uuid.uuid4().int,
        lambda x: x * len(numpy.get_printoptions()) * time.time(),
    ],
)
def test_clocks_behind_classes(backend, function):
    compiled = np.compile(function, backend=backend)
    found = {float(compiled(X)[0]) for _ in range(5) if time.sleep(1e-5) is None}
    assert len(found) == 5


def test_what_does_not_let_itself_be_followed_runs_as_written(backend, monkeypatch):
    monkeypatch.setenv("FASTNP_TEST", "4")
    f = np.compile(lambda x: x * float(os.environ["FASTNP_TEST"]), backend=backend)
    assert f(X).tolist() == [4.0] * 3
    monkeypatch.setenv("FASTNP_TEST", "5")
    assert f(X).tolist() == [5.0] * 3
    precision = numpy.get_printoptions()["precision"]
    g = np.compile(lambda x: x * numpy.get_printoptions()["precision"], backend=backend)
    for k in (precision, precision + 1):
        with numpy.printoptions(precision=k):
            assert g(X).tolist() == [k] * 3
    rounded = np.compile(lambda x: x * float(decimal.Decimal(1) / 3), backend=backend)
    for digits in (3, 5):
        with decimal.localcontext() as context:
            context.prec = digits
            assert rounded(X)[0] == float(decimal.Decimal(1) / 3)


def test_arrays_made_of_arrays_are_recorded(backend):
    def contiguous(x):
        return numpy.ascontiguousarray(x.T) + numpy.asarray(x, order="F").T + numpy.array(x).T

    f = np.compile(contiguous, backend=backend)
    x = numpy.arange(6.0).reshape(2, 3)
    assert f(x).tolist() == contiguous(x).tolist()
    assert "1 compiled" in str(np.compiler.explain(f)(x))
