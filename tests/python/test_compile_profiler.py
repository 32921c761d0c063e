"""CompileProfiler: what was compiled within, the causes that it finds, what it suggests; nested, in threads, over functions that come and go."""

from __future__ import annotations

import json
import os
import threading

import numpy
import pytest

import fastnp as np
from fastnp.compiler import CompileProfiler

X = numpy.ones(4)
SCALE = 2.0
ITEMS = [1.0]


def row_of(profiler, name):
    (row,) = [each for each in profiler.functions if each.name == name]
    return row


def reasons(profiler, name):
    return [each.reason for each in row_of(profiler, name).recompilations]


def test_counts_are_of_what_was_done_within():
    f = np.compile(lambda x: np.sqrt(x) + 1, name="counted_within")
    f(X)
    with CompileProfiler() as profiler:
        f(X), f(X), f(X.astype("f4"))
    f(X.astype("i4"))
    row = row_of(profiler, "counted_within")
    assert (row.compiles, row.hits, row.as_written) == (1, 2, 0)
    assert reasons(profiler, "counted_within") == ["argument 0: dtype changed from float64 to float32"]
    assert row.milliseconds > 0 and profiler.compiles == 1
    assert "compiled again 1 times" in profiler.report()
    assert [each for each in profiler.suggestions() if "pass arrays of one dtype" in each]


def test_what_is_not_called_is_not_told():
    np.compile(lambda x: x, name="idle_function")(X)
    with CompileProfiler() as profiler:
        pass
    assert profiler.functions == [] and profiler.report() == "0 compilations in 0.0 ms, of 0 functions"


def test_functions_that_are_defined_anew_are_found_though_they_are_gone():
    with CompileProfiler() as profiler:
        for n in range(3):

            @np.compile
            def made_in_a_loop(x, n=n):
                return x * n

            made_in_a_loop(X)
    (advice,) = [each for each in profiler.suggestions() if each.startswith("made_in_a_loop")]
    place = f"{__file__}:{made_in_a_loop.__wrapped__.__code__.co_firstlineno}"
    assert "is compiled 3 times, as it is defined anew (a new function object, defined on the same line as one that was compiled" in advice
    assert place in advice


def test_a_new_function_object_as_an_argument_is_named():
    @np.compile
    def applied(x, function):
        return function(x) + 1

    with CompileProfiler() as profiler:
        for n in range(3):
            applied(X, lambda x, n=n: x * n)
    found = reasons(profiler, "applied")
    assert len(found) == 2 and all("a new function object, defined on the same line as one that was compiled" in each for each in found)
    assert row_of(profiler, "applied").guard_failures == 2
    assert any("make the function once" in each for each in profiler.suggestions())


def test_globals_variables_and_lists_are_named(monkeypatch):
    factor = "text"

    def scaled(x, part):
        return x * SCALE if part == "global" else x + len(ITEMS) if part == "list" else x + len(factor)

    f = np.compile(scaled, dynamic=False)
    with CompileProfiler() as profiler:
        f(X, "global")
        monkeypatch.setitem(globals(), "SCALE", 3.0)
        f(X, "global")
        ITEMS.append(2.0)
        f(X, "global")
        factor = "longer"
        f(X, "global")
    ITEMS.pop()
    assert reasons(profiler, "scaled") == [
        "SCALE changed from 2.0 to 3.0",
        "ITEMS has 2 items, and had 1",
        "factor changed from 'text' to 'longer'",
    ]


def test_breaks_fallbacks_and_calls_as_written():
    @np.compile
    def broken_within(x):
        y = np.sqrt(x)
        with open(os.devnull, "w") as out:
            out.write("now")
        return y + 1

    with CompileProfiler() as profiler:
        broken_within(X)
        np.partition(X, 1)
        np.partition(X, 1)
    assert "calls open()" in row_of(profiler, "broken_within").breaks[0]
    assert profiler.fallbacks["partition"] == 2
    text = profiler.report()
    assert "break: calls open()" in text and "numpy.partition: 2 times in NumPy" in text
    assert any("broken_within runs in parts" in each for each in profiler.suggestions())


def test_nested_ones_each_count_all_of_it():
    f = np.compile(lambda x: x - 1, name="nested_function")
    with CompileProfiler() as outer:
        f(X)
        with CompileProfiler() as inner:
            f(X.astype("f4"))
        f(X)
    assert (outer.compiles, inner.compiles) == (2, 1)
    assert (row_of(outer, "nested_function").hits, row_of(inner, "nested_function").hits) == (1, 0)
    with inner, pytest.raises(RuntimeError, match="is open"), inner:
        pass
    assert inner.functions == []  # it began anew


def test_other_threads_count():
    f = np.compile(lambda x: np.exp(x) * 2, name="threaded_function")
    with CompileProfiler() as profiler:
        threads = [threading.Thread(target=f, args=(X,)) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    row = row_of(profiler, "threaded_function")
    assert row.compiles >= 1 and row.hits + row.as_written + row.compiles >= 4


def test_what_is_cleared_begins_anew():
    f = np.compile(lambda x: x * 7, name="cleared_function")
    f(X), f(X)
    with CompileProfiler() as profiler:
        f.cache_clear()
        f(X)
    assert row_of(profiler, "cleared_function").compiles == 1


def test_json_has_all_of_it():
    f = np.compile(lambda x: x * 3, name="json_function")
    with CompileProfiler() as profiler:
        f(X), f(X.astype("f4"))
        seen = json.loads(profiler.json())
    assert seen == json.loads(profiler.json())
    (row,) = [each for each in seen["functions"] if each["name"] == "json_function"]
    assert row["compiles"] == 2 and row["recompilations"][0]["reason"].startswith("argument 0: dtype changed")
    assert set(seen) == {"functions", "fallbacks", "suggestions"}


def test_nothing_is_left_behind():
    from fastnp import _control

    with pytest.raises(ZeroDivisionError), CompileProfiler():
        1 / 0  # noqa: B018
    assert _control.made_watchers == [] and _control.guard_watchers == []
