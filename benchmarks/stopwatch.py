"""How long calls take, in milliseconds: what the benchmarks share."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

Call = Callable[[], Any]


def milliseconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def median(call: Call, rounds: int) -> float:
    """Of calls one right after the other."""
    return statistics.median(milliseconds(call) for _ in range(rounds))


def samples(calls: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """By library. They take turns, so that noise of the machine meets all of them; a turn is a pause, in which the threads of the library before stop
    spinning, a call, and a call that is timed."""
    times: dict[str, list[float]] = {library: [] for library in calls}
    for _ in range(rounds):
        for library, call in calls.items():
            time.sleep(0.02)
            call()
            times[library].append(milliseconds(call))
    return times


def medians(calls: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """By library, of `samples`."""
    return {library: statistics.median(taken) for library, taken in samples(calls, rounds).items()}
