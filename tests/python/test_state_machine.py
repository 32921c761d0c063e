"""Random programs with a state around them: they read and replace what an object holds, write into it, print, collect, branch and loop, while what is
around them is changed from outside, and while they are compiled anew over what is on disk. As they are and compiled, every call gives, prints, changes
and raises the same.

    FASTNP_STATE_PROGRAMS=100000 pytest tests/python/test_state_machine.py
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy
from hypothesis import HealthCheck, seed, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from support import BACKENDS, LONG, SEED, outcome
from test_programs import Step, random_step
from test_writes import check_outcome, random_arguments, random_kinds, random_write

import fastnp as np

FOLDER = tempfile.TemporaryDirectory()
PROGRAMS = int(os.environ.get("FASTNP_STATE_PROGRAMS", "2000" if LONG else "300"))


class World:
    """What a program finds around it."""

    def __init__(self) -> None:
        self.a = numpy.array([1.0, -2.0, 3.0])
        self.b = numpy.array([[1, 2, 3], [4, 5, 6]])
        self.last: Any = None
        self.scale = 2.0
        self.flag = True
        self.count = 0
        self.log: list[Any] = []
        self.items: list[Any] = [numpy.array([0.5, 1.5]), 3.0]
        self.rng = numpy.random.default_rng(4)
        self.table: dict[str, Any] = {"w": numpy.array([1.0, 1.0, 2.0]), "k": 2}

    def norm(self, x: Any) -> Any:
        return (x * x).sum() * self.scale


def random_effect(rng: numpy.random.Generator) -> Callable[[Any, list[Any], World], Any]:
    a, b, c = (int(n) for n in rng.integers(1000, size=3))

    def pick(values: list[Any]) -> Any:
        return values[a % len(values)]

    def read(xp: Any, values: list[Any], world: World) -> Any:
        return [world.a, world.b, world.table["w"], world.items[0], world.a * world.scale, world.norm(pick(values))][b % 6]

    def replace(xp: Any, values: list[Any], world: World) -> Any:
        made = pick(values) * world.scale + 1
        if b % 4 == 0:
            world.a = made
        elif b % 4 == 1:
            world.table["w"] = world.table["w"] - 0.5
        elif b % 4 == 2:
            world.items[0] = made
        else:
            world.last = made
        return made

    def write(xp: Any, values: list[Any], world: World) -> Any:
        target = [world.a, world.b, world.table["w"], world.items[0]][b % 4]
        if numpy.ndim(target) and target.shape[0]:
            target[c % target.shape[0]] = 2
            if c % 3 == 0:
                target *= 2
            if c % 5 == 0:
                target[numpy.array([0, -1, 0])] += 1
            elif c % 5 == 1:
                numpy.add.at(target, numpy.array([0, 0]), 2)
            elif c % 5 == 2:
                target[target > 1] = 1
        return target

    def collect(xp: Any, values: list[Any], world: World) -> Any:
        x = pick(values)
        if b % 3 == 0:
            world.log.append(x * 2)
        elif b % 3 == 1:
            world.log.append([x.sum(), "sum"])
        else:
            world.log.extend((c, x))
        return None

    def show(xp: Any, values: list[Any], world: World) -> Any:
        x = pick(values)
        if b % 3 == 0:
            print("shape", x.shape, x.dtype, c)
        elif b % 3 == 1:
            print("elements", (x > 0).sum(), end=";")
        elif x.shape:
            print([x.shape[0], world.flag], sep="-")
        return None

    def branch(xp: Any, values: list[Any], world: World) -> Any:
        if world.flag:
            return collect(xp, values, world)
        if (pick(values) > 0).any():
            return replace(xp, values, world)
        return write(xp, values, world)

    def repeat(xp: Any, values: list[Any], world: World) -> Any:
        for turn in range(b % 3):
            show(xp, values, world)
            world.last = pick(values) + turn
        return world.last

    def number(xp: Any, values: list[Any], world: World) -> Any:
        if c % 8 == 0:
            world.count += 1  # read and changed at every call
        world.table["k"] = b % 3
        return pick(values) * world.table["k"]

    def choose(xp: Any, values: list[Any], world: World) -> Any:
        x = pick(values)
        if x.ndim == 0:
            return x
        if b % 3 == 0:
            return x[x > 0]
        if b % 3 == 1:
            return numpy.unique(numpy.round(x.real))
        return numpy.flatnonzero(x) if (x > 0).any() else x[numpy.nonzero(x)]

    def draw(xp: Any, values: list[Any], world: World) -> Any:
        x = pick(values)
        if b % 3 == 0:
            return x + world.rng.normal(size=x.shape)
        if b % 3 == 1:
            return x * world.rng.random() if world.rng.random() < 0.5 else x
        return x + world.rng.integers(5)

    def outside(xp: Any, values: list[Any], world: World) -> Any:
        x = pick(values)
        if x.size == 0 or x.dtype.kind not in "fi":
            return x
        return numpy.median(x) * 2 if b % 2 else numpy.trapezoid(x.ravel()) + x

    steps = [choose, choose, draw, outside, read, read, replace, replace, write, collect, collect, show, branch, branch, repeat, number]
    return steps[rng.integers(len(steps))]


def random_scaling(rng: numpy.random.Generator) -> Callable[[list[Any], Any], Any]:
    a, b = (int(n) for n in rng.integers(1000, size=2))

    def scale(values: list[Any], number: Any) -> Any:
        x = values[a % len(values)]
        if b % 3 == 0:
            return x * number
        if b % 3 == 1:
            return x - number if number > 1 else x + 1
        return x[:number] if type(number) is int and x.ndim else x

    return scale


def random_program(rng: numpy.random.Generator) -> Callable[..., tuple[Any, ...]]:
    steps: list[tuple[str, Any]] = []
    for _ in range(rng.integers(2, 9)):
        kind = rng.integers(6)
        if kind < 3:
            steps.append(("world", random_effect(rng)))
        elif kind == 3:
            steps.append(("number", random_scaling(rng)))
        else:
            steps.append(("", plain(random_step(rng)) if kind == 4 else random_write(rng)))
    outputs = [int(n) for n in rng.integers(100, size=rng.integers(1, 3))]

    def program(world: World, number: Any, *arguments: Any) -> tuple[Any, ...]:
        values = list(arguments)
        for takes, step in steps:
            made = step(numpy, values, world) if takes == "world" else step(values, number) if takes == "number" else step(numpy, values)
            if made is not None and made.size < 5000:
                values.append(made)
        return tuple(values[-1 - n % len(values)] for n in outputs)

    return program


def plain(step: Step) -> Step:
    """Without errors, which would end most programs."""

    def guarded(xp: Any, values: list[Any]) -> Any:
        try:
            return step(xp, values)
        except (ValueError, TypeError, IndexError):
            return None

    return guarded


def leaves(value: Any) -> list[Any]:
    if isinstance(value, World):
        return leaves(vars(value))
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in (key, *leaves(item))]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(leaf for item in value for leaf in leaves(item))]
    return [value]


@seed(SEED)
class States(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 2**40))
    def make(self, seed: int) -> None:
        rng = numpy.random.default_rng(seed)
        program = random_program(rng)
        if seed // 4 % 2:
            os.environ["FASTNP_CACHE_DIR"] = FOLDER.name
        self.worlds = World(), World()
        mine, theirs = self.worlds
        backend = BACKENDS[seed // 2 % len(BACKENDS)]

        def as_argument() -> Callable[..., Any]:
            compiled = np.compile(program, backend=backend)
            return lambda *x: compiled(theirs, *x)

        def as_variable() -> Callable[..., Any]:
            return np.compile(lambda *x: program(theirs, *x), backend=backend)

        self.compile = as_argument if seed % 2 else as_variable
        self.functions: tuple[Callable[..., Any], ...] = (lambda *x: program(mine, *x)), self.compile()
        self.kinds = random_kinds(rng)
        self.seed = seed % 10**9

    @rule(which=st.integers(0, 3), number=st.sampled_from([0.5, 1.5, 2.0, 1, 2, 3]))
    def call(self, which: int, number: Any) -> None:
        made = []
        for function in self.functions:
            arguments = random_arguments(self.seed + which, self.kinds, False)
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = outcome(lambda xp, *x, function=function: function(*x), numpy, number, *arguments)
            made.append((result, arguments, shown.getvalue()))
        (want, expected, said), (got, given, says) = made
        assert says == said
        check_outcome(got, want, given, expected)
        self.compare_worlds()

    def compare_worlds(self) -> None:
        mine, theirs = (leaves(world) for world in self.worlds)
        assert len(mine) == len(theirs)
        for x, y in zip(mine, theirs, strict=True):
            assert type(x) is type(y), (x, y)
            if isinstance(x, numpy.random.Generator):
                assert x.bit_generator.state == y.bit_generator.state
                continue
            if isinstance(x, (numpy.ndarray, numpy.generic)):
                assert (x.dtype, x.shape) == (y.dtype, y.shape)
                numpy.testing.assert_allclose(y, x, rtol=2e-2 if x.dtype.itemsize <= 2 else 1e-4, atol=1e-4)
            else:
                assert x == y
        for world in self.worlds:  # so that numbers do not grow without end
            world.log.clear()

    @rule()
    def begin_again(self) -> None:
        """Where something is kept: as another process would, which finds what this one left on disk."""
        self.functions = self.functions[0], self.compile()

    def teardown(self) -> None:
        os.environ["FASTNP_CACHE_DIR"] = ""

    @rule(flag=st.booleans(), scale=st.sampled_from([2.0, -1.0, 0.5]))
    def change_values(self, flag: bool, scale: float) -> None:
        for world in self.worlds:
            world.flag, world.scale = flag, scale

    @rule(n=st.integers(0, 4), dtype=st.sampled_from(["f8", "f4", "i8"]), name=st.sampled_from(["a", "b"]))
    def change_array(self, n: int, dtype: str, name: str) -> None:
        for world in self.worlds:
            setattr(world, name, numpy.arange(n).astype(dtype) - 1)

    @rule()
    def change_contents(self) -> None:
        for world in self.worlds:
            if isinstance(world.a, numpy.ndarray):  # not a scalar by now
                world.a[...] = 1
            world.items[0] = copy.copy(world.a)
            world.table["w"] = numpy.ones(3)

    @rule()
    def share(self) -> None:
        for world in self.worlds:
            world.table["w"] = world.a


States.TestCase.settings = settings(
    max_examples=PROGRAMS, stateful_step_count=7, deadline=None, suppress_health_check=list(HealthCheck), derandomize=False, database=None
)
TestStates = States.TestCase
