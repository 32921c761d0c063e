"""The parts of a report, each measured in a process of its own: report.py starts `python benchmarks/parts.py PART --out FILE`.

A part has the machine's limits in its own units, and rows: of each library its median milliseconds, the calls that these are of, the first call's, the
largest error, and what share of the limit it reached; or why it does not do the work.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

Row = dict[str, Any]
Part = dict[str, Any]


def there(libraries: str, known: Sequence[str]) -> list[str]:
    """Of the known ones those that are asked for (nothing: all) and installed."""
    asked = libraries.split(",") if libraries else known
    return [name for name in known if name in asked and importlib.util.find_spec(name)]


def chosen(names: Iterable[str], only: str) -> list[str]:
    return [name for name in names if not only or name in only.split(",")]


def rounded(value: float) -> float:
    return float(f"{value:.5g}")


def row(name: str, taken: dict[str, Any], refused: dict[str, str], limit: str = "", least_ms: float = 0.0) -> Row:
    """`least_ms`: what the limit alone would take."""
    libraries: dict[str, Any] = {}
    for library, each in taken.items():
        libraries[library] = {"ms": rounded(each.ms), "first_ms": rounded(each.first_ms), "error": rounded(each.error)}
        if limit:
            libraries[library]["share"] = rounded(least_ms / each.ms)
        libraries[library]["samples"] = [rounded(ms) for ms in each.samples]
    libraries |= {library: {"refused": why} for library, why in refused.items()}
    print(f"{name:<20}" + "".join(f" {library} {each.get('ms', '-')}" for library, each in libraries.items()), flush=True)
    return {"name": name, "limit": limit, "libraries": libraries}


def fastest(calls: Iterable[Callable[[], Any]], times: int = 7) -> float:
    """Seconds of the best call of all, after one that is not timed."""
    best = math.inf
    for call in calls:
        call()
        for _ in range(times):
            start = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - start)
    return best


def product_peak(size: int = 4096) -> float:
    """Operations a second of the fastest product of float32 matrices of the libraries that are there, on the processor."""
    import numpy

    a = numpy.random.default_rng(0).standard_normal((size, size), dtype=numpy.float32)
    calls: list[Callable[[], Any]] = [lambda: a @ a]
    if importlib.util.find_spec("torch"):
        import torch

        t = torch.from_numpy(a)
        calls.append(lambda: t @ t)
    return 2 * size**3 / fastest(calls)


def cpu(options: argparse.Namespace) -> Part:
    import run
    import workloads
    from turns import in_turns

    libraries = there(options.libraries, ("fastnp", "numpy", "jax", "numba", "torch"))
    rng, size = run.np.random.default_rng(0), 2048
    matrices = tuple(rng.standard_normal((2, size, size), dtype=run.np.float32))
    works = [*workloads.make(), workloads.Workload("matmul", workloads.matmul, matrices, 2 * size**3)]
    names = chosen([work.name for work in works], options.only)
    limit_of = {name: "product" if name == "matmul" else "copy" for name in names}
    limits = {limit: peak() for limit, peak in (("copy", run.copy_bandwidth), ("product", product_peak)) if limit in limit_of.values()}
    rows = []
    for name in names:
        work = next(each for each in works if each.name == name)
        makers = {library: partial(run.MAKERS[library], work) for library in libraries}
        error_of = partial(lambda wanted, _, result: run.relative_error(result, wanted), run.exact(work))
        taken, refused = in_turns(makers, error_of, options.rounds, options.patience)
        limit = limit_of[name]
        rows.append(row(name, taken, refused, limit, 1e3 * work.moved_bytes / limits[limit]))
    return {"libraries": libraries, "threads": run.THREADS, "limits": limits, "rows": rows}


def gradients(options: argparse.Namespace) -> Part:
    import gradients as of
    from turns import in_turns

    libraries = there(options.libraries, ("fastnp", "jax", "torch"))
    works = {work.name: work for work in of.make()}
    rows = []
    for name in chosen(works, options.only):
        work = works[name]
        wanted: list[Any] = []

        def error_of(_: str, result: Any, wanted: list[Any] = wanted) -> float:
            if not wanted:
                wanted.extend(of.np.array(each) for each in of.flat(result))
            return of.difference(result, wanted)

        makers = {library: partial(of.MAKERS[library], work) for library in libraries if library != "torch" or work.of_jax is None}
        rows.append(row(name, *in_turns(makers, error_of, options.rounds, options.patience)))
    return {"libraries": libraries, "threads": of.THREADS, "limits": {}, "rows": rows}


def loops(options: argparse.Namespace) -> Part:
    """By loops.py: each library in a process of its own, the best of several calls."""
    os.environ["FASTNP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(len(os.sched_getaffinity(0)))
    import loops as of

    libraries = there(options.libraries, ("fastnp", "numba", "jax"))
    of.warnings.simplefilter("ignore")
    of.has_jax = "jax" in libraries
    of.fastnp.compile(of.loops.while_count)(3)  # the code generator's first use
    known = {function.__name__: (function, arguments) for function, arguments in of.programs(False)}
    rows = []
    for name in chosen(known, options.only):
        found = of.measured(*known[name])
        keys = {"fastnp": ("compiled", "first"), "python": ("written", ""), "numba": ("numba", "numba first"), "jax": ("jax", "jax first")}
        figures = {
            library: {"ms": rounded(found[ms])} | ({"first_ms": rounded(found[first])} if first else {})
            for library, (ms, first) in keys.items()
            if ms in found
        }
        print(f"{name:<20}" + "".join(f" {library} {each['ms']}" for library, each in figures.items()), flush=True)
        rows.append({"name": name, "limit": "", "libraries": figures})
    return {"libraries": [*libraries, "python"], "threads": len(os.sched_getaffinity(0)), "limits": {}, "rows": rows}


class OnDevice:
    """Rounds of a library on a device, in milliseconds a call, as `row` takes them."""

    def __init__(self, ready: Any) -> None:
        self.ready, self.first_ms, self.error = ready, ready.first_ms, ready.error
        self.samples: list[float] = []

    def take(self) -> None:
        self.samples.append(1e3 * self.ready.round()[0])

    @property
    def ms(self) -> float:
        return sorted(self.samples)[len(self.samples) // 2]


def device_product_peak(size: int = 8192) -> float:
    """Operations a second of torch's or CuPy's product of float32 matrices on the device, whichever is faster."""
    calls: list[Callable[[], Any]] = []
    if importlib.util.find_spec("torch"):
        import torch

        t = torch.ones((size, size), device="cuda")
        calls.append(lambda: (t @ t, torch.cuda.synchronize()))
    if importlib.util.find_spec("cupy"):
        import cupy

        c = cupy.ones((size, size), cupy.float32)
        calls.append(lambda: (c @ c, cupy.cuda.Device().synchronize()))
    return 2 * size**3 / fastest(calls) if calls else math.inf


def device_error(library: Any, made: Any, case: Any) -> float:
    import gpu

    if case.name != "matmul":
        return gpu.largest_error(library, made, case)
    a, b = (each.astype(gpu.np.float64) for each in case.arguments)
    wanted = a[:128] @ b
    return float(gpu.np.max(gpu.np.abs(library.to_numpy(made)[:128] - wanted)) / gpu.np.mean(gpu.np.abs(wanted)))


def cuda(options: argparse.Namespace) -> Part:
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")  # float32 is float32 in all of them: no TF32
    import gpu
    import workloads
    from turns import reason, within

    libraries = there(options.libraries, ("fastnp", "torch", "jax", "cupy"))
    limits = {"copy": gpu.copy_bandwidth(), "product": device_product_peak()}
    size = 4096
    matrices = tuple(gpu.np.random.default_rng(0).standard_normal((2, size, size), dtype=gpu.np.float32))
    only = options.only.split(",") if options.only else ()
    cases = gpu.cases(only)
    if not only or "matmul" in only:
        cases.append(gpu.Case("matmul", workloads.matmul, matrices, 2 * size**3))
    rows = []
    for case in cases:
        taken, refused = {}, {}
        for library in libraries:
            try:
                with within(options.patience):
                    taken[library] = OnDevice(gpu.prepared(case, library, device_error))
            except Exception as error:  # of any kind: they are the peers' own
                refused[library] = reason(error)
        for _ in range(options.rounds):
            for each in taken.values():
                each.take()
        limit = "product" if case.name == "matmul" else "copy"
        rows.append(row(case.name, taken, refused, limit, 1e3 * case.moved_bytes / limits[limit]))
    return {"libraries": libraries, "limits": limits, "rows": rows}


def linalg(options: argparse.Namespace) -> Part:
    """numpy.linalg in float64 on the device."""
    import gpu_linalg as of
    from turns import in_turns

    libraries = there(options.libraries, ("fastnp", "torch", "jax", "cupy"))
    rng = of.np.random.default_rng(0)
    x = rng.normal(size=(1024, 1024))
    definite = x @ x.T + 1024 * of.np.eye(1024)
    rows = []
    for name in chosen(of.FUNCTIONS, options.only):
        function, off = of.FUNCTIONS[name]
        a = definite if name in ("cholesky", "eigh") else x
        made = {library: of.LIBRARIES[library](function, a) for library in libraries}

        def maker(library: str, made: Any = made) -> Callable[[], Any]:
            call, wait, _ = made[library]

            def waited() -> Any:
                result = call()
                wait(result)
                return result

            return waited

        def error_of(library: str, result: Any, made: Any = made, off: Any = off, a: Any = a) -> float:
            parts = [made[library][2](each) for each in (result if isinstance(result, tuple) else (result,))]
            return float(of.np.abs(off(a, *parts)).max() / of.np.abs(a).max())

        makers = {library: partial(maker, library) for library in libraries}
        rows.append(row(name, *in_turns(makers, error_of, max(options.rounds // 3, 1), options.patience)))
    return {"libraries": libraries, "limits": {}, "rows": rows}


PARTS: dict[str, Callable[[argparse.Namespace], Part]] = {"cpu": cpu, "gradients": gradients, "loops": loops, "cuda": cuda, "linalg": linalg}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--patience", type=float, default=0)
    options = parser.parse_args()
    if "fastnp" in there(options.libraries, ("fastnp",)):
        importlib.import_module("fastnp")  # one that can't be imported is no peer that is missing
    start, load = time.perf_counter(), os.getloadavg()[0]
    found = PARTS[options.part](options)
    found |= {"rounds": options.rounds, "load": round(load, 2), "seconds": round(time.perf_counter() - start)}
    with open(options.out, "w", encoding="utf-8") as out:
        json.dump(found, out)


if __name__ == "__main__":
    main()
