"""Functions that meet what is around them in every way that Python has, and changes of it."""

# Written as users write, good style or not.
# ruff: noqa: B006, B019, B023, B905, C408, C416, C417, E731, PIE804, SIM, UP031, UP032, PLW0603, S

from __future__ import annotations

import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import operator
import string
import typing

import numpy

F = numpy.array([1.0, 2.0, 3.0])
K = 2.0
LOG = []
D = {"a": 1.0, "b": F}
L = [1.0, 2.0]
S = {1, 2}
T = (1.0, F)
N = 3
FLAG = True
MODE = "mul"


class Abs(abc.ABC):
    @abc.abstractmethod
    def go(self, x): ...
    def tw(self, x):
        return self.go(x) * K


class Con(Abs):
    def go(self, x):
        return x * F


T = typing.TypeVar("T")


class Gen(typing.Generic[T]):
    def __init__(self, v):
        self.v = v

    def go(self, x):
        return x * self.v * F


class Proto(typing.Protocol):
    def go(self, x): ...


class Slots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a * F


@dataclasses.dataclass(frozen=True)
class Froz:
    a: object
    k: float = 2.0

    def go(self, x):
        return x * self.a * K


@dataclasses.dataclass(slots=True)
class DSlots:
    a: object

    def go(self, x):
        return x * self.a * F


class NT(typing.NamedTuple):
    a: object
    b: float = 1.0

    def go(self):
        return self.a * F + self.b


class Color(enum.Enum):
    RED = 1.0
    BLUE = 2.0

    def go(self, x):
        return x * self.value * F


class IntE(enum.IntEnum):
    A = 1
    B = 2


class WithProp:
    def __init__(self):
        self._v = 1.0

    @property
    def v(self):
        return self._v * F

    @v.setter
    def v(self, x):
        LOG.append(1)
        self._v = x


class Call:
    def __call__(self, x):
        return x * F


class Over:
    def __init__(self, v):
        self.v = v

    def __add__(self, o):
        return Over(self.v + o.v * F)

    def __mul__(self, k):
        return Over(self.v * k)

    def __getitem__(self, i):
        return self.v[i]

    def __len__(self):
        return len(self.v)

    def __iter__(self):
        return iter([self.v, self.v * 2])

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return False

    def __eq__(self, o):
        return True

    def __contains__(self, k):
        return k in (1, 2)

    def __bool__(self):
        return K > 1


class Mixin:
    def mix(self, x):
        return x + K


class Multi(Mixin, Con):
    def go(self, x):
        return super().go(x) + self.mix(x)


class Diamond1(Con):
    def go(self, x):
        return super().go(x) * 2


class Diamond2(Con):
    def go(self, x):
        return super().go(x) + 3


class Dia(Diamond1, Diamond2):
    def go(self, x):
        return super().go(x) - 1


class DictSub(dict):
    def go(self, x):
        return x * F


class ListSub(list):
    pass


class GetAttr:
    def __getattr__(self, n):
        return K


class Count:
    n = 0

    def __init__(self):
        Count.n += 1
        self.k = Count.n


class ClsAttr:
    table = {"a": F}
    arr = F.copy()
    lst = [1.0, F]

    @classmethod
    def go(cls, x):
        return x * cls.table["a"] + cls.arr + cls.lst[1]


class Nested:
    class Inner:
        def go(self, x):
            return x * F

    def go(self, x):
        return self.Inner().go(x)


class InitSub:
    subs = []

    def __init_subclass__(cls, **k):
        InitSub.subs.append(cls)

    def go(self, x):
        return x * F


class Child(InitSub):
    pass


held = Multi()
prop = WithProp()
call = Call()
dia = Dia()
generic = Gen(F)
froz = Froz(F)
ga = GetAttr()
nested = Nested()
ch = Child()
ds = DictSub(a=1)
dsl = DSlots(F)


class Cached:
    @functools.lru_cache
    def go(self, n):
        return n * K


cachedo = Cached()


