"""Libraries that take turns at one piece of work: first calls, errors, and the milliseconds of the calls after them."""

from __future__ import annotations

import contextlib
import signal
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stopwatch import Call, samples


@dataclass
class Taken:
    first_ms: float
    error: float
    samples: list[float]

    @property
    def ms(self) -> float:
        return statistics.median(self.samples)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """A TimeoutError for what takes longer (0: for nothing), as soon as Python runs."""

    def ring(*_: Any) -> None:
        raise TimeoutError(f"no first result within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def reason(error: Exception) -> str:
    """In a line: its kind, and the first line of what it says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def in_turns(
    makers: Mapping[str, Callable[[], Call]], error_of: Callable[[str, Any], float], rounds: int, patience: float = 0
) -> tuple[dict[str, Taken], dict[str, str]]:
    """By library: what it took; and why others, which can't do the work, are left out."""
    calls: dict[str, Call] = {}
    begun: dict[str, tuple[float, float]] = {}
    refused: dict[str, str] = {}
    for library, make in makers.items():
        start = time.perf_counter()
        try:
            with within(patience):
                call = make()
                start = time.perf_counter()
                result = call()
                first = time.perf_counter() - start
        except Exception as error:  # of any kind: they are the peers' own
            late = patience and time.perf_counter() - start >= patience
            refused[library] = f"no first result within {patience:g} s" if late else reason(error)
            continue
        begun[library] = 1e3 * first, error_of(library, result)
        calls[library] = call
        call()
    return {library: Taken(*begun[library], taken) for library, taken in samples(calls, rounds).items()}, refused
