"""The ladder of back ends: names, what each rung does, and that all give the same."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from fuzz import check
from fuzz.programs import random_program
from support import LONG, SEED, forget_users_backends

import fastnp as np

RUNGS = np.compiler.list_backends()[:6]
CODE = ["interpreter", "llvm-O0", "llvm"]  # they do the same kernels, and fold in the same order
DTYPES = "? i1 u1 i2 i4 i8 u8 f2 f4 f8 c8 c16".split()


# --- names -------------------------------------------------------------------------------------------------------------------------


def test_the_ladder():
    forget_users_backends()
    assert np.compiler.list_backends() == RUNGS == ["eager", "aot_eager", "interpreter", "llvm-O0", "llvm-nofuse", "llvm"]
    told = [np.compiler.backend_info(name) for name in RUNGS]
    assert [each.name for each in told] == RUNGS
    assert [each.simplifies for each in told] == [False, True, True, True, True, True]
    assert [each.fuses for each in told] == [False, False, True, True, False, True]
    assert [each.kernels for each in told] == ["precompiled", "precompiled", "interpreted", "LLVM without passes", "LLVM", "LLVM"]
    assert all(each.doc.endswith(".") for each in told)


def test_inductor_is_another_name_of_the_default():
    assert np.compiler.backend_info("llvm").aliases == ("inductor",)
    f = np.compile(lambda x: x + 1, backend="inductor")
    assert f.backend == "llvm"
    assert f(numpy.ones(2)).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", ["clang", "", "LLVM"])
def test_names_that_there_are_not(name):
    forget_users_backends()
    match = f"unknown backend '{name}': the backends are 'eager', 'aot_eager', 'interpreter', 'llvm-O0', 'llvm-nofuse' and 'llvm'"
    with pytest.raises(ValueError, match=match):
        np.compile(lambda x: x, backend=name)
    with pytest.raises(ValueError, match=match):
        np.compiler.backend_info(name)


def test_nopython_is_fullgraph():
    for compile_ in (lambda f: np.compile(f, nopython=True), np.compile(nopython=True)):
        f = compile_(lambda x: (time.time(), x)[1])
        with pytest.raises(np.compiler.RecordError):
            f(numpy.ones(2))
    assert vars(np.compile(lambda x: x, nopython=True))["_options"]["fullgraph"] is True


def affine(x: Any, y: Any) -> Any:
    return np.sum(np.exp(x) * y + 1, axis=0)


@pytest.mark.parametrize("name", RUNGS)
def test_functions_know_theirs(name):
    f = np.compile(affine, backend=name)
    assert f.backend == name
    x = numpy.arange(6.0).reshape(2, 3)
    told = np.explain(f)(x, x)
    assert told.backend == name
    assert f"(backend '{name}')" in str(told)
    kinds = [kernel["kind"] for kernel in told.entries[0]["kernels"]]
    if np.compiler.backend_info(name).kernels == "precompiled":
        assert set(kinds) == {"precompiled"}
        assert told.llvm == "" and told.asm == "" and told.loops == ""
    else:
        assert "kernel" in told.loops
        assert (told.llvm != "" and told.asm != "") == (name != "interpreter")
    assert (len(kinds) == 1) == np.compiler.backend_info(name).fuses
    assert pickle.loads(pickle.dumps(f)).backend == name


def test_llvm_without_its_passes():
    x = numpy.arange(64.0)
    code = {name: np.explain(np.compile(affine, backend=name))(x, x).llvm for name in ("llvm", "llvm-O0")}
    assert "alloca" in code["llvm-O0"]  # accumulators are in memory, as they were written
    assert "alloca" not in code["llvm"]


# --- the same bits -----------------------------------------------------------------------------------------------------------------


def bits(result: Any) -> list[Any]:
    results = result if isinstance(result, (tuple, list)) else [result]
    found = []
    for each in results:
        x = numpy.asarray(each)
        if x.dtype.kind in "fc":
            x = numpy.where(x != x, numpy.nan, x).astype(x.dtype)  # the sign of NaN is nobody's
        found.append((x.dtype.str, x.shape, x.tobytes()))
    return found


def outcome(function: Callable[..., Any], arguments: list[Any]) -> Any:
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except Exception as error:
            return type(error).__name__
    return bits([*(result if isinstance(result, (tuple, list)) else [result]), *arguments])


def array_of(rng: numpy.random.Generator, shape: tuple[int, ...], dtype: str) -> numpy.ndarray:
    x = rng.standard_normal(shape) * 4
    if dtype[0] == "u":
        x = abs(x)
    if dtype[0] == "c":
        x = x + 1j * rng.standard_normal(shape)
    x = numpy.asarray(x).astype(dtype) if dtype != "?" else numpy.asarray(x > 0)
    if x.size > 3 and rng.random() < 0.2 and x.dtype.kind in "fc":
        x.flat[rng.integers(x.size)] = rng.choice([numpy.nan, numpy.inf, -numpy.inf, -0.0])
    return x


def laid_out(x: numpy.ndarray, how: int) -> numpy.ndarray:
    """The same elements: contiguous, by columns, every other one, backwards, off alignment."""
    if x.ndim == 0:
        return x
    if how == 1:
        return numpy.asfortranarray(x)
    if how == 2:
        return numpy.repeat(x, 2, axis=-1)[..., ::2]
    if how == 3:
        return x[::-1].copy()[::-1]
    if how == 4:
        room = numpy.zeros(x.nbytes + 1, numpy.uint8)
        moved = room[1:].view(x.dtype).reshape(x.shape) if x.itemsize == 1 else numpy.ndarray(x.shape, x.dtype, room, 1)
        moved[...] = x
        return moved
    return x


KERNELS: dict[str, Callable[..., Any]] = {
    "elementwise": lambda x, y: (x * y + x, abs(x), numpy.maximum(x, y)),
    "masks": lambda x, y: numpy.where(x > y, x, y * 2),
    "functions": lambda x, y: numpy.exp(x.real) + numpy.sqrt(abs(y)) * numpy.arctan2(x.real, y.real),
    "comparisons": lambda x, y: (x == y, numpy.isnan(x), numpy.logical_and(x, y)),
    "indices": lambda x, y: numpy.arange(x.shape[-1]) * x + numpy.eye(x.shape[-1], dtype=x.dtype)[0] * y,
    "casts": lambda x, y: (x.real.astype("i4"), y.real.astype("f2"), x.astype("c16"), y.real.astype("u1"), x.astype(bool)),
    "rows": lambda x, y: (numpy.sum(x * y, axis=-1), numpy.prod(x, axis=-1), numpy.max(y, axis=-1)),
    "columns": lambda x, y: (numpy.sum(x * y, axis=0), numpy.min(x + y, axis=0)),
    "reductions": lambda x, y: (numpy.sum(x), numpy.any(y > 1), numpy.all(x < 2), numpy.sum(x * y)),
    "several axes": lambda x, y: numpy.sum((x * y)[None] * numpy.arange(3)[:, None, None], axis=(0, 2)),
    "scratch stages": lambda x, y: (
        numpy.exp(x.real - numpy.max(x.real, axis=-1, keepdims=True))
        / numpy.sum(numpy.exp(x.real - numpy.max(x.real, axis=-1, keepdims=True)), axis=-1, keepdims=True)
    ),
    "moments": lambda x, y: (numpy.mean(x, axis=-1), numpy.var(x * y, axis=0)),
    "strides": lambda x, y: (x[..., ::2] + y[..., ::2], x[::-1] * y, x.T + y.T, numpy.sum(x[:, ::-1], axis=1)),
    "pads": lambda x, y: numpy.pad(x, 1)[2:, 1:-1] + numpy.pad(x, 1)[:-2, 1:-1] * y + numpy.pad(y, 1)[1:-1, 2:],
    "repeats": lambda x, y: numpy.broadcast_to(x[:1], x.shape) * y + x[:, :1],
    "gathers": lambda x, y: x[:, [0, -1, 0]] + y[:1, :1],
    "parts": lambda x, y: numpy.concatenate([x, y * 2], axis=1),
    "products": lambda x, y: x @ y.T,
    "in place": lambda x, y: x.__setitem__(slice(None), x * y + 1) or x.sum(axis=1),
    "part in place": lambda x, y: y.__setitem__((slice(None), slice(0, 1)), x[:, :1] + y[:, -1:]) or y[0] * 2,
}


@pytest.mark.parametrize("kind", KERNELS)
def test_kernels_have_the_same_bits(kind):
    rng = numpy.random.default_rng([SEED, *kind.encode()])
    function = KERNELS[kind]
    compiled = {name: np.compile(function, backend=name, cache_size_limit=10_000) for name in CODE}
    dtypes = DTYPES if LONG else rng.choice(DTYPES, 3, replace=False).tolist()
    for dtype in dtypes:
        sizes = [*range(18)] if LONG else rng.choice(18, 3, replace=False).tolist()
        shapes = [(int(rng.integers(1, 6)), int(n)) for n in sizes] + [(int(n), 3) for n in sizes] + [(40, 33), (3, 700), (700, 5)]
        for shape in shapes:
            x, y = array_of(rng, shape, dtype), array_of(rng, shape, dtype)
            how = [int(rng.integers(5)), int(rng.integers(5))]
            found = {name: outcome(f, [laid_out(x.copy(), how[0]), laid_out(y.copy(), how[1])]) for name, f in compiled.items()}
            for name in CODE[:-1]:
                assert found[name] == found["llvm"], (name, dtype, shape, how)


def test_long_sums_have_the_same_bits():
    rng = numpy.random.default_rng(SEED)
    folds = [lambda x: np.sum(x), lambda x: np.sum(x, axis=0), lambda x: np.sum(x, axis=1), lambda x: np.sum(x.T * 2, axis=0)]
    for f in folds:
        compiled = [np.compile(f, backend=name, cache_size_limit=100) for name in CODE]
        for shape in [(70_001, 1), (3, 5_003), (5_003, 3), (2_111, 9), (9, 2_111)]:
            for dtype in ("f4", "f8", "c8"):
                x = array_of(rng, shape, dtype)
                told = [outcome(each, [x]) for each in compiled]
                assert told[0] == told[2] and told[1] == told[2], (shape, dtype)


@pytest.mark.parametrize("isa", ["scalar", "base", "v3"])
def test_other_instruction_sets(isa):
    program = f"""
