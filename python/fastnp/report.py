"""``python -m fastnp.report``: what a report of a problem needs, in one file, without personal data.

Versions, processor, CUDA, the disk cache, variables of the environment that count, a small program that is run, the last lines of a log, and what a
script does that shows the problem. The home folder, and the names of users and of the machine, are replaced.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy

from fastnp import _core
from fastnp._config import _lines, configuration

_VARIABLES = re.compile(r"FASTNP_|CUDA_|OMP_|OPENBLAS_|MKL_|NVIDIA_|PYTHON|LD_LIBRARY_PATH$|LD_PRELOAD$|XDG_CACHE_HOME$")
_MOST_LINES = 400
_SMALL = """
import time, numpy, fastnp as np
begin = time.perf_counter()
f = np.compile(lambda x: np.sum(np.sin(x) * 2))
x = numpy.linspace(0, 1, 1000)
right = abs(float(f(x)) - 2 * numpy.sin(x).sum()) < 1e-9
print("right" if right else "WRONG", f"in {(time.perf_counter() - begin) * 1e3:.0f} ms,", f.cache_info().compiles, "compiled")
"""


class Anonymous:
    """Replaces what names a person or a machine."""

    def __init__(self) -> None:
        self.pairs: list[tuple[re.Pattern[str], str]] = []
        homes = {os.path.expanduser("~"), os.environ.get("HOME", "")} - {"", "/", "~"}
        homes |= {os.path.realpath(each) for each in homes}
        for home in sorted(homes, key=len, reverse=True):
            self.replace(rf"{re.escape(home)}(?![\w-])", "~")
        self.replace(r"/(home|Users)/[^/\s:'\"]+", r"/\1/USER")
        for host in sorted(_hosts(), key=len, reverse=True):
            self.replace(rf"(?<![\w-]){re.escape(host)}(?![\w-])", "HOST")
        for user in sorted(_users(), key=len, reverse=True):
            self.replace(rf"(?<![\w-]){re.escape(user)}(?![\w-])", "USER")
        self.replace(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", "EMAIL")

    def replace(self, pattern: str, by: str) -> None:
        self.pairs.append((re.compile(pattern), by))

    def __call__(self, text: str) -> str:
        for pattern, by in self.pairs:
            text = pattern.sub(by, text)
        return text


def _hosts() -> set[str]:
    names = {platform.node(), socket.gethostname(), os.environ.get("HOSTNAME", "")}
    names |= {name.partition(".")[0] for name in names}
    return {name for name in names if len(name) > 2 and name != "localhost"}


def _users() -> set[str]:
    found = {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    with contextlib.suppress(Exception):  # there may be no such account
        found.add(getpass.getuser())
    with contextlib.suppress(Exception):
        import pwd

        account = pwd.getpwuid(os.getuid())
        found |= {account.pw_name, account.pw_gecos.partition(",")[0]}
    return {name for name in found if len(name) > 1 and name != "root"}


def _versions() -> Iterator[str]:
    yield f"Python: {sys.version.split()[0]} ({platform.python_implementation()})"
    yield f"NumPy: {numpy.__version__}"
    yield f"system: {platform.system()} {platform.release()} {platform.machine()}, {' '.join(platform.libc_ver())}"
    yield f"processors: {os.cpu_count()}, {len(os.sched_getaffinity(0))} of them for this process"
    yield from _lines(configuration(), "")


def _cuda() -> Iterator[str]:
    if problem := _core._cuda_problem():
        yield f"none: {problem}"
        return
    for name, path, problem in _core._device_libraries():
        yield f"{name}: {path or problem}"


def _cache() -> Iterator[str]:
    folder = dict(_core._configuration())["cache folder"]
    if not folder:
        yield "nothing is kept"
        return
    yield f"folder: {folder}"
    if not os.path.isdir(folder):
        yield "it is not there"
        return
    files = [entry.stat() for entry in os.scandir(folder) if entry.is_file()]
    yield f"files: {len(files)}, {sum(each.st_size for each in files) / 2**20:.1f} MiB"
    if files:
        yield f"last used: {time.strftime('%Y-%m-%d', time.localtime(max(each.st_mtime for each in files)))}"
    safe = os.stat(folder).st_uid == os.geteuid() and os.stat(folder).st_mode & 0o022 == 0
    yield f"is the user's alone: {'yes' if safe else 'no, so that it is not used'}"


def _environment() -> Iterator[str]:
    found = sorted((name, value) for name, value in os.environ.items() if _VARIABLES.match(name))
    yield from (f"{name}={value}" for name, value in found)


def _tail(text: str, many: int = _MOST_LINES) -> list[str]:
    lines = text.splitlines()
    return lines if len(lines) <= many else [f"... {len(lines) - many} lines before", *lines[-many:]]


def _run(arguments: list[str], seconds: float, **more: str) -> list[str]:
    """What a program says, in a process of its own: it may crash."""
    try:
        done = subprocess.run([sys.executable, *arguments], env={**os.environ, **more}, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return [f"it did not end within {seconds:g} s"]
    end = f"ended by signal {-done.returncode}" if done.returncode < 0 else f"ended with {done.returncode}"
    return [*_tail(done.stdout), *_tail(done.stderr), end]


def _repro(script: Path, seconds: float) -> Iterator[str]:
    yield from ("| " + line for line in script.read_text(errors="replace").splitlines())
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        yield "runs:"
        yield from _run([str(script)], seconds, FASTNP_LOGS="recompiles,breaks,fusion,passes,cache,timing", FASTNP_LOGS_FILE=log)
        yield "as written (FASTNP_DISABLE=1):"
        yield from _run([str(script)], seconds, FASTNP_DISABLE="1")
        if os.path.exists(log):
            yield "log:"
            yield from _tail(Path(log).read_text(errors="replace"))


def collect(log: str | None = None, repro: str | None = None, seconds: float = 60) -> str:
    """The report as text. `log`: a file of which the last lines are added; `repro`: a script, which is run; `seconds`: how long it may take."""
    parts: list[tuple[str, Iterator[str] | list[str]]] = [
        ("Versions", _versions()),
        ("CUDA", _cuda()),
        ("Disk cache", _cache()),
        ("Environment", _environment()),
        ("A small program", _run(["-c", _SMALL], seconds)),
    ]
    if log:
        parts.append(("Log", _tail(Path(log).read_text(errors="replace"))))
    if repro:
        parts.append((f"Script {os.path.basename(repro)}", _repro(Path(repro), seconds)))
    text = "\n".join(f"== {title}\n" + "".join(f"{line}\n" for line in lines) for title, lines in parts)
    return Anonymous()(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fastnp.report", description="Collects what a report of a problem needs, without personal data.")
    parser.add_argument("-o", "--output", default="fastnp-report.txt", help="the file (fastnp-report.txt); - is the standard output")
    parser.add_argument("--log", default=os.environ.get("FASTNP_LOGS_FILE"), help="a log of which the last lines are added (FASTNP_LOGS_FILE)")
    parser.add_argument("--repro", help="a script that shows the problem: it is run, and its text is added")
    parser.add_argument("--seconds", type=float, default=60, help="how long a program may run (60)")
    given = parser.parse_args(arguments)
    for name in (given.log, given.repro):
        if name and not os.path.isfile(name):
            parser.error(f"there is no file {name}")
    text = collect(given.log, given.repro, given.seconds)
    if given.output == "-":
        sys.stdout.write(text)
        return 0
    Path(given.output).write_text(text)
    print(f"written to {given.output}: look through it before you send it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
