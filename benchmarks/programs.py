"""Whole programs of many small functions (program_texts/), compiled and as written: the first call, and the calls after it.

    python benchmarks/programs.py [--json FILE] [NAME ...]

Each way has a process of its own; the compiled program has two, one with an empty cache folder, and
one that finds there what the other left. A row is marked where the first call takes more than 1.1
times the time as written and 150 ms, or where later ones take more than 1.02 times (what other work
of the machine does to them is taken out by measuring such a row a second time).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stdout
from typing import Any

FEW, MANY = 20, 50  # calls: of programs whose call takes over 50 ms, and of others
HERE = pathlib.Path(__file__).resolve().parent


def programs() -> dict[str, Any]:
    from program_texts import PROGRAMS  # children alone need them

    return PROGRAMS


def times_of(name: str, how: str) -> list[float]:
    """Seconds of each call."""
    entry, make = programs()[name]
    if how == "compiled":
        import fastnp

        entry = fastnp.compile(entry)
    spent: list[float] = []
    warnings.simplefilter("ignore")
    while len(spent) < (FEW if spent and min(spent) > 0.05 else MANY):
        arguments = make()
        with redirect_stdout(io.StringIO()):
            begin = time.perf_counter()
            entry(*arguments)
            spent.append(time.perf_counter() - begin)
    return spent


def same(a: Any, b: Any) -> bool:
    import numpy

    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (numpy.ndarray, numpy.generic, float, complex)):
        if numpy.asarray(a).dtype.kind not in "biufc":
            return bool(numpy.all(a == b))
        return type(a) is type(b) and numpy.shape(a) == numpy.shape(b) and numpy.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    return type(a) is type(b) and (a == b or not isinstance(a, (int, str)))


def is_right(name: str) -> bool:
    """Whether the compiled program gives, call by call, what the program gives."""
    import fastnp

    warnings.simplefilter("ignore")
    entry, make = programs()[name]
    compiled = fastnp.compile(entry)
    with redirect_stdout(io.StringIO()):
        return all(same(entry(*make()), compiled(*make())) for _ in range(4))


def child(name: str, how: str, cache: str) -> Any:
    surroundings = {**os.environ, "FASTNP_CACHE_DIR": cache}
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, __file__, "--one", name, how], env=surroundings, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}, {how}: {done.stderr[-800:]}")
    return json.loads(done.stdout.splitlines()[-1])


def later(spent: list[float]) -> float:
    return statistics.median(spent[len(spent) // 2 :])


def row_of(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as cache:
        written, cold, warm = child(name, "written", ""), child(name, "compiled", cache), child(name, "compiled", cache)
        right = child(name, "checked", "")
    row: dict[str, Any] = {
        "name": name,
        "written_ms": later(written) * 1e3,
        "compiled_ms": min(later(cold), later(warm)) * 1e3,
        "cold_ms": cold[0] * 1e3,
        "warm_ms": warm[0] * 1e3,
        "totals": {count: sum(cold[:count]) / sum(written[:count]) for count in (1, 5, len(cold)) if count <= min(len(cold), len(written))},
        "right": right,
    }
    row["ratio"] = row["compiled_ms"] / row["written_ms"]
    first = 1.1 * written[0] * 1e3 + 150
    row["late"] = row["cold_ms"] > first or row["warm_ms"] > first
    row["slower"] = row["ratio"] > 1.02
    return row


def measured(name: str) -> dict[str, Any]:
    row = row_of(name)
    if row["late"] or row["slower"]:
        again = row_of(name)
        row = min((row, again), key=lambda each: (each["late"] + each["slower"], each["ratio"]))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    sys.path.insert(0, str(HERE))
    if chosen.one:
        name, how = chosen.one
        print(json.dumps(is_right(name) if how == "checked" else times_of(name, how)))
        return
    rows = []
    print(f"{'program':14}{'as written':>12}{'compiled':>10}{'ratio':>7}{'first, cold':>13}{'warm':>8} ms   totals of calls, cold")
    for name in chosen.names or programs():
        try:
            row = measured(name)
        except RuntimeError as error:
            print(f"{name:14}FAILED {error}")
            continue
        rows.append(row)
        marks = ("" if row["right"] else " WRONG") + (" late" if row["late"] else "") + (" slower" if row["slower"] else "")
        totals = "  ".join(f"{count}: {ratio:.2f}" for count, ratio in row["totals"].items())
        figures = f"{row['written_ms']:12.2f}{row['compiled_ms']:10.2f}{row['ratio']:7.2f}{row['cold_ms']:13.1f}{row['warm_ms']:8.1f}"
        print(f"{name:14}{figures}      {totals}{marks}", flush=True)
    if rows:
        mean = statistics.geometric_mean(row["ratio"] for row in rows)
        print(f"{len(rows)} programs, compiled {mean:.2f} times as written in geometric mean")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
