"""Objects that methods change and share: results, states and who shares memory with whom are as of the function as written, call after call."""

# Written as users write, good style or not.
# ruff: noqa: B006, B018, C408, PLC2801, RUF012, SIM, E731

from __future__ import annotations

import dataclasses
import functools

import numpy
import pytest

import fastnp as np


class Base:
    arr = numpy.zeros(3)
    lst = []
    table = {}
    total = 0.0

    def __init__(self):
        self.w = numpy.ones(3)
        self.n = 0
        self.hist = []
        self.child = None

    def upd(self, x):
        self.w += x
        self.n += 1
        return self.w

    def rep(self, x):
        self.w = self.w * 0.5 + x
        return self.w.sum()

    def app(self, x):
        self.hist.append(float(x.sum()))
        return len(self.hist) * x

    def cls_write(self, x):
        self.arr[0] = x.sum()
        return self.arr * 2

    @classmethod
    def cw(cls, x):
        cls.arr += x
        return cls.arr

    @classmethod
    def ca(cls, x):
        cls.lst.append(x.sum())
        return x * 2

    @classmethod
    def ct(cls, x):
        cls.table["k"] = x * 2
        return x

    @property
    def view(self):
        return self.w[1:]

    def setv(self, x):
        self.view[:] = x[1:]
        return self.w

    @functools.cached_property
    def cp(self):
        return self.w * 3


class Sub(Base):
    def upd(self, x):
        y = super().upd(x)
        y *= 2
        return y

    def __iadd__(self, x):
        self.w -= x
        return self

    def __setitem__(self, i, v):
        self.w[i] = v

    def __getitem__(self, i):
        return self.w[i]

    def __call__(self, x):
        self[0] = x[0]
        self[1:] = x[1:] * 2
        return self[::-1]

    def __len__(self):
        return len(self.w)


@dataclasses.dataclass
class Opt:
    m: object = None
    t: int = 0

    def step(self, g):
        self.t += 1
        self.m = g if self.m is None else 0.9 * self.m + g
        return self.m / self.t


class Tree:
    def __init__(self, d):
        self.v = numpy.full(3, float(d))
        self.kids = [Tree(d - 1) for _ in range(2)] if d > 0 else []

    def total(self):
        return self.v + sum((k.total() for k in self.kids), numpy.zeros(3))

    def scale(self, s):
        self.v *= s
        [k.scale(s) for k in self.kids]


class W:
    pass


def world():
    w = W()
    w.a = Base()
    w.b = Sub()
    w.o = Opt()
    w.t = Tree(2)
    w.shared = w.a.w
    w.al = W()
    w.al.x = w.b.w
    w.lst = [w.a, w.b]
    w.d = {"o": w.o}
    for c in (Base,):
        c.arr = numpy.zeros(3)
        c.lst = []
        c.table = {}
    w.c = Base
    return w


def setattr_child(a, x):
    a.child = Base()
    a.child.w = x * 2


def swapw(w, x):
    w.a.w, w.b.w = w.b.w, w.a.w
    return w.a.w - w.b.w + x


def iad(w, x):
    b = w.b
    b += x
    return b.w * 1


def setcls(w, x):
    Base.total = float(x.sum())
    return x * Base.total


def shadow(w, x):
    w.a.arr = x * 1
    w.a.arr[0] = 9
    return w.a.arr + Base.arr


FUNCTIONS = {
    "upd": lambda w, x: w.a.upd(x) * 1,
    "upd2": lambda w, x: w.b.upd(x) + w.al.x,
    "rep": lambda w, x: w.a.rep(x) + w.shared,
    "app": lambda w, x: w.a.app(x),
    "cls_write": lambda w, x: w.a.cls_write(x),
    "cw": lambda w, x: Base.cw(x) * 1,
    "cwret": lambda w, x: Base.cw(x),
    "ca": lambda w, x: Base.ca(x),
    "ct": lambda w, x: Base.ct(x),
    "setv": lambda w, x: w.a.setv(x) + w.shared,
    "cp": lambda w, x: w.a.cp + x,
    "call": lambda w, x: w.b(x) * 1,
    "callv": lambda w, x: w.b(x),
    "opt": lambda w, x: w.o.step(x),
    "opt2": lambda w, x: w.d["o"].step(x) + w.o.t,
    "tree": lambda w, x: w.t.total() + x,
    "scale": lambda w, x: (w.t.scale(2.0), w.t.total())[1],
    "loop": lambda w, x: [m.upd(x).sum() for m in w.lst],
    "newchild": lambda w, x: (setattr_child(w.a, x), w.a.child.w * x)[1],
    "swap": lambda w, x: swapw(w, x),
    "shared": lambda w, x: (w.shared.__iadd__(x), w.a.w * 2)[1],
    "len": lambda w, x: x * len(w.b),
    "iadd": lambda w, x: iad(w, x),
    "clsattr via inst": lambda w, x: w.a.arr + w.b.arr + x,
    "set clsattr": lambda w, x: setcls(w, x),
    "inst shadows": lambda w, x: shadow(w, x),
}


def dump(o, seen=None):
    seen = {} if seen is None else seen
    if id(o) in seen:
        return ("ref", seen[id(o)])
    if isinstance(o, (int, float, str, type(None))):
        return o
    if isinstance(o, (numpy.ndarray, numpy.generic)):
        seen[id(o)] = len(seen)
        return ("arr", o.dtype.str, o.shape, [round(float(v), 8) for v in numpy.ravel(o)])
    seen[id(o)] = len(seen)
    if isinstance(o, dict):
        return [(k, dump(v, seen)) for k, v in o.items()]
    if isinstance(o, (list, tuple)):
        return [type(o).__name__] + [dump(v, seen) for v in o]
    if isinstance(o, type):
        return o.__name__
    return [type(o).__name__] + [(k, dump(v, seen)) for k, v in vars(o).items()]


def full(w):
    return dump([w, Base.arr, Base.lst, Base.table, Base.total])


def follow(call, w):
    """What some calls give and leave behind, while the objects are changed from outside."""
    found = []
    for turn in range(7):
        x = numpy.arange(1.0, 4.0) + turn
        if turn == 4:
            w.a.w = numpy.zeros(3)
            w.b.w[:] = 1
        if turn == 5:
            w.shared = w.a.w
            w.a.n = 50
        result = call(w, x)
        shared = [numpy.shares_memory(result, each) for each in (w.a.w, w.b.w, w.shared, Base.arr, x)] if isinstance(result, numpy.ndarray) else []
        found.append((dump(result), full(w), shared))
        if isinstance(result, numpy.ndarray) and turn == 2:
            result[...] = -1
            found.append(full(w))
    return found


@pytest.mark.parametrize("backend", ["llvm", "eager"])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_objects(name, held, backend):
    function = FUNCTIONS[name]
    Base.total = 0.0
    want = follow(function, world())
    Base.total = 0.0
    w = world()
    compiled = np.compile((lambda x: function(w, x)) if held else function, backend=backend)
    assert follow((lambda _, x: compiled(x)) if held else compiled, w) == want
    # A counter whose values are read, and stores to a class and of objects made inside, are for Python.
    assert (compiled.cache_info().uncompiled == 0) is (name not in ("app", "newchild", "set clsattr"))
