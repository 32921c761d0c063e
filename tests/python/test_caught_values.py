"""Errors that depend on values, which a compiled function catches: it is caught in the calls that meet it alone, whichever call comes first."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import fastnp as np

# What raises for some values of x (three floats) or i (three ints), and values that it raises for.
FAULTS: dict[str, tuple[Callable[[Any, Any, Any], Any], Any, Any]] = {
    "bincount": (lambda m, x, i: m.bincount(i), None, [0, 1, -1]),
    "choose": (lambda m, x, i: m.choose(i, [x, x]), None, [0, 1, 2]),
    "repeat": (lambda m, x, i: m.repeat(x, i), None, [0, 1, -1]),
    "take": (lambda m, x, i: m.take(x, i), None, [0, 1, 3]),
    "index": (lambda m, x, i: x[i], None, [0, 1, 3]),
    "element": (lambda m, x, i: x[i[0]], None, [5, 0, 1]),
    "set": (lambda m, x, i: x.copy().__setitem__(i, 1), None, [0, 1, 3]),
    "put": (lambda m, x, i: m.put(x.copy(), i, 1), None, [0, 1, 3]),
    "take_along_axis": (lambda m, x, i: m.take_along_axis(x, i, 0), None, [0, 1, 3]),
    "add.at": (lambda m, x, i: m.add.at(x.copy(), i, 1), None, [0, 1, 3]),
    "digitize": (lambda m, x, i: m.digitize(x, i), None, [1, 0, 2]),
    "unravel_index": (lambda m, x, i: m.unravel_index(i, (3,)), None, [0, 1, 3]),
    "ravel_multi_index": (lambda m, x, i: m.ravel_multi_index((i,), (3,)), None, [0, 1, 3]),
    "insert": (lambda m, x, i: m.insert(x, i, 1.0), None, [0, 1, 9]),
    "delete": (lambda m, x, i: m.delete(x, i), None, [0, 1, 9]),
    "powers": (lambda m, x, i: 2**i, None, [0, 1, -1]),
    "power of ints": (lambda m, x, i: m.power(i, i), None, [0, 1, -1]),
    "reshape": (lambda m, x, i: x.reshape(int(i[0]), -1), None, [2, 1, 1]),
    "arange": (lambda m, x, i: m.ones(int(i[0])), None, [-2, 1, 1]),
    "split": (lambda m, x, i: m.split(x, int(i[0])), None, [2, 1, 1]),
    "cholesky": (lambda m, x, i: m.linalg.cholesky(m.diag(x)), [1.0, -1.0, 2.0], None),
    "inv": (lambda m, x, i: m.linalg.inv(m.diag(x)), [1.0, 0.0, 2.0], None),
    "solve": (lambda m, x, i: m.linalg.solve(m.diag(x), x), [1.0, 0.0, 2.0], None),
    "matrix_power": (lambda m, x, i: m.linalg.matrix_power(m.diag(x), -1), [1.0, 0.0, 2.0], None),
    "svd": (lambda m, x, i: m.linalg.svd(m.diag(x)), [1.0, math.nan, 2.0], None),
    "eig": (lambda m, x, i: m.linalg.eigvals(m.diag(x)), [1.0, math.inf, 2.0], None),
    "histogram": (lambda m, x, i: m.histogram(x), [1.0, math.nan, 2.0], None),
    "histogram of bins": (lambda m, x, i: m.histogram(x, bins=i), None, [1, 0, 2]),
    "percentile": (lambda m, x, i: m.percentile(x, x * 40), [1.0, 3.0, 2.0], None),
    "quantile": (lambda m, x, i: m.quantile(x, float(x[0]) / 2), [3.0, 1.0, 2.0], None),
    "int": (lambda m, x, i: int(x[0]), [math.nan, 1.0, 2.0], None),
    "sqrt of math": (lambda m, x, i: math.sqrt(x[0]), [-1.0, 1.0, 2.0], None),
    "log of math": (lambda m, x, i: math.log(x[0]), [0.0, 1.0, 2.0], None),
    "quotient": (lambda m, x, i: 1 / float(x[0]), [0.0, 1.0, 2.0], None),
    "remainder": (lambda m, x, i: 7 % int(i[0]), None, [0, 1, 1]),
    "power of zero": (lambda m, x, i: float(x[0]) ** -1, [0.0, 1.0, 2.0], None),
    "element of a list": (lambda m, x, i: [1, 2][int(i[0])], None, [2, 1, 1]),
    "key": (lambda m, x, i: {1: 2}[int(i[0])], None, [2, 1, 1]),
    "cast": (lambda m, x, i: m.zeros(3, "i1").__setitem__(0, int(i[0])), None, [300, 1, 1]),
    "cast of a list": (lambda m, x, i: m.array([int(i[0])], "i1"), None, [300, 1, 1]),
    "truth": (lambda m, x, i: bool(x[x > 1]), [2.0, 3.0, 0.0], None),
    "minimum of none": (lambda m, x, i: x[x > 1].min(), [0.0, 0.0, 0.0], None),
    "argmax of none": (lambda m, x, i: m.argmax(x[x > 1]), [0.0, 0.0, 0.0], None),
    "mask that does not fit": (lambda m, x, i: x.copy().__setitem__(x > 1, m.ones(2)), [2.0, 3.0, 4.0], None),
    "assertion": (lambda m, x, i: m.testing.assert_array_less(0, x), [-1.0, 1.0, 1.0], None),
    "raised": (lambda m, x, i: _raise(x), [-1.0, 1.0, 1.0], None),
    "choice": (lambda m, x, i: numpy.random.default_rng(0).choice(3, p=numpy.array([0.5, 0.25, 0.25]) * x[0]), [2.0, 1.0, 1.0], None),
    "integers": (lambda m, x, i: numpy.random.default_rng(0).integers(int(i[0])), None, [-1, 1, 1]),
    "interp": (lambda m, x, i: m.interp(x, x[x > 1], x[x > 1]), [0.0, 0.0, 0.0], None),
    "stack": (lambda m, x, i: m.stack([x[x > 1], x[:1]]), [2.0, 3.0, 0.0], None),
    "sum": (lambda m, x, i: x[x > 1] + m.ones(2), [2.0, 3.0, 4.0], None),
}
FINE = [1.5, 1.25, 0.75], [1, 1, 1]


def _raise(x: Any) -> None:
    if x[0] < 0:
        raise ValueError(f"{float(x[0])} is below zero")


def caught(module: Any, fault: Callable[..., Any]) -> Callable[..., Any]:
    def f(x: Any, i: Any) -> Any:
        text = "none"
        try:
            fault(module, x, i)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        return x * 2, text

    return f


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("name", FAULTS)
def test_an_error_is_caught_in_the_calls_that_meet_it(name: str, adaptive: bool) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)  # shown where a test fails
    rng = random.Random(seed)
    fault, floats, ints = FAULTS[name]
    written, compiled = caught(numpy, fault), np.compile(caught(np, fault), adaptive=adaptive)
    for number in range(8):
        fails = number == 0 or rng.random() < 0.5  # the function is recorded with an error at first
        x, i = numpy.array(floats if fails and floats else FINE[0]), numpy.array(ints if fails and ints else FINE[1])
        with numpy.errstate(all="ignore"):
            wanted, found = written(x.copy(), i.copy()), compiled(np.array(x), np.array(i))
        assert found[0].tolist() == wanted[0].tolist() or numpy.isnan(x).any()
        assert found[1] == wanted[1], number


@pytest.mark.parametrize("compiles", [False, True])
@pytest.mark.parametrize("name", ["bincount", "repeat", "digitize", "choose"])
def test_an_error_of_a_part_is_not_caught_for_all(name: str, compiles: bool) -> None:
    mapped = np.vmap(caught_as_zero(FAULTS[name][0]))
    mapped = np.compile(mapped) if compiles else mapped
    x = np.ones((2, 3))
    assert mapped(x, np.ones((2, 3), int)).tolist() == x.tolist()
    with pytest.raises(TypeError, match=f"vmap: numpy.{name} raises an error for a part, which the function catches for all of them"):
        mapped(x, np.asarray([FINE[1], FAULTS[name][2]]))


def caught_as_zero(fault: Callable[..., Any]) -> Callable[..., Any]:
    def f(x: Any, i: Any) -> Any:
        try:
            fault(np, x, i)
        except ValueError:
            return x * 0
        return x

    return f
