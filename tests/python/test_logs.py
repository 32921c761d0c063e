"""Logs: each channel's events, as lines and as JSON, by call and by environment; nothing where none is on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import loop_functions
import numpy
import pytest
import simulated

import fastnp as np

CHANNELS = "recompiles,guards,breaks,fusion,passes,code,ptx,cache,timing"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the logs, runs functions, and gives the events."""
    file = tmp_path / "log"

    def run(channels: str, *functions: Any) -> list[dict[str, Any]]:
        np.compiler.set_logs(channels, file=file, json=True)
        try:
            for each in functions:
                each()
        finally:
            np.compiler.set_logs("")
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    return run


def test_no_channel_is_on():
    assert np.compiler.logs() == ""


def test_channels_are_set_and_cleared():
    np.compiler.set_logs("timing, breaks")
    assert np.compiler.logs() == "breaks,timing"
    np.compiler.set_logs("all")
    assert np.compiler.logs() == CHANNELS
    np.compiler.set_logs("+all")
    assert np.compiler.logs() == CHANNELS.replace("passes", "+passes")
    np.compiler.set_logs()
    assert np.compiler.logs() == ""


def test_other_names_and_files_are_errors():
    with pytest.raises(ValueError, match=r"set_logs\(\) has no channel 'recompile': there are recompiles, guards"):
        np.compiler.set_logs("recompile")
    with pytest.raises(ValueError, match="set_logs\\(\\) can't open '/no/such/folder/log': No such file"):
        np.compiler.set_logs("timing", file="/no/such/folder/log")
    assert np.compiler.logs() == ""


def test_recompilations_say_what_changed(told):
    @np.compile
    def scaled(x, options):
        return x * options["scale"]

    x = numpy.ones(3)
    events = told("recompiles", *(lambda n=n: scaled(x, {"scale": 2.0, "name": n}) for n in "abca"))
    assert [event["reason"] for event in events] == ["plain values or structure of the arguments changed"] * 2
    assert {event["function"] for event in events} == {"scaled"}
    f = np.compile(lambda x: np.sqrt(x) + 1)
    events = told("recompiles", lambda: f(x), lambda: f(x.astype("f4")))[2:]
    assert [event["reason"] for event in events] == ["argument 0: dtype changed from float64 to float32"]


def test_breaks_name_the_line(told):
    @np.compile
    def logged(x):
        y = np.sqrt(x) + 1
        with open(os.devnull, "w") as out:
            out.write("now")
        return (y * 2).sum()

    events = told("breaks", lambda: logged(numpy.ones(3)), lambda: logged(numpy.ones(3)))
    line = logged.__wrapped__.__code__.co_firstlineno + 3
    assert [event["text"] for event in events] == [f"calls open() ({__file__}:{line}, in {logged.__qualname__})"]


def test_breaks_without_source(told):
    space: dict[str, Any] = {"open": open}
    exec("def unseen(x):\n    open('/dev/null').close()\n    return x", space)
    f = np.compile(space["unseen"])
    assert any("open()" in event["text"] for event in told("breaks", lambda: f(numpy.ones(3))))


def test_kernels_guards_passes_and_code(told):
    f = np.compile(lambda x: np.sqrt(x * x + 1).sum())
    events = told("fusion,guards,passes,code,timing", lambda: f(numpy.ones((30, 40))))
    by_channel: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        by_channel.setdefault(event["channel"], []).append(event)
    assert set(by_channel) == {"fusion", "guards", "passes", "code", "timing"}
    assert any("sqrt" in event["ops"] for event in by_channel["fusion"])
    assert any("float64[30, 40]" in event["text"] for event in by_channel["guards"])
    assert all(event["pass"] and event["before"] > 0 for event in by_channel["passes"])
    assert any("define " in event["text"] for event in by_channel["code"])
    assert sum(by_channel["timing"][0][phase] for phase in ("record", "simplify", "fuse")) <= by_channel["timing"][0]["milliseconds"]


def test_native_loops_have_code(told):
    @np.compile
    def summed(x):
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0.5:
                total += x[i]
        return total

    assert any("fastnp_program" in event["text"] for event in told("code", lambda: summed(numpy.ones(30))))


def test_native_loops_are_timed_or_refused_with_a_reason(told):
    @np.compile
    def refused(x, names):
        for i in range(len(x)):
            if names[i] > x[i]:
                x[i] = 0.0

    timed = np.compile(loop_functions.count)
    events = told("timing,breaks", lambda: timed(numpy.ones(30), 0.5), lambda: refused(numpy.arange(3.0), {0: 1, 1: 2, 2: 3}))
    assert any("native loop, lines" in each["text"] and "steps, compiled in" in each["text"] for each in events if each["function"] == "count")
    assert any("no native code, as it" in each["text"] for each in events if each["function"] == "refused" and each["channel"] == "breaks")


SCALE = 2.5


def test_guards_of_what_is_read_by_name(told):
    f = np.compile(lambda x: np.sqrt(x) * SCALE)
    (text,) = [each["text"] for each in told("guards", lambda: f(numpy.ones(3))) if each["text"].startswith("reads ")]
    assert "SCALE" in text


def test_graphs_after_passes(told):
    def model(x):
        return (np.sqrt(x) * 1.0).sum() + 0 * x.sum()

    short = [each["text"] for each in told("passes", lambda: np.compile(model)(numpy.ones((3, 4)))) if each["pass"] == "simplify"]
    assert short and all("\n" not in each for each in short)
    whole = [each["text"] for each in told("+passes", lambda: np.compile(model)(numpy.ones((4, 3)))) if each["pass"] == "simplify"]
    assert any("sqrt" in each.partition("\n")[2] for each in whole)
    np.compiler.set_logs("+passes, timing")
    assert np.compiler.logs() == "+passes,timing"
    np.compiler.set_logs()


PROGRAM = """
import numpy, fastnp as np
f = np.compile(lambda x: np.sqrt(x) + 1)
f(numpy.ones(3))
f(numpy.ones(3, "f4"))
print(np.compiler.logs())
"""


def run(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache"), **environment}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=variables, capture_output=True, text=True, check=False)


def test_the_environment_sets_them(tmp_path):
    done = run(tmp_path, FASTNP_LOGS="recompiles,cache")
    assert done.stdout == "recompiles,cache\n"
    lines = done.stderr.splitlines()
    assert sum(line.startswith("fastnp recompiles: <lambda>: compiled again: ") for line in lines) == 1
    assert any(line.startswith("fastnp cache: <lambda>: kept llvmcache-") for line in lines)
    again = run(tmp_path, FASTNP_LOGS="cache", FASTNP_LOGS_FILE=str(tmp_path / "log"), FASTNP_LOGS_JSON="1")
    assert again.stderr == ""
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert any(event["text"].startswith("found llvmcache-") and event["bytes"] > 0 for event in events)


@pytest.mark.skipif(not simulated.library().exists(), reason="the package has no simulated devices beside it")
def test_devices_have_code_of_their_own():
    program = "import fastnp as np\nwith np.device('cuda'):\n    np.compile(lambda x: x * 2 + 1)(np.ones(30))"
    variables = {**simulated.environment(), "FASTNP_LOGS": "ptx", "FASTNP_CACHE_DIR": ""}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    assert "fastnp ptx: <lambda>: " in done.stderr
    assert "fastnp_" in done.stderr


def test_another_name_in_the_environment_is_an_error(tmp_path):
    done = run(tmp_path, FASTNP_LOGS="recompile")
    assert done.returncode != 0
    assert "has no channel 'recompile'" in done.stderr
