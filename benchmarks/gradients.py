"""Derivatives by fastnp beside JAX and torch.compile, where installed: the same functions, one run, the same cores.

    python benchmarks/gradients.py [--only faq,lstm] [--libraries fastnp,jax,torch] [--rounds 9]

The gradients of sums of squares of the eight workloads of run.py; a step of training of a perceptron (forward, backward and update); the gradients of an
LSTM over 50 time steps, of 50 sweeps of a Jacobi solver in place, of 10,000 steps of a pendulum, and of 1,000 sweeps in C++ (benchmarks/loop.cpp).
Columns: median milliseconds; times faster than the best peer; milliseconds of the first call, with nothing kept on disk; largest difference from the
first library's result; with --memory, how much the peak of a process's memory grows.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

THREADS = len(os.sched_getaffinity(0))
for _name in ("OMP_NUM_THREADS", "FASTNP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, str(THREADS))
os.environ["FASTNP_CACHE_DIR"] = ""

import numpy as np  # noqa: E402  (the thread counts come first)
import workloads  # noqa: E402  (as above)
from stopwatch import Call  # noqa: E402  (as above)
from turns import in_turns  # noqa: E402  (as above)

rng = np.random.default_rng(1)


def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)


class TorchNames:
    """torch under NumPy's names, as far as the workloads need them."""

    def __init__(self) -> None:
        import torch

        self.torch = torch

    def __getattr__(self, name: str) -> Any:
        return getattr(self.torch, name)

    def max(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.torch.amax(x, dim=axis, keepdim=keepdims)

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.torch.sum(x) if axis is None else self.torch.sum(x, dim=axis, keepdim=keepdims)

    def mean(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return self.torch.mean(x) if axis is None else self.torch.mean(x, dim=axis, keepdim=keepdims)


def put(x: Any, key: Any, value: Any) -> Any:
    """x[key] = value."""
    if hasattr(x, "at"):
        return x.at[key].set(value)
    x[key] = value
    return x


def squares(function: Callable[..., Any]) -> Callable[..., Any]:
    def loss(xp: Any, *arguments: Any) -> Any:
        found = function(xp, *arguments)
        parts = found if isinstance(found, tuple) else (found,)
        total = 0.0
        for part in parts:
            total = total + xp.sum(part * part)
        return total

    return loss


def mlp(xp: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, labels: Any) -> Any:
    h = xp.tanh(x @ w1 + b1)
    h = xp.tanh(h @ w2 + b2)
    scores = h @ w3 + b3
    shifted = scores - xp.max(scores, axis=-1, keepdims=True)
    return -xp.mean(xp.sum((shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))) * labels, axis=-1))


def lstm(xp: Any, wx: Any, wh: Any, b: Any, xs: Any, start: Any) -> Any:
    h, c = start, start
    size = wh.shape[0]
    for t in range(50):
        gates = xs[t] @ wx + h @ wh + b
        i, f, o = (1 / (1 + xp.exp(-gates[:, k * size : (k + 1) * size])) for k in range(3))
        c = f * c + i * xp.tanh(gates[:, 3 * size :])
        h = o * xp.tanh(c)
    return xp.sum(h * h)


def jacobi_2d(xp: Any, u: Any) -> Any:
    u = u * 1.0
    inner = (slice(1, -1), slice(1, -1))
    for _ in range(50):
        swept = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        if isinstance(xp, TorchNames):
            u = u.clone()
        u = put(u, inner, swept)
    return xp.sum(u * u)


def swung(xp: Any, state: Any) -> Any:
    angle, speed = state
    speed = speed - 0.001 * xp.sin(angle)
    return angle + 0.001 * speed, speed


def swing(xp: Any, start: Any) -> Any:
    """10,000 steps of a pendulum, a loop over two numbers."""
    state = (start[0], start[1])
    for _ in range(10_000):
        state = swung(xp, state)
    return state[0]


def swing_of_jax(xp: Any, start: Any) -> Any:
    """The same in its form of loops: it would unroll the other one."""
    from jax import lax

    return lax.fori_loop(0, 10_000, lambda _, state: swung(xp, state), (start[0], start[1]))[0]


def sgd(parameters: Any, gradients: Any) -> Any:
    return tuple(p - np.float32(0.01) * g for p, g in zip(parameters, gradients, strict=True))


class Work:
    """`loss(xp, *arguments)`, differentiated with respect to the first `count` of them; with `trains`, these take a step."""

    def __init__(
        self,
        name: str,
        loss: Callable[..., Any],
        arguments: tuple[Any, ...],
        count: int | None = None,
        trains: bool = False,
        of_jax: Callable[..., Any] | None = None,
    ) -> None:
        self.name, self.loss, self.arguments, self.trains = name, loss, arguments, trains
        self.of_jax = of_jax  # that torch has none of, either
        self.numbers = tuple(range(len(arguments) if count is None else count))


