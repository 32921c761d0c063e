"""Functions outside of compiled functions on the processor, beside NumPy: of 1,000 elements and of 1e6, on one thread and on two.

    build/venv/bin/python benchmarks/eager_cpu.py [--json FILE] [--plot FILE] [NAME ...]

Microseconds of a call by the clock, the best of rounds in which both libraries take turns; NumPy's are its own on its own arrays. Each number of threads
has a process of its own. The last lines name what is above the bounds: 1.1 times NumPy on one thread, 1 on two (of 1e6 elements), 1.3 of small arrays.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy

SIZES = (1000, 1000000)
BOUNDS = {1: {1000: 1.3, 1000000: 1.1}, 2: {1000: 1.3, 1000000: 1.0}}
Make = Callable[[Any, dict[str, Any]], Callable[[], Any]]


def data(library: Any, size: int) -> dict[str, Any]:
    """Arrays of one axis with so many elements, and of two; numbers; the same of both libraries."""
    rng = numpy.random.default_rng(0)
    side = math.isqrt(size)
    made = {
        "x": rng.normal(size=size),
        "y": rng.random(size) + 0.5,
        "f": rng.normal(size=size).astype("f4"),
        "g": rng.random(size).astype("f4") + 1,
        "i": rng.integers(1, 1000, size),
        "j": rng.integers(1, 100, size),
        "k": rng.integers(0, size, size),
        "m": rng.random(size) < 0.3,
        "z": rng.normal(size=size) + 1j * rng.normal(size=size),
        "A": rng.normal(size=(side, side)),
        "B": rng.normal(size=(side, side)),
        "u": rng.integers(0, 256, size).astype("u1"),
    }
    made["s"] = numpy.sort(made["x"])
    made["r"] = rng.integers(0, side, side)
    made["mr"] = rng.random(side) < 0.3
    return {name: library.asarray(each) for name, each in made.items()}


FUNCTIONS: dict[str, Make] = {
    "x + y": lambda np, d: lambda: d["x"] + d["y"],
    "x * 2.5": lambda np, d: lambda: d["x"] * 2.5,
    "f / g": lambda np, d: lambda: d["f"] / d["g"],
    "x > y": lambda np, d: lambda: d["x"] > d["y"],
    "x ** 2": lambda np, d: lambda: d["x"] ** 2,
    "y ** 1.5": lambda np, d: lambda: d["y"] ** 1.5,
    "i + j": lambda np, d: lambda: d["i"] + d["j"],
    "i // j": lambda np, d: lambda: d["i"] // d["j"],
    "i // 7": lambda np, d: lambda: d["i"] // 7,
    "i % j": lambda np, d: lambda: d["i"] % d["j"],
    "x % 1": lambda np, d: lambda: d["x"] % 1.0,
    "abs": lambda np, d: lambda: np.abs(d["x"]),
    "sqrt": lambda np, d: lambda: np.sqrt(d["y"]),
    "exp": lambda np, d: lambda: np.exp(d["x"]),
    "exp of float32": lambda np, d: lambda: np.exp(d["f"]),
    "log": lambda np, d: lambda: np.log(d["y"]),
    "sin": lambda np, d: lambda: np.sin(d["x"]),
    "tanh": lambda np, d: lambda: np.tanh(d["x"]),
    "arctan2": lambda np, d: lambda: np.arctan2(d["x"], d["y"]),
    "hypot": lambda np, d: lambda: np.hypot(d["x"], d["y"]),
    "maximum": lambda np, d: lambda: np.maximum(d["x"], d["y"]),
    "clip": lambda np, d: lambda: np.clip(d["x"], -0.5, 0.5),
    "round": lambda np, d: lambda: np.round(d["x"], 2),
    "where": lambda np, d: lambda: np.where(d["m"], d["x"], d["y"]),
    "isnan": lambda np, d: lambda: np.isnan(d["x"]),
    "m & m": lambda np, d: lambda: d["m"] & d["m"],
    "astype": lambda np, d: lambda: d["x"].astype("f4"),
    "z * z": lambda np, d: lambda: d["z"] * d["z"],
    "abs of complex": lambda np, d: lambda: np.abs(d["z"]),
    "sum": lambda np, d: lambda: d["x"].sum(),
    "sum(axis=0)": lambda np, d: lambda: d["A"].sum(axis=0),
    "sum(axis=1)": lambda np, d: lambda: d["A"].sum(axis=1),
    "mean": lambda np, d: lambda: d["f"].mean(),
    "var": lambda np, d: lambda: d["x"].var(),
    "max": lambda np, d: lambda: d["x"].max(),
    "argmax": lambda np, d: lambda: d["x"].argmax(),
    "argmax of float32": lambda np, d: lambda: d["f"].argmax(),
    "argmin(axis=1)": lambda np, d: lambda: d["A"].argmin(axis=1),
    "any": lambda np, d: lambda: (d["m"]).any(),
    "count_nonzero": lambda np, d: lambda: np.count_nonzero(d["m"]),
    "count_nonzero of x": lambda np, d: lambda: np.count_nonzero(d["x"]),
    "cumsum": lambda np, d: lambda: d["x"].cumsum(),
    "cumprod(axis=0)": lambda np, d: lambda: d["A"].cumprod(axis=0),
    "diff": lambda np, d: lambda: np.diff(d["x"]),
    "median": lambda np, d: lambda: np.median(d["x"]),
    "percentile": lambda np, d: lambda: np.percentile(d["x"], [5, 50, 95]),
    "sort": lambda np, d: lambda: np.sort(d["x"]),
    "sort of float32": lambda np, d: lambda: np.sort(d["f"]),
    "sort of ints": lambda np, d: lambda: np.sort(d["i"]),
    "sort of bytes": lambda np, d: lambda: np.sort(d["u"]),
    "sort(axis=0)": lambda np, d: lambda: np.sort(d["A"], axis=0),
    "argsort": lambda np, d: lambda: np.argsort(d["x"]),
    "argsort of ints": lambda np, d: lambda: np.argsort(d["i"]),
    "stable argsort": lambda np, d: lambda: np.argsort(d["x"], kind="stable"),
    "partition": lambda np, d: lambda: np.partition(d["x"], len(d["x"]) // 2),
    "unique": lambda np, d: lambda: np.unique(d["i"]),
    "unique of floats": lambda np, d: lambda: np.unique(d["x"]),
    "unique counts": lambda np, d: lambda: np.unique(d["i"], return_counts=True),
    "searchsorted": lambda np, d: lambda: np.searchsorted(d["s"], d["y"]),
    "isin": lambda np, d: lambda: np.isin(d["i"], d["j"]),
    "bincount": lambda np, d: lambda: np.bincount(d["i"]),
    "histogram": lambda np, d: lambda: np.histogram(d["x"], 50),
    "nonzero": lambda np, d: lambda: np.nonzero(d["m"]),
    "x[m]": lambda np, d: lambda: d["x"][d["m"]],
    "x[m] = 0": lambda np, d: lambda: d["y"].__setitem__(d["m"], 0.75),
    "x[k]": lambda np, d: lambda: d["x"][d["k"]],
    "x[k] = y": lambda np, d: lambda: d["g"].__setitem__(d["k"], d["f"]),
    "x[k2]": lambda np, d: lambda: d["x"][d["k"].reshape(-1, 10)],
    "A[:, r]": lambda np, d: lambda: d["A"][:, d["r"]],
    "A[r[:, None], r]": lambda np, d: lambda: d["A"][d["r"][:, None], d["r"]],
    "A[:, r] = 0": lambda np, d: lambda: d["B"].__setitem__((slice(None), d["r"]), 0.75),
    "A[mr]": lambda np, d: lambda: d["A"][d["mr"]],
    "add.at": lambda np, d: lambda: np.add.at(d["g"], d["k"], 1.0),
    "bincount of weights": lambda np, d: lambda: np.bincount(d["i"], d["x"]),
    "histogram2d": lambda np, d: lambda: np.histogram2d(d["x"], d["y"], 20),
    "take": lambda np, d: lambda: np.take(d["x"], d["k"]),
    "x[::2]": lambda np, d: lambda: d["x"][::2] + 1,
    "copy": lambda np, d: lambda: d["x"].copy(),
    "A.T.copy()": lambda np, d: lambda: d["A"].T.copy(),
    "concatenate": lambda np, d: lambda: np.concatenate([d["x"], d["y"]]),
    "stack": lambda np, d: lambda: np.stack([d["x"], d["y"]], axis=1),
    "roll": lambda np, d: lambda: np.roll(d["x"], 3),
    "pad": lambda np, d: lambda: np.pad(d["A"], 1),
    "repeat": lambda np, d: lambda: np.repeat(d["x"], 3),
    "tile": lambda np, d: lambda: np.tile(d["x"], 3),
    "linspace": lambda np, d: lambda: np.linspace(0.0, 1.0, len(d["x"])),
    "arange": lambda np, d: lambda: np.arange(len(d["x"])),
    "zeros": lambda np, d: lambda: np.zeros(len(d["x"])),
    "dot": lambda np, d: lambda: np.dot(d["x"], d["y"]),
    "A @ B": lambda np, d: lambda: d["A"] @ d["B"],
    "A @ x": lambda np, d: lambda: d["A"] @ d["B"][0],
    "norm": lambda np, d: lambda: np.linalg.norm(d["x"]),
    "norm(axis=1)": lambda np, d: lambda: np.linalg.norm(d["A"], axis=1),
    "einsum": lambda np, d: lambda: np.einsum("ij,ij->i", d["A"], d["B"]),
    "outer": lambda np, d: lambda: np.outer(d["A"][0], d["B"][0]),
    "fft": lambda np, d: lambda: np.fft.fft(d["x"]),
    "interp": lambda np, d: lambda: np.interp(d["y"], d["s"], d["x"]),
    "convolve": lambda np, d: lambda: np.convolve(d["x"], d["y"][:9], "same"),
    "gradient": lambda np, d: lambda: np.gradient(d["x"]),
    "allclose": lambda np, d: lambda: np.allclose(d["x"], d["x"]),
    "cov": lambda np, d: lambda: np.cov(d["A"][:10]),
    "nansum": lambda np, d: lambda: np.nansum(d["x"]),
    "random.random": lambda np, d: lambda: np.random.random(len(d["x"])),
    "standard_normal": lambda np, d: lambda: np.random.default_rng(3).standard_normal(len(d["x"])),
}
# Of no size: what loops over elements pay.
CALLS: dict[str, Make] = {
    "x[3]": lambda np, d: lambda: d["x"][3],
    "x[3] = 1": lambda np, d: lambda: d["y"].__setitem__(3, 1.0),
    "A[3, 4]": lambda np, d: lambda: d["A"][3, 4],
    "A[3]": lambda np, d: lambda: d["A"][3],
    "x[3] + 1": lambda np, d: lambda: d["x"][3] + 1.0,
    "for v in x": lambda np, d: lambda: list(d["x"][:100]),
    "for row in A": lambda np, d: lambda: list(d["A"]),
    "x[:3] += 1": lambda np, d: lambda: d["x"][:3].__iadd__(0.0),
    "random.rand()": lambda np, d: lambda: np.random.rand(),
    "x.tolist()": lambda np, d: lambda: d["x"].tolist(),
    "float(x[3])": lambda np, d: lambda: float(d["x"][3]),
    "np.array of a list": lambda np, d: lambda: np.array([1.0, 2.0, 3.0]),
}


def best_of(calls: list[Callable[[], Any]], seconds: float = 0.25) -> list[float]:
    """Microseconds of each: the calls take turns, in rounds of as many calls as take 0.2 ms."""
    for call in calls:
        call()
    counts = []
    for call in calls:
        start = time.perf_counter()
        call()
        counts.append(max(1, int(2e-4 / max(time.perf_counter() - start, 1e-7))))
    found = [math.inf] * len(calls)
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 5 or time.perf_counter() < end:
        rounds += 1
        for place, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(counts[place]):
                call()
            found[place] = min(found[place], (time.perf_counter() - start) / counts[place] * 1e6)
    return found


def measured(names: list[str]) -> list[dict[str, Any]]:
    import fastnp

    warnings.simplefilter("ignore")
    threads = int(os.environ["FASTNP_NUM_THREADS"])
    rows = []
    for size in SIZES:
        mine, theirs = data(fastnp, size), data(numpy, size)
        for name, make in {**FUNCTIONS, **(CALLS if size == SIZES[0] else {})}.items():
            if names and name not in names:
                continue
            ours, numpys = best_of([make(fastnp, mine), make(numpy, theirs)])
            rows.append({"name": name, "size": size, "threads": threads, "fastnp": ours, "numpy": numpys})
    return rows


def plot(rows: list[dict[str, Any]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row["name"] for row in rows))
    figure, axes = plt.subplots(figsize=(9, 0.19 * len(names) + 1))
    marks = {(1000, 1): ("o", "1,000 elements"), (1000000, 1): ("s", "1e6, one thread"), (1000000, 2): ("x", "1e6, two threads")}
    for (size, threads), (mark, label) in marks.items():
        chosen = [row for row in rows if (row["size"], row["threads"]) == (size, threads)]
        axes.plot([row["fastnp"] / row["numpy"] for row in chosen], [names.index(row["name"]) for row in chosen], mark, label=label, markersize=4)
    axes.set(xscale="log", xlabel="times NumPy's time", yticks=range(len(names)), yticklabels=names, ylim=(-1, len(names)))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--json")
    options.add_argument("--plot")
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.child:
        print(json.dumps(measured(chosen.names)))
        return
    rows: list[dict[str, Any]] = []
    for threads in BOUNDS:
        environment = {**os.environ, "FASTNP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
        done = subprocess.run([sys.executable, __file__, "--child", *chosen.names], env=environment, stdout=subprocess.PIPE, text=True, check=True)
        rows += json.loads(done.stdout.splitlines()[-1])
    print(f"{'':22} {'elements':>8} {'threads':>7} {'fastnp us':>10} {'NumPy us':>10} {'times NumPy':>11}")
    above = []
    for row in rows:
        ratio = row["fastnp"] / row["numpy"]
        is_above = ratio > BOUNDS[row["threads"]][row["size"]]
        above += [row["name"]] if is_above else []
        print(
            f"{row['name']:22} {row['size']:8} {row['threads']:7} {row['fastnp']:10.2f} {row['numpy']:10.2f} {ratio:11.2f}{'  above' if is_above else ''}"
        )
    print(f"{len(above)} of {len(rows)} above the bounds: {', '.join(dict.fromkeys(above)) or 'none'}")
    if chosen.json:
        pathlib.Path(chosen.json).write_text(json.dumps(rows, indent=1) + "\n")
    if chosen.plot:
        plot(rows, chosen.plot)


if __name__ == "__main__":
    main()
