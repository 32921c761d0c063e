"""explain(): what a function was compiled to, and why, as text to read."""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

from fastnp import _control, _core
from fastnp._bytecode import has_loops
from fastnp._compile import compile
from fastnp._compiled_functions import name_of, place_of, with_parts
from fastnp._core import CompiledFunction

if TYPE_CHECKING:
    from fastnp._by_line import Lines

P = ParamSpec("P")
MOST_LINES = 8  # of one function that are told of one kernel


class profile:
    """A context in which calls of compiled functions by this thread are measured, step by step.

    ``with np.compiler.profile(): f(x)``; afterwards ``explain(f)(x)`` (or inside of it) says what each
    step of the last such call took. ``with np.compiler.profile() as profile:`` and then
    ``profile.by_line()`` is a table by source line. (torch.profiler, cupyx.profiler.benchmark)

    Notes
    -----
    On a device these are times there, between events in its stream; a step that takes less than its
    launch seems to take as long as that. On the processor they are the clock's. Calls in the context
    wait for the device.

    See Also
    --------
    explain

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.sum(np.sin(x)))
    >>> with np.compiler.profile():
    ...     told = np.explain(f)(np.ones(4))
    >>> all(kernel["milliseconds"] is not None for kernel in told.kernels)
    True
    """

    def __init__(self) -> None:
        self._scopes: list[_core._ProfileScope] = []
        self._before: dict[int, int] | None = None  # calls of each function as it was entered
        self._made: list[Any] = []  # within it: they are kept with it

    def __enter__(self) -> profile:
        if not self._scopes:
            self._before = {id(each): _calls_of(each) for each in list(_control.compiled_functions)}
            self._made = []
            _control.made_watchers.append(self._made.append)
        self._scopes.append(_core._ProfileScope())
        return self

    def by_line(self) -> Lines:
        """Nodes, kernels, milliseconds and bytes by source line, of the functions that were called since it was entered.

        Returns
        -------
        Lines
            A list of dicts; ``print`` it for a table. Times are those of the last call of each function.

        See Also
        --------
        compiler.Explanation.by_line, compiler.Lines

        Examples
        --------
        >>> import fastnp as np
        >>> f = np.compile(lambda x: np.sum(np.sin(x)))
        >>> with np.compiler.profile() as profile:
        ...     _ = f(np.ones(4))
        >>> [row["milliseconds"] >= 0 for row in profile.by_line()]
        [True]
        """
        from fastnp._by_line import Lines  # where a table is asked for

        if self._before is None:
            return Lines([])
        called = [each for each in list(_control.compiled_functions) if _calls_of(each) != self._before.get(id(each), 0)]
        return Lines([(name_of(each), [entry for part in with_parts(each) for entry in part._inspect(False)[0]]) for each in called])

    def __exit__(self, *error: object) -> None:
        self._scopes.pop()
        if not self._scopes:
            _control.made_watchers.remove(self._made.append)


def _calls_of(function: Any) -> int:
    info = function.cache_info()
    return int(info.hits + info.misses)


def _time_of(kernel: dict[str, Any]) -> str:
    if kernel["milliseconds"] is None:
        return ""
    often = f" for {kernel['count']} times" if kernel["count"] > 1 else ""
    return f", {kernel['milliseconds']:.4f} ms{often}"


def _lines_of(kernel: dict[str, Any]) -> str:
    """The user's lines, by file and function: "model.py:12, 14 in loss"."""
    places: dict[tuple[str, str], list[str]] = {}
    for text in kernel["lines"]:
        place, _, function = text.partition(" in ")
        file, _, line = place.rpartition(":")
        places.setdefault((os.path.basename(file), function), []).append(line)
    found = []
    for (file, function), lines in places.items():
        shown = ", ".join(lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"... {lines[-1]}"])
        found.append(f"{file}:{shown}" + (f" in {function}" if function else ""))
    return "; ".join(found)


