"""Random functions over arrays that break: they call disabled functions that write into what they get, print, loop, branch on values, share memory.

As they are and compiled, every call gives, prints, notes and changes the same.

    FASTNP_BREAK_PROGRAMS=20000 pytest tests/python/test_break_programs.py
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import BACKENDS, LONG, SEED

import fastnp as np
from fastnp import compiler

PROGRAMS = int(os.environ.get("FASTNP_BREAK_PROGRAMS", "240" if LONG else "120"))


class Text:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.depth = 0
        self.count = 0

    def array(self) -> str:
        return self.rng.choice(["a", "b", "c", "d"])

    def expression(self, depth: int = 0) -> str:
        def inner() -> str:
            return self.expression(depth + 1)

        kind = self.rng.randrange(14 if depth < 3 else 3)
        if kind < 3:
            return self.array()
        if kind < 7:
            return f"({inner()} {self.rng.choice('+-*')} {inner()})"
        texts = [
            f"numpy.tanh({inner()})",
            f"({inner()} * SCALE)",
            f"(WORLD['w'] + {inner()})",
            f"raw({inner()})",
            f"numpy.where({inner()} > n, {inner()}, 0.5)",
            f"({inner()} + {inner()}.sum() * 0.1)",
            f"({inner()} * 0.5 + i)",
        ]
        return texts[kind - 7]

    def condition(self) -> str:
        a, b = self.array(), self.array()
        choices = [f"{a}.sum() > {self.rng.randrange(-3, 8)}", "FLAG", f"n > {self.rng.randrange(3)}", f"raw({a}).max() > 1", f"{a}[0] < {b}[1] and FLAG"]
        return self.rng.choice([*choices, "i % 2 == 0"])

    def block(self, indent: str, least: int = 1) -> list[str]:
        self.depth += 1
        lines = [line for _ in range(self.rng.randrange(least, 4)) for line in self.statement(indent)]
        self.depth -= 1
        return lines

    def statement(self, indent: str) -> list[str]:
        rng, inside = self.rng, indent + "    "
        kind = rng.randrange(20 if self.depth < 3 else 13)
        if kind < 4:
            return [f"{indent}{self.array()} = {self.expression()}"]
        if kind < 6:
            return [f"{indent}{self.array()} {rng.choice('+-*')}= {self.expression()}"]
        if kind < 13:
            x, y, value = self.array(), self.array(), self.expression()
            lines = [
                f"{x}[1:] = {y}[:-1]",
                f"{x}[{rng.randrange(4)}] = {value}.max()",
                f"{x} = {y}[::-1]",
                f"{x}[1:3] *= 2",
                f"poke({x})",
                f"note({value}.sum())",
                f"n = int(numpy.clip({x}.round(6)[1], -3, 3))",
                f"print({value}.round(6), n)",
                f"WORLD['w'] = {value}",
                f"note({value}, {x})",
                "n += 1",
                f"kept.append({x})",
                f"d = helper({value}, n)",
                "WORLD['w'][0] = n",
            ]
            return [indent + rng.choice(lines)]
        if kind < 16:
            lines = [f"{indent}if {self.condition()}:", *self.block(inside)]
            return lines + ([f"{indent}else:", *self.block(inside)] if rng.random() < 0.5 else [])
        if kind < 18:
            return [f"{indent}for i in range({rng.randrange(1, 4)}):", *self.block(inside)]
        if kind == 18:
            self.count += 1
            turns = f"t{self.count}"
            body = self.block(inside)
            end = rng.choice(["break", "continue", "return a, b, c", "pass"])
            leave = [f"{inside}if {self.condition()}:", f"{inside}    {end}"] if rng.random() < 0.5 else []
            test = f"{turns} < {rng.randrange(1, 20)} and numpy.abs({self.array()}).max() < 1e6"
            return [f"{indent}{turns} = 0", f"{indent}while {test}:", f"{inside}{turns} += 1", *leave, *body]
        wrapped = [f"{indent}try:", *self.block(inside), f"{indent}except KeyError:", f"{inside}n = 1"]
        return rng.choice([wrapped, [f"{indent}with held(n):", *self.block(inside)]])


def source(seed: int) -> str:
    text = Text(random.Random(seed))
    body = text.block("    ", 2) + text.block("    ", 1)
    result = text.rng.choice(["a, b, c", "c, n", "kept, d", "c", "(a, a[1:], b)", "{'a': a, 'n': n}"])
    return "\n".join(["def program(a, b):", "    n, i, kept = 1, 2, []", "    c = a * 0.5 + b", "    d = b - c * 2", *body, f"    return {result}", ""])


def surroundings() -> tuple[dict[str, Any], list[Any]]:
    events: list[Any] = []
    scope: dict[str, Any] = {"numpy": numpy, "SCALE": 1.5, "FLAG": True, "WORLD": {"w": numpy.array([0.5, 1.0, -1.0, 2.0])}}

    @compiler.disable
    def raw(x: Any) -> Any:
        events.append(float(x.sum()))
        return x * 0.5

    @compiler.disable
    def poke(x: Any) -> None:
        x[-1] = len(events) % 3
        scope["WORLD"]["w"][1] += 0.25
        scope["SCALE"] = 0.5 + len(events) % 2

    def note(*values: Any) -> None:
        import os  # what imports can't be followed

        events.append((len(os.sep), *(numpy.array(value) for value in values)))

    @contextlib.contextmanager
    def held(n: Any) -> Any:
        events.append(("held", n))
        yield
        events.append("left")

    def helper(x: Any, n: Any) -> Any:
        y = numpy.exp(-x * x) * 2 + n
        if n % 2:
            note(y)
        return y - scale_of(x)

    def scale_of(x: Any) -> Any:
        return x.mean() * scope["SCALE"]

    scope.update(raw=raw, poke=poke, note=note, held=held, helper=helper, scale_of=scale_of)
    return scope, events


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (numpy.ndarray, numpy.generic, float)):
        return numpy.shape(a) == numpy.shape(b) and numpy.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    return bool(a == b)


def arrays(value: Any) -> list[numpy.ndarray]:
    if isinstance(value, numpy.ndarray):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [found for item in items for found in arrays(item)]


def outcome(function: Callable[..., Any], arguments: list[numpy.ndarray], scope: dict[str, Any], events: list[Any]) -> Any:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result: Any = function(*arguments)
        except Exception as error:  # compared with the other's
            result = type(error), str(error)
    found = [*arrays(result), *arguments, scope["WORLD"]["w"]]
    sharing = [numpy.shares_memory(x, y) for number, x in enumerate(found) for y in found[:number]]
    said = result, arguments, list(events), dict(scope["WORLD"]), scope["SCALE"], sharing, shown.getvalue()
    events.clear()
    scope["WORLD"]["w"] = scope["WORLD"]["w"].copy()
    return said


def arguments_of(rng: random.Random) -> list[numpy.ndarray]:
    kinds = [lambda: numpy.array([1.0, -2.0, 3.0, 0.5]), lambda: numpy.arange(12.0)[::3] / 4, lambda: numpy.array([0.25, 0.5, -1.5, 2.5])[::-1]]
    return [rng.choice(kinds)() for _ in range(2)]


@pytest.mark.parametrize("block", range(8))
def test_functions_that_break_do_what_they_did(block):
    in_parts = 0
    for seed in range(SEED + block * PROGRAMS // 8, SEED + (block + 1) * PROGRAMS // 8):
        text, file = source(seed), f"<breaks {seed}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        sides = []
        for backend in ("", BACKENDS[seed % len(BACKENDS)]):
            scope, events = surroundings()
            exec(compile(text, file, "exec"), scope)  # noqa: S102  # the text is made here
            function = np.compile(scope["program"], backend=backend, adaptive=seed % 3 == 0) if backend else scope["program"]
            sides.append((function, scope, events))
        for call in range(6):
            for _, scope, _ in sides:
                scope["FLAG"] = call % 3 != 1
            wanted, got = (outcome(function, arguments_of(random.Random(seed * 7 + call)), scope, events) for function, scope, events in sides)
            assert same(got, wanted), f"call {call} of\n{text}"
        in_parts += sides[1][0]._parts() is not None and sides[1][0]._parts().frame is not None
        del linecache.cache[file]
    assert in_parts > PROGRAMS // 40
