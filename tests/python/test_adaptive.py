"""Compiled functions are no slower than they are as written: what does not pay is left as written, and compilations wait until they are affordable."""

from __future__ import annotations

import inspect
import json
import linecache
import math
import os
import pathlib
import subprocess
import sys
import time

import numpy
import pytest

import fastnp as np
from fastnp import compiler


@compiler.disable(recursive=False)
def step(x):
    return x


def small_parts(x, n):
    """Parts that take less than their calls, between calls of Python's."""
    t = 1.0
    for _ in range(n):
        t = (step(t) * 0.5 + 1.0) * 0.25 + t * 0.5
    return x * t


def native(x):
    """As written it takes much longer."""
    step(x)
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            total += x[i]
    return total


def compiled(function, **options):
    return np.compile(function, adaptive=True, **options)


def is_as_written(f):
    """Whether any kind of calls was found to be faster so."""
    return any("as written, and" in reason for reason in f._inspect(False)[2])


@pytest.mark.alone
def test_parts_that_do_not_pay_are_left_as_written():
    f = compiled(small_parts)
    x = numpy.ones(3)
    results = [f(x, 300) for _ in range(16)]
    assert all(numpy.array_equal(result, small_parts(x, 300)) for result in results)
    assert is_as_written(f)
    compiles = sum(part.cache_info().compiles for part in f._parts().used())
    f(x, 300)
    assert sum(part.cache_info().compiles for part in f._parts().used()) == compiles
    assert "as written" in str(np.explain(f)(x, 300))


def test_loops_that_are_long_stay_native():
    f = compiled(native)
    x = numpy.linspace(0.0, 1.0, 20000)
    for _ in range(6):
        assert f(x) == native(x)
    assert not is_as_written(f)


def seconds(function, *args):
    begin = time.perf_counter()
    function(*args)
    return time.perf_counter() - begin


@pytest.mark.alone
def test_long_native_loops_are_not_tried_as_written():
    x = numpy.linspace(0.0, 1.0, 200000)
    written = seconds(native, x)
    f = compiled(native)
    f(x)  # which compiles the loop
    times = [seconds(f, x) for _ in range(4)]
    assert max(times) < written / 4, times


def paths(rng, n):
    """A draw at each turn, which a compiled call makes by way of Python."""
    x = 0.0
    for _ in range(n):
        x = x + 0.1 * rng.gamma(2.0)
    return x


@pytest.mark.alone
def test_calls_of_the_outside_that_do_not_pay_are_left_as_written(tmp_path: pathlib.Path):
    f = compiled(paths)
    mine, theirs = numpy.random.default_rng(3), numpy.random.default_rng(3)
    for _ in range(16):
        assert numpy.isclose(f(mine, 60), paths(theirs, 60), rtol=1e-12)
    assert is_as_written(f)
    before = f.cache_info()
    for _ in range(8):
        assert f(mine, 60) == paths(theirs, 60)
    assert f.cache_info()._replace(uncompiled=0) == before._replace(uncompiled=0)
    f.cache_clear()
    assert not is_as_written(f)

    sources = "".join(inspect.getsource(each) for each in (paths, run_paths))
    text = f"import sys, numpy\nimport fastnp as np\n\n{sources}\nprint(run_paths(int(sys.argv[1])))\n"
    (tmp_path / "program.py").write_text(text)
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache"), "FASTNP_ADAPTIVE": "1"}
    told = [
        subprocess.run([sys.executable, tmp_path / "program.py", calls], env=environment, capture_output=True, text=True, check=True).stdout.strip()
        for calls in ("16", "3")
    ]
    assert told == ["True", "0"]


def run_paths(calls):
    """Whether the first process has found out, and what the next one compiles after its first call."""
    f = np.compile(paths)
    rng = numpy.random.default_rng(3)
    for _ in range(calls):
        f(rng, 60)
    return any("as written, and" in reason for reason in f._inspect(False)[2]) if calls > 3 else f.cache_info().compiles


@pytest.mark.alone
def test_parts_that_call_the_outside_alone_are_left_as_written():
    """What comes before a native loop, say."""

    def walk(n, seed):
        numpy.random.seed(seed)
        x, kept = 0.0, numpy.empty(n)
        for i in range(n):
            x += numpy.random.rand()
            kept[i] = x
        return kept

    compiled = np.compile(walk, adaptive=True)
    for seed in range(64, 144):
        got, after = compiled(300, seed), numpy.random.rand()
        assert type(got) is numpy.ndarray
        assert numpy.array_equal(got, walk(300, seed)) and numpy.random.rand() == after
    (part,) = np.explain(compiled)(300, 99).parts
    assert part.cache_info.uncompiled > 20, part


