"""Texts in native loops: they are known, and what is asked of them is what Python says."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy
import pytest
from loop_source import function_of
from support import SEED
from test_native_loops import programs_of

import fastnp as np

TEXTS = ["", "a", "b", "ab", "ba", "abc", "B", "ä", "\0"]
TESTS = ["{} == {}", "{} != {}", "{} < {}", "{} <= {}", "{} > {}", "{} >= {}", "{} in {}", "{} not in {}", "{} in ({}, 'b')", "{} not in ['a', {}]"]
TESTS += ["not {}", "{} and {}", "{} or {}", "{} < {} <= 'b'", "len({}) > 1", "{} is None", "{} == None"]


@pytest.mark.parametrize("place", ["literals", "globals", "arguments"])
def test_texts_are_asked_as_python_does(place: str) -> None:
    rng = random.Random(f"{SEED} {place}")
    native = 0
    for x, y in rng.sample(list(itertools.product(TEXTS, TEXTS)), 12):
        names = (repr(x), repr(y)) if place == "literals" else ("X", "Y")
        arguments = ", X, Y" if place == "arguments" else ""
        lines = [f"def f(v{arguments}):", "    c = 0.0", "    for i in range(len(v)):", "        c += v[i]"]
        tests = [each for each in TESTS if arguments or place == "globals" or " is " not in each]
        for number, test in enumerate(rng.sample(tests, 4)):
            lines += [f"        if {test.format(*names)}:", f"            c += {10**number}"]
        source = "\n".join([*lines, "    return c", ""])
        f = function_of(source, f"texts {place}")
        f.__globals__.update(X=x, Y=y)
        given: list[Any] = [numpy.full(4, 0.5), *((x, y) if arguments else ())]
        want, compiled = f(*given), np.compile(f, adaptive=False)
        for _ in range(3):
            assert compiled(*given) == want, source
        native += bool(programs_of(compiled))
    assert native > 8 or place != "globals", native
