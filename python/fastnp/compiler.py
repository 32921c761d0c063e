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
    """How often each function that only NumPy has was called."""
    check_unrecorded("compiler.fallbacks")
    return dict(counts)


def reset_fallbacks() -> None:
    check_unrecorded("compiler.reset_fallbacks")
    counts.clear()
