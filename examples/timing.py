"""What the Python examples share: a median time, and a line of results."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def median_ms(call: Callable[[], Any], repeats: int = 15) -> float:
    """Milliseconds of one call, the median of several."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def report(name: str, numpy: float, compiled: float, error: float) -> None:
    """One line: NumPy's time, the compiled one, their ratio, and how far the results are apart."""
    print(f"{name:<24} NumPy {numpy:9.3f} ms   compiled {compiled:9.3f} ms   {numpy / compiled:6.1f} x   largest difference {error:.1e}")
