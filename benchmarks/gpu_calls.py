"""Compiled functions of small arrays on a CUDA device, beside torch.compile (as it is, and with CUDA graphs) and JAX where they are installed: what a call
costs where the work is little.

    python benchmarks/gpu_calls.py

Columns: microseconds until a call returns, the median over rounds of calls that are not waited for; and until the device has done it.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy  # noqa: E402  (the setting comes first)

ROUNDS, CALLS = 100, 20


def one_kernel(np: Any, x: Any, w: Any) -> Any:
    return x * w + x


def many_kernels(np: Any, x: Any, w: Any) -> Any:
    for i in range(40):
        x = np.tanh(x - np.mean(x, axis=i % 2, keepdims=True) * w)
    return x


def recurrent(np: Any, x: Any, w: Any) -> Any:
    h = x * 0
    for _ in range(50):
        h = np.tanh(h @ w + x)
    return h


PROGRAMS: dict[str, Callable[..., Any]] = {"one kernel": one_kernel, "40 kernels": many_kernels, "50 products": recurrent}


def libraries(program: Callable[..., Any]) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """For each: a call, and how to wait for what it gave."""
    x, w = (0.1 * numpy.random.default_rng(1).normal(size=(2, 64, 64))).astype(numpy.float32)
    found: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
    import fastnp

    ours = [fastnp.asarray(each).to("cuda") for each in (x, w)]
    compiled = fastnp.compile(lambda a, b: program(fastnp, a, b))
    found["fastnp"] = (lambda: compiled(*ours), lambda _: fastnp.cuda.synchronize())
    if importlib.util.find_spec("torch"):
        import torch

        theirs = [torch.from_numpy(each).cuda() for each in (x, w)]
        for name, mode in (("torch", None), ("torch, graphs", "reduce-overhead")):
            torch.compiler.reset()
            f = torch.compile(torch.compiler.wrap_numpy(lambda a, b: program(numpy, a, b)), mode=mode)
            found[name] = (lambda f=f: f(*theirs), lambda _: torch.cuda.synchronize())
    if importlib.util.find_spec("jax"):
        import jax

        placed = [jax.device_put(each) for each in (x, w)]
        jitted = jax.jit(lambda a, b: program(jax.numpy, a, b))
        found["jax"] = (lambda: jitted(*placed), jax.block_until_ready)
    return found


def measure(call: Callable[[], Any], wait: Callable[[Any], Any]) -> tuple[float, float]:
    for _ in range(5):
        wait(call())
    returned, done = [], []
    made = None
    for _ in range(ROUNDS):
        wait(made)
        start = time.perf_counter()
        for _ in range(CALLS):
            made = call()
        end = time.perf_counter()
        wait(made)
        returned.append(1e6 * (end - start) / CALLS)
        done.append(1e6 * (time.perf_counter() - start) / CALLS)
    return statistics.median(returned), statistics.median(done)


def main() -> None:
    for title, program in PROGRAMS.items():
        for name, (call, wait) in libraries(program).items():
            try:
                returned, done = measure(call, wait)
            except Exception as error:  # one that can't run a program is left out, with its reason
                print(f"{title:<12} {name:<14} {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)
                continue
            print(f"{title:<12} {name:<14} returns in {returned:8.1f} us   done in {done:8.1f} us", flush=True)


if __name__ == "__main__":
    main()
