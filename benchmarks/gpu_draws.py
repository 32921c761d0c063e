"""Random numbers drawn on a CUDA device: fastnp's, which are NumPy's streams, beside CuPy's, PyTorch's and JAX's, which have others, and NumPy's own
on the host.

    python benchmarks/gpu_draws.py [--only normal,integers] [--sizes 1000000,100000000] [--rounds 9] [--generator PCG64]

Columns: median milliseconds of a draw with the wait for it, of each library (NumPy without a copy to the device); gigabytes a second that fastnp stores.
Numbers that are not NumPy's are said to be so.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np  # noqa: E402  (the setting comes first)
import stopwatch  # noqa: E402  (as above)

Call = Callable[[], Any]


@dataclass
class Case:
    """A draw of so many numbers: by NumPy's Generator and those that are like it; by PyTorch and JAX, where they have it."""

    name: str
    itemsize: int
    draw: Callable[[Any, int], Any]
    torch: Callable[[Any, int], Any] | None = None
    jax: Callable[[Any, Any, int], Any] | None = None
    cupys: bool = True  # CuPy's Generator has it


CASES = [
    Case("random", 8, lambda g, n: g.random(n), lambda t, n: t.rand(n, dtype=t.float64), lambda j, k, n: j.random.uniform(k, (n,), "float64")),
    Case(
        "random float32",
        4,
        lambda g, n: g.random(n, dtype=np.float32),
        lambda t, n: t.rand(n),
        lambda j, k, n: j.random.uniform(k, (n,), "float32"),
    ),
    Case("uniform", 8, lambda g, n: g.uniform(-1, 3, n), cupys=False),
    Case("normal", 8, lambda g, n: g.standard_normal(n), lambda t, n: t.randn(n, dtype=t.float64), lambda j, k, n: j.random.normal(k, (n,), "float64")),
    Case(
        "normal float32",
        4,
        lambda g, n: g.standard_normal(n, dtype=np.float32),
        lambda t, n: t.randn(n),
        lambda j, k, n: j.random.normal(k, (n,), "float32"),
    ),
    Case(
        "exponential",
        8,
        lambda g, n: g.standard_exponential(n),
        lambda t, n: t.empty(n, dtype=t.float64).exponential_(),
        lambda j, k, n: j.random.exponential(k, (n,), "float64"),
    ),
    Case("exponential f32", 4, lambda g, n: g.standard_exponential(n, dtype=np.float32)),
    Case(
        "integers",
        8,
        lambda g, n: g.integers(0, 1000, n),
        lambda t, n: t.randint(0, 1000, (n,)),
        lambda j, k, n: j.random.randint(k, (n,), 0, 1000, "int64"),
    ),
    Case("integers int32", 4, lambda g, n: g.integers(0, 1000, n, dtype=np.int32), lambda t, n: t.randint(0, 1000, (n,), dtype=t.int32), cupys=False),
    Case("integers uint8", 1, lambda g, n: g.integers(0, 256, n, dtype=np.uint8), lambda t, n: t.randint(0, 256, (n,), dtype=t.uint8), cupys=False),
    Case("bools", 1, lambda g, n: g.integers(0, 2, n, dtype=bool), cupys=False),
    Case("integers 2^62+1", 8, lambda g, n: g.integers(0, 2**62 + 1, n), cupys=False),
]


def with_fastnp(case: Case, count: int, generator: str) -> Call:
    import fastnp

    rng = fastnp.random.Generator(getattr(np.random, generator)(0))

    def call() -> None:
        with fastnp.device("cuda"):
            case.draw(rng, count)
        fastnp.cuda.synchronize()

    return call


def with_cupy(case: Case, count: int) -> Call:
    import cupy

    rng = cupy.random.default_rng(0)

    def call() -> None:
        case.draw(rng, count)
        cupy.cuda.Device().synchronize()

    return call


def with_torch(draw: Callable[[Any, int], Any], count: int) -> Call:
    import torch

    torch.set_default_device("cuda")

    def call() -> None:
        draw(torch, count)
        torch.cuda.synchronize()

    return call


def with_jax(draw: Callable[[Any, Any, int], Any], count: int) -> Call:
    import jax

    jax.config.update("jax_enable_x64", True)
    key = jax.random.key(0)
    compiled = jax.jit(lambda key: draw(jax, key, count))
    return lambda: compiled(key).block_until_ready()


def with_numpy(case: Case, count: int, generator: str) -> Call:
    rng = np.random.Generator(getattr(np.random, generator)(0))
    return lambda: case.draw(rng, count)


def is_right(case: Case, count: int, generator: str) -> bool:
    import fastnp

    rng, reference = (module.random.Generator(getattr(np.random, generator)(1)) for module in (fastnp, np))
    with fastnp.device("cuda"):
        drawn = case.draw(rng, count)
    assert drawn.device.startswith("cuda")
    return bool(np.array_equal(np.asarray(drawn), case.draw(reference, count))) and repr(rng.bit_generator.state) == repr(reference.bit_generator.state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", default="1000000,10000000,100000000")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--generator", default="PCG64")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    has = {name: importlib.util.find_spec(name) is not None for name in ("cupy", "torch", "jax")}
    print(f"{'':28}{'fastnp ms':>12}{'CuPy ms':>12}{'torch ms':>12}{'JAX ms':>12}{'NumPy ms':>12}{'GB/s':>9}")
    for case in CASES:
        if wanted and not any(name in case.name for name in wanted):
            continue
        for count in map(int, options.sizes.split(",")):
            calls = {"fastnp": with_fastnp(case, count, options.generator)}
            if has["cupy"] and case.cupys:
                calls["cupy"] = with_cupy(case, count)
            if has["torch"] and case.torch is not None:
                calls["torch"] = with_torch(case.torch, count)
            if has["jax"] and case.jax is not None:
                calls["jax"] = with_jax(case.jax, count)
            times = stopwatch.medians(calls, options.rounds)
            times |= stopwatch.medians({"numpy": with_numpy(case, count, options.generator)}, 3)
            columns = "".join(f"{times.get(name, float('nan')):12.3f}" for name in ("fastnp", "cupy", "torch", "jax", "numpy"))
            wrong = "" if is_right(case, count, options.generator) else "  NOT NUMPY'S"
            print(f"{case.name:16}{count:12}{columns}{case.itemsize * count / times['fastnp'] / 1e6:9.0f}{wrong}", flush=True)


if __name__ == "__main__":
    main()
