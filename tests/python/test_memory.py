"""memory, memory_snapshot: what arrays take, by the lines and compiled functions that made them; and nothing of it when it is off."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import threading

import numpy
import pytest
import simulated

import fastnp as np
from fastnp import _core, _watching

N = 1000
X = numpy.linspace(1, 2, N)


def line_here() -> int:
    return sys._getframe(1).f_lineno


def rows_of(snapshot):
    """(compiled, result, line): row, of this file."""
    assert all(row["file"] in (__file__, "") for row in snapshot)
    return {(row["compiled"], row["result"], row["line"]): row for row in snapshot}


def test_arrays_have_the_lines_that_made_them():
    with np.compiler.memory() as watched:
        x = np.ones(N)
        made = [np.sin(x) for _ in range(3)]
        first = line_here() - 2
        view, same = x[::2], np.asarray(x)  # no memory of their own
        del made[0]
        rows = rows_of(np.compiler.memory_snapshot())
        assert set(rows) == {("", None, first), ("", None, first + 1)}
        assert (rows["", None, first]["bytes"], rows["", None, first]["arrays"]) == (8 * N, 1)
        row = rows["", None, first + 1]
        assert (row["bytes"], row["arrays"], row["most"], row["made"], row["count"]) == (16 * N, 2, 24 * N, 24 * N, 3)
        assert row["text"] == "made = [np.sin(x) for _ in range(3)]" and row["homes"] == {"cpu": 16 * N}
        del x
        assert watched.snapshot().bytes == 24 * N  # a view keeps it
        del view, same
        assert watched.snapshot().bytes == 16 * N and watched.snapshot().most == 32 * N
    assert watched.snapshot().bytes == 16 * N
    del made
    assert watched.snapshot().bytes == 16 * N  # as it was at the end


def test_compiled_functions_and_which_result_it_is():
    f = np.compile(lambda x: {"a": np.sqrt(x), "b": [np.cumsum(x * 2), 5, (x + 1, x)]}, name="several")
    f(X)
    with np.compiler.memory() as watched:
        kept = f(X)
        line = line_here() - 1
        snapshot = watched.snapshot()
    rows = rows_of(snapshot)
    assert {key for key, row in rows.items() if row["arrays"]} == {("several", number, line) for number in range(3)}
    assert all(rows["several", number, line]["bytes"] == 8 * N for number in range(3))
    assert rows["several", None, line]["arrays"] == 0 and rows["several", None, line]["count"] >= 1  # temporary memory
    assert "several, result 1" in str(snapshot) and kept["b"][1] == 5


def test_calls_without_pythons_lock_have_lines():
    f = np.compile(lambda x: x * 2 + 1, name="large")
    x = np.ones(1 << 20)
    f(x)
    with np.compiler.memory() as watched:
        kept = f(x)
        line = line_here() - 1
        assert rows_of(watched.snapshot())["large", 0, line]["bytes"] == kept.nbytes


def test_functions_as_written_have_the_lines_within():
    def written(x):
        with open(os.devnull, "w") as out:
            out.write("now")
        y = np.cumsum(x)
        return y, line_here() - 1

    f = np.compile(written)
    with np.compiler.memory() as watched, np.compiler.as_written():
        kept, line = f(np.asarray(X))
        rows = rows_of(watched.snapshot())
    assert rows["written", 0, line]["bytes"] == kept.nbytes


def test_memory_from_before_is_told_apart():
    before = np.ones(4096)
    with np.compiler.memory() as watched:
        there = watched.snapshot().earlier
        assert there >= before.nbytes and watched.snapshot().bytes == 0
        del before
        assert watched.snapshot().earlier == there - 4096 * 8
        pool = watched.snapshot().pools["cpu"]
        assert pool["in_use"] >= 0 and pool["kept"] >= 4096 * 8
    assert list(watched.snapshot()) == [] and "in 0 arrays" in str(watched)


def test_derivatives_and_functions_in_each_other():
    inner = np.compile(lambda x: (x * x).sum(), name="inner")
    outer = np.compile(lambda x: np.grad(inner)(x) + inner(x), name="outer")
    with np.compiler.memory() as watched:
        kept = outer(np.asarray(X)), np.vmap(inner)(np.ones((3, 4))), np.grad(inner)(np.asarray(X))
        rows = rows_of(watched.snapshot())
    assert {compiled for compiled, _, _ in rows} >= {"outer"} and len(kept) == 3
    assert any(compiled == "outer" and result == 0 and row["bytes"] == 8 * N for (compiled, result, _), row in rows.items())


def test_other_threads_are_seen():
    kept = []

    def work():
        kept.append(np.ones(N))

    with np.compiler.memory() as watched:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        [row] = watched.snapshot()
    assert (row["arrays"], row["bytes"], row["function"]) == (4, 32 * N, "work")


def test_random_programs_are_counted_right():
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    f = np.compile(lambda x: x * 2 + 1, name="doubled")
    with np.compiler.memory() as watched:
        there: list[np.ndarray] = []
        most = 0
        for _ in range(300):
            what = draw.randrange(4)
            if what == 0:
                there.append(np.ones(draw.randrange(1, 5000)))
            elif what == 1 and there:
                del there[draw.randrange(len(there))]
            elif what == 2 and there:
                there.append(f(there[draw.randrange(len(there))]))
            elif there:
                there[draw.randrange(len(there))] += 1
            most = max(most, sum(each.nbytes for each in there))
        snapshot = watched.snapshot()
        assert snapshot.bytes == sum(each.nbytes for each in there) == sum(row["bytes"] for row in snapshot)
        assert sum(row["arrays"] for row in snapshot) == len(there) and snapshot.most >= most
        assert all(0 <= row["bytes"] <= row["most"] <= row["made"] for row in snapshot if row["result"] is None)
        there.clear()
        assert watched.snapshot().bytes == 0


def test_one_at_a_time_and_none_outside():
    with np.compiler.memory(), pytest.raises(RuntimeError, match="one watch for the process"), np.compiler.memory():
        pass
    with pytest.raises(RuntimeError, match="is not watched"):
        np.compiler.memory_snapshot()
    with pytest.raises(RuntimeError, match="enter the context first"):
        np.compiler.memory().snapshot()
    with pytest.raises(ZeroDivisionError), np.compiler.memory() as watched:
        x = np.ones(N)
        1 / 0  # noqa: B018
    assert watched.snapshot().bytes == x.nbytes
    assert _watching._watchers == () and _core._interpose(None) is None


def test_json_and_notebooks():
    with np.compiler.memory() as watched:
        x = np.ones(N)
    data = json.loads(watched.snapshot().json())
    assert set(data) == {"rows", "bytes", "most", "earlier", "pools"} and data["bytes"] == data["most"] == x.nbytes
    assert set(data["rows"][0]) == set("file line function text compiled result bytes arrays most made count homes".split())
    assert "8.0 kB in 1 arrays" in watched.snapshot()._repr_html_() and "<td" in watched.snapshot()._repr_html_()


def test_in_a_fork_and_in_a_recording():
    with np.compiler.memory() as watched:
        x = np.ones(N)
        child = os.fork()
        if child == 0:
            y = x + 1
            os._exit(0 if watched.snapshot().bytes == x.nbytes + y.nbytes else 1)
        assert os.waitpid(child, 0)[1] == 0

    def asks(x):
        with np.compiler.memory():
            return x + 1

    with pytest.raises(np.compiler.RecordError):
        np.compile(asks, fullgraph=True)(X)
    gc.collect()


ON_A_DEVICE = """
import numpy, fastnp as np
f = np.compile(lambda x: x * 2 + 1, name="on_device")
with np.device("cuda"), np.compiler.memory() as watched:
    x = np.ones(1000)
    y = f(x)
    rows = {row["compiled"]: row for row in watched.snapshot() if row["arrays"]}
    [home] = rows["on_device"]["homes"]
    assert home.startswith("cuda"), rows
    assert rows["on_device"]["homes"][home] >= 8000 and rows["on_device"]["result"] == 0, rows
    snapshot = watched.snapshot()
    assert snapshot.pools[home]["in_use"] >= 16000 and f"on {home}" in str(snapshot), str(snapshot)
    del x, y, rows
    assert watched.snapshot().bytes == 0, str(watched)
print("right")
"""


def test_on_a_device():
    if not simulated.library().exists():
        pytest.skip("there is no simulated device in this build")
    run = subprocess.run([sys.executable, "-c", ON_A_DEVICE], env=simulated.environment(), capture_output=True, text=True)
    assert run.stdout == "right\n", run.stderr
