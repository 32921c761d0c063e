"""Before there is a call: graphs, kernels and code of shapes and dtypes alone; and calls that are warmed up."""

from __future__ import annotations

import collections
import time

import numpy
import pytest

import fastnp as np
from fastnp.compiler import RecordError, Spec, trace

X = numpy.array([1.0, 4.0, 9.0])
STATE = {"calls": 0, "scale": 2.0}
Pair = collections.namedtuple("Pair", ["a", "b"])


class Shaped:
    shape, dtype = (3,), "float32"


@pytest.mark.parametrize("spec", [Spec(3), Spec((3,), "f8"), X, np.asarray(X)], ids=["size", "shape", "numpy", "own"])
def test_the_graph_of_shapes_alone(spec):
    traced = trace(lambda x: np.sum(np.sqrt(x) * 2))(spec)
    assert traced.ops == ["sqrt", "multiply", "sum"]
    assert (traced.inputs, traced.outputs) == ([Spec(3)], [Spec(())])
    assert str(traced).splitlines()[0] == "%0 = parameter (0) : float64[3]"


def test_dtypes_shapes_and_structures_are_numpys():
    def f(pair, table, scale):
        return pair.a @ table["w"] * scale, pair.b.astype("int32")

    traced = trace(f)(Pair(Spec((2, 3), "f4"), Shaped()), {"w": Spec((3, 5), "f4")}, 3)
    assert traced.outputs == [Spec((2, 5), "f4"), Spec(3, "i4")]
    with pytest.raises(ValueError, match="matmul"):
        trace(f)(Pair(Spec((2, 3)), Spec(1)), {"w": Spec((4, 5))}, 3)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        trace(f)(Spec(3), Spec(3))


def test_sizes_by_name():
    traced = trace(lambda x, y: x[:, None] * y)(Spec("n"), Spec(("n", np.Dim("m", 2, 8))))
    assert traced.outputs[0].shape[1] == "m"
    assert "n" in str(traced)
    halves = trace(lambda *xs, **named: (xs[0].reshape(-1, 2), named["y"] + 1))(Spec(np.Dim("n", 2, multiple_of=2)), y=Spec("k"))
    assert halves.outputs == [Spec(("n//2", 2)), Spec("k")]
    with pytest.raises(ValueError, match=r"argument x\[0\] has sizes with names"):
        trace(lambda x: x[0])([Spec("n")])


def test_specs_are_checked():
    for wrong in ((2.5,), ("n", None)):
        with pytest.raises(TypeError, match="a size is an int"):
            Spec(wrong)
    with pytest.raises(ValueError, match="negative dimensions"):
        Spec((3, -1))
    assert repr(Spec((3, "n"), "i2")) == "Spec((3, 'n'), int16)"
    assert Spec((3, np.Dim("n"))) == Spec((3, "n")) and hash(Spec(3)) == hash(Spec((3,)))


def test_nothing_is_computed_and_nothing_done(capsys):
    def f(x):
        STATE["calls"] += 1
        print("called")
        x[0] = 7
        return x * 2

    before = dict(STATE)
    held = X.copy()
    trace(f)(held)
    compiled = np.compile(f)
    compiled.lower(held)
    trace(f)(Spec(10**12))  # 8 TB: nothing of it is there
    with pytest.raises(MemoryError, match="no addresses"):
        trace(f)(Spec(10**16))
    assert before == STATE and capsys.readouterr().out == "" and (held == X).all()


def test_what_needs_values_says_so():
    def branches(x):
        return x if x[0] > 0 else -x

    def converts(x):
        return x * float(x[1])

    @np.compiler.pure
    def outside(x):
        raise AssertionError("it is not called")

    generator = numpy.random.default_rng(1)
    values = "shapes and dtypes alone are known"
    for function, words in [
        (branches, values),
        (converts, values),
        (lambda x: x[x > 0], values),
        (lambda x: outside(x) + 1, "calls .*outside, whose result is known once there are values"),
        (lambda x: x + generator.standard_normal(3), r"calls .*standard_normal, whose result is known once there are values"),
    ]:
        for look in (trace(function), np.compile(function).lower, np.compile(function).warmup):
            with pytest.raises(RecordError, match=words):
                look(Spec(3))


