"""Exported functions: equal to the compiled ones to the bit, in other processes, in C; what can't be exported, and files that are no such libraries."""

from __future__ import annotations

import os
import random as dice
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

Spec = np.ShapeDtype
random = numpy.random.default_rng(SEED)
PACKAGE = Path(np.__file__).parent
W1, W2 = random.normal(size=(8, 16)), random.normal(size=(16, 4))


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(x: Any) -> Any:
    q = x @ W1
    return softmax(q @ q.T) @ q


def lstm(x: Any, u: Any, v: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        h, c = state
        gates = row @ u + h @ v
        i, f, o, g = gates[:4], gates[4:8], gates[8:12], gates[12:]
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        return (h, c), h

    return np.scan(step, (np.zeros(4), np.zeros(4)), x)


def black_scholes(s: Any, k: Any, t: Any) -> Any:
    d = (np.log(s / k) + (0.05 + 0.02) * t) / (0.2 * np.sqrt(t))
    return s * np.tanh(d) - k * np.exp(-0.05 * t) * np.tanh(d - 0.2 * np.sqrt(t))


def oscillator(y: Any) -> Any:
    """Euler's method until it comes to rest."""

    def step(state: Any) -> Any:
        y, turns = state
        return y + 0.05 * np.stack([y[1], -y[0] - 0.5 * y[1]]), turns + 1

    return np.while_loop(lambda state: np.max(np.abs(state[0])) > 1e-3, step, (y, np.asarray(0)))


def k_means(x: Any, centres: Any) -> Any:
    def step(state: Any) -> Any:
        centres, _ = state
        nearest = np.argmin(np.sum((x[:, None] - centres) ** 2, axis=-1), axis=1)
        is_of = (nearest[:, None] == np.arange(3)).astype(float)
        made = is_of.T @ x / np.maximum(np.sum(is_of, axis=0), 1)[:, None]
        return made, np.max(np.abs(made - centres))

    return np.while_loop(lambda state: state[1] > 0, step, (centres, np.asarray(1.0)))[0]


def training_step(w: Any, x: Any, y: Any) -> Any:
    value, gradient = np.value_and_grad(lambda w: np.mean((np.tanh(x @ w) - y) ** 2))(w)
    return w - 0.1 * gradient, value


def in_place(x: Any) -> Any:
    x += 1
    x[0] = 5
    return x


# function, specs, arguments for a number of rows
CASES: dict[str, tuple[Callable[..., Any], list[Any], Callable[[int], list[Any]]]] = {
    "black_scholes": (black_scholes, [Spec("n")] * 3, lambda n: [random.uniform(1, 2, n) for _ in range(3)]),
    "mlp": (lambda x: np.maximum(x @ W1, 0) @ W2, [Spec(("n", 8))], lambda n: [random.normal(size=(n, 8))]),
    "attention": (attention, [Spec(("n", 8))], lambda n: [random.normal(size=(n, 8))]),
    "lstm": (
        lstm,
        [Spec(("t", 3)), Spec((3, 16)), Spec((4, 16))],
        lambda n: [random.normal(size=(n, 3)), random.normal(size=(3, 16)), random.normal(size=(4, 16))],
    ),
    "oscillator": (oscillator, [Spec(2)], lambda n: [random.normal(size=2)]),
    "k_means": (k_means, [Spec(("n", 2)), Spec((3, 2))], lambda n: [random.normal(size=(n, 2)), random.normal(size=(3, 2))]),
    "training_step": (
        training_step,
        [Spec((3, 2)), Spec(("n", 3)), Spec(("n", 2))],
        lambda n: [random.normal(size=(3, 2)), random.normal(size=(n, 3)), random.normal(size=(n, 2))],
    ),
    "fori_loop": (lambda x: np.fori_loop(0, 10, lambda i, c: c * 0.9 + np.sin(c), x), [Spec("n")], lambda n: [random.normal(size=n)]),
    "cond": (lambda x: np.cond(np.sum(x) > 0, lambda a: a * 2, lambda a: a - 1, x), [Spec("n")], lambda n: [random.normal(size=n)]),
    "sort": (lambda x: (np.sort(x, axis=1), np.argmax(x, axis=0)), [Spec(("n", 3))], lambda n: [random.normal(size=(n, 3))]),
    "fft": (lambda x: np.fft.fft(x), [Spec("n")], lambda n: [random.normal(size=n)]),
    "solve": (np.linalg.solve, [Spec((4, 4)), Spec(4)], lambda n: [random.normal(size=(4, 4)), random.normal(size=4)]),
    "in_place": (in_place, [Spec("n")], lambda n: [random.normal(size=n)]),
    "take": (lambda x, i: np.take(x, i, axis=0), [Spec(("n", 8)), Spec("m", int)], lambda n: [random.normal(size=(n, 8)), numpy.arange(n)[::-1].copy()]),
    "float16": (lambda x: np.exp(x) + x, [Spec("n", "float16")], lambda n: [random.normal(size=n).astype("f2")]),
    "complex": (lambda x: (x * x).real, [Spec("n", "complex128")], lambda n: [random.normal(size=n) + 1j]),
    "integers": (lambda x: (x // 3 + x % 7, np.sum(x), np.cumsum(x)), [Spec("n", int)], lambda n: [numpy.arange(n)]),
    "trees": (lambda x: (x, 3, "a", None, {"k": [x * 2]}, x[0]), [Spec("n")], lambda n: [random.normal(size=n)]),
    "taken apart": (
        lambda p: p["a"] @ p["b"][0],
        [{"a": Spec((3, 4)), "b": [Spec(4)]}],
        lambda n: [{"a": random.normal(size=(3, 4)), "b": [random.normal(size=4)]}],
    ),
    "nothing but a weight": (lambda: np.asarray(W1) * 2, [], lambda n: []),
    "a weight that lies backwards": (lambda x: x * W1[::-1, ::2], [Spec((8, 8))], lambda n: [random.normal(size=(8, 8))]),
}


def same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, (numpy.ndarray, numpy.generic, np.ndarray)):
        a, b = numpy.asarray(a), numpy.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() and a.strides == b.strides
    else:
        assert a == b


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list) else value.copy()


@pytest.mark.parametrize("name", CASES)
def test_equal_to_the_compiled_function(name: str, tmp_path: Path) -> None:
    function, specs, arguments = CASES[name]
    exported = np.export(function, specs, tmp_path / "f.so")
    compiled = np.compile(function).lower(*specs).compile()
    loaded = np.load_exported(tmp_path / "f.so")
    assert (tmp_path / "f.so").stat().st_size < 50_000
    for rows in (1, 2, 7, 33):
        given = arguments(rows)
        for call in (exported, loaded):
            mine, its = copied(given), copied(given)
            same(call(*mine), compiled(*its))
            same(mine, its)


def test_arguments_that_do_not_fit(tmp_path: Path) -> None:
    f = np.export(lambda x, y: x + y, {"x": Spec(("n", 3)), "y": Spec(3)}, tmp_path / "f.so")
    with pytest.raises(TypeError, match=r"argument 'x' has dtype float32, and it was exported for float64"):
        f(numpy.ones((2, 3), "f4"), numpy.ones(3))
    with pytest.raises(ValueError, match=r"size of axis 1 changed from 3 to 4"):
        f(numpy.ones((2, 4)), numpy.ones(3))
    with pytest.raises(TypeError, match="takes the arguments 'x', 'y', and was given 1"):
        f(numpy.ones((2, 3)))
    same(f(y=numpy.arange(3.0), x=numpy.ones((2, 3))), f(numpy.ones((2, 3)), numpy.arange(3.0)))
    with pytest.raises(TypeError, match=r"was given 0 and \['x'\]"):
        f(x=numpy.ones((2, 3)))
    with pytest.raises(TypeError, match=r"was given 1 and \['x'\]"):
        f(numpy.ones((2, 3)), x=numpy.ones((2, 3)))
    same(f(numpy.ones((3, 2)).T, numpy.arange(3.0)), numpy.ones((2, 3)) + numpy.arange(3.0))  # another layout
    take = np.compile(lambda x, i: x[i]).export([Spec("n"), Spec("m", int)], tmp_path / "take", name="take")
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        take(numpy.ones(3), numpy.array([7]))


def test_files_that_others_take_the_place_of(tmp_path: Path) -> None:
    first = np.export(lambda x: x + 1, Spec("n"), tmp_path / "f.so")
    second = np.export(lambda x, y: x * 100 + y, [Spec("n", "f4")] * 2, tmp_path / "f.so")
    x = numpy.ones(2)
    same(first(x), x + 1)
    same(second(x.astype("f4"), x.astype("f4")), numpy.full(2, 101, "f4"))
    assert "float* y" in (tmp_path / "f.h").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["f.h", "f.so"]
    with pytest.raises(ValueError, match="not to end in"):
        np.export(lambda x: x, Spec("n"), tmp_path / "f.h")


def test_arrays_as_specs(tmp_path: Path) -> None:
    """Of which nothing but shapes and dtypes counts."""
    a, w = numpy.ones(3), numpy.ones((3, 3)).T
    f = np.export(lambda x, y: x - 2 * y, (a, a), tmp_path / "f")
    same(f(numpy.arange(3.0), numpy.arange(3.0) * 10), numpy.arange(3.0) - 2 * numpy.arange(3.0) * 10)
    g = np.export(lambda x: x + 10 * w, w, tmp_path / "g")
    same(g(numpy.full((3, 3), 5.0)), numpy.full((3, 3), 15.0))


def test_weights_are_read_only(tmp_path: Path) -> None:
    w = numpy.arange(4.0)
    f = np.export(lambda x: (x * 2, w[1:]), Spec("n"), tmp_path / "f")
    shown = f(numpy.ones(2))[1]
    same(shown.copy(), w[1:])
    with pytest.raises(ValueError, match="read-only"):
        shown[0] = 7
    for layout in (w.reshape(2, 2).T, numpy.asfortranarray(w.reshape(2, 2)), w[::2], w[::-1], numpy.broadcast_to(w[:1], (4,))):

        def weighs(x: Any) -> Any:
            return x * 2 + np.sum(layout * 3)  # noqa: B023 (it is called in the same turn)

        same(np.export(weighs, Spec("n"), tmp_path / "g")(numpy.ones(2)), numpy.full(2, 2 + layout.sum() * 3))

    def counts(x: Any) -> Any:
        w[:] += x
        return w * 1

    for function, why in ((counts, "writes to an array from outside"), (lambda x: (x, w), "array or a number from outside")):
        with pytest.raises(np.compiler.RecordError, match=why):
            np.export(function, Spec(4), tmp_path / "h")


def test_trees_are_matched_by_key(tmp_path: Path) -> None:
    f = np.export(lambda p: p["a"] - p["b"][0], ({"a": Spec(()), "b": [Spec(())]},), tmp_path / "f")
    assert f({"b": [1.0], "a": 10.0}) == f(p={"a": 10.0, "b": (1.0,)}) == 9.0
    with pytest.raises(TypeError, match=r"exported for the arrays p\['a'\], p\['b'\]\[0\], and was given p\['a'\]"):
        f({"a": 10.0})
    with pytest.raises(np.compiler.RecordError, match="plain values beside arrays"):
        np.export(lambda p: p["a"] * p["k"], ({"a": Spec(3), "k": 5},), tmp_path / "g")

    def with_default(x: Any, w: Any = W1) -> Any:
        return x * w[0, 0]

    with pytest.raises(np.compiler.RecordError, match="no spec stands for"):
        np.export(with_default, Spec(3), tmp_path / "g")


def test_writes_to_what_is_no_array(tmp_path: Path) -> None:
    f = np.export(in_place, Spec("n"), tmp_path / "f")
    for given in ([1.0, 2.0], numpy.ones(3, ">f8")):
        with pytest.raises(TypeError, match="of which it would be given a copy"):
            f(given)
    x = numpy.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="'x' is written to, and is read-only"):
        f(x)
    with pytest.raises(ValueError, match="memory layout"):
        f(numpy.ones(6)[::2])