import numpy, sys
sys.path[:0] = {sys.path!r}
import test_backends as t
import fastnp as np
rng = numpy.random.default_rng({SEED})
for kind in ("rows", "columns", "scratch stages", "several axes", "pads", "functions"):
    compiled = [np.compile(t.KERNELS[kind], backend=name, cache_size_limit=100) for name in t.CODE]
    for shape in [(3, 17), (300, 5), (5, 300)]:
        for dtype in ("f4", "c16", "i2"):
            x, y = t.array_of(rng, shape, dtype), t.array_of(rng, shape, dtype)
            a, b, c = (t.outcome(f, [x.copy(), y.copy()]) for f in compiled)
            assert a == c and b == c, (kind, shape, dtype)
print("same")
"""
    told = subprocess.run([sys.executable, "-c", program], env=os.environ | {"FASTNP_ISA": isa}, capture_output=True, text=True)
    assert told.stdout == "same\n", told.stderr


@pytest.mark.parametrize("number", range(60 if LONG else 6))
def test_random_programs(number):
    program = random_program(SEED + number)
    compiled = {name: np.compile(program.function(numpy), backend=name) for name in RUNGS}
    for call in [0, *range(len(program.calls)), 0]:
        found = {name: outcome(f, [each.make() for each in program.calls[call]]) for name, f in compiled.items()}
        for name in CODE[:-1]:
            assert found[name] == found["llvm"], f"{name}\n{program.standalone()}"
    for name in ("aot_eager", "llvm-nofuse"):
        function = np.compile(program.function(numpy), backend=name)
        for call in [0, *range(len(program.calls)), 0]:
            check.check_call(program, call, "compiled", function, program.function(numpy))


# --- functions on all rungs --------------------------------------------------------------------------------------------------------


def looped(x):
    def turn(i, state):
        return state * 0.5 + i

    return np.fori_loop(0, 5, turn, x)


def while_looped(x):
    return np.while_loop(lambda s: np.sum(s) < 100, lambda s: s * 2 + 1, abs(x))


def python_loop(x):
    for i in range(4):
        x = x * 0.5 + i
    return x


def branch(x):
    return x * 2 if x.sum() > 0 else x - 1


def broken(x):
    y = numpy.sin(x) + 1
    with open("/dev/null", "w") as file:
        file.write("a break")
    return y * 2


def nonzeros(x):
    return x[x > 0] * 2


def sorted_(x):
    return numpy.sort(x, axis=0), numpy.argmax(x, axis=-1), numpy.cumsum(x, axis=0)


FUNCTIONS = [looped, while_looped, python_loop, branch, broken, nonzeros, sorted_]


@pytest.mark.parametrize("name", RUNGS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_functions_run_on_all_rungs(name, function):
    rng = numpy.random.default_rng(SEED)
    f = np.compile(function, backend=name)
    for shape in [(3, 4), (5, 4), (2, 2), (3, 4)]:
        x = rng.standard_normal(shape)
        want = function(np.asarray(x))
        got = f(x)
        for g, w in zip(*(r if isinstance(r, tuple) else (r,) for r in (got, want)), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(g), numpy.asarray(w), rtol=1e-13)
            assert type(g) is numpy.ndarray


@pytest.mark.parametrize("name", RUNGS)
def test_errors_and_warnings(name):
    f = np.compile(lambda x, i: np.log(x)[i], backend=name)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log"):
        f(numpy.array([1.0, 0.0]), 1)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 2"):
        f(numpy.ones(2), 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = np.compile(lambda x: np.sum(np.where(x > 0, 1 / numpy.where(x > 0, x, 1), 0), axis=0), backend=name)
        assert g(numpy.array([[0.0], [2.0]])).tolist() == [0.5]


@pytest.mark.parametrize("name", RUNGS)
def test_transforms_of_what_is_compiled(name):
    def loss(w, x):
        return np.sum(np.tanh(x @ w) ** 2)

    rng = numpy.random.default_rng(SEED)
    w, x = rng.standard_normal(3), rng.standard_normal((4, 3))
    want = np.grad(loss)(np.asarray(w), np.asarray(x))
    f = np.compile(loss, backend=name)
    for derivative in (np.grad(f), np.compile(np.grad(loss), backend=name), np.compile(np.grad(f), backend=name)):
        for _ in range(3):
            numpy.testing.assert_allclose(numpy.asarray(derivative(w, x)), numpy.asarray(want), rtol=1e-12)
    each = np.vmap(f, in_axes=(None, 0))(w, x[:, None])
    numpy.testing.assert_allclose(numpy.asarray(each), [loss(w, row[None]) for row in x], rtol=1e-12)
    second = np.grad(lambda a: np.sum(np.grad(f)(a, x)))(w)
    numpy.testing.assert_allclose(numpy.asarray(second), numpy.asarray(np.grad(lambda a: np.sum(np.grad(loss)(a, x)))(w)), rtol=1e-10)
    value, back = np.vjp(lambda a: f(a, x), w)
    numpy.testing.assert_allclose(numpy.asarray(back(1.0)[0]), numpy.asarray(want), rtol=1e-12)


def test_transforms_run_on_the_rung_of_the_function(tmp_path):
    told = {}
    for name in ("interpreter", "eager", "llvm"):
        log = tmp_path / name
        np.compiler.set_logs("code", file=log)
        derivative = np.grad(np.compile(lambda x: np.sum(np.exp(x) * x), backend=name))
        for _ in range(3):
            derivative(numpy.ones(7))
        np.compiler.set_logs()
        told[name] = log.read_text() if log.exists() else ""
    assert told["interpreter"] == "" and told["eager"] == ""
    assert "define" in told["llvm"]


# --- caches ------------------------------------------------------------------------------------------------------------------------


def test_caches_tell_them_apart(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import sys
import numpy
import fastnp as np

def f(x):
    return np.sum(np.exp(-x) * x)

for name in np.compiler.list_backends():
    g = np.compile(f, backend=name)
    told = np.explain(g)(numpy.linspace(0, 1, 100))
    times = told.entries[0]["milliseconds"]
    print(name, "record" in times, times.get("generate", 0) > 0, len(told.llvm) > 0)
"""
    )
    environment = os.environ | {"FASTNP_CACHE_DIR": str(tmp_path / "cache")}
    runs = [subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True) for _ in range(2)]
    first, second = ([line.split() for line in run.stdout.splitlines()] for run in runs)
    assert [line[0] for line in first] == RUNGS, runs[0].stderr
    generated = {line[0]: line[2] for line in first}
    assert generated == {"eager": "False", "aot_eager": "False", "interpreter": "False", "llvm-O0": "True", "llvm-nofuse": "True", "llvm": "True"}
    assert [line[1:3] for line in second] == [["False", "False"]] * len(RUNGS)
