"""Elements taken by index within the kernels that compute with them, on a CUDA device: NumPy's values and errors, over dtypes, layouts, modes, axes and
sizes; only the indices have a step of their own, in which they are looked at.

Run as test_cuda.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.skipif(not np.cuda.is_available(), reason=np.cuda.problem() or "there is no CUDA device")

random = numpy.random.default_rng(11)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    """Small whole numbers, whose sums are exact."""
    return random.integers(0, 4, size=shape).astype(dtype)


def indices(length: int, *shape: int) -> numpy.ndarray:
    return random.integers(-length, length, size=shape)


def check(found: Any, expected: Any) -> None:
    for each, wanted in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected)), strict=True):
        got = numpy.asarray(each)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        numpy.testing.assert_array_equal(got, wanted)


def kernels_that_take(function: Callable[..., Any], *arguments: Any) -> int:
    """Loop kernels, those of steps that are one op left out."""
    text = str(np.compiler.explain(function)(*arguments))
    return len([line for line in re.findall(r"kernel (.*)", text) if not line.startswith("take") and "take" in line])


def both(function: Callable[..., Any], *arguments: numpy.ndarray, kernels: int | None = 1) -> None:
    with np.device("cuda"):
        for dynamic in (False, True):
            compiled = np.compile(lambda *x: function(np, *x), dynamic=dynamic)
            given = [np.asarray(each).to("cuda") for each in arguments]
            for _ in range(2):
                check(compiled(*given), function(numpy, *arguments))
            assert kernels is None or kernels_that_take(compiled, *given) == kernels


CASES: dict[str, Callable[..., Any]] = {
    "rows": lambda m, t, i, w: t[i[:, 0]] * 2 + t[0],
    "many rows": lambda m, t, i, w: t[i] + 1,
    "weighted sums": lambda m, t, i, w: (t[i] * w[:, :, None]).sum(axis=1),
    "sums of rows": lambda m, t, i, w: t[i[:, 1]].sum(axis=1),
    "sums of columns": lambda m, t, i, w: (t[i[:, 1]] * 2).sum(axis=0),
    "sum of all": lambda m, t, i, w: (t[i[:, 1]] * t[i[:, 2]]).sum(),
    "columns": lambda m, t, i, w: m.take(t, i[:, 0] % t.shape[1], axis=1) * 2,
    "wrapped": lambda m, t, i, w: m.take(t, i * 1000, axis=0, mode="wrap") + 1,
    "clipped": lambda m, t, i, w: m.take(t, i * 3, axis=1, mode="clip") + 1,
    "transposed": lambda m, t, i, w: t.T[i[:, 0] % t.shape[1]].T * 2,
    "backwards": lambda m, t, i, w: t[::-1, ::-1][i[::-1, 0]] * 2,
    "apart": lambda m, t, i, w: t[:, ::3][i[::2, 1]] + 1,
    "less the largest": lambda m, t, i, w: (lambda h: h - h.max(axis=1, keepdims=True))(t[i[:, 0]]),
    "padded": lambda m, t, i, w: m.pad(t[i[:, 0]] * 2, 1, constant_values=3),
    "neighbours": lambda m, t, i, w: (lambda h: h[1:] - h[:-1])(t[i[:, 0]] * 1),
    "cast": lambda m, t, i, w: t[i[:, 0]].astype("float64") + 0.5,
    "where": lambda m, t, i, w: m.where(w[:, :1] > 1, t[i[:, 0]], t[i[:, 1]]),
}


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "int64"])
@pytest.mark.parametrize("name", CASES)
def test_elements_are_taken_where_they_are_used(name: str, dtype: str) -> None:
    function = CASES[name]
    for rows, length in ((50, 64), (7, 5), (300, 3)):  # short rows that several read are fetched once
        both(function, sample(dtype, rows, length), indices(rows, 41, 6), sample(dtype, 41, 6), kernels=1 if length == 64 else None)


def test_what_is_computed_is_taken_from() -> None:
    both(lambda m, t, i: (t * 2 + 1)[i].sum(axis=0), sample("float64", 30, 8), indices(30, 20))
    both(lambda m, t, i: t[t[i, 0].astype("int64")] + 1, sample("float64", 30, 8), indices(30, 20), kernels=None)
    both(lambda m, t, i: m.concatenate([t[i] * 2, t[i // 2] + 1]), sample("float64", 30, 8), indices(30, 20))


def test_what_must_lie_in_memory_does() -> None:
    both(lambda m, t, i: t[i], sample("float64", 30, 8), indices(30, 20), kernels=0)
    both(lambda m, t, i: (t[i], t[i] * 2), sample("float64", 30, 8), indices(30, 20), kernels=0)
    both(lambda m, t, i: (t[i] @ t.T) * 2, sample("float64", 30, 8), indices(30, 20), kernels=0)
    both(lambda m, t, i: (lambda h: h.reshape(-1, 5) * 2)(t[i].T), sample("float64", 30, 8), indices(30, 20), kernels=0)


def test_what_is_taken_from_is_written_to() -> None:
    def function(m: Any, t: Any, i: Any) -> Any:
        t[...] = t[i] * 2
        t[0] = t[i[0]] + 1
        return t + 1

    with np.device("cuda"):
        compiled = np.compile(lambda t, i: function(np, t, i))
        for _ in range(2):
            t, i = sample("float64", 20, 8), indices(20, 20)
            given = np.asarray(t.copy()).to("cuda")
            check(compiled(given, np.asarray(i).to("cuda")), function(numpy, t, i))
            check(given, t)


def test_wrong_indices() -> None:
    t = sample("float32", 30, 8)
    with np.device("cuda"):
        compiled = np.compile(lambda t, i: (t[i] * 2).sum(axis=1))
        for wrong in (30, -31, 2**40, -(2**40)):
            i = indices(30, 500)
            given = np.asarray(t).to("cuda")
            check(compiled(given, np.asarray(i).to("cuda")), (t[i] * 2).sum(axis=1))
            i[400] = wrong
            with pytest.raises(IndexError, match=f"^index {wrong} is out of bounds for axis 0 with size 30$"):
                compiled(given, np.asarray(i).to("cuda"))
            check(compiled(given, np.asarray(i % 30).to("cuda")), (t[i % 30] * 2).sum(axis=1))


def test_nothing_is_taken() -> None:
    both(lambda m, t, i: t[i] * 2 + 1, sample("float32", 30, 8), indices(30, 0))
    both(lambda m, t, i: t[i] * 2 + 1, sample("float32", 30, 0), indices(30, 5))
    both(lambda m, t, i: t[i] * 2 + 1, sample("float32", 0, 8), indices(30, 0))
    with np.device("cuda"):
        compiled = np.compile(lambda t, i: np.take(t, i, axis=0) * 2 + 1)
        with pytest.raises(IndexError):
            compiled(np.asarray(sample("float32", 0, 8)).to("cuda"), np.asarray(indices(30, 5)).to("cuda"))


def test_derivatives() -> None:
    t, i, w = random.normal(size=(30, 8)), indices(30, 20), random.normal(size=(20, 8))
    with np.device("cuda"):
        found = np.compile(np.grad(lambda t, i, w: (np.sin(t[i]) * w).sum()))(*(np.asarray(each).to("cuda") for each in (t, i, w)))
    expected = numpy.zeros_like(t)
    numpy.add.at(expected, i, numpy.cos(t[i]) * w)
    numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-12, atol=1e-14)
