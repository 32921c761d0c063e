"""Whatever Python can be asked, in whatever place: a compiled function answers as the function as written, when the answer changes too (questions.py)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import asked
import pytest
import questions
from support import LONG, SEED

pytestmark = pytest.mark.part(5)


def places(name: str, mode: str) -> list[str]:
    """All of them in long tests; else one by chance."""
    return list(asked.PLACES) if LONG else [random.Random(f"{SEED} {name} {mode}").choice(list(asked.PLACES))]


@pytest.mark.parametrize("mode", ["one function", "compiled again"])
@pytest.mark.parametrize("question", questions.QUESTIONS, ids=lambda question: question.name.replace(" ", "_"))
def test_answers(question: questions.Question, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled again after each step, the function takes what was kept on disk."""
    again = mode == "compiled again"
    if again:
        monkeypatch.setenv("FASTNP_CACHE_DIR", str(tmp_path))
    for place in places(question.name, mode):
        found = asked.differences(question, place, anew=again, turns=1 if again else 2)
        assert not found, f"FASTNP_TEST_SEED={SEED}: {found[0]}"


def test_answers_in_other_processes(tmp_path: Path) -> None:
    """A second process finds on disk what the first one recorded."""
    folder = Path(asked.__file__).parent
    for _ in range(2):
        environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": str(SEED % 100)}
        done = subprocess.run(
            [sys.executable, str(folder / "asked.py"), str(SEED)], env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        assert not done.stdout, f"FASTNP_TEST_SEED={SEED}: {done.stdout}"