def make() -> list[Work]:
    all_work = [Work(each.name, squares(each.function), each.arguments) for each in workloads.make()]
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 128)]
    weights = (normal(784, 512, scale=0.05), normal(512), normal(512, 512, scale=0.05), normal(512), normal(512, 10, scale=0.05), normal(10))
    all_work.append(Work("mlp", mlp, (*weights, normal(128, 784), labels), count=6, trains=True))
    all_work.append(
        Work(
            "lstm",
            lstm,
            (normal(64, 512, scale=0.1), normal(128, 512, scale=0.1), normal(512), normal(50, 32, 64), np.zeros((32, 128), np.float32)),
            count=3,
        )
    )
    all_work.append(Work("jacobi_2d", jacobi_2d, (normal(1024, 1024),)))
    all_work.append(Work("swing", swing, (np.array([1.0, 0.0], np.float32),), of_jax=swing_of_jax))
    return all_work


def fastnp_call(work: Work) -> Call:
    import fastnp

    both = fastnp.value_and_grad(lambda *arguments: work.loss(np, *arguments), argnums=work.numbers)
    if not work.trains:
        f = fastnp.compile(both)
        return lambda: f(*work.arguments)
    parameters = [work.arguments[i].copy() for i in work.numbers]
    rest = work.arguments[len(parameters) :]

    @fastnp.compile
    def step(parameters: Any, rest: Any) -> Any:
        value, gradients = both(*parameters, *rest)
        for p, g in zip(parameters, gradients, strict=True):
            p -= np.float32(0.01) * g
        return value

    return lambda: (step(parameters, rest), parameters)


def jax_call(work: Work) -> Call:
    import jax
    import jax.numpy as jnp

    loss = work.of_jax or work.loss
    both = jax.value_and_grad(lambda *arguments: loss(jnp, *arguments), argnums=work.numbers)
    arguments = [jax.device_put(a) for a in work.arguments]
    if not work.trains:
        f = jax.jit(both)
        return lambda: jax.block_until_ready(f(*arguments))
    count = len(work.numbers)

    @jax.jit
    def step(parameters: Any, rest: Any) -> Any:
        value, gradients = both(*parameters, *rest)
        return value, sgd(parameters, gradients)

    state = [tuple(arguments[:count])]

    def call() -> Any:
        value, state[0] = jax.block_until_ready(step(state[0], arguments[count:]))
        return value, state[0]

    return call


def torch_call(work: Work) -> Call:
    import torch

    torch.set_num_threads(THREADS)
    torch._dynamo.reset()  # its limit of recompilations is for a line of code, and all workloads share this one
    names = TorchNames()
    arguments = [torch.tensor(a, requires_grad=i in work.numbers) for i, a in enumerate(work.arguments)]
    loss = torch.compile(lambda *given: work.loss(names, *given))

    def call() -> Any:
        value = loss(*arguments)
        gradients = torch.autograd.grad(value, [arguments[i] for i in work.numbers])
        if not work.trains:
            return value.detach(), [g.numpy() for g in gradients]
        with torch.no_grad():
            for i, g in zip(work.numbers, gradients, strict=True):
                arguments[i] -= 0.01 * g
        return value.detach(), [arguments[i].detach().numpy() for i in work.numbers]

    return call


MAKERS: dict[str, Callable[[Work], Call]] = {"fastnp": fastnp_call, "jax": jax_call, "torch": torch_call}


def flat(result: Any) -> list[np.ndarray]:
    value, arrays = result
    return [np.asarray(value), *map(np.asarray, arrays)]


def difference(found: Any, wanted: list[np.ndarray]) -> float:
    worst = 0.0
    for a, b in zip(flat(found), wanted, strict=True):
        worst = max(worst, float(np.max(np.abs(a - b)) / (np.max(np.abs(b)) + 1e-30)))
    return worst


def measure(work: Work, libraries: list[str], rounds: int) -> dict[str, dict[str, float]]:
    wanted: list[np.ndarray] = []

    def error_of(_: str, result: Any) -> float:
        if not wanted:
            wanted.extend(np.array(each) for each in flat(result))
        return difference(result, wanted)

    taken, refused = in_turns({library: partial(MAKERS[library], work) for library in libraries}, error_of, rounds)
    if "fastnp" in refused:
        raise RuntimeError(f"{work.name}: {refused['fastnp']}")
    for library, why in refused.items():
        print(f"  {library} does not run {work.name}: {why}")
    return {library: {"first_ms": each.first_ms, "difference": each.error, "ms": each.ms} for library, each in taken.items()}