class Repr:
    def __repr__(self):
        return f"R{K}"

    def __format__(self, s):
        return f"F{K}"

    def __str__(self):
        return f"S{K}"

    def __hash__(self):
        return int(K)

    def __lt__(self, o):
        return K > 2


rr = Repr()


def helper(x):
    return x * F


def other(x):
    return x + F


current = helper


def deco(f):
    @functools.wraps(f)
    def w(*a, **k):
        return f(*a, **k) * K

    return w


@deco
def decorated(x):
    return x + 1


def counter(f):
    def w(x):
        w.count += 1
        return f(x) * w.count

    w.count = 0
    return w


@counter
def counted(x):
    return x + 1


def gen(x):
    for i in range(N):
        yield x * i * K


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def mutdef(x, acc=[]):
    acc.append(1)
    return x * len(acc)


def make(k):
    def inner(x):
        return x * k * K

    return inner


made = make(3.0)


def nonlocal_counter():
    n = 0

    def inc(x):
        nonlocal n
        n += 1
        return x * n

    return inc


nc = nonlocal_counter()


@contextlib.contextmanager
def ctx():
    LOG.append("in")
    yield K
    LOG.append("out")


class CM:
    def __enter__(self):
        return F

    def __exit__(self, *a):
        return K > 2.5


cm = CM()
ops = {"mul": lambda x: x * F, "add": lambda x: x + F}
part = functools.partial(lambda a, b, c: a * b + c, b=K)
chain = functools.reduce


def kw(x, *a, k=1.0, **m):
    return x * k + sum(a) + sum(m.values())


def defarg(x, k=K):
    return x * k


def glob(x):
    global N
    N = N + 1
    return x * N


def trye(x):
    try:
        if K > 2.5:
            raise ValueError(f"k{K}")
        return x * F
    except ValueError as e:
        return x + len(str(e))
    finally:
        LOG.append("fin")


def lazyimport(x):
    import math

    return x * math.floor(K)


def mt(x):
    match MODE:
        case "mul":
            return x * F
        case "add":
            return x + F
        case _:
            return x


def mtseq(x):
    match L:
        case [a, b]:
            return x * a + b
        case _:
            return x


def walrus(x):
    return x * y if (y := K) > 1 else x


def delv(x):
    a = x * 2
    b = a + F
    del a
    return b


def star(x):
    a, *b = L
    return x * a + sum(b)


def fmt(x):
    return x, f"{K:.3f} {L!r} {D['a']} {MODE:>5}", "%s %d" % (MODE, N), "{} {a}".format(K, a=N), string.Template("$a").substitute(a=K)  # noqa: UP031, UP032


def sort(x):
    return x * sorted(L, reverse=FLAG)[0] + max(L) - min(D["a"], K)


def dictc(x):
    return {k: v * x for k, v in D.items()}


def setc(x):
    return x * len({i % 2 for i in L} | S)


def nestedc(x):
    return sum(a * b for a in L for b in L if a <= b) * x


def it(x):
    i = iter(L)
    return x * next(i) + next(i, 0) + next(i, K)


def enum(x):
    return sum(i * v for i, v in enumerate(L)) * x + sum(a * b for a, b in zip(L, reversed(L)))


def anyall(x):
    return x * any(v > 1 for v in L) + all(v > 1 for v in L)


def slic(x):
    return x[slice(0, N - 1)] * K


def wh(x):
    i = 0
    while i < N:
        x = x + F
        i += 1
    else:
        x = x * 2
    return x


def brk(x):
    for i in range(10):
        if i >= N:
            break
        if i % 2:
            continue
        x = x + K
    else:
        x = x * 0
    return x


def tern(x):
    return x * F if FLAG and not K > 2.5 or MODE == "add" else x - 1


def chained(x):
    return x * (1 < K <= 2.5) * (N >= 3 != False)


def lamlist(x):
    return sum(f(x) for f in [lambda z, i=i: z * i * K for i in range(3)])


