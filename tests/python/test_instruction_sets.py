"""Compiled code for lesser instruction sets than this machine's, in processes of their own, gives what the machine's own does."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy
import fastnp

rng = numpy.random.default_rng(3)
for dtype in ("float16", "float32", "float64", "int8", "uint64", "complex64", "bool"):
    x = fastnp.asarray(rng.standard_normal((37, 19)) * 3).astype(dtype)

    def f(x):
        y = x * x + x
        return y, y.sum(), y.sum(axis=0), numpy.maximum(x, y).max(axis=-1) if dtype != "complex64" else y, x[:, ::-1] / 3, (x + 1).astype("float16").sum()

    for part, expected in zip(fastnp.compile(f)(x), fastnp.compile(f, backend="eager")(x), strict=True):
        assert part.dtype == expected.dtype and part.shape == expected.shape
        tolerance = 1e-2 if part.dtype == "float16" else 1e-5
        numpy.testing.assert_allclose(numpy.asarray(part), numpy.asarray(expected), rtol=tolerance, atol=tolerance)
print("done")
"""


@pytest.mark.parametrize("level", ["base", "v3"])
def test_programs_on_lesser_instruction_sets(level: str) -> None:
    environment = {**os.environ, "FASTNP_ISA": level, "FASTNP_CACHE_DIR": "", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stderr