@pytest.mark.alone
def test_kinds_of_calls_are_decided_by_themselves():
    f = compiled(small_parts)
    short, long = numpy.ones(3), numpy.ones(3, "f4")
    for _ in range(16):
        f(short, 300)
    assert is_as_written(f)
    for _ in range(2):
        assert numpy.array_equal(f(long, 300), small_parts(long, 300))
    assert sum(part.cache_info().misses for part in f._parts().used()) > 1
    for _ in range(14):
        assert f(long, 300).dtype == numpy.float32


def counted_to(n):
    """Its size is a Python number."""
    found = []
    for i in range(n):
        if i % 3 == 1:
            found.append(i * 2)
    return found


@pytest.mark.alone
def test_small_calls_decide_nothing_for_large_ones():
    f = compiled(counted_to)
    for _ in range(12):
        for n in (2, 9):
            assert f(n) == counted_to(n)

    def milliseconds(function) -> float:
        times = []
        for _ in range(12):
            start = time.perf_counter()
            function(60_000)
            times.append(1e3 * (time.perf_counter() - start))
        return sorted(times)[6]

    assert milliseconds(f) < 0.8 * milliseconds(counted_to)


@pytest.mark.alone
def test_a_call_in_parts_is_waited_for_only_so_long():
    f = compiled(small_parts)
    x = numpy.ones(3)
    times = []
    for _ in range(8):
        start = time.perf_counter()
        result = f(x, 20_000)
        times.append(time.perf_counter() - start)
        assert numpy.array_equal(result, small_parts(x, 20_000))
    start = time.perf_counter()
    small_parts(x, 20_000)
    written = time.perf_counter() - start
    assert max(times[1:]) < 6 * written + 0.2


def test_without_it_all_calls_are_in_parts():
    f = np.compile(small_parts, adaptive=False)
    for _ in range(16):
        f(numpy.ones(3), 300)
    assert not is_as_written(f)


@pytest.mark.alone
def test_what_was_decided_is_forgotten_with_the_rest():
    f = compiled(small_parts)
    for _ in range(16):
        f(numpy.ones(3), 300)
    f.cache_clear()
    assert not is_as_written(f)
    for _ in range(16):
        f(numpy.ones(3), 300)
    assert is_as_written(f)


PROGRAM = f"""
import json, sys
import numpy
import fastnp as np
from fastnp import compiler

{inspect.getsource(step.__wrapped__)}

{inspect.getsource(small_parts)}

f = np.compile(small_parts)
for _ in range(int(sys.argv[1])):
    f(numpy.ones(3), 300)
print(json.dumps([sum(part.cache_info().hits + part.cache_info().misses for part in f._parts().used())]))
"""


@pytest.mark.alone
def test_the_next_process_knows(tmp_path: pathlib.Path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)

    def calls_of_parts(calls: int) -> int:
        surroundings = {**os.environ, "FASTNP_CACHE_DIR": str(tmp_path / "cache"), "FASTNP_ADAPTIVE": "1"}
        done = subprocess.run([sys.executable, path, str(calls)], env=surroundings, capture_output=True, text=True, check=True)
        return int(json.loads(done.stdout)[0])

    assert calls_of_parts(20) > 0
    assert calls_of_parts(3) == 0


def many_parts(count, name):
    """A function with as many parts, each of other code."""
    lines = [f"    x = step(numpy.{name}(x) * 0.{k + 1} + {k}.5) * 0.5" for k in range(count)]
    scope = {"numpy": numpy, "step": step}
    text = "def f(x):\n" + "\n".join(lines) + "\n    return x\n"
    linecache.cache[f"<many parts of {name}>"] = (len(text), None, text.splitlines(keepends=True), f"<many parts of {name}>")
    exec(compile(text, f"<many parts of {name}>", "exec"), scope)  # noqa: S102  # the text is made here
    return scope["f"]


@pytest.mark.alone
def test_compilations_wait_until_they_are_affordable():
    functions = many_parts(60, "sin"), many_parts(60, "cos")
    all_at_once, spread = np.compile(functions[0], adaptive=False), compiled(functions[1])
    x = numpy.linspace(0, 1, 5)
    for _ in range(3):
        assert numpy.allclose(all_at_once(x), functions[0](x))
        assert numpy.allclose(spread(x), functions[1](x))

    def compiles(f):
        return sum(part.cache_info().compiles for part in f._parts().used())

    assert compiles(all_at_once) >= 60
    assert compiles(spread) < 40