def loops_not_tried(function: Any, known: list[Any]) -> list[Any]:
    """The loops of a function that are told of by nobody else."""
    written = getattr(function, "__wrapped__", None)
    if type(written) is not types.FunctionType or not has_loops(written.__code__):
        return []
    from fastnp._loop_native import NativeLoop  # where a function is looked at
    from fastnp._loop_scan import why_not_tried
    from fastnp._parts import Parts

    parts = Parts(written, vars(function)["_options"], "")
    told = [tuple(map(int, each.lines.split("-"))) for each in known]
    found = [(place, why_not_tried(loop) if why is None else why) for place, loop, why in parts.all_loops()]
    return [NativeLoop(place, [], why) for place, why in found if not any(each[0] <= place[0] and place[1] <= each[-1] for each in told)]


class Explanation:
    """What a compiled function consists of after a call; ``print`` it, or read its parts.

    `explain` makes it. Its attributes: `name`, `result` (of the call), `backend`, `cache_info`,
    `entries` (each kind of calls, with guards and reasons), `kernels`, `graphs` (how many), `ir`
    (`ir_lines`: with the lines that the operations come from), `loops`, `llvm` and `asm` (the code,
    by stages), `breaks`, `native` (loops over numbers), `parts`, `transfers` (copies to and from a
    device). `html` makes a page of it, `json` data, `text` text, `by_line` a table by source line.

    See Also
    --------
    explain, compiler.profile

    Examples
    --------
    >>> import fastnp as np
    >>> told = np.explain(np.compile(lambda x: x * 2 + 1))(np.ones(3))
    >>> told.result
    array([3., 3., 3.])
    >>> sorted(told.kernels[0]["ops"])
    ['add', 'multiply']
    """

    def __init__(self, function: Any, result: Any, transfers: dict[str, int] | None = None) -> None:
        self.name = name_of(function)
        self.place = place_of(function)
        self.code = getattr(function.__wrapped__, "__code__", None)
        self.transfers = transfers
        self.result = result
        self.backend = function.backend
        self.cache_info = function.cache_info()
        self.entries, self.reads, self.uncompiled, self.misses = function._inspect(True)
        parts = function._parts()
        self.breaks: list[Any] = [] if parts is None else list(parts.breaks)
        """Where recordings ended: each has `reason`, `stack` (lines of the user's) and `milliseconds` (that it had taken by then)."""
        self.native: list[Any] = [] if parts is None else parts.told()
        self.native += loops_not_tried(function, self.native)
        """Loops over numbers: each has `lines`, `programs` (their steps), `milliseconds` (to compile these) or `reason` (why it is no native code)."""
        self.parts: list[Explanation] = [] if parts is None else [Explanation(part, None) for part in parts.used()]
        """Of a function with breaks: what is compiled between them."""

    def all_parts(self) -> list[Explanation]:
        """The parts, with theirs."""
        return [each for part in self.parts for each in (part, *part.all_parts())]

    def by_line(self) -> Lines:
        """Nodes, kernels, milliseconds and bytes by source line: it shows an unrolled loop at once.

        Returns
        -------
        Lines
            A list of dicts; ``print`` it for a table, ``pprof`` writes it for flame graphs. All entries
            and parts are counted. Without calls in `compiler.profile` there are no milliseconds.

        See Also
        --------
        compiler.profile, compiler.Lines

        Examples
        --------
        >>> import fastnp as np
        >>> def power(x):
        ...     y = x
        ...     for _ in range(100):
        ...         y = y * x
        ...     return y
        >>> told = np.explain(np.compile(power))(np.ones(3))
        >>> [(row["function"], row["nodes"]) for row in told.by_line()]
        [('power', 100)]
        """
        from fastnp._by_line import Lines  # where a table is asked for

        parts = (self, *self.all_parts())
        return Lines([(self.name, [entry for part in parts for entry in part.entries])], [each for part in parts for each in part._native_lines()])

    def _native_lines(self) -> list[tuple[str, Any, int]]:
        from fastnp._by_line import Place

        if self.code is None:
            return []
        found = [(int(each.lines.partition("-")[0]), text.count("\n")) for each in self.native for text in each.programs]
        return [(self.name, Place(self.code.co_filename, line, self.code.co_name), steps) for line, steps in found]

    def data(self, measure: bool = True) -> dict[str, Any]:
        """What `json` writes. `measure`: with what the machine can do, where kernels have times."""
        from fastnp._report import described  # where a report is asked for

        return described(self, self._machines() if measure else {}) | {"by_line": list(self.by_line())}

    def _machines(self) -> dict[str, Any]:
        timed = {entry["device"] for part in (self, *self.all_parts()) for entry in part.entries if any(each["milliseconds"] for each in entry["kernels"])}
        if not timed:
            return {}
        from fastnp._machine import measured  # where a report has times

        return {device: measured(device) for device in sorted(timed)}

    def html(self, path: str | os.PathLike[str] | None = None, *, measure: bool = True) -> str:
        """One page of all of it, which needs nothing else: ``explain(f)(x).html("report.html")``.

        The source with the kernels, breaks and loops of each line; kernels with bytes, operations, and
        why they are apart; guards, recompilations, breaks with what helps; memory, passes, code. With
        times (calls within `compiler.profile`) also the shares of what the machine can do.

        Parameters
        ----------
        path : path, optional
            The page is written to this file.
        measure : bool, default True
            Whether the machine's speed is measured, where kernels have times: a few tenths of a second, once.

        Returns
        -------
        str
            The page.

        Raises
        ------
        OSError
            Where the file can't be written.

        See Also
        --------
        compiler.debug, compiler.profile

        Examples
        --------
        >>> import fastnp as np
        >>> page = np.explain(np.compile(lambda x: x + 1))(np.ones(3)).html()
        >>> page.startswith("<!DOCTYPE html>")
        True
        """
        from fastnp._report_page import page  # where a page is asked for

        made = page(self.data(measure))
        if path is not None:
            from fastnp._files import write_whole  # where a page is written

            write_whole(path, made)
        return made

    def text(self, *, measure: bool = True) -> str:
        """What the page tells, but for code, as text.

        Parameters
        ----------
        measure : bool, default True
            As for `html`.

        Returns
        -------
        str
            Lines; more of them than ``str()`` gives.

        See Also
        --------
        compiler.Explanation.html, compiler.Explanation.json

        Examples
        --------
        >>> import fastnp as np
        >>> told = np.explain(np.compile(lambda x: x + 1))(np.ones(3))
        >>> print([line for line in told.text().splitlines() if "kernel" in line][0].strip())
        kernel 0 elementwise over 3: add; 24 B read, 24 B written, 3 flop
        """
        from fastnp._report import text_of  # where it is asked for

        return text_of(self.data(measure))

    def json(self, *, indent: int | None = None, measure: bool = True) -> str:
        """What the page tells, as JSON; the docs list its keys.

        Parameters
        ----------
        indent : int, optional
            As json.dumps has it.
        measure : bool, default True
            As for `html`.

        Returns
        -------
        str
            An object.

        See Also
        --------
        compiler.Explanation.html, compiler.Explanation.text

        Examples
        --------
        >>> import fastnp as np
        >>> import json
        >>> told = np.explain(np.compile(lambda x: x + 1))(np.ones(3))
        >>> json.loads(told.json())["entries"][0]["kernels"][0]["bytes_read"]
        24.0
        """
        import json  # not needed to import fastnp

        return json.dumps(self.data(measure), indent=indent)

    def _repr_html_(self) -> str:
        from fastnp._report_page import fragment  # in a notebook

        return fragment(self.data(False))

    def _joined(self, part: str) -> str:
        return "\n".join(entry[part] for entry in self.entries if entry[part])

    @property
    def ir(self) -> str:
        """The recorded operations, a line each."""
        return self._joined("ir")

    @property
    def ir_lines(self) -> str:
        """The same, each with the line of the user's that it comes from."""
        return self._joined("ir_lines")

    @property
    def loops(self) -> str:
        return self._joined("loops")

    @property
    def llvm(self) -> str:
        return self._joined("llvm")

    @property
    def asm(self) -> str:
        return self._joined("asm")

    @property
    def kernels(self) -> list[dict[str, Any]]:
        return [kernel for entry in self.entries for kernel in entry["kernels"]]

    @property
    def graphs(self) -> int:
        """How many compiled graphs there are, those of parts included."""
        return sum(not entry["uncompiled"] for entry in self.entries) + sum(part.graphs for part in self.parts)

    def __str__(self) -> str:
        info = self.cache_info
        lines = [f"{self.name} (backend {self.backend!r}): {info.compiles} compiled, {info.hits} hits, {info.misses} misses, {info.uncompiled} as written"]
        lines += [f"  runs as written: {reason}" for reason in self.uncompiled]
        for number, entry in enumerate(self.entries):
            lines.append(f"  entry {number}: {entry['reason']}")
            if entry["uncompiled"]:
                lines.append(f"    runs as written: {entry['uncompiled']}")
            lines += [f"    guard: {guard}" for guard in entry["guards"]]
            for kernel in entry["kernels"]:
                axes = f" over {kernel['axes']}" if kernel["axes"] else ""
                host = f", {kernel['kind']}" if kernel["kind"].startswith("by the host") else ""
                lines.append(f"    kernel {kernel['name']}{axes}: {len(kernel['ops'])} ops ({', '.join(kernel['ops'])}){host}{_time_of(kernel)}")
                if kernel["lines"]:
                    lines.append(f"      from {_lines_of(kernel)}")
            if entry["milliseconds"]:
                lines.append("    " + ", ".join(f"{phase} {spent:.2f} ms" for phase, spent in entry["milliseconds"].items()))
        lines += [f"  reads: {guard}" for guard in self.reads]
        for reason, advice, spent in self.misses[1:]:
            lines.append(f"  recompiled in {spent:.2f} ms: {reason}" + (f" (to avoid it: {advice})" if advice else ""))
        for found in self.breaks:
            lines.append(f"  break, found after {found.milliseconds:.2f} ms: {found.reason}")
            lines += [f"    at {place}" for place in found.stack]
        lines += [f"  {loop}" for loop in self.native]
        if self.parts:
            lines.append(f"  runs in {len(self.parts)} parts, {self.graphs} graphs:")
            lines += [f"  {line}" for part in self.parts for line in str(part).splitlines()]
        return "\n".join(lines)

    __repr__ = __str__


