"""Random functions with loops over whole arrays, as source text: expressions, parts, folds, masks, picks, products, arrays that are made, kept, swapped
and written to in place, under branches and in loops that may end early."""

from __future__ import annotations

import random
from typing import Any

_NUMBERS = ["i", "n", "2", "0.5", "-1.5", "s", "len(x)", "x[0]", "k[i % len(k)]", "A[0, -1]", "float(i)"]


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.left = 14
        self.loops = 0

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # Vectors of floats, all as long as x.

    def vector(self, deep: int = 2) -> str:
        pick = self.rng.choice
        leaves = ["x", "y", "w", "x[::-1]", "A[0, : len(x)]", "A[: len(x), 0]", "(k * 0.5)", "np.flip(y)", "v"]
        if deep == 0 or self.rng.random() < 0.3:
            return pick(leaves)
        x = self.vector(deep - 1)
        return pick(
            [
                lambda: f"({x} {pick('+-*')} {self.vector(deep - 1)})",
                lambda: f"({x} {pick('+-*')} {pick(_NUMBERS)})",
                lambda: f"({pick(_NUMBERS)} - {x})",
                lambda: f"({x} / ({self.vector(deep - 1)} ** 2 + 1.0))",
                lambda: f"np.{pick(['abs', 'floor', 'sqrt', 'tanh', 'square', 'sign', 'negative'])}({x} * {x})",
                lambda: f"np.{pick(['maximum', 'minimum'])}({x}, {pick([self.vector(deep - 1), '0.25'])})",
                lambda: f"np.where({self.mask(deep - 1)}, {x}, {pick([self.vector(deep - 1), '0.0'])})",
                lambda: f"{x}[k % len(x)]" if x.isalpha() else f"(-{x})",
                lambda: f"np.clip({x}, -2.0, 2.0)",
                lambda: f"(B @ {x})",
                lambda: f"np.sort({x})",
                lambda: f"np.append(np.diff({x}), 1.0)[: len(x)]",
                lambda: f"B.{pick(['std', 'var'])}({pick(['0', '1', 'axis=0', 'axis=-1'])})",
                lambda: f"{x}.copy()" if x.isalpha() else f"abs({x})",
                lambda: "np.zeros(len(x))",
                lambda: f"np.full(len(x), {pick(['1.5', 's'])})",
                lambda: f"B.{pick(['sum', 'max'])}(axis={pick('01')})",
                lambda: f"np.concatenate(({x}[:1], {self.vector(deep - 1)}[1:]))",
                lambda: f"np.append({x}[1:], {pick(_NUMBERS)})",
                lambda: f"np.roll({x}, {pick(['1', '-1', 'i', 'n'])})",
                lambda: pick([f"np.hstack(([s], {x}[1:]))[: len(x)]", f"np.column_stack((y, {x}))[:, {pick('01')}]", f"np.stack(({x}, y), 1)[:, 0]"]),
                lambda: pick([f"({x} {pick(['//', '%'])} (y * y + 0.5))", f"(k {pick(['//', '%', '/'])} (k + {pick('123')}))", "np.diag(x)[0]"]),
                lambda: pick([f"np.sort({x})[np.argsort(y)]", "(B @ B.T)[0]", "np.linspace(0.0, 1.5, len(x))", f"({x} * [1.5])", "np.roll(B, i, 0)[-1]"]),
                lambda: pick([f"np.cumsum({x})", "x.cumsum()", "(B @ np.eye(len(x)))[0]", "np.identity(len(y))[-1]"]),
                lambda: pick(["B.ravel()", "np.ravel(B)", "B.reshape(-1)", "np.reshape(B, -1)", "B.flatten()", "B.T.ravel()"]) + "[: len(x)]",
                lambda: pick(
                    [f"np.stack(({x}, y))[{pick('01')}]", f"np.vstack([y, {x}])[0]", f"({x}).reshape(1, -1)[0]", f"({x}).reshape((-1, 1))[:, 0]"]
                ),
            ]
        )()

    def mask(self, deep: int = 1) -> str:
        pick = self.rng.choice
        return pick(
            [
                lambda: f"({self.vector(deep)} {pick(['<', '>', '!='])} {pick([self.vector(0), '0.1', 'i'])})",
                lambda: f"(k % 2 == {pick('01')})",
                lambda: f"((x > 0) {pick('&|')} (y < 0.5))",
            ]
        )()

    def number(self) -> str:
        pick = self.rng.choice
        return pick(
            [
                lambda: pick(_NUMBERS),
                lambda: f"{self.vector(1)}.{pick(['max', 'min'])}()",
                lambda: f"np.{pick(['max', 'min'])}({self.vector(1)})",
                lambda: f"{self.mask()}.{pick(['any', 'all', 'sum'])}()",
                lambda: f"k.{pick(['sum', 'max', 'min', 'argmax'])}()",
                lambda: "(x[:i] > 0).sum()",
                lambda: f"({self.vector(1)}).argmin()",
                lambda: f"({self.vector(1)}).{pick(['std()', 'var()', 'var(ddof=1)', 'std(ddof=1)'])}",
                lambda: f"np.{pick(['std', 'var', 'ptp', 'median'])}({self.vector(1)})",
                lambda: f"np.count_nonzero({self.mask()})",
                lambda: pick(
                    ["np.searchsorted(np.sort(x), 0.5)", "np.trace(B)", "B.trace()", "np.searchsorted(np.sort(k), i, 'right')", "np.clip(s, 0.0, 1.0)"]
                ),
                lambda: f"len(x[{self.mask()}])",
            ]
        )()

    def test(self) -> str:
        pick = self.rng.choice
        return pick(
            [
                self.compared,
                lambda: f"{self.mask()}.any()",
                lambda: f"i % 2 == {pick('01')}",
            ]
        )()

    def compared(self) -> str:
        """A root is never asked whether it is below a number: where that is not above 0, LLVM knows the answer, and the root's errors are lost."""
        number = self.number()
        return f"{number} {self.rng.choice(['>'] if 'std' in number else ['<', '>'])} {self.rng.choice(_NUMBERS)}"

    # Statements

    def block(self, depth: int) -> None:
        for _ in range(self.rng.randint(1, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        self.left -= 1
        choices: list[Any] = [self.bind] * 5 + [self.store] * 5 + [self.name] * 3 + [self.count] * 2
        if self.left > 0 and depth < 5:
            choices += [self.branch] * 2 + [self.leave]
            if self.loops < 2:
                choices += [self.loop] * 2
        self.rng.choice(choices)(depth)

    def bind(self, depth: int) -> None:
        self.add(depth, f"{self.rng.choice(['x', 'y', 'w', 'v'])} = {self.vector()}")

    def name(self, depth: int) -> None:
        """What goes from one variable to another."""
        a, b = self.rng.sample(["x", "y", "w", "v"], 2)
        self.add(depth, self.rng.choice([f"{a}, {b} = {b}, {a}", f"{a} = {b}", f"{a} = {b}[::-1]", f"{a}, s = {self.vector(1)}, {self.number()}"]))

    def count(self, depth: int) -> None:
        self.add(
            depth,
            self.rng.choice(
                [
                    f"s = {self.number()}",
                    f"r = np.array([{self.number()}, i, 0.5])",
                    "r = np.array([[s, 1.0, 2.0], [i, 0, n]])[i % 2]",
                    f"n += {self.rng.choice(['1', 'i', 'int(k[0])'])}",
                    f"r[i % 3] = {self.number()}",
                    f"r {self.rng.choice(['+=', '*='])} 0.5, s, {self.rng.choice(_NUMBERS)}",
                    f"r = np.cross(r, {self.rng.choice(['(0.5, i, 1)', 'A[0, :3]', 'r[::-1]'])})",
                ]
            ),
        )

    def store(self, depth: int) -> None:
        pick = self.rng.choice
        to = pick(["x", "y", "w"])
        op = pick(["=", "+=", "-=", "*="])
        text = pick(
            [
                lambda: f"{to}[:] = {self.vector()}",
                lambda: f"{to} {pick(['+=', '-=', '*='])} {self.vector()}",
                lambda: f"{to}[1:] {op} {pick(['x', 'y', 'w'])}[:-1]",
                lambda: f"{to}[:-1] {op} {pick(['x', 'y', 'w'])}[1:] * 0.5",
                lambda: f"{to}[::2] {op} {pick(_NUMBERS)}",
                lambda: f"{to}[{self.mask()}] {op} {pick(_NUMBERS)}",
                lambda: f"{to}[k % len(x)] {op} {self.vector(1)}",
                lambda: f"{to}[i % len(x)] {op} {self.number()}",
                lambda: f"A[i % 3, : len(x)] {op} {self.vector(1)}",
                lambda: f"A[:, 1] {op} A[:, 0]",
                lambda: f"A[A[:, 0] > {pick(['0', 's'])}] {op} {pick(['0.5', 'A[0]', 'i'])}",
                lambda: f"A[i % 3, :2] {op} {pick(_NUMBERS)}, {pick(_NUMBERS)}",
                lambda: f"A[1:, 1:] {op} A[:-1, :-1]",
                lambda: f"A {pick(['+=', '*='])} {pick(['0.5', 'A.T', 'B[:1, :1]'])}" if self.rng.random() < 0.3 else "A[0] = A[1] + A[2]",
                lambda: f"k[k > {pick('012')}] {pick(['-=', '+='])} 1",
                lambda: f"k[:] = k[::-1] {pick(['+', '*', '-'])} {pick(['1', 'i'])}",
            ]
        )()
        self.add(depth, text)

    def branch(self, depth: int) -> None:
        self.add(depth, f"if {self.test()}:")
        kind = self.rng.random()
        if kind < 0.1:
            self.add(depth + 1, self.rng.choice(["log.append((i, s))", "log.append(x.copy())", "log.append(w)"]))
        elif kind < 0.15:
            self.add(depth + 1, self.rng.choice(["raise ValueError(i)", "x[len(x)] = 1.0", "y[:2] = x[:3]", "B @ x[1:]", "w[k + 1] = 0.0", "s = 1 // 0"]))
        self.block(depth + 1)
        if self.rng.random() < 0.5:
            self.add(depth, "else:")
            self.block(depth + 1)

    def leave(self, depth: int) -> None:
        if self.loops == 0:
            return self.bind(depth)
        self.add(depth, f"if {self.test()}:")
        self.add(depth + 1, self.rng.choice(["break", "continue", "return x, y, w, s", "break"]))
        return None

    def loop(self, depth: int) -> None:
        self.loops += 1
        name = "i" if self.loops == 1 else "j"
        self.add(depth, f"for {name} in range({self.rng.choice(['turns', '3', 'len(x)'])}):")
        self.block(depth + 1)
        self.loops -= 1


def array_source(seed: int, statements: int) -> str:
    """A function of arrays: vectors x, y (floats), k (integers) of one length, a matrix A (3 or more, square), B (a square of that length), turns, and
    a list that it may append to."""
    writer = _Writer(random.Random(seed))
    writer.left = statements
    writer.add(0, "def f(x, y, k, A, B, turns, log):")
    for line in ("w = x", "v = y * 0.5", "r = np.zeros(3)", "s = 0.0", "n = i = j = 0"):
        writer.add(1, line)
    writer.loop(1)
    writer.add(1, "return x, y, w, v, k, A, r, s, n, i, j")
    return "\n".join(writer.lines) + "\n"
