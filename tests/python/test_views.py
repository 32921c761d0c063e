"""Which results are views, and of what one may write to: as NumPy's, eager and compiled, whatever the layout; by their strides and by the memory they
share, and by what a later write to the array shows in them."""

from __future__ import annotations

import functools

import numpy
import pytest

import fastnp as np

pytestmark = pytest.mark.part(5)

X = numpy.arange(1.0, 25.0)
LAYOUTS = {
    "C": lambda: X.reshape(4, 6).copy(),
    "F": lambda: numpy.asfortranarray(X.reshape(4, 6)),
    "square": lambda: X[:16].reshape(4, 4).copy(),
    "steps": lambda: X.copy().reshape(4, 6)[:, ::2],
    "rows": lambda: X.copy().reshape(4, 6)[::2],
    "backwards": lambda: X.copy().reshape(4, 6)[::-1, ::-1],
    "transposed": lambda: X.copy().reshape(4, 6)[1:].T,
    "a row of F": lambda: numpy.asfortranarray(X.reshape(4, 6))[:1],
    "a column": lambda: X.copy().reshape(4, 6)[:, :1],
    "one": lambda: X[:1].copy().reshape(1, 1),
    "none": lambda: numpy.zeros((0, 3)),
    "no columns": lambda: numpy.zeros((3, 0)),
    "cube": lambda: X.copy().reshape(2, 3, 4),
    "cube F": lambda: numpy.asfortranarray(X.reshape(2, 3, 4)),
    "cube permuted": lambda: X.copy().reshape(2, 3, 4).transpose(1, 0, 2),
    "line": lambda: X.copy(),
    "line of steps": lambda: X.copy()[::2],
    "line backwards": lambda: X.copy()[::-1],
}
ORDERS = {
    f"{name} {order}": functools.partial(lambda make, order, xp, x: make(xp, x, order), make, order)
    for order in "CFAK"
    for name, make in {
        "ravel": lambda xp, x, order: xp.ravel(x, order),
        "ravel method": lambda xp, x, order: x.ravel(order),
        "ravel of a part": lambda xp, x, order: x[1:].ravel(order=order),
        "ravel of T": lambda xp, x, order: x.T.ravel(order),
        "ravel of a result": lambda xp, x, order: (x.T * 1).ravel(order),
        "ravel twice": lambda xp, x, order: x.ravel(order)[::2].ravel(order),
        "reshape": lambda xp, x, order: x.reshape(-1, order="C" if order == "K" else order),
        "reshape two": lambda xp, x, order: xp.reshape(x, (-1, max(x.shape[0], 1)), order="C" if order == "K" else order),
        "flatten": lambda xp, x, order: x.flatten(order),
        "copy": lambda xp, x, order: x.copy(order=order),
        "asarray": lambda xp, x, order: xp.asarray(x, order="C" if order == "A" else order),
        "array": lambda xp, x, order: xp.array(x, order="C" if order == "A" else order),
    }.items()
}
CASES = ORDERS | {
    "asfortranarray": lambda xp, x: xp.asfortranarray(x),
    "ascontiguousarray": lambda xp, x: xp.ascontiguousarray(x),
    "broadcast_to itself": lambda xp, x: xp.broadcast_to(x, x.shape),
    "broadcast_to more": lambda xp, x: xp.broadcast_to(x, (2, *x.shape)),
    "a part of broadcast_to": lambda xp, x: xp.broadcast_to(x, x.shape)[1:],
}


def told(got, x):
    """What is to be as NumPy's; strides of what has no elements, or of axes of one, say nothing."""
    strides = [] if got.size == 0 else [step for step, size in zip(got.strides, got.shape, strict=True) if size > 1]
    return got.shape, strides, bool(got.size) and numpy.shares_memory(got, x), bool(got.flags.writeable), numpy.array(got).tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CASES)
def test_views(case, layout):
    x, function = LAYOUTS[layout](), CASES[case]
    want = told(function(numpy, x), x)
    eager = function(np, np.asarray(x))
    assert told(numpy.asarray(eager), x) == want

    @np.compile
    def compiled(x):
        return function(np, x)

    for _ in range(2):
        assert told(numpy.asarray(compiled(x)), x) == want


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CASES)
def test_writes_show_in_views(case, layout):
    writes_show(CASES[case], LAYOUTS[layout])


