"""Common to all tests: hypothesis without a deadline, and counters that start at zero."""

from __future__ import annotations

import os
import sys

import hypothesis
import pytest

os.environ["FASTNP_CACHE_DIR"] = ""  # tests generate the code that they run
sys.path.insert(0, os.path.dirname(__file__))

hypothesis.settings.register_profile("fastnp", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("fastnp")


@pytest.fixture(autouse=True)
def no_fallback_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    import fastnp

    monkeypatch.delenv("FASTNP_FALLBACK", raising=False)
    fastnp.compiler.reset_fallbacks()
