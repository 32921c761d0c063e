"""Lists and tuples of numbers whose lengths differ from call to call: one specialisation where a function uses them as arrays, and what the function as
written gives, whatever it does with them."""

from __future__ import annotations

import copy
import os
import random
import subprocess
import sys
import warnings
from typing import Any

import numpy
import pytest
from support import SEED, alike

import fastnp as np

# m: the module; v: a list or a tuple; x: 8 numbers; y: 8 rows of 8; w: 40 numbers
AS_ARRAYS = """
m.array(v); m.asarray(v)*2; m.array(v,dtype=float)+1; m.sum(v); m.mean(v); m.max(v); m.cumsum(v); m.sort(v); m.sum(m.array(v)**2); m.dot(v,w[:len(v)])
m.tanh(v); m.add(v,1); m.array(v)@w[:len(v)]; w[:len(v)]*v; v*w[:len(v)]; v+w[:len(v)]; w[:len(v)]-v; m.where(m.array(v)>1,v,0); m.zeros(len(v))+v
m.concatenate([v,x]); m.concatenate([x,v,v]); m.stack([v,v]); m.array([v,v]); m.outer(v,x); m.diff(m.append(x,v)); m.full(len(v),2)+v
m.mean(v[1:] if len(v)>1 else v); v[0]*x; v[-1]*x; x+v[0]+v[-1]; m.array(v[:2]); (x*len(v)).sum(); x if v else -x; m.zeros((len(v),2))
m.array(v,dtype=m.float32); m.asarray(v,dtype=complex); m.linalg.norm(v); m.polyval(v,x*0.1); m.searchsorted(m.sort(v),x); m.minimum(v,w[:len(v)])
isinstance(v,(list,tuple))*x; (v is None)*x; m.array(v).astype(bool).any(); len(v)*1.5; m.ones(3)/len(v); m.atleast_2d(v).T*x; m.asarray(v).reshape(-1,1)
sum(v)*x; max(v)*x; min(v)*x; x+sum(v)/len(v); x-max(v)-min(v)
"""
AS_INDICES = """
y[v]; x[v]; y[v,0]; y[:,v[:1]]; y[v].sum(axis=0); y[v]@y.T; m.take(x,v); m.take(y,v,axis=0); x[m.array(v)]; y[v,v]
"""
AS_LISTS = """
m.bincount(v,minlength=8); m.array(sorted(v)); sum(v,1)*x; max(v,default=3)*x; max(v,key=abs); sum(v); max(v); m.array([e*2 for e in v])
m.array(v+v); m.array(v*2); x*(1 in v); x*v.count(1); m.array(list(v)); str(v); repr(v); x*sum(a*b for a,b in zip(v,w)); m.array(v[::-1]); v
(v,x); [v,v]; m.zeros(len(v)+1)[1:]+list(v); x*(type(v) is list); x*(v==[1,2]); f'{v}'; m.zeros(3,dtype=m.int8)+m.array(v,dtype=m.int8)
x*float(v[0])**2; m.array(copy.copy(v)); [*v,1]; (lambda *e:m.array(e))(*v); x*(v<[2]) if type(v) is list else x; m.array(v).tolist()
x*int(v[0]); m.array(v)[0]; max(v[:2]); x*(v[0]>1); v[len(v)//2]; v[1:]; v[:0]; m.array(v[5:]); list(reversed(v)); any(v); x[:1]*min(v)
"""


def forms(text: str) -> list[str]:
    return [each.strip() for line in text.strip().splitlines() for each in line.split(";")]