def writes_show(function, make):
    """Of the array in what was made of it before, and of that in the array, if it may be written to."""

    def written(xp, x, both):
        z = x + 1
        y = function(xp, z)
        z *= 2
        if both:
            y[...] = -1.0
        return y, z, x

    for both in (False, True):
        plain = make()
        try:
            want = written(numpy, plain, both)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                np.compile(lambda x: written(np, x, True))(make())
            continue
        for got in (written(np, np.asarray(make()), both), np.compile(lambda x, both=both: written(np, x, both))(make())):
            for g, w in zip(got, want, strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(g), w)


MATRICES = [name for name, make in LAYOUTS.items() if make().ndim == 2]
DIAGONALS = {
    "diagonal": lambda xp, x: xp.diagonal(x),
    "diagonal above": lambda xp, x: x.diagonal(1),
    "diagonal below": lambda xp, x: xp.linalg.diagonal(x, offset=-1),
    "diagonal beyond": lambda xp, x: x.diagonal(9),
    "diagonal of T": lambda xp, x: xp.diagonal(x, 0, 1, 0),
    "a part of diagonal": lambda xp, x: x.diagonal()[::-1],
    "diag": lambda xp, x: xp.diag(x, 1),
    "diagonal of a stack": lambda xp, x: xp.diagonal(xp.expand_dims(x, 0), 0, 1, 2),
}
EINSUMS = {
    "ij->ij": lambda xp, x: xp.einsum("ij->ij", x),
    "ij->ji": lambda xp, x: xp.einsum("ij->ji", x),
    "ji": lambda xp, x: xp.einsum("ji", x),
    "ii->i": lambda xp, x: xp.einsum("ii->i", x[: min(x.shape), : min(x.shape)]),
    "iij->ji": lambda xp, x: xp.einsum("iij->ji", xp.expand_dims(x[: min(x.shape), : min(x.shape)], 2)),
}


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("case", DIAGONALS | EINSUMS)
def test_views_of_matrices(case, layout):
    x, function = LAYOUTS[layout](), (DIAGONALS | EINSUMS)[case]
    want = told(function(numpy, x), x)
    assert told(numpy.asarray(function(np, np.asarray(x))), x) == want
    compiled = np.compile(lambda x: function(np, x))
    # No step through memory that moves are made of leads from row to row of these: copies, which may not be written to either.
    copies = case in DIAGONALS and layout == "rows"
    for _ in range(2):
        got = told(numpy.asarray(compiled(x)), x)
        assert (got[0], *got[3:]) == (want[0], *want[3:]) if copies else got == want


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("case", DIAGONALS | EINSUMS)
def test_writes_show_in_views_of_matrices(case, layout):
    writes_show((DIAGONALS | EINSUMS)[case], LAYOUTS[layout])


def test_diagonals_of_what_is_no_line_are_written_to():
    """A function that writes to one runs as written."""

    def function(xp, x):
        xp.einsum("ii->i", x[:, :3])[...] = -1.0
        return x

    x, y = X[:18].reshape(3, 6).copy(), X[:18].reshape(3, 6).copy()
    np.compile(lambda x: function(np, x))(x)
    assert x.tolist() == function(numpy, y).tolist()


SUBSCRIPTS = {
    "i": lambda x, i: x[i],
    "i, ...": lambda x, i: x[i, ...],
    "..., i": lambda x, i: x[..., i],
    ":, i": lambda x, i: x[:, i],
    "None, i": lambda x, i: x[None, i],
    "i, 0": lambda x, i: x[i, 0],
    "0, i": lambda x, i: x[0, i],
    "i, i": lambda x, i: x[i, i],
    "i, ::2": lambda x, i: x[i, ::2],
    "T": lambda x, i: x.T[i],
}


