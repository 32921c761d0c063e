"""Exported functions in other processes and languages: Python, C, C++ with types, and whatever calls C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from test_export import PACKAGE, Spec, attention, random, same

import fastnp as np


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Which loads neither LLVM nor what compiles."""
    np.export(attention, Spec(("n", 8)), tmp_path / "f.so")
    numpy.save(tmp_path / "x.npy", x := random.normal(size=(5, 8)))
    program = """
import sys
import numpy
import fastnp as np
f = np.load_exported(sys.argv[1] + "/f.so")
numpy.save(sys.argv[1] + "/y.npy", f(numpy.load(sys.argv[1] + "/x.npy")))
print("codegen" in open("/proc/self/maps").read())
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    same(numpy.load(tmp_path / "y.npy"), np.load_exported(tmp_path / "f.so")(x))


C_PROGRAM = r"""
#include <stdio.h>
#include "blocks.h"

int main(int count, char** words) {
    double x[] = {1, -2, 3, 0.5, 0, 1, 2, -1};
    fastnp_exported_function* function;
    fastnp_exported_array results[step_results];
    if (count != 2 || fastnp_exported_open(words[1], &function)) {
        printf("%s\n", fastnp_exported_error());
        return 1;
    }
    if (step(function, x, 4, results)) return 2;
    for (int i = 0; i < 4; ++i) printf("%a ", ((double*)results[0].data)[i]);
    printf("%lld %a\n", (long long)results[0].shape[0], *(double*)results[1].data);
    for (int i = 0; i < step_results; ++i) fastnp_exported_release(&results[i]);
    printf("%d ", step(function, x, -1, results));
    printf("%s\n", fastnp_exported_error());
    fastnp_exported_close(function);
    return 0;
}
"""


def built(folder: Path, source: str, flags: list[str]) -> Path:
    """A program of one file beside the headers in its folder."""
    compiler = shutil.which("cc")
    library = PACKAGE / "libfastnp.so" if (PACKAGE / "libfastnp.so").exists() else PACKAGE.parents[1] / "libfastnp.so"
    if compiler is None or not library.exists():
        pytest.skip("there is no C compiler, or no library to link")
    (folder / "main.c").write_text(source)
    link = ["-x", "none", str(library), f"-Wl,-rpath,{library.parent}", "-lstdc++", "-o", "main"]
    command = [compiler, *flags, "-Wall", "-Wextra", "-Werror", f"-I{np.get_include()}", "main.c", *link]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "main"


def test_from_c(tmp_path: Path) -> None:

    def step(x: Any) -> Any:
        return np.sort(np.exp(x).sum(axis=1)), np.mean(x)

    exported = np.export(step, Spec(("n", 2)), tmp_path / "blocks.so")
    for flags in (["-std=c99", "-pedantic"], ["-x", "c++", "-std=c++17"], ["-x", "c++", "-std=c++20"]):
        built(tmp_path, C_PROGRAM, flags)
        lines = subprocess.run([tmp_path / "main", "blocks.so"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
        rows, mean = exported(numpy.array([1, -2, 3, 0.5, 0, 1, 2, -1.0]).reshape(4, 2))
        assert (
            lines[0] == " ".join([*(each.hex().replace(".0p", "p") for each in rows.tolist()), "4", mean.item().hex()])
            or [float.fromhex(each) for each in lines[0].split()[:4]] == rows.tolist()
        )
        assert lines[1].startswith("1 ")
        done = subprocess.run([tmp_path / "main", "none.so"], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, "none.so: there is no such file that can be read\n")


CTYPES_PROGRAM = """
import ctypes, sys

class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("ndim", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("owner", ctypes.c_void_p)]

fastnp = ctypes.CDLL(sys.argv[1])
function = ctypes.c_void_p()
assert fastnp.fastnp_exported_open(sys.argv[2].encode(), ctypes.byref(function)) == 0
x = (ctypes.c_double * 3)(1, 2, 4)
argument = Array(ctypes.cast(x, ctypes.c_void_p), 12, 1, (ctypes.c_int64 * 1)(3), None, None)
result = Array()
assert fastnp.fastnp_exported_call(function, ctypes.byref(argument), ctypes.byref(result)) == 0
print(ctypes.cast(result.data, ctypes.POINTER(ctypes.c_double))[:result.shape[0]])
fastnp.fastnp_exported_release(ctypes.byref(result))
fastnp.fastnp_exported_close(function)
print([name for name in sys.modules if name in ("numpy", "fastnp")])
"""


def test_from_ctypes(tmp_path: Path) -> None:
    """Of a Python that has neither fastnp nor NumPy."""
    np.export(lambda x: x * x + 1, Spec("n"), tmp_path / "f.so")
    library = PACKAGE / "libfastnp.so" if (PACKAGE / "libfastnp.so").exists() else PACKAGE.parents[1] / "libfastnp.so"
    if not library.exists():
        pytest.skip("there is no library to open")
    command = [sys.executable, "-S", "-c", CTYPES_PROGRAM, str(library), str(tmp_path / "f.so")]
    done = subprocess.run(command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[2.0, 5.0, 17.0]", "[]"]


CPP_PROGRAM = r"""
#include <cstdio>
#include <vector>
#include "blocks.h"

int main(int, char** words) {
    const step_function step(words[1]);
    const std::vector<double> x{1, -2, 3, 0.5, 0, 1, 2, -1};
    const auto [rows, mean, turned] = step(x, 4);
    std::printf("%g %g %g\n", rows.span()[3], rows(0), mean.span()[0]);
    std::printf("%zu %lld %d %g\n", turned.size(), (long long)turned.shape()[0], turned.is_contiguous(), turned.values()[1]);
    const add_function add(words[1]);
    std::vector<double> y{1, 2};
    const std::complex<float> z[] = {{1, 2}, {0, -1}};
    add(y, z, 2);
    std::printf("%g %g\n", y[0], y[1]);
    for (int i = 0; i < 3; ++i) {
        try {
            if (i == 0) step(x, 5);
            else if (i == 1) step_function("none.so");
            else step(std::span<const double>(), 0);
        } catch (const fastnp::exported::Error& error) {
            std::printf("%d %s\n", error.code(), error.what());
        }
    }
}
"""


def test_typed_from_cpp(tmp_path: Path) -> None:
    def step(x: Any) -> Any:
        return np.sort(np.exp(x).sum(axis=1)), np.mean(x), (x * 2).T

    def add(y: Any, z: Any) -> Any:
        y += np.abs(z * z)
        return y

    file = np.Exporter().add(step, Spec(("n", 2))).add(add, [Spec("n"), Spec("n", "complex64")])
    file.write(tmp_path / "blocks.so")
    built(tmp_path, CPP_PROGRAM, ["-x", "c++", "-std=c++20"])
    done = subprocess.run([tmp_path / "main", "blocks.so"], cwd=tmp_path, capture_output=True, text=True, check=True)
    x = numpy.array([1, -2, 3, 0.5, 0, 1, 2, -1.0]).reshape(4, 2)
    rows, mean, turned = step(x)
    assert done.stdout.splitlines() == [
        f"{rows[3]:g} {rows[0]:g} {mean:g}",
        f"8 2 0 {turned[0, 1]:g}",
        "6 3",
        "1 argument 'x' has 8 elements, and its sizes say 10",
        "1 none.so: there is no such file that can be read",
    ]
