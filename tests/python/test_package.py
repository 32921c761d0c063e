"""The package as a whole: import time, fallbacks, neighbours in the process, and a clean exit."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy
import pytest

import fastnp as np


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env={**os.environ, **environment}, check=False)


@pytest.mark.alone
def test_import_costs_little_more_than_numpys(tmp_path):
    # With the modules' bytecode at hand, as an installed package has it.
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}

    def milliseconds(code: str) -> float:
        start = time.perf_counter()
        assert run(code, **bytecode).returncode == 0
        return (time.perf_counter() - start) * 1e3

    pairs = [(milliseconds("import fastnp"), milliseconds("import numpy")) for _ in range(9)]  # by turns, as the machine's speed changes
    assert min(ours for ours, _ in pairs) - min(theirs for _, theirs in pairs) < 60


def test_it_exits_cleanly():
    for code in (
        "import fastnp as np; f = np.compile(lambda x: x * 2); print(f(np.ones(3)))",
        "import fastnp as np, threading\nf = np.compile(lambda x: x.sum())\nthreading.Thread(target=lambda: f(np.ones(100000)), daemon=True).start()",
        "import fastnp as np; import numpy\nx = np.asarray(numpy.ones(3)); y = numpy.asarray(np.ones(3)); np.keep = (x, y)",
    ):
        done = run(code)
        assert done.returncode == 0 and done.stderr == ""


def test_numba_in_the_same_interpreter():
    pytest.importorskip("numba")
    code = """
import numba, numpy, fastnp as np
theirs = numba.njit(lambda x: x * 2 + 1)
ours = np.compile(lambda x: np.sin(x) * 2)
for _ in range(2):
    assert theirs(numpy.ones(3)).tolist() == [3.0, 3.0, 3.0]
    assert numpy.allclose(ours(numpy.ones(3)), 2 * numpy.sin(1.0))
print("done")
"""
    done = run(code)
    assert done.stdout == "done\n" and done.returncode == 0, done.stderr


def test_fallbacks_are_counted():
    x = np.arange(6.0)
    assert type(np.partition(x, 1)) is np.ndarray and type(np.histogram(x, 3)[0]) is np.ndarray
    np.linalg.det(np.eye(2))
    assert np.compiler.fallbacks() == {"partition": 1, "histogram": 1, "linalg.det": 1}
    np.compiler.reset_fallbacks()
    assert np.compiler.fallbacks() == {}


def test_fallbacks_can_be_errors_or_warnings(monkeypatch):
    monkeypatch.setenv("FASTNP_FALLBACK", "error")
    with pytest.raises(np.compiler.FallbackError, match="base_repr"):
        np.base_repr(5, 3)
    assert np.add(np.ones(2), 1).tolist() == [2, 2]
    monkeypatch.setenv("FASTNP_FALLBACK", "warn")
    with pytest.warns(np.compiler.FallbackWarning, match="base_repr"):
        np.base_repr(5, 3)


def test_fallbacks_share_memory_and_keep_out():
    x = np.array([3.0, 1.0, 2.0])
    np.put(x, [0], 9.0)
    assert x.tolist() == [9, 1, 2]
    out = np.zeros(3)
    assert np.nancumsum(x, out=out) is out and out.tolist() == [9, 10, 12]
    assert np.median(x) == 2.0 and isinstance(np.median(x), numpy.float64)
    eigenvalues = np.linalg.eigh(np.eye(2))
    assert type(eigenvalues.eigenvalues) is np.ndarray


def test_all_of_numpys_names_are_there():
    missing = [name for name in numpy.__all__ if not hasattr(np, name)]
    assert missing == []
    with pytest.raises(AttributeError, match="module 'fastnp' has no attribute 'nonsense'"):
        np.nonsense  # noqa: B018
    assert np.float32 is numpy.float32 and np.pi == numpy.pi and np.newaxis is None and {"sum", "compile", "explain", "random"} <= set(dir(np))


def test_fallbacks_are_calls_in_compiled_functions():
    f = np.compile(lambda x: np.packbits(x > 0) + 1)
    for _ in range(2):
        assert f(np.ones(2)).tolist() == [193]
    assert (f.cache_info().compiles, f.cache_info().hits) == (1, 1)


def test_cuda_devices_are_listed_or_their_absence_explained():
    assert np.cuda.is_available() == bool(np.cuda.devices()) == (not np.cuda.problem())
