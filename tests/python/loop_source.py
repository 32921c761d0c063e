"""Random functions with loops over numbers and elements, as source text: nested loops, branches, every way to leave them, and effects in between."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy

_INTS = ["i", "j", "a", "b", "n", "k[i % 5]", "len(x)", "3", "-2", "p[0]"]
_FLOATS = ["s", "t", "p[1]", "x[i % len(x)]", "x[-1]", "A[i % 3, j % 4]", "0.5", "float(a)", "-1.5"]


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.loops = 0  # around the statement at hand
        self.left = 28  # statements
        self.has_lists = False
        self.has_none = False  # variables that are None or a number, or a tuple

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def whole(self) -> str:
        pick = self.rng.choice
        return pick(
            [
                lambda: pick(_INTS),
                lambda: f"({pick(_INTS)} + {pick(_INTS)})",
                lambda: f"({pick(_INTS)} * {pick(_INTS)} % 97)",
                lambda: f"({pick(_INTS)} // 3)",
                lambda: f"min({pick(_INTS)}, {pick(_INTS)})",
                lambda: f"int({self.real()}) % 1000",
                lambda: f"({pick(_INTS)} ^ {pick(_INTS)})",
                lambda: f"abs({pick(_INTS)})",
                lambda: pick([f"(3, -1, b)[{pick(_INTS)} % 3]", f"d[{pick(_INTS)} % 8 - 4]", f"[i, 7][{pick(_INTS)} % 2]"]),
            ]
        )()

    def real(self) -> str:
        pick = self.rng.choice
        return pick(
            [
                lambda: pick(_FLOATS),
                lambda: f"({pick(_FLOATS)} + {pick(_FLOATS)})",
                lambda: f"({pick(_FLOATS)} * {pick(_FLOATS)} % 3.0)",
                lambda: f"({pick(_FLOATS)} - {pick(_INTS)})",
                lambda: f"max({pick(_FLOATS)}, {pick(_FLOATS)})",
                lambda: f"helper({pick(_FLOATS)}, {pick(_INTS)})",
                lambda: f"({pick(_FLOATS)} if {self.test()} else {pick(_FLOATS)})",
            ]
        )()

    def test(self) -> str:
        pick = self.rng.choice
        one = [
            lambda: f"{pick(_INTS)} % 3 == 1",
            lambda: f"{pick(_FLOATS)} > {pick(_FLOATS)}",
            lambda: f"x[i % len(x)] < {pick(_FLOATS)}",
            lambda: f"k[j % 5] {pick(['<', '!=', '>='])} {pick(_INTS)}",
            lambda: f"({pick(_INTS)}, {pick(_FLOATS)}) {pick(['<', '>=', '=='])} ({pick(_INTS)}, {pick(_FLOATS)})",
            lambda: f"{pick(_INTS)} % 5 {pick(['in (1, 2, b)', 'not in [0, i]', 'in d'])}",
        ]
        first = pick(one)()
        return f"{first} {pick(['and', 'or'])} {pick(one)()}" if self.rng.random() < 0.3 else first

    def block(self, depth: int) -> None:
        for _ in range(self.rng.randint(1, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        self.left -= 1
        choices: list[Any] = [self.assign] * 6 + [self.store] * 3
        if self.left > 0 and depth < 6:
            choices += [self.branch] * 4
            if self.loops < 3:
                choices += [self.loop] * 3
        self.rng.choice(choices)(depth)

    def assign_none(self, depth: int) -> None:
        """``u`` is None or a number, ``v`` too, ``w`` is None or a tuple."""
        pick = self.rng.choice
        text = pick(
            [
                lambda: pick(["u = None", "v = None", "w = None", "u = v = None"]),
                lambda: f"{pick('uv')} = {pick([self.real, self.whole])()}",
                lambda: f"w = ({self.whole()} % 1009, {self.real()})",
                lambda: pick(["u, v = v, u", "v = u", "p = w", "u = v if v is None else v % 7", "u = v or t", "u = w[1] if w else None"]),
                lambda: f"u = {self.real()} if u is None else (u + {self.real()}) % 1e6",
                lambda: f"if u is not None and u > {self.real()}:\n{'    ' * (depth + 1)}v = u",
                lambda: f"if {pick(['u is None or u < t', 'not v', 'v == None', 'u != a', 'u'])}:\n{'    ' * (depth + 1)}v = {self.real()}",
                lambda: f"if w is not None:\n{'    ' * (depth + 1)}{pick(['a, t = w', 's = w[1]', 'w = (w[0], s)'])}",
                lambda: pick(["s = (s + u) % 1e9", "a, t = w", "t = max(u, t)", "b = w[0]"]) if self.rng.random() < 0.3 else "a = a if v is None else b",
            ]
        )()
        self.add(depth, text)

    def assign(self, depth: int) -> None:
        if self.has_none and self.rng.random() < 0.5:
            self.assign_none(depth)
            return
        name = self.rng.choice(["a", "b", "s", "t"])
        value = self.whole() if name in "ab" else self.real()
        op = self.rng.choice(["=", "=", "+=", "-="])
        if self.rng.random() < 0.1:
            self.add(depth, self.rng.choice([f"p = ({self.whole()} % 1009, {self.real()})", "p = i, p[1]", "p = (a, b)", "a, t = p"]))
        elif self.rng.random() < 0.1:
            pair = f"s, t = (t, 0.5) if {self.test()} else ({self.real()}, s)"
            self.add(
                depth, self.rng.choice([pair, f"b += x[i % len(x)] > {self.real()}", f"b = (b + (k[j % 5] == {self.whole()})) % 99", "assert a < 5000"])
            )
        elif self.rng.random() < 0.15:
            self.add(depth, f"a, b = b, ({self.whole()}) % 1009")
        elif name in "ab":
            self.add(depth, f"{name} = ({value if op == '=' else f'{name} {op[0]} {value}'}) % 10007")
        elif op != "=" and ("s" in value or "t" in value):  # it would double: Python's floats overflow silently
            self.add(depth, f"{name} = ({name} {op[0]} {value}) % 1e9")
        else:
            self.add(depth, f"{name} {op} {value}")

    def store(self, depth: int) -> None:
        if self.has_lists and self.rng.random() < 0.5:
            self.add(depth, self.rng.choice([f"q[{self.rng.choice(['i', 'j', 'a'])} % 3] = {self.real()} * 1.0", f"out.append({self.whole()})"]))
            return
        if self.rng.random() < 0.15:
            self.add(depth, self.rng.choice([f"A[j % 3] = {self.real()}, s, {self.whole()}, t", f"A[i % 3, 1:3] = [t, {self.real()}]", "A[j % 4] = (s,)"]))
            return
        place, value = self.rng.choice([("x[i % len(x)]", self.real()), ("k[j % 5]", f"({self.whole()}) % 100"), ("A[j % 3, i % 4]", self.real())])
        self.add(depth, f"{place} {self.rng.choice(['=', '=', '+='])} {value}")

    def branch(self, depth: int) -> None:
        self.add(depth, f"if {self.test()}:")
        kind = self.rng.random()
        if kind < 0.15 and self.loops:
            self.add(depth + 1, self.rng.choice(["break", "continue"]))
        elif kind < 0.25:
            self.add(depth + 1, "log.append((i, j, a, b))")
            self.block(depth + 1)
        elif kind < 0.29:
            self.add(depth + 1, self.rng.choice(["return a, s", "return", "raise ValueError(a)", "x[len(x)] = 1.0", "a = 1 // (a - a)"]))
        else:
            self.block(depth + 1)
        if self.rng.random() < 0.4:
            self.add(depth, "else:")
            self.block(depth + 1)

    def loop(self, depth: int) -> None:
        kind = self.rng.random()
        name = "ij"[self.loops % 2] if self.rng.random() < 0.8 else "j"
        count = f"w{self.loops}"
        if kind < 0.5:
            bounds = self.rng.choice(["4", "n", "1, 5", "a % 4", "5, -1, -2", "j % 3, 4", "len(x)", "j, n, b % 4 + 1", "6, a % 5, a % 5 - 3"])
            self.add(depth, f"for {name} in range({bounds}):")
        elif kind < 0.7:
            self.add(
                depth,
                self.rng.choice(
                    [
                        f"for {name}, s in enumerate(x):",
                        "for b in k:",
                        "for t, b in zip(x, k):",
                        "for t in x[1:]:",
                        f"for {name}, t in enumerate(x * 2.0):",
                        "for b in k[k > 3]:",
                        "for b in k[::-2]:",
                        f"for {name}, (t, b) in enumerate(zip(x[1:], k), {self.rng.choice(['1', 'n'])}):",
                        "for t, b in ((0.5, 1), (s, a)):",
                        f"for b in {self.rng.choice(['(3, -1, n)', '[1, k[0], 2.5]', 'reversed(d)'])}:",
                        "for s, t in A[:, 1:3]:",
                        f"for {name} in reversed(range({self.rng.choice(['4', '3, a % 4 - 4, -1', 'a % 4, 5'])})):",
                    ]
                ),
            )
        else:
            self.add(depth, f"{count} = 0")
            self.add(depth, f"while {count} < 4 and ({self.test()}):" if self.rng.random() < 0.5 else f"while {count} < {self.rng.randint(1, 5)}:")
            self.add(depth + 1, f"{count} += 1")
        self.loops += 1
        self.block(depth + 1)
        self.loops -= 1
        if self.rng.random() < 0.2:
            self.add(depth, "else:")
            self.block(depth + 1)


def begin_unbound(writer: _Writer) -> str:
    """Some variables are bound by loops alone, or under a condition; gives what the function returns."""
    pick = writer.rng.choice
    writer.add(1, "turns = 0")
    writer.add(1, pick(["a, b = n, 1"] * 4 + ["a = n", "if n > 5:\n        b = 3\n    a = 1"]))
    writer.add(1, pick(["p = (0, 1.0)"] * 4 + ["if n > 3:\n        p = 0, 1.5"]))
    writer.add(1, pick(["s, t = 0.0, 1.0", "s, t = 0, 1.0", "s = 0.0", "s = 0.0\n    if n != 6:\n        t = 1.0"]))
    writer.add(1, pick(["i = 0", "j = 0", "i = j = 1", "if n > 5:\n        i = 2", "j = n"]))
    return pick(["a, i, s", "i", "j, s, i", "a, b, s, t, p, i, j", "t", "a, s"])


def random_source(seed: int, is_bound: bool = True, has_none: bool = False) -> str:
    """A function ``f(x, k, A, n, log)``. `is_bound`: all variables are, before the loop; `has_none`: some may be None."""
    rng = random.Random(seed)
    writer = _Writer(rng)
    returned = "a, b, s, t, p, u, v, w" if has_none else "a, b, s, t, p"
    writer.has_none = has_none
    if has_none:
        writer.add(1, rng.choice(["u = v = w = None", "u, v, w = 1.5, None, (0, 1.0)", "u = v = None\n    w = 3, 0.5"]))
    if is_bound:
        writer.add(1, "i = j = turns = 0")
        writer.add(1, "a, b = n, 1")
        writer.add(1, rng.choice(["p = (0, 1.0)", "p = (n, 0.5)", "p = 0, 0"]))
        writer.add(1, rng.choice(["s, t = 0.0, 1.0", "s, t = 0, 1.0", "s, t = x[0], 0.0"]))
    else:
        returned = begin_unbound(writer)
    writer.add(1, rng.choice(["d = (1, -1, 0, 7)", "d = (n, 2, 3, n + 1)", "d = [1, 2, n, 0]"]))
    writer.has_lists = rng.random() < 0.4 and not has_none
    if writer.has_lists:
        writer.add(1, rng.choice(["q, out = [0.0] * 3, []", "q = [0.5, 1.5, x[0]]", "q = [0.0] * (n % 3 + 1)"]))
        writer.add(1, rng.choice(["out = []", "out = [n, 1]"]))
    bounds = rng.choice(["n", "6", "1, n", "n, -1, -1"])
    loops = [f"for i in range({bounds}):", "while a < 9000 and turns < 8:", "for i, t in enumerate(x):", "for i in d:"]
    loops += ["for i, (t, b) in enumerate(zip(x[1:], k[::-1]), 1):", "for i, t in ((1, 0.5), (n, s), (3, 2.0)):", "for t in x * 2.0:"]
    writer.add(1, rng.choice(loops))
    is_while = writer.lines[-1].strip().startswith("while")
    writer.loops = 1
    if is_while:
        writer.add(2, "turns += 1")
    writer.block(2)
    writer.block(2)
    if writer.has_lists:
        writer.add(1, rng.choice(["turns = len(out)", "w1 = [0] * 4", "if n > 3:\n        s = 0.0"]))
        writer.loops = 0
        writer.loop(1)
        writer.add(
            1, rng.choice(["w2 = [v * 2.0 for v in q if v > t]", "w2 = [(v, b) for v in x for b in range(3)]", "x2 = [q[0] + i for i in out]", "b = a"])
        )
        writer.add(
            1,
            rng.choice(
                [
                    "return a, s, np.array(out), q",
                    "return [b - i for i in out if i != b]",
                    "return [v if v else s for v, i in zip(q, x)], t",
                    "return np.array(out)",
                    "return np.array(q), np.array(out), b",
                    "return out, q, p",
                ]
            ),
        )
    else:
        writer.add(1, f"return {returned}")
    helper = "def helper(p, q):\n    if p > q:\n        return p - q\n    return q * 0.5\n\n\n"
    return helper + "def f(x, k, A, n, log):\n" + "\n".join(writer.lines) + "\n"


def function_of(source: str, name: str) -> Any:
    """The function `f` of a source text, whose lines can be found."""
    path = f"<{name}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    space: dict[str, Any] = {"__name__": "made", "np": numpy}
    exec(compile(source, path, "exec"), space)
    return space["f"]
