"""Exported functions: sizes of files, times to load and to call, beside NumPy, the compiled function, and, where they are installed, onnxruntime and
AOTInductor (torch).

    python benchmarks/exported.py [--rounds 7]

Each library opens its file anew in each round, calls it for the first time, and then again and again: the median of loading and of first calls, the best
row of calls. "from C" is a C program, which `cc` compiles, on the same file. Goals: 50 KB a file, 2 ms to load and call first, 0.2 us a call.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
from machine import description

import fastnp as np

rng = numpy.random.default_rng(0)
W, B = rng.normal(size=4), rng.normal(size=4)
V = [rng.normal(size=(16, 64)) / 4, rng.normal(size=(64, 64)) / 8, rng.normal(size=(64, 8)) / 8]


def two_kernels(m: Any, x: Any, y: Any) -> Any:
    return m.tanh(x * W + B) * y


def perceptron(m: Any, x: Any) -> Any:
    for v in V[:2]:
        x = m.maximum(x @ v, 0.0)
    return x @ V[2]


PROGRAMS: dict[str, tuple[Callable[..., Any], list[numpy.ndarray[Any, Any]]]] = {
    "two arrays of 4": (two_kernels, [rng.normal(size=4), rng.normal(size=4)]),
    "perceptron, 32 rows": (perceptron, [rng.normal(size=(32, 16))]),
}

C_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <fastnp/exported_c.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* the file, and the sizes of each argument, "4" or "32x16" */
int main(int argc, char** argv) {
    static int64_t shapes[8][2];
    fastnp_exported_array arguments[8], result;
    fastnp_exported_function* function;
    double best = 1e30, begin = now(), loaded, first;
    int i, row, calls = 2000;
    if (fastnp_exported_open(argv[1], &function)) return fprintf(stderr, "%s\n", fastnp_exported_error()), 1;
    loaded = now() - begin;
    for (i = 2; i < argc; ++i) {
        int axes = sscanf(argv[i], "%ldx%ld", &shapes[i][0], &shapes[i][1]);
        int64_t count = shapes[i][0] * (axes == 2 ? shapes[i][1] : 1);
        fastnp_exported_array each = {calloc(count, 8), FASTNP_FLOAT64, axes, shapes[i], 0, 0};
        arguments[i - 2] = each;
    }
    begin = now();
    if (fastnp_exported_call(function, arguments, &result)) return fprintf(stderr, "%s\n", fastnp_exported_error()), 1;
    first = now() - begin;
    fastnp_exported_release(&result);
    for (row = 0; row < 50; ++row) {
        begin = now();
        for (i = 0; i < calls; ++i) {
            fastnp_exported_call(function, arguments, &result);
            fastnp_exported_release(&result);
        }
        if ((now() - begin) / calls < best) best = (now() - begin) / calls;
    }
    printf("%f %f %f\n", loaded, first, best);
    return 0;
}
"""


