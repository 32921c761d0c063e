"""What a program asks of an array or of a number in it: a compiled function is told what NumPy's say, though others stand for them there."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest
from support import LONG, SEED

import fastnp as np

MOST = 1000 if LONG else 150

# Of `v`, which is an array or a number.
OF_ANY = """M.isscalar(v); M.iterable(v); M.shape(v); M.ndim(v); M.isrealobj(v); M.asarray(v); M.asanyarray(v);
    M.array([v, v]); type(v).__name__; isinstance(v, numpy.ndarray); isinstance(v, numpy.floating);
    isinstance(v, float); isinstance(v, numbers.Number); hasattr(v, "item"); callable(v);
    isinstance(v, collections.abc.Sized); getattr(v, "missing", 3); v.dtype; v.dtype.type; v.itemsize; v.nbytes;
    v.ndim; v.shape; v.T; v.real; v.imag; v[()]; v[...]; v[None]; v.reshape(-1); v.flat[0]; v.tolist(); v.round(1);
    v.astype("f4"); copy.copy(v); copy.deepcopy(v); pickle.loads(pickle.dumps(v)); numpy.result_type(v, 1.0);
    numpy.min_scalar_type(v); M.atleast_1d(v); v + 1; divmod(v, 2); abs(v); M.full(2, v); v.conj(); v.all();
    v.max()"""
OF_ARRAYS = """M.bmat(v); M.bmat([v]); M.bmat([[v, v]]); M.asmatrix(v); len(v); sum(v); max(v); list(v); sorted(v);
    v.base is None; v[:].base is v; v.strides; v.flags.owndata; v.flags.writeable; list(zip(v, v));
    dict(enumerate(v)); M.isfortran(v); M.r_[v, v]; M.matrix(v); [each for each in v]; any(v > 1); v.data.shape;
    v.__array_interface__["shape"]; isinstance(v, collections.abc.Hashable); M.poly1d(v)(2.0);
    M.fromiter(v, float); list(M.ndenumerate(v)); M.nditer(v).shape"""
OF_NUMBERS = """hash(v) == hash(float(v)); v.is_integer(); v.as_integer_ratio(); v.hex(); v.item(); repr(v); str(v);
    f"{v:.2f}"; round(v, 1); int(v); math.floor(v); math.sqrt(abs(v)); float(v); bool(v); v == 1.0;
    {1.0: 1}.get(v); range(int(v))[-1:]; [1, 2, 3, 4][int(v)]; operator.index(int(v))"""
VALUES = {"y": [OF_ANY, OF_ARRAYS], "y.sum()": [OF_ANY, OF_NUMBERS], "y[1]": [OF_ANY, OF_NUMBERS], "y.reshape(1, 2)": [OF_ANY], "y.argmax()": [OF_ANY]}
QUESTIONS = [
    (value, asked.strip().replace("M.", f"{module}."))
    for value, tables in VALUES.items()
    for table in tables
    for asked in table.split(";")
    for module in (("numpy", "np") if "M." in asked else ("",))
]


def shown(value: Any) -> Any:
    if isinstance(value, (numpy.ndarray, np.ndarray)):
        kind = "array" if type(value) in (numpy.ndarray, np.ndarray) else type(value).__name__
        return kind, str(value.dtype), value.shape, numpy.asarray(value).tolist()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return type(value).__name__, repr(value)


def answer(function: Any, x: Any) -> Any:
    try:
        return shown(function(x)[0])
    except Exception as error:
        return type(error).__name__


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_answers_are_numpys():
    for value, asked in random.Random(SEED).sample(QUESTIONS, min(MOST, len(QUESTIONS))):
        text = f"def f(x):\n    y = x * 2.0\n    v = {value}\n    return {asked}, y"
        spaces: list[dict[str, Any]] = [{**globals(), "np": module} for module in (numpy, np)]
        for space in spaces:
            exec(compile(text, "<asked>", "exec"), space)
        compiled = np.compile(spaces[1]["f"])
        for start in (0.5, 0.5, 1.0):
            x = numpy.array([start, 0.25 + start])
            want, got = answer(spaces[0]["f"], x), answer(compiled, x)
            assert got == want, f"FASTNP_TEST_SEED={SEED}: {asked} of {value}: {want}, not {got}"
