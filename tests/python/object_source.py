"""Random programs whose loops read and change attributes of objects."""

from __future__ import annotations

import random

__all__ = ["object_source"]

CLASSES = """
class Point:
    SCALE = 0.5
    LIMIT = 7

    def __init__(self, x, y):
        self.x, self.y, self.count = x, y, 0

    def move(self, dx):
        self.x += dx
        self.count += 1
        return self.x

    def swap(self):
        self.x, self.y = self.y, self.x

    def may(self, a, i):
        self.count += 2
        if a[i] > self.SCALE:
            self.y = a[i] * self.SCALE
        else:
            self.x = self.y - a[i]
        return self.y

    def store(self, a, i):
        self.count += 1
        a[i] = self.x
        self.x *= self.SCALE

    def add(self, other):
        self.x += other.y
        other.count += 1
        return other.x

    @property
    def total(self):
        return self.x + self.y

    @staticmethod
    def twice(v):
        return v * 2


class Pair:
    __slots__ = ("a", "b", "rest")

    def __init__(self, a, b, rest):
        self.a, self.b, self.rest = a, b, rest

    def both(self, v):
        self.a.move(v)
        self.b.swap()
        self.rest[0] += v
        return self.a.total - self.b.y
"""


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.lines: list[str] = []

    def number(self, depth: int = 0) -> str:
        rng = self.rng
        kinds = [
            "p.x",
            "p.y",
            "q.x",
            "q.y",
            "pair.a.x",
            "pair.b.y",
            "p.SCALE",
            "s",
            "x[i]",
            "p.total",
            "pair.rest[i % len(pair.rest)]",
            "0.25",
            "i",
            "p.count",
        ]
        if depth > 1 or rng.random() < 0.6:
            return rng.choice(kinds)
        return f"({self.number(depth + 1)} {rng.choice(['+', '-'])} {self.number(depth + 1)} * {rng.choice(['0.5', 'x[i]', '0.25'])})"

    def call(self) -> str:
        owner = self.rng.choice(["p", "q", "pair.a", "pair.b"])
        return self.rng.choice(
            [
                f"{owner}.move({self.number()})",
                f"{owner}.may(x, {self.rng.choice(['i', '(i * 3) % len(x)', 'i + 1'])})",
                f"{owner}.add({self.rng.choice(['p', 'q', 'pair.b'])})",
                f"{owner}.twice({self.number()})",
                f"pair.both({self.number()})",
            ]
        )

    def statement(self, indent: str, depth: int) -> None:
        rng, kind = self.rng, self.rng.random()
        if kind < 0.25:
            self.lines.append(f"{indent}{rng.choice(['p.x', 'p.y', 'q.x', 'pair.a.y', 'pair.b.x'])} {rng.choice(['=', '+=', '-='])} {self.number()}")
        elif kind < 0.35:
            self.lines.append(f"{indent}{rng.choice(['p', 'q', 'pair.a'])}.count {rng.choice(['+= 1', '-= 2', '= 3', '+= i', '*= 3'])}")
        elif kind < 0.5:
            self.lines.append(f"{indent}s = {self.call()}")
        elif kind < 0.6:
            self.lines.append(f"{indent}{rng.choice(['p.swap()', 'q.store(x, i)', self.call(), 'pair.b.swap()'])}")
        elif kind < 0.65:
            self.lines.append(f"{indent}p.x, q.y = {self.number()}, {self.number()}")
        elif kind < 0.72:
            self.lines.append(f"{indent}x[i] = {self.number()} * 0.5")
        elif kind < 0.76:
            self.lines.append(f"{indent}s = s * 0.5 + {self.number()}")
        elif depth < 2:
            self.lines.append(f"{indent}if {self.number()} {rng.choice(['>', '<', '>='])} {self.number()}:")
            for _ in range(rng.randint(1, 2)):
                self.statement(indent + "    ", depth + 1)
            if rng.random() < 0.3:
                self.lines.append(f"{indent}    {rng.choice(['break', 'continue', 'return p.x, s', 'log.append(p.count)'])}")
        else:
            self.lines.append(f"{indent}p.y *= 0.5")


def object_source(seed: int, statements: int) -> str:
    rng = random.Random(seed)
    writer = _Writer(rng)
    for _ in range(statements):
        writer.statement("        ", 0)
    head = "for i in range(n):" if rng.random() < 0.7 else "i = -1\n    while i < n - 1:\n        i += 1"
    return f"{CLASSES}\n\ndef f(p, q, pair, x, n, log):\n    s = 0.0\n    {head}\n" + "\n".join(writer.lines) + "\n    return s, p.x, q.count\n"
