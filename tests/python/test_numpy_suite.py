"""NumPy's own tests over fastnp: no fewer pass than tests/numpy_suite/passing.txt holds, which may only rise.

The first tier takes some quick files, drawn by the seed; the second tier all.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest
import support

FOLDER = Path(__file__).resolve().parents[1] / "numpy_suite"
sys.path.insert(0, str(FOLDER))

import run  # noqa: E402  # of that folder

HELD = run.held()
QUICK, BUDGET = 6.0, 15.0  # seconds: of one file, and of all that the first tier draws


def drawn() -> list[str]:
    if support.LONG:
        return sorted(HELD)
    rng = random.Random(int(os.environ["FASTNP_TEST_SEED"]))
    names = sorted(name for name, each in HELD.items() if each.seconds <= QUICK)
    rng.shuffle(names)
    taken: list[str] = []
    while names and sum(HELD[name].seconds for name in [*taken, names[-1]]) <= BUDGET:
        taken.append(names.pop())
    return taken


@pytest.mark.skipif(os.environ.get("FASTNP_SIMULATED_DEVICE", "0") != "0", reason="they are of the host")
@pytest.mark.part(1)
@pytest.mark.parametrize("name", drawn())
def test_as_many_pass(name: str, tmp_path: Path) -> None:
    run.copied([name], tmp_path)
    outcomes = run.run_file(name, tmp_path)
    failed = "\n".join(f"{test}: {run.cause_of(message)}" for test, message in (outcomes.failed | outcomes.errors).items())
    assert len(outcomes.passed) >= HELD[name].passed, failed


def test_causes_are_of_files_that_are_there() -> None:
    """A file that NumPy has no longer, or that is in no folder in scope, need not be left out."""
    there = {f"{folder}/{file.name}" for folder in run.scope.FOLDERS for file in (run.NUMPY / folder / "tests").glob("test_*.py")}
    assert not HELD or run.scope.files_left_out() <= there
