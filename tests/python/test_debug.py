"""np.debug: where a NaN comes from, compiled against as written, indices, promises, runs that repeat to the bit; and debuggers in compiled functions."""

from __future__ import annotations

import inspect
import io
import math
import os
import pdb
import subprocess
import sys
import threading

import numpy
import pytest

import fastnp as np
from fastnp import _control, _watching

X = numpy.array([1.0, 4.0, 9.0])
LOST = numpy.array([1.0, numpy.nan, 2.0])


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    assert _watching._watchers == () and _control.checks_promises == 0
    assert sys.gettrace() is None or "coverage" in str(sys.gettrace())


def line_in(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if text in line)


# nans


@pytest.mark.parametrize("x", [X, np.asarray(X)], ids=["numpy", "own"])
def test_the_operation_and_the_line_are_named(x):
    def shifted(x):
        y = x - 5
        z = np.sqrt(y)
        return np.sum(z * 2)

    f = np.compile(shifted)
    with np.debug.nans():
        with pytest.raises(FloatingPointError, match=r"shifted: the result has a NaN; invalid value encountered in sqrt") as told:
            f(x)
        assert f(x + 10) > 0
    assert f"{__file__}:{line_in(shifted, 'z = ')}, in " in str(told.value) and str(told.value).endswith("z = np.sqrt(y)")
    assert math.isnan(f(x))


def test_infinities_count_unless_they_do_not():
    f = np.compile(lambda x: np.exp(x * 1000) + 1)
    with np.debug.nans(), pytest.raises(FloatingPointError, match="has an infinity; overflow encountered in exp"):
        f(X)
    with np.debug.nans(infs=False):
        assert numpy.isinf(f(X)).all()
    divided = np.compile(lambda x: 1 / (x - 1))
    with np.debug.nans(), pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        divided(X)


def test_what_the_arguments_have_is_no_news():
    f = np.compile(lambda x: x * 2)
    with np.debug.nans():
        assert numpy.isnan(f(LOST)).any()
        assert numpy.isinf(f(numpy.array([numpy.inf]))).all()
        with pytest.raises(FloatingPointError, match="an infinity"):
            f(numpy.array([1e308]) * 1.5)


def test_constants_and_what_is_read_are_found_by_their_lines():
    def constant(x):
        y = x + 1
        z = y * numpy.nan
        return z

    f = np.compile(constant)
    with np.debug.nans(), pytest.raises(FloatingPointError, match="a NaN in 'z', after .*z = y \\* numpy.nan"):
        f(X)
    g = np.compile(lambda x: x + LOST)
    with np.debug.nans(), pytest.raises(FloatingPointError, match="what it returns|what the function reads"):
        g(X)


def test_derivatives_and_batches():
    def root(x):
        return np.sqrt(x).sum()

    def logs(v):
        return np.log(v)

    for function, words in [(np.grad(root), "an infinity; no operation of its own made it: it is a derivative's"), (np.vmap(logs), "encountered in log")]:
        f = np.compile(function)
        with np.debug.nans(), pytest.raises(FloatingPointError, match=words):
            f(numpy.zeros(3))
        with np.debug.nans():
            f(X)


def test_native_loops():
    @np.compile
    def total(x):
        s = 0.0
        for i in range(len(x)):
            s += math.inf - math.inf if x[i] > 500 else x[i]
        return s

    x = numpy.arange(1000.0)
    assert math.isnan(total(x))
    with np.debug.nans(), pytest.raises(FloatingPointError, match=r"total: the result has a NaN; a NaN in 's', after .*s \+= "):
        total(x)
    with np.debug.nans():
        assert total(x[:400]) == x[:400].sum()


def test_eager_operations_raise_at_their_lines():
    with np.debug.nans():
        with pytest.raises(FloatingPointError, match="invalid value encountered in sqrt"):
            np.sqrt(np.array([-1.0]))
        with pytest.raises(FloatingPointError, match="divide by zero"):
            np.ones(2) / np.zeros(2)
    with numpy.errstate(all="ignore"):
        assert numpy.isnan(np.sqrt(np.array([-1.0]))[0])


