"""Looking into what fastnp does (what was compiled, and why; what went to NumPy), and saying what is compiled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fastnp import _core
from fastnp._ahead import Lowered, Specialisation, Traced, trace
from fastnp._backends import BackendError, BackendInfo, Graph, Node, backend_info, list_backends, register_backend
from fastnp._by_line import Lines
from fastnp._compiled_functions import CompileTimes, FunctionInfo, compile_times, functions
from fastnp._control import Handle, allow_in_graph, as_written, disable, disallow_in_graph, graph_break, pure, reset, run
from fastnp._core import CacheLimitError, CompiledFunction, RecompileWarning, RecordError, VerifyError
from fastnp._debug import debug
from fastnp._explain import Explanation, explain, profile
from fastnp._fallback import FallbackError, FallbackWarning, check_unrecorded, counts
from fastnp._memory import MemorySnapshot, memory, memory_snapshot
from fastnp._profiler import CompileProfiler
from fastnp._specs import Spec
from fastnp._timeline import timeline

if TYPE_CHECKING:
    from fastnp._stablehlo_write import stablehlo

__all__ = [
    "BackendError",
    "BackendInfo",
    "CacheLimitError",
    "CompileProfiler",
    "CompileTimes",
    "CompiledFunction",
    "Explanation",
    "FallbackError",
    "FallbackWarning",
    "FunctionInfo",
    "Graph",
    "Handle",
    "Lines",
    "Lowered",
    "MemorySnapshot",
    "Node",
    "RecompileWarning",
    "RecordError",
    "Spec",
    "Specialisation",
    "Traced",
    "VerifyError",
    "allow_in_graph",
    "as_written",
    "backend_info",
    "compile_times",
    "debug",
    "disable",
    "disallow_in_graph",
    "explain",
    "fallbacks",
    "functions",
    "graph_break",
    "is_compiling",
    "list_backends",
    "logs",
    "memory",
    "memory_snapshot",
    "profile",
    "pure",
    "register_backend",
    "reset",
    "reset_fallbacks",
    "run",
    "set_logs",
    "stablehlo",
    "timeline",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name != "stablehlo":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fastnp._stablehlo_write import stablehlo  # when it is asked for

    globals()[name] = stablehlo
    return stablehlo


def fallbacks() -> dict[str, int]:
    """How often each function that only NumPy has was called.

    FASTNP_FALLBACK=warn or error tells of each such call. In a compiled function each call counts.

    Returns
    -------
    dict of str to int
        The numbers by NumPy's names of the functions, since the process began or `reset_fallbacks`.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``.

    See Also
    --------
    compiler.reset_fallbacks, compiler.FallbackWarning

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.reset_fallbacks()
    >>> np.packbits([True, False])
    array([128], dtype=uint8)
    >>> np.compiler.fallbacks()
    {'packbits': 1}
    """
    check_unrecorded("compiler.fallbacks")
    return dict(counts)


def reset_fallbacks() -> None:
    """Has `fallbacks` count from zero.

    It is for finding out what one part of a program calls.

    Returns
    -------
    None
        ``fallbacks()`` is empty.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.fallbacks

    Examples
    --------
    >>> import fastnp as np
    >>> np.packbits([True])
    array([128], dtype=uint8)
    >>> np.compiler.reset_fallbacks()
    >>> np.compiler.fallbacks()
    {}
    """
    check_unrecorded("compiler.reset_fallbacks")
    counts.clear()


def set_logs(channels: str = "", *, file: str | os.PathLike[str] | None = None, json: bool = False) -> None:
    """Tells of what happens in compiled functions from now on, in all threads: a line an event, as it happens.

    ``recompiles``: calls that need another compilation, and what changed. ``guards``: what each
    compiled entry takes for granted, and what its function reads by name. ``breaks``: what ended a
    recording, and where; why a loop is no native code. ``fusion``: the kernels and their operations.
    ``passes``: each pass that changed the graph, with the graph as ``+passes``. ``code``: LLVM's code
    of the kernels. ``ptx``: code for devices. ``cache``: what was found on disk, and what is kept
    there. ``timing``: the milliseconds of each phase, and of native loops.

    Parameters
    ----------
    channels : str, optional
        Names with commas between them, "all" or "+all". Empty: nothing is told any more.
    file : path, optional
        The lines are added to this file. By default they go to the standard error stream.
    json : bool, optional
        An object a line (JSON Lines): channel, function, text, and values by their names.

    Returns
    -------
    None
        FASTNP_LOGS, FASTNP_LOGS_FILE and FASTNP_LOGS_JSON=1 set the same for a process. Where
        nothing is told, it costs nothing.

    Raises
    ------
    ValueError
        For other names, and for files that can't be opened.
    RecordError
        In a compiled function with ``fullgraph=True``: it is no part of a recording.

    See Also
    --------
    compiler.logs, compiler.explain

    Examples
    --------
    >>> import fastnp as np
    >>> import os, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "log")
    >>> np.compiler.set_logs("recompiles", file=name)
    >>> f = np.compile(np.sin)
    >>> _ = f(np.ones(3)), f(np.ones(3, dtype="float32"))
    >>> np.compiler.set_logs()
    >>> print(open(name).read().rstrip())
    fastnp recompiles: sin: compiled again: argument 0: dtype changed from float64 to float32 (pass arrays of one dtype)
    """
    check_unrecorded("compiler.set_logs")
    _core._set_logs(channels, "" if file is None else os.fspath(file), json)


def logs() -> str:
    """The channels that logs tell of.

    `set_logs` sets them, and so does FASTNP_LOGS as the first compiled function is made.

    Returns
    -------
    str
        Their names with commas between them; empty if there are none.

    Raises
    ------
    RecordError
        In a compiled function with ``fullgraph=True``.

    See Also
    --------
    compiler.set_logs

    Examples
    --------
    >>> import fastnp as np
    >>> np.compiler.set_logs("timing, breaks")
    >>> np.compiler.logs()
    'breaks,timing'
    >>> np.compiler.set_logs()
    """
    check_unrecorded("compiler.logs")
    return _core._logs()


def is_compiling() -> bool:
    """Whether the caller is being recorded, to be compiled; False where it runs as written.

    What depends on it is decided as the function is recorded. (torch.compiler.is_compiling)

    Returns
    -------
    bool
        True in compiled functions and what they call, but for parts that run as written.

    See Also
    --------
    compiler.disable, compiler.as_written

    Examples
    --------
    >>> import fastnp as np
    >>> @np.compile
    ... def shifted(x):
    ...     return x + 1 if np.compiler.is_compiling() else x
    >>> shifted(np.zeros(2)), np.compiler.is_compiling()
    (array([1., 1.]), False)
    """
    return bool(_core._is_recording())
