"""Folds beside values at all points, in one walk: long lines that are folded by blocks, few rows, rows whose folds are folded again."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import fastnp

pytestmark = pytest.mark.part(2)

rng = numpy.random.default_rng(11)

SHAPES = [(300_001,), (262_144,), (700, 500), (500, 700), (3, 100_003), (2, 3, 50_001), (1, 270_000), (270_000, 1), (5, 7), (0, 300), (300, 0), (1, 1)]


def layouts(shape: tuple[int, ...]) -> list[numpy.ndarray]:
    x = rng.standard_normal(shape)
    spread = rng.standard_normal([2 * n for n in shape])
    return [x, numpy.asfortranarray(x), x[tuple(slice(None, None, -1) for _ in shape)], spread[tuple(slice(0, 2 * n, 2) for n in shape)]]


def value_then_sum(x: Any) -> Any:
    y = numpy.exp(-x * x)
    return y, y.sum()


def sum_then_value(x: Any) -> Any:
    y = numpy.exp(-x * x)
    total = y.sum()
    return total, y, 2 * x * y


def several_folds(x: Any) -> Any:
    y = x * x
    return (y + x).sum(), y.max(initial=-1.0), y, (x > 0).any()


def value_of_sum(x: Any) -> Any:
    y = x * x
    return y, y / (1 + y.sum())


def written(x: Any) -> Any:
    x = x.copy()
    total = (x * x).sum()
    x *= 2
    return total, x, x.sum()


def rows(x: Any) -> Any:
    y = numpy.exp(x)
    return y, y.sum(axis=-1), x.sum(axis=-1)


def columns(x: Any) -> Any:
    y = numpy.exp(x)
    return y, y.sum(axis=0)


def spread_of(x: Any) -> Any:
    return x.var(), x.std() + x.mean(), numpy.log(numpy.exp(x - x.max(initial=-9.0)).sum())


def of_rows(x: Any) -> Any:
    z = x - x.mean(axis=-1, keepdims=True)
    return (z * z).sum(), numpy.abs(z).max(initial=0.0), z


def of_rows_of_softmax(x: Any) -> Any:
    e = numpy.exp(x - x.max(axis=-1, keepdims=True, initial=-1e9))
    p = e / e.sum(axis=-1, keepdims=True)
    return (p * p).sum(), p.sum(axis=(0, -1)) if x.ndim > 1 else p.sum(), p


FUNCTIONS = [value_then_sum, sum_then_value, several_folds, value_of_sum, written, rows, columns, spread_of, of_rows, of_rows_of_softmax]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_folds_beside_values(f: Any, shape: tuple[int, ...]) -> None:
    for x in layouts(shape):
        compiled = fastnp.compile(f)
        for found, expected in zip(compiled(x), f(x), strict=True):
            numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int64", "uint16", "complex64", "bool"])
@pytest.mark.parametrize("shape", [(300_001,), (700, 500), (3, 100_003)], ids=str)
def test_folds_beside_values_of_all_dtypes(dtype: str, shape: tuple[int, ...]) -> None:
    x = (rng.standard_normal(shape) * 3).astype(dtype)

    def f(x: Any) -> Any:
        y = x + x[..., ::-1]
        return y, y.sum(), (y * y).max(), y.sum(axis=-1).sum()

    tolerance = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}.get(dtype, 0)
    for found, expected in zip(fastnp.compile(f)(x), f(x), strict=True):
        scale = numpy.abs(x.astype(complex)).sum() if expected.shape == () else 1.0
        assert found.dtype == expected.dtype
        assert numpy.all(numpy.abs(numpy.asarray(found).astype(complex) - expected.astype(complex)) <= tolerance * (scale + numpy.abs(expected)))


def test_results_do_not_depend_on_how_often() -> None:
    x = rng.standard_normal((900, 800)).astype(numpy.float32)
    compiled = fastnp.compile(of_rows_of_softmax)
    first = [numpy.array(part) for part in compiled(x)]
    for _ in range(20):
        for part, again in zip(first, compiled(x), strict=True):
            numpy.testing.assert_array_equal(part, numpy.asarray(again))


def kernels_of(f: Any, *arguments: Any) -> int:
    compiled = fastnp.compile(f)
    compiled(*arguments)
    return str(fastnp.explain(compiled)(*arguments)).count("    kernel ")


def test_what_is_one_walk() -> None:
    long, table = rng.standard_normal(400_000), rng.standard_normal((600, 700))
    assert kernels_of(value_then_sum, long) == 2  # blocks, and the sum of their sums
    assert kernels_of(sum_then_value, long) == 2
    assert kernels_of(rows, table) == 1
    assert kernels_of(of_rows_of_softmax, table) <= 3
    assert kernels_of(fastnp.value_and_grad(lambda x: numpy.sum(numpy.sin(x) ** 2)), long) == 2
