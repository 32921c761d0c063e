"""An array's memory seen otherwise: view, getfield, setfield, byteswap, tobytes, to_device, as NumPy has them, with and without its help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import DTYPES, SEED, layouts_of, values_of

import fastnp as np

CALLS: list[Callable[[Any, Any], Any]] = [
    *[lambda x, m, dtype=dtype: x.view(dtype) for dtype in DTYPES],
    *[lambda x, m, dtype=dtype, offset=offset: x.getfield(dtype, offset) for dtype in ("u1", "f4", "f8", "i2") for offset in (0, 1, 4)],
    lambda x, m: x.view(),
    lambda x, m: x.view(None),
    lambda x, m: x.view("S3"),
    lambda x, m: x.view(m.ndarray),
    lambda x, m: x.byteswap(),
    lambda x, m: x.byteswap(inplace=True),
    lambda x, m: x.tobytes(),
    lambda x, m: x.tobytes("F"),
    lambda x, m: x.tobytes(order="A"),
    lambda x, m: x.to_device("cpu"),
    lambda x, m: x.to_device("cpu", stream=3),
    lambda x, m: x.setfield(3, "i1", 0),
    lambda x, m: x.setfield(2.5, "f4", 4),
    lambda x, m: x.setfield(3, "f8", 1),
]


def outcome(call: Callable[[Any, Any], Any], x: Any, module: Any) -> tuple[Any, ...]:
    try:
        made = call(x, module)
    except Exception as error:  # of every kind: both raise the same
        return type(error).__name__, str(error)
    if made is None or isinstance(made, bytes):
        return made, numpy.asarray(x).tobytes()
    array = numpy.asarray(made)
    writes = made.flags.writeable
    return array.dtype, array.shape, array.strides if array.size > 1 else None, array.tobytes(), writes, made is x, numpy.asarray(x).tobytes()


@pytest.mark.parametrize("told", ["", "warn"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_as_numpy(dtype: numpy.dtype[Any], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if told:
        monkeypatch.setenv("FASTNP_FALLBACK", told)
    values = values_of(dtype, 24, SEED)
    arrays = [each for _, each in layouts_of(values)] + [values.reshape(4, 6), values.reshape(4, 6).T, values.reshape(2, 3, 4)[:, ::2], values[:0]]
    arrays.append(numpy.array(values[0]))
    for x in arrays:
        for number, call in enumerate(CALLS):
            theirs = numpy.array(x, copy=True, order="K")
            mine = np.asarray(numpy.array(x, copy=True, order="K"))
            assert outcome(call, mine, np) == outcome(call, theirs, numpy), (number, x.shape, x.strides)


def test_views_share_memory() -> None:
    x = np.zeros(3)
    x.view("i8")[1] = 1
    x.view()[2] = 5.0
    x.getfield("f4", 4)[0] = 1.0
    want = numpy.zeros(3)
    want.view("i8")[1] = 1
    want.view()[2] = 5.0
    want.getfield("f4", 4)[0] = 1.0
    assert numpy.asarray(x).tobytes() == want.tobytes()
    assert x.view("i8").base is x and x.view().base is x
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.view("i8")[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x.setfield(1, "i4", 0)


def test_views_in_compiled_functions() -> None:
    x = np.arange(4.0)
    for _ in range(2):
        got = np.compile(lambda x: x.view() * 2)(x)
        numpy.testing.assert_array_equal(got, [0.0, 2.0, 4.0, 6.0])
        numpy.testing.assert_array_equal(np.compile(lambda x: (x * 2).view("i8"))(x), (numpy.arange(4.0) * 2).view("i8"))
    numpy.testing.assert_array_equal(np.grad(lambda x: np.sum(x.view() ** 2))(x), [0.0, 2.0, 4.0, 6.0])

    @np.compile
    def through(x: Any) -> Any:
        y = x + 0
        y.view()[1] = 7.0
        return y

    numpy.testing.assert_array_equal(through(x), [0.0, 7.0, 2.0, 3.0])
