"""What NumPy does for fastnp is counted, at each call, and can be forbidden; what works in place changes what it was given."""

from __future__ import annotations

import collections
import os
import pickle
import random
import subprocess
import sys
from typing import Any

import numpy
import numpy.lib.recfunctions
import pytest
from support import SEED

import fastnp as np


def square(value: Any) -> Any:
    return value * value


USES = {
    "vectorize": lambda x: np.vectorize(square)(x),
    "nditer": lambda x: [float(each) for each in np.nditer(x)],
    "ndenumerate": lambda x: dict(np.ndenumerate(x)),
    "matrix": lambda x: np.matrix(x),
    "poly1d": lambda x: np.poly1d([1.0, 2.0]),
    "ma.masked_array": lambda x: np.ma.masked_array(x, x > 1),
    "ma.sum": lambda x: np.ma.sum(x),
    "ma.add": lambda x: np.ma.add(x, 1),
    "ma.add.reduce": lambda x: np.ma.add.reduce(x),
    "polynomial.Polynomial": lambda x: np.polynomial.Polynomial([1.0, 2.0]),
    "busday_count": lambda x: np.busday_count("2020-01-01", "2020-01-09"),
    "random.vonmises": lambda x: np.random.vonmises(0.5, 1.0, 3),
    "random.Generator.multivariate_normal": lambda x: GENERATOR.multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]),
    "random.zipf": lambda x: STATE.zipf(2.0, 3),
    "random.geometric": lambda x: STATE.geometric(0.5, 3),
    "testing.assert_allclose": lambda x: np.testing.assert_allclose(x, x),
    "testing.assert_raises": lambda x: np.testing.assert_raises(ValueError, lambda a: a + np.ones(7), x),
    "matlib.zeros": lambda x: np.matlib.zeros((2, 2)),
    "lib.recfunctions.unstructured_to_structured": lambda x: np.lib.recfunctions.unstructured_to_structured(x[None]),
    "lib.format.descr_to_dtype": lambda x: np.lib.format.descr_to_dtype("f8"),
    "ctypeslib.as_ctypes_type": lambda x: np.ctypeslib.as_ctypes_type("f8"),
    "char.upper": lambda x: np.char.upper(["a"]),
    "strings.upper": lambda x: np.strings.upper(["a"]),
    "rec.fromarrays": lambda x: np.rec.fromarrays([x, x]),
    **({"chararray": lambda x: np.chararray((2,))} if hasattr(numpy, "chararray") else {}),
    "recarray": lambda x: np.recarray((2,), [("a", "f8")]),
    "base_repr": lambda x: np.base_repr(5, 3),
    "binary_repr": lambda x: np.binary_repr(3),
    "ndarray.dumps": lambda x: x.dumps(),
}
GENERATOR = np.random.default_rng(0)
STATE = np.random.RandomState(0)
ON_HOST = pytest.mark.skipif(np.current_device() != "cpu" or bool(os.environ.get("FASTNP_TEST_DEVICE")), reason="devices draw and compute some of it")


@ON_HOST
@pytest.mark.parametrize("name", USES)
def test_each_use_is_counted_and_forbidden(name, monkeypatch):
    x = np.arange(4.0)
    np.compiler.reset_fallbacks()
    for _ in range(3):
        USES[name](x)
    assert np.compiler.fallbacks()[name] == 3
    monkeypatch.setenv("FASTNP_FALLBACK", "error")
    with pytest.raises(np.compiler.FallbackError, match=name):
        USES[name](x)


@ON_HOST
@pytest.mark.parametrize("name", [name for name in USES if name.partition(".")[0] not in ("linalg", "add")])
def test_each_use_in_a_compiled_function_is_counted_and_forbidden(name, monkeypatch):
    x = np.arange(4.0)

    @np.compile
    def function(x: Any) -> Any:
        USES[name](x)
        return x * 2

    function(x)
    np.compiler.reset_fallbacks()
    for _ in range(3):
        function(x)
    assert np.compiler.fallbacks()[name] == 3
    monkeypatch.setenv("FASTNP_FALLBACK", "error")
    with pytest.raises(np.compiler.FallbackError, match=name):
        function(x)


COUNTED = {
    "partition": lambda x: np.partition(x, 1) + x,
    "histogram": lambda x: np.histogram(x, 3)[0].sum() * x,
    "argpartition": lambda x: np.argpartition(x, 1)[0] * x,
}


def traced(call: Any) -> collections.Counter[str]:
    """Functions of NumPy's in Python that others call, by name: fastnp, which has no frame of its own where its core does."""
    seen: collections.Counter[str] = collections.Counter()
    numpys = os.path.dirname(numpy.__file__)

    def note(frame: Any, event: str, _: Any) -> None:
        name, caller = frame.f_code.co_name, frame.f_back
        is_numpys = event == "call" and frame.f_code.co_filename.startswith(numpys) and not name.endswith("_dispatcher")
        if is_numpys and caller is not None and not caller.f_code.co_filename.startswith(numpys):
            seen[name] += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


