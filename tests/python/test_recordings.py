"""Recordings are kept on disk: other processes take them when all that the function reads is the same, and only then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy
import pytest
from support import assert_same, outcome

import fastnp as np

X = numpy.array([1.0, -2.0, 3.0])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FASTNP_CACHE_DIR", str(tmp_path))
    return tmp_path


def phases(compiled):
    return [phase for entry in compiled._inspect(False)[0] for phase in entry["milliseconds"]]


def load(source):
    """The function `f` of a module with this source, as another process would have it."""
    module = sys.modules["users"] = types.ModuleType("users")
    exec(compile(source, "users.py", "exec"), vars(module))
    return module.f


def check(source, *arguments, **options):
    """Compiles it, as a process that begins does, and calls it: True if it was taken from disk."""
    function = load(source)
    compiled = np.compile(function, backend="eager", **options)
    arguments = arguments or (X,)
    mine, theirs = [[value.copy() if isinstance(value, numpy.ndarray) and value.base is None else value for value in arguments] for _ in range(2)]
    assert_same(outcome(compiled, *mine), outcome(load(source), *theirs))
    assert_same(mine, theirs)
    found = phases(compiled)
    assert found.count("record") + found.count("load recording") == 1, (found, compiled.cache_info())
    return "load recording" in found


HEAD = """
import collections, dataclasses, functools, math, types
import numpy
import numpy as np
def helper(x): return x + 1
class Model:
    scale = 2.0
    def __init__(self):
        self.weight = numpy.arange(3.0)
        self.bias = 1.5
        self.layers = [1.0, 2.0]
    @property
    def double(self): return self.bias * 2
    @staticmethod
    def shift(x): return x - 3
    def __call__(self, x): return x * self.weight + self.bias
Pair = collections.namedtuple("Pair", "first second")
@dataclasses.dataclass
class Options:
    rate: float = 0.5
    name: str = "sum"
