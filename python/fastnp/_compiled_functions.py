"""All compiled functions of the process at a glance: what was compiled of them, and what that took."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from fastnp import _control, _fallback


class FunctionInfo(NamedTuple):
    """A compiled function at a glance; `compiler.functions` gives one for each.

    Its fields: `name`, `place` (file and line, or empty), `entries` (that it has now), `compiles`,
    `hits` (calls that an entry served, or that went in parts), `misses` (calls that had none),
    `as_written` (calls that ran so), `parts` (that it is cut into), `breaks` and `milliseconds` (that
    its compilations took).

    See Also
    --------
    compiler.functions

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x * 2)
    >>> _ = f(np.ones(3)), f(np.ones(3))
    >>> found = [each for each in np.compiler.functions() if each.name == "<lambda>"]
    >>> found[0].compiles >= 1
    True
    """

    name: str
    place: str
    entries: int
    compiles: int
    hits: int
    misses: int
    as_written: int
    parts: int
    breaks: int
    milliseconds: float

    def _repr_html_(self) -> str:
        return FunctionTable([self])._repr_html_()


def name_of(function: Any) -> str:
    """The name that a compiled function was given, else the one that it has."""
    given = vars(function).get("_options", {}).get("name")  # a frozen one has none
    return str(given or getattr(function, "__name__", None) or getattr(function.__wrapped__, "__name__", repr(function)))


def place_of(function: Any) -> str:
    """The file and the line of a compiled function, or empty."""
    code = getattr(function.__wrapped__, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if isinstance(code, types.CodeType) else ""


def with_parts(function: Any) -> Iterator[Any]:
    """A compiled function, then those that its parts are."""
    yield function
    parts = function._parts()
    if parts is not None:
        for each in parts.used():
            yield from with_parts(each)


def _loops_of(function: Any) -> list[Any]:
    parts = function._parts()
    return [] if parts is None else parts.told()


def _phases_of(function: Any) -> dict[str, float]:
    """Milliseconds by phase, parts and native loops included."""
    spent: dict[str, float] = {}
    for each in with_parts(function):
        for entry in each._inspect(False)[0]:
            for phase, time in entry["milliseconds"].items():
                spent[phase] = spent.get(phase, 0.0) + time
    native = [loop for loop in _loops_of(function) if loop.programs]  # whose code may have been there already
    return spent | ({"native loops": sum(sum(loop.milliseconds) for loop in native)} if native else {})


class FunctionTable(list[FunctionInfo]):
    """Rows; a notebook shows them as a table."""

    def _repr_html_(self) -> str:
        from fastnp._report_page import table  # in a notebook

        rows = [[*map(str, row[:-1]), f"{row.milliseconds:.2f}"] for row in self]
        return table(list(FunctionInfo._fields), rows, range(2, len(FunctionInfo._fields)))


def functions() -> list[FunctionInfo]:
    """All compiled functions of the process, those first whose compilations took longest.

    Parts of functions and functions that a function calls are told of with it, or are functions of
    their own where they are compiled by themselves.

    Returns
    -------
    list of FunctionInfo
        A row for each function that is alive.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.compile_times, compiler.explain, compiler.reset

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def doubled(x):
    ...     return x * 2
    >>> doubled(np.ones(2))
    array([2., 2.])
    >>> [row.entries for row in np.compiler.functions() if row.name == "doubled"]
    [1]
    """
    _fallback.check_unrecorded("compiler.functions")
    rows = FunctionTable()
    for function in list(_control.compiled_functions):
        info, parts = function.cache_info(), function._parts()
        used = [] if parts is None else list(parts.used())
        breaks = 0 if parts is None else len(parts.breaks)
        counts = info.currsize, info.compiles, info.hits, info.misses, info.uncompiled, len(used), breaks
        rows.append(FunctionInfo(name_of(function), place_of(function), *counts, sum(_phases_of(function).values())))
    rows.sort(key=lambda row: (-row.milliseconds, row.name, row.place))
    return rows


class CompileTimes(dict[str, dict[str, float]]):
    """Milliseconds by function and phase; ``print`` it for a table. `compiler.compile_times` makes it.

    See Also
    --------
    compiler.compile_times

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: x * 2)
    >>> _ = f(np.ones(3))
    >>> times = np.compiler.compile_times()
    >>> all(spent >= 0 for phases in times.values() for spent in phases.values())
    True
    """

    def json(self) -> str:
        """The same as JSON: an object of objects."""
        import json  # not needed to import fastnp

        return json.dumps(self)

    def total(self) -> float:
        """Milliseconds in all."""
        return sum(sum(phases.values()) for phases in self.values())

    def _rows(self) -> list[list[str]]:
        """The heads, then a row for each function."""
        phases = list(dict.fromkeys(phase for spent in self.values() for phase in spent))
        rows = [["ms", *phases, "in all"]]
        for name, spent in self.items():
            rows.append([name, *(f"{spent[phase]:.2f}" if phase in spent else "" for phase in phases), f"{sum(spent.values()):.2f}"])
        return rows

    def __str__(self) -> str:
        if not self:
            return "nothing is compiled"
        rows = self._rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [[row[0].ljust(widths[0]), *(each.rjust(width) for each, width in zip(row[1:], widths[1:], strict=True))] for row in rows]
        return "\n".join("  ".join(line).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from fastnp._report_page import table  # in a notebook

        heads, *rows = self._rows()
        return table(heads, rows, range(1, len(heads)))

    __repr__ = __str__


def compile_times() -> CompileTimes:
    """What the compilations of each function took, by phase, of what it has compiled now.

    Returns
    -------
    CompileTimes
        A dict of dicts of milliseconds, those first that took longest; ``print`` it for a table,
        ``json()`` gives it as JSON. Names that several functions have get their places beside them.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.functions, compiler.set_logs

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def halved(x):
    ...     return np.sqrt(x) / 2
    >>> _ = halved(np.ones(3))
    >>> "record" in np.compiler.compile_times()["halved"]
    True
    """
    _fallback.check_unrecorded("compiler.compile_times")
    found = [(function, _phases_of(function)) for function in list(_control.compiled_functions)]
    found = [(function, spent) for function, spent in found if spent]
    names = [name_of(function) for function, _ in found]
    times: dict[str, dict[str, float]] = {}
    for (function, spent), name in zip(found, names, strict=True):
        key = name if names.count(name) == 1 else f"{name} ({place_of(function)})"
        known = times.setdefault(key, {})
        for phase, time in spent.items():
            known[phase] = known.get(phase, 0.0) + time
    # Sorted at last: functions of one name and place, as made in a loop, are one row by now.
    return CompileTimes(sorted(times.items(), key=lambda each: -sum(each[1].values())))
