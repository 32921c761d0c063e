"""numpy.linalg on a CUDA device beside CuPy, JAX and torch, in float64, one run.

    python benchmarks/gpu_linalg.py [--only solve,qr] [--libraries fastnp,cupy,jax,torch] [--rounds 5]

Columns: median milliseconds of a call whose result is waited for; times faster than the best peer; largest relative error of what is made again of the
result, or of the result beside NumPy's.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np  # noqa: E402  (the setting comes first)

SHAPES = [(64, 64), (512, 512), (2048, 2048), (10000, 4, 4), (1000, 32, 32)]
# What is computed of a regular matrix, or a definite one, by a namespace with `linalg` in it; and how far that is from what it should be.
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "cholesky": (lambda m, a: m.linalg.cholesky(a), lambda a, x: x @ np.swapaxes(x, -1, -2) - a),
    "solve": (lambda m, a: m.linalg.solve(a, a[..., :1]), lambda a, x: (a @ x - a[..., :1]) / np.abs(x).max()),
    "inv": (lambda m, a: m.linalg.inv(a), lambda a, x: (a @ x - np.eye(a.shape[-1])) / np.abs(x).max()),
    "slogdet": (lambda m, a: m.linalg.slogdet(a)[1], lambda a, x: x - np.linalg.slogdet(a)[1]),
    "qr": (lambda m, a: tuple(m.linalg.qr(a)), lambda a, q, r: q @ r - a),
    "eigh": (lambda m, a: tuple(m.linalg.eigh(a)), lambda a, w, v: v * w[..., None, :] @ np.swapaxes(v, -1, -2) - a),
    "svd": (lambda m, a: tuple(m.linalg.svd(a, full_matrices=False)), lambda a, u, s, vh: u * s[..., None, :] @ vh - a),
}


def with_fastnp(function: Callable[..., Any], a: np.ndarray) -> tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], np.ndarray]]:
    import fastnp

    x, f = fastnp.asarray(a).to("cuda"), fastnp.compile(lambda a: function(fastnp, a))
    return lambda: f(x), lambda _: fastnp.cuda.synchronize(), np.asarray


def with_cupy(function: Callable[..., Any], a: np.ndarray) -> tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], np.ndarray]]:
    import cupy

    x = cupy.asarray(a)
    return lambda: function(cupy, x), lambda _: cupy.cuda.Device().synchronize(), cupy.asnumpy


def with_jax(function: Callable[..., Any], a: np.ndarray) -> tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], np.ndarray]]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, f = jax.device_put(a), jax.jit(lambda a: function(jnp, a))
    return lambda: f(x), lambda made: jax.block_until_ready(made), np.asarray


def with_torch(function: Callable[..., Any], a: np.ndarray) -> tuple[Callable[[], Any], Callable[[Any], None], Callable[[Any], np.ndarray]]:
    import torch

    x = torch.from_numpy(a).cuda()
    return lambda: function(torch, x), lambda _: torch.cuda.synchronize(), lambda made: made.cpu().numpy()


LIBRARIES = {"fastnp": with_fastnp, "cupy": with_cupy, "jax": with_jax, "torch": with_torch}


def measured(library: str, name: str, a: np.ndarray, rounds: int) -> tuple[float, float]:
    function, off = FUNCTIONS[name]
    call, wait, to_numpy = LIBRARIES[library](function, a)
    made = call()
    wait(made)
    results = [to_numpy(each) for each in (made if isinstance(made, tuple) else (made,))]
    error = float(np.abs(off(a, *results)).max() / np.abs(a).max())
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        wait(call())
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times), error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="functions, separated by commas")
    parser.add_argument("--libraries", default="fastnp,cupy,jax,torch")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    names = [name for name in options.libraries.split(",") if importlib.util.find_spec(name)]
    rng = np.random.default_rng(0)
    for name in FUNCTIONS:
        if options.only and name not in options.only.split(","):
            continue
        for shape in SHAPES:
            x = rng.normal(size=shape)
            a = x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1]) if name in ("cholesky", "eigh") else x
            figures = {}
            for library in names:
                try:
                    figures[library] = measured(library, name, a, options.rounds)
                except Exception as error:  # one that can't run a function is left out of its row, with its reason
                    print(f"  {library} does not run {name}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
            peers = [ms for library, (ms, _) in figures.items() if library != "fastnp"]
            for library, (ms, error) in figures.items():
                note = f"{min(peers) / ms:6.2f} x best peer" if library == "fastnp" and peers else ""
                print(f"{name:<9} {'x'.join(map(str, shape)):<12} {library:<7} {ms:10.3f} ms   error {error:.1e}   {note}", flush=True)


if __name__ == "__main__":
    main()