model, pair, options, table, items = Model(), Pair(2.0, 3.0), Options(), {"a": 1.0, "b": [2.0]}, [1.0, 2.0, (3, 4)]
settings = types.ModuleType("settings"); settings.level = 4.0
"""

# A body, and edits of the head or the body after which it gives something else.
EDITS = {
    "constant": ("def f(x): return x * 2.0", [("2.0", "3.0"), ("2.0", "2"), ("2.0", "True"), ("x * 2.0", "x + 2.0")]),
    "signs": ("def f(x): return x * 0.0", [("0.0", "-0.0")]),
    "helper": ("def f(x): return helper(x) * 2", [("return x + 1", "return x + 7"), ("return x + 1", "return 1 - x")]),
    "global": ("K = 2.0\ndef f(x): return x * K", [("K = 2.0", "K = 2.5"), ("K = 2.0", "K = numpy.float32(2)"), ("K = 2.0", "K = numpy.arange(3) + 1")]),
    "default": ("def f(x, k=2.0): return x * k", [("k=2.0", "k=4.0"), ("k=2.0", "*, k=4.0")]),
    "closure": ("def make(k):\n    def g(x): return x * k\n    return g\nf = make(2.0)", [("make(2.0)", "make(5.0)")]),
    "attribute": ("def f(x): return x * model.bias", [("self.bias = 1.5", "self.bias = 1.25"), ("self.bias = 1.5", "self.bias = 2")]),
    "array": ("def f(x): return x * model.weight", [("arange(3.0)", "arange(3)"), ("arange(3.0)", "ones((2, 3))")]),
    "class": ("def f(x): return x * model.scale", [("scale = 2.0", "scale = 3.0")]),
    "method": ("def f(x): return model(x)", [("x * self.weight", "x - self.weight"), ("def __call__(self, x)", "def __call__(self, x, y=1)")]),
    "property": ("def f(x): return x * model.double", [("self.bias * 2", "self.bias * 3")]),
    "static": ("def f(x): return model.shift(x)", [("x - 3", "x - 4")]),
    "list in object": ("def f(x): return x * sum(model.layers)", [("[1.0, 2.0]\n    @", "[1.0, 5.0]\n    @")]),
    "named tuple": ("def f(x): return x * pair.first", [('"first second"', '"second first"'), ("Pair(2.0, 3.0)", "Pair(4.0, 3.0)")]),
    "dataclass": ("def f(x): return x * options.rate", [("0.5", "0.75"), ("Options()", "Options(2.0)")]),
    "dict": ("def f(x): return x * table['a'] + table['b'][0]", [('"a": 1.0', '"a": 3.0'), ("[2.0]", "[4.0]")]),
    "order": ("def f(x): return x * next(iter(table.values()))", [('{"a": 1.0, "b": [2.0]}', '{"b": 9.0, "a": 1.0}')]),
    "items": ("def f(x): return x * items[1] + items[2][0]", [("(3, 4)", "(5, 4)"), ("2.0, (3", "2.5, (3")]),
    "module": ("def f(x): return x * settings.level", [("level = 4.0", "level = 5.0")]),
    "partial": ("def g(x, k): return x * k\nf = functools.partial(g, k=2.0)", [("k=2.0", "k=3.0"), ("x * k", "x + k")]),
    "absent": ("def f(x): return x * getattr(model, 'extra', 1.0)", [("self.bias = 1.5", "self.bias = 1.5; self.extra = 4.0")]),
    "computed": ("def f(x): return x * getattr(model, 'bi' + str('as'))", [("self.bias = 1.5", "self.bias = 4.5")]),
    "branch": ("def f(x): return x * 2 if x.sum() > 0 else x - 1", [("x - 1", "x - 2"), ("> 0", "> 5")]),
    "loop": ("def f(x):\n    for i in range(3): x = x * 2\n    return x", [("range(3)", "range(4)")]),
    "nested": ("def f(x): return (lambda y: y * 3)(x)", [("y * 3", "y * 4")]),
    "returned": (
        "def f(x): return x.sum(), 'a', {'k': (1, 2.5, None)}, numpy.float32, slice(1, 2)",
        [("'a'", "'b'"), ("2.5", "3.5"), ("float32", "int8")],
    ),
    "identity": ("def f(x): return model.layers if x.sum() > 0 and model.bias > 0 else None", [("self.bias = 1.5", "self.bias = -1.5")]),
    "effect": ("def f(x):\n    print('sum', x.sum())\n    return x * 2", [("'sum'", "'total'")]),
    "call": ("def f(x): return numpy.median(x) + x * 2", [("median", "ptp"), ("x * 2", "x * 3")]),
    "constant array": (
        "def f(x): return x * numpy.array([1.0, 2.0, 3.0])",
        [("[1.0, 2.0, 3.0]", "[1.0, 2.0, 4.0]"), ("numpy.array([", "numpy.array([[")][:1],
    ),
    "write": ("def f(x): x[1:] += 1", [("x[1:]", "x[:2]")]),
    "derivative": (
        "import fastnp\nG = fastnp.grad(lambda x, y: (x * y * y).sum(), argnums=0)\ndef f(x): return G(x, x)",
        [("argnums=0", "argnums=1"), ("y * y", "y")],
    ),
    "mapped": (
        "import fastnp\nG = fastnp.vmap(lambda x, y: (x * y).sum(), in_axes=(0, None))\ndef f(x): return G(x, x)",
        [("(0, None)", "(0, 0)"), ("x * y", "x + y")],
    ),
    "set": ("S = {'a', 'b'}\ndef f(x): return x * 2 if 'a' in S else x", [("{'a', 'b'}", "{'c', 'b'}")]),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_is_read_decides(name):
    body, edits = EDITS[name]
    source = HEAD + body
    assert not check(source)
    assert check(source)
    for before, after in edits:
        edited = source.replace(before, after)
        assert edited != source
        check(edited)
        check(edited)
    assert check(source)


def test_arguments_decide():
    source = HEAD + "def f(x, k, flag=False, **more): return (x * k if flag else x + k), more"
    calls = [(X, 2.0), (X, 3.0), (X, 2), (X, 2.0, True), (X.astype("f4"), 2.0), (X[::-1], 2.0), (X[:2], 2.0), (X.reshape(1, 3), 2.0), (X, X), (X, X[0])]
    for arguments in calls:
        assert not check(source, *arguments)
    for arguments in calls:
        assert check(source, *arguments)


def test_courses_and_sizes():
    """Courses, entries for many sizes, and sizes that depend on values come from disk, each."""
    source = HEAD + "def f(x): return x[x > 0] if x.sum() > 0 else x - 1"
    calls = [X, -X, numpy.arange(5.0), -numpy.arange(5.0), numpy.arange(7.0), numpy.ones(0)]
    for taken in (False, True):
        function = load(source)
        compiled = np.compile(function, backend="eager")
        for x in calls:
            assert_same(compiled(x), function(x))
        found = phases(compiled)
        assert found.count("load recording" if taken else "record") == len(compiled._inspect(False)[0])
        assert ("record" in found) is not taken


def test_options_and_what_is_not_kept(folder):
    source = HEAD + "def f(x): return numpy.sin(x) + model(x)"
    assert not check(source)
    assert check(source)
    assert not check(source, verify=2)
    with np.compiler.disallow_in_graph(np.cosh):
        assert not check(source)
    assert check(source)
    before = len(list(folder.iterdir()))
    check(HEAD + "import enum\nclass E(enum.Enum): A = 2.0\ndef f(x): return x * E.A.value")
    assert len(list(folder.iterdir())) == before  # the class is not written down


def test_numpy_changed_by_the_user():
    """A function put in NumPy's place is another one, though its name is the same."""
    source = HEAD + "def f(x): return numpy.half_of(x)"
    try:
        numpy.half_of = lambda x: x / 2
        assert not check(source)
        numpy.half_of = lambda x: x / 4
        assert not check(source)
        numpy.half_of = numpy.sin
        assert not check(source)
        numpy.half_of = numpy.cos
        assert not check(source)
    finally:
        del numpy.half_of


