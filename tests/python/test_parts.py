"""Functions with breaks: what can't be recorded is done by Python at its place, what lies between is compiled."""

from __future__ import annotations

import asyncio
import gc
import io
import linecache
import logging
import random
import threading
import time
import warnings
import weakref

import numpy
import pytest
from support import BACKENDS

import fastnp as np
from fastnp import compiler

X = numpy.linspace(0.1, 1, 50)
LOG = logging.getLogger("fastnp.tests")
EVENTS: list[object] = []
LIMIT = 3.0


def scaled(x):
    return x * 2


@compiler.disable
def raw(x):
    EVENTS.append(type(x).__name__)
    return x + 1


def lazy(x):
    import os  # what imports can't be followed

    return x * len(os.sep)


def logs(x):
    y = numpy.exp(x) * 2
    LOG.info("sum %.3f", y.sum())
    return y * y + x


@pytest.fixture(autouse=True)
def clean():
    EVENTS.clear()
    yield
    EVENTS.clear()


def compiled_in_parts(function, **options):
    made = np.compile(function, **options)
    return made, lambda: made._parts()


def agree(function, *arguments, times=4, backend="llvm"):
    """The parts of the compiled function, after a few calls that gave what it gives as written."""
    made = np.compile(function, backend=backend)
    for _ in range(times):
        EVENTS.clear()
        want = function(*arguments)
        events, _ = list(EVENTS), EVENTS.clear()
        got = made(*arguments)
        assert events == EVENTS
        assert type(got) is type(want)
        for g, w in zip(got if isinstance(got, (tuple, list)) else [got], want if isinstance(want, (tuple, list)) else [want], strict=True):
            assert type(g) is type(w)
            numpy.testing.assert_allclose(g, w, rtol=1e-12)
    found = made._parts()
    assert found is not None and found.frame is not None
    assert sum(part.cache_info().compiles for part in found.used()) > 0 or any(each.reason is None for each in found.told())
    return found


@pytest.mark.parametrize("backend", BACKENDS)
def test_disabled_functions_are_called_between_compiled_parts(backend):
    def f(x):
        y = numpy.exp(x) * 2
        z = raw(y) * 3 + x
        return z - y

    parts = agree(f, X, backend=backend)
    assert [part.cache_info().compiles for part in parts.functions] == [1, 1]
    assert EVENTS == ["ndarray"]


def test_what_is_logged_is_logged_at_every_call(caplog):
    f = np.compile(logs)
    with caplog.at_level(logging.INFO, "fastnp.tests"):
        for n in range(1, 5):
            numpy.testing.assert_allclose(f(X * n), logs(X * n))
    said = [record.getMessage() for record in caplog.records]
    assert said == [f"sum {(numpy.exp(X * n) * 2).sum():.3f}" for n in range(1, 5) for _ in range(2)]
    assert f._parts().functions


def test_clocks_run():
    def f(x):
        start = time.perf_counter()
        y = numpy.exp(x) * 2 + x
        time.sleep(0.002)
        return y, time.perf_counter() - start

    made = np.compile(f)
    spent = [made(X)[1] for _ in range(4)]
    assert all(0.002 < each < 1 for each in spent) and len(set(spent)) == 4
    assert sum(part.cache_info().hits for part in made._parts().used()) >= 2


def test_files_are_written_as_the_function_goes():
    def f(x, file):
        for turn in range(3):
            x = x * 0.5 + turn
            file.write(f"{turn} {x.max():.3f}\n")
        return x

    made, texts = np.compile(f), []
    for function in (f, made, made):
        file = io.StringIO()
        function(X, file)
        texts.append(file.getvalue())
    assert texts[0] == texts[1] == texts[2]
    assert len(made._parts().functions) == 1


def test_breaks_in_a_with_and_in_a_condition():
    lock = threading.Lock()

    def f(x):
        with lock:
            y = x * 2 + 1
            EVENTS.append(lock.locked())
        if raw(y).sum() > LIMIT:
            return y * y - x
        return x - y * 2

    agree(f, X)
    agree(f, X - 100)


