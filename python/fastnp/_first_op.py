"""The first operation of a graph that a back end computes otherwise than the graph says."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy

from fastnp import _children, _control, _core
from fastnp._device import device
from fastnp._graph import Graph, Node
from fastnp._values import difference

_MOST_ONE_BY_ONE = 150
_GIVEN = ("parameter", "constant")


@dataclass
class FirstOp:
    """The operation, what differs, and the graph that ends with it."""

    op: str
    text: str
    told: str
    place: str
    inputs: list[Any]
    pass_name: str
    graph: Graph
    operand: int = 0  # that a wrong derivative is of

    def lines(self) -> list[str]:
        after = f" after the pass {self.pass_name!r}" if self.pass_name else ""
        lines = [f"The first operation that differs{after} is {self.text}", f"  {self.told}"]
        for number, value in enumerate(self.inputs):
            lines.append(f"  input {number}: {value.dtype}{list(value.shape)} {_few(value)}")
        return lines


def spoil(graph: Graph) -> None:
    """Leaves memory of the outputs' sizes with other values, so that what is not written by mistake is not right by chance."""
    for _ in range(2):
        _ = [_core.full(each.shape, 77, each.dtype) for each in graph.outputs for _ in range(4)]


def _few(value: Any) -> str:
    text = numpy.array2string(value, threshold=8, edgeitems=3, separator=", ").replace("\n", "")
    return text if len(text) <= 200 else text[:197] + "..."


class Graphs:
    """Graphs that are run on a rung and compared with what they are op by op, in children where that is safe."""

    def __init__(self, rung: str, problem: Any) -> None:
        self.rung, self.ulp, self.seconds, self.isolated, self.device = rung, problem.ulp, problem.seconds, problem.isolated, problem.device

    def compared(self, graph: Graph, arrays: list[Any], wanted: list[Any]) -> str:
        spoil(graph)
        got = self.ran(graph.compile(self.rung), arrays)
        found = difference(got, wanted, "the outputs", self.ulp)
        if found is None:
            return ""
        number = found.path[len("the outputs[") : -1]
        where = f"output {number} at {found.index}" if found.index is not None else f"output {number}"
        return f"{where} is {found.first!r} on {self.rung!r} and {found.second!r} op by op" + ("" if found.count == 1 else f", and {found.count - 1} more")

    def ran(self, function: Any, arrays: list[Any]) -> list[Any]:
        if self.device == "cpu":
            return [numpy.array(each) for each in function(*arrays)]
        with device(self.device):
            return [numpy.array(each.to("cpu")) for each in function(*(_core.asarray(each).to(self.device) for each in arrays))]

    def child(self, work: Any) -> _children.Ended:
        def alone(tell: _children.Tell) -> Any:
            os.environ["FASTNP_CACHE_DIR"] = ""
            _control.reset()
            return work(tell)

        if self.isolated:
            return _children.run(alone, self.seconds)
        told: list[Any] = [None]
        return _children.Ended("done", work(lambda value: told.__setitem__(0, value)), told=told[0])

    def fails(self, graph: Graph, arrays: list[Any]) -> str:
        """What goes wrong, in words; empty: nothing."""
        try:
            wanted = [numpy.array(each) for each in graph.run(*arrays)]
        except Exception:  # noqa: BLE001  # it is no graph that can be computed
            return ""
        ended = self.child(lambda tell: self.compared(graph, arrays, wanted))
        return ended.value if ended.how == "done" else f"{ended.how}: {ended.text}"


def _needed(graph: Graph, outputs: tuple[Node, ...]) -> list[Node]:
    found: set[int] = set()
    for node in reversed(graph.nodes):
        if node in outputs or node.number in found:
            found.add(node.number)
            found.update(each.number for each in node.inputs)
    return [node for node in graph.nodes if node.number in found and node.op not in _GIVEN]


def _values(graph: Graph, nodes: list[Node], arrays: list[Any]) -> dict[int, Any]:
    try:
        return dict(zip((node.number for node in nodes), map(numpy.array, graph.part(nodes).run(*arrays)), strict=True))
    except Exception:  # noqa: BLE001  # some can't be outputs: one by one
        found = {}
        for node in nodes:
            try:
                found[node.number] = numpy.array(graph.part([node]).run(*arrays)[0])
            except Exception:  # noqa: BLE001, S112  # what is written to, or comes after a loop: it has no value by itself
                continue
        return found


def _first(graphs: Graphs, graph: Graph, nodes: list[Node], values: dict[int, Any], arrays: list[Any]) -> tuple[Node, str] | None:
    """The first of the nodes that differs by itself, and what does."""
    known = [node for node in nodes if node.number in values]

    def at(node: Node) -> str:
        part = graph.part([node])
        return graphs.compared(part, arrays, [values[node.number]])

    def in_order(tell: _children.Tell) -> Any:
        for number, node in enumerate(known):
            tell(number)
            if told := at(node):
                return number, told
        return None

    if len(known) <= _MOST_ONE_BY_ONE:
        ended = graphs.child(in_order)
        if ended.how == "done":
            return None if ended.value is None else (known[ended.value[0]], ended.value[1])
        return None if ended.told is None else (known[ended.told], f"{ended.how}: {ended.text}")
    low, high = 0, len(known) - 1  # a fault is in all that is computed from it
    told = ""
    while low < high:
        middle = (low + high) // 2
        ended = graphs.child(lambda tell, node=known[middle]: at(node))
        if ended.how == "done" and not ended.value:
            low = middle + 1
        else:
            high = middle
    ended = graphs.child(lambda tell: at(known[low]))
    told = ended.value if ended.how == "done" else f"{ended.how}: {ended.text}"
    return (known[low], told) if told else None


def _pass_of(graph: Graph, arrays: list[Any], graphs: Graphs) -> str:
    """The pass after which a graph gives something else."""

    def work(tell: _children.Tell) -> str:
        wanted = [numpy.array(each) for each in graph.run(*arrays)]
        for name, text in graph.passes(graphs.rung):
            got = [numpy.array(each) for each in Graph.parse(text).run(*arrays)]
            if difference(got, wanted, "", graphs.ulp) is not None:
                return name
        return ""

    ended = graphs.child(work)
    return ended.value if ended.how == "done" else ""


def first_op(graph: Graph, arrays: list[Any], rung: str, problem: Any) -> FirstOp | None:
    """Of a graph that fails on the rung: None where it does not."""
    graphs = Graphs(rung, problem)
    told = graphs.fails(graph, arrays)
    if not told:
        return None
    nodes = _needed(graph, graph.outputs)
    values = _values(graph, nodes, arrays)
    found = _first(graphs, graph, nodes, values, arrays)
    node, part = (graph.outputs[0], graph) if found is None else (found[0], graph.part([found[0]]))
    told = told + " (only where all is computed together)" if found is None else found[1]
    inputs = [arrays[graph.inputs.index(each)] if each in graph.inputs else values.get(each.number) for each in node.inputs]
    shown = [each for each in inputs if each is not None]
    return FirstOp(node.op, node.text, told, node.place, shown, _pass_of(part, arrays, graphs) if rung == "aot_eager" else "", part)
