"""Subscripts, by property against NumPy."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy
import pytest
from hypothesis import given
from hypothesis.extra import numpy as extra

import fastnp as np

SHAPES = extra.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


def numbered(shape):
    return numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)


@st.composite
def shapes_and_subscripts(draw):
    shape = draw(SHAPES)
    return shape, draw(extra.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))


@given(shapes_and_subscripts())
def test_basic_subscripts_are_views_as_numpys(case):
    shape, subscript = case
    source = numbered(shape)
    want, got = source[subscript], np.asarray(source)[subscript]
    numpy.testing.assert_array_equal(numpy.asarray(got), want)
    assert type(got) is (np.ndarray if isinstance(want, numpy.ndarray) else type(want))
    if isinstance(want, numpy.ndarray):
        assert got.strides == want.strides or want.size <= 1
        assert want.size == 0 or numpy.shares_memory(numpy.asarray(got), source)


@given(shapes_and_subscripts())
def test_assignment_through_basic_subscripts(case):
    shape, subscript = case
    want, got = numbered(shape), numbered(shape)
    value = -want[subscript]
    want[subscript] = value
    np.asarray(got)[subscript] = value
    numpy.testing.assert_array_equal(got, want)


@st.composite
def shapes_and_arrays(draw):
    shape = draw(extra.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=5))
    return shape, draw(extra.integer_array_indices(shape, result_shape=extra.array_shapes(max_dims=2, max_side=4)))


@given(shapes_and_arrays())
def test_arrays_of_integers_as_subscripts(case):
    shape, subscript = case
    source = numbered(shape)
    for key in (subscript, tuple(np.asarray(part) for part in subscript), subscript[0], np.asarray(subscript[0])):
        plain = tuple(numpy.asarray(part) for part in key) if isinstance(key, tuple) else numpy.asarray(key)
        numpy.testing.assert_array_equal(numpy.asarray(np.asarray(source)[key]), source[plain])


def test_masks():
    source = numbered((3, 4))
    x = np.asarray(source.copy())
    assert x[x % 2 == 0].tolist() == source[source % 2 == 0].tolist()
    x[x > 5] = 0
    assert x.tolist() == numpy.where(source > 5, 0, source).tolist()
    x[np.array([True, False, True])] = np.arange(4)
    assert x[2].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("subscript", [5, -6, (0, 9), (slice(None), 4), (0, 0, 0), (..., ...), 1.5, "a", (slice("a"),)], ids=repr)
def test_errors_are_numpys(subscript):
    source = numbered((5, 4))
    with pytest.raises(Exception) as theirs:
        source[subscript]
    with pytest.raises(theirs.type) as ours:
        np.asarray(source)[subscript]
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("where", [0, 1])
def test_axes_without_elements(where):
    """An index into one is an error in NumPy's words (numpy.take has others), no index is none."""
    places, none = numpy.array([[4, 2]]), numpy.zeros((0, 2), int)
    shape = (0, 3) if where == 0 else (3, 0)

    def key(index):
        return (slice(None),) * where + (index,)

    def store(x, index):
        x[key(index)] = 1
        return x

    for f in (lambda x, index: x[key(index)], lambda x, index: x[index, index] if where == 0 else x[index * 0, index], store):
        for made in (f, np.compile(f), np.compile(f, fullgraph=True)):
            with pytest.raises(IndexError) as theirs:
                f(numpy.zeros(shape), places)
            with pytest.raises(IndexError) as ours:
                made(np.zeros(shape), np.asarray(places))
            assert str(ours.value) == str(theirs.value)
            numpy.testing.assert_array_equal(numpy.asarray(made(np.zeros(shape), np.asarray(none))), f(numpy.zeros(shape), none))
    for made in (numpy.take, np.compile(lambda x, index, axis: numpy.take(x, index, axis=axis))):
        with pytest.raises(IndexError, match="non-empty take from an empty axes"):
            made(np.zeros(shape), places, where)


def test_assignment_converts_as_numpy():
    x = np.zeros(3, np.uint8)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
        x[0] = 300
    x[0] = 2.7
    x[1:] = [3, 4]
    assert x.tolist() == [2, 3, 4]
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(2,\)"):
        x[1:] = np.arange(3)
    with pytest.raises(ValueError, match="cannot delete array elements"):
        del x[0]


def test_overlapping_assignment():
    want, got = numpy.arange(8), np.arange(8)
    want[1:] = want[:-1]
    got[1:] = got[:-1]
    assert got.tolist() == want.tolist()


@pytest.mark.filterwarnings("ignore::fastnp.RecompileWarning")
def test_take_from_an_axis_without_elements():
    """NumPy looks at no index where nothing lies before the axis, and at each where nothing lies behind it."""

    def outcome(take, x, indices, axis, mode):
        try:
            return take(x, indices, axis, mode).shape
        except IndexError as error:
            return str(error)

    take = [lambda x, indices, axis, mode, module=module: module.take(x, indices, axis=axis, mode=mode) for module in (numpy, np)]
    compiled = [np.compile(take[0], backend=backend) for backend in ("llvm", "eager")]
    for shape in [(0,), (0, 0), (3, 0), (0, 3), (0, 2, 0), (2, 0, 3), (0, 0, 3), (3, 0, 0), (0, 3, 2)]:
        x = numpy.zeros(shape)
        for axis, size in enumerate(shape):
            for indices in ([0], [7], [-1], []):
                for mode in ("raise", "clip", "wrap") if size else ("raise", "clip"):  # NumPy has no end there
                    given = x, numpy.array(indices, int), axis, mode
                    want = outcome(take[0], *given)
                    for each in (take[1], *compiled):
                        assert outcome(each, *given) == want, (shape, axis, indices, mode)
    gradient = np.grad(lambda x: np.take(x, [0], axis=1).sum())(numpy.zeros((0, 0)))
    assert gradient.shape == (0, 0)