def test_breaks_in_helpers_compile_the_helpers_too():
    def f(x):
        a = x * 2 + 1
        b = logs(a) + lazy(x)
        return b - a * a

    parts = agree(f, X)
    assert "logs" in [function.__name__ for function in parts.followed_functions.compiled()]


def deep(x, n):
    if n == 0:
        EVENTS.append(time.time() > 0)
        return x
    return deep(x * 0.5 + 1, n - 1) * 2 - x


def test_results_that_no_recording_can_hold():
    class Result:
        __slots__ = ("value",)

        def __init__(self, value):
            self.value = value

    def f(x):
        y = numpy.exp(x) * 2 + 1
        return Result(y * y - x)

    made = np.compile(f)
    for _ in range(4):
        numpy.testing.assert_allclose(made(X).value, f(X).value)
    assert made._parts().functions


def test_functions_are_looked_up_before_their_arguments_break():
    global scaled
    before = scaled

    @compiler.disable
    def rebinds(x):
        global scaled
        scaled = before if scaled is not before else lambda v: v * 100
        return x

    def f(x):
        y = x * 2 + 1
        return scaled(rebinds(y)) + y * y

    made = np.compile(f)
    try:
        for _ in range(6):
            held = scaled
            want = f(X)
            scaled = held
            numpy.testing.assert_allclose(made(X), want)
    finally:
        scaled = before
    assert made._parts().functions


def test_super_of_functions_within():
    class Base:
        def __init__(self, k):
            self.k = k

        def value(self):
            return self.k

    class Derived(Base):
        def value(self):
            return 50.0

        def f(self, x):
            def inner(other, v):
                return super().value() * v

            y = x * super().value() + 1
            raw(y)
            return inner(Derived(3.0), y) * 2 + x

    made = np.compile(Derived.f)
    for _ in range(3):
        numpy.testing.assert_allclose(made(Derived(2.0), X), Derived(2.0).f(X))
        numpy.testing.assert_allclose(made(Derived(2.0), X), (lambda y: 3 * y * 2 + X)(X * 2 + 1))


def test_names_that_mean_something_else_are_left_alone():
    scope = {"raw": raw, "sum": lambda values: list(values)[0] * 100}
    text = "def f(x):\n    y = x * 2 + 1\n    raw(y)\n    return sum(y * n for n in (1, 2)) + y * y\n"
    linecache.cache["<named>"] = (len(text), None, text.splitlines(keepends=True), "<named>")
    exec(compile(text, "<named>", "exec"), scope)  # noqa: S102  # a module with a sum of its own
    made = np.compile(scope["f"])
    for _ in range(3):
        numpy.testing.assert_allclose(made(X), scope["f"](X))


def test_asynchronous_comprehensions():
    async def turns():
        for turn in range(3):
            await asyncio.sleep(0)
            yield turn

    async def f(x):
        found = [x * turn + 1 async for turn in turns()]
        return found[0] * found[1] - found[2] * x

    made = np.compile(f)
    for _ in range(2):
        numpy.testing.assert_allclose(asyncio.run(made(X)), asyncio.run(f(X)))


def test_frozen_generators_compile_nothing():
    def f(x):
        for turn in range(3):
            x = x * 0.5 + turn
            yield x

    made = np.compile(f)
    next(made(X))
    before = [part.cache_info().compiles for part in made._parts().functions]
    list(compiler.run(made)(X.astype("f4")))
    assert [part.cache_info().compiles for part in made._parts().functions] == before


def test_recursion():
    agree(deep, X, 4)


def test_breaks_inside_of_try():
    def f(x):
        total = 0.0
        for turn in range(4):
            try:
                y = x * 2 + turn
                EVENTS.append(time.time() > 0)
                if turn % 2:
                    raise KeyError(turn)
                total = total + (y * y).sum()
            except KeyError as error:
                EVENTS.append(str(error))
                total = total - x.max() * 2
            finally:
                EVENTS.append(float(total))
        return total

    agree(f, X)


