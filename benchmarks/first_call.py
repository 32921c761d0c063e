"""Time to the first result, after the import: in a fresh process, and in one that finds its code on disk.

    python benchmarks/first_call.py [--rounds 5] [--peers jax,numba]

Goals: 40 ms with nothing kept, 15 ms with recording and code on disk (medians). Peers have their own caches switched off in the first column and on,
where they have one, in the second. The Python examples come last: there it is the first result itself, computing included.
"""

from __future__ import annotations

import argparse
import functools
import glob
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable

MEASURE = """
import sys, time
sys.path.insert(0, {here!r})
import numpy as np
from workloads import make
work = next(each for each in make() if each.name == {name!r})
work.arguments  # made before the clock starts
if {library!r} == "fastnp":
    import fastnp
    f = fastnp.compile(lambda *arguments: work.function(np, *arguments))
    arguments = work.arguments
    wait = lambda result: result
else:
    import jax, jax.numpy as jnp
    if {cache!r}:
        jax.config.update("jax_compilation_cache_dir", {cache!r})
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    f = jax.jit(lambda *arguments: work.function(jnp, *arguments))
    arguments = [jax.device_put(each) for each in work.arguments]
    wait = jax.block_until_ready
start = time.perf_counter()
wait(f(*arguments))
first = time.perf_counter() - start
start = time.perf_counter()
wait(f(*arguments))
print((first - (time.perf_counter() - start)) * 1e3)
"""

EXAMPLE = """
import contextlib, io, runpy, sys, time
sys.path.insert(0, {folder!r})
import numpy
import fastnp
made, spent = fastnp.compile, []

class Timed:
    def __init__(self, function):
        self.function, self.called = function, False
    def __getattr__(self, name):
        return getattr(self.function, name)
    def __get__(self, instance, owner=None):
        return self if instance is None else lambda *args, **kwargs: self(instance, *args, **kwargs)
    def __call__(self, *args, **kwargs):
        start = time.perf_counter()
        result = self.function(*args, **kwargs)
        if not self.called:
            spent.append(time.perf_counter() - start)
        self.called = True
        return result

fastnp.compile = lambda *args, **options: Timed(made(*args, **options)) if args else lambda f: Timed(made(f, **options))
with contextlib.redirect_stdout(io.StringIO()):
    runpy.run_path({path!r}, run_name="__main__")
print(sum(spent) * 1e3)
"""

BYTECODE = tempfile.TemporaryDirectory()


def run(program: str, cache: str) -> float:
    environment = {**os.environ, "FASTNP_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONPYCACHEPREFIX": BYTECODE.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    return float(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True).stdout)


def row(measure: Callable[[str], float], rounds: int) -> tuple[float, float]:
    """The median of fresh processes, and of ones that find on disk what another left."""
    cold = statistics.median(measure("") for _ in range(rounds))
    with tempfile.TemporaryDirectory() as cache:
        measure(cache)
        return cold, statistics.median(measure(cache) for _ in range(rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default="", help="jax, where installed")
    options = parser.parse_args()
    from workloads import make

    here = os.path.dirname(os.path.abspath(__file__))

    def workload(library: str, name: str) -> Callable[[str], float]:
        return lambda cache: run(MEASURE.format(here=here, name=name, library=library, cache=cache), cache)

    workload("fastnp", "faq")("")  # writes the bytecode
    libraries = ["fastnp", *filter(None, options.peers.split(","))]
    print("compilation on top of a call, ms: " + "; ".join(f"{library} fresh, with what it keeps on disk" for library in libraries))
    for work in make():
        measured = [row(workload(library, work.name), options.rounds) for library in libraries]
        print(f"{work.name:14}" + "".join(f"{cold:10.1f}{warm:8.1f}" for cold, warm in measured), flush=True)
    print("first results of the examples, ms: fresh, with what is kept on disk")
    folder = os.path.join(here, "..", "examples")
    for path in sorted(glob.glob(os.path.join(folder, "*.py"))):
        name = os.path.basename(path)[:-3]
        if name != "timing":
            cold, warm = row(functools.partial(run, EXAMPLE.format(folder=folder, path=path)), options.rounds)
            print(f"{name:22}{cold:10.1f}{warm:8.1f}", flush=True)


if __name__ == "__main__":
    main()
