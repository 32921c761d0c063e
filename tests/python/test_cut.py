"""Functions cut in parts at random places do what they did: the same calls in the same order, results, errors.

The programs are random text: branches, loops, returns, ``try``, ``with``, functions within functions, variables that may be unbound. Here the parts are
plain functions; test_parts.py has compiled ones.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import LONG, SEED

from fastnp import _compile, _parts
from fastnp._unfold import place_of

PROGRAMS = 250 if LONG else 80  # of each block
NAMES = ["a", "b", "c", "d", "e"]


class Text:
    """A random program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.depth = 0
        self.loops = 0
        self.functions = 0

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def expression(self, depth: int = 0) -> str:
        kind = self.rng.randrange(16 if depth < 3 else 3)

        def inner() -> str:
            return self.expression(depth + 1)

        if kind < 2:
            return self.name()
        if kind == 2:
            return str(self.rng.randrange(5))
        if kind < 7:
            return f"g({self.rng.randrange(100)}, {inner()})" if kind < 5 else f"({inner()} {self.rng.choice('+-*')} {inner()} % 7)"
        texts = {
            7: lambda: f"(-{inner()})",
            8: lambda: f"g({self.rng.randrange(100)}, {inner()}, k={inner()})",
            9: lambda: f"box.method({inner()}, {inner()})",
            10: lambda: f"({inner()} if {inner()} > {inner()} else {inner()})",
            11: lambda: f"({inner()} and {inner()})",
            12: lambda: f"[{inner()}, {inner()}][{self.rng.randrange(2)}]",
            13: lambda: f"sum([{inner()} + i for i in range({self.rng.randrange(3)})])",
            14: lambda: f"sum(n * {self.name()} for n in ({inner()}, 2))",
            15: lambda: self.rng.choice([f"int({inner()} < {inner()} < 4)", "VALUE", "bump()", f"(lambda: {inner()})()", f"box.value + {inner()}"]),
        }
        return texts[kind]()

    def block(self, indent: str) -> list[str]:
        self.depth += 1
        lines = [line for _ in range(self.rng.randrange(1, 5)) for line in self.statement(indent)]
        self.depth -= 1
        return lines

    def statement(self, indent: str) -> list[str]:
        inside = indent + "    "
        kind = self.rng.randrange(22 if self.depth < 4 else 11)
        if kind < 5:
            return [f"{indent}{self.name()} = {self.expression()}"]
        if kind < 7:
            return [f"{indent}{self.name()} {self.rng.choice('+-*')}= {self.expression()} % 5"]
        if kind < 11:
            simple = [f"g({self.rng.randrange(100)}, {self.expression()})", f"{self.name()}, {self.name()} = {self.expression()}, {self.expression()}",
                      f"box.value = {self.expression()}", f"box.items[{self.expression()} % 3] = {self.expression()}", f"box.value += {self.expression()}",
                      f"{self.name()}: int = {self.expression()}", f"{self.name()} = ({self.name()} := {self.expression()})"]  # fmt: skip
            rare = [
                f"return {self.expression()}",
                f"del {self.name()}",
                f"raise ValueError({self.expression()})",
                "global VALUE2; VALUE2 = 1",
                "pass",
                f"{self.name()}: int",
            ]
            loop = ["break", "continue"] if self.loops else []
            return [indent + self.rng.choice(simple * 3 + rare + loop * 2)]
        if kind < 15:
            lines = [f"{indent}if {self.expression()} > {self.expression()}:", *self.block(inside)]
            return lines + ([f"{indent}else:", *self.block(inside)] if self.rng.random() < 0.5 else [])
        if kind < 19:
            self.loops += 1
            body = self.block(inside)
            self.loops -= 1
            if kind < 17:
                head = [f"{indent}for {self.name()} in range({self.expression()} % 4):"]
            else:
                head = [f"{indent}w{self.depth} = 0", f"{indent}while (w{self.depth} := w{self.depth} + 1) < {self.expression()} % 5:"]
            otherwise = [f"{indent}else:", *self.block(inside)] if self.rng.random() < 0.2 else []
            return [*head, *body, *otherwise]
        if kind == 19:
            loops, self.loops = self.loops, 0  # a break may not be in a finally
            lines = [f"{indent}try:", *self.block(inside), f"{indent}except {self.rng.choice(['ValueError', 'ValueError as e', 'Exception'])}:"]
            lines += self.block(inside)
            lines += [f"{indent}finally:", *self.block(inside)] if self.rng.random() < 0.3 else []
            self.loops = loops
            return lines
        if kind == 20:
            return [f"{indent}with held({self.expression()}) as {self.name()}:", *self.block(inside)]
        self.functions += 1
        loops, self.loops = self.loops, 0
        name = f"f{self.functions}"
        outer = f"{inside}nonlocal {self.name()}" if self.rng.random() < 0.3 else f"{inside}pass"
        lines = [f"{indent}def {name}({self.name()}_, p=1):", outer, *self.block(inside), f"{indent}{self.name()} = {name}({self.expression()})"]
        self.loops = loops
        return lines