def test_breaks_are_named_and_calls_go_on_as_ever():
    @np.compile
    def broken(x):
        y = np.sqrt(x)
        with open("/dev/null", "w") as out:
            out.write("now")
        return y * 2

    for look in (trace(broken), broken.lower, broken.warmup):
        with pytest.raises(RecordError, match=r"calls open\(\).*test_ahead"):
            look(Spec(3))
    assert broken.cache_info()[:2] == (0, 1) or broken.cache_info().compiles == 0
    numpy.testing.assert_array_equal(broken(X), numpy.sqrt(X) * 2)
    assert len(np.explain(broken)(X).breaks) == 1


def test_a_failed_warmup_leaves_the_call_compiled():
    f = np.compile(lambda x: x * 2 if x[0] > 0 else x)
    with pytest.raises(RecordError):
        f.warmup(Spec(3))
    numpy.testing.assert_array_equal(f(X), X * 2)
    assert f.cache_info().compiles == 1 and f.cache_info().uncompiled == 0


def test_errors_of_the_function_are_its_own():
    def wrong(x):
        return x[7]

    for look in (trace(wrong), np.compile(wrong).lower, np.compile(wrong).warmup):
        with pytest.raises(IndexError, match="index 7 is out of bounds"):
            look(Spec(3))


@pytest.mark.parametrize(
    ("function", "specs", "args"),
    [
        (lambda x: np.sqrt(x) + 1, (Spec(3),), (X,)),
        (lambda x: np.sqrt(x) + 1, (Spec(3),), (np.asarray(X),)),
        (lambda x, y: x @ y, (Spec((4, 3), "f4"), Spec(3, "f4")), (numpy.ones((4, 3), "f4"), numpy.ones(3, "f4"))),
        (lambda x, n: x * n, (Spec(3), 2.5), (X, 2.5)),
        (lambda t: t["a"] + t["b"][0], ({"a": Spec(3), "b": [Spec(3), 1]},), ({"a": X, "b": [X + 1, 1]},)),
        (lambda x: x.T + 1, (numpy.asfortranarray(numpy.ones((4, 3))),), (numpy.asfortranarray(numpy.ones((4, 3))),)),
        (lambda x: x * STATE["scale"], (Spec(3),), (X,)),
        (lambda x: np.linalg.solve(x, x), (Spec((3, 3)),), (numpy.eye(3),)),
        (lambda x: x * 2, (Spec((1000, 1000)),), (numpy.ones((1000, 1000)),)),
    ],
)
def test_the_first_call_after_a_warmup_compiles_nothing(function, specs, args):
    f = np.compile(function)
    assert f.warmup(*specs) == 1
    assert f.warmup(*specs) == 0
    assert f.cache_info().compiles == 1
    result = f(*args)
    assert f.cache_info()[0] == 1 and f.cache_info().compiles == 1 and f.cache_info().uncompiled == 0
    numpy.testing.assert_allclose(numpy.asarray(result), numpy.asarray(function(*args)), rtol=1e-6)
    assert type(result) is type(np.compile(function)(*args))


def test_several_calls_are_warmed_up_at_once():
    f = np.compile(lambda x: np.exp(x) - 1, dynamic=False)
    assert f.warmup([(Spec(3),), (Spec(4),), (Spec(3),), (Spec(3, "f4"),)]) == 3
    f(X), f(numpy.ones(4)), f(numpy.ones(3, "f4"))
    assert f.cache_info().compiles == 3 and f.cache_info().hits == 3


def test_a_warmup_with_keywords_and_of_methods():
    class Model:
        def __init__(self):
            self.w = numpy.array([2.0, 3.0, 4.0])

        @np.compile
        def forward(self, x, *, bias=0.0):
            return self.w * x + bias

    model = Model()
    assert Model.forward.warmup(model, Spec(3), bias=1.0) == 1
    numpy.testing.assert_array_equal(model.forward(X, bias=1.0), model.w * X + 1)
    assert Model.forward.cache_info().compiles == 1
    assert trace(model.forward)(Spec(3)).outputs == [Spec(3)]


def test_a_warmup_takes_the_time_of_the_first_call():
    def f(x):
        for _ in range(20):
            x = np.sin(x) * 1.5 + np.cos(x)
        return x

    cold, warm = np.compile(f, name=f"cold{time.time_ns()}"), np.compile(lambda x: f(x) + 1e-3 * 1.0)
    begin = time.perf_counter()
    cold(X)
    first = time.perf_counter() - begin
    assert warm.warmup(Spec(3)) == 1
    begin = time.perf_counter()
    warm(X)
    spent = time.perf_counter() - begin
    assert spent < max(first / 3, 0.002)


def test_background_compilations_are_waited_for():
    f = np.compile(lambda x: np.tanh(x) * 3, background=True)
    f.warmup(Spec(3))
    f(X)
    assert f.cache_info().compiles == 1 and f.cache_info().uncompiled == 0


