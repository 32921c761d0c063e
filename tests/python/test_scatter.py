"""Elements picked by integer arrays and masks: read and written in compiled functions as NumPy does it, and compiled."""

from __future__ import annotations

import numpy
import pytest
from support import BACKENDS

import fastnp as np

RNG = numpy.random.default_rng(3)
INDEX = numpy.array([0, 3, -1, 3, 1])
PAIR = numpy.array([[0, 2], [1, -1]])


def both(function, *arguments, compiles=1):
    """Results and changed arguments as NumPy's, twice; compiled where `compiles` says so."""
    for backend in BACKENDS:
        f = np.compile(function, backend=backend)
        for _ in range(2):
            mine, theirs = [numpy.array(x, copy=True) for x in arguments], [numpy.array(x, copy=True) for x in arguments]
            try:
                want = function(*mine)
            except Exception as error:
                with pytest.raises(type(error)) as raised:
                    f(*theirs)
                assert str(raised.value) == str(error)
            else:
                got = f(*theirs)
                assert got.dtype == want.dtype
                numpy.testing.assert_allclose(got, want, rtol=1e-6)
            for x, y in zip(theirs, mine, strict=True):
                numpy.testing.assert_allclose(x, y, rtol=1e-6)
        if compiles is not None:
            info = f.cache_info()
            assert (info.compiles, info.uncompiled) == (compiles, 0), np.explain(f)(*arguments)


def set_rows(x, i, v):
    x[i] = v
    return x * 1


def set_columns(x, i, v):
    x[:, i] = v
    return x.sum(axis=0)


def set_pairs(x, i, j, v):
    x[i, j] = v
    return x[i, j] + 1


def set_mask(x, v):
    x[x > 0] = v
    return x * 2


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "u1", "c16", "?"])
def test_rows(dtype):
    x = RNG.integers(0, 9, (5, 3)).astype(dtype)
    for values in (numpy.float64(2), RNG.integers(0, 5, 3), RNG.integers(0, 5, (5, 1)), RNG.integers(0, 5, (5, 3))):
        both(set_rows, x, INDEX, values.astype(dtype))
        both(set_rows, x.T.copy().T, INDEX, values.astype(dtype))
    both(lambda x, i: set_rows(x, i, 2), x, PAIR)
    both(lambda x, i: set_rows(x, i, 1), x[:, 0].copy(), INDEX)
    both(lambda x: set_rows(x, [0, 2], 1), x)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("function", "steps"),
    [
        (lambda x, i, v: x.__setitem__(i, v), 1),
        (lambda x, i, v: numpy.add.at(x, i, v), 1),
        (lambda x, i, v: x[1:].__setitem__(i[1:], v[1:]), 2),  # a part: the scatter is stored there
        (lambda x, i, v: x.__setitem__(i, x[: i.size]), 2),  # reads what it writes
    ],
)
def test_scatters_are_done_in_place(function, steps, backend):
    f = np.compile(function, backend=backend, fullgraph=True)
    x, v = RNG.normal(size=9), RNG.normal(size=5)
    mine = x.copy()
    function(mine, INDEX, v)
    f(x, INDEX, v)
    numpy.testing.assert_array_equal(x, mine)
    assert len(np.explain(f)(x, INDEX, v).kernels) == steps
    before = x.copy()
    with pytest.raises(IndexError):
        f(x, numpy.array([0, 1, 99, 2, 3]), v)
    numpy.testing.assert_array_equal(x, before)


def test_columns_and_pairs():
    x = RNG.normal(size=(4, 6))
    both(set_columns, x, INDEX, 3.0)
    both(set_columns, x, INDEX, RNG.normal(size=(4, 5)))
    both(set_columns, x, INDEX, RNG.normal(size=(4, 1)))
    both(set_pairs, x, INDEX, numpy.array([5, 0, -6, 1, 2]), RNG.normal(size=5))
    both(set_pairs, x, PAIR, PAIR[::-1], RNG.normal(size=(2, 2)))
    both(set_pairs, x, PAIR[:, :1], PAIR[:1], 7.0)
    both(lambda x, i, j: x[i, j] * 2, RNG.normal(size=(4, 4, 3)), PAIR, PAIR)


def test_views_are_written_through():
    def f(x, i):
        x[1:][i] = 9
        x.T[i] = 5
        x[::-1][i] += 1
        return x + 0

    both(f, RNG.normal(size=(6, 6)), numpy.array([0, 2]))


def test_repeated_indices_combine():
    for name in ("add", "subtract", "multiply", "minimum", "maximum"):

        def f(x, i, v, name=name):
            getattr(numpy, name).at(x, i, v)
            return x * 1

        both(f, RNG.normal(size=5), INDEX, RNG.normal(size=5))
        both(f, RNG.normal(size=(5, 3)), INDEX, RNG.normal(size=(5, 3)))
        both(f, RNG.normal(size=(5, 3)), INDEX, 2.0)
        both(f, RNG.integers(0, 9, 5), INDEX, 3)
    both(lambda x, i, j, v: (numpy.add.at(x, (i, j), v), x * 1)[1], RNG.normal(size=(4, 5)), INDEX, INDEX, RNG.normal(size=5))


