"""Python's floats overflow without a word, NumPy's numbers warn: loops that have both warn of NumPy's alone."""

from __future__ import annotations

import linecache
import random
import warnings
from typing import Any

import numpy
import pytest
from support import LONG, SEED
from test_native_loops import same

import fastnp as np

SOURCE = """
def f(p, q, w, x, out):
    for i in range(len(x)):
        {made}
        out[i] = {stored}
    return p, q, w
"""
PYTHONS = ("p", "q", "p", "2.5", "1e200", "i")  # Python's numbers
OPERATORS = ("*", "+", "-", "*", "/")


def python_expression(rng: random.Random) -> str:
    first, second = rng.choice(("p", "q", "float(x[i])")), rng.choice(PYTHONS)
    operator = rng.choice(OPERATORS)
    return f"{first} / ({second} * {second} + 1.5)" if operator == "/" else f"{first} {operator} {second}"


def program(rng: random.Random) -> str:
    """What is computed of Python's floats goes into variables, and by chance into what NumPy's numbers meet."""
    made = [f"{rng.choice('pq')} = {python_expression(rng)}" for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        made.append(f"w = w {rng.choice('*+')} complex({rng.choice('pq')}, {rng.choice(('0.5', 'q'))})")
    stored = rng.choice(("x[i] * 2.0", "x[i] + out[i]", "x[i] * x[i]", "x[i] * p", "q - x[i]", "x[i] / 1e-3", "(p * 0.5) * x[i]"))
    return SOURCE.format(made="\n        ".join(made), stored=stored)


def told(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, list[str]]:
    """What it gives, and what is warned of: which operation of NumPy's it was is not known where there are several."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments)
    return result, sorted({str(each.message).split(" encountered")[0] for each in caught})


@pytest.mark.parametrize("part", range(2))
def test_loops_of_both(part: int) -> None:
    for number in range(200 if LONG else 12):
        seed = f"{SEED} {part} {number}"
        rng = random.Random(seed)
        source = program(rng)
        name = f"<quiet {seed}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        space: dict[str, Any] = {}
        exec(compile(source, name, "exec"), space)
        compiled = np.compile(space["f"], adaptive=False)
        for size in (5, 1, 40):
            values = numpy.array([rng.choice((0.5, -3.0, 1e-3, 1e160, 1e300, numpy.inf, numpy.nan)) for _ in range(size)])
            if rng.random() < 0.5:
                values = numpy.clip(values, -4, 4)
            numbers = [rng.choice((0.25, 7.0, -1e180, 3e300, 1e-300)) for _ in range(2)]
            ways = [(each, (*numbers, 1 + 2j, values, numpy.ones(size))) for each in (space["f"], compiled)]
            (want, warned), (got, met) = (told(*way) for way in ways)
            shown = f"{seed}: {numbers}, {values!r}\n{source}"
            assert same(got, want), shown
            assert same(ways[1][1][4], ways[0][1][4]), shown
            assert met == warned, shown


def test_python_floats_overflow_in_silence() -> None:
    @np.compile(adaptive=False)
    def grown(s: float, x: Any, out: Any) -> float:
        for i in range(len(x)):
            s = s * s + 1.0
            out[i] = x[i] * 2.0
        return s

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            assert grown(3.0, numpy.ones(30), numpy.zeros(30)) == numpy.inf
    with pytest.warns(RuntimeWarning, match="overflow encountered in scalar multiply"):
        grown(3.0, numpy.full(30, 1e308), numpy.zeros(30))
