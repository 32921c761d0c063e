"""With fullgraph=True the error lists all that breaks, once each and with its line, whatever is done with what a break would have given."""

from __future__ import annotations

import itertools
import linecache
import time

import numpy
import pytest

import fastnp as np
from fastnp import compiler

RAW = "calls raw, which is disabled"
_numbers = itertools.count()


@compiler.disable
def raw(x):
    return x + 1


# Statements, and what is said of them.
STATEMENTS = {
    "t = time.time()": "uses time.time",
    "print(time.time())": "uses time.time",
    "import os.path": "imports os.path",
    "from os import path": "imports os",
    "input()": "calls input()",
    "eval('1')": "calls eval()",
    "with open('/dev/null') as f: f.read()": "calls open()",
    "z = raw(x)": RAW,
    "z = sorted(range(3), key=lambda v: time.time())": "uses time.time",
    "for n in range(3): z = raw(x)": RAW,
}
# What is done with something unknown.
USES = [
    *("z = {} + x", "z = x - {}", "z = {} ** 2 // 3 % 2", "z = x @ {}", "z = {} @ x", "z = -{}", "z = abs({})", "z = ~{} & 1 | 2 ^ 3", "z = round({})"),
    *("z = {} < 3", "z = x <= {}", "z = {} == x", "z = 3 in {}", "z = not {}", "z = {} and x", "z = 1 < {} < 2"),
    *("if {}.sum() > 3: x = x + 1", "while {}.sum() > 1e9: x = x + 1", "while not {}: x = x + 1", "for v in {}: x = x + v"),
    *("z = float({})", "z = int({}[0])", "z = complex({})", "z = len({})", "z = range({})", "z = f'{{{}}}'", "z = str({})", "z = bool({})"),
    *("p, q = {}", "p, *q, r = {}", "p, (q, r) = {}, {}", "z = [*{}]", "z = {}.T[1:, None]", "z = x[{}]", "z = {}[x]", "z = x[{} > 0]"),
    *("z = numpy.exp({})", "z = numpy.sum({}, axis=0)", "z = numpy.where({} > 0, x, 1)", "z = numpy.maximum(x, {})", "z = np.exp({})"),
    *("z = np.sum({})", "z = numpy.concatenate([x, {}])", "z = numpy.stack([{}, {}])", "print({})", "x += {}", "x[0] = {}", "x[{}] = 1"),
    *(
        "with {} as z: z.read()",
        "z = {}.a.b(3, k=x)",
        "z = min({}, 3)",
        "z = sum({})",
        "z = list(zip({}, x))",
        "z = dict(a={})",
        "z = {{'a': {}}}['a'] + 1",
    ),
]


def breaks_of(statement):
    """The breaks of a function with that statement, and another one after it; and their lines."""
    text = f"def program(x):\n    {statement}\n    compiler.graph_break()\n    return x * 2\n"
    name = f"<fullgraph {next(_numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"np": np, "numpy": numpy, "time": time, "raw": raw, "compiler": compiler}
    exec(compile(text, name, "exec"), scope)  # noqa: S102  # the text is of this file
    with pytest.raises(np.RecordError) as error:
        np.compile(scope["program"], fullgraph=True)(numpy.arange(3.0))
    return str(error.value), name


def check(statement, words):
    said, name = breaks_of(statement)
    assert said.count(words) == 1, said
    assert words in said.split(f"({name}:2", 1)[0], said
    assert f"asks for it with graph_break() ({name}:3, in program)" in said
    assert "Unknown" not in said
    return said


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_comes_after_a_break_is_told_too(statement):
    check(statement, STATEMENTS[statement])


@pytest.mark.parametrize("use", USES)
def test_what_is_unknown_hides_no_break_and_makes_none(use):
    said = check(use.replace("{}", "raw(x)").replace("{{", "{").replace("}}", "}"), RAW)
    assert said.count("; ") == 1, said


def test_loops_over_what_is_unknown_end():
    said, name = breaks_of("while True: x = raw(x)")
    assert said.startswith(RAW)
    assert said.count(RAW) == 1
    assert f"({name}:2" in said