def outcome(function: Any, *arguments: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except Exception as error:
            return type(error)


def numbers(chosen: random.Random, kind: str, count: int) -> list[Any]:
    whole = [chosen.randrange(8) for _ in range(count)]
    if kind == "ints":
        return whole
    floats = [chosen.uniform(-2, 5) for _ in range(count)]
    return floats if kind == "floats" else [chosen.choice(pair) for pair in zip(whole, floats, strict=True)]


LENGTHS = (4, 4, 5, 2, 7, 1, 0, 6, 31)


def function_of(form: str, module: Any) -> Any:
    scope = {"m": module, "copy": copy}
    exec(f"def function(v, x, y, w):\n    return {form}\n", scope)  # noqa: S102  # the text is made here
    return scope["function"]


def arrays_of(module: Any) -> tuple[Any, ...]:
    return tuple(module.asarray(each) for each in (numpy.linspace(-1, 3, 8), numpy.arange(64.0).reshape(8, 8) + numpy.eye(8), numpy.linspace(1, 2, 40)))


@pytest.mark.parametrize("module", [numpy, np], ids=["numpy", "fastnp"])
@pytest.mark.parametrize("form", forms(AS_ARRAYS) + forms(AS_INDICES) + forms(AS_LISTS))
def test_whatever_is_done_with_lists(form: str, module: Any) -> None:
    chosen = random.Random(f"{SEED} {form} {module.__name__}")
    kind = "ints" if form in forms(AS_INDICES) else chosen.choice(["ints", "floats", "mixed"])
    made = chosen.choice([list, list, tuple])
    function = function_of(form, module)
    compiled = np.compile(function)
    for length in LENGTHS:
        v = made(numbers(chosen, kind, length))
        wanted, got = (outcome(each, v, *arrays_of(module)) for each in (function, compiled))
        assert alike(got, wanted, rtol=1e-12, atol=1e-14, numbers=1e-12), f"of {v!r}, {got!r} where the function as written gives {wanted!r}"


@pytest.mark.parametrize("form", forms(AS_ARRAYS) + forms(AS_INDICES))
@pytest.mark.parametrize("kind", ["ints", "floats"])
def test_one_specialisation(form: str, kind: str) -> None:
    if kind == "floats" and form in forms(AS_INDICES):
        pytest.skip("floats are no indices")
    chosen = random.Random(SEED)
    function = function_of(form, numpy)
    compiled = np.compile(function)
    for count in (3, 3, 4, 5, 6, 7, 9, 12, 20, 33):
        v = numbers(chosen, kind, count)
        assert alike(compiled(v, *arrays_of(numpy)), function(v, *arrays_of(numpy)), rtol=1e-12, atol=1e-14, numbers=1e-12)
    if sys.version_info >= (3, 12) and kind == "floats" and "sum(v)" in form:
        return  # which adds with compensation since then: a compilation for each length (docs/versions.md)
    info = compiled.cache_info()
    assert info.compiles <= 4, info
    assert info.uncompiled <= 2, info


def test_rows_of_one_length() -> None:
    chosen = random.Random(SEED)

    def middle(points):
        p = numpy.array(points)
        return p.mean(axis=0) + points[0][0], len(points)

    for row in (list, tuple):
        compiled = np.compile(middle)
        for count in range(2, 22):
            points = [row(numbers(chosen, "floats", 3)) for _ in range(count)]
            assert alike(compiled(points), middle(points), rtol=1e-12)
        assert compiled.cache_info().compiles <= 4
        assert compiled.cache_info().uncompiled == 0
    ragged = [[1.0], [2.0, 3.0]]
    assert outcome(compiled, ragged) is outcome(middle, ragged) is ValueError


def test_lists_in_dicts_and_objects() -> None:
    chosen = random.Random(SEED)

    def scores(batch, table):
        return table[batch["ids"]].sum(axis=1) * batch["scale"] + numpy.array(batch["weights"])

    compiled = np.compile(scores)
    table = numpy.arange(24.0).reshape(8, 3)
    for count in range(1, 20):
        batch = {"ids": numbers(chosen, "ints", count), "weights": numbers(chosen, "floats", count), "scale": chosen.random()}
        assert alike(compiled(batch, table), scores(batch, table), rtol=1e-12)
    assert compiled.cache_info().compiles <= 5
    assert compiled.cache_info().uncompiled <= 1


def test_what_is_changed_is_changed() -> None:
    def grows(v, x):
        total = x * len(v)
        v.append(len(v))
        return total + numpy.array(v).sum()

    compiled = np.compile(grows)
    x = numpy.ones(2)
    for count in (3, 4, 5, 2, 6):
        v, w = list(range(count)), list(range(count))
        assert alike(compiled(v, x), grows(w, x))
        assert v == w


def test_a_list_is_the_one_that_was_handed_in() -> None:
    compiled = np.compile(lambda v, x: (v, x[v]))
    x = numpy.arange(9.0)
    for count in (3, 4, 5, 6):
        v = list(range(count))
        given, picked = compiled(v, x)
        assert given is v
        assert picked.tolist() == list(map(float, v))


def test_one_list_twice() -> None:
    compiled = np.compile(lambda v, w, x: (v is w, x[v] + x[w]))
    x = numpy.arange(9.0)
    for count in (3, 4, 5, 6):
        v, w = list(range(count)), list(range(count))
        assert compiled(v, v, x)[0] is True
        assert compiled(v, w, x)[0] is False
        assert compiled(v, w, x)[1].tolist() == [2.0 * i for i in range(count)]


def test_one_list_in_both_ways() -> None:
    """As one argument its length varies, as the other it does not, and it is changed."""

    def grows(v, w, x):
        w.append(0)
        return x[v].sum() + len(v)

    known = [0, 1]

    def by_name(v, x):
        known.append(2)
        return x[v].sum() + len(v)

    compiled, compiled_by_name = np.compile(grows), np.compile(by_name)
    x = numpy.arange(9.0)
    for count in (3, 4, 5, 3, 3, 6):
        v, w = list(range(count)), [1, 2, 3]
        assert compiled(v, w, x) == grows(list(range(count)), [1, 2, 3], x)
        assert w == [1, 2, 3, 0]
        both, others = [0, 1, 2], [0, 1, 2]
        assert compiled(both, both, x) == grows(others, others, x)
        assert both == others
        assert compiled_by_name(v, x) == x[v].sum() + count
        assert compiled_by_name(known, x) == x[known].sum() + len(known)


def test_patterns_and_errors() -> None:
    def match(v, x):
        match v:
            case [a]:
                return x * a
            case [a, b]:
                return x * a - b
            case list():
                return x.sum() + numpy.array(v).sum()
        return x

    def caught(v, x):
        try:
            return x * v[3]
        except IndexError:
            return x

    x = numpy.ones(2)
    for function in (match, caught):
        compiled = np.compile(function)
        for count in (3, 4, 5, 2, 1, 6, 0, 3):
            v = list(range(1, count + 1))
            assert alike(compiled(v, x), function(v, x))
    compiled = np.compile(lambda v, x: x[v])
    for v in ([0, 1], [1, 0, 1], [0], [1, 1, 0, 0], [2, 0], [0, 1, -1], [0, 1, -3], [0.5, 1.0]):
        assert alike(outcome(compiled, v, x), outcome(lambda v, x: x[v], v, x))


def rows(x, w):
    h = numpy.zeros(w.shape[0])
    for row in x:
        h = numpy.tanh(w @ h + row)
    return h


def counted(x, w):
    h = numpy.zeros(w.shape[0])
    for i in range(len(x)):
        h = 0.5 * h + x[i] * w[0]
    return h


def paired(x, w):
    total = numpy.zeros(w.shape[0])
    for number, row in enumerate(x):
        total = total + number * row
    return total


@pytest.mark.parametrize("function", [rows, counted, paired])
def test_loops_over_rows_of_arrays_of_any_length(function: Any) -> None:
    """They become native once it turns out that an entry is for one length alone."""
    rng = numpy.random.default_rng(SEED)
    w = rng.normal(size=(4, 4)) * 0.1
    for called in (function, lambda x, w: function(x, w)):
        compiled = np.compile(called, adaptive=False)
        for count in (3, 4, 5, 1, 0, 2, 17, 8, 30, 9, 6, 7, 11, 12, 13):
            x = rng.normal(size=(count, 4))
            assert alike(compiled(x, w), function(x, w), rtol=1e-12, atol=1e-13)
        info = compiled.cache_info()
        assert info.compiles <= 4, info
        assert info.uncompiled <= 1, info


class Hook:
    """Of imports, with a loop that could be native code."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        total = 0
        for each in range(3):
            total += each


def test_hooks_of_imports_are_no_part_of_a_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, numpy, fastnp\n"
        "from test_varying_lists import Hook\n"
        "sys.meta_path.insert(0, Hook())\n"
        "f = fastnp.compile(lambda v, x: x * numpy.linalg.norm(v))\n"
        "for k, count in enumerate((3, 3, 4, 5, 6, 7, 8, 9)):\n"
        "    f([i + k for i in range(count)], numpy.ones(3))\n"
        "print(f.cache_info().compiles, f.cache_info().uncompiled)\n"
    )
    monkeypatch.setenv("FASTNP_CACHE_DIR", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "0"]
