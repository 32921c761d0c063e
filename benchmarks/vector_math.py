"""Elementary functions of vectors: the C library's (libmvec) and xsimd's, beside NumPy's, one thread.

    python benchmarks/vector_math.py [--json FILE]

A table of nanoseconds an element, for 16,384 elements (in the cache), the least of many calls; the last line is a copy's, which nothing beats. Each
choice is a process of its own, since the choice is made once (FASTNP_VECTOR_MATH).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ELEMENTS = 16_384
RANGES = {
    "exp": (-10, 10), "exp2": (-10, 10), "expm1": (-2, 2), "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100), "log1p": (-0.5, 10),
    "sin": (-30, 30), "cos": (-30, 30), "tan": (-30, 30), "arcsin": (-1, 1), "arccos": (-1, 1), "arctan": (-5, 5), "sinh": (-5, 5), "cosh": (-5, 5),
    "tanh": (-5, 5), "arcsinh": (-5, 5), "arccosh": (1, 10), "arctanh": (-0.9, 0.9), "cbrt": (-100, 100), "copy": (0, 1),
}  # fmt: skip


def least(call: Callable[[], Any]) -> float:
    """Nanoseconds an element."""
    best = float("inf")
    until = time.perf_counter() + 0.05
    while time.perf_counter() < until:
        start = time.perf_counter_ns()
        call()
        best = min(best, time.perf_counter_ns() - start)
    return best / ELEMENTS


def measure(package: str) -> dict[str, float]:
    import numpy

    if package == "numpy":
        np: Any = numpy
    else:
        import fastnp

        np = fastnp
    times = {}
    for dtype in ("float32", "float64"):
        for name, (low, high) in RANGES.items():
            x = np.asarray(numpy.random.default_rng(1).uniform(low, high, ELEMENTS).astype(dtype))
            out = np.empty_like(x)
            function = np.positive if name == "copy" else getattr(np, name)
            times[f"{name} {dtype}"] = least(lambda function=function, x=x, out=out: function(x, out=out))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--of")
    given = parser.parse_args()
    if given.of:
        print(json.dumps(measure(given.of)))
        return
    columns = {}
    for title, package, choice in (("libmvec", "fastnp", "libmvec"), ("xsimd", "fastnp", "xsimd"), ("numpy", "numpy", "")):
        environment = {**os.environ, "FASTNP_NUM_THREADS": "1", "FASTNP_VECTOR_MATH": choice}
        done = subprocess.run([sys.executable, __file__, "--of", package], env=environment, capture_output=True, text=True, check=True)
        columns[title] = json.loads(done.stdout)
    print(f"{'ns an element':18}" + "".join(f"{title:>10}" for title in columns) + f"{'libmvec / xsimd':>18}")
    for name in columns["numpy"]:
        row = [columns[title][name] for title in columns]
        print(f"{name:18}" + "".join(f"{time:10.2f}" for time in row) + f"{row[0] / row[1]:18.2f}")
    if given.json:
        with open(given.json, "w") as file:
            json.dump(columns, file, indent=1)


if __name__ == "__main__":
    main()
