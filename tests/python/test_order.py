"""Results lie in memory as NumPy's do (order "K"): same strides, whatever the operands' layout; eager, and compiled."""

from __future__ import annotations

import numpy
import pytest
from support import BACKENDS

import fastnp as np

X = numpy.arange(24.0).reshape(2, 3, 4)
LAYOUTS = {
    "C": X,
    "F": numpy.asfortranarray(X),
    "steps": numpy.arange(48.0).reshape(2, 6, 4)[:, ::2],
    "permuted": X.transpose(2, 0, 1),
    "backwards": X[:, :, ::-1],
    "repeated": numpy.broadcast_to(X[0], (2, 3, 4)),
}
CASES = {
    "add": lambda xp, x: x.T + 1,
    "permuted": lambda xp, x: x.transpose(1, 0, 2) * 2,
    "backwards": lambda xp, x: x.T[::-1] + 1,
    "broadcast": lambda xp, x: x.T + x.T[:1, :1],
    "row": lambda xp, x: x.swapaxes(0, 1) + x[:1, :1],
    "conflict": lambda xp, x: x.transpose(1, 0, 2) + xp.ones(x.transpose(1, 0, 2).shape),
    "astype": lambda xp, x: x.T.astype("f4"),
    "astype same": lambda xp, x: x.T.astype("f8"),
    "method copy": lambda xp, x: x.T.copy(),
    "copy": lambda xp, x: xp.copy(x.T),
    "array": lambda xp, x: xp.array(x.T),
    "ascontiguousarray": lambda xp, x: xp.ascontiguousarray(x.T),
    "zeros_like": lambda xp, x: xp.zeros_like(x.T),
    "zeros_like C": lambda xp, x: xp.zeros_like(x.T, order="C"),
    "full_like": lambda xp, x: xp.full_like(x.transpose(1, 0, 2), 3),
    "where": lambda xp, x: xp.where(x.T > 0, x.T, 1.0),
    "where of two dtypes": lambda xp, x: xp.where(x > 0, x, x.astype("c16")),
    "where of two dtypes, permuted": lambda xp, x: xp.where(x.T > 0, x.T.astype("c16"), x.T),
    "clip": lambda xp, x: xp.clip(x.T, 0, 1),
    "clip by another dtype": lambda xp, x: xp.clip(x.astype("f4"), x, x),
    "unlike signs": lambda xp, x: xp.less_equal(x.astype("u8"), x.astype("i2")),
    "round": lambda xp, x: xp.round(x.T),
    "sum 0": lambda xp, x: x.T.sum(axis=0),
    "sum 2": lambda xp, x: x.T.sum(axis=2),
    "max": lambda xp, x: x.T.max(axis=1),
    "mean": lambda xp, x: x.T.mean(axis=1),
    "argmax": lambda xp, x: x.T.argmax(axis=1),
    "cumsum": lambda xp, x: x.T.cumsum(axis=1),
    "sort": lambda xp, x: xp.sort(x.T, axis=0),
    "argsort": lambda xp, x: xp.argsort(x.T, axis=0),
    "concatenate": lambda xp, x: xp.concatenate([x.T, x.T], axis=2),
    "stack": lambda xp, x: xp.stack([x.T, x.T]),
    "pad": lambda xp, x: xp.pad(x.T, 1),
    "chain": lambda xp, x: (x.T - x.T.max(axis=0)) * 2,
    "view of a result": lambda xp, x: (x.T + 1)[1:].T,
    "reshape": lambda xp, x: (x + 1).reshape(x.size // 4, 4).T * 2,
    "nothing to do": lambda xp, x: x.T * 1,
    "positive": lambda xp, x: +x.T,
    "of a sum": lambda xp, x: x.T.sum(axis=0) + 1,
    "square": lambda xp, x: x.swapaxes(0, 2) ** 2,
}


def assert_same_layout(got, want):
    numpy.testing.assert_array_equal(got, want)
    assert [(g, n) for g, n in zip(got.strides, got.shape, strict=True) if n != 1] == [
        (w, n) for w, n in zip(want.strides, want.shape, strict=True) if n != 1
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CASES)
def test_eager(case, layout):
    x = LAYOUTS[layout]
    assert_same_layout(numpy.asarray(CASES[case](np, np.asarray(x))), CASES[case](numpy, x))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled(case, backend):
    f = np.compile(lambda x: CASES[case](np, x), backend=backend)
    for _ in range(2):
        for x in LAYOUTS.values():
            assert_same_layout(f(x), CASES[case](numpy, x))
    assert f.cache_info().uncompiled == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_strides_that_vary(backend):
    """A compilation for any strides is not one for any order of them."""
    f = np.compile(lambda x: x * 2, backend=backend)
    for n in (4, 5, 6, 7):
        for x in (numpy.ones((n, 9))[:, ::2], numpy.ones((9, n))[::2].T, numpy.ones((n, 9)), numpy.ones((9, n)).T, numpy.ones((n, 9))[::-1, ::2]):
            assert_same_layout(f(x), x * 2)


@pytest.mark.parametrize("compare", ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
def test_repeated_integers_of_unlike_signs(compare):
    x = numpy.lib.stride_tricks.as_strided(numpy.arange(2, dtype="i2"), (3, 2), (0, 2))
    for f in (lambda xp, x: getattr(xp, compare)(x.astype("u8"), x), lambda xp, x: getattr(xp, compare)(x, x.astype("u8"))):
        assert_same_layout(numpy.asarray(f(np, np.asarray(x))), f(numpy, x))
        assert_same_layout(np.compile(lambda x, f=f: f(np, x))(x), f(numpy, x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_picks_where_an_axis_has_one_element(backend):
    """Steps that are equal where an axis has one element are not where it has more."""

    def f(x):
        y = x[:, numpy.array([0, 0])]
        return y[None][numpy.array([-1, 0])], y[:, ::-1].T[numpy.array([1, 0, 1])]

    compiled = np.compile(f, backend=backend)
    for n in (2, 1, 3, 1, 2, 5):
        x = numpy.ones((n, 1), "u2")
        for got, want in zip(compiled(x), f(x), strict=True):
            assert_same_layout(got, want)