def test_named_sizes_are_warmed_up_with_dynamic_alone():
    f = np.compile(lambda x: x * 2, dynamic={"x": {0: "n"}})
    assert f.warmup(Spec("n")) == 1
    for n in (2, 5, 9):
        f(numpy.ones(n))
    assert f.cache_info().compiles == 1
    with pytest.raises(ValueError, match="has sizes with names"):
        np.compile(lambda x: x).warmup(Spec("n"))


def test_loops_over_numbers_are_compiled_by_calls():
    @np.compile
    def total(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * i
        return s

    with pytest.raises(RecordError, match="steps"):
        total.warmup(Spec(1000))
    x = numpy.arange(1000.0)
    assert total(x) == sum(x[i] * i for i in range(1000))


def test_lowered_text_and_kernels():
    lowered = np.compile(lambda x: np.sum(np.exp(x) * 2, axis=1)).lower(Spec((4, 3)))
    assert "exp" in lowered.graph and "exp" in lowered.ir and "exp" in lowered.loops
    assert {op for kernel in lowered.kernels for op in kernel["ops"]} == {"exp", "multiply", "sum"}
    assert str(lowered) == lowered.loops
    function = lowered.compile()
    assert "define" in function.llvm and function.asm
    assert function.memory_analysis() == {"argument_bytes": 96, "output_bytes": 32}
    assert function.cost_analysis()["operations"] == 3
    assert sum(function.milliseconds().values()) > 0
    numpy.testing.assert_allclose(function(numpy.ones((4, 3))), numpy.full(4, 6 * numpy.e))


def test_a_specialisation_checks_its_arguments():
    f = np.compile(lambda x, options, n=2: x * options[0] * n)
    g = f.lower(Spec((3, 2), "f4"), [Spec(2, "f4")], n=3).compile()
    x, y = numpy.ones((3, 2), "f4"), numpy.ones(2, "f4")
    numpy.testing.assert_array_equal(g(x, [y], n=3), x * 3)
    for wrong, error, words in [
        (((x.astype("f8"), [y]), {"n": 3}), TypeError, "argument 'x' has dtype float64, and this is compiled for float32"),
        (((x[:2], [y]), {"n": 3}), ValueError, r"argument 'x' has shape \(2, 2\), and this is compiled for \(3, 2\)"),
        (((x, [y, y]), {"n": 3}), TypeError, "argument 'options' is to be a list of 1"),
        (((x, [y[:1]]), {"n": 3}), ValueError, r"argument 'options\[0\]' has shape"),
        (((x, [y]), {"n": 4}), ValueError, "argument 'n' is 4, and this is compiled for 3"),
        (((x, [y]), {"n": 3.0}), TypeError, "argument 'n' is of type float"),
        (((x, [y]), {}), TypeError, "is compiled for the arguments 'x', 'options', 'n'"),
        (((x.tolist(), [y]), {"n": 3}), TypeError, "argument 'x' is of type list"),
    ]:
        with pytest.raises(error, match=words):
            g(*wrong[0], **wrong[1])
    assert f.cache_info().compiles == 0


def test_a_specialisation_for_named_sizes():
    g = np.compile(lambda x, y: x * 2 + y).lower(Spec("n"), Spec("n")).compile()
    for n in (1, 2, 5, 100):
        numpy.testing.assert_array_equal(g(numpy.ones(n), numpy.ones(n)), numpy.full(n, 3.0))
    with pytest.raises(ValueError, match="where 'n' is 3 by argument 'x'"):
        g(numpy.ones(3), numpy.ones(4))
    assert g._compiled.cache_info().compiles == 1


def test_a_specialisation_whose_guards_fail_says_so():
    g = np.compile(lambda x: x * STATE["scale"]).lower(Spec(3)).compile()
    numpy.testing.assert_array_equal(g(X), X * 2)
    STATE["scale"] = "text"
    try:
        with pytest.raises(RecordError):
            g(X)
    finally:
        STATE["scale"] = 2.0


def test_numpys_trace_is_numpys():
    x = numpy.arange(9.0).reshape(3, 3)
    assert np.trace(x) == numpy.trace(x)


def test_a_function_that_warms_up_another_one_runs_as_written():
    f = np.compile(lambda x: x + 1)

    @np.compile
    def outer(x):
        f.warmup(Spec(3))
        return f(x)

    numpy.testing.assert_array_equal(outer(X), X + 1)
    assert f.cache_info().compiles == 1
