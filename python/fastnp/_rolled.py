"""Loops of functions that derivatives and batches are taken of: recorded once for an iteration, not once for each.

A function is recorded by calling it, which unrolls its loops. Here a ``for`` loop whose iterations do nothing but compute is cut out: the first iteration
is taken as written, which binds and types the variables; the others become the op `loop` (`_turns.py`), whose variables are the states. Whatever does not
fit (a state that changes its dtype, a value that is read, an array that is written to) is found while an iteration is recorded, and the loop goes on as
written.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from fastnp import _core
from fastnp._trees import leaves_of, map_leaves

__all__ = ["rolled", "unrolled"]

FEW = 24  # iterations that are as well unrolled


_now = threading.local()


@contextmanager
def deeper(name: str) -> Iterator[None]:
    depth = getattr(_now, name, 0)
    setattr(_now, name, depth + 1)
    try:
        yield
    finally:
        setattr(_now, name, depth)


def unrolled() -> Any:
    """A context for what is computed at once: the calls of the user's code are noted one by one, for their floating-point errors."""
    return deeper("unrolled")


def is_allowed(function: Any) -> bool:
    from fastnp._pure import may_be_called

    return may_be_called(function)


class Iterations:
    """What a loop goes over: one by one, or the first and then all others at once."""

    def __init__(self, given: Any, of_numbers: bool, loads: tuple[Any, ...]) -> None:
        self.given = given
        self.of_numbers = of_numbers
        self.loads = loads
        self.next = 0
        is_counted = isinstance(given, range) or (isinstance(given, (numpy.ndarray, _core.ndarray)) and given.ndim > 0)
        self.count = len(given) if is_counted else 0
        self.is_to_roll = self.count > FEW and _core._records() and not getattr(_now, "unrolled", 0)

    def __iter__(self) -> Iterator[Any]:
        return self if self.is_to_roll else iter(self.given)

    def __next__(self) -> Any:
        if self.next >= self.count:
            raise StopIteration
        self.next += 1
        return self.given[self.next - 1]

    def take(self, turn: Callable[..., Any], item: Any, *states: Any) -> tuple[Any, ...]:
        """The variables after all other iterations, where these are a loop; else as they are."""
        from fastnp._pure import is_pure, is_unchanging

        self.is_to_roll = False
        if not (all(map(is_unchanging, states)) and all(is_pure(load, turn) for load in self.loads)):
            return item, *states
        try:
            after = States(states).after(turn, self.parts(), self.numbers())
        except Exception:  # noqa: BLE001 - as written it is told of where it belongs
            return item, *states
        self.next = self.count
        return self.given[-1], *after

    def parts(self) -> Any:
        rest = self.given[self.next :]
        return _core.arange(rest.start, rest.stop, rest.step) if isinstance(rest, range) else _core.asarray(rest)

    def numbers(self) -> tuple[int, int] | None:
        """The least and the most of the numbers that iterations have, where they are Python's."""
        rest = self.given[self.next :]
        return (min(rest[0], rest[-1]), max(rest[0], rest[-1])) if self.of_numbers and isinstance(rest, range) else None


class States:
    """The variables of a loop: arrays are the states, all else is to stay what it is."""

    def __init__(self, trees: tuple[Any, ...]) -> None:
        self.trees = trees
        self.leaves = leaves_of(trees)
        self.varies = [type(leaf) is _core.ndarray for leaf in self.leaves]
        self.scalars = [_core._is_scalar(leaf) for leaf in self.arrays(self.leaves)]
        if any(leaf.ndim == 0 and not is_scalar for leaf, is_scalar in zip(self.arrays(self.leaves), self.scalars, strict=True)):
            raise TypeError

    def arrays(self, leaves: list[Any]) -> list[Any]:
        return [leaf for leaf, varies in zip(leaves, self.varies, strict=True) if varies]

    def filled(self, arrays: list[Any]) -> tuple[Any, ...]:
        given, all_leaves = iter(arrays), iter(list(zip(self.leaves, self.varies, strict=True)))

        def put(_: Any) -> Any:
            leaf, varies = next(all_leaves)
            return next(given) if varies else leaf

        return tuple(map_leaves(put, list(self.trees)))

    def after(self, turn: Callable[..., Any], parts: Any, numbers: tuple[int, int] | None) -> tuple[Any, ...]:
        def body(now: list[Any], own: list[Any]) -> tuple[list[Any], list[Any]]:
            with deeper("recorded"):
                return self.next(turn(own[0], *self.filled(now))), []

        states, _ = _core._take_turns(self.arrays(self.leaves), [parts], False, 0, body, are_variables=True, numbers=numbers)
        return self.filled(states)

    def next(self, trees: tuple[Any, ...]) -> list[Any]:
        leaves = leaves_of(trees)
        shape, before = (map_leaves(lambda _: None, list(each)) for each in (trees, self.trees))
        if repr(shape) != repr(before) or len(leaves) != len(self.leaves):
            raise TypeError
        for leaf, was, varies in zip(leaves, self.leaves, self.varies, strict=True):
            if leaf is not was and not (type(leaf) is _core.ndarray if varies else type(leaf) is type(was) and is_same(leaf, was)):
                raise TypeError
        found = self.arrays(leaves)
        if [_core._is_scalar(each) for each in found] != self.scalars:
            raise TypeError
        return found


def is_same(number: Any, other: Any) -> bool:
    """Of plain numbers."""
    return isinstance(number, (bool, int, float, complex)) and repr(number) == repr(other)


def rolled(function: Any) -> Any:
    """The function with its loops rolled, where it is one of a user's. TypeError in an iteration that is recorded, where it does more than to compute."""
    if getattr(_now, "recorded", 0) and not is_allowed(function):
        raise TypeError
    if type(function) is types.MethodType:
        of = rolled(function.__func__)
        return function if of is function.__func__ else types.MethodType(of, function.__self__)
    if type(function) is not types.FunctionType or (function.__module__ or "").partition(".")[0] in ("fastnp", "numpy"):
        return function
    if getattr(_now, "unrolled", 0):
        return function
    from fastnp._roll import ITERATIONS, ROLLED, code_of  # not needed to import fastnp

    code = code_of(function)
    if code is None:
        return function
    cells = {ITERATIONS: types.CellType(Iterations), ROLLED: types.CellType(rolled)}
    held = {**dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)), **cells}
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, tuple(held[name] for name in code.co_freevars))
    made.__kwdefaults__, made.__qualname__, made.__module__ = function.__kwdefaults__, function.__qualname__, function.__module__
    made.__dict__.update(function.__dict__)
    return made
