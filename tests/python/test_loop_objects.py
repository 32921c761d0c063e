"""Loops that read and change attributes of objects as native code: results, objects, errors and warnings are Python's."""

from __future__ import annotations

import copy
import dataclasses
import threading
import types
import warnings
from typing import Any, NamedTuple

import numpy
import pytest
from loop_source import function_of
from object_source import object_source
from support import LONG, SEED
from test_native_loops import programs_of, same

import fastnp as np


def state(value: Any) -> Any:
    """What is in objects, arrays and numbers, with their types."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [state(each) for each in value]
    if isinstance(value, numpy.ndarray):
        return value.dtype.str, repr(value.tolist())  # NaN is NaN
    if hasattr(value, "__slots__") and not hasattr(value, "__dict__"):
        return type(value).__name__, [state(getattr(value, name, "not there")) for name in value.__slots__]
    if hasattr(value, "__dict__"):
        return type(value).__name__, {name: state(each) for name, each in vars(value).items()}
    return type(value).__name__, repr(value)


def outcome(function: Any, arguments: Any) -> Any:
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            result = state(function(*arguments))
        except Exception as error:
            result = type(error).__name__, str(error)
    told = {str(each.message).partition(" encountered")[0] for each in met if each.category is RuntimeWarning}
    return result, told, state(arguments)


def agree(compiled: Any, arguments: Any, note: str = "") -> None:
    mine, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    want, got = outcome(compiled.__wrapped__, theirs), outcome(compiled, mine)
    assert got == want, f"{note}\n{got}\nwhere Python gives\n{want}"


@pytest.mark.parametrize("part", range(4))
def test_random_programs(part: int) -> None:
    native, first = 0, SEED * 1000 + part * 10**7
    count = 200 if LONG else 8
    for seed in range(first, first + count):
        for statements in (2, 4, 8):  # the shortest that fails is the one that is told
            source = object_source(seed, statements)
            function = function_of(source, f"objects {seed} {statements}")
            space = function.__globals__
            compiled = np.compile(function, adaptive=False)
            for call, n in enumerate((5, 5, 1, 12, 0, 7)):
                rng = numpy.random.default_rng([seed, call])
                numbers = [round(float(each), 2) for each in rng.normal(size=6)]
                whole = [int(each) for each in rng.integers(-4, 5, 6)]
                p, q = space["Point"](numbers[0], numbers[1]), space["Point"](*(whole[:2] if call == 3 else numbers[2:4]))
                third = space["Point"](numpy.float64(numbers[4]) if call == 4 else numbers[4], numbers[5])
                pair = space["Pair"](p if call == 2 and seed % 3 == 0 else third, space["Point"](*numbers[1:3]), rng.normal(size=3).round(2))
                agree(compiled, (p, q, pair, rng.normal(size=max(n, 1)).round(2), n, []), f"seed {seed}, call {call}\n{source}")
            native += bool(programs_of(compiled))
    assert native > count


class Body:
    G = 0.5

    def __init__(self, x: Any, v: Any) -> None:
        self.x, self.v, self.steps = x, v, 0

    def step(self, dt: Any) -> None:
        self.v -= self.x * self.G * dt
        self.x += self.v * dt
        self.steps += 1


def run(body: Any, n: Any) -> Any:
    for _ in range(n):
        body.step(0.01)
        if body.x < -0.5:
            break
    return body.steps


def test_numbers_of_other_kinds() -> None:
    compiled = np.compile(run, adaptive=False)
    for x, v in ((1.0, 0.0), (1, 0), (numpy.float64(1), 0.5), (numpy.float32(2), 1), (1.0, 2**70), (True, 0.5), (1.0, 1j), (1.0, "a"), (1.0, 0.0)):
        agree(compiled, (Body(x, v), 300), f"{x!r}, {v!r}")
    assert programs_of(compiled)


def test_what_classes_have_may_change() -> None:
    compiled, cls = np.compile(run, adaptive=False), type("Other", (Body,), {})
    for _ in range(3):
        agree(compiled, (cls(1.0, 0.0), 50))
    cls.G = 2.0
    agree(compiled, (cls(1.0, 0.0), 50), "a constant")
    cls.G = property(lambda self: self.v * 0.5)
    agree(compiled, (cls(1.0, 0.0), 50), "a property")
    del cls.G
    cls.step = lambda self, dt: setattr(self, "steps", self.steps + 2)
    agree(compiled, (cls(1.0, 0.0), 50), "a method")
    Body.step, before = lambda self, dt: None, Body.step
    try:
        agree(compiled, (Body(1.0, 0.0), 50), "a method of the base")
        del cls.step
        agree(compiled, (cls(1.0, 0.0), 50), "a method of the base")
    finally:
        Body.step = before
    body = Body(1.0, 0.0)
    vars(body)["step"] = types.MethodType(lambda self, dt: None, body)
    assert compiled(body, 50) == 0
    body = Body(1.0, 0.0)
    vars(body)["G"] = 3.0
    agree(compiled, (body, 50), "a constant of the object's own")
    log: list[str] = []
    cls.__setattr__ = lambda self, name, value: (log.append(name), object.__setattr__(self, name, value))
    compiled(cls(1.0, 0.0), 3)
    assert log.count("steps") == 4
    cls.__getattribute__ = lambda self, name: (log.append(name), object.__getattribute__(self, name))[1]
    compiled(cls(1.0, 0.0), 3)
    assert log.count("step") == 3


def test_one_object_by_two_names() -> None:
    def both(p: Any, q: Any, n: Any) -> Any:
        for _ in range(n):
            p.x += 1.0
            if q.x > 3:
                q.v += p.x
        return p.x, q.x

    compiled = np.compile(both, adaptive=False)
    for _ in range(3):
        agree(compiled, (Body(0.0, 0.0), Body(1.0, 0.0), 9))
        one = Body(0.0, 0.0)
        agree(compiled, (one, one, 9))
    assert programs_of(compiled)


class Frozen(NamedTuple):
    k: float
    c: float


@dataclasses.dataclass(frozen=True)
class FrozenData:
    k: float
    c: float


OUTSIDE = types.SimpleNamespace(k=0.5, c=0.25)


def test_other_objects() -> None:
    def spring(cfg: Any, n: Any) -> Any:
        x, v = 1.0, 0.0
        for _ in range(n):
            v += (-cfg.k * x - cfg.c * v + OUTSIDE.k) * 0.1
            x += v
            if x > 100:
                break
        return x, v

    def stores(cfg: Any, n: Any) -> Any:
        for i in range(n):
            if i > 2:
                cfg.k = 2.0 * i
        return cfg.k

    compiled = np.compile(spring, adaptive=False)
    for make in (Frozen, FrozenData, lambda k, c: types.SimpleNamespace(k=k, c=c)):
        for k in (1.0, 2, numpy.float64(0.5)):
            agree(compiled, (make(k, 0.1), 30))
            agree(np.compile(stores, adaptive=False), (make(k, 0.1), 6))
    OUTSIDE.k = 3.0
    agree(compiled, (Frozen(1.0, 0.1), 30))
    assert programs_of(compiled)


def test_lists_and_generators_of_objects() -> None:
    class Stack:
        def __init__(self, rng: Any) -> None:
            self.items: list[float] = []
            self.rng = rng
            self.most = 0

        def push(self, x: float) -> None:
            self.items.append(x)
            if len(self.items) > self.most:
                self.most = len(self.items)

    def walk(stack: Any, n: Any) -> Any:
        total = 0.0
        for _ in range(n):
            u = stack.rng.random()
            if u < 0.6:
                stack.push(u)
            elif len(stack.items) > 0:
                total += stack.items.pop()
        return total, stack.most, stack.items

    compiled = np.compile(walk, adaptive=False)
    for n in (30, 3, 0, 100):
        mine, theirs = (Stack(numpy.random.default_rng(SEED)) for _ in range(2))
        assert same(compiled(mine, n), walk(theirs, n))
        assert (mine.items, mine.most, mine.rng.random()) == (theirs.items, theirs.most, theirs.rng.random())
        assert compiled(mine, 2)[2] is mine.items
    assert programs_of(compiled)


def test_errors_leave_objects_as_they_were() -> None:
    class Table:
        def __init__(self) -> None:
            self.at, self.sum = 0, 0.0

        def next(self, a: Any) -> None:
            self.at += 1
            self.sum += a[self.at]
            self.sum *= 0.5

    def reads(table: Any, a: Any, n: Any) -> Any:
        for _ in range(n):
            table.next(a)
        return table.sum

    compiled = np.compile(reads, adaptive=False)
    for n in (3, 4, 9, 30):
        agree(compiled, (Table(), numpy.arange(5.0), n))
        agree(compiled, (Table(), [1.0, 2.0, 3.0], n))
    assert programs_of(compiled)


class Const:
    STEP = 3
    LIMIT = 100


TABLE = numpy.linspace(0.0, 1.0, 7)
PRIMES = [2, 3, 5, 7]
RNG = numpy.random.default_rng(3)
SETTINGS = {"k": 0.5, 3: 2.0}


def test_what_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays, lists, dicts, generators and classes that a loop reads by their names."""

    def mixed(x: Any, n: Any) -> Any:
        s = 0.0
        for i in range(n):
            s += TABLE[i % 7] * SETTINGS["k"] - x[i % len(x)] * SETTINGS[3] + Const.STEP
            if s > Const.LIMIT:
                s -= Const.LIMIT
            for p in PRIMES:
                if i % p == 1:
                    s += p
                    break
            if RNG.random() < 0.5:
                s += 1
                TABLE[0] = s
                SETTINGS["k"] = s * 1e-3
        return s

    compiled, space = np.compile(mixed, adaptive=False), globals()

    def both(note: str) -> None:
        for n in (50, 7, 0, 51):
            found = []
            for function in (mixed, compiled):
                TABLE[0], SETTINGS["k"] = 0.25, 0.5
                RNG.bit_generator.state = numpy.random.PCG64(n).state
                found.append((function(numpy.arange(3.0), n), TABLE.tolist(), dict(SETTINGS), RNG.random()))
            assert same(found[1][0], found[0][0]), note
            assert found[1][1:] == found[0][1:], note

    both("as they are")
    assert programs_of(compiled)
    monkeypatch.setattr(Const, "STEP", 5)
    both("a class's attribute")
    monkeypatch.setitem(space, "PRIMES", [3, 4])
    both("another list")
    PRIMES.append(9)
    both("a longer list")
    monkeypatch.setitem(space, "SETTINGS", {"k": 1, 3: numpy.float32(0.5)})
    both("numbers of other kinds")
    monkeypatch.setitem(space, "TABLE", numpy.ones(7, "f4"))
    both("another array")
    monkeypatch.setitem(space, "RNG", numpy.random.default_rng(5))
    both("another generator")
    monkeypatch.setattr(Const, "STEP", property(lambda self: 1))
    with pytest.raises(TypeError):
        compiled(numpy.arange(3.0), 3)