def test_methods_that_break():
    class Layer:
        def __init__(self):
            self.w = numpy.linspace(-1, 1, X.size)
            self.calls = 0

        def prepare(self, x):
            return x * self.w + 1

    class Noisy(Layer):
        def prepare(self, x):
            y = super().prepare(x) * 2
            EVENTS.append(time.time() > 0)
            self.calls += 1
            return y + self.w

    mine, theirs = Noisy(), Noisy()
    made = np.compile(Noisy.prepare)
    for _ in range(3):
        numpy.testing.assert_allclose(made(mine, X), theirs.prepare(X))
        mine.w = theirs.w = mine.w + 1
    assert mine.calls == theirs.calls == 3
    assert len(made._parts().functions) >= 1


def test_generators():
    def f(x, n):
        for turn in range(n):
            x = x * 0.5 + turn
            sent = yield x.sum() * 2
            if sent is not None:
                x = x + sent
        return x.max() * 3

    made = np.compile(f)
    for _ in range(3):
        want, got = [], []
        for function, found in ((f, want), (made, got)):
            generator = function(X, 4)
            found.append(next(generator))
            found.append(generator.send(2.0))
            try:
                while True:
                    found.append(next(generator))
            except StopIteration as end:
                found.append(end.value)
        numpy.testing.assert_allclose(got, want)
    assert made._parts().functions


def test_coroutines():
    async def f(x):
        y = x * 2 + 1
        await asyncio.sleep(0)
        return y * y - x

    made = np.compile(f)
    numpy.testing.assert_allclose(asyncio.run(made(X)), asyncio.run(f(X)))
    assert len(made._parts().functions) == 2


def test_arrays_are_shared_and_changed_as_written():
    def f(x):
        view = x[1:-1]
        view *= 2
        view += x[2:]
        raw(x)
        x[0] = view.sum() * 2
        tail = x[-3:]
        raw(tail)
        tail -= view[:3] * 2
        return x, tail

    mine, theirs = X.copy(), X.copy()
    made = np.compile(f)
    for _ in range(3):
        got, want = made(mine), f(theirs)
        assert got[0] is mine
        assert numpy.shares_memory(got[1], mine)
        numpy.testing.assert_allclose(mine, theirs)
        numpy.testing.assert_allclose(got[1], want[1])
    assert made._parts().functions


def test_what_a_break_changes_is_seen_after_it():
    scale = [1.0]

    @compiler.disable
    def change(x):
        scale[0] += 1
        x[0] = scale[0]

    def f(x):
        y = x * scale[0] + 1
        change(x)
        return y + x * scale[0] * 2

    made = np.compile(f)
    for n in range(1, 6):
        scale[0] = float(n)
        want = f(X.copy())
        scale[0] = float(n)
        numpy.testing.assert_allclose(made(X.copy()), want)
    assert len(made._parts().functions) == 2


def test_errors_come_from_where_they_would():
    @compiler.disable
    def fails(x):
        EVENTS.append("before")
        raise KeyError("lost")

    def f(x):
        EVENTS.append((x * 2 + 1).sum().item())
        y = fails(x * 2)
        EVENTS.append("after")
        return y

    made = np.compile(f)
    for _ in range(3):
        EVENTS.clear()
        with pytest.raises(KeyError, match="lost"):
            made(X)
        assert [pytest.approx((X * 2 + 1).sum()), "before"] == EVENTS


def test_graph_breaks_on_request():
    def f(x):
        y = x * 2 + 1
        compiler.graph_break()
        return y * y - x

    parts = agree(f, X)
    assert len(parts.functions) == 2


def test_loops_of_many_turns_keep_their_turns():
    def f(x, n):
        for turn in range(n):
            x = numpy.convolve(x, [0.25, 0.5, 0.25], "same") * 0.999 + 0.001 * turn
        return x * 2

    start = time.perf_counter()
    parts = agree(f, X, 30000, times=2)
    assert time.perf_counter() - start < 20  # about 0.3
    assert len(parts.functions) == 1 and parts.functions[0].cache_info().compiles <= 3

    def until(x):
        turns = 0
        while x.max() > 1e-3:
            x = x * 0.995 - 1e-9
            turns += 1
        return x, turns

    agree(until, X, times=2)


