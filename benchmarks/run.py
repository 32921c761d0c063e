"""fastnp beside NumPy and, where installed, JAX, Numba and torch.compile: the same workloads, one run, the same cores.

    python benchmarks/run.py [--only faq,softmax] [--libraries fastnp,numpy,jax] [--rounds 15] [--json out.json] [--png out.png]
    python benchmarks/run.py --report [...]    measures all and writes benchmarks/RESULTS.md (report.py says how)

Columns: median milliseconds; times faster than the best peer; milliseconds of the first call; gigabytes a second as a share of a copy by all threads
in the same run; largest relative error against float64.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

THREADS = len(os.sched_getaffinity(0))
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "FASTNP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, str(THREADS))

import numpy as np  # noqa: E402  (the thread counts come first)
from stopwatch import Call  # noqa: E402  (as above)
from turns import in_turns  # noqa: E402  (as above)
from workloads import Workload, make  # noqa: E402  (as above)


def fastnp_call(work: Workload) -> Call:
    import fastnp

    f = fastnp.compile(lambda *arguments: work.function(np, *arguments))
    return lambda: f(*work.arguments)


def numpy_call(work: Workload) -> Call:
    return lambda: work.function(np, *work.arguments)


def jax_call(work: Workload) -> Call:
    import jax
    import jax.numpy as jnp

    f = jax.jit(lambda *arguments: work.function(jnp, *arguments))
    arguments = [jax.device_put(a) for a in work.arguments]
    return lambda: jax.block_until_ready(f(*arguments))


def numba_call(work: Workload) -> Call:
    from numba_loops import LOOPS

    f = LOOPS[work.name]
    return lambda: f(*work.arguments)


def torch_call(work: Workload) -> Call:
    import torch

    torch.set_num_threads(THREADS)
    torch.compiler.reset()  # else it takes the sizes of one workload after the other for sizes that vary
    f = torch.compile(lambda *arguments: work.function(np, *arguments))
    return lambda: f(*work.arguments)


MAKERS: dict[str, Callable[[Workload], Call]] = {
    "fastnp": fastnp_call,
    "numpy": numpy_call,
    "jax": jax_call,
    "numba": numba_call,
    "torch": torch_call,
}


def as_tuple(result: Any) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(part) for part in (result if isinstance(result, (tuple, list)) else (result,)))


def exact(work: Workload) -> tuple[np.ndarray, ...]:
    """Its result in float64."""
    return as_tuple(work.function(np, *(a.astype(np.float64) for a in work.arguments)))


def relative_error(result: Any, wanted: tuple[np.ndarray, ...]) -> float:
    """Largest |result - float64 result| over max(|float64 result|, its mean magnitude)."""
    worst = 0.0
    for got, want in zip(as_tuple(result), wanted, strict=True):
        scale = np.maximum(np.abs(want), np.mean(np.abs(want)))
        worst = max(worst, float(np.max(np.abs(got - want) / scale)))
    return worst


def copy_bandwidth() -> float:
    """Bytes a second of a copy of 256 MB by all threads, read and written."""
    source = np.ones(64_000_000, np.float32)
    target = np.empty_like(source)
    target[:] = 0
    parts = np.array_split(np.arange(source.size), THREADS)
    slices = [slice(int(p[0]), int(p[-1]) + 1) for p in parts]
    best = 0.0
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(7):
            start = time.perf_counter()
            list(pool.map(lambda s: np.copyto(target[s], source[s]), slices))
            best = max(best, 2 * source.nbytes / (time.perf_counter() - start))
    return best


def measure(work: Workload, libraries: list[str], rounds: int, bandwidth: float) -> dict[str, dict[str, float]]:
    """Figures by library."""
    wanted = exact(work)
    makers = {library: partial(MAKERS[library], work) for library in libraries}
    taken, refused = in_turns(makers, lambda _, result: relative_error(result, wanted), rounds)
    for library, why in refused.items():
        print(f"  {library} does not run {work.name}: {why}")
    return {
        library: {
            "first_ms": each.first_ms,
            "error": each.error,
            "ms": each.ms,
            "share_of_copy": work.moved_bytes / (1e-3 * each.ms) / bandwidth,
        }
        for library, each in taken.items()
    }


def print_row(name: str, figures: dict[str, dict[str, float]]) -> float | None:
    peers = {k: v["ms"] for k, v in figures.items() if k != "fastnp"}
    best = min(peers, key=lambda k: peers[k]) if peers else None
    ratio = peers[best] / figures["fastnp"]["ms"] if best and "fastnp" in figures else None
    for library, f in figures.items():
        note = f"{ratio:6.2f} x best peer ({best})" if library == "fastnp" and ratio else ""
        print(
            f"{name:<13} {library:<8} {f['ms']:10.3f} ms   first {f['first_ms']:9.1f} ms   {100 * f['share_of_copy']:6.1f} % of copy   "
            f"error {f['error']:.1e}   {note}"
        )
    return ratio


def draw(results: dict[str, dict[str, dict[str, float]]], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    libraries = list(dict.fromkeys(library for figures in results.values() for library in figures))
    figure, axes = plt.subplots(figsize=(11, 4.5))
    width = 0.8 / len(libraries)
    for i, library in enumerate(libraries):
        bars = [figures[library]["ms"] / figures["fastnp"]["ms"] if library in figures else 0 for figures in results.values()]
        axes.bar([k + i * width for k in range(len(results))], bars, width, label=library)
    axes.set_yscale("log")
    axes.set_xticks([k + 0.4 - width / 2 for k in range(len(results))], list(results))
    axes.set_ylabel("time relative to fastnp (lower is faster)")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.legend(ncols=len(libraries), frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    if "--report" in sys.argv[1:]:
        import report

        return report.main([word for word in sys.argv[1:] if word != "--report"])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="workloads, separated by commas")
    parser.add_argument("--libraries", default="fastnp,numpy,jax,numba,torch")
    parser.add_argument("--device", default="cpu", help="cuda: what benchmarks/gpu.py does, with its libraries")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", default="build/benchmarks.json")
    parser.add_argument("--png", default="build/benchmarks.png")
    options = parser.parse_args()
    if options.device != "cpu":
        import gpu

        chosen = options.libraries if options.libraries != parser.get_default("libraries") else gpu.PEERS
        return gpu.run(options.only, chosen, options.rounds, options.json)

    libraries = [name for name in options.libraries.split(",") if importlib.util.find_spec(name)]
    bandwidth = copy_bandwidth()
    print(f"{platform.processor() or platform.machine()}, {THREADS} threads, copy {bandwidth / 1e9:.1f} GB/s; {', '.join(libraries)}")
    results: dict[str, dict[str, dict[str, float]]] = {}
    ratios = []
    for work in make():
        if options.only and work.name not in options.only.split(","):
            continue
        results[work.name] = measure(work, libraries, options.rounds, bandwidth)
        ratio = print_row(work.name, results[work.name])
        if ratio:
            ratios.append(ratio)
    if ratios:
        print(f"geometric mean: {statistics.geometric_mean(ratios):.2f} times the best peer; least {min(ratios):.2f}")
    os.makedirs(os.path.dirname(options.json) or ".", exist_ok=True)
    with open(options.json, "w", encoding="utf-8") as out:
        json.dump({"threads": THREADS, "copy_bytes_per_second": bandwidth, "results": results}, out, indent=1)
    if importlib.util.find_spec("matplotlib") and "fastnp" in libraries:
        draw(results, options.png)


if __name__ == "__main__":
    main()
