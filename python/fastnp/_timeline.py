"""What happens when, and on which thread: as a Chrome trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

from fastnp import _core, _fork, _watching
from fastnp._compiled_functions import name_of
from fastnp._fallback import check_unrecorded

_lock = _fork.free_at_forks(threading.RLock())
_open = False
_NANOSECONDS = 1000.0  # in a microsecond, which traces are in


def _call(function: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    begin = _core._timeline_now()
    try:
        return forward(*args, **kwargs)
    finally:
        _core._note_time(name_of(function), begin)


def _rows(events: list[tuple[str, str, int, int, int, int]], lost: int) -> dict[str, Any]:
    """Complete events ("X"), by their begin. Times are microseconds since the first one."""
    process, first = os.getpid(), min((event[2] for event in events), default=0)
    threads = sorted({event[5] for event in events})
    rows: list[dict[str, Any]] = [{"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "fastnp"}}]
    rows += [{"ph": "M", "name": "thread_name", "pid": process, "tid": each, "args": {"name": f"thread {each}"}} for each in threads]
    for kind, name, begin, end, size, thread in events:
        row = {"ph": "X", "cat": kind, "name": name, "pid": process, "tid": thread}
        row |= {"ts": (begin - first) / _NANOSECONDS, "dur": (end - begin) / _NANOSECONDS}
        if size >= 0:
            row["args"] = {"bytes": size}
        rows.append(row)
    return {"traceEvents": rows, "displayTimeUnit": "ns", "otherData": {"lost": lost}}


class timeline:
    """A context that writes a timeline of what happens within it to a file: ``with np.compiler.timeline("trace.json"):``.

    The file is a Chrome trace, which https://ui.perfetto.dev opens. Its events have these categories:
    ``call`` (of a compiled function), ``record``, ``pass``, ``code`` (phases of code generation), ``kernel``
    (a step of a call), ``task`` (what a thread does of a kernel), ``memory`` (allocations, with their bytes),
    and of devices ``launch`` and ``copy``. Of launches it tells when they were asked for. All threads are
    seen. It costs nothing when it is off.

    Parameters
    ----------
    file : path
        It is written at the end, also of one that an exception ends.

    Raises
    ------
    RuntimeError
        Where another one is open: there is one for the process.
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.profile, compiler.CompileProfiler

    Examples
    --------
    >>> import fastnp as np
    >>> import json, os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "trace.json")
    >>> f = np.compile(lambda x: np.sin(x) + 1)
    >>> with np.compiler.timeline(name):
    ...     _ = f(np.ones(100))
    >>> events = json.load(open(name))["traceEvents"]
    >>> {"call", "record", "pass", "code", "kernel"} <= {each.get("cat") for each in events}
    True
    """

    def __init__(self, file: Any) -> None:
        self.file = os.fspath(file)

    def __enter__(self) -> timeline:
        global _open
        check_unrecorded("compiler.timeline")
        with _lock:
            if _open:
                raise RuntimeError("a timeline is open: there is one for the process")
            with open(self.file, "w"):  # what can't be written is said before it is waited for
                pass
            _open = True
        _watching.add(_call)
        _core._start_timeline()
        return self

    def __exit__(self, *error: object) -> None:
        global _open
        events, lost = _core._stop_timeline()
        _watching.remove(_call)
        _open = False
        with open(self.file, "w") as out:
            json.dump(_rows(events, lost), out)
