"""Common to all tests: hypothesis without a deadline, counters that start at zero, and simulated devices where they are asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import hypothesis
import pytest

os.environ["FASTNP_CACHE_DIR"] = ""  # tests generate the code that they run
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes three quarters of a device's memory from all others
sys.path.insert(0, os.path.dirname(__file__))
if os.environ.get("FASTNP_SIMULATED_DEVICE", "0") != "0":  # all tests, in a process whose CUDA devices are simulated
    import simulated

    simulated.load()

hypothesis.settings.register_profile("fastnp", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("fastnp")


@pytest.fixture(autouse=True)
def on_device() -> Iterator[None]:
    """Each test in a context of the device that FASTNP_TEST_DEVICE names, if any."""
    import fastnp

    with fastnp.device(os.environ.get("FASTNP_TEST_DEVICE", "cpu")):
        yield


@pytest.fixture(autouse=True)
def no_fallback_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    import fastnp

    monkeypatch.delenv("FASTNP_FALLBACK", raising=False)
    fastnp.compiler.reset_fallbacks()