def source(seed: int) -> str:
    text = Text(random.Random(seed))
    body = [line for _ in range(text.rng.randrange(2, 7)) for line in text.statement("        ")]
    bound = f"        {' = '.join(NAMES[2:])} = 3"
    frees = "    e_outer = 1\n" if seed % 2 else ""
    return "\n".join([f"def outer():\n{frees}    def program(a, b, *c, d=2):", *([bound] if seed % 3 else []), *body,
                      f"        return [{', '.join(text.rng.sample(NAMES, 2))}, {'e_outer' if seed % 2 else 1}]", "    return program"])  # fmt: skip


class Log(list[Any]):
    """What a program did. One that goes on for too long ends, as it was written and cut alike."""

    def append(self, each: Any) -> None:
        if len(self) >= 5000:
            raise RuntimeError("this program takes too long")
        super().append(each)


class Box:
    def __init__(self, log: list[Any]) -> None:
        self.value = 1
        self.items = [1, 2, 3]
        self.log = log

    def method(self, x: Any, y: Any) -> Any:
        self.log.append(("method", x, y))
        self.value += 1
        return x - y


def surroundings() -> tuple[dict[str, Any], list[Any]]:
    log = Log()
    scope: dict[str, Any] = {"VALUE": 1}

    def g(number: int, x: Any, k: Any = 0) -> Any:
        log.append((number, x, k))
        if (number + len(log)) % 31 == 0:
            raise ValueError(f"at {number}")
        if isinstance(x, int):
            x %= 1000003
        return (x + k) if number % 3 else x * 2

    def bump() -> int:
        scope["VALUE"] += 1
        return scope["VALUE"]

    @contextlib.contextmanager
    def held(x: Any) -> Iterator[Any]:
        log.append(("enter", x))
        try:
            yield x
        except ValueError as error:
            log.append(("caught", str(error)))
            if isinstance(x, int) and x % 2:
                raise
        log.append(("exit", x))

    scope.update(g=g, bump=bump, held=held, box=Box(log))
    return scope, log


def outcome(function: Callable[..., Any], log: list[Any], scope: dict[str, Any]) -> Any:
    try:
        result: Any = function(2, 3, 4, d=5)
    except Exception as error:  # compared with the other's
        result = type(error), str(error)
    box = scope["box"]
    return repr((result, log, scope["VALUE"], scope.get("VALUE2"), box.value, box.items))


class Plain(_parts.Parts):
    """Parts that are not compiled."""

    def compiled_part(self, part: Any) -> Any:
        made = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_compile, "make", lambda function, options, split: made.append(function))
            self.known.clear()
            super().compiled_part(part)
        return made[0]


def load(text: str, scope: dict[str, Any], filename: str) -> types.FunctionType:
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)  # noqa: S102  # the text is made here
    return scope["outer"]()


OPTIONS = {"backend": "eager", "dynamic": None, "fullgraph": False, "name": None, "cache_size_limit": 8, "on_limit": "generalise", "verify": 0}
LOOPS = (ast.For, ast.While)


def cut_at_random(function: types.FunctionType, rng: random.Random) -> Plain:
    parts = Plain(function, OPTIONS, "program")
    assert parts.tree is not None
    nodes = list(ast.walk(parts.tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    others = [node for node in nodes if isinstance(node, ast.expr)]
    picked = rng.sample(calls, min(len(calls), rng.randrange(4))) + rng.sample(others, min(len(others), rng.randrange(2)))
    parts.places = {place_of(node) for node in picked}
    parts.loops = {place_of(node) for node in nodes if isinstance(node, LOOPS) and rng.random() < 0.3}
    parts.make()
    return parts


@pytest.mark.parametrize("block", range(6))
def test_a_function_that_is_cut_does_what_it_did(block):
    made = 0
    for seed in range(SEED + block * PROGRAMS, SEED + (block + 1) * PROGRAMS):
        text = source(seed)
        if len(text) > 4000:
            continue
        try:
            compile(text, "", "exec")
        except SyntaxError:  # a nonlocal of no outer variable, say
            continue
        wanted_scope, wanted_log = surroundings()
        wanted = outcome(load(text, wanted_scope, f"<cut {seed}>"), wanted_log, wanted_scope)
        for turn in range(3):
            scope, log = surroundings()
            parts = cut_at_random(load(text, scope, f"<cut {seed}>"), random.Random(seed * 3 + turn))
            if parts.frame is not None:
                made += len(parts.functions)
                assert outcome(parts.frame, log, scope) == wanted, f"{text}\n{sorted(parts.places)}"
    assert made > PROGRAMS
