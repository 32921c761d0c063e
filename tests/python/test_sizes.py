"""Sizes that a compiled function reads stay what varies: one compilation serves all of them, and never gives a stale answer."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, strategies as st

import fastnp as np

SIZES = (6, 9, 4, 13, 1, 2, 30, 0, 7)


def follows(function, sizes=SIZES, compiles=3, make=None):
    """The compiled function gives what the function as written gives, for each size, and is compiled no more often than that."""
    compiled = np.compile(function)
    for n in (*sizes, *sizes):
        x = make(n) if make else numpy.arange(float(n)) + 1
        try:
            want = function(x.copy())
        except Exception as error:
            with pytest.raises(type(error)):
                compiled(x.copy())
            continue
        got = compiled(x.copy())
        for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,), strict=True):
            assert type(g) is type(w), (g, w)
            if isinstance(w, numpy.ndarray):
                assert g.dtype == w.dtype
            numpy.testing.assert_allclose(g, w, rtol=1e-12)
    assert compiled.cache_info().compiles <= compiles, np.explain(compiled)(make(5) if make else numpy.ones(5))
    return compiled


def test_mean_by_hand():
    assert follows(lambda x: x.sum() / x.shape[0], SIZES[:7]).cache_info().uncompiled == 0
    follows(lambda x: x / len(x) + x.size, SIZES[:7])


def test_halves():
    follows(lambda x: (x[: x.shape[0] // 2], x[x.shape[0] // 2 :], x[::2].sum()), compiles=4)


def test_stencil_by_sizes():
    def step(x):
        n = x.shape[0]
        return x[2:n] - 2 * x[1 : n - 1] + x[: n - 2]

    follows(step, (6, 9, 4, 13, 30), compiles=2)


def test_new_arrays():
    def padded(x):
        n = x.shape[0]
        out = numpy.zeros(n + 2)
        out[1 : n + 1] = x
        out[0] = n
        return out + numpy.ones((n + 2,)) * numpy.full(n + 2, 0.5)

    follows(padded, compiles=4)


def test_reshapes():
    def rows(x):
        m, k = x.shape
        return x.reshape(k, m).sum(axis=0), x.reshape(m * k), x.reshape(-1, k)[0], numpy.broadcast_to(x[0], (m, k)) + x

    follows(rows, (6, 9, 4, 13, 30), compiles=4, make=lambda n: numpy.arange(n * 3.0).reshape(n, 3))


def test_blocks():
    def blocks(x):
        n = x.shape[0] // 4 * 4
        return x[:n].reshape(n // 4, 4).sum(axis=1)

    follows(blocks, (8, 12, 9, 15, 40, 17), compiles=4)


def test_dtypes_beside_sizes():
    for dtype in ("f4", "f8", "i4", "i2", "u1", "?"):
        follows(
            lambda x: (x + x.shape[0], x * len(x), x / x.shape[0], x > x.shape[0], numpy.minimum(x, len(x))),
            (6, 9, 4, 13, 30),
            make=lambda n, dtype=dtype: numpy.arange(n).astype(dtype),
        )


def test_branches_on_sizes():
    def branch(x):
        n = x.shape[0]
        if n > 10:
            return x * 2
        if n % 2 == 0:
            return x + n
        return x - n

    follows(branch, compiles=10)


def test_loops_over_sizes():
    def loop(x):
        total = 0.0
        for i in range(x.shape[0]):
            total = total + x[i] * i
        return total

    follows(loop, (3, 4, 5, 3, 4, 5), compiles=8)


def test_sizes_as_numbers():
    def numbers(x):
        n = x.shape[0]
        return x * (1.0 / n), math.sqrt(n), n, n // 2, -n, f"{n}", [0] * n, isinstance(n, int), type(n) is int, max(n, 3), n**2

    compiled = np.compile(numbers)
    for n in (5, 6, 7, 5, 6, 7):
        got, want = compiled(numpy.arange(1.0, n + 1)), numbers(numpy.arange(1.0, n + 1))
        numpy.testing.assert_array_equal(got[0], want[0])
        assert got[1:] == want[1:]
        assert [type(g) for g in got[1:]] == [type(w) for w in want[1:]]


def test_sizes_in_numpys_own_functions():
    def f(x):
        n = x.shape[0]
        count, half = numpy.prod(x.shape), numpy.multiply(n, 0.5)
        return (
            x / count,
            x * half,
            numpy.maximum(n, 4) * x,
            numpy.array([n, 2]) + 1,
            x.sum() / numpy.float32(n),
            numpy.multiply(n, x),
            numpy.float32(2) * n * x,
        )

    compiled = np.compile(f, cache_size_limit=32)
    for n in (3, 5, 6, 7, 3, 5):
        for dtype in ("f4", "f8"):
            x = numpy.arange(n).astype(dtype)
            for got, want in zip(compiled(x), f(x), strict=True):
                assert type(got) is type(want) and got.dtype == want.dtype, (got, want)
                numpy.testing.assert_allclose(got, want, rtol=1e-6)


def test_sizes_that_are_returned_are_of_the_call():
    compiled = np.compile(lambda x: (x * 2, x.shape, len(x) + 1))
    for n in SIZES[:5]:
        doubled, shape, more = compiled(numpy.ones(n))
        assert (shape, more) == ((n,), n + 1)
        assert type(shape[0]) is int and type(more) is int
        assert doubled.shape == shape
    assert compiled.cache_info().compiles == 2


def test_sizes_in_effects(capsys):
    seen = []

    @np.compile
    def f(x):
        print("size", x.shape[0], x.shape)
        seen.append(x.shape[0])
        return x + 1

    for n in (3, 4, 5, 6):
        f(numpy.ones(n))
        assert capsys.readouterr().out == f"size {n} ({n},)\n"
    assert seen == [3, 4, 5, 6]
    assert f.cache_info().compiles == 2


def test_comparisons_of_shapes():
    def f(x, y):
        if x.shape == y.shape:
            return x + y
        if x.shape[0] < y.shape[0]:
            return x.sum() + y
        return x + y.sum()

    compiled = np.compile(f)
    for n, m in ((3, 3), (4, 4), (5, 5), (3, 4), (5, 7), (9, 2), (8, 3), (6, 6), (2, 9)):
        x, y = numpy.arange(float(n)), numpy.arange(float(m)) * 2
        numpy.testing.assert_allclose(compiled(x, y), f(x, y))
    assert compiled.cache_info().compiles <= 6


def test_indices_by_size():
    follows(lambda x: (x[x.shape[0] - 1], x[x.shape[0] // 3]), SIZES[:7], compiles=4)
    follows(lambda x: x[x.shape[0]], SIZES[:3], compiles=0)  # IndexError each time


@given(st.lists(st.integers(0, 12), min_size=3, max_size=6), st.integers(0, 10_000))
def test_random_slices_by_sizes(sizes, seed):
    rng = numpy.random.default_rng(seed)
    a, b, step, shift = int(rng.integers(-3, 4)), int(rng.integers(-3, 4)), int(rng.choice([1, 2, 3, -1, -2])), int(rng.integers(1, 4))

    def f(x):
        n = x.shape[0]
        half = n // shift
        y = x[half + a : n + b : step] * 2
        z = numpy.zeros(n)
        z[half:] = x[half:] + len(y)
        return y, z, y.shape[0] + half

    compiled = np.compile(f, cache_size_limit=64)
    for n in sizes:
        x = numpy.arange(float(n))
        for got, want in zip(compiled(x), f(x), strict=True):
            numpy.testing.assert_array_equal(got, want)


def test_rounding_sizes():
    f = np.compile(lambda x: (x, round(len(x), -1), round(len(x))), fullgraph=True)
    for n in (14, 15, 16, 26):
        assert f(numpy.ones(n))[1:] == (round(n, -1), n)


TOO_BIG = (
    lambda m, x: m.zeros(2**62),
    lambda m, x: m.zeros(2**63),
    lambda m, x: m.ones((2**32, 2**32), "i1"),
    lambda m, x: m.empty((2**61, 4)),
    lambda m, x: m.full(2**60, 2.0),
    lambda m, x: m.identity(2**62),
    lambda m, x: m.eye(2**40),
    lambda m, x: m.arange(2**62),
    lambda m, x: m.arange(1e30),
    lambda m, x: m.arange(-float("inf")),
    lambda m, x: m.arange(float("nan")),
    lambda m, x: m.linspace(0, 1, 2**62),
    lambda m, x: m.pad(x, 2**62),
    lambda m, x: m.tile(x, 2**62),
    lambda m, x: m.repeat(x, 2**62),
    lambda m, x: x.reshape(2**62, -1),
    lambda m, x: x.reshape(2**63),
    lambda m, x: m.broadcast_to(m.ones((1, 1)), (2**40, 2**20)) + 1,
    lambda m, x: m.diag(m.broadcast_to(m.ones(1), 2**40)),
    lambda m, x: m.concatenate([m.broadcast_to(m.ones(1), 2**59)] * 4),
)


@pytest.mark.parametrize("case", range(len(TOO_BIG)))
def test_sizes_that_no_memory_has_are_value_errors(case):
    make = TOO_BIG[case]
    with pytest.raises(ValueError), numpy.errstate(over="ignore"):
        make(numpy, numpy.ones(3))
    with pytest.raises(ValueError):
        make(np, np.ones(3))
    compiled = np.compile(lambda x: make(np, x))
    for n in (3, 5):
        with pytest.raises(ValueError):
            compiled(numpy.ones(n))


def test_numbers_that_are_too_big_for_sizes_are_numbers():
    cases = (
        lambda m, x: m.arange(2**62, 2**62 + 4),
        lambda m, x: m.full(3, 2**62),
        lambda m, x: m.where(x > 2, 2**62, -1),
        lambda m, x: x * 2**62,
        lambda m, x: (x[: 2**62], x[2**62 :], x[-(2**62) :], x[:: 2**62], x[: 10**30 : 10**20]),
        lambda m, x: m.roll(x, 2**62 + 3),
        lambda m, x: m.eye(3, k=2**62),
    )
    x = numpy.arange(5.0)
    for case in cases:
        want = case(numpy, x)
        for got in (case(np, np.asarray(x)), np.compile(lambda x, case=case: case(np, x))(x)):
            for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,), strict=True):
                assert g.dtype == w.dtype
                numpy.testing.assert_array_equal(numpy.asarray(g), w)
    for index in (2**62, 2**63 - 1, -(2**62)):
        for f in (lambda x, index=index: x[index], lambda x, index=index: x.take(index)):
            with pytest.raises(IndexError):
                f(np.asarray(x))
            with pytest.raises(IndexError):
                np.compile(f)(x)


def test_axes_that_are_no_ints():
    x = np.ones((2, 3))
    for f in (lambda x: x.sum(2**32), lambda x: np.swapaxes(x, 2**32, 1), lambda x: np.expand_dims(x, 2**32)):
        for call in (f, np.compile(f)):
            with pytest.raises((ValueError, OverflowError)):  # NumPy has both
                call(x)


def test_axes_that_become_empty():
    cases = (
        (lambda np, a: np.trace(a), [(5, 0), (5, 4), (0, 5), (5, 0)]),
        (lambda np, a: np.einsum("ii", a), [(0, 0), (4, 4), (0, 0)]),
        (lambda np, a: np.diagonal(a, 1).sum(-1), [(5, 1), (5, 4), (0, 5), (3, 5, 1), (3, 5, 4)]),
        (lambda np, a: np.diagonal(a, -1).sum(-1), [(1, 5), (5, 4), (0, 5), (1, 5)]),
        (lambda np, x: x[np.zeros(len(x), int)].sum(), [(4,), (0,), (1,), (3,)]),
        (lambda np, x: x[2:][np.zeros(len(x) - 2, int)].sum(), [(4,), (2,), (3,)]),
        (lambda np, x: (x[2:][np.zeros(len(x) - 2, int)] * 2 + np.arange(3.0)[:, None]).sum(1), [(4,), (2,), (3,)]),
        (lambda np, x: np.max(x[2:] * 2, initial=1.0) + x[2:].sum(), [(4,), (2,), (3,)]),
        (lambda np, x: np.stack([x[2:], x[2:]]).sum(1), [(4,), (2,), (3,)]),
        (lambda np, x: (x[2:, None] + np.zeros(3)).sum(0), [(4,), (2,), (3,)]),
        (lambda np, x: (x[2:] + np.zeros((3, 1))).sum(1), [(4,), (2,), (3,)]),
        (lambda np, x: np.broadcast_to(x[2:3], (3, 0)).sum(1), [(4,), (3,), (5,)]),
        (lambda np, x: np.cumsum(x[2:]), [(4,), (2,), (3,)]),
    )
    for case, shapes in cases:
        compiled = np.compile(lambda x, case=case: case(np, x))
        for shape in shapes:
            x = numpy.arange(float(numpy.prod(shape))).reshape(shape)
            numpy.testing.assert_array_equal(numpy.asarray(compiled(np.asarray(x))), case(numpy, x))
