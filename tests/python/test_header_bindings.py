"""What a statement's header binds (`with`, `except`, `:=`) is bound in native loops of its block, when functions run in parts."""

from __future__ import annotations

import contextlib
import linecache
import textwrap

import numpy
import pytest

import fastnp as np
from fastnp import compiler


@compiler.disable
def raw(x):
    return x + 1


class Told(Exception):
    pass


# What a statement binds before a block of it begins; `seq` and `made` are as Python has them.
BINDINGS = {
    "with": "with held(b) as seq:\n    {loop}",
    "with_two": "with held(b) as other, held(other) as seq:\n    {loop}",
    "with_tuple": "with held((b, 2)) as (seq, n):\n    {loop}",
    "if": "if (seq := raw(b)) is not None:\n    {loop}",
    "else": "if (seq := raw(b)) is None:\n    pass\nelse:\n    {loop}",
    "while": "n = 0\nwhile (seq := raw(b)) is not None and n < 2:\n    n += 1\n    {loop}",
    "for": "for seq in (raw(b), raw(b * 2)):\n    raw(seq)\n    {loop}",
    "except": "try:\n    raise Told(raw(b))\nexcept Told as told:\n    seq = told.args[0]\n    {loop}",
    "handler": "try:\n    raise Told(raw(b))\nexcept Told as told:\n    raw(b)\n    {loop}",
    "finally": "try:\n    seq = raw(b)\nfinally:\n    {loop}",
    "try_else": "try:\n    seq = raw(b)\nexcept ValueError:\n    pass\nelse:\n    {loop}",
}
LOOPS = {
    "items": "for each in seq: total += each * 2",
    "numbers": "for n in range(len(seq)): total += seq[n] * n",
    "while": "k = 0\n    while k < len(seq): total += seq[k]; k += 1",
    "writes": "for k in range(len(seq) if isinstance(seq, numpy.ndarray) else 0): seq[k] = seq[k] + 1; total += seq[k]",
    "nditer": "with numpy.nditer(seq) as it:\n        for each in it: total += float(each)",
}


@contextlib.contextmanager
def held(x):
    yield x


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("binding", BINDINGS)
def test_what_a_header_binds_is_bound_in_loops_of_its_block(binding, loop):
    sequence = "told.args[0]" if binding == "handler" else "seq"
    text = (
        "def program(b):\n    total = 0.0\n"
        + textwrap.indent(BINDINGS[binding].format(loop=LOOPS[loop].replace("seq", sequence)), "    ")
        + "\n    return total, b"
    )
    name = f"<header {binding} {loop}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"numpy": numpy, "held": held, "raw": raw, "Told": Told}
    exec(compile(text, name, "exec"), scope)  # noqa: S102  # the text is of this file
    made = np.compile(scope["program"])
    for size in (3, 3, 5, 300, 300):
        mine, theirs = numpy.arange(1.0, size + 1), numpy.arange(1.0, size + 1)
        found, want = made(mine), scope["program"](theirs)
        assert found[0] == pytest.approx(want[0], rel=1e-12)
        numpy.testing.assert_array_equal(mine, theirs)