def test_dicts() -> None:
    def moved(state: Any, n: Any) -> Any:
        for i in range(n):
            state["x"] += state["v"] * 0.5
            state["steps"] += 1
            if state["x"] > 3:
                state["v"] = -state["v"]
                state[0] = i
        return state["x"]

    compiled = np.compile(moved, adaptive=False)
    for state in ({"x": 0.0, "v": 1.0, "steps": 0, 0: 0}, {"x": 0, "v": 1.0, "steps": 0}, {"x": 0.0, "v": 1.0, "steps": 2**63, 0: 0}, {"x": 1.0, 0: 1}):
        for n in (9, 3, 0, 20):
            mine, theirs = dict(state), dict(state)
            assert outcome(compiled, (mine, n))[:2] == outcome(moved, (theirs, n))[:2]
            assert same(list(mine.values()), list(theirs.values()))
            assert list(mine) == list(theirs)
    assert programs_of(compiled)


class Holder:
    n = 0

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)


def test_what_is_gone_over_may_be_bound_again() -> None:
    def items(s: Any) -> Any:
        t = 0.0
        for x in s.u:
            t += x
            if x > 2:
                s.u = s.u * 10 if t < 8 else None
        return t

    def counted(d: Any) -> Any:
        t = 0.0
        for i, x in enumerate(d["u"]):
            t += x * i
            if x > 2:
                d["u"] = d["u"] * 10
        return t

    for _ in range(2):
        first, second = np.compile(items, adaptive=False), np.compile(counted, adaptive=False)
        for values in ([1.0, 3.0, 5.0, 2.0], [1.0], [], [3.0, 4.0, 1.0, 1.0]):
            agree(first, (Holder(u=numpy.array(values)),))
            agree(second, ({"u": numpy.array(values)},))


