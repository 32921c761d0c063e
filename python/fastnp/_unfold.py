"""Breaks as statements of their own: ``y = g(f(x) * 2) + 1``, where g can't be recorded, is ``t = f(x) * 2; u = g(t); y = u + 1``.

What was evaluated before the break still is, in the same order, functions looked up included. Where that can't be said in statements (in a comprehension,
after an ``and``), the statement stays as it is.
"""

from __future__ import annotations

import ast
from typing import Any

from fastnp import _syntax
from fastnp._names import continues, deleted, own_nodes, weight
from fastnp._parts import Place

__all__ = ["Unfold", "is_kept", "place_of"]

_GROWS = frozenset(["add", "append", "extend", "insert", "pop", "remove", "setdefault", "update"])
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def place_of(node: Any) -> Place:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def is_kept(node: ast.AST) -> bool:
    """Whether a statement has to stay in the function itself."""
    return any(hasattr(each, "kept") for each in _syntax.walk(node))


def _keep(node: Any) -> Any:
    node.kept = True
    return node


class Unfold:
    """Unfolds the body of one function, in place. `breaks`: the places that can't be recorded; `loops`: those of loops that stay as loops."""

    def __init__(self, tree: ast.FunctionDef | ast.AsyncFunctionDef, breaks: set[Place], loops: set[Place], steady: set[str], native: set[Place]) -> None:
        self.native = native  # loops that stay as they are
        self.steady = steady  # local variables that no other function changes
        self.bound = {each.arg for each in _syntax.walk(tree.args) if isinstance(each, ast.arg)} - deleted(tree)
        self.count = 0
        self.loops = 0  # around the statement at hand
        self.targets = {id(node) for node in _syntax.walk(tree) if isinstance(node, ast.expr) and place_of(node) in breaks}
        for node in _syntax.walk(tree):
            if isinstance(node, ast.stmt) and place_of(node) in (breaks | loops) and not isinstance(node, ast.Expr):
                _keep(node)
            elif isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                self.targets.add(id(node))
        self.keep_growing(tree)
        self.marked: set[int] = set()
        self.mark(tree)
        tree.body = self.block(tree.body)

    def keep_growing(self, tree: ast.AST) -> None:
        """Containers that grow in loops which stay as loops would be another argument of a part at each turn."""
        assigns = [node for node in _syntax.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, _DISPLAYS)]
        made = {target.id for node in assigns for target in node.targets if isinstance(target, ast.Name)}
        for loop in _syntax.walk(tree):
            if isinstance(loop, (ast.For, ast.While)) and any(hasattr(each, "kept") or id(each) in self.targets for each in _syntax.walk(loop)):
                for node in _syntax.walk(loop):
                    self.keep_growth(node, made)

    def keep_growth(self, node: ast.AST, made: set[str]) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWS:
            if isinstance(node.func.value, ast.Name) and node.func.value.id in made:
                self.targets.add(id(node))
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                holder = target.value if isinstance(target, ast.Subscript) else target
                grows = isinstance(target, ast.Subscript) or isinstance(node, ast.AugAssign)
                if grows and isinstance(holder, ast.Name) and holder.id in made:
                    _keep(node)

    def mark(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.For, ast.While)) and place_of(node) in self.native:
            return False
        found = [self.mark(child) for child in _syntax.children(node)]
        if isinstance(node, ast.Call) and any(found[1:]) and not self.stays(node.func):
            self.targets.add(id(node))  # the function is looked up before the break, and is no argument for a part
        if any(found) or id(node) in self.targets or hasattr(node, "kept"):
            self.marked.add(id(node))
            return True
        return False

    # Statements.

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [each for statement in statements for each in self.statement(statement)]

    def statement(self, node: Any) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        # A choice by values in a loop is better made here than taken for granted by a part.
        is_choice = self.loops > 0 and isinstance(node, ast.If) and any(isinstance(each, ast.Call) for each in _syntax.walk(node.test))
        if id(node) not in self.marked and not is_choice:
            return self.returned(node) if isinstance(node, ast.Return) else [node]
        if isinstance(node, ast.If):
            if id(node.test) not in self.marked and weight(node.test) > 1:
                node.test = self.variable(node.test, before)
            else:
                node.test = self.lifted(node.test, before)
            node.body, node.orelse = self.block(node.body), self.block(node.orelse)
            _keep(node)
        elif isinstance(node, ast.While):
            self.unfold_while(node, before)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            node.iter = self.lifted(node.iter, before)
            self.loops += 1
            node.body = self.block(node.body)
            self.loops -= 1
            node.orelse = self.block(node.orelse)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            node.body = self.block(node.body)
        elif isinstance(node, ast.Try):
            for part in (node, *node.handlers):
                for name in ("body", "orelse", "finalbody"):
                    if hasattr(part, name):
                        setattr(part, name, self.block(getattr(part, name)))
        elif self.can_unfold(node):
            if isinstance(node, ast.AugAssign):
                self.look_at(node.target, before)
            if id(node.value) in self.targets:
                self.lift_operands(node.value, before)
                _keep(node)
            else:
                node.value = self.lifted(node.value, before)
        else:
            _keep(node)
        if any(self.is_left(child) for child in _syntax.children(node) if not isinstance(child, (ast.stmt, ast.ExceptHandler))):
            _keep(node)
        return [*before, node]

    def returned(self, node: ast.Return) -> list[ast.stmt]:
        """Several results are put together here, so that what is a variable already is not taken by a part to be handed through."""
        before: list[ast.stmt] = []
        if isinstance(node.value, ast.Tuple) and any(isinstance(each, ast.Name) for each in node.value.elts):
            self.replace(node.value, self.operands(node.value) or [], before, len(node.value.elts))
        return [*before, node]

    def can_unfold(self, node: Any) -> bool:
        if isinstance(node, ast.AugAssign):
            return isinstance(node.target, ast.Name) and node.target.id in self.steady
        return isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)) and node.value is not None

    def is_left(self, node: ast.AST) -> bool:
        return any(id(each) in self.targets for each in own_nodes(node))

    def unfold_while(self, node: ast.While, outside: list[ast.stmt]) -> None:
        """The condition is worked out at the end of the body, by the same part, or at its beginning."""
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        if node.orelse or not self.can_lift(node.test):
            pass
        elif id(node.test) in self.marked or (weight(node.test) > 1 and continues(node.body)):
            test = self.lift(node.test, before) if id(node.test) in self.marked else self.variable(node.test, before)
            stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
            node.test = ast.Constant(True)
            before.append(_keep(_syntax.located(ast.copy_location(stop, test))))
            _syntax.located(ast.copy_location(node.test, test))
        elif weight(node.test) > 1:
            again = _syntax.copied(node.test)
            node.test = self.variable(node.test, outside)
            store = ast.Name(node.test.id, ast.Store())
            after.append(_syntax.located(ast.copy_location(ast.Assign([store], again), again)))
        self.loops += 1
        node.body = [*before, *self.block(node.body), *after]
        self.loops -= 1
        node.orelse = self.block(node.orelse)

    # Expressions.

    def lifted(self, node: Any, before: list[ast.stmt]) -> Any:
        """The expression without the breaks in it and what comes before them, which goes to `before`; as it is where that can't be."""
        return self.lift(node, before) if id(node) in self.marked and self.can_lift(node) else node

    def operands(self, node: Any) -> list[tuple[Any, Any]] | None:
        """(holder, attribute or index) of the operands, in the order in which they are evaluated; None if not all are evaluated, or not once."""
        if isinstance(node, ast.BinOp):
            return [(node, "left"), (node, "right")]
        if isinstance(node, ast.UnaryOp):
            return [(node, "operand")]
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return [(node, "left"), (node.comparators, 0)]
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)):
            return [(node, "value")]
        if isinstance(node, ast.Subscript) and not any(isinstance(each, ast.Slice) for each in _syntax.walk(node.slice)):
            return [(node, "value"), (node, "slice")]
        if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(each, ast.Starred) for each in node.elts):
            return [(node.elts, number) for number in range(len(node.elts))]
        if isinstance(node, (ast.Yield, ast.Await)):
            return [(node, "value")] if node.value is not None else []
        if isinstance(node, ast.Call) and all(each.arg for each in node.keywords) and not any(isinstance(each, ast.Starred) for each in node.args):
            return [(node, "func"), *((node.args, number) for number in range(len(node.args))), *((each, "value") for each in node.keywords)]
        return None

    @staticmethod
    def operand(place: tuple[Any, Any]) -> Any:
        holder, key = place
        return holder[key] if isinstance(holder, list) else getattr(holder, key)

    def can_lift(self, node: Any) -> bool:
        if id(node) not in self.marked or id(node) in self.targets:
            return True
        operands = self.operands(node)
        if operands is None:
            return False
        children = [self.operand(place) for place in operands]
        hidden = {id(each) for each in _syntax.children(node) if id(each) in self.marked} - {id(each) for each in children}
        known = {id(each) for each in getattr(node, "keywords", [])}
        return not hidden - known and all(self.can_lift(child) for child in children)

    def lift(self, node: Any, before: list[ast.stmt]) -> Any:
        if id(node) in self.targets:
            self.lift_operands(node, before)
            return self.variable(node, before, True)
        operands = self.operands(node) or []
        last = max(number for number, place in enumerate(operands) if id(self.operand(place)) in self.marked)
        self.replace(node, operands[: last + 1], before, last)
        return node

    def lift_operands(self, node: Any, before: list[ast.stmt]) -> None:
        operands = self.operands(node) or []
        if all(self.can_lift(self.operand(place)) for place in operands):
            self.replace(node, operands, before, len(operands))

    def replace(self, node: Any, operands: list[tuple[Any, Any]], before: list[ast.stmt], last: int) -> None:
        """Evaluates the operands before the node; the `last` one may be left in it."""
        for number, (holder, key) in enumerate(operands):
            child = self.operand((holder, key))
            is_function = isinstance(node, ast.Call) and number == 0
            if id(child) in self.marked:
                child = self.lift(child, before)
            if number != last and not self.stays(child):
                child = self.variable(child, before, is_function)
            elif number != last:
                self.look_at(child, before)
            if isinstance(holder, list):
                holder[key] = child
            else:
                setattr(holder, key, child)

    def look_at(self, node: Any, before: list[ast.stmt]) -> None:
        """A variable that is read later than it was may not be bound: that shows at once."""
        if isinstance(node, ast.Name) and node.id in self.steady and node.id not in self.bound:
            before.append(ast.copy_location(ast.Expr(ast.copy_location(ast.Name(node.id, ast.Load()), node)), node))

    def stays(self, node: Any) -> bool:
        """Whether it gives the same, wherever it is evaluated."""
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in self.steady)

    def variable(self, value: ast.expr, before: list[ast.stmt], keep: bool = False) -> ast.Name:
        """A new variable that holds the value."""
        name = f"_fastnp_{self.count}"
        self.count += 1
        self.steady.add(name)
        statement = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value)
        before.append(_syntax.located(_keep(statement) if keep else statement))
        return ast.copy_location(ast.Name(name, ast.Load()), value)
