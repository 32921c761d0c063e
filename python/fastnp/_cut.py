"""A function cut in parts: functions of their own for the statements between breaks, and a frame of what is left, which calls them.

A part takes the local variables that it reads and gives those that are read later. So the frame is an ordinary Python function that does what the
function did, in the same order; what is compiled is the parts.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from fastnp._names import Live, Uses, after, bound_after, deleted, own_nodes
from fastnp._unfold import is_kept, weight

__all__ = ["Cut", "Part"]

_FIXED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom, ast.Delete, ast.AsyncFor, ast.AsyncWith, ast.ClassDef, ast.FunctionDef,
          ast.AsyncFunctionDef, ast.Match, ast.TryStar, ast.Global, ast.Nonlocal)  # fmt: skip


class Part(NamedTuple):
    name: str
    takes: tuple[str, ...]
    body: list[ast.stmt]  # ends with a return of what it gives


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(*names: str) -> ast.expr:
    stores: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    return stores[0] if len(stores) == 1 else ast.Tuple(stores, ast.Store())


def _escapes(statement: ast.stmt) -> bool:
    """Whether it leaves a loop around it, or goes to its next turn."""
    if isinstance(statement, (ast.Break, ast.Continue)):
        return True
    inside = [statement.orelse] if isinstance(statement, (ast.For, ast.While)) else [each for each in ast.iter_child_nodes(statement)]
    return any(_escapes(each) for part in inside for each in (part if isinstance(part, list) else [part]) if isinstance(each, (ast.stmt, ast.ExceptHandler)))


class _Tagged(ast.NodeTransformer):
    """Returns of a part that may also go on: (True, what is returned)."""

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return ast.copy_location(ast.Return(ast.Tuple([ast.Constant(True), value], ast.Load())), node)

    def _stop(self, node: Any) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _stop


class Cut:
    """`tree`: a function whose breaks are unfolded; its body becomes that of the frame. `names`: its local variables."""

    def __init__(self, tree: ast.FunctionDef | ast.AsyncFunctionDef, names: set[str], captured: set[str]) -> None:
        self.parts: list[Part] = []
        self.names = names
        self.captured = captured  # by functions that are made in it
        self.unsteady = deleted(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Nonlocal):
                self.unsteady |= set(node.names) & names
        self.declared = [each for each in own_nodes(ast.Module(tree.body, [])) if isinstance(each, (ast.Global, ast.Nonlocal))]
        self.live = Live()
        self.live.before(tree.body, set(), set(), set())
        parameters = [each.arg for each in ast.walk(tree.args) if isinstance(each, ast.arg)]
        body = self.block(tree.body, frozenset(parameters), set())
        self.body = [*self.declared, *self.locals_of(body, set(parameters)), *(body or [ast.Pass()])]

    def locals_of(self, body: list[ast.stmt], bound: set[str]) -> list[ast.stmt]:
        """What makes variables local that the frame reads, but parts alone bind: a store that is never done."""
        uses = Uses(*body)
        names = self.local(uses.reads | uses.captured) - uses.stores - bound
        if not names:
            return []
        never = ast.If(ast.Constant(False), [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in sorted(names)], [])
        return [ast.fix_missing_locations(ast.copy_location(never, body[0]))]

    def local(self, found: set[str]) -> set[str]:
        return found & self.names

    # Which statements can be parts.

    def is_whole(self, statement: ast.stmt, bound: frozenset[str], held: set[str]) -> bool:
        """Whether a statement can be in a part. `held`: variables that have to be as they are should it raise."""
        if is_kept(statement) or any(isinstance(each, _FIXED) for each in ast.walk(statement)) or _escapes(statement):
            return False
        uses = Uses(statement)
        stores, captured = self.local(uses.stores), self.local(uses.captured)
        if captured or stores & (self.captured | held) or (stores | self.local(uses.reads)) & self.unsteady:
            return False
        bound_then = after(statement, bound)
        gives = stores & self.live.after[id(statement)]
        return self.reads([statement]) <= bound and (bound_then is None or gives <= bound_then)

    def reads(self, statements: list[ast.stmt]) -> set[str]:
        return self.local(Live().before(statements, set(), set(), set()))

    def block(self, statements: list[ast.stmt], bound: frozenset[str] | None, held: set[str]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        start = bound
        for statement in statements:
            if bound is None or isinstance(statement, (ast.Global, ast.Nonlocal)):  # never reached, or said at the top
                continue
            if self.is_whole(statement, bound, held):
                run.append(statement)
                bound = after(statement, bound)
                continue
            made += self.part(run, start, held)
            run = []
            made.append(self.inside(statement, bound, held))
            bound = start = after(statement, bound)
        return made + self.part(run, start, held)

    def inside(self, statement: Any, bound: frozenset[str], held: set[str]) -> ast.stmt:
        """A statement that stays, with parts in it."""
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
        return statement

    # Parts.

    def part(self, run: list[ast.stmt], bound: frozenset[str] | None, held: set[str]) -> list[ast.stmt]:
        if bound is None or weight(*run) < 2:
            return run
        reads = self.reads(run)
        bound_in_it = bound_after(run, frozenset())
        gives = self.local(Uses(*run).stores & self.live.after[id(run[-1])]) if bound_in_it is not None else set()
        takes = reads | (gives - (bound_in_it or frozenset()))
        if not takes <= bound:
            return run
        return self.call_of(run, tuple(sorted(takes)), tuple(sorted(gives)), ends=bound_in_it is None)

    def call_of(self, run: list[ast.stmt], takes: tuple[str, ...], gives: tuple[str, ...], ends: bool) -> list[ast.stmt]:
        name = f"_fastnp_part_{len(self.parts)}"
        call = ast.Call(_load(name), [_load(each) for each in takes], [])
        given: list[ast.expr] = [_load(each) for each in gives]
        returns = not ends and any(isinstance(each, ast.Return) for statement in run for each in own_nodes(statement))
        made: list[ast.stmt]
        if ends:
            body, made = run, [ast.Return(call)]
        elif returns:
            held = name + "_gave"
            body = [*(_Tagged().visit(each) for each in run), ast.Return(ast.Tuple([ast.Constant(False), *given], ast.Load()))]
            has_returned = ast.Subscript(_load(held), ast.Constant(0), ast.Load())
            result = ast.Subscript(_load(held), ast.Constant(1), ast.Load())
            made = [ast.Assign([_store(held)], call), ast.If(has_returned, [ast.Return(result)], [])]
            if gives:
                made.append(ast.Assign([_store(held, *gives)], _load(held)))
        elif gives:
            body = [*run, ast.Return(given[0] if len(given) == 1 else ast.Tuple(given, ast.Load()))]
            made = [ast.Assign([_store(*gives)], call)]
        else:
            body, made = run, [ast.Expr(call)]
        self.parts.append(Part(name, takes, [*self.declared, *body]))
        for statement in (*made, *body[len(run) :]):
            ast.fix_missing_locations(ast.copy_location(statement, run[0]))
        return made