def test_properties_that_read_nothing() -> None:
    class First:
        @property
        def k(self) -> float:
            return 2.0

    class Second:
        @property
        def k(self) -> float:
            return 3.0

    def total(p: Any, n: Any) -> Any:
        s = 0.0
        for _ in range(n):
            s += p.k
            if s > 1e3:
                break
        return s

    compiled = np.compile(total, adaptive=False)
    for turn in range(7):
        agree(compiled, ((First, Second)[turn % 3 == 2](), 5 + turn))
    First.k = property(lambda self: 7.0)
    for turn in range(3):
        agree(compiled, (First(), 5 + turn))
    assert programs_of(compiled)


def test_an_object_and_its_dict() -> None:
    def both(s: Any, d: Any, n: Any) -> Any:
        for _ in range(n):
            s.t += 1.0
            d["t"] *= 2.0
            if s.t > 1e9:
                break
        return s.t

    compiled = np.compile(both, adaptive=False)
    for n in (2, 3, 2, 5):
        for function in (both, compiled):
            s = Holder(t=1.0)
            assert function(s, vars(s), n) == both(*(lambda s: (s, vars(s), n))(Holder(t=1.0)))
            assert vars(s) == {"t": s.t}
        agree(compiled, (Holder(t=1.0), {"t": 1.0}, n))