@pytest.mark.parametrize("layout", ["C", "F", "square", "steps", "rows", "backwards", "transposed", "cube", "cube permuted"])
@pytest.mark.parametrize("subscript", SUBSCRIPTS)
@pytest.mark.parametrize("index", [numpy.asarray(1), numpy.asarray(-1, numpy.int32), numpy.asarray(0, numpy.uint8)])
def test_subscripts_of_arrays_without_axes_copy(index, subscript, layout):
    function = SUBSCRIPTS[subscript]
    x = LAYOUTS[layout]()
    want = told(numpy.asarray(function(x, index)), x)
    assert not want[2]
    for i in (index, np.asarray(index)):
        assert told(numpy.asarray(function(np.asarray(x), i)), x) == want
    for compiled in (np.compile(function), np.compile(lambda x, i: function(x, np.asarray(i))), lambda x, _: np.compile(lambda x: function(x, index))(x)):
        got = told(numpy.asarray(compiled(x, index)), x)
        assert (got[0], *got[2:]) == (want[0], *want[2:])


@pytest.mark.parametrize("subscript", [name for name in SUBSCRIPTS if "0" not in name and name != "i, i"])
def test_copies_that_subscripts_made_may_be_written_to(subscript):
    def function(x, i):
        y = SUBSCRIPTS[subscript](x, i)
        y[...] = -1.0
        return x, y

    want = function(X.copy().reshape(4, 6), numpy.asarray(1))
    for way in (lambda x, i: function(np.asarray(x), np.asarray(i)), np.compile(function)):
        for got, wanted in zip(way(X.copy().reshape(4, 6), numpy.asarray(1)), want, strict=True):
            assert numpy.array_equal(got, wanted)


@pytest.mark.parametrize("index", [1, numpy.int64(1), numpy.uint8(2)])
def test_subscripts_of_scalars_are_views(index):
    x = X.copy().reshape(4, 6)
    assert told(numpy.asarray(np.asarray(x)[index]), x) == told(x[index], x)
    assert told(numpy.asarray(np.asarray(x)[:, index]), x) == told(x[:, index], x)


def bits(x):
    x = numpy.asarray(x)
    return numpy.where(numpy.isnan(x), 2, numpy.signbit(x)).tolist(), x.tolist() if not numpy.isnan(x).any() else numpy.nan_to_num(x).tolist()


