"""What a function's operations cost by the user's source line: a table, and a file for pprof."""

from __future__ import annotations

import linecache
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fastnp import _core

_NODE = re.compile(r"(?P<indent> *)%\d+ = (?P<op>\w+).*?(?:  ; (?P<place>.*))?")
_PLACE = re.compile(r"(?P<file>.*):(?P<line>\d+)(?: in (?P<function>.*))?")
_ELSEWHERE = "(line not known)"
MOST_TEXT = 60  # characters of a line of source


class Place(NamedTuple):
    """A line of the user's; an empty file: it is not known."""

    file: str = ""
    line: int = 0
    function: str = ""

    @staticmethod
    def of(text: str | None) -> Place:
        found = _PLACE.fullmatch(text or "")
        return Place(found["file"], int(found["line"]), found["function"] or "") if found else Place()

    @property
    def text(self) -> str:
        return linecache.getline(self.file, self.line).strip() if self.file else ""

    @property
    def short(self) -> str:
        """``"model.py:12 in loss"``."""
        if not self.file:
            return _ELSEWHERE
        return f"{os.path.basename(self.file)}:{self.line}" + (f" in {self.function}" if self.function else "")


class Work(NamedTuple):
    """A kernel, or what is left of a loop beside its body: to be shared among its lines."""

    name: str
    ops: frozenset[str]
    lines: tuple[Place, ...]
    milliseconds: float | None
    bytes: float | None  # that it moves at least


class Sample(NamedTuple):
    """What one operation, or one kernel, adds to a line."""

    entered: str  # the compiled function
    place: Place
    what: str
    nodes: int = 0
    milliseconds: float | None = None
    bytes: float | None = None


def _times(kernel: dict[str, Any]) -> int:
    return max(int(kernel["count"]), 1)


def _bytes_of(kernel: dict[str, Any]) -> float | None:
    if kernel["bytes_read"] is None or kernel["bytes_written"] is None:
        return None
    return float(kernel["bytes_read"] + kernel["bytes_written"]) * _times(kernel)


