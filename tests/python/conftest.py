"""Common to all tests: a printed seed, hypothesis without a deadline, counters that start at zero, and simulated devices where they are asked for."""

from __future__ import annotations

import os
import random
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

os.environ.setdefault("FASTNP_TEST_SEED", str(random.SystemRandom().randrange(1 << 31)))  # of the processes of pytest-xdist, too
os.environ["FASTNP_CACHE_DIR"] = ""  # tests generate the code that they run,
os.environ.setdefault("FASTNP_ADAPTIVE", "0")  # and run it, whatever it takes
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes three quarters of a device's memory from all others
sys.path[:0] = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__))]  # fuzz lies there
if os.environ.get("FASTNP_SIMULATED_DEVICE", "0") != "0":  # all tests, in a process whose CUDA devices are simulated
    import simulated

    simulated.load()

SEVERAL, PART = 4, 5  # of a test with so many cases the first tier takes one in so many

hypothesis.settings.register_profile("fastnp", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("fastnp")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--parts", action="store_true", help="of tests that have several cases or are marked part(n), a part, others in each run")
    parser.addoption("--one-in", type=int, default=1, help="of all tests one in so many, others in each run")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"FASTNP_TEST_SEED={os.environ['FASTNP_TEST_SEED']}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What the first tier takes of long lists, and another Python of all."""
    if os.environ.get("FASTNP_LONG_TESTS") == "1":
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    taken = {id(item) for each in cases.values() for item in _drawn(each, config.getoption("--parts"), config.getoption("--one-in"))}
    left = [item for item in items if id(item) not in taken]
    items[:] = [item for item in items if id(item) in taken]
    config.hook.pytest_deselected(items=left)


def _drawn(cases: list[pytest.Item], in_parts: bool, one_in: int) -> list[pytest.Item]:
    """The cases of one test that this run takes: at least one of several, whatever the part."""

    def lot(item: pytest.Item) -> int:
        return zlib.crc32(f"{os.environ['FASTNP_TEST_SEED']} {item.nodeid}".encode())

    if in_parts:
        marker = cases[0].get_closest_marker("part")
        part = marker.args[0] if marker else 0
        if len(cases) < SEVERAL:
            one_in *= max(part, 1)
        elif part != 1:
            cases = sorted(cases, key=lot)[: -(-len(cases) // max(part, PART))]
    return [item for item in cases if lot(item) % one_in == 0]


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


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each loop that was tried to be rolled was."""
    from fastnp import _rolled

    found: list[bool] = []
    take = _rolled.Iterations.take

    def noted(self: Any, *args: Any) -> Any:
        after = take(self, *args)
        found.append(self.next == self.count)
        return after

    monkeypatch.setattr(_rolled.Iterations, "take", noted)
    return found