def test_writes_into_arguments_and_structures():
    @np.compile
    def filled(x, out):
        out["y"][:] = np.log(x - 1)
        return {"kept": x, "more": [x * 2]}

    with np.debug.nans(), pytest.raises(FloatingPointError, match="an argument has an infinity now; divide by zero encountered in log"):
        filled(X, {"y": numpy.zeros(3)})
    g = np.compile(lambda x: {"a": x, "b": [x, np.sqrt(-x)]})
    with np.debug.nans(), pytest.raises(FloatingPointError, match=r"the result\['b'\]\[1\] has a NaN"):
        g(X)


def test_functions_in_parts_and_in_each_other():
    inner = np.compile(lambda x: np.sqrt(x - 3), name="inner")

    @np.compile
    def outer(x):
        y = x + 0
        with open(os.devnull, "w") as out:
            out.write("now")
        return inner(y) + 1

    outer(X + 5)
    with np.debug.nans(), pytest.raises(FloatingPointError, match="outer: the result has a NaN; invalid value encountered in sqrt"):
        outer(X)


def test_as_a_decorator_nested_and_for_its_thread_alone():
    f = np.compile(lambda x: np.sqrt(x - 5))

    @np.debug.nans()
    def run(x):
        return f(x)

    for _ in range(2):
        with pytest.raises(FloatingPointError):
            run(X)
    with np.debug.nans(), np.debug.nans():
        found = []
        thread = threading.Thread(target=lambda: found.append(f(X)))
        thread.start()
        thread.join()
        assert numpy.isnan(found[0]).any()
        with pytest.raises(FloatingPointError):
            f(X)


# check


def test_calls_that_agree():
    f = np.compile(lambda x: {"a": np.sin(x), "b": (x.sum(), 3, None, "text")})
    with np.debug.check():
        for x in (X, np.asarray(X), X.astype("f4"), X[::-1]):
            f(x)
    with np.debug.check(ulp=0):
        np.compile(lambda x: x * 2 + 1)(X)


class Wrong:
    """Has calls of a function give something else when compiled."""

    def __init__(self, change):
        self.change = change

    def __enter__(self):
        _watching.add(self.call)

    def __exit__(self, *error):
        _watching.remove(self.call)

    def call(self, function, forward, args, kwargs):
        return self.change(forward(*args, **kwargs), args)


def flipped(result, _):
    result[1] = numpy.nextafter(result[1], 100)
    return result


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r, _: r + [0, 1, 1], r"the result at \(1,\) is 9.0 compiled and 8.0 as written \(5.629e\+14 ulp\), and 1 more elements"),
        (lambda r, _: r.astype("f4"), "the result is 'float32\\[3\\]' compiled and 'float64\\[3\\]' as written"),
        (lambda r, _: r[:2], "the result is 'float64\\[2\\]' compiled"),
        (lambda r, a: (a[0].fill(7), r)[1], r"the arguments\[0\]\[0\] at \(0,\) is 7.0 compiled and 1.0 as written"),
        (lambda r, _: r * numpy.nan, r"is nan compiled and 2.0 as written \(inf ulp\)"),
        (lambda r, _: 1 / 0, "raises ZeroDivisionError compiled, and nothing as written"),
    ],
)
def test_what_differs_is_named(change, words):
    f = np.compile(lambda x: x * 2, name="doubled")
    with Wrong(change), np.debug.check(), pytest.raises(np.debug.MismatchError, match=words):
        f(X.copy())


def test_ulp_and_every():
    f = np.compile(lambda x: x * 2)
    with Wrong(flipped):
        with np.debug.check():
            f(X)
        with np.debug.check(ulp=0), pytest.raises(np.debug.MismatchError, match=r"at \(1,\) .* \(1 ulp\)"):
            f(X)
        with np.debug.check(every=3, ulp=0):
            f(X), f(X)
            with pytest.raises(np.debug.MismatchError):
                f(X)
    for wrong in ({"every": 0}, {"ulp": -1}, {"ulp": math.nan}):
        with pytest.raises(ValueError, match="check"):
            np.debug.check(**wrong)