def peak_bytes(name: str, library: str) -> float:
    """How much the peak of a process's memory grows by three calls."""
    code = f"import gradients; gradients.report_peak({name!r}, {library!r})"
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path if path)}
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here, env=paths, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else float("nan")


def report_peak(name: str, library: str) -> None:
    (work,) = (each for each in make() if each.name == name)
    call = MAKERS[library](work)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
        reset.write("5")  # the peak counts from here
    before = memory_of("VmRSS")
    for _ in range(3):
        call()
    print(memory_of("VmHWM") - before)


def memory_of(what: str) -> int:
    """A figure of this process's memory, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return 1024 * int(next(line for line in status if line.startswith(what)).split()[1])


def jax_loop(size: int, turns: int) -> Call:
    """benchmarks/loop.cpp in JAX, which does not unroll it either."""
    import jax
    import jax.numpy as jnp

    def swept(u: Any, _: Any) -> Any:
        inner = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return u.at[1:-1, 1:-1].set(inner), None

    both = jax.jit(jax.value_and_grad(lambda u: jnp.sum(jax.lax.scan(swept, u, None, length=turns)[0] ** 2)))
    start = jax.device_put(np.sin(np.arange(float(size * size))).astype(np.float32).reshape(size, size))
    return lambda: jax.block_until_ready(both(start))


def report_loop(size: int, turns: int, rounds: int) -> None:
    """What benchmarks/loop.cpp prints, of JAX."""
    call = jax_loop(size, turns)
    before, times = memory_of("VmRSS"), []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        value, gradient = call()
        times.append(1e3 * (time.perf_counter() - start))
    peak = memory_of("VmHWM") - before
    print(times[0], statistics.median(times[1:]), float(value), float(np.sum(np.asarray(gradient, np.float64))), peak)


def measure_loop(program: str, libraries: list[str], rounds: int) -> float | None:
    """A loop of a thousand turns that stays one, in C++ beside JAX, each in a process of its own; gives how many times as fast fastnp is."""
    sizes = ["1024", "1000", str(rounds)]
    here = os.path.dirname(os.path.abspath(__file__))
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(path) for path in sys.path if path)}
    commands = {"fastnp": [program, *sizes]}
    if "jax" in libraries:
        commands["jax"] = [sys.executable, "-c", f"import gradients; gradients.report_loop({', '.join(sizes)})"]
    figures = {}
    for library, command in commands.items():
        done = subprocess.run(command, capture_output=True, text=True, cwd=here, env=paths, check=True)
        figures[library] = [float(word) for word in done.stdout.split()]
    ratio = figures["jax"][1] / figures["fastnp"][1] if "jax" in figures else None
    for library, (first, median, value, total, peak) in figures.items():
        note = f"{ratio:6.2f} x best peer (jax)" if library == "fastnp" and ratio is not None else ""
        print(
            f"jacobi_2d x1000 {library:<6} {median:9.3f} ms   first {first:9.1f} ms   peak +{peak / 1e6:7.1f} MB   value {value:.6g} {total:.6g}   {note}"
        )
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="workloads, separated by commas")
    parser.add_argument("--libraries", default="fastnp,jax,torch")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--loop", default="build/release/benchmarks/loop", help="benchmarks/loop.cpp, as built")
    parser.add_argument("--memory", action="store_true", help="measure peaks of memory, each in a process of its own")
    options = parser.parse_args()
    libraries = [name for name in options.libraries.split(",") if importlib.util.find_spec(name)]
    print(f"{platform.processor() or platform.machine()}, {THREADS} threads; {', '.join(libraries)}")
    ratios = []
    for work in make():
        if options.only and work.name not in options.only.split(","):
            continue
        figures = measure(work, [each for each in libraries if each != "torch" or work.of_jax is None], options.rounds)
        peers = {library: f["ms"] for library, f in figures.items() if library != "fastnp"}
        best = min(peers, key=lambda library: peers[library], default=None)
        for library, f in figures.items():
            note = ""
            if library == "fastnp" and best is not None:
                ratios.append(peers[best] / f["ms"])
                note = f"{ratios[-1]:6.2f} x best peer ({best})"
            memory = f"peak +{peak_bytes(work.name, library) / 1e6:7.1f} MB   " if options.memory else ""
            print(
                f"{work.name:<13} {library:<8} {f['ms']:10.3f} ms   first {f['first_ms']:9.1f} ms   {memory}difference {f['difference']:.1e}   {note}",
                flush=True,
            )
    program = os.path.abspath(options.loop)
    if os.path.exists(program) and (not options.only or "loop" in options.only.split(",")):
        ratio = measure_loop(program, libraries, max(options.rounds // 3, 1))
        ratios += [ratio] if ratio is not None else []
    if ratios:
        print(f"geometric mean: {statistics.geometric_mean(ratios):.2f} times the best peer; least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