@ON_HOST
def test_counts_are_what_numpy_sees():
    rng = random.Random(SEED)
    for _ in range(12):
        names = rng.choices(list(COUNTED), k=rng.randrange(1, 4))
        compiles = rng.random() < 0.7

        def program(x: Any, names: list[str] = names) -> Any:
            for name in names:
                x = COUNTED[name](x)
            return x

        function = np.compile(program) if compiles else program
        np.compiler.reset_fallbacks()
        sizes = [rng.randrange(4, 9) for _ in range(4)]
        seen = traced(lambda function=function, sizes=sizes: [function(np.arange(1.0, 1.0 + size)[:4]) for size in sizes])
        expected = {name: seen[name] for name in set(names)}
        got = {name: np.compiler.fallbacks().get(name, 0) for name in set(names)}
        assert got == expected, f"FASTNP_TEST_SEED={SEED}: {names}, compiled: {compiles}"


@ON_HOST
def test_calls_of_other_processes_recordings_are_counted_and_forbidden(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import fastnp as np
@np.compile
def f(x):
    return x[1] * len(np.base_repr(5, 3)) + np.random.normal() * 0
try:
    print([f(np.arange(5.0)) for _ in range(3)], np.compiler.fallbacks())
except np.compiler.FallbackError as error:
    print(type(error).__name__)
""")
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)

    def run(**mode: str) -> str:
        env = {**os.environ, "FASTNP_CACHE_DIR": str(cache), **mode}
        return subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True).stdout

    assert "'base_repr': 3" in run() and "'random.normal': 3" in run()
    assert run(FASTNP_FALLBACK="error").strip() == "FallbackError"


def test_compiled_functions_count_in_vmap():
    x = np.arange(12.0).reshape(3, 4)
    np.compiler.reset_fallbacks()
    np.vmap(lambda row: np.histogram(row, 2)[0])(x)
    assert np.compiler.fallbacks()["histogram"] == 3


def test_classes_are_numpys():
    made = np.matrix([[1.0, 2.0]])
    assert type(made) is numpy.matrix and isinstance(made, np.matrix) and np.matrix == numpy.matrix and issubclass(numpy.matrix, np.matrix)
    masked = np.ma.masked_array([1.0, 2.0], [0, 1])
    assert isinstance(masked, np.ma.MaskedArray) and type(masked) is numpy.ma.MaskedArray and np.ma.masked is numpy.ma.masked
    assert pickle.loads(pickle.dumps(np.matrix)) is np.matrix and pickle.loads(pickle.dumps(np.ma.MaskedArray)) is np.ma.MaskedArray
    assert pickle.loads(pickle.dumps(np.vstack)) is np.vstack

    class Mine(np.matrix):
        pass

    assert type(Mine([[1.0]])) is Mine and isinstance(Mine([[1.0]]), numpy.matrix) and not isinstance(made, Mine)
    assert isinstance(np.polynomial.Polynomial([1.0]), np.polynomial.Polynomial)


@pytest.mark.parametrize("module", ["random", "generator", "state"])
@pytest.mark.parametrize("compiles", [False, True])
def test_shuffles_change_what_they_are_given(module, compiles):
    def program(m: Any, given: Any) -> Any:
        source = {"random": m.random, "generator": m.random.default_rng(5), "state": m.random.RandomState(5)}[module]
        if module == "random":
            source.seed(5)
        source.shuffle(given)
        return given

    def givens(m: Any) -> list[Any]:
        arrays = [m.arange(3.0) + each for each in range(5)]
        return [
            list(range(8)),
            list("abcdef"),
            [[1], [2, 3], [4]],
            arrays,
            collections.deque(range(7)),
            numpy.arange(8),
            m.arange(6.0),
            m.arange(12.0).reshape(4, 3),
        ]

    function = np.compile(lambda given: program(np, given)) if compiles else lambda given: program(np, given)
    for mine, theirs in zip(givens(np), givens(numpy), strict=True):
        same = list(mine) if type(mine) is list else mine
        assert function(mine) is mine
        program(numpy, theirs)
        assert str([numpy.asarray(each).tolist() for each in mine]) == str([numpy.asarray(each).tolist() for each in theirs])
        if type(mine) is list:
            assert sorted(map(id, same)) == sorted(map(id, mine))


def test_results_go_where_they_are_told():
    for m in (np, numpy):
        rng, out = m.random.default_rng(0), m.zeros((2, 3))
        assert rng.permuted(m.arange(6.0).reshape(2, 3), axis=1, out=out) is out
        assert rng.random(out=out) is out and out.any()
    plain = numpy.zeros(3)
    assert np.nancumsum(np.arange(3.0), out=plain) is plain and plain.tolist() == [0, 1, 3]