class _Entry:
    """An entry's nodes by line, and its kernels."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.nodes: dict[Place, Counter[str]] = {}
        self._depths: dict[Place, set[int]] = {}  # in how many loops each line is
        self._kernels = entry["kernels"]
        for text in entry["ir_lines"].splitlines():
            found = _NODE.fullmatch(text)
            if found is None or found["op"] == "parameter":
                continue
            place = Place.of(found["place"])
            self.nodes.setdefault(place, Counter())[found["op"]] += 1
            self._depths.setdefault(place, set()).add(len(found["indent"]))

    def _lines(self, kernel: dict[str, Any]) -> tuple[Place, ...]:
        return tuple(Place.of(line) for line in kernel["lines"])

    def _end_of_body(self, number: int) -> int:
        """Of the loop at a number: the kernels of its body come after it, and are deeper in loops."""
        depth = min((each for place in self._lines(self._kernels[number]) for each in self._depths.get(place, ())), default=0)
        end = number + 1
        while end < len(self._kernels):
            lines = self._lines(self._kernels[end])
            if not lines or any(max(self._depths.get(place, {0})) <= depth for place in lines):
                break
            end += 1
        return end

    def works(self) -> list[Work]:
        """A loop whose turns are steps has the time of these, too: it keeps what they leave."""
        found: list[tuple[int, Work]] = []  # from the last one on, by number
        for number in reversed(range(len(self._kernels))):
            kernel = self._kernels[number]
            own = Work(kernel["name"], frozenset(kernel["ops"]), self._lines(kernel), kernel["milliseconds"], _bytes_of(kernel))
            body: list[tuple[int, Work]] = []
            end = self._end_of_body(number) if own.name == "loop" and not own.ops else number + 1
            while found and found[-1][0] < end:
                body.append(found.pop())
            timed = [each.milliseconds for _, each in body if each.milliseconds is not None]
            if timed:  # turn by turn
                found += reversed(body)
                own = own._replace(milliseconds=None if own.milliseconds is None else max(own.milliseconds - sum(timed), 0.0), bytes=None)
            elif body:  # all turns at once
                lines = dict.fromkeys(place for _, each in body for place in each.lines)
                own = own._replace(ops=frozenset().union(*(each.ops for _, each in body)), lines=tuple(lines))
            found.append((number, own))
        return [work for _, work in reversed(found)]

    def shares(self, work: Work) -> Iterator[tuple[Place, float]]:
        """What of a kernel each of its lines does, by additions."""
        lines = work.lines or (Place(),)
        weights = [sum(often * _core._additions(op) for op, often in self.nodes.get(place, Counter()).items() if op in work.ops) for place in lines]
        whole = sum(weights)
        yield from ((place, weight / whole if whole else 1 / len(lines)) for place, weight in zip(lines, weights, strict=True))


def _samples_of(name: str, entries: list[dict[str, Any]]) -> Iterator[Sample]:
    for each in entries:
        entry = _Entry(each)
        for place, ops in entry.nodes.items():
            yield from (Sample(name, place, op, nodes=often) for op, often in ops.items())
        for work in entry.works():
            for place, share in entry.shares(work):
                spent = None if work.milliseconds is None else work.milliseconds * share
                moved = None if work.bytes is None else work.bytes * share
                yield Sample(name, place, f"kernel {work.name}", 0, spent, moved)


def _sum(known: list[float | None]) -> float | None:
    """Of what is known; None if nothing is."""
    found = [each for each in known if each is not None]
    return sum(found) if found else None


HEADS = ("line", "nodes", "kernels", "ms", "bytes", "")


def cells_of(row: dict[str, Any]) -> list[str]:
    """A row of `Lines` as text, below HEADS."""
    from fastnp._report import amount  # where it is shown

    spent = "" if row["milliseconds"] is None else f"{row['milliseconds']:.4f}"
    text = row["text"] if len(row["text"]) <= MOST_TEXT else row["text"][: MOST_TEXT - 3] + "..."
    place = Place(row["file"], row["line"], row["function"]).short
    return [place, f"{row['nodes']:,}", str(row["kernels"]), spent, amount(row["bytes"], "B"), text]


class Lines(list[dict[str, Any]]):
    """Rows by source line; ``print`` it for a table. `Explanation.by_line` and `profile.by_line` make it.

    A row is a dict: `file`, `line`, `function` (an empty file: the line is not known), `text` (the line's
    source), `nodes` (recorded operations; of a native loop its steps), `kernels` (in which they are),
    `milliseconds` and `bytes` (of these kernels; None where they are not known). Kernels of several lines
    are shared among them by what their operations cost. Those lines come first that took longest, then
    those with most nodes.

    See Also
    --------
    compiler.Explanation.by_line, compiler.profile

    Examples
    --------
    >>> import fastnp as np
    >>> told = np.explain(np.compile(lambda x: x * 2 + 1))(np.ones(3))
    >>> [(row["nodes"], row["kernels"]) for row in told.by_line()]
    [(4, 1)]
    """

    def __init__(self, functions: list[tuple[str, list[dict[str, Any]]]], loops: Sequence[tuple[str, Place, int]] = ()) -> None:
        super().__init__()
        self._samples = [each for name, entries in functions for each in _samples_of(name, entries)]
        for name, place, steps in loops:  # native ones: their steps are at the loop's first line
            self._samples += [Sample(name, place, "native loop", nodes=steps), Sample(name, place, "kernel native loop")]
        places: dict[Place, list[Sample]] = {}
        for each in self._samples:
            places.setdefault(each.place, []).append(each)
        for place, samples in places.items():
            kernels = sum(not each.nodes for each in samples)
            spent, moved = _sum([each.milliseconds for each in samples]), _sum([each.bytes for each in samples])
            about = {"file": place.file, "line": place.line, "function": place.function, "text": place.text}
            self.append(about | {"nodes": sum(each.nodes for each in samples), "kernels": kernels, "milliseconds": spent, "bytes": moved})
        self.sort(key=lambda row: (-(row["milliseconds"] or 0), -row["nodes"], row["file"], row["line"], row["function"]))

    def _cells(self) -> list[list[str]]:
        return [list(HEADS), *map(cells_of, self)]

    def __str__(self) -> str:
        if not self:
            return "no operation is recorded"
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *(each.rjust(width) for each, width in zip(row[1:5], widths[1:5], strict=True)), row[5]]).rstrip()
            for row in cells
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from fastnp._report_page import table  # in a notebook

        heads, *rows = self._cells()
        return table(heads, rows, range(1, 5))

    def json(self, *, indent: int | None = None) -> str:
        """The rows as JSON: a list of objects.

        Parameters
        ----------
        indent : int, optional
            As json.dumps has it.

        Returns
        -------
        str
            A list.

        See Also
        --------
        compiler.Lines.pprof

        Examples
        --------
        >>> import fastnp as np
        >>> import json
        >>> told = np.explain(np.compile(lambda x: x + x))(np.ones(3))
        >>> json.loads(told.by_line().json())[0]["bytes"]
        48.0
        """
        import json  # not needed to import fastnp

        return json.dumps(self, indent=indent)

    def pprof(self, path: str | os.PathLike[str]) -> None:
        """Writes a profile that ``pprof``, ``go tool pprof`` and https://speedscope.app open, for flame graphs.

        Its values are nodes, time in nanoseconds, and bytes. Its stacks are the compiled function, the line,
        and the operation (for nodes) or the kernel (for time and bytes).

        Parameters
        ----------
        path : path
            The file, by custom ``something.pb.gz``: a gzipped profile.proto.

        Raises
        ------
        OSError
            Where the file can't be written.

        See Also
        --------
        compiler.Lines.json

        Examples
        --------
        >>> import fastnp as np
        >>> import os, tempfile
        >>> told = np.explain(np.compile(lambda x: x + x))(np.ones(3))
        >>> name = os.path.join(tempfile.mkdtemp(), "lines.pb.gz")
        >>> told.by_line().pprof(name)
        >>> open(name, "rb").read(2)
        b'\\x1f\\x8b'
        """
        from fastnp import _files, _pprof  # where a file is asked for

        profile = _pprof.Profile([("nodes", "count"), ("time", "nanoseconds"), ("bytes", "bytes")])
        for each in self._samples:
            frames = [
                _pprof.Frame(each.what, each.place.file, each.place.line),
                _pprof.Frame(each.place.short, each.place.file, each.place.line),
                _pprof.Frame(each.entered),
            ]
            profile.add(frames, [each.nodes, round((each.milliseconds or 0) * 1e6), round(each.bytes or 0)])
        timed = any(each.milliseconds for each in self._samples)
        _files.write_whole(path, profile.written("time" if timed else "nodes"))
