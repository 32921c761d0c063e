"""Where a walk over a loop (``_loop_walk.py``) leaves its program: what is handed out there, and which statement Python begins with."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from fastnp._loop_bounds import narrowed
from fastnp._loop_dicts import DictState
from fastnp._loop_expressions import Leaves
from fastnp._loop_frames import Env, Exit, Frame
from fastnp._loop_given import given
from fastnp._loop_inlined import Inlined
from fastnp._loop_iterate import Iteration
from fastnp._loop_lists import ListState, NumbersList
from fastnp._loop_program import BOOL, INT, Unsupported, has_value
from fastnp._loop_values import ArrayState, State, TupleState, is_one_number

__all__ = ["Exits"]


_MOST_DOUBTFUL = 3  # variables of one exit


class Exits(Inlined):
    """The part of a walk that is about exits."""

    root: Frame
    loop: ast.For | ast.While
    exits: list[Exit]
    exit_number: int | None  # of the statement at hand
    memory_exit: int | None
    outer: Iteration | None  # of the loop itself
    statement: tuple[ast.stmt, Env] | None
    iterations: list[tuple[ast.For, Iteration]]
    lists_known: dict[Any, NumbersList]
    checked: list[tuple[int, int]]
    is_checking_first: bool
    is_between: bool  # after a loop's body, or what has one
    shadowing: set[int]  # statements that store to fields in functions that they call

    def new_exit(self, statement: ast.stmt | None, broke: bool, env: Env, before: dict[str, int] | None = None) -> int:
        """`before`: what fields were at the statement's beginning, where that is something else."""
        made = Exit(statement, broke)
        live = self.root.live.after.get(id(self.loop)) if statement is None else self.root.live.ahead.get(id(statement))
        env = {name: held for name, held in env.items() if live is None or name in live or type(held) is not DictState}
        made.held = env = {**env, **self.fields.held}
        for name in sorted(env):
            held = env[name]
            if is_one_number(held):
                made.places[name] = len(made.variables)
            elif type(held) is State and len(held.kinds) > 1 and all(map(has_value, held.kinds)):
                made.choices[name] = len(made.variables), [self.slots.tag_of((self.root.key, name), kind) for kind in held.kinds]
            elif type(held) is TupleState and all(map(is_one_number, held.items)):
                made.tuples[name] = len(made.variables), len(held.items), (self.root.key, name) in self.slots.passed
            elif type(held) is ListState and self.lists_known[held.name].is_written:
                made.lists[name] = len(made.variables)
            elif type(held) is ArrayState:
                key = self.root.key, name
                made.arrays[name] = len(made.variables), {self.slots.origin_of(key, each): each for each in held.recipes}
            if before and name in before:
                made.variables.append((before[name], held.kinds[0]))
                made.names.append((name, next))
                continue
            made.names.append((name, given(self.slots, (self.root.key, name), env[name], made.variables)))
        self.fields.tell_stores(made, before or {})
        for loop, iteration in self.iterations:
            made.iterations.append((loop, iteration.given(made.variables)))
        if self.outer is not None:  # last: what an entry in the middle takes over
            self.outer.given(made.variables)
        self.exits.append(made)
        return len(self.exits) - 1

    def leave_with(self, statement: ast.stmt | None, broke: bool, names: Iterable[str], env: Env) -> None:
        """Leaves the program for good. For each of these variables that may have no value there is an exit where it has none, so that the others need
        no Python to hand it out."""
        doubtful = [each for each in names if self.slots.may_lack(env.get(each))][:_MOST_DOUBTFUL]
        if not doubtful:
            self.steps.add("exit", b=self.new_exit(statement, broke, env))
            return
        name = doubtful[0]
        lacks, nothing, rest = self.slots.lacking((self.root.key, name), env[name])
        self.steps.add("if", a=lacks)
        self.leave_with(statement, broke, doubtful, {**env, name: nothing})
        self.steps.add("else")
        self.leave_with(statement, broke, doubtful, {**env, name: rest})
        self.steps.add("end")

    def statement_begins(self, statement: ast.stmt) -> None:
        self.arrays.pending = 0
        self.checked.clear()
        if self.frame is self.root:
            self.is_between = False
            self.statement = statement, dict(self.current())
            self.exit_number = None
            self.stored = False
            self.arrays.divides = False
            self.fields.before = {}
            self.dicts.looked.clear()
            if id(statement) in self.shadowing:
                self.fields.begin()

    def exit(self) -> int:
        """The exit of the statement at hand."""
        if self.is_between and self.frame is self.root:
            raise Unsupported("may stop between statements")
        if self.stored:
            raise Unsupported("may stop in the middle of a statement that writes")
        if self.exit_number is None:
            assert self.statement is not None
            self.exit_number = self.new_exit(self.statement[0], False, self.statement[1], self.fields.before)
        return self.exit_number

    def shadow(self) -> None:
        """A field is stored to: where a function does that, what leaves the statement afterwards leaves it as it was."""
        assert self.statement is not None
        if self.frame is not self.root and id(self.statement[0]) not in self.shadowing:
            self.shadowing.add(id(self.statement[0]))
            self.fields.is_learning = True

    def no_memory(self) -> int:
        """The exit of a statement that has done something already, where memory is short: it is an error."""
        if self.memory_exit is None:
            self.memory_exit = self.new_exit(self.loop, False, {})
            self.exits[self.memory_exit].is_error = True
        return self.memory_exit

    def raise_unless(self, condition: int, values: tuple[int, int], axis: int) -> None:
        """Leaves with an IndexError unless the condition holds. `values`: the subscript and the axis's size."""
        assert self.statement is not None
        made = self.new_exit(self.statement[0], False, self.statement[1])
        variables = [self.steps.variable(INT) for _ in values]
        self.exits[made].variables.extend((each, INT) for each in variables)
        self.exits[made].error = axis
        self.steps.add("if", a=self.steps.map("logical_not", BOOL, BOOL, condition))
        for variable, value in zip(variables, values, strict=True):
            self.steps.set(variable, value)
        self.steps.add("exit", b=made)
        self.steps.add("end")

    def leave(self, condition: int) -> None:
        """Leaves the program before the statement at hand unless the condition holds."""
        if self.steps.steps[condition][0] == "constant" and self.steps.steps[condition][7]:
            return
        if self.is_checked(condition):
            return
        self.steps.add("require", a=condition, b=self.exit())
        if self.is_checking_first:
            self.checked.append((condition, len(self.steps.steps)))

    @contextlib.contextmanager
    def checking_first(self) -> Iterator[None]:
        """What is checked meanwhile is known to hold when it is checked once more in the statement, after something was drawn."""
        before, self.is_checking_first = self.is_checking_first, True
        try:
            yield
        finally:
            self.is_checking_first = before

    def is_checked(self, condition: int) -> bool:
        return any(self.steps.alike(condition, each) and self.is_after(place) for each, place in self.checked)

    def is_after(self, place: int) -> bool:
        """Whether what was done at a place was done on every way to here."""
        depth = 0
        for step in self.steps.steps[place:]:
            depth += step[0] in ("if", "loop", "share")
            depth -= step[0] == "end"
            if depth < 0 or (depth == 0 and step[0] == "else"):
                return False
        return True

    # Statements that leave it.

    def do_Raise(self, statement: ast.stmt) -> None:
        if self.frame is not self.root:
            self.leave(self.steps.constant(False, BOOL))
            self.frame.env = None
            return
        raise Leaves

    def do_Assert(self, statement: ast.Assert) -> None:
        """Leaves where it fails: Python raises the error."""
        test = self.conditions.truth(statement.test) if __debug__ else True
        if test is False:
            self.do_Raise(statement)
        elif test is not True:
            self.leave(test)
            self.frame.env = dict(narrowed(self.current(), statement.test, True))