PROGRAM = """
import contextlib, io, json, sys, warnings
sys.path.insert(0, sys.argv[1])
import numpy, programs
import fastnp as np
warnings.simplefilter("ignore")
phases, results = [], []
for name, function in sorted(programs.PROGRAMS.items()):
    compiled = np.compile(function, backend="eager")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            result = compiled(numpy.array([1.0, -2.0, 3.0]), numpy.array([0.5, 1.5, -2.5]))
        except Exception as error:
            result = error
    results.append((name, repr(result), said.getvalue()))
    phases += [phase for entry in compiled._inspect(False)[0] for phase in entry["milliseconds"]]
print(json.dumps([phases.count("record"), phases.count("load recording"), results]))
"""


def run(folder, seed):
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(seed)}
    programs = str(Path(__file__).parent / "semantics")
    done = subprocess.run([sys.executable, "-c", PROGRAM, programs], env=environment, capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


def test_other_processes_do_not_record(folder):
    recorded, taken, expected = run(folder, 1)
    assert taken == 0 and recorded > 170
    again, taken, results = run(folder, 2)
    assert results == expected
    assert taken > 160
    assert again + taken == recorded  # those left are functions that change what they read


def test_results_that_may_not_be_written_to():
    source = "import numpy\ndef f(x): return x * 2, numpy.broadcast_to(x, x.shape), numpy.diagonal(numpy.outer(x, x)), x[::-1]"
    for is_known in (False, True):
        compiled = np.compile(load(source), backend="eager")
        assert [result.flags.writeable for result in compiled(X)] == [True, False, False, True]
        assert ("load recording" in phases(compiled)) == is_known
