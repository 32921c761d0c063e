"""OpenBLAS takes kernels for what the processor can do, also on one that is newer than OpenBLAS."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

import fastnp as np

LOADS = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
WIDE = {"Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids"}


def cores_taken(**variables: str) -> list[str]:
    """What OpenBLAS says that it took, as the library is loaded by itself."""
    libraries = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libfastnp.so" in line]
    environment = {**{name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}, "OPENBLAS_VERBOSE": "2", **variables}
    done = subprocess.run([sys.executable, "-c", LOADS, libraries[0]], env=environment, capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stderr.splitlines() if line.startswith("Core:")]


def test_kernels_have_the_vectors_of_the_processor():
    if not {"avx2", "fma"} <= set(Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()):
        pytest.skip("this processor has no vectors of 256 bits")
    assert cores_taken()[-1] in WIDE


def test_the_variable_of_openblas_decides_where_it_is_set():
    assert cores_taken(OPENBLAS_CORETYPE="Nehalem") == ["Nehalem"]


@pytest.mark.alone
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_products_take_no_longer_than_numpys(dtype):
    theirs = numpy.ones((512, 512), dtype)
    ours = np.asarray(theirs)
    least = {"theirs": 1.0, "ours": 1.0}
    for _ in range(20):
        for name, x in (("theirs", theirs), ("ours", ours)):
            start = time.perf_counter()
            _ = x @ x
            least[name] = min(least[name], time.perf_counter() - start)
    assert least["ours"] < 2 * least["theirs"], least
