"""All compiled functions at a glance: counts, times by phase, names that several have; and whether code is being recorded."""

from __future__ import annotations

import gc
import json
import os

import numpy
import pytest

import fastnp as np
from fastnp import _compiled_functions


def rows_of(name):
    return [row for row in np.compiler.functions() if row.name == name]


def test_counts_are_those_of_the_function():
    @np.compile
    def counted_function(x):
        return np.sqrt(x) + 1

    assert rows_of("counted_function")[0][2:] == (0, 0, 0, 0, 0, 0, 0, 0.0)
    for dtype in ("f8", "f4", "f4"):
        counted_function(numpy.ones(3, dtype))
    (row,) = rows_of("counted_function")
    info = counted_function.cache_info()
    assert (row.entries, row.compiles, row.hits, row.misses, row.as_written) == (info.currsize, info.compiles, info.hits, info.misses, info.uncompiled)
    assert (row.compiles, row.parts, row.breaks) == (2, 0, 0)
    assert row.place == f"{__file__}:{counted_function.__wrapped__.__code__.co_firstlineno}"
    assert row.milliseconds > 0


def test_breaks_and_parts_are_counted():
    @np.compile
    def broken_function(x):
        y = np.sqrt(x) + 1
        with open(os.devnull, "w") as out:
            out.write("now")
        return (y * 2).sum()

    for _ in range(3):
        broken_function(numpy.ones(3))
    (row,) = rows_of("broken_function")
    assert row.parts >= 1
    assert row.breaks == 1
    assert np.compiler.compile_times()["broken_function"]["record"] > 0


def test_native_loops_are_timed():
    @np.compile
    def summing_function(x):
        total = 0.0
        for i in range(len(x)):
            if x[i] > 0.5:
                total += x[i] * 0.8125 - 17.0  # as no other test does, whose code would serve
        return total

    summing_function(numpy.ones(3))
    assert np.compiler.compile_times()["summing_function"]["native loops"] > 0


def test_native_loops_whose_code_was_there_are_told_of():
    def make(name):
        def function(x):
            total = 0.0
            for i in range(len(x)):
                if x[i] > 0.5:
                    total += x[i] * 0.4375
            return total

        return np.compile(function, name=name)

    functions = [make("first_of_two"), make("second_of_two")]
    for each in functions:
        each(numpy.ones(3))
    times = np.compiler.compile_times()
    assert "native loops" in times["first_of_two"]
    assert "native loops" in times["second_of_two"]


def test_functions_that_are_gone_are_not_told_of():
    def make():
        return np.compile(lambda x: x + 1, name="short_lived")

    f = make()
    f(numpy.ones(2))
    assert len(rows_of("short_lived")) == 1
    del f
    gc.collect()
    assert rows_of("short_lived") == []


def test_names_that_several_have():
    functions = [np.compile(lambda x: x + 1, name="twin"), np.compile(lambda x: x - 1, name="twin")]
    for each in functions:
        each(numpy.ones(2))
    names = [name for name in np.compiler.compile_times() if name.startswith("twin")]
    assert len(names) in (1, 2)  # on one line they have one place
    assert all(name.startswith("twin (") for name in names)


def test_the_longest_come_first_as_table_and_as_json():
    f = np.compile(lambda x: np.sqrt(x) * 2, name="tabled")
    f(numpy.ones(2))
    times = np.compiler.compile_times()
    sums = [sum(phases.values()) for phases in times.values()]
    assert sums == sorted(sums, reverse=True)
    assert json.loads(times.json()) == times
    assert times.total() == pytest.approx(sum(sums))
    lines = str(times).splitlines()
    assert lines[0].split()[:2] == ["ms", "record"]
    assert any(line.startswith("tabled") for line in lines)
    assert len(lines) == len(times) + 1
    assert str(type(times)()) == "nothing is compiled"


def test_functions_of_one_place_are_one_row_in_its_order(monkeypatch):
    functions = [np.compile(lambda x: x + 1, name="alike") for _ in range(3)]
    other = np.compile(lambda x: x + 2, name="longer_than_each")
    spent = {function: {"record": 1e6} for function in functions} | {other: {"record": 2e6}}
    monkeypatch.setattr(_compiled_functions, "_phases_of", lambda function: spent.get(function, {}))
    assert list(np.compiler.compile_times().items()) == [
        (f"alike ({functions[0].__wrapped__.__code__.co_filename}:{functions[0].__wrapped__.__code__.co_firstlineno})", {"record": 3e6}),
        ("longer_than_each", {"record": 2e6}),
    ]


def test_whether_it_is_compiled():
    seen = []

    def noted(x):
        seen.append(np.compiler.is_compiling())
        return x + 1

    f = np.compile(lambda x: x + (1 if np.compiler.is_compiling() else 2))
    assert not np.compiler.is_compiling()
    assert f(numpy.zeros(2)).tolist() == [1.0, 1.0]
    with np.compiler.as_written():
        assert f(numpy.zeros(2)).tolist() == [2.0, 2.0]
    noted(numpy.zeros(2))
    assert seen == [False]


@pytest.mark.parametrize("name", ["functions", "compile_times", "set_logs", "logs"])
def test_they_are_no_part_of_a_recording(name):
    f = np.compile(lambda x: (getattr(np.compiler, name)(), x + 1)[1], fullgraph=True)
    with pytest.raises(np.compiler.RecordError, match=f"compiler.{name}"):
        f(numpy.ones(2))
