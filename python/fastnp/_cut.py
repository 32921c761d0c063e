"""A function cut in parts: functions of their own for the statements between breaks, and a frame of what is left, which calls them.

A part takes the local variables that it reads and gives those that are read later. So the frame is an ordinary Python function that does what the
function did, in the same order; what is compiled is the parts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, NamedTuple

from fastnp import _syntax
from fastnp._loop_resume import LOCALS, UNBOUND_NAME
from fastnp._names import Live, Uses, after, bound_after, deleted, escapes, only_takes, own_nodes, weight
from fastnp._parts import UNBOUND, Place
from fastnp._unfold import is_kept, place_of

__all__ = ["Cut", "Part"]

_FIXED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom, ast.Delete, ast.AsyncFor, ast.AsyncWith, ast.ClassDef, ast.FunctionDef,
          ast.AsyncFunctionDef, ast.Match, ast.TryStar, ast.Global, ast.Nonlocal)  # fmt: skip


class Part(NamedTuple):
    name: str
    takes: tuple[str, ...]
    body: list[ast.stmt]  # ends with a return of what it gives
    gives: tuple[str, ...] = ()
    loop: Place | None = None  # of one that is a loop to be tried as native code


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _load_if_bound(name: str) -> ast.expr:
    """The variable's value, or what stands for none."""
    get = ast.Attribute(ast.Call(_load(LOCALS), [], []), "get", ast.Load())
    return ast.Call(get, [ast.Constant(name), _load(UNBOUND_NAME)], [])


def _unbind(names: Iterable[str]) -> list[ast.stmt]:
    """Unbinds variables that what stands for no value was handed to."""
    tests = {name: ast.Compare(_load(name), [ast.Is()], [_load(UNBOUND_NAME)]) for name in names}
    return [ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], []) for name, test in tests.items()]


def _store(*names: str) -> ast.expr:
    stores: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    return stores[0] if len(stores) == 1 else ast.Tuple(stores, ast.Store())


_RETURNS, _BREAKS, _CONTINUES = 1, 2, 3


class _Tagged(ast.NodeTransformer):
    """A part that may end in several ways says in which: (1, what is returned), or (0, 2 or 3, what it gives) to go on, break or continue."""

    def __init__(self, gives: tuple[str, ...], unsure: frozenset[str]) -> None:
        self.gives = gives
        self.unsure = unsure  # of these, what may not be bound then
        self.loops = 0

    def end(self, how: int) -> ast.Return:
        given = [_load_if_bound(each) if each in self.unsure else _load(each) for each in self.gives]
        return ast.Return(ast.Tuple([ast.Constant(how), *given], ast.Load()))

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.Constant(None)
        return _syntax.located(ast.copy_location(ast.Return(ast.Tuple([ast.Constant(_RETURNS), value], ast.Load())), node))

    def visit_Break(self, node: ast.Break) -> Any:
        return node if self.loops else _syntax.located(ast.copy_location(self.end(_BREAKS), node))

    def visit_Continue(self, node: ast.Continue) -> Any:
        return node if self.loops else _syntax.located(ast.copy_location(self.end(_CONTINUES), node))

    def visit_loop(self, node: Any) -> Any:
        self.loops += 1
        node.body = [self.visit(each) for each in node.body]
        self.loops -= 1
        node.orelse = [self.visit(each) for each in node.orelse]
        return node

    def _stop(self, node: Any) -> Any:
        return node

    visit_For = visit_While = visit_loop
    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _stop


def _bound_first(statement: ast.stmt) -> set[str]:
    """What a statement may have bound where a block of it begins: in its header, or, if it is a loop, by the iteration before."""
    if isinstance(statement, (ast.For, ast.While)):
        return Uses(statement).stores
    return Uses(*(each for each in _syntax.children(statement) if not isinstance(each, ast.stmt))).stores


