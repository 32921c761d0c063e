"""Native loops that have no end can be interrupted: by SIGINT, as Python's own."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from typing import Any

import pytest

PROGRAM = """
    import faulthandler, signal, sys, time
    import numpy, fastnp as np
    faulthandler.dump_traceback_later(50, exit=True)

    def interrupt(*_):  # once: signals sent while the first is dealt with are no more than that one
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)  # it may be ignored where tests run

    def endless(x):
        n = 0
        while x[0] < 1.0:
            n += 1
            x[1] = n
        return n

    def inner(x):
        n = 0
        for i in range(1000):
            n = 0
            while x[0] + n >= 0.0:
                n += 1
        return n

    def region(x):
        made = []
        for i in range(len(x)):
            if x[i] >= 0:
                made.append(x[i])
        n = 0
        while len(made) > 0 and x[0] < 1.0:
            n += 1
            if n > 5:
                x[1] = n
        return numpy.array(made)

    def quick(x, limit):
        n = 0
        while n < limit or limit < 0:
            n += 1
            if n == 7:
                x[1] = n
        return n

    def shared(x):  # by threads, one of which has an iteration without an end
        out = numpy.zeros(20000)
        for i in range(20000):
            n = 0
            while n < 300 or (x[0] == 0.0 and i == 19000):
                n += 1
            out[i] = n
        return out

    function = {"endless": endless, "inner": inner, "region": region, "quick": quick, "shared": shared}[sys.argv[1]]
    compiled, x = np.compile(function), numpy.zeros(2)
    if function is quick:
        for _ in range(50):
            compiled(x, 1000)  # short runs keep the GIL
    else:  # what is imported and compiled at first is not what is interrupted
        compiled(numpy.full(2, -5.0 if function is inner else 5.0))
    print("begins", flush=True)
    try:
        compiled(*((x, -1) if function is quick else (x,)))
    except KeyboardInterrupt:
        is_native = any(loop.programs for loop in compiled._parts().told())
        print("interrupted", is_native, x[1] > 0 or function in (inner, shared), flush=True)
    assert function(numpy.ones(2) * 5) if function is endless else True
"""


@pytest.mark.parametrize("name", ["endless", "inner", "region", "quick", "shared"])
def test_interrupted(name: str, tmp_path: Any) -> None:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    command = [sys.executable, str(path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline() == "begins\n"
        for _ in range(40):
            try:
                child.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted True True\n", child.stderr.read()[-2000:]
