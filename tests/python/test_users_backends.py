"""Back ends of users: what they are given, what they may do with it, and what is told of their errors."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from typing import Any

import numpy
import pytest
from fuzz import check
from fuzz.programs import random_program
from support import LONG, SEED, forget_users_backends

import fastnp as np
from fastnp.compiler import BackendError, Graph, Node

given: list[Graph] = []


def handing_on(name: str) -> Any:
    def backend(graph, example_inputs):
        given.append(graph)
        return graph.compile(name)

    return backend


HANDS_ON = {f"on {name}": name for name in np.compiler.list_backends()[:6]}


@pytest.fixture(autouse=True)
def registered():
    given.clear()
    for title, rung in HANDS_ON.items():
        np.compiler.register_backend(title, handing_on(rung))
    np.compiler.register_backend("runs", lambda graph, example_inputs: graph.run)
    yield
    forget_users_backends()


# --- what they are given -----------------------------------------------------------------------------------------------------------


def test_graph_and_examples():
    seen = []

    def backend(graph, example_inputs):
        seen.append((graph, [numpy.asarray(each).copy() for each in example_inputs]))
        return graph.compile()

    np.compiler.register_backend("seen", backend)
    x, y = numpy.arange(6.0).reshape(2, 3), numpy.float32([1, 2, 3])
    f = np.compile(lambda x, y: np.sum(np.exp(x) * y + 2, axis=1).astype("f4"), backend="seen")
    want = (numpy.exp(x) * y + 2).sum(axis=1).astype("f4")
    for _ in range(3):
        numpy.testing.assert_allclose(f(x, y), want)
    ((graph, examples),) = seen
    assert [each.tolist() for each in examples] == [x.tolist(), y.tolist()]
    assert [(each.op, each.dtype, each.shape) for each in graph.inputs] == [
        ("parameter", numpy.dtype("f8"), (2, 3)),
        ("parameter", numpy.dtype("f4"), (3,)),
    ]
    assert [(each.op, each.dtype, each.shape) for each in graph.outputs] == [("cast", numpy.dtype("f4"), (2,))]
    assert [each.number for each in graph.nodes] == list(range(len(graph.nodes)))
    assert all(operand.number < each.number and operand in graph.nodes for each in graph.nodes for operand in each.inputs)
    total = next(each for each in graph.nodes if each.op == "sum")
    assert total.attributes == {"ints": (1,)}
    assert next(each for each in graph.nodes if each.op == "constant").attributes["scalar"] == 2.0
    assert str(graph).splitlines() == [*(each.text for each in graph.nodes), f"return %{graph.outputs[0].number}"]
    assert repr(graph) == f"<Graph of {len(graph.nodes)} nodes, 2 inputs and 1 outputs>"
    assert repr(total) == total.text


def test_graphs_do_not_change():
    np.compile(lambda x: x + 1, backend="on llvm")(numpy.ones(2))
    graph = given[-1]
    with pytest.raises(AttributeError, match=r"Graph\.replace makes another graph"):
        graph.nodes[0].op = "sin"
    assert isinstance(graph.nodes, tuple) and isinstance(graph.nodes[0], Node)


def test_a_back_end_that_walks():
    """By NumPy's functions, one after the other."""

    def backend(graph, example_inputs):
        def run(*arrays):
            values = dict(zip(graph.inputs, arrays, strict=True))
            for node in graph.nodes:
                operands = [numpy.asarray(values[each]) for each in node.inputs]
                if node.op == "parameter":
                    continue
                if node.op == "constant":
                    values[node] = numpy.full(node.shape, node.attributes["scalar"], node.dtype)
                elif node.op == "broadcast_to":
                    values[node] = numpy.broadcast_to(operands[0], node.shape)
                elif node.op == "sum":
                    values[node] = numpy.sum(operands[0], axis=node.attributes["ints"])
                else:
                    values[node] = getattr(numpy, node.op)(*operands)
            return [values[each] for each in graph.outputs]

        return run

    np.compiler.register_backend("numpy", backend)
    f = np.compile(lambda x, y: (np.sin(x) * y + 2, np.sum(x * y, axis=0)), backend="numpy")
    x, y = numpy.arange(6.0).reshape(2, 3), numpy.arange(3.0)
    for _ in range(2):
        got = f(x, y)
        assert [type(each) for each in got] == [numpy.ndarray] * 2
        numpy.testing.assert_allclose(got[0], numpy.sin(x) * y + 2)
        numpy.testing.assert_allclose(got[1], (x * y).sum(axis=0))


