"""The user's lines: each recorded operation has the line that asked for it, through passes and derivatives into kernels and what is kept on disk."""

from __future__ import annotations

import inspect
import os
import pathlib
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy

import fastnp as np
from fastnp import _core

HERE = os.path.abspath(__file__)


def ops_by_line(told: Any) -> dict[str, tuple[int, str]]:
    """Of each op of a trace, the line within its function, counted from its `def`, and the function."""
    found = {}
    for op, file, line, function in re.findall(r"= (\w+) .*  ; (.*):(\d+) in (.*)", told.ir_lines):
        assert os.path.abspath(file) == HERE, file
        found[op] = (int(line), function)
    return found


def first_line(function: Callable[..., Any]) -> int:
    return inspect.getsourcelines(function)[1]


def test_each_operation_has_its_line():
    def loss(x, w):
        # fmt: off
        p = np.tanh(
            x @ w
        )
        # fmt: on
        q = p * 2
        return np.sum(q)

    first = first_line(loss)
    told = np.explain(np.compile(loss))(numpy.ones((2, 3)), numpy.ones((3, 4)))
    lines = ops_by_line(told)
    assert lines == {
        "matmul": (first + 3, "loss"),
        "tanh": (first + 2, "loss"),
        "constant": (first + 6, "loss"),
        "multiply": (first + 6, "loss"),
        "sum": (first + 7, "loss"),
    }
    assert told.kernels[0]["lines"] == [f"{HERE}:{first + 3} in loss"]
    assert told.kernels[1]["lines"] == [f"{HERE}:{first + k} in loss" for k in (2, 6, 7)]
    assert f"from test_lines.py:{first + 2}, {first + 6}, {first + 7} in loss" in str(told)
    assert ";" not in told.ir


def scaled(x):
    return x * 3


def test_functions_that_are_called_have_theirs():
    def whole(x):
        return scaled(np.sqrt(x)) + np.linalg.norm(x)

    lines = ops_by_line(np.explain(np.compile(whole))(numpy.ones(4)))
    assert lines["multiply"] == (first_line(scaled) + 1, "scaled")
    assert lines["sqrt"][0] in (first_line(whole) + 1, first_line(scaled) + 1)
    assert lines["add"] == (first_line(whole) + 1, "whole")
    assert {function for _, function in lines.values()} == {"scaled", "whole"}  # none within fastnp's own code


def test_numpys_functions_are_told_by_who_called_them():
    def spread(x):
        return numpy.ptp(numpy.roll(x, 1))

    lines = ops_by_line(np.explain(np.compile(spread))(numpy.arange(4.0)))
    assert set(lines.values()) == {(first_line(spread) + 1, "spread")}


def test_derivatives_have_the_lines_of_what_they_are_of():
    def loss(x):
        y = np.tanh(x)
        z = np.exp(y)
        return np.sum(z)

    first = first_line(loss)
    told = np.explain(np.compile(np.grad(loss)))(numpy.linspace(0, 1, 5))
    lines = ops_by_line(told)
    assert lines["tanh"] == (first + 1, "loss") and lines["exp"] == (first + 2, "loss")
    assert lines["square"] == (first + 1, "loss")  # of 1 - tanh(x)**2
    assert lines["multiply"][0] in (first + 1, first + 2)


def test_bodies_of_loops_have_theirs():
    def body(i, s):
        return s * 2 + np.sin(s)

    def looped(x):
        return np.fori_loop(0, 5, body, x)

    told = np.explain(np.compile(looped))(numpy.ones(1000))
    lines = ops_by_line(told)
    assert lines["sin"] == (first_line(body) + 1, "body") and lines["loop"] == (first_line(looped) + 1, "looped")
    assert f"{HERE}:{first_line(body) + 1} in body" in [line for kernel in told.kernels for line in kernel["lines"]]


def test_parts_have_the_lines_of_the_whole():
    def broken(x):
        y = np.sqrt(x) + 1
        with open(os.devnull, "w") as out:
            out.write("now")
        return (y * 2).sum()

    told = np.explain(np.compile(broken))(numpy.ones(5))
    lines = [line for part in told.parts for kernel in part.kernels for line in kernel["lines"]]
    first = first_line(broken)
    assert {f"{HERE}:{first + 1} in broken", f"{HERE}:{first + 4} in broken"} <= set(lines), lines


def test_lines_of_long_functions_with_gaps():
    """The table of places has other forms for lines far apart, for those that go back, and for long statements."""
    lines = ["def f(x):"]
    wanted = []
    for k in range(40):
        lines += [""] * (k * k)
        lines.append("    x = (")
        lines.append(f"        np.sin(x{' ' * 7 * k}")
        lines.append(f"        ) * np.float64({k}.5)")
        lines.append("    )")
        wanted.append(len(lines) - 2)
    lines.append("    return x")
    space: dict[str, Any] = {"np": np}
    exec(compile("\n".join(lines), "long.py", "exec"), space)
    told = np.explain(np.compile(space["f"], backend="eager"))(numpy.ones(3))
    found = [int(line) for line in re.findall(r"= sin .*  ; long.py:(\d+) in f", told.ir_lines)]
    code = space["f"].__code__
    assert found == wanted and set(wanted) <= {line for _, _, line in code.co_lines()}


def test_texts_with_lines_come_back():
    told = np.explain(np.compile(lambda x: np.sum(np.sin(x) * 2)))(numpy.ones(4))
    assert told.ir_lines.count("  ; ") == 4
    assert _core._parse_graph(told.ir_lines, with_lines=True) == told.ir_lines
    assert _core._parse_graph(told.ir_lines) == told.ir


def test_what_is_kept_on_disk_keeps_them(tmp_path: pathlib.Path):
    script = tmp_path / "model.py"
    script.write_text(
        textwrap.dedent("""
            import numpy
            import fastnp as np

            @np.compile
            def loss(x):
                y = np.sin(x)
                return np.sum(y * 2)

            told = np.explain(loss)(numpy.ones(5))
            print("record" in told.entries[0]["milliseconds"])
            print(told.kernels[0]["lines"])
        """)
    )
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    runs = [subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120) for _ in range(2)]
    assert all(run.returncode == 0 for run in runs), runs[0].stderr + runs[1].stderr
    first, second = (run.stdout.splitlines() for run in runs)
    assert first == ["True", f"['{script}:7 in loss', '{script}:8 in loss']"]
    assert second == ["False", first[1]]
    script.write_text("# a line more\n" + script.read_text())  # the code is the same, and its lines are not
    moved = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120)
    assert moved.stdout.splitlines() in (["False", "[]"], ["True", f"['{script}:8 in loss', '{script}:9 in loss']"])
