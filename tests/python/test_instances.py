"""Objects of plain classes among the arguments: one compiled entry serves many of them, and each keeps what it is and which one it is."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import BACKENDS, alike

import fastnp as np

X = numpy.linspace(-1.0, 2.0, 4)
TABLE: dict[Any, float] = {}
SEEN: list[Any] = []


class Base:
    rate = 0.5

    def __init__(self, number: int) -> None:
        self.number = number
        self.scale = 1.0 + number
        self.weights = numpy.arange(4.0) + number
        self.name = f"layer {number % 2}"
        self.calls = 0
        self.history: list[float] = []
        self.other: Any = None

    @property
    def doubled(self) -> Any:
        return self.weights * 2

    def act(self, x: Any) -> Any:
        return x * self.rate

    def __call__(self, x: Any) -> Any:
        return self.act(x) + self.weights


class Derived(Base):
    rate = 0.25

    def act(self, x: Any) -> Any:
        return super().act(x) + self.scale


class Slotted:
    __slots__ = ("scale",)

    def __init__(self, number: int) -> None:
        self.scale = float(number)


class Asking(Base):
    def __getattr__(self, name: str) -> Any:
        return 3.0 if name == "missing" else super().__getattribute__(name)


def linear(self, x):
    return x * self.scale + self.weights


def methods(self, x):
    return self(x) + self.act(x) + self.doubled


def counts(self, x):
    self.calls += 1
    return x * self.calls


def replaces(self, x):
    self.weights = self.weights + x
    return self.weights


def writes(self, x):
    self.weights += x
    return self.weights * 2


def adds(self, x):
    self.extra = x * 2
    return self.extra + 1


def deletes(self, x):
    self.gone = x
    del self.gone
    return x + 1


def returns_itself(self, x):
    self.weights[0] = x[1]
    return self, self.weights


def asks_name(self, x):
    return x if self.name == "layer 0" else -x


def asks_class(self, x):
    return x * 2 if isinstance(self, Derived) else x + type(self).rate


def asks_which(self, x):
    return x * TABLE.get(self, -1.0)


def looks_at_dict(self, x):
    return x * len(vars(self)) + sum(v for v in self.__dict__.values() if isinstance(v, float))


def asks_for_attributes(self, x):
    return x * getattr(self, "scale", 0.0) + hasattr(self, "weights") + getattr(self, "unknown", 5.0)


def grows(self, x):
    self.history.append(float(self.number))
    return x + len(self.history)


def tells(self, x):
    SEEN.append(self)
    return x * self.scale


def compares(self, x):
    return x * (self == SEEN) + (self != 3)


def goes_on(self, x):
    return x * self.other.scale + (self.other is self)


BODIES = [
    value for value in list(globals().values()) if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("self",)
]


def state_of(objects: list[Any]) -> Any:
    names = [{name: value for name, value in vars(each).items() if name != "other"} if hasattr(each, "__dict__") else each.scale for each in objects]
    return copy.deepcopy(names)


def outcome(function: Callable[..., Any], objects: list[Any]) -> list[Any]:
    """What it gives for each object, in turn, three times, with what became of them; objects by their places."""
    places = {id(each): place for place, each in enumerate(objects)}

    def placed(value: Any) -> Any:
        if id(value) in places:
            return f"object {places[id(value)]}"
        return type(value)(map(placed, value)) if isinstance(value, (tuple, list)) else copy.copy(value)

    TABLE.clear()
    TABLE.update({each: float(place) for place, each in enumerate(objects)})
    SEEN.clear()
    found: list[Any] = []
    for turn in range(3):
        for each in objects:
            try:
                found.append(placed(function(each, X + turn)))
            except Exception as error:
                found.append((type(error).__name__, str(error)))
        found.append((state_of(objects), placed(SEEN)))
    return found


def objects_of(kinds: list[type], others: str, count: int = 12) -> list[Any]:
    made = [kinds[number % len(kinds)](number) for number in range(count)]
    for number, each in enumerate(made):
        if hasattr(each, "__dict__"):
            each.other = Base(number) if others == "apart" else made[0] if number else Base(0)
            if others == "themselves" and number % 2 == 0:
                each.other = each
    return made


@pytest.mark.parametrize("others", ["apart", "among them", "themselves"])
@pytest.mark.parametrize(
    "kinds", [[Base], [Base, Derived], [Slotted], [Asking], [Derived, Slotted, Asking]], ids=lambda kinds: "+".join(k.__name__ for k in kinds)
)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
def test_objects_are_what_they_are(body, kinds, others):
    wanted = outcome(body, objects_of(kinds, others))
    for backend in BACKENDS:
        assert alike(outcome(np.compile(body, backend=backend), objects_of(kinds, others)), wanted, rtol=1e-9, atol=1e-12)


def test_many_objects_share_an_entry():
    class Layer:
        def __init__(self, number: int) -> None:
            self.scale, self.weights = float(number), numpy.arange(3.0) * number

        @np.compile
        def call(self, x: Any) -> Any:
            return x * self.scale + self.weights

    layers = [Layer(number) for number in range(40)]
    for _ in range(10):
        for layer in layers:
            assert numpy.array_equal(layer.call(numpy.ones(3)), layer.scale + layer.weights)
    info = Layer.call.cache_info()
    assert info.compiles <= 5 and info.uncompiled == 0 and info.hits >= 390


def test_objects_in_objects():
    class Model:
        def __init__(self, number: int) -> None:
            self.layers = [Base(number), Derived(number + 1)]

    def run(model, x):
        for layer in model.layers:
            x = layer(x)
        return x

    compiled = np.compile(run)
    models = [Model(number) for number in range(30)]
    for _ in range(3):
        for model in models:
            assert numpy.allclose(compiled(model, X), run(model, X))
    assert compiled.cache_info().hits > 60


def test_changes_between_calls_are_seen():
    compiled = np.compile(methods)
    objects = [Base(number) for number in range(6)]

    def agree() -> None:
        for each in objects:
            assert numpy.allclose(compiled(each, X), methods(each, X))

    agree()
    agree()
    for each in objects:
        each.weights = each.weights.astype("f4")
    agree()
    objects[2].rate = 7.0
    agree()
    Base.rate = 2.0
    try:
        agree()
    finally:
        Base.rate = 0.5
    original = Base.act
    Base.act = lambda self, x: x - 1
    try:
        agree()
    finally:
        Base.act = original
    agree()


def test_objects_are_not_kept():
    compiled = np.compile(linear)
    objects = [Base(number) for number in range(6)]
    for each in objects:
        compiled(each, X)
    references = [weakref.ref(each) for each in objects]
    del objects, each
    gc.collect()
    assert all(reference() is None for reference in references)


class Own(property):
    pass


class Gauge:
    def __init__(self) -> None:
        self.kept = 1

    @property
    def level(self) -> Any:
        return self.kept

    @level.setter
    def level(self, value: Any) -> None:
        self.kept = value * 2

    @level.deleter
    def level(self) -> None:
        self.kept = 0

    fixed = property(lambda self: self.kept + 1)
    inward = property(None, lambda self, value: setattr(self, "kept", value * 3))
    own = Own(lambda self: self.kept, lambda self, value: setattr(self, "kept", value * 5))


class Deeper(Gauge):
    @property
    def fixed(self) -> Any:
        return super().fixed * 10

    @fixed.setter
    def fixed(self, value: Any) -> None:
        self.kept = -value


def sets(g, x):
    g.level = x * 2
    return g.kept


def sets_what_it_reads(g, x):
    try:
        g.level += x
    except AttributeError as error:
        return str(error)
    return g.level


def sets_what_is_fixed(g, x):
    try:
        g.fixed = x
    except AttributeError as error:
        return str(error), g.fixed
    return g.fixed


def sets_what_has_no_getter(g, x):
    g.inward = x + 1
    try:
        return g.inward
    except AttributeError as error:
        return str(error)


def sets_one_of_its_own(g, x):
    g.own = x + 1
    return g.own


def deletes_them(g, x):
    del g.level
    try:
        del g.fixed
    except AttributeError as error:
        return str(error), g.level


@pytest.mark.parametrize("kind", [Gauge, Deeper])
@pytest.mark.parametrize("body", [sets, sets_what_it_reads, sets_what_is_fixed, sets_what_has_no_getter, sets_one_of_its_own, deletes_them])
def test_properties_that_are_set(body: Any, kind: Any) -> None:
    compiled = np.compile(body)
    for x in (X, X, 2.0, 3, 4, X[:2]):
        mine, theirs = kind(), kind()
        assert alike(compiled(mine, x), body(theirs, x))
        assert vars(mine).keys() == vars(theirs).keys() and alike(mine.kept, theirs.kept)
