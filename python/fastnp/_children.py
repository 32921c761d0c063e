"""Work that may end the process is done in a child of it, and told of: what it gave, what it raised, how it died, or that it did not end."""

from __future__ import annotations

import os
import pickle
import select
import signal
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Tell = Callable[[Any], None]


@dataclass(frozen=True)
class Ended:
    """How a child ended: "done", "raised", "died" or "hung".

    `value`: what it gave; `text`: what it raised, or what killed it; `told`: the last thing that it told.
    """

    how: str
    value: Any = None
    text: str = ""
    told: Any = None


def _read(source: int, deadline: float) -> tuple[list[Any], bool]:
    """What a child wrote, object by object, and whether it came to its end in time."""
    data = b""
    found: list[Any] = []
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([source], [], [], left)[0]:
            continue
        more = os.read(source, 1 << 20)
        if not more:
            return found, True
        data += more
        while len(data) >= 8 and len(data) >= 8 + (size := struct.unpack("<q", data[:8])[0]):
            found.append(pickle.loads(data[8 : 8 + size]))  # noqa: S301  # of a child of this process
            data = data[8 + size :]
    return found, False


def _last_line(file: Any) -> str:
    file.seek(0)
    lines = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _be_child(target: int, stderr: Any, work: Callable[[Tell], Any]) -> None:
    import faulthandler

    faulthandler.disable()
    os.dup2(stderr.fileno(), 2)

    def write(value: Any) -> None:
        data = pickle.dumps(value)
        os.write(target, struct.pack("<q", len(data)) + data)

    try:
        write(("done", work(lambda value: write(("told", value)))))
    except BaseException as error:  # noqa: BLE001  # told, whatever it is
        write(("raised", f"{type(error).__name__}: {error}"))
    os._exit(0)


def run(work: Callable[[Tell], Any], seconds: float) -> Ended:
    """Has a child of this process do it, which has all of its memory. `work` is given a function that tells something before the end."""
    source, target = os.pipe()
    with tempfile.TemporaryFile() as stderr:
        sys.stdout.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of this process are fastnp's, which see to forks
            child = os.fork()
        if child == 0:
            os.close(source)
            _be_child(target, stderr, work)
        os.close(target)
        ended = False
        try:
            found, ended = _read(source, time.monotonic() + seconds)
        finally:
            os.close(source)
            if not ended:
                os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
        told = next((value for kind, value in reversed(found) if kind == "told"), None)
        if found and found[-1][0] != "told":
            kind, value = found[-1]
            return Ended(kind, value if kind == "done" else None, value if kind == "raised" else "", told)
        if not ended:
            return Ended("hung", text=f"nothing after {seconds:g} s", told=told)
        what = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit status {os.waitstatus_to_exitcode(status)}"
        line = _last_line(stderr)
        return Ended("died", text=what + (f": {line}" if line else ""), told=told)
