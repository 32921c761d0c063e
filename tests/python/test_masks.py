"""Arrays whose sizes depend on values: as NumPy's, at once and compiled, one compilation for all sizes whose course is the same."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings, strategies as st
from support import BACKENDS, assert_same, is_scalar, outcome

import fastnp as np

RNG = numpy.random.default_rng(5)
DTYPES = ["f8", "f4", "f2", "i8", "i2", "u1", "c16", "?"]


def picked(x):
    return x[x > 1]


def places(x):
    return (*numpy.nonzero(x), numpy.flatnonzero(x), numpy.argwhere(x), *numpy.where(x))


def counted(x):
    count = numpy.count_nonzero(x)
    return numpy.zeros((2, count)), numpy.arange(count), x.reshape(-1)[:count], count


def different(x):
    return (numpy.unique(x), *numpy.unique(x, return_index=True, return_inverse=True, return_counts=True))


def gathered(x):
    big = x > 1
    y = x.copy()
    y[big] = x[big] + 1
    return y, numpy.concatenate([x[big], x[~big]]), x[big].sum()


def stored(x):
    x[x > 1] *= 2
    return x[x > 2] - x[x > 2]


PROGRAMS = [picked, places, counted, different, gathered, stored]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_arrays(program, backend, data):
    f = np.compile(program, backend=backend)
    raised = False
    dtype = data.draw(st.sampled_from(DTYPES))
    rank = data.draw(st.integers(1, 3))
    for _ in range(data.draw(st.integers(1, 4))):
        shape = tuple(data.draw(st.integers(0, 5)) for _ in range(rank))
        values = numpy.random.default_rng(data.draw(st.integers(0, 1000))).integers(0, 4, shape).astype(dtype)
        if dtype[0] == "f" and values.size and data.draw(st.booleans()):
            values.flat[data.draw(st.integers(0, values.size - 1))] = numpy.nan
        if data.draw(st.booleans()):
            values = values.T.copy().T
        mine, theirs = values.copy(order="K"), values.copy(order="K")
        want = outcome(program, mine)
        assert_same(outcome(f, theirs), want)
        numpy.testing.assert_array_equal(theirs, mine)
        raised = raised or isinstance(want, Exception)
    assert raised or f.cache_info().uncompiled == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_compilation_for_all_counts(backend):
    f = np.compile(lambda x: (x[x > 0] * 2).sum() + numpy.unique(numpy.floor(x)).sum(), backend=backend, fullgraph=True)
    for seed in range(50):
        x = numpy.random.default_rng(seed).normal(size=100)
        numpy.testing.assert_allclose(f(x), (x[x > 0] * 2).sum() + numpy.unique(numpy.floor(x)).sum())
    assert f.cache_info().compiles == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_course_for_each_answer_about_a_size(backend):
    def f(x):
        chosen = x[x > 0]
        return chosen.mean() if len(chosen) > 0 else numpy.float64(0)

    compiled = np.compile(f, backend=backend, fullgraph=True)
    for count in (3, 5, 0, 1, 0, 7):
        x = numpy.where(numpy.arange(8) < count, 1.5, -1.5)
        assert compiled(x) == f(x)
    info = compiled.cache_info()
    assert (info.compiles, info.hits, info.uncompiled) == (2, 4, 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_that_do_not_go_together_raise_as_written(backend):
    def f(x, y):
        return x[x > 0] + y[y > 0]

    compiled = np.compile(f, backend=backend)
    x, y = numpy.array([1.0, -1, 2]), numpy.array([1.0, 2, -3])
    numpy.testing.assert_array_equal(compiled(x, y), f(x, y))
    with pytest.raises(ValueError, match="could not be broadcast together"):
        compiled(x, numpy.array([1.0, 2, 3]))
    numpy.testing.assert_array_equal(compiled(y, x), f(y, x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_masks_beside_slices_and_further_axes(backend):
    def f(x):
        return x[x[:, 0] > 0], x[:, x.sum(axis=0) > 0], numpy.compress(x[0] > 0, x, axis=1), numpy.extract(x > 0, x)

    compiled = np.compile(f, backend=backend, fullgraph=True)
    for shape in ((4, 5), (4, 5), (3, 6), (1, 1)):
        x = RNG.normal(size=shape)
        for got, want in zip(compiled(x), f(x), strict=True):
            numpy.testing.assert_array_equal(got, want)


def test_wrong_masks_raise_numpys_errors():
    x = numpy.arange(4.0)
    compiled = np.compile(lambda x, m: x[m])
    with pytest.raises(IndexError, match="boolean index did not match indexed array along axis 0"):
        compiled(x, numpy.ones(3, bool))
    with pytest.raises(ValueError, match="0d"):
        np.compile(numpy.nonzero)(numpy.array(1.0))


def test_eager_functions():
    x = np.asarray([[0, 2, 2], [1, 0, 3]])
    for name in ("nonzero", "flatnonzero", "argwhere", "unique"):
        assert_same(convert(getattr(np, name)(x)), getattr(numpy, name)(numpy.asarray(x)))
    for array in (x, numpy.asarray(x)):
        count = np.count_nonzero(array)
        assert is_scalar(count) and count.dtype == numpy.intp and count == 4
    assert np.count_nonzero(x, axis=1).tolist() == [2, 2]
    assert np.extract(x > 1, x).tolist() == [2, 2, 3]


def convert(value):
    return tuple(numpy.asarray(each) for each in value) if isinstance(value, tuple) else numpy.asarray(value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_ranges_and_sizes_from_values(backend):
    def f(x):
        n = x.astype(int).sum()
        return numpy.arange(n), numpy.arange(x.shape[0]), numpy.arange(1, len(x)), numpy.ones(n), x[:n]

    compiled = np.compile(f, backend=backend, fullgraph=True)
    for size in (3, 4, 6, 9):
        x = numpy.ones(size)
        x[0] = 2
        assert_same(compiled(x), f(x))
    assert compiled.cache_info().compiles <= 2
