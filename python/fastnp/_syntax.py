"""Going over Python's syntax trees, as `ast` does, in a quarter of its time: a first call does little else before there is code to compile.

The nodes that say how a name is used (``Load``) and which operation is meant (``Add``) are left out: they have nothing below them, and whoever wants
them asks the node that they belong to.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

from fastnp import _core

__all__ = ["children", "copied", "located", "lowered", "uppermost", "walk"]

# Fields that hold no nodes but those that are left out, of any node.
_PLAIN = frozenset(["arg", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module", "op", "ops", "rest", "simple", "type_comment"])
# ... and of some.
_TEXTS = (ast.Global, ast.Nonlocal, ast.alias, ast.Constant, ast.MatchSingleton)


class _Fields(dict[type, tuple[str, ...]]):
    """The names of the fields in which nodes of a class have others."""

    def __missing__(self, of: type) -> tuple[str, ...]:
        fields = () if issubclass(of, _TEXTS) else tuple(name for name in getattr(of, "_fields", ()) if name not in _PLAIN)
        self[of] = fields
        return fields


_fields = _Fields()


_functions = _core._syntax_functions(_fields, ast.AST)

#: The nodes right below one, in the order of its fields.
children: Callable[[ast.AST], list[Any]] = _functions[0]
#: A node and all below it, level by level; of a set of classes, too: nothing below nodes of these.
walk: Callable[..., list[Any]] = _functions[1]
#: The nodes of a set of classes at and below one, but for those below others of them.
uppermost: Callable[[ast.AST, frozenset[type]], list[Any]] = _functions[2]


def copied(node: Any) -> Any:
    """A tree, or a list of them, anew, with what the nodes have besides their fields. (Nodes in two places of a tree become two.)"""
    if node.__class__ is list:
        return [copied(each) if isinstance(each, ast.AST) else each for each in node]
    made = node.__class__.__new__(node.__class__)
    own = made.__dict__
    for name, value in node.__dict__.items():
        if isinstance(value, ast.AST):
            own[name] = copied(value) if value._fields else value  # those without fields are the same everywhere
        elif value.__class__ is list:
            own[name] = copied(value)
        else:
            own[name] = value if value.__class__ in (str, int, bool, type(None)) else copy.deepcopy(value)
    return made


def lowered(tree: ast.AST, lines: int) -> None:
    """Puts a tree so many lines further down, as `ast.increment_lineno`."""
    for node in walk(tree):
        own = node.__dict__
        if "lineno" in own:
            own["lineno"] += lines
        if own.get("end_lineno") is not None:
            own["end_lineno"] += lines


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def located(tree: Any) -> Any:
    """The tree, whose nodes have places in the source: that of what is around them, where they had none (as `ast.fix_missing_locations`)."""
    pending: list[tuple[Any, tuple[Any, ...]]] = [(tree, (1, 0, 1, 0))]
    for node, around in pending:  # which grows
        if "lineno" in node._attributes:
            own = node.__dict__
            place = tuple(map(own.get, _PLACE))
            if None in place:
                place = tuple(given if each is None else each for each, given in zip(place, around, strict=True))
                own.update(zip(_PLACE, place, strict=True))
            around = place
        pending += [(each, around) for each in children(node)]
    return tree
