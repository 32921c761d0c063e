"""FASTNP_VERIFY=1: emitted kernels are proved to do what they mean, and it is told of each."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy
import fastnp as np

x = numpy.random.default_rng(0).normal(size=(40, 33))


@np.compile
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


for some in (x, x[:30], x[:7, :31]):  # from the second one on sizes vary
    assert numpy.allclose(softmax(some).sum(axis=1), 1)
np.compile(lambda x, y: np.where(x > y, x - y, 0))(x, x * x)
np.compile(lambda x: np.sum(x.T, axis=1).astype("int32"))(x)
"""


def told(**environment: str) -> str:
    """What the program tells on its error stream."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("FASTNP_LOGS")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=own | {"FASTNP_CACHE_DIR": ""} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stderr


def test_a_line_for_each_kernel() -> None:
    lines = told(FASTNP_VERIFY="1").splitlines()
    assert len(lines) >= 4, lines
    pattern = re.compile(r"fastnp: kernel (\w+): proved at (\d+ of )?\d+ sizes?(, some of its units)?, \d+ elements?")
    assert all(pattern.match(line) for line in lines), lines
    assert {line.split()[2] for line in lines} >= {"rows:", "elementwise:"}
    assert any("sizes" in line for line in lines), lines


@pytest.mark.parametrize("setting", ["", "0"])
def test_nothing_where_it_is_off(setting: str) -> None:
    assert told(FASTNP_VERIFY=setting) == ""


def test_the_log_of_code_has_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert told(FASTNP_VERIFY="1", FASTNP_LOGS="code", FASTNP_LOGS_JSON="1", FASTNP_LOGS_FILE=str(log)) == ""
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    proofs = [event for event in events if "proved" in event]
    assert len(proofs) >= 4
    assert all(event["proved"] == "true" and int(event["elements"]) > 0 for event in proofs), proofs
