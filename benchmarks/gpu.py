"""fastnp beside torch.compile, JAX and CuPy on a CUDA device: the eight workloads on arrays that are there, one run.

    python benchmarks/gpu.py [--only faq,softmax] [--libraries fastnp,torch,jax,cupy] [--rounds 15] [--json out.json]

Columns: median milliseconds of a call; times faster than the best peer; milliseconds of the first call; bytes that must move a second, as a share of a
copy on the device in the same run; microseconds until an asynchronous call returns; largest relative error against float64 on a part of the data.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np  # noqa: E402  (the setting comes first)
import workloads  # noqa: E402  (as above)

CALLS = 20  # of a round, at least: rounds are as long as the copy's, so that their beginning and end (some 10 microseconds) weigh as little
ROUND_SECONDS = 0.01
PEERS = "fastnp,torch,jax,cupy"


@dataclass
class Case:
    name: str
    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    moved_bytes: int


def cases(only: Collection[str] = ()) -> list[Case]:
    """All of them, or those that are named: data is drawn for these alone."""
    rng = np.random.default_rng(0)
    n, mb = 64_000_000, 4

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    def uniform(low: float, high: float) -> np.ndarray:
        return (rng.random(n, dtype=np.float32) * np.float32(high - low) + np.float32(low)).astype(np.float32)

    def points() -> tuple[np.ndarray, ...]:
        drawn = normal(8192, 3)
        return drawn, drawn[::-1].copy()

    rows, wide_bytes = (32768, 4096), 32768 * 4096 * mb
    made: dict[str, tuple[Callable[[], tuple[np.ndarray, ...]], int]] = {
        "faq": (lambda: (normal(32768, 64), normal(32768, 64)), 2 * 32768 * 64 * mb),
        "blackscholes": (lambda: (uniform(80, 120), uniform(80, 120), uniform(0.1, 2)), 5 * n * mb),
        "softmax": (lambda: (normal(*rows),), 2 * wide_bytes),
        "layernorm": (lambda: (normal(*rows), normal(4096), normal(4096)), 2 * wide_bytes),
        "sumsq": (lambda: (normal(256_000_000),), 256_000_000 * mb),
        "axis0": (lambda: (normal(*rows),), wide_bytes),
        "pairdist": (points, 8192 * 8192 * mb),
        "stencil": (lambda: (normal(8192, 4096),), 2 * 8192 * 4096 * mb),
    }
    return [Case(name, getattr(workloads, name), draw(), moved) for name, (draw, moved) in made.items() if not only or name in only]


@dataclass
class Library:
    """How to call a function on arrays on the device, wait for it, and look at what it gave."""

    call: Callable[[], Any]
    wait: Callable[[Any], None]
    to_numpy: Callable[[Any], np.ndarray]


def with_fastnp(case: Case) -> Library:
    import fastnp

    arguments = [fastnp.asarray(a).to("cuda") for a in case.arguments]
    f = fastnp.compile(lambda *a: case.function(np, *a))
    return Library(lambda: f(*arguments), lambda _: fastnp.cuda.synchronize(), np.asarray)


def with_torch(case: Case) -> Library:
    import torch

    torch.compiler.reset()  # else it takes the sizes of one workload after the other for sizes that vary
    arguments = [torch.from_numpy(a).cuda() for a in case.arguments]
    f = torch.compile(torch.compiler.wrap_numpy(lambda *a: case.function(np, *a)))
    return Library(lambda: f(*arguments), lambda _: torch.cuda.synchronize(), lambda x: x.cpu().numpy())


def with_jax(case: Case) -> Library:
    import jax
    import jax.numpy as jnp

    arguments = [jax.device_put(a) for a in case.arguments]
    f = jax.jit(lambda *a: case.function(jnp, *a))
    return Library(lambda: f(*arguments), lambda made: jax.block_until_ready(made), np.asarray)


def with_cupy(case: Case) -> Library:
    import cupy

    arguments = [cupy.asarray(a) for a in case.arguments]
    return Library(lambda: case.function(cupy, *arguments), lambda _: cupy.cuda.Device().synchronize(), cupy.asnumpy)


LIBRARIES: dict[str, Callable[[Case], Library]] = {"fastnp": with_fastnp, "torch": with_torch, "jax": with_jax, "cupy": with_cupy}


def copy_bandwidth() -> float:
    """Bytes a second of a copy of 1 GiB on the device, read and written: of the fastest of the peers' own copies."""
    best = 0.0
    if importlib.util.find_spec("torch"):
        import torch

        source = torch.ones(1 << 28, dtype=torch.float32, device="cuda")
        target = torch.empty_like(source)
        for _ in range(10):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(CALLS):
                target.copy_(source)
            torch.cuda.synchronize()
            best = max(best, CALLS * 2 * source.numel() * 4 / (time.perf_counter() - start))
        del source, target
        torch.cuda.empty_cache()
    return best


def largest_error(library: Library, made: Any, case: Case) -> float:
    """Of the result's first rows, against float64 on the processor."""
    results = [library.to_numpy(each) for each in (made if isinstance(made, (tuple, list)) else (made,))]
    if case.name in ("sumsq", "axis0"):
        exact: Any = case.function(np, case.arguments[0].astype(np.float64)) if case.name == "axis0" else np.sum(case.arguments[0].astype(np.float64) ** 2)
    elif case.name == "stencil":
        exact = case.function(np, case.arguments[0][:130].astype(np.float64))
    elif case.name == "pairdist":
        exact = case.function(np, case.arguments[0][:64].astype(np.float64), case.arguments[1].astype(np.float64))
    else:
        exact = case.function(
            np, *(a[:128].astype(np.float64) if a.shape[0] == case.arguments[0].shape[0] else a.astype(np.float64) for a in case.arguments)
        )
    worst = 0.0
    for got, want in zip(results, exact if isinstance(exact, tuple) else (exact,), strict=True):
        want = np.asarray(want)
        part = got[: want.shape[0]] if want.ndim else got
        scale = np.maximum(np.abs(want), np.mean(np.abs(want)))
        worst = max(worst, float(np.max(np.abs(part - want) / scale)))
    return worst