# --- functions through them --------------------------------------------------------------------------------------------------------


def in_place(x):
    x[0] = x[1] * 2
    x += 1
    return x, x[0], x.sum()


def local_array(x):
    y = np.zeros_like(x)
    y[0] = x[0] * 2
    y[1:] = x[1:] + y[0]
    return y


def views(x):
    y = x * 2
    return y, y.T, y[0], x.T, x


def looped(x):
    return np.fori_loop(0, 4, lambda i, state: state * 0.5 + i, x)


def branch(x):
    return x * 2 if x.sum() > 0 else x - 1


def broken(x):
    y = numpy.sin(x) + 1
    print("a break", end="")
    return y * 2


def picked(x):
    return np.sort(x, axis=0)[::-1], np.take(x, np.argmax(x, axis=1), axis=1), np.concatenate([x, x], axis=1)


def products(x):
    return x @ x.T, np.linalg.solve(x @ x.T + 10 * np.eye(x.shape[0]), x)


def constants(x):
    return np.ones(3), x * 0 + numpy.arange(4.0)


FUNCTIONS = [in_place, local_array, views, looped, branch, broken, picked, products, constants]


@pytest.mark.parametrize("name", [*HANDS_ON, "runs"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions(name, function, capsys):
    rng = numpy.random.default_rng(SEED)
    f = np.compile(function, backend=name)
    for sign in (1, 1, -1, 1):
        x = rng.standard_normal((3, 4)) + 3 * sign
        mine, theirs = x.copy(), x.copy()
        got, want = f(mine), function(np.asarray(theirs))
        pairs = list(zip(*(each if isinstance(each, tuple) else (each,) for each in (got, want)), strict=True))
        for g, w in pairs:
            numpy.testing.assert_allclose(numpy.asarray(g), numpy.asarray(w), rtol=1e-11)
            assert numpy.asarray(g).strides == numpy.asarray(w).strides or numpy.asarray(w).size < 2
        numpy.testing.assert_array_equal(mine, theirs)
        for i, (g, w) in enumerate(pairs):
            assert numpy.shares_memory(g, mine) == numpy.shares_memory(w, theirs)
            assert [numpy.shares_memory(g, other) for other, _ in pairs[:i]] == [numpy.shares_memory(w, other) for _, other in pairs[:i]]


@pytest.mark.parametrize("number", range(40 if LONG else 8))
def test_random_programs(number):
    program = random_program(SEED + number)
    for name in ("on llvm", "runs"):
        function = np.compile(program.function(numpy), backend=name)
        for call in [0, *range(len(program.calls)), 0]:
            check.check_call(program, call, "compiled", function, program.function(numpy))


def test_derivatives_go_through_them():
    def loss(w):
        return np.sum(np.tanh(w) ** 2)

    w = numpy.linspace(-1, 1, 5)
    want = numpy.asarray(np.grad(loss)(w))
    given.clear()
    for derivative in (np.grad(np.compile(loss, backend="on interpreter")), np.compile(np.grad(loss), backend="on interpreter")):
        for _ in range(2):
            numpy.testing.assert_allclose(numpy.asarray(derivative(w)), want, rtol=1e-13)
    assert len(given) == 2
    assert all("tanh" in str(graph) for graph in given)
    each = np.vmap(np.compile(loss, backend="on llvm"))(w[:, None])
    numpy.testing.assert_allclose(numpy.asarray(each), numpy.tanh(w) ** 2, rtol=1e-13)


def test_sizes_are_numbers():
    given.clear()
    f = np.compile(lambda x: x * 2, backend="on llvm")
    for n in (3, 4, 5, 4):
        assert f(numpy.ones(n)).tolist() == [2.0] * n
    assert [graph.inputs[0].shape for graph in given] == [(3,), (4,), (5,)]
    for dynamic in (True, {"x": {0: np.Dim("n")}}):
        with pytest.raises(ValueError, match="backend 'on llvm' takes graphs of fixed sizes: they can't be dynamic"):
            np.compile(lambda x: x, backend="on llvm", dynamic=dynamic)


def test_sizes_that_depend_on_values_run_as_written():
    f = np.compile(lambda x: x[x > 0] * 2, backend="on llvm")
    assert f(numpy.array([1.0, -1.0, 3.0])).tolist() == [2.0, 6.0]
    assert f(numpy.array([-1.0, -1.0, 3.0])).tolist() == [6.0]


def test_functions_that_compute_nothing_are_not_handed_over():
    given.clear()
    f = np.compile(lambda x: (x.T, 3), backend="on llvm")
    x = numpy.arange(6.0).reshape(2, 3)
    assert numpy.shares_memory(f(x)[0], x)
    assert given == []


def test_explanations_name_them():
    f = np.compile(lambda x: np.exp(x) + 1, backend="on llvm")
    told = np.explain(f)(numpy.ones(3))
    assert told.backend == "on llvm"
    assert [kernel["name"] for kernel in told.entries[0]["kernels"]] == ["on llvm"]
    assert "exp" in told.ir


def test_results_are_the_callers_own():
    kept = numpy.zeros(3)
    held = np.zeros(3)

    def backend(graph, example_inputs):
        return lambda x: [kept, held, x, held[:]]

    np.compiler.register_backend("keeps", backend)
    x = numpy.ones(3)
    f = np.compile(lambda x: (x + 1, x + 2, x + 3, x + 4), backend="keeps")
    for _ in range(2):
        results = f(x)
        for each in results:
            each += 7
        assert kept.tolist() == [0, 0, 0] and numpy.asarray(held).tolist() == [0, 0, 0] and x.tolist() == [1, 1, 1]
        assert results[2].tolist() == [8, 8, 8]


def test_floating_point_errors_are_told_of():
    f = np.compile(lambda x: np.log(x), backend="on llvm")
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        f(numpy.array([1.0, 0.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(numpy.array([1.0, 2.0]))


# --- changed graphs ----------------------------------------------------------------------------------------------------------------


def changed(function, change, *arguments):
    graphs = []

    def backend(graph, example_inputs):
        graphs.extend([graph, change(graph)])
        return graphs[1].compile("eager")

    np.compiler.register_backend("changes", backend)
    return np.compile(function, backend="changes")(*arguments), graphs


def node_of(graph, op):
    return next(each for each in graph.nodes if each.op == op)


def test_replace_by_name_and_by_function():
    x = numpy.array([0.25, 0.5])
    got, (before, after) = changed(lambda x: np.exp(x) * x, lambda graph: graph.replace(node_of(graph, "exp"), "sin"), x)
    numpy.testing.assert_allclose(got, numpy.sin(x) * x)
    assert "exp" in str(before) and "exp" not in str(after) and "sin" in str(after)
    got, (_, after) = changed(lambda x: np.exp(x) * x, lambda graph: graph.replace(graph.outputs[0], lambda a, b: a - 2 * b), x)
    numpy.testing.assert_allclose(got, numpy.exp(x) - 2 * x)
    swap = lambda graph: graph.replace(graph.outputs[0], "subtract", [graph.inputs[0], node_of(graph, "exp")])  # noqa: E731
    got, _ = changed(lambda x: np.exp(x) * x, swap, x)
    numpy.testing.assert_allclose(got, x - numpy.exp(x))


def test_inputs_that_nothing_reads_stay():
    x, y = numpy.ones(2), numpy.full(2, 3.0)
    got, (_, after) = changed(lambda x, y: x * y, lambda graph: graph.replace(graph.outputs[0], "negative", [graph.inputs[1]]), x, y)
    assert got.tolist() == [-3.0, -3.0]
    assert len(after.inputs) == 2 and all(each.op == "parameter" for each in after.inputs)
    assert [each.tolist() for each in after.run(x, y)] == [[-3.0, -3.0]]


def test_wrong_replacements():
    np.compile(lambda x: np.sum(np.exp(x), axis=0), backend="on llvm")(numpy.ones((2, 3)))
    graph, ones = given[-1], np.ones((2, 3))
    node = node_of(graph, "exp")
    with pytest.raises(ValueError, match=r"node %\d \(exp\) is float64\[2, 3\], and what is to replace it float64\[3\]"):
        graph.replace(node, lambda x: x[0])
    with pytest.raises(ValueError, match=r"is float64\[2, 3\], and what is to replace it bool\[2, 3\]"):
        graph.replace(node, "isnan")
    with pytest.raises(ValueError, match="fastnp has no function 'nonsense'"):
        graph.replace(node, "nonsense")
    with pytest.raises(ValueError, match="is an input"):
        graph.replace(graph.inputs[0], "sin", [])
    with pytest.raises(ValueError, match="does not come before"):
        graph.replace(node, "sin", [graph.outputs[0]])
    with pytest.raises(ValueError, match="is a node of another graph"):
        graph.replace(node, "cos").replace(node, "sin")
    with pytest.raises(ValueError, match="reads an array besides those that it is given"):
        graph.replace(node, lambda x: x + ones)
    with pytest.raises(ValueError, match="unknown backend 'nonsense'"):
        graph.compile("nonsense")
    with pytest.raises(ValueError, match="a graph of 1 inputs is run on 2 arrays"):
        graph.run(numpy.ones(2), numpy.ones(2))
    with pytest.raises(ValueError, match=r"input 0 of a graph is float64\[2, 3\], and is run on float32\[2, 3\]"):
        graph.run(numpy.ones((2, 3), "f4"))


def test_graphs_with_loops_and_writes_can_be_changed():
    x = numpy.ones((3, 4))
    for function in (looped, in_place, local_array):
        for op in ("multiply", "constant"):
            np.compile(function, backend="on llvm")(x.copy())
            graph = given[-1]
            found = [each for each in graph.nodes if each.op == op]
            if found:
                same = graph.replace(found[0], lambda *operands, found=found[0]: np.full(found.shape, 2.0))
                assert len(same.run(*[x] * len(graph.inputs))) == len(graph.outputs)


# --- errors ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "backend", "kind", "text"),
    [
        ("raises", lambda graph, x: 1 / 0, BackendError, "backend 'raises' could not compile a graph: ZeroDivisionError: division by zero"),
        ("gives none", lambda graph, x: None, BackendError, "backend 'gives none' is to give a function of arrays, and gives NoneType"),
        ("late", lambda graph, x: lambda *a: {}["key"], BackendError, "backend 'late' could not compute a graph: KeyError: 'key'"),
        ("one", lambda graph, x: lambda *a: a[0], BackendError, "backend 'one' could not compute a graph: TypeError: a sequence of arrays is to be given"),
        ("many", lambda graph, x: lambda *a: [*a, *a], ValueError, "backend 'many' gives 2 arrays for a graph of 1 outputs"),
        ("small", lambda graph, x: lambda x: [numpy.float32(x)], TypeError, r"backend 'small': output 0 \(exp\) is float64\[3\], not float32\[3\]"),
        ("flat", lambda graph, x: lambda x: [x[:2]], ValueError, r"backend 'flat': output 0 \(exp\) is float64\[3\], not float64\[2\]"),
    ],
)
def test_errors_name_the_back_end(name, backend, kind, text):
    np.compiler.register_backend(name, backend)
    f = np.compile(lambda x: np.exp(x), backend=name)
    for _ in range(2):
        with pytest.raises(kind, match=text) as caught:
            f(numpy.ones(3))
    if kind is BackendError and name != "gives none":
        assert caught.value.__cause__ is not None


@pytest.mark.parametrize("name", ["on llvm", "runs"])
def test_errors_that_depend_on_values_are_the_functions_own(name):
    f = np.compile(lambda x, i: np.exp(x)[i], backend=name)
    assert f(numpy.zeros(2), numpy.array([1])).tolist() == [1.0]
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        f(numpy.zeros(2), numpy.array([5]))
    g = np.compile(lambda a: np.linalg.cholesky(a) * 2, backend=name)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        g(-numpy.eye(2))


def test_errors_of_replacements_are_as_they_are():
    def raising(x):
        raise ValueError("mine")

    np.compile(lambda x: np.exp(x), backend="on llvm")(numpy.ones(2))
    with pytest.raises(KeyError, match="missing"):
        given[-1].replace(given[-1].outputs[0], lambda x: {}["missing"])
    with pytest.raises(ValueError, match="^mine$"):
        given[-1].replace(given[-1].outputs[0], raising)


def test_names():
    for name in ("llvm", "inductor", "eager"):
        with pytest.raises(ValueError, match=f"'{name}' is a backend of fastnp's"):
            np.compiler.register_backend(name, lambda graph, x: graph.run)
    with pytest.raises(ValueError, match="without a name"):
        np.compiler.register_backend("", lambda graph, x: graph.run)
    with pytest.raises(TypeError, match="a backend is a function of a graph and arrays, not 3"):
        np.compiler.register_backend("three", 3)
    assert "runs" in np.compiler.list_backends()
    assert np.compiler.backend_info("runs").kernels == "a user's"
    with pytest.raises(ValueError, match=r"unknown backend 'llwm': the backends are 'eager', .* and 'runs'"):
        np.compile(lambda x: x, backend="llwm")


def test_a_name_that_is_taken_back():
    f = np.compile(lambda x: x * 3, backend="runs")
    assert f(numpy.ones(2)).tolist() == [3.0, 3.0]
    np.compiler.register_backend("runs", None)
    assert f(numpy.ones(2)).tolist() == [3.0, 3.0]  # it is compiled
    assert "runs" not in np.compiler.list_backends()
    with pytest.raises(ValueError, match="unknown backend 'runs'"):
        np.compile(lambda x: x, backend="runs")


def test_a_name_that_is_given_anew():
    np.compiler.register_backend("anew", lambda graph, x: lambda a: [numpy.full(2, 1.0)])
    f = np.compile(lambda x: x * 3, backend="anew")
    assert f(numpy.ones(2)).tolist() == [1.0, 1.0]
    np.compiler.register_backend("anew", lambda graph, x: lambda a: [numpy.full(2, 2.0)])
    assert f(numpy.ones(2)).tolist() == [1.0, 1.0]  # it is compiled
    assert np.compile(lambda x: x * 3, backend="anew")(numpy.ones(2)).tolist() == [2.0, 2.0]


def test_recordings_on_disk_are_handed_over(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import numpy
import fastnp as np

def backend(graph, example_inputs):
    print([each.op for each in graph.nodes], [each.tolist() for each in example_inputs])
    return graph.compile()

np.compiler.register_backend("mine", backend)
f = np.compile(lambda x: np.sqrt(x) + 1, backend="mine")
print(f(numpy.array([4.0])), "record" in np.explain(f)(numpy.array([4.0])).entries[0]["milliseconds"])
"""
    )
    environment = os.environ | {"FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    runs = [subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True) for _ in range(2)]
    graph = "['parameter', 'sqrt', 'constant', 'add'] [[4.0]]\n[3.] "
    assert [run.stdout for run in runs] == [graph + "True\n", graph + "False\n"], runs[0].stderr


def test_threads(tmp_path):
    import threading

    f = np.compile(lambda x: np.exp(x) * 2, backend="on llvm")
    results: list[Any] = []

    def work():
        for _ in range(50):
            results.append(f(numpy.zeros(100))[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == [2.0] * 200