def test_only_what_was_stored_to_is_stored() -> None:
    def counts(s: Any, n: Any) -> Any:
        for k in range(n):
            if k > 5:
                s.n += 1
        return s.n

    compiled = np.compile(counts, adaptive=False)
    for n in (3, 0, 9, 5, 12):
        agree(compiled, (Holder(m=1), n))
    assert programs_of(compiled)


def test_classes_whose_metaclass_has_a_property() -> None:
    class Meta(type):
        @property
        def x(cls) -> float:
            return 5.0

    class W(metaclass=Meta):
        x = 1.0
        y = 2.0

    def total(n: Any) -> Any:
        t = 0.0
        for _ in range(n):
            t += W.x + W.y
            if t > 1e3:
                break
        return t

    compiled = np.compile(total, adaptive=False)
    for n in (2, 5, 3):
        agree(compiled, (n,))


def test_threads_with_objects_of_their_own() -> None:
    def step(o: Any, n: Any) -> Any:
        for i in range(n):
            o.x += 0.5
            o.n += 1
            o.y -= o.x
            if i == n - 2:
                o.last = [i]
        return o.x, o.n

    for _ in range(5):
        compiled, wrong, barrier = np.compile(step, adaptive=False), list[Any](), threading.Barrier(4)

        def work(compiled: Any = compiled, wrong: list[Any] = wrong, barrier: Any = barrier) -> None:
            barrier.wait()
            for k in range(6):
                mine, theirs = (Holder(x=1.0, y=2.0, n=0) for _ in range(2))
                try:
                    if compiled(mine, 200 + k) != step(theirs, 200 + k) or vars(mine) != vars(theirs):
                        wrong.append(k)
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert not wrong
