"""Functions with other statements than a function as written, over its globals, cells and defaults."""

from __future__ import annotations

import ast
import itertools
import linecache
import types
import weakref
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
        node = _syntax.located(_source.definition(like.__name__, self.node.args, body or [ast.Pass()]))
        code = _source._code_of(node, like.__code__.co_freevars, like.__code__, self._imports) if like.__closure__ else _with_source(node, like)
        cells = dict(zip(like.__code__.co_freevars, like.__closure__ or (), strict=True))
        made = types.FunctionType(code, like.__globals__, like.__name__, like.__defaults__, tuple(cells[name] for name in code.co_freevars))
        made.__kwdefaults__ = like.__kwdefaults__
        weakref.finalize(made, linecache.cache.pop, code.co_filename if not like.__closure__ else "", None)
        return made


_numbers = itertools.count()


def _with_source(node: ast.FunctionDef, like: Any) -> types.CodeType:
    """Its code, of text that is found as that of a file is: loops become native code by their text."""
    node.args = _syntax.copied(node.args)
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [each and ast.Constant(None) for each in node.args.kw_defaults]
    text = ast.unparse(node) + "\n"
    name = f"<{like.__qualname__}, made smaller {next(_numbers)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    module = compile(text, name, "exec", dont_inherit=True)
    return next(each for each in module.co_consts if isinstance(each, types.CodeType))


def stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