@pytest.mark.alone
def test_it_is_a_choice_of_the_surroundings(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FASTNP_ADAPTIVE", "1")
    f = np.compile(small_parts)
    monkeypatch.setenv("FASTNP_ADAPTIVE", "0")
    g = np.compile(small_parts)
    for _ in range(16):
        f(numpy.ones(3), 300)
        g(numpy.ones(3), 300)
    assert is_as_written(f) and not is_as_written(g)


def test_parts_that_nothing_serves_are_not_looked_at_again_and_again():
    """Each text is a kind of its own, and so is each length of a list."""

    def read(lines, x):
        rows, total = [], 0.0
        for line in lines:
            step(line)
            first, _, rest = line.partition(",")
            rows.append(float(first) + len(rest))
            total = total + (x * rows[-1]).sum()
        return total, rows

    lines = [f"{number},{'z' * (number % 7)}" for number in range(600)]
    x = numpy.arange(3.0)
    f = compiled(read)
    for count in (600, 100, 600, 5):
        got, wanted = f(lines[:count], x), read(lines[:count], x)
        assert numpy.isclose(got[0], wanted[0]) and got[1] == wanted[1]
    assert all(part.cache_info().misses < 400 for part in f._parts().used())


@pytest.mark.alone
def test_calls_that_are_as_written_are_not_looked_through():
    def texts(a, b, n):
        found = {}
        for number in range(n):
            found[number % 7] = str(step(number))
        return len(found)

    f = compiled(texts)
    lists = list(range(30000)), list(range(30000))
    for _ in range(20):
        assert f(*lists, 1000) == 7
    spent = dict.fromkeys((texts, f), math.inf)
    for _ in range(15):
        for each in spent:  # side by side: a machine's speed changes
            begin = time.perf_counter()
            each(*lists, 1000)
            spent[each] = min(spent[each], time.perf_counter() - begin)
    assert spent[f] < 1.5 * spent[texts]


@pytest.mark.alone
def test_results_are_numpys_whichever_way_is_taken():
    def mixed(x, t, n):
        for _ in range(n):
            t = (step(t) * 0.5 + 1.0) * 0.25 + t * 0.5
        return np.add(x, t), [np.add(x, 1)]

    f = compiled(mixed)
    for make, kind in ((numpy.ones, numpy.ndarray), (np.ones, np.ndarray)) * 2:
        for _ in range(16):
            first, (second,) = f(make(3), 1.0, 300)
            assert type(first) is kind and type(second) is kind


@pytest.mark.alone
def test_calls_that_were_slow_for_a_while():
    """What was found does not change because the machine was slow for both ways: they are timed again."""

    pauses = [0.0]

    @compiler.disable(recursive=False)
    def wait():
        time.sleep(pauses[0])

    def f(x):
        wait()
        s = 0.0
        for i in range(len(x)):
            if x[i] > 0:
                s += x[i]
        return s

    g = compiled(f)
    x = numpy.random.default_rng(0).normal(size=1000)

    def calls(count, pause):
        before = g.cache_info().uncompiled
        pauses[0] = pause
        for _ in range(count):
            g(x)
        return g.cache_info().uncompiled - before

    calls(30, 0.0)
    assert calls(10, 0.0) == 0
    calls(10, 0.004)
    calls(30, 0.0)
    assert calls(10, 0.0) == 0


def energy(p, dt):
    total = 0.0
    for i in range(p.shape[0]):
        p[i]["v"] -= dt * p[i]["x"]
        p[i]["x"] += dt * p[i]["v"]
        total += 0.5 * p[i]["m"] * p[i]["v"] ** 2
    return total


def clipped(p, dt):
    count = 0
    for i in range(len(p)):
        if p["v"][i] > dt:
            p["v"][i] = dt
            count += 1
    return count


@pytest.mark.alone
@pytest.mark.parametrize("function", [energy, clipped])
def test_loops_over_numbers_are_not_tried_as_written(function):
    """Short ones, too: what they compute takes Python many times as long."""
    f = compiled(function)
    for count in (50000, 50000, 60000, 70000, 50000):
        p, q = (numpy.ones(count, dtype=[("x", "f8"), ("v", "f8"), ("m", "f4")]) for _ in range(2))
        assert f(p, 0.01) == pytest.approx(function(q, 0.01), rel=1e-12)
        assert numpy.array_equal(p, q)
    assert f.cache_info().uncompiled == 0


def escape(c, turns):
    z, count = numpy.zeros_like(c), numpy.zeros(c.shape, dtype=int)
    for turn in range(turns):
        live = numpy.abs(z) < 2.0
        count[live] = turn
        z[live] = z[live] * z[live] + c[live]
    return count


@pytest.mark.alone
def test_dear_loops_over_large_arrays_wait():
    c = numpy.linspace(-2, 1, 12000) + 0.3j
    f = compiled(escape)
    for _ in range(6):
        assert numpy.array_equal(f(c, 10), escape(c, 10))
    loops = np.explain(f)(c, 10).native
    assert loops
    assert not loops[0].programs
    assert not is_as_written(f)
    always = np.compile(escape, adaptive=False)
    assert numpy.array_equal(always(c, 10), escape(c, 10))
    assert np.explain(always)(c, 10).native[0].programs
