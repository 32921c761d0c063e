"""Compiled functions within transforms and on tapes: beside NumPy's data, and with arrays that have memory and were written a differentiable value."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

A = numpy.array([1.5, 2.5, 3.5])
WEIGHTS = 10.0 ** numpy.arange(6)
X, Y = numpy.arange(15.0).reshape(5, 3) / 10, numpy.arange(5.0)

loss = np.compile(lambda w, x, y: np.mean((x @ w - y) ** 2))
fresh = np.compile(lambda k: np.arange(6.0) + k)
total = np.compile(lambda x: np.sum(x * WEIGHTS))
of_global = np.compile(lambda k: np.sum(kept * WEIGHTS) * k)
kept = np.arange(6.0)


@np.compile
def bump(x: Any) -> None:
    x += 1


def slope(w: Any) -> Any:
    return 2 / 5 * X.T @ (X @ w - Y)


def test_beside_numpys_data() -> None:
    for _ in range(2):
        numpy.testing.assert_allclose(np.grad(loss)(A, X, Y), slope(A))
        numpy.testing.assert_allclose(np.grad(loss)(np.asarray(A), X, Y), slope(A))
        numpy.testing.assert_allclose(np.value_and_grad(loss)(A, X, Y)[1], slope(A))
        numpy.testing.assert_allclose(np.grad(lambda w: loss(w, X, Y))(A), slope(A))
        numpy.testing.assert_allclose(np.vjp(lambda w: loss(w, X, Y), A)[1](1.0)[0], slope(A))
        numpy.testing.assert_allclose(float(np.jvp(lambda w: loss(w, X, Y), (A,), (A,))[1]), slope(A) @ A)
        numpy.testing.assert_allclose(np.vmap(loss, (0, None, None))(numpy.stack([A, 2 * A]), X, Y), [loss(A, X, Y), loss(2 * A, X, Y)])
        numpy.testing.assert_allclose(np.vmap(np.grad(loss), (0, None, None))(numpy.stack([A, 2 * A]), X, Y), [slope(A), slope(2 * A)])
        numpy.testing.assert_allclose(np.compile(np.grad(loss))(A, X, Y), slope(A))
        w = np.asarray(A.copy())
        w.requires_grad = True
        loss(w, X, Y).backward()
        numpy.testing.assert_allclose(numpy.asarray(w.grad), slope(A))


def of_result(a: Any) -> Any:
    x = fresh(0)
    x[:3] = a
    return total(x)


def of_numpys(a: Any) -> Any:
    x = np.asarray(numpy.arange(6.0))
    x[:3] = a
    return total(x)


def of_random(a: Any) -> Any:
    x = np.random.default_rng(0).random(6)
    x[:3] = a
    return total(x)


def of_argument(a: Any, x: Any = None) -> Any:
    x = np.arange(6.0) if x is None else x
    x[:3] = a
    return total(x)


def of_view(a: Any) -> Any:
    x = fresh(0)
    x[:4][:3] = a
    return total(x[:])


def of_a_global(a: Any) -> Any:
    kept[:3] = a
    return total(kept)


def of_a_global_inside(a: Any) -> Any:
    kept[:3] = a
    return of_global(1.0)


def read_before_a_write(a: Any) -> Any:
    x = fresh(0)
    y = np.sum(x[:3] * a)
    bump(x)
    return y + np.sum(a * numpy.array([1.0, 9.0, 98.0]))


LOSSES: list[Callable[[Any], Any]] = [of_result, of_numpys, of_random, of_argument, of_view, of_a_global, of_a_global_inside, read_before_a_write]


@pytest.mark.parametrize("f", LOSSES)
def test_what_was_written(f: Callable[[Any], Any]) -> None:
    globals()["kept"] = np.arange(6.0)
    wanted = [1.0, 10.0, 100.0]
    numpy.testing.assert_allclose(np.grad(f)(A), wanted)
    numpy.testing.assert_allclose(np.grad(f)(A), wanted)
    numpy.testing.assert_allclose(np.grad(np.compile(f))(A), wanted)
    numpy.testing.assert_allclose(np.compile(np.grad(f))(A), wanted)
    numpy.testing.assert_allclose(np.vjp(f, A)[1](1.0)[0], wanted)
    numpy.testing.assert_allclose(np.jacfwd(f)(A), wanted)
    numpy.testing.assert_allclose(float(np.jvp(f, (A,), (numpy.ones(3),))[1]), 111)
    if f is of_numpys:  # whose memory is NumPy's, one for all parts
        with pytest.raises(TypeError, match="into an array from outside"):
            np.vmap(np.grad(f))(numpy.stack([A, A]))
    elif "global" not in f.__name__:
        numpy.testing.assert_allclose(np.vmap(np.grad(f))(numpy.stack([A, A])), [wanted, wanted])


TAPE: dict[str, Callable[[Any, Any], Any]] = {
    "x[:] * y": lambda x, y: x[:] * y,
    "y * x[:]": lambda x, y: y * x[:],
    "x[:] * y[:]": lambda x, y: x[:] * y[:],
    "reshape": lambda x, y: x.reshape(-1) * y,
    "ravel": lambda x, y: x.ravel() * y.ravel(),
    "T": lambda x, y: x.T * y,
    "vdot": lambda x, y: np.vdot(x, y),
    "append": lambda x, y: np.append(x, y) * np.append(y, x),
    "block": lambda x, y: np.block([x, y]) * np.block([y, x]),
    "kept view": lambda x, y: (lambda view: (y * 3, view * y)[1])(x[:]),
    "where": lambda x, y: np.where([True, False, True], x[:], y[...]) * x * y,
    "stack": lambda x, y: np.stack([x[:], y]) * np.stack([y, x[:]]),
}


@pytest.mark.parametrize("name", TAPE)
def test_views_of_whole_leaves(name: str) -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 5.0])
    wanted = np.grad(lambda x, y: np.sum(TAPE[name](x, y)), (0, 1))(x.copy(), y.copy())
    x.requires_grad = y.requires_grad = True
    for turn in (1, 2):
        np.sum(TAPE[name](x, y)).backward()
        numpy.testing.assert_allclose(numpy.asarray(x.grad), turn * numpy.asarray(wanted[0]))
        numpy.testing.assert_allclose(numpy.asarray(y.grad), turn * numpy.asarray(wanted[1]))


BROKEN = """
import numpy, fastnp as np

def fill(x, a):
    np.compiler.graph_break()
    x[:3] = a

def broken(a):
    x = np.arange(6.0) + 0
    fill(x, a)
    return np.sum(x * 10.0 ** numpy.arange(6))

a = numpy.array([1.5, 2.5, 3.5])
print(numpy.asarray(np.grad(np.compile(broken))(a)).tolist())
g = np.compile(broken)
g(a)
print(numpy.asarray(np.grad(g)(a)).tolist())
print(numpy.asarray(np.compile(np.grad(g))(a)).tolist())
"""


def test_functions_with_breaks_from_disk(tmp_path: Any) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    environment = {**os.environ, "FASTNP_CACHE_DIR": str(cache)}
    for _ in range(2):
        done = subprocess.run([sys.executable, str(tmp_path / "broken.py")], capture_output=True, text=True, env=environment, check=True)
        assert done.stdout.split("\n")[:3] == ["[1.0, 10.0, 100.0]"] * 3