def closure_loop(x):
    fs = []
    for i in range(3):
        fs.append(lambda z: z * i)
    return sum(f(x) for f in fs)


def idx(x):
    return x[N - 2 :], x[-1] * K, x[[0, N - 2]], x[x > K]


def tup(x):
    return T[0] * x + T[1]


def setdef(x):
    d = {}
    d.setdefault("a", []).append(x)
    return d["a"][0] * F


def dd(x):
    d = collections.defaultdict(float)
    d["a"] += K
    return x * d["a"]


def cnt(x):
    return x * collections.Counter(L)[1.0] + collections.Counter("aab")["a"]


def od(x):
    return x * collections.OrderedDict(D)["a"] + len(collections.ChainMap(D, {}))


def pw(x):
    return x**N + x**-1 + 2**x + divmod(N, 2)[0] + abs(-K) + round(K * 1.26, 1) + pow(N, 2) + int(K * 1.7) + float(N) + bool(L)


def cplx(x):
    return x * complex(K, 1)


def red(x):
    return functools.reduce(operator.mul, L, x)


def acc(x):
    return x * list(itertools.accumulate(L))[-1] + sum(itertools.chain(L, [K])) + len(list(itertools.product(L, L)))


def fnattr(x):
    return x * helper.__name__.__len__() * (helper.__defaults__ is None)


def code(x):
    return current(x)


def withf(x):
    with ctx() as k:
        return x * k


def withcm(x):
    with cm as f:
        if K > 1e9:
            raise ValueError
        return x * f


FUNCTIONS = {
    "con": lambda x: Con().tw(x),
    "generic": lambda x: generic.go(x),
    "gen new": lambda x: Gen(x).go(x),
    "slots": lambda x: Slots(x).a,
    "froz": lambda x: froz.go(x),
    "froz new": lambda x: Froz(x).go(x),
    "dslots": lambda x: DSlots(x).go(x),
    "dsl": lambda x: dsl.go(x),
    "nt": lambda x: NT(x).go(),
    "nt ret": lambda x: tuple(NT(x * 2, 3.0)),
    "color": lambda x: Color.RED.go(x),
    "color2": lambda x: x * Color.BLUE.value,
    "intenum": lambda x: x * IntE.B,
    "prop": lambda x: prop.v * x,
    "call": lambda x: call(x),
    "over": lambda x: (Over(x) + Over(x) * 2).v,
    "getitem": lambda x: Over(x)[1:],
    "iter": lambda x: sum(Over(x)),
    "with": lambda x: [o.v * F for o in [Over(x).__enter__()]][0],
    "bool": lambda x: x * F if Over(x) else x,
    "contains": lambda x: x * (1 in Over(x)),
    "multi": lambda x: held.go(x) + held.tw(x),
    "dia": lambda x: dia.go(x),
    "dictsub": lambda x: ds.go(x),
    "dictsub new": lambda x: DictSub(b=x)["b"] * F,
    "listsub": lambda x: ListSub([x, x * F])[1],
    "getattr": lambda x: x * ga.zzz,
    "count": lambda x: x * Count().k,
    "clsattr": lambda x: ClsAttr.go(x),
    "nested": lambda x: nested.go(x),
    "nested new": lambda x: Nested.Inner().go(x),
    "initsub": lambda x: ch.go(x),
    "initsub new": lambda x: Child().go(x),
    "cached": lambda x: x * cachedo.go(2),
    "repr": lambda x: x * len(f"{rr}{rr!r}{rr!s}"),
    "fmt": lambda x: (x, f"{rr}", repr(rr), str(rr)),
    "lt": lambda x: x * (rr < rr),
    "isinst": lambda x: x * (isinstance(held, Mixin) + 2 * issubclass(Dia, Con) + 4 * isinstance(held, abc.ABC) + 8 * (type(held) is Multi)),
    "local class": lambda x: type("L", (Con,), {"go": lambda self, x: x * F + K})().tw(x),
    "copy": lambda x: copy.copy(froz).go(x),
    "replace": lambda x: dataclasses.replace(froz, a=x).go(x),
    "fields": lambda x: x * len(dataclasses.fields(froz)),
    "mro": lambda x: x * len(Dia.__mro__),
    "name": lambda x: (x, type(held).__name__, Dia.__qualname__),
    "partialmethod": lambda x: functools.partial(Con().go)(x),
    "map": lambda x: list(map(Con().go, [x, x * 2]))[1],
    "sorted": lambda x: sorted([Froz(x, 3.0), Froz(x, 1.0)], key=lambda f: f.k)[0].a * F,
    "eq": lambda x: x * (Froz(1.0, 2.0) == Froz(1.0, 2.0)),
    "hashkey": lambda x: {Froz(1.0, K): x * F}[Froz(1.0, K)],
}

