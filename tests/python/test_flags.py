"""x.flags: what it says, what is set of it, and that nothing writes into what is read-only; x.imag of real arrays is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np


def outcome_of(function: Callable[[Any], Any], xp: Any) -> str:
    try:
        return repr(function(xp))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def by_attribute(xp: Any) -> Any:
    x = xp.ones(4)
    x.flags.writeable = False
    return x


def by_item(xp: Any) -> Any:
    x = xp.ones(4)
    x.flags["WRITEABLE"] = False
    return x


def by_letter(xp: Any) -> Any:
    x = xp.ones(4)
    x.flags["W"] = 0
    return x


def by_method(xp: Any) -> Any:
    x = xp.ones(4)
    x.setflags(write=False)
    return x


def of_numpys(xp: Any) -> Any:
    source = numpy.ones(4)
    source.flags.writeable = False
    return xp.asarray(source)


def viewed(xp: Any) -> Any:
    return by_attribute(xp)[:]


def in_place(x: Any, name: str, other: Any) -> None:
    getattr(x, name)(other)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "an element": lambda xp, x: x.__setitem__(0, 1),
    "all": lambda xp, x: x.__setitem__(..., [1, 2, 3, 4]),
    "masked": lambda xp, x: x.__setitem__(xp.asarray([True, False, True, False]), 1),
    "picked": lambda xp, x: x.__setitem__([0, 1], 1),
    "+=": lambda xp, x: in_place(x, "__iadd__", 1),
    "**=": lambda xp, x: in_place(x, "__ipow__", 2),
    "out": lambda xp, x: xp.add(1, 1, out=x),
    "out of sum": lambda xp, x: xp.sum(xp.ones((2, 4)), axis=0, out=x),
    "sort": lambda xp, x: x.sort(),
    "partition": lambda xp, x: x.partition(1),
    "fill": lambda xp, x: x.fill(3),
    "copyto": lambda xp, x: xp.copyto(x, 3),
    "put": lambda xp, x: xp.put(x, 0, 3),
    "place": lambda xp, x: xp.place(x, xp.asarray([True] * 4), 3),
    "a view": lambda xp, x: x[1:].__setitem__(0, 1),
    "a reshaped view": lambda xp, x: xp.fill_diagonal(x.reshape(2, 2), 1),
    "shuffle": lambda xp, x: xp.random.default_rng(0).shuffle(x),
    "flat": lambda xp, x: x.flat.__setitem__(0, 1),
    "real": lambda xp, x: setattr(x, "real", 1),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("make", [by_attribute, by_item, by_letter, by_method, of_numpys, viewed])
def test_nothing_writes_into_what_is_read_only(make: Callable[[Any], Any], name: str) -> None:
    x = make(np)
    assert x.flags.writeable is False and x.flags["W"] is False
    assert "read-only" in outcome_of(lambda xp: WRITES[name](xp, make(xp)), numpy)
    assert outcome_of(lambda xp: WRITES[name](xp, x if xp is np else make(xp)), np) == outcome_of(lambda xp: WRITES[name](xp, make(xp)), numpy)
    assert x.tolist() == [1.0] * 4


def again(xp: Any) -> Any:
    x = by_attribute(xp)
    x.flags.writeable = True
    x[0] = 5
    return x.flags.writeable, x.tolist()


def a_view_again(xp: Any) -> Any:
    x = xp.ones(4)
    y = x[1:]
    y.flags.writeable = False
    before = y.flags.writeable, x.flags.writeable
    y.flags.writeable = True
    y[0] = 3
    return before, x.tolist()


def a_view_of_what_became_read_only(xp: Any) -> Any:
    x = xp.ones(4)
    y = x[1:]
    x.flags.writeable = False
    y[0] = 3
    y.flags.writeable = False
    y.setflags(write=True)


def a_view_of_what_is_read_only(xp: Any) -> Any:
    by_attribute(xp)[1:].flags.writeable = True


def broadcast(xp: Any) -> Any:
    x = xp.broadcast_to(xp.ones(3), (2, 3))
    before = x.flags.writeable
    x.flags.writeable = True
    x[0, 0] = 7
    return before, x.tolist()


def of_numpy_again(xp: Any) -> Any:
    source = numpy.ones(3)
    x = xp.asarray(source)
    x.flags.writeable = False
    x.flags.writeable = True
    x[0] = 5
    return source.tolist()


def of_bytes(xp: Any) -> Any:
    xp.frombuffer(b"12345678", dtype="f8").flags.writeable = True


def the_object(xp: Any) -> Any:
    flags = xp.ones((3, 2)).flags
    others = flags == xp.ones((4, 5)).flags, flags == xp.ones((4, 5)).T.flags, flags != xp.ones(3).flags, flags == 3
    return flags.c_contiguous, flags["F"], flags.forc, others, [name for name in dir(flags) if name[0] != "_"]


def unknown(xp: Any) -> Any:
    xp.ones(3).flags.unknown = True


def not_to_be_set(xp: Any) -> Any:
    xp.ones(3).flags.c_contiguous = False


def an_unknown_item(xp: Any) -> Any:
    xp.ones(3).flags["unknown"] = False


CASES = [
    *(again, a_view_again, a_view_of_what_became_read_only, a_view_of_what_is_read_only, broadcast, of_numpy_again, of_bytes, the_object),
    *(unknown, not_to_be_set, an_unknown_item),
]


@pytest.mark.parametrize("case", CASES)
def test_flags_as_numpys(case: Callable[[Any], Any]) -> None:
    assert outcome_of(case, np) == outcome_of(case, numpy)


def test_flags_are_no_keys() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(np.ones(3).flags)
    assert "WRITEABLE : True" in str(np.ones(3).flags)


@pytest.mark.parametrize(
    "alias", [lambda x: x[...], lambda x: x.ravel(), lambda x: x.reshape(4), lambda x: x.T, lambda x: np.moveaxis(x, 0, 0), lambda x: np.split(x, 1)[0]]
)
def test_a_view_keeps_its_flags_to_itself(alias: Callable[[Any], Any]) -> None:
    x = np.ones(4)
    y = alias(x)
    y.flags.writeable = False
    x[0] = 7
    assert y[0] == 7 and not y.flags.writeable
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        y[0] = 1


IMAG: dict[str, Callable[[Any, Any], Any]] = {
    "attribute": lambda xp, x: x.imag,
    "function": lambda xp, x: xp.imag(x),
}
OF_IMAG: dict[str, Callable[[Any], Any]] = {
    "set": lambda x: x.__setitem__((0,) * x.ndim, 1),
    "add": lambda x: x.__iadd__(x),
    "read": lambda x: x + 1,
}


@pytest.mark.parametrize("of_imag", OF_IMAG)
@pytest.mark.parametrize("way", IMAG)
@pytest.mark.parametrize("shape", [(3,), ()])
@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "c8", "f2"])
def test_imag(dtype: str, shape: tuple[int, ...], way: str, of_imag: str) -> None:
    def function(xp: Any, x: Any) -> Any:
        return OF_IMAG[of_imag](IMAG[way](xp, x))

    want = outcome_of(lambda xp: function(xp, xp.ones(shape, dtype=dtype)), numpy)
    assert outcome_of(lambda xp: function(xp, xp.ones(shape, dtype=dtype)), np) == want
    compiled = np.compile(lambda x: function(np, x))
    assert outcome_of(lambda xp: compiled(xp.ones(shape, dtype=dtype)), numpy) == want
    assert np.imag(np.ones(shape, dtype=dtype)).flags.writeable == (dtype == "c8")


def read_only_argument(x: Any) -> Any:
    x.flags.writeable = False
    x[0] = 5
    return x


def read_only_value(x: Any) -> Any:
    y = x * 2
    y.flags.writeable = False
    y[0] = 5
    return y


def reads(x: Any) -> Any:
    y = x * 2
    y.setflags(write=False)
    return x.flags.writeable, y.flags.writeable, x.T.flags.c_contiguous


def marks(x: Any) -> Any:
    x.flags.writeable = False
    return x.sum()


@pytest.mark.parametrize("function", [read_only_argument, read_only_value, reads, marks])
def test_compiled_functions_that_ask_for_flags(function: Callable[[Any], Any]) -> None:
    compiled = np.compile(function)
    for _ in range(2):
        x, y = np.ones(3), numpy.ones(3)
        assert outcome_of(lambda xp, x=x, y=y: compiled(x) if xp is np else function(y), np) == outcome_of(lambda xp, y=y: function(y), numpy)
        assert x.flags.writeable == y.flags.writeable and x.tolist() == y.tolist()
