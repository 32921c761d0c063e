"""Time to the first result, after the import: in a fresh process, and in one that finds its code on disk.

    python benchmarks/first_call.py [--rounds 5] [--peers jax,numba]

Goals: 40 ms with nothing kept, 15 ms with the code on disk (medians). Peers have their own caches switched off in the first column and on, where they
have one, in the second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

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

BYTECODE = tempfile.TemporaryDirectory()


def milliseconds(library: str, name: str, cache: str) -> float:
    here = os.path.dirname(os.path.abspath(__file__))
    program = MEASURE.format(here=here, name=name, library=library, cache=cache)
    environment = {**os.environ, "FASTNP_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONPYCACHEPREFIX": BYTECODE.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    return float(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True).stdout)


def row(library: str, name: str, rounds: int) -> tuple[float, float]:
    cold = statistics.median(milliseconds(library, name, "") for _ in range(rounds))
    with tempfile.TemporaryDirectory() as cache:
        milliseconds(library, name, cache)
        warm = statistics.median(milliseconds(library, name, cache) for _ in range(rounds))
    return cold, warm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default="", help="jax, where installed")
    options = parser.parse_args()
    from workloads import make

    milliseconds("fastnp", "faq", "")  # writes the bytecode
    libraries = ["fastnp", *filter(None, options.peers.split(","))]
    print("compilation on top of a call, ms: " + "; ".join(f"{library} fresh, with its code on disk" for library in libraries))
    for work in make():
        measured = [row(library, work.name, options.rounds) for library in libraries]
        print(f"{work.name:14}" + "".join(f"{cold:10.1f}{warm:8.1f}" for cold, warm in measured), flush=True)


if __name__ == "__main__":
    main()
