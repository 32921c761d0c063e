"""What functions and methods make of a NumPy scalar: a scalar or an array, as NumPy does; and none of them writes into one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support import quietly

import fastnp as np

# Files, settings, unset memory, and what asks for no array.
LEFT_OUT = frozenset(
    """info show_config show_runtime test save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex get_include empty seterr
    seterrcall set_printoptions setbufsize""".split()
)
SCALAR = numpy.float64(3.0)


def functions() -> list[str]:
    named = [name for name in sorted(dir(numpy)) if not name.startswith("_") and name not in LEFT_OUT]
    return [name for name in named if callable(getattr(numpy, name)) and not isinstance(getattr(numpy, name), type)]


def methods() -> list[str]:
    return [name for name in sorted(dir(SCALAR)) if not name.startswith("_") and name not in {"tofile", "dump", "dumps", "data", "flags"}]


def of_method(x: Any, name: str) -> Any:
    found = getattr(x, name)
    return found() if callable(found) else found


def kind(value: Any) -> Any:
    if isinstance(value, (numpy.ndarray, np.ndarray)):
        is_scalar = isinstance(value, np.ndarray) and np._core._is_scalar(value)
        return "scalar" if is_scalar else f"array of {value.ndim} axes"
    if isinstance(value, numpy.generic):
        return "scalar"
    if isinstance(value, (tuple, list)):
        return [kind(each) for each in value]
    return type(value).__name__


def check(form: Callable[[Any, Any], Any], name: str) -> None:
    try:
        want = quietly(form, numpy, SCALAR)
    except Exception:  # such a call is none of NumPy's, whatever it raises
        return
    assert kind(quietly(form, np, np.sum(np.ones(3)))) == kind(want), name
    compiled = np.compile(lambda x: form(numpy, x.sum()))
    for _ in range(2):
        assert kind(quietly(compiled, numpy.ones(3))) == kind(want), f"{name}, compiled"


@pytest.mark.parametrize("name", functions())
def test_functions_of_scalars_give_what_numpys_do(name: str) -> None:
    check(lambda m, x: getattr(m, name)(x), name)
    check(lambda m, x: getattr(m, name)(x, x), f"{name} of two")


@pytest.mark.parametrize("name", methods())
def test_methods_of_scalars_give_what_numpys_do(name: str) -> None:
    check(lambda m, x: of_method(x, name), name)


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "place": lambda m, x: m.place(x, x != 0, [1, 2]),
    "putmask": lambda m, x: m.putmask(x, x != 0, [1, 2]),
    "copyto": lambda m, x: m.copyto(x, 1),
    "fill_diagonal": lambda m, x: m.fill_diagonal(x, 1),
    "add.at": lambda m, x: m.add.at(x, (), 1),
    "out=": lambda m, x: m.add(1, 2, out=x),
    "out= of a sum": lambda m, x: m.sum([1, 2], out=x),
    "x[...]": lambda m, x: operator.setitem(x, ..., 1),
    "x[()]": lambda m, x: operator.setitem(x, (), 1),
    "place in squeeze": lambda m, x: m.place(m.squeeze(x), x != 0, [1]),
    "copyto of transpose": lambda m, x: m.copyto(m.transpose(x), 1),
}


@pytest.mark.parametrize("name", WRITES)
def test_scalars_are_not_written_to(name: str) -> None:
    write = WRITES[name]
    with pytest.raises((TypeError, ValueError)) as wanted:
        write(numpy, SCALAR)
    with pytest.raises((TypeError, ValueError)) as eager:
        write(np, np.sum(np.ones(3)))
    with pytest.raises((TypeError, ValueError)) as compiled:
        np.compile(lambda x: write(numpy, x.sum()))(numpy.ones(3))
    assert eager.type is compiled.type is wanted.type
    assert str(eager.value) == str(compiled.value).split("\n")[0] == str(wanted.value)
