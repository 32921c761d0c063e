"""What statements read and bind of a function's local variables: which are bound for sure, and which are read later on."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from fastnp import _syntax

__all__ = [
    "KNOWN_BUILTINS",
    "Live",
    "Uses",
    "after",
    "bound_after",
    "continues",
    "deleted",
    "escapes",
    "is_endless",
    "only_takes",
    "own_nodes",
    "stores_of",
    "weight",
]

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CONSUMERS = frozenset(["all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"])
KNOWN_BUILTINS = _CONSUMERS | {"super"}  # whose meaning is taken for granted
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
_OWN = frozenset(_SCOPES)
# What `Uses` looks at by itself.
_SEEN = frozenset([ast.Name, *_COMPREHENSIONS, *_SCOPES, ast.Call, ast.AugAssign, ast.AnnAssign, ast.ExceptHandler, ast.Import, ast.ImportFrom])
_COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)

_COSTLY = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Subscript, ast.AugAssign, ast.For, ast.While)

Names = frozenset[str]
_NONE: Names = frozenset()


def own_nodes(node: ast.AST) -> list[Any]:
    """The nodes below `node`, and itself, but for what belongs to functions that are made in it."""
    return _syntax.walk(node, _OWN)


class Uses:
    """What an expression or a statement reads, binds, and leaves to functions that are made in it (lists of comprehensions are made at once)."""

    def __init__(self, *nodes: ast.AST) -> None:
        self.reads: set[str] = set()
        self.stores: set[str] = set()
        self.captured: set[str] = set()
        for node in nodes:
            self.visit(node, _NONE)

    def visit(self, node: Any, hidden: Names) -> None:
        for each in _syntax.uppermost(node, _SEEN):
            kind = each.__class__
            if kind is ast.Name:
                if each.id not in hidden:
                    (self.reads if each.ctx.__class__ is ast.Load else self.stores).add(each.id)
            elif kind in _OWN:
                self.visit_scope(each, hidden)
            elif kind in _COMPREHENSIONS:
                self.visit_comprehension(each, hidden)
            else:
                self.visit_special(each, hidden)

    def visit_special(self, node: Any, hidden: Names) -> None:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.reads.add(node.target.id)
        if isinstance(node, ast.AnnAssign) and node.value is None and isinstance(node.target, ast.Name):
            return  # it binds nothing
        if isinstance(node, ast.ExceptHandler) and node.name:
            self.stores.add(node.name)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self.stores.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        is_consumer = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS
        for child in _syntax.children(node):
            visit = self.visit_comprehension if is_consumer and isinstance(child, ast.GeneratorExp) else self.visit
            visit(child, hidden)

    def visit_comprehension(self, node: Any, hidden: Names) -> None:
        self.visit(node.generators[0].iter, hidden)
        inside = hidden | Uses(*(each.target for each in node.generators)).stores
        for number, each in enumerate(node.generators):
            for part in (*([each.iter] if number else []), *each.ifs):
                self.visit(part, inside)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part, inside)

    def visit_scope(self, node: Any, hidden: Names) -> None:
        """All names in it count as read and captured, but for a function's own: more than there may be is safe."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.stores.add(node.name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            declared = {name for each in _syntax.walk(node) if isinstance(each, (ast.Global, ast.Nonlocal)) for name in each.names}
            own = ({each.arg for each in _syntax.walk(node.args) if isinstance(each, ast.arg)} | Uses(*body).stores) - declared
            around = [node.args] if isinstance(node, ast.Lambda) else [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
            found = {each.id for part in around for each in _syntax.walk(part) if isinstance(each, ast.Name)}
            found |= {each.id for part in body for each in _syntax.walk(part) if isinstance(each, ast.Name)} - own
            found -= hidden
        else:
            found = {each.id for each in _syntax.walk(node) if isinstance(each, ast.Name)} - hidden
        self.captured |= found
        self.reads |= found


def escapes(node: ast.AST) -> list[ast.stmt]:
    """Where a statement leaves a loop around it, or goes to its next turn."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return [node]
    if isinstance(node, (ast.expr, *_SCOPES)):
        return []
    inside = node.orelse if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) else _syntax.children(node)
    return [found for each in inside for found in escapes(each)]


def continues(body: list[ast.stmt]) -> bool:
    return any(isinstance(found, ast.Continue) for statement in body for found in escapes(statement))


def deleted(tree: ast.AST) -> set[str]:
    """The variables that are unbound somewhere."""
    found = set()
    for node in _syntax.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Del):
                found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def stores_of(statements: Iterable[ast.stmt]) -> set[str]:
    return Uses(*statements).stores


# Which variables are bound for sure: None where no execution arrives.


def bound_after(statements: Iterable[ast.stmt], bound: Names | None) -> Names | None:
    for statement in statements:
        if bound is None:
            return None
        bound = after(statement, bound)
    return bound


def after(statement: ast.stmt, bound: Names) -> Names | None:
    if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return None
    if isinstance(statement, ast.If):
        taken, other = bound_after(statement.body, bound), bound_after(statement.orelse, bound)
        if taken is None or other is None:
            return other if taken is None else taken
        return taken & other
    if isinstance(statement, ast.While) and is_endless(statement):
        found: list[Names] = []
        _at_breaks(statement.body, bound, found)
        return (frozenset.intersection(*found) if found else bound) - deleted(statement)
    if isinstance(statement, _COMPOUND):
        return bound - deleted(statement)  # what it binds, it may not have bound
    if isinstance(statement, ast.Delete):
        return bound - stores_of([statement])
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):
        return bound | {statement.value.id}  # or it would have raised
    return bound | stores_of([statement])


def is_endless(loop: Any) -> bool:
    """Whether a loop ends by a `break` alone: ``while True``."""
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)


def _at_breaks(statements: Iterable[ast.stmt], bound: Names | None, found: list[Names]) -> Names | None:
    """As `bound_after`; `found` gets what is bound where a loop around the statements is left."""
    for statement in statements:
        if bound is None:
            return None
        if isinstance(statement, ast.Break):
            found.append(bound)
            return None
        if isinstance(statement, ast.If):
            ends = [_at_breaks(arm, bound, found) for arm in (statement.body, statement.orelse)]
            arrived = [each for each in ends if each is not None]
            bound = frozenset.intersection(*arrived) if arrived else None
            continue
        if any(isinstance(each, ast.Break) for each in escapes(statement)):  # in a `with`, a `try` or a loop's `else`
            found.append(bound - deleted(statement))
        bound = after(statement, bound)
    return bound


class Live:
    """Variables that are read later on: `after` has them for each statement, by its id. Backward, as in any compiler."""

    def __init__(self) -> None:
        self.after: dict[int, set[str]] = {}
        self.ahead: dict[int, set[str]] = {}  # what is read from a statement on, itself included
        self.head: dict[int, set[str]] = {}  # ... and from where a loop decides about its next iteration
        self.raised: dict[int, set[str]] = {}  # of each `try`
        self._uses: dict[int, Uses] = {}  # of what is gone over: bodies of loops in loops are again and again

    def uses(self, node: ast.AST) -> Uses:
        found = self._uses.get(id(node))
        if found is None:
            found = self._uses[id(node)] = Uses(node)
        return found

    def before(self, statements: list[ast.stmt], live: set[str], at_break: set[str], at_continue: set[str]) -> set[str]:
        for statement in reversed(statements):
            self.after.setdefault(id(statement), set()).update(live)
            live = self.step(statement, live, at_break, at_continue)
            self.ahead.setdefault(id(statement), set()).update(live)
        return live

    def step(self, statement: ast.stmt, live: set[str], at_break: set[str], at_continue: set[str]) -> set[str]:
        if isinstance(statement, (ast.Return, ast.Raise)):
            return self.uses(statement).reads
        if isinstance(statement, (ast.Break, ast.Continue)):
            live = at_break if isinstance(statement, ast.Break) else at_continue
            self.after[id(statement)] = set(live)
            return live
        if isinstance(statement, ast.If):
            taken = self.before(statement.body, live, at_break, at_continue)
            return self.uses(statement.test).reads | taken | self.before(statement.orelse, live, at_break, at_continue)
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self.loop(statement, live, at_break, at_continue)
        if isinstance(statement, (ast.With, ast.AsyncWith)):  # its end may be reached from everywhere in it
            return live | set().union(*(self.uses(each).reads for each in statement.items)) | self.before(statement.body, live, at_break, at_continue)
        if isinstance(statement, ast.Try):
            return self.handled(statement, live, at_break, at_continue)
        if isinstance(statement, _COMPOUND):
            return live | self.uses(statement).reads | at_break | at_continue
        uses = self.uses(statement)
        return (live - uses.stores) | uses.reads

    def handled(self, statement: ast.Try, live: set[str], at_break: set[str], at_continue: set[str]) -> set[str]:
        """`raised` has what is read once something was raised in the body."""
        anyhow = live | at_break | at_continue if statement.finalbody else set()
        finally_ = self.before(statement.finalbody, anyhow, at_break, at_continue) if statement.finalbody else live
        at_break, at_continue = at_break | anyhow | finally_, at_continue | anyhow | finally_
        raised = set(finally_) if statement.finalbody else set()
        for handler in statement.handlers:
            raised |= self.before(handler.body, finally_, at_break, at_continue) | (self.uses(handler.type).reads if handler.type else set())
        self.raised.setdefault(id(statement), set()).update(raised)
        otherwise = self.before(statement.orelse, finally_, at_break, at_continue)
        return raised | self.before(statement.body, otherwise, at_break, at_continue)

    def loop(self, statement: ast.For | ast.AsyncFor | ast.While, live: set[str], at_break: set[str], at_continue: set[str]) -> set[str]:
        head = self.before(statement.orelse, live, at_break, at_continue) | live
        if is_endless(statement):
            head = set()
        if isinstance(statement, ast.While):
            head = head | self.uses(statement.test).reads
        for _ in range(2):  # once around is enough for the second time to see all
            inside = self.before(statement.body, head, live, head)
            if not isinstance(statement, ast.While):
                target = self.uses(statement.target)
                inside = (inside - target.stores) | target.reads
            head = head | inside
        self.head[id(statement)] = set(head)
        return head | (self.uses(statement.iter).reads if not isinstance(statement, ast.While) else set())


# What they do.


def weight(*nodes: ast.AST) -> int:
    """Roughly how many operations there are: one alone is not worth a call."""
    return sum(_is_costly(each) for node in nodes for each in _syntax.walk(node))


def _is_costly(node: ast.AST) -> bool:
    return isinstance(node, _COSTLY) and not (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def only_takes(*nodes: ast.AST) -> bool:
    """Whether all that they do is to take elements and parts, which is done at once: a call would look at all that lists hold."""
    return all(isinstance(each, ast.Subscript) for node in nodes for each in _syntax.walk(node) if _is_costly(each))
