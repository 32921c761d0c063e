"""Functions of each element by itself, and phases along an axis, against NumPy (compositions.py)."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy
import pytest
from compositions import ALL, FLOATS, agree, laid_out, some
from support import SEED
from test_derivatives import check

import fastnp as np

EXPRESSIONS = [
    "N.angle(x)",
    "N.angle(x, deg=True)",
    "N.angle(x[0, 0], True)",
    "N.fix(x)",
    "N.fix(x, N.zeros((3, 4)))",
    "N.sinc(x)",
    "N.sinc(x[0, 0])",
    "N.i0(x)",
    "N.i0(x * 3)",
    "N.i0(x[1])",
    "N.i0(x[0, 0])",
    "N.nan_to_num(x)",
    "N.nan_to_num(x, nan=1.0, posinf=2.0, neginf=-3.0)",
    "N.nan_to_num(x, nan=float('inf'))",
    "N.nan_to_num(x, nan=1j)",
    "N.nan_to_num(x[0, 0])",
    "N.unwrap(x)",
    "N.unwrap(x, axis=0)",
    "N.unwrap(x, 1.0)",
    "N.unwrap(x, period=3)",
    "N.unwrap(x, period=4, axis=0)",
    "N.unwrap(x, discont=2, period=2.5)",
    "N.unwrap(x, axis=2)",
    "N.unwrap(x[0, 0])",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dtype", ALL)
def test_expressions(expression: str, dtype: str) -> None:
    rng = random.Random()
    specials = "unwrap" not in expression and rng.random() < 0.5
    x = laid_out(rng, some(rng, dtype, (3, 4), specials))
    with numpy.errstate(all="ignore"):
        agree(expression, tolerance=32, told=False, x=x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_i0_near_and_far(dtype: str) -> None:
    rng = random.Random()
    x = numpy.array([rng.uniform(-20 if dtype != "float16" else -9, 9) for _ in range(40)] + [0.0, 8.0, -8.0, float("nan")], dtype)
    agree("N.i0(x)", tolerance=32, x=x)


def test_in_place() -> None:
    for dtype in ("float32", "float64", "complex128", "int64"):
        x = np.asarray(some(random.Random(), dtype, (3, 4), specials=True))
        want = numpy.nan_to_num(numpy.asarray(x))
        view = x[1:]
        assert np.nan_to_num(x, copy=False) is x
        numpy.testing.assert_array_equal(numpy.asarray(x), want)
        numpy.testing.assert_array_equal(numpy.asarray(view), want[1:])
    with pytest.raises(ValueError, match="read-only"):
        np.nan_to_num(np.broadcast_to(np.ones(1), (3,)), copy=False)


CLOSE = ["N.real_if_close(x)", "N.real_if_close(x + 1e-15j)", "N.real_if_close(x + 1j)", "N.real_if_close(x, tol=1e-3)", "N.real_if_close(x[0, 0])"]


@pytest.mark.parametrize("expression", CLOSE)
@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "complex128"])
def test_real_if_close(expression: str, dtype: str) -> None:
    agree(expression, x=some(random.Random(), "float64", (3, 4)).astype(dtype))


def test_real_if_close_is_a_view() -> None:
    x = np.asarray([1 + 0j, 2])
    part = np.real_if_close(x)
    part[0] = 5
    assert x[0] == 5 and part.dtype == float
    y = np.ones(3)
    assert np.real_if_close(y) is y


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x = np.asarray(rng.normal(size=6) * 3)
    check(lambda x: np.sinc(x), [x])
    check(lambda x: np.i0(x), [x])
    check(lambda x: np.unwrap(x * 4), [x])
    check(lambda x: np.angle(x * (1 + 2j)), [x])
    check(lambda x: np.nan_to_num(x), [x])


def test_true_derivatives_at_zero() -> None:
    slope = np.grad(np.sinc)
    assert slope(0.0) == 0 and abs(np.grad(slope)(0.0) + numpy.pi**2 / 3) < 1e-12
    assert abs(np.grad(np.grad(np.grad(slope)))(0.0) - numpy.pi**4 / 5) < 1e-10
    for at in (1e-9, -1e-5, 0.1, 0.159, 0.16):
        y = numpy.pi * at
        exact = numpy.pi * (numpy.cos(y) / y - numpy.sin(y) / y**2) if abs(at) > 0.05 else -(numpy.pi**2) * at / 3 * (1 - y**2 / 10)
        assert abs(slope(at) - exact) <= 1e-10 * abs(exact), at
    assert abs(np.grad(np.i0)(0.0)) < 1e-14 and abs(np.grad(np.grad(np.i0))(0.0) - 0.5) < 1e-13


def test_vmap() -> None:
    x = np.asarray(numpy.random.default_rng().normal(size=(3, 5)) * 4)
    for function in (np.sinc, np.i0, np.unwrap, np.angle, np.nan_to_num, np.fix):
        numpy.testing.assert_allclose(np.vmap(function)(x), getattr(numpy, function.__name__)(numpy.asarray(x)), rtol=1e-13, atol=1e-14)


def test_one_recording_for_all_sizes() -> None:
    for function in (np.sinc, np.i0, np.unwrap, np.nan_to_num):
        compiled = np.compile(lambda x, function=function: function(x))
        for size in (5, 6, 9, 17, 33):
            x = numpy.arange(float(size)) * 1.7
            numpy.testing.assert_allclose(compiled(np.asarray(x)), getattr(numpy, function.__name__)(x), rtol=1e-13, atol=1e-14)
        assert compiled.cache_info().misses <= 2


PIECES = [
    "N.piecewise(x, [x < 0, x >= 0], [-1, 1])",
    "N.piecewise(x, [x < 0], [lambda v: -v, lambda v: v * v])",
    "N.piecewise(x[0], x[0] < 0, [lambda v, k: v * k, 7], 3)",
]


@pytest.mark.parametrize("expression", PIECES)
def test_piecewise(expression: str) -> None:
    function = eval(f"lambda N, x: {expression}")  # an expression of the tests' own
    x = some(random.Random(), "float64", (3, 4))
    numpy.testing.assert_array_equal(np.compile(lambda x: function(np, x), fullgraph=True)(np.asarray(x)), function(numpy, x))


def test_derivative_of_pieces() -> None:
    slopes = np.grad(lambda x: np.piecewise(x, [x < 0], [lambda v: -v, lambda v: np.sqrt(v)]).sum())
    assert slopes(np.asarray([-4.0, 4.0, 0.25])).tolist() == [-1.0, 0.25, 1.0]


@pytest.mark.parametrize("shape", [(9,), (3, 3), (3, 16), (33, 4)])
def test_comparisons_of_halves_beside_others(shape: tuple[int, ...], tmp_path: Any) -> None:
    """Code takes no instructions for halves: LLVM exchanges the operands of some comparisons under a mask."""
    x = (numpy.random.default_rng(SEED).integers(-16, 17, shape) / 4).astype("f2")

    def both(m: Any, x: Any) -> Any:
        return (m.remainder(m.diff(x) + 1.5, 3) - 1.5 == -1.5) & (m.diff(x) > 0), m.unwrap(x, period=3)

    with np.compiler.debug(tmp_path):
        got = np.compile(lambda x: both(np, x))(np.array(x))
    for mine, theirs in zip(got, both(numpy, x), strict=True):
        numpy.testing.assert_array_equal(mine, theirs)
    code = "".join(each.read_text() for each in tmp_path.rglob("code.s"))
    assert code and not re.findall(r"\bv(?:cmp|add|sub|mul|div|max|min)\w*ph\b", code)