def _device_of(args: tuple[Any, ...]) -> str:
    """The device that a call is for, as its arguments and the scope say; empty: the host."""
    places = [_core._current_device(), *(each.device for each in args if type(each) is _core.ndarray)]
    return next((each for each in places if each != "cpu"), "")


def _transfers(before: tuple[int, ...], after: tuple[int, ...]) -> dict[str, int]:
    from fastnp.cuda import Statistics  # where a device is in use

    first, last = Statistics(*before), Statistics(*after)
    return {name: getattr(last, name) - getattr(first, name) for name in ("uploads", "downloads", "launches")}


def explain(function: Callable[P, Any]) -> Callable[P, Explanation]:
    """Calls a function, and says what was compiled for it and why: ``explain(f)(*args)``.

    Parameters
    ----------
    function : callable
        A compiled function, or one that is compiled for it.

    Returns
    -------
    callable
        With the function's parameters. It gives an `Explanation`: ``print`` it, or read its parts
        (entries and their guards, kernels, breaks with lines, loops that became native code).

    See Also
    --------
    compile, compiler.profile, compiler.Explanation

    Examples
    --------
    >>> import fastnp as np
    >>> f = np.compile(lambda x: np.sum(np.sin(x) * 2))
    >>> told = np.explain(f)(np.ones(4))
    >>> len(told.kernels), told.graphs
    (1, 1)
    """
    target = getattr(function, "__func__", function)
    compiled: Any = function if isinstance(target, CompiledFunction) else compile(function)

    def explained(*args: P.args, **kwargs: P.kwargs) -> Explanation:
        device = _device_of(args)
        before = _core._device_statistics(device) if device else ()
        scope = _core._ExplainScope()  # what is compiled keeps its graph from pass to pass
        try:
            result = compiled(*args, **kwargs)
        finally:
            del scope
        transfers = _transfers(before, _core._device_statistics(device)) if device else None
        return Explanation(getattr(compiled, "__func__", compiled), result, transfers)

    return explained
