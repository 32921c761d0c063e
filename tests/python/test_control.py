"""Which functions are compiled, and how much of it is kept: limits, frozen calls, disable, allow, disallow, breaks."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
import warnings

import numpy
import pytest
from support import BACKENDS

import fastnp as np
from fastnp import compiler

X = numpy.array([1.0, 2.0, 3.0])
SCALE = 2.0
FACTORS = [1.0]
LOCK = threading.Lock()


def line_of(function, offset):
    return f"{__file__}:{inspect.getsourcelines(function)[1] + offset}, in {function.__qualname__}"


def reasons(function, *args):
    explained = np.explain(function)(*args)
    return [*explained.uncompiled, *(entry["uncompiled"] for entry in explained.entries if entry["uncompiled"])]


def test_a_surplus_of_kinds_runs_as_written_and_says_so_once():
    f = np.compile(lambda x, scale: x * scale, dynamic=False)
    with pytest.warns(compiler.RecompileWarning, match=r"cache_size_limit \(8\) is reached: scale changed from 7.0 to 8.0") as said:
        for n in range(500):
            numpy.testing.assert_array_equal(f(X, float(n)), X * n)
    assert len(said) == 1
    assert f.cache_info().compiles < 50
    report = str(np.explain(f)(X, 1.0))
    assert "to avoid it: pass what varies as an array" in report


def test_sizes_do_not_count():
    f = np.compile(lambda x: x * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(2, 200):
            f(numpy.ones(n))
    assert f.cache_info().compiles == 2


def test_limits_that_raise_or_run_eagerly():
    strict = np.compile(lambda x, scale: x * scale, cache_size_limit=1, on_limit="error", name="scaled")
    strict(X, 1.0)
    with pytest.raises(compiler.CacheLimitError, match="scaled has 1 compiled entries"):
        strict(X, 2.0)
    eager = np.compile(lambda x, scale: x * scale, cache_size_limit=1, on_limit="eager")
    with pytest.warns(compiler.RecompileWarning):
        for scale in (1.0, 2.0, 2.0):
            numpy.testing.assert_array_equal(eager(X, scale), X * scale)
    assert (eager.cache_info().compiles, eager.cache_info().uncompiled) == (1, 2)
    with pytest.raises(ValueError, match="on_limit must be 'generalise', 'evict', 'eager' or 'error', not 'x'"):
        np.compile(lambda x: x, on_limit="x")


def test_run_compiles_nothing():
    f = np.compile(lambda x: x * SCALE)
    frozen = compiler.run(f)
    numpy.testing.assert_array_equal(frozen(X), X * SCALE)
    assert f.cache_info().compiles == 0
    f(X)
    before = f.cache_info().hits
    numpy.testing.assert_array_equal(frozen(X), X * SCALE)
    assert f.cache_info().hits == before + 1
    numpy.testing.assert_array_equal(frozen(X.astype("f4")), X * SCALE)
    assert f.cache_info().compiles == 1
    with pytest.raises(TypeError, match="takes a compiled function"):
        compiler.run(len)


def test_a_frozen_function_still_follows_what_it_reads():
    global SCALE
    f = np.compile(lambda x: x * SCALE)
    f(X)
    frozen = compiler.run(f)
    try:
        SCALE = 5.0
        numpy.testing.assert_array_equal(frozen(X), X * 5)
    finally:
        SCALE = 2.0


def test_reset_forgets_everything():
    f = np.compile(lambda x: x * 2)
    f(X)
    compiler.reset()
    assert f.cache_info().currsize == 0
    numpy.testing.assert_array_equal(f(X), X * 2)


def test_disabled_functions():
    @compiler.disable
    def raw(x):
        return inner(x) + 1

    inner = np.compile(lambda x: x * 2)
    outer = np.compile(lambda x: raw(x) * 3)
    numpy.testing.assert_array_equal(outer(X), (X * 2 + 1) * 3)
    assert inner.cache_info().misses == 0
    assert "test_disabled_functions.<locals>.raw, which is disabled" in reasons(outer, X)[0]
    numpy.testing.assert_array_equal(compiler.disable(inner)(X), X * 2)
    assert inner.cache_info().misses == 0


def test_disabled_without_what_it_calls():
    inner = np.compile(lambda x: x * 2)

    @compiler.disable(recursive=False)
    def raw(x):
        return inner(x) + 1

    outer = np.compile(lambda x: raw(x) * 3)
    numpy.testing.assert_array_equal(outer(X), (X * 2 + 1) * 3)
    assert inner.cache_info().compiles == 1


def test_disabled_methods():
    class Model:
        @compiler.disable
        def raw(self, x):
            return x + 1

        @np.compile
        def apply(self, x):
            return self.raw(x) * 2

        @np.compile
        def later(self, x):
            return self.raw(np.sin(x) + np.cos(x)) * 2

    numpy.testing.assert_array_equal(Model().apply(X), (X + 1) * 2)
    assert Model.apply.cache_info().compiles == 0
    for _ in range(3):
        numpy.testing.assert_allclose(Model().later(X), (numpy.sin(X) + numpy.cos(X) + 1) * 2, rtol=1e-14)
    assert "test_disabled_methods.<locals>.Model.raw, which is disabled at" in str(np.explain(Model().later)(X))


def test_disabled_modules():
    def helper(x):
        return x * 2

    f = np.compile(lambda x: helper(x) + 1)
    f(X)
    assert f.cache_info().compiles == 1
    with compiler.disable(module="test_con*"):
        numpy.testing.assert_array_equal(f(X), X * 2 + 1)
        assert f.cache_info().compiles == 0
    f(X)
    assert f.cache_info().compiles == 1


class Legacy:
    @staticmethod
    def helper(x):
        return x * 2


@pytest.mark.parametrize(
    ("patterns", "is_met"),
    [
        ({"file": "*/test_control.py"}, True),
        ({"file": "python/test_con*.py"}, True),
        ({"file": "control.py"}, False),
        ({"module": "test_con*"}, True),
        ({"module": "test_con*", "file": "*/other.py"}, False),
        ({"namespace": f"{__name__}.Legacy.*"}, True),
        ({"namespace": f"{__name__}.Other.*"}, False),
        ({"namespace": "*.helper", "module": __name__, "file": "*/test_control.py"}, True),
    ],
)
def test_disabled_by_patterns(patterns, is_met):
    f = np.compile(Legacy.helper)
    outer = np.compile(lambda x: Legacy.helper(x) + 1)
    with compiler.disable(**patterns):
        numpy.testing.assert_array_equal(outer(X), X * 2 + 1)
        numpy.testing.assert_array_equal(f(X), X * 2)
        assert (f.cache_info().compiles == 0) == is_met
        told = str(np.explain(f)(X))
        said = ", ".join(f"{name}={patterns[name]!r}" for name in ("module", "file", "namespace") if name in patterns)
        assert (f"runs as written: is disabled by {said}, set at {__file__}:" in told) == is_met
    f(X), outer(X)
    assert f.cache_info().compiles == outer.cache_info().compiles == 1


def test_a_disabled_function_that_is_met_is_told_of(tmp_path):
    log = tmp_path / "log"
    outer = np.compile(lambda x: Legacy.helper(np.cos(x)) + 1, name="outer")
    alone = np.compile(Legacy.helper)
    compiler.set_logs("breaks", file=log)
    try:
        with compiler.disable(namespace="*.Legacy.*"):
            line = inspect.currentframe().f_lineno - 1
            outer(X), alone(X)

        @compiler.disable
        def raw(x):
            return x

        np.compile(lambda x: raw(x) + 1)(X)
        with compiler.disallow_in_graph("arc*"):
            np.compile(lambda x: np.arctan(x) + 1)(X)
    finally:
        compiler.set_logs()
    told = log.read_text()
    by = f"disabled by namespace='*.Legacy.*', set at {__file__}:{line}"
    assert f"calls Legacy.helper, which is {by}" in told
    assert f"helper: runs as written: it is {by}" in told
    assert f"raw, which is disabled at {__file__}:" in told
    assert f"uses arctan, which is disallowed by 'arc*', set at {__file__}:" in told


def test_patterns_are_checked():
    for wrong in ({"file": 3}, {"namespace": ["a"]}):
        with pytest.raises(TypeError, match="patterns as text"):
            compiler.disable(**wrong)
    with pytest.raises(TypeError, match="a function, or patterns"):
        compiler.disable(Legacy.helper, module="x")
    handle = compiler.disable(file="*/nothing.py")
    handle.remove()
    handle.remove()
    from fastnp import _disabled

    assert _disabled.patterns == [] and _disabled.disallowed == []


def test_a_scope_in_a_compiled_function_runs_as_written():
    def scoped(x):
        y = np.cos(x)
        with compiler.disallow_in_graph("sin"):
            return np.sin(y)

    f = np.compile(scoped)
    for _ in range(2):
        numpy.testing.assert_allclose(f(X), numpy.sin(numpy.cos(X)), rtol=1e-14)
    with pytest.raises(compiler.RecordError, match="disallow_in_graph, which is for who calls"):
        np.compile(scoped, fullgraph=True)(X)


def test_disabled_by_the_environment():
    program = "import numpy, fastnp; f = fastnp.compile(lambda x: x + 1); print(f(numpy.ones(2)), f.cache_info().misses)"
    environment = {**os.environ, "FASTNP_DISABLE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[2. 2.] 0\n"


def test_as_written_within():
    f = np.compile(lambda x: x * 2)
    with compiler.as_written():
        numpy.testing.assert_array_equal(f(X), X * 2)
    assert f.cache_info().misses == 0


def test_allowed_functions_are_not_looked_into():
    def reads_itself(x):
        with LOCK:
            return x

    f = np.compile(lambda x: reads_itself(x))
    f(X)
    assert f.cache_info().compiles == 0  # a lock is not guarded
    compiler.allow_in_graph(reads_itself)
    numpy.testing.assert_array_equal(f(X), X)
    assert f.cache_info().compiles == 1


def test_promises_are_checked_by_verification():
    @compiler.allow_in_graph
    def promised(x):
        return x * FACTORS[0]

    f = np.compile(lambda x: promised(x), verify=3, name="f")
    for _ in range(10):
        f(X)
    FACTORS[0] = 4.0
    try:
        with pytest.raises(compiler.VerifyError, match="f depends on something besides its arguments that changed"):
            for _ in range(3):
                f(X)
    finally:
        FACTORS[0] = 1.0


def test_disallowed_ops_and_functions():
    f = np.compile(lambda x: numpy.sin(x) + x.mean())
    f(X)
    for what in (numpy.sin, "si*", np.mean, "mean"):
        with compiler.disallow_in_graph(what):
            numpy.testing.assert_allclose(f(X), numpy.sin(X) + 2)
            assert f.cache_info().compiles == 0
            assert "which is disallowed" in reasons(f, X)[0]
        f(X)
        assert f.cache_info().compiles == 1
    handle = compiler.disallow_in_graph(numpy.cos, numpy.sin)
    f(X)
    handle.remove()
    f(X)
    assert f.cache_info().compiles == 1


def test_graph_break():
    def g(x):
        y = x + 1
        compiler.graph_break()
        return y * 2

    f = np.compile(g)
    numpy.testing.assert_array_equal(f(X), (X + 1) * 2)
    assert reasons(f, X) == [f"asks for it with graph_break() ({line_of(g, 2)})"]


def test_fullgraph_lists_every_break_with_its_line():
    def g(x):
        compiler.graph_break()
        n = input()
        eval(n)
        return x * 2

    f = np.compile(g, fullgraph=True)
    with pytest.raises(np.RecordError) as error:
        f(X)
    text = str(error.value)
    assert f"calls input() ({line_of(g, 2)})" in text
    assert f"calls eval() ({line_of(g, 3)})" in text


def test_reasons_name_the_line():
    def g(x):
        y = x * 2
        return numpy.lib.stride_tricks.sliding_window_view(y, 2)  # a view

    f = np.compile(g)
    numpy.testing.assert_array_equal(f(X), g(X))
    assert line_of(g, 2) in reasons(f, X)[0]


@pytest.mark.parametrize(("dynamic", "compiles"), [(True, 1), (False, 4), (None, 2)])
def test_sizes_vary_as_asked_for(dynamic, compiles):
    f = np.compile(lambda x: x * 2 + x.sum(), dynamic=dynamic)
    for n in (3, 5, 7, 9, 5):
        x = numpy.arange(float(n))
        numpy.testing.assert_array_equal(f(x), x * 2 + x.sum())
    assert f.cache_info().compiles == compiles


def test_sizes_in_steps():
    f = np.compile(lambda x: x * 2, dynamic={("x", 0): np.Dim("n", 4, 64, multiple_of=4)})
    for n in (4, 8, 64, 16):
        f(numpy.ones(n))
    assert f.cache_info().compiles == 1
    assert any("4 <= n <= 64, a multiple of 4" in guard for guard in np.explain(f)(numpy.ones(4)).entries[0]["guards"])
    with pytest.raises(ValueError, match="axis 0 of argument 'x' has size 6"):
        f(numpy.ones(6))
    with pytest.raises(ValueError, match="multiple_of must be at least 1"):
        np.Dim("n", multiple_of=0)


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_loops_of_many_numbers_of_turns(backend, fullgraph):
    """Such a loop stays one. As a whole, each number of turns is a course of its own, and none is lost to a limit."""

    def halve(x):
        turns = 0
        while x.max() > 1:
            x = x / 2
            turns += 1
        return x, turns

    compiled = np.compile(halve, backend=backend, fullgraph=fullgraph)
    rng = numpy.random.default_rng(0)
    inputs = [numpy.array([1.5 * 2.0**k, 0.25]) for k in rng.permutation(60)]
    for _ in range(2):
        for x in inputs:
            got, want = compiled(x), halve(x)
            numpy.testing.assert_array_equal(got[0], want[0])
            assert got[1] == want[1]
    info = compiled.cache_info()
    if fullgraph:
        assert (info.compiles, info.uncompiled) == (60, 0)
    else:
        assert sum(part.cache_info().compiles for part in compiled._parts().used()) <= 5


def test_courses_beyond_the_limit():
    """Idle ones go; where none is idle, calls run as written."""

    def shrink(x):
        while x[0] > 0:
            x = x - 1
        return x

    compiled = np.compile(shrink, backend="eager", fullgraph=True)
    for turns in [*range(300), *range(280, 300), *range(20)]:
        x = numpy.array([turns - 0.5, 3.0])
        numpy.testing.assert_array_equal(compiled(x), shrink(x))
    info = compiled.cache_info()
    assert 100 < info.currsize <= 256
    assert info.compiles > info.currsize  # some went
    assert info.uncompiled > 100  # not one after the other, for nothing


def test_values_that_are_read_do_not_compile_without_end():
    def scaled(x):
        return x * float(x.sum())

    compiled = np.compile(scaled, backend="eager")
    for k in range(40):
        x = numpy.array([1.0, k])
        numpy.testing.assert_array_equal(compiled(x), scaled(x))
    assert compiled.cache_info().compiles == 16


def test_fullgraph_lists_all_that_breaks_with_places():
    def g(x):
        import time
        from os import path

        t = time.time()
        open("/dev/null").close()
        return x * t * len(path.sep)

    with pytest.raises(np.compiler.RecordError) as found:
        np.compile(g, fullgraph=True)(np.ones(3))
    text = str(found.value)
    for words, line in (("imports time", 1), ("imports os", 2), ("open()", 5)):
        assert words in text and line_of(g, line) in text, text

    def gives(x):
        yield x

    with pytest.raises(np.compiler.RecordError, match=f"is a generator.*{__file__}:"):
        np.compile(gives, fullgraph=True)(np.ones(3))
