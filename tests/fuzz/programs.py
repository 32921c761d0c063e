"""Random programs as Python text over NumPy's names. A program is made while it runs in NumPy, so nearly all of them are without errors.

Each variable has a bound on how far it may be from NumPy's: 0 where every operation so far is NumPy's to the bit, else what sums in another order and
elementary functions within 4 ulp allow. What is not continuous (comparisons, casts, sorts by index) is asked of exact variables alone.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy
from fuzz import statements
from fuzz.arguments import DTYPES, SMOOTH, Argument, random_arguments, random_kind

LARGEST = 20_000  # elements


@dataclass
class Program:
    seed: int
    kind: str  # "exact", "smooth" or "differentiable"
    names: list[str]  # parameters
    calls: list[list[Argument]]
    lines: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    bounds: dict[str, float] = field(default_factory=dict)  # of variables that are not exact

    def text(self, name: str = "program") -> str:
        body = [line for statement in self.lines for line in statement.split("\n")]
        given = ", ".join(self.results) + ("," if len(self.results) == 1 else "")
        return "\n    ".join([f"def {name}({', '.join(self.names)}):", *body, f"return ({given})"]) + "\n"

    def function(self, module: Any) -> Any:
        space: dict[str, Any] = {"np": module}
        exec(compile(self.text(), f"<program {self.seed}>", "exec"), space)
        return space["program"]

    def standalone(self) -> str:
        """A script that shows the program and its calls."""
        lines = ["import numpy", "import numpy as np", "import fastnp", "", self.text(), "compiled = fastnp.compile(program)"]
        for arguments in self.calls:
            for f in ("program", "compiled"):
                for name, argument in zip(self.names, arguments, strict=True):
                    lines += argument.lines(name)
                lines.append(f"print({f}({', '.join(self.names)}))")
        return "\n".join(lines)


def magnitude(x: Any) -> float:
    """The largest finite absolute value."""
    x = numpy.asarray(x)
    if x.size == 0 or x.dtype.kind in "OUSM":
        return 0.0
    absolute = numpy.abs(x.astype("c16" if x.dtype.kind == "c" else "f8"))
    finite = absolute[numpy.isfinite(absolute)]
    return float(finite.max()) if finite.size else 0.0


class Maker:
    """Makes one program, line by line."""

    def __init__(self, seed: int, kind: str) -> None:
        self.rng = rng = numpy.random.default_rng(seed)
        self.kind = kind
        dtypes = ["f8"] if kind == "differentiable" else SMOOTH if kind == "smooth" else DTYPES
        if kind == "exact" and rng.random() < 0.5:
            dtypes = [str(d) for d in rng.choice(DTYPES, 2)]
        kinds = [random_kind(rng, dtypes) for _ in range(rng.integers(1, 4))]
        tame = kind != "exact" or rng.random() < 0.5
        smooth = kind == "differentiable"
        calls = [random_arguments(rng, kinds, tame, smooth) for _ in range(3)]
        self.program = Program(seed, kind, list("abc"[: len(kinds)]), calls)
        self.values: dict[str, Any] = dict(zip(self.program.names, (argument.make() for argument in calls[0]), strict=True))
        self.bounds: dict[str, float] = dict.fromkeys(self.values, 0.0)
        self.count = 0

    def pick(self, needs: str = "") -> str:
        """The name of a variable: of those that are new with more weight. needs: "exact", "array"."""
        names = [
            name
            for name, value in self.values.items()
            if not ("exact" in needs and self.bounds[name] > 0) and not ("array" in needs and numpy.ndim(value) == 0)
        ]
        if not names:
            raise statements.Unfit
        return names[-1 - min(int(self.rng.exponential(1.7)), len(names) - 1)]

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def try_line(self) -> None:
        try:
            statement = statements.random_statement(self)
        except statements.Unfit:
            return
        before = {name: numpy.array(value, copy=True) for name, value in self.values.items()} if statement.writes else {}
        known = dict(self.values)
        try:
            exec(statement.text, {"np": numpy}, known)
            self.check(known)
            bound = statement.bound(known) if callable(statement.bound) else statement.bound
            if not bound < 1e-3 * max(1.0, *(magnitude(value) for value in known.values())):
                raise statements.Unfit
        except Exception:  # a step that raises is no part of the program
            for name, value in before.items():
                if isinstance(self.values[name], numpy.ndarray) and self.values[name].flags.writeable:
                    self.values[name][...] = value
            return
        if statement.writes and bound > 0:  # whatever shares memory with what was written to
            self.bounds = {name: max(known_bound, bound) for name, known_bound in self.bounds.items()}
        self.bounds |= {name: bound for name in known if name not in self.values}
        self.values = known
        self.program.lines.append(statement.text)

    def check(self, known: dict[str, Any]) -> None:
        """What a statement made is an array or scalar of a dtype that fastnp has, and not large."""
        for name in set(known) - set(self.values):
            value = known[name]
            if not isinstance(value, (numpy.ndarray, numpy.generic)) or value.dtype.char not in "?bBhHiIlLqQefdFD":
                raise statements.Unfit
            if value.size > LARGEST or value.ndim > 5:
                raise statements.Unfit

    def make(self) -> Program:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for _ in range(self.rng.integers(2, 10)):
                self.try_line()
            names = list(self.values)
            count = int(self.rng.integers(1, 4))
            self.program.results = [names[-1 - min(int(self.rng.exponential(1.5)), len(names) - 1)] for _ in range(count)]
            self.program.bounds = {name: bound for name, bound in self.bounds.items() if bound > 0}
        return self.program


def random_program(seed: int, kind: str | None = None) -> Program:
    if kind is None:
        kind = str(numpy.random.default_rng([seed, 1]).choice(["exact", "smooth", "differentiable"], p=[0.6, 0.3, 0.1]))
    return Maker(seed, kind).make()
