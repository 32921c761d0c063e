"""Arguments and results of transforms as trees: tuples, lists, dicts, namedtuples and dataclasses of arrays and numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy

from fastnp import _core

LEAVES = (_core.ndarray, numpy.ndarray, numpy.generic, bool, int, float, complex, _core._Size, _core._Float)


def is_leaf(value: Any) -> bool:
    """Whether it is an array or a number."""
    return isinstance(value, LEAVES) or _core._is_foreign(value)


def children_of(value: Any) -> list[Any] | None:
    """What is in a container; None for anything else."""
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in dataclasses.fields(value) if field.init]
    return None


def with_children(value: Any, children: list[Any]) -> Any:
    """A container of the same kind, of these."""
    if isinstance(value, tuple):
        return value._make(children) if hasattr(value, "_make") else type(value)(children)
    if isinstance(value, list):
        return list(children)
    if isinstance(value, dict):
        return dict(zip(value, children, strict=True))
    return dataclasses.replace(value, **dict(zip((field.name for field in dataclasses.fields(value) if field.init), children, strict=True)))


def map_leaves(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The tree with function(leaf, ...) for each leaf, the further arguments from trees of the same form."""
    if is_leaf(tree):
        return function(tree, *others)
    children = children_of(tree)
    if children is None:
        return tree
    rows = [children_of(other) for other in others]
    for other, row in zip(others, rows, strict=True):
        if row is None or len(row) != len(children):
            raise ValueError(f"trees do not fit: a {type(tree).__name__} of {len(children)}, and {other!r}")
    return with_children(tree, [map_leaves(function, *parts) for parts in zip(children, *rows, strict=True)])


def leaves_of(tree: Any) -> list[Any]:
    """Its arrays and numbers, from left to right."""
    found: list[Any] = []
    map_leaves(found.append, tree)
    return found


def spread_over(tree: Any, prefix: Any, name: str) -> list[Any]:
    """For each leaf of the tree, what `prefix` says of it: a value for all below it, or a container of these."""
    if is_leaf(tree):
        return [prefix]
    children = children_of(tree)
    if children is None:
        return []
    if prefix is None or isinstance(prefix, int):
        parts: list[Any] = [prefix] * len(children)
    elif isinstance(prefix, dict) and isinstance(tree, dict):
        if prefix.keys() != tree.keys():
            raise ValueError(f"vmap: {name} has the keys {sorted(prefix)}, and what it is for has {sorted(tree)}")
        parts = [prefix[key] for key in tree]
    else:
        given = children_of(prefix)
        if given is None or len(given) != len(children):
            raise ValueError(f"vmap: {name} is {prefix!r}, which does not fit a {type(tree).__name__} of {len(children)}")
        parts = given
    return [each for child, part in zip(children, parts, strict=True) for each in spread_over(child, part, name)]
