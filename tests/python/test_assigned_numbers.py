"""What elements are set to: NumPy's casts and its errors, of numbers, scalars and arrays, by every way to write. Values decide: nothing wraps around
that is an error in NumPy."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from support import SEED

import fastnp as np

WRITES = {
    "item": "x[0] = v",
    "slice": "x[:] = v",
    "all": "x[...] = v",
    "fill": "x.fill(v)",
    "put": "np.put(x, [0, 1], v)",
    "putmask": "np.putmask(x, m, v)",
    "place": "np.place(x, m, v)",
    "copyto": "np.copyto(x, v)",
    "copyto where": "np.copyto(x, v, where=m)",
    "mask": "x[m] = v",
    "list": "x[[0, 1]] = v",
    "flat": "x.flat[0] = v",
    "diagonal": "y = x.reshape(1, 3) * np.ones((3, 1), x.dtype)\n    np.fill_diagonal(y, v)\n    x[:] = y[0]",
    "where": "x[:] = np.where(m, v, x)",
    "real": "x.real = v",
    "in place": "x[0] += v",
    "computed": "x[0] = x[1] * v",
}
FORMS = {
    "of one": "a.reshape(-1)[:1]",
    "of no axes": "np.asarray(a.reshape(-1)[0])",
    "element": "a.reshape(-1)[0]",
    "sum": "a.sum() * 1",
    "of three": "np.concatenate([a.reshape(-1)[:1]] * 3)",
    "view": "a.reshape(-1)[0:1].reshape(())",
}
VALUES: dict[str, list[Any]] = {
    "i8": [3, -3, 40000, 2**40],
    "i4": [3, -3],
    "u1": [3, 200],
    "f8": [2.5, -2.5, 128.0, -129.0, 300.0],
    "f4": [2.5],
    "b1": [True],
    "c16": [1 + 2j],
    "u8": [5, 2**63 + 5],
}
DTYPES = ["b1", "i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8", "c8"]


def outcome(function: Any, *arguments: Any) -> Any:
    x = arguments[0].copy()
    with numpy.errstate(all="ignore"):
        try:
            function(x, *(each.copy() for each in arguments[1:]))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return x.tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WRITES)
def test_casts(way):
    rng = random.Random(f"{SEED} {way}")
    for form, given in FORMS.items():
        space: dict[str, Any] = {"np": numpy}
        exec(f"def f(x, m, a):\n    v = {given}\n    {WRITES[way]}", space)
        f = space["f"]
        for kind, values in VALUES.items():
            compiled = np.compile(f, backend="eager")
            for dtype in rng.sample(DTYPES, 3):
                for value in values:
                    x, m, a = numpy.array([1, 0, 2]).astype(dtype), numpy.array([True, False, True]), numpy.array([value], kind)
                    if dtype[0] in "ui" and kind == "f8" and dtype[0] == "u":
                        continue  # what does not fit is left to the processor
                    want, got = outcome(f, x, m, a), outcome(compiled, x, m, a)
                    assert str(got) == str(want), f"FASTNP_TEST_SEED={SEED}: {way}, {form}, {kind} {value} into {dtype}"


def test_an_element_that_fits_once():
    """The recording is for numbers that fit; others are NumPy's error, and those that fit again are served by it."""

    @np.compile
    def f(x: Any) -> None:
        x[0] = x.sum()

    for _ in range(3):
        x = numpy.array([1, 2, 3], "i1")
        f(x)
        assert x.tolist() == [6, 2, 3]
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for int8"):
            f(numpy.array([100, 100, 100], "i1"))


def test_scalars_are_not_filled():
    def f(x: Any) -> Any:
        s, t = x[0], x.sum()
        s.fill(3)
        t.T.fill(5)
        return s, t

    x = numpy.arange(3.0)
    for g in (np.compile(f), np.compile(f, backend="eager"), lambda x: f(np.asarray(x))):
        assert [float(each) for each in g(x)] == [0, 3]
        assert x.tolist() == [0, 1, 2]