NAMES = """helper other decorated counted mutdef defarg glob trye lazyimport mt mtseq walrus delv star fmt sort dictc setc nestedc
    it enum anyall slic wh brk tern chained lamlist closure_loop idx tup setdef dd cnt od pw cplx red acc fnattr code withf
    withcm"""
FUNCTIONS.update({name: globals()[name] for name in NAMES.split()})
FUNCTIONS.update(
    {
        "gen": lambda x: sum(gen(x)),
        "genlist": lambda x: [v + 1 for v in gen(x)][-1],
        "fact": lambda x: x * fact(N),
        "made": lambda x: made(x),
        "makein": lambda x: make(2.0)(x),
        "nc": lambda x: nc(x),
        "decorated": lambda x: decorated(x),
        "counted": lambda x: counted(x),
        "with": lambda x: [v * x for v in [1]][0],
        "ops": lambda x: ops[MODE](x),
        "part": lambda x: part(x, c=1.0),
        "kw": lambda x: kw(x, 1, 2, k=K, z=3.0),
        "kwdict": lambda x: kw(x, *L, **{"k": K}),
        "mutdef": lambda x: mutdef(x),
        "glob": lambda x: glob(x),
        "defarg": lambda x: defarg(x),
        "Dvals": lambda x: sum(D.values()) * x,
        "Dkeys": lambda x: x * len("".join(D)),
        "Lindex": lambda x: x * L.index(2.0) + L.count(1.0),
        "in": lambda x: x * (1.0 in L) + ("a" in D) + (1 in S),
        "S": lambda x: x * sum(S),
        "T": lambda x: x * T[0] + len(T),
    }
)

saved = helper.__code__


def changes():
    """Each turn finds something else; in the end all is as it was."""
    global F, K, N, FLAG, MODE, current, T
    yield
    F = F * 2
    D["b"] = F
    yield
    K = 3.0
    L[0] = 5.0
    yield
    N, FLAG, MODE, current = 4, False, "add", other
    yield
    L.append(2.5)
    D["a"] = 7.0
    S.add(9)
    T = (2.0, F + 1)
    ClsAttr.arr = ClsAttr.arr + 1
    ClsAttr.table["a"] = F * 3
    prop._v = 4.0
    yield
    helper.__code__ = other.__code__
    F = numpy.array([2, 3, 4])
    yield
    helper.__code__ = saved
    defarg.__defaults__ = (9.0,)
    yield
    F = numpy.array([1.0, 2.0, 3.0])
    K, N, FLAG, MODE, current, T = 2.0, 3, True, "mul", helper, (1.0, F)
    L[:] = [1.0, 2.0]
    D.clear()
    D.update(a=1.0, b=F)
    S.discard(9)
    defarg.__defaults__ = (2.0,)
    yield


def state():
    """What the functions change."""
    return N, len(LOG), counted.count, nc.__closure__[0].cell_contents, len(mutdef.__defaults__[0]), Count.n


def restore(to):
    global N
    N = to[0]
    del LOG[to[1] :]
    counted.count = to[2]
    nc.__closure__[0].cell_contents = to[3]
    mutdef.__defaults__[0][:] = [1] * to[4]
    Count.n = to[5]