class Cut:
    """`tree`: a function whose breaks are unfolded; its body becomes that of the frame. `names`: its local variables."""

    def __init__(self, tree: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str], captured: set[str], native: set[Place]) -> None:
        self.parts: list[Part] = []
        self.native = native  # loops that are tried as native code
        self.not_parts: dict[Place, str] = {}  # ... and why some can't be
        self.names = names
        self.captured = captured  # by functions that are made in it
        self.unsteady = deleted(tree)  # and what is another object at every call
        self.functions: set[str] = set()  # ... of them functions
        for node in _syntax.walk(tree):
            if isinstance(node, ast.Nonlocal):
                self.unsteady |= set(node.names) & names
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node is not tree:
                self.unsteady.add(node.name)
                if isinstance(node, ast.FunctionDef):
                    self.functions.add(node.name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Lambda, ast.GeneratorExp)):
                self.unsteady |= Uses(node).stores
        self.declared = [each for each in own_nodes(ast.Module(tree.body, [])) if isinstance(each, (ast.Global, ast.Nonlocal))]
        self.live = Live()
        self.live.before(tree.body, set(), set(), set())
        parameters = [each.arg for each in _syntax.walk(tree.args) if isinstance(each, ast.arg)]
        self.met = set(parameters)  # what may be bound at the statement at hand
        body = self.block(tree.body, frozenset(parameters), set())
        self.body = [*self.declared, *self.locals_of(body, set(parameters)), *(body or [ast.Pass()])]

    def locals_of(self, body: list[ast.stmt], bound: set[str]) -> list[ast.stmt]:
        """What makes variables local that the frame reads, but parts alone bind: a store that is never done."""
        uses = Uses(*body)
        names = self.local(uses.reads | uses.captured) - uses.stores - bound
        if not names:
            return []
        never = ast.If(ast.Constant(False), [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in sorted(names)], [])
        return [_syntax.located(ast.copy_location(never, body[0]))]

    def local(self, found: set[str]) -> set[str]:
        return found & self.names

    # Which statements can be parts.

    def is_whole(self, statement: ast.stmt, bound: frozenset[str], held: set[str]) -> bool:
        """Whether a statement can be in a part, where what it reads is bound. `held`: variables that have to be as they are should it raise."""
        if is_kept(statement) or any(isinstance(each, _FIXED) or getattr(each, "is_async", 0) for each in _syntax.walk(statement)):
            return False
        uses = Uses(statement)
        stores, captured = self.local(uses.stores), self.local(uses.captured)
        if captured or stores & (self.captured | held) or (stores | self.local(uses.reads)) & self.unsteady:
            return False
        bound_then = after(statement, bound)
        return bound_then is None or stores & self.live.after[id(statement)] <= bound_then

    def is_native(self, statement: ast.stmt, held: set[str]) -> bool:
        """Whether a statement is a loop that can be a part as native code."""
        if not isinstance(statement, (ast.For, ast.While)) or place_of(statement) not in self.native:
            return False
        uses = Uses(statement)
        stores, captured = self.local(uses.stores), self.local(uses.captured)
        reads = self.local(uses.reads) - self.functions
        shared, unsteady = captured | (stores & self.captured), (stores | reads) & self.unsteady
        if shared or unsteady or stores & held:
            why = "shares variables with other functions" if shared else "has variables that are unbound, or functions" if unsteady else ""
            self.not_parts[place_of(statement)] = why or "binds variables that are read should it raise"
            return False
        return True

    def reads(self, statements: list[ast.stmt]) -> set[str]:
        return self.local(Live().before(statements, set(), set(), set()))

    def block(self, statements: list[ast.stmt], bound: frozenset[str] | None, held: set[str]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        start, assumed = bound, bound  # the latter: if what the run reads is bound
        for statement in statements:
            if bound is None or isinstance(statement, (ast.Global, ast.Nonlocal)):  # never reached, or said at the top
                continue
            reads = self.reads([statement])
            if self.is_native(statement, held):
                made += [*self.part(run, start), *self.loop_part(statement, bound)]
                run = []
                bound = start = assumed = after(statement, bound)
                self.met |= Uses(statement).stores
                continue
            if assumed is not None and self.is_whole(statement, assumed | reads, held):
                run.append(statement)
                bound, assumed = after(statement, bound), after(statement, assumed | reads)
                self.met |= Uses(statement).stores
                continue
            made += self.part(run, start)
            run = []
            made.append(self.inside(statement, bound, held))
            bound = start = assumed = after(statement, bound)
            self.met |= Uses(statement).stores
        return made + self.part(run, start)

    def inside(self, statement: Any, bound: frozenset[str], held: set[str]) -> ast.stmt:
        """A statement that stays, with parts in it."""
        self.met |= _bound_first(statement)
        if isinstance(statement, ast.If):
            for name in ("body", "orelse"):
                setattr(statement, name, self.block(getattr(statement, name), bound, held) or ([ast.Pass()] if name == "body" else []))
        elif isinstance(statement, (ast.For, ast.While)):
            targets = Uses(statement.target).stores if isinstance(statement, ast.For) else set()
            unbound = deleted(statement)
            statement.body = self.block(statement.body, (bound | targets) - unbound, held) or [ast.Pass()]
            statement.orelse = self.block(statement.orelse, bound - unbound, held)
        elif isinstance(statement, ast.With):
            targets = Uses(*(item.optional_vars for item in statement.items if item.optional_vars)).stores
            later = self.live.after[id(statement)]  # should it catch what is raised in it
            statement.body = self.block(statement.body, bound | targets, held | later) or [ast.Pass()]
        elif isinstance(statement, ast.Try):
            self.inside_try(statement, bound, held)
        return statement

    def inside_try(self, statement: ast.Try, bound: frozenset[str], held: set[str]) -> None:
        still_bound = bound - deleted(statement)
        body_bound = bound_after(statement.body, bound)
        statement.body = self.block(statement.body, bound, held | self.live.raised[id(statement)])
        in_final = self.live.raised[id(statement)] if statement.finalbody else set()
        for handler in statement.handlers:
            handler.body = self.block(handler.body, still_bound, held | in_final) or [ast.Pass()]
        statement.orelse = self.block(statement.orelse, still_bound if body_bound is None else body_bound, held | in_final)
        statement.finalbody = self.block(statement.finalbody, still_bound, held) or ([ast.Pass()] if statement.finalbody else [])

    # Parts.

    def part(self, run: list[ast.stmt], bound: frozenset[str] | None) -> list[ast.stmt]:
        """The statements, or a call of a part that does what they do. What only passes variables on at their ends is no work for a part."""
        if bound is None or weight(*run) < 2 or only_takes(*run):
            return run
        begin = next(number for number, statement in enumerate(run) if weight(statement) > 0)
        end = len(run) - next(number for number, statement in enumerate(reversed(run)) if weight(statement) > 0)
        for statement in run[:begin]:
            bound = after(statement, bound) or bound
        return [*run[:begin], *self.part_of(run[begin:end], bound), *run[end:]]

    def loop_part(self, loop: Any, bound: frozenset[str]) -> list[ast.stmt]:
        """The call of a loop as native code. Variables that may not be bound are handed over as what stands for no value."""
        leaves = escapes(loop)
        read_then = self.live.after[id(loop)].union(*(self.live.after[id(each)] for each in leaves))
        gives = self.local(Uses(loop).stores & read_then)
        takes = self.reads([loop]) | (gives - (bound_after([loop], frozenset()) or frozenset()))
        doubtful = takes - bound
        unsure = frozenset(gives if leaves else gives - (after(loop, bound) or frozenset()))
        returns = any(isinstance(each, ast.Return) for each in own_nodes(loop))
        name, _ = self.new_part(())
        tags = _Tagged(tuple(sorted(gives)), unsure)
        body = [*_unbind(sorted(doubtful)), tags.visit(loop), ast.copy_location(tags.end(0), loop)]
        given: list[ast.expr] = [_load(each) if each in self.met else _load(UNBOUND_NAME) for each in sorted(takes)]
        calls = self.ended(
            name, ast.Call(_load(name), given, []), tags.gives, {type(each) for each in leaves}, returns, sorted(unsure | doubtful & self.met)
        )
        made = self.made(name, tuple(sorted(takes)), [loop], body, calls, tags.gives, place_of(loop))
        return [*self.looked_up(sorted(doubtful & self.met), loop), *made]

    def looked_up(self, names: list[str], at: ast.stmt) -> list[ast.stmt]:
        """Binds those that are not bound to what stands for that."""
        made: list[ast.stmt] = []
        for name in names:
            handler = ast.ExceptHandler(_load(UNBOUND), None, [ast.Assign([_store(name)], _load(UNBOUND_NAME))])
            made.append(_syntax.located(ast.copy_location(ast.Try([ast.Expr(_load(name))], [handler], [], []), at)))
        return made

    def part_of(self, run: list[ast.stmt], bound: frozenset[str]) -> list[ast.stmt]:
        reads = self.reads(run)
        bound_in_it = bound_after(run, frozenset())
        leaves = [each for statement in run for each in escapes(statement)]
        read_then = set().union(*(self.live.after[id(each)] for each in leaves))
        if bound_in_it is not None:
            read_then |= self.live.after[id(run[-1])]
        gives = self.local(Uses(*run).stores & read_then)
        takes = reads | (gives if leaves else gives - (bound_in_it or frozenset()))
        doubtful = sorted(takes - bound)
        as_written = _syntax.copied(run) if doubtful else []
        ends = bound_in_it is None
        returns = any(isinstance(each, ast.Return) for statement in run for each in own_nodes(statement))
        if leaves or (returns and not ends):
            made = self.tagged_call(run, tuple(sorted(takes)), tuple(sorted(gives)), {type(each) for each in leaves}, returns, ends)
        else:
            made = self.call_of(run, tuple(sorted(takes)), tuple(sorted(gives)), ends)
        return self.if_bound(doubtful, made, as_written) if doubtful else made

    def if_bound(self, names: list[str], made: list[ast.stmt], otherwise: list[ast.stmt]) -> list[ast.stmt]:
        """Where a loop or a `with` may not have bound a variable, its value can't be handed over; the statements may never come to read it."""
        flag = f"_fastnp_bound_{len(self.parts)}"
        looks: list[ast.stmt] = [ast.Expr(_load(name)) for name in names]
        handler = ast.ExceptHandler(_load(UNBOUND), None, [ast.Assign([_store(flag)], ast.Constant(False))])
        check = ast.Try([*looks, ast.Assign([_store(flag)], ast.Constant(True))], [handler], [], [])
        for statement in (check, choice := ast.If(_load(flag), made, otherwise)):
            _syntax.located(ast.copy_location(statement, otherwise[0]))
        return [check, choice]

    def call_of(self, run: list[ast.stmt], takes: tuple[str, ...], gives: tuple[str, ...], ends: bool) -> list[ast.stmt]:
        name, call = self.new_part(takes)
        given: list[ast.expr] = [_load(each) for each in gives]
        if ends:
            return self.made(name, takes, run, run, [ast.Return(call)])
        if not gives:
            return self.made(name, takes, run, run, [ast.Expr(call)])
        result = ast.Return(given[0] if len(given) == 1 else ast.Tuple(given, ast.Load()))
        return self.made(name, takes, run, [*run, result], [ast.Assign([_store(*gives)], call)])

    def tagged_call(
        self, run: list[ast.stmt], takes: tuple[str, ...], gives: tuple[str, ...], leaves: set[type], returns: bool, ends: bool
    ) -> list[ast.stmt]:
        """The call of a part that may end in several ways."""
        name, call = self.new_part(takes)
        tags = _Tagged(gives, frozenset())
        last = run[-1]
        body = [tags.visit(each) for each in run]
        if not ends:
            body.append(ast.copy_location(tags.end(0), last))
        return self.made(name, takes, run, body, self.ended(name, call, gives, leaves, returns, []))

    @staticmethod
    def ended(name: str, call: ast.expr, gives: tuple[str, ...], leaves: set[type], returns: bool, unsure: list[str]) -> list[ast.stmt]:
        """The call, and what follows from how it ended. `unsure`: variables that may not be bound then."""
        held = name + "_gave"
        made: list[ast.stmt] = [ast.Assign([_store(held)], call)]
        if returns:
            is_returned = ast.Compare(ast.Subscript(_load(held), ast.Constant(0), ast.Load()), [ast.Eq()], [ast.Constant(_RETURNS)])
            made.append(ast.If(is_returned, [ast.Return(ast.Subscript(_load(held), ast.Constant(1), ast.Load()))], []))
        if leaves or gives:
            made.append(ast.Assign([ast.Tuple([ast.Name(each, ast.Store()) for each in (held, *gives)], ast.Store())], _load(held)))
        made += _unbind(unsure)
        for kind, tag, statement in ((ast.Break, _BREAKS, ast.Break()), (ast.Continue, _CONTINUES, ast.Continue())):
            if kind in leaves:
                made.append(ast.If(ast.Compare(_load(held), [ast.Eq()], [ast.Constant(tag)]), [statement], []))
        return made

    def new_part(self, takes: tuple[str, ...]) -> tuple[str, ast.expr]:
        name = f"_fastnp_part_{len(self.parts)}"
        return name, ast.Call(_load(name), [_load(each) for each in takes], [])

    def made(
        self,
        name: str,
        takes: tuple[str, ...],
        run: list[ast.stmt],
        body: list[ast.stmt],
        calls: list[ast.stmt],
        gives: tuple[str, ...] = (),
        loop: Place | None = None,
    ) -> list[ast.stmt]:
        self.parts.append(Part(name, takes, [*self.declared, *body], gives, loop))
        for statement in (*calls, *body):
            _syntax.located(statement if hasattr(statement, "lineno") else ast.copy_location(statement, run[0]))
        return calls
