"""First calls on a CUDA device: the eight workloads, each in processes of its own, with empty caches on disk and again with what the first process left.

    python benchmarks/gpu_first_call.py [--only faq,softmax] [--libraries fastnp,torch,jax,cupy]

Milliseconds from the call until its result is there; the device is in use before, and the arguments are on it. Other libraries have their own caches on
disk, in a folder that is empty, too (torch's and CuPy's are always used, JAX's is switched on).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time


def first_call(library_name: str, workload: str) -> float:
    import gpu

    case = next(each for each in gpu.cases([workload]))
    library = gpu.LIBRARIES[library_name](case)
    library.wait(())
    start = time.perf_counter()
    library.wait(library.call())
    return 1e3 * (time.perf_counter() - start)


def in_a_process(library: str, workload: str, folder: str) -> str:
    caches = {
        "FASTNP_CACHE_DIR": f"{folder}/fastnp",
        "TORCHINDUCTOR_CACHE_DIR": f"{folder}/torch",
        "TRITON_CACHE_DIR": f"{folder}/triton",
        "CUPY_CACHE_DIR": f"{folder}/cupy",
        "JAX_COMPILATION_CACHE_DIR": f"{folder}/jax",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "CUDA_CACHE_PATH": f"{folder}/driver",
    }
    environment = os.environ | caches
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as programs run usually: modules are not compiled anew
    done = subprocess.run([sys.executable, __file__, "--measure", library, workload], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[-1] if done.returncode == 0 else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="faq,blackscholes,softmax,layernorm,sumsq,axis0,pairdist,stencil")
    parser.add_argument("--libraries", default="fastnp,torch,jax,cupy")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(f"{first_call(*options.measure):.1f}")
        return
    for workload in options.only.split(","):
        for library in options.libraries.split(","):
            if importlib.util.find_spec(library) is None:
                continue
            with tempfile.TemporaryDirectory() as folder:
                empty = in_a_process(library, workload, folder)
                again = in_a_process(library, workload, folder)
            print(f"{workload:<13} {library:<7} first call {empty:>8} ms   in a second process {again:>8} ms", flush=True)


if __name__ == "__main__":
    main()
