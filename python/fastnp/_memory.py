"""Which arrays are there, in bytes, by the user's line that made them."""

from __future__ import annotations

import threading
from typing import Any

import numpy

from fastnp import _core, _fork, _watching
from fastnp._by_line import MOST_TEXT, Place
from fastnp._compiled_functions import name_of
from fastnp._fallback import check_unrecorded

_lock = _fork.free_at_forks(threading.RLock())
_open = False
_MOST_SHOWN = 40  # lines of a table
_HEADS = ("line", "compiled function", "bytes", "arrays", "at most", "made", "")


def _note_results(result: Any, number: int) -> int:
    """Of a call: its arrays, which are numbered as they come. Gives the next number."""
    if type(result) is _core.ndarray:
        _core._note_result(result, number)
        return number + 1
    if isinstance(result, numpy.ndarray):  # over memory of ours
        _core._note_result_at(result.__array_interface__["data"][0], number)
        return number + 1
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        for each in result:
            number = _note_results(each, number)
    return number


def _call(function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if _core._is_recording():  # it becomes a part of that
        return forward(*args, **kwargs)
    scope = _core._MemoryScope(name_of(function))
    try:
        result = forward(*args, **kwargs)
    finally:
        scope.end()
    _note_results(result, 0)
    return result


class MemorySnapshot(list[dict[str, Any]]):
    """What arrays take at a moment, by who made them; ``print`` it for a table. `compiler.memory_snapshot` makes it.

    A row is a dict: `file`, `line`, `function` (an empty file: the line is not known), `text` (the line's
    source); `compiled` (the compiled function that was called there, or empty), `result` (which of its
    results, or None: temporary and other memory); `bytes` and `arrays` (there now), `most` (bytes that were
    there at a time), `made` and `count` (bytes and arrays in all), `homes` (bytes by device). Those rows come
    first that hold most.

    Attributes: `bytes` (there now), `most` (at a time), both since the watch began; `earlier` (bytes that
    were there before, and still are); `pools` (by device: bytes `in_use` with what rounding adds, and
    `kept` for reuse).

    See Also
    --------
    compiler.memory, compiler.memory_snapshot

    Examples
    --------
    >>> import fastnp as np
    >>> with np.compiler.memory():
    ...     x = np.zeros(1000)
    ...     found = np.compiler.memory_snapshot()
    >>> found.bytes, found[0]["arrays"]
    (8000, 1)
    """

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(row | {"text": Place(row["file"], row["line"], row["function"]).text} for row in data["rows"])
        self.sort(key=lambda row: (-row["bytes"], -row["most"], row["file"], row["line"], row["compiled"], row["result"] is None, row["result"]))
        self.bytes: int = data["bytes"]
        self.most: int = data["most"]
        self.earlier: int = data["earlier"]
        self.pools: dict[str, dict[str, int]] = {"cpu": {"in_use": data["in_use"], "kept": data["kept"]}}
        for device in sorted({home for row in self for home in row["homes"]} - {"cpu"}):
            live, kept, *_ = _core._device_statistics(device)
            self.pools[device] = {"in_use": live, "kept": kept}

    def _cells(self) -> list[list[str]]:
        from fastnp._report import amount  # where it is shown

        def cells(row: dict[str, Any]) -> list[str]:
            compiled = row["compiled"] + ("" if row["result"] is None else f", result {row['result']}")
            away = [home for home in row["homes"] if home != "cpu"]
            text = row["text"] if len(row["text"]) <= MOST_TEXT else row["text"][: MOST_TEXT - 3] + "..."
            place = Place(row["file"], row["line"], row["function"]).short + (f" on {', '.join(away)}" if away else "")
            return [place, compiled, amount(row["bytes"], "B"), str(row["arrays"]), amount(row["most"], "B"), amount(row["made"], "B"), text]

        return [list(_HEADS), *map(cells, self[:_MOST_SHOWN])]

    def _totals(self) -> str:
        from fastnp._report import amount  # where it is shown

        arrays = sum(row["arrays"] for row in self)
        text = f"{amount(self.bytes, 'B')} in {arrays} arrays, {amount(self.most, 'B')} at most; {amount(self.earlier, 'B')} from before"
        return text + "".join(
            f"; {device}: {amount(pool['in_use'], 'B')} in use, {amount(pool['kept'], 'B')} kept for reuse" for device, pool in self.pools.items()
        )

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [self._totals()]
        for row in cells if self else ():
            left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
            right = [cell.rjust(width) for cell, width in zip(row[2:6], widths[2:6], strict=True)]
            lines.append("  ".join([*left, *right, row[6]]).rstrip())
        if len(self) > _MOST_SHOWN:
            lines.append(f"... and {len(self) - _MOST_SHOWN} other lines")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape  # in a notebook

        from fastnp._report_page import table

        heads, *rows = self._cells()
        return f"<p>{escape(self._totals())}</p>{table(heads, rows, range(2, 6))}"

    def json(self, *, indent: int | None = None) -> str:
        """The same as JSON: an object of ``rows`` and the totals.

        Parameters
        ----------
        indent : int, optional
            As json.dumps has it.

        Returns
        -------
        str
            An object.

        See Also
        --------
        compiler.memory_snapshot

        Examples
        --------
        >>> import fastnp as np
        >>> import json
        >>> with np.compiler.memory() as watched:
        ...     x = np.zeros(1000)
        >>> json.loads(watched.snapshot().json())["most"]
        8000
        """
        import json  # not needed to import fastnp

        totals = {"bytes": self.bytes, "most": self.most, "earlier": self.earlier, "pools": self.pools}
        return json.dumps({"rows": self, **totals}, indent=indent)


class memory:
    """A context in which the memory of arrays is noted by the user's lines: ``with np.compiler.memory() as watched:``.

    `compiler.memory_snapshot` tells within it what is there; ``watched.snapshot()`` does so, too, and
    afterwards tells what was there at its end. Arrays of compiled functions have the line of the call, the
    function and which result they are. All threads are seen; a thread without Python's lock has no line.
    Memory of NumPy's own arrays is not fastnp's. It costs nothing when it is off.

    Raises
    ------
    RuntimeError
        Where another one is open: there is one for the process.
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.memory_snapshot, compiler.timeline

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.sqrt(x) + 1, name="shifted")
    >>> with np.compiler.memory() as watched:
    ...     x = np.ones(1000)
    ...     y = f(x)
    >>> [(row["compiled"], row["result"], row["bytes"]) for row in watched.snapshot()[:2]]
    [('', None, 8000), ('shifted', 0, 8000)]
    """

    def __init__(self) -> None:
        self._last: MemorySnapshot | None = None
        self._is_open = False

    def __enter__(self) -> memory:
        global _open
        check_unrecorded("compiler.memory")
        with _lock:
            if _open:
                raise RuntimeError("the memory is watched: there is one watch for the process")
            _open = self._is_open = True
        _watching.add(_call)
        _core._start_memory_watch()
        return self

    def __exit__(self, *error: object) -> None:
        global _open
        self._last = MemorySnapshot(_core._memory_snapshot())
        _core._stop_memory_watch()
        _watching.remove(_call)
        _open = self._is_open = False

    def snapshot(self) -> MemorySnapshot:
        """What is there now; after the context, what was there at its end.

        Returns
        -------
        MemorySnapshot
            A list of dicts; ``print`` it for a table.

        Raises
        ------
        RuntimeError
            Before it was entered.

        See Also
        --------
        compiler.memory_snapshot

        Examples
        --------
        >>> import fastnp as np
        >>> with np.compiler.memory() as watched:
        ...     x = np.zeros(1000)
        >>> watched.snapshot().bytes
        8000
        """
        if self._is_open:
            return MemorySnapshot(_core._memory_snapshot())
        if self._last is None:
            raise RuntimeError("snapshot(): the memory was not watched yet: enter the context first")
        return self._last

    def __str__(self) -> str:
        return str(self.snapshot())


def memory_snapshot() -> MemorySnapshot:
    """What arrays take now, by who made them since `compiler.memory` was entered.

    Returns
    -------
    MemorySnapshot
        A list of dicts, a row for each line (and compiled function, and result); ``print`` it for a
        table, ``json()`` gives it as JSON.

    Raises
    ------
    RuntimeError
        Outside of ``with np.compiler.memory():``.
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.memory, compiler.MemorySnapshot

    Examples
    --------
    >>> import fastnp as np
    >>> with np.compiler.memory():
    ...     x = np.zeros(1000)
    ...     y = x + 1
    ...     del x
    ...     found = np.compiler.memory_snapshot()
    >>> found.bytes, found.most, [row["arrays"] for row in found]
    (8000, 16000, [1, 0])
    """
    check_unrecorded("compiler.memory_snapshot")
    if not _open:
        raise RuntimeError("the memory is not watched: np.compiler.memory() is a context that does so")
    return MemorySnapshot(_core._memory_snapshot())
