"""Looking into what fastnp does: what went to NumPy, and what a function was compiled to."""

from __future__ import annotations

from fastnp._core import CompiledFunction, RecordError
from fastnp._explain import Explanation, explain
from fastnp._fallback import FallbackError, FallbackWarning, counts

__all__ = ["CompiledFunction", "Explanation", "FallbackError", "FallbackWarning", "RecordError", "explain", "fallbacks", "reset_fallbacks"]


def fallbacks() -> dict[str, int]:
    """How often each function that only NumPy has was called."""
    return dict(counts)


def reset_fallbacks() -> None:
    counts.clear()
