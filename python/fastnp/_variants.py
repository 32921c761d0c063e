"""Functions with other statements than a function as written, over its globals, cells and defaults."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from fastnp import _source, _syntax


class Variants:
    """Of a plain function whose source is known; ValueError for others."""

    def __init__(self, function: Any) -> None:
        if type(function) is not types.FunctionType:
            raise ValueError(f"{function!r} is no plain function")
        node, self._imports = _source._find(function)
        if not isinstance(node, ast.FunctionDef):
            raise ValueError(f"the statements of {function.__qualname__} are not known")
        self.function = function
        self.node = node

    @property
    def body(self) -> list[ast.stmt]:
        return self.node.body

    def made(self, body: list[ast.stmt]) -> Any:
        """The function with this body."""
        like = self.function
        node = _source.definition(like.__name__, self.node.args, body or [ast.Pass()])
        code = _source._code_of(_syntax.located(node), like.__code__.co_freevars, like.__code__, self._imports)
        cells = dict(zip(like.__code__.co_freevars, like.__closure__ or (), strict=True))
        made = types.FunctionType(code, like.__globals__, like.__name__, like.__defaults__, tuple(cells[name] for name in code.co_freevars))
        made.__kwdefaults__ = like.__kwdefaults__
        return made


def stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
