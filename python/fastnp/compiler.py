"""Looking into what fastnp does (what was compiled, and why; what went to NumPy), and saying what is compiled."""

from __future__ import annotations

from fastnp._control import Handle, allow_in_graph, as_written, disable, disallow_in_graph, graph_break, pure, reset, run
from fastnp._core import CacheLimitError, CompiledFunction, RecompileWarning, RecordError, VerifyError
from fastnp._explain import Explanation, explain, profile
from fastnp._fallback import FallbackError, FallbackWarning, check_unrecorded, counts

__all__ = [
    "CacheLimitError",
    "CompiledFunction",
    "Explanation",
    "FallbackError",
    "FallbackWarning",
    "Handle",
    "RecompileWarning",
    "RecordError",
    "VerifyError",
    "allow_in_graph",
    "as_written",
    "disable",
    "disallow_in_graph",
    "explain",
    "fallbacks",
    "graph_break",
    "profile",
    "pure",
    "reset",
    "reset_fallbacks",
    "run",
]


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
    >>> np.kron(np.ones(2), np.ones(2))
    array([1., 1., 1., 1.])
    >>> np.compiler.fallbacks()
    {'kron': 1}
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
    >>> np.kron(np.ones(1), np.ones(1))
    array([1.])
    >>> np.compiler.reset_fallbacks()
    >>> np.compiler.fallbacks()
    {}
    """
    check_unrecorded("compiler.reset_fallbacks")
    counts.clear()