def test_errors_and_draws_agree():
    g = np.compile(lambda x, i: x[i])

    @np.compile
    def drawn(x):
        return x + numpy.random.standard_normal(3)

    with np.debug.check():
        with pytest.raises(IndexError):
            g(X, numpy.array([7]))
        drawn(X), drawn(X)
    f = np.compile(lambda x, rng: x + rng.standard_normal(3))
    with np.debug.check():
        f(X, numpy.random.default_rng(3))


# bounds


def test_indices_are_checked_and_told_of():
    def picked(x, index):
        y = x * 2
        return y[index]

    @np.compile
    def walked(x, n):
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    f = np.compile(picked)
    with np.debug.bounds():
        with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3") as told:
            f(X, numpy.array([1, 7]))
        (note,) = told.value.__notes__
        assert f"{__file__}:{line_in(picked, 'return y')}" in note and "y has shape (3,); index has shape (2,), [1, 7]" in note
        with pytest.raises(IndexError) as told:
            walked(numpy.ones(1000), 1001)
        assert "s += x[i]" in told.value.__notes__[0] and "i is 1000" in told.value.__notes__[0]
    with pytest.raises(IndexError) as told:
        f(X, numpy.array([7]))
    assert not hasattr(told.value, "__notes__")


# promises


def test_broken_promises_of_pure_functions():
    state = [0.0]

    @np.compiler.pure
    def counts(x):
        state[0] += 1
        return x + state[0]

    @np.compiler.pure
    def writes(x):
        x[0] = 7
        return x

    @np.compiler.pure
    def raises(x):
        if x[0] > 0:
            raise KeyError("found")
        return x

    @np.compiler.pure
    def keeps(x):
        return numpy.cumsum(x)

    with np.debug.check():
        numpy.testing.assert_array_equal(np.compile(lambda x: keeps(x) + 1)(X), numpy.cumsum(X) + 1)
        for function, words in [
            (counts, r"counts gives another result for the same arguments, and promised not to: its result at \(0,\)"),
            (writes, "writes writes to its arguments, and promised not to"),
            (raises, "raises raises KeyError for these values, and promised no error that depends on data: 'found'"),
        ]:
            with pytest.raises(np.debug.PromiseError, match=words):
                np.compile(lambda x, function=function: function(x) * 2)(X.copy())


def test_broken_promises_of_allowed_functions():
    state = [0.0]

    @np.compiler.allow_in_graph
    def counts(x):
        state[0] += 1
        return x * state[0]

    @np.compiler.allow_in_graph
    def keeps(x, *more, scale=2.0, **rest):
        return x * scale + sum(more)

    with np.debug.check():
        np.compile(lambda x: keeps(x, 1.0, scale=3.0) + 1)(X)
        with pytest.raises(np.debug.PromiseError, match="counts gives another result for the same arguments"):
            np.compile(lambda x: counts(x) + 1)(X)


def test_promises_are_checked_by_the_environment(tmp_path):
    code = """
import numpy, fastnp as np
state = [0]
@np.compiler.pure
def counts(x):
    state[0] += 1
    return x + state[0]
try:
    np.compile(lambda x: counts(x) * 2)(numpy.ones(3))
except np.debug.PromiseError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "FASTNP_CHECK_PURE": "1"}, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("counts gives another result for the same arguments")


# deterministic

PROGRAM = """
import hashlib, sys, numpy, fastnp as np
rng = numpy.random.default_rng(int(sys.argv[1]))
x, m = rng.standard_normal(200_003), rng.standard_normal((300, 300))
found = []
for dtype in ("f8", "f4"):
    y, a = x.astype(dtype), m.astype(dtype)
    for f in (np.sum, np.cumsum, np.sort, lambda x: np.mean(np.sin(x)), lambda x: np.dot(x, x), lambda x: x[:200_000].reshape(-1, 8).sum(0)):
        found += [np.compile(f)(y), f(np.asarray(y))]
    for f in (lambda a: a @ a, np.linalg.inv, np.linalg.svdvals, lambda a: np.linalg.solve(a, a[0])):
        found += [np.compile(f)(a), f(np.asarray(a))]
