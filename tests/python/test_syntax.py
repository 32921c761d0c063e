"""Going over syntax trees: as `ast` does, for all of the package's and its tests' sources."""

from __future__ import annotations

import ast
import copy
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

from fastnp import _syntax

_FILES = [*pathlib.Path(_syntax.__file__).resolve().parent.glob("*.py"), *pathlib.Path(__file__).resolve().parent.glob("*.py")]
_LEFT_OUT = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_MATCH = "match x:\n    case {'a': [1, *y], **z} if y: pass\n    case A(b, c=None) | (d as e): pass\n"


@pytest.mark.parametrize("number", range(4))
def test_as_ast_does(number: int) -> None:
    for text in [_MATCH, *(path.read_text() for path in _FILES[number::12])]:
        tree = ast.parse(text)
        expected = [node for node in ast.walk(tree) if not isinstance(node, _LEFT_OUT)]
        assert list(map(id, _syntax.walk(tree))) == list(map(id, expected))
        made = _syntax.copied(tree)
        assert ast.dump(made, include_attributes=True) == ast.dump(tree, include_attributes=True)
        assert not set(map(id, _syntax.walk(made))) & set(map(id, expected))


_STOPS = (ast.FunctionDef, ast.Lambda, ast.Call, ast.Subscript)


def _until(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, _STOPS):
        for each in ast.iter_child_nodes(node):
            yield from _until(each)


def test_parts_of_trees() -> None:
    for path in _FILES[::7]:
        tree = ast.parse(path.read_text())
        reached = {id(node) for node in _until(tree) if not isinstance(node, _LEFT_OUT)}
        assert {id(node) for node in _syntax.walk(tree, frozenset(_STOPS))} == reached
        stopped = [id(node) for node in ast.walk(tree) if isinstance(node, _STOPS) and id(node) in reached]
        assert [id(node) for node in _syntax.uppermost(tree, frozenset(_STOPS))] == stopped
        for node in _syntax.walk(tree):
            assert _syntax.children(node) == [each for each in ast.iter_child_nodes(node) if not isinstance(each, _LEFT_OUT)]
        expected = ast.dump(ast.increment_lineno(copy.deepcopy(tree), 7), include_attributes=True)
        _syntax.lowered(tree, 7)
        assert ast.dump(tree, include_attributes=True) == expected


def test_what_nodes_have_besides() -> None:
    tree: Any = ast.parse("x = [1.5, y]")
    tree.body[0].kept, tree.body[0].names = True, ["x"]
    made = _syntax.copied(tree)
    assert made.body[0].kept and made.body[0].names == ["x"] and made.body[0].names is not tree.body[0].names
    assert _syntax.copied([]) == []


def test_places() -> None:
    for text in (_MATCH, _FILES[0].read_text()):
        tree = ast.parse(text)
        for number, node in enumerate(_syntax.walk(tree)):
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")[number % 5 :]:  # of some all, of some a few, of some none
                if name in vars(node):
                    delattr(node, name)
        expected = ast.fix_missing_locations(copy.deepcopy(tree))
        assert ast.dump(_syntax.located(tree), include_attributes=True) == ast.dump(expected, include_attributes=True)
