"""Functions of the user's that a loop calls: their bodies become part of its program (``_loop_walk.py``)."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

from fastnp import _control
from fastnp._loop_expressions import Leaves
from fastnp._loop_frames import Frame, OpenLoop
from fastnp._loop_program import INT, Unsupported
from fastnp._loop_stores import Stores
from fastnp._loop_values import Again

__all__ = ["Inlined", "Recursive"]

_MOST_CALLS = 12  # one in the other
_MOST_OF_ONE = 3  # ... of one function: a recursion may end by what it is given


class Recursive(Unsupported):
    """The function that has the loop calls itself in it: each call would be a program that is left for the next one."""


class Inlined(Stores):
    """The part of a walk that is about functions that are called."""

    frame_of: Callable[[Any], Frame]
    tagged: set[Any]
    moving: set[Any]
    root: Frame
    writing: set[int]  # loops of functions that are called, which write, as far as is known
    depth: int
    arms: int

    def block(self, statements: Iterable[ast.stmt]) -> None:
        raise NotImplementedError

    def call_function(self, function: types.FunctionType, arguments: list[Any], named: dict[str, Any]) -> Any:
        if _control.is_disabled(function):
            raise Unsupported(f"calls {function.__qualname__}, which is {_control.why_disabled(function)}")
        self.called += 1
        if self.called > 200 or _depth(self.frame.key) > _MOST_CALLS:
            raise Unsupported("calls too many functions")
        self.expect_end(function)
        frame = self.frame_of(function)
        frame.key, frame.caller = (self.frame.key, self.called), self.frame
        self.draws.all_waiting()  # not in the function
        pending, writes = self.arrays.pending, self.writes
        bound = self.bound(function, arguments, named)
        outer, self.frame = self.frame, frame
        try:
            for name in list(self.tagged):
                if name[0] == frame.key:
                    self.steps.set(self.slots.tag(name), self.steps.whole(0))
            for name in list(self.moving):
                if name[0] == frame.key:
                    self.steps.set(self.slots.variable((name, "origin"), INT), self.steps.whole(0))
            for name, value in bound.items():
                self.bind(name, value)
            found = self.inlined(frame)
            if pending and self.writes != writes:
                raise Unsupported("calls a function that writes, after arrays that it may change were computed with")
            self.arrays.pending = pending
            return found
        except Unsupported as why:
            if type(why) is Recursive or function.__code__ is not self.root.function.__code__:
                raise
            raise Recursive(f"calls {function.__qualname__}, its own function, which {why}") from None
        finally:
            self.frame = outer

    def expect_end(self, function: types.FunctionType) -> None:
        """Not of a function that is in its own call already, more than once."""
        count, frame = 0, self.frame
        while frame is not None:
            count += frame.function.__code__ is function.__code__
            frame = frame.caller
        if count >= _MOST_OF_ONE:
            is_own = function.__code__ is self.root.function.__code__
            raise (Recursive if is_own else Unsupported)(f"calls {function.__qualname__}, which calls itself")

    def begin_loop(self, statement: ast.For | ast.While) -> int:
        """In a function that is called, an iteration that writes must not be followed by one that leaves, but by an error."""
        if self.frame is not self.root and id(statement) in self.writing:
            self.stored = True
        return self.lasting

    def end_loop(self, statement: ast.For | ast.While, lasting: int) -> None:
        if self.frame is not self.root and self.lasting != lasting and id(statement) not in self.writing:
            self.writing.add(id(statement))
            raise Again

    def bound(self, function: types.FunctionType, arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        if "__signature__" in vars(function):
            raise Unsupported(f"calls {function.__qualname__}, which tells of other parameters than it has")
        signature = inspect.signature(function, follow_wrapped=False)
        try:
            found = signature.bind(*arguments, **named)
        except TypeError:
            raise Leaves from None
        found.apply_defaults()
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise Unsupported("calls a function of any number of arguments")
            if parameter.default is not parameter.empty:
                self.guard(function, "__defaults__", function.__defaults__)
                self.guard(function, "__kwdefaults__", function.__kwdefaults__)
        self.guard(function, "__code__", function.__code__)
        return dict(found.arguments)

    def inlined(self, frame: Frame) -> Any:
        """A function's body, which a `return` leaves as a `break` leaves a loop."""
        self.steps.add("loop")
        self.depth += 1
        frame.loops.append(OpenLoop(self.depth))
        self.arms += 1
        self.block(frame.tree.body if not isinstance(frame.tree, ast.Lambda) else [ast.copy_location(ast.Return(frame.tree.body), frame.tree.body)])
        self.arms -= 1
        if frame.env is not None:
            frame.returned.append(self.slots.store((frame.key, "return"), None))
            self.steps.add("break", a=0)
        self.steps.add("next")
        self.steps.add("end")
        self.depth -= 1
        if not frame.returned:
            raise Leaves
        held = frame.returned[0]
        for other in frame.returned[1:]:
            held = self.slots.joined((frame.key, "return"), held, other, True)
        return self.slots.load((frame.key, "return"), held)


def _depth(key: Any) -> int:
    return 1 + _depth(key[0]) if type(key) is tuple else 0
