"""Progress: one line with a bar on a terminal for what takes longer than a second, silent elsewhere; as FASTNP_PROGRESS says."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

SLOW = """
import sys, time, numpy, fastnp as np
from fastnp import _core
wait = np.compiler.pure(lambda seconds: time.sleep(seconds))
def slow(x):
    wait(float(sys.argv[1]))
    return x + 1
print(np.compile(slow)(numpy.ones(3)).tolist(), flush=True)
"""
STEPS = """
import sys, time
from fastnp._progress import Progress, track
with Progress("minimising loss") as progress:
    time.sleep(1.15)
    progress.total = 4
    progress.advance(note="shapes")
    time.sleep(0.25)
    for _ in track(range(3), "hidden by the outer one"):
        time.sleep(0.15)
        progress.advance()
print("done", flush=True)
"""


def in_terminal(code, *arguments, columns=100, **environment):
    """What a program writes to its terminal, and to its output."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name != "FASTNP_PROGRESS"}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=slave, text=True, env={**kept, "TERM": "xterm", **environment}
    )
    os.close(slave)
    seen: list[bytes] = []

    def read():
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the other side is closed
                return
            if not part:
                return
            seen.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    out, _ = process.communicate(timeout=60)
    reader.join()
    os.close(master)
    assert process.returncode == 0, (out, seen)
    return b"".join(seen).decode(), out


def in_pipe(code, *arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "FASTNP_PROGRESS"}
    made = subprocess.run([sys.executable, "-c", code, *arguments], env={**kept, **environment}, capture_output=True, text=True)
    return made.stderr, made.stdout


FORKS = (
    SLOW
    + """
import os
child = os.fork()  # the thread that draws is not in the child
def other(x):
    wait(1.4)
    return x[7]
try:
    np.compile(other)(numpy.ones(3))
except IndexError:
    os.write(1, b"error\\n")  # at once: the other process writes, too
if child:
    os.waitpid(child, 0)
"""
)
THREADS = """
import os, sys, numpy, fastnp as np
before = len(os.listdir("/proc/self/task"))
np.compile(lambda x: x + 1)(numpy.ones(3))
print("fastnp._progress" in sys.modules, len(os.listdir("/proc/self/task")) - before)
"""
RUNS = {
    "slow": (in_terminal, SLOW, ["1.5"], {}),
    "quick": (in_terminal, SLOW, ["0.2"], {}),
    "pipe": (in_pipe, SLOW, ["1.3"], {}),
    "off": (in_terminal, SLOW, ["1.3"], {"FASTNP_PROGRESS": "0"}),
    "dumb": (in_terminal, SLOW, ["1.3"], {"TERM": "dumb"}),
    "lines": (in_pipe, SLOW, ["1.3"], {"FASTNP_PROGRESS": "1"}),
    "quick lines": (in_pipe, SLOW, ["0.1"], {"FASTNP_PROGRESS": "1"}),
    "words": (in_pipe, SLOW, ["0"], {"FASTNP_PROGRESS": "yes"}),
    "steps": (in_terminal, STEPS, [], {}),
    "narrow": (in_terminal, SLOW, ["1.3"], {"columns": 40}),
    "tiny": (in_terminal, SLOW, ["1.3"], {"columns": 12}),
    "forks": (in_terminal, FORKS, ["1.3"], {}),
    "threads": (in_pipe, THREADS, [], {"FASTNP_NUM_THREADS": "1"}),
}


@pytest.fixture(scope="module")
def seen():
    """What each of the runs wrote: they wait most of the time, so they do it side by side."""
    with ThreadPoolExecutor(len(RUNS)) as pool:
        made = {name: pool.submit(run, code, *arguments, **more) for name, (run, code, arguments, more) in RUNS.items()}
        return {name: each.result() for name, each in made.items()}


def lines_of(text):
    """What was drawn, line over line."""
    assert re.fullmatch(r"(\r[^\r\n]*\x1b\[K)*", text), repr(text)
    return [each.removesuffix("\x1b[K") for each in text.split("\r")[1:]]


def test_slow_compilations_are_shown_on_a_terminal_and_gone_at_the_end(seen):
    drawn, out = seen["slow"]
    assert out == "[2.0, 2.0, 2.0]\n"
    lines = lines_of(drawn)
    assert len(lines) >= 3 and lines[-1] == ""
    pattern = r"fastnp: compiling slow \[ *==== *\] (\d\.\d) s, (recording|simplify|fuse|code generation)"
    times = [float(re.fullmatch(pattern, each)[1]) for each in lines[:-1]]
    assert times == sorted(times) and times[0] >= 1.0 and len(set(lines)) > 2  # it moves


def test_what_is_quick_is_not_shown(seen):
    assert seen["quick"] == ("", "[2.0, 2.0, 2.0]\n")
    assert seen["quick lines"][0] == ""


@pytest.mark.parametrize("name", ["pipe", "off", "dumb"])
def test_it_is_silent_elsewhere_and_where_it_is_switched_off(name, seen):
    assert seen[name] == ("", "[2.0, 2.0, 2.0]\n")


def test_lines_where_there_is_no_terminal(seen):
    told, _ = seen["lines"]
    assert re.fullmatch(r"fastnp: compiling slow: \d\.\d s, recording\nfastnp: compiling slow: done after \d\.\d s\n", told), told


def test_other_words_are_errors(seen):
    assert seen["words"][0].splitlines()[-1] == "ValueError: FASTNP_PROGRESS must be '0' or '1', not 'yes'"


def test_steps_have_a_bar(seen):
    drawn, out = seen["steps"]
    assert out == "done\n"
    lines = lines_of(drawn)
    assert lines[-1] == "" and not any("hidden" in each for each in lines)
    found = [re.fullmatch(r"fastnp: minimising loss \[(=*)>? *\] (\d)/4, \d\.\d s(, shapes)?", each) for each in lines if "/4" in each]
    assert all(len(each[1]) == 5 * int(each[2]) for each in found)
    assert found[0][2] == "1" and found[0][3] == ", shapes" and int(found[-1][2]) >= 2


@pytest.mark.parametrize(("name", "columns"), [("narrow", 40), ("tiny", 12)])
def test_lines_fit_the_terminal(name, columns, seen):
    lines = lines_of(seen[name][0])
    assert len(lines) > 1 and {len(each) for each in lines[:-1]} == {columns - 1}


def test_forks_and_errors_leave_a_clean_line(seen):
    drawn, out = seen["forks"]
    assert out.splitlines() == ["[2.0, 2.0, 2.0]", "error", "error"]
    assert drawn.endswith("\r\x1b[K") and drawn.count("compiling other") >= 2 and drawn.count("\r\x1b[K") >= 2


def test_where_nothing_is_shown_nothing_is_begun(seen):
    assert seen["threads"] == ("", "False 0\n")
