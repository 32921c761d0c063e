"""Functions as graphs that other libraries are told (fastnp/detail/told_graph.h): what ONNX and StableHLO are written from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy

from fastnp import _core
from fastnp._ahead import _alone, _function_of
from fastnp._export import _given, _is_array, _leaves

# Places among a loop's ints (ir::Looped).
BODY, SAVES, BACKWARD, IS_WHILE, IS_ONCE = 0, 2, 3, 7, 8


class Node(NamedTuple):
    """A value of a graph, and the operation that computes it. Sizes are texts: "4", "n", "2*n + 1"."""

    op: str
    inputs: tuple[int, ...]
    dtype: numpy.dtype[Any]
    shape: tuple[str, ...]
    ints: tuple[int, ...]
    dims: tuple[str, ...]
    scalar: Any
    join: str
    place: str


def told(function: Callable[..., Any], specs: Any) -> tuple[dict[str, Any], tuple[str, ...], str]:
    """The graph of a function for arguments of some shapes and dtypes, the names of its arrays, and its name. RecordError where there is none."""
    written, options, bound = _function_of(function)
    given = _given(written, bound, specs)
    names = tuple(where for key, spec in given.specs.items() for where, leaf in _leaves(spec, key) if _is_array(leaf))
    graph = _alone(written, given, options)._told(names, *given.args, **given.kwargs)
    return graph, names, str(getattr(written, "__name__", "function"))


def results(structure: Any, where: str = "output") -> Iterator[tuple[str, str, int]]:
    """(name, "array" or "argument", number) of each array that a function gives. RecordError for what is no array."""
    kind, value = next(iter(structure.items()))
    if kind in ("array", "number"):
        yield where, "array", value
    elif kind == "argument":
        yield where, "argument", value
    elif kind == "plain":
        raise _core.RecordError(f"it gives {value!r}, which is no array")
    elif kind == "dict":
        for key, each in value:
            yield from results(each, f"{where}[{key!r}]")
    else:
        for number, each in enumerate(value):
            yield from results(each, f"{where}[{number}]")


def missing(graph: dict[str, Any], has: Callable[[Node], bool]) -> list[str]:
    """Of a graph and the bodies of its loops: each operation that has no form, with its line."""
    found = []
    for row in graph["nodes"]:
        node = Node(*row)
        at = f" ({node.place})" if node.place else ""
        if node.op == "loop" and node.ints[SAVES]:
            found.append(f"a loop that keeps its states for a derivative{at}")
        elif node.op not in ("parameter", "loop", "after") and not has(node):
            found.append(f"{node.op} of {node.dtype.name}{at}")
    for body in graph["bodies"]:
        found += missing(body, has)
    return list(dict.fromkeys(found))