def flat_of(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """fastnp's, of the arrays alone."""
    return (lambda x: function(np, x)) if count == 1 else (lambda x, y: function(np, x, y))


Figures = dict[str, float]  # in microseconds


def per_call(call: Callable[[], Any], rows: int = 30) -> float:
    call()
    start = time.perf_counter()
    call()
    calls = max(1, min(5000, int(2e-3 / max(time.perf_counter() - start, 1e-7))))
    best = float("inf")
    for _ in range(rows):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def timed(open_it: Callable[[], Callable[[], Any]], rounds: int) -> Figures:
    """`open_it` loads a file and gives a call."""
    loads, firsts, calls = [], [], []
    for _ in range(rounds):
        start = time.perf_counter()
        call = open_it()
        loaded = time.perf_counter()
        call()
        loads.append((loaded - start) * 1e6)
        firsts.append((time.perf_counter() - loaded) * 1e6)
        calls.append(per_call(call, 5))
    return {"load": statistics.median(loads), "first": statistics.median(firsts), "call": min(calls)}


def from_c(path: Path, given: list[numpy.ndarray[Any, Any]], folder: Path, rounds: int) -> Figures | None:
    compiler = shutil.which("cc")
    home = Path(np.__file__).parent
    library = next((each for each in (home / "libfastnp.so", home.parents[1] / "libfastnp.so") if each.exists()), None)
    if compiler is None or library is None:
        return None
    (folder / "main.c").write_text(C_PROGRAM)
    words = [compiler, "-O2", f"-I{np.get_include()}", "main.c", str(library), f"-Wl,-rpath,{library.parent}", "-o", "main"]
    subprocess.run(words, cwd=folder, check=True)
    sizes = ["x".join(map(str, each.shape)) for each in given]
    rows = []
    for _ in range(rounds):
        told = subprocess.run([folder / "main", path, *sizes], capture_output=True, text=True, check=True).stdout
        rows.append([float(each) for each in told.split()])
    loads, firsts, calls = zip(*rows, strict=True)
    return {"load": statistics.median(loads), "first": statistics.median(firsts), "call": min(calls)}


def onnx_model(name: str, path: Path) -> bool:
    """The same program for onnxruntime."""
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        return False
    given = PROGRAMS[name][1]
    inputs = [helper.make_tensor_value_info(f"x{i}", TensorProto.DOUBLE, each.shape) for i, each in enumerate(given)]
    if name == "two arrays of 4":
        nodes = [("Mul", "x0", "w", "a"), ("Add", "a", "b", "c"), ("Tanh", "c", None, "d"), ("Mul", "d", "x1", "y")]
        weights = {"w": W, "b": B}
        shape = [4]
    else:
        nodes = [("MatMul", "x0", "v0", "a"), ("Relu", "a", None, "b"), ("MatMul", "b", "v1", "c"), ("Relu", "c", None, "d"), ("MatMul", "d", "v2", "y")]
        weights = {f"v{i}": each for i, each in enumerate(V)}
        shape = [32, 8]
    made = [helper.make_node(op, [each for each in (first, second) if each], [out]) for op, first, second, out in nodes]
    output = helper.make_tensor_value_info("y", TensorProto.DOUBLE, shape)
    graph = helper.make_graph(made, "program", inputs, [output], [numpy_helper.from_array(value, key) for key, value in weights.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return True


def by_onnxruntime(name: str, folder: Path, rounds: int) -> tuple[int, Figures] | None:
    path = folder / "model.onnx"
    try:
        import onnxruntime
    except ImportError:
        return None
    if not onnx_model(name, path):
        return None
    given = {f"x{i}": each for i, each in enumerate(PROGRAMS[name][1])}

    def open_it() -> Callable[[], Any]:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, given)

    want = PROGRAMS[name][0](numpy, *PROGRAMS[name][1])
    assert numpy.allclose(open_it()()[0], want)
    return path.stat().st_size, timed(open_it, rounds)


def by_inductor(name: str, folder: Path, rounds: int) -> tuple[int, Figures] | None:
    try:
        import torch
        from torch._inductor import aoti_compile_and_package, aoti_load_package
    except ImportError:
        return None
    constants = [torch.from_numpy(each) for each in (W, B, *V)]

    class Program(torch.nn.Module):
        def forward(self, *x: Any) -> Any:
            if name == "two arrays of 4":
                return torch.tanh(x[0] * constants[0] + constants[1]) * x[1]
            return torch.relu(torch.relu(x[0] @ constants[2]) @ constants[3]) @ constants[4]

    given = tuple(torch.from_numpy(each) for each in PROGRAMS[name][1])
    path = folder / "model.pt2"
    with torch.no_grad():
        aoti_compile_and_package(torch.export.export(Program(), given), package_path=str(path))

        def open_it() -> Callable[[], Any]:
            loaded = aoti_load_package(str(path))
            return lambda: loaded(*given)

        assert numpy.allclose(open_it()().numpy(), PROGRAMS[name][0](numpy, *PROGRAMS[name][1]))
        return path.stat().st_size, timed(open_it, rounds)


def show(who: str, size: int | None, figures: Figures) -> None:
    loads = f"{figures['load'] / 1e3:9.3f} {figures['first'] / 1e3:9.3f}" if "load" in figures else " " * 19
    print(f"  {who:28} {'' if size is None else f'{size / 1000:.1f}':>8} {loads} {figures['call']:9.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    print(", ".join(f"{key}: {value}" for key, value in description().items() if isinstance(value, (str, int))))
    print(f"  {'':28} {'KB':>8} {'load ms':>9} {'first ms':>9} {'call us':>9}")
    for name, (function, given) in PROGRAMS.items():
        print(name)
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            specs = tuple(np.ShapeDtype(each.shape) for each in given)
            flat = flat_of(function, len(given))
            path = folder / "program.so"
            np.export(flat, specs, path, name="program")
            size = path.stat().st_size
            if (figures := from_c(path, given, folder, rounds)) is not None:
                show("exported, from C", size, figures)

            def open_it(path: Path = path, given: list[Any] = given) -> Callable[[], Any]:
                loaded = np.load_exported(path)
                return lambda: loaded(*given)

            show("exported, from Python", size, timed(open_it, rounds))
            compiled = np.compile(flat)
            show("compiled, from Python", None, {"call": per_call(lambda compiled=compiled, given=given: compiled(*given))})
            show("NumPy", None, {"call": per_call(lambda function=function, given=given: function(numpy, *given))})
            for who, peer in (("onnxruntime, from Python", by_onnxruntime), ("AOTInductor, from Python", by_inductor)):
                if (found := peer(name, folder, rounds)) is not None:
                    show(who, *found)


if __name__ == "__main__":
    main()
