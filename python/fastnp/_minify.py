"""Small programs that show a fault of a large one: what `debug.minify` finds and writes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy

from fastnp import _repro
from fastnp._fallback import check_unrecorded
from fastnp._first_op import _GIVEN, Graphs, _needed, _values
from fastnp._graph import Graph, Node
from fastnp._progress import Progress
from fastnp._triage import Problem, Triage, captured, triage

CHECKS = ("accuracy", "crash", "slowness", "compile time")
_SIZES = re.compile(r"\[([0-9, ]+)\]")
_DTYPES = ("complex128", "complex64", "float16", "bfloat16", "float32", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64", "int64")


@dataclass
class Minified:
    """What `debug.minify` found: ``print`` it.

    `ops` is how many operations are left, `graph` and `arrays` what fails by itself (None and empty
    where the fault lies in what Python does: `source` is the function then), `python` and `cpp` the
    programs that were written, `seconds` how long it took, and `tried` how many programs were.

    See Also
    --------
    debug.minify

    Examples
    --------
    >>> import fastnp as np
    >>> try:
    ...     np.debug.minify(lambda x: np.sin(x) * 2, np.ones(3))
    ... except ValueError as error:
    ...     print(error)
    nothing fails: <lambda> gives the same on every rung
    """

    name: str
    check: str
    rung: str
    told: str
    ops: int
    graph: Graph | None = None
    arrays: list[Any] = field(default_factory=list)
    source: str = ""
    python: Path | None = None
    cpp: Path | None = None
    seconds: float = 0.0
    tried: int = 0
    triage: Triage | None = None

    def __str__(self) -> str:
        counted = f"{self.ops} operation" + ("" if self.ops == 1 else "s")
        lines = [f"{self.name} on {self.rung!r}, {self.check}: {counted} of it fail by themselves ({self.tried} programs tried, {self.seconds:.1f} s)"]
        lines += [f"  {line}" for line in (str(self.graph) if self.graph is not None else self.source).splitlines()]
        lines.append(f"  {self.told}")
        written = [str(each) for each in (self.python, self.cpp) if each is not None]
        return "\n".join([*lines, "written: " + ", ".join(written)] if written else lines)


def count(graph: Graph) -> int:
    return len(_needed(graph, graph.outputs))


class Shrinking:
    """A graph that fails, and its arrays, made smaller while it goes on failing."""

    def __init__(self, graph: Graph, arrays: list[Any], fails: Callable[[Graph, list[Any]], str], deadline: float) -> None:
        self.graph, self.arrays, self.fails, self.deadline = graph, arrays, fails, deadline
        self.tried = 0
        self.progress: Progress | None = None
        self.told = fails(graph, arrays)

    def accept(self, graph: Graph, arrays: list[Any]) -> bool:
        if time.monotonic() > self.deadline:
            return False
        self.tried += 1
        if self.progress is not None:
            self.progress.advance(note=f"{count(self.graph)} operations")
        told = self.fails(graph, arrays)
        if told:
            self.graph, self.arrays, self.told = graph, arrays, told
        return bool(told)

    def run(self) -> None:
        self.one_output()
        while self.from_the_front() or self.without_a_node():
            pass
        self.drop_inputs()
        self.smaller_sizes()
        self.simpler_dtypes()
        self.simpler_values()

    def one_output(self) -> None:
        if len(self.graph.outputs) > 1:
            for output in self.graph.outputs:
                if self.accept(self.graph.part([output]), self.arrays):
                    return

    def given(self, node: Node, values: dict[int, Any]) -> Any:
        return self.arrays[self.graph.inputs.index(node)] if node in self.graph.inputs else values.get(node.number)

    def cut(self, inputs: list[Node], values: dict[int, Any]) -> bool:
        arrays = [self.given(node, values) for node in inputs]
        if any(each is None for each in arrays):
            return False
        try:
            graph = self.graph.part(self.graph.outputs, inputs)
        except ValueError:
            return False
        return count(graph) < count(self.graph) and self.accept(graph, arrays)

    def from_the_front(self) -> bool:
        """Values in the place of what computes them: first of all but the last operation, then of less."""
        nodes = _needed(self.graph, self.graph.outputs)
        values = _values(self.graph, nodes, self.arrays)
        last = [node for node in self.graph.outputs if node.op not in _GIVEN]
        operands = list(dict.fromkeys(each for node in last for each in node.inputs if each.op != "constant"))
        if len(nodes) > 1 and self.cut(operands, values):
            return True
        inner = [node for node in nodes if node not in self.graph.outputs]
        return any(self.cut([*self.graph.inputs, node], values) for node in reversed(inner))

    def without_a_node(self) -> bool:
        for node in reversed(_needed(self.graph, self.graph.outputs)):
            for operand in node.inputs:
                if operand.dtype != node.dtype or operand.shape != node.shape:
                    continue
                try:
                    graph = self.graph.replace(node, lambda x: x, [operand])
                except Exception:  # noqa: BLE001, S112  # not one that can be left out
                    continue
                if count(graph) < count(self.graph) and self.accept(graph, self.arrays):
                    return True
        return False

    def drop_inputs(self) -> None:
        used = {each.number for node in _needed(self.graph, self.graph.outputs) for each in node.inputs}
        kept = [node for node in self.graph.inputs if node.number in used or node in self.graph.outputs]
        if len(kept) < len(self.graph.inputs):
            self.accept(self.graph.part(self.graph.outputs, kept), [self.given(node, {}) for node in kept])

    def rewritten(self, change: Callable[[str], str], array: Callable[[Any], Any]) -> bool:
        text = str(self.graph)
        changed = change(text)
        if changed == text:
            return False
        try:
            graph = Graph.parse(changed)
            arrays = [array(each) for each in self.arrays]
        except ValueError:
            return False
        fits = all(node.shape == each.shape and node.dtype == each.dtype for node, each in zip(graph.inputs, arrays, strict=True))
        return fits and self.accept(graph, arrays)

    def smaller_sizes(self) -> None:
        tried: set[tuple[int, int]] = set()
        while pair := next((pair for pair in self.sizes() if pair not in tried), None):
            tried.add(pair)
            old, new = pair

            def size(text: str, old: int = old, new: int = new) -> str:
                return str(new) if int(text) == old else text.strip()

            def resized(text: str, size: Callable[[str], str] = size) -> str:
                return _SIZES.sub(lambda found: "[" + ", ".join(map(size, found[1].split(","))) + "]", text)

            def cut(array: Any, old: int = old, new: int = new) -> Any:
                return numpy.ascontiguousarray(array[tuple(slice(new) if size == old else slice(None) for size in array.shape)])

            self.rewritten(resized, cut)

    def sizes(self) -> Iterator[tuple[int, int]]:
        found = sorted({size for node in self.graph.nodes for size in node.shape if size > 1}, reverse=True)
        for size in found:
            yield from ((size, small) for small in dict.fromkeys((1, 2, 3, 4, 8, size // 4, size // 2, size * 3 // 4)) if 0 < small < size)

    def simpler_dtypes(self) -> None:
        for old in _DTYPES:
            new = "int64" if old.startswith(("int", "uint")) and old != "int64" else "float64"

            def renamed(text: str, old: str = old, new: str = new) -> str:
                return re.sub(rf"\b{old}\b", new, text)

            def converted(array: Any, old: str = old, new: str = new) -> Any:
                real = array.real if array.dtype.kind == "c" else array
                return real.astype(new) if array.dtype.name == old else array

            self.rewritten(renamed, converted)

    def simpler_values(self) -> None:
        for number in range(len(self.arrays)):
            array = self.arrays[number]
            if not array.size or array.dtype.kind not in "iufc":
                continue
            ramp = numpy.arange(array.size).reshape(array.shape)
            with numpy.errstate(all="ignore"):
                simple = (numpy.ones_like(array), numpy.zeros_like(array), (ramp % 7 + 1).astype(array.dtype), numpy.round(array), numpy.round(array, 2))
            for values in simple:
                if not numpy.array_equal(values, array) and self.accept(self.graph, [*self.arrays[:number], values, *self.arrays[number + 1 :]]):
                    break


def _kind(how: str) -> str:
    return "accuracy" if how == "differs" else "crash"


class Fails:
    """Whether a graph fails on a rung in one of the ways that are looked for. `check`: one of CHECKS; None: the first two."""

    def __init__(self, check: str | None, rung: str, problem: Problem, limit: float) -> None:
        self.check, self.limit = check, limit
        self.graphs = Graphs(rung, problem)

    def __call__(self, graph: Graph, arrays: list[Any]) -> str:
        if self.check in (None, "accuracy", "crash"):
            told = self.graphs.fails(graph, arrays)
            if self.check is None:
                return told
            is_crash = told.startswith(("died: ", "hung: ", "raised: "))
            return told if is_crash == (self.check == "crash") else ""
        work = self.slowness if self.check == "slowness" else self.compile_time
        try:
            ended = self.graphs.child(lambda tell: work(graph, arrays))
        except ValueError:
            return ""
        return ended.value if ended.how == "done" else ""

    def slowness(self, graph: Graph, arrays: list[Any]) -> str:
        compiled = graph.compile(self.graphs.rung)
        self.graphs.ran(compiled, arrays)
        fast, slow = (min(seconds_of(partial(self.graphs.ran, each, arrays)) for _ in range(5)) for each in (graph.run, compiled))
        is_slow = slow > 1.3 * self.limit * fast  # by so much that it is slow when it is measured again, too
        return f"{slow * 1e6:.0f} us on {self.graphs.rung!r}, {fast * 1e6:.0f} us op by op" if is_slow else ""

    def compile_time(self, graph: Graph, arrays: list[Any]) -> str:
        taken = seconds_of(lambda: self.graphs.ran(graph.compile(self.graphs.rung), arrays))
        return f"the first call takes {taken:.2f} s on {self.graphs.rung!r}" if taken > self.limit else ""


def seconds_of(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def minify(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    check: str | None,
    folder: str | os.PathLike[str] | None,
    seconds: float,
    ulp: float,
    limit: float,
) -> Minified:
    """What `debug.minify` gives."""
    check_unrecorded("debug.minify")
    begin = time.monotonic()
    if check is not None and check not in CHECKS:
        raise ValueError(f"check={check!r}: one of {', '.join(map(repr, CHECKS))}")
    problem = Problem(function, args, kwargs, ulp, min(seconds, 20.0))
    if check in ("slowness", "compile time"):
        found, rung, graphs = None, "llvm", captured(problem)
    else:
        found = triage(function, args, kwargs, ulp=ulp, seconds=problem.seconds, first_alone=True)
        if found.rung is None:
            raise ValueError(f"nothing fails: {problem.name} gives the same on every rung")
        if found.rung == "disk cache":
            raise ValueError(f"{problem.name}: {found.told}, by what the disk cache keeps alone; a cache that is empty is right")
        if found.how == "hung":
            problem.be_patient(seconds_of(lambda: problem.on_rung("eager")))
        rung = "llvm" if found.rung == "kept entries" else found.rung
        graphs = [(found.graph, found.arrays)] if found.graph is not None else []
    fails = Fails(check, rung, problem, limit)
    for graph, arrays in graphs:
        shrinking = Shrinking(graph, arrays, fails, begin + seconds)
        if not shrinking.told:
            continue
        with Progress(f"minifying {problem.name}") as shrinking.progress:
            shrinking.run()
        check = check or ("crash" if shrinking.told.startswith(("died: ", "hung: ", "raised: ")) else "accuracy")
        made = Minified(problem.name, check, rung, shrinking.told, count(shrinking.graph), shrinking.graph, shrinking.arrays)
        made.tried, made.triage = shrinking.tried, found
        title = f"{problem.name}: {shrinking.told}"
        texts = _repro.of_graph(shrinking.graph, shrinking.arrays, rung, check, problem, title, limit)
        return _written(made, texts, folder, begin)
    if found is None:
        raise ValueError(f"nothing fails: {check} of {problem.name} is within {limit:g}")
    from fastnp import _shrink_source  # where the fault is not in a graph

    shrunk = _shrink_source.Shrinking(problem, found, begin + seconds)
    shrunk.run()
    made = Minified(problem.name, check or _kind(found.how), rung, shrunk.told, shrunk.ops, source=shrunk.source, tried=shrunk.tried, triage=found)
    return _written(made, shrunk.programs(), folder, begin)


def _written(made: Minified, texts: tuple[str, str], folder: str | os.PathLike[str] | None, begin: float) -> Minified:
    made.seconds = time.monotonic() - begin
    if folder is None:
        return made
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in zip(("repro.py", "repro.cpp"), texts, strict=True):
        if text:
            (place / name).write_text(text)
    made.python = place / "repro.py" if texts[0] else None
    made.cpp = place / "repro.cpp" if texts[1] else None
    return made