found.append(np.compile(lambda r: r.standard_normal(100_000))(np.random.default_rng(3)))
print(*(hashlib.md5(numpy.asarray(each).tobytes()).hexdigest()[:8] for each in found))
"""


def test_runs_repeat_to_the_bit_with_any_number_of_threads():
    seed = str(int.from_bytes(os.urandom(3), "little"))
    print("seed", seed)
    outputs = set()
    for threads in ("1", "3"):
        env = {**os.environ, "FASTNP_NUM_THREADS": threads, "FASTNP_DETERMINISTIC": "1"}
        outputs.add(subprocess.run([sys.executable, "-c", PROGRAM, seed], env=env, capture_output=True, text=True, check=True).stdout)
    assert len(outputs) == 1


def test_deterministic_is_a_context():
    assert not np.debug.is_deterministic()
    with np.debug.deterministic(), np.debug.deterministic():
        assert np.debug.is_deterministic()
    assert not np.debug.is_deterministic()


# show_config


def test_show_config(capsys):
    known = np.show_config(mode="dicts")
    assert known.keys() - {"fastnp"} == numpy.show_config(mode="dicts").keys()
    own = known["fastnp"]
    assert own["version"] == np.__version__ and own["llvm"][0].isdigit() and own["threads"] >= 1
    assert own["instruction set"] in ("scalar", "base", "v3", "v4") and own["processor"]
    assert own["cuda"]["found"] == np.cuda.is_available()
    assert np.show_config() is None
    text = capsys.readouterr().out
    assert "Build Dependencies" in text and f"  llvm: {own['llvm']}" in text
    with pytest.raises(AttributeError):
        np.show_config("yaml")


# Debuggers


def test_breakpoints_stop_where_they_stand(monkeypatch):
    seen = []

    def hook():
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals), frame.f_back.f_code.co_name))

    monkeypatch.setattr(sys, "breakpointhook", hook)

    @np.compile
    def stopped(x):
        y = np.sqrt(x)
        breakpoint()
        return y + 1

    def helper(z):
        w = z * 2
        breakpoint()
        return w

    @np.compile
    def calls(x):
        y = np.sqrt(x)
        y = helper(y)
        return y + 1

    for _ in range(4):
        numpy.testing.assert_array_equal(stopped(X), numpy.sqrt(X) + 1)
    assert seen == [("stopped", line_in(stopped.__wrapped__, "breakpoint()"), ["x", "y"], "test_breakpoints_stop_where_they_stand")] * 4
    seen.clear()
    for _ in range(4):
        numpy.testing.assert_array_equal(calls(X), numpy.sqrt(X) * 2 + 1)
    assert [each[:3] for each in seen] == [("helper", line_in(helper, "breakpoint()"), ["w", "z"])] * 4
    assert [each[3] for each in seen] == ["calls"] * 4
    assert stopped.cache_info().compiles == 0
    assert "calls breakpoint()" in str(np.explain(stopped)(X))


def test_breakpoints_in_loops_stop_at_each_turn(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: seen.append(sys._getframe(1).f_locals["i"]))

    @np.compile
    def looped(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i]
            if i > 996:
                breakpoint()
        return s

    assert looped(numpy.ones(1000)) == 1000
    assert looped(numpy.ones(1000)) == 1000
    assert seen == [997, 998, 999] * 2


def test_pdb_walks_through_the_function_as_written(monkeypatch):
    told = io.StringIO()
    to_next_line = "next\n" if sys.version_info >= (3, 13) else ""  # it stops at set_trace() itself
    commands = to_next_line + "p sorted(locals())\nnext\np float(z[1])\np y is x\ncontinue\n"

    @np.compile
    def walked(x):
        y = x
        pdb.Pdb(stdin=io.StringIO(commands), stdout=told, nosigint=True, readrc=False).set_trace()
        z = np.sqrt(y) + 1
        return z

    for _ in range(2):
        numpy.testing.assert_array_equal(walked(X), numpy.sqrt(X) + 1)
        text = told.getvalue()
        assert "'x', 'y']" in text and "_fastnp" not in text and "z = np.sqrt(y) + 1" in text and "3.0" in text and "True" in text
        told.truncate(0)
        told.seek(0)
        sys.settrace(None)


def test_fullgraph_refuses_breakpoints():
    @np.compile(fullgraph=True)
    def stopped(x):
        breakpoint()
        return x

    with pytest.raises(np.compiler.RecordError, match=r"calls breakpoint\(\)"):
        stopped(X)