def test_a_histogram():
    def histogram(x, bins):
        counts = numpy.zeros(bins.shape[0])
        numpy.add.at(counts, numpy.floor(x * bins.shape[0]).astype("i8"), 1)
        return counts

    both(histogram, RNG.random(200), numpy.zeros(10))


def test_masks_with_a_value_for_each():
    for values in ([5.0, 6.0], [[5.0]], 3.0):
        both(set_mask, numpy.array([1.0, -2.0, 3.0]), numpy.array(values)) if numpy.ndim(values) < 2 else None
    both(set_mask, numpy.array([[1, -2], [3, 4]]), numpy.array([7, 8, 9]))

    def rows(x, mask, v):
        x[mask] = v
        return x + 1

    both(rows, RNG.normal(size=(4, 3)), numpy.array([True, False, True, False]), RNG.normal(size=(2, 3)))
    both(rows, RNG.normal(size=(4, 3)), numpy.array([True, False, True, False]), RNG.normal(size=(2, 1)))
    both(rows, RNG.normal(size=(4, 3)), numpy.zeros(4, bool), RNG.normal(size=(0, 3)))


def test_another_number_of_true_values_is_another_course():
    f = np.compile(set_mask)
    for x in ([1.0, -2.0, 3.0], [1.0, 2.0, -3.0], [1.0, 2.0, 3.0], [1.0, 2.0, -3.0]):
        x = numpy.array(x)
        values = numpy.arange((x > 0).sum()) + 10.0
        numpy.testing.assert_array_equal(f(x.copy(), values), set_mask(x.copy(), values))
    with pytest.raises(ValueError, match="cannot assign 3 input values to the 2 output values where the mask is true"):
        f(numpy.array([1.0, -1.0, 2.0]), numpy.ones(3))


def test_errors_are_numpys():
    x = RNG.normal(size=(3, 2))
    both(set_rows, x, numpy.array([0, 3]), 1.0, compiles=None)
    both(set_rows, x, numpy.array([0, -4]), 1.0, compiles=None)
    both(set_rows, x, numpy.array([0, 1]), numpy.ones(3), compiles=None)
    both(set_pairs, x, numpy.array([0, 1]), numpy.array([0, 2]), 1.0, compiles=None)
    both(set_pairs, x, numpy.array([0, 1]), numpy.array([0, 1, 1]), 1.0, compiles=None)
    both(lambda x, i, v: (numpy.add.at(x, i, v), x)[1], numpy.arange(3), INDEX[:2], 0.5, compiles=None)


def test_an_index_out_of_bounds_after_a_write_is_as_written():
    def f(x, i):
        x[0] = 100
        x[i] = 5
        return x * 1

    g = np.compile(f)
    for index in ([1, 2], [0, 0], [1, 7], [2, 2]):
        mine, theirs = numpy.arange(3.0), numpy.arange(3.0)
        try:
            want = f(mine, numpy.array(index))
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                g(theirs, numpy.array(index))
        else:
            numpy.testing.assert_array_equal(g(theirs, numpy.array(index)), want)
        numpy.testing.assert_array_equal(theirs, mine)


MIXED = [
    lambda x, i, j: x[..., j],
    lambda x, i, j: x[i, :, j],
    lambda x, i, j: x[1, j],
    lambda x, i, j: x[:, i, j],
    lambda x, i, j: x[:, j, 1:3],
    lambda x, i, j: x[:, i, None, j],
    lambda x, i, j: x[::-1, [1, 2, -1]],
    lambda x, i, j: x[:, i, ..., j],
    lambda x, i, j: x[-1, :, i[:, None] % 3],
    lambda x, i, j: x[x[:, :, 0] > 5, 1],
]


@pytest.mark.parametrize("pick", MIXED)
def test_arrays_beside_slices_and_numbers(pick):
    x, i, j = numpy.arange(60.0).reshape(4, 3, 5), numpy.array([2, 0, 1, 1]), numpy.array([1, 2, -1, 0])
    both(pick, x, i, j)


def set_last(x, i, j, v):
    x[..., j] = v
    return x * 1


def set_split(x, i, j, v):
    x[i, :, j] = v[:, :, 0]
    return x * 1


def set_inner(x, i, j, v):
    x[:, i, j] = v[:, 0, :4]
    return x * 1


def add_inner(x, i, j, v):
    numpy.add.at(x, (slice(None), i, j), v[:, 1, :4])
    return x * 1


def set_beside_a_number(x, i, j, v):
    x[1, j] = v[0]
    return x * 1


@pytest.mark.parametrize("function", [set_last, set_split, set_inner, add_inner, set_beside_a_number])
def test_writes_beside_slices_and_numbers(function):
    x, i, j = numpy.arange(60.0).reshape(4, 3, 5), numpy.array([2, 0, 1, 1]), numpy.array([1, 2, -1, 0])
    if function is set_beside_a_number:
        j = j[:3]
    both(function, x, i, j, numpy.arange(100.0, 160.0).reshape(4, 3, 5)[:, :, : 4 if function is set_last else 5])
