"""Functions besides ufuncs, against NumPy: by property where there are many arguments, else by example."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy
import pytest
from hypothesis import given
from hypothesis.extra import numpy as extra
from support import is_scalar

import fastnp as np


@st.composite
def reductions(draw):
    source = draw(extra.arrays(st.sampled_from([numpy.int32, numpy.float64]), extra.array_shapes(max_dims=4, max_side=4), elements=st.integers(-8, 8)))
    axis = draw(st.one_of(st.none(), extra.valid_tuple_axes(source.ndim), st.integers(-source.ndim, source.ndim - 1)))
    options = {"axis": axis, "keepdims": draw(st.booleans())}
    if draw(st.booleans()):
        options["initial"] = draw(st.integers(-3, 3))
    if draw(st.booleans()):
        options["where"] = draw(extra.arrays(bool, source.shape))
        options.setdefault("initial", 1)
    return source, options


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"])
@pytest.mark.parametrize(("shape", "mask"), [((3,), (2, 3)), ((1, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (3,)), ((2, 3), ()), ((), (3,)), ((3,), (4,))])
def test_masks_do_not_make_arrays_larger(name, shape, mask):
    initial = {"initial": 0} if name in ("max", "min") else {}
    for compiles in (False, True):
        results = []
        for m in (numpy, np):
            function = lambda x, m=m: getattr(m, name)(x, where=m.ones(mask, bool), **initial)  # noqa: E731  # one of two forms
            try:
                results.append((np.compile(function) if compiles and m is np else function)(m.ones(shape)))
            except ValueError:
                results.append("ValueError")
        assert numpy.array_equal(*results)


@given(reductions(), st.sampled_from(["sum", "prod", "max", "min"]))
def test_reductions_with_every_keyword(case, name):
    source, options = case
    want = getattr(numpy, name)(source, **options)
    ours = {key: np.asarray(value) if key == "where" else value for key, value in options.items()}
    got = getattr(np, name)(np.asarray(source), **ours)
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-14)
    assert got.dtype == want.dtype and got.shape == want.shape and is_scalar(got) == isinstance(want, numpy.generic)


@given(reductions(), st.sampled_from(["mean", "var", "std", "any", "all"]))
def test_other_reductions_with_every_keyword(case, name):
    source, options = case
    options.pop("initial", None)
    if name in ("mean", "var", "std"):
        options.pop("where", None)
    want = getattr(numpy, name)(source, **options)
    got = getattr(np, name)(np.asarray(source), **options)
    numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-12, atol=1e-14)
    assert got.dtype == want.dtype and got.shape == want.shape


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f2", "f4", "c8"])
def test_dtypes_of_reductions(dtype):
    source = numpy.ones((2, 3), dtype)
    for name in ("sum", "prod", "cumsum", "cumprod", "mean", "var", "std", "max", "argmax", "any"):
        assert getattr(np, name)(np.asarray(source)).dtype == getattr(numpy, name)(source).dtype, name
    assert np.sum(np.asarray(source), dtype="f8").dtype == np.float64
    assert np.mean(np.asarray(source), dtype="c16").dtype == np.complex128


@given(st.data())
def test_reshape_and_transpose(data):
    source = numpy.arange(24).reshape(data.draw(st.sampled_from([(2, 3, 4), (24,), (6, 4), (2, 2, 6)])))
    x, plain = np.asarray(source), source
    for _ in range(3):
        order = data.draw(st.permutations(range(plain.ndim)))
        x, plain = x.transpose(order), plain.transpose(order)
        shape = data.draw(st.sampled_from([(-1,), (4, -1), (2, 12), (3, 2, 4), (1, 24, 1)]))
        x, plain = x.reshape(shape), plain.reshape(shape)
        assert x.shape == plain.shape and x.tolist() == plain.tolist()


def same(ours, theirs):
    assert type(ours) is np.ndarray and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)


def test_making_arrays():
    for m in (np, numpy):
        assert m.zeros((2, 3)).dtype == m.ones(2).dtype == m.empty(0).dtype == float
    for make in (
        lambda m: m.zeros((2, 3), int),
        lambda m: m.ones(3, "f4"),
        lambda m: m.full((2,), 7),
        lambda m: m.full((2, 2), [1.5, 2]),
        lambda m: m.full(3, 1, "i1"),
        lambda m: m.arange(5),
        lambda m: m.arange(2, 9, 3),
        lambda m: m.arange(0.0, 1.0, 0.3),
        lambda m: m.arange(5, dtype="f4"),
        lambda m: m.arange(5, 0, -2),
        lambda m: m.linspace(0, 1, 7),
        lambda m: m.linspace(0, 5, 5, endpoint=False),
        lambda m: m.linspace(1, 2, 3, dtype="f4"),
        lambda m: m.eye(3),
        lambda m: m.eye(2, 3, 1, dtype=int),
        lambda m: m.identity(2),
        lambda m: m.zeros_like(m.arange(3)),
        lambda m: m.ones_like(m.zeros((2, 2), "f4")),
        lambda m: m.full_like(m.arange(3), 2.7),
        lambda m: m.full_like(m.arange(3), 2.5, dtype=float),
        lambda m: m.array([[1, 2], [3, 4]]),
        lambda m: m.array([1, 2.5]),
        lambda m: m.array(5, ndmin=2),
        lambda m: m.array([1, 2], "c8"),
        lambda m: m.asarray([True, False]),
        lambda m: m.array([]),
    ):
        same(make(np), make(numpy))
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        np.zeros(-1)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for int8"):
        np.array([300], np.int8)
    assert np.compiler.fallbacks() == {}


def test_arranging():
    a, b = numpy.arange(6).reshape(2, 3), numpy.arange(6, 12).reshape(2, 3)
    for make in (
        lambda m, a, b: m.concatenate([a, b]),
        lambda m, a, b: m.concatenate((a, b), axis=1),
        lambda m, a, b: m.concatenate([a, b], axis=None),
        lambda m, a, b: m.concatenate([a, b * 0.5]),
        lambda m, a, b: m.concatenate([a, b], dtype=float),
        lambda m, a, b: m.stack([a, b], -1),
        lambda m, a, b: m.vstack([a, b]),
        lambda m, a, b: m.hstack([a, b]),
        lambda m, a, b: m.vstack([a[0], b[0]]),
        lambda m, a, b: m.hstack([a[0], b[0]]),
        lambda m, a, b: m.column_stack([a[0], b[0]]),
        lambda m, a, b: m.swapaxes(a, 0, 1),
        lambda m, a, b: m.moveaxis(m.stack([a, b]), 0, -1),
        lambda m, a, b: m.moveaxis(m.stack([a, b]), (0, 1), (2, 0)),
        lambda m, a, b: m.expand_dims(a, 1),
        lambda m, a, b: m.expand_dims(a, (0, 3)),
        lambda m, a, b: m.squeeze(a[:, None, :1]),
        lambda m, a, b: m.squeeze(a[:, None], axis=1),
        lambda m, a, b: m.broadcast_to(a[0], (4, 3)),
        lambda m, a, b: m.flip(a),
        lambda m, a, b: m.flip(a, 1),
        lambda m, a, b: m.fliplr(a),
        lambda m, a, b: m.flipud(a),
        lambda m, a, b: m.ravel(a.T),
        lambda m, a, b: m.reshape(a, (3, 2)),
        lambda m, a, b: m.transpose(a),
        lambda m, a, b: m.pad(a, 1),
        lambda m, a, b: m.pad(a, ((1, 0), (0, 2)), constant_values=7),
        lambda m, a, b: m.take(a, [2, 0], axis=1),
        lambda m, a, b: m.take(a, [[0, 5]]),
        lambda m, a, b: m.take(a, [7, -9], mode="wrap"),
        lambda m, a, b: m.sort(-a),
        lambda m, a, b: m.argsort(-a, axis=0),
        lambda m, a, b: m.sort(-a, axis=None),
        lambda m, a, b: m.where(a > 2, a, b),
        lambda m, a, b: m.where(a > 2, 1.5, 0),
        lambda m, a, b: m.clip(a, 1, 4),
        lambda m, a, b: m.clip(a, None, 3),
        lambda m, a, b: m.clip(a, a_min=2, a_max=None),
        lambda m, a, b: m.clip(a, min=b - 6, max=4),
        lambda m, a, b: m.round(a * 0.37, 1),
        lambda m, a, b: m.atleast_2d(a[0]),
        lambda m, a, b: m.diff(a),
        lambda m, a, b: m.diff(a, 2, axis=1),
        lambda m, a, b: m.diff(a, axis=0, prepend=0),
        lambda m, a, b: m.matmul(a, b.T),
        lambda m, a, b: m.dot(a, b.T),
        lambda m, a, b: m.tensordot(a, b, 2),
        lambda m, a, b: m.tensordot(a, b, axes=([1], [1])),
        lambda m, a, b: m.outer(a, b),
        lambda m, a, b: m.inner(a, b),
        lambda m, a, b: m.matrix_transpose(a),
    ):
        ours, theirs = make(np, np.asarray(a), np.asarray(b)), make(numpy, a, b)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    for ours, theirs in zip(np.broadcast_arrays(np.asarray(a), np.asarray(a[0])), numpy.broadcast_arrays(a, a[0]), strict=True):
        same(ours, theirs)
    assert np.vdot(np.asarray(a), np.asarray(b)) == numpy.vdot(a, b)
    assert np.compiler.fallbacks() == {}


def test_errors_have_numpys_words():
    for act in (
        lambda m: m.sum(m.zeros((2, 3)), axis=2),
        lambda m: m.sum(m.zeros((2, 3)), axis=(0, 0)),
        lambda m: m.zeros(3) + m.zeros(4),
        lambda m: m.zeros(6).reshape(4, 2),
        lambda m: m.max(m.zeros(0)),
        lambda m: m.concatenate([]),
        lambda m: m.concatenate([m.zeros(2), m.zeros((2, 2))]),
        lambda m: m.zeros((2, 3)) @ m.zeros((2, 3)),
        lambda m: m.zeros(3).transpose(0, 1),
        lambda m: m.squeeze(m.zeros((2, 1)), axis=0),
        lambda m: m.take(m.zeros(3), 5),
        lambda m: m.broadcast_to(m.zeros(3), (2, 2)),
        lambda m: m.invert(m.zeros(2)),
        lambda m: m.zeros(2) << 1,
        lambda m: m.add(m.zeros(2), m.zeros(2), dtype=int),
        lambda m: m.swapaxes(m.zeros(2), 0, 3),
        lambda m: m.matmul(m.zeros(2), 3),
    ):
        with pytest.raises(Exception) as theirs:
            act(numpy)
        with pytest.raises(Exception) as ours:
            act(np)
        kind = next(base for base in theirs.type.__mro__ if base.__module__ in ("builtins", "numpy.exceptions"))
        assert isinstance(ours.value, kind), (ours.value, theirs.value)
        assert str(ours.value) == str(theirs.value)


def test_numpys_functions_are_fastnps():
    x = np.arange(6.0).reshape(2, 3)
    for result in (
        numpy.sum(x, axis=0),
        numpy.where(x > 1, x, 0),
        numpy.concatenate([x, x]),
        numpy.reshape(x, -1),
        numpy.zeros_like(x),
        numpy.clip(x, 0, 1),
    ):
        assert type(result) is np.ndarray
    assert numpy.mean(x) == 2.5 and numpy.shape(x) == (2, 3) and numpy.linalg.norm(x, axis=0).shape == (3,)
    assert np.compiler.fallbacks() == {}
    assert type(numpy.packbits(x > 1)) is np.ndarray and np.compiler.fallbacks() == ({"packbits": 1} if x.device == "cpu" else {})


def test_random_arrays_are_fastnps():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2, 3))
    assert type(x) is np.ndarray and x.tolist() == numpy.random.default_rng(3).normal(size=(2, 3)).tolist()
    assert isinstance(rng.random(), float) and rng.integers(5, size=2).dtype == np.int64
    np.random.seed(0)
    assert type(np.random.rand(2)) is np.ndarray


SPLITS = [
    lambda x: numpy.split(x, 2),
    lambda x: numpy.split(x, [1, 3]),
    lambda x: numpy.array_split(x, 3),
    lambda x: numpy.array_split(x, [1, -1], axis=-1),
    lambda x: numpy.split(x, 2, axis=-1),
    lambda x: numpy.hsplit(x, 2),
    lambda x: numpy.vsplit(x, 2),
    lambda x: numpy.dsplit(x, 2),
    lambda x: numpy.array_split(x, 0),
]


@pytest.mark.parametrize("function", SPLITS)
def test_splits_are_views(function):
    for f in (np.compile(function), np.compile(function, backend="eager"), lambda x: function(np.asarray(x))):
        for shape in ((4,), (6,), (4, 4), (5, 3), (2, 2, 2), (4, 2, 6), (0, 2), ()):
            x = numpy.arange(float(numpy.prod(shape))).reshape(shape)
            try:
                want = function(x)
            except (ValueError, IndexError):
                with pytest.raises((ValueError, IndexError)):
                    f(x)
                continue
            got = f(x)
            assert type(got) is list
            assert len(got) == len(want)
            for a, b in zip(got, want, strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(a), b)
                assert not b.size or numpy.shares_memory(numpy.asarray(a), x)


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_places_in_sorted_arrays(dtype):
    rng = numpy.random.default_rng(5)

    def sample(*shape):
        values = rng.integers(0, 30, shape).astype(float)
        return (numpy.where(rng.random(shape) < 0.1, rng.choice([numpy.nan, numpy.inf, -0.0]), values) if dtype[0] in "fc" else values).astype(dtype)

    for length in (0, 1, 5, 3000):
        keys, values = numpy.sort(sample(length)), sample(4, 7)
        for side in ("left", "right"):
            for v in (values, values.T[::2], values[0, 0], numpy.array([], dtype), rng.normal(size=5).astype("f4")):
                want = numpy.searchsorted(keys, v, side=side)
                for got in (np.searchsorted(keys, v, side=side), np.asarray(keys).searchsorted(v, side), numpy.searchsorted(np.asarray(keys), v, side)):
                    assert got.dtype == want.dtype and is_scalar(got) == isinstance(want, numpy.generic)
                    numpy.testing.assert_array_equal(got, want)
                compiled = np.compile(lambda keys, v, side=side: np.searchsorted(keys, v, side=side) + 1, fullgraph=True)
                numpy.testing.assert_array_equal(compiled(keys[::1], v), want + 1)
    order = rng.permutation(50)
    shuffled = numpy.sort(sample(50))[numpy.argsort(order)]
    numpy.testing.assert_array_equal(np.searchsorted(shuffled, values, sorter=order), numpy.searchsorted(shuffled, values, sorter=order))
    compiled = np.compile(lambda x, v, order: np.searchsorted(x, v, sorter=order))
    numpy.testing.assert_array_equal(compiled(shuffled, values, order), numpy.searchsorted(shuffled, values, sorter=order))


def test_places_in_sorted_arrays_are_mapped():
    rng = numpy.random.default_rng(6)
    keys, values = numpy.sort(rng.normal(size=(4, 20)), axis=1), rng.normal(size=(4, 3, 5))
    for axes in ((None, 0), (0, None), (0, 0)):
        given = (keys if axes[0] == 0 else keys[0], values if axes[1] == 0 else values[0])
        want = [numpy.searchsorted(given[0][k] if axes[0] == 0 else given[0], given[1][k] if axes[1] == 0 else given[1]) for k in range(4)]
        for mapped in (np.vmap(np.searchsorted, in_axes=axes), np.compile(np.vmap(np.searchsorted, in_axes=axes))):
            numpy.testing.assert_array_equal(mapped(*given), want)
    # No derivative goes through places, but one goes around them.
    gradient = np.grad(lambda x, v: np.sum(x[np.clip(np.searchsorted(x, v), 0, 19)] * v))(np.asarray(keys[0]), np.asarray(values[0]))
    want = numpy.zeros(20)
    numpy.add.at(want, numpy.clip(numpy.searchsorted(keys[0], values[0]), 0, 19), values[0])
    numpy.testing.assert_allclose(gradient, want, rtol=1e-14)


def test_errors_of_searchsorted_are_numpys():
    for arguments in (([[1, 2]], 1), ([1, 2], 1, "middle"), ([1, 2], 1, "left", [0]), ([1, 2], 1, "left", [0, 5])):
        with pytest.raises((ValueError, TypeError)) as want:
            numpy.searchsorted(*arguments)
        with pytest.raises(type(want.value)) as got:
            np.searchsorted(np.asarray(arguments[0]), *arguments[1:])
        assert str(got.value) == str(want.value)


WIDTHS = [1, [1, 2], [[1, 2]], (1,), [[1], [2]], [[1, 2], [3, 4], [5, 6]], [], True, 1.5, "a", None, [None, 1], -1, [-1, 1], [2**70, 1], [[1, 2], [3]]]
WIDTHS += [numpy.ones(2), numpy.array([1, 2], object), numpy.array([1, 2], "u4"), numpy.array([[False, False], [True, True]]), [[1.0, 2], [3, 4], [5, 6]]]


@pytest.mark.parametrize("widths", WIDTHS, ids=str)
@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_pad_looks_at_its_widths_as_numpy_does(shape, widths):
    def outcome(module):
        try:
            return module.pad(module.ones(shape), widths).tolist()
        except Exception as error:  # compared with the other's
            return type(error), str(error)

    assert outcome(np) == outcome(numpy)


@pytest.mark.parametrize("widths", [[False, True], (True, False), numpy.array([0, 1], "u1"), [0, 1.0], numpy.array([1, 2], "c8"), True])
def test_pad_takes_signed_whole_numbers(widths):
    """As NumPy, which looks at the dtype of what the widths are together."""
    for x in (numpy.ones((2, 2)), np.ones((2, 2))):
        for pad in (numpy.pad, np.pad, np.compile(lambda x: np.pad(x, widths))):
            with pytest.raises(TypeError, match="`pad_width` must be of integral type"):
                pad(x, widths) if pad in (numpy.pad, np.pad) else pad(x)
    assert np.pad(np.ones(2), [True, 1]).shape == numpy.pad(numpy.ones(2), [True, 1]).shape


SHAPES = [[[False, False], [False, False]], [[2], [2]], [2, 2], [[2, 2]], [[1, 2], [3, 4]], 2]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_of_several_axes_are_numpys_errors(shape):
    def outcome(module):
        try:
            return module.broadcast_to(module.ones(2), module.asarray(shape)).shape
        except Exception as error:  # compared with the other's
            return type(error), str(error)

    assert outcome(np) == outcome(numpy)


@pytest.mark.parametrize("where", [1, 2, 3, [1]], ids=str)
@pytest.mark.parametrize("name", ["hsplit", "vsplit", "dsplit", "split", "array_split"])
@pytest.mark.parametrize("given", [[1, 2, 3, 4], [[1, 2], [3, 4]], [[[1, 2], [3, 4]]], 3], ids=str)
def test_lists_are_split_where_numpy_does(name, given, where):
    def outcome(module):
        try:
            return [each.tolist() for each in getattr(module, name)(given, where)]
        except Exception as error:  # compared with the other's
            return type(error), str(error)

    assert outcome(np) == outcome(numpy)