def test_names_in_headers(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")

    def double(function: Any, int: Any, x_shape: Any, x: Any, x_2: Any, x_: Any, results: Any) -> Any:
        return function + int + x_shape.sum() + x + x_2 + x_ + results

    np.export(double, [Spec("n"), Spec("n_"), Spec("int"), Spec("n"), Spec("n"), Spec("n"), Spec("*/ n")], tmp_path / "f", name="exp*/ é")
    for language in ("c", "c++"):
        (tmp_path / "main.c").write_text('#include <math.h>\n#include "f.h"\nint main(void) { return 0; }\n')
        subprocess.run([compiler, "-x", language, "-Wall", "-Werror", f"-I{np.get_include()}", "-fsyntax-only", "main.c"], cwd=tmp_path, check=True)


def test_the_process_stays_as_it_is(tmp_path: Path) -> None:
    """LLVM's linker sets options and handlers of signals."""
    program = f"""
import signal, re
import fastnp as np
np.compile(lambda x: x + 2)(np.ones(3))
handled = lambda: re.search(r"SigCgt:\\t(\\w+)", open("/proc/self/status").read())[1]
before = handled()
np.export(lambda x: np.exp(x) + 1, np.ShapeDtype("n"), {str(tmp_path / "f")!r})
assert handled() == before, (before, handled())
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    kept: list[Any] = []

    def loop(x: Any) -> Any:
        total = 0.0
        for each in x:
            total = total + each
        return total

    for function, why in (
        (lambda x: x if x[0] > 0 else -x, "reads a value"),
        (lambda x: float(x[0]), "reads a value"),
        (lambda x: kept.append(x), "changes objects of Python's"),
        (loop, "recorded for one value of it alone"),
        (lambda x: {1, 2}, "gives something that can't be exported"),
    ):
        with pytest.raises(np.compiler.RecordError, match=why):
            np.export(function, Spec("n"), tmp_path / "f.so")
        assert not (tmp_path / "f.so").exists() and kept == []

    weights = numpy.ones(3)

    def several(x: Any) -> Any:
        weights[0] += 1
        return {1, 2}, x

    with pytest.raises(
        np.compiler.RecordError, match=r"several\(\) can't be exported: .* can't be exported.*; it writes to an array from outside"
    ) as caught:
        np.export(several, Spec(3), tmp_path / "f.so")
    assert "{1, 2}" in str(caught.value) and weights[0] == 1
    with pytest.raises(RuntimeError, match="cannot write"):
        np.export(lambda x: x + 1, Spec("n"), tmp_path / "no folder" / "f.so")


def test_damaged_files(tmp_path: Path) -> None:
    np.export(attention, Spec(("n", 8)), tmp_path / "f.so")
    whole = (tmp_path / "f.so").read_bytes()
    draw = dice.Random()
    for number in range(100_000 if LONG else 500):
        damaged = bytearray(whole)
        kind = draw.randrange(3)
        if kind == 0:
            for _ in range(draw.choice([1, 1, 8])):
                damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del damaged[draw.randrange(len(damaged)) :]
        else:
            at = draw.randrange(len(damaged))
            damaged[at:at] = draw.randbytes(draw.choice([1, 4, 64]))
        if bytes(damaged) == whole:
            continue
        path = tmp_path / f"{number % 8}.so"
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"damaged|no exported function"):
            np.load_exported(path)
    (tmp_path / "text").write_text("no library")
    for path, why in ((tmp_path / "text", "it is no exported function"), (tmp_path, "no such file"), (tmp_path / "none", "no such file")):
        with pytest.raises(ValueError, match=why):
            np.load_exported(path)


def test_for_a_better_processor(tmp_path: Path) -> None:
    np.export(lambda x: x + 1, Spec("n"), tmp_path / "f.so")
    program = f"import fastnp as np\nnp.load_exported({str(tmp_path / 'f.so')!r})"
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"FASTNP_ISA": "scalar"}, capture_output=True, text=True)
    assert "it is for processors with the instruction set" in done.stderr
    weaker = f"import fastnp as np\nnp.export(lambda x: np.exp(x), np.ShapeDtype('n'), {str(tmp_path / 'g.so')!r})"
    subprocess.run([sys.executable, "-c", weaker], env=os.environ | {"FASTNP_ISA": "base"}, check=True)
    x = random.normal(size=9)
    numpy.testing.assert_allclose(np.load_exported(tmp_path / "g.so")(x), numpy.exp(x), rtol=1e-14)


def of_the_first_format(x: Any, places: Any) -> Any:
    """What tests/python/exported_format_1.library is, which the first version of the format wrote (with FASTNP_ISA=base)."""
    weights = np.asarray(numpy.arange(12.0).reshape(3, 4))

    def step(total: Any, row: Any) -> Any:
        total = total * 0.5 + row
        return total, np.sum(total)

    total, sums = np.scan(step, np.zeros(4), x @ weights)
    halved = np.while_loop(lambda y: np.max(y) > 1.0, lambda y: y / 2, np.exp(x))
    return {"total": total, "sums": (sums, np.sort(x, axis=1)), "taken": [x[places], np.argmax(x)], "halved": halved, "name": "first"}


def test_the_first_format() -> None:
    """Later versions load it."""
    f = np.load_exported(Path(__file__).with_name("exported_format_1.library"))
    assert f.parameters == [("x", "float64", "(n, 3)"), ("places", "int64", "(m,)")]
    for n in (2, 5):
        x, places = random.integers(-8, 8, (n, 3)).astype(float), random.integers(0, n, 4)
        got, want = f(x, places), of_the_first_format(x, places)
        assert got["name"] == "first" and numpy.allclose(got["halved"], want["halved"], rtol=1e-14)
        same(got["sums"][1], numpy.asarray(want["sums"][1]))
        same(got["taken"][0], numpy.asarray(want["taken"][0]))
        assert got["taken"][1] == want["taken"][1]
        assert numpy.allclose(got["total"], want["total"]) and numpy.allclose(got["sums"][0], want["sums"][0])


@pytest.mark.parametrize("isa", ["scalar", "base", "v3"])
def test_of_lower_levels(isa: str, tmp_path: Path) -> None:
    """Which have their own vector functions, and call the C library's for rounding."""
    program = f"""
import fastnp as np
def f(x):
    return np.exp(x), np.sin(x), np.floor(x), np.ceil(x), np.trunc(x), np.rint(x), np.round(x, 2), np.tanh(x), np.fmod(x, 0.3)
for dtype in ("f8", "f4", "f2"):
    np.export(f, np.ShapeDtype("n", dtype), {str(tmp_path)!r} + "/" + dtype)
x = np.linspace(-3, 3, 1001)
np.asarray(np.stack(np.load_exported({str(tmp_path / "f8.so")!r})(x))).tofile({str(tmp_path / "want")!r})
"""
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"FASTNP_ISA": isa}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    x = numpy.linspace(-3, 3, 1001)
    got = numpy.stack(np.load_exported(tmp_path / "f8.so")(x))
    same(got, numpy.fromfile(tmp_path / "want").reshape(got.shape))
    for dtype in ("f4", "f2"):
        for mine, its in zip(np.load_exported(tmp_path / f"{dtype}.so")(x.astype(dtype)), got, strict=True):
            assert mine.dtype == dtype and numpy.mean(numpy.abs(mine - its)) < 0.02


