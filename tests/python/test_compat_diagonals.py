"""Diagonals and triangles of matrices against NumPy (compositions.py)."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from compositions import ALL, agree, laid_out, some
from test_derivatives import check

import fastnp as np

CALLS = """
N.diagonal(x); N.diagonal(x, 1); N.diagonal(x, -2); N.diagonal(x, 9); N.diagonal(x, 0, 1, 0); x.diagonal(offset=1); N.diagonal(c, 1, 0, 2)
N.diagonal(c, 0, 2, 1)
N.diagonal(x[0]); N.diagonal(x, 0, 0, 0); N.diagonal(x, 0, 0, 2); N.diagonal(x, 0, 5, 1); N.diagonal([[1, 2], [3, 4]])
N.diagonal(c[:, :, 0])
N.trace(x); N.trace(x, 1); x.trace(-1); N.trace(c); N.trace(c, axis1=1, axis2=2); N.trace(x, 5); N.trace(x[0]); N.trace(c, 0, 0, 0)
N.trace(c[:, None], 1, 0, 2)
N.diag(x); N.diag(x, 1); N.diag(x[0]); N.diag(x[0], 2); N.diag(x[1], -1); N.diag(x[:, 0]); N.diag(c); N.diag([1, 2]); N.diag(x[0, :0])
N.diag(x[0, :0], 2)
N.diagflat(x); N.diagflat(x, 1); N.diagflat(x[0], -2); N.diagflat(3); N.diagflat([[1, 2], [3, 4]])
N.tril(x); N.tril(x, 1); N.tril(x, -1); N.triu(x); N.triu(x, 2); N.triu(x, -9); N.tril(x, 9); N.tril(c); N.triu(c, 1); N.tril(x[0]); N.triu(x[0], 1)
N.triu([[1, 2], [3, 4]])
"""
EXPRESSIONS = [each.strip() for line in CALLS.strip().splitlines() for each in line.split(";")]
PLAIN = """
N.tri(3); N.tri(3, 5); N.tri(4, 2, 1); N.tri(3, k=-1, dtype=int); N.tri(3, dtype=bool); N.tri(0); N.tri(2, 3, 9); N.tri(2, 3, -9)
N.tri(3, 4, 1, N.float32)
N.tril_indices(3); N.tril_indices(4, 1); N.tril_indices(4, -1, 3); N.triu_indices(3); N.triu_indices(3, 1, 5); N.triu_indices(0)
N.triu_indices(2, -5)
N.diag_indices(3); N.diag_indices(2, 3); N.diag_indices(0); N.tri(20000, 2, 1)[:3]; N.tri(-2); N.tri(2, -1)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_layouts(expression: str) -> None:
    rng = random.Random()
    for _ in range(3):
        dtype = rng.choice([each for each in ALL if each != "float16"] if "trace" in expression else ALL)
        x, c = laid_out(rng, some(rng, dtype, (3, 4))), laid_out(rng, some(rng, dtype, (3, 2, 4)))
        # A diagonal of what is no line in memory has no place in a recording, and those beyond all are NumPy's.
        is_left = "diagonal" in expression or "N.diag(x" in expression
        agree(
            expression,
            tolerance=64,
            native=not is_left,
            **{name: each for name, each in (("x", x), ("c", c)) if f"{name}" in expression.replace("axis", "")},
        )


@pytest.mark.parametrize("expression", [each.strip() for line in PLAIN.strip().splitlines() for each in line.split(";")])
def test_of_numbers(expression: str) -> None:
    agree(expression, tolerance=0)


@pytest.mark.parametrize(
    "expression",
    ["N.tril_indices_from(x, 1)", "N.triu_indices_from(x)", "N.diag_indices_from(x)", "N.diag_indices_from(x[:, :3])", "N.tril_indices_from(x[0])"],
)
def test_of_shapes(expression: str) -> None:
    agree(expression, tolerance=0, x=numpy.ones((3, 4)))


def test_options_of_trace() -> None:
    x = numpy.arange(12, dtype="int8").reshape(3, 4)
    agree("N.trace(x, dtype='f4')", x=x)
    agree("N.trace(x, 0, 0, 1, None, None)", x=x)
    made = np.zeros(4)
    assert np.trace(np.asarray(numpy.arange(24.0).reshape(2, 3, 4)), out=made) is made
    assert numpy.asarray(made).tolist() == numpy.trace(numpy.arange(24.0).reshape(2, 3, 4)).tolist()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.diagonal(x, 1) * 2,
        lambda x: np.trace(x, -1),
        lambda x: np.diag(x),
        lambda x: np.diag(x[0], 1),
        lambda x: np.diagflat(x, -1),
        lambda x: np.tril(x, 1) ** 2,
        lambda x: np.triu(x),
    ],
)
def test_derivatives(function: Any) -> None:
    check(function, [np.asarray(numpy.random.default_rng().normal(size=(3, 4)))])


def test_one_recording_for_all_sizes() -> None:
    def made(x: np.ndarray) -> tuple[np.ndarray, ...]:
        return np.trace(x), np.diag(x[0], 1), np.tril(x), np.triu(x, 1), np.tri(x.shape[0]), np.diag_indices_from(x)[0], np.triu_indices(x.shape[0])[1]

    compiled = np.compile(made, fullgraph=True)
    for size in (5, 6, 9, 17, 33):
        x = numpy.random.default_rng().random((size, size))
        want = [numpy.trace(x), numpy.diag(x[0], 1), numpy.tril(x), numpy.triu(x, 1), numpy.tri(size), numpy.arange(size), numpy.triu_indices(size)[1]]
        for got, wanted in zip(compiled(x), want, strict=True):
            numpy.testing.assert_allclose(got, wanted, rtol=1e-14)
    assert compiled.cache_info().misses <= 2


def test_diagonals_are_views_to_read() -> None:
    x = np.array(numpy.arange(12.0).reshape(3, 4))
    seen = np.diagonal(x[:, ::-1], 1)
    assert seen.base is x and not seen.flags.writeable and seen.strides == numpy.diagonal(numpy.asarray(x)[:, ::-1], 1).strides
    x[0, 2] = 50
    assert seen[0] == 50
    a, b = np.diag_indices(3)
    assert a is b
