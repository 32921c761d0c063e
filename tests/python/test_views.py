"""Which results are views, and of what one may write to: as NumPy's, eager and compiled, whatever the layout; by their strides and by the memory they
share, and by what a later write to the array shows in them."""

from __future__ import annotations

import functools

import numpy
import pytest

import fastnp as np

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
    """Of the array in what was made of it before, and of that in the array, if it may be written to."""
    function = CASES[case]

    def written(xp, x, both):
        z = x + 1
        y = function(xp, z)
        z *= 2
        if both:
            y[...] = -1.0
        return y, z, x

    for both in (False, True):
        plain = LAYOUTS[layout]()
        try:
            want = written(numpy, plain, both)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)):
                np.compile(lambda x: written(np, x, True))(LAYOUTS[layout]())
            continue
        for got in (written(np, np.asarray(LAYOUTS[layout]()), both), np.compile(lambda x, both=both: written(np, x, both))(LAYOUTS[layout]())):
            for g, w in zip(got, want, strict=True):
                numpy.testing.assert_array_equal(numpy.asarray(g), w)
