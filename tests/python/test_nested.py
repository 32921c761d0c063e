"""Lists and dicts that contain themselves, trees that are very deep, attributes that can't be deleted: what NumPy does, or an error, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import LONG

import fastnp as np


def own_list(*items: Any) -> list[Any]:
    made = list(items)
    made.append(made)
    return made


def own_pair() -> list[Any]:
    a: list[Any] = [1.0]
    a.append((2.0, [a]))
    return a


def own_dict() -> dict[str, Any]:
    made: dict[str, Any] = {"a": 1.0}
    made["self"] = made
    return made


def deep(levels: int, make: Callable[[Any], Any]) -> Any:
    made: Any = 1.0
    for _ in range(levels):
        made = make(made)
    return made


CYCLES: dict[str, Callable[[], Any]] = {
    "list": lambda: own_list(1.0),
    "empty": own_list,
    "pair": own_pair,
    "dict": own_dict,
    "lists": lambda: [own_list(1.0), own_list(1.0)],
    "array": lambda: own_list(numpy.ones(2)),
}
DEEP: dict[str, Callable[[], Any]] = {
    "deep tuples": lambda: deep(50_000, lambda item: (item,)),
    "deep lists": lambda: deep(50_000, lambda item: [item]),
    "deep trees": lambda: deep(500, lambda item: ([item], 2.0)),
}
USES: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda xp, o: xp.array(o),
    "asarray": lambda xp, o: xp.asarray(o, dtype="f8"),
    "sum": lambda xp, o: xp.sum(o),
    "mean": lambda xp, o: xp.mean(o),
    "sort": lambda xp, o: xp.sort(o),
    "concatenate": lambda xp, o: xp.concatenate(o),
    "stack": lambda xp, o: xp.stack([o, o]),
    "add": lambda xp, o: xp.ones(2) + o,
    "radd": lambda xp, o: o + xp.ones(2),
    "iadd": lambda xp, o: xp.ones(2).__iadd__(o),
    "multiply": lambda xp, o: xp.multiply(o, 2.0),
    "where": lambda xp, o: xp.where(xp.ones(2) > 0, o, 1.0),
    "set": lambda xp, o: xp.ones(2).__setitem__(0, o),
    "set all": lambda xp, o: xp.ones(2).__setitem__(slice(None), o),
    "get": lambda xp, o: xp.ones(2)[o],
    "take": lambda xp, o: xp.take(xp.ones(2), o),
    "zeros": lambda xp, o: xp.zeros(o),
    "reshape": lambda xp, o: xp.reshape(xp.ones(2), o),
    "full": lambda xp, o: xp.full((2,), o),
    "dot": lambda xp, o: xp.dot(xp.ones(2), o),
    "pad": lambda xp, o: xp.pad(xp.ones(2), o),
    "clip": lambda xp, o: xp.clip(xp.ones(2), o, None),
    "fill": lambda xp, o: xp.ones(2).fill(o),
    "out": lambda xp, o: xp.add(1.0, 2.0, out=o),
    "axis": lambda xp, o: xp.sum(xp.ones(2), axis=o),
    "dtype": lambda xp, o: xp.ones(2, dtype=o),
    "einsum": lambda xp, o: xp.einsum("i->", o),
    "linalg": lambda xp, o: xp.linalg.norm(o),
}


def kind_of(call: Callable[[], Any]) -> str:
    try:
        return type(call()).__name__
    except (ValueError, RecursionError):  # of which NumPy gives one or the other, as deep as it goes
        return "ValueError or RecursionError"
    except Exception as error:  # compared with the other's
        return type(error).__name__


@pytest.mark.parametrize("what", [*CYCLES, *DEEP] if LONG else CYCLES)
@pytest.mark.parametrize("use", USES)
def test_functions(use: str, what: str) -> None:
    if use in ("axis", "dtype", "out", "get") and what in DEEP:
        pytest.skip("NumPy itself goes as deep as there is stack")
    make = {**CYCLES, **DEEP}[what]
    want = kind_of(lambda: USES[use](numpy, make()))
    got = kind_of(lambda: USES[use](np, make()))
    compiled = kind_of(lambda: np.compile(lambda: USES[use](np, make()), backend="eager")())
    assert what == "dict" or got == compiled == want  # NumPy makes an array of objects of a dict


@pytest.mark.parametrize("make", [*CYCLES.values(), *DEEP.values()], ids=[*CYCLES, *DEEP])
def test_compiled(make: Callable[[], Any]) -> None:
    """As arguments, results, what is captured, and what is stored."""
    held, given = make(), make()
    x = numpy.ones(2)
    box: dict[str, Any] = {}

    def store(x: Any) -> Any:
        box["it"] = make()
        return x * 2

    results = [
        np.compile(lambda x, o: x * 2)(x, given),
        np.compile(lambda x, o: (x * 2, o))(x, given)[0],
        np.compile(lambda x, **o: x * 2)(x, o=given),
        np.compile(lambda x, o: x * (2 if o else 3))(x, [given, {"a": given}]),
        np.compile(lambda x: x * (2 if held else 3))(x),
        np.compile(lambda x: (x * 2, held))(x)[0],
        np.compile(lambda x: (x * 2, make()))(x)[0],
        np.compile(lambda x: {"a": make(), "b": [x * 2]})(x)["b"][0],
        np.compile(store)(x),
    ]
    for result in results:
        numpy.testing.assert_array_equal(result, x * 2)
    assert np.compile(lambda o: o)(given) is given


def test_a_list_over_and_over() -> None:
    """One that is in itself many times is not looked through along every way."""
    a: list[Any] = []
    a += [a] * 8
    b: Any = 1.0
    for _ in range(60):
        b = [b, b]
    x = numpy.ones(2)
    for given in (a, b, [a, b], {"a": (a, b)}):
        numpy.testing.assert_array_equal(np.compile(lambda x, o: x * 2)(x, given), x * 2)
        assert np.compile(lambda x, o: (x, o))(x, given)[1] is given


ATTRIBUTES = {
    "ndarray": lambda: np.ones((2, 3)),
    "complex": lambda: np.ones(2, complex),
    "scalar": lambda: np.sum(np.ones(3)),
    "ufunc": lambda: np.add,
    "compiled": lambda: np.compile(lambda x: x),
    "flags": lambda: np.ones(2).flags,
    "generator": lambda: np.random.default_rng(1),
}
VALUES = (None, 1, -1, 1.5, "a", (1,), (2**62, 4), ("a",), [], {}, 2**80, object(), numpy.ones(2))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_that_are_deleted_and_set(name: str) -> None:
    make = ATTRIBUTES[name]
    for attribute in sorted(set(dir(make()))):
        if attribute == "__class__":
            continue
        holder = make()
        try:
            delattr(holder, attribute)
        except (AttributeError, TypeError, RuntimeError):
            pass
        else:
            assert attribute in ("grad", "__dict__", *getattr(make(), "__dict__", ())), attribute
        for value in VALUES:
            try:
                setattr(make(), attribute, value)
            except (AttributeError, TypeError, ValueError, RuntimeError, OverflowError, MemoryError):
                continue


@pytest.mark.parametrize("attribute", ["shape", "real", "imag", "flat"])
def test_numpys_words_for_what_is_not_deleted(attribute: str) -> None:
    with pytest.raises(AttributeError) as want:
        delattr(numpy.ones(2), attribute)
    with pytest.raises(AttributeError) as got:
        delattr(np.ones(2), attribute)
    assert str(got.value) == str(want.value)
