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


class Values:
    """The values of a graph's nodes in another language, written in order, each once. `to`: what they are written to."""

    language: str
    writers: dict[str, Callable[..., Any]]

    def __init__(self, to: Any, graph: dict[str, Any], known: dict[int, Any]) -> None:
        self.to, self.graph = to, graph
        self._known = dict(known)
        for place, row in enumerate(graph["nodes"]):
            if place not in self._known:
                self._known[place] = self._made(Node(*row))

    def __getitem__(self, place: int) -> Any:
        return self._known[place]

    def begin(self, node: Node) -> None:
        """Before what a node becomes."""

    def loop(self, node: Node, operands: list[Any]) -> list[Any]:
        raise NotImplementedError

    def elementwise(self, node: Node, operands: list[Any]) -> Any:
        raise NotImplementedError

    def _made(self, node: Node) -> Any:
        self.begin(node)
        operands = [self._known[each] for each in node.inputs]
        if node.op == "loop":
            return self.loop(node, operands)
        if node.op == "after":
            return operands[0][node.ints[0]]
        if node.op not in self.writers:
            return self.elementwise(node, operands)
        try:
            return self.writers[node.op](self.to, node, *operands)
        except NotImplementedError as error:
            raise _core.RecordError(f"{self.language} has nothing for {error}" + (f" ({node.place})" if node.place else "")) from None
