"""The walk over a loop's statements that writes its program: control flow, variables, and what leaves the program.

Each statement is walked once for the kinds that its variables have. Where paths meet on which a variable is of several kinds, or a loop's end gives
another kind than its beginning had, the walk begins anew with that known; a few rounds decide. A statement that can't go on leaves the program at its
beginning, before it has done anything; Python does it and goes on from there (``_loop_resume.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from fastnp import _syntax
from fastnp._loop_arrays import Arrays
from fastnp._loop_bounds import bound_what_stays, narrowed
from fastnp._loop_calls import Calls
from fastnp._loop_conditions import Conditions
from fastnp._loop_dict_methods import DictMethods
from fastnp._loop_dicts import Dicts, NumbersDict
from fastnp._loop_draws import Draws
from fastnp._loop_elements import Elements
from fastnp._loop_exits import Exits
from fastnp._loop_expressions import Leaves
from fastnp._loop_fields import Fields, NewField, WalkFields
from fastnp._loop_folds import Folds
from fastnp._loop_frames import Env, Exit, Frame, OpenLoop
from fastnp._loop_heaps import Heaps
from fastnp._loop_inlined import Recursive
from fastnp._loop_inputs import Inputs
from fastnp._loop_iterate import Iteration, iteration_of
from fastnp._loop_list_methods import ListMethods
from fastnp._loop_lists import Lists, ListState, NumbersList
from fastnp._loop_moves import Moves
from fastnp._loop_nested import Tables
from fastnp._loop_numbers import Numbers
from fastnp._loop_picks import Picks
from fastnp._loop_products import Products
from fastnp._loop_program import BOOL, BOOLEAN, INT, Steps, Unsupported
from fastnp._loop_regions import is_region
from fastnp._loop_scan import FAR, counters_of
from fastnp._loop_shared import least_shared, may_share, tell_parts
from fastnp._loop_slots import Slots
from fastnp._loop_tuples import Tuples
from fastnp._loop_values import LOST, Again, Held, State
from fastnp._names import Uses

__all__ = ["Walk"]

_MOST_ROUNDS = 40
_MOST_STEPS = 8000


class Walk(Exits):
    """Writes the program of one loop; see ``_loops.Loop``."""

    inputs: Inputs  # what it is handed

    def __init__(self, frame_of: Callable[[Any], Frame], guard: Callable[[Any, str, Any], None], fields: Fields) -> None:
        self.frame_of = frame_of
        self.guard = guard
        self.loop_fields = fields
        self.stored_fields: set[str] = set()
        self.uncounted: set[str] = set()  # fields that are changed in other ways than by small steps
        self.shadowing: set[int] = set()  # statements that store to fields in functions that they call
        self.tagged: set[Any] = set()
        self.moving: set[Any] = set()
        self.writing: set[int] = set()  # loops of functions that are called
        self.lists_known: dict[Any, NumbersList] = {}
        self.dicts_known: dict[Any, NumbersDict] = {}
        self.table_kinds: dict[Any, list[Any]] = {}  # of the numbers of lists of lists that it makes
        self.fold_functions: dict[Any, Any] = {}  # by the function that a fold is in, and its place there
        self.lists_taken: set[str] = set()  # variables that may be lists which are handed in
        self.assumed: dict[Any, Env] = {}  # at the heads of loops
        self.rounds = 0
        self.used: dict[int, tuple[ast.stmt, Uses]] = {}
        self.loop_counters: set[str] | None = None

    # The rounds.

    def run(self, loop: ast.For | ast.While, root: Callable[[Walk], Frame]) -> None:
        while True:
            self.begin()
            moving = len(self.moving)
            try:
                self.whole(loop, root(self))
                self.fields.expect_known()
                return
            except (Again, Unsupported, Leaves) as why:
                if self.fields.has_found:
                    raise NewField from None
                if type(why) is not Again and not self.fields.is_learning:
                    raise
                self.rounds += 1
                if len(self.moving) != moving:
                    self.assumed.clear()  # they are of other states
                if self.rounds > _MOST_ROUNDS:
                    raise Unsupported("has variables of too many kinds") from None

    def begin(self) -> None:
        self.steps = Steps()
        self.slots = Slots(self.steps, self.tagged, self.moving, lambda value: value < self.prologue, self.leave)
        self.numbers = Numbers(self.steps, self.leave)
        self.conditions = Conditions(self)
        self.elements = Elements(self)
        self.arrays = Arrays(self)
        self.products = Products(self)
        self.picks = Picks(self)
        self.tuples = Tuples(self)
        self.draws = Draws(self)
        self.lists = self.slots.lists = Lists(self)
        self.moves = Moves(self)
        self.list_methods = ListMethods(self)
        self.heaps = Heaps(self)
        self.dicts = self.slots.dicts = Dicts(self)
        self.dict_methods = DictMethods(self)
        self.tables = self.slots.tables = Tables(self)
        self.folds = Folds(self)
        self.found_kinds: dict[Any, Any] = {}  # of what folds give, by their frames
        self.fields = WalkFields(self, self.loop_fields, self.stored_fields, self.uncounted)
        self.calls = Calls(self)
        self.prologue = 1 << 60  # values before this step are known everywhere
        self.streams: dict[int, tuple[int, Any]] = {}  # generators that are no arguments: their positions among the numbers
        self.exits: list[Exit] = []
        self.exit_number: int | None = None
        self.memory_exit: int | None = None
        self.outer: Iteration | None = None  # of the loop itself
        self.is_entered = False  # whether it may be in the middle of that
        self.statement: tuple[ast.stmt, Env] | None = None
        self.iterations: list[tuple[ast.For, Iteration]] = []
        self.depth = self.arms = 0
        self.is_sharing = False  # it is in a loop that threads may share
        self.stored = False
        self.checked: list[tuple[int, int]] = []  # conditions of the statement that hold from these places on
        self.is_checking_first = self.is_between = False
        self.called = 0

    def whole(self, loop: ast.For | ast.While, frame: Frame) -> None:
        """The program: what is handed in, the loop, its ends."""
        self.frame = self.root = frame
        self.steps.at((frame.function.__code__, loop.lineno))
        self.loop = loop
        self.statement_begins(loop)
        if self.loop_counters is None:
            self.loop_counters = counters_of(loop) & frame.local
        self.counters = self.loop_counters
        self.bound_in_loop = self.uses(loop).stores
        for name in sorted(self.counters):
            held = self.current().get(name)
            if type(held) is State and INT in held.kinds:
                self.numbers.within(self.steps.get(self.slots.variable((frame.key, name), INT)), -FAR, FAR)
        self.fields.expect_counters()
        bound_what_stays(self, loop)
        if isinstance(loop, ast.While):
            self.while_(loop)
        else:
            self.for_(loop)
        self.steps.exits = [each.variables for each in self.exits]

    def finish(self, broke: bool) -> None:
        """Leaves the program at the loop's end."""
        names = self.uses(self.loop).stores & self.frame.live.after[id(self.loop)]
        self.leave_with(None, broke, sorted(names), self.current())
        self.frame.env = None

    def uses(self, statement: ast.stmt) -> Uses:
        """Of a statement of the source, which is the same in all rounds."""
        if id(statement) not in self.used:
            self.used[id(statement)] = statement, Uses(statement)
        return self.used[id(statement)][1]

    def current(self) -> Env:
        assert self.frame.env is not None
        return self.frame.env

    # Statements.

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if self.frame.env is None:
                return
            self.do(statement)
            if len(self.steps.steps) > _MOST_STEPS:
                raise Unsupported("is too long")

    def do(self, statement: ast.stmt) -> None:
        self.statement_begins(statement)
        mark, depth, env = len(self.steps.steps), self.depth, dict(self.current())
        stored, arms, waiting = self.stored, self.arms, list(self.draws.waiting)
        is_sharing = self.is_sharing
        around = self.steps.at((self.frame.function.__code__, statement.lineno))
        loops, iterations, iterated = len(self.frame.loops), len(self.iterations), len(self.moves.iterated)
        try:
            method = getattr(self, "do_" + type(statement).__name__, None)
            if method is None:
                raise Unsupported(f"has a statement of the kind {type(statement).__name__}")
            method(statement)
            self.is_between = self.is_between or (self.frame is self.root and isinstance(statement, (ast.If, ast.For, ast.While)))
        except (Unsupported, Leaves) as why:
            # What is not always done may leave the program; what is, would leave it each time, and so would a recursion at each level.
            if self.frame is not self.root or (type(why) is Unsupported and arms == 0) or stored or type(why) is Recursive:
                raise
            del self.steps.steps[mark:]
            del self.frame.loops[loops:], self.iterations[iterations:], self.moves.iterated[iterated:]
            self.depth, self.arms, self.frame.env, self.stored, self.is_sharing = depth, arms, env, stored, is_sharing
            self.draws.waiting = waiting
            self.exit_number = None
            self.statement = statement, env
            if isinstance(statement, ast.Return):
                self.leave_with(statement, False, sorted(self.uses(statement).reads), env)
            else:
                self.steps.add("exit", b=self.exit())
            self.exits[-1].why = str(why)
            self.frame.env = None
        self.steps.at(around)

    def do_Pass(self, statement: ast.Pass) -> None:
        pass

    def do_Expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):
            self.value(statement.value)

    def do_Return(self, statement: ast.Return) -> None:
        if self.frame is self.root:
            raise Leaves
        value = self.settled(None if statement.value is None else self.value(statement.value))
        held = self.slots.store((self.frame.key, "return"), value)
        self.frame.returned.append(held)
        self.steps.add("break", a=self.depth - self.frame.loops[0].depth)
        self.frame.env = None

    def do_Break(self, statement: ast.Break) -> None:
        loop = self.frame.loops[-1]
        if self.frame is self.root and len(self.frame.loops) == 1:
            self.finish(True)
            return
        loop.broke.append(self.current())
        self.steps.add("break", a=self.depth - loop.depth)
        self.frame.env = None

    def do_Continue(self, statement: ast.Continue) -> None:
        loop = self.frame.loops[-1]
        loop.continued.append(self.current())
        self.steps.add("continue", a=self.depth - loop.depth)
        self.frame.env = None

    # Branches.

    def do_If(self, statement: ast.If) -> None:
        test = self.conditions.truth(statement.test)
        if type(test) is bool:
            self.block(statement.body if test else statement.orelse)
            return
        before = self.current()
        self.steps.add("if", a=test)
        self.arms += 1
        ends = []
        for number, arm in enumerate((statement.body, statement.orelse)):
            if number:
                self.steps.add("else")
            self.frame.env = dict(narrowed(before, statement.test, not number))
            self.block(arm)
            ends.append(self.frame.env)
        self.arms -= 1
        self.steps.add("end")
        self.frame.env = self.joined([each for each in ends if each is not None], self.frame.live.after.get(id(statement), set()))

    def joined(self, ends: list[Env], live: set[str]) -> Env | None:
        """What is known where these meet."""
        if not ends:
            return None
        env = ends[0]
        for other in ends[1:]:
            unbound = State((None,))
            env = {
                name: self.slots.joined((self.frame.key, name), env.get(name, unbound), other.get(name, unbound), name in live)
                for name in env.keys() | other.keys()
            }
        return env

    # Loops.

    def head(self, loop: ast.For | ast.While) -> None:
        """A loop's head, with what is taken for granted there."""
        key = self.frame.key, id(loop)
        live = self.frame.live.head[id(loop)]
        entry = self.current()
        if key not in self.assumed:
            changed = self.uses(loop).stores
            self.assumed[key] = {name: self.changing(held, name in live) if name in changed else held for name, held in entry.items()}
        assumed = self.assumed[key]
        found = self.joined([assumed, entry], live)
        self.assume(key, assumed, found)
        self.frame.env = dict(assumed)

    def changing(self, held: Held, is_live: bool) -> Held:
        """A variable that a loop binds, as it is at first: most grow. A list that was handed in may have been changed, and is handed out."""
        if not is_live:
            return held if type(held) is ListState and self.lists.is_taken(held) else LOST
        return State(held.kinds, held.low) if type(held) is State else held

    def assume(self, key: Any, assumed: Env, found: Env | None) -> None:
        if found is None or found == assumed:
            return
        for name, held in found.items():
            before = assumed.get(name)
            if type(held) is State and type(before) is State and (held.low != before.low or held.high != before.high):
                found[name] = State(held.kinds, *(now if now == then else None for now, then in ((held.low, before.low), (held.high, before.high))))
        if found != assumed:
            self.assumed[key] = found
            raise Again

    def back(self, loop: ast.For | ast.While, ends: list[Env]) -> None:
        key = self.frame.key, id(loop)
        assumed = self.assumed[key]
        self.assume(key, assumed, self.joined([assumed, *ends], self.frame.live.head[id(loop)]))

    def do_While(self, statement: ast.While) -> None:
        self.while_(statement)

    def do_For(self, statement: ast.For) -> None:
        self.for_(statement)

    def enter(self, shared: tuple[int, int, int] | None = None) -> OpenLoop:
        """`shared`: the variables that its iterations go from and up to, and how many are worth it, if threads may share them."""
        if shared is None:
            self.steps.add("loop")
        else:
            self.steps.add("share", a=shared[0], b=shared[1], bits=shared[2])
        self.depth += 1
        loop = OpenLoop(self.depth, self.steps.made_arrays)
        self.frame.loops.append(loop)
        return loop

    def body(self, statement: ast.For | ast.While, loop: OpenLoop) -> list[Env]:
        """The loop's body; what is known at its ends."""
        self.interruptible(statement)
        is_part = is_region(self.loop) and self.frame is self.root and any(each is statement for each in self.loop.body)
        is_sure = self.is_outermost(statement) or is_part
        self.arms, arms = (0 if is_sure else self.arms + 1), self.arms
        self.block(statement.body)
        self.is_between = self.frame is self.root
        self.arms = arms
        ends = [*loop.continued, *([self.frame.env] if self.frame.env is not None else [])]
        self.steps.add("next")
        return ends

    def is_outermost(self, statement: ast.stmt) -> bool:
        """Whether it is the loop itself, and not the same one in a call of its own function."""
        return statement is self.loop and self.frame is self.root

    def interruptible(self, statement: ast.For | ast.While) -> None:
        """A loop that may have no end asks now and then whether a signal came, and is left then."""
        if self.frame is self.root and isinstance(statement, ast.While) and not is_region(statement):
            self.statement_begins(statement.body[0])
            self.leave(self.steps.map("logical_not", BOOL, BOOL, self.steps.add("interrupted", BOOL)))

    def close(self, statement: ast.For | ast.While, loop: OpenLoop, exhausted: Env | None) -> None:
        if loop.made_arrays != self.steps.made_arrays:
            self.steps.add("collect")
        self.steps.add("end")
        self.depth -= 1
        self.frame.loops.pop()
        ends = [*loop.broke, *([exhausted] if exhausted is not None else [])]
        self.frame.env = self.joined(ends, self.frame.live.after.get(id(statement), set()))

    def exhausted(self, statement: ast.For | ast.While) -> Env | None:
        """Where a loop has ended by itself: its `else`, then out of it."""
        inner = self.frame.loops.pop()  # what breaks here breaks the loop around it
        if self.is_outermost(statement):
            if self.frame.env is not None:
                self.finish(False)  # Python does its `else`
        else:
            at_loop = self.statement, self.exit_number, self.stored, self.is_between
            self.block(statement.orelse)
            self.statement, self.exit_number, self.stored, self.is_between = at_loop  # what is asked for the iterations comes next
        self.frame.loops.append(inner)
        if self.frame.env is not None:
            self.steps.add("break", a=self.depth - inner.depth)
        return self.frame.env

    def while_(self, statement: ast.While) -> None:
        before = self.begin_loop(statement)
        loop = self.enter()
        self.head(statement)
        self.statement_begins(statement)
        test = self.conditions.truth(statement.test)
        ended = None
        if type(test) is not bool:
            at_head = self.current()
            self.steps.add("if", a=test)
            self.steps.add("else")
            self.frame.env = dict(narrowed(at_head, statement.test, False))
            ended = self.exhausted(statement)
            self.steps.add("end")
            self.frame.env = dict(narrowed(at_head, statement.test, True))
        elif not test:
            raise Unsupported("has a loop that never begins")
        ends = self.body(statement, loop)
        self.end_loop(statement, before)
        self.back(statement, ends)
        self.close(statement, loop, ended)

    def for_(self, statement: ast.For) -> None:
        before = self.begin_loop(statement)
        iteration = iteration_of(self, statement)
        is_outer = self.is_outermost(statement)
        if is_outer:
            self.start_outer(iteration)
        else:
            iteration.start()
        shared = self.shared(statement, iteration)
        loop = self.enter(shared)
        self.head(statement)
        at_head = self.current()
        ended: Env | None = at_head
        if shared is None:
            self.steps.add("if", a=iteration.more())
            self.steps.add("else")
            self.frame.env = dict(at_head)
            ended = self.exhausted(statement)
            self.steps.add("end")
        self.frame.env = None if iteration.is_empty() else dict(at_head)
        if any(isinstance(each, ast.Subscript) for each in _syntax.walk(statement.target)):
            raise Unsupported("iterates into elements")
        if self.frame.env is not None:
            self.target(statement.target, iteration.item())()
        is_resumed = not is_outer and self.frame is self.root  # where the program is left in it
        if is_resumed:
            self.iterations.append((statement, iteration))
        self.moves.iterated += iteration.lists()
        self.is_sharing, is_sharing = self.is_sharing or shared is not None, self.is_sharing
        ends = self.body(statement, loop)
        self.is_sharing = is_sharing
        del self.moves.iterated[len(self.moves.iterated) - len(iteration.lists()) :]
        iteration.advance()
        if is_resumed:
            self.iterations.pop()
        self.end_loop(statement, before)
        self.back(statement, ends)
        self.close(statement, loop, ended)
        if shared is not None and is_outer:
            self.finish(False)

    def shared(self, statement: ast.For, iteration: Iteration) -> tuple[int, int, int] | None:
        """The variables that the iterations of a loop go from and up to, if they know nothing of each other; the memory that it stores to is told."""
        counters = iteration.counters()
        arrays = None if counters is None or self.is_sharing else may_share(self, statement)
        return (*counters, least_shared(statement)) if counters and arrays is not None and tell_parts(self, *arrays) else None

    def start_outer(self, iteration: Iteration) -> None:
        """Begins, or goes on after the item at which the program was left; where it can't, Python does the rest of the loop."""
        if not iteration.can_go_on():
            raise Unsupported("goes over a list that it binds, or that is made anew")
        self.outer, self.is_entered = iteration, iteration.is_enterable()
        if not self.is_entered:
            iteration.start()
            return
        self.steps.add("if", a=self.input_number(BOOLEAN))
        iteration.take_over(self)
        self.steps.add("else")
        iteration.start()
        self.steps.add("end")

    def is_bound_in_loop(self, name: str) -> bool:
        return name in self.bound_in_loop

    def stream_of(self, generator: Any) -> int:
        """The address of a generator that is no argument."""
        if id(generator) not in self.streams:
            self.streams[id(generator)] = self.steps.number(None), generator
        return self.steps.input(self.streams[id(generator)][0])

    def input_number(self, kind: Any) -> int:
        return self.steps.input(self.steps.number(kind))