def test_a_list_that_grows_in_a_loop_is_no_argument_of_a_part():
    def f(x):
        found = []
        for turn in range(40):
            x = x * 0.9 + turn
            EVENTS.append(time.time() > 0)
            found.append(x.sum() * 2)
        return numpy.array(found) * 2 + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parts = agree(f, X, times=2)
    assert sum(part.cache_info().compiles for part in parts.used()) <= 6


def test_kinds_of_arrays_are_those_of_the_call():
    def f(x):
        y = np.exp(x) * 2 + np.zeros(x.shape)
        raw(y)
        return y * y

    made = np.compile(f)
    assert type(made(X)) is numpy.ndarray
    assert EVENTS == ["ndarray"]
    assert type(made(np.asarray(X))) is np.ndarray


def test_plain_numpy_code_gives_numpy_arrays_without_any_to_begin_with():
    f = np.compile(lambda n: numpy.zeros(n) + 1)
    assert type(f(3)) is numpy.ndarray
    g = np.compile(lambda n: np.zeros(n) + 1)
    assert type(g(3)) is np.ndarray


def test_explain_tells_of_breaks_and_parts():
    def f(x):
        y = x * 2 + 1
        raw(y)
        return logs(y * 3)

    made = np.compile(f, name="f")
    made(X)
    told = np.explain(made)(X)
    assert [found.reason.partition(" at ")[0] for found in told.breaks][:1] == ["calls raw, which is disabled"]
    assert "test_parts.py" in told.breaks[0].stack[0]
    assert told.graphs >= 2
    text = str(told)
    assert "break, found after" in text and "runs in" in text and "f[" in text


def test_fullgraph_still_raises():
    made = np.compile(lambda x: raw(x) * 2 + 1, fullgraph=True)
    with pytest.raises(compiler.RecordError, match="disabled"):
        made(X)


def test_frozen_functions_compile_no_parts():
    made = np.compile(lambda x: raw(x * 2 + 1) * 3 + x)
    made(X)
    frozen = compiler.run(made)
    before = [part.cache_info().compiles for part in made._parts().functions]
    numpy.testing.assert_allclose(frozen(X), (X * 2 + 2) * 3 + X)
    numpy.testing.assert_allclose(frozen(X.astype("f4")), (X.astype("f4") * 2 + 2) * 3 + X.astype("f4"), rtol=1e-5)
    assert [part.cache_info().compiles for part in made._parts().functions] == before


def test_parts_follow_the_function():
    def f(x, k=2.0):
        return raw(x * k + 1) * 3 + x

    made = np.compile(f)
    numpy.testing.assert_allclose(made(X), f(X))
    f.__defaults__ = (5.0,)
    numpy.testing.assert_allclose(made(X), (X * 5 + 2) * 3 + X)
    f.__code__ = (lambda x, k: raw(x * k - 1) * 2 - x).__code__
    numpy.testing.assert_allclose(made(X), X * 5 * 2 - X)
    made.cache_clear()
    assert made._parts() is None
    numpy.testing.assert_allclose(made(X), X * 5 * 2 - X)


def test_parts_go_with_the_function():
    def make():
        made = np.compile(lambda x: raw(x * 2 + 1) * 3 + x)
        made(X)
        return made, weakref.ref(made._parts())

    made, parts = make()
    assert parts() is not None
    del made
    gc.collect()
    assert parts() is None


def test_functions_without_source_run_as_written():
    scope = {"raw": raw}
    exec("def f(x):\n    y = x * 2 + 1\n    return raw(y) * y", scope)  # noqa: S102  # a function without a file
    made = np.compile(scope["f"])
    for _ in range(2):
        numpy.testing.assert_allclose(made(X), (X * 2 + 2) * (X * 2 + 1))
    assert made._parts().frame is None


def test_many_threads():
    def f(x, k):
        y = x * k + 1
        raw(y)
        return y * y - x

    made = np.compile(f)
    failures = []

    def work(seed):
        rng = random.Random(seed)
        for _ in range(100):
            k = rng.choice([1.0, 2.0, 3.0])
            if not numpy.allclose(made(X, k), (X * k + 1) ** 2 - X):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
