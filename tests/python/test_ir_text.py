"""Graphs as text: what explain() shows is read back as the same graph, which is verified, and each kernel knows the user's lines."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap
import warnings
from typing import Any

import numpy
import pytest
from fuzz.programs import random_program
from support import LONG, SEED

import fastnp as np
from fastnp import _core


def texts_of(told: Any) -> list[str]:
    """Of a function's entries and those of its parts."""
    own = [entry["ir"] for entry in told.entries if entry["ir"]]
    return own + [text for part in told.parts for text in texts_of(part)]


def check(told: Any) -> int:
    texts = texts_of(told)
    for text in texts:
        assert _core._parse_graph(text) == text
    return len(texts)


@pytest.mark.parametrize("dynamic", [None, True])
def test_random_programs_come_back(dynamic: bool | None):
    found = 0
    for seed in range(SEED, SEED + (200 if LONG else 25)):
        program = random_program(seed)
        compiled = np.compile(program.function(np), dynamic=dynamic)
        for call in program.calls:
            with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    told = np.explain(compiled)(*[argument.make() for argument in call])
                except Exception:  # as NumPy does
                    continue
            found += check(told)
    assert found > 10


def test_loops_calls_writes_and_derivatives_come_back():
    x = numpy.linspace(0, 1, 6)

    def written(x):
        y = x[1:]
        y += 1
        return x.sum(), y.T

    functions = [
        lambda x: np.fori_loop(0, 5, lambda i, s: s * x, np.ones(6)),
        lambda x: np.scan(lambda s, p: (s + p, s * 2), np.zeros(()), x),
        lambda x: np.while_loop(lambda s: s.sum() < 100, lambda s: s * 2 + 1, x),
        lambda x: (np.sqrt(x) - np.median(np.sqrt(x))) * 2,
        np.grad(lambda x: np.sum(np.tanh(x) * x)),
        lambda x: np.fft.fft(x, norm="ortho").real,
        lambda x: np.linalg.solve(np.outer(x, x) + np.eye(6), x),
        lambda x: x[x > 0.5],
        lambda x: np.where(x > 0.5, np.nan, -np.inf) * complex(0, -0.0),
        written,
    ]
    for function in functions:
        compiled = np.compile(function)
        assert check(np.explain(compiled)(x.copy())) >= 1
        assert check(np.explain(np.compile(function, dynamic=True))(x.copy())) >= 1


def test_what_is_known_of_sizes_is_shown():
    @np.compile(dynamic={"x": {0: np.Dim("batch size", 2, 64)}})
    def halves(x):
        return x[: x.shape[0] // 2] * 2

    text = np.explain(halves)(numpy.ones(9)).ir
    assert text.startswith("size `batch size` = 9 in 2..64\n")
    assert "float64[`batch size`//2]" in text
    assert _core._parse_graph(text) == text


def test_errors_name_the_place():
    with pytest.raises(ValueError, match="graph text, line 2, column 6: expected an op, not 'sinus'"):
        _core._parse_graph("%0 = parameter (0) : float64[3]\n%1 = sinus %0 : float64[3]\nreturn %1\n")
    with pytest.raises(RuntimeError, match="a graph is wrong as it was read: `%1 = exp %0 : float32\\[3\\]`: the op gives float64\\[3\\]"):
        _core._parse_graph("%0 = parameter (0) : float64[3]\n%1 = exp %0 : float32[3]\nreturn %1\n")


def test_verified_after_each_pass():
    """FASTNP_VERIFY_IR=1: nothing is found in programs of all kinds."""
    script = f"""
        import warnings
        import numpy
        import fastnp as np
        from fuzz.programs import random_program
        warnings.simplefilter("ignore")
        wrong, runs = [], 0
        for seed in range({SEED}, {SEED} + {400 if LONG else 40}):
            program = random_program(seed)
            for backend in ("llvm", "eager"):
                compiled = np.compile(program.function(np), backend=backend)
                for call in program.calls:
                    try:
                        compiled(*[argument.make() for argument in call])
                        runs += 1
                    except Exception as error:
                        if " is wrong " in str(error):
                            wrong.append((seed, str(error)))
        x = numpy.linspace(0, 1, 6)
        for f in (lambda x: np.scan(lambda s, p: (s + p, s * 2), np.zeros(()), x), np.grad(lambda x: np.sum(np.tanh(x) * x)),
                  lambda x: np.fori_loop(0, 5, lambda i, s: s * x, np.ones(6)), lambda x: x / x.sum()):
            np.compile(f)(x)
        assert not wrong, wrong[:3]
        assert runs > 20, runs
    """
    tests = str(pathlib.Path(__file__).resolve().parent.parent)
    environment = {**os.environ, "FASTNP_VERIFY_IR": "1", "FASTNP_CACHE_DIR": "", "FASTNP_ADAPTIVE": "0"}
    environment["PYTHONPATH"] = environment.get("PYTHONPATH", "") + ":" + tests
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
