"""What pytest does besides in the runs of run.py: it leaves out what is out of scope, and writes down each test as it ends.

A line of JSON a test goes to $FASTNP_SUITE_LOG: when it starts, and when it ends. So a crash or a hang tells where it was.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy
import numpy.testing
import pytest
import scope

import fastnp

LOG = Path(os.environ["FASTNP_SUITE_LOG"])
SECONDS = 120  # of the processors' time for one test, whatever else they do


def _known() -> set[str]:
    """The tests that earlier processes ran."""
    return {json.loads(line)["id"] for line in LOG.read_text().splitlines()} if LOG.exists() else set()


def _write(**row: Any) -> None:
    with LOG.open("a") as log:
        log.write(json.dumps(row) + "\n")


def _with_numpys(assertion: Any) -> Any:
    """numpy.testing asks isinstance(x, numpy.ndarray), which fastnp's arrays are not: they are handed in as NumPy's, on the same memory."""

    def asserted(actual: Any, desired: Any, *arguments: Any, **keywords: Any) -> Any:
        actual, desired = (numpy.asarray(each) if isinstance(each, fastnp.ndarray) else each for each in (actual, desired))
        return assertion(actual, desired, *arguments, **keywords)

    return asserted


for _name in ("assert_equal", "assert_almost_equal", "assert_approx_equal"):
    _mine = _with_numpys(getattr(numpy.testing, _name))
    setattr(numpy.testing, _name, _mine)
    setattr(numpy.testing._private.utils, _name, _mine)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = _known()
    kept = [item for item in items if item.nodeid not in known and not scope.is_left_out(item.nodeid.partition("::")[2])]
    chosen = {id(item) for item in kept}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in chosen])
    items[:] = kept


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(id=report.nodeid, outcome="not collected", message=_told(report))


def _told(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return "\n".join(text.strip().splitlines()[-3:] if crash is None else text.splitlines()[:3])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcome = {"failed": "failed" if report.when == "call" else "error"}.get(report.outcome, report.outcome)
        _write(id=report.nodeid, outcome=outcome, message=_told(report) if report.failed else "", seconds=round(report.duration, 2))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    def late(*_: object) -> None:
        raise TimeoutError(f"took more than {SECONDS} s")

    _write(id=item.nodeid, outcome="started")
    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