@dataclass
class Prepared:
    """A library that has done its first calls; `calls` of them fill a round."""

    library: Library
    calls: int
    first_ms: float
    error: float

    def round(self) -> tuple[float, float]:
        """Seconds a call, and seconds until one returns."""
        made = None
        start = time.perf_counter()
        for _ in range(self.calls):
            made = self.library.call()
        returned = time.perf_counter()
        self.library.wait(made)
        return (time.perf_counter() - start) / self.calls, (returned - start) / self.calls


def prepared(case: Case, name: str, error_of: Callable[[Library, Any, Case], float] = largest_error) -> Prepared:
    library = LIBRARIES[name](case)
    library.wait(())
    start = time.perf_counter()
    made = library.call()
    library.wait(made)
    first = time.perf_counter() - start
    error = error_of(library, made, case)
    for _ in range(3):
        made = library.call()
    library.wait(made)
    taken, _ = Prepared(library, CALLS, 1e3 * first, error).round()
    return Prepared(library, max(CALLS, math.ceil(ROUND_SECONDS / taken)), 1e3 * first, error)


def measure(
    case: Case, names: list[str], rounds: int, bandwidth: float, error_of: Callable[[Library, Any, Case], float] = largest_error
) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for name in names:  # one after the other: arrays of all at once might not fit
        try:
            ready = prepared(case, name, error_of)
            times, returns = zip(*(ready.round() for _ in range(rounds)), strict=True)
            ms = 1e3 * statistics.median(times)
            share = case.moved_bytes / (1e-3 * ms) / bandwidth if bandwidth else 0.0
            call_us = 1e6 * statistics.median(returns)
            figures[name] = {"ms": ms, "first_ms": ready.first_ms, "share_of_copy": share, "call_us": call_us, "error": ready.error}
            del ready
        except Exception as error:  # one that can't run a workload is left out of its row, with its reason
            print(f"  {name} does not run {case.name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
    return figures


def print_row(name: str, figures: dict[str, dict[str, float]]) -> float | None:
    """Of one case; how many times faster fastnp is than the best of the others."""
    peers = {library: each["ms"] for library, each in figures.items() if library != "fastnp"}
    best = min(peers, key=lambda library: peers[library]) if peers else None
    ratio = peers[best] / figures["fastnp"]["ms"] if best and "fastnp" in figures else None
    for library, each in figures.items():
        note = f"{ratio:6.2f} x best peer ({best})" if library == "fastnp" and ratio else ""
        print(
            f"{name:<13} {library:<7} {each['ms']:8.4f} ms   first {each['first_ms']:8.1f} ms   {100 * each['share_of_copy']:6.1f} % of copy   "
            f"returns in {each['call_us']:6.1f} us   error {each['error']:.1e}   {note}",
            flush=True,
        )
    return ratio


def print_mean(ratios: list[float | None]) -> None:
    known = [ratio for ratio in ratios if ratio]
    if known:
        print(f"geometric mean: {statistics.geometric_mean(known):.2f} times the best peer; least {min(known):.2f}")


def compare(doc: str, rounds: int, cases_of: Callable[[Collection[str]], list[Case]], error_of: Callable[[Library, Any, Case], float]) -> None:
    """A benchmark of its own: its options, the cases that they name, and what all libraries take for them."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases, separated by commas")
    parser.add_argument("--libraries", default=PEERS)
    parser.add_argument("--rounds", type=int, default=rounds)
    options = parser.parse_args()
    names = [name for name in options.libraries.split(",") if importlib.util.find_spec(name)]
    bandwidth = copy_bandwidth()
    print(f"copy {bandwidth / 1e9:.0f} GB/s; {', '.join(names)}", flush=True)
    ratios = []
    for case in cases_of(options.only.split(",") if options.only else ()):
        ratios.append(print_row(case.name, measure(case, names, options.rounds, bandwidth, error_of)))
    print_mean(ratios)


def run(only: str, libraries: str, rounds: int, json_path: str) -> None:
    names = [name for name in libraries.split(",") if importlib.util.find_spec(name)]
    bandwidth = copy_bandwidth()
    print(f"copy {bandwidth / 1e9:.0f} GB/s; {', '.join(names)}", flush=True)
    results: dict[str, dict[str, dict[str, float]]] = {}
    ratios = []
    for case in cases(only.split(",") if only else ()):
        results[case.name] = measure(case, names, rounds, bandwidth)
        ratios.append(print_row(case.name, results[case.name]))
    print_mean(ratios)
    os.makedirs(os.path.dirname(json_path) or ".", exist_ok=True)
    with open(json_path, "w", encoding="utf-8") as out:
        json.dump({"copy_bytes_per_second": bandwidth, "results": results}, out, indent=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="workloads, separated by commas")
    parser.add_argument("--libraries", default=PEERS)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", default="build/gpu_benchmarks.json")
    options = parser.parse_args()
    run(options.only, options.libraries, options.rounds, options.json)


if __name__ == "__main__":
    main()
