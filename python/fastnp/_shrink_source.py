"""Functions made smaller, statement by statement and operation by operation, while they go on failing; and programs of what is left."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import textwrap
import time
import types
from collections.abc import Iterator
from typing import Any

import numpy

from fastnp import _core, _literals, _repro_ops, _source, _syntax
from fastnp._core import CompiledFunction
from fastnp._triage import Problem, Triage, captured
from fastnp._variants import Variants

_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript, ast.Compare, ast.IfExp)


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for statement in body:
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                yield from _blocks(inner)


def _operands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [each for each in node.args if not isinstance(each, ast.Starred)]
    return [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr) and not isinstance(each, ast.Slice)]


class _Replace(ast.NodeTransformer):
    def __init__(self, number: int, operand: int) -> None:
        self.number, self.operand, self.count = number, operand, 0
        self.done = False

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, _OPERATIONS):
            number, self.count = self.count, self.count + 1
            if number == self.number:
                choices = _operands(node)
                if self.operand < len(choices):
                    self.done = True
                    return choices[self.operand]
        return self.generic_visit(node)


def operations_in(body: list[ast.stmt]) -> int:
    return sum(isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Call, ast.Compare, ast.AugAssign)) for statement in body for node in ast.walk(statement))


class Shrinking:
    """A function that fails, and its arguments."""

    def __init__(self, problem: Problem, found: Triage, deadline: float) -> None:
        self.problem, self.found, self.deadline = problem, found, deadline
        self.rung = str(found.rung)
        self.args = problem.args
        self.tried = 0
        self.told = found.told
        self.function = problem.plain
        try:
            self.variants: Variants | None = Variants(problem.plain)
            self.body = list(self.variants.body)
        except ValueError:
            self.variants, self.body = None, []

    @property
    def ops(self) -> int:
        if self.rung == "derivative":
            return 1 if self.found.first is not None else 0
        return operations_in(self.body)

    def fails(self, function: Any, args: Any) -> str:
        self.tried += 1
        try:
            problem = Problem(function, args, self.problem.kwargs, self.problem.ulp, self.problem.seconds)
        except Exception:  # noqa: BLE001  # it is no function of these
            return ""
        if problem.wanted[2]:
            return ""
        told, how = problem.on_rung(self.rung)
        return told if how == self.found.how else ""

    def accept(self, body: list[ast.stmt], args: Any) -> bool:
        if self.variants is None or time.monotonic() > self.deadline:
            return False
        try:
            function = self.variants.made(body)
        except (SyntaxError, ValueError, KeyError, StopIteration):
            return False
        if told := self.fails(function, args):
            self.function, self.body, self.args, self.told = function, body, args, told
        return bool(told)

    def run(self) -> None:
        if self.rung == "derivative" or self.variants is None:
            return
        while self.without_a_statement() or self.without_an_operation():
            pass
        self.simpler_arguments()

    def without_a_statement(self) -> bool:
        for number, block in enumerate(_blocks(self.body)):
            for place in reversed(range(len(block))):
                body = _syntax.copied(ast.Module(list(self.body), [])).body
                inner = next(each for at, each in enumerate(_blocks(body)) if at == number)
                if isinstance(inner[place], ast.Return) and inner is body:
                    continue
                del inner[place]
                if (inner or inner is body) and self.accept(body, self.args):
                    return True
        return False

    def without_an_operation(self) -> bool:
        count = sum(isinstance(node, _OPERATIONS) for statement in self.body for node in ast.walk(statement))
        for number in range(count):
            for operand in range(4):
                change = _Replace(number, operand)
                body = change.visit(copy.deepcopy(ast.Module(list(self.body), []))).body
                if not change.done:
                    break
                if operations_in(body) < operations_in(self.body) and self.accept(body, self.args):
                    return True
        return False

    def simpler_arguments(self) -> None:
        for number, value in enumerate(self.args):
            if not isinstance(value, numpy.ndarray) or not value.size or value.dtype.kind not in "iufc":
                continue
            small = numpy.ascontiguousarray(value[tuple(slice(3) for _ in value.shape)])
            for simple in (small, (numpy.arange(small.size).reshape(small.shape) % 7 + 1).astype(small.dtype), numpy.ones_like(value)):
                if self.accept(self.body, (*self.args[:number], simple, *self.args[number + 1 :])):
                    break

    @property
    def source(self) -> str:
        if self.variants is None:
            return self.found.first.text if self.found.first is not None else ""
        like = self.variants.node
        node = _source.definition(self.variants.function.__name__, like.args, self.body)
        return ast.unparse(_syntax.located(node))

    def programs(self) -> tuple[str, str]:
        if self.rung == "derivative" and self.found.first is not None:
            return _repro_ops.of_derivative(self.found.first, f"{self.problem.name}: {self.told}")
        if self.variants is None:
            return "", ""
        lines = [f'"""{self.problem.name}: {self.told}', "", "It ends with status 1 while the fault is there.", '"""', ""]
        lines += ["import base64", "import pickle", "import sys", "import zlib", "", "import numpy", "import fastnp as np"]
        lines += [*self.around(), "", "", self.source, "", ""]
        lines.append(f"args = ({''.join(value_text(each) + ', ' for each in self.args)})")
        named = "".join(f", {name}={value_text(value)}" for name, value in self.problem.kwargs.items())
        lines.append(f"found = np.debug.triage({self.variants.function.__name__}, *args{named}, ulp={self.problem.ulp!r})")
        lines += ["print(found)", "sys.exit(found.rung is not None)", ""]
        return "\n".join(lines), self.cpp()

    def around(self) -> Iterator[str]:
        """What the function finds around it."""
        code = self.function.__code__
        cells = dict(zip(code.co_freevars, self.function.__closure__ or (), strict=True))
        names = dict.fromkeys([*code.co_names, *code.co_freevars])
        for name in names:
            value = cells[name].cell_contents if name in cells else self.function.__globals__.get(name, inspect.Parameter.empty)
            if value is inspect.Parameter.empty:
                continue
            if isinstance(value, types.ModuleType):
                yield f"import {value.__name__} as {name}"
            elif isinstance(value, (types.FunctionType, CompiledFunction)):
                plain = value.__wrapped__ if isinstance(value, CompiledFunction) else value
                yield textwrap.dedent(inspect.getsource(plain))
            else:
                yield f"{name} = {value_text(value)}"

    def cpp(self) -> str:
        try:
            graphs = captured(Problem(self.function, self.args, self.problem.kwargs, self.problem.ulp, self.problem.seconds))
        except Exception:  # noqa: BLE001  # recording itself fails
            return ""
        if len(graphs) != 1 or self.rung != "eager" or self.found.how != "differs" or not _repro_ops.differs(*graphs[0], self.problem):
            return ""  # what is recorded wrongly of Python is recorded otherwise of C++
        return _repro_ops.of_ops(*graphs[0], f"{self.problem.name}: {self.told}")


def value_text(value: Any) -> str:
    """An expression that is the value."""
    if type(value) is _core.ndarray:
        return f"np.asarray({_literals.python(numpy.asarray(value))})"
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc":
        return _literals.python(value)
    if type(value) in (list, tuple):
        items = ", ".join(map(value_text, value))
        return f"[{items}]" if type(value) is list else f"({items},)" if value else "()"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {value_text(item)}" for key, item in value.items()) + "}"
    if type(value) in (bool, int, str, bytes, type(None)) or (type(value) is float and numpy.isfinite(value)):
        return repr(value)
    return f"pickle.loads({pickle.dumps(value)!r})"