SIGNED = [-0.0, 0.0, 1.0, -1.0, 0.5, -0.5, numpy.nan, numpy.inf, -numpy.inf]
BOUNDS = [(0, 1), (-1, 0), (0.0, 0.0), (-0.0, -0.0), (0.0, -0.0), (-0.0, 1.0), (1, -1), (numpy.nan, 1.0), (0.0, numpy.nan), (0, None), (None, -0.0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("low, high", BOUNDS)
def test_signs_of_zeros_survive_clip(low, high, dtype):
    x = numpy.array(SIGNED * 5, dtype)
    as_arrays = [bound if bound is None else numpy.full(x.shape, bound, dtype) for bound in (low, high)]
    for bounds in ((low, high), as_arrays):
        want = bits(numpy.clip(x, *bounds))
        assert bits(np.clip(np.asarray(x), *bounds)) == want
        assert bits(np.compile(lambda x, bounds=bounds: np.clip(x, *bounds))(x)) == want
        assert bits(np.compile(lambda x, *bounds: x.clip(*bounds))(x, *bounds)) == want


COPIES = {
    "tile": lambda xp, x: xp.tile(x, 2),
    "tile rows": lambda xp, x: xp.tile(x, (3, 1)),
    "tile once": lambda xp, x: xp.tile(x, 1),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "repeat rows": lambda xp, x: xp.repeat(x, 2, 0),
    "einsum": lambda xp, x: xp.einsum("ij->ji", x),
    "gradient": lambda xp, x: xp.gradient(x, axis=0),
    "gradients": lambda xp, x: xp.gradient(x, 0.5)[1],
    "gradient of order 2": lambda xp, x: xp.gradient(x, 0.5, axis=1, edge_order=2),
    "gradient by spaces": lambda xp, x: xp.gradient(x, 0.5, 2)[0],
    "dstack": lambda xp, x: xp.dstack([x, x]),
    "dstack mixed": lambda xp, x: xp.dstack((x, x + 1, xp.ones(x.shape))),
    "dstack of rows": lambda xp, x: xp.dstack([x[0], x[1]]),
    "block": lambda xp, x: xp.block([[x, x], [x, -x]]),
    "block of one": lambda xp, x: xp.block(x),
    "block of rows": lambda xp, x: xp.block([x[0], 1.0, x[1]]),
    "block mixed": lambda xp, x: xp.block([[x], [xp.zeros(x.shape)]]),
    "deep block": lambda xp, x: xp.block([[[x, x]], [[x, x]]]),
    "imag": lambda xp, x: xp.imag(x),
    ".imag": lambda xp, x: x.imag,
}


@pytest.mark.parametrize("layout", ["C", "F", "square", "steps", "rows", "backwards", "transposed"])
@pytest.mark.parametrize("case", COPIES)
def test_orders_and_signs_of_results(case, layout):
    x, function = LAYOUTS[layout](), COPIES[case]
    for of in (x, -0.0 * x):
        want = function(numpy, of)
        for got in (function(np, np.asarray(of)), np.compile(lambda x: function(np, x))(of)):
            assert told(numpy.asarray(got), of)[:2] == told(want, of)[:2]
            assert numpy.asarray(got).flags.writeable == want.flags.writeable
            assert bits(got) == bits(want)


@pytest.mark.parametrize(
    "case", ["tile", "repeat rows", "gradient", "gradients", "gradient of order 2", "dstack", "block", "deep block", "einsum", "imag"]
)
def test_derivatives_go_through_rearrangements(case):
    """Along a direction they say what the function changes by."""
    x, direction = numpy.random.default_rng(3).random((2, 4, 5))
    f = lambda xp, x: COPIES[case](xp, x) ** 2  # noqa: E731  # short as it is
    step = 1e-6
    want = numpy.sum(f(numpy, x + step * direction) - f(numpy, x - step * direction)) / (2 * step)
    gradient = np.grad(lambda x: np.sum(f(np, x)))
    tracked = np.asarray(x.copy())
    tracked.requires_grad = True
    np.sum(f(np, tracked) + 0 * np.sum(tracked)).backward()
    for found in (gradient(x), np.compile(gradient)(x), tracked.grad):
        numpy.testing.assert_allclose(numpy.sum(numpy.asarray(found) * direction), want, rtol=1e-6, atol=1e-8)
    rows = [COPIES[case](numpy, each) for each in (x, direction)]
    numpy.testing.assert_array_equal(np.vmap(lambda x: COPIES[case](np, x))(numpy.stack([x, direction])), rows)


SCALARS = {
    "take": lambda xp, x: x.take(0),
    "take of an array": lambda xp, x: x.take(xp.asarray(0)),
    "nan_to_num": lambda xp, x: xp.nan_to_num(x[0]),
    "nan_to_num of no axes": lambda xp, x: xp.nan_to_num(x.reshape(-1)[:1].reshape(())),
    "imag": lambda xp, x: x[0].imag,
    "real": lambda xp, x: x[0].real,
    "imag of complex": lambda xp, x: (x * 1j)[0].imag,
    "numpy.imag": lambda xp, x: xp.imag(x.sum()),
    "imag of no axes": lambda xp, x: xp.imag(x[:1].reshape(())),
    "real of no axes": lambda xp, x: xp.real(x[:1].reshape(())),
    "subscripts": lambda xp, x: x[xp.asarray(0)],
    "einsum": lambda xp, x: xp.einsum("i->", x),
    "einsum of two": lambda xp, x: xp.einsum("i,i->", x, x),
    "trace": lambda xp, x: xp.trace(x[:, None]),
    "ptp": lambda xp, x: xp.ptp(x),
    "vecdot": lambda xp, x: xp.vecdot(x, x),
}


@pytest.mark.parametrize("case", SCALARS)
def test_results_without_axes_are_scalars_where_numpys_are(case):
    with np.device("cpu"):  # those of devices are arrays that stand for scalars
        check_scalars(case)


def check_scalars(case):
    x, function = X.copy(), SCALARS[case]
    want = function(numpy, x)
    for got in (function(np, np.asarray(x)), np.compile(lambda x: function(np, x))(x)):
        assert numpy.array_equal(got, want)
        assert isinstance(got, numpy.generic) == isinstance(want, numpy.generic)
        assert isinstance(got, numpy.generic) or got.flags.writeable == want.flags.writeable
    if isinstance(want, numpy.generic):

        def written(xp, x):
            y = function(xp, x)
            y[()] = 1.0
            return y

        for way in (lambda: written(np, np.asarray(x)), lambda: np.compile(lambda x: written(np, x))(x)):
            with pytest.raises(TypeError, match="'numpy.float64' object does not support item assignment"):
                way()
