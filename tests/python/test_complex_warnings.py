"""Complex numbers that lose their imaginary parts: NumPy's ComplexWarning in NumPy's cases, by every way to write or to convert, at each call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

WAYS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "slice": lambda m, x, z: x.__setitem__(slice(None), z),
    "element": lambda m, x, z: x.__setitem__(0, z[0]),
    "mask": lambda m, x, z: x.__setitem__(x > 0, z),
    "list": lambda m, x, z: x.__setitem__([0, 1], z[:2]),
    "bools": lambda m, x, z: (x > 5).__setitem__(slice(None), z),
    "copyto": lambda m, x, z: m.copyto(x, z, casting="unsafe"),
    "put": lambda m, x, z: m.put(x, [0], z[:1]),
    "place": lambda m, x, z: m.place(x, x > 0, z),
    "putmask": lambda m, x, z: m.putmask(x, x > 0, z),
    "fill": lambda m, x, z: x.fill(1j),
    "fill by a number": lambda m, x, z: x.fill(z[0]),
    "full of a number": lambda m, x, z: m.full(3, z[0], dtype=float),
    "array": lambda m, x, z: m.array(z, dtype=float),
    "asarray": lambda m, x, z: m.asarray(z, dtype="f4"),
    "astype": lambda m, x, z: z.astype(float),
    "astype bool": lambda m, x, z: z.astype(bool),
    "sum": lambda m, x, z: m.sum(z, dtype=float),
    "sum method": lambda m, x, z: z.sum(dtype=float),
    "out": lambda m, x, z: m.add(z, z, out=x, casting="unsafe"),
    "out same kind": lambda m, x, z: m.add(z, z, out=x),
    "real": lambda m, x, z: setattr(z.copy(), "real", z),
    "flat": lambda m, x, z: x.flat.__setitem__(slice(None), z),
    "put_along_axis": lambda m, x, z: m.put_along_axis(x, m.array([0]), z[:1], 0),
    "wider": lambda m, x, z: z.astype("c16").real + x,
}


def told(function: Callable[..., Any], *arguments: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        try:
            function(*arguments)
        except (TypeError, ValueError) as error:
            return [type(error).__name__]
    return [f"{each.category.__name__}: {each.message}" for each in met]


def arrays(module: Any = numpy) -> tuple[Any, Any]:
    return module.ones(3), module.asarray(numpy.array([1j, 2 + 1j, 3]))


@pytest.mark.parametrize("way", WAYS)
def test_lost_imaginary_parts_are_told_of(way: str) -> None:
    write = WAYS[way]
    wanted = told(write, numpy, *arrays())
    assert told(write, np, *arrays(np)) == wanted
    for module in (np, numpy):
        compiled = np.compile(lambda x, z, module=module: write(module, x, z))
        for _ in range(3):
            assert told(compiled, *arrays()) == wanted, module.__name__
            assert told(compiled, *arrays(np)) == wanted, module.__name__


@pytest.mark.parametrize("adaptive", [True, False])
def test_lost_imaginary_parts_are_told_of_in_loops(adaptive: bool) -> None:
    def f(x: Any, z: Any) -> Any:
        for i in range(len(x)):
            x[i] = z[i]
        return x

    compiled, wanted = np.compile(f, adaptive=adaptive), told(f, *arrays())
    assert len(wanted) == 3
    for _ in range(4):
        assert told(compiled, *arrays()) == wanted
