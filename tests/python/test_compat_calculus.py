"""Differences, slopes, integrals and products of vectors against NumPy (compositions.py)."""

from __future__ import annotations

import random
from types import SimpleNamespace

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from support import IS_NUMPY_2_5
from test_derivatives import check

import fastnp as np

EXPRESSIONS = [
    "N.trapezoid(y)",
    "N.trapezoid(y, axis=0)",
    "N.trapezoid(y, None, 0.5)",
    "N.trapezoid(y, x, axis=0)",
    "N.trapezoid(y, x=y * 2, axis=0)",
    "N.trapezoid(y, dx=2, axis=1)",
    "N.trapezoid(y, axis=2)",
    "N.trapezoid(y[:1], axis=0)",
    "N.ediff1d(y)",
    "N.ediff1d(x, to_end=x[:2])",
    "N.ediff1d(y, to_end=y, to_begin=y[0, 0])",
    "N.ediff1d(y, to_begin=[1.5, 2])",
    "N.ediff1d(x[:0], to_begin=x[:1])",
    "N.gradient(x)",
    "N.gradient(x, 2)",
    "N.gradient(x, 0.5, edge_order=2)",
    "N.gradient(y)",
    "N.gradient(y, axis=1)",
    "N.gradient(y, axis=(1, 0))",
    "N.gradient(y, 2.0, 3.0)",
    "N.gradient(y, numpy.array([0.0, 1.0, 4.0]), 2.0)",
    "N.gradient(y, numpy.array([0.0, 1.0, 4.0]), axis=0, edge_order=2)",
    "N.gradient(y, numpy.array([0, 2, 4]), numpy.arange(4.0))",
    "N.gradient(y, numpy.float32(2.0), axis=0)",
    "N.gradient(y, x, axis=1)",
    "N.gradient(y, 1.0, 2.0, 3.0)",
    "N.gradient(y, edge_order=3)",
    "N.gradient(y[:1])",
    "N.gradient(x[0])",
    "N.gradient(y, axis=(0, 0))",
    "N.gradient(y, axis=5)",
    "N.cross(y[:, :3], y[:, 1:])",
    "N.cross(y[:, :3], x)",
    "N.cross(y[:, :3], y[:, :3], axis=0)",
    "N.cross(y, y, axisa=0, axisb=0, axisc=0)",
    "N.cross(x, x)",
    "N.cross(y, y)",
    "N.cross(x, y[:, :3], axisa=1)",
    "N.cross(y[:, :3], x, axisc=4)",
    "N.kron(x, x)",
    "N.kron(y, y)",
    "N.kron(x, y)",
    "N.kron(y, x)",
    "N.kron(y, 2)",
    "N.kron(3, x)",
    "N.kron(x[0], x[1])",
    "N.kron(y[:0], x)",
    "N.cumulative_sum(x)",
    "N.cumulative_sum(y, axis=1)",
    "N.cumulative_sum(y, axis=0, include_initial=True)",
    "N.cumulative_sum(y)",
    "N.cumulative_sum(x[0])",
    "N.cumulative_sum(x, dtype='f8', include_initial=True)",
    "N.cumulative_prod(y, axis=-1)",
    "N.cumulative_prod(x, include_initial=True)",
    "N.cumulative_sum(x, out=N.zeros(4), include_initial=True)",
]
FLAT = ["N.cross(y[:, :2], y[:, 2:])", "N.cross(y[:, :2], x)", "N.cross(y[:, :3], y[:, :2])", "N.cross(x[:2], x[1:])"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("dtype", [each for each in ALL if each != "bool"])
def test_expressions(expression: str, dtype: str) -> None:
    rng = random.Random()
    specials = rng.random() < 0.2 and "gradient" not in expression
    y = laid_out(rng, some(rng, dtype, (3, 4), specials))
    agree(expression, told=False, y=y, x=some(rng, dtype, (3,)))


@pytest.mark.parametrize("expression", ["N.gradient(x)", "N.ediff1d(x)", "N.cross(x, x)", "N.kron(x, x)", "N.cumulative_sum(x)"])
def test_of_bools(expression: str) -> None:
    agree(expression, x=some(random.Random(), "bool", (3,)))


def cross_in_space(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    """Of vectors in a plane as of such in space: of two of them the part out of it."""
    wide = [numpy.concatenate([x, numpy.zeros((*x.shape[:-1], 3 - x.shape[-1]))], axis=-1) for x in (a, b)]
    made = numpy.cross(*wide)
    return made[..., 2] if a.shape[-1] == b.shape[-1] == 2 else made


@pytest.mark.parametrize("expression", FLAT)
def test_cross_of_two_dimensions(expression: str) -> None:
    rng = random.Random()
    if IS_NUMPY_2_5:  # it refuses them
        x, y = numpy.array([1.5, -2, 3]), numpy.arange(12.0).reshape(3, 4) % 5
        want = eval(expression, {"N": SimpleNamespace(cross=cross_in_space), "x": x, "y": y})
        got = eval(expression, {"N": np, "x": np.asarray(x), "y": np.asarray(y)})
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-12)
        return
    agree(expression, y=laid_out(rng, some(rng, "float64", (3, 4))), x=some(rng, "float64", (3,)))


def test_derivatives() -> None:
    rng = numpy.random.default_rng()
    x, y = np.asarray(rng.normal(size=4)), np.asarray(rng.normal(size=(2, 4)))
    check(lambda y, x: np.trapezoid(y, x), [y, x])
    check(lambda y: np.trapezoid(y, dx=0.5, axis=0), [y])
    check(lambda x: np.ediff1d(x, x[:1], x[1:]), [x])
    check(lambda x: np.gradient(x, 0.5, edge_order=2), [x])
    check(lambda x, y: np.gradient(y, np.cumsum(x * x), axis=1), [x + 3, y])
    check(lambda x, y: np.cross(x[:3], y[:, 1:]), [x, y])
    check(lambda x, y: np.kron(x, y), [x, y])
    check(lambda y: np.cumulative_sum(y, axis=1, include_initial=True), [y])


def test_vmap() -> None:
    x = np.asarray(numpy.random.default_rng().normal(size=(3, 5)))
    functions = [lambda m, v: m.gradient(v), lambda m, v: m.kron(v, v), lambda m, v: m.ediff1d(v, v[:1]), lambda m, v: m.cross(v[:3], v[2:])]
    for function in functions:
        want = numpy.stack([function(numpy, row) for row in numpy.asarray(x)])
        numpy.testing.assert_allclose(np.vmap(lambda v, function=function: function(np, v))(x), want, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "expression",
    [
        "N.trapezoid(y)",
        "N.gradient(y)",
        "N.ediff1d(y, y[:1])",
        "N.kron(y, y)",
        "N.gradient(y, 0.5, edge_order=2)",
        "N.cumulative_sum(y, include_initial=True)",
    ],
)
def test_one_recording_for_all_sizes(expression: str) -> None:
    function = eval(f"lambda N, y: {expression}")  # an expression of the tests' own
    compiled = np.compile(lambda y: function(np, y))
    for size in (5, 6, 9, 17, 33):
        y = numpy.arange(float(size)) ** 2
        numpy.testing.assert_allclose(compiled(np.asarray(y)), function(numpy, y), rtol=1e-14)
    assert compiled.cache_info().misses <= 2
