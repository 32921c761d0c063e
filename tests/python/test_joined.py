"""Concatenations of what is computed for them alone: the parts are stored in their places of the whole, with nothing left to copy, and hold NumPy's
values, over axes, dtypes, sizes, moves, folds, writes and derivatives (tests/cpp/transform/loop_tiles_test.cpp has loops).

Where there is a CUDA device, on arrays that are there as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.part(2)

DEVICES = ["cpu", "cuda"] if np.cuda.is_available() else ["cpu"]
random = numpy.random.default_rng(3)


def sample(dtype: str, *shape: int) -> numpy.ndarray:
    """Small whole numbers, so that sums are exact in any order."""
    return random.integers(0, 4, size=shape).astype(dtype)


def check(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for each, wanted in zip(found, expected, strict=True):
            check(each, wanted)
        return
    found = numpy.asarray(found)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    numpy.testing.assert_array_equal(found, expected)


def copies(function: Callable[..., Any], *arguments: Any) -> int:
    """How many steps of a compiled call join arrays."""
    return len(re.findall(r"kernel concatenate", str(np.compiler.explain(function)(*arguments))))


def both(function: Callable[..., Any], *arguments: numpy.ndarray, left: int = 0) -> None:
    """Compiled, for fixed sizes and for varying ones, beside NumPy; so many steps are left that join."""
    for device in DEVICES:
        with np.device(device):
            for dynamic in (False, True):
                given = [np.asarray(each.copy()).to(device) for each in arguments]
                compiled = np.compile(lambda *x: function(np, *x), dynamic=dynamic)
                check(compiled(*given), function(numpy, *[each.copy() for each in arguments]))
                given = [np.asarray(each.copy()).to(device) for each in arguments]
                check(compiled(*given), function(numpy, *[each.copy() for each in arguments]))
                assert copies(compiled, *given) == left


CASES: dict[str, tuple[Callable[..., Any], int]] = {
    "rows": (lambda m, x, y: m.concatenate([x * 2, y + 1]), 0),
    "columns": (lambda m, x, y: m.concatenate([x * 2, y + 1, x - y], axis=1), 0),
    "stack": (lambda m, x, y: m.stack([x * 2, y + 1], axis=-1), 0),
    "stack in front": (lambda m, x, y: m.stack([x + y, y + 1]), 0),
    "transposed": (lambda m, x, y: m.concatenate([(x * 2).T, (x + y).T + 1]), 0),
    "flat": (lambda m, x, y: m.concatenate([(x * 2).ravel(), y.sum(axis=1), (x + y).T.reshape(-1)]), 0),
    "folds": (lambda m, x, y: m.concatenate([x.sum(axis=0), y.max(axis=1, initial=0), (x * y).sum(axis=1)]), 0),
    "softmax beside": (lambda m, x, y: m.hstack([x - x.sum(axis=1, keepdims=True), y + 1]), 0),
    "numbers": (lambda m, x, y: m.concatenate([m.ones_like(x), x * 2]), 0),
    "arguments between": (lambda m, x, y: m.concatenate([x, x * 2, y, x, y + 1, x]), 3),
    "nested": (lambda m, x, y: m.concatenate([m.stack([x + 1, y * 2]), m.stack([x * 3, y + 2])], axis=1), 0),
    "nested with an argument": (lambda m, x, y: m.concatenate([m.vstack([x + 1, y]), m.vstack([x * 3, y + 2])], axis=1), 1),
    "twice the same": (lambda m, x, y: (lambda z: m.concatenate([z, z, z + 1]))(x * 2), 1),
    "a part is a result, too": (lambda m, x, y: (lambda z: (z, m.concatenate([z, y + 1])))(x * 2), 1),
    "read elsewhere": (lambda m, x, y: (lambda z: m.concatenate([z, y + 1]) * z.sum())(x * 2), 1),
    "used afterwards": (lambda m, x, y: m.concatenate([x * 2, y + 1]).sum(axis=1) * 2, 0),
    "cast": (lambda m, x, y: m.concatenate([x.astype("float64"), y.astype("float64") * 2]), 0),
    "append": (lambda m, x, y: m.append(x * 2, y + 1), 0),
}


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
@pytest.mark.parametrize("name", CASES)
def test_parts_are_stored_in_their_places(name: str, dtype: str) -> None:
    function, left = CASES[name]
    if dtype == "complex128" and name in ("folds", "cast"):
        pytest.skip("complex numbers have no order, and are not cast to real ones")
    both(function, sample(dtype, 37, 37), sample(dtype, 37, 37), left=left)
    both(function, sample(dtype, 1, 1), sample(dtype, 1, 1), left=left)
    both(function, sample(dtype, 0, 0), sample(dtype, 0, 0), left=left)


def test_what_is_joined_is_written_to() -> None:
    def overwritten(m: Any, x: Any, y: Any) -> Any:
        z = m.concatenate([x * 2, y + 1])
        z[3:8] = z[0:5] + 1
        z[0] = 7
        return z, z.sum(axis=0)

    def part_written_first(m: Any, x: Any, y: Any) -> Any:
        z = x * 2
        z[1:] += 3
        return m.concatenate([z, y + 1])

    def part_written_later(m: Any, x: Any, y: Any) -> Any:
        z = x * 2
        whole = m.concatenate([z, y + 1])
        z[1:] += 3
        return whole, z

    def into_an_argument(m: Any, x: Any, y: Any) -> Any:
        x[...] = m.concatenate([x[1:] * 2, x[:1] + y[:1]])
        return x + y

    for device in DEVICES:
        with np.device(device):
            for function in (overwritten, part_written_first, part_written_later, into_an_argument):
                x, y = sample("float64", 9, 5), sample("float64", 9, 5)
                compiled = np.compile(lambda *a, function=function: function(np, *a))
                for _ in range(2):
                    own, given = [x.copy(), y.copy()], [np.asarray(x.copy()).to(device), np.asarray(y.copy()).to(device)]
                    check(compiled(*given), function(numpy, *own))
                    check(given[0], own[0])


def written(m: Any, x: Any, y: Any) -> Any:
    out = m.empty((2 * len(x), 9))
    out[: len(x)] = x * 2
    out[len(x) :] = y + 1
    return out


def written_columns(m: Any, x: Any, y: Any) -> Any:
    out = m.empty((len(x), 18))
    out[:, 9:] = x * y
    out[:, :9] = y[::-1]
    return out.sum(axis=1)


def written_apart(m: Any, x: Any, y: Any) -> Any:
    out = m.full((20, 9), 3.0)
    out[2:5] = x[:3] * 2
    out[7:9] = y[:2]
    return out, out[3:6].T, out + 1


def written_row_by_row(m: Any, x: Any, y: Any) -> Any:
    out = m.zeros((5, 9))
    for i in range(5):
        out[4 - i] = x[i] * y[i]
    return out


def two_that_are_equal(m: Any, x: Any, y: Any) -> Any:
    made = []
    for _ in range(2):
        out = m.empty((10, 9))
        out[:5] = x[:5] * 2
        out[5:] = y[:5]
        made.append(out)
    return tuple(made)


def written_over_each_other(m: Any, x: Any, y: Any) -> Any:
    out = m.zeros((7, 9))
    out[:4] = x[:4]
    out[2:] += y[:5]
    return out


def read_between(m: Any, x: Any, y: Any) -> Any:
    out = m.empty((10, 9))
    out[:5] = x[:5] * 2
    total = out[:5].sum()
    out[5:] = y[:5] * total
    return out


def argument_written_between(m: Any, x: Any, y: Any) -> Any:
    out = m.empty((2 * len(x), 9))
    out[: len(x)] = x * 2
    x[0] = 5
    out[len(x) :] = x + y
    out = out.T
    return out[1:], x.sum(axis=0)


def every_second_row(m: Any, x: Any, y: Any) -> Any:
    out = m.zeros((12, 9))
    out[::2] = x[:6]
    out[1::2] = y[:6]
    return out


@pytest.mark.parametrize(
    "function",
    [
        written,
        written_columns,
        written_apart,
        written_row_by_row,
        two_that_are_equal,
        written_over_each_other,
        read_between,
        argument_written_between,
        every_second_row,
    ],
)
def test_parts_are_written_to_what_was_made(function: Callable[..., Any]) -> None:
    for device in DEVICES:
        with np.device(device):
            for dynamic in (False, True):
                compiled = np.compile(lambda *a: function(np, *a), dynamic=dynamic)
                for rows in (6, 6, 11):
                    x, y = sample("float64", rows, 9), sample("float64", rows, 9)
                    own, given = [x.copy(), y.copy()], [np.asarray(x.copy()).to(device), np.asarray(y.copy()).to(device)]
                    found = compiled(*given)
                    check(found, function(numpy, *own))
                    check(given[0], own[0])
                    if function is two_that_are_equal:
                        found[0][...] = 0
                        check(found[1], function(numpy, *own)[1])


def test_what_is_made_is_not_filled_first() -> None:
    x = sample("float64", 300, 9)
    for function in (written, written_columns, written_row_by_row):
        kernels = str(np.compiler.explain(np.compile(lambda *a, function=function: function(np, *a)))(np.asarray(x), np.asarray(x)))
        assert "concatenate" not in kernels or function is written_columns
        assert "update" not in kernels and "cast" not in kernels


def test_sizes_that_depend_on_values() -> None:
    def function(m: Any, x: Any, y: Any) -> Any:
        return m.concatenate([x * 2, y[y > 1] + 1, x + 3])

    for device in DEVICES:
        with np.device(device):
            compiled = np.compile(lambda x, y: function(np, x, y))
            for count in (40, 3, 0, 17):
                x, y = sample("int64", 11), sample("int64", count)
                check(compiled(np.asarray(x).to(device), np.asarray(y).to(device)), function(numpy, x, y))


def test_derivatives() -> None:
    def loss(x: Any, y: Any) -> Any:
        z = np.concatenate([x * y, np.sin(x), y * y], axis=1)
        return (z[:, 1:] * z[:, :-1]).sum()

    def by_hand(x: Any, y: Any) -> Any:
        z = numpy.concatenate([x * y, numpy.sin(x), y * y], axis=1)
        g = numpy.zeros_like(z)
        g[:, 1:] += z[:, :-1]
        g[:, :-1] += z[:, 1:]
        a, b, c = numpy.split(g, 3, axis=1)
        return a * y + b * numpy.cos(x), a * x + 2 * c * y

    for device in DEVICES:
        with np.device(device):
            x, y = random.uniform(0.1, 1.0, (7, 5)), random.uniform(0.1, 1.0, (7, 5))  # terms of one sign: none cancel
            found = np.compile(np.grad(loss, argnums=(0, 1)))(np.asarray(x).to(device), np.asarray(y).to(device))
            for each, wanted in zip(found, by_hand(x, y), strict=True):
                numpy.testing.assert_allclose(numpy.asarray(each), wanted, rtol=1e-12)


@hypothesis.given(st.data())
def test_random_joins(data: st.DataObject) -> None:
    """Trees of concatenations and stacks over computed values, arguments, parts that several read, and moves."""
    rows, columns = data.draw(st.sampled_from([(3, 4), (1, 1), (0, 2), (17, 33)]))
    arguments = [sample("int32", rows, columns) for _ in range(2)]
    leaves = ["x", "y", "x * 2", "y + 1", "(x - y)", "shared", "x.sum(axis=0, keepdims=True) + y", "numpy.flip(x, 0)", "(x.T * 3).T", "(x + 1)[:, ::-1]"]

    def tree(depth: int) -> str:
        if depth == 0 or data.draw(st.booleans()):
            return data.draw(st.sampled_from(leaves))
        axis = data.draw(st.sampled_from([0, 1]))
        parts = [tree(depth - 1) for _ in range(data.draw(st.integers(1, 3)))]
        # Parts of other sizes along the other axis are cut to what all have.
        return f"join([{', '.join(parts)}], {axis})"

    text = f"join([{tree(2)}, {tree(2)}], {data.draw(st.sampled_from([0, 1]))})"

    def run(m: Any, x: Any, y: Any) -> Any:
        def join(parts: list[Any], axis: int) -> Any:
            other = 1 - axis
            least = min(part.shape[other] for part in parts)
            whole = [part if part.shape[other] == least else part[:least] if other == 0 else part[:, :least] for part in parts]
            return m.concatenate(whole, axis=axis)

        return eval(text, {"x": x, "y": y, "shared": x * y, "join": join, "numpy": m})

    for device in DEVICES:
        with np.device(device):
            given = [np.asarray(each).to(device) for each in arguments]
            hypothesis.note(text)
            check(np.compile(lambda x, y: run(np, x, y))(*given), run(numpy, *arguments))