def test_calls_like_the_last_one(tmp_path: Path) -> None:
    """Calls whose arrays lie as those of the last call take a short way: the layouts come in rows, and in turn."""
    seed = dice.randrange(2**32)
    print("seed", seed)
    draw = dice.Random(seed)
    weights = numpy.arange(8.0).reshape(4, 2) / 7

    def layer(x: Any, b: Any) -> Any:
        return np.tanh(x[:, :4] * 2 + b) * weights[:, 0], np.sum(x), x[:, 1:]

    def numpys(x: Any, b: Any) -> Any:
        return numpy.tanh(x[:, :4] * 2 + b) * weights[:, 0], numpy.sum(x), x[:, 1:]

    f = np.export(layer, (Spec(("n", 5)), Spec(4)), tmp_path / "f.so")
    g = np.export(lambda x, b: np.exp(x) * weights[:, 1] + b, (Spec(("n", 4)), Spec(4)), tmp_path / "g.so")
    layouts: list[Any] = [
        numpy.array,
        numpy.asfortranarray,
        lambda x: numpy.repeat(x, 2, axis=0)[::2],
        lambda x: x[::-1].copy()[::-1],
        np.array,
        np.asarray,
    ]
    for _ in range(60):
        rows, lie, b_lies = draw.choice([0, 1, 3, 3, 4]), draw.choice(layouts), draw.choice([numpy.array, np.array, list])
        for _ in range(draw.choice([1, 2, 5])):
            x, b = random.normal(size=(rows, 5)), random.normal(size=4)
            got, total, part = f(lie(x), b_lies(b))
            want, want_total, want_part = numpys(x, b)
            assert got.shape == (rows, 4) and numpy.allclose(got, want, rtol=1e-13) and numpy.allclose(total, want_total)
            assert numpy.array_equal(part, want_part)
            got = g(lie(x[:, :4].copy()), b_lies(b))
            assert type(got) is (numpy.ndarray if lie in layouts[:4] and b_lies is numpy.array else np.ndarray)
            assert numpy.allclose(got, numpy.exp(x[:, :4]) * weights[:, 1] + b, rtol=1e-13)


def test_many_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    f = np.export(attention, Spec(("n", 8)), tmp_path / "f.so")
    given = [random.normal(size=(n, 8)) for n in range(1, 40)]
    want = [f(each) for each in given]
    with ThreadPoolExecutor(8) as pool:
        for a, b in zip(pool.map(f, given * 5), want * 5, strict=True):
            same(a, b)
